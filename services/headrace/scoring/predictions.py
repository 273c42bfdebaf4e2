"""Predictions as JSON, a batch at once. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.scoring.labels import Labelled


class Prediction(msgspec.Struct, gc=False, frozen=True):
    """Value of a record of `predictions`."""

    id: str
    model: str
    version: int
    label: str
    score: float
    context: msgspec.Raw | UnsetType = UNSET
    traceparent: str | UnsetType = UNSET
    scores: dict[str, float] | UnsetType = UNSET


_encoder = msgspec.json.Encoder()


def encode_predictions(
    model: str,
    version: int,
    ids: Sequence[str],
    labelled: Labelled,
    contexts: Sequence[bytes | None] | None = None,
    traceparents: Sequence[str | None] | None = None,
) -> list[bytes]:
    """JSON of each prediction.

    Args:
        model: Name of the model.
        version: Its version.
        ids: Id of each event, n.
        labelled: Decisions, n rows.
        contexts: JSON of each event's context as it came, or None; None for the whole when no event has one.
        traceparents: As `contexts`.
    """
    rows: Any = zip(ids, labelled.labels, labelled.scores, strict=True)
    if contexts is None and traceparents is None and labelled.details is None:
        predictions = [Prediction(id_, model, version, label, score) for id_, label, score in rows]
        # Lines are parted again at newlines, which JSON never holds outside a context.
        return _encoder.encode_lines(predictions).split(b"\n")[:-1]
    none = [None] * len(ids)
    extras = zip(contexts or none, traceparents or none, labelled.details or none, strict=True)
    return [
        _encoder.encode(
            Prediction(
                id_,
                model,
                version,
                label,
                score,
                UNSET if context is None else msgspec.Raw(context),
                UNSET if traceparent is None else traceparent,
                UNSET if details is None else details,
            )
        )
        for (id_, label, score), (context, traceparent, details) in zip(rows, extras, strict=True)
    ]
