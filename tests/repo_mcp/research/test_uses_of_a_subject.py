"""What the functions that call a subject do with it, and the chains of calls that lead to it."""

from __future__ import annotations

from repo_mcp.research.edges.chains import ONLY_TESTS
from repo_mcp.toolsets.research.shown_findings import count_shown
from tests.repo_mcp.research.asking import Asked, find_one

STEPS = "".join(f"    log.note('step {step}', plan)\n" for step in range(20))
DEPOT = f"""def move_parcels(depot, waiting):
    for parcel in list(waiting):
        depot.take(parcel)
        waiting.discard(parcel)


def empty_lorry(depot, plan, waiting, log):
{STEPS}    move_parcels(depot, waiting)
{STEPS}    if waiting:
        raise StillWaiting(waiting)
    return plan
"""
CALLERS = "".join(
    f"def call_{number}(depot, box):\n    move_parcels(depot, box)\n\n\n" for number in range(7)
)
TESTS = (
    "import depot\nfrom depot import move_parcels\n\n\ndef test_it_moves():\n    move_parcels(None, set())\n"
)
LORRY_TEST = "\n\ndef test_a_lorry():\n    depot.empty_lorry(None, 1, set(), None)\n"
ASKED = Asked({"depot.py": DEPOT, "tests/test_depot.py": TESTS})


def test_a_caller_is_shown_with_what_it_does_with_what_it_passes() -> None:
    for query in ("what calls move_parcels()", "what breaks if I change move_parcels"):
        excerpt = find_one(ASKED.ask(query), "depot.empty_lorry").excerpt
        assert "if waiting:" in excerpt
        assert "raise StillWaiting(waiting)" in excerpt
        assert "move_parcels(depot, waiting)" in excerpt
        assert "step 3" not in excerpt


def test_of_many_callers_each_is_shown_with_its_calls_alone() -> None:
    asked = Asked({"depot.py": DEPOT, "callers.py": "from depot import move_parcels\n\n\n" + CALLERS})
    excerpt = find_one(asked.ask("what calls move_parcels()"), "depot.empty_lorry").excerpt
    (at,) = (at for at, line in enumerate(DEPOT.split("\n"), 1) if line.startswith("    move_parcels("))
    assert excerpt == f"{at}\tmove_parcels(depot, waiting)\n"  # its name and place say the rest


def test_tests_that_lead_to_a_subject_through_others_take_no_room_from_its_callers() -> None:
    tests = "".join(
        f"\n\ndef test_lorry_{one}():\n    depot.empty_lorry(None, 1, set(), None)\n" for one in "abc"
    )
    report = Asked({"depot.py": DEPOT, "tests/test_depot.py": "import depot\n" + tests}).ask(
        "what calls move_parcels()"
    )
    assert count_shown(report) == 2  # the function and its caller


def test_no_chain_of_calls_begins_in_a_test() -> None:
    chains = ASKED.ask("what calls move_parcels()").chains
    assert [one.symbols for one in chains] == [("depot.empty_lorry", "depot.move_parcels")]


def test_a_chain_ends_where_only_tests_go_on() -> None:
    texts = {"depot.py": DEPOT, "tests/test_depot.py": TESTS + LORRY_TEST}
    chains = Asked(texts).ask("what calls move_parcels()", depth=3).chains
    assert [(one.symbols[0], one.ends) for one in chains] == [("depot.empty_lorry", ONLY_TESTS)]


def test_overrides_with_calls_of_their_own_are_named() -> None:
    text = "class Base:\n    def haul(self): ...\n\n\nclass Near(Base):\n    def haul(self): ...\n\n\n"
    text += "def first(one: Base):\n    one.haul()\n\n\ndef second(one: Near):\n    one.haul()\n"
    answer = Asked({"a.py": text}).ask("what calls Base.haul?").claim
    assert answer.endswith(" 1 override has calls of its own: Near.haul (1).")


def test_what_uses_a_method_through_its_base_depends_on_it() -> None:
    text = "class Base:\n    def haul(self): ...\n\n\nclass Near(Base):\n    def haul(self): ...\n\n\n"
    text += "def first(one: Base):\n    one.haul()\n\n\ndef second(one: Near):\n    one.haul()\n"
    answer = Asked({"a.py": text}).ask("what breaks if I change Near.haul?").claim
    assert answer == (
        "Near.haul (a.py:6) is used by a.second (a.py:13-14)."
        " Calls may reach it through Base.haul (a.py:2), called by a.first (a.py:9-10)."
    )


def test_the_body_of_a_long_type_is_no_answer_to_who_implements_it() -> None:
    members = "".join(
        f"    def step_{at}(self):\n        if self.done:\n            raise Done({at})\n\n"
        for at in range(9)
    )
    texts = {"lift.py": f"class Lift:\n{members}\n\nclass Hoist(Lift):\n    pass\n"}
    asked = Asked(texts)
    assert find_one(asked.ask("what implements Lift"), "lift.Lift").excerpt == "1\tclass Lift:\n"
    assert "raise Done" in find_one(asked.ask("what depends on Lift"), "lift.Lift").excerpt


def test_who_calls_a_callee_is_not_told_where_callees_are_asked_for() -> None:
    texts = {"depot.py": DEPOT, "callers.py": "from depot import move_parcels\n\n\n" + CALLERS}
    groups = Asked(texts).ask("what does empty_lorry call?").groups
    assert not any(one.what.startswith("callers") for one in groups)
