"""Find the setting that a clause describes by what it bounds, wherever its name is written.

    "the limit on how many tracks a list may hold"         ->  `max_list_length`
    "the number of missed beats after which a job is dead" ->  `missedBeatsLimit`

Its name has a word for a bound and words of the clause, and no more than one other word. It may be a key in a
file of configuration or a name of a language without a parser, which no list of symbols has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.locating import is_aside, may_answer
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.configured import is_configuration, is_set
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import count_words, list_words, shares_word

MAX_LINES, MOST_CHARS = 400, 300  # lines that have such a name, and characters of one that a person wrote
MOST_WORDS = 4  # of a clause, that are looked for
MOST_TRIED = 3  # names of which one must be set somewhere
LEAST_CHARS = 3  # of a word and of its stem
FOREIGN, OF_QUANTITY = 0.4, 0.3  # taken off for each other word of a name; added if it says what is counted
_BOUNDS = ("max", "maximum", "limit", "min", "minimum", "num", "number", "count", "most")
_QUANTITIES = {
    r"\bhow (?:large|big)\b|\bsize\b|\bbytes\b": ("size", "bytes", "length"),
    r"\bhow (?:many|often)\b|\bnumber\b|\btimes\b": ("length", "count", "num", "number", "size"),
    r"\bhow long\b|\btime\b|\bdelay\b": ("timeout", "time", "duration", "delay", "seconds", "millis", "ms"),
}
_BOUNDED = re.compile(
    r"\b(?:limit|maximum|minimum|max|number)\b|\bhow (?:many|much|large|big|often|long)\b", re.IGNORECASE
)
_LIMITED = re.compile(r"\b(?:limit|maximum|minimum|max)\b", re.IGNORECASE)
_TALLIES = frozenset({"num", "number", "count"})  # what a question for a limit does not mean
# Words that only say that there is a bound, and verbs behind "may".
_LIGHT = re.compile(
    r"\b(?:limits?|maximum|minimum|max|default|number|many|much|large|big|often|long|times|most|allowed|once)\b"
    r"|\b(?:may|can|could|must) (?:be |have |hold |contain |keep |take |use )?|\b(?:is|are) considered\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w-])[A-Za-z_][\w-]*\w")
_OF_OTHER = re.compile(
    r"(?:Error|Exception|Exceeded|Reached|_exceeded|_reached)$|^(?:is|on|get|set|test)[_A-Z]"
)


def find_bound(state: ResearchState, text: str) -> str:
    """Return the name of the setting that bounds what a clause describes; "" without one."""
    words = [word for word in list_words(_LIGHT.sub(" ", text)) if len(_find_stem(word)) >= LEAST_CHARS]
    words = words[:MOST_WORDS]
    if not words or _BOUNDED.search(text) is None:
        return ""
    quantity = {one for said, names in _QUANTITIES.items() if re.search(said, text, re.I) for one in names}
    found: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for name, weight in _iter_names(state, words):
        key = re.sub(r"[_-]", "", name).lower()
        found[key] += weight
        spelled.setdefault(key, name)
    bounds = {*_BOUNDS} - (_TALLIES if _LIMITED.search(text) else set())
    rated = {key: _rate(spelled[key], words, bounds, quantity) for key in found}
    best = sorted((key for key in found if rated[key]), key=lambda key: (-rated[key], -found[key], key))
    names = (spelled[key].replace("-", "_") for key in best[:MOST_TRIED])
    return next((name for name in names if is_set(state, name)), "")


def _find_stem(word: str) -> str:
    """Return the shortest term of a word; "" for one without any."""
    return min(get_word_terms(word), key=len, default="")


def _iter_names(state: ResearchState, words: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the names with a bound and a word, as often as lines have each, twice in configuration."""
    state.check()
    stems = "|".join(re.escape(_find_stem(word)) for word in words)
    bounds = "|".join(_BOUNDS)
    pattern = rf"(?:{bounds})\w*[_-]?(?:{stems})|(?:{stems})\w*[_-]?(?:{bounds})"
    request = ExactRequest(
        pattern, regex=True, case_sensitive=False, include_tests=False, limit=MAX_LINES, by_role=True
    )
    for one in state.source.search_exact(request).matches:
        is_own = may_answer(one.path) or is_configuration(one.path)
        if is_own and not is_aside(one.path) and state.admits(one.path) and len(one.line) <= MOST_CHARS:
            for name in _NAME.findall(one.line):
                yield name, 2 if is_configuration(one.path) else 1


def _rate(name: str, words: Sequence[str], telling: set[str], quantity: set[str]) -> float:
    """Return the worth of a name as the setting that some words describe; 0.0 for none."""
    terms = set(get_word_terms(name))
    bounds, counted = terms & telling, terms & quantity
    held = shares_word(name, words)
    foreign = count_words(name) - held - len(bounds | counted | terms & {"default"})
    if not bounds or not held or foreign > 1 + held // 2 or _OF_OTHER.search(name):
        return 0.0
    return max(held - FOREIGN * max(foreign, 0) + OF_QUANTITY * bool(counted), 0.0)
