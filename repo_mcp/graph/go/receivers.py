"""The types of receivers in Go: types after a package, elements of named lists, embedded types.

For an unnamed struct stands the field, the variable or the list type that is declared with it. In a function
its fields are recorded as those of the function: then `group` is the first of them.
"""

from __future__ import annotations

import re

from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.go.embedding import may_be_nearer
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.graph.typed.receivers import ReceiverTypes
from repo_mcp.graph.typed.rules import FoundDeclarations
from repo_mcp.languages.treesitter.type_names import TypeName
from repo_mcp.languages.treesitter.written_lists import split_list
from repo_mcp.symbols.symbol_record import Binding, Reference, SymbolKind

_LIST = re.compile(r"(?:map)?\[[^\]]*\]|(?:<-)?chan(?:<-)? ")  # what precedes the type of the elements
_CONSTRAINTS = frozenset({"any", "comparable"})
_STRUCT = "struct"  # the type of a local variable whose struct has no name
_UNNAMED = re.compile(rf"((?:{_LIST.pattern}|\*)*){_STRUCT}\b")


class GoReceivers(ReceiverTypes):
    """Finds the types of receivers in files of Go."""

    bounds_around = True

    def find_type_receiver(self, scope: FileScope, ordinal: int, chain: str) -> Receiver | None:
        """Return the type at the end of a chain that begins with a type or with its package."""
        names = tuple(chain.split("."))
        return self._follow_type(self._find_type(scope, ordinal, names[:2]), names[2:])

    def _find_annotated(
        self, scope: FileScope, binding: Reference, names: tuple[str, ...]
    ) -> Receiver | None:
        if names != (_STRUCT,):
            return super()._find_annotated(scope, binding, names)
        for ordinal in scope.record.list_children(binding.symbol):
            is_field = scope.get_kind(ordinal) is SymbolKind.PROPERTY
            if is_field and scope.get_symbol(ordinal).start_line >= binding.line:
                first, function = (Declaration(scope.path, one) for one in (ordinal, binding.symbol))
                return Receiver((function,), is_items=binding.arguments == Binding.ITEMS, group=first)
        return None

    def find_in_group(self, receiver: Receiver, name: str) -> Declaration | None:
        """Return a field of an unnamed struct in a function: the first of that name from its own first on."""
        function, first = receiver.types[0], receiver.group
        scope = self._lookup.find_scope(function.path)
        named = scope.find_children(function.ordinal, name) if scope is not None else []
        later = [one for one in named if first is not None and one >= first.ordinal]
        return Declaration(function.path, min(later)) if later else None

    def _find_member(self, receiver: Receiver, segment: str) -> Receiver | None:
        if receiver.group is None or receiver.is_items:
            return super()._find_member(receiver, segment)
        found = self.find_in_group(receiver, segment.removesuffix("()"))
        return self._read_declared(found) if found is not None else None

    def _read_text(self, at: Declaration, text: str, receiver: Receiver | None) -> Receiver | None:
        """Return the type that a text names; for an unnamed struct, the symbol that has its fields."""
        unnamed = _UNNAMED.match(text)
        if unnamed is None:
            return super()._read_text(at, text, receiver)
        lists = len(_LIST.findall(unnamed[1]))
        return Receiver((at,), is_items=lists > 0, inner=max(lists - 1, 0))

    def _find_type_parameter(
        self, scope: FileScope, at: Declaration, named: TypeName
    ) -> tuple[Receiver | None, bool]:
        """Return the constraints of a type parameter, and whether the name is one.

        A constraint of the language says nothing of the methods.
        """
        bounds, is_parameter = super()._find_type_parameter(scope, at, named)
        return None if bounds is not None and bounds.external in _CONSTRAINTS else bounds, is_parameter

    def _complete(
        self, at: Declaration, text: str, named: TypeName, found: Receiver, receiver: Receiver | None
    ) -> Receiver:
        """Return the type together with its written type arguments."""
        found = super()._complete(at, text, named, found, receiver)
        _, _, inside = text.partition(f"{named.name}[")
        written = split_list(inside.rpartition("]")[0])
        return self._give_arguments(at, written, found, receiver) if inside else found

    def _make_receiver(self, scope: FileScope, found: FoundDeclarations, *, is_items: bool) -> Receiver:
        """Return a receiver of the type that a name led to, with all variants of it."""
        variants = Builds.find(self._lookup.program).list_variants(found.declarations[0])
        if len(found.declarations) > 1 and {*found.declarations} <= {*variants}:
            return Receiver(found.declarations, "", is_items, found.is_certain)
        return super()._make_receiver(scope, found, is_items=is_items)

    def _is_nearest(self, owner: Declaration, member: Declaration) -> bool:
        return not may_be_nearer(self._lookup, owner, member)

    def _find_index(self, receiver: Receiver) -> Receiver | None:
        """Return the type of the elements of `type Hooks map[Level][]Hook`."""
        for one in receiver.types:
            scope = self._lookup.find_scope(one.path)
            if scope is not None:
                text = scope.get_symbol(one.ordinal).return_type
                list_of = _LIST.match(text)
                return self._read_text(one, text[list_of.end() :], None) if list_of is not None else None
        return None
