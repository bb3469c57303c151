"""An answer says by which conditions the best function decides, with what each leads to."""

from __future__ import annotations

import pytest

from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, find_one

GATE = """export function isAdmitted(gate, guest) {
  const { rules } = gate

  if (!rules.strict) return true

  if (rules.denies(guest)) {
    log(guest)
    return false
  }

  return guest.ticket.isValid
}
"""
SHELF = """package shelf

func fetch(label string) (*Parcel, error) {
	if label == "" {
		return nil, errNoLabel
	}
	parcel, err := store.read(label)
	if err != nil {
		return nil, err
	}
	if parcel.isLocked {
		return nil, errLocked
	}
	return parcel, nil
}
"""
ASKED = [
    (
        {"gate.ts": GATE},
        "how is it decided whether a guest is admitted?",
        "It decides: `if (!rules.strict) return true` (gate.ts:4); `if (rules.denies(guest))` →"
        " `return false` (:6).",
    ),
    (
        {"shelf.go": SHELF},
        "how is a parcel fetched by its label? (fetch)",
        'It decides: `if label == ""` → `return nil, errNoLabel` (shelf.go:4); `if parcel.isLocked`'
        " → `return nil, errLocked` (:11).",
    ),
]


@pytest.mark.parametrize(("texts", "question", "told"), ASKED)
def test_the_conditions_under_which_a_function_leaves_early_are_told(
    texts: dict[str, str], question: str, told: str
) -> None:
    assert told in Asked(texts).ask(question).claim


def test_one_condition_is_only_a_guard() -> None:
    text = GATE.replace("  if (!rules.strict) return true\n", "")
    assert "decides:" not in Asked({"gate.ts": text}).ask(ASKED[0][1]).claim


@pytest.mark.parametrize(
    "result", ["'kept or sent'", "(other) -> other.isValid", "guest.ticket << 2", "<Ticket of='a'> {guest}"]
)
def test_a_result_that_is_no_condition_does_not_make_one_condition_tell(result: str) -> None:
    text = GATE.replace("  if (!rules.strict) return true\n", "").replace("guest.ticket.isValid", result)
    assert "decides:" not in Asked({"gate.ts": text}).ask(ASKED[0][1]).claim
    text = text.replace(result, "guest.ticket > 2")
    assert "`return guest.ticket > 2` (:10)" in Asked({"gate.ts": text}).ask(ASKED[0][1]).claim


def test_a_division_is_no_comment_in_a_quoted_condition() -> None:
    text = (
        "def choose_shelf(parcel):\n    if parcel.size // 2 > 9:\n        return 1\n"
        "    if parcel.size // count if count else 0:  # so it is\n        return 2\n    return None\n"
    )
    claim = Asked({"shelf.py": text}).ask("how is the shelf of a parcel chosen? (choose_shelf)").claim
    assert "`if parcel.size // 2 > 9` → `return 1`" in claim
    assert "`if parcel.size // count if count else 0` →" in claim


def test_what_leaves_only_a_turn_of_a_loop_decides_nothing() -> None:
    turns = "".join(f"    if (gate.{name}) {{\n      continue\n    }}\n" for name in ("a", "b"))
    loop = f"  for (const gate of guest.gates) {{\n{turns}  }}\n"
    text = GATE.replace("  if (!rules.strict) return true\n", loop)
    assert "decides:" not in Asked({"gate.ts": text}).ask(ASKED[0][1]).claim


def test_of_many_conditions_those_with_words_of_the_question_are_told_and_shown() -> None:
    many = "".join(f"  if (gate.{name}) return {at}\n" for at, name in enumerate(("a", "b", "c", "d")))
    text = GATE.replace("  const { rules } = gate\n", f"  const {{ rules }} = gate\n{many}")
    report = Asked({"gate.ts": text}).ask("how is it decided whether a guest with strict rules is admitted?")
    assert "`if (!rules.strict) return true` (gate.ts:8)" in report.claim
    assert "gate.d" not in report.claim
    assert "rules.denies" in find_one(report, "isAdmitted").excerpt


def test_a_condition_is_quoted_without_the_bracket_of_the_branch_before() -> None:
    text = (
        "function chooseShelf(parcel) {\n  if (parcel.late) {\n    return 1;\n  } else if (parcel.large) {\n"
        "    return 2;\n  }\n  return place(parcel);\n}\n"
    )
    claim = Asked({"shelf.js": text}).ask("how is the shelf of a parcel chosen? (chooseShelf)").claim
    assert "; `else if (parcel.large)` → `return 2;` (:4)." in claim


def test_exits_without_a_word_of_the_question_give_way_to_the_branches_that_have_one() -> None:
    text = """class Loader:
    def load(self, place):
        if self._off:
            return
        if place in self._known:
            return
        for parent in place.parents:
            if self.holds(parent):
                found = self.read_recipe(parent)
                self.count(found)
            if parent.has_recipe():
                self.recipes.append(parent)
                self.count(parent)
"""
    report = Asked({"loader.py": text}).ask("how is it decided which recipe of a parent is loaded? (load)")
    assert (
        "It decides: `if self.holds(parent)` → `found = self.read_recipe(parent)` (loader.py:8);"
        " `if parent.has_recipe()` → `self.recipes.append(parent)` (:11)."
    ) in report.claim


def test_before_a_bare_return_stands_what_a_condition_leads_to() -> None:
    text = GATE.replace("    return false\n", "    gate.refuse(guest)\n    return\n")
    claim = Asked({"gate.ts": text}).ask(ASKED[0][1]).claim
    assert "`if (rules.denies(guest))` → `gate.refuse(guest)` (:6)" in claim


def test_all_lines_of_a_condition_that_is_told_are_shown() -> None:
    many = "".join(f"  gate.step{at}(gate.key{at}, gate.lock{at}, gate.wall{at})\n" for at in range(99))
    text = GATE.replace(
        "rules.denies(guest)", "\n    rules.denies(guest) &&\n    gate.isShut &&\n    gate.isNarrow\n  "
    ).replace("  return guest", f"{many}  return guest")
    report = Asked({"gate.ts": text}).ask(ASKED[0][1])
    assert "gate.isShut" in find_one(report, "isAdmitted").excerpt


RETRY = """def wrap_task(task):
    def run(parcel):
        try:
            return task(parcel)
        except Refused:
            raise
        if parcel is None:
            return None
        if not parcel.stamp:
            return parcel.retry
        if retry_backoff:
            parcel.delay = \\
                find_backoff(parcel.retries, retry_backoff)
        return parcel
    return run
"""


def test_a_branch_with_more_words_than_any_early_exit_is_told_first() -> None:
    question = "how is the delay of a retry decided? (wrap_task, retry_backoff)"
    claim = Asked({"task.py": RETRY}).ask(question).claim
    told = "`if retry_backoff` → `parcel.delay = find_backoff(parcel.retries, retry_backoff)` (:11)."
    assert claim.endswith(told)
    assert "Refused" not in claim


def ask_long(size: int) -> tuple[Asked, str]:
    rules = "".join(f"    if gate{at} and guest{at}:\n        return door{at}\n" for at in range(size))
    told = " ".join(f"gate{at} guest{at}" for at in range(size))
    query = f"how does open_gate decide whether it opens the door? {told}"
    return Asked({"gate.py": f"def open_gate(door):\n{rules}    return door\n"}), query


def test_each_statement_is_not_compared_with_each_word_of_a_long_question() -> None:
    assert_linear(ask_long, lambda one: one[0].ask(one[1]), 50)


def test_a_long_question_is_told_what_decides() -> None:
    asked, query = ask_long(50)
    assert "It decides: `if gate0 and guest0`" in asked.ask(query).claim


STAMPS = """class Stamps:
    @property
    def is_due(self):
        return (
            self.sender is not None
            # there are fees for heavy parcels only
            and self.weight > self.free
        )

    def charge(self, parcel):
        if not self.is_due:
            return 0
        self.log.append(parcel)
        return parcel.fee


def find_late_parcels(parcels, stamps):
    late = []
    for parcel in parcels:
        if parcel.date < stamps.today:
            late.append(parcel)
            continue
        if parcel.stamp not in stamps.known:
            late.append(parcel.copy())
    return late


def post_all(parcels, stamps):
    for parcel in find_late_parcels(parcels, stamps):
        parcel.post()
"""


def test_a_function_that_returns_a_condition_decides_by_it() -> None:
    claim = Asked({"stamps.py": STAMPS}).ask("how is it decided whether a stamp is due? (is_due)").claim
    assert (
        "Stamps.is_due decides: `return (self.sender is not None and self.weight > self.free)`"
        " (stamps.py:4)." in claim
    )


def test_a_guessed_function_that_the_best_one_calls_is_told_with_its_conditions() -> None:
    guesses = "(post_all, find_late_parcels, stamps.today, parcel.stamp)"
    question = f"how does it decide which ones to post all at once? {guesses}"
    claim = Asked({"stamps.py": STAMPS}).ask(question).claim
    assert (
        "find_late_parcels decides: `if parcel.date < stamps.today` → `late.append(parcel)`"
        " (stamps.py:20); `if parcel.stamp not in stamps.known` → `late.append(parcel.copy())` (:23)."
        in claim
    )


def test_what_only_calls_another_function_is_no_condition() -> None:
    text = (
        "def pick_shelf(parcel, shelves):\n    if parcel.heavy:\n        return shelves.find_low(parcel)\n"
        "    if is_listed(parcel):\n        return None\n    return shelves.find_next(parcel)\n\n\n"
        "def is_listed(parcel):\n    return parcel.lists.find(parcel)\n"
    )
    claim = (
        Asked({"shelf.py": text}).ask("how is it decided which shelf a parcel is put on? (pick_shelf)").claim
    )
    assert "It decides: `if parcel.heavy`" in claim
    assert "is_listed decides" not in claim


def test_a_handler_under_which_another_condition_leaves_is_not_told_by_its_end() -> None:
    text = """export function chooseRouter(routers, route) {
  for (const router of routers) {
    try {
      router.add(route)
    } catch (error) {
      if (error instanceof Unsupported) {
        continue
      }
      throw error
    }
  }
  if (route.isEmpty) {
    return first
  }
  if (route.isRouter) {
    return route
  }
}
"""
    claim = Asked({"routers.ts": text}).ask("how is it decided which router takes a route?").claim
    assert "It decides:" in claim
    assert "throw error" not in claim


def test_the_only_error_of_a_long_function_is_not_what_it_decides_by() -> None:
    steps = "".join(f"    parcel.step{at}()\n" for at in range(70))
    fails = '    if parcel.stamp is None:\n        raise ValueError("a parcel without a stamp")\n'
    question = "how is it decided which stamp a parcel gets? (choose)"
    long = Asked({"a.py": f"def choose(parcel):\n{steps}{fails}    return parcel\n"}).ask(question)
    short = Asked({"a.py": f"def choose(parcel):\n{fails}    return parcel\n"}).ask(question)
    assert "decides:" not in long.claim
    assert "It decides: `if parcel.stamp is None`" in short.claim


ENCLOSED = """class Kiln:
    def choose_glaze(self, pot, wanted=None):
        glaze = wanted or self.usual
        if not pot.bears(glaze):
            self.log(pot)
            if wanted:
                raise GlazeError(wanted)
            glaze = self.find_glaze(pot)
        else:
            self.count(pot)
            if glaze.is_empty:
                return self.clear_glaze
        return glaze
"""


def test_a_condition_is_told_and_shown_with_those_around_it() -> None:
    more = "".join(f"        self.step{at}(pot.side{at}, pot.edge{at}, pot.foot{at})\n" for at in range(80))
    text = ENCLOSED.replace("        return glaze\n", f"{more}        return glaze\n")
    report = Asked({"kiln.py": text}).ask("how is the glaze of a pot chosen? (choose_glaze, wanted)")
    around = "`if not pot.bears(glaze)` (:4)"
    assert f"`if wanted` → `raise GlazeError(wanted)` (kiln.py:6) inside {around}" in report.claim
    told = f"`if glaze.is_empty` → `return self.clear_glaze` (:11) inside the `else` of {around}"
    assert told in report.claim
    shown = find_one(report, "kiln.Kiln.choose_glaze").excerpt
    assert shown.index("if not pot.bears") < shown.index("if wanted")


def test_a_condition_under_one_that_is_told_names_its_line() -> None:
    text = ENCLOSED.replace("            self.log(pot)\n", "            pot.glaze_later(wanted)\n").replace(
        "            glaze = self.find_glaze(pot)\n", "            return self.find_glaze(pot)\n"
    )
    claim = Asked({"kiln.py": text}).ask("how is the glaze of a pot chosen? (choose_glaze, wanted)").claim
    assert "`if wanted` → `raise GlazeError(wanted)` (:6) inside that of line 4" in claim
