"""Routes that follow what is live: read at start, and again at every bell."""

from __future__ import annotations

from threading import Condition
from typing import TYPE_CHECKING

import structlog

from headrace.errors import HeadraceError
from headrace.repository.layout import TOKENIZER_FILE
from headrace.repository.listing import open_bundle, published_models
from headrace.repository.state import RolloutState, read_default_model, read_states
from headrace.scoring.routing import Route, Routes
from headrace.scoring.tokenizing import TextTokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.repository.layout import Layout

log = structlog.get_logger()


class LiveRoutes:
    """The routes in force; swapped whole, so a batch sees one set."""

    def __init__(self, layout: Layout, default_model: str | None) -> None:
        """Prepare; nothing is read yet.

        Args:
            layout: The model repository.
            default_model: Model for events that name none; None: the first published.
        """
        self._layout = layout
        self._default_model = default_model
        self._states: dict[str, RolloutState] = {}
        self._routes = Routes()
        self._changed = Condition()
        self._closed = False

    @property
    def current(self) -> Routes:
        """The routes in force."""
        return self._routes

    def routes_for(self, models: Sequence[str | None]) -> Routes:
        """Routes that know these models (None: the default one); waits for one that is published and not live yet."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not self._routes.awaits(models))
            return self._routes

    def close(self) -> None:
        """Release whoever waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def refresh(self) -> None:
        """Read what is live and load tokenizers that are new. Keeps the former routes of what cannot be read."""
        try:
            routes = self._read()
        except (HeadraceError, OSError) as error:
            log.error("routes not refreshed", error=str(error))
            return
        with self._changed:
            self._routes = routes
            self._changed.notify_all()

    def _read(self) -> Routes:
        states = read_states(self._layout)
        active = {name: self._route(state) for name, state in states.items()}
        self._states = states
        pending = frozenset(set(published_models(self._layout)) - set(states))
        default = self._default_model or read_default_model(self._layout)
        return Routes(default, {name: route for name, route in active.items() if route is not None}, pending)

    def _route(self, state: RolloutState) -> Route | None:
        known = self._states.get(state.model)
        route = self._routes.active.get(state.model)
        if known is not None and known.generation >= state.generation:
            return route
        if state.active is None:
            return None
        directory, manifest = open_bundle(self._layout, state.model, state.active)
        tokenizer = TextTokenizer.load((directory / TOKENIZER_FILE).read_bytes(), manifest.max_length)
        log.info(
            "route",
            model=state.model,
            version=state.active,
            generation=state.generation,
            tokenizer=tokenizer.engine.name,
            why=tokenizer.reason,
        )
        return Route(state.model, state.active, tokenizer, manifest.tokenizer_digest)
