"""Looks names up: the declarations with a name, each shown by its own lines. Mode `symbol`.

    query -> questions to the index, the closest first -> chunks, ranked -> declarations in their live text

The index says where a name is declared, and the live text decides: a hit is a declaration that line patterns
find there now. They find no fields, values of enums and the like. So if no declaration has exactly the name
that is asked for, the files that hold it as a word are searched for lines that declare it.

If a name is declared nowhere, a warning says so and gives the nearest names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.late_patterns import compile_late
from repo_mcp.model import Hit
from repo_mcp.ranking.direct_hits.declared_by_lines import count_units, iter_declaring_lines
from repo_mcp.ranking.direct_hits.name_points import explain, rate_name, rate_words
from repo_mcp.ranking.direct_hits.scope import RatedDeclaration, SearchScope
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
)
from repo_mcp.ranking.query.intent import NameKind, spell, understand
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.ranked_chunks import Points
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import DECLARED, get_name_term, get_word_terms
from repo_mcp.text.schema import SYMBOL

# Of the first declarations; of each further one as many as of the last of these.
SHOWN_LINES = 14, 6, 3, 2
MAX_NAMES = 16  # of a query; each costs searches of its own
MORE_CHUNKS = 10  # read beside the wanted ones where case or a qualifier decides: the right one may come last
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
            declaring = self._scope.searcher.documents.find_files(
                chain.from_iterable(question.needed), SYMBOL
            )
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
            and count_units(self._scope, self.asked) < count
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
        ranking = scope.rank(narrowed, most, counted=self._least is None)
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
        find = partial(iter_declaring_lines, self._scope, self._query, asked)
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
        score, _ = explain(rate_name((PARTS, 0)), place)
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
    live: LiveChunk, place: int, asked: AskedName | None, words: Sequence[str]
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
            score, explained = explain(rate_words(words, span), place)
        else:
            grade = grade_span(asked, span, live)
            if grade not in known:
                known[grade] = explain(rate_name(grade), place)
            score, explained = known[grade]
        if score:
            yield RatedDeclaration(score, explained, live, span)


def _find_named_lines(live: LiveChunk, words: Sequence[str], first: int, last: int) -> list[SymbolSpan]:
    """Return the lines from the one that names the words most closely, preferably at its beginning."""
    named = [
        (sum(grade_name(word, match.group()) for word in words), place == 0, -number, match.group())
        for number, line in enumerate(decode_lines(live.lines, first, last), first)
        for place, match in enumerate(_WRITTEN.finditer(line))
    ]
    alike, _, before, name = max(named, default=(0, False, 0, ""))
    return [SymbolSpan(-before, last, -before, -before, name, name)] if alike else []
