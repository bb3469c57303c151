"""The types of receivers in Swift: arguments and values of cases, type arguments, subscripts.

`make.@1(of:_:)` is the second parameter of the function, initialiser or case with these labels. `#0` after it
is the first parameter of the function that is passed there. `%some:0:2` is the first of two values of a case.
None of these is certain: an overload in another repository may fit better.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.swift.rules import list_values
from repo_mcp.graph.swift.steps import (
    find_called,
    find_labelled,
    find_literal_item,
    find_parameter_text,
    find_written_bound,
)
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.receiver import Receiver, take_item
from repo_mcp.graph.typed.receivers import MAX_DEPTH, ReceiverTypes
from repo_mcp.languages.swift.types import KNOWN_PARAMETERS, find_arguments, list_parameters
from repo_mcp.languages.treesitter.type_names import TypeName
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Binding, Reference, ReferenceRole, SymbolKind

_STEPS = frozenset("@#%")
_MAX_CALLED = 12  # overloads of one call that are compared


class SwiftReceivers(ReceiverTypes):
    """Finds the types of receivers in files of Swift."""

    # Chains with steps into arguments or values

    def _follow(self, scope: FileScope, ordinal: int, line: int, segments: list[str]) -> Receiver | None:
        last = max((at for at, one in enumerate(segments) if one[:1] in _STEPS), default=-1)
        if last < 0:
            return super()._follow(scope, ordinal, line, segments)
        before, step, inner = segments[:last], segments[last], ""
        if step[0] == "#" and before and before[-1][0] == "@":
            before, step, inner = before[:-1], before[-1], step
        if not before:
            return None
        receiver: Receiver | None = None
        if step[0] == "%":
            owner = self.find_receiver(scope, ordinal, line, ".".join(before))
            receiver = self._find_case_value(owner, step) if owner is not None else None
        elif step[0] == "@":
            owner, found = self._find_callees(scope, ordinal, line, before)
            receiver = self._find_argument(found, step, inner, owner)
        receiver = replace(receiver, is_certain=False) if receiver is not None else None
        return self._take_steps(receiver, segments[last + 1 :])

    def _leave(self, receiver: Receiver) -> Receiver:
        return replace(receiver, is_result=True)

    def _find_callees(
        self, scope: FileScope, ordinal: int, line: int, names: list[str]
    ) -> tuple[Receiver | None, list[Declaration]]:
        """Return the receiver of a call, or None, and the declarations with the called name."""
        *before, name = names
        lookup = self._lookup
        rules = lookup.rules
        if not before:
            return None, list(lookup.find_bare(scope, ordinal, name, ReferenceRole.CALL).declarations)
        first = before[0]
        is_own = first in rules.self_words or first in rules.super_words
        is_path = not is_own and all(one.isidentifier() for one in names)
        if is_path and scope.find_binding(ordinal, line, first) is None:
            found = lookup.find_static(scope, ordinal, tuple(names), ReferenceRole.CALL)
            if found.declarations:
                return None, list(found.declarations)
        receiver = self.find_receiver(scope, ordinal, line, ".".join(before))
        if receiver is None:
            return None, []
        if name == "init":
            return receiver, list(receiver.types)
        members = (lookup.find_members(one, name, ReferenceRole.CALL) for one in receiver.types)
        return receiver, [each for found_members in members for each in found_members]

    def _find_argument(
        self, found: Sequence[Declaration], step: str, inner: str, owner: Receiver | None
    ) -> Receiver | None:
        """Return the type of a parameter of what is called, or of the property that its label names."""
        position, _, labels = step[1:].partition("(")
        called, plain = find_called(self._lookup, found, f"({labels}")
        receiver: Receiver | None = None
        if called or not plain:
            receiver = self._find_parameter_type(called, int(position), f"({labels}", inner, owner)
        for one in plain if receiver is None and not inner else ():
            named = find_labelled(self._lookup, one, f"({labels}", int(position))
            receiver = self._read_declared(named[0]) if named else None
        return receiver

    def _find_parameter_type(
        self, found: Sequence[Declaration], position: int, labels: str, inner: str, receiver: Receiver | None
    ) -> Receiver | None:
        """Return the type of a parameter of the declarations found for a call; if they differ, all their
        types.

        `inner` is the step after the parameter, if it is a function: `#0` for its first parameter.
        """
        by_type: dict[tuple[Declaration, ...] | str, Receiver] = {}
        for one in found[:_MAX_CALLED]:
            text = find_parameter_text(self._lookup, one, position, labels, inner)
            each = self._read_text(one, text, receiver) if text else None
            if each is not None and (each.types or each.external):
                by_type.setdefault(each.types or each.external, each)
        known = [one for one in by_type.values() if one.types]
        if not known:
            return next(iter(by_type.values()), None)
        types = tuple(dict.fromkeys(each for one in known for each in one.types))
        is_items = all(one.is_items for one in known)
        return replace(known[0], types=types, is_items=is_items, is_certain=False)

    def _find_case_value(self, receiver: Receiver, step: str) -> Receiver | None:
        """Return the type of an associated value of a case, by position."""
        name, position, count = step[1:].split(":")
        for one in receiver.types:
            for member in self._lookup.find_members(one, name, ReferenceRole.USE):
                scope = self._lookup.find_scope(member.path)
                if scope is None or scope.get_kind(member.ordinal) is not SymbolKind.ENUM_MEMBER:
                    continue
                values = list_values(scope.get_symbol(member.ordinal).parameters)
                if len(values) == int(count):
                    found = self._read_text(member, values[int(position)], receiver)
                    return replace(found, is_certain=False) if found is not None else None
        return None

    # Variables

    def _find_binding(self, scope: FileScope, ordinal: int, line: int, name: str) -> Reference | None:
        """Return the row that shows the type of a variable; in `let x = x.y`, that of the earlier `x`."""
        binding = scope.find_binding(ordinal, line, name)
        if binding is not None and _is_of_itself(binding, line):
            return scope.find_binding(ordinal, line - 1, name)
        return binding

    # Members

    def _find_item(self, receiver: Receiver) -> Receiver | None:
        if receiver.is_items:
            return take_item(receiver)
        made = find_literal_item(self._lookup, receiver)
        if made is not None:
            item = self._read_text(*made, None)
            return replace(item, is_items=False, is_certain=False) if item is not None else None
        return self._find_index(receiver) or Receiver(receiver.types, is_certain=False)

    def _find_index(self, receiver: Receiver) -> Receiver | None:
        """Return the result of a subscript."""
        members = (self._lookup.find_members(one, "subscript", ReferenceRole.CALL) for one in receiver.types)
        found = [each for one in members for each in one]
        return self._find_type_of_members(found, receiver) if found else None

    def _choose_called(
        self, found: Sequence[Declaration], role: ReferenceRole
    ) -> tuple[Sequence[Declaration], bool]:
        """Return functions rather than properties for a call; they have one type if there is one of them."""
        if role is not ReferenceRole.CALL or len(found) < 2:
            return found, True
        called = [one for one in found if self._lookup.get_kind(one) in CALLABLE_KINDS]
        return (called, len(called) == 1) if called else (found, True)

    # Types as they are written

    def _find_type_parameter(
        self, scope: FileScope, at: Declaration, named: TypeName
    ) -> tuple[Receiver | None, bool]:
        bound = find_written_bound(scope, at.ordinal, named.name) if not named.qualifier else None
        if bound is None:
            return None, False
        one = self._read_text(at, bound, None) if bound else None
        return replace(one, is_items=named.is_items, is_certain=False) if one is not None else None, True

    def _complete(
        self, at: Declaration, text: str, named: TypeName, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        """Return a type with its type arguments; for an alias, the type that it stands for."""
        lookup = self._lookup
        there = lookup.find_scope(at.path)
        said = find_arguments(lookup.rules.read_result(text)) if there is not None else []
        arguments: list[tuple[str, Receiver]] = []
        one = found.types[0] if found.types else None
        other = lookup.find_scope(one.path) if one is not None else None
        # the parameters of most external types have names that are not known
        names: Sequence[str] = KNOWN_PARAMETERS.get(found.external) or [""] * len(said)
        if one is not None and other is not None:
            symbol = other.get_symbol(one.ordinal)
            names = list_parameters(symbol.parameters) or KNOWN_PARAMETERS.get(symbol.name, ())
        if lookup.depth < MAX_DEPTH and lookup.type_arguments_left > 0:
            # type arguments of aliases that refer to each other have no end
            lookup.type_arguments_left -= 1 + len(said)
            with lookup.deepen():
                for name, part in zip(names, said, strict=False):
                    each = self._read_text(at, part, receiver)
                    arguments += [(name, each)] if each is not None else []
                if one is not None and other is not None and other.get_kind(one.ordinal) is SymbolKind.TYPE:
                    alias = replace(found, type_arguments=tuple(arguments))
                    behind = self._read_text(one, symbol.return_type, alias)
                    if behind is not None and behind.types and not found.is_items:
                        return replace(behind, is_certain=behind.is_certain and found.is_certain)
        return replace(found, type_arguments=tuple(arguments)) if arguments else found


def _is_of_itself(binding: Reference, line: int) -> bool:
    """Return whether a line gives a variable a value that begins with the name of the variable."""
    value = binding.dotted
    is_value = binding.arguments not in {Binding.TYPE, Binding.ITEMS}
    return is_value and binding.line == line and value.partition(".")[0] == binding.alias
