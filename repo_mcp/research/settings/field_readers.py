"""Find the functions that read a field which a subject sets.

`prefetch_related`, for example, only stores its arguments in a field, and the function that reads the field
does the fetching. No edge of the graph leads there, because fields are not symbols. So the text is searched
for their names, and names that stand in more than MAX_MATCHES lines are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.named_symbols import is_program_line, show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import shares_word

READER_CHARS = 900  # shown of a function that reads a field which a subject sets
MAX_FIELDS = 3  # of one function whose readers are searched for
MAX_MATCHES = 30  # a name in more lines says little about each
MAX_READERS = 4  # of all the fields that one function sets
# A line that sets a field or adds to it: `self.rows = `, `this->rows +=`, `self.rows.append(`,
# `c.rows.Store(`; in Node.js also `this[kRows] = `, where a symbol is the key.
_FIELD_SET = re.compile(
    r"\b\w+(?:(?:\.|->)(?=\w{4,})|\[(?=k[A-Z]\w+\]))(\w+)\]?"
    r"\s*(?:[+|]?=(?![=>])|\.(?:append|add|push|extend|insert|[Ss]tore)\()"
)
_BOUNDS = Bounds(files=20, references=60)


def note_readers(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the readers of fields that a subject sets, and those of their callees named like the subject."""
    for node in nodes:
        words = re.findall(r"[A-Za-z]{3,}", node.symbol.name)
        for reader in find_readers(state, node):
            reads = f"reads the field {reader.field}"
            reason = Reason(f"{reads}, which {node.symbol.name} sets", Role.READS_FIELD)
            shown = show_body(state, reader.node, READER_CHARS, dict.fromkeys(reader.lines, (reader.field,)))
            state.add(reader.node, reason, 1, Confidence.PROBABLE, reader.lines, shown=shown)
            for edge in state.graph.find_outgoing(reader.node, CALLS, _BOUNDS).edges:
                other = state.get_node(edge.other)
                if words and shares_word(other.symbol.name, words) == len(words):
                    body = show_body(state, other, READER_CHARS)
                    text = f"called by {reader.node.symbol.name}, which {reads}"
                    below = Reason(text, Role.READS_FIELD_BELOW)
                    state.add(other, below, 1, edge.confidence, shown=body)
                    state.link(
                        Link(reader.node.declaration, other.declaration, "calls", edge.confidence, edge.lines)
                    )


@dataclass(frozen=True, slots=True)
class Reader:
    """A function that reads a field."""

    node: Node
    field: str
    lines: tuple[int, ...]  # that name the field


def find_readers(
    state: ResearchState, node: Node, fields: Sequence[str] | None = None, most: int = MAX_READERS
) -> list[Reader]:
    """Return at most `most` functions that read fields which a symbol sets; those in its file first.

    The `fields` are all that it sets, unless some are given.
    """
    if fields is None:
        lines = state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
        fields = list(dict.fromkeys(name for line in lines for name in _FIELD_SET.findall(line)))
    readers: dict[Node, Reader] = {}
    for name in fields[:MAX_FIELDS]:
        state.check()
        found = state.source.search_exact(
            ExactRequest(name, whole_word=True, limit=MAX_MATCHES + 1, include_tests=False)
        )
        if len(found.matches) > MAX_MATCHES:
            continue
        for match in found.matches:
            _add_reader(state, readers, name, match)
    others = [one for one in readers.values() if one.node != node]
    others.sort(key=lambda one: (one.node.path != node.path, one.node.path, one.node.symbol.start_line))
    return others[:most]


def _add_reader(state: ResearchState, readers: dict[Node, Reader], name: str, match: ExactMatch) -> None:
    sets = rf"\b{name}\b\]?(?:\s*[+|]?=(?![=>])|\.[Ss]tore\()"
    if re.search(sets, match.line) or not is_program_line(state, match):
        return
    around = state.source.find_around(match.path, match.start_line)
    if around is not None and around.symbol.kind in CALLABLE_KINDS and around.symbol.name != name:
        known = readers.get(around)
        lines = (*(known.lines if known is not None else ()), match.start_line)
        readers[around] = Reader(around, name if known is None else known.field, lines)
