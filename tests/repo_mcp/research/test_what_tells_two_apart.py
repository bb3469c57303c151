"""What a question for a difference shows: where both sides are decided on, and what is done on each."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

RULE = """class Rule:
    def __init__(self):
        self.final = False
        self.final_min_level = None

    def __str__(self):
        if self.final or self.final_min_level:
            return "final"
        return "rule"
"""
CHAIN = """from rule import Rule


def is_suppressed(rule: Rule, final_min_level, level):
    if final_min_level is None:
        return False
    suppressed = final_min_level > level
    if rule.final:
        suppressed = True
    return suppressed


def suppress(rule: Rule, level):
    return is_suppressed(rule, rule.final_min_level, level)
"""


def test_a_function_that_is_handed_one_value_and_reads_the_other_decides_by_both() -> None:
    report = Asked({"rule.py": RULE, "chain.py": CHAIN}).ask(
        "What is the difference between `final` and `final_min_level`?"
    )
    assert "is_suppressed (chain.py:5, :7, :8)" in report.claim
    assert "is_suppressed asks `if final_min_level is None` and `if rule.final`." in report.claim
    deciding = [one.symbol for one in report.findings if one.reason.text == "decides by all that is compared"]
    assert deciding == ["chain.is_suppressed", "rule.Rule.__str__"]  # what prints a value decides little
    shown = next(one for one in report.findings if one.symbol == "chain.is_suppressed")
    assert "suppressed = True" in shown.excerpt


CLIENT = """class Row {
  reset() {
    this.state = 'initial'
  }
  invalidate() {
    this.stale = true
  }
}

export class Client {
  rows: Row[] = []
  resetRows() {
    this.rows.forEach((row: Row) => {
      row.reset()
    })
  }
  invalidateRows() {
    this.rows.forEach((row: Row) => {
      row.invalidate()
    })
  }
}
"""


def test_what_is_done_names_the_functions_that_do_it() -> None:
    report = Asked({"src/client.ts": CLIENT}).ask(
        "What is the difference between invalidating and resetting rows?"
    )
    assert report.reading.form == "difference"
    assert [one.symbol.rpartition(".")[2] for one in report.findings[:2]] == ["invalidateRows", "resetRows"]


def test_what_only_one_of_two_functions_calls_is_shown_with_them() -> None:
    report = Asked({"src/client.ts": CLIENT}).ask(
        "What is the difference between resetRows and invalidateRows?"
    )
    shown = [one.symbol.rpartition(".")[2] for one in report.findings]
    assert {"reset", "invalidate"} <= {*shown}


def test_what_is_done_but_has_no_function_stays_an_open_question() -> None:
    report = Asked({"src/client.ts": CLIENT}).ask("What is the difference between sorting and painting rows?")
    assert report.reading.form == "open"
