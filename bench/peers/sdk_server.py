"""The smallest server with the MCP SDK: its low-level API, and one tool that does nothing.

No server that uses the SDK can answer its first call sooner.
"""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = mcp_types.Tool(
    name="repo.search",
    description="Answers nothing.",
    input_schema={"type": "object", "properties": {"query": {"type": "string"}}},
)
Context = ServerRequestContext[dict[str, Any]]


async def list_tools(
    _context: Context, _params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListToolsResult:
    """List the one tool."""
    return mcp_types.ListToolsResult(tools=[TOOL])


async def call_tool(_context: Context, _params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
    """Return an empty answer."""
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text="{}")])


async def serve() -> None:
    """Serve until standard input ends."""
    server: Server[dict[str, Any]] = Server("floor", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (inbound, outbound):
        await server.run(inbound, outbound, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
