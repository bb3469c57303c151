"""Errors and warnings are written for models; people read the names of commands in them."""

from __future__ import annotations

import ast
import re
from functools import cache

from repo_mcp.cli.console.endings import name_commands
from tests.architecture.source_tree import ROOT, Module, load_modules

FOR_MODELS = ("repo_mcp/toolsets/", "repo_mcp/protocol/", "repo_mcp/server", "repo_mcp/cli/console/endings")
MOST_CHARS = 1_000  # more is a table of words


def list_tools() -> list[str]:
    """Return the names of tools that are no ordinary words."""
    text = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    names = re.findall(r"^#+ `?([a-z_.]+)`?", text, re.MULTILINE)
    return [name for name in names if re.search(r"[._]", name)]


@cache
def list_sentences(module: Module) -> list[str]:
    """Return the texts of a module that may be shown: of more than one word, and no docstrings."""
    described = ast.Module | ast.ClassDef | ast.FunctionDef
    docs = {ast.get_docstring(node, False) for node in module.nodes if isinstance(node, described)}
    texts = [node.value for node in module.nodes if isinstance(node, ast.Constant)]
    return [
        text
        for text in texts
        if isinstance(text, str) and text not in docs and " " in text and len(text) <= MOST_CHARS
    ]


def test_no_sentence_that_a_person_may_read_names_a_tool() -> None:
    tool = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, list_tools()))})(?!\w)")
    found = [
        (module.path, text)
        for module in load_modules()
        if not module.path.startswith(FOR_MODELS)
        for text in list_sentences(module)
        if tool.search(text)
    ]
    assert len(found) >= 4
    assert [(path, text) for path, text in found if tool.search(name_commands(text))] == []


def test_no_sentence_asks_a_person_to_ask_the_user() -> None:
    texts = [
        text
        for module in load_modules()
        if not module.path.startswith(FOR_MODELS) and not module.path.startswith("repo_mcp/serving/")
        for text in list_sentences(module)
    ]
    assert sum("the user" in text for text in texts) >= 3
    assert [text for text in map(name_commands, texts) if re.search("(Ask|Tell) the user", text)] == []


def test_what_a_person_reads() -> None:
    assert name_commands("Search still works; repo.status shows the progress.") == (
        "Search still works; repo-mcp status shows the progress."
    )
    assert name_commands("Nearest: a.b (19087f2f4f659295fe46fe34), c (in d).") == "Nearest: a.b, c (in d)."
