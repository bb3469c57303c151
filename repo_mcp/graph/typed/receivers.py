"""The type of a receiver, the expression before a member: `this`, typed variables, fields, call results.

Each step of `a.b().c` looks up a member in the type so far and takes the declared type of that member. The
result is None if a step leads nowhere, and an external name if it leads out of the repository. A subclass
overrides what differs in one language.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope, list_type_parameters
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.overriding import list_results
from repo_mcp.graph.typed.receiver import Receiver, join_types, take_item
from repo_mcp.graph.typed.written_types import WrittenTypes
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import CAST, CAST_OUTER
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Binding, Reference, ReferenceRole

MAX_STEPS = 48  # of a chain, as of builders
MAX_OVERLOADS = 12  # of one name whose results are compared
CACHED_OVERLOADS = 5_000  # of a name in a type, known to return one type or not: 1 MB
MAX_DEPTH = 12  # of variables that have the types of other variables, possibly in a cycle


class ReceiverTypes(WrittenTypes):
    """Finds the types of receivers in files of one language, or of C and C++."""

    def __init__(self, lookup: NamedLookup) -> None:
        super().__init__(lookup)
        self._one_result: LruCache[tuple[tuple[Declaration, ...], Declaration | None], bool] = LruCache(
            CACHED_OVERLOADS
        )

    def find_receiver(self, scope: FileScope, ordinal: int, line: int, qualifier: str) -> Receiver | None:
        """Return the type of a qualifier, or None if it cannot be determined."""
        segments = qualifier.split(".")
        if len(segments) > MAX_STEPS or "?" in segments or self._lookup.depth >= MAX_DEPTH:
            return None
        with self._lookup.deepen():
            return self._follow(scope, ordinal, line, segments)

    def _follow(self, scope: FileScope, ordinal: int, line: int, segments: list[str]) -> Receiver | None:
        receiver, used = self._find_first(scope, ordinal, line, segments)
        return self._take_steps(receiver, segments[used:])

    def _take_steps(self, receiver: Receiver | None, segments: Sequence[str]) -> Receiver | None:
        """Return the type at the end of a chain; the external type at which it leaves the repository."""
        for segment in segments:
            if receiver is None:
                break
            if receiver.external:
                receiver = take_item(receiver)
                if segment != "[]":
                    return self._leave(receiver)
            else:
                receiver = self._take_step(receiver, segment)
        return receiver

    def _leave(self, receiver: Receiver) -> Receiver:
        """Return what stands for a member of an external type: that type."""
        return receiver

    def find_type_receiver(self, scope: FileScope, ordinal: int, chain: str) -> Receiver | None:
        """Return the type at the end of a chain that begins with a type; None for a list of items."""
        first, *steps = chain.split(".")
        return self._follow_type(self._find_type(scope, ordinal, (first,)), steps)

    def _follow_type(self, receiver: Receiver | None, steps: Sequence[str]) -> Receiver | None:
        for step in steps:
            if receiver is None or receiver.external or (step == "[]" and not receiver.is_items):
                return receiver if receiver and receiver.external else None
            receiver = self._take_step(receiver, step)
        if receiver is not None and receiver.is_items:  # a pointer, or an array initialised as one
            return None
        return receiver

    def find_pointee(self, receiver: Receiver) -> Receiver | None:
        """Return what a value points to, whose members it also has; None if it is no pointer."""
        return None

    # The first name

    def _find_first(
        self, scope: FileScope, ordinal: int, line: int, segments: list[str]
    ) -> tuple[Receiver | None, int]:
        """Return the type of the first segments, and their number."""
        rules = self._lookup.rules
        first = segments[0]
        if first.startswith(CAST):
            return self._find_type(scope, ordinal, tuple(first[1:].split(CAST_OUTER))), 1
        if first in rules.self_words or first in rules.super_words:
            is_base = first in rules.super_words
            return (self._find_super_type if is_base else self._find_self_type)(scope, ordinal), 1
        if not first.endswith("()"):
            binding = self._find_binding(scope, ordinal, line, first)
            if binding is not None:
                return self._find_variable_type(scope, binding), 1
            if first == "self":
                return None, 1
        return self._find_static(scope, ordinal, segments)

    def _find_super_type(self, scope: FileScope, ordinal: int) -> Receiver | None:
        """Return the bases of the type around a symbol: those of `super`."""
        own = self._find_self_type(scope, ordinal)
        if own is None:
            return None
        bases = tuple(base for one in own.types for base in self._lookup.list_bases(one))
        return Receiver(bases) if bases else Receiver(external="super")

    def _find_binding(self, scope: FileScope, ordinal: int, line: int, name: str) -> Reference | None:
        """Return the row that shows the type of a local variable on a line."""
        return scope.find_binding(ordinal, line, name)

    def _find_variable_type(self, scope: FileScope, binding: Reference) -> Receiver | None:
        """Return the type of a local variable."""
        ordinal, name, qualifier = binding.symbol, binding.name, binding.qualifier
        if binding.arguments == 1:
            if name == "[]":
                before = f"{qualifier}.[]"
                return self.find_receiver(scope, ordinal, binding.line - 1, before) if qualifier else None
            return self._find_call_result(scope, ordinal, binding)
        names = (*qualifier.split("."), name) if qualifier else (name,)
        if binding.arguments in {Binding.SAME, Binding.ITEM}:
            return self._find_type_of_value(scope, ordinal, binding, names)
        if binding.arguments >= Binding.UNPACKED:
            return self._find_unpacked(scope, ordinal, names, binding.arguments - Binding.UNPACKED)
        rows = scope.list_bindings(binding.symbol, binding.alias)
        beside = [one for one in rows if (one.line, one.arguments) == (binding.line, Binding.TYPE)]
        if len(beside) > 1:
            return self._find_all_bounds(scope, beside)
        return self._find_annotated(scope, binding, names)

    def _find_annotated(
        self, scope: FileScope, binding: Reference, names: tuple[str, ...]
    ) -> Receiver | None:
        """Return the written type of a local variable; a text with type arguments is read as a whole."""
        if "<" in binding.name:
            return self._read_text(Declaration(scope.path, binding.symbol), binding.dotted, None)
        return self._find_type(scope, binding.symbol, names, is_items=binding.arguments == Binding.ITEMS)

    def _find_type_of_value(
        self, scope: FileScope, ordinal: int, binding: Reference, names: tuple[str, ...]
    ) -> Receiver | None:
        """Return the type of a variable that is bound to a value, or to a part of one (uncertain)."""
        if len(names) > 1 and names[-2][:1].isupper():  # a field of a pattern
            made = self._find_path_type(scope, ordinal, names[:-1])
            found = self._take_step(made, names[-1]) if made is not None and not made.external else None
            return found if found is None else replace(found, is_certain=False)
        line = binding.line - (names[0].removesuffix("()") == binding.alias)
        found = self.find_receiver(scope, ordinal, line, ".".join(names))
        if found is None or binding.arguments == Binding.SAME:
            return found
        if found.external and not found.is_items:
            return None  # items of an external type may have any type
        return replace(self._take_item(found), is_certain=False)

    def _take_item(self, receiver: Receiver) -> Receiver:
        """Return the type of the item that a loop takes from a value."""
        return take_item(receiver)

    def _find_unpacked(
        self, scope: FileScope, ordinal: int, names: tuple[str, ...], position: int
    ) -> Receiver | None:
        """Return the type of the part at a position that a pattern takes from a value."""
        return None

    def _find_path_type(self, scope: FileScope, ordinal: int, names: tuple[str, ...]) -> Receiver | None:
        """Return the struct or the variant of an enum that a path names; it may begin with `Self`."""
        if names[0] not in self._lookup.rules.self_words or len(names) == 1:
            return self._find_type(scope, ordinal, names)
        own = self._find_self_type(scope, ordinal)
        for one in own.types if own is not None else ():
            found = self._lookup.find_members(one, names[-1], ReferenceRole.TYPE)
            if found:
                return Receiver(tuple(found))
        return None

    def _find_call_result(self, scope: FileScope, ordinal: int, binding: Reference) -> Receiver | None:
        """Return the type of a variable bound to the result of a call."""
        name, qualifier = binding.name, binding.qualifier
        if not qualifier:
            made, _ = self._find_static(scope, ordinal, [name + "()"])
            return made or self._find_static(scope, ordinal, [name])[0]
        line = binding.line - (qualifier.partition(".")[0].removesuffix("()") == binding.alias)
        return self.find_receiver(scope, ordinal, line, f"{qualifier}.{name}()")

    def _find_static(
        self, scope: FileScope, ordinal: int, segments: list[str]
    ) -> tuple[Receiver | None, int]:
        """Return the type of names that begin with no variable: of the longest path that is declared."""
        plain = 0
        while plain < len(segments) and segments[plain].isidentifier():
            plain += 1
        is_call = plain < len(segments) and segments[plain].endswith("()")
        if is_call:
            names = (*segments[:plain], segments[plain][:-2])
            receiver = self._find_value(scope, ordinal, names, ReferenceRole.CALL)
            if receiver is not None:
                return receiver, plain + 1
        for used in range(plain, 0, -1):
            receiver = self._find_value(scope, ordinal, tuple(segments[:used]), ReferenceRole.USE)
            if receiver is not None:
                return receiver, used
        return None, 1

    def _find_value(
        self, scope: FileScope, ordinal: int, names: tuple[str, ...], role: ReferenceRole
    ) -> Receiver | None:
        found = self._lookup.find_static(scope, ordinal, names, role)
        if not found.declarations and not found.external and self._may_name_type(scope, role):
            found = self._lookup.find_type(scope, ordinal, names)
        if found.external:
            return Receiver(external=found.external)
        chosen, is_one = self._choose_called(found.declarations, role)
        if not chosen or not self._is_value(chosen[0], role):
            return None
        receiver = self._find_type_of_members(chosen)
        return receiver if receiver is None or is_one else replace(receiver, is_certain=False)

    def _may_name_type(self, scope: FileScope, role: ReferenceRole) -> bool:
        """Return whether a chain may begin with the name of a type."""
        return True

    def _is_value(self, declaration: Declaration, role: ReferenceRole) -> bool:
        """Return whether a declaration can be meant by a name in an expression."""
        return True

    # Members

    def _take_step(self, receiver: Receiver, segment: str) -> Receiver | None:
        """Return the type of a member; it is no surer than the type of its owner."""
        found = self._find_item(receiver) if segment == "[]" else self._find_member(receiver, segment)
        return found if found is None or receiver.is_certain else replace(found, is_certain=False)

    def _find_item(self, receiver: Receiver) -> Receiver | None:
        """Return the type of `a[b]`."""
        if receiver.is_items:
            return take_item(receiver)
        return self._find_index(receiver) or Receiver(receiver.types, is_certain=receiver.is_certain)

    def _find_index(self, receiver: Receiver) -> Receiver | None:
        """Return the type of the items, if the receiver itself declares an index operator."""
        return None

    def _find_member(self, receiver: Receiver, segment: str) -> Receiver | None:
        if segment == "this":  # in Java, `Outer.this`
            return receiver
        name = segment.removesuffix("()")
        role = ReferenceRole.CALL if segment.endswith("()") else ReferenceRole.USE
        for one in receiver.types:
            scope = self._lookup.find_scope(one.path)
            if scope is None:
                continue
            members = [] if receiver.is_items else self._lookup.find_members(one, name, role, of_value=True)
            if not members and not receiver.is_items:
                members = self._lookup.find_members(one, name, role)
            if members:
                chosen, is_one = self._choose_called(members, role)
                is_one = is_one and self._is_nearest(one, members[0])
                found = self._find_type_of_members(chosen, receiver, one)
                return found if found is None or is_one else replace(found, is_certain=False)
            rules = self._lookup.rules
            if role is ReferenceRole.USE and rules.separates_fields and name != "await":
                continue  # wrappers have no fields
            if receiver.is_items and name in rules.item_getters:
                return take_item(receiver)
            if name in rules.transparent:
                return receiver
            if name in rules.projections or (receiver.is_items and name in rules.list_filters):
                return replace(receiver, is_certain=False)
        pointed = self.find_pointee(receiver)
        return self._find_member(pointed, segment) if pointed is not None else None

    def _choose_called(
        self, found: Sequence[Declaration], role: ReferenceRole
    ) -> tuple[Sequence[Declaration], bool]:
        """Return those of the declarations that a use may mean, and whether they have one type."""
        return found, True

    def _is_nearest(self, owner: Declaration, member: Declaration) -> bool:
        """Return False if an external type may give the owner a nearer member of that name."""
        return True

    def _have_one_result(self, members: tuple[Declaration, ...], owner: Declaration | None) -> bool:
        """Return whether all overloads return one type. This is kept, as chains ask for it often."""
        known = self._one_result.find((members, owner))
        if known is None:
            cuts = self._lookup.cuts
            known = len(list_results(self._lookup, members, owner)) == 1
            if cuts == self._lookup.cuts:
                self._one_result.put((members, owner), known)
        return known

    def _find_type_of_members(
        self,
        members: Sequence[Declaration],
        receiver: Receiver | None = None,
        owner: Declaration | None = None,
    ) -> Receiver | None:
        """Return the type of the first member; the types of all, uncertain, if overloads have different
        results.

        The same holds for variables between which a build chooses.
        """
        found = self._read_declared(members[0], receiver)
        if found is None or self._lookup.get_kind(members[0]) not in CALLABLE_KINDS:
            others = (self._read_declared(one, receiver) for one in members[1:])
            return join_types([found, *others]) if len(members) > 1 else found
        if self._have_one_result(tuple(members), owner):
            return found
        others = (self._read_declared(one, receiver) for one in members[1:MAX_OVERLOADS])
        joined = join_types([found, *others])
        return replace(joined, is_certain=False) if joined is not None else None

    def _give_arguments(
        self, at: Declaration, written: Sequence[str], found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        """Return a type of the repository together with its type arguments, which are read from texts."""
        other = self._lookup.find_scope(found.types[0].path) if found.types and not found.is_items else None
        if other is None or self._lookup.depth >= MAX_DEPTH:
            return found
        pairs = zip(list_type_parameters(other, found.types[0].ordinal), written, strict=False)
        with self._lookup.deepen():
            read = [(name, self._read_text(at, one, receiver)) for name, one in pairs]
        return replace(found, type_arguments=tuple((name, one) for name, one in read if one is not None))
