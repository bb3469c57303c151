"""Symbols and edges as rows of answers, with the field names of specification 3."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.graph.vocabulary import IMPL, EdgeType, are_uses_recorded
from repo_mcp.symbols.model import CALLABLE_KINDS, Access, ParseStatus, SymbolFlag, SymbolKind
from repo_mcp.text.lines import escape_text

if TYPE_CHECKING:
    from repo_mcp.graph.edge_list import FolderUses
    from repo_mcp.graph.edges import Edge, External, Unresolved
    from repo_mcp.graph.nodes import Node
    from repo_mcp.text.roles import FileRole

Row = dict[str, object]

INCOMING, OUTGOING = "incoming", "outgoing"
MAX_LINE_CHARS = 60  # of one line of the code: enough to see a call
TOLD_UNRESOLVED = 5  # lines of one file whose text is shown
_CHARS_AROUND = 20  # shown before and behind a name that stands further back in a long line

_TYPED = frozenset({SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.EVENT})


def render_symbol(node: Node) -> Row:
    """Return a symbol as a search shows it."""
    return {**_render_place(node), **_render_shape(node)}


def render_outline(node: Node) -> Row:
    """Return a symbol as the outline of its file shows it, without the language and the path."""
    row = render_symbol(node)
    del row["language"], row["file_path"]
    return row


def render_details(node: Node, project_id: str) -> Row:
    """Return all that is known of one symbol, except who refers to it."""
    flags = node.symbol.flags
    return {
        **render_symbol(node),
        "project_id": escape_text(project_id),
        "is_public_api": bool(flags & SymbolFlag.PUBLIC_API),
        "is_static": bool(flags & SymbolFlag.STATIC),
        "is_abstract": bool(flags & SymbolFlag.ABSTRACT),
        "is_async": bool(flags & SymbolFlag.ASYNC),
        "is_override": bool(flags & SymbolFlag.OVERRIDE),
        "is_deprecated": bool(flags & SymbolFlag.DEPRECATED),
        "has_doc_comment": bool(flags & SymbolFlag.DOCUMENTED),
        "parse_status": ParseStatus(node.status).name.lower(),
        "parameter_count": node.symbol.parameter_count,
    }


def warn_untracked(node: Node) -> list[str]:
    """Return the warning that uses of such a symbol are not recorded; none if they are."""
    if are_uses_recorded(node.language, node.symbol.kind):
        return []
    kind = name_kind(node)
    return [f"Uses of {kind} are not recorded for {node.language}: there may be users that are not listed."]


def name_kind(node: Node) -> str:
    """Return a symbol's kind with its article: "an enum member"."""
    kind = node.kind.replace("_", " ")
    return f"{'an' if kind[0] in 'aei' else 'a'} {kind}"


def render_edge(
    edge: Edge, node: Node, direction: str, text: Sequence[str], via: Node | None, name: str
) -> Row:
    """Return the symbol `node` at the other end of an edge, with the lines of the edge, which call `via`.

    `text` has the lines of the file that the edge's lines are in, or nothing; `name` is what they name. A
    symbol that leads here is located by its lines. Of an override the line only repeats its name.
    """
    is_override = edge.type is EdgeType.OVERRIDES
    is_usual = node.symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    return {
        "node_id": node.node_id,
        "name": escape_text(node.name_in_package),
        "node_type": None if is_usual else node.kind,
        "file_path": escape_text(node.path),
        "line_start": node.symbol.start_line if direction == OUTGOING else None,
        "edge_type": edge.type.value,
        "direction": direction,
        "confidence": edge.confidence.value,
        "source": edge.source,
        "via": None if via is None else escape_text(via.qualified_name),
        **render_lines(edge.lines, () if is_override else text, name),
    }


def render_folders(folders: Sequence[FolderUses], *, is_complete: bool) -> Row:
    """Return the fields that say who uses a symbol's name, by folder."""
    if is_complete:  # what only has the name tells nothing
        folders = [one for one in folders if one.lines]
    rest = {
        one.folder for one in folders if any(other.folder.startswith(f"{one.folder}/") for other in folders)
    }
    return {
        "references_by_name": sum(one.references for one in folders),
        "folders": [
            {
                "folder": escape_text(one.folder) or ".",
                "rest": one.folder in rest or (not one.folder and len(folders) > 1),
                "files": one.files,
                "references": one.references,
                **({} if is_complete else {"resolved": one.resolved}),
                **{confidence.value: count for confidence, count in sorted(one.lines.items())},
            }
            for one in folders
        ],
    }


def render_roles(roles: Mapping[FileRole, int]) -> Row:
    """Return the field that says how many symbols of each role use one; none if all have the same."""
    return {"total_by_role": {role.value: count for role, count in roles.items()}} if len(roles) > 1 else {}


def render_external(external: External) -> Row:
    """Return a name that is declared outside the repository, and the lines that use it."""
    return {
        "qualified_name": escape_text(external.name),
        "edge_type": external.type.value,
        **render_lines(external.lines),
    }


def render_unresolved(unresolved: Unresolved, text: Sequence[str], name: str) -> Row:
    """Return the lines of a file with names that could not be resolved: of many, the text of the first.

    Dozens of calls in one file mostly have one kind of receiver.
    """
    lines = unresolved.lines
    shown = render_lines(lines[:TOLD_UNRESOLVED], text, name)["lines"]
    rest = map(str, lines[TOLD_UNRESOLVED:])
    return {"file_path": escape_text(unresolved.path), "lines": "\n".join([str(shown), *rest])}


def render_lines(lines: Sequence[int], text: Sequence[str] = (), name: str = "") -> Row:
    """Return some lines of a file with their text, or only their numbers if the text is not at hand.

    Of a long line, the part around `name` is shown, or its beginning if it does not have the name.
    """
    if not text or lines[-1] > len(text):
        return {"lines": "\n".join(map(str, lines))}
    return {"lines": "\n".join(f"{line}\t{shorten(text[line - 1], name)}" for line in lines)}


def shorten(line: str, name: str) -> str:
    """Return a line of code, of a long one the part around a name, of a call its arguments if they fit."""
    shown = line.strip()
    if len(shown) > MAX_LINE_CHARS:
        found = re.search(rf"\b{re.escape(name)}\b", shown) if name else None
        beyond = len(shown) - MAX_LINE_CHARS + 1
        if found is not None and beyond <= found.start() and shown[found.end() :].startswith("("):
            shown = "…" + shown[beyond:]
        elif found is not None and found.end() > MAX_LINE_CHARS - _CHARS_AROUND:
            start = min(found.start() - _CHARS_AROUND, len(shown) - MAX_LINE_CHARS + 1)
            shown = "…" + shown[start:] if start > 0 else shown
    shown = shown if len(shown) <= MAX_LINE_CHARS else shown[: MAX_LINE_CHARS - 1] + "…"
    return "\t".join(map(escape_text, shown.split("\t")))  # a search for the line finds it


def _render_place(node: Node) -> Row:
    return {
        "node_id": node.node_id,
        "name": escape_text(node.symbol.name),
        "qualified_name": escape_text(node.qualified_name),
        "node_type": node.kind,
        "language": node.language,
        "file_path": escape_text(node.path),
        "line_start": node.symbol.start_line,
        "line_end": node.symbol.end_line,
    }


def _render_shape(node: Node) -> Row:
    symbol = node.symbol
    is_callable = symbol.kind in CALLABLE_KINDS
    return_type = symbol.return_type if is_callable or symbol.kind in _TYPED or node.is_alias else ""
    has_access = symbol.access is not Access.NONE and node.kind != IMPL
    is_of_package = node.language == "java" and symbol.access is Access.INTERNAL
    access = "package" if is_of_package else symbol.access.name.lower()
    return {
        "access_modifier": access if has_access else None,
        "parameter_signature": escape_text(symbol.parameters) if is_callable or symbol.parameters else None,
        "return_type": escape_text(return_type) or None,
    }
