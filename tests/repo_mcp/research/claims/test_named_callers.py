"""Who calls a member of one type: all of a few, and guesses as such."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.parts import split_question
from tests.repo_mcp.research.asking import Asked

DEPOT = (
    "class ParcelDepot {\n"
    "    void report(Parcel parcel, State state) {\n        rows.put(parcel, state);\n    }\n\n"
    "    void report(boolean local) {\n        flush(local);\n    }\n\n"
    "    void close() {\n        report(true);\n    }\n}\n"
)


@pytest.mark.parametrize(
    "part", ["which state does each of them report", "what do they pass", "which key does each caller give"]
)
def test_what_callers_pass_belongs_to_the_question_for_them(part: str) -> None:
    query = f"Who calls keep, and {part}?"
    assert split_question(query) == (query,)
    assert len(split_question(f"Where is KEPT configured, and {part}?")) == 2


def test_all_of_a_few_callers_are_named() -> None:
    calls = "".join(
        f"    void way{number}(Parcel parcel) {{\n        depot.report(parcel, State.SENT);\n    }}\n\n"
        for number in range(5)
    )
    ways = f"class Ways {{\n    private ParcelDepot depot;\n\n{calls}}}\n"
    asked = Asked({"src/ParcelDepot.java": DEPOT, "src/Ways.java": ways})
    claim = asked.ask("who calls ParcelDepot.report").claim
    for number in range(5):
        assert f"Ways.way{number} " in claim
    assert "more" not in claim


def test_a_guess_beside_sure_callers_is_told_as_one() -> None:
    texts = {
        "depot.py": "class Depot:\n    def report(self, parcel):\n        return parcel\n",
        "tally.py": "class Tally:\n    def report(self, parcel):\n        return parcel\n",
        "work.py": "from depot import Depot\n\n\ndef deliver(parcel):\n    Depot().report(parcel)\n\n\n"
        "def lose(any, parcel):\n    any.report(parcel)\n",
    }
    assert Asked(texts).ask("who calls Depot.report").claim == (
        "Depot.report (depot.py:2-3) is called by work.deliver (work.py:4-5), and perhaps by"
        " work.lose (work.py:8-9)."
    )


def test_a_method_that_is_overridden_is_no_caller() -> None:
    text = (
        "interface Gate {\n    void lift(int load);\n}\n\nclass WoodenGate implements Gate {\n"
        "    public void lift(int load) {\n        beam = load;\n    }\n}\n\n"
        "class Guard {\n    Gate gate;\n\n"
        "    void admit(int load) {\n        gate.lift(load);\n    }\n}\n"
    )
    claim = Asked({"Gate.java": text}).ask("Who calls WoodenGate.lift?").claim
    assert claim == (
        "Nothing in the repository is known to call WoodenGate.lift (Gate.java:6-8) directly. Calls may"
        " reach it through Gate.lift (Gate.java:2), called by Guard.admit (Gate.java:14-16)."
    )


def test_calls_that_could_not_be_resolved_are_counted_where_no_caller_is_known() -> None:
    texts = {
        "src/lib.rs": "pub struct Heap;\nimpl Heap {\n    pub fn push(&self, one: u8) {}\n}\n",
        "src/main.rs": "fn run(one: u8) {\n    let it = make(one);\n    it.push(1);\n    it.push(2);\n}\n",
    }
    assert Asked(texts).ask("what calls Heap::push").claim == (
        "Nothing in the repository is known to call Heap.push (src/lib.rs:3). What 2 calls of push mean, as"
        " in src/main.rs:3, could not be resolved."
    )
