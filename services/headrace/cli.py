"""The `headrace` command: registers the commands and maps errors to exit statuses, once."""

from __future__ import annotations

import sys
from importlib import import_module

import typer
from rich.console import Console

from headrace import __version__
from headrace.errors import ExitStatus, HeadraceError

COMMANDS = {
    "up": "up",
    "down": "down",
    "status": "status",
    "doctor": "doctor",
    "train-local": "train_local",
    "publish": "publish",
    "models": "models",
    "send": "send",
    "watch": "watch",
    "score": "score",
    "dead-letters": "dead_letters",
    "replay": "replay",
    "bench": "bench",
    "demo": "demo",
}
"""Command as typed → module in `headrace.commands`, whose function of that name (or whose Typer `app`) it runs."""

EPILOG = "Exit status: " + ", ".join(f"{status.value} {status.name.lower()}" for status in ExitStatus) + "."


def build_app() -> typer.Typer:
    """The command line with every command registered."""
    app = typer.Typer(
        name="headrace",
        help="Real-time inference on text streams: Kafka in, Triton in the middle, predictions out, no event lost.",
        epilog=EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for name, module_name in COMMANDS.items():
        module = import_module(f"headrace.commands.{module_name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, module_name))
    return app


def main() -> None:
    """Run the command line; a `HeadraceError` becomes one line on standard error and its exit status."""
    try:
        build_app()()
    except HeadraceError as error:
        Console(stderr=True, highlight=False).print(f"[red]{error.code}[/]: ", str(error), sep="", markup=True)
        sys.exit(error.exit_status)


def _root(*, version: bool = typer.Option(default=False, help="Print the version and exit.")) -> None:
    if version:
        typer.echo(f"headrace {__version__}")
        raise typer.Exit
