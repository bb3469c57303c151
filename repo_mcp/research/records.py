"""What is asked of research, what is found on the way, and the report of it. No behaviour.

A citation is `path:start-end`; its lines are those of the symbol that a finding names, and hold its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program.program import Confidence, Declaration

MIN_DEPTH, DEFAULT_DEPTH, MAX_DEPTH = 1, 2, 5


class Focus(StrEnum):
    """What a report dwells on."""

    ARCHITECTURE = "architecture"
    DEPENDENCIES = "dependencies"
    PATTERNS = "patterns"
    FLOW = "flow"


class Form(StrEnum):
    """What kind of question it is."""

    IMPLEMENTATIONS = "implementations"
    CALLERS = "callers"
    CALLEES = "callees"
    DEPENDENCIES = "dependencies"
    DEPENDENTS = "dependents"
    CONFIGURED = "configured"
    FLOW = "flow"
    DEFINED = "defined"
    OPEN = "open"  # words, no form
    OVERVIEW = "overview"  # of the repository, or of a folder


@dataclass(frozen=True, slots=True)
class ResearchRequest:
    """One question."""

    query: str
    depth: int | None = None  # hops; None: as many as are usual for the form of the question
    focus: Focus | None = None
    folder: str = ""  # only what lies in it; "" for the root
    findings: int = 0  # that are wanted; 0: as many as are usual


@dataclass(frozen=True, slots=True)
class Steps:
    """How a running question is watched and stopped."""

    cancelled: Callable[[], bool]
    report: Callable[[float, float, str], None] | None = None  # done, total, message


@dataclass(frozen=True, slots=True)
class Link:
    """An edge: `source` depends on `target`."""

    source: Declaration
    target: Declaration
    kind: str  # a type of edge, or "decorated_by", "extension_of", "may_be_called_as"
    confidence: Confidence
    lines: tuple[int, ...] = ()  # in the file of `source`
    count: int = 0  # of such lines, where more of them are known than are named

    @property
    def line_count(self) -> int:
        """How many lines it stands in."""
        return max(self.count, len(self.lines))


@dataclass(frozen=True, slots=True)
class Finding:
    """One place, and why it is in the report."""

    path: str
    start_line: int
    end_line: int
    symbol: str  # qualified name; of a place outside of all symbols the path
    kind: str
    node_id: str | None
    why: str
    hop: int
    confidence: str  # exact | probable | possible; of a place found by its words: text
    lines: tuple[int, ...] = ()  # of the uses that are meant, in the same file
    name: str = ""  # what its lines hold: the symbol's own name
    excerpt: str = ""  # numbered lines of the live text

    @property
    def citation(self) -> str:
        """Where it stands."""
        return f"{self.path}:{self.start_line}-{self.end_line}"


@dataclass(frozen=True, slots=True)
class MapNode:
    """One node of the dependency map."""

    key: str  # of the edges: a node_id, or the name of a module or of something outside
    label: str
    kind: str
    path: str  # "" for what is outside


@dataclass(frozen=True, slots=True)
class MapEdge:
    """One edge of the dependency map."""

    source: str  # keys
    target: str
    kind: str
    confidence: str
    citation: str = ""  # of a line where it stands
    count: int = 1  # of references, where it stands for several


@dataclass(frozen=True, slots=True)
class Chain:
    """Symbols each of which calls the next one."""

    symbols: tuple[str, ...]
    citations: tuple[str, ...]
    confidence: str  # of its weakest edge
    ends: str  # why it begins or ends where it does


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Where what was found is reached from."""

    symbol: str
    citation: str
    why: str


@dataclass(frozen=True, slots=True)
class Module:
    """One module of an architecture: a file or a folder."""

    name: str
    files: int
    strength: float  # share of the walks along imports that end there, in percent
    imported_by: int  # modules
    imports: int
    layer: int  # 0: imports none of the others
    citation: str = ""  # of an import of it


@dataclass(frozen=True, slots=True)
class Layer:
    """Modules that import only what lies in layers below; those of a cycle are in one."""

    level: int
    modules: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """Something that is repeated."""

    shape: str  # family, decorator, registration, members, name, likeness
    name: str
    count: int
    citations: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outside:
    """A package or name outside of what was asked about, and what uses it."""

    name: str
    count: int
    citation: str


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that was cut off, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a question names, and what was taken for it."""

    asked: str
    how: str  # declared | declared_otherwise | file | folder | outside | words
    nodes: tuple[Node, ...] = ()
    name: str = ""  # of a folder, or of what is outside
    left_out: int = 0  # declarations of the same name that were not looked at

    @property
    def is_found(self) -> bool:
        """True when it stands for something."""
        return bool(self.nodes or self.name)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a question was understood."""

    form: Form
    text: str  # in words
    subjects: tuple[Subject, ...] = ()


@dataclass(slots=True)
class Report:
    """The answer to one question."""

    request: ResearchRequest
    reading: Reading
    depth: int  # hops that were followed
    findings: tuple[Finding, ...] = ()
    map_nodes: tuple[MapNode, ...] = ()
    map_edges: tuple[MapEdge, ...] = ()
    chains: tuple[Chain, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    modules: tuple[Module, ...] | None = None  # None: not asked for
    layers: tuple[Layer, ...] | None = None
    shapes: tuple[Shape, ...] | None = None
    outside: tuple[Outside, ...] | None = None
    limits: tuple[Limit, ...] = ()
    warnings: tuple[str, ...] = field(default=())
