"""The program: its commands in order, and the mapping of every outcome to an exit code and one stderr line.

Each command opens the repository, asks it once and prints the answer: as text for people or, with `--json`,
as one JSON document on standard output. The commands are in the modules whose names end in `_command` or
`_commands`; a command line imports its own alone, since imports are most of what a command costs.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp import __version__
from repo_mcp.exit_codes import EXIT_DONE, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from repo_mcp.cli.console.endings import Command
    from repo_mcp.config.command_parser import CommandParser

PROGRAM = "repo-mcp"
_MARK = "\0"  # a character that no argument can contain
# command -> what it does, in the order of the help
SUMMARIES = {
    "search": "search the repository, ranked or exactly",
    "open": "print numbered lines of a file",
    "outline": "print what a file declares, with line numbers",
    "definition": "print where a name is declared",
    "references": "print where a symbol is used",
    "callers": "print what calls a function",
    "callees": "print what a function calls",
    "implementations": "print what implements or extends a type",
    "impact": "print what a diff changes and affects, as Markdown",
    "research": "answer a question by following references",
    "bundle": "collect the code for a task or question, as Markdown",
    "index": "build the index, or bring it up to date",
    "compact": "merge the segments of the index",
    "export": "write declarations and references as a SCIP index",
    "status": "say whether the index is healthy, and what was left out",
    "report": "write an HTML page about the index and its use",
    "init": "set up a client: codex, vscode, gemini, copilot, claude",
    "doctor": "find what is wrong, and say how to fix it",
    "config": "show every configuration key and who set it",
    "completion": "print completion for bash, zsh, fish or PowerShell",
    "serve": "serve MCP over standard input and output",
}
HELP = """usage: repo-mcp COMMAND [options]

Search one code repository through its own index, in a terminal or over MCP.

Everything is local and read-only: no model is asked, no code of the repository
is run, and only "index" connects to anything, if you give it an address.
Commands work on the repository around the current directory unless --repo-root
names another. "repo-mcp COMMAND --help" lists the options.

commands:
{commands}

options:
  -h, --help       print this help
  -V, --version    print the version

examples:
  repo-mcp search "retry with backoff"      ranked hits; indexes first if needed
  repo-mcp search -F "def main(" -g "*.py"  exact text
  repo-mcp open README.md:1-20              numbered lines
  repo-mcp callers transfer_funds           what calls it, and where
  git diff | repo-mcp impact                what a change affects
  repo-mcp init codex --write --check       set up a client and try it
  repo-mcp status                           is everything indexed?

exit codes:
  0 done, 1 nothing found, 2 usage or configuration,
  3 index or repository error, 130 interrupted"""


def render_help() -> str:
    """Return the help of the program."""
    width = max(map(len, SUMMARIES)) + 2
    return HELP.format(commands="\n".join(f"  {name:{width}}{text}" for name, text in SUMMARIES.items()))


def load_command(name: str) -> Command:
    """Import and return one of SUMMARIES, except serve."""
    if name == "search":
        from repo_mcp.cli.search_command import SEARCH

        return SEARCH
    if name in ("open", "outline", "bundle"):
        from repo_mcp.cli import reading_commands as reading

        return {"open": reading.OPEN, "outline": reading.OUTLINE, "bundle": reading.BUNDLE}[name]
    if name in ("index", "compact", "status", "report"):
        from repo_mcp.cli import index_commands as indexing

        of_index = (indexing.INDEX, indexing.COMPACT, indexing.STATUS, indexing.REPORT)
        return dict(zip(("index", "compact", "status", "report"), of_index, strict=True))[name]
    if name in ("definition", "references", "callers", "callees", "implementations", "research"):
        from repo_mcp.cli.graph_commands import COMMANDS

        return COMMANDS[name]
    if name == "impact":
        from repo_mcp.cli.impact_command import IMPACT

        return IMPACT
    if name == "export":
        from repo_mcp.cli.export_command import EXPORT

        return EXPORT
    if name == "completion":
        from repo_mcp.cli import completion
        from repo_mcp.cli.console.endings import Command

        return Command(completion.build_parser, _complete)
    from repo_mcp.cli import client_commands as clients

    return {"init": clients.INIT, "doctor": clients.DOCTOR, "config": clients.CONFIG}[name]


def _complete(options: Namespace) -> int:
    from repo_mcp.cli.completion import complete

    return complete(options, build_parsers(), SUMMARIES)


def build_parsers() -> dict[str, CommandParser]:
    """Build the parsers of all commands, by name."""
    return {name: build_parser(name) for name in SUMMARIES}


def build_parser(name: str) -> CommandParser:
    """Build the parser of a command. That of `serve` is the server's own."""
    if name == "serve":
        from repo_mcp.serving.server_options import build_parser as build_server_parser

        return build_server_parser("repo-mcp serve")
    return load_command(name).build_parser()


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises."""
    try:
        code = _run(arguments)
        _flush()
    except BrokenPipeError:  # of the help, too, which is often read with `head`
        from repo_mcp.cli.console.endings import close_broken_pipe

        return close_broken_pipe()
    return code


def _run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Raises BrokenPipeError if nobody reads the output."""
    name, *rest = arguments or [""]
    if name in ("", "-h", "--help", "help"):
        print(render_help())
        return EXIT_DONE if name else EXIT_USAGE
    if name in ("-V", "--version"):
        print(f"{PROGRAM} {__version__}")
        return EXIT_DONE
    if name == "serve":
        return _serve(rest)
    if name not in SUMMARIES:
        return _complain_of_command(name)
    return _run_command(name, rest)


def _serve(arguments: Sequence[str]) -> int:
    """Pass a command line on to the server, which reads it with a parser of its own; but print its help."""
    if {"-h", "--help"}.intersection(arguments):
        build_parser("serve").print_help()
        return EXIT_DONE
    from repo_mcp import server

    return server.main(arguments)


def _complain_of_command(name: str) -> int:
    from difflib import get_close_matches

    from repo_mcp.cli.console.endings import complain

    near = get_close_matches(name, SUMMARIES, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"See {PROGRAM} --help."
    what = "option" if name.startswith("-") else "command"
    return complain(f"There is no {what} {name}.", hint, EXIT_USAGE)


def _run_command(name: str, arguments: Sequence[str]) -> int:
    from repo_mcp.cli.console.endings import complain, complain_of
    from repo_mcp.config.environment import prepare_numpy
    from repo_mcp.errors import RepoError

    prepare_numpy()  # before numpy is imported
    try:
        command = load_command(name)
        code = command.run(_read(command, arguments))
        _flush()  # here, too: an error of the disk is one of the command
    except SystemExit as ending:  # the parser has printed the help, or the fault
        return ending.code if isinstance(ending.code, int) else EXIT_USAGE
    except RepoError as error:
        return complain_of(error)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return complain("interrupted", "", EXIT_INTERRUPTED)
    except OSError as error:
        return complain(f"the system refused it: {error.strerror}", "", EXIT_FAILURE)
    except Exception:
        import traceback

        traceback.print_exc()
        return complain("internal error: this is a bug in the program", "", EXIT_FAILURE)
    return code


def _read(command: Command, arguments: Sequence[str]) -> Namespace:
    parser = command.build_parser()
    if command.takes_more:
        options, rest = parser.parse_known_args(arguments)
        options.rest = rest
        return options
    options = parser.parse_intermixed_args(_mark_words(arguments))
    for name, value in vars(options).items():
        if isinstance(value, str):
            setattr(options, name, value.removeprefix(_MARK))
        elif isinstance(value, list):
            setattr(options, name, [one.removeprefix(_MARK) for one in value])
    return options


def _mark_words(arguments: Sequence[str]) -> list[str]:
    """Mark the words after `--`: argparse, when intermixing, would take those with a dash for options."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    return words[:end] + [_MARK + word for word in words[end + 1 :]]


def _flush() -> None:
    """Flush standard output here, where a closed pipe can still be caught; at exit Python would report it."""
    import sys

    sys.stdout.flush()
