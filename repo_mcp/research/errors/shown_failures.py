"""Choose the lines of a function that tell which errors it makes: its head, what it raises, and under what.

    def send(self, parcel):                             the head
        if parcel.weight > self.most:                   what encloses an error
            raise TooHeavy(                             all of the statement that makes it
                parcel,
            )

The rest of a function says what it does when nothing fails, which takes the room of other functions that do.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.bodies.body import says_nothing
from repo_mcp.bodies.chosen_lines import keep_around
from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.lines import join_open
from repo_mcp.research.errors.raising_lines import list_raising
from repo_mcp.research.findings.research_state import ResearchState, build_finding

MOST_LINES = 5  # of one statement
MOST_ERRORS = 12  # shown of one function


def show_failures(state: ResearchState, node: Node) -> list[int]:
    """Return the lines of a function that tell which errors it makes; none if none leaves it."""
    lines = state.source.read_lines(node.path)
    end = min(node.symbol.end_line, len(lines))
    raising = list_raising(state, build_finding(node))[:MOST_ERRORS]
    used = {
        at for one in raising for at in _list_statement(lines[:end], one) if not says_nothing(lines[at - 1])
    }
    if not used:
        return []
    own = [
        at for at in range(node.symbol.start_line, end + 1) if at in used or not says_nothing(lines[at - 1])
    ]
    return [*keep_around(lines, own, sorted(used))]


def _list_statement(lines: Sequence[str], first: int) -> range:
    """Return the lines of the statement that begins in a line, of which its brackets tell the end."""
    text = join_open(lines[first - 1 : first - 1 + MOST_LINES])
    return range(first, first + text.count("\n"))
