"""Varied texts on which two tokenizers are compared: what people write, and what breaks tokenizers."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCRIPTS = {
    "latin": (0x20, 0x7E),
    "latin-1": (0xA0, 0xFF),
    "latin-extended": (0x100, 0x24F),
    "greek": (0x370, 0x3FF),
    "cyrillic": (0x400, 0x4FF),
    "hebrew": (0x590, 0x5F4),
    "arabic": (0x600, 0x6FF),
    "devanagari": (0x900, 0x97F),
    "thai": (0xE01, 0xE5B),
    "hangul": (0xAC00, 0xD7A3),
    "kana": (0x3041, 0x30FF),
    "cjk": (0x4E00, 0x9FFF),
    "combining": (0x300, 0x36F),
    "control": (0x00, 0x1F),
    "punctuation": (0x2000, 0x206F),
    "symbols": (0x2190, 0x23FF),
    "emoji": (0x1F300, 0x1F6FF),
    "private": (0xE000, 0xE0FF),
    "fullwidth": (0xFF01, 0xFF5E),
    "astral": (0x10000, 0x103FF),
}
"""Ranges of code points, without surrogates."""

FIXED = (
    "",
    " ",
    "\n",
    "\0",
    "a\0b",
    "  two  spaces  ",
    "\t\r\n mixed \u00a0 white \u2003 space \u3000",
    "don't can't we'll I'm they've he'd it's DON'T",
    "don\u2019t can\u2019t",
    "12345 1,234.56 $99.99 3.14e-10 +44 7700 900123 0x1F",
    "a" * 3_000,
    "\U0001f600" * 300,
    "!" * 500,
    " " * 700,
    "ab " * 500,
    "e\u0301 \u00e9 A\u030a \u00c5 \ufb01 \u2460 \u212b",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd",
    "\u0645\u0631\u062d\u0628\u0627 \u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd",
    "http://example.com/a?b=c&d=%20#e mail@example.com @user #tag",
    "CamelCase snake_case kebab-case SCREAMING",
    "\ufeffbyte order mark \ufffd replacement \uffff",
    "\u0130stanbul \u1e9e \u00df \u01c5 \u03a3\u03c2",
)


def parity_texts(special: Sequence[str] = (), count: int = 1_500, seed: int = 0) -> list[str]:
    """Texts for a parity check, the same for the same arguments.

    Args:
        special: Texts of the tokenizer's own added tokens; they are tried alone, doubled and inside words.
        count: Number of random texts beside the fixed ones.
        seed: Seed of the random ones.
    """
    around = ("{}", "{}{}", "x{}y", " {} ", "a {} b {}")
    inserted = [frame.format(token, token) for frame, token in product(around, special)]
    return [*FIXED, *inserted, *random_texts(count, seed)]


def random_texts(count: int, seed: int) -> Iterator[str]:
    """`count` texts of words in one or several scripts, with long runs of a character and odd spacing among them."""
    rng = random.Random(seed)  # noqa: S311 (repeatable, not secret)
    names = list(SCRIPTS)
    for _ in range(count):
        scripts = rng.choices(names, k=rng.choice((1, 1, 1, 2, 4)))
        yield rng.choice(("", "", " ", "\n")) + "".join(
            _word(rng, rng.choice(scripts)) for _ in range(rng.randrange(24))
        )


def _word(rng: random.Random, script: str) -> str:
    low, high = SCRIPTS[script]
    length = rng.choice((1, 2, 3, 5, 8, 13))
    if rng.random() < 0.03:  # noqa: PLR2004 (now and then a long run of one character)
        return chr(rng.randint(low, high)) * rng.randrange(60)
    return "".join(chr(rng.randint(low, high)) for _ in range(length)) + rng.choice((" ", " ", "  ", "", "\n", ", "))
