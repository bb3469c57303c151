"""`repo.open_file` of what is long: which lines are shown, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from repo_mcp.toolsets.repo.opened_rows import WIDE, WIDE_LINES
from tests.repo_mcp.toolsets.repo.opened_roots import Served, serve_sources, show


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_sources(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("data")) as served:
        yield served


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
