"""The findings that an answer shows, and the one of which it shows the lines that fit."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Report
from repo_mcp.toolsets.research.report_record import add_lines, cut_report
from repo_mcp.toolsets.research.shown_findings import choose_all, count_shown, shorten
from tests.repo_mcp.research.asking import Asked

STEPS = "".join(f"    queue.load(part, {step}, 'one step of a part after the other')\n" for step in range(12))
TEXTS = {
    "first.py": f"def load_queue(queue, part):\n{STEPS}",
    "second.py": f"def load_queue_again(queue, part):\n{STEPS}{STEPS}",
    "third.py": "def load_queue_late(queue):\n    if queue:\n        queue.load(part)\n    return queue\n",
}


@pytest.fixture(scope="module")
def report() -> Report:
    return Asked(TEXTS).ask("how is a part of the queue loaded?")


def list_lines(report: Report, rows: int, room: int) -> list[tuple[str, int]]:
    """Return the names of the findings that are shown, each with the number of its lines."""
    shown, others = choose_all(report, rows, room)[0]
    assert {id(one) for one in others}.isdisjoint(map(id, shown))
    assert len(shown) + len(others) == len(report.findings)
    return [(one.name, one.excerpt.count("\n")) for one in shown]


def test_of_one_more_finding_the_lines_that_fit_are_shown(report: Report) -> None:
    whole = dict(list_lines(report, 3, 0))
    first, second, third = whole
    assert (whole["load_queue_again"], whole["load_queue_late"]) == (25, 4)
    assert list_lines(report, 3, 10_000) == [*whole.items()]
    assert [name for name, _ in list_lines(report, 1, 0)] == [first]
    assert list_lines(report, 1, 10_000) == [(first, whole[first]), (second, whole[second])]
    assert list_lines(report, 1, 800) == [(first, whole[first]), (second, 10)]  # one of them a gap
    assert list_lines(report, 1, 400) == [
        (first, whole[first]),
        (third, whole[third]),
    ]  # a shorter one behind
    assert list_lines(report, 1, 100) == [(first, whole[first])]


def test_the_answer_has_them_in_place_of_a_name(report: Report) -> None:
    plain, longer = cut_report(report, 1), add_lines(report, 1, 10_000)
    assert longer is not None
    assert len(longer.result["findings"]) == len(plain.result["findings"]) + 1
    assert add_lines(report, 1, 100) is None
    assert "load_queue_again" not in str(longer.result["surroundings"])


def test_a_finding_cut_to_its_room_keeps_the_lines_for_which_it_was_found() -> None:
    excerpt = "".join(f"{at}\tline {at}\n" for at in range(10, 30))
    reason = Reason("sets it", Role.SETS)
    found = Finding(
        "a.go", 10, 29, "a.run", "function", None, reason, 1, "text", (27,), "run", excerpt=excerpt
    )
    short = shorten(found, 300)
    assert short is not None
    lines = short.excerpt.splitlines()
    assert (lines[0], lines[-2:]) == ("10\tline 10", ["…", "27\tline 27"])


def test_a_finding_cut_to_its_room_loses_the_lines_worth_least() -> None:
    steps = "".join(f"    prepare({step}, 'one of the steps before')\n" for step in range(40))
    send = "    if letter.is_late:\n        queue.send(letter.address)\n"
    texts = {"post.py": f"def send_late_letter(queue, letter):\n{steps}{send}{steps}    return queue\n"}
    report = Asked(texts).ask("how is a late letter sent to its address?")
    (found,) = (one for one in report.findings if one.name == "send_late_letter")
    short = shorten(found, 500)
    assert short is not None
    assert short.excerpt.count("\n") < found.excerpt.count("\n")
    assert "queue.send(letter.address)" in short.excerpt


LOOMS = {
    "loom.py": "def weave_cloth(loom, yarn):\n    if yarn.is_short:\n        return None\n"
    "    cloth = tighten(loom.weave(yarn))\n    return cloth\n\n\n"
    "def tighten(piece):\n    piece.pull(1)\n    piece.pull(2)\n    piece.turn(1)\n    return piece\n\n\n"
    "def dress(room):\n    room.sweep()\n    tighten(room.curtain)\n    return room\n",
}


@pytest.mark.parametrize("depth", [None, 2])
def test_what_only_calls_reach_is_shown_where_a_depth_is_asked_for(depth: int | None) -> None:
    report = Asked(LOOMS).ask("how is cloth woven of yarn? (weave_cloth)", depth)
    shown = {one["symbol"] for one in cut_report(report, count_shown(report)).result["findings"]}
    assert "loom.weave_cloth" in shown
    assert ("loom.dress" in shown) is (depth is not None)
