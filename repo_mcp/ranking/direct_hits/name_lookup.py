"""Looks names up: the declarations with a name, each shown by its own lines. Mode `symbol`.

    query -> questions to the index, the closest first -> chunks, ranked -> declarations in their live text

The index says where a name is declared, and the live text decides: a hit is a declaration that line patterns
find there now. They find no fields, values of enums and the like. So if no declaration has exactly the name
that is asked for, the files that hold it as a word are searched for lines that declare it. A score combines
what a look-up compares:

    a name           its spelling (as written 4, in another case 3, in another spelling 2, as a part 1),
                     and .1 for each qualifier that it has
    several words    how many of them its qualified name has, and .2 times the best spelling
    both             .1 times its place in the ranking of chunks, 1 for the first, falling

If a name is declared nowhere, a warning says so and gives the nearest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat

from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.languages.patterns.declaring_lines import holds_word, list_declaring_lines
from repo_mcp.languages.patterns.language_registry import find_dialect
from repo_mcp.languages.patterns.markup_languages import UNKNOWN
from repo_mcp.late_patterns import compile_late
from repo_mcp.model import Hit
from repo_mcp.ranking.direct_hits.scope import RatedDeclaration, SearchScope
from repo_mcp.ranking.files.ranked_file import Points
from repo_mcp.ranking.page.asked_declaration import grade_span
from repo_mcp.ranking.page.hit_lines import show_declaration
from repo_mcp.ranking.page.live_chunks import ChunkReader, LiveChunk, decode_lines
from repo_mcp.ranking.query.asked_name import (
    CASE,
    EXACT,
    PARTS,
    SPELLING,
    AskedName,
    Grade,
    find_name,
    grade_name,
    split_qualified,
)
from repo_mcp.ranking.query.intent import NameKind, spell, understand
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import DECLARED, get_name_term, get_word_terms
from repo_mcp.text.schema import SYMBOL

# Of the first declarations; of each further one as many as of the last of these.
SHOWN_LINES = 14, 6, 3, 2
MAX_NAMES = 16  # of a query; each costs searches of its own
WORD_CHUNKS = 100  # searched for lines that declare a name, and as many of headers: 30 to 100 ms
OWNER_CHUNKS = (
    32  # that declare the type of a name, looked at before all others: its members are mostly there
)
MOST_LACKING = 64  # files in a row without the word: a stem, or a word that is seldom spelled so
MORE_CHUNKS = 10  # read beside the wanted ones where case or a qualifier decides: the right one may come last
_HEADERS = ".h", ".hh", ".hpp", ".hxx", ".d.ts", ".pyi"
_WORD = compile_late(r"\w+")
_WRITTEN = compile_late(r"\w+(?:-\w+)*")  # a name as languages without line patterns may write it


@dataclass(frozen=True, slots=True)
class Found:
    """The declarations that a look-up found, best first."""

    hits: tuple[Hit, ...]
    total: int
    total_is_lower_bound: bool  # not every chunk that may declare one was read
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """Words that a unit must declare, each by all its terms; and how closely they follow the query."""

    needed: tuple[tuple[str, ...], ...]
    is_close: bool  # asks for whole names


def look_up(
    scope: SearchScope,
    query: Query,
    top_k: int,
    *,
    least: int | None = None,
    shown_lines: Sequence[int] = SHOWN_LINES,
) -> Found:
    """Return the best `top_k` declarations of what a query names.

    A warning names what is not declared. With `least`, the grade of a spelling, only declarations that are
    spelled at least so closely are wanted: others may be left out and uncounted, and there is no warning.

    Raises IndexFormatError, OSError.
    """
    looking = _LookUp(scope, query, top_k, least)
    looking.run()
    seen, asked = looking.seen, looking.asked
    ordered = sorted(seen, key=lambda key: (-seen[key].score, key[0].encode(), key[1]))
    lines = chain(shown_lines, repeat(shown_lines[-1]))
    hits = tuple(_show(seen[key], most) for key, most in zip(ordered[:top_k], lines, strict=False))
    missing = []
    if least is None:
        from repo_mcp.ranking.direct_hits.near_names import describe_missing  # here: for mode `symbol` alone

        def find(name: str) -> Sequence[Hit]:
            named = replace(query, text=name, terms=[*get_word_terms(name)], names=(), synonyms=())
            found = look_up(scope, named, 1, least=CASE).hits
            return [hit for hit in found if dict(hit.explanation)["name"] >= CASE]

        missing = describe_missing(scope, query, asked, looking.words, hits, find)
    return Found(hits, len(seen), looking.is_cut, (*missing, *looking.warnings))


class _LookUp:
    """One look-up: what it asks for, and what it has found so far."""

    def __init__(self, scope: SearchScope, query: Query, top_k: int, least: int | None) -> None:
        self._scope = scope
        self._query = query
        self._top_k = top_k
        self._least = least
        self.asked = asked = find_name(query.text)
        text = query.text if asked is None else asked.name
        self.words = list(dict.fromkeys(_WORD.findall(text)))[:MAX_NAMES]
        self.seen: dict[tuple[str, int], RatedDeclaration] = {}  # by path and line
        self.warnings: dict[str, None] = {}
        self.is_cut = False

    def run(self) -> None:
        """Ask the index until enough is found, then look for lines that declare the name."""
        for question in _list_questions(self._query, self.words, is_one=self.asked is not None):
            declaring = self._scope.searcher.find_files(chain.from_iterable(question.needed), SYMBOL)
            few = min(map(len, declaring), default=0)  # files at most have all that is needed
            if not question.is_close and self._has_fewer_units(few):
                self._add_declaring_lines()
            if self._has_enough(question):
                self.is_cut = True
                break
            if few:
                self._add_declarations(question)
        self._add_declaring_lines()

    def _has_fewer_units(self, count: int) -> bool:
        """Return whether fewer units have the name, of which only the closest spellings are wanted."""
        return (
            self._least is not None
            and self.asked is not None
            and _count_units(self._scope, self.asked) < count
        )

    def _has_enough(self, question: _Question) -> bool:
        """Return whether all that is wanted was found, and this question cannot lead to anything better."""
        if len(self.seen) < self._top_k:
            return False
        return not (question.is_close and _may_be_better(self.seen.values(), self.asked, self._top_k))

    def _add_declarations(self, question: _Question) -> None:
        """Add the declarations in the chunks that answer a question, each with its best score."""
        asked, query, scope, top_k = self.asked, self._query, self._scope, self._top_k
        narrowed = replace(query, symbols=[*query.symbols, *question.needed], phrases=[])
        is_exact = all(term.startswith(DECLARED) for one in question.needed for term in one)
        is_exact = is_exact and not (asked is not None and asked.qualifiers)
        most = top_k + (0 if is_exact else MORE_CHUNKS)
        ranking = scope.known.rank(scope.searcher, narrowed, most, scope.wanted, counted=self._least is None)
        self.is_cut = self.is_cut or ranking.total > len(ranking.chunks)
        reader, seen = ChunkReader(query.phrases, scope.read_live), self.seen
        for place, chunk in enumerate(reader.iter(ranking.chunks)):
            if not (question.is_close or _may_matter(chunk, place, asked, self._least, seen.values(), top_k)):
                continue
            for rated in _iter_declarations(chunk, place, asked, self.words):
                key = chunk.ranked.path, rated.span.name_line
                if key not in seen or seen[key].score < rated.score:
                    seen[key] = rated
        self.warnings |= dict.fromkeys(reader.list_warnings())

    def _add_declaring_lines(self) -> None:
        """Add what lines declare the requested name, unless its declaration was found.

        Of those that are spelled exactly, no more than are wanted if only the best are.
        """
        asked, seen = self.asked, self.seen
        if asked is None or not _may_be_better(seen.values(), asked, 1):
            return
        find = partial(_iter_declaring_lines, self._scope, self._query, asked)
        for rated in self._scope.known.iter_declared(asked, find):
            seen.setdefault((rated.live.ranked.path, rated.span.name_line), rated)
            if self._least is not None and not _may_be_better(seen.values(), asked, self._top_k):
                break  # each that follows has a later place


def count_close(hits: Sequence[Hit], asked: AskedName | None) -> int:
    """Return how many of the first hits have the whole name that is asked for; 0 if none has.

    For a query of several words, a declaration counts that has more than one of them.
    """
    points = [dict(hit.explanation) for hit in hits]
    if asked is not None:
        agreeing = points[0].get("qualifiers", 0.0) if points else 0.0
        close = [one.get("name", 0.0) >= SPELLING for one in points if one.get("qualifiers", 0.0) >= agreeing]
        return sum(close)
    return sum(one.get("words", 0.0) > 1 or one.get("name", 0.0) >= 0.2 * SPELLING for one in points)


def _show(rated: RatedDeclaration, most_lines: int) -> Hit:
    ranked = replace(rated.live.ranked, score=rated.score, explanation=rated.points)
    return show_declaration(replace(rated.live, ranked=ranked), rated.span, most_lines)


def _may_be_better(seen: Iterable[RatedDeclaration], asked: AskedName | None, top_k: int) -> bool:
    """Return True unless there are `top_k` declarations with exactly the requested name."""
    if asked is None:
        return True
    best = [("name", float(EXACT)), ("qualifiers", len(asked.qualifiers) / 10)]
    return sum(all(one in rated.points for one in best if one[1]) for rated in seen) < top_k


def _may_matter(
    live: LiveChunk,
    place: int,
    asked: AskedName | None,
    least: int | None,
    seen: Iterable[RatedDeclaration],
    top_k: int,
) -> bool:
    """Return whether a chunk that has all parts of a name may declare one of the best `top_k`."""
    if asked is None or least is None:
        return True
    if least <= PARTS and not asked.qualifiers:
        score, _ = _explain(_rate_name((PARTS, 0)), place)
        least = SPELLING if sum(one.score > score for one in seen) >= top_k else least
    return asked.may_be_in(_cut_chunk(live), least)


def _cut_chunk(live: LiveChunk) -> bytes:
    """Return the text of a chunk, of the whole file where it has changed."""
    chunk = live.ranked.chunk
    return live.data if live.is_changed else live.lines.cut(chunk.start_line - 1, chunk.end_line)


def _list_questions(query: Query, words: Sequence[str], *, is_one: bool) -> list[_Question]:
    """Return the index queries: whole names together, each alone, in any spelling, then their parts.

    With `is_one`, the words are those of one name.
    """
    wholes = [(get_name_term(word),) for word in words]
    if is_one:  # a name with signs: the index knows its last word as that of a whole name
        wholes = [*((get_word_terms(word)[0],) for word in words[:-1]), *wholes[-1:]]
    spelled = [
        ((term,),)
        for term, kind in understand(query.text, query.code).names
        if kind is NameKind.ASKED and not term.startswith(DECLARED)  # those are found by their parts, too
    ]
    spelled += [((name,),) for word in words for name in spell(word) if get_name_term(name) == name]
    terms = [get_word_terms(word) for word in words]
    spelled += [((own[0],),) for own in terms]  # `printbooks` for `printBooks`
    parts = [own[1:] or own for own in terms]
    close = [tuple(wholes), *(() if is_one else ((one,) for one in wholes)), *spelled]
    loose = [tuple(parts), *(() if is_one else ((one,) for one in parts))]
    questions = [_Question(needed, True) for needed in close] + [_Question(one, False) for one in loose]
    return list({one.needed: one for one in reversed(questions) if one.needed}.values())[::-1]


def _iter_declarations(
    live: LiveChunk,
    place: int,
    asked: AskedName | None,
    words: Sequence[str],
) -> Iterator[RatedDeclaration]:
    """Yield the declarations of the chunk (of the file where it has changed), each with its score."""
    ranked = live.ranked
    first, last = ranked.chunk.start_line, ranked.chunk.end_line
    if live.is_changed:
        first, last = 1, len(live.lines)
    near = live.find_near(first, last)
    spans = near.find_between(first, last, "" if asked is None else asked.root)
    if not (near or live.find_declarations()):  # no line patterns: an adapter told the index of its names
        spans = _find_named_lines(live, words if asked is None else [asked.name], first, last)
    known: dict[Grade, tuple[float, Points]] = {}
    for span in spans:
        if asked is None:
            score, explained = _explain(_rate_words(words, span), place)
        else:
            grade = grade_span(asked, span, live)
            if grade not in known:
                known[grade] = _explain(_rate_name(grade), place)
            score, explained = known[grade]
        if score:
            yield RatedDeclaration(score, explained, live, span)


def _list_wholes(asked: AskedName) -> list[str]:
    """Return the terms by which a unit has a name as it is written, in any case."""
    return [get_word_terms(word)[0] for word in _WORD.findall(asked.name)]


def _count_units(scope: SearchScope, asked: AskedName) -> int:
    """Return how many units have a name as it is written, at most."""
    return min(map(scope.searcher.count_units, _list_wholes(asked)), default=0)


def _iter_declaring_lines(scope: SearchScope, query: Query, asked: AskedName) -> Iterator[RatedDeclaration]:
    """Yield the declarations in lines that hold the name exactly as it is written, each with its score.

    Headers are ranked apart only if any holds the name, and nothing is if no file does.
    """
    terms, units = _list_wholes(asked), _count_units(scope, asked)
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
            score, explained = _explain(_rate_name(grade_span(asked, span, live)), place)
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


def _explain(points: Sequence[tuple[str, float]], place: int) -> tuple[float, Points]:
    """Return a score and the points that make it up, with those for the place of a chunk; 0 without any."""
    if not points:
        return 0.0, ()
    explained = (*points, ("place", round(0.1 / (place + 1), DECIMALS)))
    return round(sum(value for _, value in explained), DECIMALS), explained


def _find_named_lines(live: LiveChunk, words: Sequence[str], first: int, last: int) -> list[SymbolSpan]:
    """Return the lines from the one that names the words most closely, preferably at its beginning."""
    named = [
        (sum(grade_name(word, match.group()) for word in words), place == 0, -number, match.group())
        for number, line in enumerate(decode_lines(live.lines, first, last), first)
        for place, match in enumerate(_WRITTEN.finditer(line))
    ]
    alike, _, before, name = max(named, default=(0, False, 0, ""))
    return [SymbolSpan(-before, last, -before, -before, name, name)] if alike else []


def _rate_name(grade: Grade) -> list[tuple[str, float]]:
    """Return the points of a declaration by its name and qualifiers; none for another name."""
    spelling, agreeing = grade
    return [one for one in (("name", float(spelling)), ("qualifiers", agreeing / 10)) if one[1]]


def _rate_words(words: Sequence[str], span: SymbolSpan) -> list[tuple[str, float]]:
    """Return the points of a declaration for the words that it has; none if its own name has none."""
    *outer, name = split_qualified(span.qualified_name)
    spellings = [grade_name(word, name) for word in words]
    if not any(spellings):
        return []
    held = sum(
        bool(own) or any(grade_name(word, one) >= SPELLING for one in outer)
        for word, own in zip(words, spellings, strict=True)
    )
    return [("words", float(held)), ("name", round(0.2 * max(spellings), DECIMALS))]
