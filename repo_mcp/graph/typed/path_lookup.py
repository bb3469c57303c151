"""Lookup of declarations by their full paths, in languages with declared types.

Candidates come from the names in the index. A language's rules decide which of them a name can reach, and
which other paths lead to the same declarations. Left out on purpose: names without a path (`lookup.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from repo_mcp.graph.program import Declaration, Program, is_type_role
from repo_mcp.graph.typed.file_scope import FileScope, is_blanket_impl
from repo_mcp.graph.typed.local_names import is_in_macro_body
from repo_mcp.graph.typed.parsed_files import ParsedFiles
from repo_mcp.graph.typed.rules import NOT_FOUND, OUTSIDE, Candidate, FoundDeclarations, Path, Rules
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, ReferenceRole, SymbolKind

MAX_FOLLOWED = 48  # re-exports followed for one path: a module of a large crate has some 20 of `a::*`
CACHED_PATHS = 50_000  # of the symbols that were asked about, and of the files by each name: 14 MB
VALUE_KINDS = frozenset(
    {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER, SymbolKind.EVENT}
)
_CALLED_KINDS = CALLABLE_KINDS | TYPE_KINDS | VALUE_KINDS
_USED_KINDS = _CALLED_KINDS | {SymbolKind.MODULE}


class PathLookup(ParsedFiles):
    """Looks up full paths in the files of one language, or of C and C++."""

    def __init__(self, program: Program, rules: Rules) -> None:
        super().__init__(program, rules)
        # By a file and a name, and by the folder of a use and a name.
        self._by_path: LruCache[tuple[str, str], dict[Path, list[int]]] = LruCache(
            CACHED_PATHS, lambda found: 1 + len(found)
        )
        self._near_by_path: LruCache[tuple[str, str], dict[Path, list[Candidate]]] = LruCache(
            CACHED_PATHS, lambda found: 1 + len(found)
        )

    def is_wanted(self, scope: FileScope, kind: SymbolKind, role: ReferenceRole) -> bool:
        """Return whether a name used in a role can mean a symbol of a kind."""
        if is_type_role(role):
            return kind in TYPE_KINDS
        return kind in (_CALLED_KINDS if role is ReferenceRole.CALL else _USED_KINDS)

    def _may_mean(self, scope: FileScope, ordinal: int, role: ReferenceRole) -> bool:
        """Return whether a name in a role can mean a symbol; the name of a constructor means its type."""
        kind = scope.get_kind(ordinal)
        return kind is not SymbolKind.CONSTRUCTOR and self.is_wanted(scope, kind, role)

    def find_path(self, scope: FileScope, path: Path, role: ReferenceRole) -> FoundDeclarations:
        """Return the declarations of a full path, also through re-exports."""

        def conclude(one: Path, waiting: list[Path]) -> FoundDeclarations | None:
            found = self._find_exactly(scope, one, role)
            chosen = self._choose(scope, found)
            return self._join_reexports(scope, one, chosen, waiting, role) if found else None

        return follow_path(self.rules, scope, path, conclude)

    def _join_reexports(
        self,
        scope: FileScope,
        path: Path,
        found: FoundDeclarations,
        waiting: list[Path],
        role: ReferenceRole,
    ) -> FoundDeclarations:
        """Return what a path led to, together with what re-exports of the same name lead to."""
        return found

    def _find_exactly(self, scope: FileScope, path: Path, role: ReferenceRole) -> list[Candidate]:
        rules = self.rules
        found = []
        for other, ordinal in self._list_at_path(scope, path):
            if not self._may_mean(other, ordinal, role) or is_blanket_impl(other, ordinal):
                continue
            if rules.separates_fields and other.get_kind(ordinal) is SymbolKind.PROPERTY:
                continue
            if is_in_macro_body(other, ordinal):
                continue
            if other is scope or rules.is_reachable(scope, other, ordinal):
                found.append((other, ordinal))
        return found

    def _list_at_path(self, scope: FileScope, path: Path) -> list[Candidate]:
        """Return the symbols with a full path in the files that `iter_declaring` yields.

        Where folders do not limit paths, the symbols of one name are grouped by path once: a name that is
        visible through twenty wildcard imports may have twenty paths.
        """
        name = path[-1]
        if not self.rules.folders_limit_paths:
            key = self.find_nearness(scope, name), name
            return self._near_by_path.get(key, partial(self._group_near, scope, name)).get(path, [])
        files = self.iter_declaring(scope, name, path)
        return [(other, ordinal) for other in files for ordinal in self._group(other, name).get(path, ())]

    def _group_near(self, scope: FileScope, name: str) -> dict[Path, list[Candidate]]:
        found: dict[Path, list[Candidate]] = {}
        for other in self.iter_declaring(scope, name):
            for path, ordinals in self._group(other, name).items():
                found.setdefault(path, []).extend((other, ordinal) for ordinal in ordinals)
        return found

    def _group(self, scope: FileScope, name: str) -> dict[Path, list[int]]:
        """Return the symbols of a name in a file by their full paths."""
        return self._by_path.get((scope.path, name), partial(self._group_named, scope, name))

    def _group_named(self, scope: FileScope, name: str) -> dict[Path, list[int]]:
        found: dict[Path, list[int]] = {}
        for ordinal in scope.find_named(name):
            found.setdefault(self.rules.get_full_path(scope, ordinal), []).append(ordinal)
        return found

    def _choose(self, scope: FileScope, found: list[Candidate]) -> FoundDeclarations:
        """Return types before their extensions, and definitions before forward declarations."""
        real = [one for one in found if one[0].get_kind(one[1]) is not SymbolKind.EXTENSION]
        chosen, is_certain = self.rules.choose(scope, self._prefer(real) or found)
        return FoundDeclarations(
            tuple(Declaration(other.path, ordinal) for other, ordinal in chosen), is_certain
        )

    def _prefer(self, found: list[Candidate]) -> list[Candidate]:
        """Return those declarations of one name that take precedence over the others."""
        return found


def follow_path(
    rules: Rules,
    scope: FileScope,
    path: Path,
    conclude: Callable[[Path, list[Path]], FoundDeclarations | None],
) -> FoundDeclarations:
    """Return the first result of `conclude` that is not None, for a path and then for its re-exports.

    `conclude` is given one path, and the re-exports that would be tried after it.
    """
    waiting, seen = [path], {path}
    for _ in range(MAX_FOLLOWED):
        if not waiting:
            break
        one = waiting.pop(0)
        if one[:1] == OUTSIDE:
            return FoundDeclarations((), True, ".".join(one[1:]))
        found = conclude(one, waiting)
        if found is not None:
            return found
        more = [other for other in rules.list_reexports(scope, one) if other not in seen]
        seen.update(more)
        end = len(waiting)
        while end and waiting[end - 1][:1] == OUTSIDE:
            end -= 1  # wildcard imports of other repositories come last: any name may be declared there
        waiting[end:end] = more
    return NOT_FOUND
