"""A tool as `tools/list` shows it in the first era; in the second it has no `execution`.

What a model reads of every tool, in every conversation, is its name, its description and its input schema.
So the schema is shown without the limits that its check knows: descriptions say those that matter, several
clients drop them anyway, and an integer above its maximum is taken all the same. A default is shown where the
description does not say it.

Claude Code tells its model only the name of a tool until the model looks for it, unless the tool asks to be
shown at once. Those with which work begins ask for it; other clients ignore it.

Blocks of content beside the text of an answer are written with their keys in the order of the SDK's models.
"""

from __future__ import annotations

from repo_mcp.protocol.frames import JsonObject
from repo_mcp.protocol.tool_model import Block, Notes, ResourceLink

TYPE_CHECKING = False

if TYPE_CHECKING:
    from repo_mcp.protocol.tool_model import JsonSchema, Tool

SHOWN_AT_ONCE = {"anthropic/alwaysLoad": True}  # `_meta` of a tool
_SHOWN = frozenset({"type", "description", "enum", "default", "required", "properties", "items"})


def describe_icon(uri: str) -> JsonObject:
    """Return an icon as tools show it; `uri` is a data: URI."""
    mime_type = uri.removeprefix("data:").partition(",")[0].partition(";")[0]
    return {"mimeType": mime_type, "sizes": ["any"], "src": uri}


def show_schema(schema: JsonSchema) -> JsonObject:
    """Return an input schema as clients see it: without limits and empty fields.

    A schema that names its dialect may use words that are not known here, and is returned whole.
    """
    if "$schema" in schema:
        return {**schema}
    shown: JsonObject = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            shown[key] = {name: show_schema(one) for name, one in value.items()}
        elif key == "items" and isinstance(value, dict):
            shown[key] = {"type": value["type"]} if _is_plain(value) else show_schema(value)
        elif key in _SHOWN and (value or key not in ("required", "description")):
            shown[key] = value
    if "default" in str(schema.get("description")).lower():
        shown.pop("default", None)
    return shown


def _is_plain(items: JsonSchema) -> bool:
    """Return True for items whose properties are bare types: the words of their list say what they are."""
    properties = items.get("properties")
    return isinstance(properties, dict) and all(one.keys() == {"type"} for one in properties.values())


def describe_tool(tool: Tool, *, offers_tasks: bool) -> JsonObject:
    """Return a tool as the first era has it."""
    hints = tool.annotations
    described: JsonObject = {"_meta": SHOWN_AT_ONCE} if tool.is_beginning else {}
    described |= {
        "annotations": {
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
            "readOnlyHint": hints.read_only,
            "title": tool.title,
        },
        "description": tool.description,
    }
    if tool.may_be_task and offers_tasks:
        described["execution"] = {"taskSupport": "optional"}
    if tool.icon:
        described["icons"] = [describe_icon(tool.icon)]
    return described | {
        "inputSchema": show_schema(tool.input_schema),
        "name": tool.name,
        "outputSchema": tool.output_schema,
        "title": tool.title,
    }


def describe_block(block: Block) -> JsonObject:
    """Return one block as the protocol writes it."""
    described = _describe_notes(block.notes)
    if not isinstance(block, ResourceLink):
        return described | {"data": block.data, "mimeType": block.mime_type, "type": "audio"}
    if block.description:
        described["description"] = block.description
    described |= {"mimeType": block.mime_type, "name": block.name}
    if block.size is not None:
        described["size"] = block.size
    return described | {"type": "resource_link", "uri": block.uri}


def _describe_notes(notes: Notes) -> JsonObject:
    said: JsonObject = {}
    if notes.audience:
        said["audience"] = list(notes.audience)
    if notes.priority is not None:
        said["priority"] = float(notes.priority)
    return {"annotations": said} if said else {}
