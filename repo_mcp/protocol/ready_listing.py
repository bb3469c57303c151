"""The list of tools as most clients ask for it, made beforehand: the lines of `repo_mcp/protocol/listings/`.

A client asks for the tools in its second or third frame, when neither the options are parsed nor the toolsets
loaded. With the default limits the answer is always the same, so it comes with the package: a file for each
toolset, a line for each tool, as `repo_mcp.protocol.tool_listing` describes it. `make docs` writes the files,
and a test holds them against the tables of tools.

Left out on purpose: limits that an operator or a repository has set. Those lists are made from the tables.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PLACE = os.path.join(os.path.dirname(__file__), "listings")


def name_file(toolset: str) -> str:
    """Return the absolute path of a file of lines."""
    return os.path.join(PLACE, f"{toolset}.jsonl")


def read_listing(toolsets: Sequence[str]) -> str:
    """Return the tools as a JSON array, or "" if there is no listing."""
    lines: list[str] = []
    try:
        for toolset in toolsets:
            with open(name_file(toolset), encoding="utf-8") as file:
                lines += file.read().splitlines()
    except OSError:  # the package was taken apart: the tables are there all the same
        return ""
    return f"[{','.join(lines)}]"
