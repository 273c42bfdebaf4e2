"""The shape of an event's JSON, made from the field paths that are set, so that a user's existing topics serve."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from headrace.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.stream.settings import FieldSettings

Getter = "Callable[[Any], Any]"
NOTHING = msgspec.Raw()
"""What an absent context decodes to."""

OPTIONAL: dict[str, tuple[Any, Any]] = {
    "id": (str | int | None, None),
    "model": (str | None, None),
    "context": (msgspec.Raw, NOTHING),
}
"""Part → type and default. The text alone is required."""


class EventSchema:
    """A decoder that reads the four parts, skips all else, and getters for them."""

    def __init__(self, fields: FieldSettings) -> None:
        tree: dict[str, Any] = {}
        paths = {part: getattr(fields, part).split(".") for part in ("text", *OPTIONAL)}
        for part, path in paths.items():
            _plant(tree, path, part)
        self._decoder = msgspec.json.Decoder(_struct("Event", tree))
        self.decode: Callable[[bytes], Any] = self._decoder.decode
        """Bytes of one record to an object for the getters; raises msgspec.MsgspecError, RecursionError."""
        attributes = {part: _attribute_path(tree, path) for part, path in paths.items()}
        self.text: Callable[[Any], str] = attrgetter(attributes["text"])
        self.id = _getter(attributes["id"], None)
        self.model = _getter(attributes["model"], None)
        self.context = _getter(attributes["context"], NOTHING)


def _plant(tree: dict[str, Any], path: list[str], part: str) -> None:
    """Put the leaf `part` at `path` into the tree of names."""
    node = tree
    for name in path[:-1]:
        node = node.setdefault(name, {})
        if not isinstance(node, dict):
            raise SettingsError(
                f"fields: the path of {part} leads through the value of {node}: set paths that do not nest."
            )
    if not all(path) or path[-1] in node:
        raise SettingsError(
            f"fields: the path {'.'.join(path)!r} of {part} is empty or taken by another part: set another."
        )
    node[path[-1]] = part


def _struct(name: str, tree: dict[str, Any]) -> type[msgspec.Struct]:
    fields: list[Any] = []
    for position, node in enumerate(tree.values()):
        attribute = f"f{position}"
        if isinstance(node, dict):
            inner = _struct(f"{name}_{position}", node)
            fields.append((attribute, inner) if _holds_text(node) else (attribute, inner | None, None))
        elif node == "text":
            fields.append((attribute, str))
        else:
            fields.append((attribute, *OPTIONAL[node]))
    names = {f"f{position}": key for position, key in enumerate(tree)}
    # gc=False: the collector need not walk hundreds of thousands of short-lived events.
    return msgspec.defstruct(name, fields, rename=names, gc=False, kw_only=True)


def _holds_text(tree: dict[str, Any]) -> bool:
    return any(node == "text" or (isinstance(node, dict) and _holds_text(node)) for node in tree.values())


def _attribute_path(tree: dict[str, Any], path: list[str]) -> str:
    names: list[str] = []
    node: Any = tree
    for name in path:
        names.append(f"f{list(node).index(name)}")
        node = node[name]
    return ".".join(names)


def _getter(path: str, default: object) -> Callable[[Any], Any]:
    """A getter that survives absent objects on the way."""
    if "." not in path:
        return attrgetter(path)

    def get(event: object) -> Any:  # noqa: ANN401 (the schema fixes the type)
        for name in path.split("."):
            event = getattr(event, name)
            if event is None:
                return default
        return event

    return get
