"""Tests of C++ that a macro makes members of a class: `TEST_F(Fixture, name) {`.

The class may be declared in another file; then an extension of it has the member. A macro that belongs to no
known test library makes members only of classes in the same file. Such a test has its macro as its result and
no list of parameters, because nothing can call it. A test without a fixture is a function that has the whole
title as its name, `Suite.name`, which no use can mean: `TEST(Suite, name) {`.

Left out on purpose: tests titled by one word, as Boost's, since the test of a function often has its name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_scopes import Extent, OpenScope
from repo_mcp.symbols.record_builder import Head
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
    from repo_mcp.languages.treesitter.parser import Node

MAX_HEAD_BYTES = 300
_MEMBER_HEAD = re.compile(
    rb"^[A-Z][A-Z0-9_]+\(\s*(?P<fixture>[A-Za-z]\w*)\s*,\s*(?P<title>[A-Za-z]\w*)\s*\)\s*\Z", re.M | re.A
)
# Macros of test libraries that begin a member of a fixture, which another file may declare.
_CASE = r"(?P<title>\"[^\"\n]+\"|[A-Za-z]\w*)"
_FIXTURE = r"(?P<fixture>[A-Za-z_][\w:]*)"
_REST = r"\s*(?:,[^;{}]*)?\)\s*\Z"
_FIXTURE_HEADS = [
    re.compile(f"^[ \\t]*{head}{_REST}".encode(), re.M | re.A)
    for head in (
        rf"(?P<macro>[A-Z][A-Z0-9_]*_(?:F|P|METHOD|FIXTURE)|TYPED_TEST)\(\s*{_FIXTURE}\s*,\s*{_CASE}",
        rf"(?P<macro>BOOST_FIXTURE_TEST_CASE)\(\s*{_CASE}\s*,\s*{_FIXTURE}",
    )
]
# Macros that begin a test of no fixture, titled by its suite and its name, or by a text.
_TEST_HEAD = re.compile(
    rb"^[ \t]*(?:[A-Z0-9]+_)*TEST(?:_[A-Z0-9]+)*\(\s*"
    rb"(?P<title>[A-Za-z]\w*\s*,\s*[A-Za-z]\w*\s*\)|\"[^\"\n]+\"" + _REST.encode() + rb")\s*\Z",
    re.M | re.A,
)


def declare_in_fixture(walk: CaptureWalk, node: Node) -> bool:
    """Declare the class member that the macro before a body defines; return False if it defines none."""
    start = node.start_byte
    heads = [one.search(walk.text, max(0, start - MAX_HEAD_BYTES), start) for one in _FIXTURE_HEADS]
    head = next(filter(None, heads), None)
    found = head or _MEMBER_HEAD.search(walk.text, max(0, start - MAX_HEAD_BYTES), start)
    if found is None:
        return False
    *outer, owner = found["fixture"].decode().split("::")
    at, row = found.start("fixture"), node.start_point.row - walk.text.count(b"\n", found.start(), start)
    parent = walk.types_by_name.get(owner)
    if parent is None and head is not None:
        parent = _extend(walk, node, owner, at, ".".join(outer), row)
    if parent is None:
        return False
    walk.refer_at(ReferenceRole.TYPE, owner, at, ".".join(outer))
    title = found["title"].decode("utf-8", "replace").strip('"')
    macro = "" if head is None else head["macro"].decode()
    walk.declare(node, title, SymbolKind.METHOD, Head(return_type=macro), parent=parent, extent=Extent(row))
    return True


def declare_test(walk: CaptureWalk, node: Node) -> bool:
    """Declare the test without a fixture that a macro before a body begins; return False if none does."""
    start = node.start_byte
    head = _TEST_HEAD.search(walk.text, max(0, start - MAX_HEAD_BYTES), start)
    if head is None:
        return False
    written = head["title"].decode("utf-8", "replace")
    title = written.split('"')[1] if written[0] == '"' else ".".join(re.findall(r"\w+", written))
    row = node.start_point.row - walk.text.count(b"\n", head.start("title"), start)
    walk.declare(node, title, SymbolKind.FUNCTION, extent=Extent(row))
    return True


def _extend(walk: CaptureWalk, node: Node, owner: str, at: int, outer: str, row: int) -> int:
    """Declare an extension of a class of another file, and return its ordinal: the parent of its members."""
    parent = walk.declare(node, owner, SymbolKind.EXTENSION, opens=False, extent=Extent(row))
    walk.types_by_name[owner] = parent
    walk.scopes.append(OpenScope(node.end_byte, parent, SymbolKind.EXTENSION, owner))
    walk.refer_at(ReferenceRole.EXTEND, owner, at, outer)
    walk.scopes.pop()
    return parent
