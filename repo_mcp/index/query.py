"""Free text to a query. Nothing that a client can type raises; what cannot be used is warned about.

Words rank, all of them optional. On top of that:

    "an exact phrase"   the live text must hold it, case and white space aside
    +word  -word        must, must not occur
    sym:name            must be defined there
    path:part           the path must contain it, case aside
    lang:name           the file's language

Anything else is text: brackets, operators, lone quotes, `std::vector<int>`. A sign counts only at the
start of a word that begins with a letter or underscore, so that `--flag` and `->` stay text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from repo_mcp.index.analysis import analyse_text

_QUERY_PART = re.compile(
    r'(?P<phrase>"[^"\n]*")'
    r"|(?:(?<=\s)|^)(?P<prefix>path|lang|sym):(?P<value>[^\s\"]+)"
    r"|(?:(?<=\s)|^)(?P<sign>[+-])(?P<word>[^\W\d]\w*)(?=\s|$)"
    r"|(?P<text>[^\s\"]+|\")"
)
MAX_TERMS = 64  # distinct terms that rank; an issue text of 500 words has about 250, the first say most
MAX_FILTERS = 16


@dataclass(slots=True)
class Query:
    """A parsed query. Terms are distinct, in the order of the text."""

    terms: list[str] = field(default_factory=list)  # that rank
    words: list[str] = field(default_factory=list)  # whose terms those are; names are looked for among them
    required: list[tuple[str, ...]] = field(default_factory=list)  # terms of a word that all must occur
    excluded: list[tuple[str, ...]] = field(default_factory=list)  # words that must not occur as a whole
    symbols: list[tuple[str, ...]] = field(default_factory=list)  # words that must be defined
    phrases: list[str] = field(default_factory=list)
    path_parts: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def parse_query(text: str, max_words: int) -> Query:
    """The query that a text means. Words beyond `max_words` are cut, with a warning."""
    query = Query()
    words: list[str] = []
    parts = list(_QUERY_PART.finditer(text))
    if len(parts) > max_words:
        query.warnings.append(f"The query has {len(parts)} words; the first {max_words} were used.")
    for part in parts[:max_words]:
        _take_part(query, words, part)
    terms = list(dict.fromkeys(term for word in words for term in analyse_text(word)))
    if len(terms) > MAX_TERMS:
        query.warnings.append(f"The query has {len(terms)} distinct terms; the first {MAX_TERMS} were used.")
    query.terms = terms[:MAX_TERMS]
    query.words = words
    if not query.terms:
        query.warnings.append("The query has no word to rank by.")
    return query


def _take_part(query: Query, words: list[str], part: re.Match[str]) -> None:
    """Sort one part of the text into the query; what ranks goes to `words`."""
    phrase, prefix, sign = part["phrase"], part["prefix"], part["sign"]
    if phrase is not None:
        inner = " ".join(phrase[1:-1].split())
        words.append(inner)
        if inner:
            query.phrases.append(inner)
    elif prefix is not None:
        _take_filter(query, words, prefix, part["value"])
    elif sign == "+":
        query.required.append(tuple(analyse_text(part["word"])))
        words.append(part["word"])
    elif sign == "-":
        query.excluded.append(tuple(analyse_text(part["word"])[:1]))
    else:
        words.append(part["text"])


def _take_filter(query: Query, words: list[str], prefix: str, value: str) -> None:
    if prefix == "path":
        query.path_parts.append(value.lower())
    elif prefix == "lang":
        query.languages.append(value.lower())
    else:
        query.symbols.append(tuple(analyse_text(value)))
        words.append(value)
