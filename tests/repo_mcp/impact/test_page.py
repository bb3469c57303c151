"""The page of an impact: its sections, and names that try to break out of them."""

from __future__ import annotations

from dataclasses import replace

from repo_mcp.graph.program import Confidence
from repo_mcp.graph.questions import EdgeType
from repo_mcp.impact.page import SHOWN_CHANGED, render_page
from repo_mcp.impact.records import Change, ChangedSymbol, Impact, LeftOut, Reached, ReachedFile
from tests.repo_mcp.graph.memory_index import make_graph

PAGE = """\
# Impact

**2 symbols** in 1 file changed; **1 file depends** on that, 1 more may; **1 test file**.

## What changes

`lib/a.py`

- `helper`, function **new signature**, line 1
- `old`, function **deleted**, line 9

## Tests to run, the nearest first

- `tests/test_a.py`: `test_run` (2 edges away)

## What depends on it

- `lib/b.py`
  - `run` calls `helper`, line 5
  - `run` overrides `helper`, lines 1, 2, 3, 4, 5 ..., *probable*

## What may have to change too

- `lib/a.pyi`: has the same name

## What is not known

- `.env`: denied
- 2 uses of the changed names could not be resolved: some may mean them
- a \\*note\\*
"""


def _build() -> Impact:
    texts = {"lib/b.py": "def run():\n    pass\n", "tests/test_a.py": "def test_run():\n    pass\n"}
    graph = make_graph(texts)
    run, test = graph.outline("lib/b.py")[0], graph.outline("tests/test_a.py")[0]
    calls = Reached(run, EdgeType.CALLS, Confidence.EXACT, 1, "helper", (5,))
    lines = (1, 2, 3, 4, 5, 6)
    guess = replace(calls, edge_type=EdgeType.OVERRIDES, confidence=Confidence.PROBABLE, lines=lines)
    far = replace(calls, node=test, distance=2, via="run")
    return Impact(
        (
            ChangedSymbol("lib/a.py", "helper", "function", 1, Change.CHANGED, True),
            ChangedSymbol("lib/a.py", "old", "function", 9, Change.DELETED),
        ),
        (
            ReachedFile("lib/b.py", 2.0, [calls, guess]),
            ReachedFile("lib/a.pyi", 1.0, [], ["has the same name"]),
        ),
        (ReachedFile("tests/test_a.py", 1.0, [far]),),
        (LeftOut(".env", "denied"),),
        2,
        ("a *note*",),
    )


def test_a_page_has_what_is_sure_what_may_be_and_what_is_not_known() -> None:
    assert render_page(_build(), 20) == PAGE


def test_names_cannot_break_out() -> None:
    name = "a`b\n# heading"
    changed = (ChangedSymbol(name, name, "x`*", 1, Change.CHANGED),)
    files = (ReachedFile(name, 1.0, [], [name]),)
    page = render_page(Impact(changed, files, files, (LeftOut(name, name),), 0, (name,)), 20)
    assert "\n# heading" not in page
    assert "`` a`b\\u000a# heading ``" in page


def test_long_lists_say_how_much_is_left() -> None:
    impact = _build()
    many = replace(impact, changed=impact.changed * SHOWN_CHANGED, files=impact.files * 3)
    page = render_page(many, 2)
    assert f"- and {SHOWN_CHANGED:,} more\n" in page
    assert page.count("- and 1 more\n") == 2
