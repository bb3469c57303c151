"""The command itself: everything that is checked, printed as it is found.

It takes the options of `serve` and repairs nothing. The exit code is 3 when something does not work, else 0.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator

from repo_mcp.cli.console.plain import to_plain, write_json
from repo_mcp.cli.console.text import Text, open_console
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.cli.doctor.checks import Finding, State, iter_findings
from repo_mcp.cli.doctor.client_entries import iter_client_findings
from repo_mcp.errors import RepoError
from repo_mcp.exit_codes import EXIT_DONE, EXIT_FAILURE
from repo_mcp.serving.server_options import read_config
from repo_mcp.text.lines import escape_text

_STYLES = {State.OK: "green", State.NOTE: "dim", State.WARNING: "yellow", State.PROBLEM: "bold red"}


def examine(options: argparse.Namespace) -> int:
    """Print the findings and return the exit code. `options` are those of serve, and `json` and `quick`."""
    options.repo_root = find_working_root(options.repo_root, may_be_home=True).root
    show: Callable[[Finding], None] = _ignore if options.json else _Printer().show
    findings = []
    for finding in _iter_all(options):
        findings.append(finding)
        show(finding)
    counts = Counter(finding.state for finding in findings)
    is_healthy = not counts[State.PROBLEM]
    if options.json:
        write_json({"healthy": is_healthy, "findings": [to_plain(one) for one in findings]})
    else:
        said = "All is well" if is_healthy else "Something is wrong"
        print(f"{said}: {counts[State.PROBLEM]} problems, {counts[State.WARNING]} warnings.")
    return EXIT_DONE if is_healthy else EXIT_FAILURE


def _iter_all(options: argparse.Namespace) -> Iterator[Finding]:
    try:
        config = read_config(options)
    except RepoError as error:
        yield Finding("configuration", State.PROBLEM, error.message, error.hint)
    else:
        yield from iter_findings(config, reads_all=not options.quick)
    yield from iter_client_findings(os.path.abspath(options.repo_root))


def _ignore(_finding: Finding) -> None:
    return None


class _Printer:
    """Prints one line for each finding, and one for what to do."""

    def __init__(self) -> None:
        self._console = open_console()

    def show(self, finding: Finding) -> None:
        state = (finding.state.value.ljust(8), _STYLES[finding.state])
        line = Text.assemble(state, " ", (finding.subject, "bold"), ": ", escape_text(finding.message))
        self._console.print(line)
        if finding.hint and finding.state is not State.OK:
            self._console.print(Text(f"         {escape_text(finding.hint)}", "dim"))
