"""Tell the keys of objects from uses of the functions that they are named after.

ValidateBy({ validate: value => isEmpty(value) })    a function for an interface, which calls nothing
"""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.model import CALLABLE_KINDS

_KEYED = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")


def only_keys(state: ResearchState, link: Link, node: Node) -> bool:
    """Return True if all lines that mention a function have its name as the key of an object."""
    is_mention = link.kind == "references" and node.symbol.kind in CALLABLE_KINDS
    if not is_mention or not link.source.path.endswith(_KEYED):
        return False
    lines = state.source.read_lines(link.source.path)
    key = re.compile(rf"(?:^|[{{,])\s*+['\"]?{re.escape(node.symbol.name)}['\"]?\s*+:")
    own = [lines[number - 1] for number in link.lines if number <= len(lines)]
    return bool(own) and all(map(key.search, own))
