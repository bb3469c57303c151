"""Name rules of Rust: crates by `Cargo.toml`, modules by file layout, `use` and `pub use`."""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.program import Program
from repo_mcp.graph.rust.crates import Crates
from repo_mcp.graph.typed.file_scope import FileScope, is_public
from repo_mcp.graph.typed.rules import OUTSIDE, Path, Rules
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Reference, ReferenceRole, SymbolKind

MAX_NAMING = 60  # files that name an item, from which the crate that declares it is guessed
_OUTSIDE_CRATES = frozenset({"std", "core", "alloc", "proc_macro", "test"})
# generated code names them `::std`, also beside modules of that name
_EVERYWHERE = frozenset({"std", "core"})
# Types and traits of the standard library that need no import.
_PRELUDE_TEXT = """
Option Result Vec String Box Iterator IntoIterator DoubleEndedIterator ExactSizeIterator FromIterator Extend
ToOwned ToString Clone Copy Default Eq Ord PartialEq PartialOrd From Into TryFrom TryInto AsRef AsMut Drop Fn
FnMut FnOnce Future IntoFuture Send Sync Sized Unpin
"""
PRELUDE = frozenset(_PRELUDE_TEXT.split())
# Members of wrappers such as Option and Arc; the lookup continues in the same type.
_TRANSPARENT_TEXT = """
unwrap expect clone as_ref as_mut borrow borrow_mut lock unwrap_or_default to_owned await by_ref
into_inner deref deref_mut ok cloned as_deref as_deref_mut get_mut unwrap_unchecked take unwrap_or_else
iter iter_mut into_iter rev skip filter peekable copied drain default
"""
_GIVING_ITEM_TEXT = """
next first last first_mut last_mut get get_mut get_unchecked get_unchecked_mut pop pop_front pop_back front
back front_mut back_mut peek next_back nth remove
"""
_POINTERS_TEXT = """
clone as_ref as_mut as_ptr borrow borrow_mut deref deref_mut get_mut into_inner into_owned to_owned set
"""


_RESULTS_TEXT = """
and and_then contains copied err expect_err flatten get_or_insert get_or_insert_with insert inspect
inspect_err into_err into_ok is_err is_err_and is_none is_none_or is_ok is_ok_and is_some is_some_and iter
map map_err map_or map_or_else ok_or ok_or_else or or_else replace transpose unwrap_err unwrap_or unzip xor
zip
"""


# Methods of paths, strings, files, times and iterators of the standard library.
_LIBRARY_TEXT = """
all ancestors any as_bytes as_os_str as_path as_slice as_str bytes canonicalize capacity chain chars chunks
cmp collect components cycle dedup display duration_since elapsed ends_with entries entry enumerate eq
exists extend extension file_name file_stem filter_map find_map finish flat_map flush fold for_each fmt hash
into_string is_absolute is_dir is_file keys kind lines lock max metadata min modified ne parent partial_cmp
parse position read_dir read_line read_to_end read_to_string repeat replace reserve resize retain seek send
recv sort sort_by sort_unstable source spawn split split_at starts_with step_by strip_prefix strip_suffix sum
swap take_while to_lowercase to_path_buf to_str to_string_lossy to_uppercase to_vec trim truncate try_from
try_into values wait windows with_extension with_file_name write_all write_fmt write_str zip
"""


class FollowedPath(tuple[str, ...]):
    """A path to which an import leads."""

    own = 0  # first names, at which all imports count, since the crate itself wrote them
    is_wide = False  # found through a wildcard import
    is_hidden = False  # that too, and a named one hides it unless that leads nowhere


class RustRules(Rules):
    """The rules of Rust. Full paths begin with the folder of the crate, then the modules."""

    languages = frozenset({"rust"})
    has_extensions = True
    checks_extensions = True
    separates_fields = True
    self_words = frozenset({"self", "Self"})
    transparent = frozenset(_TRANSPARENT_TEXT.split())
    item_getters = frozenset(_GIVING_ITEM_TEXT.split())
    result_members = frozenset(_RESULTS_TEXT.split())
    pointer_members = frozenset(_POINTERS_TEXT.split())
    projections = frozenset({"project", "project_ref"})
    library_members = frozenset(_LIBRARY_TEXT.split())

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.crates = Crates(program)
        self.place = ("", 0)  # path and line of the use that is being resolved

    # Crates and modules

    def find_home(self, scope: FileScope) -> Path:
        """Return the crate's folder and the modules of a file."""
        return self.crates.get_home(scope.path)

    def _find_crate(self, folder: str) -> str:
        return self.crates.find_folder(folder)

    def _find_crate_named(self, scope: FileScope, name: str, item: str) -> str | None:
        """Return the folder of a crate of this repository: one nearby, or that of a file with `item`."""
        own = self._find_crate(scope.folder)
        if self.crates.find_name(own) == name:
            return own
        listed = self.crates.find_dependency(own, name)
        if listed is not None:
            return listed
        above = own.rpartition("/")[0]
        prefixes = {f"{above}/" if above else "", f"{own}/" if own else "", ""}
        for prefix in sorted(prefixes):
            for folder in (
                name,
                name.replace("_", "-"),
                f"crates/{name}",
                f"crates/{name.replace('_', '-')}",
            ):
                crate = prefix + folder
                if self.program.has_folder(f"{crate}/src") and self._find_crate(f"{crate}/src") == crate:
                    return crate
        for path in [*self.program.list_declaring(item), *self.program.list_using(item)][:MAX_NAMING]:
            crate = self._find_crate(path.rpartition("/")[0])
            if self.crates.find_name(crate) == name:
                return crate
        return None

    # Names

    def _find_module(self, scope: FileScope, ordinal: int) -> Path:
        """Return the module around a symbol."""
        inner = [scope.get_name(one) for one in scope.iter_around(ordinal) if self._is_inline(scope, one)]
        return self.find_home(scope) + tuple(reversed(inner))

    def _is_inline(self, scope: FileScope, ordinal: int) -> bool:
        return scope.get_kind(ordinal) is SymbolKind.MODULE and not scope.is_forward(ordinal)

    def iter_seen(self, scope: FileScope, ordinal: int) -> Iterator[int]:
        """Yield a symbol and those around it whose names it sees: no further than its module."""
        for one in scope.iter_around(ordinal):
            yield one
            if self._is_inline(scope, one):
                return

    def _keep_seen(self, scope: FileScope, ordinal: int, rows: list[Reference]) -> list[Reference]:
        """Return the imports that a symbol sees; one in a block of a function counts only inside it."""
        if not rows:
            return rows
        seen = set(self.iter_seen(scope, ordinal))
        path, line = self.place
        return [
            row
            for row in rows
            if row.symbol in seen
            and (not row.arguments or path != scope.path or row.line <= line <= row.line + row.arguments - 1)
        ]

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the module around a symbol, and the targets of wildcard imports."""
        module = self._find_module(scope, ordinal)
        wide = []
        for row in self._keep_seen(scope, ordinal, scope.wildcard_imports):
            if row.qualifier:
                path = self._make_absolute(scope, row.symbol, tuple(row.qualifier.split(".")))
                if path is not None and path[:1] != OUTSIDE:
                    wide.append(path)
        return [module, *wide]

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the path that `use` binds to a name; the first one if a `cfg` chooses between several."""
        return next(iter(self.list_import_paths(scope, ordinal, name)), None)

    def list_import_paths(self, scope: FileScope, ordinal: int, name: str) -> list[Path]:
        """Return the paths that `use` binds to a name in one scope, of which a `cfg` chooses one."""
        rows = [one for one in self._keep_seen(scope, ordinal, scope.find_imports(name)) if one.name != "*"]
        found: list[Path] = []
        for row in rows:
            names = tuple(filter(None, (*row.qualifier.split("."), row.name)))
            if names == (name,) or row.symbol != rows[0].symbol:
                break
            path = self._make_absolute(scope, row.symbol, names)
            if path is None:
                break
            found.append(path)
        return found

    def list_local_imports(self, scope: FileScope, ordinal: int, name: str) -> list[Path]:
        """Return the paths that `use` binds to a name in functions, hiding what the module declares."""
        rows = [*scope.find_imports(name), *scope.wildcard_imports]
        if not any(scope.get_kind(row.symbol) in CALLABLE_KINDS for row in rows):
            return []
        found = []
        for around in self.iter_seen(scope, ordinal):
            for row in self._keep_seen(scope, around, rows):
                if row.symbol == around and scope.get_kind(around) in CALLABLE_KINDS and row.qualifier:
                    last = name if row.name == "*" else row.name
                    path = self._make_absolute(scope, around, (*row.qualifier.split("."), last))
                    if path is not None and (row.name != "*" or path[:1] != OUTSIDE):
                        found.append(path)
        return found

    def _make_absolute(self, scope: FileScope, ordinal: int, names: Path) -> Path | None:
        """Return the full path of a written path; OUTSIDE + names for one of another repository."""
        first, rest = names[0], names[1:]
        module = self._find_module(scope, ordinal)
        if first == "crate":
            return get_crate_root(module) + rest
        while first == "self" and rest:
            first, rest = rest[0], rest[1:]
            if first not in {"self", "super"}:
                return (*module, first, *rest)
        if first == "super":
            above = module[:-1] if len(module) > 1 else module
            while rest[:1] == ("super",) and len(above) > 1:
                above, rest = above[:-1], rest[1:]
            return above + rest
        if self._is_outside(scope, ordinal, first):
            return OUTSIDE + names
        bound = self._find_in_module(scope, ordinal, first)
        if bound is not None:
            return bound + rest
        crate = self._find_crate_named(scope, first, names[-1])
        return (crate, *rest) if crate is not None else OUTSIDE + names

    def _is_outside(self, scope: FileScope, ordinal: int, name: str) -> bool:
        """Return whether a name means a crate of the compiler, which a module of that name may hide."""
        if name not in _OUTSIDE_CRATES:
            return False
        rows = self._keep_seen(scope, ordinal, scope.find_imports(name))
        if any(row.name and (row.qualifier or row.name).partition(".")[0] != name for row in rows):
            return False
        found = (one for seen in self.iter_seen(scope, ordinal) for one in scope.find_children(seen, name))
        return name in _EVERYWHERE or all(scope.get_kind(one) is not SymbolKind.MODULE for one in found)

    def _find_in_module(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the path of a name in the module itself: that of a module, a type or an import."""
        module = self._find_module(scope, ordinal)
        for around in self.iter_seen(scope, ordinal):
            if scope.find_children(around, name):
                return (*module, name)
        for row in self._keep_seen(scope, ordinal, scope.find_imports(name)):
            written = (*filter(None, row.qualifier.split(".")), row.name)
            if row.name and written[0] != name:
                return self._make_absolute(scope, row.symbol, written)
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """Return one full path, or one in each visible module; none of what a function declares."""
        if names[0] in {"crate", "self", "super"} or self._is_outside(scope, ordinal, names[0]):
            path = self._make_absolute(scope, ordinal, names)
            return [path] if path is not None else []
        bound = self.find_import(scope, ordinal, names[0])
        if bound is not None:
            return [bound + names[1:]]
        is_listed = names[0] in self.crates.list_dependencies(self._find_crate(scope.folder))
        crate = self._find_crate_named(scope, names[0], names[-1])
        hiding = next(
            (one for one in self.iter_seen(scope, ordinal) if scope.find_children(one, names[0])), None
        )
        if hiding is not None and scope.get_kind(hiding) in CALLABLE_KINDS:
            return []
        # Behind a wildcard import of another repository any name may be declared, but hardly that of a crate.
        if crate is not None and is_listed and hiding is None:
            return [(crate, *names[1:])]
        found = [container + names for container in self.list_visible(scope, ordinal)]
        if crate is not None:
            return [*found, (crate, *names[1:])]
        return [*found, OUTSIDE + names] if is_listed else found

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the path of the declaration, and the file if the path is a module."""
        qualifier, name = row.qualifier, row.name
        names = (*filter(None, qualifier.split(".")), *((name,) if name not in {"", "*"} else ()))
        path = self._make_absolute(scope, row.symbol, names) if names else None
        if path is None or path[:1] == OUTSIDE:
            return [], [], ".".join(filter(None, (*names, "*" if name == "*" else "")))
        file = self._find_module_file(path)
        if file in {None, scope.path} or self._is_hidden(scope, path):
            return [], [path], ""
        return [file], [path], ""

    def _is_hidden(self, scope: FileScope, path: Path) -> bool:
        """Return whether a path is a private module of another crate: then a macro of that name is meant."""
        if len(path) < 2 or get_crate_root(self.find_home(scope)) == path[:1]:
            return False
        file = self._find_module_file(path[:-1])
        outer = self.find_scope(file) if file is not None else None
        declared = outer.find_children(0, path[-1]) if outer is not None else []
        modules = [one for one in declared if outer is not None and outer.is_forward(one)]
        return bool(modules) and all(outer is not None and not is_public(outer, one) for one in modules)

    def _find_module_file(self, path: Path) -> str | None:
        """Return the file of a module, or None."""
        return next(iter(self.crates.list_files(path)), None)

    def list_reexports(self, scope: FileScope, path: Path) -> list[Path]:
        """Return the paths that a path may stand for, by the imports of the innermost module file on it.

        A crate sees all imports of its own modules, but only the re-exports of others. A test or an example
        is a crate of its own.
        """
        beside = self.crates.find_beside(path)
        found = [beside] if beside is not None else []
        stars: list[FollowedPath] = []
        is_named = False
        own = path.own if isinstance(path, FollowedPath) else 0
        for cut in range(len(path) - 1, 0, -1):
            file = self._find_module_file(path[:cut])
            module = self.find_scope(file) if file is not None else None
            if module is None:
                continue
            is_own = get_crate_root(self.find_home(module)) == get_crate_root(self.find_home(scope))
            rows = module.imports if is_own else [*module.exports, *(module.imports if own else ())]
            for row in rows:
                if row.name != "*" and row.alias not in path:
                    continue
                around = self._find_module(module, row.symbol)
                if path[: len(around)] != around or path == around:
                    continue
                if module.get_kind(row.symbol) in CALLABLE_KINDS:
                    continue
                if not is_own and row.role is ReferenceRole.IMPORT and len(around) >= own:
                    continue
                target = self._follow(module, row, path, len(around))
                if target is None or target == path or target in found or target in stars:
                    continue
                (stars if row.name == "*" else found).append(target)
                is_named = is_named or row.name != "*"
            break
        stars.sort(key=lambda one: one[:1] == OUTSIDE)
        for one in stars:
            one.is_wide, one.is_hidden = True, is_named
        return [*found, *stars]

    def _follow(self, module: FileScope, row: Reference, path: Path, depth: int) -> FollowedPath | None:
        """Return where a path leads whose name at `depth` an import of a module binds, or None."""
        names = (*row.qualifier.split("."), "" if row.name == "*" else row.name)
        written = tuple(filter(None, names))
        if not written or (row.name != "*" and row.alias != path[depth]):
            return None
        target = self._make_absolute(module, row.symbol, written)
        is_declared = row.name == "*" and bool(module.find_children(row.symbol, path[depth]))
        if target is None or (is_declared and target[:1] == OUTSIDE):
            return None
        found = FollowedPath(target + (path[depth:] if row.name == "*" else path[depth + 1 :]))
        crate = get_crate_root(self.find_home(module))
        found.own = len(target) if target[: len(crate)] == crate else 0
        return found

    def is_same_type(self, scope: FileScope, ordinal: int, other: FileScope, extension: int) -> bool:
        """Return whether an `impl` may be for a type: one of the same crate, or an external one."""
        is_extension = scope.get_kind(ordinal) is SymbolKind.EXTENSION
        return is_extension or self._find_crate(scope.folder) == self._find_crate(other.folder)

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return False for `mod a;`, which is not the module: that is found by its file."""
        return not (other.is_forward(ordinal) and other.get_kind(ordinal) is SymbolKind.MODULE)

    def read_result(self, text: str) -> str:
        """Return the type inside Result, Option or Poll: most members in a chain are those of that type."""
        text = text.strip()
        for _ in range(3):
            head, angle, inside = text.partition("<")
            if angle and head.rpartition("::")[2] in {"Result", "Option", "Poll"}:
                text = inside
        return text


def is_after_type(call: Reference) -> bool:
    """Return whether a call is a path that ends with the name of a type, by its look: `Shape::new(1)`."""
    last = call.qualifier.rpartition(".")[2]
    return last.isidentifier() and last[:1].isupper()


def takes_arguments(call: Reference, parameters: int, *, is_static: bool) -> bool:
    """Return whether a function with so many parameters, besides `self`, takes the arguments of a call.

    There are no overloads and no default values. After a type, `self` is the first argument.
    """
    wanted = parameters + (is_after_type(call) and not is_static)
    return not call.arguments or call.arguments - 1 == wanted


def get_crate_root(module: Path) -> Path:
    """Return the path of the root module of the crate that a module is in."""
    return module[:3] if len(module) > 1 and module[1] == "" else module[:1]
