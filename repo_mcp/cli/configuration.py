"""`repo-mcp config --show`: the configuration that `serve` would have with the same options.

Each key is shown with its value and its source. Nothing is created: neither a data directory nor an index.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence

from repo_mcp.cli.console.endings import warn
from repo_mcp.cli.console.plain import write_json
from repo_mcp.cli.console.text import Text, open_console
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.config.narrowing import narrow_config
from repo_mcp.config.settings import Setting, list_settings
from repo_mcp.exit_codes import EXIT_DONE
from repo_mcp.serving.server_options import read_config
from repo_mcp.text.lines import escape_text


def show_config(options: Namespace) -> int:
    """Print the effective configuration and return the exit code. Raises RepoError with CONFIG_INVALID."""
    asked = {"repo_root"} if options.repo_root is None else set()
    options.repo_root = find_working_root(options.repo_root).root
    config, warnings = narrow_config(read_config(options))
    settings = [
        Setting(one.key, one.value, "default" if one.key in asked else one.source, one.option, one.in_file)
        for one in list_settings(config)
    ]
    if options.json:
        rows = {one.key: {"value": one.value, "source": one.source} for one in settings}
        write_json({"settings": rows, "warnings": list(warnings)})
    else:
        _print(settings)
        for warning in warnings:
            warn(warning)
    return EXIT_DONE


def _print(settings: Sequence[Setting]) -> None:
    console = open_console()
    width = max(len(one.key) for one in settings)
    for one in settings:
        value = escape_text(json.dumps(one.value, ensure_ascii=False))
        console.print(
            Text.assemble((one.key.ljust(width), "bold"), "  ", value, "  ", (f"({one.source})", "dim"))
        )
