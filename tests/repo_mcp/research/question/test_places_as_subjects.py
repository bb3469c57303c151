"""A question about a path and a line, as answers cite them, is about the symbol on that line."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

PARCEL = """package post;

public class Parcel {
    static Parcel wrap(String text) {
        return new Parcel();
    }

    static Parcel wrap(int number) {
        return null;
    }

    void open() {
        wrap("text");
    }
}
"""
TREE = Asked({"src/post/Parcel.java": PARCEL})


@pytest.mark.parametrize(
    ("query", "form", "lines"),
    [
        ("what calls src/post/Parcel.java:4?", Form.CALLERS, "4-6"),
        ("what calls Parcel.java:8-10?", Form.CALLERS, "8-10"),
        ("what calls the method at src/post/Parcel.java:9:16?", Form.CALLERS, "8-10"),
        ("what does src/post/Parcel.java:12 call?", Form.CALLEES, "12-14"),
        ("what breaks if src/post/Parcel.java:4 changes?", Form.DEPENDENTS, "4-6"),
        ("what tests cover src/post/Parcel.java:3?", Form.TESTS, "3-15"),
    ],
)
def test_the_symbol_on_a_line_is_meant(query: str, form: Form, lines: str) -> None:
    report = TREE.ask(query)
    assert report.reading.form is form
    (subject,) = report.reading.subjects
    (node,) = subject.nodes
    assert lines == f"{node.symbol.start_line}-{node.symbol.end_line}"
    assert f"(src/post/Parcel.java:{lines})" in report.claim


def test_a_line_that_no_file_has_is_no_subject() -> None:
    assert TREE.ask("what calls src/post/Parcel.java:400?").reading.form is Form.OPEN
    assert TREE.ask("what calls src/post/Letter.java:4?").reading.form is not Form.CALLERS
