"""Tell a supervisor that this process is ready, by systemd's notification protocol (`sd_notify(3)`).

The local stack's supervisor listens on `NOTIFY_SOCKET`, and so does systemd, so a service needs nothing else to run
under either; without the variable nothing is sent.
"""

from __future__ import annotations

import os
import socket


def notify_ready(status: str = "") -> None:
    """Say `READY=1`, with a line for `headrace status`.

    Args:
        status: What the process does now, one line.

    Raises:
        OSError: The socket is named but nobody listens: the supervisor is gone.
    """
    _send(f"READY=1\nSTATUS={status}")


def _send(message: str) -> None:
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.connect(address)
        channel.sendall(message.encode())
