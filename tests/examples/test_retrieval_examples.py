"""The client configurations of `examples/retrieval/`: each is parsed, and the server started as it says.

Only the three paths that a reader has to replace are replaced. What is started gets the environment that
the file gives and, as from a client, a home and a search path; nothing of the checkout is on its path.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source_tree import ROOT
from tests.repo_mcp.stdio.retrieval_client import RetrievalClient
from tests.repo_mcp.toolsets.retrieval.retrieval_roots import make_trees

EXAMPLES = ROOT / "examples" / "retrieval"
SCRIPT = Path(sys.executable).parent / "repo-mcp-server"
# file -> where its client looks for servers, and the protocol that the client opens with
CLIENTS: Mapping[str, tuple[str, str]] = {
    "codex.config.toml": ("mcp_servers", "2025-06-18"),
    "vscode.mcp.json": ("servers", "2025-06-18"),
    "gemini.settings.json": ("mcpServers", "2025-06-18"),
    "copilot.mcp-config.json": ("mcpServers", "2025-11-25"),
    "mcpone.json": ("mcpServers", "2024-11-05"),
}
# What each client takes in an entry; anything else would be ignored, or refused.
KEYS: Mapping[str, set[str]] = {
    "codex.config.toml": {"command", "args", "env", "cwd", "startup_timeout_sec", "tool_timeout_sec"},
    "vscode.mcp.json": {"type", "command", "args", "env"},
    "gemini.settings.json": {"command", "args", "env", "cwd", "timeout", "trust"},
    "copilot.mcp-config.json": {"type", "command", "args", "env", "tools"},
    "mcpone.json": {"command", "args", "env"},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make two roots, a home, and the examples with their paths replaced."""
    docs, code = make_trees(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "examples").mkdir()
    replaced = {
        "/path/to/repo-mcp/.venv/bin/repo-mcp-server": str(SCRIPT),
        "/path/to/docs": str(docs),
        "/path/to/code": str(code),
        "/path/to/retrieval.toml": str(tmp_path / "examples" / "retrieval.toml"),
    }
    for file in EXAMPLES.iterdir():
        text = file.read_text(encoding="utf-8")
        for example, real in replaced.items():
            text = text.replace(example, real)
        assert file.suffix == ".md" or "/path/to" not in text
        (tmp_path / "examples" / file.name).write_text(text, encoding="utf-8")
    return tmp_path


def read_entry(file: Path) -> dict[str, Any]:
    """Return the one server of a configuration."""
    text = file.read_text(encoding="utf-8")
    table = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    (section,) = table
    assert section == CLIENTS[file.name][0]
    (entry,) = table[section].values()
    assert isinstance(entry, dict)
    return entry


def test_there_is_an_example_for_every_client_that_the_page_names() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = {file.name for file in EXAMPLES.iterdir()} - {"README.md"}
    assert files == {*CLIENTS, "retrieval.toml"}
    assert all(f"`{name}`" in page for name in files)
    for client in ("Codex", "Gemini CLI", "Copilot CLI", "McpOne", "VS Code"):
        assert client in page


@pytest.mark.parametrize("name", CLIENTS)
def test_an_example_starts_the_server_exactly_as_it_says(place: Path, name: str) -> None:
    entry = read_entry(place / "examples" / name)
    assert set(entry) <= KEYS[name]
    assert SCRIPT.is_file(), "install the package: make setup"
    environment = {"PATH": os.environ["PATH"], "HOME": str(place / "home")} | entry.get("env", {})
    with closing(
        RetrievalClient([entry["command"], *entry["args"]], environment, Path("/"), protocol=CLIENTS[name][1])
    ) as client:
        assert list(client.listed) == ["search", "open_file", "get_snippet", "list_dir"]
        listed = client.call("list_dir", repo="docs")["result"]["entries"]
        assert [row["path"] for row in listed] == ["README.md", "empty.md", "guide"]
        (found,) = client.call("search", query="def mount_volume")["result"]["matches"]
        assert (found["repo"], found["path"], found["line"]) == ("code", "src/volume.py", 4)
        span = {"start_line": found["line"], "end_line": found["line"] + 1}
        snippet = client.call("get_snippet", repo="code", path=found["path"], **span)
        assert "return os.path.ismount(path)" in snippet["result"]["content"]
        assert client.call("open_file", repo="docs", path="guide/mount.md")["result"]["total_lines"] == 4


# Real clients

INSPECTOR_REFUSED = 5  # how it ends when the answer is an error of the tool


def get_program(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return program


def run_client(place: Path, *command: str, both: bool = False, ends: int = 0, **variables: str) -> str:
    """Return the standard output of a client that ends by itself; of some `both` outputs, as they come."""
    done = subprocess.run(
        command,
        cwd=place / "home",
        env={"PATH": os.environ["PATH"], "HOME": str(place / "home")} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if both else subprocess.PIPE,
        timeout=120,
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == ends, done.stderr or done.stdout
    return done.stdout


@pytest.mark.clients
def test_mcp_inspector_calls_every_tool(place: Path) -> None:
    inspector = get_program("mcp-inspector")
    entry = read_entry(place / "examples" / "codex.config.toml")
    variables = [word for name, value in entry["env"].items() for word in ("-e", f"{name}={value}")]

    def ask(*words: str, ends: int = 0) -> Any:
        command = [inspector, "--cli", *variables, entry["command"], *entry["args"], *words]
        return json.loads(run_client(place, *command, ends=ends))

    def call(tool: str, ends: int = 0, **arguments: object) -> Any:
        given = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")]
        return ask("--method", "tools/call", "--tool-name", tool, *given, ends=ends)["structuredContent"]

    tools = ask("--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["search", "open_file", "get_snippet", "list_dir"]
    assert call("list_dir", repo="docs")["result"]["entries"][0]["path"] == "README.md"
    assert len(call("search", query="mount", limit=3)["result"]["matches"]) == 3
    assert call("open_file", repo="code", path="lib/a.c")["result"]["total_lines"] == 4
    snippet = call("get_snippet", repo="code", path="lib/a.c", start_line=3, end_line=99)
    assert snippet["result"]["content"] == "3\t\treturn 0;\n4\t}\n"
    refused = call("open_file", ends=INSPECTOR_REFUSED, repo="code", path="../docs/README.md")
    assert refused["error"]["code"] == "PATH_OUT_OF_ROOT"


@pytest.mark.clients
def test_gemini_connects(place: Path) -> None:
    program = get_program("gemini")
    settings = place / "home" / ".gemini" / "settings.json"
    settings.parent.mkdir()
    shutil.copyfile(place / "examples" / "gemini.settings.json", settings)
    said = run_client(place, program, "mcp", "list", both=True, GEMINI_CLI_TRUST_WORKSPACE="true")
    assert "retrieval" in said
    assert "Connected" in said


@pytest.mark.clients
def test_codex_connects_and_lists_the_tools(place: Path) -> None:
    program = get_program("codex")
    (place / "home" / ".codex").mkdir()
    shutil.copyfile(place / "examples" / "codex.config.toml", place / "home" / ".codex" / "config.toml")
    for ask in talk_to_codex(program, place / "home"):
        ask("initialize", {"clientInfo": {"name": "test", "title": "test", "version": "1"}})
        servers = ask("mcpServerStatus/list", {})["data"]
        (server,) = [one for one in servers if one["name"] == "retrieval"]
        assert set(server["tools"]) == {"search", "open_file", "get_snippet", "list_dir"}


def talk_to_codex(program: str, home: Path) -> Iterator[Callable[[str, dict[str, Any]], dict[str, Any]]]:
    """Yield a function that asks `codex app-server`, which is ended afterwards."""
    process = subprocess.Popen(
        [program, "app-server"],
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home / ".codex")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
        stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
        stdin.flush()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (line := stdout.readline()):
            answer = json.loads(line)
            if answer.get("id") == method:
                result = answer["result"]
                assert isinstance(result, dict)
                return result
        raise AssertionError(f"codex did not answer {method}")

    try:
        yield ask
    finally:
        process.kill()
        process.wait()
        stdin.close()
        stdout.close()


@pytest.mark.clients
def test_copilot_is_there(place: Path) -> None:
    """Copilot connects only in a conversation with its model: what can be run is that it reads the file."""
    program = get_program("copilot")
    (place / "home" / ".copilot").mkdir()
    shutil.copyfile(
        place / "examples" / "copilot.mcp-config.json", place / "home" / ".copilot" / "mcp-config.json"
    )
    assert "retrieval" in run_client(place, program, "mcp", "list")
