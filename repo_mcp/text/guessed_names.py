"""Read the names that a question guesses, in round brackets at its end or alone behind it. Pure.

    "How does it resume after a restart? (restore_state, load)"
        -> "How does it resume after a restart?", ("restore_state", "load")
    "How does it resume after a restart? restore_state load_all"
        -> "How does it resume after a restart?", ("restore_state", "load_all")

Who asks often knows how programmers call what the question describes in everyday words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_GUESSES, MOST_GUESS_WORDS = 12, 3
LEAST_WORDS = 3  # of the question before them; what follows fewer words belongs to a name
_AT_END = re.compile(
    r"(?P<question>.*\S)\s+\((?P<guesses>[^()]*(?:(?<=[\w>`$])\([^()]*\)[^()]*)*)\)(?P<end>[\s.?!]*)$",
    re.DOTALL,
)
_BEHIND = re.compile(r"(?P<question>.*\?)\s+(?P<guesses>[^?\s][^?]*)$", re.DOTALL)
_BETWEEN = re.compile(r"[,;|\n]")
_VARIABLE = re.compile(r"\$\((\w+)\)")  # of a Makefile
_ARGUMENTS = re.compile(r"\([^()]*\)|<[^<>]*>")  # of a function or a type
_NAME = re.compile(r"[$@_]?[^\W\d][\w$]*(?:(?:\.|::|#|->|-|/)[\w$]+)*[?!]?")
_PARTS = re.compile(r"\W+")  # between the names of a qualified one
_ASIDE = re.compile(r"\s*(?:e\.g|i\.e|eg|ie|see|cf|such as|for (?:example|instance)|like)\b", re.IGNORECASE)
_OF_CODE = re.compile(r"[_$:#/]|\w\.\w|[a-z\d][A-Z]|\(")  # in a name that no sentence has


def split_guesses(query: str) -> tuple[str, tuple[str, ...]]:
    """Return a question without the names that it guesses, and these, each once; () for none.

    A bracket with a longer phrase is an aside and belongs to the question. So does one with plain words
    before the question mark: "how is it sent over a socket (TCP)?".
    """
    found = _AT_END.match(query)
    if found is None:
        return _split_behind(query)
    if len(found["question"].split()) < LEAST_WORDS or _ASIDE.match(found["guesses"]):
        return query, ()
    is_inside = "?" in found["end"] and found["question"][-1] not in "?.!"
    if is_inside and _OF_CODE.search(found["guesses"]) is None:
        return query, ()
    pieces = [one.strip().strip("`'\"*.") for one in _BETWEEN.split(_leave_out_arguments(found["guesses"]))]
    if any(len(one.split()) > MOST_GUESS_WORDS for one in pieces):
        return query, ()
    guesses = dict.fromkeys(one for one in pieces if one and all(map(_NAME.fullmatch, one.split())))
    return (found["question"], tuple(guesses)[:MOST_GUESSES]) if guesses else (query, ())


def _split_behind(query: str) -> tuple[str, tuple[str, ...]]:
    """Return a question without the names behind its question mark, most of which no sentence has."""
    found = _BEHIND.match(query)
    if found is None or len(found["question"].split()) < LEAST_WORDS:
        return query, ()
    names = [one.strip("`'\"*.") for one in re.split(r"[\s,;]+", _leave_out_arguments(found["guesses"]))]
    names = list(filter(None, names))
    is_code = [_OF_CODE.search(one) is not None for one in names]
    if not all(map(_NAME.fullmatch, names)) or 2 * sum(is_code) <= len(names):
        return query, ()
    return found["question"], tuple(dict.fromkeys(names))[:MOST_GUESSES]


def list_own_names(guesses: Iterable[str]) -> list[str]:
    """Return the guessed names without what is before their last dot or the like, each once."""
    return [*dict.fromkeys(_PARTS.split(guess)[-1] for guess in guesses)]


def _leave_out_arguments(text: str) -> str:
    """Return names without what is in brackets behind them, at most three types inside one another."""
    text = _VARIABLE.sub(r"\1", text)
    for _ in range(3):
        text = _ARGUMENTS.sub("", text)
    return text
