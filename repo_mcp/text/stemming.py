"""Porter's stemmer (1980) as Whoosh has it, in less than half the time: the last letters choose the rules.

Whoosh tries a regular expression for each step of the algorithm, though half of all words end in no
suffix of any step; and a build sees so many new words that caching their stems does not make up for it.
Whoosh's own stemmer is the oracle in the tests, peculiarities included: after removing "-ed" or "-ing" it
repairs only stems of two letters.
"""

from __future__ import annotations

import re

# A "y" is a vowel in some of these and not a consonant in others, as in Whoosh.
_HAS_VOWEL = re.compile(rb"[^aeiouy]*+[aeiouy]").match
_IS_SHORT = re.compile(rb"[^aeiouy]++[aeiouy][^aeiouwxy]\Z").match
_BEYOND_0 = re.compile(rb"[^aeiouy]*+[aeiou]++[^aeiouy]").match  # a measure above 0
_BEYOND_1 = re.compile(rb"[^aeiouy]*+[aeiou]++[^aeiouy]++[aeiou]++[^aeiouy]").match
_IS_1 = re.compile(rb"[^aeiouy]*+[aeiou]++[^aeiouy]++[aeiou]*+\Z").match
_DOUBLE = re.compile(rb"([^aeiouylsz])\1\Z").match

_Rules = dict[bytes, tuple[tuple[bytes, bytes], ...]]


def _sort_rules(rules: str) -> _Rules:
    """Return suffixes with their replacements, keyed by the last two letters, the longest first."""
    pairs = [(one.partition(":")[0].encode(), one.partition(":")[2].encode()) for one in rules.split()]
    pairs.sort(key=lambda pair: -len(pair[0]))
    return {end: tuple(pair for pair in pairs if pair[0].endswith(end)) for end in {s[-2:] for s, _ in pairs}}


_STEP_2 = _sort_rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous"
    " ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive"
    " biliti:ble logi:log"
)
_STEP_3 = _sort_rules("icate:ic ative alize:al iciti:ic ical:ic ful ness")
_STEP_4 = _sort_rules(
    "al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize sion:s tion:t"
)


def stem_word(word: bytes) -> bytes:
    """Return the stem of a word of lower-case ASCII letters (Porter, "An algorithm for suffix stripping")."""
    if len(word) < 3:
        return word
    first_is_y = word.startswith(b"y")
    if first_is_y:
        word = b"Y" + word[1:]
    if word.endswith(b"s"):
        word = _drop_plural(word)
    if word.endswith((b"ed", b"ing")):
        word = _drop_ending(word)
    if word.endswith(b"y") and _HAS_VOWEL(word, 0, len(word) - 1):
        word = word[:-1] + b"i"
    if word[-2:] in _STEP_2:
        word = _replace(word, _STEP_2)
    if word[-2:] in _STEP_3:
        word = _replace(word, _STEP_3)
    if word[-2:] in _STEP_4:
        word = _drop_suffix(word)
    if word.endswith(b"e"):
        rest = word[:-1]
        if _BEYOND_1(rest) or (_IS_1(rest) and not _IS_SHORT(rest)):
            word = rest
    if word.endswith(b"ll") and _BEYOND_1(word):
        word = word[:-1]
    return b"y" + word[1:] if first_is_y else word


def _drop_plural(word: bytes) -> bytes:
    if word.endswith((b"sses", b"ies")):
        return word[:-2]
    return word if word.endswith(b"ss") else word[:-1]


def _drop_ending(word: bytes) -> bytes:
    """Return a word without its -ed or -ing, if a vowel is left."""
    if word.endswith(b"eed"):
        return word[:-1] if _BEYOND_0(word, 0, len(word) - 3) else word
    rest = word[: -2 if word.endswith(b"ed") else -3]
    if not _HAS_VOWEL(rest):
        return word
    if rest in (b"at", b"bl", b"iz"):
        return rest + b"e"
    if _DOUBLE(rest):
        return rest[:-1]
    return rest + b"e" if _IS_SHORT(rest) else rest


def _replace(word: bytes, rules: _Rules) -> bytes:
    """Return the word with its longest suffix replaced, if the rest is long enough."""
    for suffix, replacement in rules[word[-2:]]:
        if word.endswith(suffix) and len(word) > len(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _BEYOND_0(stem) else word
    return word


def _drop_suffix(word: bytes) -> bytes:
    """Return the word without its longest suffix, if the rest is long enough."""
    for suffix, kept in _STEP_4[word[-2:]]:
        if word.endswith(suffix) and len(word) > len(suffix):
            stem = word[: -len(suffix)] + kept
            return stem if _BEYOND_1(stem) else word
    return word
