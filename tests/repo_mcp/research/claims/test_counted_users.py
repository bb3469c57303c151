"""How many users there are, whatever an answer has room for, and which of them are only possible."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

DEPOT = "class Depot:\n    def report(self, parcel):\n        return parcel\n"
TALLY = "class Tally:\n    def report(self, parcel):\n        return parcel\n"


def _write_ways(number: int, line: str, head: str = "from depot import Depot\n") -> str:
    """Return functions `way0`, `way1` and so on, each with one line."""
    ways = "".join(f"\n\ndef way{one}(any, parcel):\n    {line}\n" for one in range(number))
    return f"{head}{ways}"


def test_callers_beyond_those_shown_are_counted() -> None:
    texts = {"depot.py": DEPOT, "work.py": _write_ways(95, "Depot().report(parcel)")}
    claim = Asked(texts).ask("who calls Depot.report").claim
    assert " and 89 more." in claim  # six are named


def test_a_direct_user_that_is_also_reached_in_two_steps_is_counted() -> None:
    ways = _write_ways(60, "Depot().report(parcel)").replace(
        "    Depot().report(parcel)\n", "    way0(any, parcel)\n    Depot().report(parcel)\n"
    )
    claim = Asked({"depot.py": DEPOT, "work.py": ways}).ask("what uses Depot.report").claim
    assert " and 57 more." in claim


def test_tests_beyond_those_shown_are_counted() -> None:
    texts = {"depot.py": DEPOT, "tests/test_depot.py": _write_ways(95, "Depot().report(parcel)")}
    claim = Asked(texts).ask("who calls Depot.report").claim
    assert claim.endswith("is called at 95 places in tests.")


def test_calls_on_what_has_no_known_type_are_counted_beside_those_of_tests() -> None:
    texts = {
        "depot.py": DEPOT.replace("report", "add"),  # so common that its name alone tells nothing
        "tests/test_depot.py": _write_ways(1, "Depot().add(parcel)"),
        "work.py": _write_ways(2, "any.add(parcel)", ""),
    }
    claim = Asked(texts).ask("who calls Depot.add").claim
    assert claim == (
        "Depot.add (depot.py:2-3) is called at 1 place in tests. What 2 more calls of add mean,"
        " as in work.py:4, could not be resolved."
    )


def test_what_is_only_possible_is_not_stated_as_a_fact() -> None:
    texts = {"depot.py": DEPOT, "tally.py": TALLY, "work.py": _write_ways(2, "any.report(parcel)", "")}
    assert Asked(texts).ask("who calls Depot.report").claim == (
        "Depot.report (depot.py:2-3) is perhaps called by work.way0 (work.py:3-4) and"
        " work.way1 (work.py:7-8)."
    )


def test_callers_through_a_base_are_counted() -> None:
    calls = "".join(
        f"    void way{number}(int load) {{\n        gate.lift(load);\n    }}\n\n" for number in range(14)
    )
    text = (
        "interface Gate {\n    void lift(int load);\n}\n\nclass WoodenGate implements Gate {\n"
        "    public void lift(int load) {\n        beam = load;\n    }\n}\n\n"
        f"class Guard {{\n    Gate gate;\n\n{calls}}}\n"
    )
    claim = Asked({"Gate.java": text}).ask("Who calls WoodenGate.lift?").claim
    assert "called by Guard.way0 (Gate.java:14-16)" in claim
    assert claim.endswith(" and 11 more.")


def test_declarations_that_were_not_followed_are_told() -> None:
    texts = {
        f"depot{number}.py": f"def keep(parcel):\n    return parcel + {number}\n" for number in range(8)
    } | {"work.py": "from depot0 import keep\n\n\ndef deliver(parcel):\n    keep(parcel)\n"}
    claim = Asked(texts).ask("who calls keep").claim
    assert claim.endswith(" 2 more declarations of this name were not followed.")


def test_a_group_that_was_not_read_whole_counts_at_least_so_many() -> None:
    case = "from depot import Depot\n\n\ndef check():\n    Depot().report(1)\n"
    texts = {"depot.py": DEPOT, **{f"tests/test_{at:02}.py": case for at in range(40)}}
    groups = Asked(texts).ask("how does a depot report a parcel").groups
    assert [one.places[-1][:13] for one in groups if one.what == "tests"] == ["and at least "]


def test_possible_tests_stand_in_brackets_behind_the_sure_ones() -> None:
    texts = {
        "depot.py": DEPOT,
        "tally.py": TALLY,
        "tests/test_depot.py": _write_ways(2, "Depot().report(parcel)"),
        "tests/test_any.py": _write_ways(3, "any.report(parcel)", ""),
    }
    claim = Asked(texts).ask("who calls Depot.report").claim
    assert claim == "Depot.report (depot.py:2-3) is called at 2 places in tests (perhaps 5)."
