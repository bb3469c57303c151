"""`repo.open_file` with several spans in one call, and with citations for paths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.repo_mcp.toolsets.repo.opened_roots import Served, serve_sources, show


def leave_out_told(result: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of its own as one of `spans`, with all of its lines shown."""
    return {name: result[name] for name in ("path", "content", "symbol") if name in result}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_sources(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("data")) as served:
        yield served


def test_a_file_is_outlined_once_for_all_its_spans(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty declarations of a file of 400 KB took five seconds. A file that changed is outlined anew."""
    made: list[str] = []
    adapters = served.repository.outliner.adapters
    outline = type(adapters).outline
    monkeypatch.setattr(
        type(adapters), "outline", lambda self, path, text: made.append(path) or outline(self, path, text)
    )
    path = served.root / "many.py"
    path.write_text("def one():\n    pass\n\n\ndef two():\n    pass\n")
    try:
        spans = served.open(spans=[{"path": "many.py", "line": 1 + at % 6} for at in range(20)])["spans"]
        assert {span.get("symbol") for span in spans} >= {"one", "two"}
        assert made == ["many.py"]
        path.write_text("def three():\n    pass\n")
        assert served.open(path="many.py", line=2)["symbol"] == "three"
        assert made == ["many.py"] * 2
    finally:
        path.unlink()


def test_several_spans_each_with_its_own_answer(served: Served) -> None:
    envelope = served.call(
        spans=[
            {"path": "a.py", "symbol": "Worker.name"},
            {"path": "a.py", "start_line": 1, "end_line": 3},
            {"path": "none.py"},
            {"path": "notes.md", "line": 9},
            {"path": "a.py", "symbol": "run", "line": 1},
        ]
    )
    first, second, third, fourth, fifth = envelope["result"]["spans"]
    assert (first, second) == ({"path": "a.py", "content": show(9, 11)}, {"content": show(1, 3)})
    assert (third["path"], third["error"]["code"]) == ("none.py", "not_found")
    assert (fourth["symbol"], fourth["content"]) == ("End", "9\t# End\n")
    assert fifth["error"]["code"] == "invalid_argument"
    assert envelope["warnings"] == ["2 of 5 spans could not be opened."]
    assert (envelope["ok"], envelope["blocked"]) == (True, False)


def test_spans_of_one_path_do_not_repeat_it(served: Served) -> None:
    for given in (
        {"path": "a.py", "spans": [{"line": 10}, {"end_line": 1}]},
        {"spans": [{"path": "a.py", "line": 10}, {"path": "a.py", "end_line": 1}]},
    ):
        spans = served.open(**given)["spans"]
        assert spans == [{"content": show(9, 11), "symbol": "Worker.name"}, {"content": show(1, 1)}]
    spans = served.open(spans=[{"path": "./a.py", "end_line": 1}])["spans"]
    assert spans == [{"path": "a.py", "content": show(1, 1)}]  # as the answers name it


def test_a_span_names_its_declaration_if_the_call_names_it_otherwise(served: Served) -> None:
    spans = served.open(path="a.py", spans=[{"symbol": "Worker.name"}, {"symbol": "name"}, {"line": 10}])
    assert [one.get("symbol") for one in spans["spans"]] == [None, "Worker.name", "Worker.name"]


def test_a_span_does_not_repeat_what_its_lines_or_the_last_one_tell(served: Served) -> None:
    spans = served.open(
        spans=[
            {"path": "a.py", "end_line": 2},
            {"path": "a.py", "start_line": 20},
            {"path": "long.py", "symbol": "long", "about": "x700"},
            {"path": "a.py", "start_line": 9, "end_line": 9},
            {"path": "none.py"},
            {"path": "a.py", "line": 10},
        ]
    )["spans"]
    told = [sorted(span.keys() - {"content", "truncated", "warnings", "symbol"}) for span in spans]
    assert told == [
        ["path"],
        ["total_lines"],  # where it ends was not said
        ["end_line", "path"],  # of the declaration, whose last lines are not about the word
        ["path"],
        ["error", "path"],
        ["path"],
    ]
    assert (spans[2]["end_line"], spans[2]["truncated"]) == (3_001, True)


@pytest.mark.parametrize(
    "span",
    [
        {"start_line": 0},
        {"start_line": 2**63},
        {"end_line": -1},
        {"line": 2**63},
        {"line": 0},
        {"line": -5},
        {"symbol": ""},
        {"symbol": "x" * 100000},
        {"path": ""},
        {"path": "x" * 10000},
        {"path": "x" * 1_000_000},  # once said to exceed the limit of an answer
    ],
)
def test_odd_values_in_a_span_are_its_own_error(served: Served, span: dict[str, Any]) -> None:
    bad, good = served.open(spans=[{"path": "a.py", **span}, {"path": "a.py", "end_line": 1}])["spans"]
    assert bad["error"]["code"] in ("invalid_argument", "not_found")
    assert len(bad["error"]["message"]) < 200
    assert good["content"] == show(1, 1)


@pytest.mark.parametrize(
    ("cited", "meant"),
    [
        ("a.py:9-11", {"start_line": 9, "end_line": 11}),
        ("a.py#L9-L11", {"start_line": 9, "end_line": 11}),
        ("a.py:10", {"line": 10}),
        ("a.py:10", {"line": 10, "about": "name"}),
    ],
)
def test_a_citation_opens_what_it_cites(served: Served, cited: str, meant: dict[str, Any]) -> None:
    about = {"about": meant["about"]} if "about" in meant else {}
    assert served.open(path=cited, **about) == served.open(path="a.py", **meant)
    (span,) = served.open(spans=[{"path": cited, **about}])["spans"]
    assert span == leave_out_told(served.open(path="a.py", **meant))


def test_a_citation_is_refused_as_its_path_is(served: Served) -> None:
    assert served.call(path="none.py:3")["error"]["message"] == "There is nothing at 'none.py'."
    assert (
        served.call(path="a.py:9-11", start_line=1)["error"]["message"] == "There is nothing at 'a.py:9-11'."
    )
    assert served.call(path="a.py:99")["error"]["code"] == "invalid_argument"
    assert served.call(path=".env:1")["blocked"]


def test_a_span_that_failed_is_named_as_it_was_asked_for(served: Served) -> None:
    nameless, nothing = served.open(spans=[{"symbol": "nowhere"}, {}])["spans"]
    assert (nameless["symbol"], "path" in nameless) == ("nowhere", False)
    assert list(nothing) == ["error"]


def test_no_spans_are_none_given(served: Served) -> None:
    """Some clients fill in whatever a model leaves out."""
    assert served.call(path="a.py", spans=[])["result"] == served.call(path="a.py")["result"]
    assert served.call(spans=[])["error"]["message"] == "Argument path is missing"


def test_a_refused_span_blocks_the_answer_but_not_the_others(served: Served) -> None:
    for denied in (".env", "link.py"):
        envelope = served.call(spans=[{"path": "odd.xyz"}, {"path": denied}, {"path": "../outside"}])
        odd, refused, outside = envelope["result"]["spans"]
        assert odd["content"] == "1\tone\n2\ttwo\n"
        assert (refused["error"]["code"], refused["blocked"]) == ("path_denied", True)
        assert (outside["error"]["code"], outside["blocked"]) == ("path_escape", True)
        assert envelope["blocked"]
        assert "canary" not in json.dumps(envelope)


def test_cut_spans_say_how_to_go_on(served: Served) -> None:
    whole = {"path": "long.py", "start_line": 1, "end_line": 3_001}
    envelope = served.call(spans=[whole, whole, whole, {"path": "none"}])
    assert len(json.dumps(envelope, separators=(",", ":"), ensure_ascii=False)) <= 19_000
    first, second, third, missing = envelope["result"]["spans"]
    last = first["content"].count("\n")
    assert last < 2_000
    assert first["warnings"] == [
        f"The answer was cut to keep it short; continue with start_line {last + 1}, end_line 3001."
    ]
    for one in (second, third):
        assert (one["start_line"], one["end_line"], one["content"]) == (1, 0, "")
        assert one["warnings"] == [
            "The answer was cut to keep it short; continue with start_line 1, end_line 3001."
        ]
    assert missing["error"]["code"] == "not_found"
