"""`repo.open_file` over a real repository: by name, around a line, and several spans in one call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo import build_toolset
from repo_mcp.toolsets.repo.opened_rows import WIDE, WIDE_LINES
from tests.repo_mcp.schema_check import validate
from tests.written_trees import write_tree

SOURCE = """\
import os

LIMIT = 3


class Worker:
    size: int = 4

    @property
    def name(self) -> str:
        return "worker"

    def run(self) -> None:
        def step() -> None:
            print("step")

        step()


def run() -> None:
    Worker().run()
"""
LINES = SOURCE.splitlines()


class Served:
    """A repository and its tool."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.repository = Repository(load_config(str(root), data_dir=str(data)))
        tools = build_toolset(self.repository).tools
        self.tool = next(tool for tool in tools if tool.name == "repo.open_file")

    def call(self, **arguments: Any) -> dict[str, Any]:
        answer = self.tool.call(arguments, CallContext(lambda: False))
        envelope = json.loads(answer.text)
        validate(self.tool.output_schema, envelope)
        assert len(answer.text.encode()) <= 65_536
        assert answer.is_error == (not envelope["ok"])
        return cast(dict[str, Any], envelope)

    def open(self, **arguments: Any) -> dict[str, Any]:
        return cast(dict[str, Any], self.call(**arguments)["result"])


@contextmanager
def open_parsed(place: Path, files: Mapping[str, str]) -> Iterator[Served]:
    """Write the files below a new directory, and yield their tool, which knows their symbols."""
    served = Served(write_tree(place / "r", files), place / "data")
    with closing(served.repository):
        served.repository.refresh()
        served.repository.symbol_index.build()
        yield served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("root")
    (root / "a.py").write_text(SOURCE)
    (root / "notes.md").write_text("# Notes\n\ntext\n\n## More\n\nmore\n\n# End\n")
    (root / "odd.xyz").write_text("one\ntwo\n")
    (root / "broken.py").write_text("x = (\n" * 100)
    (root / "edited.py").write_text("def whole():\n    return 1\n\ndef half(:\n    return (2\n\nLAST = 3\n")
    body = "".join(f"    x{number} = {number}\n" for number in range(3_000))
    (root / "long.py").write_text(f"def long():\n{body}\n\ndef after(): pass\n")
    (root / "wide.py").write_text(f"def wide():\n{body[: body.index('    x150')]}")
    methods = "".join(f"    # Adds.\n\n    def m{one}(self):\n        return {one}\n" for one in range(60))
    (root / "large.py").write_text(f"class Large:\n    size = 4\n{methods}")
    methods = "".join(f"    def m{one}(self):\n        x = 1\n        return x\n\n" for one in range(600))
    (root / "huge.py").write_text(f"class Huge:\n{methods}")
    documented = [
        "class Shop:",
        "    # Sells",
        "    # something.",
        "    def sell(",
        "        self,",
        "    ) -> None:  # a comment:",
        '        r"""Sell something.',
        "",
        *[f"        parameter {at}" for at in range(20)],
        '        """',
        "        return None",
        "",
        "    def buy(self):",
        "        '''Buy.",
        "        Short.'''",
        "        return None",
    ]
    (root / "shop.py").write_text("\n".join(documented) + "\n")
    said = [f"    // said {at}" for at in range(30)]
    body_of_sum = [f"    int x{at} = {at};" for at in range(60)]
    (root / "sum.c").write_text("\n".join(["int sum(void) {", *said, *body_of_sum, "}"]) + "\n")
    (root / ".env").write_text("canary")
    (root / "link.py").symlink_to(".env")
    served = Served(root, tmp_path_factory.mktemp("data"))
    yield served
    served.repository.close()


def show(first: int, last: int) -> str:
    return "".join(f"{number}\t{LINES[number - 1]}\n" for number in range(first, last + 1))


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


def test_a_name_that_may_be_in_a_changed_file_is_not_denied(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("class WorkerPool: ...\n")
    served = Served(tmp_path / "root", tmp_path / "data")
    served.repository.refresh()
    (tmp_path / "root" / "b.py").write_text("class Switched: ...\n")
    error = served.call(symbol="Switched")["error"]
    lacking = "1 file changed and is not indexed yet: results may be out of date."
    assert error["message"] == f"No file declares 'Switched'. {lacking}"


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("WorkersPool", "Similar: `WorkerPool` (a.py:1)."),  # other spelling, other parts
        ("Nothing.walk_tree", "Similar: `Walker.walk_tree` (a.py:5)."),  # in another class
        ("zzqy", "No name is similar; repo.search looks for words."),
    ],
)
def test_a_name_that_no_file_declares_is_answered_with_similar_ones(
    tmp_path: Path, asked: str, hint: str
) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text(
        "class WorkerPool: ...\n\n\nclass Walker:\n    def walk_tree(self): ...\n"
    )
    served = Served(tmp_path / "root", tmp_path / "data")
    served.repository.refresh()
    error = served.call(symbol=asked)["error"]
    assert (error["message"], error["hint"]) == (f"No file declares '{asked}'.", hint)
    spans = served.open(spans=[{"symbol": asked}, {"symbol": "WorkerPool"}])["spans"]
    assert spans[0]["error"]["hint"] == hint
    assert spans[1]["path"] == "a.py"


INCLUDING = """\
module Shop
  class Base
    include Saving
    extend Finding, Naming
    MODULES = [
      Drawing::Lines, # last
    ]
    MODULES.each { |one| include one }
  end
end
"""


@pytest.mark.parametrize(
    ("asked", "path", "warning"),
    [
        ("Shop::Base#save", "a.rb", "'Shop.Base' declares no 'save'; a module that it includes does."),
        (
            "Shop::Base.draw",
            "lines.rb",
            "'Shop.Base' declares no 'draw'; a module that it includes does; "
            "others: `Shop.Saving.draw` (a.rb:4-5).",
        ),
        ("Base.find", "a.rb", "'Base' declares no 'find'; a module that it includes does."),
    ],
)
def test_a_member_that_a_class_includes_is_opened(
    tmp_path: Path, asked: str, path: str, warning: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "base.rb").write_text(INCLUDING)
    saving = "  module Saving\n    def save = 1\n    def draw\n    end\n  end\n"
    finding = "  module Finding\n    module ClassMethods\n      def find(id) = id\n    end\n  end\n"
    (root / "a.rb").write_text(f"module Shop\n{saving}{finding}end\n")
    (root / "lines.rb").write_text("module Drawing\n  module Lines\n    def draw = 2\n  end\nend\n")
    (root / "other.rb").write_text("module Other\n  module Saving\n    def save = 3\n  end\nend\n")
    served = Served(root, tmp_path / "data")
    served.repository.refresh()
    opened = served.call(symbol=asked)
    assert (opened["result"]["path"], opened["warnings"]) == (path, [warning])


def test_the_call_of_a_macro_opens_the_file_that_declares_the_macro(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pick.rs").write_text("wrap! {macro_rules! pick {\n    () => {};\n}}\n")
    (tmp_path / "root" / "lib.rs").write_text("mod pick;\n")
    served = Served(tmp_path / "root", tmp_path / "data")
    served.repository.refresh()
    opened = served.open(symbol="pick!")
    assert (opened["path"], opened["start_line"], opened["symbol"]) == ("pick.rs", 1, "pick")


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


def test_a_symbol_that_one_file_declares_needs_no_path(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text(SOURCE)
    (tmp_path / "root" / "b.py").write_text("def run() -> None: ...\n")
    served = Served(tmp_path / "root", tmp_path / "data")
    assert served.call(symbol="Worker.name")["error"]["code"] == "index_unavailable"
    served.repository.refresh()
    opened = served.open(symbol="Worker.name")
    assert (opened["path"], opened["symbol"], opened["start_line"]) == ("a.py", "Worker.name", 9)
    error = served.call(symbol="run")["error"]
    assert (error["code"], error["message"]) == ("invalid_argument", "Several files declare 'run'.")
    assert {"'a.py'", "'b.py'"} <= set(re.findall(r"'\w.py'", error["hint"]))
    for other in ("README.md", "tests/test_c.py"):
        (tmp_path / "root" / other).parent.mkdir(exist_ok=True)
    (tmp_path / "root" / "README.md").write_text("# Worker\n")
    (tmp_path / "root" / "tests" / "test_c.py").write_text("class Worker: ...\n")
    served.repository.refresh()
    envelope = served.call(symbol="Worker")
    assert envelope["result"]["path"] == "a.py"  # the only file of the program
    (said,) = envelope["warnings"]
    assert {"'README.md'", "'tests/test_c.py'"} == set(re.findall(r"'[^']+'", said))
    assert served.call(symbol="walk")["error"]["message"] == "No file declares 'walk'."
    for path in ("b.py", "c.py"):  # one without it, one that is not there
        envelope = served.call(path=path, symbol="Worker.name")
        assert envelope["result"] == opened
        assert len(envelope["warnings"]) == 1
    assert envelope["warnings"] == ["There is nothing at 'c.py'."]
    (tmp_path / "root" / "deep").mkdir()
    for name in ("deep/c", "deep/d", "d"):
        (tmp_path / "root" / f"{name}.py").write_text(f"def {name[-1]}(): ...\n")
    served.repository.refresh()
    envelope = served.call(path="deep/c.py", symbol="d")  # beside its caller, and in another folder
    assert envelope["result"]["path"] == "deep/d.py"
    assert envelope["warnings"] == [
        "'deep/c.py' declares no 'd'.",
        "Also declared in 'd.py': path opens these.",
    ]
    for written in ("./deep/c.py", "deep/../deep/c.py", str(tmp_path / "root" / "deep" / "c.py")):
        assert served.call(path=written, symbol="d")["result"]["path"] == "deep/d.py"
    assert served.call(path="deep/c.py:1", symbol="d")["warnings"][0] == "'deep/c.py' declares no 'd'."
    assert served.call(path="deep/d.py:1-2", symbol="d")["warnings"] == []
    spans = served.open(spans=[{"path": "deep/d.py"}, {"path": "deep/c.py", "symbol": "d"}])["spans"]
    assert spans[1]["path"] == "deep/d.py"  # said again, as the span gives another
    error = served.call(path="README.md", symbol="run")["error"]  # two files of the program have it
    assert (error["code"], error["message"]) == ("not_found", 'The file declares no "run".')
    assert {"'a.py'", "'b.py'"} <= set(re.findall(r"'\w.py'", error["hint"]))
    spans = served.open(spans=[{"symbol": "Worker.name"}, {}])["spans"]
    assert spans[0]["path"] == "a.py"
    assert spans[1]["error"]["message"] == "Argument path is missing"
    served.repository.close()


def test_a_line_beyond_the_end_is_refused(served: Served) -> None:
    error = served.call(path="a.py", line=22)["error"]
    assert error["message"] == "There is no line 22; the file has 21 lines."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "path is missing"),
        ({"path": "a.py", "symbol": "run", "line": 3}, "symbol and line exclude each other"),
        ({"path": "a.py", "symbol": "run", "start_line": 3}, "symbol and start_line or end_line exclude"),
        ({"path": "a.py", "line": 0}, "line"),
        (
            {"line": 3, "spans": [{"path": "a.py"}]},
            "spans cannot be combined with other arguments than path and about",
        ),
        ({"line": 3}, "path is missing"),
        ({"spans": [{"path": "a.py", "spans": []}]}, "spans[0].spans"),
        ({"spans": [{"path": "a.py"}] * 21}, "21 entries"),
    ],
)
def test_bad_arguments_are_named(served: Served, arguments: dict[str, Any], words: str) -> None:
    error = served.call(**arguments)["error"]
    assert error["code"] == "invalid_argument"
    assert words in error["message"]


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


def leave_out_told(result: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of its own as one of `spans`, with all of its lines shown."""
    return {name: result[name] for name in ("path", "content", "symbol") if name in result}


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


@pytest.mark.parametrize(("asked", "near"), [({"symbol": "Large"}, []), ({"line": 7}, [6, 7, 8])])
def test_a_long_class_is_opened_without_its_methods_bodies(
    served: Served, asked: dict[str, Any], near: list[int]
) -> None:
    envelope = served.call(path="large.py", **asked)
    result = envelope["result"]
    assert (result["start_line"], result["end_line"], result["truncated"]) == (1, 242, True)
    rows = ["1\tclass Large:", "2\t    size = 4"]
    rows += [f"{4 * one + 5}\t    def m{one}(self):" for one in range(60)]
    found = result["content"].splitlines()
    assert [row for row in found if row in rows] == rows
    assert [int(row.partition("\t")[0]) for row in found if row not in rows] == near
    assert envelope["warnings"] == [
        "Of 242 lines, bodies of functions, comments and blank lines are left out: open a function by symbol"
        " or line, or all lines with start_line 1 and end_line 242."
    ]
    assert served.open(path="large.py", start_line=1, end_line=242)["content"].count("return") == 60
    assert "return 31" in served.open(path="large.py", symbol="Large.m31")["content"]


@pytest.mark.parametrize(
    ("asked", "near"), [({"symbol": "Huge"}, []), ({"line": 2_001}, [1999, 2000, 2001, 2002, 2003])]
)
def test_of_a_very_long_class_the_outermost_heads_are_shown(
    served: Served, asked: dict[str, Any], near: list[int]
) -> None:
    envelope = served.call(path="huge.py", **asked)
    result = envelope["result"]
    numbers = [int(row.partition("\t")[0]) for row in result["content"].splitlines()]
    assert (result["start_line"], result["end_line"], result["truncated"]) == (1, 2_400, True)
    heads = [number for number in numbers if number < 1_900]
    assert heads == [1, *range(2, heads[-1] + 1, 4)]
    assert numbers[len(heads) :] == near
    assert 3_500 < len(result["content"]) < 6_000
    assert envelope["warnings"] == [
        "Of 2400 lines, the outermost heads and fields are shown: repo.outline lists all members; open one by"
        " symbol or line."
    ]
    opened = served.repository.open_file("huge.py", None, None, most_lines=100, symbol="Huge", folds=True)
    assert opened.shown is not None
    assert (len(opened.shown), opened.shown[-1], opened.end_line, len(opened.lines)) == (100, 394, 394, 394)


def test_of_a_long_declaration_what_is_about_some_words(served: Served) -> None:
    envelope = served.call(path="long.py", end_line=2_000, about="x1500")
    result = envelope["result"]
    assert (result["start_line"], result["end_line"], result["truncated"]) == (1, 2_000, True)
    assert result["content"] == (
        "1\tdef long():\n2\t    x0 = 0\n"
        "1500\t    x1498 = 1498\n1501\t    x1499 = 1499\n1502\t    x1500 = 1500\n"
        "1503\t    x1501 = 1501\n1504\t    x1502 = 1502\n"
    )
    assert envelope["warnings"] == []
    for whole in ({}, {"symbol": "long"}, {"line": 9}):  # without lines, the whole file
        envelope = served.call(path="long.py", about="x1500", **whole)
        assert "1502\t    x1500 = 1500" in envelope["result"]["content"]
        assert envelope["warnings"] == []
        assert envelope["result"]["end_line"] > 3_000
    short = served.open(path="a.py", symbol="Worker.run", about="step")
    assert short == served.open(path="a.py", symbol="Worker.run")


def test_of_a_long_function_the_lines_near_the_one_asked_for(served: Served) -> None:
    envelope = served.call(path="long.py", line=2_500)
    result = envelope["result"]
    numbers = [int(row.partition("\t")[0]) for row in result["content"].splitlines()]
    assert numbers[:4] == [1, 2, 3, 4]
    assert numbers[4] + numbers[-1] == 2 * 2_500
    assert (result["start_line"], result["end_line"], result["truncated"]) == (1, 3_001, True)
    assert envelope["warnings"] == [
        "Of 3001 lines, those near line 2500 and the heads of its blocks are shown: about shows those about"
        " some words, start_line 1 with end_line 3001 all."
    ]


@pytest.mark.parametrize("asked", [{"symbol": "long"}, {"line": 1}])
def test_of_a_long_function_without_a_line_the_outermost_are_shown(
    served: Served, asked: dict[str, Any]
) -> None:
    envelope = served.call(path="long.py", **asked)
    result = envelope["result"]
    numbers = [int(row.partition("\t")[0]) for row in result["content"].splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert (result["start_line"], result["end_line"], result["truncated"]) == (1, 3_001, True)
    assert len(result["content"]) < 6_000
    assert envelope["warnings"] == [
        "Of 3001 lines, the outermost are shown: line shows those near one, about those about some words,"
        " start_line 1 with end_line 3001 all."
    ]


def test_nothing_is_said_to_be_left_out_where_all_is_shown(served: Served) -> None:
    (served.root / "dense.py").write_text("def dense():\n" + f"    x = '{'y' * 1_000}'\n" * 4)
    envelope = served.call(path="dense.py", line=5)
    assert envelope["result"]["content"].count("\n") == 5
    assert envelope["warnings"] == []
    assert "truncated" not in envelope["result"]
    (served.root / "dense.js").write_text(f"function dense() {{{'x();' * 1_000}}}\n")
    assert [one[:5] for one in served.call(path="dense.js", symbol="dense")["warnings"]] == ["Lines"]


def test_a_long_docstring_takes_no_room_from_the_code(served: Served) -> None:
    prose = "    It is told at length, and in many words.\n" * 100
    code = "    if a:\n        a -= 1\n" * 40
    (served.root / "told.py").write_text(f'def told(a):\n    """Tell.\n\n{prose}    """\n{code}')
    content = served.open(path="told.py", symbol="told")["content"]
    assert content.count("at length") == 1  # the fourth line of the head
    assert content.count("if a:") == 40


def test_words_are_found_behind_the_lines_that_may_be_opened_at_once(served: Served) -> None:
    (served.root / "far.py").write_text("def far():\n" + "    a = 1\n" * 2_990 + "    b = needle\n")
    for asked in ({"symbol": "far"}, {"line": 2_500}, {}):
        envelope = served.call(path="far.py", about="needle", **asked)
        assert "2992\t    b = needle\n" in envelope["result"]["content"]
        assert envelope["warnings"] == []
    assert "\n2500\t" in served.open(path="far.py", about="needle", line=2_500)["content"]


def test_a_file_that_does_not_parse_may_declare_what_another_does(served: Served) -> None:
    (served.root / "open.py").write_text("def parted():\n    return (\n")
    (served.root / "sound.py").write_text("def parted(): ...\n")
    served.repository.refresh()
    assert served.call(path="open.py", symbol="parted")["result"]["path"] == "open.py"
    (served.root / "sound.py").unlink()
    served.repository.refresh()
    for path in ({}, {"path": "a.py"}):
        envelope = served.call(symbol="parted", **path)
        assert envelope["result"]["content"] == "1\tdef parted():\n2\t    return (\n"
        assert "The file does not parse" in " ".join(envelope["warnings"])


def test_a_long_section_of_a_document_is_whole(served: Served) -> None:
    (served.root / "story.md").write_text("# Told\n" + "so and so\n" * 1_000)
    assert served.open(path="story.md", symbol="Told")["content"].count("so and so") == 1_000


def test_words_and_a_line_show_both(served: Served) -> None:
    content = served.open(path="long.py", line=900, about="x1500")["content"]
    assert "\n900\t" in content
    assert "\n1502\t" in content


@pytest.mark.parametrize("asked", [{"line": 900}, {"symbol": "long"}])
def test_a_declaration_without_the_words_is_shown_as_if_none_were_given(
    served: Served, asked: dict[str, Any]
) -> None:
    plain, lacking = served.call(path="long.py", **asked), served.call(path="long.py", about="fence", **asked)
    assert lacking["result"] == plain["result"]
    assert lacking["warnings"] == ["No line has a word of about.", *plain["warnings"]]


def test_what_is_shown_whole_without_the_words_has_no_warning(served: Served) -> None:
    spans = served.open(path="a.py", about="fence", spans=[{"line": 15}, {"end_line": 1}])["spans"]
    assert [span["content"] for span in spans] == [show(14, 15), show(1, 1)]
    assert not any("warnings" in span for span in spans)


def test_of_a_long_span_without_the_words_the_first_lines_are_shown(served: Served) -> None:
    envelope = served.call(path="long.py", end_line=2_000, about="fence")
    result = envelope["result"]
    shown = result["content"].count("\n")
    assert 20 < shown < 150
    assert result["content"].startswith("1\tdef long():\n2\t    x0 = 0\n")
    assert (result["end_line"], result["truncated"]) == (2_000, True)
    assert envelope["warnings"] == [f"No line has a word of about: only the first {shown} are shown."]


@pytest.mark.parametrize(
    ("asked", "is_noted"),
    [
        ({"start_line": 1, "end_line": WIDE_LINES}, True),
        ({"start_line": 1, "end_line": WIDE_LINES - 1}, False),
        ({"start_line": 1, "end_line": WIDE_LINES, "about": "x7"}, False),
        ({"line": 7}, False),
        ({}, False),
    ],
)
def test_a_long_range_is_answered_with_what_costs_less(
    served: Served, asked: dict[str, Any], is_noted: bool
) -> None:
    span = {"path": "wide.py", **asked}
    notes = [WIDE] if is_noted else []
    assert served.call(**span)["warnings"] == notes
    assert served.call(spans=[span, {"path": "a.py"}, span])["warnings"] == notes


def test_a_cut_range_says_how_to_go_on(served: Served) -> None:
    seen = ""
    arguments: dict[str, Any] = {"path": "long.py", "start_line": 1, "end_line": 3_001}
    for _ in range(10):
        envelope = served.call(**arguments)
        result = envelope["result"]
        seen += result["content"]
        if not result.get("truncated"):
            break
        following = result["end_line"] + 1
        assert envelope["warnings"][0] == (
            f"The answer was cut to keep it short; continue with start_line {following}, end_line 3001."
        )
        arguments = {"path": "long.py", "start_line": following, "end_line": 3_001}
    assert seen.count("\n") == 3_001
    assert seen.startswith("1\tdef long():\n")
    assert seen.endswith("3001\t    x2999 = 2999\n")


def test_cut_lines_say_how_to_go_on(served: Served) -> None:
    envelope = served.call(path="long.py")
    assert (envelope["result"]["end_line"], envelope["result"]["truncated"]) == (200, True)
    assert envelope["warnings"] == ["The answer was cut to keep it short; continue with start_line 201."]
    assert served.call(path="long.py", start_line=3_000)["warnings"] == []
    assert served.call(path="long.py", end_line=10)["warnings"] == []  # all that was asked for


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


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("pkg/wroker.py", "Similar paths: 'pkg/worker.py'."),  # a slip
        ("src/pkg/worker.py", "Similar paths: 'pkg/worker.py'."),  # from a folder that is not there
        ("worker.py", "Similar paths: 'lib/worker.py', 'pkg/worker.py'."),
        ("deep/worker_pool.py", "Similar paths: 'lib/worker.py', 'pkg/worker.py'."),  # share a word
        ("pkg/id_rs", "List or search the files for its path."),  # never what is denied
        ("pkg/nothing.py", "List or search the files for its path."),
        ("nowhere/at/all.py", "List or search the files for its path."),
    ],
)
def test_a_path_that_leads_nowhere_is_answered_with_those_like_it(
    tmp_path: Path, path: str, hint: str
) -> None:
    root = tmp_path / "root"
    for name in ("pkg/worker.py", "lib/worker.py", "pkg/id_rsa"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(SOURCE)
    served = Served(root, tmp_path / "data")
    try:
        served.repository.refresh()
        error = served.call(path=path)["error"]
        assert (error["code"], error["hint"]) == ("not_found", hint)
    finally:
        served.repository.close()


def test_a_path_that_is_gone_is_not_named_in_its_own_place(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/worker.py").write_text(SOURCE)
    served = Served(root, tmp_path / "data")
    try:
        served.repository.refresh()
        (root / "pkg/worker.py").rename(root / "pkg/workers.py")
        error = served.call(path="pkg/worker.py")["error"]
        assert (error["code"], error["hint"]) == ("not_found", "Similar paths: 'pkg/workers.py'.")
    finally:
        served.repository.close()


def test_a_folder_is_called_one(served: Served) -> None:
    (served.root / "folder").mkdir()
    error = served.call(path="folder")["error"]
    assert error["message"] == "'folder' is a directory."
    assert error["hint"] == "List the files in it to find one."


def test_a_constructor_is_opened_by_the_name_that_a_hit_gives_it(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    text = "class Crane {\n    int load;\n\n    public Crane(int to) {\n        load = to;\n    }\n}\n"
    (tmp_path / "root/Crane.java").write_text(text)
    served = Served(tmp_path / "root", tmp_path / "data")
    served.repository.refresh()
    opened = served.open(symbol="Crane.Crane")
    assert (opened["start_line"], opened["end_line"]) == (4, 6)
    assert served.open(symbol="Crane")["end_line"] == 7
    served.repository.close()


def test_a_name_under_which_files_import_a_symbol_opens_it(tmp_path: Path) -> None:
    files = {
        "index.ts": "export { addUp as totalOf } from './own';\n",
        "own.ts": "// sums\nexport function addUp(n: number) {\n  return n;\n}\n",
        "use.ts": "import { totalOf } from './index';\nexport const one = () => totalOf(1);\n",
    }
    with open_parsed(tmp_path, files) as served:
        for arguments in ({"symbol": "totalOf"}, {"symbol": "totalOf", "path": "use.ts"}):
            answer = served.call(**arguments)
            assert (answer["result"]["path"], answer["result"]["start_line"]) == ("own.ts", 2)
            assert answer["warnings"][0].startswith("'totalOf' is another name of 'addUp'.")
        assert served.call(symbol="sumOf")["error"]["message"] == "No file declares 'sumOf'."


def test_the_own_name_of_a_class_opens_it_and_nothing_that_is_called_as_its_member(tmp_path: Path) -> None:
    text = "const Page = make();\nclass Shop {}\nShop.Page = class ShopPage extends (\n  Page\n) {};\n"
    files = {"shop.js": text}
    with open_parsed(tmp_path, files) as served:
        for name in ("ShopPage", "Shop.Page"):
            assert served.open(symbol=name)["start_line"] == 3


def test_names_of_the_graph_open_what_outlines_call_otherwise(tmp_path: Path) -> None:
    files = {
        "pot.h": "namespace kiln {\nclass Pot {\n public:\n  ~Pot();\n  int fill(int a);\n"
        "  int fill(long a);\n  int lid;\n};\n}\n",
        "pot.cpp": '#include "pot.h"\nnamespace kiln {\nPot::~Pot() {\n  drain();\n}\n\n'
        "int Pot::fill(int a) {\n  return a;\n}\n\n"
        "int Pot::fill(long a) {\n  int b = a;\n  return b;\n}\n}\n",
        "Dish.swift": "struct Dish {\n    var size: Int\n    init() {\n        size = 1\n    }\n"
        "    subscript(one: Int) -> Int {\n        one\n    }\n}\n"
        "func <+> (a: Dish, b: Dish) -> Dish {\n    a\n}\n",
    }
    with open_parsed(tmp_path, files) as served:
        places = {
            "kiln::Pot": ("pot.h", 2),
            "kiln::Pot::~Pot": ("pot.cpp", 3),
            "kiln::Pot::fill": ("pot.cpp", 11),  # the longest
            "kiln::Pot::lid": ("pot.h", 7),
            "Dish.init": ("Dish.swift", 3),
            "Dish.subscript": ("Dish.swift", 6),
            "<+>": ("Dish.swift", 10),
        }
        opened = {name: served.open(symbol=name) for name in places}
        assert {name: (one["path"], one["start_line"]) for name, one in opened.items()} == places
        assert served.open(symbol="kiln::Pot::fill", path="pot.cpp")["start_line"] == 11
        note = "Other declarations of this name: `kiln.Pot.fill` (pot.cpp:7-9)."
        assert note in served.call(symbol="kiln::Pot::fill")["warnings"]


def test_a_name_in_several_files_is_refused_with_these(tmp_path: Path) -> None:
    text = "func <+> (a: {0}, b: {0}) -> {0} {{\n    a\n}}\n"
    files = {"A.swift": text.format("A"), "B.swift": text.format("B")}
    with open_parsed(tmp_path, files) as served:
        error = served.call(symbol="<+>")["error"]
        assert error["hint"] == "Give one as path, such as 'A.swift', 'B.swift'."


def test_a_path_with_modules_of_rust_opens_what_it_leads_to(tmp_path: Path) -> None:
    gate = "pub struct Gate;\nimpl Gate {\n    pub fn close(&self) {}\n}\n"
    files = {
        "app/src/lib.rs": "pub mod sync;\n",
        "app/src/sync/mod.rs": "mod one;\nmod two;\npub use one::Gate;\n",
        "app/src/sync/one.rs": gate,
        "app/src/sync/two.rs": gate,
    }
    with open_parsed(tmp_path, files) as served:
        opened = served.open(symbol="app::sync::Gate::close")
        assert (opened["path"], opened["start_line"]) == ("app/src/sync/one.rs", 3)
        assert served.call(symbol="app::sync::Gate::open")["error"]["code"] == "not_found"


def test_of_variants_between_which_a_build_chooses_that_of_a_plain_build_is_opened(tmp_path: Path) -> None:
    texts = {
        "bag_big.go": "//go:build big\n\npackage bag\n\nfunc size() int { return 9 }\n",
        "bag_plain.go": "//go:build !big\n\npackage bag\n\nfunc size() int { return 1 }\n",
    }
    (tmp_path / "root").mkdir()
    for path, text in texts.items():
        (tmp_path / "root" / path).write_text(text)
    served = Served(tmp_path / "root", tmp_path / "data")
    served.repository.refresh()
    served.repository.symbol_index.build()
    envelope = served.call(symbol="size")
    assert (envelope["result"]["path"], envelope["result"]["start_line"]) == ("bag_plain.go", 5)
    assert envelope["warnings"] == ["Other builds have other declarations: bag_big.go (big)."]


def test_a_short_form_of_a_declared_name_is_answered_with_the_name(tmp_path: Path) -> None:
    files = {"own.ts": "export class ParcelHelper {\n  run() {\n    return 1;\n  }\n}\n"}
    with open_parsed(tmp_path, files) as served:
        assert served.call(symbol="parHelp")["error"]["hint"] == "Similar: `ParcelHelper`."
