"""Values of an enum that a list in a macro declares.

    #define ERRNO_MAP(XX) XX(EPERM, "not permitted") XX(EIO, "i/o error")
    enum { #define XX(code, _) LOOP_ ## code = -code, ERRNO_MAP(XX) #undef XX };

declares LOOP_EPERM and LOOP_EIO. Their names are nowhere in the text, so they are composed from the rows of
the list. They belong to these rows, where a reader finds them.

Left out on purpose: lists in files that are included for this, and templates that make several names of a
row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.blanking import join_blanked
from repo_mcp.languages.treesitter.capture_scopes import Extent
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_LIST_BYTES = 60_000  # of the body of a list
MAX_BEFORE_BYTES = 4_000  # between the brace of an enum and a template in it
MAX_TEMPLATES = 8  # of one list

# A template, and the use of a list with it on the next line: the list is the fourth group.
_TEMPLATE = rb"#[ \t]*define[ \t]+(\w+)\(([\w., \t]*)\)[ \t]*([^\n]*)\n[ \t]*(%s)\([ \t]*\1[ \t]*\)"
_IN_ENUM = re.compile(rb"\benum\b[^;{}()]*\{[^{}]*\Z")
_CONTINUED = re.compile(rb"\\\r?\n")
_COMMENT = re.compile(rb"/\*.*?\*/", re.S)
_ROW_ARGUMENT = rb"(?:[^()\"',]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\((?:[^()]|\([^()]*\))*\))*"
_JOINED = re.compile(r"\s*##\s*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"\w+")


def declare_listed_members(
    walk: CaptureWalk, node: Node, value: Node, list_name: str, parameter: str
) -> None:
    """Declare, inside the macro that lists them, the values of the enums that apply the list."""
    start, end = value.start_byte, min(value.end_byte, value.start_byte + MAX_LIST_BYTES)
    body = walk.text[start:end]
    if not body.lstrip(b" \t\r\n\\").startswith(parameter.encode() + b"("):
        return  # nearly all macros are none
    templates = [*_find_templates(walk.text, list_name)]
    rows = [*_read_rows(body, parameter)] if templates else []
    for offset, arguments in rows:
        row = walk.find_line(start + offset) - 1
        for names, template in templates:
            name = _expand(template, names, arguments)
            if name:
                kind, flags = SymbolKind.ENUM_MEMBER, SymbolFlag.PUBLIC_API
                walk.declare(node, name, kind, Head(flags=flags), extent=Extent(row, row), opens=False)


def _find_templates(text: bytes, list_name: str) -> Iterator[tuple[list[str], str]]:
    """Yield the parameters of each template that an enum applies to a list, and its text up to the name."""
    pattern = re.compile(_TEMPLATE % re.escape(list_name.encode()))
    for count, found in enumerate(pattern.finditer(text)):
        if count == MAX_TEMPLATES:
            return
        before = text[max(0, found.start() - MAX_BEFORE_BYTES) : found.start()]
        if _IN_ENUM.search(before):
            names = [one.strip() for one in found.group(2).decode().split(",")]
            yield names, re.split("[=,]", found.group(3).decode("utf-8", "replace"), maxsplit=1)[0]


def _read_rows(body: bytes, parameter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the offset and the arguments of each row of a list; nothing if the text holds anything else."""
    text = _COMMENT.sub(join_blanked, _CONTINUED.sub(join_blanked, body))
    row = re.compile(
        rb"\s*(%s)[ \t]*\((%s(?:,%s)*)\)\s*" % (parameter.encode(), _ROW_ARGUMENT, _ROW_ARGUMENT)
    )
    rows, at = [], 0
    while found := row.match(text, at):
        arguments = [one.strip() for one in found.group(2).decode("utf-8", "replace").split(",")]
        rows.append((found.start(1), arguments))
        at = found.end()
    if not text[at:].strip():
        yield from rows


def _expand(template: str, names: list[str], arguments: list[str]) -> str:
    """Return the name that a template makes of the arguments of a row; "" if it makes none."""
    bound = dict(zip(names, arguments, strict=False))
    words = _JOINED.sub("##", template.strip()).split("##")
    name = "".join(_WORD.sub(lambda found: bound.get(found[0], found[0]), word) for word in words)
    return name if _NAME.fullmatch(name) else ""
