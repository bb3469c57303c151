"""What does a part of the work of the best declaration is found, whatever words it has."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.statements import decides
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Report
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, find_one, list_found

KILN = '''def fire_kiln(kiln, batch):
    """Fire the kiln with a batch of clay."""
    if batch.is_wet:
        batch.dry()
    kiln.heat(batch.clay)
    bar_door(kiln)
    return kiln.fire(batch)


def bar_door(oven):
    oven.lid.bar()
    oven.lamp = "red"


def run_night(shop):
    for load in shop.waiting:
        fire_kiln(shop.oven, load)


def weigh_batch(kiln, clay):
    """Weigh a batch of clay before it is fired in the kiln."""
    if clay.is_wet:
        return kiln.scale.weigh(clay) / 2
    return kiln.scale.weigh(clay)


def paint_clay(kiln, batch):
    """Paint the fired clay of a batch from the kiln."""
    for piece in kiln.fired(batch.clay):
        piece.paint()


'''
QUESTION = "how is the kiln fired with a batch of clay? (fire_kiln, door)"


def list_parts(report: Report) -> list[str]:
    return [one.symbol for one in report.findings if one.role is Role.BESIDE]


def ask(text: str) -> list[str]:
    return list_parts(Asked({"kiln.py": text}).ask(QUESTION))


def test_a_short_callee_is_shown_if_its_name_has_a_word_of_the_question_or_a_guess() -> None:
    assert ask(KILN) == ["kiln.bar_door"]


def test_a_function_of_the_file_that_only_the_best_one_calls_is_a_part_of_it() -> None:
    calling = KILN.replace("    bar_door(kiln)\n", "    sweep(kiln)\n")
    sweep = "def sweep(oven):\n    oven.ash = None\n    oven.rake.turn()\n\n\n"
    assert ask(calling + sweep) == ["kiln.sweep"]
    others = "def clean(oven):\n    sweep(oven)\n    return oven\n\n\n"
    assert ask(calling + sweep + others) == []


NOTICES = '''class Presenter:
    def show_notice(self, setting):
        """Show a notice with the presenter of the setting."""
        self.prepare()
        for made in self.list_candidates(setting):
            self.shown = made()
        self.bell.rang.connect(self.on_ring)
        if self.shown:
            self.ask_whether(setting, self.drop_old_notice)
        self.ask_whether(setting)

    def prepare(self):
        self.shown = None
        if self.bell:
            self.bell.stop()

    def list_candidates(self, setting):
        found = [Bubble]
        if setting:
            found.insert(0, Tray)
        return found

    def on_ring(self):
        if self.bell:
            self.bell.stop()
            self.bell = None

    def drop_old_notice(self):
        if self.shown:
            self.shown.close()
            self.shown = None

    def ask_whether(self, setting, custom=None):
        raise NotImplementedError
'''
LOUD = """from bells import Presenter


class LoudPresenter(Presenter):
    def ask_whether(self, setting, custom=None):
        if setting:
            custom()
        return setting
"""
WORDS = """def print_notice(notice, setting):
    if notice:
        print(notice, setting)
    return setting
"""
FILES = {"bells.py": NOTICES, "loud.py": LOUD, "words.py": WORDS}
BEST, HANDED = "bells.Presenter.show_notice", "bells.Presenter"


def test_what_is_looped_over_comes_behind_the_best_one() -> None:
    report = Asked(FILES).ask("how is a notice of a setting shown?")
    found = list_found(report)
    assert found[0] == BEST
    assert f"{HANDED}.list_candidates" in found[1:4]
    assert "return found" in find_one(report, f"{HANDED}.list_candidates").excerpt


def test_what_is_passed_on_is_a_part_if_it_has_a_word_of_the_question() -> None:
    found = list_found(Asked(FILES).ask("how is a notice of a setting shown (drop, old)?"))
    assert f"{HANDED}.drop_old_notice" in found
    assert f"{HANDED}.on_ring" not in found


def test_an_abstract_function_stands_for_those_that_override_it() -> None:
    report = Asked(FILES).ask("how is a notice of a setting shown (ask, whether)?")
    found = list_found(report)
    assert found.index("loud.LoudPresenter.ask_whether") < found.index(f"{HANDED}.ask_whether")


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("    for one in self.list_all(name):", True),
        ("} else if (!list_all(name)) {", True),
        ("return list_all(name)", True),
        ("socket.ready.connect(self.list_all)", False),
        ("x = y(list_all(1))", False),
    ],
)
def test_lines_that_loop_over_branch_on_or_return_a_name_decide_by_it(line: str, does: bool) -> None:
    assert decides("list_all", [line]) is does


def test_a_part_is_found_behind_any_number_of_other_calls() -> None:
    many = "".join(f"    kiln.note({at})\n    log_{at}(kiln)\n" for at in range(45))
    logs = "".join(f"def log_{at}(oven):\n    return oven\n\n\n" for at in range(45))
    sweep = "def sweep(oven):\n    oven.ash = None\n    oven.rake.turn()\n\n\n"
    text = KILN.replace("    bar_door(kiln)\n", f"{many}    sweep(kiln)\n") + sweep + logs
    assert ask(text) == ["kiln.sweep"]


def test_a_function_with_a_single_statement_is_no_part() -> None:
    assert ask(KILN.replace('    oven.lid.bar()\n    oven.lamp = "red"\n', "    oven.lid.bar()\n")) == []


@pytest.mark.parametrize(("users", "is_said"), [(3, True), (9, False)])
def test_the_users_of_what_many_use_are_no_findings(users: int, is_said: bool) -> None:
    texts = {
        "post.py": "from clock import start\n\n\ndef stamp_letter(letter):\n    if letter:\n"
        "        start(letter)\n    return letter\n",
        "clock.py": "def start(one):\n    one.begin = 1\n    return one\n",
    }
    for number in range(users):
        texts[f"use{number}.py"] = f"from clock import start\n\n\ndef wait{number}(one):\n    start(one)\n"
    report = Asked(texts).ask("how is a letter stamped?", depth=2)
    assert find_one(report, "clock.start").hop == 1
    assert any(one.symbol.startswith("use") for one in report.findings) is is_said


def test_what_a_line_decides_by_is_read_in_linear_time() -> None:
    assert decides("late", ["    } else if late {"])
    assert_linear(lambda size: " " * size + "!", lambda line: decides("late", [line]), 10_000)
