"""Completion: the scripts are printed, and know all commands without asking the program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from repo_mcp.cli.app import build_parsers
from repo_mcp.cli.completion import SHELLS
from tests.repo_mcp.cli.program import BIN, PROJECT, make_tree, run


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_hold_every_command_and_option_and_start_no_program(tmp_path: Path, shell: str) -> None:
    tree = make_tree(tmp_path)
    done = run(tree, "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "home").iterdir()) == []
    assert not (tree / ".repo_mcp").exists()
    assert "$(repo-mcp" not in done.stdout
    assert "(repo-mcp" not in done.stdout
    for name, parser in build_parsers().items():
        assert name in done.stdout
        for option in parser._option_string_actions:
            shown = option.lstrip("-") if shell == "fish" else option
            assert shown in done.stdout, (name, option)


BASH = """source <(repo-mcp completion bash)
PATH=/nowhere
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _repo_mcp; echo "${COMPREPLY[@]}"; }
try repo-mcp sta
try repo-mcp search --mode sy
try repo-mcp doctor --qu
try repo-mcp init ge
try repo-mcp init codex --hard
try repo-mcp outline sr"""
FISH = """repo-mcp completion fish | source
set PATH /nowhere
for line in "sta" "search --mode sy" "doctor --qu" "init ge" "init codex --hard" "outline sr"
    complete -C "repo-mcp $line" | string split -f 1 \\t | string join " "
end
true
"""
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
  while zpty -r -t inner part; do shown+=$part; done
  [[ $shown == *'repo-mcp status '* ]] && print status && break
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
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(tmp_path / "home"), "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    if shell == "zsh":
        assert done.stdout == "status\n"
    else:  # without starting anything
        found = ["status", "symbol", "--quick", "gemini generic", "--harden", "src"]
        assert [line.rstrip("/ ") for line in done.stdout.splitlines()] == found
