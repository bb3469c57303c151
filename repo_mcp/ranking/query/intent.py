"""Reads from a query what it asks for besides its terms: names, paths, kinds of files. Pure, no index needed.

words -> stems for names of files | names that may be defined, by kind | paths and frames | roles

If the query is a name and nothing else, its declaration is wanted (asked_name.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from repo_mcp.ranking.query.asked_name import AskedName, find_asked_name, split_stems
from repo_mcp.ranking.query.clues import Clue, ClueKind, find_title, join_words, parse_prompt, split_symbol
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import PART, get_name_term
from repo_mcp.text.roles import FileRole
from repo_mcp.text.stop_words import ASKING_WORDS, FUNCTION_WORDS, STOP_WORDS

MAX_NAMES = 48  # lookups; each costs a few microseconds
MAX_JOINED_WORDS = 16  # words of the query that names are joined from
MAX_PATHS = 24
MAX_ASKING_WORDS = 6  # a longer query tells a story, and what it mentions is not necessarily what it asks for
MOST_BEFORE_ASKING = 3  # the word that asks is among so many first words of a question
SOLE_WORDS = 2
MIN_NAME_CHARS = 3
_CACHED_INTENTS = 4  # a search reads the intent before ranking and again when it looks for unknown words
_WORD = re.compile(r"\w+")
_PART = re.compile(PART)

_ASKS_FOR = {
    FileRole.TEST: frozenset(("test", "tests", "pytest", "unittest", "fixture", "fixtures", "spec", "specs")),
    FileRole.DOCS: frozenset(
        ("doc", "docs", "documentation", "readme", "changelog", "tutorial", "guide", "example", "examples")
    )
    | {"benchmark", "benchmarks"},
    FileRole.CONFIG: frozenset(
        ("config", "configuration", "yaml", "toml", "json", "ini", "makefile", "kconfig", "ci", "workflow")
    )
    | {"gradle", "sbt", "gemspec"},
    FileRole.STYLE: frozenset(
        ("css", "scss", "sass", "stylesheet", "stylesheets", "style", "styles", "styled", "styling")
    ),
    FileRole.FOREIGN: frozenset(("vendor", "vendored", "generated", "dist", "minified")),
}
_LOCALE_WORDS = frozenset(("locale", "locales", "i18n", "l10n", "translation", "translations"))


class NameKind(StrEnum):
    """The reason why a name is looked for among the names that files define."""

    EXACT = "declared name"
    QUALIFIER = "qualifier"
    ASKED = "asked name"
    PART = "part of a name"
    SHAPED = "shaped name"
    JOINED = "joined name"
    PLAIN = "plain name"


# The kinds whose files get points. The others are only looked up, in the live text.
RATED_KINDS = (NameKind.EXACT, NameKind.QUALIFIER, NameKind.SHAPED, NameKind.JOINED, NameKind.PLAIN)


@dataclass(frozen=True, slots=True)
class Intent:
    """The names, paths and kinds of files that a query asks for."""

    words: frozenset[str]  # as written; of pasted text with a title, those of the title
    stems: tuple[str, ...]  # of the words that carry meaning, in order
    symbols: tuple[str, ...]  # that it surely names, as written, code aside: `Router::merge`
    names: tuple[tuple[str, NameKind], ...]  # terms of names, each once, by kind
    paths: tuple[Clue, ...]  # frames, the innermost first, then paths
    code_paths: frozenset[Clue]  # of the paths, those without a line that are only in code
    roles: frozenset[FileRole]  # that the query asks for
    is_about_locales: bool  # so texts in other languages are as good as those of the program
    asked: AskedName | None = None  # the query is a name, and nothing else


@lru_cache(maxsize=_CACHED_INTENTS)
def understand(text: str, code: str = "") -> Intent:
    """Return what the text of a query asks for; `code`, its end, shows how something is used.

    A name that is only in code is like any other word, and a path without a line is mostly that of an import.
    """
    clues = parse_prompt(text.removesuffix(code))
    shown = parse_prompt(code) if code else ()
    asked = find_asked_name(text)
    words = _WORD.findall(text)
    ranking = [word for word in words if word.lower() not in FUNCTION_WORDS] or words
    stems = (stem for word in ranking for stem in split_stems(word))
    frames = [clue for clue in (*clues, *shown) if clue.kind is ClueKind.FRAME]
    paths = [clue for clue in clues if clue.kind is ClueKind.PATH]
    code_only = [clue for clue in shown if clue.kind is ClueKind.PATH and clue not in paths]
    if asked is not None:
        paths += _list_modules(asked)
    symbols = [clue.text for clue in clues if clue.kind is ClueKind.SYMBOL and clue.is_strong]
    framed = [clue.name for clue in shown if clue.kind is ClueKind.FRAME and clue.name is not None]
    telling = [word for word in ranking if word.lower() not in STOP_WORDS]
    title = frozenset(_WORD.findall(find_title(text) or text))
    return Intent(
        title,
        tuple(dict.fromkeys(stems)),
        tuple(symbols),
        _list_names(words, telling, [*symbols, *framed], asked),
        tuple([*frames, *paths, *code_only][:MAX_PATHS]),
        frozenset(clue for clue in code_only if clue.line is None),
        _find_roles(words),
        not _LOCALE_WORDS.isdisjoint(word.lower() for word in title),
        asked,
    )


def _list_modules(asked: AskedName) -> list[Clue]:
    """Return what may be the dotted name of the module that a name is declared in, the longest first."""
    sizes = range(len(asked.qualifiers), 1, -1)
    return [Clue(ClueKind.PATH, ".".join(asked.qualifiers[:size])) for size in sizes]


def _list_names(
    words: Sequence[str], telling: Sequence[str], symbols: Sequence[str], asked: AskedName | None
) -> tuple[tuple[str, NameKind], ...]:
    names: dict[str, NameKind] = {}
    if asked is not None:
        names[get_name_term(asked.name)] = NameKind.EXACT
        for qualifier in asked.qualifiers[-1:]:
            names.setdefault(get_name_term(qualifier), NameKind.QUALIFIER)
    if asked is not None or 0 < len(words) <= SOLE_WORDS:
        last = words[-1]
        for term in (term for name in spell(last) for term in list_name_terms(name)):
            names.setdefault(term, NameKind.ASKED)
        for name in spell(last):
            names.setdefault(name, NameKind.PART)
    for symbol in symbols:
        for name in (spelling for part in split_symbol(symbol) for spelling in spell(part)):
            names.setdefault(name, NameKind.SHAPED)
    for name in join_words(words[:MAX_JOINED_WORDS]):
        names.setdefault(name, NameKind.JOINED)
    for word in telling:
        if len(word) >= MIN_NAME_CHARS:
            names.setdefault(word.lower(), NameKind.PLAIN)
    return tuple(names.items())[:MAX_NAMES]


def spell(name: str) -> tuple[str, ...]:
    """Return a name folded, as written and in its other usual spellings: `roundToCents` -> round_to_cents."""
    parts = [part.lower() for part in _PART.findall(name)]
    spellings = (name.lower(), "_".join(parts), "".join(parts)) if len(parts) > 1 else (name.lower(),)
    return tuple(dict.fromkeys(spellings))


def list_name_terms(name: str) -> tuple[str, ...]:
    """Return the terms of declarations of a name, whatever its case. See `get_name_term`."""
    cases = (name, name.lower(), name.capitalize(), name.upper())
    return tuple(dict.fromkeys(map(get_name_term, cases)))


def _find_roles(words: Sequence[str]) -> frozenset[FileRole]:
    if len(words) > MAX_ASKING_WORDS:
        return frozenset()
    folded = {word.lower() for word in words}
    return frozenset(role for role, asking in _ASKS_FOR.items() if not asking.isdisjoint(folded))


def asks(text: str) -> bool:
    """Return True for a question: it ends with `?`, or has `how` or the like among its first words."""
    words = _WORD.findall(text.lower())
    return text.rstrip().endswith("?") or not ASKING_WORDS.isdisjoint(words[:MOST_BEFORE_ASKING])
