"""Reads from a query what it asks for besides its terms: names, paths, kinds of files. Pure, no index needed.

words -> stems for names of files | names that may be defined, by kind | paths and frames | roles

A query may be a name and nothing else; then its declaration is wanted.

    QuerySet.filter -> filter in QuerySet    django.core.signing.Signer -> Signer in django, core, signing
    get_user()      -> get_user              class QuerySet             -> QuerySet

`config.json` may be a file or a name: its qualifier counts only if it is declared beside the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import StrEnum
from functools import lru_cache

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.query.clues import Clue, ClueKind, find_title, join_words, parse_prompt, split_symbol
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, PART, get_name_term, get_root, get_word_terms
from repo_mcp.text.roles import FileRole
from repo_mcp.text.stop_words import FUNCTION_WORDS, STOP_WORDS

MAX_NAMES = 48  # lookups; each costs a few microseconds
MAX_JOINED_WORDS = 16  # words of the query that names are joined from
MAX_PATHS = 24
ASKING_WORDS = 6  # a longer query tells a story, and what it mentions is not necessarily what it asks for
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
MAX_QUALIFIERS = 8
_SEPARATORS = re.compile(r"\.|::")
_NAME = r"[^\W\d]\w{0,199}"
# Keywords of declarations. After one that is also an English word ("class loader"), the name needs a capital
# or an underscore.
_KEYWORDS = r"def|fn|func|struct|impl"
_ENGLISH = r"class|function|interface|enum|trait|type|record|protocol|object|module|namespace|macro|method"
_ASKED = re.compile(
    rf"\s*+(?:(?:{_KEYWORDS})\s++|(?:{_ENGLISH})\s++(?=\w*[A-Z_])){{0,2}}`?@?"
    rf"(?P<qualifiers>(?:{_NAME}(?:\.|::|\#|->)){{0,{MAX_QUALIFIERS}}})(?P<name>{_NAME})(?:\(\))?`?[:;]?\s*+"
)

# A name with signs, as some languages write it: `alts!`, `empty?`, `go-loop`, `async/alts!`; or with the sign
# before it that some write: `$container`, `.card-title`, `--font-size`.
_SIGNED = re.compile(
    rf"\s*+(?P<sign>[.#$%]|--)?(?P<qualifiers>(?:{_NAME}(?:\.|::|\#|/)){{0,{MAX_QUALIFIERS}}})"
    r"(?P<name>[^\W\d]\w{0,199}(?:(?:->|[-!?'*])\w{1,199}){0,16}[*!?'=]{0,2})\s*+"
)

# A selector of Objective-C: `put:at:`.
_SELECTOR = re.compile(rf"\s*+(?P<name>{_NAME})(?P<labels>(?::{_NAME}){{2,16}}:?|(?::{_NAME})?:)\s*+")

Grade = tuple[int, int]  # of the spelling, and the qualifiers that agree; more is better
NO_MATCH: Grade = (0, 0)
EXACT, CASE, SPELLING, PARTS = 4, 3, 2, 1  # grades of a spelling; 0: another name


class NameKind(StrEnum):
    """The reason why a name is looked for among the names that files define."""

    EXACT = "declared name"
    QUALIFIER = "qualifier"
    ASKED = "asked name"
    PART = "part of a name"
    SHAPED = "shaped name"
    JOINED = "joined name"
    PLAIN = "plain name"


@dataclass(frozen=True, slots=True)
class Intent:
    """The names, paths and kinds of files that a query asks for."""

    words: frozenset[str]  # as written; of pasted text with a title, those of the title
    stems: tuple[str, ...]  # of the words that carry meaning, in order
    names: tuple[tuple[str, NameKind], ...]  # terms of names, each once, by kind
    paths: tuple[Clue, ...]  # frames, the innermost first, then paths
    code_paths: frozenset[Clue]  # of the paths, those without a line that are only in code
    roles: frozenset[FileRole]  # that the query asks for
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
    symbols += [clue.name for clue in shown if clue.kind is ClueKind.FRAME and clue.name is not None]
    telling = [word for word in ranking if word.lower() not in STOP_WORDS]
    return Intent(
        frozenset(_WORD.findall(find_title(text) or text)),
        tuple(dict.fromkeys(stems)),
        _list_names(words, telling, symbols, asked),
        tuple([*frames, *paths, *code_only][:MAX_PATHS]),
        frozenset(clue for clue in code_only if clue.line is None),
        _find_roles(words),
        asked,
    )


def _list_modules(asked: AskedName) -> list[Clue]:
    """Return what may be the dotted name of the module that a name is declared in, the longest first."""
    sizes = range(len(asked.qualifiers), 1, -1)
    return [Clue(ClueKind.PATH, ".".join(asked.qualifiers[:size])) for size in sizes]


def split_stems(word: str) -> tuple[str, ...]:
    """Return the stems of a word's parts, or of the word itself when it has no parts."""
    terms = get_word_terms(word)
    return terms[1:] or terms


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
    if len(words) > ASKING_WORDS:
        return frozenset()
    folded = {word.lower() for word in words}
    return frozenset(role for role, asking in _ASKS_FOR.items() if not asking.isdisjoint(folded))


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name that a query consists of."""

    name: str  # as written
    qualifiers: tuple[str, ...] = ()  # what it is declared in: modules and types, outermost first
    may_be_file: bool = False  # the text ends as the name of a file does

    def grade(self, qualified_name: str, around: Collection[str] = ()) -> Grade:
        """Return how well a declaration fits the name: by its spelling, then by its qualifiers.

        A qualifier may also be one of the words `around`: of the path, and of the line with the name.
        """
        *outer, name = split_qualified(qualified_name)
        spelling = grade_name(self.name, name)
        if not spelling:
            return NO_MATCH
        return spelling, sum([one in outer or one in around for one in self.qualifiers])

    @property
    def root(self) -> str:
        """Return a text that every name fitting at all has in lower case, if it is ASCII; "" for none."""
        return _cut_asked(self.name).roots[0]

    def may_be_in(self, text: bytes, least: int) -> bool:
        """Return False if no word of a text is spelled like the name as closely as the grade `least`."""
        if least <= PARTS:
            return True
        if least >= EXACT:
            return self.name.encode("utf-8", "surrogatepass") in text
        return not text.isascii() or _cut_asked(self.name).spelled.search(text.lower()) is not None

    @property
    def best_grade(self) -> Grade:
        """Return the grade of an exact match."""
        return EXACT, len(self.qualifiers)


def find_asked_name(text: str) -> AskedName | None:
    """Return the name that a query consists of, or None for any other query."""
    match = _ASKED.fullmatch(text)
    if match is None:
        return None
    qualifiers = tuple(re.findall(_NAME, match["qualifiers"]))
    may_be_file = bool(qualifiers) and find_language(f"{qualifiers[-1]}.{match['name']}").name != "unknown"
    return AskedName(match["name"], qualifiers, may_be_file)


def find_name(text: str) -> AskedName | None:
    """Return the name that a query consists of, with or without signs, or None for any other query."""
    return find_asked_name(text) or _find_signed_name(text)


def _find_signed_name(text: str) -> AskedName | None:
    """Return the name with signs that a query consists of, or None for any other query.

    Ranking does not know these: for it they are words.
    """
    match = _SELECTOR.fullmatch(text)
    if match is not None:  # of Objective-C: the line of its declaration has all parts
        return AskedName(match["name"], tuple(re.findall(_NAME, match["labels"])))
    match = _SIGNED.fullmatch(text)
    if match is None or not (match["sign"] or _WORD.fullmatch(match["name"]) is None):
        return None
    return AskedName(match["name"], tuple(re.findall(_NAME, match["qualifiers"])))


def list_words(*texts: str) -> set[str]:
    """Return the words of some texts, as written."""
    return set(_WORD.findall(" ".join(texts)))


def split_qualified(name: str) -> list[str]:
    """Return the parts of a qualified name, outermost first: `Plug.Conn` and `a::b` have two."""
    return _SEPARATORS.split(name)


def grade_name(asked: str, name: str) -> int:
    """Return the grade of a declared name against the requested one."""
    if asked in (name, name.rstrip("?!=")):
        return EXACT
    wanted, folded = _cut_asked(asked), name.lower()
    if folded == wanted.folded:
        return CASE
    if folded.isascii() and not all(map(folded.__contains__, wanted.roots)):
        return 0  # most names of a chunk, without cutting them into parts
    if not wanted.stems.issubset(_split_stems(name)):
        return 0
    return SPELLING if wanted.parts == _split(name) else PARTS


@dataclass(frozen=True, slots=True)
class _CutName:
    """A requested name and what others are compared with."""

    folded: str
    parts: list[str]
    stems: frozenset[str]
    spelled: re.Pattern[bytes]  # in the lower case of every ASCII name with the parts, and no others
    roots: tuple[str, ...]  # in the lower case of every ASCII name with the stems; the longest first, or ""


@lru_cache(maxsize=64)  # a look-up compares few names with those of whole chunks
def _cut_asked(name: str) -> _CutName:
    stems = _split_stems(name)
    roots = map(get_root, stems) if name.isascii() and LONG_WORD not in stems else ()
    parts = _split(name)
    spelled = re.compile(
        b"[^a-z0-9]*".join(re.escape(part.encode("utf-8", "surrogatepass")) for part in parts)
    )
    longest = tuple(sorted(roots, key=len, reverse=True)) or ("",)
    return _CutName(name.lower(), parts, frozenset(stems), spelled, longest)


def _split(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]


@lru_cache(maxsize=1_024)  # 0.7 MB; a look-up compares the names of whole chunks
def _split_stems(name: str) -> tuple[str, ...]:
    terms = get_word_terms(name)
    return terms[1:] or terms
