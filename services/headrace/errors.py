"""The one error hierarchy: every error that Headrace raises on purpose, with a stable code and exit status.

A transport maps `HeadraceError.code` once (the command line maps `exit_status`); nobody else needs to know the classes.
A message names the cause and then the remedy, in one or two sentences.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitStatus(IntEnum):
    """What the `headrace` command exits with. 1 is kept for an unexpected error (a bug)."""

    OK = 0
    BUG = 1
    USAGE = 2
    """The words on the command line, the settings or an input file are wrong."""
    UNREACHABLE = 3
    """A broker, Triton or Redis that was asked for does not answer."""
    INCOMPLETE = 4
    """The work ended before all of it was done: a time-out, dead letters where none were allowed."""
    MODEL = 5
    """A bundle is invalid, missing or fails its check."""
    STACK = 6
    """The local stack cannot be started, or runs already, or does not run."""
    FATAL = 7
    """A client library reported an error after which the process must be started anew."""
    INTERRUPTED = 130


class HeadraceError(Exception):
    """Root of all errors that Headrace raises on purpose."""

    code: ClassVar[str] = "internal"
    exit_status: ClassVar[ExitStatus] = ExitStatus.BUG


class SettingsError(HeadraceError):
    """A setting is missing, malformed or contradicts another."""

    code = "settings"
    exit_status = ExitStatus.USAGE


class InputError(HeadraceError):
    """A file or an argument of the caller's is not usable."""

    code = "input"
    exit_status = ExitStatus.USAGE


class UnreachableError(HeadraceError):
    """A peer (broker, Triton, Redis) does not answer."""

    code = "unreachable"
    exit_status = ExitStatus.UNREACHABLE


class IncompleteError(HeadraceError):
    """Work ended before all of it was done."""

    code = "incomplete"
    exit_status = ExitStatus.INCOMPLETE


class BundleError(HeadraceError):
    """A model bundle is malformed, altered or fails its golden check."""

    code = "bundle"
    exit_status = ExitStatus.MODEL


class UnknownModelError(HeadraceError):
    """No such model, or no such version of it."""

    code = "unknown-model"
    exit_status = ExitStatus.MODEL


class StackError(HeadraceError):
    """The local stack cannot do what was asked: it runs already, does not run, or a part of it does not start."""

    code = "stack"
    exit_status = ExitStatus.STACK


class FrameError(HeadraceError):
    """Bytes are not a frame that this version can read."""

    code = "frame"
    exit_status = ExitStatus.INCOMPLETE


class FatalClientError(HeadraceError):
    """A client library can no longer be used; the process must end and be started anew."""

    code = "fatal-client"
    exit_status = ExitStatus.FATAL
