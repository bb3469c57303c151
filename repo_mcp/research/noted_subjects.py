"""Note the subjects of a question as its first findings, each with as many lines as its form needs.

A subject that only overrides another one and calls it is noted behind what is related to that one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.research.edges.link_order import FOLDER_PARTS
from repo_mcp.research.edges.shown_users import SHORT_LINES
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.first_sentences import list_comment
from repo_mcp.research.findings.named_symbols import VALUES, show_body
from repo_mcp.research.findings.reasons import Reason, Role, explain_named
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.question.phrase_names import is_whole_name
from repo_mcp.research.settings.field_readers import find_fields
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind

SUBJECT_CHARS = 700  # shown of a subject
WHOLE_CHARS = 3_000  # of the first one, if the question is how it works
OVERRIDING_CHARS = 500  # of a declaration that overrides a subject
_ASKS_HOW = re.compile(r"\W*how\b", re.IGNORECASE)
_CALLED_BOUNDS = Bounds(files=20, references=60)


def note_subjects(state: ResearchState, reading: Reading, later: Collection[Node] = ()) -> None:
    """Note the subjects of the question as findings of hop 0, without those in `later`."""
    is_how = asks_how_it_works(state, reading)
    for subject in reading.subjects:
        for node in (node for node in subject.nodes if node not in later):
            sure = Confidence.EXACT if _is_surely_meant(subject, node) else Confidence.POSSIBLE
            fields = find_fields(state, node) if is_how else {}
            room = WHOLE_CHARS if is_how and node == reading.nodes[0] else SUBJECT_CHARS
            shown = () if _is_only_named(reading.form, node) else show_body(state, node, room, fields)
            if reading.form is Form.CONFIGURED and node.symbol.kind in VALUES:  # it often tells the default
                shown = (*list_comment(state, node), *shown)
            state.add(node, explain_named(subject.asked), 0, sure, shown=shown)
        if subject.left_out:
            least = "at least " if subject.left_out_is_least else ""
            followed = "one is" if len(subject.nodes) < 2 else f"{len(subject.nodes)} are"
            state.limit(
                f"{least}{subject.left_out:,} more declarations of {subject.asked}",
                f"{followed} followed; give a qualified name or a path",
            )


def asks_how(state: ResearchState) -> bool:
    """Return True for a question that begins with "how"."""
    return _ASKS_HOW.match(state.request.query) is not None


def asks_how_it_works(state: ResearchState, reading: Reading) -> bool:
    """Return True for a question that asks how something works."""
    return reading.form is Form.CALLEES and asks_how(state)


def _is_only_named(form: Form, node: Node) -> bool:
    """Return True for a subject whose body says nothing of what is asked."""
    size = node.symbol.end_line - node.symbol.start_line
    is_long_type = node.symbol.kind in TYPE_KINDS and size >= SHORT_LINES  # the members of a short one count
    return (
        node.symbol.kind is SymbolKind.FILE
        or form in (Form.TESTS, Form.CALLERS)
        or (form is Form.IMPLEMENTATIONS and is_long_type)
    )


def _is_surely_meant(subject: Subject, node: Node) -> bool:
    """Return False for what words lead to, and for what has only a part of a phrase as its name."""
    if subject.taken_as is TakenAs.WORDS:
        return False
    is_phrase = subject.taken_as is TakenAs.DECLARED_OTHERWISE and " " in subject.asked
    return not is_phrase or is_whole_name(node.symbol.name, subject.asked)


def list_wrappers(state: ResearchState, reading: Reading) -> dict[Node, Node]:
    """Return the subjects that override and call another one for a sister package, each with that one.

    They say less of a relation than the one that does the work, and are noted behind what is related to it.
    """
    nodes = reading.nodes if reading.form in (Form.CALLEES, Form.DEPENDENTS) else []
    links = [link for node in nodes for link in list_overriding(state, node)] if len(nodes) > 1 else []
    own = {node.declaration: node for node in nodes}
    return {
        own[link.source]: own[link.target]
        for link in links
        if link.source in own
        and _find_package(link.source.path) != _find_package(link.target.path)
        and any(edge.other == link.target for edge in list_uses(state, own[link.source], _CALLED_BOUNDS))
    }


def note_wrappers(state: ResearchState, wrappers: Mapping[Node, Node]) -> None:
    """Note subjects that override and call another one, each with that one."""
    for node, wrapped in wrappers.items():
        reason = Reason(f"overrides {wrapped.qualified_name} and calls it", Role.FILLS)
        state.add(node, reason, 1, shown=show_body(state, node, OVERRIDING_CHARS))


def _find_package(path: str) -> list[str]:
    return path.split("/")[:-1][:FOLDER_PARTS]
