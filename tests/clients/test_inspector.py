"""MCP Inspector runs every tool of every toolset, over stdio, on a repository of real code.

Each tool is called twice: with arguments that mean something in the tree, and with some that it has to
refuse. The Inspector starts a server for every call. What it prints is checked against the schemas that it
listed itself. The tree is this program's own command line, or the one that REPO_MCP_TREE names:

    REPO_MCP_TREE=~/src/fastapi pytest tests/clients/test_inspector.py
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from repo_mcp.config.server_config import TOOLSETS
from tests.clients.stage import SECRET, find_client
from tests.repo_mcp.cli.program import PROJECT, run

pytestmark = pytest.mark.clients

PATIENCE_SECONDS = 120
# How the Inspector ends: with an answer, or with an answer that is an error of the tool.
ANSWERED, REFUSED = 0, 5
NOT_OF_THE_TREE = shutil.ignore_patterns(".git", ".repo_mcp", "node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class Facts:
    """The contents of the tree."""

    path: str  # of a file that declares something
    name: str  # of something declared in it
    qualified_name: str
    node_id: str


Arguments = Mapping[str, object]
_UNKNOWN: Arguments = {"no_such_argument": "1"}
_NO_NODE: Arguments = {"node_id": "no-such-node"}
_NOWHERE: Arguments = {"path": "no/such/place"}


def _of_node(facts: Facts) -> Arguments:
    return {"node_id": facts.node_id}


def _of_path(facts: Facts) -> Arguments:
    return {"path": facts.path}


# tool -> arguments that mean something, arguments that are refused
CALLS: Mapping[str, tuple[Callable[[Facts], Arguments], Arguments]] = {
    "repo.status": (lambda _: {}, _UNKNOWN),
    "repo.list_files": (lambda _: {"glob": "**/*", "max_results": 5}, {"max_results": 0}),
    "repo.open_file": (_of_path, {"path": ".env"}),
    "repo.outline": (_of_path, _NOWHERE),
    "repo.search": (lambda facts: {"query": facts.name}, {"query": "(", "mode": "regex"}),
    "repo.refresh_index": (lambda _: {"force": True}, _UNKNOWN),
    "repo.build_context_bundle": (lambda facts: {"prompt": f"How does {facts.name} work?"}, _UNKNOWN),
    "repo.audit_log": (lambda _: {"limit": 5}, {"limit": 0}),
    "search": (lambda facts: {"repo": "both", "query": facts.name}, {"query": "(", "regex": True}),
    "open_file": (lambda facts: {"repo": "code", "path": facts.path}, {"repo": "code", "path": ".env"}),
    "get_snippet": (
        lambda facts: {"repo": "code", "path": facts.path, "start_line": 1, "end_line": 3},
        {"repo": "docs", "path": "../outside", "start_line": 1, "end_line": 3},
    ),
    "list_dir": (lambda _: {"repo": "docs"}, {"repo": "code", "path": "no/such/place"}),
    "list_directory": (lambda _: {}, _NOWHERE),
    "read_file": (lambda facts: {"path": facts.path, "line_end": 5}, {"path": ".env"}),
    "get_directory_tree": (lambda _: {"depth": 2}, {"depth": 0}),
    "search_symbols": (lambda facts: {"query": facts.name}, {"query": "x", "limit": 0}),
    "lookup_symbol": (lambda facts: {"qualified_name": facts.qualified_name}, _UNKNOWN),
    "find_similar": (_of_node, _NO_NODE),
    "get_symbol": (_of_node, _NO_NODE),
    "get_source_spans": (_of_node, _NO_NODE),
    "get_file_outline": (_of_path, _NOWHERE),
    "get_callers": (_of_node, _NO_NODE),
    "get_callees": (_of_node, _NO_NODE),
    "get_implementations": (_of_node, _NO_NODE),
    "get_references": (_of_node, _NO_NODE),
    "get_dependencies": (_of_node, _NO_NODE),
    "get_dependents": (_of_node, _NO_NODE),
    "get_impact": (
        lambda facts: {"diff": f"--- a/{facts.path}\n+++ b/{facts.path}\n@@ -1 +1 @@\n-a\n+b\n"},
        {"diff": "no diff"},
    ),
    "index_files": (lambda facts: {"paths": [facts.path]}, {"paths": [0]}),
    "get_status": (lambda _: {}, _UNKNOWN),
    "index_codebase": (lambda _: {"path": "."}, {"path": "../.."}),
    "search_code": (lambda facts: {"query": facts.name, "limit": 3}, {"query": "x", "limit": 0}),
    "search_docs": (lambda _: {"query": "how is it installed", "limit": 3}, {"query": "x", "limit": 0}),
    "code_research": (lambda facts: {"query": f"what calls {facts.name}"}, {"query": "x", "depth": 0}),
}

RESEARCH = ("index_codebase", "search_code", "search_docs", "code_research")


class Inspector:
    """The Inspector without its window, and a server as `repo-mcp init generic` sets it up."""

    def __init__(self, place: Path) -> None:
        self._program = find_client("mcp-inspector")
        self._place = place
        self._config = place / "servers.json"
        self.tree = place / "tree"
        given = os.environ.get("REPO_MCP_TREE")
        shutil.copytree(given or PROJECT / "repo_mcp" / "cli", self.tree, ignore=NOT_OF_THE_TREE)
        if given is None:
            shutil.copytree(PROJECT / "docs", self.tree / "docs")
        (self.tree / ".env").write_text(f"{SECRET}\n", encoding="utf-8")
        (place / "home").mkdir()
        assert run(self.tree, "index", "--structure").returncode == 0
        roots = ("--root", ".", "--docs-root", ".", "--code-root", ".")
        made = run(self.tree, "init", "generic", "--toolsets", ",".join(TOOLSETS), *roots)
        assert made.returncode == 0, made.stderr
        self._config.write_text(made.stdout, encoding="utf-8")
        self.tools = {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}

    def call(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """Return what the Inspector prints of an answer."""
        words = [f"--tool-arg={name}={_write(value)}" for name, value in arguments.items()]
        return self.ask("tools/call", "--tool-name", tool, *words)

    def learn(self) -> Facts:
        """Return the facts on a declaration of the tree, found as a client would find it."""
        code = ("py", "ts", "js", "go", "rs", "java", "rb", "cs")
        listed = self.call("repo.list_files", {"glob": f"**/*.{{{','.join(code)}}}"})
        for file in listed["structuredContent"]["result"]["files"]:
            symbols = self.call("get_file_outline", {"path": file["path"]})["structuredContent"]["result"]
            for symbol in symbols:
                if symbol["node_type"] in {"function", "class"}:
                    names = (symbol["name"], symbol["qualified_name"], symbol["node_id"])
                    return Facts(file["path"], *names)
        pytest.fail("the tree declares nothing")

    def ask(self, method: str, *words: str) -> dict[str, Any]:
        server = ("--config", str(self._config), "--server", "repo")
        done = subprocess.run(
            [self._program, "--cli", *server, "--method", method, *words],
            cwd=self._place,
            env={"PATH": os.environ["PATH"], "HOME": str(self._place / "home")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode in {ANSWERED, REFUSED}, done.stderr
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        assert answer.get("isError", False) is (done.returncode == REFUSED)
        return answer


def _write(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    return Inspector(tmp_path_factory.mktemp("inspector"))


@pytest.fixture(scope="module")
def facts(inspector: Inspector) -> Facts:
    return inspector.learn()


def check_schema(inspector: Inspector, tool: str, answer: Mapping[str, Any]) -> str:
    """Return the text of an answer, whose structure must be what the tool promised."""
    schema = inspector.tools[tool]["outputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(answer["structuredContent"], schema, jsonschema.Draft202012Validator)
    (text,) = [block["text"] for block in answer["content"] if block["type"] == "text"]
    assert SECRET not in text
    return str(text)


def test_it_lists_every_tool(inspector: Inspector) -> None:
    assert list(inspector.tools) == list(CALLS)
    for tool in inspector.tools.values():
        assert tool["title"]
        assert tool["description"]
        assert tool["annotations"]["openWorldHint"] is False
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])


def test_it_reads_resources_of_every_root(inspector: Inspector, facts: Facts) -> None:
    templates = [one["uriTemplate"] for one in inspector.ask("resources/templates/list")["resourceTemplates"]]
    assert templates == ["repo:///{+path}", "docs:///{+path}", "code:///{+path}"]
    text = (inspector.tree / facts.path).read_text(encoding="utf-8")
    for template in templates:
        (content,) = inspector.ask("resources/read", "--uri", template.replace("{+path}", facts.path))[
            "contents"
        ]
        assert content["text"] == text
    assert {"resources"} == inspector.ask("resources/list").keys()


@pytest.mark.parametrize("tool", CALLS)
def test_a_tool_answers_by_its_schema(inspector: Inspector, facts: Facts, tool: str) -> None:
    answer = inspector.call(tool, CALLS[tool][0](facts))
    text = check_schema(inspector, tool, answer)
    assert not answer.get("isError"), text
    assert json.loads(text) == answer["structuredContent"]


@pytest.mark.parametrize("tool", CALLS)
def test_a_tool_refuses_by_its_schema(inspector: Inspector, tool: str) -> None:
    answer = inspector.call(tool, CALLS[tool][1])
    text = check_schema(inspector, tool, answer)
    assert answer["isError"]
    assert str(inspector.tree) not in text
    if text.startswith("{"):
        assert json.loads(text) == answer["structuredContent"]
    else:  # one text, in the words of the specification
        assert tool in RESEARCH
        assert text.strip()
