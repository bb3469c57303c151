"""How a statement is quoted in a sentence: on one line, with the spaces that it has, and closed."""

from __future__ import annotations

import pytest

from repo_mcp.bodies.body import Body
from repo_mcp.bodies.statements import Statement
from repo_mcp.research.errors.branches import quote


def _quote(text: str) -> str:
    lines = text.split("\n")
    body = Body(lines, 1, len(lines), 1, {}, frozenset())
    return quote(body, (Statement(1, len(lines), 0, (), 0.0, 1.0),))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('if [ "$late" = yes ]; then', 'if [ "$late" = yes ]; then'),
        ('say("on time ( or not )")', 'say("on time ( or not )")'),
        ("keep(\n    parcel,\n    lorry,\n)", "keep(parcel, lorry)"),
        ("if (\n  parcel.late &&\n  parcel.paid", "if (parcel.late && parcel.paid)"),
        ("parcels.forEach((one) => {", "parcels.forEach((one) =>"),
        ("fn hold(name: &'a str) {", "fn hold(name: &'a str)"),
    ],
)
def test_a_statement_is_quoted_as_it_is_written_but_on_one_line(text: str, quoted: str) -> None:
    assert _quote(text) == quoted
