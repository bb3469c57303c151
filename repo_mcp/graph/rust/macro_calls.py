"""Finds the macro that a macro call of Rust means: macros have a namespace of their own.

A macro of `macro_rules!` is visible from its definition to the end of the scope around it, also in modules
that are declared there, and after the end of a module that is marked `#[macro_use]`. If it is marked
`#[macro_export]`, it is an item of the root of its crate; if a `use` names it, also one of that module. Left
out on purpose: the scopes of blocks, and calls that another macro expands to.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.rust.lookup import RustLookup
from repo_mcp.graph.rust.rules import get_crate_root
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.path_lookup import follow_path
from repo_mcp.graph.typed.rules import NOT_FOUND, FoundDeclarations, Path
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import Reference, SymbolFlag, SymbolKind

MAX_MODULES = 40  # around each other
_STANDARD_TEXT = """
assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne
env eprint eprintln file format format_args include include_bytes include_str line matches module_path
option_env panic print println stringify thread_local todo try unimplemented unreachable vec write writeln
"""
_STANDARD = frozenset(_STANDARD_TEXT.split())


@dataclass(frozen=True, slots=True)
class _Place:
    """A line in a symbol of a file."""

    scope: FileScope
    ordinal: int
    line: int


class MacroCalls:
    """Finds the macros that calls mean. Its caches are valid for one lookup."""

    def __init__(self, lookup: RustLookup) -> None:
        self._lookup = lookup
        self._declared: dict[str, list[_Place]] = {}
        self._followed: dict[tuple[Path, Path], FoundDeclarations] = {}

    def find(self, scope: FileScope, call: Reference) -> FoundDeclarations:
        """Return what a call of a macro means."""
        rules = self._lookup.rules
        if call.qualifier:
            names = (*call.qualifier.split("."), call.name)
            return self._find_first(scope, rules.list_paths(scope, call.symbol, names))
        found = self._find_textual(scope, call)
        if not found.declarations:
            found = self._find_item(scope, call.symbol, call.name)
        if found.declarations or found.external or call.name in _STANDARD:
            return found
        return self._guess(scope, call.name)

    def find_imported(self, scope: FileScope, row: Reference) -> tuple[Declaration, ...]:
        """Return the macros that a `use` names."""
        names = (*filter(None, row.qualifier.split(".")), row.name)
        if len(names) == 1 or row.name in {"", "*"}:
            return ()
        return self._find_first(scope, self._lookup.rules.list_paths(scope, row.symbol, names)).declarations

    # By the order of the text

    def _find_textual(self, scope: FileScope, call: Reference) -> FoundDeclarations:
        """Return the last macro of a name above a call, in the innermost scope that has one."""
        seen: dict[tuple[int, int], list[Declaration]] = {}
        levels = list(self._iter_levels(_Place(scope, call.symbol, call.line)))
        for other, one in self._lookup.iter_named(scope, call.name):
            if other.get_kind(one) is SymbolKind.MACRO:
                start = int(other.record.starts[one])
                depth = self._measure(_Place(other, other.get_parent(one), start), levels)
                if depth is not None:
                    seen.setdefault(depth, []).append(Declaration(other.path, one))
        if not seen:
            return NOT_FOUND
        nearest = tuple(seen[min(seen)])
        return FoundDeclarations(nearest, alternatives=len(nearest) if len(nearest) > 1 else 0)

    def _iter_levels(self, place: _Place) -> Iterator[_Place]:
        """Yield a place, then the places where the modules around it are declared, file by file."""
        waiting = [place]
        for _ in range(MAX_MODULES):
            if not waiting:
                return
            above = waiting.pop(0)
            yield above
            more = self._list_declared(above.scope)
            waiting += [replace(one, ordinal=one.scope.get_parent(one.ordinal)) for one in more]

    def _measure(self, defined: _Place, levels: list[_Place]) -> tuple[int, int] | None:
        """Return how far the scope of a macro is from a use; None if the use does not see the macro."""
        waiting = [defined]
        for _ in range(MAX_MODULES):
            if not waiting:
                break
            at = waiting.pop(0)
            for depth, level in enumerate(levels):
                if level.scope is at.scope and at.line <= level.line:
                    around = list(level.scope.iter_around(level.ordinal))
                    if at.ordinal in around:
                        return depth, around.index(at.ordinal)
            waiting += self._leave(at)
        return None

    def _leave(self, at: _Place) -> list[_Place]:
        """Return the scopes in which the macros of a `#[macro_use]` module stay visible after its end."""
        modules = [at] if at.ordinal else self._list_declared(at.scope)
        return [
            _Place(scope, scope.get_parent(ordinal), int(scope.record.starts[ordinal]))
            for scope, ordinal in ((one.scope, one.ordinal) for one in modules)
            if scope.get_kind(ordinal) is SymbolKind.MODULE
            and int(scope.record.flags[ordinal]) & SymbolFlag.MACRO_USE
        ]

    def _list_declared(self, scope: FileScope) -> list[_Place]:
        """Return where the module is declared that a file is; several tests may share it."""
        if scope.path not in self._declared:
            self._declared[scope.path] = self._find_declared(scope)
        return self._declared[scope.path]

    def _find_declared(self, scope: FileScope) -> list[_Place]:
        rules = self._lookup.rules
        *around, last = rules.find_home(scope)
        folder, _, name = last.rpartition("/")
        if folder:  # a file beside a test's, `mod common;`
            paths = self._lookup.program.list_declaring(name)
            files = [one for one in paths if rules.crates.is_root_in(one, folder, scope.path)]
        else:
            files = list(rules.crates.list_files(tuple(around))) if around else []
        found: list[_Place] = []
        for other in map(self._lookup.find_scope, files[:MAX_MODULES]):
            for one in other.find_children(0, name) if other is not None else ():
                if other is not None and other.get_kind(one) is SymbolKind.MODULE and other.is_forward(one):
                    found.append(_Place(other, one, int(other.record.starts[one])))
        return found

    # As items

    def _find_item(self, scope: FileScope, ordinal: int, name: str) -> FoundDeclarations:
        """Return the macro that is an item of a module visible at a symbol, or that is imported there."""
        rules = self._lookup.rules
        bound = rules.find_import(scope, ordinal, name)
        if bound is not None:
            return self._find_path(scope, bound)
        paths = [(*container, name) for container in rules.list_visible(scope, ordinal)]
        return self._find_first(scope, [*rules.list_local_imports(scope, ordinal, name), *paths])

    def _find_first(self, scope: FileScope, paths: list[Path]) -> FoundDeclarations:
        found = NOT_FOUND
        for path in paths:
            found = self._find_path(scope, path)
            if found.declarations:
                return found
        return found

    def _find_path(self, scope: FileScope, path: Path) -> FoundDeclarations:
        """Return the macros that a full path leads to, through re-exports too."""
        rules = self._lookup.rules
        key = get_crate_root(rules.find_home(scope)), path
        if key not in self._followed:
            self._followed[key] = self._follow(scope, path)
        return self._followed[key]

    def _follow(self, scope: FileScope, path: Path) -> FoundDeclarations:
        def conclude(one: Path, _: list[Path]) -> FoundDeclarations | None:
            found = tuple(self._iter_items(scope, one))
            return (
                FoundDeclarations(found, alternatives=len(found) if len(found) > 1 else 0) if found else None
            )

        return follow_path(self._lookup.rules, scope, path, conclude)

    def _iter_items(self, scope: FileScope, path: Path) -> Iterator[Declaration]:
        """Yield the macros with a full path; an exported one also has a path in the root of its crate."""
        rules = self._lookup.rules
        for other, one in self._lookup.iter_named(scope, path[-1]):
            kind = other.get_kind(one)
            is_made = kind is SymbolKind.FUNCTION and rules.crates.makes_macros(other.folder)
            if not is_made and kind is not SymbolKind.MACRO:
                continue
            is_exported = int(other.record.flags[one]) & SymbolFlag.PUBLIC_API and not is_made
            root = get_crate_root(rules.find_home(other))
            if path in {rules.get_full_path(other, one), (*root, path[-1]) if is_exported else ()}:
                yield Declaration(other.path, one)

    def _guess(self, scope: FileScope, name: str) -> FoundDeclarations:
        """Return the macros of a name in the same crate, which no rule leads to."""
        rules = self._lookup.rules
        root = rules.find_home(scope)[:1]
        found = tuple(
            Declaration(other.path, one)
            for other, one in self._lookup.iter_named(scope, name)
            if other.get_kind(one) is SymbolKind.MACRO and rules.find_home(other)[:1] == root
        )
        return FoundDeclarations(found, is_certain=False) if found else NOT_FOUND
