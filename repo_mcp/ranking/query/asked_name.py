"""Reads a query that is a name and nothing else, and says how well a declared name fits it. Pure.

    QuerySet.filter -> filter in QuerySet    django.core.signing.Signer -> Signer in django, core, signing
    get_user()      -> get_user              class QuerySet             -> QuerySet
    Http\\Request    -> Request in Http

`config.json` may be a file or a name: its qualifier counts only if it is declared beside the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, PART, get_root, get_word_terms

_WORD = re.compile(r"\w+")
_PART = re.compile(PART)
MAX_QUALIFIERS = 8
_SEPARATORS = re.compile(r"\.|::|\\")
_NAME = r"[^\W\d]\w{0,199}"
# Keywords of declarations. After one that is also an English word ("class loader"), the name needs a capital
# or an underscore.
_KEYWORDS = r"def|fn|func|struct|impl"
_ENGLISH = r"class|function|interface|enum|trait|type|record|protocol|object|module|namespace|macro|method"
_ASKED = re.compile(
    rf"\s*+(?:(?:{_KEYWORDS})\s++|(?:{_ENGLISH})\s++(?=\w*[A-Z_])){{0,2}}`?@?"
    rf"\\?(?P<qualifiers>(?:{_NAME}(?:\.|::|\#|->|\\)){{0,{MAX_QUALIFIERS}}})"
    rf"(?P<name>{_NAME})(?:\(\))?`?[:;]?\s*+"
)
# What is asked of a name that is none of a language: `SCOPE_EXIT macro definition`, `RowReader class`.
_KIND_BEHIND = re.compile(
    rf"(?P<named>\s*+`?(?:{_NAME}(?:\.|::)){{0,{MAX_QUALIFIERS}}}(?=\w*(?:_\w|[a-z0-9][A-Z])){_NAME}(?:\(\))?`?)"
    rf"(?:\s++(?:{_ENGLISH}))?(?:\s++(?:definition|declaration))?\s*+"
)
# A name with signs, as some languages write it: `alts!`, `empty?`, `go-loop`, `async/alts!`; or with the sign
# before it that some write: `$container`, `.card-title`, `--font-size`.
_SIGNED = re.compile(
    rf"\s*+(?P<sign>[.#$%]|--)?(?P<qualifiers>(?:{_NAME}(?:\.|::|\#|/)){{0,{MAX_QUALIFIERS}}})"
    r"(?P<name>[^\W\d]\w{0,199}(?:(?:->|[-!?'*])\w{1,199}){0,16}[*!?'=]{0,2})\s*+"
)
_OF_VARIABLE = re.compile(
    r"(?<=::|->)\$(?=\w)"
)  # the sign in `Package::$types` of PHP, which declares `types`
# A selector of Objective-C: `put:at:`.
_SELECTOR = re.compile(rf"\s*+(?P<name>{_NAME})(?P<labels>(?::{_NAME}){{2,16}}:?|(?::{_NAME})?:)\s*+")
Grade = tuple[int, int]  # of the spelling, and the qualifiers that agree; more is better
NO_MATCH: Grade = (0, 0)
EXACT, CASE, SPELLING, PARTS = 4, 3, 2, 1  # grades of a spelling; 0: another name


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
    behind = _KIND_BEHIND.fullmatch(text)
    match = _ASKED.fullmatch(text if behind is None else behind["named"])
    if match is None:
        return None
    qualifiers = tuple(re.findall(_NAME, match["qualifiers"]))
    may_be_file = bool(qualifiers) and find_language(f"{qualifiers[-1]}.{match['name']}").name != "unknown"
    return AskedName(match["name"], qualifiers, may_be_file)


def find_name(text: str) -> AskedName | None:
    """Return the name that a query consists of, with or without signs, or None for any other query."""
    text = _OF_VARIABLE.sub("", text)
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
    if not wanted.stems.issubset(split_stems(name)):
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
    stems = split_stems(name)
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
def split_stems(name: str) -> tuple[str, ...]:
    """Return the stems of a word's parts, or of the word itself when it has no parts."""
    terms = get_word_terms(name)
    return terms[1:] or terms
