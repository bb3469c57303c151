"""`repo-mcp init` as people run it, and the server as their clients would start it."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import tomllib
from pathlib import Path

import pytest

from repo_mcp.cli.clients.check import try_server
from repo_mcp.cli.clients.clients import Server
from repo_mcp.serving.server_options import build_parser
from tests.repo_mcp.cli.program import BIN, make_tree, run

SERVER = str(BIN / "repo-mcp-server")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


def test_the_entry_is_printed_and_nothing_is_made(tree: Path) -> None:
    done = run(tree, "init", "codex")
    assert done.returncode == 0
    assert tomllib.loads(done.stdout) == {
        "mcp_servers": {"repo": {"command": SERVER, "args": ["--repo-root", "auto"]}}
    }
    assert "~/.codex/config.toml" in done.stderr
    assert "every repository" in done.stderr
    assert os.listdir(tree.parent / "home") == []
    assert not (tree / ".repo_mcp").exists()


def test_a_difference_is_shown_and_nothing_is_made(tree: Path) -> None:
    (tree / ".mcp.json").write_text('{\n  "mcpServers": {\n    "a\\u001b": {"command": "\x7f"}\n  }\n}\n')
    done = run(tree, "init", "claude", "--scope", "project", "--diff")
    assert done.returncode == 0
    assert '+    "repo": {' in done.stdout.splitlines()
    assert "\x7f" not in done.stdout
    assert "repo" not in (tree / ".mcp.json").read_text()
    assert os.listdir(tree.parent / "home") == []


def test_written_and_tried(tree: Path) -> None:
    done = run(tree, "init", "codex", "--write", "--check", "--toolsets", "repo,graph", "--name", "code")
    assert done.returncode == 0, done.stderr
    entry = tomllib.loads((tree.parent / "home/.codex/config.toml").read_text())["mcp_servers"]["code"]
    assert entry == {"command": SERVER, "args": ["--repo-root", "auto", "--toolsets", "repo,graph"]}
    assert done.stdout.startswith("It works: started as Codex CLI")
    assert "26: repo.status, " in done.stdout
    assert re.search("repository *none around here", done.stdout)
    assert "ms after the start" in done.stdout
    again = run(tree, "init", "codex", "--write", "--toolsets", "repo,graph", "--name", "code")
    assert "nothing was changed" in again.stderr
    assert (
        "Nothing would change"
        in run(tree, "init", "codex", "--diff", "--toolsets", "repo,graph", "--name", "code").stderr
    )


def test_one_setup_serves_the_repository_in_which_it_is_tried(tree: Path) -> None:
    for name in ("one", "two"):
        (tree.parent / name / "src").mkdir(parents=True)
        (tree.parent / name / ".git").mkdir()
        done = run(
            tree.parent / name / "src", "init", "codex", "--write", "--check", HOME=str(tree.parent / "home")
        )
        assert done.returncode == 0, done.stderr
        assert re.search(f'repository *"{name}"', done.stdout)
    assert "nothing was changed" in done.stderr


def test_a_file_of_the_project_lies_at_its_root_and_names_nothing_of_the_machine(tree: Path) -> None:
    (tree / ".git").mkdir()
    home = str(tree.parent / "home")
    for client, file, root in (
        ("claude", ".mcp.json", "auto"),
        ("vscode", ".vscode/mcp.json", "${workspaceFolder}"),
    ):
        done = run(tree / "src", "init", client, "--scope", "project", "--write", "--check", HOME=home)
        assert done.returncode == 0, done.stderr
        text = (tree / file).read_text()
        assert '"command": "repo-mcp-server"' in text
        assert f'"{root}"' in text
        assert "/" not in text
        assert "commit it" in done.stderr
        assert re.search('repository *"tree"', done.stdout)
    done = run(tree / "src", "init", "claude", "--scope", "project", "--root", ".", "--diff", HOME=home)
    assert (done.returncode, str(tree / "src") in done.stdout) == (0, True)
    assert "of this machine" in done.stderr


def test_a_program_that_path_does_not_lead_to_is_named_whole(tree: Path) -> None:
    done = run(tree, "init", "claude", "--scope", "project", PATH="/usr/bin:/bin")
    assert json.loads(done.stdout)["mcpServers"]["repo"]["command"] == SERVER
    assert "of this machine" in done.stderr


def test_a_client_is_set_up_from_a_home_too(tree: Path) -> None:
    home = tree.parent / "home"
    done = run(home, "init", "gemini", "--write", "--check", HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert json.loads((home / ".gemini/settings.json").read_text())["mcpServers"]["repo"]["args"][1] == "auto"
    assert not (home / ".repo_mcp").exists()


def test_two_roots_come_by_environment(tree: Path) -> None:
    done = run(
        *(tree, "init", "vscode", "--toolsets", "retrieval", "--docs-root", "docs", "--code-root", "src"),
        *("--write", "--check"),
    )
    assert done.returncode == 0, done.stderr
    entry = json.loads((tree / ".vscode/mcp.json").read_text())["servers"]["repo"]
    assert entry["args"] == ["--toolsets", "retrieval"]
    assert entry["env"] == {"DOCS_ROOT": str(tree / "docs"), "CODE_ROOT": str(tree / "src")}
    assert "4: search, open_file, get_snippet, list_dir" in done.stdout


def test_options_of_the_server_are_written_as_it_takes_them(tree: Path) -> None:
    (tree.parent / "model").mkdir()
    done = run(
        *(
            tree,
            "init",
            "codex",
            "--write",
            "--data-dir",
            "../index",
            "--semantic-model",
            "../model",
        ),
        *("--harden", "--no-watch", "--exclude-glob=-old", "--exclude-glob", "*.md", "--max-search=7"),
        *("--toolsets", "repo, research"),
    )
    assert done.returncode == 0, done.stderr
    entry = tomllib.loads((tree.parent / "home/.codex/config.toml").read_text())["mcp_servers"]["repo"]
    assert entry["args"] == [
        *("--repo-root", "auto", "--data-dir", str(tree.parent / "index"), "--toolsets", "repo,research"),
        *("--no-watch", "--exclude-glob=-old", "--exclude-glob", "*.md", "--harden"),
        *("--semantic-model", str(tree.parent / "model"), "--max-search-hits", "7"),
    ]
    assert vars(build_parser("x").parse_args(entry["args"])) | {"repo_root": ""} == vars(
        build_parser("x").parse_args(
            [
                *("--data-dir", str(tree.parent / "index"), "--toolsets", "repo,research", "--harden"),
                *("--no-watch", "--exclude-glob=-old", "--exclude-glob=*.md", "--max-search-hits", "7"),
                *("--semantic-model", str(tree.parent / "model"), "--repo-root", ""),
            ]
        )
    )


def test_a_file_of_roots_is_written_with_its_whole_name(tree: Path) -> None:
    (tree / "roots.toml").write_text("")
    done = run(tree, "init", "generic", "--toolsets", "retrieval", "--config", "roots.toml")
    entry = json.loads(done.stdout)["mcpServers"]["repo"]
    assert entry["args"] == ["--toolsets", "retrieval", "--config", str(tree / "roots.toml")]


def test_any_other_client_gets_an_entry_and_no_file(tree: Path) -> None:
    assert json.loads(run(tree, "init", "generic").stdout)["mcpServers"]["repo"]["command"] == SERVER
    done = run(tree, "init", "generic", "--write")
    assert (done.returncode, done.stdout) == (2, "")
    assert run(tree, "init", "generic", "--check").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["emacs"], "emacs"),
        (["codex", "--root", "no/such"], "--root"),
        (["codex", "--toolsets", "nothing"], "--toolsets"),
        (["codex", "--docs-root", "docs"], "retrieval"),
        (["codex", "--name", "a b"], "--name"),
        (["codex", "--scope", "machine"], "--scope"),
        (["codex", "--command", "README.md"], "--command"),
        (["codex", "--semantic-model", "none"], "--semantic-model"),
        (["codex", "--data-dir", "README.md"], "--data-dir"),
        (["codex", "--config", "none.toml", "--toolsets", "retrieval"], "--config"),
        (["codex", "--config", "README.md"], "retrieval"),
        (["codex", "--toolsets", "repo,retrieval"], "--docs-root and --code-root"),
        (["codex", "--toolsets", "retrieval", "--docs-root", "docs"], "--code-root"),
        (["codex", "--max-search-hits", "9999999"], "--max-search-hits"),
        (["codex", "--transport", "http"], "stdio"),
        (["codex", "--port", "80"], "stdio"),
        (["codex", "--wirte"], "--wirte"),
        (["codex", "docs"], "--repo-root"),
    ],
)
def test_what_cannot_be_set_up_is_one_line(tree: Path, arguments: list[str], word: str) -> None:
    done = run(tree, "init", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert word in done.stderr


def test_a_server_that_does_not_work_is_said(tree: Path) -> None:
    program = tree / "repo-mcp-server"
    program.write_text("#!/bin/sh\necho no such luck >&2\nexit 3\n")
    program.chmod(0o755)
    done = run(tree, "init", "generic", "--command", str(program), "--check")
    assert done.returncode == 3
    assert "it exited when it was sent initialize" in done.stderr
    assert "no such luck" in done.stderr


def build_script(place: Path, body: str) -> Server:
    file = place / "server.py"
    file.write_text(f"#!{sys.executable}\nimport json, os, sys\n{body}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return Server(str(file), ("one", "two words"), {"GIVEN": "yes"})


ANSWER = """
def answer(result):
    frame = json.loads(sys.stdin.readline())
    while "id" not in frame:
        frame = json.loads(sys.stdin.readline())
    print(json.dumps({"jsonrpc": "2.0", "id": frame["id"], "result": result}), flush=True)
answer({"serverInfo": {"name": json.dumps([sys.argv[1:], os.getcwd(), sorted(os.environ)]), "version": "1"}})
"""


def test_it_is_started_without_a_shell_elsewhere_and_with_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("LANG", "C.UTF-8")
    server = build_script(tmp_path, ANSWER + 'answer({"tools": [{"name": "t"}]})\nsys.stdin.read()')
    trial = try_server(server, "2025-06-18")
    assert (trial.fault, trial.tools) == ("", ("t",))
    assert 0 < trial.initialize_ms <= trial.list_ms
    arguments, directory, variables = json.loads(trial.server.removesuffix(" 1"))
    assert arguments == ["one", "two words"]
    assert directory == "/"
    assert {"GIVEN", "LANG", "PATH"} <= set(variables)
    assert not {"SECRET_TOKEN", "PYTHONPATH"} & set(variables)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("", "it exited"),
        ("print('hello', flush=True)", "not an MCP message"),
        (ANSWER + "answer({})", "not valid MCP"),
        (ANSWER + 'answer({"tools": []})\nsys.stdin.read()', "no tools"),
        (ANSWER + 'answer({"tools": [{"name": "t"}]})\nsys.exit(4)', "did not exit cleanly"),
        ('frame = sys.stdin.readline()\nprint(\'{"id": 1, "error": {}}\', flush=True)', "refused"),
    ],
)
def test_each_way_to_fail_has_its_words(tmp_path: Path, body: str, word: str) -> None:
    assert word in try_server(build_script(tmp_path, body), "2025-06-18").fault


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    assert "could not be started" in try_server(Server(str(tmp_path / "none"), ()), "2025-06-18").fault


def test_a_server_that_is_silent_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.cli.clients.check.PATIENCE_SECONDS", 0.5)
    trial = try_server(build_script(tmp_path, "sys.stdin.read(); import time; time.sleep(60)"), "2025-06-18")
    assert "did not answer initialize" in trial.fault
