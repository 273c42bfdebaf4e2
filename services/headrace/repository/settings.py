"""Settings of the model repository."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel


class RepositorySettings(BaseModel, extra="forbid"):
    """`HEADRACE_REPOSITORY__…`: where bundles lie and which model is the default."""

    path: Path | None = None
    """Root of the repository: `models/` (Triton's layout), `rollout/` (what is live) and `staging/` lie in it.
    Unset: `repository` in Headrace's home directory."""

    default_model: str | None = None
    """Model for events that name none. Unset: the first one published."""
