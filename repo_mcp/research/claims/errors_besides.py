"""Say which errors the comment on a function documents, and from which type several errors derive."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.errors.documented import Documented, list_documented
from repo_mcp.research.errors.made import iter_errors
from repo_mcp.research.findings.citing import cite, join_names
from repo_mcp.research.findings.first_sentences import list_above, list_inside
from repo_mcp.research.findings.locating import is_program, is_test_node
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.error_types import is_error
from repo_mcp.symbols.symbol_record import TYPE_KINDS

MOST_DOCUMENTED = 6  # errors of one function
MOST_DECLARED = 3  # declarations of one name that are read; just one may be a type
MOST_LEVELS = 3  # of bases above an error
LEAST_DERIVED = 2  # errors that derive from a type, if it is told
_ROOTS = frozenset({"Error", "Exception", "BaseException", "Throwable"})  # of all errors, also by other names
MAX_HEAD_LINES, MAX_HEAD_CHARS = 8, 1_600  # of a function in Java, up to its body
_THROWS = re.compile(r"\bthrows\s+([A-Z][\w., \n]*+)")  # in a head of Java
_PART = re.compile(r"[.:]+")


def describe_documented(state: ResearchState, named: Sequence[Finding]) -> str:
    """Return a sentence on the errors that the comments on some functions document; "" if none does."""
    told: list[str] = []
    known: set[str] = set()
    path = ""  # of the entry before: one of the same file has none
    for one in named:
        entries = [entry for entry in _read(state, one) if entry.name not in known]
        known.update(entry.name for entry in entries)
        for entry in entries[: MOST_DOCUMENTED - len(told)]:
            said = f' "{entry.said}"' if entry.said else ""
            place = f":{entry.line}" if one.path == path else f"{one.path}:{entry.line}"
            told.append(f"{entry.name}{said} ({place})")
            path = one.path
    documented = f"Documented: {join_names(told, MOST_DOCUMENTED)}." if told else ""
    return " ".join(filter(None, (documented, _describe_declared(state, named, known))))


def _describe_declared(state: ResearchState, named: Sequence[Finding], known: Collection[str]) -> str:
    """Return a sentence on the errors that the heads of functions in Java declare; "" if others tell them."""
    told: dict[str, str] = {}
    for one in named:
        lines = state.source.read_lines(one.path) if one.path.endswith(".java") else ()
        head = "\n".join(lines[one.start_line - 1 : min(one.start_line - 1 + MAX_HEAD_LINES, one.end_line)])
        thrown = _THROWS.search(re.split(r"[{;]", head[:MAX_HEAD_CHARS], maxsplit=1)[0])
        for name in thrown[1].split(",") if thrown is not None else ():
            if name.strip() not in known:
                told.setdefault(name.strip(), one.citation)
    return f"Declared: {join_names([f'{name} ({place})' for name, place in told.items()])}." if told else ""


def _read(state: ResearchState, one: Finding) -> list[Documented]:
    lines, comments = state.source.read_lines(one.path), state.source.read_comment_lines(one.path)
    numbers = list_inside(lines, comments, one.start_line) or list_above(lines, comments, one.start_line)
    return list_documented(lines, numbers)


def describe_bases(state: ResearchState, functions: Sequence[Finding]) -> str:
    """Return a sentence on the nearest declared type from which several errors of functions derive.

    What catches it catches them all. Return "" if there is none.
    """
    names = dict.fromkeys(
        _PART.split(name)[-1]
        for one in functions
        for _, found in iter_errors(state, one)
        for name, _ in found
    )
    derived: dict[Node, list[str]] = {}
    for name in filter(None, names):
        for base in _list_error_bases(state, name):
            derived.setdefault(base, []).append(name)
    shared = {base: own for base, own in derived.items() if len(own) >= LEAST_DERIVED}
    if not shared:
        return ""
    base = max(shared, key=lambda one: len(shared[one]))  # the nearest of equal ones
    others = [one for one in shared[base] if one != base.symbol.name]
    return f"{join_names(others)} derive from {base.symbol.name} ({cite(base)})." if len(others) > 1 else ""


def _list_error_bases(state: ResearchState, name: str) -> list[Node]:
    """Return the errors from which the type of a name derives, the nearest first; none if types share it."""
    declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARED))
    types = [node for node in declared if node.symbol.kind in TYPE_KINDS and not is_test_node(node)]
    if len(types) != 1:
        return []
    above: dict[Node, None] = {}
    level = types
    for _ in range(MOST_LEVELS):
        level = [base for one in level for base in list_bases(state, one) if base not in above]
        above.update(dict.fromkeys(level))
    read = state.source.read_lines
    own = [one for one in above if one.symbol.kind in TYPE_KINDS and one.symbol.name not in _ROOTS]
    return [one for one in own if is_program(one.path) and is_error(state.graph, one, read)]
