"""Settings of the inference service: where Triton is and how requests to it are shaped."""

from __future__ import annotations

from pydantic import BaseModel, Field


class TritonSettings(BaseModel, extra="forbid"):
    """`HEADRACE_TRITON__…`: the connection to Triton."""

    url: str | None = None
    """gRPC address, `host:port`. Unset: the local stack's (and `headrace up` starts one)."""

    request_timeout_s: float = Field(default=60.0, gt=0)
    """A request that takes longer counts as an outage and is sent again."""


class InferenceSettings(BaseModel, extra="forbid"):
    """`HEADRACE_INFERENCE__…`: how rows become Triton requests."""

    target_rows: int = Field(default=4_096, ge=1)
    """Most rows of one Triton request."""

    min_rows: int = Field(default=16, ge=1)
    """A request smaller than this is not made smaller still to save padding."""

    max_padding: float = Field(default=0.05, gt=0, lt=1)
    """Share of padding above which rows are split by length into more requests."""

    max_tokens: int = Field(default=262_144, ge=1)
    """Most token slots (rows x width) of one request: bounds memory for long texts."""

    gather_s: float = Field(default=0.005, ge=0)
    """Longest that a row waits for others, in seconds."""

    requests_in_flight: int = Field(default=4, ge=1)
    """Triton requests under way at once."""

    retry_first_s: float = Field(default=0.1, gt=0)
    """After an outage: first pause before the request is sent again, in seconds; doubles with full jitter."""

    retry_cap_s: float = Field(default=5.0, gt=0)
    """After an outage: longest pause, in seconds."""
