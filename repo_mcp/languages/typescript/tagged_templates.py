"""Type arguments of tagged templates, such as those of styled components: ``styled.div<Props>`...` ``.

The grammar knows none and reads comparisons or an error, so they are blanked before a text is parsed. The
types that they name are read from the original text, where the call stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.blanking import blank
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_BYTES = 2_000  # of the type arguments of one template
_END = re.compile(rb">`")
_ANGLE = re.compile(rb"=>|[<>]")
_BEFORE = re.compile(rb"[\w$)\]]")  # the end of a tag
_TYPE_NAME = re.compile(rb"(?<![\w$.\"'])[A-Z][\w$]{0,199}(?![\w$]|\s*\??:)")


def blank_type_arguments(text: bytes) -> bytes:
    """Return a text of equal length in which no template has type arguments."""
    blanked, done = [], 0
    for found in _END.finditer(text):
        least = max(done, found.start() - MAX_BYTES)
        least = max(least, text.rfind(b"`", least, found.start()) + 1)
        start = _find_start(text, least, found.start())
        if start is not None:
            blanked += [text[done:start], blank(text[start : found.start() + 1])]
            done = found.start() + 1
    return b"".join(blanked) + text[done:]


def _find_start(text: bytes, least: int, end: int) -> int | None:
    """Return the offset of the "<" that the ">" at `end` closes, if it follows a name or a bracket.

    What is at `end` may also close a template: `List<${name}>`, or `${a<b ? c : d}>`.
    """
    opened: list[int] = []
    for found in _ANGLE.finditer(text, least, end):
        if found[0] == b"<":
            opened.append(found.start())
        elif found[0] == b">":
            del opened[-1:]
    if not opened or not _BEFORE.match(text, opened[-1] - 1):
        return None
    inside = text[opened[-1] : end]
    is_of_template = b"${" in inside or inside.count(b"{") != inside.count(b"}")
    return None if is_of_template else opened[-1]


def refer_type_arguments(walk: ScriptWalk, node: Node) -> None:
    """Add the uses of types between a tag and its template, which the tree does not have."""
    tag, template = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if tag is None or template is None or template.type != "template_string":
        return
    for found in _TYPE_NAME.finditer(walk.text, tag.end_byte, template.start_byte):
        walk.refer(ReferenceRole.TYPE, found[0].decode(), found.start())
