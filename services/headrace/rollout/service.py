"""The rollout service: the one writer of what is live. The data plane goes on without it."""

from __future__ import annotations

import os
import signal
import sys
from threading import Event
from typing import TYPE_CHECKING

import msgspec
import structlog

from headrace.errors import HeadraceError, UnreachableError
from headrace.repository.layout import Layout
from headrace.rollout.reconcile import Reconciler
from headrace.rollout.triton_control import TritonControl
from headrace.settings import load_settings
from headrace.stream.control import Bell
from headrace.telemetry.logs import configure_logs
from headrace.telemetry.notify import notify_ready

if TYPE_CHECKING:
    from headrace.repository.state import RolloutState
    from headrace.settings import Settings

log = structlog.get_logger()

NAME = "rollout"
TURN_S = 1.0
"""Seconds between two looks at the repository and at Triton."""


def main() -> None:
    """Run the service as a process until SIGTERM or SIGINT."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        settings = load_settings()
        configure_logs(settings.log, service=os.environ.get("HEADRACE_SERVICE_NAME", NAME))
        run(settings, stop)
    except HeadraceError as error:
        log.error("stopped by an error", code=error.code, error=str(error))
        sys.exit(error.exit_status)


def run(settings: Settings, stop: Event) -> None:
    """Reconcile until told to stop; an outage of Triton is waited out."""
    triton = TritonControl(settings.triton_url())
    bell = Bell(settings, NAME)

    def ring(state: RolloutState) -> None:
        bell.ring(state.model, msgspec.json.encode(state))

    reconciler = Reconciler(Layout(settings.repository_path), triton, ring)
    started = False
    while not stop.is_set():
        try:
            if triton.is_ready():
                reconciler.turn() if started else reconciler.start()
                if not started:
                    notify_ready()
                started = True
        except UnreachableError as error:
            log.warning("outage", error=str(error))
        stop.wait(TURN_S)
    triton.close()
