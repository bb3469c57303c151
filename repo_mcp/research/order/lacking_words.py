"""Tell which words of a question the best declaration lacks, and for which phrases others are looked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from repo_mcp.bodies.statements import holds_failure
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.idioms import find_idioms
from repo_mcp.text.question_words import shares_word
from repo_mcp.text.stop_words import QUESTION_WORDS, STOP_WORDS
from repo_mcp.text.word_families import list_stand_ins

# Words with at most TELLING of the heaviest weight are never reported as lacking. Nothing is reported if the
# lacking words are fewer than half and weigh less than LACKING of all.
TELLING, LACKING = 0.15, 0.4
_OF_FAILURE = re.compile(
    r"fail(?:s|ed|ing|ures?)?|errors?|rais(?:es?|ed|ing)|thrown?|throws|throwing", re.IGNORECASE
)  # words for a line that raises
_WORD = re.compile(r"[\w']+")  # "cross-site" is two
# Which code says in other ways.
_COUNTS = frozenset({"one", "two", "three", "four", "several", "another", "other", "others"})
_LIGHT_VERBS = frozenset({"exist", "exists", "existing", "find", "finds", "found", "already", "still", "yet"})
_ERROR = re.compile(r"(?:Error|Exception|Failure|Panic)$")  # ends the name of a type that is raised


def list_idioms(state: ResearchState, text: str) -> dict[str, list[str]]:
    """Return the phrases for which other words are searched, each with those of the words that files have.

    Add a warning for each.
    """
    found = {
        said: [word for word in plain if not state.source.is_absent(word)]
        for said, plain in find_idioms(text).items()
    }
    found = {said: plain for said, plain in found.items() if plain}
    state.warnings += [
        f'"{said}" is also looked for as {join_names(plain, len(plain))}.' for said, plain in found.items()
    ]
    return found


def weigh_words(words: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of the words that tell something: more than TELLING of the heaviest weight."""
    weighed = {
        word: max((weights.get(term, 0.0) for term in get_word_terms(word)), default=0.0) for word in words
    }
    least = TELLING * max(weighed.values(), default=0.0)
    return {word: weight for word, weight in weighed.items() if weight > least}


def list_lacking(seed: Seed, telling: Mapping[str, float]) -> list[str]:
    """Return the words that neither the path, the full name nor the lines of a declaration have in any form.

    Return none if these are fewer than half of the words and weigh less than LACKING of all.
    """
    lacking, able = list_words_lacked(seed, telling), list_telling(telling)
    is_light = sum(telling[word] for word in lacking) < LACKING * sum(telling[word] for word in able)
    return [] if is_light and 2 * len(lacking) < len(able) else lacking


def weigh_held(seed: Seed, telling: Mapping[str, float]) -> float:
    """Return the share of the weight of the words that a declaration has; 0 if it has fewer than two."""
    lacking = list_words_lacked(seed, telling)
    if len(telling) - len(lacking) < 2:
        return 0.0
    return 1.0 - sum(telling[word] for word in lacking) / sum(telling.values())


def list_telling(words: Iterable[str]) -> list[str]:
    """Return the words that a declaration may be said to lack: not those that only form a question."""
    return [word for word in words if word.lower() not in QUESTION_WORDS | _COUNTS | _LIGHT_VERBS]


def list_words_lacked(seed: Seed, words: Iterable[str]) -> list[str]:
    """Return the words that neither path, full name nor lines of a declaration have in any form."""
    lines = seed.body.lines[seed.body.start_line - 1 : seed.body.end_line]
    text = _join_text(seed)
    held = {term for terms in seed.body.terms.values() for term in terms}
    return [
        word
        for word in list_telling(words)
        if held.isdisjoint(get_word_terms(word))
        and not shares_word(text, (re.split(r"\W+", word)[-1], find_base_form(word) or word))
        and not (_OF_FAILURE.fullmatch(word) and (_ERROR.search(seed.name) or any(map(holds_failure, lines))))
    ]


def names_word(seed: Seed, words: Iterable[str], idioms: Mapping[str, Sequence[str]]) -> bool:
    """Return True for a declaration with a word, or what an idiom means, in its full name or path."""
    plain = [word for own in idioms.values() for word in own]
    return bool(shares_word(f"{seed.path} {seed.full_name}", [*words, *plain]))


def says_word(seed: Seed, word: str) -> bool:
    """Return True for a declaration with a word in its name or its lines, and not only in its path."""
    return bool(shares_word(_join_text(seed).partition("\n")[2], (word,)))


def _join_text(seed: Seed) -> str:
    return "\n".join(
        (seed.path, seed.full_name, *seed.body.lines[seed.body.start_line - 1 : seed.body.end_line])
    )


def says_otherwise(seed: Seed, word: str) -> bool:
    """Return True for a declaration whose lines have a word of much the same meaning: `exit` for "quit"."""
    held = {term for terms in seed.body.terms.values() for term in terms}
    return any(not held.isdisjoint(list_stand_ins(term)) for term in get_word_terms(word))


def list_said(seed: Seed, idioms: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the words of those phrases that a declaration says in other words."""
    text = _join_text(seed)
    return [
        word for said, plain in idioms.items() if shares_word(text, plain) for word in _WORD.findall(said)
    ]


def list_unsaid(seed: Seed, idioms: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the phrases that a declaration says neither in their own words nor in others."""
    text = _join_text(seed)
    own = {said: [word for word in _WORD.findall(said) if word.lower() not in STOP_WORDS] for said in idioms}
    return [said for said, plain in idioms.items() if not shares_word(text, (*plain, *own[said]))]


def name_phrases(words: Sequence[str], idioms: Collection[str]) -> list[str]:
    """Return the words, each as the phrase that it is part of, if there is one: `get rid of` for "rid"."""
    phrases = (next((said for said in idioms if word in _WORD.findall(said)), word) for word in words)
    return [*dict.fromkeys(phrases)]
