"""The findings of one question so far: locations, the edges between them, and what was left out.

Each location is noted once, with the first reason for it. The report lists things in the order in which they
were noted. Functions that take a ResearchState may raise RepoError with CANCELLED.

Its `source` holds everything that an investigation may read: the graph, the searches, and live lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.graph.edges import Bounds, Edge, Edges
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.model import ExactMatch, Hit, SearchRequest
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.handed_on import Failures, KeyPlace, OpenType, Room, WordMatch
from repo_mcp.research.findings.locating import find_innermost, is_test_node, is_test_place, weaker
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import (
    DEFAULT_DEPTH,
    EntryPoint,
    Finding,
    Limit,
    Link,
    Outside,
    ResearchRequest,
    RunControl,
)
from repo_mcp.research.findings.source import Source
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.citations import write_citation

_WORD = re.compile(r"\w")
_PLAIN = re.compile(r"[\w./@+-]+")  # a path without characters that a glob interprets
MAX_FINDINGS = 200
MAX_NAMED = 3  # symbols named in one limit
NO_REASON = Reason("")
MAX_EVIDENCE = 5  # lines of use that one finding lists
EVERYWHERE = 100  # files that use a macro, which says nothing of a function
MAX_RATED = 60  # declarations that some words find
_OF_C = frozenset({"c", "cpp", "objective-c"})


class ResearchState:
    """The findings and progress of one question."""

    def __init__(
        self, source: Source, request: ResearchRequest, control: RunControl, *, wants_tests: bool
    ) -> None:
        self.source = source
        self.request = request
        self.depth = request.depth or DEFAULT_DEPTH
        self.findings: list[Finding] = []
        self.nodes: dict[Declaration, Node] = {}  # those noted, in order
        self.links: dict[tuple[Declaration, Declaration, str], Link] = {}  # by source, target and kind
        self.known_links: dict[Declaration, list[Link]] = {}  # all edges of each subject that were read
        self.entry_points: dict[Declaration, EntryPoint] = {}
        self.outside: list[Outside] = []  # uses of names that are declared outside
        self.warnings: list[str] = []
        self.is_unimplemented = False  # nothing implements a subject: the findings depend on it instead
        self.weights: Mapping[str, float] = {}  # of the terms of the question's words
        self.word_match = WordMatch()
        self.failures = Failures()
        self.unnoted: Counter[Role] = Counter()  # at least so many more places have a role than are noted
        self.raising_types: tuple[Node, ...] = ()  # those in which an error is asked for; none: all
        self.written: list[ExactMatch] = []  # lines with a text of the question
        self.keys: list[KeyPlace] = []  # lines with a text of the question that is a key
        self.room = Room()
        # By words, with or without tests: declarations, and the weights of terms.
        self.rated: dict[tuple[str, bool], tuple[list[RatedBlock], Mapping[str, float]]] = {}
        self.derived: dict[Node, list[Node]] = {}  # types that derive from one
        self.wants_tests = wants_tests  # so that the best declaration is a test
        self.alone: dict[Node, list[Node]] = {}  # of each type that is compared, what only it declares
        self.also_declaring: list[Node] = []  # other types that declare all names which are compared
        self.open_types: list[OpenType] = []  # subjects that others implement, with what calls their members
        self.confidences: dict[Declaration, Confidence] = {}  # how surely each noted symbol was reached
        self.limits: dict[tuple[str, str], list[str]] = {}  # what and why -> names of the symbols concerned
        self.control = control
        self._met: dict[Declaration, Node] = {}  # nodes looked up so far: making one again takes time
        self._done = 0.0
        self.folder = request.folder  # only what lies in it is noted; the subjects may lie elsewhere
        self.leaves_out_tests = False  # the question asks for what is in no test
        self.outside_folder: set[Declaration] = set()  # symbols reached outside the folder

    @property
    def graph(self) -> Graph:
        """Return the graph, which must exist."""
        return self.source.get_graph()

    @property
    def inside(self) -> str:
        """Return the words that say in which folder nothing was found: ` in depot`, or "" if in none."""
        return f" in {self.folder}" if self.folder else ""

    # Progress

    def check(self) -> None:
        """Raise RepoError with CANCELLED when the client asked to stop."""
        if self.control.cancelled():
            raise RepoError(ErrorCode.CANCELLED, "The research was cancelled.")

    def report_progress(self, done: float, message: str) -> None:
        """Report progress in hops; what is reported never decreases. Raises RepoError with CANCELLED."""
        self.check()
        self._done = max(self._done, done)
        if self.control.report is not None:
            total = self.depth + 1
            self.control.report(min(self._done, total), total, message)

    def report_hop(self, hop: int) -> None:
        """Report that a hop is done. Raises RepoError with CANCELLED."""
        depth = self.depth
        counts = f"{len(self.findings)} places and {len(self.links)} edges"
        self.report_progress(hop, f"hop {hop} of {depth}: {counts} so far")

    # Findings

    def admits(self, path: str) -> bool:
        """Return True for a path in the folder that was asked about, and in no test if these are left out."""
        if self.leaves_out_tests and is_test_place(path):
            return False
        return not self.folder or path.startswith(f"{self.folder}/")

    def add(
        self,
        node: Node,
        reason: Reason,
        hop: int,
        confidence: Confidence = Confidence.EXACT,
        lines: tuple[int, ...] = (),
        *,
        shown: tuple[int, ...] = (),
        ranked: tuple[int, ...] = (),
    ) -> bool:
        """Note a symbol. Return False when it is already noted or outside the folder, or at the limit."""
        if node.declaration in self.nodes or (self.leaves_out_tests and is_test_node(node)):
            return False
        if not self.admits(node.path):
            self.outside_folder.add(node.declaration)
            return False
        if not self._has_room():
            return False
        self.nodes[node.declaration] = node
        self.confidences[node.declaration] = confidence
        finding = build_finding(node, reason, hop, confidence, lines)
        self.findings.append(replace(finding, shown=shown, ranked=ranked))
        return True

    def add_place(self, finding: Finding) -> bool:
        """Note a location that is not a symbol. Return False in the cases in which `add` does."""
        place = (finding.path, finding.start_line)
        known = any((one.path, one.start_line) == place for one in self.findings)
        if known or not (self.admits(finding.path) and self._has_room()):
            return False
        self.findings.append(finding)
        return True

    def _has_room(self) -> bool:
        """Return True if one more place can be noted; else say that there was one."""
        if len(self.findings) < MAX_FINDINGS:
            return True
        self.limit(f"{MAX_FINDINGS} places", "a report has no room for more; ask a narrower question")
        return False

    def drop(self, node: Node) -> None:
        """Remove a noted symbol that turned out to have nothing to do with the answer."""
        if self.nodes.pop(node.declaration, None) is not None:
            self.findings = [one for one in self.findings if one.node != node]

    def link(self, link: Link) -> None:
        """Note an edge; when it is already known, keep the surer one."""
        key = (link.source, link.target, link.kind)
        known = self.links.get(key)
        if known is None or weaker(known.confidence, link.confidence) is not link.confidence:
            self.links[key] = link

    def limit(self, what: str, why: str, name: str = "") -> None:
        """Note that `what` was cut off, and `why`; `name` is the symbol concerned, and is added to `what`."""
        names = self.limits.setdefault((what, why), [])
        if name and name not in names:
            names.append(name)

    def enter(self, node: Node, why: str) -> None:
        """Note a symbol from which the findings are reached, unless it is known or outside the folder."""
        if node.declaration not in self.entry_points and self.admits(node.path):
            citation = write_citation(node.path, node.symbol.start_line, node.symbol.end_line)
            self.entry_points[node.declaration] = EntryPoint(node.qualified_name, citation, why)

    # Look-ups

    def get_node(self, declaration: Declaration) -> Node:
        """Return the node of a declaration."""
        node = self.nodes.get(declaration) or self._met.get(declaration)
        if node is None:
            node = self._met[declaration] = self.graph.get_node(declaration)
        return node

    def get_parent(self, node: Node) -> Node:
        """Return the type, function or file in which a symbol is declared."""
        return self.get_node(Declaration(node.path, node.symbol.parent))


def begin_again(state: ResearchState) -> ResearchState:
    """Return a state without findings for the same part of the same question."""
    other = ResearchState(state.source, state.request, state.control, wants_tests=state.wants_tests)
    other.room = state.room
    other.rated = state.rated  # rating takes half of the time of an answer
    other.derived = state.derived
    return other


def list_limits(state: ResearchState) -> tuple[Limit, ...]:
    """Return everything that was cut off."""
    return tuple(Limit(_name_all(what, names), why) for (what, why), names in state.limits.items())


def _name_all(what: str, names: list[str]) -> str:
    """Return what was cut off with the first names of the symbols concerned."""
    if not names:
        return what
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"{what} of {', '.join(names[:MAX_NAMED])}{more}"


_HOLDERS = frozenset({SymbolKind.FILE, SymbolKind.CLASS, SymbolKind.MODULE})


def build_finding(
    node: Node,
    reason: Reason = NO_REASON,
    hop: int = 0,
    confidence: Confidence = Confidence.EXACT,
    lines: tuple[int, ...] = (),
) -> Finding:
    """Build the finding of a symbol; a whole file is cited by the lines of use when there are any."""
    symbol = node.symbol
    start, end = symbol.start_line, symbol.end_line
    if symbol.kind is SymbolKind.FILE and lines:
        start, end = lines[0], lines[-1]
    name = "" if symbol.kind is SymbolKind.FILE else symbol.name
    return Finding(
        node.path, start, end, node.qualified_name, node.kind, node, reason, hop,
        confidence.value, lines[:MAX_EVIDENCE], name,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Lines that were found by their text, and what holds them; outside of all symbols that is the file."""

    path: str
    first: int
    last: int
    symbol: str = ""  # qualified name of what holds them; "" outside of all symbols
    name: str = ""  # its own name, which one of the lines must hold; "" if none need


def note_lines(
    state: ResearchState,
    place: TextPlace,
    reason: Reason,
    hop: int,
    lines: tuple[int, ...] = (),
    *,
    shown: tuple[int, ...] = (),
) -> None:
    """Note a place that was found by its text, unless it is noted already; `lines` are those of use in it."""
    path, span, symbol = place.path, (place.first, place.last), place.symbol or place.path
    finding = Finding(path, *span, symbol, "text", None, reason, hop, "text", lines, place.name, shown=shown)
    state.add_place(finding)


def relocate(
    state: ResearchState, holder: Declaration, lines: tuple[int, ...]
) -> list[tuple[Declaration, tuple[int, ...]]]:
    """Return the innermost symbols around lines of use, each with its lines.

    Only uses held by a file, a class or a module are relocated: their lines may belong to a decorator or to
    the value of a variable. Any other holder is returned as it is.
    """
    record = state.graph.scan.find_record(holder.path)
    if record is None or record.get_kind(holder.ordinal) not in _HOLDERS:
        return [(holder, lines)]
    found: dict[int, list[int]] = {}
    for line in lines:
        found.setdefault(find_innermost(record, line) or holder.ordinal, []).append(line)
    return [(Declaration(holder.path, ordinal), tuple(own)) for ordinal, own in found.items()]


def list_uses(
    state: ResearchState, node: Node, bounds: Bounds, types: Sequence[EdgeType] = CALLS
) -> list[Edge]:
    """Return the edges to what a symbol calls, or uses in other ways, without those only possible.

    What is used everywhere is left out, too.
    """
    state.check()
    found = _keep_sure(state.graph.find_outgoing(node, types, bounds))
    return [edge for edge in found if not is_used_everywhere(state, state.get_node(edge.other))]


def is_used_everywhere(state: ResearchState, node: Node) -> bool:
    """Return True for a macro of C such as `likely` or `IS_ERR`, or a function named like one."""
    name = node.symbol.name
    is_macro = node.symbol.kind is SymbolKind.MACRO or name.isupper()
    return is_macro and node.language in _OF_C and state.graph.name_uses.count_using(name) >= EVERYWHERE


def list_users(
    state: ResearchState, node: Node, bounds: Bounds, types: Sequence[EdgeType] = CALLS
) -> list[Edge]:
    """Return the edges to what calls a symbol, or uses it in other ways, without those only possible."""
    state.check()
    return _keep_sure(state.graph.find_incoming(node, types, bounds))


def _keep_sure(found: Edges) -> list[Edge]:
    return [edge for edge in found.edges if edge.confidence is not Confidence.POSSIBLE]


def rate_words(
    state: ResearchState, words: str, *, include_tests: bool
) -> tuple[list[RatedBlock], Mapping[str, float]]:
    """Return the declarations in the folder of the question rated by words, and the weights of all terms.

    What was rated is kept, for all readings of the question.
    """
    key = words, include_tests
    if key not in state.rated:
        folder = state.request.folder
        state.rated[key] = state.source.rate(words, folder, MAX_RATED, include_tests=include_tests)
        state.check()
    return state.rated[key]


def search_words(state: ResearchState, words: str, most: int) -> tuple[Hit, ...]:
    """Return the best hits for some words in the folder of the question; none for punctuation alone."""
    if _WORD.search(words) is None:
        return ()
    folder = state.request.folder
    glob = f"{folder}/**" if _PLAIN.fullmatch(folder) else None
    request = SearchRequest(words, most, file_glob=glob, include_tests=False)
    return tuple(hit for hit in state.source.search(request).hits if state.admits(hit.path))
