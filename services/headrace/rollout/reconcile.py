"""What is live: makes what Triton serves follow the repository.

So far the policy is plain: at start the newest version of each model goes live, later the first version of a model that
has none. (Switching live, shadow and canary are to come.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from headrace.errors import BundleError
from headrace.repository.listing import published_models, published_versions
from headrace.repository.state import RolloutState, read_states, write_state
from headrace.repository.verify import verify_bundle

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.repository.layout import Layout
    from headrace.rollout.triton_control import TritonControl

log = structlog.get_logger()


class Reconciler:
    """One writer of rollout states."""

    def __init__(self, layout: Layout, triton: TritonControl, on_change: Callable[[RolloutState], None]) -> None:
        """Prepare.

        Args:
            layout: The model repository.
            triton: Its model control.
            on_change: Told every new state, after it is written.
        """
        self._layout = layout
        self._triton = triton
        self._on_change = on_change
        self._states = read_states(layout)
        self._failed: set[tuple[str, int]] = set()
        """Versions that could not be brought to life in this life of the service."""

    def start(self) -> None:
        """Bring the newest version of each model to life."""
        for model in published_models(self._layout):
            self._go_live(model)

    def turn(self) -> None:
        """Bring models without a live version to life, and load again what Triton has lost."""
        for model in published_models(self._layout):
            state = self._states.get(model)
            if state is None or state.active is None:
                self._go_live(model)
            elif not self._triton.serves(model, state.active):
                log.warning("version is not served, loading it again", model=model, version=state.active)
                self._load(model, state.active)

    def _go_live(self, model: str) -> None:
        """The newest version that loads; with none, the model is said not to be live."""
        reason = "no version is published"
        for version in sorted(published_versions(self._layout, model), reverse=True):
            if (model, version) in self._failed:
                reason = f"version {version} failed before; publish a better one"
                continue
            try:
                self._load(model, version)
            except BundleError as error:
                self._failed.add((model, version))
                log.error("version cannot be served", model=model, version=version, error=str(error))
                reason = str(error)
            else:
                self._write(model, version, "newest version that loads and passes its golden check")
                return
        self._write(model, None, reason)

    def _load(self, model: str, version: int) -> None:
        manifest = verify_bundle(self._layout.version(model, version))
        self._triton.load(model, [version])
        self._triton.check_golden(model, version, manifest.golden)
        log.info("version is served", model=model, version=version)

    def _write(self, model: str, active: int | None, reason: str) -> None:
        former = self._states.get(model)
        if former is not None and former.active == active:
            return
        generation = former.generation + 1 if former is not None else 1
        state = RolloutState(model=model, generation=generation, active=active, reason=reason)
        write_state(self._layout, state)
        self._states[model] = state
        log.info("live", model=model, version=active, generation=generation, reason=reason)
        self._on_change(state)
