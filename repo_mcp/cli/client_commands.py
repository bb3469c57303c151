"""`init`, `doctor`, `config`, `completion` and `serve`: what lies between this program and its clients."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]

from repo_mcp.cli.endings import EXIT_DONE, EXIT_FAILURE, PROGRAM, complain, warn

COMPLETION_VARIABLE = "_REPO_MCP_COMPLETE"  # as typer names it after the program


class ClientName(StrEnum):
    """A client that can be set up."""

    CODEX = "codex"
    VSCODE = "vscode"
    GEMINI = "gemini"
    COPILOT = "copilot"
    CLAUDE = "claude"
    GENERIC = "generic"


class Scope(StrEnum):
    """For whom a client is set up."""

    USER = "user"
    PROJECT = "project"


class Shell(StrEnum):
    """A shell that completes commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def init(
    client: Annotated[ClientName, typer.Argument(metavar="CLIENT", help="|".join(ClientName))],
    root: Annotated[
        str, typer.Option("--root", "--repo-root", metavar="ROOT", help="The repository to serve.")
    ] = ".",
    toolsets: Annotated[
        str | None, typer.Option("--toolsets", metavar="NAMES", help="repo,graph,research,retrieval (repo).")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the client calls it.")] = "repo",
    scope: Annotated[
        Scope | None, typer.Option("--scope", help="The user's file, or the project's (the client's usual).")
    ] = None,
    docs_root: Annotated[
        str | None, typer.Option("--docs-root", metavar="DIR", help="Root docs of the toolset retrieval.")
    ] = None,
    code_root: Annotated[
        str | None, typer.Option("--code-root", metavar="DIR", help="Root code of the toolset retrieval.")
    ] = None,
    command: Annotated[
        str | None, typer.Option("--command", metavar="FILE", help="The server's program (this one's).")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Put it into the client's file.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change in the file.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Start the server as the client would.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="An entry of that name, whatever it starts.")
    ] = False,
) -> int:
    """Set up a client: print the entry, show what it changes, write it, try it.

    Without --write nothing is changed. A file that is there keeps everything else: its comments, order and
    indentation; what it held is copied to NAME.bak-1 first. A file that is broken, or that has another server
    of that name, is refused and left as it is. --check starts the server with the entry's command, with a
    client's few environment variables and in another directory, and lists its tools.

    \b
    Examples:
      repo-mcp init codex
      repo-mcp init codex --write --check
      repo-mcp init vscode --diff --toolsets repo,graph
      repo-mcp init gemini --scope user --name ledger --write
      repo-mcp init generic --check
    """
    from repo_mcp.cli.clients import CLIENTS
    from repo_mcp.cli.setup_page import carry_out
    from repo_mcp.cli.setup_plan import build_server, choose_place, plan_setup

    chosen = CLIENTS[client.value]
    server = build_server(command, root, toolsets, docs_root, code_root)
    place = choose_place(chosen, None if scope is None else scope.value, root)
    setup = plan_setup(chosen, server, name, place, replace=replace)
    works = carry_out(setup, write=write, diff=diff, check=check)
    return (
        EXIT_DONE
        if works
        else complain("the server does not work as this client starts it", "", EXIT_FAILURE)
    )


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="|".join(Shell))],
) -> int:
    """Print a script that completes commands and options in a shell. Nothing is installed.

    Completing asks this program for its own options: no file of the repository is read.

    \b
    Examples:
      repo-mcp completion bash >> ~/.bashrc
      repo-mcp completion zsh > ~/.zfunc/_repo-mcp
      repo-mcp completion fish > ~/.config/fish/completions/repo-mcp.fish
    """
    print(
        get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, shell=shell.value),
        file=sys.stdout,
    )
    return EXIT_DONE


def config(context: typer.Context) -> int:
    """Show every key of the configuration, its value and who set it (--show; options as for serve)."""
    from repo_mcp.cli.configuration import show_config

    return show_config(context.args, warn)


def doctor(context: typer.Context) -> int:
    """Check configuration, data directory, index, key and clients; say what to do (options as for serve)."""
    from repo_mcp.cli.doctor import examine

    return examine(context.args)


def serve(context: typer.Context) -> int:
    """Serve the repository over MCP on standard input and output (see: repo-mcp serve --help)."""
    from repo_mcp import server

    return server.main(context.args)
