"""The types of receivers in Java: unnamed classes, and names of which a method is not the value."""

from __future__ import annotations

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.receivers import ReceiverTypes, is_callable
from repo_mcp.languages.treesitter.type_names import TypeName
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import NEW, Binding
from repo_mcp.symbols.symbol_record import ReferenceRole


class JavaReceivers(ReceiverTypes):
    """Finds the types of receivers in files of Java."""

    own_bounds = True

    def _find_first(
        self, scope: FileScope, ordinal: int, line: int, segments: list[str]
    ) -> tuple[Receiver | None, int]:
        if segments[0].startswith(NEW):
            return _find_anonymous(scope, segments[0]), 1
        return super()._find_first(scope, ordinal, line, segments)

    def _find_named(
        self, scope: FileScope, at: Declaration, text: str, named: TypeName, receiver: Receiver | None
    ) -> Receiver | None:
        if receiver is not None and not named.is_items and _is_own_type(scope, at.ordinal, named.name):
            return replace(receiver, is_certain=False)
        return super()._find_named(scope, at, text, named, receiver)

    def _find_member(self, receiver: Receiver, segment: str) -> Receiver | None:
        found = super()._find_member(receiver, segment)
        if found is None or not receiver.is_items:
            return found
        return replace(found, is_certain=False)  # a class of a library may be called like a list of Java's

    def _is_value(self, declaration: Declaration, role: ReferenceRole) -> bool:
        """Return whether a declaration can be a value: a method cannot, so the name is a variable's."""
        return role is not ReferenceRole.USE or not is_callable(self._lookup, declaration)


def _is_own_type(scope: FileScope, member: int, name: str) -> bool:
    """Return whether a name is the `B` of `class Builder<B extends Builder<B>>` around a member.

    It stands for the class whose objects have the member."""
    owner = scope.get_parent(member)
    rows = scope.list_bindings(owner, name)
    return any(one.arguments == Binding.BOUND and one.name == scope.get_name(owner) for one in rows)


def _find_anonymous(scope: FileScope, name: str) -> Receiver | None:
    """Return the class in `new Base() { ... }`, by its name and the line on which its body begins."""
    name, _, line = name.rpartition(":")
    found = [one for one in scope.find_named(name) if str(scope.get_symbol(one).start_line) == line]
    made = tuple(Declaration(scope.path, one) for one in found)
    return Receiver(made, is_certain=len(made) == 1) if made else None
