"""Write `repo_mcp/protocol/listings/` from the tables of tools: `python -m tests.architecture.listings`."""

from __future__ import annotations

import sys
from pathlib import Path

from repo_mcp.config.plain_options import TOOLSETS
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.instructions import WITH_TASKS
from repo_mcp.protocol.ready_listing import PLACE, name_file
from repo_mcp.protocol.tool_listing import describe_tool
from tests.architecture.tools_document import load_toolsets


def render_listings() -> dict[Path, str]:
    """Return the contents of each file."""
    return {
        Path(name_file(toolset.name)): "".join(
            encode_json(describe_tool(tool, offers_tasks=toolset.name in WITH_TASKS)) + "\n"
            for tool in toolset.tools
        )
        for toolset in load_toolsets()
        if toolset.name in TOOLSETS
    }


def main() -> int:
    Path(PLACE).mkdir(exist_ok=True)
    for path, text in render_listings().items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
