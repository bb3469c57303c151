"""Name the errors that a line raises again: those that were caught around it, or kept in a variable. Pure.

catch (LockedException ex) {                GateException last = null;
    throw ex;                               ...
}                                           throw last;
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bundler.body import measure_indent
from repo_mcp.research.question.error_types import is_error_name
from repo_mcp.research.words.error_lines import LINE_CHARS

# A line that raises a variable, or what was caught around it.
_RAISES = re.compile(r"\s*+(?:raise|throw|rethrow)\b\s*+([A-Za-z_]\w*+)?\s*+(?:;|from\b|$)")
_CLAUSE = re.compile(r"\s*+[})\s]*+(?:catch|except|rescue)\b(.*)")
_TYPE = re.compile(r"\b(?:[A-Za-z_]\w*(?:\.|::))*([A-Z]\w*)\b")  # the last part of its name
_ANY = frozenset({"Exception", "Throwable", "BaseException", "StandardError", "Error"})  # says nothing


def name_held(lines: Sequence[str], first: int, at: int) -> list[str]:
    """Return the names of the errors that a line of a function raises without making one."""
    raised = _RAISES.match(lines[at - 1][:LINE_CHARS])
    if raised is None:
        return []
    clause = _find_clause(lines, first, at)
    if clause and (raised[1] is None or re.search(rf"\b{re.escape(raised[1])}\b", clause)):
        found = [name for name in _TYPE.findall(clause) if name != raised[1]]
    else:
        found = _list_declared(lines[first - 1 : at - 1], raised[1]) if raised[1] else []
    return [name for name in dict.fromkeys(found) if name not in _ANY]


def _find_clause(lines: Sequence[str], first: int, at: int) -> str:
    """Return what stands behind the word of the clause that catches around a line; "" for none."""
    indent = measure_indent(lines[at - 1])
    for number in range(at - 1, first - 1, -1):
        line = lines[number - 1][:LINE_CHARS]
        if line.strip() and measure_indent(line) < indent:
            indent = measure_indent(line)
            if clause := _CLAUSE.match(line):
                return clause[1]
    return ""


def _list_declared(lines: Sequence[str], name: str) -> list[str]:
    """Return the types of errors with which lines declare a variable: `GateException last = null`."""
    own = re.escape(name)
    declares = re.compile(rf"\b([A-Z]\w*)[?!]?\s+{own}\s*[=;,)]|\b{own}\s*:\s*([A-Z]\w*)")
    found = (one for line in lines for one in declares.finditer(line[:LINE_CHARS]))
    return [name for one in found if is_error_name(name := one[1] or one[2])]
