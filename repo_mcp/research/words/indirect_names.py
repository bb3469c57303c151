"""Find what a question names indirectly: by a verb and a noun, or as the kind of thing to be added.

"How do I register a custom lookup" is often answered by a function with the verb and the noun in its name,
`register_lookup`. A custom lookup also derives from a type named after the noun: `Lookup`, or
`IMessagePackFormatter` for a formatter. To add another of the kind, one copies an existing type, and names
the copy where the others are named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS, EdgeType, SymbolFilter
from repo_mcp.research.findings.locating import is_program, is_test_symbol
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import (
    Action,
    count_words,
    leave_out_form,
    list_words,
    names_action,
    names_kind,
    shares_word,
    spell_plural,
)
from repo_mcp.text.roles import is_side_file

MOST_ALIKE = 40  # symbols whose names are compared with the words
MOST_ACTIONS = 3  # that are shown
MANY_OTHERS = 2  # if a question has so many words beside its action, a declaration must have one of them
MOST_NAMED = 12  # declarations that fit by name; more say little about each
MOST_TAKING = 12  # functions that take a type; of more, none says where it belongs
LEAST_COMMON = 3  # types that derive from the base of a kind, where they show it
MOST_TYPES = 6  # types whose derived types are counted, interfaces and abstract ones first
GLANCE, LOOK = Bounds(files=20, references=40), Bounds(files=200, references=400)
OPEN_TYPES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
_OWN_PARTS = frozenset({SymbolKind.EXTENSION})  # with the name of a type, part of that type
_ABOVE = (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS)
_DOING = CALLABLE_KINDS - {SymbolKind.MACRO}  # a macro such as `COMMAND_ADD` names a thing
_REGISTERS = re.compile(r"_*(?:[Rr]egister|[Aa]dd|[Ii]nstall|[Uu]se|[Aa]ppend|[Pp]lug|[Dd]efine)(?![a-z])")
# What all kinds may be called.
_ANY_KIND = frozenset({"backend", "class", "implementation", "kind", "type", "variant"})
_FAILURE = re.compile(r"(?:Error|Exception)s?$")
VALUES = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.PROPERTY})
_ACTING = _DOING | VALUES


def find_actions(state: ResearchState, action: Action, *, is_described: bool) -> list[Node]:
    """Return the symbols named by the verb, the noun and at most one more word.

    The shortest names come first, functions before values.

    For a described action ("how is a password checked"), only the symbols with the most other words of the
    question in their path and name are returned; none if many symbols have no such word.
    """
    words = (action.verb, action.nouns[-1])
    texts = list_spellings(words) if is_described else [" ".join(words)]
    alike = [node for text in texts for node in _search(state, text)]
    fitting = [
        node
        for node in dict.fromkeys(alike)
        if node.symbol.kind in (_DOING if is_described else _ACTING)
        and names_action(node.symbol.name, action)
    ]
    if is_described:
        fitting = _keep_nearest(state, fitting, words)
    fitting.sort(
        key=lambda node: (
            count_words(node.symbol.name),
            node.symbol.kind not in CALLABLE_KINDS,
            node.symbol.start_line - node.symbol.end_line,
            node.path,
            node.symbol.start_line,
        )
    )
    return fitting[:MOST_ACTIONS]


def list_spellings(words: Sequence[str]) -> list[str]:
    """Return the stem of a verb and a noun as names may spell them: "change column" for "chang columns"."""
    verb, noun = words
    verbs = dict.fromkeys((verb, f"{verb[:-1]}y" if verb.endswith("i") else f"{verb}e"))
    nouns = dict.fromkeys((noun, noun.removesuffix("s")))
    return [f"{one} {other}" for one in verbs for other in nouns]


def _keep_nearest(state: ResearchState, nodes: Sequence[Node], words: Sequence[str]) -> list[Node]:
    """Return the symbols with the most words of the question, besides `words`, in their path and name.

    If none has any, return those whose lines have one, or no symbol if there are more than MOST_NAMED.
    """
    asked = list_words(leave_out_form(state.request.query))
    others = [word for word in asked if not shares_word(word, words)]
    near = [shares_word(f"{node.path} {node.qualified_name}", others) for node in nodes]
    most = max(near, default=0)
    if not most and len(nodes) > MOST_NAMED:
        return []
    if not most:  # `isRateLimited` says nothing of the attempts of a login
        return [node for node in nodes if _is_near(state, node, words, others)]
    return [node for node, count in zip(nodes, near, strict=True) if count == most]


def _is_near(state: ResearchState, node: Node, words: Sequence[str], others: Sequence[str]) -> bool:
    """Return True for a symbol whose lines have another word of the question, or that needs no such word.

    A name that is longer than `words` needs one even if the question has few: `check_csrf_middleware` checks
    no request.
    """
    least = MANY_OTHERS if count_words(node.symbol.name) <= len(words) else 1
    return len(others) < least or bool(shares_word("\n".join(read_body(state, node)), others))


def read_body(state: ResearchState, node: Node) -> Sequence[str]:
    """Return the lines of a symbol."""
    return state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]


def find_base(state: ResearchState, action: Action) -> Node | None:
    """Return the type named by the last nouns, or else the one with most derived types whose name ends so.

    Return None if no such type has derived types, is left open for them, or is an enumeration so named. What
    is deprecated is no base of anything new. A storage backend may be just a storage.
    """
    base = _find_base_of(state, action.nouns)
    if base is None and len(action.nouns) > 1 and action.nouns[-1] in _ANY_KIND:
        return _find_base_of(state, action.nouns[:-1])
    return base


def _find_base_of(state: ResearchState, nouns: Sequence[str]) -> Node | None:
    names = ["".join(map(str.capitalize, own)) for own in (nouns[-2:], nouns[-1:])]
    names = list(dict.fromkeys(names))
    for name in names:
        named = [node for node in _search_types(state, name) if _join(node.symbol.name) == name.lower()]
        if len(named) > MOST_TYPES:
            return _find_common_base(state, named)
        for node in named:
            if is_enumeration(node) or is_left_open(node) or list_derived(state, node):
                return node
    for name in names:
        # Interfaces are searched for separately, because more classes than interfaces have the noun.
        types = [node for kind in ("interface", None) for node in _search_types(state, f"*{name}", kind)]
        compared = sorted(dict.fromkeys(types), key=lambda node: not is_left_open(node))[:MOST_TYPES]
        counts = [(_count_derived(state, node), node) for node in compared]
        most, best = max(counts, key=lambda one: one[0], default=((0, 0), None))
        common = _find_common_base(state, types, LEAST_COMMON) if most[1] < LEAST_COMMON else None
        if common is not None and _count_derived(state, common) >= most:
            return common
        if most[1]:
            return best
    return None


def _find_common_base(state: ResearchState, named: Sequence[Node], least: int = 1) -> Node | None:
    """Return the type from which most types of one name derive, and at least so many; None without one."""
    bases: Counter[Declaration] = Counter()
    for node in named[:MOST_ALIKE]:
        state.check()
        bases.update({edge.other for edge in state.graph.find_outgoing(node, _ABOVE, GLANCE).edges})
    found = max(bases, key=lambda one: (bases[one], one.path, one.ordinal), default=None)
    return state.get_node(found) if found is not None and bases[found] >= least else None


def list_derived(state: ResearchState, node: Node) -> list[Node]:
    """Return some of the types that derive from a type. An `impl` of the type itself does not.

    A type that is left open is looked for in more files if none is near: it may be used in many places.
    """
    state.check()
    edges = state.graph.find_incoming(node, IMPLEMENTATIONS, GLANCE)
    if edges.cut and not edges.edges and is_left_open(node):
        edges = state.graph.find_incoming(node, IMPLEMENTATIONS, LOOK)
    found = (state.get_node(edge.other) for edge in edges.edges)
    return [one for one in found if one.symbol.name != node.symbol.name or one.symbol.kind not in _OWN_PARTS]


def _count_derived(state: ResearchState, node: Node) -> tuple[int, int]:
    """Return how many types derive from a type: those that are no interfaces themselves, and all."""
    derived = list_derived(state, node)
    return sum(one.symbol.kind not in OPEN_TYPES for one in derived), len(derived)


def is_left_open(node: Node) -> bool:
    """Return True for an interface, a trait or an abstract class."""
    return node.symbol.kind in OPEN_TYPES or bool(node.symbol.flags & SymbolFlag.ABSTRACT)


def _search(state: ResearchState, query: str, kind: str | None = None) -> list[Node]:
    """Return the symbols of the program, of a kind or of all, whose names fit a query best."""
    state.check()
    return [
        node
        for node, _ in state.graph.search(query, SymbolFilter(kind), MOST_ALIKE)
        if may_answer(node.path) and state.admits(node.path) and not is_test_symbol(node)
    ]


def _search_types(state: ResearchState, query: str, kind: str | None = None) -> list[Node]:
    """Return the types that `_search` finds and that are not deprecated."""
    return [
        node
        for node in _search(state, query, kind)
        if node.symbol.kind in TYPE_KINDS and not _is_deprecated(node)
    ]


def _join(name: str) -> str:
    """Return a name as one word: a content view may be a `ContentView`, `Contentview` or `content_view`."""
    return name.replace("_", "").lower()


def is_compound(node: Node, nouns: Sequence[str]) -> bool:
    """Return True for a type that is named by more than one of the nouns of a kind."""
    name = node.symbol.name
    return shares_word(name, nouns) > 1 or (len(nouns) > 1 and _join(name) == "".join(nouns[-2:]))


def find_telling_noun(action: Action) -> str:
    """Return the last noun of an action, or the one before if all kinds are called so, such as "backend"."""
    return next((noun for noun in reversed(action.nouns) if noun not in _ANY_KIND), action.nouns[-1])


def may_answer(path: str) -> bool:
    """Return True for a file of the program that is no example or the like."""
    return is_program(path) and not is_side_file(path)


def is_enumeration(node: Node) -> bool:
    """Return True for a type whose kinds are its own members."""
    return node.symbol.kind is SymbolKind.ENUM


def find_inner_base(state: ResearchState, base: Node) -> Node | None:
    """Return the abstract type below a base from which more types derive than from the base; None if none."""
    own = _list_own_derived(state, base)
    counts = [(len(_list_own_derived(state, node)), node) for node in own[:MOST_TYPES] if is_left_open(node)]
    most, inner = max(counts, key=lambda one: one[0], default=(0, None))
    return inner if most > len(own) else None


MODEL_LINES = 6  # a shorter type does not show how one of the kind is written
MOST_MODELS = 8  # types of a kind whose uses are looked at
LEAST_LISTED = 3  # a place lists a kind if it names at least this many of its types


def find_tables(state: ResearchState, nouns: Sequence[str]) -> list[Node]:
    """Return the constants that are named after all of a kind, such as `ALL_MODULES`."""
    return [
        node
        for node in _search(state, spell_plural(nouns[-1]))
        if node.symbol.kind in VALUES and names_kind(node.symbol.name, nouns)
    ]


def find_model(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest type of a kind with at least MODEL_LINES lines; None if there is none.

    A type from which others derive is itself a base. If all that derive from the base are, one of the next
    level is returned.
    """
    level = _list_own_derived(state, base)[:MOST_MODELS]
    for _ in range(2):
        below = {node: _list_own_derived(state, node)[:MOST_MODELS] for node in level}
        fitting = [node for node, own in below.items() if not own and _is_model(node)]
        if fitting:
            return min(fitting, key=lambda node: (_count_lines(node), node.path, node.symbol.start_line))
        level = [node for own in below.values() for node in own]
    return None


def _is_model(node: Node) -> bool:
    return _count_lines(node) >= MODEL_LINES and not is_left_open(node)


def find_listing(state: ResearchState, base: Node) -> tuple[Node, int] | None:
    """Return the declaration that names most of a kind, as a registry does, and how many it names.

    These are the types derived from the base, or the members of an enumeration. Return None if none names
    LEAST_LISTED of them.
    """
    met: Counter[Declaration] = Counter()
    own = (_list_members if is_enumeration(base) else _list_own_derived)(state, base)[:MOST_MODELS]
    known = {base.declaration, *(node.declaration for node in own)}
    for node in own:
        state.check()
        found = state.graph.find_incoming(node, (*CALLS, EdgeType.REFERENCES), GLANCE).edges
        met.update({edge.other for edge in found if edge.confidence is not Confidence.POSSIBLE})
    listing = {
        one: count
        for one, count in met.items()
        if one not in known and count >= LEAST_LISTED and may_answer(one.path) and state.admits(one.path)
    }
    order = sorted(listing, key=lambda one: (one.path, one.ordinal), reverse=True)
    best = max(order, key=lambda one: (listing[one], bool(one.ordinal)), default=None)
    return None if best is None else (state.get_node(best), listing[best])


def find_registering(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest function that takes the type and has a name like `register`; None without one.

    If none takes it, return one named after both: `RegisterParcelSorter`, which takes what makes a sorter.
    """
    nodes = _list_taking(state, base)
    fitting = [
        node
        for node in nodes
        if node.symbol.kind in _DOING
        and _is_offered(node, base)
        and _may_register(node.symbol.name, base.symbol.name)
    ] or [
        node
        for node in _search(state, base.symbol.name)
        if node.symbol.kind in _DOING
        and not _is_deprecated(node)
        and _registers_kind(node.symbol.name, base.symbol.name)
    ]
    return min(
        fitting,
        key=lambda node: (
            "register" not in node.symbol.name.lower(),
            _count_lines(node),
            node.path,
            node.symbol.start_line,
        ),
        default=None,
    )


def find_taking(state: ResearchState, base: Node) -> Node | None:
    """Return the shortest constructor that others can call and that takes the type; None without one.

    An error made of one does nothing with it. What many functions take belongs to none of them.
    """
    nodes = _list_taking(state, base)
    fitting = [
        node
        for node in nodes
        if node.symbol.kind is SymbolKind.CONSTRUCTOR
        and node.symbol.flags & SymbolFlag.PUBLIC_API
        and not _FAILURE.search(node.qualified_name.split(".")[-2:][0])
    ]
    if len(nodes) > MOST_TAKING:
        return None
    order = (_count_lines(node) for node in fitting)
    return min(zip(order, fitting, strict=True), key=lambda one: (one[0], one[1].path), default=(0, None))[1]


def _list_taking(state: ResearchState, base: Node) -> list[Node]:
    """Return some functions of the program that take a type and are not deprecated."""
    edges = state.graph.find_incoming(base, (EdgeType.ACCEPTS,), GLANCE).edges
    nodes = [state.get_node(edge.other) for edge in edges if may_answer(edge.other.path)]
    return [node for node in nodes if not _is_deprecated(node)]


def _is_deprecated(node: Node) -> bool:
    return bool(node.symbol.flags & SymbolFlag.DEPRECATED)


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
    """Return True for a verb such as `register` with the whole name of a kind, which has several words."""
    verb = _REGISTERS.match(name)
    rest = "" if verb is None else name[verb.end() :]
    return _join(rest) == _join(kind) and count_words(kind) > 1


def _list_own_derived(state: ResearchState, base: Node) -> list[Node]:
    return [
        node
        for node in list_derived(state, base)
        if may_answer(node.path) and state.admits(node.path) and not is_test_symbol(node)
    ]


def _list_members(state: ResearchState, base: Node) -> list[Node]:
    record = state.graph.scan.find_record(base.path)
    ordinals = [] if record is None else record.list_children(base.symbol.ordinal)
    nodes = [state.get_node(Declaration(base.path, ordinal)) for ordinal in ordinals]
    return [node for node in nodes if node.symbol.kind is SymbolKind.ENUM_MEMBER]


def _count_lines(node: Node) -> int:
    return node.symbol.end_line - node.symbol.start_line + 1
