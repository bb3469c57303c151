"""Functions that a call which is a statement gets under a title, such as handlers of routes, and tests.

See `repo_mcp/titled_names.py`. Such a function is declared outside functions, in one that
is declared so itself unless that is a test, and anywhere if it is a test or answers at a path. All arguments
of the call belong to it; the called name is used by what is around the call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.languages.typescript.declarations import FUNCTION_VALUES
from repo_mcp.languages.typescript.walk import ScriptWalk, note_comment
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind
from repo_mcp.titled_names import TEST, find_called_name, find_test_kind, may_be_titled_anywhere, name_titled

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_BEFORE_TITLES = frozenset({"comment", "identifier", "member_expression"})
_FUNCTION = re.compile(rb"=>|function")


def on_titled(walk: ScriptWalk, node: Node) -> None:
    """Declare the function among the arguments of a call, if they begin with a title."""
    text, start, end = walk.text, node.start_byte, node.end_byte
    call = node.parent
    if call is None or _FUNCTION.search(text, start, end) is None:
        return
    arguments = node.named_children
    given = next((one for one in arguments if one.type in FUNCTION_VALUES), None)
    chain = _read_called(walk, call)
    name = name_titled(find_called_name(chain), _read_titles(walk, arguments))
    if given is None or not name or _says_all(walk, call, given):
        return
    is_outside = not walk.function or walk.function in walk.titled_scopes
    if not is_outside and not may_be_titled_anywhere(chain, name):
        return
    is_first = walk.entries[-1].start <= call.start_byte  # else a table of cases declares something
    begin = call.start_byte if is_first else start
    entry = walk.entries[walk.add_symbol(name, SymbolKind.FUNCTION, begin, end)]
    note_comment(walk, entry, begin)
    walk.read_signature(entry, given)
    entry.parameters = entry.parameters if entry.count else ""
    entry.type = ""
    if text.startswith(b"async", given.start_byte):
        entry.flags |= SymbolFlag.ASYNC
    walk.titled[given.start_byte] = find_test_kind(name) != TEST
    walk.open_last(end, is_local=walk.is_local)


def _read_titles(walk: ScriptWalk, arguments: list[Node]) -> list[str]:
    """Return the first literals among arguments, or those in a list, if only names stand before them."""
    titles: list[str] = []
    for one in arguments:
        if one.type in {"string", "template_string"}:
            titles.append(_read_literal(walk, one))
        elif one.type == "array" and not titles:
            return [_read_literal(walk, item) for item in one.named_children]
        elif titles or one.type not in _BEFORE_TITLES:
            break
    return titles


def _read_literal(walk: ScriptWalk, node: Node) -> str:
    """Return the text of a literal; "" for anything else, and for a template with substitutions."""
    is_literal = node.type == "string" or (
        node.type == "template_string" and all(one.type != "template_substitution" for one in node.children)
    )
    return walk.read(node)[1:-1].strip() if is_literal else ""


def _read_called(walk: ScriptWalk, call: Node) -> str:
    """Return the chain of a called function; that before a table of cases: `it.each(cases)(...)`."""
    function = call.child_by_field_name("function")
    if function is not None and function.type == "call_expression":
        function = function.child_by_field_name("function")
    if function is None or function.type not in {"identifier", "member_expression"}:
        return ""
    chain = walk.read_chain(function)
    return chain if chain != UNKNOWN else walk.read(function.child_by_field_name("property"))


def _says_all(walk: ScriptWalk, call: Node, given: Node) -> bool:
    """Return True for a statement of one line whose function calls nothing: that line says it all."""
    body = given.child_by_field_name("body")
    if body is None or call.start_point.row != call.end_point.row:
        return body is None
    return walk.text.find(b"(", body.start_byte, body.end_byte) < 0
