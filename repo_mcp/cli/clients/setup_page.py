"""The output of `repo-mcp init`: entries and diffs on standard output, advice on standard error."""

from __future__ import annotations

import sys

from repo_mcp.cli.clients.check import COMFORTABLE_SECONDS, REPOSITORY, try_server
from repo_mcp.cli.clients.files import read_client_file, write_client_file
from repo_mcp.cli.clients.server_choice import SCRIPT, is_passing
from repo_mcp.cli.clients.setup_plan import Setup, render_alone
from repo_mcp.cli.console.endings import warn
from repo_mcp.cli.console.text import Text, open_console, visible
from repo_mcp.errors import ErrorCode, RepoError


class SetupPage:
    """Prints one setup for a person."""

    def __init__(self, setup: Setup, here: str) -> None:
        """Take the directory that a client would be started in."""
        self._setup = setup
        self._here = here
        self._console = open_console()

    def show_entry(self) -> None:
        """Print the entry in the form of the client's file, and say where it belongs."""
        setup = self._setup
        sys.stdout.write(render_alone(setup.client, setup.name, setup.entry))
        sys.stdout.flush()
        if setup.file is not None and setup.is_done:
            self._advise(f"It is already in {setup.file.shown}.")
        elif setup.file is not None:
            self._advise(
                f"It belongs in {setup.file.shown}: --write adds it, --diff shows what would change."
            )
        else:
            self._advise("Add it to your client's list of servers.")
            if setup.server.finds_root:
                self._advise("A client that names no roots and starts servers elsewhere needs --root DIR.")
        self._advise_more()

    def show_diff(self) -> None:
        """Print what would change."""
        if self._setup.is_done:
            self._advise("Nothing would change.")
        for row in self._setup.render_diff().splitlines():
            style = {"+": "green", "-": "red", "@": "cyan"}.get(row[:1], "")
            self._console.print(Text(visible(row), style))
        if not self._setup.is_done:
            self._advise_more()

    def show_written(self, backup: str | None) -> None:
        """Say that the file is written, and where its previous contents are."""
        assert self._setup.file is not None
        kept = "" if backup is None else f"; the previous version is in {backup}"
        self._advise(f"Wrote {self._setup.file.shown}{kept}.")
        self._advise_more()

    def show_unchanged(self) -> None:
        """Say that there was nothing to write."""
        assert self._setup.file is not None
        self._advise(f"{self._setup.file.shown} already has it; nothing was changed.")

    def show_trial(self) -> bool:
        """Start the server and print the outcome. Return True when it works."""
        setup = self._setup
        trial = try_server(setup.server, setup.client.protocol, self._here)
        if trial.fault:
            warn(f"{setup.client.title}: {trial.fault}. {trial.said}")
            return False
        rows = {
            "server": trial.server,
            "initialize": f"{trial.initialize_ms:.0f} ms after the start",
            "tools/list": f"{trial.list_ms:.0f} ms after the start",
            "tools": f"{len(trial.tools)}: {', '.join(trial.tools)}",
        }
        if setup.server.finds_root:
            rows["repository"] = trial.root.removeprefix(REPOSITORY).removesuffix(".") or "none around here"
        how = f": started as {setup.client.title} does, by {setup.server.command}"
        self._console.print(Text.assemble(("It works", "bold green"), visible(how)))
        for name, value in rows.items():
            self._console.print(Text.assemble((name.ljust(12), "dim"), visible(value)))
        if trial.list_ms > 1000 * COMFORTABLE_SECONDS:
            warn("That is slow: some clients call their model before they have the tools.")
        return True

    def _advise_more(self) -> None:
        setup = self._setup
        if setup.place is not None and setup.place.in_project:
            said = f"The file has no paths of this machine, so commit it. It needs {SCRIPT} on the PATH."
            if setup.names_machine:
                said = "The file is part of the project, but it has paths of this machine."
            self._advise(f"{said} {setup.client.note}".rstrip())
        elif setup.server.finds_root:
            self._advise("It serves every repository that the client is opened in.")
        if is_passing(setup.server.command):
            warn("The program is in a cache that may be emptied. Install it with pipx or uv tool install.")

    def _advise(self, text: str) -> None:
        print(visible(text), file=sys.stderr)


def apply_setup(setup: Setup, here: str, *, write: bool, diff: bool, check: bool) -> bool:
    """Write, show or print the entry as asked. Return False when the server was tried and does not work.

    `here` is the directory that the client would be started in. Raises RepoError.
    """
    page = SetupPage(setup, here)
    if write:
        write_setup(setup, page)
    elif diff:
        page.show_diff()
    elif not check:
        page.show_entry()
    return not check or page.show_trial()


def write_setup(setup: Setup, page: SetupPage) -> None:
    """Write the client's file and verify it. Raises RepoError with CONFIG_INVALID or INTERNAL; OSError."""
    if setup.file is None:
        raise RepoError(
            ErrorCode.CONFIG_INVALID,
            "This client has no file to write.",
            "Leave out --write to print the entry.",
        )
    if setup.is_done:
        page.show_unchanged()
        return
    backup = write_client_file(setup.file, setup.text)
    if setup.place is None or read_client_file(setup.place).text != setup.text:
        raise RepoError(ErrorCode.INTERNAL, "The file does not contain what was written.")
    page.show_written(backup)
