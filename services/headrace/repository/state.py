"""Rollout state at rest: what is live. The rollout service alone writes it; everyone else reads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import msgspec

from headrace.errors import BundleError

if TYPE_CHECKING:
    from pathlib import Path

    from headrace.repository.layout import Layout

DEFAULT_FILE = "default.json"
STATE_SUFFIX = ".rollout.json"
"""A name of a model has no dot, so a model called "default" cannot take the other file's place."""

T = TypeVar("T")


class RolloutState(msgspec.Struct, kw_only=True, frozen=True):
    """Content of `rollout/<model>.rollout.json`, and the value of a record on the control topic."""

    model: str
    generation: int
    """Grows with every change; a reader ignores one that is not newer than what it has."""
    active: int | None
    """Version that takes the traffic; None: none can be served."""
    reason: str = ""
    """Why it is so."""


class DefaultModel(msgspec.Struct, kw_only=True, frozen=True):
    """Content of `rollout/default.json`."""

    model: str


def read_states(layout: Layout) -> dict[str, RolloutState]:
    """Rollout states by model; empty when nothing was ever rolled out.

    Raises:
        BundleError: A state file is damaged.
    """
    states = [_read(path, RolloutState) for path in sorted(layout.rollout.glob("*" + STATE_SUFFIX))]
    return {state.model: state for state in states if state is not None}


def read_default_model(layout: Layout) -> str | None:
    """The first model that was published; None when none was.

    Raises:
        BundleError: The file is damaged.
    """
    default = _read(layout.rollout / DEFAULT_FILE, DefaultModel)
    return default.model if default is not None else None


def write_state(layout: Layout, state: RolloutState) -> None:
    """Replace a model's state atomically and durably.

    Raises:
        OSError: The disk is full or read-only; the former state stays.
    """
    layout.rollout.mkdir(parents=True, exist_ok=True)
    path = layout.rollout / (state.model + STATE_SUFFIX)
    temporary = layout.rollout / f".{state.model}.{os.getpid()}"
    with temporary.open("wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(state)))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise BundleError(
            f"{path} is damaged ({error}): restore it, or remove it and restart the rollout service."
        ) from error
