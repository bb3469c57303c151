"""What the best function calls and decides by comes before what only guessed names lead to."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Form, ResearchRequest, RunControl
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.seeds.seed import build_seed, insert_seeds, skip_beside
from tests.repo_mcp.research.asking import Asked, list_found

FERRY = '''def load_ferry(ferry, truck):
    """Load a truck on the ferry, or leave it for the next ferry."""
    space = measure_space(ferry)
    if space < truck.length:
        note_truck(ferry, truck)
        return None
    ferry.trucks.append(truck)
    weigh(ferry)
    return truck


def measure_space(ferry):
    taken = sum(truck.length for truck in ferry.trucks)
    return ferry.length - taken


def note_truck(ferry, truck):
    """Note a truck that the ferry leaves behind."""
    ferry.waiting.append(truck)
    truck.ticket = ferry.next_ticket()


def weigh(ferry):
    scale = ferry.scale
    return scale.read()
'''
GUESSED = """def clear_customs(papers):
    for paper in papers:
        paper.stamp = 1
        paper.pages.sort()
    return papers


def call_pilot(radio):
    radio.channel = 16
    radio.say("pilot")
    return radio.hear()
"""
QUESTION = "How is a truck loaded on the ferry, and which is left? (load_ferry, clear_customs, call_pilot)"


def test_a_seed_that_is_put_beside_a_better_one_stays_before_what_comes_behind_both() -> None:
    asked = Asked({"ferry.py": FERRY})
    request = ResearchRequest(QUESTION)
    control = RunControl(lambda: False)
    state = ResearchState(asked.open_source(), request, control, wants_tests=False)
    seeds = [build_seed(state, node, 1.0, Reason("")) for node in state.graph.outline("ferry.py")]
    load, measure, note, weigh = seeds
    assert note.node is not None
    near = insert_seeds(state, [load, measure, weigh, note], 1, {note.node: Reason("", Role.BESIDE)})
    assert [seed.name for seed in near] == ["load_ferry", "note_truck", "measure_space", "weigh"]
    assert skip_beside(near, 1) == 2


def test_what_sets_a_guessed_field_of_another_type_is_not_shown() -> None:
    other = "def print_label(label):\n    label.waiting = []\n    label.ink.dry()\n    return label\n"
    texts = {"ferry.py": FERRY, "labels.py": other, "office.py": GUESSED}
    found = list_found(Asked(texts).ask("How is a truck loaded on the ferry? (load_ferry, waiting)"))
    assert found[0] == "ferry.load_ferry"
    assert "labels.print_label" not in found


def test_what_a_function_of_the_same_name_decides_is_told_if_the_best_one_hands_on_to_it() -> None:
    text = """package press

func (p *Press) shouldPrint(page Page) bool {
	if !p.conf.isEnabled(page.Kind()) {
		return false
	}
	return shouldPrint(p.conf.PrintDrafts(), page.Draft(), page.Date())
}

func shouldPrint(printDrafts bool, draft bool, date Date) bool {
	if draft && !printDrafts {
		return false
	}
	if date.IsLater() {
		return false
	}
	return true
}
"""
    claim = Asked({"press.go": text}).ask("When is a draft page printed? (shouldPrint, draft, Date)").claim
    assert "`if draft && !printDrafts` → `return false`" in claim


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("when is less taken instead of the one that I set?", Form.OPEN),
        ("where is the page size set?", Form.CONFIGURED),
        ("where do I set the page size?", Form.CONFIGURED),
    ],
)
def test_what_one_has_set_oneself_is_no_setting_that_is_asked_for(question: str, form: Form) -> None:
    assert parse_question(question)[0].form is form


KITCHEN = """class Kitchen {
    void cook(Order order, Order failedOrder) {
        if (failedOrder == null) {
            return;
        }
        order.follow(failedOrder);
        if (failedOrder.count > limit) {
            sendBack(failedOrder);
        }
        serve(order.meal);
    }
}
"""


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("what happens when an order failed too often? (cook)", "if (failedOrder.count > limit)"),
        ("what happens when there is no failed order? (cook)", "if (failedOrder == null)"),
    ],
)
def test_that_something_is_missing_is_no_event_of_it(question: str, condition: str) -> None:
    assert f"There, `{condition}`" in Asked({"Kitchen.java": KITCHEN}).ask(question).claim


BAKERY = """class Bakery:
    def bake_bread(self, dough):
        weight = self.weigh_dough(dough)
        if weight > self.limit:
            self.split_dough(dough)
        return self.oven.bake(dough)

    def weigh_dough(self, dough):
        try:
            return self.scale.weigh(dough)
        except Exception as error:
            raise ScaleError(f"bread dough cannot be weighed") from error
"""


def test_a_callee_that_only_raises_another_error_does_not_handle_one() -> None:
    claim = Asked({"bakery.py": BAKERY}).ask("what happens when bread dough fails? (bake_bread)").claim
    assert "handles it" not in claim
