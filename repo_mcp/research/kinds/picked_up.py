"""Find what picks up the types of a kind: their base itself, types beside them, or a table of their modules.

    class Mode: def __init_subclass__(cls)         each registers itself
    @register("socks") class Socks(Mode)           each is registered by its decorator
    class SocksServer(Server[SocksMode])           several have a counterpart, which a new one may need too
    @runs(SocksMode) def run_socks(mode)           so it has if a decorator names it
    MODES = {"socks": "modes.socks:Mode", ...}     names the modules of many

What is picked up by none of these may be named in code, which `find_listing` finds.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile

from repo_mcp.graph.edges import Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import NAMED
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.named_symbols import admits_node, count_lines, find_by_name, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import list_bases
from repo_mcp.research.kinds.derived_types import GLANCE
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS

LEAST_PAIRED = 3  # types of a kind that have a counterpart, or whose modules a table names
MOST_LEVELS = 4  # of bases that are looked at for one that registers its types
HEAD_LINES = 3  # of a type, in which the other that it belongs to is named
_PICKS_UP = frozenset({"__init_subclass__"})  # run for each type that derives from a base
_MAKES_TYPES = frozenset({"__init__", "__new__"})  # of a metaclass
_KINDS = ("constant", "variable")
MOST_DECLARED = 8  # declarations of one name
_DECORATOR = re.compile(r"\s*@(?:\w+\.)*(\w+)")
_KEEPS = re.compile(
    r"\]\s*=\s*\w+\s*(?:#.*)?$|\b(?:add|append|register\w*)\((?:[^()]*\b)?(?:cls|klass|\w*class)\b"
)
_METACLASS = re.compile(r"\bmetaclass\s*=\s*(?:\w+\.)*(\w+)")
_STEM = re.compile(r"(?:^|/)([^/]+?)(?:/(?:__init__|index|mod|lib))?\.\w+$")


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The base or the decorator of what belongs to several of a kind, and one of these."""

    base: Node
    example: Node


def find_decorator(state: ResearchState, kind: Sequence[Node]) -> Node | None:
    """Return the function of the program that decorates most of a kind, at least LEAST_PAIRED, or None."""
    written: Counter[str] = Counter()
    for node in kind:
        lines = state.source.read_lines(node.path)
        at = node.symbol.start_line
        while at > 1 and _DECORATOR.match(lines[at - 2]):
            at -= 1
        above = takewhile(_DECORATOR.match, lines[at - 1 : node.symbol.end_line])
        written.update({found[1] for line in above if (found := _DECORATOR.match(line)) is not None})
    name, count = next(iter(written.most_common(1)), ("", 0))
    if count < LEAST_PAIRED or 2 * count < len(kind):
        return None
    return _find_declared(state, name)


def _find_declared(state: ResearchState, name: str) -> Node | None:
    """Return the function of the program with a name, the longest of several, or None."""
    declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARED))
    own = [node for node in declared if node.symbol.kind in CALLABLE_KINDS and admits_node(state, node)]
    own.sort(key=lambda node: (node.path.endswith(".pyi"), -count_lines(node), node.path))
    return own[0] if own else None


def find_pick_up(state: ResearchState, base: Node) -> Node | None:
    """Return the function by which a type, one above it or its metaclass registers what derives from it."""
    level = [base]
    for _ in range(MOST_LEVELS):
        for node in level:
            for owner, names in (
                (node, _PICKS_UP),
                *((one, _MAKES_TYPES) for one in _list_makers(state, node)),
            ):
                own = (one for one in _list_members(state, owner) if one.symbol.name in names)
                found = next((one for one in own if _keeps_type(state, one)), None)
                if found is not None:
                    return found
        level = [*dict.fromkeys(above for node in level for above in list_bases(state, node))]
    return None


def find_counterpart(state: ResearchState, kind: Sequence[Node], model: Node | None) -> Counterpart | None:
    """Return the counterparts of a kind: types with one base, or functions with one decorator, that name it.

    Types name it in their heads. The example is that of the model, if it has one. Return None if fewer than
    LEAST_PAIRED have one.
    """
    paired: defaultdict[Node, dict[Node, Node]] = defaultdict(dict)  # by base or decorator: those of the kind
    for node in kind:
        state.check()
        for edge in state.graph.find_incoming(node, NAMED, GLANCE).edges:
            for above, other in _list_belonging(state, edge, kind):
                paired[above].setdefault(node, other)
    best = max(paired, key=lambda one: (len(paired[one]), one.path, one.symbol.start_line), default=None)
    if best is None or len(paired[best]) < LEAST_PAIRED:
        return None
    own = paired[best]
    return Counterpart(best, own[model] if model in own else next(iter(own.values())))


def _list_belonging(state: ResearchState, edge: Edge, kind: Sequence[Node]) -> Iterable[tuple[Node, Node]]:
    """Yield what names one of a kind in its head or decorator, each with its base or that decorator."""
    other = state.get_node(edge.other)
    if not admits_node(state, other):
        return
    head = range(other.symbol.start_line, other.symbol.start_line + HEAD_LINES)
    if other.symbol.kind in TYPE_KINDS and other not in kind and any(line in head for line in edge.lines):
        yield from ((above, other) for above in list_bases(state, other) if above not in kind)
    lines = state.source.read_lines(other.path)
    for line in edge.lines:
        named = _DECORATOR.match(lines[line - 1]) if line <= len(lines) else None
        decorator = None if named is None else _find_declared(state, named[1])
        below = (state.source.find_around(other.path, at) for at in range(line, line + HEAD_LINES))
        decorated = next((one for one in below if one and one.symbol.kind in CALLABLE_KINDS), None)
        if decorator is not None and decorated is not None:
            yield decorator, decorated


def find_written_table(state: ResearchState, kind: Sequence[Node], noun: str) -> tuple[Node, int] | None:
    """Return the constant named after a kind whose lines name most of its types or modules, and their number.

    A table of texts, such as `"socks": "modes.socks:Mode"`, refers to no type. Return None if it names fewer
    than LEAST_PAIRED.
    """
    stems = {found[1] for node in kind if (found := _STEM.search(node.path)) is not None}
    types = {node.symbol.name for node in kind}
    best: tuple[Node, int] | None = None
    kinds = _KINDS if max(len(stems), len(types)) >= LEAST_PAIRED else ()
    for node in (one for kind_name in kinds for one in find_by_name(state, noun, kind_name)):
        if node.symbol.end_line - node.symbol.start_line >= LEAST_PAIRED:
            words = set(re.findall(r"\w+", "\n".join(read_body(state, node))))
            count = max(len(stems & words), len(types & words))
            if count >= max(LEAST_PAIRED, best[1] + 1 if best else 0):
                best = (node, count)
    return best


def _keeps_type(state: ResearchState, node: Node) -> bool:
    """Return True for a function that puts a type somewhere: `TYPES[name] = cls`, `types.append(cls)`."""
    return any(map(_KEEPS.search, read_body(state, node)))


def _list_makers(state: ResearchState, node: Node) -> list[Node]:
    """Return the metaclass that the head of a type names, if it is declared here."""
    head = " ".join(read_body(state, node)[:HEAD_LINES]).partition(":")[0]
    named = _METACLASS.search(head)
    declared = [] if named is None else state.graph.scan.find_declared(named[1], MOST_DECLARED)
    return [one for one in map(state.get_node, declared) if one.symbol.kind in TYPE_KINDS]


def _list_members(state: ResearchState, owner: Node) -> Iterable[Node]:
    return (
        node
        for node in state.graph.outline(owner.path)
        if node.symbol.parent == owner.symbol.ordinal and node.symbol.kind in CALLABLE_KINDS
    )
