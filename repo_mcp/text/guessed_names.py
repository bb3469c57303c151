"""Read the names that a question guesses, in round brackets at its end. Pure.

    "How does it resume after a restart? (restore_state, load)"
        -> "How does it resume after a restart?", ("restore_state", "load")

Who asks often knows how programmers call what the question describes in everyday words.
"""

from __future__ import annotations

import re

MOST_GUESSES, MOST_GUESS_WORDS = 12, 3
LEAST_WORDS = 3  # of the question before them; what follows fewer words belongs to a name
_AT_END = re.compile(r"(?P<question>.*\S)\s+\((?P<guesses>[^()]*(?:\(\)[^()]*)*)\)[\s.?!]*$", re.DOTALL)
_BETWEEN = re.compile(r"\s*[,;|\n]\s*")


def split_guesses(query: str) -> tuple[str, tuple[str, ...]]:
    """Return a question without the names that it guesses, and these, each once; () for none.

    A bracket with a longer phrase is an aside and belongs to the question.
    """
    found = _AT_END.match(query)
    if found is None or len(found["question"].split()) < LEAST_WORDS:
        return query, ()
    pieces = (one.strip("`'\"").removesuffix("()") for one in _BETWEEN.split(found["guesses"].strip()))
    guesses = tuple(dict.fromkeys(one for one in pieces if one))
    if not guesses or any(len(one.split()) > MOST_GUESS_WORDS for one in guesses):
        return query, ()
    return found["question"], guesses[:MOST_GUESSES]
