"""Find the uses of a value among the arguments of a template in C++: `std::array<char, BLOCK_SIZE>`.

A parser cannot tell such an argument from a type, so no edge leads to the value. The text can, for a name
that is declared once, or has its type before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState

MAX_MATCHES = 60  # lines read
MAX_NOTED = 8  # of one name
MAX_NAMES = 6  # that users give a value and that are looked for
LINE_CHARS = 400  # read of a line, so that none takes long
_LANGUAGES = frozenset({"c", "cpp"})  # a header may be of either


def note_template_uses(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note what has a value, or another name that its users give it, among the arguments of a template."""
    own = {one.declaration for one in nodes}
    users = {link.source for link in state.links.values() if link.target in own}
    _note_all(state, nodes, 1)
    if state.depth > 1:
        _note_all(state, [state.nodes[one] for one in users if one in state.nodes], 2)


def _note_all(state: ResearchState, nodes: Sequence[Node], hop: int) -> None:
    values = [one for one in nodes if one.symbol.kind in VALUES and one.language in _LANGUAGES]
    for node in sorted(values, key=lambda one: (one.path, one.symbol.start_line))[:MAX_NAMES]:
        _note_uses(state, node, hop)


def _note_uses(state: ResearchState, node: Node, hop: int) -> None:
    """Note the declarations around the lines that have the name of a value in the brackets of a template."""
    name = node.symbol.name
    is_alone = len(state.graph.scan.find_declared(name, 2)) == 1
    written = re.escape(name if is_alone else "::".join(node.qualified_name.split(".")[-2:]))
    given = re.compile(rf"\w<[^;\"]*\b{written}\b[^;\"]*>")
    request = ExactRequest(name, whole_word=True, case_sensitive=True, include_tests=False, limit=MAX_MATCHES)
    reason = Reason(f"has {node.qualified_name} among the arguments of a template", Role.MENTIONS)
    noted = 0
    for one in state.source.search_exact(request).matches:
        known = any(
            finding.path == one.path and one.start_line in finding.lines for finding in state.findings
        )
        if known or noted == MAX_NOTED or not is_program(one.path):
            continue
        is_code = one.start_line not in state.source.read_comment_lines(one.path)
        around = state.source.find_around(one.path, one.start_line)
        if is_code and around is not None and given.search(one.line[:LINE_CHARS]):
            noted += state.add(around, reason, hop, Confidence.PROBABLE, (one.start_line,))
