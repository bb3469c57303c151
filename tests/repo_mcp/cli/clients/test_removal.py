"""`init --remove`: the entry goes, and nothing else of the file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from repo_mcp.cli.clients.json_edit import read_json, remove_member
from repo_mcp.cli.clients.toml_edit import remove_table
from tests.repo_mcp.cli.program import make_tree, run

OTHER = '"other": {"command": "x"}'
OURS = '"repo": {"command": "repo-mcp-server", "args": []}'


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f'{{"s": {{{OURS}}}}}', '{"s": {}}'),
        (f'{{"s": {{{OURS}, {OTHER}}}}}', f'{{"s": {{{OTHER}}}}}'),
        (f'{{"s": {{{OTHER}, {OURS}}}, "t": 1}}', f'{{"s": {{{OTHER}}}, "t": 1}}'),
        (f'{{\n  "s": {{\n    {OTHER},\n    {OURS}\n  }}\n}}\n', f'{{\n  "s": {{\n    {OTHER}\n  }}\n}}\n'),
        (f'{{\n  "s": {{\n    {OURS},\n    {OTHER},\n  }}\n}}\n', f'{{\n  "s": {{\n    {OTHER},\n  }}\n}}\n'),
        (f'{{\n  "s": {{\n    {OTHER},\n    {OURS},\n  }}\n}}\n', f'{{\n  "s": {{\n    {OTHER},\n  }}\n}}\n'),
        (
            f'{{"s": {{\n  // kept\n  {OTHER}, // too\n  {OURS}\n}}}}',
            f'{{"s": {{\n  // kept\n  {OTHER} // too\n}}}}',
        ),
    ],
)
def test_a_member_is_removed_and_comments_stay(text: str, after: str) -> None:
    assert remove_member(text, "s", "repo") == after
    left = read_json(text)
    del left["s"]["repo"]
    assert read_json(after) == left


def test_a_table_is_removed_with_the_tables_in_it() -> None:
    ours = '[s.repo]\ncommand = "c"\n\n[s.repo.env]\nA = "1"\n\n'
    text = f'# mine\nmodel = "x"\n\n{ours}[s.other]\ncommand = "d" # kept\n'
    after = remove_table(text, "s", "repo")
    assert tomllib.loads(after) == {"model": "x", "s": {"other": {"command": "d"}}}
    assert "# mine" in after
    assert "# kept" in after


@pytest.mark.parametrize("client", ["codex", "claude"])
def test_what_init_wrote_is_removed_again(tmp_path: Path, client: str) -> None:
    tree = make_tree(tmp_path)
    scope = ("--scope", "project")
    assert run(tree, "init", client, *scope, "--write").returncode == 0
    (written,) = [path for path in (tree / ".codex" / "config.toml", tree / ".mcp.json") if path.exists()]
    kept = written.read_text()
    shown = run(tree, "init", client, *scope, "--remove")
    assert shown.returncode == 0
    assert [row for row in shown.stdout.splitlines() if row.startswith("-")]
    assert "--write removes it" in shown.stderr
    assert written.read_text() == kept
    done = run(tree, "init", client, *scope, "--remove", "--write")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Removed repo from" in done.stderr
    assert "repo-mcp-server" not in written.read_text()
    again = run(tree, "init", client, *scope, "--remove", "--write")
    assert (again.returncode, again.stdout) == (1, "")
    assert "has no server repo" in again.stderr


def test_a_server_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    text = json.dumps({"mcpServers": {"repo": {"command": "something-else"}}})
    (tree / ".mcp.json").write_text(text)
    done = run(tree, "init", "claude", "--scope", "project", "--remove", "--write")
    assert (done.returncode, done.stdout) == (2, "")
    assert "starts something else" in done.stderr
    assert (tree / ".mcp.json").read_text() == text
    assert run(tree, "init", "generic", "--remove").returncode == 2
