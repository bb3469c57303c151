"""Note the calls that declare an option of the command line, and the lines that use what these set."""

from __future__ import annotations

import re

from repo_mcp.research.edges.written_names import list_written
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, OptionCall, Subject
from repo_mcp.research.findings.research_state import MAX_EVIDENCE, ResearchState
from repo_mcp.text.question_words import count_words

MOST_USES = 8  # lines that use what one call sets


def note_option(state: ResearchState, option: Subject) -> None:
    """Note the calls that declare an option, and then the lines that use what they set."""
    name = option.asked
    for call in option.declaring:
        reason = Reason(f"declares the option {name}", Role.OPTION, name)
        _note_lines(state, call.path, (call.first, call.last), call.line, reason, 1)
    for call in option.declaring:
        reason = Reason(f"uses {call.bound}, which the option {name} sets", Role.READS, name)
        for path, at in list_uses_of_bound(state, call)[:MAX_EVIDENCE]:
            _note_lines(state, path, (at, at), at, reason, 2)


def _note_lines(
    state: ResearchState, path: str, span: tuple[int, int], line: int, reason: Reason, hop: int
) -> None:
    """Note some lines, named for the symbol around them."""
    around = state.source.find_around(path, line)
    symbol, kind, node_id = (
        (path, "file", None) if around is None else (around.qualified_name, around.kind, around.node_id)
    )
    shown = tuple(range(span[0], span[1] + 1))
    state.add_place(Finding(path, *span, symbol, kind, node_id, reason, hop, "text", (line,), shown=shown))


def list_uses_of_bound(state: ResearchState, call: OptionCall) -> list[tuple[str, int]]:
    """Return the other lines that use what a call sets, each with its path.

    They are those of its file, or else those of the program that have the name of the field, if that is one
    of several words.
    """
    if not call.bound:
        return []
    used = re.compile(rf"(?<![\w.]){re.escape(call.bound)}\b(?!\s*:)")
    comments = state.source.read_comment_lines(call.path)
    own = (at for at, line in enumerate(state.source.read_lines(call.path), 1) if used.search(line))
    found = [(call.path, at) for at in own if not call.first <= at <= call.last and at not in comments]
    field = call.bound.rpartition(".")[2]
    if not found and field != call.bound and count_words(field) > 1:
        others = list_written(state, field)
        found = [
            (one.path, one.start_line)
            for one in others
            if re.search(rf"\.{field}\b", one.line)
            and not (one.path == call.path and call.first <= one.start_line <= call.last)
            and one.start_line not in state.source.read_comment_lines(one.path)
        ]
    return found[:MOST_USES]
