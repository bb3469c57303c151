"""`repo.open_file` in one file: the declaration of a name or around a line, with its comments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.toolsets.repo.opened_roots import Served, serve_sources, show
from tests.written_trees import write_tree


def leave_out_told(result: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of its own as one of `spans`, with all of its lines shown."""
    return {name: result[name] for name in ("path", "content", "symbol") if name in result}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_sources(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("data")) as served:
        yield served


@pytest.mark.parametrize(
    ("symbol", "whole", "first", "last"),
    [
        ("Worker", "Worker", 6, 17),
        ("name", "Worker.name", 9, 11),  # with its decorator
        ("Worker.run", "Worker.run", 13, 17),
        ("Worker::run", "Worker.run", 13, 17),
        ("step", "Worker.run.step", 14, 15),
        ("LIMIT", "LIMIT", 3, 3),
        ("run", "run", 20, 21),  # the whole name goes before the end of one
    ],
)
def test_the_declaration_of_a_name(served: Served, symbol: str, whole: str, first: int, last: int) -> None:
    envelope = served.call(path="a.py", symbol=symbol)
    result = envelope["result"]
    assert (result["start_line"], result["end_line"], result["symbol"]) == (first, last, whole)
    assert result["content"] == show(first, last)
    assert not result.get("truncated")
    assert envelope["warnings"] == []


def test_a_property_is_opened_with_its_setter(served: Served) -> None:
    text = "class A:\n    @property\n    def x(self): ...\n\n    @x.setter\n    def x(self, v): ...\n"
    (served.root / "both.py").write_text(text + "    y = 1\n")
    envelope = served.call(path="both.py", symbol="A.x")
    assert (envelope["result"]["start_line"], envelope["result"]["end_line"]) == (2, 6)
    assert envelope["warnings"] == []


@pytest.mark.parametrize(
    ("around", "whole", "first", "last"),
    [
        (10, "Worker.name", 9, 11),
        (15, "Worker.run.step", 14, 15),
        (17, "Worker.run", 13, 17),
        (7, "Worker", 6, 17),  # not its variable
        (3, "LIMIT", 3, 3),
        (20, "run", 20, 21),
    ],
)
def test_the_declaration_around_a_line(
    served: Served, around: int, whole: str, first: int, last: int
) -> None:
    result = served.open(path="a.py", line=around)
    assert (result["start_line"], result["end_line"], result["symbol"]) == (first, last, whole)
    assert result["content"] == show(first, last)


@pytest.mark.parametrize("line", [2, 3])
def test_a_line_of_the_comment_above_a_declaration_opens_it_with_the_comment(
    served: Served, line: int
) -> None:
    result = served.open(path="shop.py", line=line)
    assert (result["start_line"], result["end_line"], result["symbol"]) == (2, 30, "Shop.sell")


@pytest.mark.parametrize("asked", [{"symbol": "sell"}, {"line": 30}, {"symbol": "Shop"}])
def test_a_long_docstring_is_opened_without_its_end_and_that_is_said(
    served: Served, asked: dict[str, Any]
) -> None:
    envelope = served.call(path="shop.py", **asked)
    result = envelope["result"]
    numbers = [int(row.partition("\t")[0]) for row in result["content"].splitlines()]
    whole = range(result["start_line"], result["end_line"] + 1)
    assert numbers == [number for number in whole if not 9 <= number <= 28]
    assert envelope["warnings"] == ["Left out of docstrings: lines 9-28; open these alone to see them."]
    assert result["truncated"]


@pytest.mark.parametrize("line", [7, 9, 28, 29])
def test_the_docstring_of_the_line_that_was_asked_for_is_whole(served: Served, line: int) -> None:
    envelope = served.call(path="shop.py", line=line)
    assert (envelope["warnings"], envelope["result"].get("truncated")) == ([], None)


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ({"path": "sum.c", "symbol": "sum"}, "4-30"),
        ({"path": "sum.c", "line": 50}, "4-30"),
        ({"path": "sum.c", "line": 9}, None),
        ({"path": "sum.c", "start_line": 1, "end_line": 80}, None),  # who asks for lines gets them
    ],
)
def test_of_a_long_comment_among_code_the_first_lines_and_the_last_are_shown(
    served: Served, asked: dict[str, Any], left: str | None
) -> None:
    envelope = served.call(**asked)
    notes = [one for one in envelope["warnings"] if one.startswith("Left out of comments")]
    assert notes == ([f"Left out of comments: lines {left}; open these alone to see them."] if left else [])
    if left:
        first, last = map(int, left.split("-"))
        result = envelope["result"]
        numbers = [int(row.partition("\t")[0]) for row in result["content"].splitlines()]
        whole = range(result["start_line"], result["end_line"] + 1)
        assert numbers == [number for number in whole if not first <= number <= last]
        assert result["truncated"]


def test_a_range_that_is_mostly_a_comment_is_shown(served: Served, tmp_path: Path) -> None:
    path = served.root / "licence.c"
    path.write_text("// said\n" * 60 + "int a;\n" * 20)
    try:
        assert served.open(path="licence.c", end_line=80)["content"].count("said") == 60
        assert served.open(path="licence.c", end_line=60)["content"].count("said") == 60
    finally:
        path.unlink()


def test_lines_of_a_docstring_can_be_asked_for(served: Served) -> None:
    assert served.open(path="shop.py", start_line=9, end_line=28)["content"].count("parameter") == 20


def test_a_line_with_an_end_is_the_first_of_a_range(served: Served) -> None:
    meant = served.open(path="a.py", start_line=4, end_line=9)
    assert served.open(path="a.py", line=4, end_line=9) == meant
    (span,) = served.open(spans=[{"path": "a.py", "line": 4, "end_line": 9}])["spans"]
    assert {"path": "a.py", **span} == leave_out_told(meant)


def test_the_section_around_a_line(served: Served) -> None:
    result = served.open(path="notes.md", line=7)
    assert (result["start_line"], result["symbol"]) == (5, "Notes.More")


@pytest.mark.parametrize(("path", "around"), [("a.py", 1), ("odd.xyz", 2), ("broken.py", 50)])
def test_where_no_declaration_is_the_lines_nearby_are_shown(served: Served, path: str, around: int) -> None:
    envelope = served.call(path=path, line=around)
    result = envelope["result"]
    assert result["start_line"] == max(1, around - 20)
    assert result["end_line"] == min(around + 20, result["total_lines"])
    assert f"No declaration is around line {around}: the lines near it are shown." in envelope["warnings"]
    assert "symbol" not in result


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [({"line": 2}, 1, 2), ({"line": 5}, 4, 5), ({"symbol": "half"}, 4, 5), ({"symbol": "whole"}, 1, 2)],
)
def test_declarations_of_a_text_that_does_not_parse_open(
    served: Served, arguments: dict[str, Any], first: int, last: int
) -> None:
    envelope = served.call(path="edited.py", **arguments)
    assert (envelope["result"]["start_line"], envelope["result"]["end_line"]) == (first, last)
    (warning,) = envelope["warnings"]
    assert "does not parse as Python" in warning
    assert "line 4" in warning


def test_what_is_not_declared_is_an_error_that_says_what_is_close(served: Served) -> None:
    error = served.call(path="a.py", symbol="Worker.runs")["error"]
    assert error == {
        "code": "not_found",
        "message": 'The file declares no "Worker.runs".',
        "hint": "Similar names: Worker.run, run.",
    }
    error = served.call(path="broken.py", symbol="f")["error"]
    assert "does not parse as Python" in error["hint"]


def test_a_function_is_opened_beyond_the_end_of_a_macro_that_it_defines(tmp_path: Path) -> None:
    """Only its first two lines were: the brace of the macro was taken for that of the body."""
    lines = ["int read(void)", "{", "#define FAIL(x) \\", "{ \\", "  stop(x); \\", "}", "", "  f();", "}"]
    write_tree(tmp_path / "root", {"read.c": "\n".join(lines) + "\n"})
    served = Served(tmp_path / "root", tmp_path / "data")
    for asked in ({"symbol": "read"}, {"line": 8}):
        opened = served.open(path="read.c", **asked)
        assert (opened["start_line"], opened["end_line"], opened["symbol"]) == (1, 9, "read")


def test_a_method_is_opened_beyond_a_long_list_of_parameters(tmp_path: Path) -> None:
    """Its parameters alone were, and an outline gave it their lines."""
    parameters = "".join(f"        int p{at},\n" for at in range(70))
    head = f"class Gate\n{{\n    int Ask(\n{parameters}        int last)\n"
    text = f"{head}    {{\n        return last;\n    }}\n}}\n"
    write_tree(tmp_path / "root", {"Gate.cs": text})
    served = Served(tmp_path / "root", tmp_path / "data")
    opened = served.open(path="Gate.cs", symbol="Gate.Ask", about="return")
    assert (opened["start_line"], opened["end_line"]) == (3, 77)
    assert "76\t        return last;" in opened["content"]


def test_a_function_of_rust_is_opened_beyond_a_text_that_looks_like_its_end(tmp_path: Path) -> None:
    text = 'fn write(out: &mut Out) {\n    out.write(r#"\n_x() {\n}\n"#);\n    out.flush();\n}\n'
    write_tree(tmp_path / "root", {"write.rs": text})
    served = Served(tmp_path / "root", tmp_path / "data")
    opened = served.open(path="write.rs", symbol="write")
    assert (opened["start_line"], opened["end_line"]) == (1, 7)
