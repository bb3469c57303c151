"""Tell from which types one more of a kind may derive, and which members each of them leaves to it.

    class Sorter:                            class RatedSorter(Sorter):
        def sort(self, parcels):                 def sort(self, parcels): ...
            raise NotImplementedError            def rate(self, parcel):
                                                     raise NotImplementedError

One that derives from `Sorter` itself must define `sort`, one from `RatedSorter` `rate`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import find_filled, is_enumeration, list_inner_bases
from repo_mcp.research.kinds.derived_types import list_derived, list_program_derived
from repo_mcp.research.kinds.examples import list_kind
from repo_mcp.research.kinds.open_members import (
    is_required,
    list_open_members,
    list_overridable,
    list_settings,
)
from repo_mcp.symbols.symbol_record import DeclaredSymbol, SymbolFlag, SymbolKind
from repo_mcp.text.guessed_names import list_own_names

MOST_REQUIRED, MOST_SET, MOST_BESIDE = 6, 4, 3  # names of members


@dataclass(frozen=True, slots=True)
class BaseType:
    """A type from which one more of a kind may derive."""

    node: Node
    filled: Node  # the type whose members it has: itself, unless it has none of its own
    members: Sequence[DeclaredSymbol]  # of `filled`, which others override
    required: Sequence[str]  # the names of those that one which derives from it must define


@dataclass(frozen=True, slots=True)
class BaseTypes:
    """The types from which one more of a kind may derive, with the members that matter to it."""

    base: BaseType
    inner_ones: Sequence[BaseType]  # between the base and most of the kind
    kind: Sequence[Node]  # some that derive from the first of these, or from the base
    settings: Sequence[DeclaredSymbol]  # properties of the base that most of the kind set

    @property
    def own(self) -> BaseType:
        """Return the type from which most of the kind derive."""
        return self.inner_ones[0] if self.inner_ones else self.base

    @property
    def members(self) -> list[DeclaredSymbol]:
        """Return the members of the type from which most derive, then those of the base."""
        return [*self.own.members, *(self.base.members if self.inner_ones else ())]

    def list_names(self, state: ResearchState) -> set[str]:
        """Return the names of all members of these types."""
        types = (self.base.filled, self.own.filled)
        return {one.name for node in types for one in list_overridable(state, node)}

    def list_wanted(self, guesses: Sequence[str]) -> set[str]:
        """Return the names of the members that most of the kind must define, or else of those guessed."""
        guessed = {one.name for one in self.members}.intersection(list_own_names(guesses))
        return {*self.own.required} or guessed


def read_base_types(state: ResearchState, base: Node, noun: str) -> BaseTypes:
    """Return the types from which one more of a kind may derive."""
    inner_ones = list_inner_bases(state, base)
    kind = list_kind(state, inner_ones[0] if inner_ones else base, noun)
    first = _read(state, base, dict.fromkeys((*list_program_derived(state, base), *kind)))
    others = [_read(state, node, list_program_derived(state, node), first) for node in inner_ones]
    setting = (
        [] if is_enumeration(base) else list_settings(state, base, _list_deriving(state, base, inner_ones))
    )
    return BaseTypes(first, others, kind, setting)


def _list_deriving(state: ResearchState, base: Node, inner_ones: Sequence[Node]) -> Collection[Node]:
    """Return the types of the program that derive from a base or a type below it, or those of tests.

    Others are only named after the kind, and set what another base asks for.
    """
    own = dict.fromkeys(one for node in (base, *inner_ones) for one in list_program_derived(state, node))
    return own or list_derived(state, base)


def _read(state: ResearchState, node: Node, kind: Collection[Node], base: BaseType | None = None) -> BaseType:
    """Return a type with its members. What its own base requires, it requires unless it defines that."""
    filled = find_filled(state, node)
    members = list_open_members(state, filled, kind)
    above = (filled, *iter_open_bases(state, filled))
    required = [name for one in above for name in _list_required(state, one, members)]
    if filled.symbol.kind not in ABSTRACT_KINDS:
        required = _keep_defined(state, node, filled, required)
    elif not _is_filled(state, node):
        required = []
    defined = {one.name for one in list_overridable(state, filled)}
    required += [name for name in base.required if name not in defined] if base is not None else []
    return BaseType(node, filled, members, [*dict.fromkeys(required)])


def iter_open_bases(state: ResearchState, node: Node) -> Iterator[Node]:
    """Yield the interfaces that an interface includes."""
    if node.symbol.kind in ABSTRACT_KINDS:
        yield from (one for one in list_bases(state, node) if one.symbol.kind in ABSTRACT_KINDS)


def _is_filled(state: ResearchState, node: Node) -> bool:
    """Return False for an interface that others include and no type fills."""
    own = list_program_derived(state, node)
    return not own or any(one.symbol.kind not in ABSTRACT_KINDS for one in own)


def _keep_defined(state: ResearchState, node: Node, filled: Node, required: Sequence[str]) -> list[str]:
    """Return the members that are abstract or guessed, or defined by half of what derives from a type.

    What only raises may be needed by some, such as `incr` by stores that count.
    """
    sure = {one.name for one in list_overridable(state, filled) if one.flags & SymbolFlag.ABSTRACT}
    sure.update(list_own_names(state.request.guesses))
    own = [{one.name for one in list_overridable(state, one)} for one in list_program_derived(state, node)]
    counts = Counter(name for names in own for name in names)
    return [name for name in required if name in sure or 2 * counts[name] >= len(own)]


def _list_required(state: ResearchState, node: Node, members: Sequence[DeclaredSymbol]) -> list[str]:
    lines = state.source.read_lines(node.path)
    own = list_overridable(state, node)
    listed = members if any(one in own for one in members) else own
    return [one.name for one in listed if is_required(lines, node, one)]


def tell_members(types: BaseTypes) -> str:
    """Return sentences on what one more of a kind must define, what most set, and what others override."""
    told = {name for one in (types.base, *types.inner_ones) for name in one.required}
    methods = [one for one in types.members if one.kind is SymbolKind.METHOD] or types.members
    others = dict.fromkeys(
        one.name
        for one in methods
        if one.name not in told and not one.name.startswith("__")  # `__repr__`
    )
    sentences = [_tell_required(types)] if told else []
    if types.settings:
        sentences.append(f"Most set {join_names((one.name for one in types.settings), MOST_SET)}.")
    if others:
        also = " also" if told else ""
        sentences.append(
            f"Others{also} override {join_names(others, MOST_BESIDE if also else MOST_REQUIRED)}."
        )
    return " ".join(sentences)


def _tell_required(types: BaseTypes) -> str:
    """Return a sentence on the members that each must define, by the type from which it derives."""
    if not types.inner_ones:
        return f"You must define {join_names(types.base.required, MOST_REQUIRED)}."
    by_required: dict[tuple[str, ...], list[str]] = {}
    for one in (types.base, *types.inner_ones):
        itself = " itself" if one is types.base else ""
        by_required.setdefault(tuple(one.required), []).append(f"{one.node.symbol.name}{itself}")
    told = [
        (" or ".join(own), join_names(names, MOST_REQUIRED)) for names, own in by_required.items() if names
    ]
    (first, names), *rest = told
    parts = [f"What derives from {first} must define {names}"]
    return f"{'; '.join([*parts, *(f'what derives from {own}, {names}' for own, names in rest)])}."
