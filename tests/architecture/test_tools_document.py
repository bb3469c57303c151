"""`docs/tools.md` says what clients read of the tools, and names every one of them."""

from __future__ import annotations

from tests.architecture.source_tree import ROOT
from tests.architecture.tools_document import load_toolsets, render_tools

PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_tables_make() -> None:
    assert render_tools() == PAGE, "run: make docs"


def test_every_tool_and_argument_is_on_it() -> None:
    toolsets = load_toolsets()
    assert [one.name for one in toolsets] == ["repo", "retrieval", "graph", "research"]
    assert [len(one.tools) for one in toolsets] == [8, 4, 18, 4]
    for tool in (tool for one in toolsets for tool in one.tools):
        section = PAGE.split(f"### `{tool.name}`\n")[1].split("\n### ")[0]
        assert tool.title in section
        for name in tool.input_schema.get("properties", {}):  # type: ignore[attr-defined]
            assert f"\n- `{name}`" in section, "run: make docs"
