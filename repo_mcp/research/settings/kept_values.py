"""Follow what is read under the name of a setting: to the field that keeps it, and to what reads that.

    on = element.get_bool("autoReload")     the setting is read
    self.reloading[path] = on               a field keeps it
    def files(self):                        a short member reads the field,
        return [p for p, on in self.reloading.items() if on]
    watch(config.files())                   and what uses that member acts by the setting

A field of another name is not found by the name of the setting.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.bodies.body import says_nothing
from repo_mcp.bodies.chosen_lines import keep_around
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import cite_line, join_places, shorten_symbol
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.named_symbols import count_lines, is_program_line, read_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import MAX_EVIDENCE, ResearchState, list_users
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.citations import write_citation

MOST_STARTS, MOST_FIELDS, MOST_USES = 3, 2, 20  # lines that read the name, fields, lines with a field
MOST_LEVELS, MOST_MEMBERS, MOST_USERS = 2, 3, 4  # of short members that hand a field on, and what uses these
MEMBER_LINES = 14  # of a member that only hands on what a field keeps
LINE_CHARS = 300  # read of a line, so that none takes long
_BOUNDS = Bounds(files=20, references=100)
_HANDS_ON = frozenset({*CALLABLE_KINDS, SymbolKind.PROPERTY}) - {SymbolKind.CONSTRUCTOR}
_ROLE = Role.READS_FIELD
_GIVES_BACK = re.compile(r"\b(?:return|yield)\b\s*[^\s;]|=>")
_OWNER = r"(?:(?:self|this|cls)(?:\.|->)|@)"


def note_kept(state: ResearchState, name: str, reading: Sequence[ExactMatch]) -> None:
    """Note what keeps a setting that is read by its quoted name, and what reads and uses that."""
    quoted = re.compile(rf"[\"'`]{re.escape(name)}[\"'`]")
    for start in [one for one in reading if quoted.search(one.line)][:MOST_STARTS]:
        around = state.source.find_around(start.path, start.start_line)
        if around is None or around.symbol.kind not in CALLABLE_KINDS:
            continue
        kept = _find_fields(state, around, start)
        lines = {field: at for at, field in reversed(kept.items())}
        for field, at in list(reversed(lines.items()))[:MOST_FIELDS]:
            _note(state, around, (start.start_line, at), Reason(f"keeps {name} in {field}", Role.READS, name))
            place = f"{field} keeps it ({write_citation(around.path, at, at)})"
            _note_readers(state, around, field, Reason(f"reads {field}, which keeps {name}", _ROLE, place))


def describe_kept(state: ResearchState) -> str:
    """Return a sentence for each field that keeps a setting, with what reads it, and what uses that."""
    sentences = []
    for place in dict.fromkeys(one.reason.about for one in state.findings if one.role is _ROLE):
        told = []
        for verb, role in (("is read in", _ROLE), ("these are used in", Role.READS_FIELD_BELOW)):
            found = [one for one in state.findings if one.role is role and one.reason.about == place]
            named = join_places(f"{shorten_symbol(one)} ({cite_line(one)})" for one in found)
            told += [f"{verb} {named}"] if found else []
        sentences.append(f" {place} and {'; '.join(told)}.")
    return "".join(sentences)


def _find_fields(state: ResearchState, node: Node, start: ExactMatch) -> dict[int, str]:
    """Return the fields that are given what a line reads, by the line that does so."""
    lines = state.source.read_lines(node.path)
    given = re.match(
        rf"\s*(?:[\w<>\[\]?.]+ )*?({_OWNER})?([\w$]+)\s*(?::[^=]{{1,60}})?:?=(?![=>])", start.line
    )
    if given is None:
        return {}
    if given[1] or _is_field(state, node, given[2]):
        return {start.start_line: given[2]}
    local = rf"[^=\n]*(?<![.\w]){re.escape(given[2])}\b"
    kept = re.compile(
        rf"\s*(?P<of>{_OWNER})?(?P<field>[\w$]+)\s*(?:\[[^\]]{{1,120}}\]\s*)?=(?![=>]){local}"
        rf"|\s*(?P<into>{_OWNER})?(?P<list>[\w$]+)\.(?:[Aa]dd|[Tt]ryAdd|[Ss]et|put|push|append|insert|store)\({local}"
    )
    found = {}
    for at in range(start.start_line + 1, min(node.symbol.end_line, len(lines)) + 1):
        match = kept.match(lines[at - 1][:LINE_CHARS])
        field = (match["field"] or match["list"]) if match is not None else ""
        if match is not None and (match["of"] or match["into"] or _is_field(state, node, field)):
            found[at] = field
    return found


def _is_field(state: ResearchState, node: Node, name: str) -> bool:
    """Return True for the name of a field that the file of a function declares."""
    declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_USES))
    return any(one.path == node.path and one.symbol.kind is SymbolKind.PROPERTY for one in declared)


def _note_readers(state: ResearchState, node: Node, field: str, reason: Reason) -> None:
    """Note what reads a field, and, level by level, what uses the short members among these."""
    request = ExactRequest(field, whole_word=True, case_sensitive=True, limit=MOST_USES, include_tests=False)
    sets = re.compile(rf"\s*(?:{_OWNER})?{re.escape(field)}\s*(?:\[[^\]]{{1,120}}\]\s*)?=(?![=>])")
    used: dict[Node, list[int]] = {}
    for one in state.source.search_exact(request).matches:
        is_near = one.path == node.path or not field.startswith("_")
        if not is_near or sets.match(one.line) or not is_program_line(state, one):
            continue
        around = state.source.find_around(one.path, one.start_line)
        is_own = around is None or around == node or around.symbol.name == field
        if around is not None and around.symbol.kind in _HANDS_ON and not is_own:
            used.setdefault(around, []).append(one.start_line)
    for user, lines in used.items():
        _note(state, user, lines, reason)
    known = {node, *used}
    members = [one for one in used if _hands_on(state, one)][:MOST_MEMBERS]
    for _ in range(MOST_LEVELS):
        found = _list_users(state, members, known)
        for user, (member, lines) in found.items():
            _note(state, user, lines, Reason(f"uses {member}", Role.READS_FIELD_BELOW, reason.about))
        known |= {*found}
        members = [one for one in found if _hands_on(state, one)][:MOST_MEMBERS]


def _hands_on(state: ResearchState, node: Node) -> bool:
    """Return True for a short member that gives something back."""
    return count_lines(node) <= MEMBER_LINES and any(map(_GIVES_BACK.search, read_body(state, node)))


def _list_users(
    state: ResearchState, members: Sequence[Node], known: Collection[Node]
) -> dict[Node, tuple[str, list[int]]]:
    """Return what uses some members and is not known yet, each with the first member and the lines."""
    used: dict[Node, tuple[str, list[int]]] = {}
    for member in members:
        for edge in list_users(state, member, _BOUNDS, (*CALLS, EdgeType.REFERENCES)):
            user = state.get_node(edge.other)
            if user.symbol.kind in _HANDS_ON and user not in known and not is_test_node(user):
                used.setdefault(user, (member.symbol.name, []))[1].extend(edge.lines)
    return dict(list(used.items())[:MOST_USERS])


def _note(state: ResearchState, node: Node, lines: Sequence[int], reason: Reason) -> None:
    """Note some lines of a function or a property, with what encloses these."""
    text = state.source.read_lines(node.path)
    own = [at for at in sorted({*lines}) if at <= len(text)][:MAX_EVIDENCE]
    numbers = range(node.symbol.start_line, min(node.symbol.end_line, len(text)) + 1)
    shown = keep_around(text, [at for at in numbers if not says_nothing(text[at - 1])], own)
    symbol = node.symbol
    found = Finding(
        node.path, symbol.start_line, symbol.end_line, node.qualified_name, node.kind, node, reason, 2, "text"
    )
    known = next((at for at, one in enumerate(state.findings) if one.node == node), None)
    if known is None:
        state.add_place(replace(found, lines=tuple(own), name=symbol.name, shown=tuple(shown)))
        return
    one = state.findings[known]
    shown = tuple(sorted({*one.shown, *shown}))
    state.findings[known] = replace(one, lines=tuple(dict.fromkeys((*one.lines, *own))), shown=shown)
