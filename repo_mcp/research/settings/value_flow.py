"""Show how a value works: the statements that read it, and what reads the fields that these set in turn.

    if options.detach: self.leaving.add(name)      for name in self.leaving: self.drop(name)

An option does nothing by itself: the statements under its condition do, or what reads what they note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import shorten_in
from repo_mcp.research.findings.locating import is_program, is_test_node
from repo_mcp.research.findings.named_symbols import show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.findings.statement_lines import find_statement
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.research.settings.field_readers import find_fields, find_readers, list_called, note_reader
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MOST_READERS = 8  # functions whose statements are shown
MOST_USES = 4  # of the value in one function
MOST_TESTS = 2  # functions of tests that stay among the findings
LEAST_ALIKE = 2  # words of the value in the name of a function that works for it
MOST_CHAINED, CALLED_CHARS = 3, 1_100  # such functions, each called by the last, and characters of each
MOST_FOLLOWED = 3  # functions that read the fields which one sets


def show_value_flow(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Show the statements of the functions found that use a value, and note what follows from them.

    What follows is what they call by a name like that of the value, and what reads the fields that they set.
    Few findings in tests are kept.
    """
    name = nodes[0].symbol.name
    users: dict[Node, list[int]] = {}
    for position, one in enumerate(state.findings):
        node = one.node
        is_user = one.hop == 1 and one.lines and node is not None and node.symbol.kind in CALLABLE_KINDS
        if node is None or not is_user or is_test_node(node) or not is_program(one.path):
            continue
        if len(users) == MOST_READERS:
            break
        users[node] = _choose_lines(state, node, one.lines, name)
        state.findings[position] = replace(one, shown=tuple(users[node]))
    words = split_parts(name)
    for node, shown in users.items():
        _note_called(state, node, shown, words)
    for node, shown in users.items():
        setting = find_fields(state, node)
        fields = dict.fromkeys(name for at in shown for name in setting.get(at, ()))
        for reader in find_readers(state, node, [*fields], MOST_FOLLOWED) if fields else ():
            note_reader(state, reader, node)
    in_tests = [one.node is not None and is_test_node(one.node) for one in state.findings]
    own = [one for one, is_test in zip(state.findings, in_tests, strict=True) if not is_test]
    tests = [one for one, is_test in zip(state.findings, in_tests, strict=True) if is_test]
    state.findings = [*own, *tests[:MOST_TESTS]]


def _choose_lines(state: ResearchState, node: Node, uses: Sequence[int], name: str) -> list[int]:
    """Return the lines of the statements of a function with a value, or with a field that one of these sets.

    The first is the head of the function.
    """
    lines = state.source.read_lines(node.path)[: node.symbol.end_line]
    start = node.symbol.start_line
    setting = find_fields(state, node)
    named = re.compile(rf"(?<![\w.]){re.escape(name)}\b")
    local = [at for at in range(start, len(lines) + 1) if named.search(lines[at - 1])]
    chosen = [at for at in uses if at <= len(lines)][:MOST_USES]
    chosen += sorted({*local} - {*chosen}, key=lambda at: not is_branch(lines[at - 1]))[:MOST_USES]
    fields = {field for at in chosen for field in setting.get(at, ())}
    again = re.compile("|".join(rf"\b{re.escape(field)}\b" for field in sorted(fields)) or r"(?!)")
    chosen += [at for at in range(start, len(lines) + 1) if again.search(lines[at - 1])][:MOST_USES]
    return sorted({start, *(at for one in chosen for at in find_statement(lines, one, start))})


def _note_called(state: ResearchState, node: Node, shown: Sequence[int], words: Sequence[str]) -> None:
    """Note what lines of a function call that is named like the value, and what that calls in its turn."""
    least = min(len(words), LEAST_ALIKE)
    called = [one for one in list_called(state, node, words, least) if not {*one.lines}.isdisjoint(shown)]
    caller = node
    for _ in range(MOST_CHAINED):
        if not called:
            return
        other = state.get_node(called[0].other)
        reason = Reason(f"called by {shorten_in(caller.path, caller.qualified_name)}", Role.WORKS_FOR)
        state.add(other, reason, 1, called[0].confidence, shown=show_body(state, other, CALLED_CHARS))
        caller, called = other, list_called(state, other, words, least)
