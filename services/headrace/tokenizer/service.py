"""The tokenizer service: reads `events`, decides the version of each, writes frames of tokens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from headrace.repository.layout import Layout
from headrace.stream.control import BellListener
from headrace.stream.dead_letters import DeadLetterBox
from headrace.stream.processor import ThreadedProcessor
from headrace.stream.service import StageSpec
from headrace.stream.topic_id import topic_id
from headrace.tokenizer.live_routes import LiveRoutes
from headrace.tokenizer.tokenize import Tokenize

if TYPE_CHECKING:
    from headrace.settings import Settings
    from headrace.stream.processor import FinishedQueue

NAME = "tokenizer"


class TokenizerProcessor(ThreadedProcessor):
    """Tokenizes in one thread; reads nothing while no model is live."""

    def __init__(self, settings: Settings, finished: FinishedQueue) -> None:
        """Read what is live and begin to follow it."""
        self._routes = LiveRoutes(Layout(settings.repository_path), settings.repository.default_model)
        self._routes.refresh()
        self._listener = BellListener(settings, NAME, self._routes.refresh)
        self._listener.start()
        tokenize = Tokenize(
            settings,
            DeadLetterBox(NAME, settings.topics.name("dead_letters")),
            self._routes.routes_for,
            topic_id(settings, settings.topics.name("events")),
        )
        super().__init__(tokenize, ThreadPoolExecutor(1, NAME), finished, settings.stream.frame_rows)

    def blocked(self) -> str | None:
        """As in the protocol."""
        return None if self._routes.current.active else "no model is live: publish one"

    def close(self) -> None:
        """As in the protocol."""
        self._listener.stop()
        self._routes.close()
        super().close()


SPEC = StageSpec(NAME, "events", TokenizerProcessor)
