"""Queries with operators, in the syntax of SQLite's FTS5.

    store AND save            both            store OR basket        either
    store NOT cached          one without     (a OR b) NOT c         grouped
    "order store"             these words side by side               Auth*    a prefix

Operators are capital words; words side by side mean AND, and NOT binds closest, then AND, then OR. A query
without operators, quotes and parentheses is not an expression: symbols may have any of its words, best first.

Left out on purpose: column filters, and distances: NEAR means AND.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from repo_mcp.record_classes import dataclass

MAX_TOKENS = 100
MAX_DEPTH = 20  # of parentheses
_TOKEN = re.compile(r'"((?:[^"]|"")*)"|([()])|([^\s()"]+)')
_OPERATORS = frozenset({"AND", "OR", "NOT"})

Has = Callable[[str, bool], bool]  # (term, whether it is a phrase) -> whether a symbol has it


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or a phrase of several."""

    text: str
    is_phrase: bool = False

    def matches(self, has: Has) -> bool:
        """Return whether a symbol has this term."""
        return has(self.text, self.is_phrase)

    def iter_wanted(self) -> Iterator[Term]:
        """Yield the term itself."""
        yield self


@dataclass(frozen=True, slots=True)
class Pair:
    """Two expressions with an operator between them."""

    operator: str  # AND, OR, NOT
    left: Expression
    right: Expression

    def matches(self, has: Has) -> bool:
        """Return whether a symbol matches."""
        if self.operator == "OR":
            return self.left.matches(has) or self.right.matches(has)
        return self.left.matches(has) and self.right.matches(has) is (self.operator == "AND")

    def iter_wanted(self) -> Iterator[Term]:
        """Yield the terms that a symbol is wanted to have: not those after NOT."""
        yield from self.left.iter_wanted()
        if self.operator != "NOT":
            yield from self.right.iter_wanted()


Expression = Term | Pair


def is_expression(query: str) -> bool:
    """Return True for a query with an operator, quotes or parentheses."""
    tokens = list(_list_tokens(query))
    return any(text in _OPERATORS or kind != "word" for kind, text in tokens)


def parse_expression(query: str) -> Expression | None:
    """Return the expression of a query; None for one without operators, or with a syntax error."""
    if not is_expression(query):
        return None
    tokens = _list_tokens(query)
    if len(tokens) > MAX_TOKENS:
        return None
    parser = _Parser(tokens)
    try:
        found = parser.read_or(0)
    except _SyntaxError:
        return None
    return found if parser.is_at_end else None


def _list_tokens(query: str) -> list[tuple[str, str]]:
    """Return the kind of each token, a phrase, a parenthesis or a word, and its text."""
    tokens = []
    for phrase, sign, word in _TOKEN.findall(query):
        if sign:
            tokens.append(("sign", sign))
        elif word:
            if word != "NEAR":  # treated as AND, which needs no word
                tokens.append(("word", word.lstrip("^+").rstrip(",")))
        else:
            tokens.append(("phrase", phrase.replace('""', '"')))
    return [(kind, text) for kind, text in tokens if text.strip("*") or kind == "sign"]


class _SyntaxError(Exception):
    """The query is not an expression."""


class _Parser:
    """Reads an expression by recursive descent."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def is_at_end(self) -> bool:
        return self._next == len(self._tokens)

    def _peek(self) -> str:
        """Return the next operator or parenthesis; empty for a term, ")" at the end."""
        if self.is_at_end:
            return ")"
        kind, text = self._tokens[self._next]
        return text if kind == "sign" or (kind == "word" and text in _OPERATORS) else ""

    def read_or(self, depth: int) -> Expression:
        found = self._read_and(depth)
        while self._peek() == "OR":
            self._next += 1
            found = Pair("OR", found, self._read_and(depth))
        return found

    def _read_and(self, depth: int) -> Expression:
        found = self._read_not(depth)
        while self._peek() in ("AND", "", "("):
            self._next += self._peek() == "AND"
            found = Pair("AND", found, self._read_not(depth))
        return found

    def _read_not(self, depth: int) -> Expression:
        found = self._read_term(depth)
        while self._peek() == "NOT":
            self._next += 1
            found = Pair("NOT", found, self._read_term(depth))
        return found

    def _read_term(self, depth: int) -> Expression:
        sign = self._peek()
        if sign not in ("", "(") or depth > MAX_DEPTH:
            raise _SyntaxError
        kind, text = self._tokens[self._next]
        self._next += 1
        if sign == "":
            return Term(text, kind == "phrase")
        found = self.read_or(depth + 1)
        if self.is_at_end or self._tokens[self._next] != ("sign", ")"):
            raise _SyntaxError
        self._next += 1
        return found
