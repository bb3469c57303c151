"""Names in C and C++ macros and their arguments, which may mean something other than elsewhere.

`container_of(p, struct s, size)` names a member of a struct. In `POSIX(close(file))` the macro may stand for
`::close(file)`: a call in capitals is recorded as the alias of the calls in its arguments, and a macro that
puts something before a parameter is marked as PASTING. The namespace that `#define BEGIN namespace a {` opens
is recorded. Left out on purpose: names that are not called.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import NAMESPACE, OF_GIVEN_TYPE
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_ARGUMENT_BYTES = 200  # of the last arguments of a macro
MAX_BODY_BYTES = 4_000  # of a macro
MAX_ARGUMENTS = 20
_MEMBER = re.compile(rb"[(,]\s*(?:struct|union)\s+(\w+)\s*,\s*(\w+)(?:\.(\w+))?\s*\)")
_MACRO = re.compile(r"[A-Z][A-Z0-9_]+")
_PASTED = re.compile(rb"(?:::|\.|->|##)\s*(\w+)|(\w+)(?=\s*##)")
_OPENED = re.compile(rb"\s*(inline\s+)?namespace\s+(\w+(?:::\w+)*)\s*\{\s*")
_NAMESPACE = re.compile(rb"(?:%s){1,8}" % _OPENED.pattern)
_WITHOUT_COMMA = re.compile(rb",\s*##")  # `, ##__VA_ARGS__` drops the comma if there are no further arguments


def is_pasting(walk: CaptureWalk, body: Node, parameters: Collection[str]) -> bool:
    """Return whether a macro writes something before one of its parameters, or joins it with a word."""
    text = walk.text[body.start_byte : min(body.end_byte, body.start_byte + MAX_BODY_BYTES)]
    named = {one.encode() for one in parameters}
    found = _PASTED.finditer(_WITHOUT_COMMA.sub(b",", text)) if named else iter(())
    return any(one[1] in named or one[2] in named for one in found)


def bind_namespace(walk: CaptureWalk, body: Node) -> None:
    """Record the namespace that the body of a macro opens; inline namespaces do not count."""
    text = walk.text[body.start_byte : min(body.end_byte, body.start_byte + MAX_BODY_BYTES)]
    opened = _NAMESPACE.fullmatch(text.replace(b"\\\n", b" "))
    if opened is None:
        return
    found = _OPENED.finditer(opened[0])
    path = ".".join(one[2].decode("utf-8", "replace") for one in found if not one[1]).replace("::", ".")
    qualifier, _, name = path.rpartition(".")
    if name:
        walk.refer(ReferenceRole.BIND, name, body, qualifier, NAMESPACE, Binding.BOUND)


def read_macro_arguments(walk: CaptureWalk, name: str, arguments: Node | None) -> None:
    """Note the calls in the arguments of what may be the call of a macro."""
    if arguments is None:
        return
    _refer_member(walk, arguments)
    if _MACRO.fullmatch(name):
        for one in arguments.named_children[:MAX_ARGUMENTS]:
            called = one.child_by_field_name("function") if one.type == "call_expression" else None
            if called is not None and called.type == "identifier":
                walk.names_to_come[called.start_byte] = name


def _refer_member(walk: CaptureWalk, arguments: Node) -> None:
    """Add uses of the struct and of its member, if these are the last arguments."""
    start, end = max(arguments.start_byte, arguments.end_byte - MAX_ARGUMENT_BYTES), arguments.end_byte
    if walk.text.find(b"struct", start, end) < 0 and walk.text.find(b"union", start, end) < 0:
        return
    found = next((one for one in _MEMBER.finditer(walk.text, start, end) if one.end() == end), None)
    if found is None:
        return
    chain = found[1].decode("utf-8", "replace")
    walk.taken.add(found.start(1))
    walk.refer_at(ReferenceRole.TYPE, chain, found.start(1))
    for group in (2, 3):
        if found[group] is not None:
            name = found[group].decode("utf-8", "replace")
            walk.taken.add(found.start(group))
            walk.refer_at(ReferenceRole.USE, name, found.start(group), chain, OF_GIVEN_TYPE)
            chain = f"{chain}.{name}"
