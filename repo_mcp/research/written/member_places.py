"""Find where one of a kind stands, to which one more is to be added.

    "how do I add a colour?" -> `class Colour(Enum)` -> the lines with `Colour.RED`, and with its text "red"
    "where would I add a rule next to minRows?" -> the lines with `minRows`

A new member belongs in each table, schema and translation in which the others are. If the question names none
that it is like, the member with the fewest uses shows this best: those of a common one are mostly plain uses.
"""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import count_shared_folders, is_aside, is_program
from repo_mcp.research.findings.named_symbols import is_program_line
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.findings.statement_lines import find_statement
from repo_mcp.research.question.phrase_names import looks_like_code
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.roles import FileRole, find_role

# That have a member's name, one of them perhaps its own: a member that no other has shows nothing.
LEAST_FILES = 2
MOST_MEMBERS = 200  # looked up: of so many, some have few uses
MOST_LINES = 60  # with a member; one in more is too common to show where each belongs
MOST_TEXTS = 200  # lines with its text
MOST_FILES = 6  # that are noted, those nearest to the enumeration
MOST_SHOWN = 6  # lines of one file
_LIKE = re.compile(
    r"\b(?:next to|beside|besides|alongside|like|similar to|in addition to) (?:the |existing )*`?([\w.$]+)`?",
    re.IGNORECASE,
)
_TEXT = re.compile(r"=\s*\(?[\"']([\w-]{3,60})[\"']")


def note_member_places(state: ResearchState) -> None:
    """Note the lines with the member of an enumeration that has the fewest uses, if one is to be added."""
    base = next((one.node for one in state.findings if one.role is Role.ENUMERATION), None)
    member = None if base is None else _choose_member(state, base)
    if base is None or member is None:
        return
    name = f"{base.symbol.name}.{member.symbol.name}"
    reason = Reason(f"has {name}, as it would a new member", Role.HAS_MEMBER, name)
    found = _search(state, base, member)
    order = sorted(found, key=lambda path: (-count_shared_folders(path, base.path), path))
    for path in order[:MOST_FILES]:
        lines = tuple(found[path][:MOST_SHOWN])
        note_lines(state, TextPlace(path, lines[0], lines[-1]), reason, 0, lines, shown=lines)


def note_places_of_like(state: ResearchState) -> None:
    """Note the lines with the name that the question says one more is to be like, before all else."""
    asked = _LIKE.search(state.request.query)
    name = asked[1] if asked is not None and looks_like_code(asked[1]) else ""
    if not name or "." in name:
        return
    request = ExactRequest(name, whole_word=True, include_tests=False, limit=MOST_TEXTS, by_role=True)
    held: dict[str, list[int]] = {}
    for one in state.source.search_exact(request).matches:
        if is_program_line(state, one) and not is_aside(one.path):
            held.setdefault(one.path, []).append(one.start_line)
    near = next((one.path for one in state.findings if one.node is not None and is_program(one.path)), "")
    beside = [path for path in held if count_shared_folders(path, near)]  # others try what is here
    order = sorted(beside or held, key=lambda path: (-len(held[path]), path))
    reason = Reason(f"has {name}, as it would one more", Role.HAS_MEMBER, name)
    before, state.findings = state.findings, []
    for path in order[:MOST_FILES]:
        lines = tuple(held[path][:MOST_SHOWN])
        text = state.source.read_lines(path)
        shown = sorted({one for at in lines for one in find_statement(text, at, 1)})
        note_lines(state, TextPlace(path, shown[0], shown[-1]), reason, 0, lines, shown=tuple(shown))
    state.findings += before


def _choose_member(state: ResearchState, base: Node) -> Node | None:
    """Return the member of an enumeration whose name the fewest files have, of LEAST_FILES or more."""
    scan = state.graph.scan
    record = scan.find_record(base.path)
    ordinals = [] if record is None else record.list_children(base.symbol.ordinal)
    nodes = [state.get_node(Declaration(base.path, ordinal)) for ordinal in ordinals]
    members = [node for node in nodes if node.symbol.kind is SymbolKind.ENUM_MEMBER][:MOST_MEMBERS]
    files = {node: len({base.path, *scan.list_using(node.symbol.name)}) for node in members}
    used = [node for node in members if files[node] >= LEAST_FILES]
    return min(used, key=files.__getitem__, default=None)


def _search(state: ResearchState, base: Node, member: Node) -> dict[str, list[int]]:
    """Return the lines outside an enumeration with a member, or in files beside it with its text, by path.

    Deeper folders, as of translations, are left out.
    """
    lines = state.source.read_lines(base.path)[member.symbol.start_line - 1 : member.symbol.end_line]
    text = _TEXT.search("\n".join(lines))
    named = r"(?:\.|::)".join(map(re.escape, (base.symbol.name, member.symbol.name)))
    request = ExactRequest(
        rf"\b{named}\b", regex=True, include_tests=False, limit=MOST_LINES + 1, by_role=True
    )
    matches = list(state.source.search_exact(request).matches)
    matches = matches if len(matches) <= MOST_LINES else []
    if text is not None and base.folder:
        quoted = rf"[\"']{re.escape(text[1])}[\"']"
        request = replace(request, pattern=quoted, path_prefix=base.folder, limit=MOST_TEXTS)
        found = state.source.search_exact(request).matches
        matches += [one for one in found if one.path.rpartition("/")[0] == base.folder]
    inside = range(base.symbol.start_line, base.symbol.end_line + 1)
    held: dict[str, set[int]] = {}
    for one in matches:
        is_own = find_role(one.path) is not FileRole.DOCS and not is_aside(one.path)
        is_inside = one.path == base.path and one.start_line in inside
        if is_own and not is_inside and state.admits(one.path):
            held.setdefault(one.path, set()).add(one.start_line)
    return {path: sorted(own) for path, own in held.items()}
