"""The analysis of one diff, from its text to the files that it affects, the likeliest first.

The server runs no Git: a diff is given as text, applied or not yet applied to the tree. The answer says what
is not known: files that are missing, not parsed or not to be named, hunks that fit nowhere, kinds of symbols
whose uses are not recorded, limits that were reached.

The reach of changed symbols is what depends on them, level by level. A path is only as certain as its weakest
edge. Possible edges are listed but not followed: anything beyond a guess is noise. Calls of what a changed
edge. Possible edges are listed but not followed: anything beyond a guess is noise. Calls of a method that a
changed method overrides are possible edges: they may reach it. Each level shares a fixed number of references
among its symbols, never a time, so equal diffs have equal answers.

Files that change together are not all bound by calls. A header goes with its source, a test with what it is
named after, and a file with others that have the rare names and words of the lines that change. Such evidence
is weaker than an edge, and is told in words. `bench/impact` measures what each is worth.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum

from index_format import IndexFormatError
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.edges import Bounds, Edges
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.live_graph import LiveGraph
from repo_mcp.graph.nodes import Node, name_shortly
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.questions import CALLS, IMPLEMENTATIONS, NAMED, EdgeType, is_tracked
from repo_mcp.graph.similar import KEYWORDS
from repo_mcp.impact.applied import Side
from repo_mcp.impact.changed_symbols import (
    ChangedFile,
    ChangedSymbols,
    MakeOutline,
    NamePath,
    Read,
    judge_files,
    list_touched_text,
)
from repo_mcp.impact.records import (
    CHANGED_ITSELF,
    Change,
    ChangedSymbol,
    Impact,
    LeftOut,
    Reached,
    ReachedFile,
)
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.ranking.query import MAX_TERMS, Query
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.roles import FileRole, find_role, is_test_path
from repo_mcp.text.stop_words import FUNCTION_WORDS
from repo_mcp.text.unified_diff import parse_diff

MAX_FILES = 300  # of one diff that are looked at
MAX_COMPANIONS = 10  # files without an edge, of the program and of its tests
FEW = 5  # paths that a note names
_AROUND = (SymbolKind.FILE, SymbolKind.MODULE)  # the symbols that hold imports
_FAR = 1_000  # the distance of a file to which no edge leads
MAX_SEEDS = 200  # changed symbols that are followed
WIDTH = 60  # symbols that are followed at each later level
FIRST_REFERENCES, REFERENCES = 12_000, 6_000  # resolved for all symbols of one level: 0.8 and 0.4 s
FIRST_FILES, FILES = 3_000, 1_500
LEAST = Bounds(files=30, references=60)  # for one symbol
_DEPENDENT = frozenset({*NAMED, EdgeType.OVERRIDES})
_FURTHER = frozenset({*CALLS, *IMPLEMENTATIONS, EdgeType.OVERRIDES})
ORDER = {Confidence.EXACT: 0, Confidence.PROBABLE: 1, Confidence.POSSIBLE: 2}
RANKED_CHUNKS = 60  # best chunks for the words of a change: their files are evidence
RANKED_WORDS = 500  # different words that are analysed, at some 10 us each
MAX_NAMES = 300  # of the touched lines, which are looked up
RARE = 30  # a name that more files use, or declare, is no evidence
SHOWN_NAMES = 3  # of the names that a file shares
# A shared name is shown if at most 3 files have it, or a tenth of all: in small trees, RARE is most of them.
LEAST_TOLD, TOLD_SHARE = 3, 10
_NO_NAMES = frozenset({*FUNCTION_WORDS, *KEYWORDS})  # common words and keywords
_NAME = re.compile(r"[^\W\d]\w{2,}")
_MARKS = re.compile(
    r"^(?:tests?|specs?)(?=[-_.])|[-_.](?:tests?|specs?)(?=$|[-_.])|(?<=[A-Za-z0-9])(?:Tests?|Spec|Suite)$"
)


class Signal(StrEnum):
    """A kind of evidence."""

    CALLS = "calls"
    TYPES = "types"  # inherits, implements, extends, overrides
    NAMES = "names"  # references, accepts
    IMPORTS = "imports"
    POSSIBLE = "possible"  # an edge of any type that is only possible
    FARTHER = "farther"  # over several edges
    TWIN = "twin"  # of the same name
    SHARES = "shares"  # has rare names of the touched lines
    ALIKE = "alike"  # ranks high for the words of the touched lines
    FOLDER = "folder"  # in the same folder


# What one unit of evidence is worth. With edges worth half or twice as much, as many of 40 commits of the
# tuned half had a file among the first ten: only the order above them changes.
WEIGHTS: Mapping[Signal, float] = {
    Signal.CALLS: 2.0,
    Signal.TYPES: 3.0,
    Signal.NAMES: 2.0,
    Signal.IMPORTS: 1.5,
    Signal.POSSIBLE: 0.3,
    Signal.FARTHER: 0.6,
    Signal.TWIN: 1.5,
    Signal.SHARES: 0.8,
    Signal.ALIKE: 1.2,
    Signal.FOLDER: 0.5,
}
# Sums of many: their logarithm counts.
_DAMPED = frozenset({*Signal} - {Signal.TWIN, Signal.ALIKE, Signal.FOLDER})
_OF_ROLES = {
    FileRole.CODE: 1.0,
    FileRole.TEST: 1.0,
    FileRole.STYLE: 1.0,  # changed with the page that it is for
    FileRole.CONFIG: 0.6,
    FileRole.DOCS: 0.3,
}
_BESIDE = frozenset({FileRole.CONFIG, FileRole.DOCS})
_FOREIGN = 0.2  # vendored or generated: seldom changed by hand
_OF_TYPES = {
    EdgeType.CALLS: Signal.CALLS,
    EdgeType.IMPORTS: Signal.IMPORTS,
    **dict.fromkeys((EdgeType.REFERENCES, EdgeType.ACCEPTS), Signal.NAMES),
    **dict.fromkeys(
        (EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.OVERRIDES), Signal.TYPES
    ),
}


class Evidence:
    """The evidence that is found, by file."""

    def __init__(self) -> None:
        self._amounts: dict[str, dict[Signal, float]] = {}
        self._shared: dict[str, dict[str, float]] = {}
        self._twins: dict[str, str] = {}
        self._told = LEAST_TOLD  # files that may have a name which is shown

    def _note(self, path: str, signal: Signal, amount: float) -> None:
        own = self._amounts.setdefault(path, {})
        own[signal] = own.get(signal, 0.0) + amount

    def list_paths(self) -> list[str]:
        """Return the files with more evidence than a shared folder, ascending."""
        return sorted(path for path, own in self._amounts.items() if own.keys() - {Signal.FOLDER})

    def weigh(self, path: str) -> float:
        """Return what the evidence for a file is worth."""
        total = sum(
            WEIGHTS[signal] * (math.log1p(amount) if signal in _DAMPED else amount)
            for signal, amount in sorted(self._amounts.get(path, {}).items())
        )
        return round(total * _OF_ROLES.get(find_role(path), _FOREIGN), 6)

    def explain(self, path: str) -> list[str]:
        """Return the evidence for a file other than edges, in words."""
        own = self._amounts.get(path, {})
        twin = self._twins.get(path)
        told = [] if twin is None else [f"named like `{twin.rpartition('/')[2]}`"]
        shared = self._shared.get(path, {})
        rare = [name for name in shared if shared[name] * self._told >= 1]
        if rare:
            best = sorted(rare, key=lambda name: (-shared[name], name))[:SHOWN_NAMES]
            told.append(f"names in common: {', '.join(f'`{name}`' for name in best)}")
        elif Signal.ALIKE in own or (shared and not told):
            told.append("words in common")
        return told

    def note_reached(self, reached: Iterable[Reached]) -> None:
        """Record edges. A symbol that few files depend on says more about each of them."""
        of_source: dict[tuple[tuple[str, ...], Signal], set[str]] = {}
        for one in reached:
            signal = _OF_TYPES[one.edge_type]
            if one.confidence is Confidence.POSSIBLE:
                signal = Signal.POSSIBLE
            elif one.distance > 1:
                signal = Signal.FARTHER
            of_source.setdefault((one.via, signal), set()).add(one.node.path)
        for (_, signal), paths in sorted(of_source.items()):
            for path in sorted(paths):
                self._note(path, signal, 1 / math.sqrt(len(paths)))

    def note_names(self, graph: Graph, words: Sequence[str]) -> None:
        """Record files that have rare names among some words."""
        names = [word for word in dict.fromkeys(words) if word not in _NO_NAMES]
        for name in names[:MAX_NAMES]:
            for paths in graph.name_uses.list_rare(name, RARE):
                for path in paths:
                    self._note(path, Signal.SHARES, 1 / len(paths))
                    own = self._shared.setdefault(path, {})
                    own[name] = max(own.get(name, 0.0), 1 / len(paths))

    def note_neighbours(self, paths: Iterable[str], changed: Iterable[str]) -> None:
        """Record files with the same name as a changed one in any folder, and files in its folder."""
        of_stem: dict[str, list[str]] = {}
        of_folder: dict[str, list[str]] = {}
        for path in paths:
            of_stem.setdefault(find_stem(path), []).append(path)
            of_folder.setdefault(path.rpartition("/")[0], []).append(path)
        self._told = max(LEAST_TOLD, sum(map(len, of_folder.values())) // TOLD_SHARE)
        for path in changed:
            folder = of_folder.get(path.rpartition("/")[0], [])
            named = of_stem.get(find_stem(path), [])
            alike = [one for one in named if one in folder or _may_be_twins(one, path)]
            for signal, near in ((Signal.TWIN, alike), (Signal.FOLDER, folder)):
                others = [one for one in near if one != path]
                for one in others if signal is Signal.FOLDER or len(others) <= RARE else ():
                    self._note(one, signal, 1 / len(others))
                    if signal is Signal.TWIN:
                        self._twins.setdefault(one, path)

    def note_alike(self, scores: Mapping[str, float]) -> None:
        """Record files that share words with the touched lines, with scores from 0 to 1."""
        for path, score in scores.items():
            self._note(path, Signal.ALIKE, score)


def _may_be_twins(one: str, other: str) -> bool:
    """Return False for code in one folder and a document or a configuration in another."""
    return (find_role(one) in _BESIDE) == (find_role(other) in _BESIDE)


def find_stem(path: str) -> str:
    """Return a file's name without its extensions and the marks of a test, in lower case."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return _MARKS.sub("", stem).strip("-_").lower() or stem.lower()


def list_words(lines: Iterable[str]) -> list[str]:
    """Return the identifiers and words of some lines, in order and with repetitions."""
    return [word for line in lines for word in _NAME.findall(line)]


@dataclass(frozen=True, slots=True)
class ImpactSources:
    """All that an analysis reads."""

    graph: LiveGraph
    name_path: NamePath
    read: Read
    outline: MakeOutline
    rank: Callable[[Sequence[str]], Mapping[str, float]]  # words -> files, with scores from 0 to 1


class ImpactFinder:
    """Finds what diffs reach. Safe for use from several threads."""

    def __init__(self, sources: ImpactSources) -> None:
        """Read nothing yet."""
        self._sources = sources

    def find(self, diff: str, depth: int, cancelled: Callable[[], bool]) -> Impact:
        """Return what a unified diff changes, and what depends on that over at most `depth` edges.

        Raises RepoError with INVALID_ARGUMENT for a text that is not a diff, INDEX_UNAVAILABLE, CANCELLED.
        """
        parsed = parse_diff(diff)
        files, left_out = judge_files(parsed.files[:MAX_FILES], self._sources.name_path, self._sources.read)
        left_out += self._leave_out([one.path for one in parsed.files[MAX_FILES:]])
        words = list_words(line for file in files for line in list_touched_text(file))
        evidence = Evidence()
        with self._sources.graph.open(paths=[one.path for one in files]) as graph:
            finder = ChangedSymbols(graph, self._sources.outline)
            changed = [symbol for file in files for symbol in finder.list_of(file)]
            reach = Follower(graph, cancelled).follow(changed, depth)
            evidence.note_reached(reach.found)
            evidence.note_names(graph, words)
            evidence.note_neighbours(graph.name_uses.list_source_paths(), [one.path for one in files])
        evidence.note_alike(self._sources.rank(words))
        own = {path for file in files for path in (file.path, file.old_path) if path is not None}
        nodes = {one.node.declaration for one in changed if one.node is not None}
        reached = list_reached(evidence, reach, own, nodes)
        tests = [one for one in reached if _is_test(one.path) and one.path not in own]
        changed_tests = [
            ReachedFile(one.path, reasons=[CHANGED_ITSELF])
            for one in files
            if one.is_there and _is_test(one.path)
        ]
        notes = [*parsed.faults, *_note_files(files), *finder.list_notes(), *_note_reach(changed, reach)]
        if not parsed.files:
            notes.append("the diff is empty: nothing changes")
        return Impact(
            tuple(changed),
            tuple(_choose([one for one in reached if not is_test_path(one.path)])),
            (*changed_tests, *sorted(_choose(tests), key=_order_tests)),
            tuple(left_out),
            reach.unresolved,
            tuple(notes),
            _list_without_symbols(files, changed),
        )

    def _leave_out(self, paths: Sequence[str]) -> list[LeftOut]:
        return [LeftOut(path, f"beyond the first {MAX_FILES} files of the diff") for path in paths]


def _list_without_symbols(files: Sequence[ChangedFile], changed: Iterable[ChangedSymbol]) -> tuple[str, ...]:
    found = {one.path for one in changed}
    return tuple(one.path for one in files if one.path not in found)


def list_reached(
    evidence: Evidence, reach: Reach, own: set[str], changed: Set[Declaration]
) -> list[ReachedFile]:
    """Return the affected files, best first. Files of the diff come after all others.

    For each symbol and type of edge, one row has the nearest and surest edges.
    """
    of_path: dict[str, dict[tuple[object, object], Reached]] = {}
    for one in sorted(reach.found, key=_order_symbols):
        if one.node.declaration in changed or (one.node.path in own and one.edge_type is EdgeType.IMPORTS):
            continue  # it changes anyway, or lists what the module exports
        rows, key = of_path.setdefault(one.node.path, {}), (one.node.declaration, one.edge_type)
        first = rows.setdefault(key, one)
        if (first.distance, first.confidence) == (one.distance, one.confidence):
            via, lines = dict.fromkeys(first.via + one.via), {*first.lines, *one.lines}
            rows[key] = replace(first, via=tuple(via), lines=tuple(sorted(lines)))
    found = [
        ReachedFile(
            path,
            evidence.weigh(path),
            _drop_imports(list(of_path.get(path, {}).values())),
            [] if path in of_path else evidence.explain(path),
        )
        for path in evidence.list_paths()
        if path not in own or path in of_path
    ]
    found.sort(key=lambda one: (one.path in own, -one.worth, one.path))
    return found


def _drop_imports(symbols: list[Reached]) -> list[Reached]:
    """Return what is reached in one file, without imports of symbols that the file uses."""
    inside = [one for one in symbols if one.node.symbol.kind not in _AROUND]
    if not inside:
        return symbols
    return [one for one in symbols if one in inside or one.edge_type is not EdgeType.IMPORTS]


def _choose(files: Sequence[ReachedFile]) -> list[ReachedFile]:
    """Return the files in order, with no more than MAX_COMPANIONS to which no edge leads."""
    companions = [one for one in files if not one.symbols][:MAX_COMPANIONS]
    return [one for one in files if one.symbols or one in companions]


def _order_symbols(one: Reached) -> tuple[int, int, int]:
    return one.distance, ORDER[one.confidence], one.node.symbol.start_line


def _is_test(path: str) -> bool:
    """Return True for a test that can be run, by its name; not for a test's data."""
    return is_test_path(path) and find_language(path).kind == "code"


def _order_tests(one: ReachedFile) -> tuple[int, int]:
    """Return a sort key: tests that reach a change over the fewest and surest edges come first."""
    nearest = one.symbols[0] if one.symbols else None
    return (_FAR, 0) if nearest is None else (nearest.distance, ORDER[nearest.confidence])


def _note_files(files: Sequence[ChangedFile]) -> list[str]:
    """Return notes about what is not known of the files in the diff."""
    elsewhere = [one for one in files if one.applied.side is not Side.NEITHER and one.applied.misplaced]
    told = [
        (
            [one.path for one in files if one.applied.side is Side.NEITHER and one.applied.misplaced],
            "neither side of the diff matches these files as they are: changed lines are located by number",
        ),
        ([one.path for one in elsewhere], "hunks of these files match nowhere and are left out"),
    ]
    return [f"{what}: {_name_some(paths)}" for paths, what in told if paths]


def _note_reach(changed: Sequence[ChangedSymbol], reach: Reach) -> list[str]:
    kinds = list_untracked(changed)
    added = dict.fromkeys(one.path for one in changed if one.change is Change.ADDED and one.node is None)
    told = [f"uses of some kinds of symbols are not recorded: {', '.join(kinds)}"] * bool(kinds)
    if added:
        told.append(f"the diff is not applied: nothing uses yet what it adds to {_name_some(list(added))}")
    if reach.is_cut:
        told.append("a limit of the search was reached: more may depend on what changes")
    return told


def _name_some(paths: Sequence[str]) -> str:
    more = len(paths) - FEW
    return ", ".join(paths[:FEW]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Reach:
    """The symbols and files that depend on some symbols."""

    found: tuple[Reached, ...]  # by distance, then in the order of the changed symbols
    unresolved: int  # references by the names of the changed symbols that resolve to nothing
    is_cut: bool  # a limit was reached: there may be more


class Follower:
    """Follows edges upwards. Used by one call."""

    def __init__(self, graph: Graph, cancelled: Callable[[], bool]) -> None:
        self._graph = graph
        self._cancelled = cancelled
        self._unresolved = 0
        self._is_cut = False

    def _name(self, declaration: Declaration) -> str:
        record = self._graph.scan.find_record(declaration.path)
        assert record is not None
        return name_shortly(record, declaration.ordinal)

    def _name_apart(self, nodes: Iterable[Node]) -> dict[Declaration, str]:
        """Return short names, with the file's name before those that symbols of several files share."""
        nodes = list(nodes)
        names = {one.declaration: self._name(one.declaration) for one in nodes}
        files = Counter(name for name, _ in {(names[one.declaration], one.path) for one in nodes})
        return {
            one.declaration: name if files[name] == 1 else f"{one.path.rpartition('/')[2]}:{name}"
            for one in nodes
            for name in [names[one.declaration]]
        }

    def follow(self, changed: Sequence[ChangedSymbol], depth: int) -> Reach:
        """Return what depends on the changed symbols, over at most `depth` edges. Raises CANCELLED."""
        followed = [
            one
            for one in changed
            if one.change is Change.DELETED or (one.node is not None and one.change is not Change.IMPORTS)
        ]
        self._is_cut = len(followed) > MAX_SEEDS
        own = {one.node.declaration for one in changed if one.node is not None}
        found = list(self._iter_first(followed[:MAX_SEEDS]))
        met = {*own, *(one.node.declaration for one in found)}
        level = _choose_level(one for one in found if one.node.declaration not in own)
        for distance in range(2, depth + 1):
            self._is_cut = self._is_cut or len(level) > WIDTH
            reached = [
                one
                for one in self._iter_next(level[:WIDTH], distance)
                if one.node.declaration not in met  # nearer already
            ]
            found += reached
            met.update(one.node.declaration for one in reached)
            level = _choose_level(reached)
        return Reach(tuple(found), self._unresolved, self._is_cut)

    def _iter_first(self, changed: Sequence[ChangedSymbol]) -> Iterator[Reached]:
        bounds = _share(len(changed), FIRST_FILES, FIRST_REFERENCES)
        names = self._name_apart(one.node for one in changed if one.node is not None)
        for one in changed:
            self._check()
            if one.node is None:
                name = one.name.rpartition(".")[2]
                edges = self._graph.name_uses.find_dangling(name, one.path, bounds)
                self._is_cut = self._is_cut or edges.cut
                yield from self._iter_reached(edges, one.name, 1)
                continue
            edges = self._graph.find_incoming(one.node, _DEPENDENT, bounds, dispatches=True)
            self._is_cut = self._is_cut or edges.cut
            self._unresolved += sum(place.count for place in edges.unresolved)
            yield from self._iter_reached(edges, names[one.node.declaration], 1)

    def _iter_next(self, level: Sequence[tuple[Node, Confidence]], distance: int) -> Iterator[Reached]:
        bounds = _share(len(level), FILES, REFERENCES)
        names = self._name_apart(node for node, _ in level)
        for node, confidence in level:
            self._check()
            edges = self._graph.find_incoming(node, _FURTHER, bounds)
            self._is_cut = self._is_cut or edges.cut
            yield from self._iter_reached(edges, names[node.declaration], distance, confidence)

    def _iter_reached(
        self, edges: Edges, via: str, distance: int, most: Confidence = Confidence.EXACT
    ) -> Iterator[Reached]:
        """Yield the other ends of edges, none of them surer than `most`."""
        for edge in edges.edges:
            confidence = max(most, edge.confidence, key=ORDER.__getitem__)
            name = via if edge.via is None else self._name(edge.via)
            node, own = self._graph.get_node(edge.other), self._name(edge.other)
            yield Reached(node, edge.type, confidence, distance, (name,), edge.lines, own)

    def _check(self) -> None:
        if self._cancelled():
            raise RepoError(ErrorCode.CANCELLED, "The call was cancelled.")


def list_untracked(changed: Iterable[ChangedSymbol]) -> list[str]:
    """Return the kinds of changed symbols whose uses are not recorded, such as "module (go)", ascending.

    A file is none of them: what it declares changes on its own."""
    nodes = [one.node for one in changed if one.node is not None]
    return sorted(
        {
            f"{node.kind.replace('_', ' ')} ({node.language})"
            for node in nodes
            if node.symbol.kind is not SymbolKind.FILE and not is_tracked(node.language, node.symbol.kind)
        }
    )


def _share(symbols: int, files: int, references: int) -> Bounds:
    count = max(1, symbols)
    return Bounds(max(LEAST.files, files // count), max(LEAST.references, references // count))


def _choose_level(reached: Iterable[Reached]) -> list[tuple[Node, Confidence]]:
    """Return the symbols to follow further, each once: the surest first."""
    chosen: dict[Declaration, tuple[Node, Confidence]] = {}
    for one in sorted(reached, key=lambda each: ORDER[each.confidence]):
        if one.confidence is not Confidence.POSSIBLE and one.node.symbol.kind in CALLABLE_KINDS | TYPE_KINDS:
            chosen.setdefault(one.node.declaration, (one.node, one.confidence))
    return list(chosen.values())


def rank_files(index: LiveIndex, words: Sequence[str]) -> Mapping[str, float]:
    """Return the files that rank best for the commonest of some words, with scores from 0 to 1.

    Raises INDEX_UNAVAILABLE.
    """
    counts: Counter[str] = Counter()
    for word, times in Counter(words).most_common(RANKED_WORDS):
        counts.update(dict.fromkeys(analyse_text(word), times))
    query = Query(terms=[term for term, _ in counts.most_common(MAX_TERMS)])
    try:
        chunks = index.get_searcher(fresh=True, need=Need(" ".join(words))).rank(query, RANKED_CHUNKS).chunks
    except IndexFormatError as error:
        raise index.report_damage() from error
    best: dict[str, float] = {}
    for chunk in chunks:
        best.setdefault(chunk.path, chunk.score / chunks[0].score)
    return best
