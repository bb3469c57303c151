"""Answers a query that consists of names: what they declare, then the lines that use them. Nothing else.

    query -> names, if all are declared (or paths of files) -> declarations -> places -> hits of a page

A model that asks for names opens a declaration next, or looks at its users. So declarations are shown by
their heads, or whole if they are short, and each place that uses a name by one line. A word that only shares
a part of a name is not a place. A file is shown by the lines that declare its outermost symbols.

The hits do not depend on how many are wanted, so a page may end anywhere and go on by its cursor. `few` is
the number of hits at which it ends by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, islice

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import OUTSIDE
from repo_mcp.late_patterns import compile_late
from repo_mcp.model import Hit
from repo_mcp.ranking.direct_hits.name_lookup import Found, look_up
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.files.ranked_file import lift
from repo_mcp.ranking.page.hit_lines import show_lines
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.ranking.page.live_chunks import ChunkReader, LiveChunk, decode_lines, read_chunks
from repo_mcp.ranking.query.asked_name import (
    EXACT,
    SPELLING,
    AskedName,
    find_asked_name,
    find_name,
    split_qualified,
)
from repo_mcp.ranking.query.mentions import find_meant
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.live_terms import find_paths
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import analyse_text, get_word_terms
from repo_mcp.text.lines import COMMENT_STARTS, shorten_word
from repo_mcp.text.stop_words import FUNCTION_WORDS

MAX_NAMES = 6  # of a query; more are a list of words
MAX_FILES = 3  # that one path may mean
ONE_SHOWN = 14, 6, 3, 2, 2  # lines of the declarations of one name; those of a few lines more are shown whole
MORE_SHOWN = 8, 3  # lines of the declarations of each of several names
FEW_PLACES = 5  # on a page
FEW_ALONE = 10  # on a page without a declaration
MOST_PLACES = 3  # declarations of a chunk that use a name
TOP_LINES = 12  # of a file that is asked for
FEW_OUTER = 3  # symbols of a file that say little about what is in it
FILES_ORDERED = 10  # by which declarations of one name are ordered: the best of the query
_WORD = compile_late(r"\w+")
_SHAPED = compile_late(r"[a-z0-9][A-Z]|\w_\w|^_|^[A-Z]")  # camelCase, snake_case, a capital


@dataclass(frozen=True, slots=True)
class NamedHits:
    """The hits for names, and what there is in all."""

    hits: tuple[Hit, ...]
    usual_hits: int  # of a page, as in SearchAnswer
    total: int
    total_is_lower_bound: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Leads:
    """The hits for one name: its declarations or files; and the terms that find other places with it."""

    hits: tuple[Hit, ...]
    terms: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def list_names(text: str) -> list[str]:
    """Return the names and paths that a query consists of; none for a query of other words.

    Of several words, at least half have the shape of a name.
    """
    if find_name(text) is not None:
        return [text.strip()]
    words = list(dict.fromkeys(text.replace(",", " ").split()))
    if len(words) > MAX_NAMES or not all(find_asked_name(word) or "/" in word for word in words):
        return []
    shaped = [word for word in words if _SHAPED.search(word) or "." in word or "/" in word]
    if 2 * len(shaped) < len(words) or not FUNCTION_WORDS.isdisjoint(map(str.lower, words)):
        return []
    return words


def find_named(
    scope: SearchScope,
    query: Query,
    top_k: int,
    *,
    ends_early: bool = False,
    copies: int = 0,
    least_uses: int = FEW_PLACES,
) -> NamedHits | None:
    """Return the first `top_k` hits for the names that a query consists of; None if it is of other words.

    With `ends_early`, hits after the first `few` may be left out. `copies` hits are not counted among these,
    as a page names them with others. A name of several parts need not be declared if `least_uses` units use
    it, or if another of the names is declared; a warning says so. Raises IndexFormatError, OSError.
    """
    names = [] if query.phrases or query.symbols else list_names(query.text)
    leads: list[_Leads] = []
    are_known = True  # each name is declared or used; names of settings are only used
    for name in names:
        lead = _find_declared(scope, query, name, is_only=len(names) == 1)
        lead = lead or _find_files(scope, query, name)
        last = split_qualified(name)[-1]  # of a key such as `limits.max_users`
        terms = get_word_terms(last) if last else ()  # a path such as `../..` ends with no name
        is_used = _WORD.fullmatch(last) is not None and scope.searcher.count_units(terms[0]) >= least_uses
        if lead is None and len(terms) > 2 and (len(names) > 1 or is_used):
            lead = _Leads((), terms[:1], (_describe_missing(scope, name, terms[0]),))
        if lead is None:
            return None
        are_known = are_known and (is_used or bool(lead.hits))
        leads.append(lead)
    if not names or not (are_known or any(lead.hits for lead in leads)):
        return None
    named = _build(scope, query, leads, top_k, ends_early=ends_early, copies=copies)
    return named if named.hits else None  # a filter may leave out all uses


def _describe_missing(scope: SearchScope, name: str, term: str) -> str:
    no = "No" if scope.is_current else "No indexed"
    is_held = scope.searcher.count_units(term)
    name = shorten_word(name)
    return f"{no} declaration is named `{name}`." if is_held else f"{no} file has: {name}."


def _build(
    scope: SearchScope, query: Query, leads: Sequence[_Leads], top_k: int, *, ends_early: bool, copies: int
) -> NamedHits:
    """Return the hits for what is named, then the places that use the names, ranked."""
    terms = list(dict.fromkeys(term for lead in leads for term in lead.terms))
    order: list[str] = []
    if any(_is_tied(lead.hits) for lead in leads):  # the ranking says which is meant
        best = scope.rank(query, FILES_ORDERED, counted=False).chunks
        order = [chunk.path for chunk in best]
    named = [hit for lead in leads for hit in _order(lead.hits, order)]
    first = list({(hit.path, hit.start_line): hit for hit in named}.values())
    shown = frozenset((hit.path, line) for hit in first for line in _list_shown(hit))
    most = top_k + len(first)
    ranked = scope.rank(replace(query, terms=terms), most + 1, counted=False).chunks
    reader = ChunkReader((), scope.read_live)
    live = reader.iter(chunk for chunk in ranked[:most] if chunk.matched_terms)
    places = chain.from_iterable(_show_places(chunk, terms, shown) for chunk in live)
    usual = copies + (FEW_PLACES if first else FEW_ALONE)
    is_more = len(ranked) > most  # else all places are soon counted
    found = list(islice(places, min(top_k, usual) if ends_early and is_more else top_k))
    hits = (*lift(first, found[0].score if found else 0.0), *found)
    is_more = is_more or next(places, None) is not None
    warnings = dict.fromkeys([*(one for lead in leads for one in lead.warnings), *reader.list_warnings()])
    return NamedHits(hits[:top_k], len(first) + usual, len(hits), is_more, tuple(warnings))


def _find_declared(scope: SearchScope, query: Query, name: str, *, is_only: bool) -> _Leads | None:
    """Return the declarations of a name as written; of one of several parts, also in other spellings."""
    asked = find_name(name)
    if asked is None:
        return None
    lines = ONE_SHOWN if is_only else MORE_SHOWN
    narrowed = replace(query, text=name, terms=analyse_text(name))
    is_plain = _WORD.fullmatch(asked.name) is not None and len(get_word_terms(asked.name)) > 2
    least = SPELLING if is_plain else EXACT
    found = look_up(scope, narrowed, len(lines), least=least, shown_lines=lines)
    hits = list(_iter_best(found, asked, least))
    if not hits:
        return None
    terms = dict.fromkeys(
        get_word_terms(asked.name)[:1] if is_plain else ()
    )  # a heading is spelled otherwise
    for hit in hits:
        terms[get_word_terms(split_qualified(hit.symbol or name)[-1])[0]] = None
    return _Leads(tuple(hits), tuple(terms), found.warnings)


def _iter_best(found: Found, asked: AskedName, least: int) -> Iterator[Hit]:
    """Yield the declarations that have the name, spelled as closely as `least`, and all qualifiers."""
    for hit in found.hits:
        points = dict(hit.explanation)
        agrees = points.get("qualifiers", 0.0) >= round(0.1 * len(asked.qualifiers), DECIMALS)
        if points.get("name", 0.0) >= least and agrees:
            yield replace(hit, matched_terms=())


def _find_files(scope: SearchScope, query: Query, name: str) -> _Leads | None:
    """Return the files that a path or the name of a file means."""
    if "." not in name and "/" not in name:
        return None
    paths = find_meant(name, lambda terms: find_paths(scope.searcher.snapshot, terms))
    hits: list[Hit] = []
    for path in paths[: MAX_FILES + 1]:
        narrowed = replace(query, text=name, terms=analyse_text(name), path_parts=[path.lower()])
        chunks = scope.rank(narrowed, 1).chunks
        live = read_chunks((chunk for chunk in chunks if chunk.path == path), (), scope.read_live)
        hits += map(_show_top, live.chunks)
    if not 0 < len(hits) <= MAX_FILES:
        return None
    stem = hits[0].path.rpartition("/")[2].partition(".")[0]
    return _Leads(tuple(hits), get_word_terms(stem)[:1])


def _is_tied(hits: Sequence[Hit]) -> bool:
    """Return whether declarations in several files have equal spellings, so that their order is open."""
    files = {(dict(hit.explanation).get("name", 0.0), hit.path) for hit in hits}
    return len({spelling for spelling, _ in files}) < len(files)


def _order(hits: Sequence[Hit], paths: Sequence[str]) -> list[Hit]:
    """Return the declarations ordered by spelling, then by the place of their files in the ranking."""
    places = {path: place for place, path in reversed([*enumerate(paths)])}

    def place(hit: Hit) -> tuple[float, int]:
        return -dict(hit.explanation).get("name", 0.0), places.get(hit.path, len(paths))

    return sorted(hits, key=place)


def _list_shown(hit: Hit) -> Iterable[int]:
    return (int(row.partition("\t")[0]) for row in hit.snippet.removesuffix("\n").split("\n"))


def _show_places(live: LiveChunk, terms: Sequence[str], shown: Set[tuple[str, int]]) -> list[Hit]:
    """Return hits of single lines of a chunk with the terms: the best of each declaration around them.

    Left out are comments, and the lines `shown`, which are paths and numbers.
    """
    path, chunk = live.ranked.path, live.ranked.chunk
    first, last = (1, len(live.lines)) if live.is_changed else (chunk.start_line, chunk.end_line)
    lines = decode_lines(live.lines, first, min(last, len(live.lines)))
    marks = find_line_terms(lines, terms)
    wanted = {*terms}
    for at, line in enumerate(lines):
        if not marks[at]:
            continue
        is_place = (path, first + at) not in shown and not line.lstrip().startswith(COMMENT_STARTS)
        if not is_place or wanted.isdisjoint(_WORD.findall(line.lower())):  # `closed` is not `close`
            marks[at] = 0
    near = live.find_near(first, last)
    rows = [
        (number != OUTSIDE, *max((marks[at].bit_count(), -at) for at in places), number)
        for number, places in near.group_innermost(first, marks).items()
    ]
    rows = sorted(rows, reverse=True)[:MOST_PLACES]
    return [
        show_lines(live, {first - at: lines[-at]}, near.get(number) if is_inside else None)
        for is_inside, _, at, number in rows
        if is_inside or not rows[0][0]
    ]


def _show_top(live: LiveChunk) -> Hit:
    """Return the hit of a whole file: the lines that declare its longest symbols, or its first lines.

    These are the outermost ones; if there are hardly any, as where all is in one class, also those in them.
    """
    around: list[SymbolSpan] = []
    levels: tuple[list[SymbolSpan], list[SymbolSpan]] = [], []
    for span in live.find_declarations().find_between(1, len(live.lines)):
        around = [one for one in around if one.end_line >= span.end_line and one.end_line >= span.head_line]
        if len(around) < len(levels):
            levels[len(around)].append(span)
        around.append(span)
    found = levels[0] if len(levels[0]) >= FEW_OUTER else [*levels[0], *levels[1]]
    found.sort(key=lambda span: span.head_line - span.end_line)
    numbers = sorted({span.name_line for span in found[:TOP_LINES]})
    numbers = numbers or [*range(1, min(TOP_LINES, len(live.lines)) + 1)]
    return show_lines(live, {at: decode_lines(live.lines, at, at)[0] for at in numbers}, None)
