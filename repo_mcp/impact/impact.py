"""The analysis of one diff, from its text to the files that it affects, the likeliest first.

The server runs no Git: a diff is given as text, applied or not yet applied to the tree. The answer says what
is not known: files that are missing, not parsed or not to be named, hunks that fit nowhere, kinds of symbols
whose uses are not recorded, limits that were reached.

A file is affected if edges lead to it from a changed symbol (`repo_mcp.impact.reach`), or if something else
says that it changes together with a changed file (`repo_mcp.impact.evidence`,
which weighs the edges as well).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from repo_mcp.graph.live_graph import LiveGraph
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import EdgeType, are_uses_recorded
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
from repo_mcp.impact.evidence import NAMED_LIKE, WORDS_ALONE, Evidence, list_words
from repo_mcp.impact.local_names import list_local_names
from repo_mcp.impact.reach import ORDER, Follower, Reach
from repo_mcp.impact.records import (
    CHANGED_ITSELF,
    Change,
    ChangedSymbol,
    Impact,
    LeftOutFile,
    Reached,
    ReachedFile,
)
from repo_mcp.impact.runnable_tests import has_tests, is_test_file
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.roles import is_test_path
from repo_mcp.text.unified_diff import parse_diff

MAX_FILES = 300  # of one diff that are looked at
MAX_COMPANIONS = 10  # files without an edge, of the program and of its tests
FEW = 5  # paths that a note names
_AROUND = (SymbolKind.FILE, SymbolKind.MODULE)  # the symbols that hold imports
NOT_ALL_FOLLOWED = (
    "Not every use was followed, as there are many: the dependents of one changed symbol, asked for alone,"
    " have them all."
)
_FAR = 1_000  # the distance of a file to which no edge leads


@dataclass(frozen=True, slots=True)
class ImpactSources:
    """All that an analysis reads."""

    graph: LiveGraph
    name_path: NamePath
    read: Read
    outline: MakeOutline
    rank: Callable[[Sequence[str]], Mapping[str, float]]  # words -> files, with scores from 0 to 1
    search: Callable[[ExactRequest], ExactAnswer]


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
        touched = [line for file in files for line in list_touched_text(file)]
        words = list_words(touched)
        evidence = Evidence()
        paths = [one.path for one in files]
        with self._sources.graph.open(paths=paths) as graph:
            finder = ChangedSymbols(graph, self._sources.outline)
            changed = [symbol for file in files for symbol in finder.list_of(file)]
            reach = Follower(graph, cancelled).follow(changed, depth)
            evidence.note_reached(reach.found)
            local = list_local_names(graph, changed, touched)
            evidence.note_names(graph, [word for word in words if word not in local], paths)
            beside = graph.name_uses.list_source_paths()
            evidence.note_neighbours(beside, paths, only_near=any(map(_is_sure, reach.found)))
        evidence.note_alike(self._sources.rank(words), paths)
        evidence.note_written(_list_written(changed, finder.unparsed), self._sources.search, paths)
        own = {path for file in files for path in (file.path, file.old_path) if path is not None}
        nodes = {one.node.declaration for one in changed if one.node is not None}
        reached = list_reached(evidence, reach, own, nodes)
        if {*paths} <= {one.path for one in changed} - {*finder.unparsed}:
            reached = _drop_alike(reached)  # edges were looked for
        tests, others = self._part_tests([one for one in reached if one.path not in own])
        if finder.unparsed and len(finder.unparsed) == len(files):  # words alone name any test
            tests = _drop_alike(tests)
        others += [one for one in reached if one.path in own and not is_test_path(one.path)]
        others.sort(key=_is_guess)  # stable
        notes = [*parsed.faults, *_note_files(files), *finder.list_notes(), *_note_reach(changed, reach)]
        notes += _note_tests(files, tests, beside) if changed else []
        if not parsed.files:
            notes.append("The diff is empty: nothing changes.")
        return Impact(
            tuple(changed),
            tuple(_choose(others)),
            (*_list_changed_tests(files), *sorted(_choose(tests), key=_order_tests)),
            tuple(left_out),
            reach.unresolved,
            tuple(notes),
            _list_without_symbols(files, changed),
        )

    def _part_tests(self, reached: Sequence[ReachedFile]) -> tuple[list[ReachedFile], list[ReachedFile]]:
        """Return the tests that can be run, and the files of the program, with what helps tests.

        What helps tests counts only if an edge leads there; the data of tests never does.
        """
        among = [one.path for one in reached if is_test_file(one.path)]
        with self._sources.graph.open(paths=among) as graph:
            run = {path for path in among if has_tests(graph, path)}
        others = [
            one for one in reached if not is_test_path(one.path) or (one.symbols and one.path not in run)
        ]
        return [one for one in reached if one.path in run], others

    def _leave_out(self, paths: Sequence[str]) -> list[LeftOutFile]:
        return [LeftOutFile(path, f"beyond the first {MAX_FILES} files of the diff") for path in paths]


def _list_changed_tests(files: Sequence[ChangedFile]) -> list[ReachedFile]:
    """Return the tests that a diff changes and leaves in place."""
    changed = [one.path for one in files if one.is_there and is_test_file(one.path)]
    return [ReachedFile(path, reasons=[CHANGED_ITSELF]) for path in changed]


def _list_written(changed: Iterable[ChangedSymbol], unparsed: Sequence[str]) -> list[str]:
    """Return the names of changed symbols that only the text knows."""
    return [one.name for one in changed if one.path in unparsed and one.change is not Change.ADDED]


def _list_without_symbols(files: Sequence[ChangedFile], changed: Iterable[ChangedSymbol]) -> tuple[str, ...]:
    found = {one.path for one in changed}
    return tuple(one.path for one in files if one.path not in found)


def list_reached(
    evidence: Evidence, reach: Reach, own: set[str], changed: Set[Declaration]
) -> list[ReachedFile]:
    """Return the affected files, best first. Files of the diff come after all others.

    Words in common, and edges that are only possible, never come before an edge that is surer.

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
    found.sort(key=lambda one: (one.path in own, _is_guess(one), -one.worth, one.path))
    return found


def _is_guess(file: ReachedFile) -> bool:
    """Return whether no sure edge leads to a file, and it is not named like a changed one."""
    return file.confidence is Confidence.POSSIBLE and not _is_twin(file)


def _is_sure(one: Reached) -> bool:
    return one.confidence is not Confidence.POSSIBLE


def _note_tests(
    files: Sequence[ChangedFile], tests: Sequence[ReachedFile], paths: Sequence[str]
) -> list[str]:
    """Return a note that no test was found, with those in the folders of the diff; none if some was."""
    if tests or _list_changed_tests(files):
        return []
    folders = {file.path.rpartition("/")[0] for file in files}
    near = [path for path in paths if path.rpartition("/")[0] in folders and is_test_file(path)]
    beside = f", though {_name_some(near)} {'is' if len(near) == 1 else 'are'} in its folder" if near else ""
    return [f"No test is known to reach what changes{beside}."]


def _is_twin(file: ReachedFile) -> bool:
    return any(one.startswith(NAMED_LIKE) for one in file.reasons)


def _drop_imports(symbols: list[Reached]) -> list[Reached]:
    """Return what is reached in one file, without imports of symbols that the file uses."""
    inside = [one for one in symbols if one.node.symbol.kind not in _AROUND]
    if not inside:
        return symbols
    return [one for one in symbols if one in inside or one.edge_type is not EdgeType.IMPORTS]


def _drop_alike(files: Sequence[ReachedFile]) -> list[ReachedFile]:
    """Return the files without those that only have words in common with the diff."""
    return [one for one in files if one.reasons != [WORDS_ALONE]]


def _choose(files: Sequence[ReachedFile]) -> list[ReachedFile]:
    """Return the files in order, with no more than MAX_COMPANIONS to which no edge leads.

    Files that only have words in common with the diff are left out unless there is nothing else.
    """
    companions = [one for one in _drop_alike(files) or files if not one.symbols][:MAX_COMPANIONS]
    return [one for one in files if one.symbols or one in companions]


def _order_symbols(one: Reached) -> tuple[int, int, int]:
    return one.distance, ORDER[one.confidence], one.node.symbol.start_line


def _order_tests(one: ReachedFile) -> tuple[int, int]:
    """Return a sort key: tests that reach a change over the fewest and surest edges come first.

    Then come those that are named like a changed file.
    """
    nearest = one.symbols[0] if one.symbols else None
    return (_FAR, not _is_twin(one)) if nearest is None else (nearest.distance, ORDER[nearest.confidence])


def _note_files(files: Sequence[ChangedFile]) -> list[str]:
    """Return notes about what is not known of the files in the diff."""
    elsewhere = [one for one in files if one.applied.side is not Side.NEITHER and one.applied.misplaced]
    unmatched = [one for one in files if one.applied.side is Side.NEITHER and one.applied.misplaced]
    located = [one for one in unmatched if one.applied.here.lines or one.applied.here.gaps]
    notes = [
        (
            [one.path for one in located],
            "Neither side of the diff matches these files as they are: changed lines are located by number",
        ),
        (
            [one.path for one in unmatched if one not in located],
            "Neither side of the diff matches these files, and its lines are beyond their end:"
            " what changes there is not known",
        ),
        ([one.path for one in elsewhere], "Hunks of these files match nowhere and are left out"),
    ]
    return [f"{what}: {_name_some(paths)}." for paths, what in notes if paths]


def _note_reach(changed: Sequence[ChangedSymbol], reach: Reach) -> list[str]:
    kinds = list_unrecorded_kinds(changed)
    added = dict.fromkeys(one.path for one in changed if one.change is Change.ADDED and one.node is None)
    notes = [f"Uses of some kinds of symbols are not recorded: {', '.join(kinds)}."] * bool(kinds)
    if added:
        notes.append(f"The diff is not applied: nothing uses yet what it adds to {_name_some(list(added))}.")
    if reach.is_cut:
        notes.append(NOT_ALL_FOLLOWED)
    return notes


def _name_some(paths: Sequence[str]) -> str:
    more = len(paths) - FEW
    return ", ".join(paths[:FEW]) + (f" and {more} more" if more > 0 else "")


def list_unrecorded_kinds(changed: Iterable[ChangedSymbol]) -> list[str]:
    """Return the kinds of changed symbols whose uses are not recorded, such as "module (go)", ascending.

    A file is none of them: what it declares changes on its own.
    """
    nodes = [one.node for one in changed if one.node is not None]
    return sorted(
        {
            f"{node.kind.replace('_', ' ')} ({node.language})"
            for node in nodes
            if node.symbol.kind is not SymbolKind.FILE
            and not are_uses_recorded(node.language, node.symbol.kind)
        }
    )
