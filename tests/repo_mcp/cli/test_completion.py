"""Completion: the scripts are printed, and completing asks the program alone."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo_mcp.cli.program import BIN, make_tree, run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_scripts_are_printed_and_nothing_is_installed(tmp_path: Path, shell: str) -> None:
    tree = make_tree(tmp_path)
    done = run(tree, "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_REPO_MCP_COMPLETE" in done.stdout
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("repo-mcp co", "compact\ncompletion\nconfig"),
        ("repo-mcp init ge", ""),
        ("repo-mcp search --col", "--color"),
    ],
)
def test_words_are_completed_without_a_look_at_the_tree(tmp_path: Path, words: str, found: str) -> None:
    tree = make_tree(tmp_path)
    count = str(len(words.split()) - 1)
    done = run(tree, _REPO_MCP_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=count)
    assert done.returncode == 0, done.stderr
    assert set(found.split()) <= set(done.stdout.split())
    assert not (tree / ".repo_mcp").exists()


BASH = (
    "source <(repo-mcp completion bash); COMP_WORDS=(repo-mcp sta); COMP_CWORD=1;"
    ' _repo_mcp_completion repo-mcp; echo "${COMPREPLY[@]}"'
)
FISH = 'repo-mcp completion fish | source; complete -C "repo-mcp sta" | cut -f 1'
# Its completion works at a prompt alone: a shell in a pseudo-terminal, in which a tab is pressed.
ZSH = r"""
zmodload zsh/zpty
zpty inner "TERM=dumb zsh -f -i"
zpty -w inner "autoload -Uz compinit; compinit -u -d $HOME/dump; source <(repo-mcp completion zsh)"
zpty -w inner 'print re""ady'
zpty -r inner line '*ready*'
zpty -w -n inner $'repo-mcp sta\t'
repeat 600; do
  sleep 0.1
  while zpty -r -t inner part; do told+=$part; done
  [[ $told == *'repo-mcp status '* ]] && print status && break
done
zpty -d inner
"""


@pytest.mark.parametrize(
    ("shell", "options", "script"),
    [("bash", ["--norc"], BASH), ("fish", ["--no-config"], FISH), ("zsh", ["-f"], ZSH)],
    ids=["bash", "fish", "zsh"],
)
def test_a_real_shell_completes(tmp_path: Path, shell: str, options: list[str], script: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, *options, "-c", script],
        cwd=make_tree(tmp_path),
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "status\n"
