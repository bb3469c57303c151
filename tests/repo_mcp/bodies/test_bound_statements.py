"""What a shown condition depends on is shown with it, whole, and the densest part of a long body first."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.body import Body, measure
from repo_mcp.bodies.bound_statements import find_makers
from repo_mcp.bodies.chosen_lines import choose_lines
from repo_mcp.bodies.statements import cut_statements

SEND = """
function send(parcel, post) {
  const most = post.most ?? (post.isOpen() ? 9 : 3)
  log.info(parcel)
  const isLate =
    post.late === true ||
    (typeof most === 'number' && // a limit
      parcel.age < most) ||
    (typeof most === 'function' && most(parcel))
  parcel.weigh()
  parcel.wrap()
  if (isLate || parcel.isLost) {
    refuse(parcel)
    return
  }
}
""".splitlines()


def _body(text: list[str], terms: dict[int, tuple[str, ...]]) -> Body:
    return Body(text, 2, len(text), 2, terms, frozenset())


def test_what_gives_values_to_the_variables_of_a_condition_is_shown_with_it() -> None:
    body = _body(SEND, {12: ("late",)})
    shown = choose_lines(body, {"late": 1.0}, measure(SEND, [2, 3, 5, 6, 7, 8, 9, 12, 13, 14]))
    assert shown == [2, 3, 5, 6, 7, 8, 9, 12, 13, 14]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("limit = config.limit", "if tried >= limit:"),
        ("limit, err := config.Limit()", "if tried >= limit {"),
        ("const { limit, pause } = config", "if (tried >= limit) {"),
        ("let mut limit: u32 = config.limit();", "if tried >= limit {"),
        ("long limit = config.limit();", "while (tried < limit) {"),
        ("std::map<int, Rule> limit = rules();", "if (limit.empty()) {"),
        ("$limit = $config->limit;", "if ($tried >= $limit) {"),
    ],
)
def test_a_variable_is_found_where_it_gets_its_value(above: str, below: str) -> None:
    lines = ["run() {", f"  {above}", "  step()", f"  {below}", "    leave()", "}"]
    body = Body(lines, 1, 6, 1, {}, frozenset())
    assert find_makers(body, cut_statements(body, [1, 2, 3, 4, 5]), 3) == [1]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("config.limit = 3", "if tried >= limit:"),
        ("call(tried, limit=3)", "if tried >= limit:"),
        ("limit += 1", "if tried >= limit:"),
        ("limit = 3", "call(limit)"),
        ("const limit = () => {", "if (limit()) {"),
    ],
)
def test_what_is_no_value_of_a_condition_is_not_taken_for_one(above: str, below: str) -> None:
    lines = ["run() {", f"  {above}", "  step()", f"  {below}", "    leave()", "}"]
    body = Body(lines, 1, 6, 1, {}, frozenset())
    assert find_makers(body, cut_statements(body, [1, 2, 3, 4, 5]), 3) == []


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("if parcel.late and \\", "        parcel.lost:"),
        ("if (parcel.late ||  // or", "        parcel.lost) {"),
        ("total = parcel.late +", "    parcel.lost"),
        ("late = parcel.late &&", "    (parcel.lost)"),
    ],
)
def test_a_statement_goes_on_behind_an_operator(first: str, last: str) -> None:
    lines = ["run() {", f"  {first}", f"  {last}", "  leave()", "}"]
    body = Body(lines, 1, 5, 1, {}, frozenset())
    assert [(one.first, one.last) for one in cut_statements(body, [1, 2, 3, 4])] == [(1, 1), (2, 3), (4, 4)]


def test_in_a_long_body_the_part_with_most_of_the_words_comes_first() -> None:
    far = [f"    if retry.kind({at}): return {at}" for at in range(40)]
    dense = ["    if delay > limit: return 77", "    retry = failure.count", "    if retry > 1: return 78"]
    lines = ["def run(retry):", *far, *["    step()"] * 20, *dense]
    terms = dict.fromkeys(range(2, 42), ("retry",)) | {62: ("delay",), 63: ("failure",), 64: ("retry",)}
    body = Body(lines, 1, len(lines), 1, terms, frozenset())
    shown = choose_lines(body, {"retry": 1.0, "delay": 1.0, "failure": 1.0}, measure(lines, [1, 62, 63, 64]))
    assert shown == [1, 62, 63, 64]
