"""Resolves names in Go: predeclared functions, embedded types, and files of which a build chooses one."""

from __future__ import annotations

from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.go.embedding import may_be_nearer
from repo_mcp.graph.go.lookup import GoLookup
from repo_mcp.graph.go.receivers import GoReceivers
from repo_mcp.graph.go.rules import may_accept
from repo_mcp.graph.program import UNCOUNTED, Confidence, Declaration, Resolution, Target
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.language_resolver import LanguageResolver
from repo_mcp.graph.typed.receiver import Receiver
from repo_mcp.languages.go.declarations import ARITHMETIC, BUILTIN
from repo_mcp.symbols.model import LINKED, LINKED_STUB
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind
from repo_mcp.text.roles import is_test_path

_PREDECLARED = frozenset({"clear", "max", "min", "print", "println"})  # a program may declare them anew


class GoResolver(LanguageResolver):
    """Resolves references in files of Go."""

    _lookup: GoLookup
    _receivers: GoReceivers
    make_lookup = GoLookup
    make_receivers = GoReceivers

    def _resolve_name(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.role is not ReferenceRole.USE or reference.arguments not in {LINKED, LINKED_STUB}:
            return super()._resolve_name(scope, reference)
        found = self._lookup.find_linked(scope, reference.qualifier, reference.name)
        concluded = self._conclude(found, reference)
        return concluded if concluded.targets else Resolution((), found.external)

    def _resolve_in_types(self, scope: FileScope, reference: Reference, receiver: Receiver) -> Resolution:
        if receiver.group is None:
            return super()._resolve_in_types(scope, reference, receiver)
        found = self._receivers.find_in_group(receiver, reference.name)
        if found is None:  # a member of what the struct embeds
            return self._guess(scope, reference, is_member=True)
        return Resolution((Target(found, Confidence.EXACT),))

    def _guess_bare(self, scope: FileScope, reference: Reference) -> Resolution:
        if reference.role is ReferenceRole.CALL and reference.name in _PREDECLARED:
            return Resolution((), f"{BUILTIN}.{reference.name}")
        return super()._guess_bare(scope, reference)

    def _guess(self, scope: FileScope, reference: Reference, *, is_member: bool) -> Resolution:
        """Return what a name alone may mean; in a test, a field of another file is never probable.

        Tables of test cases have structs without a name, with fields of their own.
        """
        found = super()._guess(scope, reference, is_member=is_member)
        kept = tuple(one for one in found.targets if self._may_be_called(one.declaration, reference))
        if len(kept) < len(found.targets):
            return Resolution(kept) if kept else UNCOUNTED
        if not is_member or reference.role is not ReferenceRole.USE or not is_test_path(scope.path):
            return found
        return Resolution(tuple(_weaken_elsewhere(scope, one) for one in found.targets))

    def _may_be_called(self, member: Declaration, reference: Reference) -> bool:
        """Return False for a member that takes another number of arguments, or that no number has."""
        scope = self._lookup.find_scope(member.path)
        if scope is None or reference.role is not ReferenceRole.CALL:
            return True
        if not may_accept(scope.get_symbol(member.ordinal), reference):
            return False
        owners = self._lookup.find_extended(self._lookup.get_parent(member))
        kinds = {self._lookup.get_kind(one) for one in owners}
        return reference.qualifier != ARITHMETIC or SymbolKind.TYPE in kinds

    def _may_be_other(self, owner: Declaration, members: list[Declaration]) -> bool:
        return any(may_be_nearer(self._lookup, owner, one) for one in members[:1])

    def _list_meant(self, declarations: list[Declaration], reference: Reference) -> list[Declaration]:
        """Return the declarations with their variants, each of which some build with this use has."""
        builds, reader = Builds.find(self._lookup.program), self._lookup.reader
        found = dict.fromkeys(one for each in declarations for one in builds.list_variants(each))
        if len(found) < 2 or reader is None:
            return declarations
        built = builds.list_built_with(reader.path, dict.fromkeys(one.path for one in found))
        return [one for path in built for one in found if one.path == path] or declarations

    def _count_meanings(self, declarations: list[Declaration]) -> int:
        """Return how many different things the declarations are; the variants of a symbol are one."""
        list_variants = Builds.find(self._lookup.program).list_variants
        return super()._count_meanings([*{list_variants(one)[0] for one in declarations}])

    def _are_build_alternatives(self, declarations: list[Declaration]) -> bool:
        """Return whether the declarations are in one package, each in a file of its own.

        The variants of one symbol are no alternatives: that symbol is meant in every build.
        """
        list_variants = Builds.find(self._lookup.program).list_variants
        if len({list_variants(one)[0] for one in declarations}) == 1:
            return False
        paths = {one.path for one in declarations}
        folders = {path.rpartition("/")[0] for path in paths}
        return len(folders) == 1 and len(paths) == len(declarations) > 1


def _weaken_elsewhere(scope: FileScope, target: Target) -> Target:
    is_own = target.declaration.path == scope.path
    return target if is_own else Target(target.declaration, Confidence.POSSIBLE)
