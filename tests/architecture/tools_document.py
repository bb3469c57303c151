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
from repo_mcp.protocol.instructions import join_instructions
from repo_mcp.protocol.tool_arguments import describe_limits
from repo_mcp.protocol.tool_model import Tool, Toolset

HEAD = """# Tools

What a client sees of each tool: made from the tables in `repo_mcp/toolsets/` by `make docs`, with the default
limits. `repo-mcp serve --toolsets repo,graph` chooses the toolsets; the tools come in this order. Brackets
give what the description of an argument does not say: whether it is required, the permitted values, the
default. `cursor` is what the previous page returned. Tools only read, except where it says that they change
the index.
"""
MAX_NUMBER = 2_147_483_647  # of a line: no limit that anyone meets


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
    yield f"{join_instructions([toolset.name])}\n"
    for tool in toolset.tools:
        yield from _render_tool(tool)


def _render_tool(tool: Tool) -> Iterator[str]:
    yield f"### `{tool.name}`\n"
    yield f"{' '.join((f'{tool.title}. {tool.description}', *_list_notes(tool)))}\n"
    rows = list(_iter_arguments(tool.input_schema, ""))
    yield from (*rows, "") if rows else ()


def _list_notes(tool: Tool) -> list[str]:
    notes = [] if tool.annotations.read_only else ["*Changes the index, nothing else.*"]
    return notes + (["*May be a task.*"] if tool.may_be_task else [])


def _iter_arguments(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Yield a row for each argument, and below an object those of its fields."""
    for name, argument in schema.get("properties", {}).items():
        meaning = " ".join(str(argument.get("description", argument.get("title", ""))).split())
        notes = ["required"] if name in schema.get("required", ()) else []
        notes += _list_limits(argument, meaning)
        bounds = f" ({', '.join(notes)})" if notes else ""
        yield f"- `{prefix}{name}`{bounds}{meaning and ': '}{meaning}"
        yield from _iter_arguments(argument, f"{prefix}{name}.")


def _list_limits(schema: Mapping[str, Any], meaning: str) -> list[str]:
    """Return what a value must be and its default, unless the argument's description says so."""
    limits = describe_limits(schema).removeprefix("one of ").removeprefix("an integer from ")
    is_plain = schema["type"] in ("string", "boolean", "object") and "enum" not in schema
    is_stated = is_plain or str(MAX_NUMBER) in limits.replace(",", "") or limits in meaning
    notes = [] if is_stated else [limits]
    default = schema.get("default")
    if default not in (None, "", False) and "Default" not in meaning:
        notes.append(f"default {json.dumps(default)}")
    return notes


if __name__ == "__main__":
    sys.stdout.write(render_tools())
