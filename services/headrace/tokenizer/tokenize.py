"""The work of the tokenizer service: a batch of raw events to frames of tokens and dead letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from confluent_kafka import Message

from headrace.scoring.events import EventBatch, EventDecoder, Poison
from headrace.scoring.routing import Route, Routes, part_in_order
from headrace.stream.emission import Emission
from headrace.stream.frames import Frame, FrameHeader
from headrace.stream.framing import frame_bounds, row_sizes
from headrace.tokenizer.columns import carried_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from headrace.settings import Settings
    from headrace.stream.dead_letters import DeadLetterBox
    from headrace.stream.processor import Work


class Tokenize:
    """A plain function of a batch, with the parts that it needs."""

    def __init__(
        self,
        settings: Settings,
        dead_letters: DeadLetterBox,
        routes_for: Callable[[Sequence[str | None]], Routes],
        id_prefix: str,
    ) -> None:
        """Prepare.

        Args:
            settings: Fields, topics and bounds of frames.
            dead_letters: Makes dead letters.
            routes_for: Routes that know the models of a batch; waits for a model that is about to go live.
            id_prefix: What ids of events without one begin with.
        """
        self._bounds = settings.stream
        self._decoder = EventDecoder(settings.fields, settings.stream.max_event_bytes)
        self._source = settings.topics.name("events")
        self._target = settings.topics.name("tokens")
        self._dead_letters = dead_letters
        self._routes_for = routes_for
        self._id_prefix = id_prefix

    def __call__(self, work: Work) -> list[Emission]:
        """Emissions of one batch: frames in order, then dead letters."""
        messages = work.messages
        batch = self._decoder.decode(list(map(Message.value, messages)))
        poison = batch.poison
        emissions: list[Emission] = []
        if batch.texts:
            carried = carried_columns(messages, batch, self._id_prefix)
            for route, rows in self._parts(batch, carried):
                if route is None:
                    poison += _unknown_models(batch, rows, carried)
                else:
                    emissions += self._frames(work, route, batch, rows, carried, poison)
        if poison:
            poison.sort(key=lambda fault: fault.row)
            emissions.append(self._dead_letters.emission([(messages[fault.row], fault) for fault in poison]))
        return emissions

    def _parts(self, batch: EventBatch, carried: pa.RecordBatch) -> list[tuple[Route | None, Sequence[int]]]:
        named = set(batch.models)
        routes = self._routes_for(list(named))
        if len(named) == 1:
            return [(routes.of(named.pop()), range(len(batch.texts)))]
        keys = carried.column(carried.schema.get_field_index("key")).to_pylist()
        return list(part_in_order([routes.of(model) for model in batch.models], keys))

    def _frames(
        self,
        work: Work,
        route: Route,
        batch: EventBatch,
        rows: Sequence[int],
        carried: pa.RecordBatch,
        poison: list[Poison],
    ) -> list[Emission]:
        if len(rows) != len(batch.texts):
            carried = carried.take(pa.array(rows))
        tokens = route.tokenizer.encode([batch.texts[row] for row in rows])
        sizes = row_sizes(carried, tokens)
        fits = np.flatnonzero(sizes <= self._bounds.frame_bytes // 2)
        if len(fits) < len(rows):
            poison += [_oversized(batch.rows[rows[i]], int(sizes[i])) for i in np.setdiff1d(np.arange(len(rows)), fits)]
            carried, tokens, sizes = carried.take(pa.array(fits)), tokens.take(fits), sizes[fits]
        if not len(fits):
            return []
        header = self._header(work, route)
        whole = Frame.of_tokens(header, carried, tokens)
        bounds = frame_bounds(sizes, self._bounds.frame_rows, self._bounds.frame_bytes)
        return [self._emission(header, whole.batch.slice(start, stop - start)) for start, stop in bounds]

    def _header(self, work: Work, route: Route) -> FrameHeader:
        ticket = work.ticket
        return FrameHeader(
            model=route.model,
            version=route.version,
            tokenizer_digest=route.tokenizer_digest,
            traffic="active",
            topic=self._source,
            partition=ticket.partition,
            first_offset=ticket.first_offset,
            last_offset=ticket.last_offset,
        )

    def _emission(self, header: FrameHeader, rows: pa.RecordBatch) -> Emission:
        value = Frame(header, rows).encode()
        return Emission(self._target, header.partition, [{"value": value, "key": None}], len(value))


def _unknown_models(batch: EventBatch, rows: Sequence[int], carried: pa.RecordBatch) -> list[Poison]:
    ids = carried.column(carried.schema.get_field_index("id"))
    return [
        Poison(
            batch.rows[row], "unknown-model", f"No version of model {batch.models[row]!r} is live.", ids[row].as_py()
        )
        for row in rows
    ]


def _oversized(row: int, size: int) -> Poison:
    return Poison(
        row, "oversized", f"The event takes {size} bytes of a frame; half of HEADRACE_STREAM__FRAME_BYTES is allowed."
    )
