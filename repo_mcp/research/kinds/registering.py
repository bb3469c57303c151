"""Find the functions that take types of a kind: one that registers them, or the constructor of their user."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import (
    DOING,
    count_lines,
    find_by_name,
    is_deprecated,
    is_left_out,
    read_body,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import is_enumeration, join_name
from repo_mcp.research.kinds.derived_types import GLANCE, LOOK
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import count_words, shares_word

MOST_TAKING = 12  # functions that take a type; of more, none says where it belongs
MOST_GUESSED = 3  # names after which a function may be called
_REGISTERS = re.compile(r"_*(?:[Rr]egister|[Aa]dd|[Ii]nstall|[Uu]se|[Aa]ppend|[Pp]lug|[Dd]efine)(?![a-z])")
_SETS = re.compile(r"_*[Ss]et(?![a-z])")
_LIST_OF = r"(?:\[\]|\.\.\.|\b\w*(?:Array|Collection|Iterable|List|Seq|Sequence|Set|Vec)[\[<])\s*+"
_FAILURE = re.compile(r"(?:Error|Exception)s?$")


def find_registering(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest function that takes the type and has a name like `register`; None without one.

    If none takes it, return one named after both, `RegisterParcelSorter`, which takes what makes a sorter, or
    after a guessed name: `setSorterFactory`. What sets a member of an enumeration registers none.
    """
    nodes = _list_taking(state, base)
    fitting = [
        node
        for node in nodes
        if node.symbol.kind in DOING
        and _is_offered(node, base)
        and _may_register(node.symbol.name, base.symbol.name)
    ]
    fitting = fitting or [
        node
        for kind in dict.fromkeys((base.symbol.name, *list_own_names(state.request.guesses)[:MOST_GUESSED]))
        for words in (kind, f"register {kind}", f"set {kind}")
        for node in find_by_name(state, words)
        if node.symbol.kind in DOING
        and not is_deprecated(node)
        and not is_left_out(state, node)
        and _registers_kind(node.symbol.name, kind)
        and not (is_enumeration(base) and _SETS.match(node.symbol.name))
    ]
    best = min(
        fitting,
        key=lambda node: (
            "register" not in node.symbol.name.lower(),
            count_lines(node),
            node.path,
            node.symbol.start_line,
        ),
        default=None,
    )
    return None if best is None else _find_working(state, best)


def _find_working(state: ResearchState, best: Node) -> Node:
    """Return a function, or the overload of it that does the work if the function only hands on to one."""
    name = best.symbol.name
    calls = re.compile(rf"\b{re.escape(name)}\s*+(?:<[^()]{{,200}}>\s*+)?\(")
    alike = [node for node in state.graph.outline(best.path) if node.qualified_name == best.qualified_name]
    bodies = {node: "\n".join(read_body(state, node)).partition(name)[2] for node in (best, *alike)}
    working = (node for node, body in bodies.items() if not (calls.search(body) or is_deprecated(node)))
    return next(working, best) if calls.search(bodies[best]) else best


def find_taking(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest function that others can call and that takes several of a type; else a constructor.

    The constructor takes one, and is no error's, which does nothing with it. Return None without either. What
    many functions take belongs to none of them.
    """
    nodes = _list_taking(state, base)
    offered = [one for one in nodes if one.symbol.kind in DOING and one.symbol.flags & SymbolFlag.PUBLIC_API]
    several = [one for one in offered if _takes_several(one, base)]
    if 0 < len(several) <= MOST_TAKING:
        return _find_working(state, min(several, key=lambda one: (count_lines(one), one.path)))
    fitting = [
        node
        for node in nodes
        if node.symbol.kind is SymbolKind.CONSTRUCTOR
        and node.symbol.flags & SymbolFlag.PUBLIC_API
        and not _FAILURE.search(node.qualified_name.split(".")[-2:][0])
    ]
    if len(nodes) > MOST_TAKING:
        return None
    order = (count_lines(node) for node in fitting)
    return min(zip(order, fitting, strict=True), key=lambda one: (one[0], one[1].path), default=(0, None))[1]


def _takes_several(node: Node, base: Node) -> bool:
    """Return True for a parameter that is a list of a type: `Sorter[]`, `...Sorter`, `Sequence[Sorter]`."""
    name = rf"(?:\w{{1,60}}\.)?{re.escape(base.symbol.name)}\b"
    return re.search(rf"{_LIST_OF}{name}|{name}(?:<\w*+>)?\??\[\]", node.symbol.parameters) is not None


def _list_taking(state: ResearchState, base: Node) -> list[Node]:
    """Return some functions of the program that take a type and are not deprecated.

    The type may have parameters, and a base of its name without any. Where no function near takes it, more
    files are searched. Its own constructors take one to copy it, and a function that is deleted takes none.
    """
    taken = (base, *(one for one in list_bases(state, base) if one.symbol.name == base.symbol.name))
    edges = _find_edges(state, taken, GLANCE) or _find_edges(state, taken, LOOK)
    nodes = [state.get_node(edge.other) for edge in edges if may_answer(edge.other.path)]
    return [
        node
        for node in nodes
        if not is_deprecated(node) and not is_left_out(state, node) and not _copies(node, base)
    ]


def _find_edges(state: ResearchState, types: Sequence[Node], bounds: Bounds) -> list[Edge]:
    found = (state.graph.find_incoming(one, (EdgeType.ACCEPTS,), bounds) for one in types)
    return [edge for own in found for edge in own.edges]


def _copies(node: Node, base: Node) -> bool:
    owner = node.qualified_name.rpartition(".")[0]
    return node.symbol.kind is SymbolKind.CONSTRUCTOR and owner == base.qualified_name


def _is_offered(node: Node, base: Node) -> bool:
    """Return True for what others can call, or is named after a kind; a private `defineDelay` is not."""
    return bool(node.symbol.flags & SymbolFlag.PUBLIC_API) or bool(
        shares_word(node.symbol.name, (base.symbol.name,))
    )


def _may_register(name: str, kind: str) -> bool:
    """Return True for a verb such as `register`; `UseServer` uses a server, whatever it takes besides."""
    verb = _REGISTERS.match(name)
    if verb is None:
        return False
    rest = name[verb.end() :].strip("_")
    is_use = verb[0].strip("_").lower() == "use"
    return not (is_use and rest) or not set(get_word_terms(rest)).isdisjoint(get_word_terms(kind))


def _registers_kind(name: str, kind: str) -> bool:
    """Return True for a verb such as `register` or `set` with the whole name of a kind.

    That has several words, or the verb is `register` itself: much is added that is of no kind.
    """
    verb = _REGISTERS.match(name) or _SETS.match(name)
    if verb is None or join_name(name[verb.end() :]) != join_name(kind):
        return False
    return count_words(kind) > 1 or verb[0].strip("_").lower() == "register"
