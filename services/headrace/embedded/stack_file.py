"""`stack.json`: what the running local stack tells other commands, and the lock that says whether it runs.

The supervisor holds an exclusive `flock` on `<home>/stack.lock` for as long as it lives, so a file that a killed
supervisor left behind is recognised without asking anybody: the kernel has dropped the lock.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec

from headrace.errors import StackError


class ProcessEntry(msgspec.Struct, kw_only=True):
    """One supervised process, as `headrace status` shows it."""

    name: str
    pid: int | None
    state: str
    """`starting`, `running`, `restarting`, `stopped` or `failed`."""
    address: str | None = None
    restarts: int = 0
    log: str | None = None


class StackFile(msgspec.Struct, kw_only=True):
    """Content of `stack.json`."""

    pid: int
    """Process id of the supervisor."""
    ready: bool
    """All parts have been ready once."""
    addresses: dict[str, dict[str, str]]
    """Settings to reach the parts: section, option, value (`{"kafka": {"bootstrap_servers": …}}`)."""
    processes: list[ProcessEntry]


def lock_path(home: Path) -> Path:
    """The file whose `flock` the supervisor holds."""
    return home / "stack.lock"


def is_running(home: Path) -> bool:
    """Whether a supervisor holds the lock in `home`."""
    try:
        with lock_path(home).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def read_stack(home: Path) -> StackFile | None:
    """What the running stack says of itself; None when none runs.

    Raises:
        StackError: The file is there but not readable as one.
    """
    if not is_running(home):
        return None
    path = home / "stack.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=StackFile)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise StackError(f"{path} is damaged ({error}): stop the stack with `headrace down` and start it anew.") from error


def write_stack(home: Path, stack: StackFile) -> None:
    """Replace `stack.json` atomically."""
    temporary = home / f".stack.json.{os.getpid()}"
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(stack)))
    temporary.replace(home / "stack.json")


def running_addresses(home: Path) -> dict[str, Any]:
    """Addresses of the running stack as nested settings; empty when none runs."""
    stack = read_stack(home)
    return dict(stack.addresses) if stack is not None else {}
