"""The fast vocabulary against the plain one: a dictionary over the split text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.indexing.shards import vocabulary
from repo_mcp.indexing.shards.vocabulary import Vocabulary
from tests.repo_mcp.plain_words import split_words

WORDS = st.one_of(
    st.sampled_from([b"a", b"aa", b"a" * 8, b"a" * 9, b"a" * 16, b"a" * 17, b"a" * 300, "é".encode(), b"_"]),
    st.binary(min_size=1, max_size=40),
)
TEXTS = st.lists(st.lists(WORDS, max_size=40).map(b" ".join), max_size=4)


def spell(texts: list[bytes]) -> list[list[bytes]]:
    """Return each text's words, spelt through the numbers that the vocabulary gives."""
    collected = Vocabulary()
    found = [collected.add(text) for text in texts]
    spans, numbers = collected.finish()
    words = spans.slice()
    assert len(set(words)) == len(words)
    for text_words in found:
        assert sorted(set(text_words.ranks.tolist())) == list(range(text_words.distinct))
    return [
        [words[number] for number in numbers[place][text_words.ranks]]
        for place, text_words in enumerate(found)
    ]


@given(TEXTS)
def test_equals_the_plain_version(texts: list[bytes]) -> None:
    assert spell(texts) == [split_words(text) for text in texts]


@given(st.binary(max_size=200))
def test_words_begin_where_they_are_said_to(text: bytes) -> None:
    found = Vocabulary().add(text)
    assert [
        text[start:][: len(word)] for start, word in zip(found.starts, split_words(text), strict=True)
    ] == (split_words(text))


def test_colliding_first_hashes_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the first half of the hash the same for all words, the second half alone must do."""
    texts = [b"one two three two one", b"three four one", b""]
    original = vocabulary.hash_spans

    def weaken(*arguments: object) -> tuple[object, object]:
        first, second = original(*arguments)  # type: ignore[arg-type]
        return np.zeros_like(first), second

    monkeypatch.setattr(vocabulary, "hash_spans", weaken)
    assert spell(texts) == [split_words(text) for text in texts]
