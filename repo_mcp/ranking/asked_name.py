"""Reads from a query that it is a name and nothing else: who asks so wants to see its declaration. Pure.

    QuerySet.filter -> filter in QuerySet    django.core.signing.Signer -> Signer in django, core, signing
    get_user()      -> get_user              class QuerySet             -> QuerySet

`config.json` may be a file or a name: its qualifier counts only where it is declared beside the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.text.analysis import PART, get_word_terms

MAX_QUALIFIERS = 8
_SEPARATORS = re.compile(r"\.|::")
_WORD = re.compile(r"\w+")
_PART = re.compile(PART)
_NAME = r"[^\W\d]\w{0,199}"
# Words that declare. Of those that are English, too, a capital or an underscore must follow: "class loader".
_KEYWORDS = r"def|fn|func|struct|impl"
_ENGLISH = r"class|function|interface|enum|trait|type|record|protocol|object|module|namespace|macro|method"
_ASKED = re.compile(
    rf"\s*+(?:(?:{_KEYWORDS})\s++|(?:{_ENGLISH})\s++(?=\w*[A-Z_])){{0,2}}`?@?"
    rf"(?P<qualifiers>(?:{_NAME}(?:\.|::|\#|->)){{0,{MAX_QUALIFIERS}}})(?P<name>{_NAME})(?:\(\))?`?[:;]?\s*+"
)


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
        """Return how well a declaration is named so: by spelling, then by the qualifiers that it has.

        A qualifier may also be one of the words `around`: of the path, and of the line with the name.
        """
        *outer, name = split_qualified(qualified_name)
        spelling = grade_name(self.name, name)
        agreeing = sum(one in outer or one in around for one in self.qualifiers)
        return (spelling, agreeing) if spelling else NO_MATCH

    @property
    def best_grade(self) -> Grade:
        """Return the grade of the declaration that is asked for."""
        return EXACT, len(self.qualifiers)


def find_asked_name(text: str) -> AskedName | None:
    """Return the name that a query consists of, or None for any other query."""
    match = _ASKED.fullmatch(text)
    if match is None:
        return None
    qualifiers = tuple(re.findall(_NAME, match["qualifiers"]))
    may_be_file = bool(qualifiers) and find_language(f"{qualifiers[-1]}.{match['name']}").name != "unknown"
    return AskedName(match["name"], qualifiers, may_be_file)


def list_words(*texts: str) -> set[str]:
    """Return the words of some texts, as written."""
    return set(_WORD.findall(" ".join(texts)))


def split_qualified(name: str) -> list[str]:
    """Return the parts of a qualified name, outermost first: `Plug.Conn` and `a::b` have two."""
    return _SEPARATORS.split(name)


def grade_name(asked: str, name: str) -> int:
    """Return the grade of a declared name beside the one that is asked for."""
    if name == asked:
        return EXACT
    if name.lower() == asked.lower():
        return CASE
    if not set(_split_stems(asked)) <= set(_split_stems(name)):
        return 0
    return SPELLING if _split(asked) == _split(name) else PARTS


def _split(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]


@lru_cache(maxsize=8_192)  # 1 MB; a look-up compares the names of whole chunks
def _split_stems(name: str) -> tuple[str, ...]:
    terms = get_word_terms(name)
    return terms[1:] or terms
