"""Declarations that only lines show: those that hold a name as it is written, and may declare it.

Line patterns find no fields, values of enums and the like. Files of the type of a member are searched first,
then headers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.languages.patterns.declaring_lines import holds_word, list_declaring_lines
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.languages.patterns.markup_languages import UNKNOWN
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.direct_hits.name_points import explain, rate_name
from repo_mcp.ranking.direct_hits.scope import RatedDeclaration, SearchScope
from repo_mcp.ranking.page.asked_declaration import grade_span
from repo_mcp.ranking.page.live_chunks import ChunkReader, LiveChunk, decode_lines
from repo_mcp.ranking.query.asked_name import AskedName
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import replace
from repo_mcp.text.analysis import get_name_term, get_word_terms

WORD_CHUNKS = 100  # searched for lines that declare a name, and as many of headers: 30 to 100 ms
# Chunks that declare the type of a name, looked at before all others: its members are mostly there.
OWNER_CHUNKS = 32
MOST_LACKING = 64  # files in a row without the word: a stem, or a word that is seldom spelled so
_HEADERS = ".h", ".hh", ".hpp", ".hxx", ".d.ts", ".pyi"
_WORD = compile_late(r"\w+")


def iter_declaring_lines(scope: SearchScope, query: Query, asked: AskedName) -> Iterator[RatedDeclaration]:
    """Yield the declarations in lines that hold the name exactly as it is written, each with its score.

    Headers are ranked apart only if any holds the name, and nothing is if no file does.
    """
    terms, units = _list_wholes(asked), count_units(scope, asked)
    if not units:
        return
    required = [*query.required, *((term,) for term in terms)]
    narrowed = replace(query, terms=terms, required=required, symbols=[], phrases=[])
    name = asked.name.encode("utf-8", "surrogatepass")
    # One file at a time, for 200 of them may be 30 MB.
    lacking = 0
    files = _iter_first_chunks(
        chain(_iter_owners(scope, query, asked), _iter_holding(scope, narrowed, units))
    )
    for place, live in enumerate(ChunkReader((), scope.read_live).iter(files)):
        lacking = 0 if holds_word(live.data, name) else lacking + 1
        if lacking == MOST_LACKING:
            break
        if lacking:
            continue
        text = live.data.decode("utf-8", "replace")
        language = live.ranked.language
        if language == UNKNOWN.name:  # headers are read as C, whose rules are those of C++ as well
            language = find_dialect(UNKNOWN, live.data).name
        for first, last in list_declaring_lines(language, text, asked.name):
            qualified = _qualify_line(live, first, asked.name)
            span = SymbolSpan(first, last, first, first, asked.name, qualified)
            score, explained = explain(rate_name(grade_span(asked, span, live)), place)
            yield RatedDeclaration(score, explained, live, span)


def _iter_owners(scope: SearchScope, query: Query, asked: AskedName) -> Iterator[RankedChunk]:
    """Yield chunks that declare the type of a member: of a common name, these may never be reached."""
    for owner in asked.qualifiers[-1:]:
        terms = [get_word_terms(word)[0] for word in _WORD.findall(owner)]
        symbols = [*query.symbols, *((get_name_term(word),) for word in _WORD.findall(owner))]
        narrowed = replace(query, terms=terms, symbols=symbols, phrases=[])
        yield from scope.rank(narrowed, OWNER_CHUNKS, counted=False).chunks


def _iter_holding(scope: SearchScope, query: Query, units: int) -> Iterator[RankedChunk]:
    """Yield the chunks that hold a name, those of headers first. It is in no more than so many units.

    A name that more units have than are looked at is mostly declared in a header, so the others are ranked
    if they are asked for. Of a rarer one, they tell whether there are headers, and show a single one, too.
    """
    others = scope.rank(query, WORD_CHUNKS, counted=False).chunks if units <= WORD_CHUNKS else None
    headers = [chunk for chunk in others or () if chunk.path.endswith(_HEADERS)]
    if others is None or len({chunk.path for chunk in headers}) > 1:
        among = replace(scope, wanted=_narrow_to_headers(scope.wanted))
        yield from among.rank(query, WORD_CHUNKS, counted=False).chunks
    else:
        yield from headers
    yield from scope.rank(query, WORD_CHUNKS, counted=False).chunks if others is None else others


def _iter_first_chunks(chunks: Iterable[RankedChunk]) -> Iterator[RankedChunk]:
    """Yield the first chunk of each file that matches."""
    seen: set[str] = set()
    for chunk in chunks:
        if chunk.matched_terms and chunk.path not in seen:
            seen.add(chunk.path)
            yield chunk


def _narrow_to_headers(wanted: Filter) -> Filter:
    """Return a filter for those wanted files that mostly declare: a name is found sooner among them."""
    matches_path = wanted.matches_path

    def matches(path: str) -> bool:
        return path.endswith(_HEADERS) and (matches_path is None or matches_path(path))

    return replace(wanted, matches_path=matches, key=f"{wanted.key} of headers")


def _qualify_line(live: LiveChunk, line: int, name: str) -> str:
    """Return the name that a line declares, qualified by the type around it."""
    outer = live.find_near(line, line).find_innermost(line)
    if outer is None:
        return name
    head = " ".join(decode_lines(live.lines, outer.head_line, outer.name_line))
    around = outer.qualified_name
    if not holds_members(head, outer.name):  # `self.name = ...` in a method
        around = around.rpartition(".")[0]
    return f"{around}.{name}" if around else name


def count_units(scope: SearchScope, asked: AskedName) -> int:
    """Return how many units have a name as it is written, at most."""
    return min(map(scope.searcher.count_units, _list_wholes(asked)), default=0)


def _list_wholes(asked: AskedName) -> list[str]:
    """Return the terms by which a unit has a name as it is written, in any case."""
    return [get_word_terms(word)[0] for word in _WORD.findall(asked.name)]
