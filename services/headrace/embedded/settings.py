"""Settings of the local stack that `headrace up` runs."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field


class EmbeddedSettings(BaseModel, extra="forbid"):
    """`HEADRACE_EMBEDDED__…`: ports, the environment of Triton, and what counts as a crash loop."""

    kafka_port: int = Field(default=0, ge=0, le=65_535)
    """Port of the local broker; 0: a free one."""

    redis_port: int = Field(default=0, ge=0, le=65_535)
    """Port of the local Redis-compatible server; 0: a free one."""

    triton_grpc_port: int = Field(default=0, ge=0, le=65_535)
    """gRPC port of the local Triton; 0: a free one."""

    triton_http_port: int = Field(default=0, ge=0, le=65_535)
    """HTTP port of the local Triton; 0: a free one."""

    triton_env: Path | None = None
    """Virtual environment with `nvidia-pytriton`, `onnxruntime` and `numpy<2`. Unset: `triton` in the running
    environment's directory, which `make setup` fills from `locks/triton.txt`."""

    start_timeout_s: float = Field(default=60.0, gt=0)
    """Seconds that a part may take until it is ready."""

    stop_timeout_s: float = Field(default=9.0, gt=0)
    """Seconds that all parts together may take to stop; then they are killed."""

    crash_limit: int = Field(default=5, ge=1)
    """A part that crashes this often within `crash_window_s` is given up on, and the stack stops."""

    crash_window_s: float = Field(default=60.0, gt=0)
    """Seconds over which crashes count."""
