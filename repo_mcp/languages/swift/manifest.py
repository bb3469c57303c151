"""The targets in the manifest of a Swift package: which module the files of a folder belong to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MANIFEST = "Package.swift"
_TARGETS = frozenset({"target", "testTarget", "executableTarget", "macro", "plugin"})
_PLAIN_TEXT = re.compile(r'"([^"\\]*)"')


def refer_target(walk: CaptureWalk, node: Node, name: str) -> None:
    """Add the row of a target in a manifest, `.target(name: "Core", path: "Source")`."""
    if walk.file_name != MANIFEST or name not in _TARGETS:
        return
    said: dict[str, str] = {}
    for suffix in node.named_children[1:]:
        for one in (each for part in suffix.named_children for each in part.named_children):
            label, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            text = _PLAIN_TEXT.fullmatch(walk.read_line(value))
            if label is not None and text is not None:
                said[walk.read(label)] = text[1]
    path = said.get("path", "").strip("./")
    if path and said.get("name"):
        walk.refer(ReferenceRole.EXPORT, "", node, path, said["name"])
