"""Choose the lines that are shown of the functions that a subject calls, and that these call.

    this.apply({ kind: 'shut' })      case 'shut': return { ...state, isOpen: false }

Of a function that a call gives a text, the branches for this text are shown, and what reads the state that
they set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.bodies.body import says_nothing
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.link_order import is_helper
from repo_mcp.research.findings.named_symbols import count_lines, show_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.field_readers import find_readers, note_reader
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MOST_CALLED, CALLED_CHARS = 4, 600  # functions of each hop whose lines are shown, characters at the first
LONG_LINES = 100  # of a function of which so few lines say little, and choosing them takes 10 ms
MOST_BRANCHES, BRANCH_LINES = 3, 4  # shown of a function for the texts that a call gives, lines of each
MOST_READERS, READER_CHARS = 2, 300  # of the state that these branches set
_SET = re.compile(
    r"(?<![\w.?])(?:\w+(?:\.|->))?(\w{5,})(?::|\s*=)(?!=)\s*\S"
)  # `isOpen: true`, `this.isOpen = true`
_QUOTED = re.compile(r"[\"'`]([\w.:/-]{2,40})[\"'`]")


def show_called(state: ResearchState, subjects: Sequence[Node]) -> None:
    """Show what the first functions of each hop do: of a call, their heads say no more than it.

    What helps everywhere is only named.
    """
    met: Counter[int] = Counter()
    setting: dict[Node, list[int]] = {}  # by the text that a call gives
    for position, one in enumerate(state.findings):
        node = one.node if one.hop and not one.shown else None
        if (
            node is None
            or node.symbol.kind not in CALLABLE_KINDS
            or met[one.hop] >= MOST_CALLED
            or any(is_helper(state, node, own) for own in subjects)
        ):
            continue
        branches = _find_branches(state, node)
        if not branches and count_lines(node) > LONG_LINES:
            continue
        met[one.hop] += 1
        if branches:
            shown = (one.start_line, *branches)
            state.findings[position] = replace(one, lines=tuple(branches), shown=shown)
            setting[node] = branches
        else:
            shown = show_body(state, node, CALLED_CHARS // one.hop)
            state.findings[position] = replace(one, shown=shown)
    for node, branches in setting.items():
        _note_state_readers(state, node, branches)
    state.findings.sort(key=lambda one: one.hop > 0 and not one.shown)  # stable


def _note_state_readers(state: ResearchState, node: Node, branches: Sequence[int]) -> None:
    """Note the functions that read what the shown branches of a function set: there the call takes effect."""
    lines = state.source.read_lines(node.path)
    fields = dict.fromkeys(name for at in branches for name in _SET.findall(lines[at - 1]))
    for reader in find_readers(state, node, list(fields), MOST_READERS):
        note_reader(state, reader, node, READER_CHARS)


def _find_branches(state: ResearchState, node: Node) -> list[int]:
    """Return the lines of a function with a text that a noted call gives to it, and some behind each."""
    given = {
        text
        for link in state.links.values()
        for at in (link.lines if link.target == node.declaration else ())
        for text in _QUOTED.findall("".join(state.source.read_lines(link.source.path)[at - 1 : at]))
    }
    lines = state.source.read_lines(node.path)[: node.symbol.end_line]
    numbers = range(node.symbol.start_line + 1, len(lines) + 1) if given else ()
    held = [at for at in numbers if not given.isdisjoint(_QUOTED.findall(lines[at - 1]))][:MOST_BRANCHES]
    end = len(lines) + (not says_nothing(lines[-1])) if held else 0
    return sorted({at for first in held for at in range(first, min(first + BRANCH_LINES, end))})
