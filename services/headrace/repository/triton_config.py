"""A model's Triton configuration: one source for `config.pbtxt` and what is sent when loading (which replaces it)."""

from __future__ import annotations

from typing import Any

from google.protobuf import json_format, text_format
from tritonclient.grpc.model_config_pb2 import ModelConfig

from headrace.repository.manifest import INPUT, OUTPUT

MAX_BATCH_SIZE = 16_384
"""Rows of one request that Triton takes; the services send less."""


def model_config(name: str, versions: list[int] | None = None) -> dict[str, Any]:
    """The configuration as Triton's JSON.

    Every dimension is variable, so a later version may bring other labels and lengths without a change of the file.

    Args:
        name: The model.
        versions: Versions to serve; None: what Triton does by default (the newest), which is all that the file may say.
    """
    config: dict[str, Any] = {
        "name": name,
        "backend": "onnxruntime",
        "max_batch_size": MAX_BATCH_SIZE,
        "input": [{"name": INPUT, "data_type": "TYPE_INT32", "dims": [-1]}],
        "output": [{"name": OUTPUT, "data_type": "TYPE_FP32", "dims": [-1]}],
    }
    return config if versions is None else {**config, "version_policy": {"specific": {"versions": versions}}}


def config_pbtxt(name: str) -> str:
    """Content of `config.pbtxt`, written once per model."""
    return text_format.MessageToString(json_format.ParseDict(model_config(name), ModelConfig()))
