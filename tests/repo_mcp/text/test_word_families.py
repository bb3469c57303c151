"""Words that mean much the same: the table itself, and that both ways are found."""

from __future__ import annotations

from collections import Counter

from repo_mcp.text import word_families
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.stop_words import FUNCTION_WORDS
from repo_mcp.text.word_families import list_synonyms, spell_stem

FAMILIES = [tuple(family.split()) for family in word_families._FAMILIES.split(",")]
MOST_SYNONYMS = 16  # more would bring the words of half a program


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
