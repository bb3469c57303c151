"""Documents say what is true: the files they name exist, the commands they give run, the words stay ours."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.app import SUMMARIES
from tests.architecture.source_tree import ROOT, load_modules
from tests.forked import PATIENCE_SECONDS, popen

DOCUMENTS = sorted(
    list(ROOT.glob("*.md"))
    + [
        path
        for folder in ("docs", "examples", "bench", "index_format")
        for path in (ROOT / folder).rglob("*.md")
    ]
)
# Something of ours in backquotes that looks like a path: it has a slash or an ending we use.
NAMED_PATH = re.compile(r"`([A-Za-z0-9_.][A-Za-z0-9_./-]*(?:/|\.(?:py|md|toml|txt)))`")
# Names of files that the program makes or that belong to others.
NOT_OURS = {
    "repo_mcp.toml",
    "retrieval.toml",
    "pyproject.toml/",
    ".mcp.json",
    ".codex/config.toml",
    "vocab.txt",
    "secrets.py",
}
BENCH_COMMAND = re.compile(r"\b(python -m (bench\.[a-z_.]+)[^|>&]*)")
SAY_HELP = """
import contextlib, io, json, runpy, sys
modules, said = sys.argv[1:], {}
for module in modules:
    sys.argv[1:] = ["--help"]
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as text:
        runpy.run_module(module, run_name="__main__")
    said[module] = text.getvalue()
print(json.dumps(said))
"""
MAX_AGENTS_LINES = 80
PRINTED = "impact-examples"  # pages that a command printed: they name files of other repositories


def load_project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def iter_shell_lines(text: str) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [
        line.split("#")[0].strip()
        for block in blocks
        for line in block.replace("\\\n", "").splitlines()
        if line.strip()
    ]


def test_there_are_the_documents_that_people_look_for() -> None:
    wanted = {"README.md", "ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md", "SECURITY.md"}
    assert wanted <= {path.name for path in DOCUMENTS}
    assert (ROOT / "LICENSE").is_file()


def test_named_files_exist() -> None:
    missing = [
        f"{document.relative_to(ROOT)}: {name}"
        for document in DOCUMENTS
        if document.parent.name != PRINTED or document.name == "README.md"
        for name in sorted(set(NAMED_PATH.findall(read(document))) - NOT_OURS)
        if not (ROOT / name).exists() and not (document.parent / name).exists()
    ]
    assert missing == []


def test_make_targets_in_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    missing = [
        f"{document.relative_to(ROOT)}: {words[1]}"
        for document in DOCUMENTS
        for words in map(shlex.split, iter_shell_lines(read(document)))
        if words[:1] == ["make"] and words[1] not in targets
    ]
    assert missing == []


@cache
def list_bench_commands() -> list[tuple[str, str]]:
    """Module and command line of each program of the bench that a document shows."""
    lines = [line for document in DOCUMENTS for line in iter_shell_lines(read(document))]
    return sorted({(match[2], match[1]) for line in lines if (match := BENCH_COMMAND.search(line))})


@pytest.fixture(scope="module")
def helps_of_the_bench() -> dict[str, str]:
    """Return what each program of the bench prints for `--help`: one process imports what they share once."""
    modules = sorted({module for module, _ in list_bench_commands()})
    pipe = subprocess.PIPE
    with popen(
        [sys.executable, "-c", SAY_HELP, *modules],
        cwd=ROOT,
        env=os.environ,
        stdout=pipe,
        stderr=pipe,
        text=True,
    ) as process:
        said, complained = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, complained
    helps: dict[str, str] = json.loads(said)
    assert list(helps) == modules
    return helps


@pytest.mark.parametrize("module", sorted({module for module, _ in list_bench_commands()}))
def test_programs_of_the_bench_have_the_options_that_documents_give(
    module: str, helps_of_the_bench: dict[str, str]
) -> None:
    for one, line in list_bench_commands():
        asked = {word for word in line.split() if word.startswith("--")} if one == module else set()
        assert asked - {"--help"} <= set(re.findall(r"--[a-z-]+", helps_of_the_bench[module])), line


def test_readme_begins_with_one_command_and_the_set_up_of_a_client() -> None:
    shown = iter_shell_lines(read(ROOT / "README.md"))
    assert shown[:2] == ["make try", "repo-mcp init codex --write --check"]


def test_commands_of_the_readme_are_commands_of_the_program() -> None:
    commands = set(SUMMARIES)
    text = read(ROOT / "README.md")
    assert set(re.findall(r"^repo-mcp ([a-z]+)", text, re.MULTILINE)) == commands
    assert set(re.findall(r"`repo-mcp ([a-z]+)", text)) <= commands


def test_scripts_are_those_of_the_documents() -> None:
    scripts = load_project()["project"]["scripts"]
    assert scripts == {
        "repo-mcp": "repo_mcp.cli:main",
        "repo-mcp-server": "repo_mcp.server:main",
        "index-format": "index_format.__main__:main",
    }
    example = tomllib.loads(read(ROOT / "examples" / "codex.config.toml"))["mcp_servers"]["repo"]
    assert Path(example["command"]).is_absolute()
    assert Path(example["command"]).name == "repo-mcp-server"
    assert example["args"][0] == "--repo-root"


def test_agents_document_is_short() -> None:
    assert len(read(ROOT / "AGENTS.md").splitlines()) <= MAX_AGENTS_LINES


def test_development_versions_are_pinned_and_locked() -> None:
    pinned = load_project()["project"]["optional-dependencies"]["dev"]
    running, developing = (
        read(ROOT / name).splitlines()[1:] for name in ("requirements.txt", "requirements-dev.txt")
    )
    assert all("==" in one for one in pinned)
    assert set(pinned) <= {*running, *developing}
    assert developing[0] == "-r requirements.txt"
    assert [
        line for line in (*running, *developing[1:]) if not re.match(r"[a-z0-9-]+==[\w.]+( ;|$)", line)
    ] == []


def list_messages() -> list[str]:
    """Return every text of the packages, with nothing where a value is put in."""
    nodes = (node for module in load_modules() for node in module.nodes)
    texts = []
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            pieces = (one.value for one in node.values if isinstance(one, ast.Constant))
            texts.append("".join(piece for piece in pieces if isinstance(piece, str)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value.replace("{}", ""))
    return texts


def test_messages_that_are_explained_are_those_of_the_program() -> None:
    rows = re.findall(r"^\|([^|]*)\|", read(ROOT / "docs" / "troubleshooting.md"), re.MULTILINE)
    quoted = {quote for row in rows for quote in re.findall(r'"([^"]+)"', row)} - {
        "externally-managed-environment"  # pip's
    }
    messages = list_messages()
    assert len(quoted) >= 8
    for quote in sorted(quoted):
        pattern = re.compile(".*".join(re.escape(piece.strip()) for piece in quote.split("...")))
        assert any(pattern.search(message) for message in messages), quote


def test_the_table_of_documents_names_each_of_them() -> None:
    folder = ROOT / "docs"
    named = set(NAMED_PATH.findall(read(folder / "README.md")))
    documents = {f"docs/{path.name}" for path in folder.glob("*.md")} - {"docs/README.md"}
    folders = {f"docs/{path.name}/" for path in folder.iterdir() if path.is_dir()} - {"docs/decisions/"}
    assert named >= documents | folders
