"""`init`, `doctor`, `config`, `completion` and `serve`: the commands about this program and its clients."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from repo_mcp.cli.console.endings import EXIT_DONE, EXIT_FAILURE, EXIT_USAGE, PROGRAM, complain, warn

if TYPE_CHECKING:
    from repo_mcp.cli.clients.clients import Server

COMPLETION_VARIABLE = "_REPO_MCP_COMPLETE"  # the name that typer derives from the program


class ClientName(StrEnum):
    """A client that can be set up."""

    CODEX = "codex"
    VSCODE = "vscode"
    GEMINI = "gemini"
    COPILOT = "copilot"
    CLAUDE = "claude"
    GENERIC = "generic"


class InstallScope(StrEnum):
    """The scope in which a client is set up: one user, or one project."""

    USER = "user"
    PROJECT = "project"


class Shell(StrEnum):
    """A shell that completes commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


Root = Annotated[str, typer.Option("--root", "--repo-root", metavar="ROOT", help="The repository to serve.")]
Toolsets = Annotated[
    str | None, typer.Option("--toolsets", metavar="NAMES", help="repo,graph,research,retrieval (repo).")
]
ServerName = Annotated[str, typer.Option("--name", metavar="NAME", help="The server's name in the client.")]
ChosenScope = Annotated[
    InstallScope | None,
    typer.Option("--scope", help="Which file: the user's or the project's."),
]
DocsRoot = Annotated[
    str | None, typer.Option("--docs-root", metavar="DIR", help="Root docs of the toolset retrieval.")
]
CodeRoot = Annotated[
    str | None, typer.Option("--code-root", metavar="DIR", help="Root code of the toolset retrieval.")
]
DataDir = Annotated[
    str | None, typer.Option("--data-dir", metavar="DIR", help="Where the index is kept (ROOT/.repo_mcp).")
]
SemanticModel = Annotated[
    str | None, typer.Option("--semantic-model", metavar="DIR", help="Folder with an embedding model.")
]
Command = Annotated[
    str | None, typer.Option("--command", metavar="FILE", help="The server's program (this one's).")
]


def init(
    context: typer.Context,
    client: Annotated[ClientName, typer.Argument(metavar="CLIENT", help="|".join(ClientName))],
    root: Root = ".",
    toolsets: Toolsets = None,
    name: ServerName = "repo",
    scope: ChosenScope = None,
    docs_root: DocsRoot = None,
    code_root: CodeRoot = None,
    data_dir: DataDir = None,
    semantic_model: SemanticModel = None,
    command: Command = None,
    write: Annotated[bool, typer.Option("--write", help="Add it to the client's file.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change in the file.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Start the server the way the client does.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an entry of that name.")] = False,
) -> int:
    """Set up a client: print the entry, show what it would change, write it, try it.

    Nothing is changed without --write. It keeps the rest of the file, comments and order included, and the
    old version as NAME.bak-1. A file that is broken, or has another server of that name, is left alone.
    --check runs the entry's command the way a client does and lists the server's tools.

    All other options of serve are written into the entry: --harden, --exclude-glob GLOB,
    --max-search-hits N and so on (see: repo-mcp serve --help).

    \b
    Examples:
      repo-mcp init codex
      repo-mcp init codex --write --check
      repo-mcp init vscode --diff --toolsets repo,graph
      repo-mcp init gemini --scope user --name ledger --write
      repo-mcp init claude --data-dir ~/indexes/ledger --harden --diff
      repo-mcp init generic --check
    """
    from repo_mcp.cli.clients.clients import CLIENTS
    from repo_mcp.cli.clients.setup_page import carry_out
    from repo_mcp.cli.clients.setup_plan import choose_place, plan_setup

    chosen = CLIENTS[client.value]
    named = {"repo-root": root, "toolsets": toolsets, "data-dir": data_dir, "semantic-model": semantic_model}
    given = [f"--{option}={value}" for option, value in named.items() if value is not None]
    server = _choose_server([*given, *context.args], command, docs_root, code_root)
    place = choose_place(chosen, None if scope is None else scope.value, root)
    setup = plan_setup(chosen, server, name, place, replace=replace)
    if carry_out(setup, write=write, diff=diff, check=check):
        return EXIT_DONE
    return complain("the server does not work when this client starts it", "", EXIT_FAILURE)


def _choose_server(
    given: list[str], command: str | None, docs_root: str | None, code_root: str | None
) -> Server:
    from repo_mcp.cli.clients.server_choice import build_server

    try:
        return build_server(given, command=command, docs_root=docs_root, code_root=code_root)
    except SystemExit as ending:  # it has already printed what is wrong
        raise typer.Exit(EXIT_USAGE if ending.code is None else int(ending.code)) from None


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="|".join(Shell))],
) -> int:
    """Print a shell script that completes commands and options. Nothing is installed.

    The script asks this program for its options. It reads no file of the repository.

    \b
    Examples:
      repo-mcp completion bash >> ~/.bashrc
      repo-mcp completion zsh >> ~/.zshrc         below compinit
      repo-mcp completion fish > ~/.config/fish/completions/repo-mcp.fish
    """
    print(
        get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, shell=shell.value),
        file=sys.stdout,
    )
    return EXIT_DONE


def config(context: typer.Context) -> int:
    """Show every configuration key, its value and who set it (--show; takes the options of serve)."""
    from repo_mcp.cli.configuration import show_config

    return show_config(context.args, warn)


def doctor(context: typer.Context) -> int:
    """Check configuration, data directory, index, key and clients (takes the options of serve)."""
    from repo_mcp.cli.doctor.doctor import examine

    return examine(context.args)


def serve(context: typer.Context) -> int:
    """Serve the repository over MCP on standard input and output (see: repo-mcp serve --help)."""
    from repo_mcp import server

    return server.main(context.args)
