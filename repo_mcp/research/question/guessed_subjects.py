"""Choose the guessed name that a phrase of a question means, if no declaration has the phrase's own. Pure.

"response.json()" (ClientResponse.json)              the same last name, of what a variable holds
"the joined strategy" (LoadStrategy.JOINED)          all words of its last name
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.research.question.phrase_names import split_parts

_OF_VARIABLE = re.compile(r"`?(?:[a-z_$][\w$]*(?:\.|->))+([A-Za-z_$][\w$]*[!?]?)(?:\(\))?`?")
_QUALIFIED = re.compile(r"\w(?:\.|::|#)\w")


def read_own_name(text: str) -> str:
    """Return the last name of a phrase that names a member of a variable; any other phrase as it is."""
    found = _OF_VARIABLE.fullmatch(text)
    return found[1] if found is not None else text


def choose_same_last(text: str, guesses: Sequence[str]) -> str:
    """Return the first qualified guess whose last name is that of a phrase; "" if there is none."""
    name = read_own_name(text)
    qualified = (guess for guess in guesses if _QUALIFIED.search(guess))
    return next((guess for guess in qualified if split_qualified(guess)[-1] == name), "")


def pair_by_words(texts: Sequence[str], guesses: Sequence[str]) -> list[str]:
    """Return for each phrase the guess whose last name has words of this phrase alone; "" for none.

    All words of the name stand side by side in the phrase. Of several guesses, the longest is meant.
    """
    fitting = [[guess for guess in guesses if _spells(text, guess)] for text in texts]
    alone = [[guess for guess in own if sum(guess in others for others in fitting) == 1] for own in fitting]
    return [max(own, key=lambda guess: len(split_qualified(guess)[-1]), default="") for own in alone]


def _spells(text: str, guess: str) -> bool:
    """Return True for a phrase that has the words of the last part of a name side by side."""
    words = split_parts(split_qualified(guess)[-1])
    spelled = "[-_ ]?".join(map(re.escape, words))
    return bool(words) and re.search(rf"\b{spelled}\b", text, re.IGNORECASE) is not None
