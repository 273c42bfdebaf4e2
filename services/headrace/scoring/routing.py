"""Which model version an event goes to, and how events of several versions are parted without breaking order. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from headrace.scoring.tokenizing import TextTokenizer

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """One version that takes traffic."""

    model: str
    version: int
    tokenizer: TextTokenizer
    tokenizer_digest: str


@dataclass(frozen=True, slots=True)
class Routes:
    """All versions that take traffic."""

    default: str | None = None
    """Model of events that name none."""
    active: Mapping[str, Route] = field(default_factory=dict)
    """Model → its active version."""
    pending: frozenset[str] = frozenset()
    """Models that are published and not live yet: their events wait."""

    def of(self, model: str | None) -> Route | None:
        """The route of an event that names `model`; None when there is none."""
        name = model if model is not None else self.default
        return self.active.get(name) if name is not None else None

    def awaits(self, models: Sequence[str | None]) -> bool:
        """Whether one of the models named is not live yet but will be."""
        named = set(models)
        wanted = named - {None} | ({self.default} if None in named else set())
        return bool(wanted & self.pending) or (None in named and self.default is None)


def part_in_order(routes: Sequence[R], keys: Sequence[bytes | None]) -> list[tuple[R, list[int]]]:
    """Part rows by route so that the parts, sent one after the other, keep the order of rows with equal keys.

    Args:
        routes: Route of each row.
        keys: Key of each row; rows without one have no order to keep.

    Returns:
        Route and rows of each part. A route has more than one part only where a key went from one route to another.
    """
    parts: list[tuple[R, list[int]]] = []
    open_part: dict[R, int] = {}
    part_of_key: dict[bytes, int] = {}
    for row, (route, key) in enumerate(zip(routes, keys, strict=True)):
        part = open_part.get(route, -1)
        if part < 0 or (key is not None and part_of_key.get(key, -1) > part):
            part = open_part[route] = len(parts)
            parts.append((route, []))
        parts[part][1].append(row)
        if key is not None:
            part_of_key[key] = part
    return parts
