"""Classes that functions make: `class A extends Named(Aged(Base))`, or a variable with such a class.

A mixin is a function whose first parameter is a class, and that returns a class extending it. The rows of a
class or a variable name the mixins, the outermost one first, and then the class that is passed in. Left out
on purpose: classes that a mixin takes as a further argument, or in a list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import CALLED, SAME
from repo_mcp.languages.typescript.walk import ScriptWalk
from repo_mcp.symbols.model import UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MIXED = "&"  # the alias in rows of a class; before the name of a variable, or RESULT, in those of its value
MAX_MIXINS = 24  # nested calls of mixins
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")


def bind_base(walk: ScriptWalk, base: Node) -> None:
    """Record the base of a class if functions make it, or if it is a variable.

    A further row says that the base is the first parameter of the function around it, which then is a mixin.
    """
    if base.type == "call_expression":
        calls = _list_calls(walk, base)
    elif base.type == "identifier" and walk.is_bound(walk.read(base)):
        calls = [(walk.read(base), base.start_byte, SAME)]
    else:
        return
    _bind_calls(walk, calls, MIXED)
    given, start, _ = calls[-1] if calls else ("", 0, 0)
    if given and re.match(rf"\(\s*{re.escape(given)}\b", walk.entries[walk.entry.parent].parameters):
        walk.refer(ReferenceRole.BIND, UNKNOWN_TYPE, start, "", MIXED, SAME)


def bind_made_class(walk: ScriptWalk, name: str, value: Node) -> None:
    """Record the functions that make the class of a variable, if it may be a class."""
    calls = _list_calls(walk, value) if value.type == "call_expression" else []
    given = calls[-1][0].rpartition(".")[2] if calls else ""
    if given[:1].isupper():
        _bind_calls(walk, calls, MIXED + name)


def bind_made_result(walk: ScriptWalk, result: str, value: Node, ordinal: int) -> None:
    """Record the mixins that a function applies to a class that is passed to it, of any type."""
    calls = _list_calls(walk, value) if value.type == "call_expression" else []
    if not calls:
        return
    given = re.escape(calls[-1][0])
    if re.search(rf"[(\s]{given}: (?:[A-Z]\d?|T[A-Z]\w*)[,)]", walk.entries[ordinal].parameters):
        _bind_calls(walk, calls[:-1], MIXED + result, ordinal)


def _list_calls(walk: ScriptWalk, node: Node) -> list[tuple[str, int, int]]:
    """Return the chain of each function in nested calls, and that of the innermost argument.

    Each has its start, and the kind of its row. Returns nothing for other calls, and if a function is a
    parameter or a variable, of which no row is kept.
    """
    found: list[tuple[str, int, int]] = []
    inner: Node | None = node
    while inner is not None and inner.type == "call_expression" and len(found) < MAX_MIXINS:
        function, listed = inner.child_by_field_name("function"), inner.child_by_field_name("arguments")
        found.append((walk.read_chain(function), inner.start_byte, CALLED))
        arguments = listed.named_children if listed is not None else []
        inner = next((one for one in arguments if one.type != "comment"), None)
    if inner is None or any(walk.is_bound(chain.partition(".")[0]) for chain, _, _ in found):
        return []
    found.append((walk.read_chain(inner), inner.start_byte, SAME))
    return found if all(_DOTTED.fullmatch(chain) for chain, _, _ in found) else []


def _bind_calls(walk: ScriptWalk, calls: list[tuple[str, int, int]], alias: str, ordinal: int = -1) -> None:
    for chain, start, how in calls:
        qualifier, _, name = chain.rpartition(".")
        walk.refer(ReferenceRole.BIND, name, start, qualifier, alias, how, ordinal)
