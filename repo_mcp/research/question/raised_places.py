"""Read a question for the errors of one name that a type raises: "who throws LockedException in Gate?".

The type is a place in which lines count, and no owner of the error. Of a function, which may pass on what
others raise below it, all errors are told (named_forms.py).
"""

from __future__ import annotations

import re

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.records import Form, TakenAs
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.symbols.symbol_record import TYPE_KINDS

MAX_CHARS = 200  # of a question that is read so
_QUALIFIED = r"(?:[\w$]+(?:\.|::|\\))*[A-Z][\w$]*"
_ASKS = r"(?:Are|Can|Could|Do|Does|How|Is|May|What|When|Where|Which|Who|Why|Will|Would)\b"
_ERROR = rf"(?:an? |the |new )?`?(?P<error>(?!{_ASKS}){_QUALIFIED})(?:\(\))?`?"
_PLACE = rf"(?:the )?(?:class |type |struct |file )?`?(?P<place>{_QUALIFIED})(?![\w$(]|\.\w)`?"
_IN = r"(?:by|from|in|inside|of|within)"
_ASKED = (
    re.compile(rf"\b(?:throw|rais)(?:s|es?|ing)? {_ERROR} {_IN} {_PLACE}"),
    re.compile(rf"\b{_ERROR} (?:\w+ ){{0,2}}?(?:thrown|raised) (?:\w+ )?{_IN} {_PLACE}"),
    re.compile(
        rf"\b(?:do|does|can|could|in|inside|of|will|would) {_PLACE} (?:\w+ )?(?:throw|raise)s? {_ERROR}"
    ),
)


def find_raised_place(graph: Graph, query: str, folder: str) -> tuple[str, tuple[Node, ...]]:
    """Return the question for an error alone, and the types in which it is asked for; or the query alone."""
    if len(query) > MAX_CHARS:
        return query, ()
    asked = next((found for one in _ASKED if (found := one.search(query))), None)
    if asked is None:
        return query, ()
    place = Subjects(graph, folder).find(read_phrase(asked["place"]), Form.DEFINED)
    is_type = place.taken_as is TakenAs.DECLARED and all(one.symbol.kind in TYPE_KINDS for one in place.nodes)
    return (f"where is {asked['error']} raised?", place.nodes) if is_type else (query, ())


def lies_in(path: str, line: int, symbol: str, types: tuple[Node, ...]) -> bool:
    """Return True for a line in one of some types, or in a member that is declared outside of its type."""
    return any(
        (path == one.path and one.symbol.start_line <= line <= one.symbol.end_line)
        or symbol.startswith(f"{one.qualified_name}.")
        for one in types
    )
