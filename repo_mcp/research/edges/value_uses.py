"""Rank the uses of a value by what their lines do with it: what a change of the value breaks comes first.

A comparison, an assertion or a condition depends on how large a value is. A declaration that only gives it
another name, or a function of one statement that returns it, passes it on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.citing import join_names, shorten
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.citations import write_citation

TESTS, USES, PASSES_ON = 0, 1, 2
MOST_TESTS = 5  # lines named
LINE_CHARS = 400  # read of a line, so that none takes long
ACCESSOR_LINES = 4  # of a declaration that has room for one statement at most
_VALUES = VALUES | {SymbolKind.ENUM_MEMBER, SymbolKind.MACRO}
_COMPARES = r"(?:[=!]==?|[<>]=|<=>|\s[<>]\s)"
_MEMBER = r"\(?(?:\w+(?:\.|::|->))*"  # what may stand before the name
# Words before it in a line that tests; behind a question mark it is only what the condition chooses.
_WORDS = (
    r"\b(?:(?:if|elif|elsif|unless|while|until|switch|case|guard|when)\b"
    r"|(?:\w*assert|require|ensure|check|expect|verify|precondition)\w*!?[\s(])[^?]*"
)


def describe_tests_of_value(state: ResearchState, subjects: Sequence[Node]) -> str:
    """Return a sentence on what compares or asserts a value that a subject gives another name; "" for none.

    The name is the value's for those who use it, so that their conditions depend on the subject.
    """
    own = {node.declaration for node in subjects}
    names = {one.source for one in state.links.values() if one.target in own} - own
    places: dict[str, list[str]] = {}  # by the other name
    for link in state.links.values():
        target, source = state.nodes.get(link.target), state.nodes.get(link.source)
        if target is None or source is None or link.kind != "references" or is_test_node(source):
            continue
        if link.target in names and (line := _find_test(state, link)):
            cited = f"{shorten(source.qualified_name)} ({write_citation(source.path, line, line)})"
            places.setdefault(shorten(target.qualified_name), []).append(cited)
    return "".join(
        f" Through {name}, it is tested in {join_names(found, MOST_TESTS)}." for name, found in places.items()
    )


def rank_use(state: ResearchState, link: Link) -> int:
    """Return TESTS if a line of use compares or asserts, PASSES_ON for an accessor or alias, else USES.

    What is used must be a value: a type or function is not compared.
    """
    if state.get_node(link.target).symbol.kind not in _VALUES or _find_test(state, link):
        return TESTS
    symbol = state.get_node(link.source).symbol
    return PASSES_ON if symbol.end_line - symbol.start_line < ACCESSOR_LINES else USES


def _find_test(state: ResearchState, link: Link) -> int:
    """Return the first line of use that compares or asserts a value; 0 for none."""
    symbol = state.get_node(link.target).symbol
    if symbol.kind not in _VALUES:
        return 0
    name = rf"\b{re.escape(symbol.name)}\b"
    tests = re.compile(
        rf"{_COMPARES}\s*{_MEMBER}{name}|{name}\)?\s*{_COMPARES}|{_WORDS}{name}", re.IGNORECASE
    )
    lines = state.source.read_lines(link.source.path)
    return next((at for at in link.lines if at <= len(lines) and tests.search(lines[at - 1][:LINE_CHARS])), 0)
