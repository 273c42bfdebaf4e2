"""Triton's model control: what is loaded, and loading exactly the versions that are wanted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from tritonclient.grpc import InferenceServerClient, InferInput
from tritonclient.utils import InferenceServerException

from headrace.errors import BundleError, UnreachableError
from headrace.repository.manifest import INPUT, OUTPUT, PADDING
from headrace.repository.triton_config import model_config
from headrace.scoring.ragged import Ragged

if TYPE_CHECKING:
    from headrace.repository.manifest import Golden

LOAD_TIMEOUT_S = 300.0
"""Loading reads the model and runs its first inference; a large one on a slow disk takes minutes."""
CALL_TIMEOUT_S = 30.0


class TritonControl:
    """Loads and checks versions."""

    def __init__(self, url: str) -> None:
        self._client = InferenceServerClient(url)

    def is_ready(self) -> bool:
        """Whether the server answers and is ready."""
        try:
            return bool(self._client.is_server_ready(client_timeout=CALL_TIMEOUT_S))
        except InferenceServerException:
            return False

    def serves(self, model: str, version: int) -> bool:
        """Whether a version is loaded and ready.

        Raises:
            UnreachableError: The server does not answer.
        """
        try:
            return bool(self._client.is_model_ready(model, str(version), client_timeout=CALL_TIMEOUT_S))
        except InferenceServerException as error:
            raise UnreachableError(f"Triton does not answer: {error.message()}.") from error

    def load(self, model: str, versions: list[int]) -> None:
        """Make a model serve exactly these versions; those that are loaded already are not loaded again.

        Args:
            model: Name of the model.
            versions: Versions to serve.

        Raises:
            BundleError: Triton cannot load it; what was served before still is.
        """
        config = json.dumps(model_config(model, versions))
        try:
            self._client.load_model(model, config=config, client_timeout=LOAD_TIMEOUT_S)
        except InferenceServerException as error:
            raise BundleError(f"Triton cannot load {model} {versions}: {error.message()}.") from error

    def check_golden(self, model: str, version: int, golden: Golden) -> None:
        """Score the golden inputs and compare.

        Raises:
            BundleError: The scores differ by more than the bundle allows, or the model does not answer.
        """
        tokens = Ragged.from_lists(golden.tokens).padded(np.arange(len(golden.tokens)), PADDING)
        request = InferInput(INPUT, list(tokens.shape), "INT32").set_data_from_numpy(tokens)
        try:
            result = self._client.infer(model, [request], model_version=str(version), client_timeout=CALL_TIMEOUT_S)
        except InferenceServerException as error:
            raise BundleError(
                f"{model} version {version} does not score its golden inputs: {error.message()}."
            ) from error
        scores, wanted = result.as_numpy(OUTPUT), np.array(golden.scores, dtype=np.float32)
        if scores is None or scores.shape != wanted.shape:
            raise BundleError(f"{model} version {version}: golden scores have another shape than the bundle says.")
        worst = float(np.abs(scores - wanted).max())
        # Written so that a score which is not a number fails, too.
        if not worst <= golden.tolerance:
            raise BundleError(
                f"{model} version {version}: a golden score is off by {worst:.2g}, {golden.tolerance:.2g} is allowed. "
                "The served model is not the one that was published, or this Triton computes differently."
            )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
