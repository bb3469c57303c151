"""The types of receivers in Java: unnamed classes, parameters of lambdas, and names of values."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.java.lambdas import (
    LambdaCall,
    make_call,
    read_lambda_call,
    read_lambda_parameter,
    read_parameter_at,
)
from repo_mcp.graph.java.lookup import JavaLookup
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope, list_type_parameters, split_name
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.receiver import Receiver, take_item
from repo_mcp.graph.typed.receivers import MAX_DEPTH, ReceiverTypes
from repo_mcp.languages.treesitter.type_names import TypeName
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import NEW, OF_PARAMETER, Binding, read_parameter
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Reference, ReferenceRole, SymbolKind

CACHED_TYPES = 20_000  # of declarations, each for one receiver: 5 MB
MAX_CALLED = 64  # overloads of one call whose parameters are read
# the receiver of an entry has the type of its value, so that of its key is not known
_KEY = "java.util.Map.Entry.getKey"
# methods of generics of libraries that return a value of the last type argument
_GIVING = frozenset({"apply", "call", "get", "getIfPresent", "getNow", "join", "orElseThrow"})


class JavaReceivers(ReceiverTypes):
    """Finds the types of receivers in files of Java."""

    own_bounds = True

    def __init__(self, lookup: NamedLookup) -> None:
        super().__init__(lookup)
        self._declared: LruCache[tuple[Declaration, Receiver | None, int], tuple[Receiver | None]] = LruCache(
            CACHED_TYPES
        )

    def _read_declared(self, declaration: Declaration, receiver: Receiver | None = None) -> Receiver | None:
        """Return the type that is written in a declaration; it is kept, as chains of builders ask again."""
        key = declaration, receiver, self._lookup.depth
        known = self._declared.find(key)
        if known is None:
            cuts = self._lookup.cuts
            known = (super()._read_declared(declaration, receiver),)
            if cuts == self._lookup.cuts:
                self._declared.put(key, known)
        return known[0]

    def _find_first(
        self, scope: FileScope, ordinal: int, line: int, segments: list[str]
    ) -> tuple[Receiver | None, int]:
        if segments[0].startswith(NEW):
            return _find_anonymous(scope, segments[0]), 1
        found, used = super()._find_first(scope, ordinal, line, segments)
        if found is None and segments[0].isidentifier() and segments[0] not in self._lookup.rules.self_words:
            own = self._find_self_type(scope, ordinal)
            is_bound = self._find_binding(scope, ordinal, line, segments[0]) is not None
            seen = self._lookup.find_bare(scope, ordinal, segments[0], ReferenceRole.USE).declarations
            return None if own is None or is_bound or seen else self._find_inherited(own, segments[0]), used
        return found, used

    def _find_inherited(self, receiver: Receiver, name: str) -> Receiver | None:
        """Return the external type of a field that a class has from a class of another repository."""
        lookup = self._lookup
        assert isinstance(lookup, JavaLookup)
        for one in receiver.types:
            if not lookup.find_members(one, name, ReferenceRole.USE):
                external = lookup.find_inherited_field(one, name)
                return Receiver(external=external) if external else None
        return None

    def _find_super_type(self, scope: FileScope, ordinal: int) -> Receiver | None:
        """Return the class above the class around a symbol: `super` means none of its interfaces."""
        found, kind = super()._find_super_type(scope, ordinal), self._lookup.get_kind
        if found is None or any(kind(one) is SymbolKind.INTERFACE for one in self._list_own(scope, ordinal)):
            return found
        classes = tuple(one for one in found.types if kind(one) is not SymbolKind.INTERFACE)
        return replace(found, types=classes) if classes else Receiver(external="super")

    def _list_own(self, scope: FileScope, ordinal: int) -> tuple[Declaration, ...]:
        own = self._find_self_type(scope, ordinal)
        return () if own is None else own.types

    def _find_variable_type(self, scope: FileScope, binding: Reference) -> Receiver | None:
        if binding.arguments < OF_PARAMETER:
            return super()._find_variable_type(scope, binding)
        lambda_call = read_lambda_call(binding)
        if lambda_call is None:
            at = Declaration(scope.path, binding.symbol)
            return self._read_lambda_parameter(at, binding.name, read_parameter(binding.arguments)[1])
        if lambda_call.is_constructor or not binding.qualifier:
            return self._find_lambda_parameter(scope, binding, lambda_call, None)
        receiver = self.find_receiver(scope, binding.symbol, binding.line, binding.qualifier)
        if receiver is None or receiver.external:
            return None
        if receiver.is_items:
            item = take_item(receiver) if lambda_call.passes_item() else None
            return item if item is None else replace(item, is_certain=False)
        return self._find_lambda_parameter(scope, binding, lambda_call, receiver)

    def _find_lambda_parameter(
        self, scope: FileScope, binding: Reference, lambda_call: LambdaCall, receiver: Receiver | None
    ) -> Receiver | None:
        """Return the type of a lambda's parameter, by the method or constructor that the lambda is passed to.

        Returns None if the overloads that accept the call differ in it, or if there are more than MAX_CALLED.
        """
        call = make_call(binding, lambda_call)
        found: list[Receiver | None] = []
        called = self._list_called(scope, call, lambda_call, receiver)
        for one in called if len(called) <= MAX_CALLED else ():
            other = self._lookup.find_scope(one.path)
            if other is not None and self._lookup.rules.accepts(other.get_symbol(one.ordinal), call):
                text = read_parameter_at(other, one.ordinal, lambda_call.position)
                index, count = lambda_call.index, lambda_call.parameters
                found.append(self._read_lambda_parameter(one, text, index, count, receiver))
        known = [one for one in found if one is not None]
        return known[0] if len({(one.types, one.external) for one in known}) == 1 else None

    def _list_called(
        self, scope: FileScope, call: Reference, lambda_call: LambdaCall, receiver: Receiver | None
    ) -> list[Declaration]:
        lookup, role = self._lookup, ReferenceRole.CALL
        if lambda_call.is_constructor:
            made = lookup.find_type(scope, call.symbol, split_name(call)).declarations
            return [each for one in made for each in lookup.find_constructors(one)]
        if receiver is None:
            return list(lookup.find_bare(scope, call.symbol, call.name, role, call).declarations)
        return [each for one in receiver.types for each in lookup.find_members(one, call.name, role, call)]

    def _read_lambda_parameter(
        self, at: Declaration, text: str, index: int, count: int = 0, receiver: Receiver | None = None
    ) -> Receiver | None:
        """Return the type of a lambda's parameter, given the functional interface that is written at `at`."""
        where, passed = read_lambda_parameter(self._lookup, at, text, index, count)
        found = self._read_text(where, passed, receiver if where == at else None) if passed else None
        return found if found is None else replace(found, is_certain=False)

    def _find_named(
        self, scope: FileScope, at: Declaration, text: str, named: TypeName, receiver: Receiver | None
    ) -> Receiver | None:
        if receiver is not None and not named.is_items and _is_self_bound(scope, at.ordinal, named.name):
            return replace(receiver, is_certain=False)
        if (
            receiver is not None
            and receiver.type_arguments
            and not self._is_parameter_of_receiver(receiver, at, named)
        ):
            receiver = replace(receiver, type_arguments=())
        return super()._find_named(scope, at, text, named, receiver)

    def _is_parameter_of_receiver(self, receiver: Receiver, at: Declaration, named: TypeName) -> bool:
        """Return whether a name in a member is a type parameter of the type that the receiver has."""
        scope = self._lookup.find_scope(at.path)
        if scope is None or named.name in list_type_parameters(scope, at.ordinal):
            return False
        return Declaration(at.path, scope.get_parent(at.ordinal)) in receiver.types

    def _complete(
        self, at: Declaration, text: str, named: TypeName, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        """Return the type together with its written type arguments."""
        found = super()._complete(at, text, named, found, receiver)
        _, _, inside = text.partition(f"{named.name}<")
        if inside and found.external and not found.is_items:
            return self._complete_external(at, inside, found, receiver)
        written = list(map(_read_bound, split_list(inside.rpartition(">")[0])))
        return self._give_arguments(at, written, found, receiver) if inside else found

    def _complete_external(
        self, at: Declaration, inside: str, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        """Return an external type together with its last type argument, which has no name there."""
        if self._lookup.depth >= MAX_DEPTH:
            return found
        with self._lookup.deepen():
            written = split_list(inside.rpartition(">")[0])[-1:]
            given = [self._read_text(at, _read_bound(one), receiver) for one in written]
        kept = tuple(("", one) for one in given if one is not None and not one.is_items)
        return replace(found, type_arguments=kept)

    def _take_steps(self, receiver: Receiver | None, segments: Sequence[str]) -> Receiver | None:
        """Return the type at the end of a chain; of an external generic, that of the values it gives.

        What its other members return may be made of its type arguments, so that it is not known.
        """
        for at, segment in enumerate(segments):
            given = receiver.type_arguments[0][1] if receiver and receiver.type_arguments else None
            if receiver is None or not receiver.external:
                receiver = super()._take_steps(receiver, [segment])
            elif given is not None and segment.removesuffix("()") in _GIVING:
                receiver = replace(given, is_certain=False)
            else:
                is_known = given is None or given.external
                return super()._take_steps(receiver, segments[at:]) if is_known else None
        return receiver

    def _choose_called(
        self, found: Sequence[Declaration], role: ReferenceRole
    ) -> tuple[Sequence[Declaration], bool]:
        """Return the methods that a call may mean, or the fields that another use may."""
        is_call = role is ReferenceRole.CALL
        kept = [one for one in found if (self._lookup.get_kind(one) in CALLABLE_KINDS) is is_call]
        return kept or found, True

    def _find_member(self, receiver: Receiver, segment: str) -> Receiver | None:
        if receiver.is_items and segment == "getKey()":
            return Receiver(external=_KEY)
        found = super()._find_member(receiver, segment)
        if found is None and not receiver.is_items and segment.isidentifier():
            return self._find_inherited(receiver, segment)
        if found is None or not receiver.is_items:
            return found
        return replace(found, is_certain=False)  # another library may have a class of the same name

    def _is_value(self, declaration: Declaration, role: ReferenceRole) -> bool:
        """Return False for a method where no call is written: there the name is that of a variable."""
        return role is not ReferenceRole.USE or self._lookup.get_kind(declaration) not in CALLABLE_KINDS


def _read_bound(argument: str) -> str:
    """Return a type argument without the words of a wildcard."""
    return argument.removeprefix("? extends ").removeprefix("? super ")


def _is_self_bound(scope: FileScope, member: int, name: str) -> bool:
    """Return whether a name is the `B` of `class Builder<B extends Builder<B>>`, the class around a member.

    Such a type parameter stands for the subclass on whose object the member is called.
    """
    owner = scope.get_parent(member)
    rows = scope.list_bindings(owner, name)
    return any(one.arguments == Binding.BOUND and one.name == scope.get_name(owner) for one in rows)


def _find_anonymous(scope: FileScope, name: str) -> Receiver | None:
    """Return the class in `new Base() { ... }`, by its name and the line on which its body begins."""
    name, _, line = name.rpartition(":")
    found = [one for one in scope.find_named(name) if str(scope.get_symbol(one).start_line) == line]
    made = tuple(Declaration(scope.path, one) for one in found)
    return Receiver(made, is_certain=len(made) == 1) if made else None
