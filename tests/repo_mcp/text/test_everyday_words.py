"""The table of everyday words: its form, and what is looked for in place of a word."""

from __future__ import annotations

from collections import Counter

import pytest

from repo_mcp.text import everyday_words
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.everyday_words import list_stand_ins, spell_stand_in
from repo_mcp.text.stop_words import FUNCTION_WORDS, QUESTION_WORDS, STOP_WORDS
from repo_mcp.text.word_families import list_synonyms

ROWS = [line.partition(": ") for line in everyday_words._TABLE.read_text(encoding="ascii").splitlines()]
MOST_WORDS = 7  # for one everyday word: more would bring the words of half a program


def test_the_table_has_plain_words_each_once_in_order() -> None:
    said = [word for word, _, _ in ROWS]
    assert len(said) > 1_000
    assert said == sorted(said)
    assert [stem for stem, count in Counter(map(find_stem, said)).items() if count > 1] == []
    assert (FUNCTION_WORDS | QUESTION_WORDS | STOP_WORDS).isdisjoint(said)
    for word, _, others in ROWS:
        words = others.split()
        assert word.isalpha(), word
        assert word.islower(), word
        assert 1 <= len(words) <= MOST_WORDS, word
        assert len(set(words)) == len(words), word
        assert all(map(str.isalnum, words)), word
        assert others.islower(), word
        assert find_stem(word) not in map(find_stem, words), word


def find_stem(word: str) -> str:
    return get_word_terms(word)[-1]


def test_synonyms_come_before_what_programs_call_a_word() -> None:
    twins = list_stand_ins("twin")
    assert twins[:2] == ("duplic", "clone")
    visitors = list_stand_ins("visitor")
    assert visitors[: len(list_synonyms("visitor"))] == list_synonyms("visitor")
    assert len(set(visitors)) == len(visitors)
    assert list_stand_ins("frobnic") == ()


def test_each_stem_is_spelled_as_a_word_that_has_it() -> None:
    for word, _, _ in ROWS:
        for stem in list_stand_ins(find_stem(word)):
            assert stem in get_word_terms(spell_stand_in(stem)), (word, stem)
    with pytest.raises(KeyError):
        spell_stand_in("frobnic")
