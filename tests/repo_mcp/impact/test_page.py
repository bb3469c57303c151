"""The page of an impact: its sections, and names that try to break out of them."""

from __future__ import annotations

from dataclasses import replace

from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.impact.page import SHOWN_CHANGED, render_page
from repo_mcp.impact.records import (
    CHANGED_ITSELF,
    Change,
    ChangedSymbol,
    Impact,
    LeftOutFile,
    Reached,
    ReachedFile,
)
from tests.repo_mcp.graph.memory_index import make_graph

PAGE = """\
# Impact

**4 symbols change** in 2 files. **2 other files depend** on that, and 3 more may. **2 test files** to run.

## What changes

`lib/a.py`

- `helper`, function **new signature**, line 1
- `Old`, class **deleted** with 2 members, line 9
- statements outside of all declarations

`lib/new.py`

- a new file

No symbol changes in `CHANGELOG.md`.

## Tests to run, the nearest first

- `tests/test_new.py`: changed by the diff
- `tests/test_a.py`: `test_run` (2 edges away)

## Tests that may be affected

- `tests/conftest.py`: words in common

## What depends on it

- `lib/b.py`
  - `run` calls `helper`, lines 5, 9
  - `run` overrides `helper`, lines 1, 2, 3, 4, 5 ..., *probable*
  - `use` calls `helper`, `two`, `three` and 1 more, line 1
- `lib/c.py` imports `helper`, line 1

## What may have to change too

- `lib/a.pyi`: named like `a.py`; names in common: `put_aside`
- `lib/d.py`, `lib/e.py`: words in common

## What is not known

- `.env`: denied
- 2 uses of the changed names could not be resolved: some may mean them
- a \\*note\\*
"""


def _build() -> Impact:
    texts = {
        "lib/a.py": "def helper():\n    pass\n",
        "lib/b.py": "def run():\n    pass\n",
        "lib/c.py": "import a\n",
        "lib/new.py": "import a\n",
        "tests/test_a.py": "def test_run():\n    pass\n",
    }
    graph = make_graph(texts)
    run, test = graph.outline("lib/b.py")[0], graph.outline("tests/test_a.py")[0]
    whole, own, new = (graph.choose(path) for path in ("lib/c.py", "lib/a.py", "lib/new.py"))
    calls = Reached(run, EdgeType.CALLS, Confidence.EXACT, 1, ("helper",), (5,), "run")
    again = replace(calls, lines=(9,))  # an overload
    many = replace(calls, via=("helper", "two", "three", "four"), lines=(1,), name="use")
    lines = (1, 2, 3, 4, 5, 6)
    guess = replace(calls, edge_type=EdgeType.OVERRIDES, confidence=Confidence.PROBABLE, lines=lines)
    imports = replace(calls, node=whole, edge_type=EdgeType.IMPORTS, lines=(1,), name="c.py")
    far = replace(calls, node=test, distance=2, via=("run",), name="test_run")
    return Impact(
        (
            ChangedSymbol("lib/a.py", "lib.helper", "function", 1, Change.CHANGED, True, short_name="helper"),
            ChangedSymbol("lib/a.py", "Old", "class", 9, Change.DELETED),
            ChangedSymbol("lib/a.py", "Old.one", "method", 10, Change.DELETED),
            ChangedSymbol("lib/a.py", "Old.two", "method", 12, Change.DELETED),
            ChangedSymbol("lib/a.py", "a.py", "file", 1, Change.CHANGED, node=own),
            ChangedSymbol("lib/new.py", "new.py", "file", 1, Change.ADDED, node=new),
        ),
        (
            ReachedFile("lib/b.py", 2.0, [calls, guess, again, many]),
            ReachedFile("lib/c.py", 1.5, [imports]),
            ReachedFile("lib/a.pyi", 1.0, [], ["named like `a.py`", "names in common: `put_aside`"]),
            ReachedFile("lib/d.py", 1.0, [], ["words in common"]),
            ReachedFile("lib/e.py", 1.0, [], ["words in common"]),
        ),
        (
            ReachedFile("tests/test_new.py", reasons=[CHANGED_ITSELF]),
            ReachedFile("tests/test_a.py", 1.0, [far]),
            ReachedFile("tests/conftest.py", 1.0, [], ["words in common"]),
        ),
        (LeftOutFile(".env", "denied"),),
        2,
        ("a *note*",),
        ("CHANGELOG.md",),
    )


def test_a_page_has_what_is_sure_what_may_be_and_what_is_not_known() -> None:
    assert render_page(_build(), 20) == PAGE


def test_names_cannot_break_out() -> None:
    name = "a`b\n# heading"
    changed = (ChangedSymbol(name, name, "x`*", 1, Change.CHANGED),)
    files = (ReachedFile(name, 1.0, [], [name]),)
    page = render_page(Impact(changed, files, files, (LeftOutFile(name, name),), 0, (name,)), 20)
    assert "\n# heading" not in page
    assert "`` a`b\\u000a# heading ``" in page


def test_a_reason_cannot_break_out_between_its_code_spans() -> None:
    files = (ReachedFile("a.py", 1.0, [], ["names in common: `put_aside`, `a`*b*`\n# heading"]),)
    page = render_page(Impact((), files, (), (), 0, ()), 20)
    assert "- `a.py`: names in common: `put_aside`, `a`\\*b\\*\\`\\\\u000a\\# heading\n" in page


def test_long_lists_say_how_much_is_left() -> None:
    impact = _build()
    many = replace(impact, changed=impact.changed[:1] * (SHOWN_CHANGED + 6), files=impact.files * 3)
    page = render_page(many, 2)
    assert "- and 6 more\n" in page
    assert page.count("- and 4 more\n") == 1  # of six that depend
    assert page.count("- and 7 more\n") == 1  # of nine that may


def test_a_change_that_reaches_nothing_says_so() -> None:
    page = render_page(replace(_build(), files=(), tests=()), 20)
    assert "**No other file depends** on that. No test is known to reach it.\n" in page


def test_a_change_of_no_symbol_says_in_how_many_files_and_what_may_depend_on_it() -> None:
    impact = replace(_build(), changed=(), files=_build().files[-3:], tests=())
    summary = "**No symbol changes** in 1 file. **No other file depends** on that, but 3 may. No test"
    assert summary in render_page(impact, 20)


def test_a_diff_that_reaches_nothing_says_so_in_one_sentence() -> None:
    nothing = Impact(changed=(), files=(), tests=(), left_out=(), unresolved=0, notes=())
    said = "# Impact\n\n**No symbol changes**, and no file is known to be affected.\n"
    assert render_page(nothing, 10) == said
    page = render_page(replace(nothing, without_symbols=("README.md",)), 10)
    assert page == f"{said}\n## What changes\n\nNo symbol changes in `README.md`.\n"
