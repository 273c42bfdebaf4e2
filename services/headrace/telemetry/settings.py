"""Settings of logs."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class LogSettings(BaseModel, extra="forbid"):
    """`HEADRACE_LOG__…`: how much is logged and in which form."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe level that is logged."""

    form: Literal["auto", "json", "console"] = "auto"
    """`json`: one object a line; `console`: for eyes; `auto`: console on a terminal, else JSON."""
