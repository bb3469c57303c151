"""The stemmer against Whoosh's own, which it has to equal in every peculiarity."""

from __future__ import annotations

import random
from itertools import product

import pytest
from whoosh.lang.porter import stem

from repo_mcp.text.stemming import stem_word
from tests.deep.sizes import choose

SUFFIXES = """
    s es ies sses ss ed eed ing y e ll at bl iz tt nn ational tional enci anci izer bli alli entli eli ousli
    ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful
    ness al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize ion sion tion
    """.split()  # noqa: SIM905  (a list of literals takes a page)


def _check(words: list[str]) -> None:
    assert [stem_word(word.encode()).decode() for word in words] == [stem(word) for word in words]


def test_short_words() -> None:
    _check(["".join(letters) for size in range(1, 5) for letters in product("aeybstdlgni", repeat=size)])


@pytest.mark.sized
def test_suffixes_alone_and_by_two_behind_all_kinds_of_stems() -> None:
    stems = ["", "b", "y", "a", "ab", "oa", "tr", "hop", "yell", "fall", "troubl", "relat", "adopt", "syzyg"]
    words = ["".join(one) for one in product(stems, SUFFIXES, ["", *SUFFIXES]) if any(one)]
    _check(random.sample(words, choose(4_000, len(words))))


@pytest.mark.sized
def test_words_of_many_suffixes() -> None:
    draw = random.Random(7)
    words = [
        "".join(draw.choices("aeioubcdtlsyz", k=draw.randrange(1, 7)))
        + "".join(draw.choices(SUFFIXES, k=draw.randrange(4)))
        for _ in range(choose(5_000, 30_000))
    ]
    _check(words)
