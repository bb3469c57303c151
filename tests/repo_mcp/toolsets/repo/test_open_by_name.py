"""`repo.open_file` by a name that the file at `path` does not declare, or by a name alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.repo.opened_roots import SOURCE, Served, open_parsed

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
