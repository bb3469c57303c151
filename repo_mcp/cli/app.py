"""The program: its commands in order, and the mapping of every outcome to an exit code and one stderr line.

Each command opens the repository, asks it once and prints the answer: as text for people or, with `--json`,
as one JSON document on standard output. The commands are in the modules whose names end in `_commands`, one
for each kind.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from typing import Annotated, cast

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]

from repo_mcp.cli.client_commands import completion, config, doctor, init, serve
from repo_mcp.cli.console.endings import (
    EXIT_DONE,
    EXIT_FAILURE,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    PROGRAM,
    complain,
    exit_code_of,
    leave_pipe,
)
from repo_mcp.cli.index_commands import compact, index, report, status
from repo_mcp.cli.reading_commands import bundle, open_lines, outline_file
from repo_mcp.cli.search_command import search
from repo_mcp.errors import RepoError
from repo_mcp.version import find_version

# The only error of its parser that typer exports; the others share this base class.
UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
# The server's own parser reads their options, and also prints their help.
_FOREIGN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}

HELP = """Search one code repository through its own index, for people and over MCP.

Everything is local and read-only: no network, no model, and no code of the repository is run. Commands
work on the repository around the current directory unless --repo-root names another directory.
`repo-mcp COMMAND --help` lists the options.

\b
Examples:
  repo-mcp search "retry with backoff"      ranked hits; indexes first if it has to
  repo-mcp search -F "def main(" --glob "*.py"
  repo-mcp open README.md:1-20              numbered lines
  repo-mcp init codex --write --check       set up a client and try it
  repo-mcp status                           is everything indexed?

\b
Exit codes:
  0 done, 1 nothing found, 2 usage or configuration,
  3 index or repository error, 130 interrupted
"""

app = typer.Typer(
    name=PROGRAM,
    help=HELP,
    add_completion=False,  # it would offer to change files of the shell; `completion` prints
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Print the version, or the help without a command. Raises typer.Exit with EXIT_USAGE."""
    if version:
        print(f"{PROGRAM} {find_version()}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(EXIT_USAGE)


app.command(short_help="Search the repository, ranked or exactly.")(search)
app.command("open", short_help="Print numbered lines of a file.")(open_lines)
app.command("outline", short_help="Print what a file declares, with line numbers.")(outline_file)
app.command(short_help="Collect the code for a task or question, as Markdown.")(bundle)
app.command(short_help="Build the index, or bring it up to date.")(index)
app.command(short_help="Merge the segments of the index.")(compact)
app.command(short_help="Is the index healthy? What was left out, and why?")(status)
app.command(short_help="Write an HTML page about the index and its use.")(report)
app.command(
    context_settings=_FOREIGN_OPTIONS, short_help="Set up a client: codex, vscode, gemini, copilot, claude."
)(init)
app.command(
    context_settings=_FOREIGN_OPTIONS,
    add_help_option=False,
    short_help="Find what is wrong, and say how to fix it.",
)(doctor)
app.command(
    context_settings=_FOREIGN_OPTIONS, add_help_option=False, short_help="Show every key and who set it."
)(config)
app.command(short_help="Print completion for bash, zsh, fish or PowerShell.")(completion)
app.command(
    context_settings=_FOREIGN_OPTIONS,
    add_help_option=False,
    short_help="Serve MCP over standard input and output.",
)(serve)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises."""
    completion_init()
    try:
        code = typer.main.get_command(app).main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except UsageError as error:
        return complain(error.format_message(), f"See {PROGRAM} --help.", EXIT_USAGE)
    except RepoError as error:
        return complain(error.message, error.hint, exit_code_of(error))
    except (KeyboardInterrupt, typer.Abort):
        return complain("interrupted", "", EXIT_INTERRUPTED)
    except (BrokenPipeError, SystemExit):  # the parser and the console turn a broken pipe into an exit of 1
        return leave_pipe()
    except OSError as error:
        return complain(f"the system refused it: {error.strerror}", "", EXIT_FAILURE)
    except Exception:
        traceback.print_exc()
        return complain("internal error: this is a bug in the program", "", EXIT_FAILURE)
    return code if isinstance(code, int) else EXIT_DONE
