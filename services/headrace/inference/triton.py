"""Requests to Triton for scores, and what its errors mean."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from tritonclient.grpc import InferenceServerClient, InferInput, InferRequestedOutput
from tritonclient.utils import InferenceServerException

from headrace.repository.manifest import INPUT, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from tritonclient.grpc import InferResult

    from headrace.scoring.ragged import Int32s


class Verdict(Enum):
    """What an error says about the rows of its request."""

    REFUSED = auto()
    """These rows will never be scored."""
    OUTAGE = auto()
    """Nothing about the rows: send them again later."""


REFUSALS = frozenset({"StatusCode.INVALID_ARGUMENT", "StatusCode.OUT_OF_RANGE"})
"""gRPC statuses that blame the request. All others (unavailable, deadline, not found, internal, …) are outages: a model
that is being loaded, a server that restarts."""


def verdict_of(error: InferenceServerException) -> Verdict:
    """Whether an error is a refusal or an outage."""
    return Verdict.REFUSED if error.status() in REFUSALS else Verdict.OUTAGE


class TritonScorer:
    """A long-lived gRPC client that scores token matrices without waiting for them."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """Prepare; nothing is connected yet.

        Args:
            url: `host:port`.
            timeout_s: After it a request fails with DEADLINE_EXCEEDED.
        """
        self._client = InferenceServerClient(url)
        self._timeout_s = timeout_s
        self._outputs = [InferRequestedOutput(OUTPUT)]

    def submit(
        self,
        model: str,
        version: int,
        tokens: Int32s,
        on_done: Callable[[npt.NDArray[np.float32] | InferenceServerException], None],
    ) -> None:
        """Send a request.

        Args:
            model: Name of the model.
            version: Its version.
            tokens: int32[rows, width], padded with manifest.PADDING.
            on_done: Called once, from a thread of gRPC, with float32[rows, labels] or with the error.
        """

        def done(result: InferResult | None, error: InferenceServerException | None) -> None:
            on_done(error if error is not None or result is None else _scores(result, len(tokens)))

        request = InferInput(INPUT, list(tokens.shape), "INT32").set_data_from_numpy(tokens)
        self._client.async_infer(
            model,
            [request],
            done,
            model_version=str(version),
            outputs=self._outputs,
            client_timeout=self._timeout_s,
        )

    def close(self) -> None:
        """Close the connection; requests under way fail."""
        self._client.close()


def _scores(result: InferResult, rows: int) -> npt.NDArray[np.float32] | InferenceServerException:
    scores = result.as_numpy(OUTPUT)
    if scores is None or scores.dtype != np.float32 or scores.ndim != 2 or len(scores) != rows:  # noqa: PLR2004
        shape = None if scores is None else (scores.dtype, scores.shape)
        return InferenceServerException(f"the model answered {rows} rows with {shape}", "StatusCode.INTERNAL")
    return scores
