"""Build the fields of the sections of a report, with escapes in their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Result

if TYPE_CHECKING:
    from repo_mcp.research.findings.records import Chain, MapEdge, MapNode, Module, Report, Shape

MAX_TOLD_CHARS = 600  # of a text that says how the question was understood; the client knows the question


def build_reading(report: Report) -> Result:
    """Build the field that says how a question was understood."""
    subjects: list[Result] = []
    for row in (row for one in report.parts or (report,) for row in _list_subjects(one)):
        subjects += [row] if row not in subjects else []  # parts may have one subject
    return {
        "form": report.reading.form.value,
        "text": _cut(escape_text(report.reading.text)),
        "subjects": subjects,
        "parts": [_cut(escape_text(one.asked)) for one in report.parts],
    }


def _list_subjects(report: Report) -> list[Result]:
    return [
        {
            "asked": _cut(escape_text(one.asked)),
            "taken_as": one.taken_as.value,
            "symbols": escape_all(
                [node.qualified_name for node in one.nodes] or ([one.name] if one.name else [])
            ),
        }
        for one in report.reading.subjects
        if one.nodes or one.name or one.asked != report.request.query  # else the question is its own subject
    ]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TOLD_CHARS else text[:MAX_TOLD_CHARS] + "…"


def build_chain(chain: Chain) -> Result:
    """Build the fields of a chain of calls."""
    return {
        "symbols": escape_all(chain.symbols),
        "citations": escape_all(chain.citations),
        "confidence": chain.confidence,
        "ends": escape_text(chain.ends),
    }


def build_module(module: Module) -> Result:
    """Build the fields of a module."""
    return {
        "name": escape_text(module.name),
        "files": module.files,
        "strength": module.strength,
        "imported_by": module.imported_by,
        "imports": module.imports,
        "layer": module.layer,
        "citation": escape_text(module.citation),
    }


def build_shape(shape: Shape) -> Result:
    """Build the fields of a shape that is repeated."""
    return {
        "shape": shape.shape,
        "name": escape_text(shape.name),
        "count": shape.count,
        "citations": escape_all(shape.citations),
        "note": shape.note,
    }


def build_map(nodes: Sequence[MapNode], edges: Sequence[MapEdge]) -> Result:
    """Return the map with short ids for its nodes, to which its edges refer.

    Without edges it is empty: its nodes are findings, and shown as such.
    """
    ids = {node.key: f"n{place}" for place, node in enumerate(nodes)}
    shown = [edge for edge in edges if edge.source in ids and edge.target in ids]
    return {
        "nodes": [
            {
                "id": ids[node.key],
                "label": escape_text(node.label),
                "kind": node.kind,
                "path": escape_text(node.path),
            }
            for node in (nodes if shown else ())
        ],
        "edges": [
            {
                "from": ids[edge.source],
                "to": ids[edge.target],
                "kind": edge.kind,
                "confidence": edge.confidence,
                "citation": escape_text(edge.citation),
                "count": edge.count,
            }
            for edge in shown
        ],
    }


def escape_all(texts: Sequence[str]) -> list[str]:
    """Return the texts with escapes in place of characters that may hide text."""
    return [escape_text(text) for text in texts]
