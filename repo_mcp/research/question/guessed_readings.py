"""Read a question that only describes its subject by the names that were guessed for it.

"Who calls the check of settings? (validate)"    callers of `validate`, if that is declared
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.research.findings.records import Form, Reading, ResearchRequest, Subject, TakenAs
from repo_mcp.research.findings.source import Source
from repo_mcp.research.question.grammar import Parsed
from repo_mcp.research.question.members_of_types import list_fields
from repo_mcp.research.question.open_readings import read_open
from repo_mcp.research.question.phrase_names import (
    fold_name,
    is_named_default,
    looks_like_code,
    looks_like_name,
)
from repo_mcp.research.question.phrases import Phrase, read_phrase
from repo_mcp.research.question.readings import OF_SYMBOLS, build_reading
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.question_words import list_words, shares_word

# Guesses that do not say which setting is meant. A package may have such a name.
_ANY_SETTING = frozenset(
    ("config", "configuration", "default", "defaults", "option", "options", "setting", "settings")
)
# Forms as which "what happens in ..." and "what is ..." are read, whatever is described.
_OF_ANYTHING = frozenset({Form.DEFINED, Form.CALLEES})
MAX_SUBJECT_WORDS = 4
MOST_DESCRIBING = 12  # words of a subject for which a guessed name may stand; more are a sentence
_CLAUSE = re.compile(r"\s(?:that|which|who|whose)\s")
_BEHIND_HEAD = re.compile(r"\s(?:of|for|in|on|from|with|that|which)\s")


class GuessedReadings:
    """Reads one question by its guesses. There must be a graph."""

    def __init__(
        self, source: Source, request: ResearchRequest, subjects: Subjects, parsed: Sequence[Parsed]
    ) -> None:
        self._source = source
        self._graph = source.get_graph()
        self._request = request
        self._subjects = subjects
        self._parsed = parsed

    def has_declared(self) -> bool:
        """Return True if one of the guesses is declared."""
        return any(map(self._is_declared, self._request.guesses))

    def read(self) -> Reading | None:
        """Return the reading of a question that only describes its subject, by a guessed name; or None.

        "Who calls the check of settings? (validate)": the first guess that is declared is meant. Where
        something is configured, any word that a file has may be, unless a declared name says in other letters
        what the question describes: "the number of worker threads" is `worker_threads`. If the question has a
        name, it has to be said that nothing declares that.
        """
        forms = (*OF_SYMBOLS, Form.CONFIGURED)
        asked = [one for one in self._parsed if len(one.phrases) == 1 and one.form in forms]
        asked = [one for one in asked if _may_be_guessed(one)]
        if any(self._subjects.find_undeclared(one.phrases[0]) is not None for one in asked):
            return None
        is_setting = any(one.form is Form.CONFIGURED for one in asked)
        guesses = self._order_settings(asked) if is_setting else self._request.guesses
        for form, guess in ((one.form, guess) for one in asked for guess in guesses):
            found = self._subjects.find(read_phrase(guess), form)
            if form is Form.CONFIGURED and _does(found):
                if any(self._holds_settings(found, one.phrases[0].text) for one in asked):
                    return build_reading(form, (found,))
                # one of the places that decide, as the other guesses may be
                return read_open(self._request, self._parsed)
            if found.taken_as is TakenAs.DECLARED:
                return build_reading(form, (found,))
            if form is Form.CONFIGURED and " " not in guess and not self._source.is_absent(guess):
                return build_reading(form, (Subject(guess, TakenAs.WORDS),))
        return None

    def _order_settings(self, asked: Sequence[Parsed]) -> tuple[str, ...]:
        """Return the guesses that may be settings: first those that spell what is asked, then the rarest."""
        guesses = [guess for guess in self._request.guesses if guess.lower() not in _ANY_SETTING]
        spelled = [guess for guess in guesses if any(_spells(one.phrases[0].text, guess) for one in asked)]
        rarest = sorted(guesses, key=self._subjects.is_everywhere)  # stable
        rarest.sort(key=lambda guess: self._is_no_setting(guess, asked))
        return tuple(dict.fromkeys((*filter(self._is_declared, spelled), *rarest)))

    def _holds_settings(self, found: Subject, described: str) -> bool:
        """Return True for a single type of fields whose name has the word that a description begins with.

        `PoolLimits` for "the limits of the pool".
        """
        words = list_words(_BEHIND_HEAD.split(described)[0])
        words = [word for word in words if word.lower() not in _ANY_SETTING]
        return (
            len(found.nodes) == 1
            and not found.left_out
            and shares_word(found.nodes[0].symbol.name, words) > 0
            and bool(list_fields(self._graph, found.nodes[0]))
        )

    def _is_no_setting(self, name: str, asked: Sequence[Parsed]) -> bool:
        """Return True for a function, a type without settings, and a value that is named as a default."""
        found = self._subjects.find(read_phrase(name), Form.CONFIGURED)
        if any(self._holds_settings(found, one.phrases[0].text) for one in asked):
            return False
        return is_named_default(name) or _does(found)

    def _is_declared(self, name: str) -> bool:
        return self._subjects.find(read_phrase(name), Form.CONFIGURED).taken_as is TakenAs.DECLARED


def _spells(described: str, name: str) -> bool:
    """Return True for a name of several words that a description has side by side."""
    return looks_like_name(name) and fold_name(name) in fold_name(described).replace(" ", "")


def only_describes(phrase: Phrase) -> bool:
    """Return True for few words and a clause that tell what is meant: "the prefix that links begin with"."""
    head, *clause = _CLAUSE.split(phrase.text, maxsplit=1)
    is_named = any(map(looks_like_code, phrase.text.split()))
    return bool(clause) and len(head.split()) <= MAX_SUBJECT_WORDS and not is_named


def _does(subject: Subject) -> bool:
    """Return True for types and functions, which are not values."""
    kinds = {node.symbol.kind for node in subject.nodes}
    return bool(kinds) and kinds <= TYPE_KINDS | CALLABLE_KINDS


def _may_be_guessed(parsed: Parsed) -> bool:
    """Return True for a form whose subject is described so briefly that a guessed name may stand for it."""
    text = parsed.phrases[0].text
    is_brief = len(text.split()) <= MOST_DESCRIBING or only_describes(parsed.phrases[0])
    return is_brief and not (parsed.form in _OF_ANYTHING and is_long(text))


def is_long(text: str) -> bool:
    """Return True for a phrase that is too long to describe one subject: "the difference between ..."."""
    return len(text.split()) > MAX_SUBJECT_WORDS
