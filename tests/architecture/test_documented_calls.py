"""Calls of tools in documents are made on the tiny repository, and their answers compared.

In a block `call` the first line is a tool with its arguments; the rest is its answer, in which `...` stands
for any text. Also here: entries of clients' files start the server with options that it has, every option
that a sentence names in a command exists, and `make try` does as it says.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.app import build_parser as build_command_parser
from repo_mcp.serving.server_options import build_parser
from tests.architecture.source_tree import ROOT
from tests.forked import START
from tests.repo_mcp.stdio.retrieval_client import PATIENCE_SECONDS, RetrievalClient, build_environment

DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
CORPUS = ROOT / "tests" / "corpus" / "tiny_repo"
TOOLSETS = "repo,graph,research"


def list_blocks(kind: str) -> list[tuple[str, str]]:
    return [
        (document.name, block)
        for document in DOCUMENTS
        for block in re.findall(
            rf"^```{kind}\n(.*?)^```", document.read_text(encoding="utf-8"), re.DOTALL | re.M
        )
    ]


def list_calls() -> list[tuple[str, str, str]]:
    """Document, call and answer of each block."""
    parted = [(name, block.partition("\n")) for name, block in list_blocks("call")]
    return [(name, call, answer) for name, (call, _, answer) in parted]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RetrievalClient]:
    """Yield a server of the tiny repository, everything of which is indexed."""
    place = tmp_path_factory.mktemp("calls")
    shutil.copytree(CORPUS, place / "tiny_repo")
    (place / "home").mkdir()
    command = [sys.executable, "-c", START, "--repo-root", str(place / "tiny_repo"), "--toolsets", TOOLSETS]
    client = RetrievalClient(command, build_environment(place / "home"), place)
    deadline = time.monotonic() + PATIENCE_SECONDS / 2
    while (status := client.call("get_status"))["structure"]["state"] != "ready" or status[
        "state"
    ] != "ready":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield client
    client.close()


def join_lines(shown: str) -> str:
    """Return an answer as it is written in a document, on one line."""
    return " ".join(line.strip() for line in shown.splitlines())


@pytest.mark.parametrize(("document", "call", "shown"), list_calls())
def test_a_call_is_answered_as_the_document_shows(
    served: RetrievalClient, document: str, call: str, shown: str
) -> None:
    tool, _, arguments = call.partition(" ")
    answer = served.ask("tools/call", {"name": tool, "arguments": json.loads(arguments)})["result"]
    answer = answer["structuredContent"]
    pattern = ".*".join(map(re.escape, join_lines(shown).split("...")))
    assert re.fullmatch(pattern, json.dumps(answer, ensure_ascii=False)), (document, answer)


def test_there_are_calls_in_the_documents() -> None:
    assert {name for name, _, _ in list_calls()} >= {"README.md", "toolsets.md"}


# Entries of clients


def read_tables() -> dict[str, dict[str, Any]]:
    """Return the blocks `toml`, each with its place."""
    counted: dict[str, dict[str, Any]] = {}
    for name, block in list_blocks("toml"):
        counted[f"{name} {len(counted)}"] = tomllib.loads(block)
    return counted


def test_entries_in_documents_start_the_server_with_options_that_it_has() -> None:
    entries = [table["mcp_servers"] for table in read_tables().values() if "mcp_servers" in table]
    assert len(entries) >= 2
    for servers in entries:
        ((name, entry),) = servers.items()
        assert Path(entry["command"]).name == "repo-mcp-server"
        options = build_parser("test").parse_args(entry["args"])
        example = "codex.config.toml" if name == "repo" else "retrieval/codex.config.toml"
        shipped = tomllib.loads((ROOT / "examples" / example).read_text(encoding="utf-8"))["mcp_servers"][
            name
        ]
        assert vars(build_parser("test").parse_args(shipped["args"])).keys() == vars(options).keys()
        assert set(entry.get("env", {})) == set(shipped.get("env", {}))


# Commands inside sentences


def find_options(command: str) -> set[str]:
    """Return the options that a command of ours has."""
    options = set(build_command_parser(command)._option_string_actions)
    return options | (set(build_parser("test")._option_string_actions) if command == "init" else set())


def iter_inline_commands() -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        if document.name == "CHANGELOG.md":
            continue
        text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
        for command in re.findall(r"`((?:repo-mcp|repo-mcp-server|index-format) [^`]*)`", text):
            yield document.name, " ".join(command.split())


@pytest.mark.parametrize(("document", "line"), sorted(set(iter_inline_commands())))
def test_commands_in_sentences_exist_with_their_options(document: str, line: str) -> None:
    program, *words = shlex.split(line.replace("...", ""))
    asked = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--help", "--version"}
    if program == "index-format":
        assert words[0] in {"dump", "verify", "stats"}
    elif program == "repo-mcp-server" or words[0].startswith("-"):
        assert asked <= set(build_parser("test")._option_string_actions), line
    elif words[0] != "COMMAND":
        assert asked <= find_options(words[0]), line


# make


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_try_indexes_and_finds(tmp_path: Path) -> None:
    shutil.copytree(CORPUS, tmp_path / "tiny")
    variables = [f"VENV={sys.prefix}", f"ROOT={tmp_path / 'tiny'}", "QUERY=where is a transfer posted"]
    done = subprocess.run(
        ["make", "--no-print-directory", "--old-file", f"{sys.prefix}/.runs", "try", *variables],
        cwd=ROOT,
        env=build_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(" 1. src/ledger/accounts.py:21  Account.post")
