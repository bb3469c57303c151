"""The map as Mermaid text: a strict reading of the part of its grammar that we write, for any labels."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.research.findings.records import MapEdge, MapNode
from repo_mcp.research.structure.mermaid import MAX_LABEL_CHARS, escape_label, render_mermaid
from tests.repo_mcp.research.asking import Asked
from tests.repo_mcp.research.test_research_answers import SERVICE

# Inside of the quotes: no quote, no angle, bracket, brace, bar, backtick, backslash, percent or semicolon but
# as the end of an entity code.
LABEL = r'"(?:[^"#;<>\[\]{}|`\\%&\n\r]|#\w+;)+"'
NODE = re.compile(rf"  (n\d+)(?:\[{LABEL}\]|\(\[{LABEL}\]\))")
EDGE = re.compile(rf"  (n\d+) (?:-->|-\.->)\|{LABEL}\| (n\d+)")


def check_mermaid(text: str) -> tuple[int, int]:
    """Count nodes and edges of a flowchart; fails for anything that is neither, and for edges of no node."""
    head, *lines = text.removesuffix("\n").split("\n")
    assert head == "flowchart LR"
    ids: list[str] = []
    edges = 0
    for line in lines:
        node, edge = NODE.fullmatch(line), EDGE.fullmatch(line)
        assert node or edge, line
        if node:
            assert not edges
            ids.append(node[1])
        elif edge:
            assert {edge[1], edge[2]} <= set(ids)
            edges += 1
    assert ids == [f"n{ordinal}" for ordinal in range(len(ids))]
    return len(ids), edges


@given(st.lists(st.tuples(st.text(min_size=1, max_size=90), st.booleans()), min_size=1, max_size=6))
def test_any_label_is_text(labels: list[tuple[str, bool]]) -> None:
    nodes = [
        MapNode(f"k{at}", label, "function", "a" if inside else "")
        for at, (label, inside) in enumerate(labels)
    ]
    edges = [
        MapEdge("k0", node.key, label, "possible") for node, (label, _) in zip(nodes, labels, strict=True)
    ]
    assert check_mermaid(render_mermaid(nodes, [*edges, MapEdge("k0", "not there", "calls", "exact")])) == (
        len(nodes),
        len(edges),
    )


@given(st.text(max_size=300))
def test_a_label_is_one_line_of_bounded_length(text: str) -> None:
    label = escape_label(text)
    assert label
    assert "\n" not in label
    assert len(re.sub(r"#\w+;", "x", label)) <= MAX_LABEL_CHARS


def test_a_map_of_nothing_is_no_text() -> None:
    assert render_mermaid((), ()) == ""


def test_words_of_the_language_are_no_trouble_in_labels() -> None:
    nodes = [
        MapNode(name, name, "class", "a") for name in ("end", "graph", "subgraph", "click", "%%{init}%%")
    ]
    assert check_mermaid(render_mermaid(nodes, ())) == (5, 0)
    assert "%%" not in render_mermaid(nodes, ())


def test_the_maps_of_reports_can_be_read() -> None:
    asked = Asked(SERVICE)
    for question in (
        "what calls make_token",
        "architecture",
        "what does service/web.py import",
        "SessionStore",
    ):
        report = asked.ask(question)
        nodes, edges = check_mermaid(render_mermaid(report.map_nodes, report.map_edges))
        assert nodes == len(report.map_nodes) > 0
        assert edges == len(report.map_edges)


def test_labels_that_are_equal_are_distinguished_by_their_paths() -> None:
    nodes = [MapNode(path, "handle", "function", path) for path in ("src/a.ts", "src/b.ts")]
    text = render_mermaid([*nodes, MapNode("k", "other", "function", "src/c.ts")], ())
    assert [one[1] for one in re.findall(r"(n\d)\[\"(.*)\"\]", text)] == [
        "handle in src/a.ts",
        "handle in src/b.ts",
        "other",
    ]
