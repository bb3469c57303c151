"""The overloads of a type whose errors are asked for: those that fail, and few others."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.asked_types import MOST_OF_TYPE, choose_of_types
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from tests.repo_mcp.research.asking import Asked

OTHERS = 8


def list_followed(failing: int) -> list[int]:
    """Return the positions of the overloads that are followed; the first `failing` ones throw."""
    heads = [f"    Row open(Kind{n} kind)" for n in range(failing + OTHERS)]
    bodies = [
        " { throw new KindException(kind); }\n"
        if n < failing
        else f" {{{n * chr(10)}        return kind.row; }}\n"
        for n in range(failing + OTHERS)
    ]
    text = "public class Box {\n" + "".join(map(str.__add__, heads, bodies)) + "}\n"
    source = Asked({"Box.java": text}).open_source()
    control = RunControl(lambda: False)
    state = ResearchState(source, ResearchRequest("what can open throw?"), control, wants_tests=False)
    overloads = [node for node in state.graph.outline("Box.java") if node.symbol.name == "open"]
    assert len(overloads) == failing + OTHERS
    chosen = choose_of_types(state, overloads, are_all=True)
    return [overloads.index(node) for node in chosen]


@pytest.mark.parametrize("failing", [0, 1, MOST_OF_TYPE, MOST_OF_TYPE + 1])
def test_the_longest_others_fill_up_what_the_failing_ones_leave(failing: int) -> None:
    every = [*range(failing + OTHERS)]
    others = max(0, MOST_OF_TYPE - failing)
    assert list_followed(failing) == [*every[:failing], *every[len(every) - others :]]
