"""The records of research: the question, what is found on the way, and the report. No behaviour.

A citation is `path:start-end`. The lines of a finding's citation are those of the symbol that it names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from enum import StrEnum

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.model import Hit
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.text.citations import write_citation

MIN_DEPTH, DEFAULT_DEPTH, MAX_DEPTH = 1, 2, 5  # hops
IMPLEMENTERS = "implementers"  # the name of a group


class Focus(StrEnum):
    """The aspect that a report concentrates on."""

    ARCHITECTURE = "architecture"
    DEPENDENCIES = "dependencies"
    PATTERNS = "patterns"
    FLOW = "flow"


class Form(StrEnum):
    """The kind of a question."""

    IMPLEMENTATIONS = "implementations"
    CALLERS = "callers"
    CALLEES = "callees"
    TESTS = "tests"
    DEPENDENCIES = "dependencies"
    DEPENDENTS = "dependents"
    CONFIGURED = "configured"
    FLOW = "flow"
    DEFINED = "defined"
    EXTENSION = "extension"  # where something new would be added
    ERRORS = "errors"
    RAISED = "raised"  # where errors of a type are raised
    WRITTEN = "written"  # where a text of the question stands
    DIFFERENCE = "difference"
    OPEN = "open"  # words that fit no form
    OVERVIEW = "overview"  # of the repository, or of a folder


@dataclass(frozen=True, slots=True)
class ResearchRequest:
    """One research question."""

    query: str
    depth: int | None = None  # hops; None: the usual number for the form of the question
    focus: Focus | None = None
    folder: str = ""  # only what lies in it counts; "" for the root
    findings: int = 0  # number asked for; 0: the usual number
    guesses: tuple[str, ...] = ()  # names that the code may use for what the question describes

    @property
    def full_text(self) -> str:
        """Return the question with the guessed names."""
        return " ".join((self.query, *self.guesses))


@dataclass(frozen=True, slots=True)
class RunControl:
    """Lets a caller watch and cancel a running question."""

    cancelled: Callable[[], bool]
    report: Callable[[float, float, str], None] | None = None  # done, total, message


@dataclass(frozen=True, slots=True)
class Link:
    """An edge: `source` depends on `target`."""

    source: Declaration
    target: Declaration
    kind: str  # an edge type, or "decorated_by", "extension_of", "overridden_by" and the like
    confidence: Confidence
    lines: tuple[int, ...] = ()  # in the file of `source`
    count: int = 0  # of such lines, if more are known than are in `lines`

    @property
    def line_count(self) -> int:
        """Return the number of lines in which the edge appears."""
        return max(self.count, len(self.lines))


@dataclass(frozen=True, slots=True)
class Finding:
    """One location in the report, and why it is there."""

    path: str
    start_line: int
    end_line: int
    symbol: str  # qualified name; the path for a location outside of all symbols
    kind: str
    node: Node | None  # None for a location that is not a symbol
    reason: Reason
    hop: int  # 0: the question names it or its words match
    confidence: str  # exact | probable | possible; text for a location found by its words
    lines: tuple[int, ...] = ()  # lines of the uses that it is evidence for, in the same file
    name: str = ""  # the symbol's own name, which one of its lines must hold; "" for a file
    excerpt: str = ""  # numbered lines of the live text
    shown: tuple[int, ...] = ()  # lines chosen for the excerpt; empty: the head and the lines of use
    ranked: tuple[int, ...] = ()  # of `shown`, the best first; the last are left out first
    values: tuple[str, ...] = ()  # of names in the excerpt: each a path and the numbered lines that give one

    @property
    def citation(self) -> str:
        """Return the location as `path:start-end`."""
        return write_citation(self.path, self.start_line, self.end_line)

    @property
    def role(self) -> Role:
        """Return the role of the location in the answer."""
        return self.reason.role

    @property
    def why(self) -> str:
        """Return the reason as the report words it."""
        return self.reason.text


@dataclass(frozen=True, slots=True)
class MapNode:
    """One node of the dependency map."""

    key: str  # edges refer to it: the id of a symbol, or the name of a module or of something outside
    label: str
    kind: str
    path: str  # "" for something outside


@dataclass(frozen=True, slots=True)
class MapEdge:
    """One edge of the dependency map."""

    source: str  # key of a MapNode, like `target`
    target: str
    kind: str
    confidence: str
    citation: str = ""  # of a line where the edge appears
    count: int = 1  # of references, when the edge stands for several


@dataclass(frozen=True, slots=True)
class Chain:
    """A call chain: each symbol calls the next one."""

    symbols: tuple[str, ...]  # qualified names, outermost caller first
    citations: tuple[str, ...]  # of each call: one less than symbols
    confidence: str  # of its weakest edge
    ends: str  # why the chain begins or ends where it does


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A symbol from which the findings are reached."""

    symbol: str
    citation: str
    why: str


@dataclass(frozen=True, slots=True)
class Module:
    """One module of an architecture: a file or a folder."""

    name: str
    files: int
    strength: float  # share of the random walks along imports that end there, in percent
    imported_by: int  # modules that import it
    imports: int  # modules that it imports
    layer: int  # 0: imports none of the others
    citation: str = ""  # of an import of the module


@dataclass(frozen=True, slots=True)
class Layer:
    """Modules that import only modules of lower layers; those of one cycle share a layer."""

    level: int
    modules: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...] = ()  # the modules of each; two are a pair that imports each other


@dataclass(frozen=True, slots=True)
class Shape:
    """A repeated form of code."""

    shape: str  # family, decorator, registration, members, name, likeness
    name: str
    count: int
    citations: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outside:
    """A package or name declared outside, and a line that uses it."""

    name: str
    count: int  # of its uses
    citation: str  # of the first one


@dataclass(frozen=True, slots=True)
class Group:
    """Locations of one kind around the findings."""

    what: str  # implementers, callers of a symbol, tests, examples, documentation
    places: tuple[str, ...]  # each as a name with a citation in brackets


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that was cut off, and why."""

    what: str
    why: str


class TakenAs(StrEnum):
    """The meaning that was found for a phrase of a question."""

    DECLARED = "declared"
    DECLARED_OTHERWISE = "declared_otherwise"  # a member whose owner is not declared as the phrase has it
    FILE = "file"
    FOLDER = "folder"
    OUTSIDE = "outside"  # of the repository
    WORDS = "words"
    UNDECLARED = "undeclared"  # neither in the graph nor in a text that is not parsed
    UNPARSED = "unparsed"  # declared in a language without a symbol parser
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OptionCall:
    """A call, or an entry of a list, that declares an option of the command line."""

    name: str  # of the option, as it is written, without dashes before it
    path: str
    line: int  # with the name
    first: int  # of the statement
    last: int
    default: str = ""  # as it is written; "" if the call gives none
    bound: str = ""  # what it sets; "" if the text does not say


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a question names, and the symbols taken for it."""

    asked: str
    taken_as: TakenAs
    nodes: tuple[Node, ...] = ()
    name: str = ""  # of the declarations, a folder, or something outside
    left_out: int = 0  # declarations of the same name that were left out
    near: tuple[Node, ...] = ()  # symbols with similar names, if this one is not declared
    places: tuple[Hit, ...] = ()  # its declarations, if it is unparsed
    declaring: tuple[OptionCall, ...] = ()  # what declares it, if it is an option of the command line
    owner: Node | None = None  # the type that has no member so named, but those in `near`
    left_out_is_least: bool = False  # more may have been left out

    @property
    def is_found(self) -> bool:
        """Return True when the phrase names something known."""
        return bool(self.nodes or self.name)

    @property
    def is_declared(self) -> bool:
        """Return True when declarations are meant, however they were found."""
        found = (TakenAs.DECLARED, TakenAs.DECLARED_OTHERWISE)
        return self.taken_as in found

    @property
    def is_unparsed(self) -> bool:
        """Return True for a name that a text declares which no parser reads."""
        return self.taken_as is TakenAs.UNPARSED


@dataclass(frozen=True, slots=True)
class Reading:
    """The way a question was understood."""

    form: Form
    text: str  # described in words
    subjects: tuple[Subject, ...] = ()

    @property
    def nodes(self) -> list[Node]:
        """Return the declared subjects."""
        return [node for subject in self.subjects for node in subject.nodes]

    @property
    def described(self) -> Subject | None:
        """Return the half of a comparison for which no name stands; None if each has one, or it is none."""
        halves = self.subjects if self.form is Form.DIFFERENCE else ()
        return next((one for one in halves if one.taken_as is TakenAs.WORDS and not one.is_found), None)


@dataclass(slots=True)
class Report:
    """The answer to one question."""

    request: ResearchRequest
    reading: Reading
    depth: int  # hops that were followed
    claim: str = ""  # the answer in a few sentences, each with its citation
    groups: tuple[Group, ...] = ()
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
    # Nothing fits: what was found shares so little with the question that it may be noise.
    is_thin: bool = False
    asked: str = ""  # the part of a question that it answers, as written; "" for a whole question
    parts: tuple[Report, ...] = ()  # the reports on the parts, if there are several
