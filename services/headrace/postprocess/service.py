"""The postprocess service: reads frames of scores, writes predictions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from headrace.errors import FrameError
from headrace.repository.layout import Layout
from headrace.repository.listing import open_bundle
from headrace.scoring.events import Poison
from headrace.scoring.labels import Labeller
from headrace.scoring.predictions import encode_predictions
from headrace.stream.dead_letters import DeadLetterBox
from headrace.stream.emission import Emission
from headrace.stream.frames import decode_frame
from headrace.stream.processor import ThreadedProcessor
from headrace.stream.service import StageSpec

if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

    from headrace.settings import Settings
    from headrace.stream.frames import Frame
    from headrace.stream.processor import FinishedQueue, Work

NAME = "postprocess"


class Postprocess:
    """A plain function of one frame, with the parts that it needs."""

    def __init__(self, settings: Settings) -> None:
        """Prepare from settings."""
        self._target = settings.topics.name("predictions")
        self._dead_letters = DeadLetterBox(NAME, settings.topics.name("dead_letters"))
        self._layout = Layout(settings.repository_path)
        self._labeller = cache(self._load_labeller)

    def __call__(self, work: Work) -> list[Emission]:
        """Predictions of a frame's rows; a record that is no frame goes to dead-letters as it is."""
        message = work.messages[0]
        try:
            frame = decode_frame(message.value())
            return [self._predictions(frame)]
        except FrameError as error:
            return [self._dead_letters.emission([(message, Poison(0, "bad-frame", str(error)))])]

    def _predictions(self, frame: Frame) -> Emission:
        header = frame.header
        labelled = self._labeller(header.model, header.version).decide(frame.scores)
        values = encode_predictions(
            header.model,
            header.version,
            _column(frame.batch, "id") or [],
            labelled,
            _column(frame.batch, "context"),
            _column(frame.batch, "traceparent"),
        )
        keys = _column(frame.batch, "key") or [None] * len(values)
        records = [{"value": value, "key": key} for value, key in zip(values, keys, strict=True)]
        return Emission(self._target, header.partition, records, sum(map(len, values)))

    def _load_labeller(self, model: str, version: int) -> Labeller:
        """Published bundles never change, so a labeller is loaded once."""
        _, manifest = open_bundle(self._layout, model, version)
        return Labeller(manifest.labels, manifest.policy)


def _column(rows: pa.RecordBatch, name: str) -> list[Any] | None:
    """A column as Python objects; None when all of it is null."""
    column = rows.column(name)
    values: list[Any] | None = column.to_pylist() if column.null_count < len(column) else None
    return values


def make_processor(settings: Settings, finished: FinishedQueue) -> ThreadedProcessor:
    """The processor; one record is one frame."""
    return ThreadedProcessor(Postprocess(settings), ThreadPoolExecutor(1, NAME), finished, rows_per_work=1)


SPEC = StageSpec(NAME, "scores", make_processor)
