"""Follow what registers one of a kind to what keeps it, and to what looks it up there.

    def add(view):                    takes one, and hands it on
        registry.register(view)
    def register(self, view):         keeps it in `views`
        self.views[view.name] = view
    def find(self, name):             looks it up
        return self.views.get(name)

Only fields and variables of the file with the function that keeps it are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.named_symbols import DOING, VALUES, admits_node, count_lines, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.registering import REGISTERS

MOST_STEPS = 2  # from a function that only hands one on to the one that keeps it
MOST_LOOKING = 2  # functions that look one up
MOST_DECLARED = 40  # values of one name
LINE_CHARS = 300  # read of a line, so that none takes long
# Puts something into a collection: `views[name] =`, `self._views.append(`, `converters.Add(`.
_PUTS = re.compile(
    r"([A-Za-z_$][\w$]*)\s*(?:\[[^\[\]=]{1,100}\]\s*=(?!=)"
    r"|\??\.(?i:add|try_?add|set|put|push|append|insert|store|setdefault|put_?if_?absent|add_?or_?update)"
    r"\w{0,12}\()"
)
# Begins the name of what looks none up: it only asks whether there is one, or takes it out.
_NO_LOOKING = re.compile(
    r"_*(?i:remove|delete|clear|unregister|reset|dispose|close|contains|has|is|exists|count|list)(?![a-z])"
)
_LOOKS = re.compile(r"_*(?i:try_?)?(?i:get|find|look|resolve|select|match|create|make|load|fetch)(?![a-z])")
_GIVES = re.compile(r"\breturn\b|=>|\byield\b")


@dataclass(frozen=True, slots=True)
class Registry:
    """The function that keeps one of a kind, and those that look it up."""

    keeping: Node
    field: str
    looking: tuple[Node, ...]


def find_registry(state: ResearchState, taker: Node) -> Registry | None:
    """Return the registry to which a function gives one of a kind; None if nothing is known to keep it."""
    met = {taker}
    level = [taker]
    for _ in range(MOST_STEPS + 1):
        for node in level:
            field = _find_field(state, node)
            if field:
                return Registry(node, field, tuple(_find_looking(state, node, field)))
        level = [one for node in level for one in _iter_handed(state, node) if one not in met]
        met.update(level)
    return None


def _iter_handed(state: ResearchState, node: Node) -> Iterator[Node]:
    """Yield the functions of the program with a name like `register` that a function calls."""
    for edge in state.graph.find_outgoing(node, CALLS, NARROW).edges:
        other = state.get_node(edge.other)
        if other.symbol.kind in DOING and REGISTERS.match(other.symbol.name) and admits_node(state, other):
            yield other


def _find_field(state: ResearchState, node: Node) -> str:
    """Return the field or variable of its file into which a function puts something; "" for none."""
    for line in read_body(state, node)[1:]:
        for name in _PUTS.findall(line[:LINE_CHARS]):
            declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARED))
            if any(
                one.path == node.path and one.symbol.kind in VALUES and _is_outside(one, node)
                for one in declared
            ):
                return str(name)
    return ""


def _is_outside(value: Node, function: Node) -> bool:
    return not value.qualified_name.startswith(f"{function.qualified_name}.")


def _find_looking(state: ResearchState, keeping: Node, field: str) -> list[Node]:
    """Return the shortest functions beside what keeps one of a kind that give something from the field."""
    name = rf"(?<![\w$]){re.escape(field)}"
    reads = re.compile(rf"{name}\s*(?:\[|\??\.)|\b(?:in|of)\s+(?:\w+\.)?{name}\b|:\s*{name}\s*\)")
    found = []
    for one in state.graph.outline(keeping.path):
        is_other = one.symbol.kind in DOING and one.qualified_name != keeping.qualified_name
        if not is_other or REGISTERS.match(one.symbol.name) or _NO_LOOKING.match(one.symbol.name):
            continue
        body = [line[:LINE_CHARS] for line in read_body(state, one)]
        if any(map(reads.search, body)) and any(map(_GIVES.search, body)):
            found.append(one)
    named = [one for one in found if _LOOKS.match(one.symbol.name)] or found
    return sorted(named, key=lambda one: (count_lines(one), one.symbol.start_line))[:MOST_LOOKING]
