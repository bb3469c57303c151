"""Find the functions that read a field which a subject sets.

`prefetch_related`, for example, only stores its arguments in a field, and the function that reads the field
does the fetching. No edge of the graph leads there, because fields are not symbols. So the text is searched
for their names, and names that stand in more than MAX_MATCHES lines are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.edges import Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.bounds import LONG
from repo_mcp.research.findings.citing import shorten_in
from repo_mcp.research.findings.locating import count_shared_folders, weaker
from repo_mcp.research.findings.named_symbols import count_lines, is_program_line, show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import shares_word

READER_CHARS = 600  # shown of a function that reads a field which a subject sets
WORKER_CHARS = 900  # of one that such a function hands the field to
MAX_FIELDS = 3  # of one function whose readers are searched for
MAX_BARE = 40  # names without an owner in one function: for each, the function is searched
MAX_MATCHES = 30  # a name in more lines says little about each
MAX_READERS = 4  # of all the fields that one function sets
MAX_HANDING = 2  # of these, told before what they hand the field to
MAX_BELOW, BELOW_CHARS = 3, 600  # functions below the one that is handed it, characters of each
GETTER_LINES = 3  # of a reader that probably only hands the field out, and is told last
LEAST_WORD_CHARS = 3  # of the parts of a name by which others are named like it
# A line that sets a field or adds to it: `self.rows = `, `this->rows +=`, `self.rows.append(`,
# `c.rows.Store(`; in Node.js also `this[kRows] = `, where a symbol is the key.
_FIELD_SET = re.compile(
    r"\b\w+(?:(?:\.|->)(?=\w{4,})|\[(?=k[A-Z]\w+\]))(\w+)\]?"
    r"\s*(?:[+|]?=(?![=>])|\.(?:append|add|push|extend|insert|[Ss]tore)\()"
)
# In some languages a field needs no owner before it: `strict = true;`.
_BARE_SET = re.compile(r"\s*(\w{4,})\s*[+|]?=(?![=>]).*;\s*$")
_BARE_SETS = dict.fromkeys(("java", "csharp", "cpp"), _BARE_SET)
_BARE_SETS["swift"] = re.compile(r"\s*(\w{4,})\s*[+|]?=(?![=>])")


def note_readers(state: ResearchState, nodes: Sequence[Node], *, below: bool = False) -> None:
    """Note the readers of fields that a subject sets, and what those hand the field to: it does the work.

    What is handed it is named like the subject. With `below`, note also what is named like it in part and
    called by that; and first of all the callees of the subject that are named like it, as they may set the
    field.
    """
    told: set[Node] = set()
    for node in nodes:
        words = [word for word in split_parts(node.symbol.name) if len(word) >= LEAST_WORD_CHARS]
        setters = [node, *(_note_setters(state, node, words) if below else ())]
        found = [one for own in setters for one in find_readers(state, own, most=MAX_MATCHES)]
        new = {one.node: one for one in found if one.node not in told and one.node not in setters}
        told.update(new)
        handing = {one: list_called(state, one.node, words, len(words)) for one in new.values()}
        readers = sorted(handing, key=lambda one: (not handing[one], _is_getter(one)))  # stable
        state.unnoted[Role.READS_FIELD] += len(readers[MAX_READERS:])
        for reader in readers[:MAX_HANDING]:
            if handing[reader]:
                note_reader(state, reader, node)
        for reader in readers[:MAX_READERS]:
            for edge in handing[reader]:
                _note_worker(state, reader, edge, words if below else ())
        for reader in readers[:MAX_READERS]:
            note_reader(state, reader, node)


def _is_getter(reader: Reader) -> bool:
    return count_lines(reader.node) <= GETTER_LINES


def list_called(state: ResearchState, node: Node, words: Sequence[str], least: int) -> list[Edge]:
    """Return the calls of other functions whose names share at least so many words."""
    if not words:
        return []
    called = [
        (edge, state.get_node(edge.other)) for edge in state.graph.find_outgoing(node, CALLS, LONG).edges
    ]
    return [
        edge
        for edge, other in called
        if other != node
        and edge.confidence is not Confidence.POSSIBLE
        and other.symbol.kind in CALLABLE_KINDS
        and shares_word(other.symbol.name, words) >= least
    ]


def _note_setters(state: ResearchState, node: Node, words: Sequence[str]) -> list[Node]:
    """Note and return the functions that a subject calls and that may set the field for it.

    These have all words of its name in theirs, or are all that it calls.
    """
    edges = state.graph.find_outgoing(node, CALLS, LONG).edges
    is_only = len(edges) == 1 and edges[0].confidence is not Confidence.POSSIBLE
    setters = []
    for edge in edges if is_only else list_called(state, node, words, len(words)):
        other = state.get_node(edge.other)
        shown = show_body(state, other, READER_CHARS, find_fields(state, other))
        reason = Reason(f"called by {shorten_in(node.path, node.qualified_name)}", Role.DEPENDED_ON)
        if state.add(other, reason, 1, edge.confidence, shown=shown):
            setters.append(other)
            _link(state, node, edge)
    return setters


def note_reader(state: ResearchState, reader: Reader, node: Node, room: int = READER_CHARS) -> None:
    """Note a function that reads a field which another one sets, with lines of at most `room` characters."""
    reason = Reason(f"reads the field {reader.field}, which {node.symbol.name} sets", Role.READS_FIELD)
    shown = show_body(state, reader.node, room, dict.fromkeys(reader.lines, (reader.field,)))
    state.add(reader.node, reason, 1, Confidence.PROBABLE, reader.lines, shown=shown)


def _note_worker(state: ResearchState, reader: Reader, edge: Edge, words: Sequence[str]) -> None:
    """Note a function that a reader hands the field to, and those it calls whose names share a word."""
    worker = state.get_node(edge.other)
    own = list_called(state, worker, words, 1)[:MAX_BELOW]
    calling = {at: (state.get_node(one.other).symbol.name,) for one in own for at in one.lines}
    text = f"called by {reader.node.symbol.name}, which reads the field {reader.field}"
    shown = show_body(state, worker, WORKER_CHARS, calling)
    state.add(worker, Reason(text, Role.READS_FIELD_BELOW), 1, edge.confidence, shown=shown)
    _link(state, reader.node, edge)
    for one in own:
        other = state.get_node(one.other)
        reason = Reason(f"called by {worker.symbol.name}", Role.READS_FIELD_BELOW, worker.qualified_name)
        shown = show_body(state, other, BELOW_CHARS)
        state.add(other, reason, 2, weaker(edge.confidence, one.confidence), shown=shown)
        _link(state, worker, one)


def _link(state: ResearchState, node: Node, edge: Edge) -> None:
    state.link(Link(node.declaration, edge.other, "calls", edge.confidence, edge.lines))


@dataclass(frozen=True, slots=True)
class Reader:
    """A function that reads a field."""

    node: Node
    field: str
    lines: tuple[int, ...]  # that name the field


def find_fields(state: ResearchState, node: Node) -> dict[int, tuple[str, ...]]:
    """Return the fields that a function sets, by the number of the line."""
    lines = state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
    text = "\n".join(lines)
    bare_set = _BARE_SETS.get(node.language)
    bare_names: dict[str, bool] = {}  # that are given a value without an owner: whether they are fields
    wraps = re.compile(rf"[.>]{re.escape(node.symbol.name)}\s*\(")  # another that has the field
    found = {}
    for at, line in enumerate(lines, node.symbol.start_line):
        names = _FIELD_SET.findall(line)
        bare = bare_set.match(line) if bare_set is not None and len(bare_names) < MAX_BARE else None
        if bare is not None and bare[1] not in bare_names:
            bare_names[bare[1]] = not _is_local(bare[1], text, node.language)
        if bare is not None and bare_names[bare[1]]:
            names.append(bare[1])
        if names and not wraps.search(line):
            found[at] = tuple(names)
    return found


def _is_local(name: str, text: str, language: str) -> bool:
    """Return True for a name that a function declares: as a parameter, or as a variable of its own."""
    declared = rf"[\w>\]?*&](?<!\breturn)(?<!\belse)(?<!\bin)\s+{name}\s*(?:[=,);:]|$)"
    if language == "swift":
        declared += rf"|\b{name}\s*:"
    return re.search(declared, text) is not None


def find_readers(
    state: ResearchState, node: Node, fields: Sequence[str] | None = None, most: int = MAX_READERS
) -> list[Reader]:
    """Return at most `most` functions that read fields which a symbol sets; those nearest to it first.

    The `fields` are all that it sets, unless some are given.
    """
    if fields is None:
        fields = list(dict.fromkeys(name for own in find_fields(state, node).values() for name in own))
    readers: dict[Node, Reader] = {}
    for name in fields[:MAX_FIELDS]:
        state.check()
        for match in _find_uses(state, node, name):
            _add_reader(state, readers, name, match)
    others = [one for one in readers.values() if one.node != node]
    others.sort(
        key=lambda one: (
            one.node.path != node.path,
            -count_shared_folders(one.node.path, node.path),
            one.node.path,
            one.node.symbol.start_line,
        )
    )
    return others[:most]


def _find_uses(state: ResearchState, node: Node, name: str) -> Sequence[ExactMatch]:
    """Return the lines with a field, or those in the file of what sets it; none where there are too many.

    Of a field that is named like the function that sets it, they leave out calls.
    """
    is_called = name == node.symbol.name
    owner = "" if node.language in _BARE_SETS else r"[.>]"
    pattern = rf"{owner}\b{name}\b\s*(?:[^\s(]|$)" if is_called else name
    found = state.source.search_exact(
        ExactRequest(
            pattern, regex=is_called, whole_word=not is_called, limit=MAX_MATCHES + 1, include_tests=False
        )
    ).matches
    if len(found) <= MAX_MATCHES:
        return found
    use = re.compile(pattern if is_called else rf"\b{name}\b")
    lines = enumerate(state.source.read_lines(node.path), 1)
    own = [ExactMatch(node.path, at, at, 1, line) for at, line in lines if use.search(line)]
    return own if len(own) <= MAX_MATCHES else ()


def _add_reader(state: ResearchState, readers: dict[Node, Reader], name: str, match: ExactMatch) -> None:
    sets = rf"\b{name}\b\]?(?:\s*[+|]?=(?![=>])|\.[Ss]tore\()"
    if re.search(sets, match.line) or not is_program_line(state, match):
        return
    around = state.source.find_around(match.path, match.start_line)
    if around is not None and around.symbol.kind in CALLABLE_KINDS and around.symbol.name != name:
        known = readers.get(around)
        lines = (*(known.lines if known is not None else ()), match.start_line)
        readers[around] = Reader(around, name if known is None else known.field, lines)
