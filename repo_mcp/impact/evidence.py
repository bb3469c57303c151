"""The evidence that a change reaches a file: edges of the graph, and what else goes together.

Files that change together are not all bound by calls. A header goes with its source, a test with what it is
named after, and a file with others that have the rare names and words of the lines that change. Such evidence
is weaker than an edge, and is told in words. `bench/impact` measures what each is worth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.questions import EdgeType
from repo_mcp.impact.records import Reached
from repo_mcp.text.roles import FileRole, find_role

MAX_NAMES = 300  # of the touched lines, looked up
RARE = 30  # files that use a name, or declare it, for it to say something
SHOWN_NAMES = 3  # of those that a file shares
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
    POSSIBLE = "possible"  # an edge of any type that is no more
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
_DAMPED = frozenset({*Signal} - {Signal.TWIN, Signal.ALIKE, Signal.FOLDER})  # by the logarithm: sums of many
_OF_ROLES = {
    FileRole.CODE: 1.0,
    FileRole.TEST: 1.0,
    FileRole.STYLE: 1.0,  # changed with the page that it is for
    FileRole.CONFIG: 0.6,
    FileRole.DOCS: 0.3,
}
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

    def _note(self, path: str, signal: Signal, amount: float) -> None:
        own = self._amounts.setdefault(path, {})
        own[signal] = own.get(signal, 0.0) + amount

    def list_paths(self) -> list[str]:
        """Return the files that more than a folder speaks for, ascending."""
        return sorted(path for path, own in self._amounts.items() if own.keys() - {Signal.FOLDER})

    def weigh(self, path: str) -> float:
        """Return what the evidence for a file is worth."""
        total = sum(
            WEIGHTS[signal] * (math.log1p(amount) if signal in _DAMPED else amount)
            for signal, amount in sorted(self._amounts.get(path, {}).items())
        )
        return round(total * _OF_ROLES.get(find_role(path), _FOREIGN), 6)

    def explain(self, path: str) -> list[str]:
        """Return what speaks for a file beside edges, in words."""
        own = self._amounts.get(path, {})
        told = ["has the same name"] if Signal.TWIN in own else []
        shared = self._shared.get(path)
        if shared:
            best = sorted(shared, key=lambda name: (-shared[name], name))[:SHOWN_NAMES]
            told.append(f"shares the rare {'name' if len(best) == 1 else 'names'} {', '.join(best)}")
        elif Signal.ALIKE in own:
            told.append("has the words of the changed lines")
        return told

    def note_reached(self, reached: Iterable[Reached]) -> None:
        """Take in edges. A symbol that few files depend on says more of each of them."""
        of_source: dict[tuple[str, Signal], set[str]] = {}
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
        """Take in files with the rare names among some words."""
        for name in list(dict.fromkeys(words))[:MAX_NAMES]:
            for paths in graph.name_uses.list_rare(name, RARE):
                for path in paths:
                    self._note(path, Signal.SHARES, 1 / len(paths))
                    own = self._shared.setdefault(path, {})
                    own[name] = max(own.get(name, 0.0), 1 / len(paths))

    def note_neighbours(self, paths: Iterable[str], changed: Iterable[str]) -> None:
        """Take in files of the same name as a changed one, whatever their folder, or in its folder."""
        of_stem: dict[str, list[str]] = {}
        of_folder: dict[str, list[str]] = {}
        for path in paths:
            of_stem.setdefault(find_stem(path), []).append(path)
            of_folder.setdefault(path.rpartition("/")[0], []).append(path)
        for path in changed:
            for signal, near in (
                (Signal.TWIN, of_stem.get(find_stem(path), [])),
                (Signal.FOLDER, of_folder.get(path.rpartition("/")[0], [])),
            ):
                others = [one for one in near if one != path]
                for one in others if signal is Signal.FOLDER or len(others) <= RARE else ():
                    self._note(one, signal, 1 / len(others))

    def note_alike(self, scores: Mapping[str, float]) -> None:
        """Take in files by the words of the touched lines, with scores from 0 to 1."""
        for path, score in scores.items():
            self._note(path, Signal.ALIKE, score)


def find_stem(path: str) -> str:
    """Return a file's name without its extensions and the marks of a test, in lower case."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return _MARKS.sub("", stem).strip("-_").lower() or stem.lower()


def list_words(lines: Iterable[str]) -> list[str]:
    """Return the identifiers and words of some lines, in order and with repetitions."""
    return [word for line in lines for word in _NAME.findall(line)]
