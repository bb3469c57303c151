"""The types above and below a type, and the members that a member overrides there.

Every walk is breadth first, visits a type once and stops after MAX_TYPES, so inheritance cycles terminate.

Left out on purpose: which of these members a call may run (`dispatch.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import islice
from typing import Protocol

from repo_mcp.graph.go.method_sets import MethodSets
from repo_mcp.graph.hierarchy.namesakes import Namesakes, take_weaker
from repo_mcp.graph.hierarchy.override_rules import is_fixed
from repo_mcp.graph.hierarchy.overrides_by_name import OverridesByName
from repo_mcp.graph.hierarchy.structural_types import StructuralTypes
from repo_mcp.graph.importers import DEFAULT, Importers
from repo_mcp.graph.java.lookup import ROOT
from repo_mcp.graph.program import Confidence, Declaration, Program, Target
from repo_mcp.graph.prototypes import Prototypes
from repo_mcp.graph.python.protocols import LANGUAGES as PYTHON
from repo_mcp.graph.python.protocols import ProtocolShapes
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.typescript.modules import ModuleFinder
from repo_mcp.graph.typescript.shape_reader import LANGUAGES as SCRIPTS
from repo_mcp.graph.typescript.shape_reader import ScriptShapes
from repo_mcp.graph.vocabulary import BASES
from repo_mcp.languages.csharp.types import count_arity
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import (
    TYPE_KINDS,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    iter_around,
    list_aliases,
)

MAX_TYPES = 2_000  # visited in one walk
CACHED_TYPES = 50_000  # types in cached lists of derived types: 11 MB, twice
CACHED_ANSWERS = 5_000  # symbols in cached answers about interfaces, and members in those about overrides
MAX_FILES = 500  # scanned per name for derived types or partial declarations
# Members that one member overrides, and abstract members called in one symbol whose overrides are looked up.
MAX_MEMBERS = 40
ABSTRACT_KINDS = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
_Naming = tuple[str, SymbolRecord, set[str]]  # a file, and its own names for what is named
_Below = dict[Declaration, list[Target]]  # the types directly below each type, in order of path and line


class Structural(Protocol):
    """Finds types that satisfy interfaces without naming them.

    Each implementation serves some languages, and returns nothing for the types of others.
    """

    is_cut: bool  # a limit was reached since the caller last reset this

    def is_interface(self, declaration: Declaration) -> bool:
        """Return whether a symbol is an interface that types may satisfy without naming it."""

    def is_distinctive(self, interface: Declaration) -> bool:
        """Return False for an interface that requires too little to look for the types that satisfy it."""

    def list_satisfying(self, interface: Declaration) -> list[Target]:
        """Return the types that satisfy an interface."""

    def list_satisfied(self, owner: Declaration) -> list[Target]:
        """Return the interfaces that a type satisfies."""

    def list_implementing(self, method: Declaration) -> list[Target]:
        """Return the members that implement a method of an interface, in the types that satisfy it."""

    def list_implemented(self, method: Declaration) -> list[Target]:
        """Return the members of interfaces that a method implements, because its type satisfies them."""


class Hierarchy:
    """The type hierarchy of one program. Used by one call at a time."""

    def __init__(
        self, program: Program, resolvers: Resolvers, prototypes: Prototypes, importers: Importers
    ) -> None:
        self._program = program
        self._importers = importers
        self._resolvers = resolvers
        self._prototypes = prototypes
        scripts = partial(ScriptShapes, program, ModuleFinder(program))
        self._method_sets = MethodSets(program)
        self._structural: tuple[Structural, ...] = (
            self._method_sets,
            StructuralTypes(program, SCRIPTS, scripts),
            StructuralTypes(program, PYTHON, partial(ProtocolShapes, program)),
        )
        self._namesakes = Namesakes(program, self._method_sets, self.list_parts)
        self._by_name = OverridesByName(program, self._namesakes, self.list_bases)
        self.is_cut = False  # a limit was reached since the caller last reset this
        self._derived: LruCache[Declaration, tuple[list[Target], bool]] = LruCache(
            CACHED_TYPES, lambda found: 1 + len(found[0])
        )
        self._found_below: LruCache[Declaration, tuple[list[Target], bool]] = LruCache(
            CACHED_ANSWERS, lambda found: 1 + len(found[0])
        )
        self._satisfactions: LruCache[tuple[str, Declaration], tuple[list[Target], bool]] = LruCache(
            CACHED_ANSWERS, lambda found: 1 + len(found[0])
        )
        self._below: LruCache[str, tuple[_Below, bool]] = LruCache(
            CACHED_TYPES, lambda found: 1 + sum(map(len, found[0].values()))
        )

    def list_bases(self, declaration: Declaration) -> list[Target]:
        """Return the types directly above one, including the bases of its other partial declarations."""
        found: dict[Declaration, Confidence] = {}
        for part in self.list_parts(declaration):
            record = self._program.find_record(part.path)
            if record is None:
                continue
            for row in record.list_own_role(part.ordinal, *BASES):
                for target in self._resolvers.resolve(part.path, record, row).targets:
                    found.setdefault(target.declaration, target.confidence)
        return [Target(one, confidence) for one, confidence in found.items() if one != declaration]

    def list_derived(self, declaration: Declaration) -> list[Target]:
        """Return the types directly below one, by path and ordinal."""
        found, is_cut = self._derived.get(declaration, lambda: self._find_derived(declaration))
        self.is_cut = self.is_cut or is_cut
        return found

    def _find_derived(self, declaration: Declaration) -> tuple[list[Target], bool]:
        """Return the types directly below one, and whether a limit was reached."""
        own = self._program.find_record(declaration.path)
        if own is None:
            return [], False
        name, path = own.get_name(declaration.ordinal), declaration.path
        asked: dict[str, Callable[[], tuple[_Below, bool]]] = {}
        if name != DEFAULT:
            asked[name] = lambda: self._find_below(self._iter_naming(name))
        if int(own.flags[declaration.ordinal]) & SymbolFlag.DEFAULT_EXPORT:
            asked[f"./{path}"] = lambda: self._find_below(self._importers.iter_local_names(path))
        found: dict[Declaration, Confidence] = {}
        parts, is_cut = self.list_parts(declaration), False
        for key, find in asked.items():
            below, has_more = self._below.get(key, find)
            is_cut = is_cut or has_more
            for one in (each for part in parts for each in below.get(part, ())):
                found.setdefault(one.declaration, one.confidence)
        ordered = sorted(found, key=lambda one: (one.path, one.ordinal))
        return [Target(one, found[one]) for one in ordered], is_cut

    def _iter_naming(self, name: str) -> Iterator[_Naming]:
        """Yield the files that use a name, each with its own names for that."""
        for path in self._program.list_using(name):
            record = self._program.find_record(path)
            if record is not None:
                yield path, record, list_aliases(record, record.find_references(name)) | {name}

    def _find_below(self, naming: Iterator[_Naming]) -> tuple[_Below, bool]:
        """Return the types below each type that base lists name so, and whether a limit was reached.

        Types of one name, such as `Meta`, share these lists: they are read and resolved once for all of them.
        """
        below: _Below = {}
        for path, record, local in islice(naming, MAX_FILES):
            for row in sorted(row for one in local for row in record.list_named_role(one, *BASES)):
                owner = Declaration(path, int(record.ref_symbols[row]))
                for target in self._resolvers.resolve(path, record, row).targets:
                    made = [one for one, _ in self.list_marked(owner)]
                    below.setdefault(target.declaration, []).extend(
                        made or [Target(owner, target.confidence)]
                    )
        return below, next(naming, None) is not None

    def list_marked(self, macro: Declaration) -> list[tuple[Target, int]]:
        """Return the types that a macro of Swift is attached to, each with the line of the attribute.

        They are below the protocols that the macro names. Nothing for any other declaration.
        """
        record = self._program.find_record(macro.path)
        if record is None or record.get_kind(macro.ordinal) is not SymbolKind.MACRO:
            return []
        found = []
        for path in self._program.list_using(record.get_name(macro.ordinal))[:MAX_FILES]:
            other = self._program.find_record(path)
            rows = other.list_named_role(record.get_name(macro.ordinal), ReferenceRole.TYPE) if other else []
            for row in rows:
                assert other is not None
                owner = int(other.ref_symbols[row])
                meant = [one.declaration for one in self._resolvers.resolve(path, other, row).targets]
                if macro in meant and other.get_kind(owner) in TYPE_KINDS:
                    one = Target(Declaration(path, owner), Confidence.PROBABLE)
                    found.append((one, int(other.ref_lines[row])))
        return found

    def list_parts(self, declaration: Declaration) -> list[Declaration]:
        """Return all declarations of a `partial` type; any other symbol alone."""
        record = self._program.find_record(declaration.path)
        if record is None or not int(record.flags[declaration.ordinal]) & SymbolFlag.PARTIAL:
            return [declaration]
        symbol = record.get_symbol(declaration.ordinal)
        around = _name_around(record, declaration.ordinal)
        arity = count_arity(symbol.parameters)  # in C#, types of one name differ in it
        parts = []
        for path in self._program.list_declaring(symbol.name)[:MAX_FILES]:
            other = self._program.find_record(path)
            if other is None or self._program.find_language(path) != self._program.find_language(
                declaration.path
            ):
                continue
            for ordinal in other.find_symbols(symbol.name):
                same = other.kinds[ordinal] == symbol.kind and int(other.flags[ordinal]) & SymbolFlag.PARTIAL
                same = same and count_arity(other.strings[other.parameters[ordinal]]) == arity
                if same and _name_around(other, ordinal) == around:
                    parts.append(Declaration(path, ordinal))
        return parts

    def find_overridden(self, member: Declaration) -> list[Target]:
        """Return the members that a member overrides.

        These are the nearest ones in supertypes, further ones as long as the nearer are uncertain, and those
        of interfaces that its type satisfies.
        """
        found = self._find_namesakes(member, self._list_above, ends_at_match=True)
        found = [one for one in found if self._may_be_overridden(one.declaration)]
        return _add(found, self._ask("implemented", member, lambda one: one.list_implemented(member)))

    def find_overriding(self, member: Declaration) -> list[Target]:
        """Return the members of subtypes that override a member, and those of types that satisfy its
        interface.

        One that is declared in one place and defined in another is returned once, where it is defined.
        """
        if not self._may_be_overridden(member):
            return []
        found, is_cut = self._found_below.get(member, partial(self._find_below_owner, member))
        self.is_cut = self.is_cut or is_cut
        found = _add(found, self._list_in_all_classes(member))
        satisfying = self._ask("implementing", member, lambda one: one.list_implementing(member))
        found = _add(found, satisfying)
        is_go = self._program.find_language(member.path) == "go"
        for one in satisfying if not is_go else ():  # in Go, types that embed others are among these
            below = self._find_namesakes(one.declaration, self.list_derived, ends_at_match=False)
            found = _add(found, [Target(each.declaration, one.confidence) for each in below])
        return self._drop_prototypes(found)

    def _list_above(self, declaration: Declaration) -> list[Target]:
        """Return the types directly above one; in Java the root of all classes, if no other is declared."""
        found = self.list_bases(declaration)
        is_below_root = self._root is not None and declaration != self._root
        if found or not is_below_root or self._program.find_language(declaration.path) != "java":
            return found
        assert self._root is not None
        return [Target(self._root, Confidence.EXACT)]

    @cached_property
    def _root(self) -> Declaration | None:
        """Return the class above all others of Java, in a repository that declares it."""
        ending = f"{'/'.join(ROOT)}.java"
        for path in self._program.list_declaring(ROOT[-1]):
            record = self._program.find_record(path) if path.endswith(ending) else None
            if record is not None:
                return Declaration(path, record.find_symbols(ROOT[-1])[0])
        return None

    def _list_in_all_classes(self, member: Declaration) -> list[Target]:
        """Return the members of classes that override one of the root of all classes, by name alone."""
        record = self._program.find_record(member.path)
        if record is None or self._namesakes.find_owner(member) != self._root or self._root is None:
            return []
        like, found = record.get_symbol(member.ordinal), list[Target]()
        paths = [one for one in self._program.list_declaring(like.name) if one != member.path]
        for path in paths[:MAX_FILES]:
            other = self._program.find_record(path)
            if other is None or self._program.find_language(path) != "java":
                continue
            for ordinal in other.find_symbols(like.name):
                one, count = Declaration(path, ordinal), int(other.parameter_counts[ordinal])
                if count == like.parameter_count and self._namesakes.find_owner(one) is not None:
                    found += self._namesakes.keep_overriding(member, [one], is_above=False)
        self.is_cut = self.is_cut or len(paths) > MAX_FILES
        return found

    def _find_below_owner(self, member: Declaration) -> tuple[list[Target], bool]:
        """Return the members of subtypes that override a member, and whether a limit was reached.

        If more than MAX_FILES files name these types and may have some below them, the types that declare
        such a member are followed upwards instead.
        """
        read = 0

        def step(one: Declaration) -> list[Target] | None:
            nonlocal read
            record = self._program.find_record(one.path)
            read += 0 if record is None else len(self._program.list_using(record.get_name(one.ordinal)))
            return self.list_derived(one) if read <= MAX_FILES else None

        is_cut, self.is_cut = self.is_cut, False
        found = self._find_namesakes(member, step, ends_at_match=False)
        if self.is_cut:
            self.is_cut = False
            by_name = self._find_by_name(member)
            if by_name is None:
                by_name = self._find_namesakes(member, self.list_derived, ends_at_match=False)
            found = by_name
        was_cut, self.is_cut = self.is_cut, is_cut
        return found, was_cut

    def _find_by_name(self, member: Declaration) -> list[Target] | None:
        """Return the members of subtypes that override a member; None if too many files declare its name."""
        owner = self._namesakes.find_owner(member)
        if owner is None:
            return []
        found = self._by_name.find(member, owner, self._list_extended(owner))
        self.is_cut, self._by_name.is_cut = self.is_cut or self._by_name.is_cut, False
        return found

    def _drop_prototypes(self, found: list[Target]) -> list[Target]:
        """Return the members without the prototypes of others among them."""
        declared = {one.declaration for one in found}
        definitions = self._prototypes.list_definitions
        return [one for one in found if declared.isdisjoint(definitions(one.declaration))]

    def _may_be_overridden(self, member: Declaration) -> bool:
        """Return False for a static or private method of Java, and for one of a struct of Go: a type that
        embeds the struct only hides it."""
        record, language = self._program.find_record(member.path), self._program.find_language(member.path)
        if record is not None and language == "java":
            return not is_fixed(record.get_symbol(member.ordinal))
        if record is None or language != "go":
            return True
        return int(record.kinds[record.get_parent(member.ordinal)]) in ABSTRACT_KINDS

    def list_satisfied(self, declaration: Declaration) -> list[Target]:
        """Return the interfaces that a type satisfies by its members alone, without naming them."""
        return self._ask("satisfied", declaration, lambda one: one.list_satisfied(declaration))

    def list_satisfying(self, declaration: Declaration) -> list[Target]:
        """Return the types that satisfy an interface by their members alone."""
        return self._ask("satisfying", declaration, lambda one: one.list_satisfying(declaration))

    def is_interface(self, declaration: Declaration) -> bool:
        """Return whether a symbol is an interface that types may satisfy without naming it."""
        return any(one.is_interface(declaration) for one in self._structural)

    def is_distinctive(self, interface: Declaration) -> bool:
        """Return False for an interface that requires too little to look for the types that satisfy it."""
        return all(one.is_distinctive(interface) for one in self._structural)

    def list_names(self, declaration: Declaration) -> list[Declaration]:
        """Return the other names under which a package of Go declares a type: its aliases, or their type."""
        return self._method_sets.list_names(declaration)

    def may_satisfy(self, owner: Declaration, interface: Declaration) -> bool:
        """Return False for a type of Go whose methods rule out an interface, although it embeds it."""
        return self._program.find_language(owner.path) != "go" or self._method_sets.satisfies(
            owner, interface
        )

    def _ask(
        self, asked: str, declaration: Declaration, question: Callable[[Structural], list[Target]]
    ) -> list[Target]:
        """Return the answers of all languages in which types satisfy interfaces without naming them.

        They are kept by what is `asked` of a declaration: for a method of Go, one takes 10 ms.
        """
        found, is_cut = self._satisfactions.get((asked, declaration), lambda: self._ask_all(question))
        self.is_cut = self.is_cut or is_cut
        return found

    def _ask_all(self, question: Callable[[Structural], list[Target]]) -> tuple[list[Target], bool]:
        found, is_cut = [], False
        for one in self._structural:
            found += question(one)
            is_cut = is_cut or one.is_cut
            one.is_cut = False
        return found, is_cut

    def _find_namesakes(
        self, member: Declaration, step: Callable[[Declaration], list[Target] | None], *, ends_at_match: bool
    ) -> list[Target]:
        """Return the members with the name of one in the types to which steps lead; `is_cut` if one fails."""
        owner = self._namesakes.find_owner(member)
        if owner is None:
            return []
        record = self._program.find_record(member.path)
        assert record is not None
        symbol = record.get_symbol(member.ordinal)
        found: list[Target] = []
        waiting = deque(Target(one, Confidence.EXACT) for one in (owner, *self._list_extended(owner)))
        met = {one.declaration for one in waiting}
        while waiting and len(met) < MAX_TYPES:
            target = waiting.popleft()
            further = step(target.declaration)
            if further is None:
                self.is_cut = True
                return found
            for one in further:
                if one.declaration in met:
                    continue
                met.add(one.declaration)
                confidence = take_weaker(target.confidence, one.confidence)
                is_own = self._namesakes.are_one_type(owner, one.declaration)
                named = [] if is_own else self._namesakes.find_member(one.declaration, symbol)
                same = self._namesakes.keep_overriding(member, named, is_above=ends_at_match)
                found += [Target(each.declaration, take_weaker(confidence, each.confidence)) for each in same]
                is_end = any(each.confidence is not Confidence.POSSIBLE for each in same)
                if not (ends_at_match and is_end):
                    waiting.append(Target(one.declaration, confidence))
        self.is_cut = self.is_cut or bool(waiting)
        return found

    def _list_extended(self, owner: Declaration) -> list[Declaration]:
        """Return the class whose members an extension of C++ defines outside it, since others derive from
        that; empty for any other type."""
        record = self._program.find_record(owner.path)
        if record is None or record.get_kind(owner.ordinal) is not SymbolKind.EXTENSION:
            return []
        above = (one.declaration for one in self.list_bases(owner))
        return [one for one in above if self._namesakes.are_one_type(owner, one)]


def _add(found: list[Target], more: list[Target]) -> list[Target]:
    """Return `found`, followed by those of `more` that it lacks."""
    known = {one.declaration for one in found}
    return [*found, *(one for one in more if one.declaration not in known)]


def _name_around(record: SymbolRecord, ordinal: int) -> list[str]:
    """Return the names of the symbols around one, innermost first."""
    return [record.get_name(one) for one in iter_around(record, record.get_parent(ordinal)) if one]
