"""All edges of a symbol in one direction as one list, searched only as far as it is read.

The rows follow the windows of the search, which begin with the files of the program. In each window, uses by
the program come first, then those in tests, examples and foreign code, the surest of each first; edges and
names declared outside the repository are mixed. After all of these come the edges that are only possible,
and last the unresolved references. So the certain edges of a symbol with ten thousand callers can be read
before the last file is scanned, and guesses do not come first. If the first window with edges has no sure
one, guesses stay where they are found: otherwise the first row could require reading ten thousand files. An
edge with many lines takes several rows.

A row `WindowEnd` marks the end of a window that another follows. A page can continue from it, even when the
window held nothing.

Before the uses of a symbol are resolved, they are counted by folder. The index counts the references by a
name whatever they mean, which is an upper bound, known at once even for the hottest symbol. How sure they are
is estimated from a few references of each folder, spread over its files.

A folder is listed apart from its parent if it has a large part of all references. The largest come first.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, zip_longest

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edges import CalledLines, Edge, Edges, External, Unresolved
from repo_mcp.graph.program import SURENESS, Confidence, Declaration
from repo_mcp.graph.user_roles import LISTED_ROLES, find_path_role, rank_role
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.roles import FileRole

ROW_LINES = 20  # lines of an edge in one row
CACHED_FOLDERS = 256  # lists of a symbol's uses by folder, of at most MAX_FOLDERS rows each: 0.6 MB
CACHED_LISTS = 16  # partial or complete: one of 40,000 references takes some 10 MB
MAX_WINDOWS = 6  # read for one page without finding a row: 0.7 s for a hot name, whose first ones are small
MAX_FOLDERS = 10
SMALLEST_PART = 20  # a folder is listed separately if it has at least 1/20 of all references
SAMPLED_FILES, SAMPLED_REFERENCES = 2, 3  # files of a folder; references of each of those files

FindRole = Callable[[Declaration], FileRole]  # one of LISTED_ROLES
Uses = Sequence[tuple[str, int]]  # path, and the number of references by name; ascending


@dataclass(frozen=True, slots=True)
class EdgeQuestion:
    """The edges at one end of a symbol that are asked for. Lists of edges are cached by it."""

    declaration: Declaration
    types: frozenset[EdgeType]
    incoming: bool
    dispatches: bool = False  # calls that may run an override of the member count, too
    folder: str = ""  # folder in which incoming edges begin; "" for all


@dataclass(frozen=True, slots=True)
class WindowEnd:
    """The end of a window that others follow."""

    number: int


EdgeRow = Edge | External | Unresolved | WindowEnd


@dataclass(frozen=True, slots=True)
class EdgeTotals:
    """The size of a list, as far as it is known."""

    edges: int  # symbols at the other end, by type of edge
    possible: int  # of these, those that are only possible
    lines: int  # of all edges
    externals: int
    unresolved: int  # references
    is_complete: bool  # if not, each number is a lower bound
    is_cut: bool  # a limit of the hierarchy was reached, so that there may be further edges
    below: tuple[tuple[Declaration, CalledLines], ...]  # overrides that lines call by their own type
    roles: Mapping[FileRole, int]  # of the edges, by the role of what is at their other ends, as rows come


@dataclass(frozen=True, slots=True)
class KnownEdges:
    """A list as far as it has been read."""

    rows: Sequence[EdgeRow]
    totals: EdgeTotals


@dataclass(frozen=True, slots=True)
class _Stage:
    """The state of a list after some of its windows have been read."""

    number: int  # of the last of these windows, from 0
    sure: int  # rows
    totals: EdgeTotals


class EdgeList:
    """The edges of one symbol in one direction. Used by one call at a time; may raise IndexFormatError."""

    def __init__(
        self, windows: Iterator[Edges], find_role: FindRole = lambda user: find_path_role(user.path)
    ) -> None:
        """Read nothing yet. `windows` yields at least one; each but the last has `is_followed` set."""
        self._windows = windows
        self._find_role = find_role
        self._roles: Counter[FileRole] = Counter()
        self._stages: list[_Stage] = []  # one after each window that was read
        self._sure: list[EdgeRow] = []
        self._possible: list[EdgeRow] = []
        self._unresolved: list[EdgeRow] = []
        self._pairs: dict[tuple[EdgeType, Declaration], bool] = {}  # True: some line of it is sure
        self._names: set[str] = set()
        # Whether possible edges are mixed with the others; None before the first edge.
        self._is_guessing: bool | None = None
        self._lines = self._references = 0
        self._below: dict[Declaration, CalledLines] = {}

    def read(self, start: int) -> KnownEdges:
        """Return the list, read until it has rows from `start` on, is complete, or MAX_WINDOWS had none.

        Windows that a later page has already read are not included, so equal calls get equal answers.
        """
        stage, reached = self._read_stage(0), 0
        while not stage.totals.is_complete and not self._has_rows(start, stage.sure):
            reached += stage.sure > start
            if reached == MAX_WINDOWS:
                break  # the page can continue from the end of a window
            stage = self._read_stage(stage.number + 1)
        rows = self._sure[: stage.sure]
        if stage.totals.is_complete:
            rows = [*rows, *self._possible, *self._unresolved]
        return KnownEdges(tuple(rows), stage.totals)

    def _has_rows(self, start: int, end: int) -> bool:
        return any(not isinstance(row, WindowEnd) for row in self._sure[start:end])

    def _read_stage(self, number: int) -> _Stage:
        """Return what is known after a window, reading the window if necessary."""
        if number == len(self._stages):
            self._add(next(self._windows))
        return self._stages[number]

    def _add(self, window: Edges) -> None:
        if self._is_guessing is None and window.edges:
            self._is_guessing = window.is_followed and all(map(_is_possible, window.edges))
        sure = [edge for edge in window.edges if not _is_possible(edge)]
        for edge, external in zip_longest(sure, window.externals):
            self._sure += [*_split(edge), *_split(external)]
        for edge in window.edges:
            key, is_certain = (edge.type, edge.other), not _is_possible(edge)
            self._roles[self._find_role(edge.other)] += key not in self._pairs
            self._pairs[key] = self._pairs.get(key, False) or is_certain
            self._lines += edge.count
            if not is_certain:
                rows = self._sure if self._is_guessing else self._possible
                rows += _split(edge)
        self._names.update(f"{one.type} {one.name}" for one in window.externals)
        for place in window.unresolved:
            self._unresolved += _split(place)
            self._references += place.count
        for override, lines in window.below:
            known = self._below.get(override, CalledLines())
            self._below[override] = CalledLines(known.all + lines.all, known.in_tests + lines.in_tests)
        if window.is_followed:
            self._sure.append(WindowEnd(len(self._stages)))
        totals = EdgeTotals(
            len(self._pairs),
            list(self._pairs.values()).count(False),
            self._lines,
            len(self._names),
            self._references,
            is_complete=not window.is_followed,
            is_cut=window.cut and not window.is_followed,
            below=tuple(self._below.items()),
            roles={role: count for role in LISTED_ROLES if (count := self._roles[role])},
        )
        self._stages.append(_Stage(len(self._stages), len(self._sure), totals))


class EdgeLists:
    """The most recently used lists of one program. Thread-safe."""

    def __init__(self, finder: EdgeFinder, lock: threading.RLock) -> None:
        """Read nothing yet. Calls take turns under `lock`."""
        self._finder = finder
        self._lock = lock
        self._kept: LruCache[EdgeQuestion, EdgeList] = LruCache(CACHED_LISTS)
        self._folders: LruCache[EdgeQuestion, list[FolderUses]] = LruCache(CACHED_FOLDERS)

    def is_distinctive(self, declaration: Declaration) -> bool:
        """Return False for an interface that requires too little to look for the types that satisfy it."""
        with self._lock:
            return self._finder.hierarchy.is_distinctive(declaration)

    def list_derived(self, declaration: Declaration) -> list[Declaration]:
        """Return the types that name one as their base, and its extensions."""
        with self._lock:
            return [one.declaration for one in self._finder.hierarchy.list_derived(declaration)]

    def count_uses(self, asked: EdgeQuestion) -> int:
        """Return how many references by name there are, an upper bound of the incoming edges."""
        with self._lock:
            uses = self._finder.list_uses(asked.declaration, asked.folder)
        return sum(count for _, count in uses)

    def read(self, asked: EdgeQuestion, start: int) -> KnownEdges:
        """Return the edges that answer a question, as far as a page from row `start` needs them."""
        with self._lock:
            found = self._kept.get(asked, lambda: self._begin(asked))
            try:
                return found.read(start)
            except BaseException:  # a generator that raised has ended, so that its other windows are lost
                self._kept.put(asked, self._begin(asked))
                raise

    def _begin(self, asked: EdgeQuestion) -> EdgeList:
        return EdgeList(self._search(asked), self._finder.find_user_role)

    def _search(self, asked: EdgeQuestion) -> Iterator[Edges]:
        question = asked.declaration, asked.types
        if not asked.incoming:
            return self._finder.iter_outgoing(*question, dispatches=asked.dispatches)
        found = self._finder.iter_incoming(*question, folder=asked.folder, dispatches=asked.dispatches)
        order = partial(self._order_incoming, is_of_file=not asked.declaration.ordinal)
        return (replace(one, edges=tuple(sorted(one.edges, key=order))) for one in found)

    def _order_incoming(self, edge: Edge, *, is_of_file: bool) -> tuple[bool, int, int, bool]:
        """Return a sort key: guesses come last, and before that what is no part of the program.

        An import says less than the uses below it, unless the file that was asked about is itself imported.
        """
        is_import = edge.type is EdgeType.IMPORTS and not is_of_file
        rank = rank_role(self._finder.find_user_role(edge.other))
        return _is_possible(edge), rank, SURENESS[edge.confidence], is_import

    def list_folders(self, asked: EdgeQuestion, known: KnownEdges) -> list[FolderUses]:
        """Return the uses of the name of a symbol by folder, and how sure they are.

        That is judged by the edges if all are known, else by samples. `known` is what `read` returns for the
        first page.
        """
        with self._lock:
            return self._folders.get(asked, lambda: self._list_folders(asked, known))

    def _list_folders(self, asked: EdgeQuestion, known: KnownEdges) -> list[FolderUses]:
        parts = divide(self._finder.list_uses(asked.declaration, asked.folder))
        if known.totals.is_complete:
            homes = {path: part for part, uses in parts for path, _ in uses}
            edges: dict[str, list[Edge]] = {}
            for row in known.rows:
                if isinstance(row, Edge) and row.other.path in homes:
                    edges.setdefault(homes[row.other.path], []).append(row)
            resolved_parts = [(sum(count for _, count in uses), edges.get(part, [])) for part, uses in parts]
        else:
            samples = self._finder.iter_samples(
                asked.declaration,
                asked.types,
                (choose_samples(uses) for _, uses in parts),
                SAMPLED_REFERENCES,
                dispatches=asked.dispatches,
            )
            resolved_parts = [(count, list(found.edges)) for count, found in samples]
        return [
            FolderUses(part, len(uses), sum(count for _, count in uses), resolved, count_lines(edges_of))
            for (part, uses), (resolved, edges_of) in zip(parts, resolved_parts, strict=True)
        ]


def _is_possible(edge: Edge) -> bool:
    return edge.confidence is Confidence.POSSIBLE


def _split(row: EdgeRow | None) -> Iterator[EdgeRow]:
    """Yield rows of at most ROW_LINES lines, which together have all lines of `row`."""
    if row is None or isinstance(row, WindowEnd) or len(row.lines) <= ROW_LINES:
        if row is not None:
            yield row
        return
    for first in range(0, len(row.lines), ROW_LINES):
        yield replace(row, lines=row.lines[first : first + ROW_LINES])


@dataclass(frozen=True, slots=True)
class FolderUses:
    """The references by name in one folder, except those in subfolders that are listed separately."""

    folder: str  # "" for the root
    files: int
    references: int  # at most
    resolved: int  # of these; all of them if the list of edges is complete
    lines: Mapping[Confidence, int]  # of the edges of the resolved ones


def divide(uses: Uses) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return folders, each with the files that count for it; the folder with the most references first.

    The files of a folder are adjacent in `uses`, so it is described by where they begin and end.
    """
    paths = [path for path, _ in uses]
    sums = [0, *accumulate(count for _, count in uses)]
    folders = {"": [(0, len(uses))]}  # where the files that count for each begin and end
    inside = dict(_iter_inner(paths, "", 0, len(paths)))
    while inside:
        weights = {child: sums[end] - sums[start] for child, (_, start, end) in inside.items()}
        child = min(inside, key=lambda one: (-weights[one], one))
        folder, start, end = inside.pop(child)
        rest = _cut(folders[folder], start, end)
        if weights[child] < sums[-1] / SMALLEST_PART or (rest and len(folders) == MAX_FOLDERS):
            break
        folders[folder] = rest
        folders = {name: spans for name, spans in [*folders.items(), (child, [(start, end)])] if spans}
        inside.update(_iter_inner(paths, child, start, end))
    listed = [
        (folder, [one for start, end in spans for one in uses[start:end]])
        for folder, spans in folders.items()
    ]
    return sorted(listed, key=lambda one: (-sum(count for _, count in one[1]), one[0]))


def _iter_inner(
    paths: Sequence[str], folder: str, start: int, end: int
) -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Yield each direct subfolder, with its folder, and where the subfolder's files begin and end."""
    prefix = len(folder) + 1 if folder else 0
    while start < end:
        slash = paths[start].find("/", prefix)
        if slash < 0:
            start += 1
            continue
        child = paths[start][:slash]
        stop = bisect_left(paths, f"{child}0", start, end)  # "0" is the character after "/"
        yield child, (folder, start, stop)
        start = stop


def _cut(spans: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans without the part from `start` to `end`, which lies in one of them."""
    around = [
        part
        for first, last in spans
        for part in ([(first, start), (end, last)] if first <= start and end <= last else [(first, last)])
    ]
    return [(first, last) for first, last in around if first < last]


def choose_samples(uses: Uses) -> list[str]:
    """Return at most SAMPLED_FILES paths, evenly spread."""
    count = min(SAMPLED_FILES, len(uses))
    return [uses[number * len(uses) // count][0] for number in range(count)]


def count_lines(edges: Sequence[Edge]) -> Counter[Confidence]:
    """Return the number of lines by confidence."""
    found: Counter[Confidence] = Counter()
    for edge in edges:
        found[edge.confidence] += edge.count
    return found
