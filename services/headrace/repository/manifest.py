"""`bundle.json`: what a model bundle says of itself. Pure data and its checks; files are read elsewhere."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from headrace.errors import BundleError

FORMAT = 1
"""Version of the manifest's form. A reader refuses a later one by name."""

TASK = "single-label-text-classification"
"""The one task that is served."""

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""Names of models. An allow-list, since a name becomes a path and an argument of Triton's load API."""

INPUT = "tokens"
"""Name of the ONNX graph's input: int32[rows, width], token ids without special treatment, padded with PADDING."""

OUTPUT = "scores"
"""Name of the ONNX graph's output: float32[rows, labels], probabilities that sum to one per row."""

MIN_LABELS = 2

PADDING = -1
"""Fills a row of INPUT up to the width. No token id is negative, so the graph derives its mask from the ids alone, and
a text that spells the tokenizer's own padding token is scored as what it is."""


class Policy(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """How scores become a label: the best-scored label that reaches its threshold, else the fallback.

    Without `fallback`, a row none of whose labels reaches its threshold gets the best-scored label all the same.
    """

    thresholds: dict[str, float] = {}
    """Least score of a label, 0 to 1; a label that is not named has none."""
    fallback: str | None = None
    """Label when no label reaches its threshold; need not be one of the model's labels."""
    top_k: int | None = None
    """Put the best k labels with their scores into each prediction; 0: all of them; None: only the winner's."""


class Golden(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Inputs and the outputs that the publisher got for them: checked whenever a version is loaded."""

    texts: list[str]
    tokens: list[list[int]]
    scores: list[list[float]]
    tolerance: float = 1e-3
    """Largest absolute difference of a score that still passes: other kernels round differently."""


class Manifest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Content of `bundle.json`."""

    format: int = FORMAT
    name: str
    version: int
    """0 in a bundle that is not published yet."""
    task: str = TASK
    family: str
    labels: list[str]
    """Names of the columns of OUTPUT, in order."""
    max_length: int
    """Most token ids of one text, special tokens included; longer ones are cut."""
    policy: Policy
    files: dict[str, str]
    """SHA-256, in hex, of every other file of the bundle, by name."""
    tokenizer_digest: str
    """SHA-256, in hex, of `tokenizer.json`."""
    golden: Golden
    lineage: dict[str, Any] = {}
    """Where the model comes from: data, command, seed, metrics, versions of libraries."""

    def check(self) -> None:
        """Refuse what cannot be served.

        Raises:
            BundleError: Names the field and what it must be.
        """
        for wrong, message in self._faults():
            if wrong:
                raise BundleError(f"bundle {self.name!r} version {self.version}: {message}.")

    def _faults(self) -> list[tuple[bool, str]]:
        labels, policy, golden = self.labels, self.policy, self.golden
        unknown = sorted(set(policy.thresholds) - set(labels))
        return [
            (self.format != FORMAT, f"its format is {self.format}, this version of Headrace reads {FORMAT}"),
            (not NAME.fullmatch(self.name), f"the name must match {NAME.pattern}"),
            (self.task != TASK, f"its task is {self.task!r}; Headrace serves {TASK!r} only"),
            (len(labels) < MIN_LABELS, "it needs two labels or more"),
            (len(set(labels)) != len(labels), "a label stands twice in it"),
            (self.max_length < 1, "max_length must be at least 1"),
            (bool(unknown), f"thresholds name labels that the model does not have: {', '.join(unknown)}"),
            (any(not 0 <= t <= 1 for t in policy.thresholds.values()), "thresholds must lie between 0 and 1"),
            (policy.top_k is not None and not 0 <= policy.top_k <= len(labels), "top_k is negative or over the labels"),
            (not golden.texts, "it has no golden inputs"),
            (not len(golden.texts) == len(golden.tokens) == len(golden.scores), "golden lists differ in length"),
            (any(len(row) != len(labels) for row in golden.scores), "a golden score row does not match the labels"),
        ]


def decode_manifest(data: bytes) -> Manifest:
    """Parse and check `bundle.json`.

    Raises:
        BundleError: The JSON is malformed, a field is missing or wrong.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BundleError(f"bundle.json is not valid: {error}.") from error
    manifest.check()
    return manifest
