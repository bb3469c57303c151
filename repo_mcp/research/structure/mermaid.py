"""Render a dependency map as Mermaid text. Ids are n0, n1, ... in the order of the nodes; labels are quoted.

When several nodes have the same label, their paths are added to tell them apart.
Characters with a meaning in Mermaid are written as its entity codes: `#quot;`, `#lt;`, `#35;`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from repo_mcp.research.findings.records import MapEdge, MapNode
from repo_mcp.text.lines import escape_text

MAX_LABEL_CHARS = 60
_CODES = {
    "#": "#35;",
    '"': "#quot;",
    "<": "#lt;",
    ">": "#gt;",
    "&": "#amp;",
    "`": "#96;",
    "\\": "#92;",
    "{": "#123;",
    "}": "#125;",
    "[": "#91;",
    "]": "#93;",
    "|": "#124;",
    "%": "#37;",
    ";": "#59;",
    "*": "#42;",
}
_ESCAPES = {ord(char): code for char, code in _CODES.items()}
_ARROWS = {"exact": "-->", "probable": "-->", "possible": "-.->"}


def render_mermaid(nodes: Sequence[MapNode], edges: Sequence[MapEdge]) -> str:
    """Render the flowchart of a map; "" for a map without nodes."""
    if not nodes:
        return ""
    ids = {node.key: f"n{position}" for position, node in enumerate(nodes)}
    lines = ["flowchart LR"]
    counts = Counter(node.label for node in nodes)
    for node in nodes:
        left, right = ("([", "])") if not node.path else ("[", "]")
        label = f"{node.label} in {node.path}" if counts[node.label] > 1 and node.path else node.label
        lines.append(f'  {ids[node.key]}{left}"{escape_label(label)}"{right}')
    for edge in edges:
        if edge.source in ids and edge.target in ids:
            arrow = _ARROWS.get(edge.confidence, "-->")
            kind = escape_label(edge.kind.replace("_", " "))
            lines.append(f'  {ids[edge.source]} {arrow}|"{kind}"| {ids[edge.target]}')
    return "\n".join(lines) + "\n"


def escape_label(text: str) -> str:
    """Return a one-line label that Mermaid shows literally, with only its end when it is too long."""
    text = " ".join(escape_text(text).split())
    if len(text) > MAX_LABEL_CHARS:
        text = "…" + text[1 - MAX_LABEL_CHARS :]
    return text.translate(_ESCAPES) or " "
