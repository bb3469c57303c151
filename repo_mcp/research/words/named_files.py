"""Find the files that a question on where to add something names: "where does a new code go? (codes.tbl)".

They lead whatever they hold, for no parser may read them. Their first and last entries are shown.
"""

from __future__ import annotations

import re

from repo_mcp.research.findings.locating import list_ending
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, note_lines
from repo_mcp.text.lines import is_comment

MOST_FILES = 3  # named by one question
FIRST, LAST = 2, 4  # entries that are shown of each
# A name with an ending, or any path: `codes.tbl`, `net/Kconfig`
_FILE = re.compile(
    r"(?<![\w/.+-])(?:(?:[\w.+-]+/)*[\w+-][\w.+-]*\.[A-Za-z]\w{0,9}|(?:[\w.+-]+/)+[\w+-]+)(?![\w/(])"
)
_NAMED = Reason("the question names the file", Role.NAMED_FILE)


def note_named_files(state: ResearchState) -> None:
    """Note the files of the tree that a question or its guesses name, best first."""
    names = [*dict.fromkeys(_FILE.findall(state.request.full_text))]
    paths = state.graph.name_uses.list_source_paths() if names else []
    found = (next(filter(state.admits, list_ending(paths, name)), None) for name in names)
    for path in [*dict.fromkeys(path for path in found if path is not None)][:MOST_FILES]:
        lines = state.source.read_lines(path)
        entries = [at for at, line in enumerate(lines, 1) if line.strip() and not is_comment(line)]
        is_list = not state.graph.outline(path)  # otherwise its declarations are found by themselves
        shown = tuple(sorted({*entries[:FIRST], *entries[-LAST:]} if is_list else entries[:1]))
        note_lines(state, path, (1, max(1, len(lines))), path, _NAMED, 0, shown[-1:], shown=shown)
