"""`repo-mcp completion`: a script with which a shell completes commands, options and their values.

The script contains all of them, taken from the parsers, so completing a word starts no program and reads no
file. It knows the options of the version that printed it, so it must be written again after an update.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping

from repo_mcp.config.command_parser import CommandParser
from repo_mcp.record_classes import dataclass

SHELLS = ("bash", "zsh", "fish", "powershell")
PATHS = frozenset({"PATH", "PATH[:START[-END]]", "FILE", "DIR", "ROOT"})  # metavars of files and directories


@dataclass(frozen=True, slots=True)
class Word:
    """An option of a command, or its place for a word."""

    names: tuple[str, ...]  # spellings of the option; none: a word without an option
    meaning: str
    takes_value: bool
    choices: tuple[str, ...]  # possible values; none: anything
    is_path: bool
    repeats: bool  # any number of words may stand here


Words = Mapping[str, tuple[str, tuple[Word, ...]]]  # command -> what it does, and its words


def build_parser() -> CommandParser:
    """Build the parser of `completion`."""
    parser = CommandParser(
        "repo-mcp completion",
        "SHELL",
        """Print a script that completes commands, options and their values. Nothing is
installed. The script contains them all, so completing a word starts no program.""",
        (
            "repo-mcp completion bash > ~/.local/share/bash-completion/completions/repo-mcp",
            "repo-mcp completion zsh > ~/.zfunc/_repo-mcp   in a directory of fpath",
            "repo-mcp completion fish > ~/.config/fish/completions/repo-mcp.fish",
            "repo-mcp completion powershell >> $PROFILE",
        ),
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    return parser


def complete(options: Namespace, parsers: Mapping[str, CommandParser], summaries: Mapping[str, str]) -> int:
    """Print the script of a shell, and return the exit code."""
    words = {name: (summaries[name], tuple(_iter_words(parser))) for name, parser in parsers.items()}
    if "init" in words:  # `init` takes the options of serve as well
        own = words["init"][1]
        known = {name for word in own for name in word.names}
        more = tuple(word for word in words["serve"][1] if word.names and not known.intersection(word.names))
        words["init"] = (summaries["init"], own + more)
    print(_RENDERERS[options.shell](words), end="")
    return 0


def _iter_words(parser: CommandParser) -> Iterator[Word]:
    for action in parser._actions:
        takes_value = action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction)
        metavar = action.metavar if isinstance(action.metavar, str) else ""
        yield Word(
            tuple(action.option_strings),
            (action.help or "").replace("%%", "%"),
            takes_value,
            tuple(map(str, action.choices or ())),
            metavar in PATHS,
            action.nargs == "*",
        )


def _list_options(words: tuple[Word, ...]) -> list[str]:
    return [name for word in words for name in word.names]


def _list_values(words: tuple[Word, ...]) -> list[str]:
    """Return the words that are possible where no option is expected; none if anything is."""
    return [choice for word in words if not word.names for choice in word.choices]


def _takes_paths(words: tuple[Word, ...]) -> bool:
    return any(word.is_path for word in words if not word.names)


def render_bash(words: Words) -> str:
    """Render the script for bash 4 and later: one function, of two tables."""
    rows, values = [], []
    for name, (_, own) in words.items():
        listed = " ".join([*_list_options(own), *_list_values(own)])
        rows.append(f"    {name}) words='{listed}'; files={'yes' if _takes_paths(own) else ''} ;;")
        for word in own:
            if word.names and word.takes_value:
                what = f"words='{' '.join(word.choices)}'; files={'yes' if word.is_path else ''}"
                values += [f"    '{name} {option}') {what} ;;" for option in word.names]
    return f"""# bash completion for repo-mcp
_repo_mcp() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words='' files=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(words)} --help --version' -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{chr(10).join(rows)}
    esac
    case "${{COMP_WORDS[1]}} $before" in
{chr(10).join(values)}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    if [ -n "$files" ] && [ "${{word#-}}" = "$word" ]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$word"))
    fi
}}
complete -F _repo_mcp repo-mcp
"""


def render_zsh(words: Words) -> str:
    """Render the script for zsh: a function for `_repo-mcp` in fpath, which may be sourced as well."""
    commands = "\n".join(f"        {_quote(f'{name}:{summary}')}" for name, (summary, _) in words.items())
    cases = "\n".join(
        f"    {name})\n        _arguments -S -s \\\n"
        + " \\\n".join(f"            {_quote(row)}" for word in own for row in _iter_zsh(word))
        + "\n        ;;"
        for name, (_, own) in words.items()
    )
    return f"""#compdef repo-mcp
# zsh completion for repo-mcp
_repo_mcp() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local name=$words[2]
    shift words
    (( CURRENT-- ))
    case $name in
{cases}
    esac
}}
if [ "$funcstack[1]" = "_repo-mcp" ]; then
    _repo_mcp "$@"
else
    compdef _repo_mcp repo-mcp
fi
"""


def _iter_zsh(word: Word) -> Iterator[str]:
    """Yield the specifications of `_arguments` for a word."""
    action = "_files" if word.is_path else f"({' '.join(word.choices)})" if word.choices else " "
    meaning = _escape_zsh(word.meaning)
    if not word.names:
        yield f"{'*' if word.repeats else '1'}:{meaning}:{action}"
    for name in word.names:
        value = f":value:{action}" if word.takes_value else ""
        mark = "=" if word.takes_value and name.startswith("--") else ""
        yield f"*{name}{mark}[{meaning}]{value}"


def _escape_zsh(text: str) -> str:
    for special in "\\[]:":
        text = text.replace(special, f"\\{special}")
    return text


def render_fish(words: Words) -> str:
    """Render the script for fish: one line for each command and each of its options."""
    lines = ["# fish completion for repo-mcp", "complete -c repo-mcp -f"]
    for name, (summary, _) in words.items():
        lines.append(f"complete -c repo-mcp -n __fish_use_subcommand -a {name} -d {_quote(summary)}")
    for name, (_, own) in words.items():
        seen = f"complete -c repo-mcp -n '__fish_seen_subcommand_from {name}'"
        for word in own:
            names = "".join(
                f" -l {one[2:]}" if one.startswith("--") else f" -s {one[1:]}" for one in word.names
            )
            value = " -x" if word.takes_value and word.names and not word.is_path else ""
            value = " -r -F" if word.is_path and word.names else " -F" if word.is_path else value
            choices = f" -a {_quote(' '.join(word.choices))}" if word.choices else ""
            if names or choices or value:
                lines.append(f"{seen}{names}{value}{choices} -d {_quote(word.meaning)}")
    return "\n".join(lines) + "\n"


def render_powershell(words: Words) -> str:
    """Render the script for PowerShell: a table, and the completer that reads it."""
    rows = []
    for name, (_, own) in words.items():
        listed = ", ".join(f"'{one}'" for one in [*_list_options(own), *_list_values(own)])
        rows.append(f"    '{name}' = @({listed})")
    return f"""# PowerShell completion for repo-mcp
$RepoMcpWords = @{{
{chr(10).join(rows)}
}}
Register-ArgumentCompleter -Native -CommandName repo-mcp -ScriptBlock {{
    param($word, $line, $position)
    $given = @($line.CommandElements | ForEach-Object {{ $_.ToString() }})
    $command = if ($given.Count -gt 1) {{ $given[1] }} else {{ '' }}
    $isFirst = $given.Count -lt 2 -or ($given.Count -eq 2 -and $word -ne '')
    $words = if ($isFirst) {{ $RepoMcpWords.Keys | Sort-Object }} else {{ $RepoMcpWords[$command] }}
    $words | Where-Object {{ $_ -like "$word*" }}
}}
"""


def _quote(text: str) -> str:
    """Quote for zsh and fish."""
    return "'" + text.replace("'", "'\\''") + "'"


_RENDERERS: Mapping[str, Callable[[Words], str]] = {
    "bash": render_bash,
    "zsh": render_zsh,
    "fish": render_fish,
    "powershell": render_powershell,
}
