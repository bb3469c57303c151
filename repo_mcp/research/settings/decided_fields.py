"""Find what a name decides that no symbol has: the fields set by it, and the functions that read these.

    def __init__(self, limit=50):
        self._rows = Ring(limit)      limit decides _rows, which Table.add reads

The name is that of a parameter, or stands in a text, as in `options.pop("limit", 50)`. Only fields are
followed that are set on a line with it, or under a condition with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from repo_mcp.bundler.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.written_names import list_written
from repo_mcp.research.findings.named_symbols import list_statements
from repo_mcp.research.findings.open_brackets import QUOTED
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.field_readers import FIELD_SET, find_readers
from repo_mcp.research.words.shown_lines import show_body
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

HEAD_LINES = 80  # of a function, in which its parameters are read
MOST_TAKING = 4  # functions that take or ask for a name
MOST_READERS, READER_CHARS = 6, 700  # functions that read a field, and characters of each


@dataclass(frozen=True, slots=True)
class Taking:
    """A function that takes a parameter."""

    node: Node
    line: int  # of the parameter
    uses: tuple[int, ...]  # lines below the head that have its name


def list_taking(state: ResearchState, name: str) -> list[Taking]:
    """Return the functions of the program that take a parameter of a name, those that use it first."""
    lines_of: dict[Node, list[int]] = {}
    for one in list_written(state, name):
        around = _find_function(state, one.path, one.start_line)
        if around is not None:
            lines_of.setdefault(around, []).append(one.start_line)
    taking = []
    for node, lines in lines_of.items():
        head = _find_head_end(state, node)
        in_head = [at for at in lines if at <= head and _is_parameter(state, node, name, at)]
        if in_head:
            taking.append(Taking(node, in_head[0], tuple(at for at in lines if at > head)))
    return sorted(taking, key=lambda one: not one.uses)[:MOST_TAKING]  # stable


def _find_function(state: ResearchState, path: str, at: int) -> Node | None:
    """Return the innermost function with a line of code; a field may be declared where it is set."""
    if at in state.source.read_comment_lines(path):
        return None
    around = [one for one in state.graph.outline(path) if one.symbol.start_line <= at <= one.symbol.end_line]
    return next((one for one in reversed(around) if one.symbol.kind in CALLABLE_KINDS), None)


def _find_head_end(state: ResearchState, node: Node) -> int:
    """Return the line in which the round brackets behind the name of a function are closed."""
    lines = state.source.read_lines(node.path)
    depth, is_begun = 0, False
    for at in range(node.symbol.start_line, min(len(lines), node.symbol.start_line + HEAD_LINES) + 1):
        bare = QUOTED.sub('""', lines[at - 1])
        bare = bare if is_begun else bare[max(0, bare.find(node.symbol.name)) :]
        is_begun = is_begun or "(" in bare
        depth += bare.count("(") - bare.count(")")
        if is_begun and depth <= 0:
            return at
    return node.symbol.start_line


def _is_parameter(state: ResearchState, node: Node, name: str, at: int) -> bool:
    """Return True for a line of a head that has a name where a parameter stands, and not in its default."""
    line = QUOTED.sub('""', state.source.read_lines(node.path)[at - 1])
    behind = line.partition(f"{node.symbol.name}(")[2] if at == node.symbol.start_line else line
    return re.search(rf"(?:^|[(,{{*&\s]){re.escape(name)}\s*(?:[?]?:|=|,|[)}}]|$)", behind) is not None


def list_asking(state: ResearchState, name: str) -> list[Node]:
    """Return the functions of the program that ask for a setting by a text, or as a field of a record."""
    asks = re.compile(rf"[\"'`:.]{re.escape(name)}(?![\"'`]?\]?\s*=(?!=))(?:[\"'`]|\b(?!\s*\())")
    found: dict[Node, None] = {}
    for one in list_written(state, name):
        around = _find_function(state, one.path, one.start_line)
        if around is not None and asks.search(one.line):
            found[around] = None
    return [*found][:MOST_TAKING]


def note_decided(state: ResearchState, name: str, functions: Iterable[Node]) -> None:
    """Note the functions that read the fields which some functions set by a name.

    In a file that sets such a field, the same name means the same; others are only noted if none is there.
    """
    for node in functions:
        found = find_readers(state, node, [*list_decided(state, node, name)], MOST_READERS)
        for reader in [own for own in found if own.node.path == node.path] or found:
            shown = show_body(state, reader.node, READER_CHARS, dict.fromkeys(reader.lines, (reader.field,)))
            reason = Reason(f"reads {reader.field}, which {name} decides", Role.READS_FIELD, name)
            state.add(reader.node, reason, 1, Confidence.PROBABLE, reader.lines, shown=shown)


def note_parameter(state: ResearchState, subject: Subject) -> None:
    """Note the functions that read what a parameter decides, if the name is one of a parameter."""
    note_decided(state, subject.asked, [one.node for one in list_taking(state, subject.asked)])


def list_decided(state: ResearchState, node: Node, name: str) -> dict[str, int]:
    """Return the fields that a function sets by a name, each with the first line that does so."""
    lines, head = state.source.read_lines(node.path), _find_head_end(state, node)
    used, fields, below = re.compile(rf"\b{re.escape(name)}\b"), dict[str, int](), -1
    for one in list_statements(state, node):
        if one.first <= head:
            continue
        text = "\n".join(lines[one.first - 1 : one.last])
        below = below if one.indent > below else -1
        for found in FIELD_SET.finditer(text) if below >= 0 or used.search(text) else ():
            fields.setdefault(found[1], one.first)
        if below < 0 and is_branch(lines[one.first - 1]) and used.search(text):
            below = one.indent
    return fields
