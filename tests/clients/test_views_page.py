"""The page of what models see holds what the server answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from repo_mcp.live.index_report import CHANGING, NOT_COMPARED
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.toolsets.repo import build_toolset
from tests.clients.views_page import CALLS, CLIENTS, PAGE, mask
from tests.repo_mcp.cli.program import CORPUS
from tests.repo_mcp.indexed_roots import open_indexed


def test_the_answers_are_those_of_the_server(tmp_path: Path) -> None:
    """The clients themselves are real programs, which this test does without."""
    tree = tmp_path / "tree"
    shutil.copytree(CORPUS, tree)
    (tree / ".env").write_text("token=1\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    with open_indexed(tree) as repository:
        tools = {tool.name: tool for tool in build_toolset(repository).tools}
        for title, call in CALLS.items():
            answer = tools[call.tool].call(dict(call.arguments), CallContext(lambda: False))
            part = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
            assert f"\n{mask(answer.text)}\n" in part, title
            assert all(f"| {client} | `" in part for client in CLIENTS.values())


@pytest.mark.parametrize("said", [CHANGING, NOT_COMPARED])
def test_what_a_server_says_of_the_moment_is_not_on_the_page(said: str) -> None:
    assert mask(f'{{"warnings":["{said}"]}}') == '{"warnings":[]}'
    assert (
        mask(f'["{said}","No file has: x."]')
        == mask(f'["No file has: x.","{said}"]')
        == '["No file has: x."]'
    )
