"""The errors of an event that a question describes: the statement that fails says it, or its condition."""

from __future__ import annotations

from repo_mcp.research.words.event_errors import rate_line
from tests.repo_mcp.research.asking import Asked

FILLING = "".join(f"    int place{number} = {number};\n" for number in range(60))
READER = (
    f"class Reader {{\n{FILLING}    int? MaxDepth;\n\n    void Push(Container depth) {{\n"
    "        if (MaxDepth != null && depth.Count > MaxDepth) {\n"
    '            throw ReadException.Create(this, "The depth of {0} has been exceeded.");\n        }\n    }\n'
    "\n    void ReadDepth(int depth, int maxDepth) {\n        // reads the depth, the max depth\n"
    "        Depth = depth; MaxDepth = maxDepth;\n        if (depth < 0) {\n"
    '            throw new ArgumentException("a negative value");\n        }\n    }\n}\n'
)
TEST = (
    "class ReaderTests {\n    [Test]\n    public void MaxDepth() {\n        var reader = new Reader();\n"
    "        reader.MaxDepth = 1;\n        reader.ReadDepth(2, 1);\n    }\n}\n"
)


def test_the_function_that_fails_with_words_of_the_event_comes_first() -> None:
    asked = Asked({"src/Reader.cs": READER, "tests/ReaderTests.cs": TEST})
    for query in (
        "which errors are raised when the MaxDepth is exceeded?",
        "which errors can occur when the MaxDepth is exceeded?",
    ):
        report = asked.ask(query)
        assert report.claim.startswith(
            "Errors that arise in Reader.Push (src/Reader.cs:64-68):"
            ' ReadException "The depth of {0} has been exceeded."'
        )
        assert report.findings[0].name == "Push"
        assert "negative" not in report.claim


def test_a_test_of_the_name_is_the_subject_only_if_tests_are_asked_for() -> None:
    asked = Asked({"src/Reader.cs": READER, "tests/ReaderTests.cs": TEST})
    assert "ReaderTests" not in asked.ask("which errors does MaxDepth raise?").claim


def test_words_of_a_condition_count_less_than_those_of_what_fails() -> None:
    lines = [
        "def add(row):",
        "    if row.is_late:",
        "        log(row)",
        "        raise RowError('the row is unsupported')",
        "    raise RowError('late')",
    ]
    event = {"row": 1.0, "late": 1.0, "supported": 2.0}
    assert rate_line(lines, 1, 4, event) == (1 + 2 + 0.5) / 4
    assert rate_line(lines, 1, 5, event) == 2 / 4
