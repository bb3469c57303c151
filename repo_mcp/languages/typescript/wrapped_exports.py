"""The name in an exported call: `export default observer(Page)` exports the component `Page` of the file.

    export default memo(forwardRef(Page))         `Page`
    export default traced({ name })(move)         `move`
    export default throttled(move)                `move` in move.ts
    export default createStore(reduce)            none: what it makes is something else

A function that is no component counts if a call gives what wraps it, or if the file bears its name, or none:
`sum(add)` may be any value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.typescript.unnamed_exports import UNNAMED, name_unnamed
from repo_mcp.languages.typescript.walk import VALUE_WRAPPERS, ScriptWalk, skip_operators
from repo_mcp.symbols.symbol_record import SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_HEAD_BYTES = 400  # of a variable, up to the bracket in its value
MAX_WRAPPERS = 12  # calls around each other, or after each other
MAX_GIVEN = 20  # arguments of one of them
_MAKING = re.compile(r"(?:build|combine|configure|create|get|make|mount|render|run|start)(?![a-z])")
_COMPONENT = re.compile(r"[A-Z]\w*[a-z]\w*|[A-Z]")  # unlike a constant such as MAX_ITEMS
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.CLASS})
_WRAPPED = rb"\b%b\b[^\n]*?=\s*+[\w$.]++\s*+[(<`]"  # the value of a variable: `memo(...)`, styled.div`...`


def find_wrapped(walk: ScriptWalk, value: Node) -> Node | None:
    """Return the name of the one function, class or component of the file that a call wraps, or None."""
    for _ in range(MAX_WRAPPERS):
        if value.type != "call_expression" or _MAKING.match(_name_called(walk, value)):
            return None
        listed = value.child_by_field_name("arguments")
        given = listed.named_children if listed is not None and listed.type == "arguments" else []
        given = [
            one for each in given[:MAX_GIVEN] if (one := skip_operators(each, *VALUE_WRAPPERS)) is not None
        ]
        named = [one for one in given if one.type == "identifier" and _is_declared(walk, walk.read(one))]
        components = [one for one in named if _COMPONENT.fullmatch(walk.read(one))]
        if len(components) == 1:
            return components[0]
        if named:
            is_meant = _is_curried(value) or _is_named_so(walk, walk.read(named[0]))
            return named[0] if len(named) == 1 and is_meant else None
        calls = [one for one in given if one.type == "call_expression"]
        if len(calls) != 1:
            return None
        value = calls[0]
    return None


def _name_called(walk: ScriptWalk, call: Node) -> str:
    """Return the last name of what is called, in `a.connect(select)(Page)` "connect"."""
    for _ in range(MAX_WRAPPERS):
        called = call.child_by_field_name("function")
        if called is None or called.type != "call_expression":
            return walk.read_chain(called).rpartition(".")[2]
        call = called
    return ""


def _is_curried(call: Node) -> bool:
    called = call.child_by_field_name("function")
    return called is not None and called.type == "call_expression"


def _is_declared(walk: ScriptWalk, name: str) -> bool:
    """Return whether the file declares a function or class of a name, or wraps one as its value."""
    ordinal = walk.members.get((0, name), -1)
    if ordinal < 0:
        return name.encode() in walk.hoisted
    entry = walk.entries[ordinal]
    if entry.kind in _FUNCTIONS:
        return True
    is_value = entry.kind is SymbolKind.CONSTANT and _COMPONENT.fullmatch(name) is not None
    pattern = re.compile(_WRAPPED % re.escape(name.encode()))
    return is_value and pattern.search(walk.text, entry.start, entry.start + MAX_HEAD_BYTES) is not None


def _is_named_so(walk: ScriptWalk, name: str) -> bool:
    """Return whether importers may take a function for what its file is named after."""
    return name_unnamed(walk.entries[0].name, b"") in (name, UNNAMED)
