"""Errors of the function that is meant among namesakes, and the types of errors that are guessed."""

from __future__ import annotations

import pytest

from repo_mcp.research.errors.lines import MOST_CHARS, find_errors
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked

PARCELS = {
    "post/errors.py": (
        "class PostError(Exception):\n    pass\n\n\nclass NoParcel(PostError):\n"
        '    """There was no parcel where one had to be."""\n'
    ),
    "post/shelf.py": (
        "from post import errors\n\n\nclass Shelf:\n    def only(self):\n        return self._take_only()\n\n"
        "    def _take_only(self):\n        if not self.parcels:\n"
        '            raise errors.NoParcel("the shelf is empty")\n        return self.parcels[0]\n'
    ),
    "post/old/shelf.py": (
        "class Shelf:\n    def only(self):\n        return self._open().only()\n\n    def _open(self):\n"
        '        raise ValueError("the old shelf is locked")\n'
    ),
    "post/query.py": (
        "class Query:\n    def only(self):\n        return self._run()\n\n    def _run(self):\n"
        '        raise KeyError("the query was closed")\n'
    ),
}


def test_only_the_namesake_counts_that_the_guesses_mean() -> None:
    asked = "Which errors can only() on a shelf raise and when? (Shelf.only, NoParcel, _take_only)"
    report = Asked(PARCELS).ask(asked)
    assert 'NoParcel "the shelf is empty" (post/shelf.py:10' in report.claim
    assert "locked" not in report.claim
    assert "closed" not in report.claim
    assert [one.path for one in report.findings if one.name == "only"] == ["post/shelf.py"]


def test_a_guessed_error_that_is_raised_is_shown_with_its_comment() -> None:
    asked = "Which errors can only() on a shelf raise and when? (Shelf.only, NoParcel, _take_only)"
    shown = next(one for one in Asked(PARCELS).ask(asked).findings if one.name == "NoParcel")
    assert shown.why == "_take_only raises it"
    assert "There was no parcel" in shown.excerpt


def test_the_name_of_an_error_may_stand_behind_its_module() -> None:
    assert find_errors("    raise errors.NoParcel(") == ["NoParcel"]
    assert find_errors('  throw new http.NotFound("no parcel")') == ["NotFound"]


def test_errors_that_are_guessed_of_a_type_that_raises_none_itself_are_told() -> None:
    texts = {
        "link.ts": "export class PostLink {\n  constructor() {\n    send();\n  }\n}\n",
        "parse.ts": (
            'import { LostError } from "./errors";\n\n'
            "export function parseAndCheck(answer: Answer) {\n  return (text: string) => {\n"
            '    if (!text) {\n      throw new LostError("the answer was lost");\n    }\n'
            "    return text;\n  };\n}\n"
        ),
        "errors.ts": "export class LostError extends Error {}\n",
    }
    claim = Asked(texts).ask("Which errors can PostLink raise and when? (LostError, parseAndCheck)").claim
    assert 'LostError "the answer was lost" (:6' in claim
    assert "not known to cause" not in claim


@pytest.mark.parametrize(("begin", "end"), [("raise ", ".lost("), ("reject(", " ")])
def test_the_name_of_an_error_is_read_in_linear_time(begin: str, end: str) -> None:
    assert_linear(lambda size: begin + "Aa" * size + end, find_errors, MOST_CHARS // 20)


def test_a_test_of_the_name_is_the_subject_only_if_tests_are_asked_for() -> None:
    texts = {
        "src/Reader.cs": "class Reader {\n    int? MaxDepth;\n\n    void Push(Container depth) {\n"
        "        if (MaxDepth != null && depth.Count > MaxDepth) {\n"
        '            throw new ReadException("The depth has been exceeded.");\n        }\n    }\n}\n',
        "tests/ReaderTests.cs": "class ReaderTests {\n    [Test]\n    public void MaxDepth() {\n"
        "        new Reader().MaxDepth = 1;\n    }\n}\n",
    }
    assert "ReaderTests" not in Asked(texts).ask("which errors does MaxDepth raise?").claim
