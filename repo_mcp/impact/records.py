"""The records of an analysis of impact: the symbols that a diff changes, and the files that this reaches."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import dataclass

CHANGED_ITSELF = "changed by the diff"  # the reason to run a test


class Change(StrEnum):
    """The effect of a diff on a symbol."""

    CHANGED = "changed"
    ADDED = "added"
    DELETED = "deleted"
    IMPORTS = "imports"  # of a file: only its imports change, so nothing that uses it is reached


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One declaration that a diff touches."""

    path: str
    name: str  # qualified name inside its file; for a file, its own name
    kind: str  # as answers name it
    start_line: int  # in the text that has it
    change: Change
    has_new_signature: bool = False
    node: Node | None = None  # None: the index has no such symbol
    short_name: str = ""  # `name` without packages and namespaces; empty if it is the same


@dataclass(frozen=True, slots=True)
class Reached:
    """A symbol that a change may reach."""

    node: Node
    edge_type: EdgeType
    confidence: Confidence  # of the weakest edge on the way
    distance: int  # edges on the way
    # Short names of the other ends of its edges, with the file's where several files have one.
    via: tuple[str, ...]
    lines: tuple[int, ...]  # of that edge, in the file of `node`
    name: str  # short name of the symbol itself


@dataclass(slots=True)
class ReachedFile:
    """A file that a change may affect, with the edges that lead there."""

    path: str
    worth: float = 0.0
    symbols: list[Reached] = field(default_factory=list)  # nearest and surest first
    reasons: list[str] = field(default_factory=list)  # why it may change too, if no edge leads there

    @property
    def confidence(self) -> Confidence:
        """Return how sure the surest way to the file is; POSSIBLE if no edge leads there."""
        if CHANGED_ITSELF in self.reasons:
            return Confidence.EXACT
        found = {one.confidence for one in self.symbols}
        return next((one for one in Confidence if one in found), Confidence.POSSIBLE)


@dataclass(frozen=True, slots=True)
class LeftOutFile:
    """A file of the diff about which nothing is known, or nothing may be said."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Impact:
    """The impact of one diff."""

    changed: tuple[ChangedSymbol, ...]  # in the order of the diff
    files: tuple[ReachedFile, ...]  # the one that most likely has to change first
    tests: tuple[ReachedFile, ...]  # the nearest first
    left_out: tuple[LeftOutFile, ...]
    unresolved: int  # references by the names of changed symbols that resolve to nothing
    notes: tuple[str, ...]  # what is not known
    without_symbols: tuple[str, ...] = ()  # files of the diff that were looked at and change no symbol
