"""Names that models give to arguments: those of other tools are taken, if they can only mean one argument."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp.protocol.meant_arguments import rename_arguments
from repo_mcp.protocol.tool_model import Tool
from tests.architecture.tools_document import load_toolsets
from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.written_trees import write_tree

TOOLS = {tool.name: tool for toolset in load_toolsets() for tool in toolset.tools}


def _list_names(tool: Tool) -> list[str]:
    properties = tool.input_schema["properties"]
    assert isinstance(properties, dict)
    return list(properties)


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_no_name_stands_for_two_arguments_of_a_tool(name: str) -> None:
    """Each argument of any tool is one argument of this tool, or refused."""
    tool = TOOLS[name]
    properties = tool.input_schema["properties"]
    assert isinstance(properties, dict)
    for given in {one for other in TOOLS.values() for one in _list_names(other)} - set(properties):
        meant = [one for one in properties if given not in rename_arguments(_hold(one), {given: 1})]
        assert len(meant) <= 1, (given, meant)


def _hold(argument: str) -> dict[str, object]:
    return {"properties": {argument: {"type": "integer"}}}


def test_arguments_of_our_own_tools_may_be_mixed_up_and_are_logged_by_their_names(tmp_path: Path) -> None:
    with Served(write_tree(tmp_path / "r", {"a.py": "x = 1\n"}), tmp_path / "data", index=False) as served:
        shown = served.ask("read_file", {"path": "a.py", "line_start": 1, "line_end": 1}).text
        assert served.ask("read_file", {"file_path": "a.py", "start_line": 1, "end_line": 1}).text == shown
        calls = [json.loads(line) for line in (tmp_path / "data" / "audit.jsonl").read_text().splitlines()]
        assert len(calls) == 2
        assert calls[0]["arguments"] == calls[1]["arguments"]
