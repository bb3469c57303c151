"""Where a column or a table is added, the migration answers, and not the field that has its name."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.branches import READ_CHARS
from repo_mcp.research.findings.records import Form
from repo_mcp.research.written.schema_changes import MOST_READ
from tests.repo_mcp.research.asking import Asked, list_found

TEXTS = {
    "models/parcel.ts": "export class Parcel {\n  sentAt: Date;\n  isSent() {\n    return this.sentAt;\n}",
    "migrations/01-parcels.js": """module.exports = {
  up: async (schema) => {
    await schema.createTable(
      "lost_parcels",
      { id: 1 }
    );
    await schema.addColumn("parcels", "sentAt", {});
  },
  down: async (schema) => {
    await schema.removeColumn("parcels", "sentAt");
  },
};
""",
    "db/changes.py": 'def up(op):\n    op.add_column("crates", Column("weight_limit"))\n',
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("where is the database column sentAt added?", '"sentAt" occurs in up (migrations/01-parcels.js:7).'),
        ("where was the sentAt column dropped?", '"sentAt" occurs in down (migrations/01-parcels.js:10).'),
        ("which migration adds sentAt?", '"sentAt" occurs in up (migrations/01-parcels.js:7).'),
        (
            "where is the table lost_parcels created?",
            '"lost_parcels" occurs in up (migrations/01-parcels.js:4).',
        ),
        (
            "where is the column weight_limit added?",
            '"weight_limit" occurs in changes.up (db/changes.py:2).',
        ),
    ],
)
def test_a_change_of_a_database_is_found_by_its_verb_and_noun(question: str, told: str) -> None:
    report = Asked(TEXTS).ask(question)
    assert report.reading.form is Form.WRITTEN
    assert report.claim.startswith(told)
    assert not any(one.startswith("Parcel") for one in list_found(report)[:1])


@pytest.mark.parametrize(
    "question",
    ["where is sentAt added to the table?", "where is the column sentAt read?", "what uses sentAt?"],
)
def test_a_name_that_is_no_column_or_that_is_only_used_asks_for_no_change(question: str) -> None:
    assert Asked(TEXTS).ask(question).reading.form is not Form.WRITTEN


def test_of_a_generated_line_above_the_beginning_is_read() -> None:
    for text, is_read in (
        (f"addColumn {'x' * READ_CHARS}", True),
        (f"{'x' * READ_CHARS} addColumn", False),
    ):
        asked = Asked({"db/all.js": f'run("{text}",\n  "lostAt");\n'})
        form = asked.ask("where is the column lostAt added?").reading.form
        assert (form is Form.WRITTEN) is is_read


def test_it_is_told_if_more_lines_have_the_name_than_are_read() -> None:
    rows = "".join(f'op.add_column("crates_{at}", "weight_limit")\n' for at in range(MOST_READ + 1))
    report = Asked({"db/changes.py": rows}).ask("where is the column weight_limit added?")
    told = ("lines with weight_limit", f"the first {MOST_READ} are read")
    assert told in [(one.what, one.why) for one in report.limits]
