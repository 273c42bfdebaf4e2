"""Where things lie in a model repository.

```
<root>/models/<name>/<version>/{model.onnx,tokenizer.json,bundle.json}   Triton's layout; nothing else is put here
<root>/models/<name>/config.pbtxt                                        written once
<root>/rollout/<name>.rollout.json                                       what is live, written by the rollout service
<root>/rollout/default.json                                              the default model
<root>/staging/<unique>/                                                 bundles being published; same file system
```
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headrace.errors import InputError
from headrace.repository.manifest import NAME

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
MANIFEST_FILE = "bundle.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below one repository root."""

    root: Path

    @property
    def models(self) -> Path:
        """Triton's model repository."""
        return self.root / "models"

    @property
    def rollout(self) -> Path:
        """Directory of rollout states."""
        return self.root / "rollout"

    @property
    def staging(self) -> Path:
        """Directory in which bundles are put together."""
        return self.root / "staging"

    def model(self, name: str) -> Path:
        """Directory of one model.

        Raises:
            InputError: The name is not on the allow-list.
        """
        if not NAME.fullmatch(name):
            raise InputError(f"{name!r} is not a name of a model: it must match {NAME.pattern}.")
        return self.models / name

    def version(self, name: str, version: int) -> Path:
        """Directory of one published bundle."""
        return self.model(name) / str(version)
