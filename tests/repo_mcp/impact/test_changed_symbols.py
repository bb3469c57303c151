"""From lines to the innermost declarations that have them."""

from __future__ import annotations

from repo_mcp.impact.applied import TouchedLines
from repo_mcp.impact.changed_symbols import _Side, find_comments, list_touched
from repo_mcp.impact.records import Change
from repo_mcp.model import Symbol
from tests.growth import assert_linear
from tests.repo_mcp.graph.memory_index import MemoryIndex

TEXT = """import os


class Shelf:
    size = 3

    def put(self):
        def inner():
            return 1

        return inner()

    def take(self):
        return os


LIMIT = 4
"""
LINES = TEXT.split("\n")


def _name(lines: tuple[int, ...], gaps: tuple[int, ...] = ()) -> list[str]:
    return [name for name, _ in _tell(lines, gaps)]


def _tell(
    lines: tuple[int, ...], gaps: tuple[int, ...] = (), path: str = "shelf.py", text: str = TEXT
) -> list[tuple[str, Change]]:
    record = MemoryIndex({path: text}).find_record(path)
    assert record is not None
    found = list_touched(record, TouchedLines(lines, gaps), text.split("\n"))
    return [(record.get_symbol(one).name, change) for one, change in sorted(found.items())]


def test_a_line_counts_for_the_innermost_symbol_around_it() -> None:
    assert _name((5, 9, 11, 14)) == ["size", "put", "inner", "take"]
    assert _name((4,)) == ["Shelf"]
    assert _name((17,)) == ["LIMIT"]


def test_lines_of_imports_change_nothing_that_others_use() -> None:
    assert _tell((1,)) == [("shelf.py", Change.IMPORTS)]
    assert _tell((), (1,)) == [("shelf.py", Change.IMPORTS)]
    main = 'package shop\n\nimport (\n\t"fmt"\n)\n\nfunc Put() {\n\tfmt.Println()\n}\n'
    assert _tell((4,), path="shop.go", text=main) == [("shop.go", Change.IMPORTS)]
    assert _tell((4, 8), path="shop.go", text=main)[1] == ("Put", Change.CHANGED)


def test_an_import_inside_a_function_changes_the_function() -> None:
    assert _tell((2,), text="def read():\n    import os\n    return os\n") == [("read", Change.CHANGED)]


def test_blank_lines_count_for_nothing() -> None:
    assert _name((2, 3, 6)) == []


def test_comments_and_closing_brackets_between_declarations_count_for_nothing() -> None:
    text = "// one\nexport class A {\n  // two\n  m() {\n    // three\n    if (1) {\n    }\n  }\n}\n"
    touched = TouchedLines((1, 3, 8, 9), ())
    record = MemoryIndex({"a.ts": text}).find_record("a.ts")
    assert record is not None
    comments = find_comments("a.ts", text.split("\n"))
    assert comments == {1, 3, 5}
    assert list_touched(record, touched, text.split("\n"), comments) == {}
    inside = list_touched(record, TouchedLines((5, 7), ()), text.split("\n"), comments)
    assert [record.get_symbol(one).name for one in inside] == ["m"]


def test_comments_of_several_lines_and_docstrings_have_all_their_lines() -> None:
    text = '"""One\n\ntwo."""\n\nx = 1  # no\n\n\n# yes\ndef f():\n    """Three."""\n    return "#"\n'
    assert find_comments("a.py", text.split("\n")) == {1, 2, 3, 8, 10}


def test_an_idle_gap_counts_for_functions_alone() -> None:
    record = MemoryIndex({"shelf.py": TEXT}).find_record("shelf.py")
    assert record is not None
    found = list_touched(record, TouchedLines((), (9, 11, 15)), LINES, idle_gaps={9, 11, 15})
    assert [record.get_symbol(one).name for one in found] == ["put"]


def test_a_gap_counts_for_what_holds_both_lines_beside_it() -> None:
    assert _name((), (8,)) == ["inner"]
    assert _name((), (9,)) == ["put"]
    assert _name((), (11,)) == ["Shelf"]
    assert _tell((), (15,)) == [("shelf.py", Change.CHANGED)]
    assert _tell((), (len(LINES),)) == [("shelf.py", Change.CHANGED)]


def test_signatures_of_thousands_of_namesakes_are_compared_in_linear_time() -> None:
    """A file of 10,000 functions of one name took 12 seconds for each time that a diff named it."""

    def make_side(count: int) -> _Side:
        ones = [Symbol("function", "f", f"def f(a{number})", number, number) for number in range(count)]
        return _Side({("", "f"): ones})

    assert_linear(make_side, lambda side: side.list_signature_changes(side), 200)
    assert len(make_side(200).list_signature_changes(make_side(150))) == 50
