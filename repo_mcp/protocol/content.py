"""Blocks of content beside the text of an answer, as the protocol writes them.

Keys stand in the order of the SDK's models. Left out on purpose: the text, which every answer has.
"""

from __future__ import annotations

from repo_mcp.protocol.frames import JsonObject
from repo_mcp.protocol.tool_model import Block, Notes, ResourceLink


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
