"""Say why a symbol was found by an edge, in the words of the report, and in which role."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.research.edges.structural import MATCHED
from repo_mcp.research.edges.traversals import CALLS_BY_LOCAL, NAMES_TYPE, Traversal
from repo_mcp.research.findings.citing import shorten_in
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import MAX_EVIDENCE
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

_WORDS = {
    "calls": ("calls {}", "called by {}"),
    "inherits": ("inherits from {}", "base of {}"),
    "implements": ("implements {}", "implemented by {}"),
    "extends": ("extends {}", "extended by {}"),
    "imports": ("imports {}", "imported by {}"),
    "overrides": ("overrides {}", "overridden by {}"),
    "references": ("mentions {} as a value or type", "mentioned by {}"),
    "accepts": ("takes {} as a parameter", "type of a parameter of {}"),
    CALLS_BY_LOCAL: ("calls {} by a local name", "called by {} by a local name"),
    NAMES_TYPE: ("mentions the type of {}, and may have it created", "its type is mentioned by {}"),
    "contains": ("declares {} inside itself", "declared inside {}"),
    "decorated_by": ("is decorated with {}", "decorates {}"),
    "overridden_by": ("is overridden by {}, which its callers may reach", "overrides {}"),
    MATCHED: ("has the name and parameters of {}, which its callers may reach in a module", "matches {}"),
    "conforms_by_extension": ("conforms to {} by an extension", "conformed to by {}"),
    "has_methods_of": ("has all the methods of {}", "{} has all its methods"),
    "extension_of": ("is an extension of {}", "extended by {}"),
}
_UPWARD_ROLES = {
    "references": Role.MENTIONS,
    NAMES_TYPE: Role.MENTIONS,
    "contains": Role.HOLDS,
    "overridden_by": Role.OVERRIDDEN,
    MATCHED: Role.OVERRIDDEN,
    "conforms_by_extension": Role.BY_EXTENSION,
}


def find_upward_role(link: Link) -> Role:
    """Return the role of what depends on a symbol by an edge."""
    return _UPWARD_ROLES.get(link.kind, Role.OTHER)


def explain(link: Link, node: Node, traversal: Traversal, lines: Sequence[str] = ()) -> Reason:
    """Return why the symbol at the other end of an edge was found from `node`.

    If the `lines` of a use of a value are given, they tell whether it is read or set.
    """
    upward, downward = _WORDS.get(link.kind, (f"{link.kind} {{}}", f"{link.kind} of {{}}"))
    if link.kind == "references" and node.symbol.kind in CALLABLE_KINDS:
        upward = "mentions {} as a value, and may cause it to be called"
    elif link.kind == "references" and node.symbol.kind in VALUE_KINDS and lines:
        upward = f"{_name_use(node.symbol.name, lines)} {{}}"
    text = (upward if traversal.upwards else downward).format(shorten_in(node.path, node.qualified_name))
    text += f", on {link.line_count} lines" if link.line_count > MAX_EVIDENCE else ""
    text += "" if link.confidence is Confidence.EXACT else f" ({link.confidence.value})"
    role = find_upward_role(link) if traversal.upwards else Role.DEPENDED_ON
    return Reason(text, role, node.qualified_name)


def _name_use(name: str, lines: Sequence[str]) -> str:
    """Return the verb for what lines do with a value: they give it another value, or read it."""
    sets = re.compile(
        rf"(?<![\w$]){re.escape(name)}(?:\[[^\]]{{0,80}}\])?\s*(?:[-+*/|&%]?=(?![=>])|:(?![:=])|:=|\+\+|--|\?\?=)"
    )
    setting = sum(sets.search(line) is not None for line in lines)
    if setting == len(lines):
        return "sets"
    return "reads and sets" if setting else "reads"
