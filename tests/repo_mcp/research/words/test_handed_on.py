"""What the best declaration hands on to is shown behind it, whatever words it has."""

from __future__ import annotations

import pytest

from repo_mcp.research.words.handed_on import _find_use, _Use
from tests.repo_mcp.research.asking import Asked, find_one, list_found

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


def test_what_is_passed_on_needs_a_word_of_the_question() -> None:
    report = Asked(FILES).ask("how is a notice of a setting shown?")
    reasons = {one.symbol: one.why for one in report.findings}
    assert reasons[f"{HANDED}.drop_old_notice"] == "a step of show_notice"
    assert "a step of" not in reasons.get(f"{HANDED}.on_ring", "")
    assert "a step of" not in reasons.get(f"{HANDED}.prepare", "")


def test_an_abstract_function_stands_for_those_that_override_it() -> None:
    report = Asked(FILES).ask("how is a notice of a setting shown (ask, whether)?")
    assert find_one(report, "loud.LoudPresenter.ask_whether").why.startswith("a step of ")


GO = {
    "proxy/proxy.go": """package proxy

type Handler struct{ fails int }

func (h *Handler) forwardVisitor(visitor string) error {
	if h.countFailure(visitor) {
		return nil
	}
	return reset(visitor)
}
""",
    "proxy/checks.go": """package proxy

func (h *Handler) countFailure(name string) bool {
	h.fails++
	if h.fails > 3 {
		return true
	}
	return false
}

func reset(name string) error {
	if name == "" {
		return nil
	}
	return clear(name)
}
""",
}


def test_a_method_of_the_same_type_may_be_in_another_file() -> None:
    report = Asked(GO).ask("what happens when a visitor is forwarded?")
    assert find_one(report, "proxy.Handler.countFailure").why == "a step of forwardVisitor"


@pytest.mark.parametrize(
    ("lines", "use"),
    [
        (["    for one in self.list_all(name):"], _Use.DECIDES),
        (["} else if (!list_all(name)) {"], _Use.DECIDES),
        (["return list_all(name)"], _Use.DECIDES),
        (["socket.ready.connect(self.list_all)"], _Use.HANDED),
        (["list_all(1)", "list_all(2)"], _Use.HANDED),
        (["list_all(1)"], _Use.CALLED),
        (["x = y(list_all(1))"], _Use.CALLED),
    ],
)
def test_how_lines_use_a_function(lines: list[str], use: _Use) -> None:
    assert _find_use("list_all", lines) is use


@pytest.mark.parametrize(("users", "is_said"), [(3, True), (9, False)])
def test_the_users_of_what_many_use_are_no_findings(users: int, is_said: bool) -> None:
    texts = {
        "post.py": "from clock import start\n\n\ndef stamp_letter(letter):\n    if letter:\n"
        "        start(letter)\n    return letter\n",
        "clock.py": "def start(one):\n    one.begin = 1\n    return one\n",
    }
    for number in range(users):
        texts[f"use{number}.py"] = f"from clock import start\n\n\ndef wait{number}(one):\n    start(one)\n"
    report = Asked(texts).ask("how is a letter stamped?")
    assert find_one(report, "clock.start").hop == 1
    assert any(one.symbol.startswith("use") for one in report.findings) is is_said


def test_nothing_is_handed_on_by_what_may_not_be_asked_for() -> None:
    texts = FILES | {
        "zoo.py": "def feed_elephant(food):\n    if food:\n        food.pop()\n    return food\n"
    }
    report = Asked(texts).ask("how is a notice of a setting shown to an elephant?")
    assert "lacks the word elephant" in report.claim
    assert not any("a step of" in one.why for one in report.findings)


def test_groups_are_around_the_best_ones_and_not_around_what_they_hand_on_to() -> None:
    texts = FILES | {"hush.py": "from bells import Presenter\n\n\nclass Hush(Presenter):\n    loud = False\n"}
    report = Asked(texts).ask("how is a notice of a setting shown (ask, whether)?")
    assert "bells.Presenter" in list_found(report)
    places = {group.what: group.places for group in report.groups}
    assert places["implementers"] == ("hush.Hush (hush.py:4-5)",)


GUARD = """def let_parcel_in(parcel, gate):
    if parcel.is_done:
        return admit(parcel, gate)
    weigh_sealed(parcel)
    return admit(parcel, gate)


def admit(thing, gate):
    thing.is_done = True
    gate.count += 1
    return None


def weigh_sealed(parcel):
    if parcel.seal is None:
        raise Rejected("a parcel without a seal")
    if parcel.seal.weight > parcel.weight:
        raise Rejected("the seal of the parcel is too heavy")
"""


def test_what_fits_the_question_is_not_put_behind_what_has_none_of_its_words() -> None:
    report = Asked({"guard.py": GUARD}).ask("When does the gate let a parcel with a seal in?")
    assert [one.name for one in report.findings] == ["let_parcel_in", "weigh_sealed", "admit"]
