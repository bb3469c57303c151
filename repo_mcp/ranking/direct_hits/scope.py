"""The scope of one search: the index, the wanted files, their live text, and the names looked up so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.files.ranking import OrderedFiles, order_files, take_chunks
from repo_mcp.ranking.page.live_chunks import LiveChunk, ReadLive
from repo_mcp.ranking.page.page_declarations import RatedPages
from repo_mcp.ranking.query.asked_name import AskedName
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.ranked_chunks import Points
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.record_classes import dataclass, replace


@dataclass(frozen=True, slots=True)
class RatedDeclaration:
    """A declaration with its score, the points that make it up, and its chunk."""

    score: float
    points: Points
    live: LiveChunk
    span: SymbolSpan


class LookedUp:
    """Keeps what one search has ranked and looked up.

    It may look the same name up three times, and may be asked for more hits.
    """

    def __init__(self) -> None:
        self._declared: dict[AskedName, _DeclaredByLines] = {}
        self._ordered: list[tuple[Query, Filter, OrderedFiles]] = []
        self._rankings: list[tuple[Query, Filter, int, Ranking]] = []  # whose chunks are not counted
        self.rated = RatedPages()

    def rank(self, searcher: Searcher, query: Query, most: int, wanted: Filter, *, counted: bool) -> Ranking:
        """Return what `rank` does. The first chunks of a longer ranking are those of a shorter one."""
        for known, among, length, ranking in () if counted else self._rankings:
            if length >= most and among is wanted and known == query:
                chunks = ranking.chunks[:most]
                return replace(ranking, chunks=chunks, total=len(chunks))
        ordered = self._order(searcher, query, most, wanted)
        ranking = take_chunks(searcher, query, ordered, most, counted=counted)
        if not counted:
            self._rankings.append((query, wanted, most, ranking))
        return ranking

    def _order(self, searcher: Searcher, query: Query, count: int, wanted: Filter) -> OrderedFiles:
        for known, among, ordered in self._ordered:
            if ordered.count >= count and among is wanted and known == query:
                return ordered
        ordered = order_files(searcher, query, count, wanted)
        self._ordered.append((query, wanted, ordered))
        return ordered

    def iter_declared(
        self, asked: AskedName, find: Callable[[], Iterator[RatedDeclaration]]
    ) -> Iterator[RatedDeclaration]:
        """Yield the declarations that `find` finds for a name: each once, when it is first asked for."""
        if asked not in self._declared:
            self._declared[asked] = _DeclaredByLines(find())
        return self._declared[asked].iter()


class _DeclaredByLines:
    """Declarations that are found one by one, on request, and kept."""

    def __init__(self, unread: Iterator[RatedDeclaration]) -> None:
        self._found: list[RatedDeclaration] = []
        self._unread = unread

    def iter(self) -> Iterator[RatedDeclaration]:
        """Yield them from the first one on."""
        yield from self._found
        for rated in self._unread:
            self._found.append(rated)
            yield rated


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The index, wanted files and live text that one search considers, and the names looked up so far."""

    searcher: Searcher
    wanted: Filter
    read_live: ReadLive
    is_current: bool  # the index is not known to lack anything; only warnings may depend on it
    known: LookedUp = field(default_factory=LookedUp)

    def rank(self, query: Query, most: int, *, counted: bool = True) -> Ranking:
        """Return the best chunks for a query; see `ranking.rank`."""
        return self.known.rank(self.searcher, query, most, self.wanted, counted=counted)
