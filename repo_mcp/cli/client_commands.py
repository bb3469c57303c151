"""`init`, `doctor` and `config`: the commands about this program and its clients."""

from __future__ import annotations

import os
from argparse import Namespace

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command, complain
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.exit_codes import EXIT_DONE, EXIT_FAILURE

CLIENT_NAMES = ("codex", "vscode", "gemini", "copilot", "claude", "generic")


def build_init_parser() -> CommandParser:
    """Build the parser of `init`."""
    parser = CommandParser(
        "repo-mcp init",
        "CLIENT [options]",
        """Set up a client: print the entry, show what it would change, write it, try it.

Set each client up once: the server serves whichever repository the client is
opened in. With --scope project the entry goes into a file of this repository,
for everybody who works on it.

Nothing is changed without --write, which leaves the rest of the file as it is
and keeps the old version as NAME.bak-1. A file that is broken, or has another
server of that name, is left alone. --check runs the entry's command the way a
client does and lists the server's tools.

All other options of serve are written into the entry: --harden,
--exclude-glob GLOB, --max-search-hits N and so on (see repo-mcp serve --help).""",
        (
            "repo-mcp init codex",
            "repo-mcp init codex --write --check",
            "repo-mcp init vscode --diff --toolsets repo,graph",
            "repo-mcp init claude --scope project --write",
            "repo-mcp init gemini --root . --name ledger --write",
            "repo-mcp init generic --check",
            "repo-mcp init codex --remove",
        ),
    )
    add = parser.add_argument
    add("client", metavar="CLIENT", choices=CLIENT_NAMES, help=", ".join(CLIENT_NAMES))
    add("--write", action="store_true", help="add the entry to the client's file")
    add("--diff", action="store_true", help="show what would change in the file")
    add("--check", action="store_true", help="start the server the way the client does")
    add("--replace", action="store_true", help="replace an entry of that name")
    add("--remove", action="store_true", help="show the change that removes the entry; --write makes it")
    add("--scope", choices=("user", "project"), help="the user's file or the project's")
    add("--name", metavar="NAME", default="repo", help="the server's name in the client (default: repo)")
    add("--root", "--repo-root", metavar="ROOT", help="serve only this directory (default: auto)")
    add("--toolsets", metavar="NAMES", help="repo, graph, research, retrieval (default: repo)")
    add("--docs-root", metavar="DIR", help="root docs of the toolset retrieval")
    add("--code-root", metavar="DIR", help="root code of the toolset retrieval")
    add("--data-dir", metavar="DIR", help="where the index is kept (default: ROOT/.repo_mcp)")
    add("--semantic-model", metavar="DIR", help="folder of an embedding model")
    add("--command", metavar="FILE", help="the server's program (default: the one installed here)")
    return parser


def init(options: Namespace) -> int:
    """Set up a client. Raises RepoError; SystemExit for an option that serve does not have."""
    from repo_mcp.cli.clients.clients import CLIENTS
    from repo_mcp.cli.clients.server_choice import build_server
    from repo_mcp.cli.clients.setup_page import apply_setup
    from repo_mcp.cli.clients.setup_plan import choose_place, plan_setup
    from repo_mcp.cli.console.working_root import find_working_root
    from repo_mcp.config.found_root import AUTO

    chosen = CLIENTS[options.client]
    here = os.path.abspath(find_working_root(options.root, may_be_home=True).root)
    if options.remove:
        from repo_mcp.cli.clients.setup_plan import remove_server

        place = choose_place(chosen, options.scope, here)
        return remove_server(chosen, options.name, place, write=options.write)
    named = {
        "repo-root": AUTO if options.root is None else options.root,
        "toolsets": options.toolsets,
        "data-dir": options.data_dir,
        "semantic-model": options.semantic_model,
    }
    given = [f"--{option}={value}" for option, value in named.items() if value is not None]
    server = build_server(
        [*given, *options.rest],
        command=options.command,
        docs_root=options.docs_root,
        code_root=options.code_root,
    )
    place = choose_place(chosen, options.scope, here)
    setup = plan_setup(chosen, server, options.name, place, here=here, replace=options.replace)
    if apply_setup(setup, here, write=options.write, diff=options.diff, check=options.check):
        return EXIT_DONE
    return complain("the server does not work when this client starts it", "", EXIT_FAILURE)


def build_config_parser() -> CommandParser:
    """Build the parser of `config`: the options of serve, and its own."""
    from repo_mcp.serving.server_options import build_parser

    parser = build_parser(
        "repo-mcp config",
        "Print every configuration key, its value with these options of serve, and who\nset it.",
        (
            "repo-mcp config --show",
            "repo-mcp config --toolsets repo,graph --max-file-bytes 500000 --json",
        ),
    )
    parser.add_argument("--show", action="store_true", help="print every key (the default)")
    parameters.add_json(parser)
    return parser


def config(options: Namespace) -> int:
    """Show every configuration key, its value and who set it. Raises RepoError."""
    from repo_mcp.cli.configuration import show_config

    return show_config(options)


def build_doctor_parser() -> CommandParser:
    """Build the parser of `doctor`: the options of serve, and its own."""
    from repo_mcp.serving.server_options import build_parser

    parser = build_parser(
        "repo-mcp doctor",
        """Check the configuration, the data directory, the key, the indexes, the packages
and the clients' files: what is wrong, how to fix it, and which repository each
client would be served here. Nothing is changed. It takes the options of
serve.

Exit code: 0, or 3 if something does not work.""",
        ("repo-mcp doctor", "repo-mcp doctor --quick --json"),
    )
    parser.add_argument("--quick", action="store_true", help="check the seals of the indexes, not every byte")
    parameters.add_json(parser)
    return parser


def doctor(options: Namespace) -> int:
    """Check configuration, data directory, index, key and clients."""
    from repo_mcp.cli.doctor.doctor import examine

    return examine(options)


INIT = Command(build_init_parser, init, takes_more=True)
DOCTOR = Command(build_doctor_parser, doctor)
CONFIG = Command(build_config_parser, config)
