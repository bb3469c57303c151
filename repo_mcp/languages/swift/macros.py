"""The macros of Swift: what their declarations say of them, and the calls `#name(...)`.

A macro is attached to what is declared, `@Name`, or stands for itself, `#Name`. It is expanded by a type that
its definition names by a text, and may make types conform to protocols: it has an IMPLEMENT row for each.
Left out on purpose: the names that it declares.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, split_path
from repo_mcp.languages.treesitter.source_text import find_child
from repo_mcp.symbols.model import EXPANDING
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolFlag

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

ATTACHED = "attached"
_EXTERNAL = re.compile(r'#externalMacro\( ?module: ?"(\w+)", ?type: ?"([\w.]+)"')
_TYPE = re.compile(r"[\w.]+")


def read_macro_flags(walk: CaptureWalk, node: Node) -> int:
    """Return the flags of a declared macro that its attributes give it."""
    return SymbolFlag.ATTACHED if f"@{ATTACHED}" in walk.read_line(find_child(node, "modifiers")) else 0


def refer_expanding(walk: CaptureWalk, node: Node) -> None:
    """Add the use of the type that expands a macro of another module."""
    definition = find_child(node, "macro_definition")
    found = _EXTERNAL.search(walk.read_line(definition))
    if definition is not None and found is not None:
        name, outer = split_path(found[2])
        qualifier = ".".join(filter(None, (found[1], outer)))
        walk.refer(ReferenceRole.TYPE, name, definition, qualifier, "", EXPANDING)


def refer_conformances(walk: CaptureWalk, node: Node) -> None:
    """Add the protocols to which an `@attached(extension, conformances: A, B)` makes types conform."""
    _, _, said = walk.read_line(node).partition("conformances:")
    for part in said.split(","):
        found = _TYPE.fullmatch(part.strip(" )"))
        if found is None:  # the next label
            break
        name, qualifier = split_path(found[0])
        walk.refer(ReferenceRole.IMPLEMENT, name, node, qualifier)
