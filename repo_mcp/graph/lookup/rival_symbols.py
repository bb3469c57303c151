"""Several symbols of one name, of which some are never named from outside: those do not compete.

    import read = files.read             another name for what is declared elsewhere, and so are its uses
    const read = (() => {function read   the inner one is seen only inside the outer
    TRACE_EVENT(read, ...)               an event of C, which code names by functions such as trace_read
    testdata/read.go                     a file of Go that no build has

A value competes with what can be called if something calls it: `export const read = makeRead()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.prototypes import WITH_HEADERS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag, SymbolKind

MAX_ASKED = 10  # values of one name of which it is asked whether something calls them
_SCRIPTS = frozenset({"typescript", "javascript"})
_HELD = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_LOCAL = frozenset({SymbolKind.FUNCTION, SymbolKind.COMPONENT})  # unlike members, when in one of these:
_AROUND = _HELD | CALLABLE_KINDS


def is_import_alias(node: Node) -> bool:
    """Return whether a symbol is the name in `import A = B.C`."""
    is_alias = node.symbol.kind is SymbolKind.TYPE and bool(node.symbol.flags & SymbolFlag.FORWARD)
    return is_alias and node.language in _SCRIPTS


def drop_hidden(nodes: Sequence[Node]) -> list[Node]:
    """Return symbols of one name without import aliases and events of C, and without functions inside another
    of them.

    If there are no others, they are kept.
    """
    if len(nodes) < 2:
        return list(nodes)
    outer = {(one.path, one.symbol.ordinal) for one in nodes if one.symbol.kind in _AROUND}
    seen = [
        one for one in nodes if not (one.symbol.kind in _LOCAL and (one.path, one.symbol.parent) in outer)
    ]
    return [one for one in seen if not is_import_alias(one) and not _is_event(one)] or seen


def drop_left_out(nodes: Sequence[Node], is_left_out: Callable[[str], bool]) -> list[Node]:
    """Return symbols of one name without those in files that no build has; if there are no others, all."""
    built = [one for one in nodes if not is_left_out(one.path)] if len(nodes) > 1 else []
    return built or list(nodes)


def _is_event(node: Node) -> bool:
    return node.symbol.kind is SymbolKind.EVENT and node.language in WITH_HEADERS


def keep_likely(
    nodes: Sequence[Node], likely: frozenset[SymbolKind], is_called: Callable[[Node], bool]
) -> list[Node]:
    """Return the symbols of the likely kinds; if functions are likely, the values that are called, too."""
    asked: list[Node] = []
    if likely >= CALLABLE_KINDS:
        asked = [one for one in nodes if one.symbol.kind in _HELD - likely][:MAX_ASKED]
    called = {one.declaration for one in asked if is_called(one)}
    return [one for one in nodes if one.symbol.kind in likely or one.declaration in called]
