"""Modules whose files see each other without an import, where a library is entered, and one folder alone."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Focus
from repo_mcp.research.structure.module_names import FEW_FILES, name_modules
from tests.repo_mcp.research.asking import Asked

SHOP = {
    "src/Shop/Till.cs": "namespace Shop { public class Till { public int Open() { return 1; } } }\n",
    "src/Shop/Desk.cs": "namespace Shop { public class Desk { } }\n",
    **{
        f"src/Shop/Goods/Item{at}.cs": "namespace Shop.Goods\n{\n"
        f"    public class Item{at} {{ public int Sell(Till till) {{ return till.Open(); }} }}\n}}\n"
        for at in range(FEW_FILES)
    },
}
TESTS = {
    f"tests/Shop.Tests/Case{at}.cs": "using Shop;\nnamespace Shop.Tests\n{\n"
    f"    public class Case{at} {{ public void Runs() {{ new Till().Open(); }} }}\n}}\n"
    for at in range(4)
}
BENCH = {
    "src/Shop.TestConsole/Program.cs": "class Program { static int Main() { return new Shop.Till(); } }\n"
}


def test_what_lies_in_the_parent_namespace_is_depended_on() -> None:
    report = Asked(SHOP).ask("architecture")
    (edge,) = [one for one in report.map_edges if one.target == "src/Shop/Till.cs"]
    assert (edge.source, edge.kind, edge.count) == ("src/Shop/Goods", "uses", FEW_FILES)
    level = {name: one.level for one in report.layers for name in one.modules}
    assert level["src/Shop/Till.cs"] < level["src/Shop/Goods"]


def test_a_library_is_entered_where_its_tests_enter_it() -> None:
    report = Asked(SHOP | TESTS | BENCH).ask("architecture")
    assert [one.symbol for one in report.entry_points] == ["Shop.Till"]
    assert "Its tests and examples mostly enter it at Shop.Till (src/Shop/Till.cs:1)." in report.claim


def test_a_program_is_entered_at_its_beginning() -> None:
    program = {"src/Shop/Program.cs": "class Program { static void Main() { new Shop.Till().Open(); } }\n"}
    claim = Asked(SHOP | TESTS | program).ask("architecture").claim
    assert claim.endswith("It is entered at src/Shop/Program.cs:1.")


def test_a_small_folder_is_one_module() -> None:
    paths = sorted([f"src/core/{at}.py" for at in range(60)] + [f"src/web/{at}.py" for at in range(6)])
    assert {name_modules(paths)[path] for path in paths if path.startswith("src/web")} == {"src/web"}


def test_the_files_of_a_flat_folder_are_modules() -> None:
    paths = sorted([f"src/core/{at}.py" for at in range(60)] + ["src/core/deep/a.py", "src/core/deep/b.py"])
    assert name_modules(paths) == {path: path for path in paths}


@pytest.mark.parametrize(
    ("question", "folder"),
    [
        ("how is the architecture of src/Shop/Goods organised?", ""),
        ("which kinds of items are there in src/Shop/Goods", ""),
        ("what are the layers here", "src/Shop/Goods"),
    ],
)
def test_the_structure_of_a_folder_is_asked_for_by_the_focus(question: str, folder: str) -> None:
    report = Asked(SHOP).ask(question, focus=Focus.ARCHITECTURE, folder=folder)
    assert report.reading.text == "the structure of the folder src/Shop/Goods"


def test_an_open_question_stays_one_whatever_its_focus() -> None:
    report = Asked(SHOP).ask("how does an item get sold", focus=Focus.ARCHITECTURE)
    assert not report.reading.text.startswith("the structure of")


def test_a_type_of_one_line_does_not_stand_for_a_module() -> None:
    files = SHOP | {
        f"src/Shop/Tools/Tool{at}.cs": "namespace Shop.Tools\n{\n    public delegate int Turn();\n"
        f"    class Tool{at}\n    {{\n        Till till;\n    }}\n}}\n"
        for at in range(3)
    }
    shown = [one.symbol for one in Asked(files).ask("architecture").findings]
    assert "Shop.Tools.Tool0" in shown
    assert "Shop.Tools.Turn" not in shown
