"""Words that stand for others: the form of both tables, and what is looked for in place of a word."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from repo_mcp.text import word_families
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.stop_words import FUNCTION_WORDS, QUESTION_WORDS, STOP_WORDS
from repo_mcp.text.word_families import list_stand_ins, list_synonyms, spell_stand_in, spell_stem

FAMILIES = [tuple(family.split()) for family in word_families._FAMILIES.split(",")]
EVERYDAY = [
    line.partition(": ")
    for line in Path(word_families._EVERYDAY_WORDS).read_text(encoding="ascii").splitlines()
]
MOST_SYNONYMS = 16  # more would bring the words of half a program
MOST_WORDS = 7  # for one everyday word, for the same reason


def test_families_are_plain_words_once_each_in_order() -> None:
    assert min(map(len, FAMILIES)) > 1
    assert sorted(FAMILIES) == FAMILIES
    assert [one for one, count in Counter(map(frozenset, FAMILIES)).items() if count > 1] == []
    for family in FAMILIES:
        assert tuple(sorted(set(family))) == family
        assert all(word.isascii() and (word.isalnum() and word.islower()) for word in family)


def test_every_word_is_one_that_an_index_has_as_a_stem() -> None:
    for word in {word for family in FAMILIES for word in family}:
        assert spell_stem(get_word_terms(word)[-1]), word
    assert FUNCTION_WORDS.isdisjoint(word for family in FAMILIES for word in family)


def test_synonyms_are_found_both_ways_and_never_the_word_itself() -> None:
    assert "invers" in list_synonyms("undo")
    assert "undo" in list_synonyms("invers")
    stems = {get_word_terms(word)[-1] for family in FAMILIES for word in family}
    for stem in stems:
        synonyms = list_synonyms(stem)
        assert stem not in synonyms
        assert len(set(synonyms)) == len(synonyms) <= MOST_SYNONYMS, stem
        assert all(stem in list_synonyms(other) for other in synonyms)
    assert list_synonyms("no such stem") == ()


def test_everyday_words_are_plain_words_each_once_in_order() -> None:
    said = [word for word, _, _ in EVERYDAY]
    assert len(said) > 1_000
    assert said == sorted(said)
    assert [stem for stem, count in Counter(map(find_stem, said)).items() if count > 1] == []
    assert (FUNCTION_WORDS | QUESTION_WORDS | STOP_WORDS).isdisjoint(said)
    for word, _, others in EVERYDAY:
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
    for word, _, _ in EVERYDAY:
        for stem in list_stand_ins(find_stem(word)):
            assert stem in get_word_terms(spell_stand_in(stem)), (word, stem)
    with pytest.raises(KeyError):
        spell_stand_in("frobnic")
