"""The key of a condition of a query reads a value, and sets none."""

from __future__ import annotations

import pytest

from repo_mcp.research.settings.query_conditions import is_condition
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked

TEXTS = {
    "models/Parcel.ts": "export class Parcel extends Model {\n  lostAt: Date | null;\n}\n",
    "jobs/a_count.ts": """export function countLost() {
  return Parcel.count({
    where: {
      lostAt: null,
    },
  });
}
""",
    "jobs/lose.ts": """export async function lose(parcel: Parcel) {
  await parcel.update({
    lostAt: new Date(),
  });
}
""",
}


def test_a_condition_counts_as_a_reader_and_what_sets_a_value_is_named_alone() -> None:
    claim = Asked(TEXTS).ask("where is lostAt set?").claim
    assert "set at jobs/lose.ts:3." in claim
    assert "It is read at jobs/a_count.ts:4." in claim


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rows.findAll({ where: { lostAt: null } })", True),
        ("rows.findOne({\n  lostAt: null })", True),
        ("let where: Options<Row> = {\n  lostAt: null }", True),
        ("scope({ lostAt: { [Op.is]: null } })", True),
        ("find({ name, lostAt: {\n  $gt: 3 } })", True),
        ("Row.objects.filter(lostAt=None)", True),
        ("Row.where(lostAt: nil)", True),
        ("Row.update({ lostAt: null }, { where: { id } })", False),
        ("Row.find_or_create_by(lostAt: nil)", False),
        ("rows.filter((row) => {\n  save({ lostAt: null }) })", False),
        ("const row = { lostAt: null }", False),
        ("row.lostAt = null", False),
        ("Row(lostAt=None)", False),
    ],
)
def test_a_key_is_a_condition_by_what_takes_it_or_by_its_value(text: str, expected: bool) -> None:
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines, 1) if "lostAt" in line)
    assert is_condition(lines, at, "lostAt") is expected


@pytest.mark.parametrize("piece", ["f(", "where: ", "where", "{ a: ", ") ", '"\\'])
def test_a_generated_line_takes_no_longer(piece: str) -> None:
    assert_linear(
        lambda size: [piece * size, f"{piece * size} lostAt: x"],
        lambda lines: is_condition(lines, 2, "lostAt"),
        1_000,
    )
