"""Right behind the declarations that are shown, those that the best call come first."""

from __future__ import annotations

from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.related.further_functions import NEXT, put_called_further
from repo_mcp.research.seeds.seed import build_seed
from tests.repo_mcp.research.asking import Asked

NAMES = ["load", "weigh", "tie", *(f"count_{at}" for at in range(NEXT)), "stack", "unload"]
BODIES = {"load": "stack(van)", "weigh": "count_2(van)"}
VAN = "\n\n".join(f"def {name}(van):\n    return {BODIES.get(name, 'van')}\n" for name in NAMES)


def order(shown: int, beside: str = "") -> list[str]:
    control = RunControl(lambda: False)
    source = Asked({"van.py": VAN}).open_source()
    state = ResearchState(source, ResearchRequest("loading"), control, wants_tests=False)
    nodes = {node.symbol.name: node for node in state.graph.outline("van.py")}
    reason = Reason("called by load", Role.BESIDE)
    seeds = [build_seed(state, nodes[name], 1.0, reason if name == beside else None) for name in NAMES]
    return [seed.name for seed in put_called_further(state, seeds, shown)]


def test_what_the_best_call_comes_first_among_the_next() -> None:
    moved = [name for name in NAMES if name != "count_2"]
    assert order(3) == [*moved[:3], "count_2", *moved[3:]]
    assert order(5)[5:] == ["count_2", "stack", "count_3", "count_4", "unload"]


def test_what_goes_with_others_is_not_counted_as_shown() -> None:
    moved = [name for name in NAMES if name != "count_2"]
    assert order(2, beside="tie") == [*moved[:3], "count_2", *moved[3:]]
    assert order(3, beside="count_2") == NAMES  # nor does it move up


def test_the_order_of_what_is_shown_or_is_all_stays() -> None:
    assert order(len(NAMES)) == NAMES
    assert order(NAMES.index("stack")) == NAMES  # it is the next one already
