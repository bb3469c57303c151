"""What happens when something fails is told by what handles it, with what is done there and behind it."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.body import Body
from repo_mcp.research.errors.handlers import MOST_HANDLERS, asks_failing, iter_handlers, rate_handlers
from tests.growth import BOUND, measure_growth
from tests.repo_mcp.research.asking import Asked, find_one

PRINT = """export function runPrint(page, printJob, report) {
  let made
  try {
    made = printJob(page)
  } catch (cause) {
    console.error(cause)
    made = refuse(cause, page)
  } finally {
    page.close()
  }
  if (!page.isQuiet) {
    report(made)
  }
  return made
}

export function checkPrintJob(job) {
  if (!job.page) {
    throw new Error('a print job without a page throws')
  }
}
"""


def test_what_handles_a_failure_is_told_with_what_uses_its_outcome() -> None:
    report = Asked({"print.ts": PRINT}).ask("What happens when a print job throws an error?")
    assert (
        "There, `catch (cause)` (print.ts:5) handles it: `made = refuse(cause, page)` (:7), then "
        "`report(made)` (:12) inside `if (!page.isQuiet)` (:11) and `return made` (:14)."
    ) in report.claim
    assert "report(made)" in find_one(report, "runPrint").excerpt


def test_a_function_that_handles_the_failure_leads_before_one_that_only_fails() -> None:
    report = Asked({"print.ts": PRINT}).ask("What happens when a print job throws? (checkPrintJob, runPrint)")
    assert report.claim.startswith("runPrint (print.ts:1-15)")


MOVES = """def run_moves(store, pending_moves):
    with_own = store.begin()
    try:
        for move in pending_moves:
            move.apply(store)
    except MoveError as lost:
        if with_own:
            store.take_back()
        raise
    try:
        store.tidy()
    except OSError:
        store.is_tidy = False
        return None
    return store
"""


def test_what_is_done_under_a_condition_is_told_with_it() -> None:
    claim = Asked({"moves.py": MOVES}).ask("What happens when one of the pending moves fails?").claim
    assert (
        "There, `except MoveError as lost` (moves.py:6) handles it: `store.take_back()` (:8) "
        "inside `if with_own` (:7) and `raise` (:9)."
    ) in claim


CHECKS = """package checks

func (c *Checker) run(servers []Server) {
	for _, server := range servers {
		up := true
		if err := c.checkHealth(server); err != nil {
			log.Ctx(c.ctx).Warn().
				Err(err).
				Msg("check failed")

			up = false
		}
		c.balancer.SetStatus(server.Name, up)
	}
}

func (c *Checker) checkHealth(server Server) error {
	if err := server.Ping(); err != nil {
		return err
	}
	return nil
}
"""


def test_a_test_of_a_returned_error_handles_it_unless_it_only_passes_it_on() -> None:
    claim = Asked({"checks.go": CHECKS}).ask("What happens when the health check of a server fails?").claim
    assert (
        "There, `if err := c.checkHealth(server); err != nil` (checks.go:6) handles it: "
        "`up = false` (:11), then `c.balancer.SetStatus(server.Name, up)` (:13)."
    ) in claim


def _build(text: str) -> Body:
    lines = text.splitlines()
    return Body(lines, 1, len(lines), 1, {}, frozenset())


def test_a_clause_of_a_whole_method_handles_what_this_does() -> None:
    text = (
        "class Depot\n  def pull(parcel)\n    store.fetch(parcel)\n  rescue KeyError => lost\n"
        "    pull_again(parcel)\n  ensure\n    close\n  end\nend\n"
    )
    claim = Asked({"depot.rb": text}).ask("What happens when pulling a parcel fails? (Depot.pull)").claim
    assert "`rescue KeyError => lost` (depot.rb:4) handles it: `pull_again(parcel)` (:5)." in claim


def test_only_a_clause_for_everything_catches_all() -> None:
    clauses = [
        "except Exception as lost:  # any",
        "except:",
        "except ValueError:",
        "except post.Lost as lost:",
        "except (KeyError, Exception) as lost:",
    ]
    texts = (f"def send(it):\n    try:\n        post(it)\n    {one}\n        it.keep()\n" for one in clauses)
    assert [one.catches_all for text in texts for one in iter_handlers(_build(text))] == [
        True,
        True,
        False,
        False,
        False,
    ]
    caught = ["catch {", "catch (e: unknown) {", "catch (final Throwable t) {", "catch (e: LostError) {"]
    texts = (f"def send(it):\n    try {{\n        post(it)\n    {one}\n        it.keep()\n" for one in caught)
    assert [one.catches_all for text in texts for one in iter_handlers(_build(text))] == [
        True,
        True,
        True,
        False,
    ]


def test_clauses_that_nobody_writes_are_read_in_linear_time() -> None:
    def build(size: int) -> Body:
        return _build(
            f"def send(it):\n    try:\n        post(it)\n    except {'$' * size} A A\n        it.keep()\n"
        )

    assert measure_growth(build, lambda body: [*iter_handlers(body)], 40) < BOUND


def test_of_a_function_with_very_many_handlers_the_first_ones_are_read() -> None:
    one = "    try:\n        post(it)\n    except Exception:\n        it.keep()\n"
    assert len([*iter_handlers(_build(f"def send(it):\n{one * 100}"))]) == MOST_HANDLERS


def test_what_tries_something_else_is_no_handler_of_what_is_asked() -> None:
    rated = rate_handlers(_build(MOVES), "What happens when one of the pending moves fails?", "run_moves")
    assert [handler.clause.first for _, handler in rated] == [6]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happens when a job throws?", True),
        ("what happens if an exception occurs in a job?", True),
        ("How are errors of a job handled?", True),
        ("How does the queue handle failures?", True),
        ("What happens when a job is added?", False),
        ("Which errors can a job raise?", False),
        ("How does the handler work?", False),
    ],
)
def test_questions_about_what_happens_when_something_fails(question: str, expected: bool) -> None:
    assert asks_failing(question) is expected
