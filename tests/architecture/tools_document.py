"""`docs/tools.md`, made from the tables of tools: `python -m tests.architecture.tools_document` prints it.

Whoever adds a tool or changes a description runs `make docs`; a test compares.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from repo_mcp.config.server_config import TOOLSETS, Limits, load_config
from repo_mcp.protocol.instructions import OF_TOOLSETS
from repo_mcp.protocol.tool_arguments import describe_limits
from repo_mcp.protocol.tool_model import Tool, Toolset

HEAD = """# Tools

What a client sees of each tool: made from the tables in `repo_mcp/toolsets/` by `make docs`, with the default
limits. `repo-mcp serve --toolsets repo,graph` chooses the toolsets; the tools come in this order.
"""


def load_toolsets() -> tuple[Toolset, ...]:
    """Return every toolset with its tools, bound to nothing."""
    bound = []
    for name in TOOLSETS:
        module = importlib.import_module(f"repo_mcp.toolsets.{name}")
        limits = Limits()
        if name == "retrieval":  # has default limits of its own
            limits = module.raise_limits(load_config(None, toolsets=[name]))
        bound.append(module.bind_toolset(limits, _refuse))
    return tuple(bound)


def render_tools() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *(line for toolset in load_toolsets() for line in _render_toolset(toolset))])


def _refuse() -> Any:
    raise AssertionError("a document calls no tool")


def _render_toolset(toolset: Toolset) -> Iterator[str]:
    yield f"## The toolset {toolset.name}\n"
    yield f"{OF_TOOLSETS[toolset.name]}\n"
    for tool in toolset.tools:
        yield from _render_tool(tool)


def _render_tool(tool: Tool) -> Iterator[str]:
    yield f"### `{tool.name}`\n"
    yield f"{tool.title}. {tool.description}\n"
    yield f"{_render_notes(tool)}\n"
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})  # type: ignore[assignment]
    required = tool.input_schema.get("required", ())
    if not properties:
        yield "No arguments.\n"
        return
    yield "| argument | is | default | means |\n|---|---|---|---|"
    for name, schema in properties.items():
        is_required = isinstance(required, list | tuple) and name in required
        yield from _render_argument(name, schema, "required" if is_required else None)
    yield ""


def _render_notes(tool: Tool) -> str:
    notes = ["reads only" if tool.annotations.read_only else "changes the index, nothing else"]
    notes += ["may be a task"] if tool.may_be_task else []
    return f"*{'; '.join(notes)}.*"


def _render_argument(name: str, schema: Mapping[str, Any], default: str | None) -> Iterator[str]:
    if default is None:
        default = f"`{json.dumps(schema['default'])}`" if "default" in schema else "-"
    meaning = _cell(str(schema.get("description", schema.get("title", ""))))
    yield f"| `{name}` | {_cell(describe_limits(schema))} | {default} | {meaning} |"
    inner = schema.get("properties", {})
    needed = schema.get("required", ())
    for key, value in inner.items():
        yield from _render_argument(f"{name}.{key}", value, "required" if key in needed else None)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_tools())
