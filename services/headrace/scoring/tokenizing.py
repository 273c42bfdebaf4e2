"""Texts to token ids: Hugging Face `tokenizers` is the reference, gigatoken the fast one where its ids are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from tokenizers import Tokenizer

from headrace.errors import BundleError
from headrace.scoring.parity_texts import parity_texts
from headrace.scoring.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awkward import Array

CACHE_BYTES = 64_000_000
"""gigatoken remembers every word that it has met and never forgets one; after this much text it is built anew (some ten
milliseconds), so that a stream of unseen words (ids, amounts, hashes) cannot fill the memory."""


class Engine(Protocol):
    """Anything that turns texts into ids."""

    name: str

    def encode(self, texts: Sequence[str]) -> Ragged:
        """Ids of each text, special tokens included, cut to the model's length."""


class ReferenceEngine:
    """Hugging Face `tokenizers`, the definition of what is right."""

    name = "huggingface"

    def __init__(self, tokenizer_json: bytes, max_length: int) -> None:
        self._tokenizer = Tokenizer.from_str(tokenizer_json.decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length)

    def encode(self, texts: Sequence[str]) -> Ragged:
        """As the protocol says."""
        return Ragged.from_lists([encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))])

    def added_tokens(self) -> list[str]:
        """Texts that the tokenizer treats as one token wherever they stand."""
        return [token.content for token in self._tokenizer.get_added_tokens_decoder().values()]

    def frame_of_specials(self) -> tuple[list[int], list[int]]:
        """Ids that the post-processor puts before and behind every text."""
        bare = self._tokenizer.encode("a", add_special_tokens=False).ids
        full = self._tokenizer.encode("a").ids
        start = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), 0)
        return full[:start], full[start + len(bare) :]


class GigatokenEngine:
    """gigatoken, with the special tokens and the truncation that it leaves to its caller."""

    name = "gigatoken"

    def __init__(self, tokenizer_json: bytes, max_length: int, specials: tuple[list[int], list[int]]) -> None:
        self._json = tokenizer_json
        self._prefix, self._suffix = specials
        self._room = max_length - len(self._prefix) - len(self._suffix)
        self._load()

    def encode(self, texts: Sequence[str]) -> Ragged:
        """As the protocol says."""
        # One thread: the stream services are scaled by processes, and a pool of threads would fight over two cores.
        rows = _ragged(self._tokenizer.encode_batch(list(texts), parallel=False))
        self._remembered += sum(map(len, texts))
        if self._remembered > CACHE_BYTES:
            self._load()
        return rows.cut(self._room).wrap(self._prefix, self._suffix)

    def _load(self) -> None:
        from gigatoken import Tokenizer as FastTokenizer  # noqa: PLC0415 (optional on some platforms)

        self._tokenizer = FastTokenizer.from_json(self._json)
        self._remembered = 0


@dataclass(frozen=True, slots=True)
class TextTokenizer:
    """A model version's tokenizer with the engine that was chosen for it."""

    engine: Engine
    reason: str
    """Why this engine, for the log."""

    @classmethod
    def load(cls, tokenizer_json: bytes, max_length: int) -> TextTokenizer:
        """Choose the engine for one version.

        Args:
            tokenizer_json: Content of Hugging Face's `tokenizer.json`.
            max_length: Most ids of a text, special tokens included.

        Raises:
            BundleError: The content is not a tokenizer.
        """
        try:
            reference = ReferenceEngine(tokenizer_json, max_length)
        except Exception as error:
            raise BundleError(f"tokenizer.json is not a Hugging Face tokenizer: {error}.") from error
        fast = _fast_engine(tokenizer_json, max_length, reference)
        return cls(reference, fast) if isinstance(fast, str) else cls(fast, "equal ids in the parity check")

    def encode(self, texts: Sequence[str]) -> Ragged:
        """Ids of each text, int32, special tokens included, cut to the model's length; none for some empty texts."""
        return self.engine.encode(texts)


def _fast_engine(tokenizer_json: bytes, max_length: int, reference: ReferenceEngine) -> GigatokenEngine | str:
    """The fast engine, or why it may not be used."""
    try:
        engine = GigatokenEngine(tokenizer_json, max_length, reference.frame_of_specials())
    except ImportError:
        return "gigatoken is not installed"
    except (ValueError, TypeError, NotImplementedError, RuntimeError) as error:
        return f"gigatoken does not know this kind of tokenizer ({str(error).splitlines()[0]})"
    texts = parity_texts(reference.added_tokens())
    return engine if _same(engine.encode(texts), reference.encode(texts)) else "gigatoken's ids differ"


def _same(one: Ragged, other: Ragged) -> bool:
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.values, other.values)


def _ragged(array: Array) -> Ragged:
    layout = array.layout
    offsets = np.asarray(layout.offsets.data)
    values = np.asarray(layout.content.data)[offsets[0] : offsets[-1]]
    return Ragged((offsets - offsets[0]).astype(np.int32), values.astype(np.int32))
