"""Reads the crates of Rust: their manifests, their roots, and the modules of files.

The home of a file is the folder of its package, followed by the names of its modules: `("app", "shapes",
"round")`. In a crate that is not the library, an empty name and the root of the crate follow the folder:
`("app", "", "tests/all")`. A program whose root is beside that of the library counts as one crate with it.
Left out on purpose: `#[path]` of modules, and what build scripts set.
"""

from __future__ import annotations

import re
from posixpath import dirname, normpath

from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.rules import Path
from repo_mcp.record_classes import dataclass

MAX_FOLDERS = 40
MAX_MANIFEST_LINES = 2_000
_NAME = re.compile(r"^\s*name\s*=\s*\"([^\"]+)\"", re.M)
_MAKING = re.compile(r"^\s*proc-macro\s*=\s*true\b", re.M)
_SECTION = re.compile(r"\s*\[(.*dependencies|patch\.[\w-]++)?(?:\.\s*\"?([\w-]++))?[^\]]*\]")
_TARGET = re.compile(r"\s*\[\[?\s*(lib|bin|test|example|bench)\s*\]")
_KEY = re.compile(r"^\s*\"?([A-Za-z_][\w-]*)\"?\s*(?:=|\.)")
_FOLDER = re.compile(r"\bpath\s*=\s*\"([^\"]+)\"")
_NAMED = re.compile(r"\s*name\s*=\s*\"([^\"]+)\"")
_ROOTS = ("src/lib.rs", "src/main.rs")
_ROOT_FILES = frozenset({"lib", "main", "mod"})
# Folders in which each file or folder is a crate of its own.
_APART = ("tests", "examples", "benches", "src/bin")


@dataclass(frozen=True, slots=True)
class _Roots:
    """The roots of a package's crates, and the folders of their modules, each with its home."""

    files: dict[str, Path]
    folders: dict[str, Path]
    source: str  # the folder of the library's root
    name: str  # of the library, if it is written


class Crates:
    """Reads manifests, and finds the modules of files and the files of modules."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._folders: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._roots: dict[str, _Roots] = {}
        self._dependencies: dict[str, dict[str, str | None]] = {}
        self._making: dict[str, bool] = {}
        self._homes: dict[str, Path] = {}
        self._files: dict[Path, tuple[str, ...]] = {}

    # Packages

    def find_folder(self, folder: str) -> str:
        """Return the folder of the package: the nearest one above with a manifest or a root module."""
        found = self._folders.get(folder)
        if found is None:
            has_file, prefix = self._program.has_file, f"{folder}/" if folder else ""
            is_crate = has_file(prefix + "Cargo.toml") or any(has_file(prefix + root) for root in _ROOTS)
            deep = folder.count("/") < MAX_FOLDERS
            found = folder if is_crate or not folder or not deep else self.find_folder(dirname(folder))
            self._folders[folder] = found
        return found

    def find_name(self, crate: str) -> str:
        """Return the name under which others import a package's library."""
        if crate not in self._names:
            found = _NAME.search(self._read(crate))
            name = found.group(1) if found is not None else crate.rpartition("/")[2]
            self._names[crate] = (self._get_roots(crate).name or name).replace("-", "_")
        return self._names[crate]

    def makes_macros(self, folder: str) -> bool:
        """Return whether the package around a folder is a crate of procedural macros, which are functions."""
        crate = self.find_folder(folder)
        if crate not in self._making:
            self._making[crate] = _MAKING.search(self._read(crate)) is not None
        return self._making[crate]

    def find_dependency(self, crate: str, name: str) -> str | None:
        """Return the folder of a dependency: what the manifest says, or that of the workspace around it."""
        folder: str | None = None
        if name in self.list_dependencies(crate):
            folder, around = self.list_dependencies(crate)[name], crate
            while folder is None and around:
                around = dirname(around)
                folder = self.list_dependencies(around).get(name)
        return folder if folder is not None and self.find_folder(folder) == folder else None

    def list_dependencies(self, crate: str) -> dict[str, str | None]:
        """Return the dependencies in a manifest: name in code -> folder, None if none is given."""
        if crate not in self._dependencies:
            found: dict[str, str | None] = {}
            is_list, named = False, ""
            for line in self._read(crate).split("\n")[:MAX_MANIFEST_LINES]:
                section = _SECTION.match(line)
                if section is not None:
                    is_list, named = bool(section.group(1)), section.group(2) or ""
                    if named:
                        found.setdefault(named, None)
                elif is_list:
                    _read_dependency(crate, line, named, found)
            self._dependencies[crate] = {name.replace("-", "_"): folder for name, folder in found.items()}
        return self._dependencies[crate]

    def _read(self, crate: str) -> str:
        path = _join(crate, "Cargo.toml")
        text = self._program.read_text(path) if self._program.has_file(path) else None
        return text or ""

    def _get_roots(self, crate: str) -> _Roots:
        if crate not in self._roots:
            self._roots[crate] = self._find_roots(crate)
        return self._roots[crate]

    def _find_roots(self, crate: str) -> _Roots:
        """Return the roots that a manifest names, and those that need no name."""
        declared, name = _read_targets(self._read(crate))
        library = next((_join(crate, path) for kind, path in declared if kind == "lib"), "")
        library = library or _join(crate, _ROOTS[0])
        source = dirname(library)
        files: dict[str, Path] = {library: (crate,)}
        folders: dict[str, Path] = {source: (crate,)}
        for path in (
            *(_join(crate, path) for kind, path in declared if kind == "bin"),
            _join(crate, _ROOTS[1]),
        ):
            folder = dirname(path)
            if path not in files and dirname(_cut(crate, path)) not in _APART:
                home = folders.setdefault(folder, (crate, "", _cut(crate, folder)))
                files[path] = home
        return _Roots(files, folders, source, name)

    # Modules

    def get_home(self, path: str) -> Path:
        """Return the folder of the package, and the modules of a file."""
        home = self._homes.get(path)
        if home is None:
            home = self._homes[path] = self._find_home(path)
        return home

    def _find_home(self, path: str) -> Path:
        folder, _, file_name = path.rpartition("/")
        crate = self.find_folder(folder)
        roots = self._get_roots(crate)
        if path in roots.files:
            return roots.files[path]
        inside = _cut(crate, path).removesuffix(".rs")
        apart = next((one for one in _APART if inside.startswith(one + "/")), "")
        around = [
            one for one in roots.folders if _is_below(folder, one) and _is_below(one, _join(crate, apart))
        ]
        if not around:
            return _name_apart(crate, inside, apart)
        base = max(around, key=len)
        if not _cut(crate, base) and folder == base and file_name == "build.rs":
            return (crate, "", "build")
        modules = [*filter(None, _cut(base, folder).split("/"))]
        stem = file_name.removesuffix(".rs")
        if stem not in _ROOT_FILES or (modules and stem != "mod"):
            modules.append(stem)
        return (*roots.folders[base], *modules)

    def is_root_in(self, path: str, folder: str, other: str) -> bool:
        """Return whether a file is the root of a crate in a folder of the package that has `other`."""
        home = self.get_home(path) if path.endswith(".rs") else ()
        own = self.get_home(other)
        return len(home) == 3 and home[:2] == own[:2] and home[2].rpartition("/")[0] == folder

    def list_files(self, path: Path) -> tuple[str, ...]:
        """Return the files of a module; a crate's root may have several."""
        found = self._files.get(path)
        if found is None:
            has_file = self._program.has_file
            found = self._files[path] = tuple(one for one in self._list_choices(path) if has_file(one))
        return found

    def _list_choices(self, path: Path) -> list[str]:
        crate, apart = path[0], path[1:2] == ("",)
        roots = self._get_roots(crate)
        around, modules = path[: 3 if apart else 1], path[3 if apart else 1 :]
        if not modules and around in roots.folders.values():
            return [file for file, home in roots.files.items() if home == around]
        folder = _join(crate, path[2]) if len(around) == 3 else roots.source
        if not modules:
            return [f"{folder}.rs", f"{folder}/main.rs", f"{folder}/mod.rs"]
        inner = _join(folder, "/".join(modules))
        return [f"{inner}.rs", f"{inner}/mod.rs"]

    def find_beside(self, path: Path) -> Path | None:
        """Return the path of a file beside a test, given the path of `mod a;` in the test, or None."""
        if len(path) < 4 or path[1] or self.list_files(path[:4]) or not self.list_files(path[:3]):
            return None
        moved = (*path[:2], _join(dirname(path[2]), path[3]), *path[4:])
        return moved if self.list_files(moved[:3]) else None


def _read_targets(manifest: str) -> tuple[list[tuple[str, str]], str]:
    """Return the kind and the path of each target that has a path, and the name of the library."""
    found: list[tuple[str, str]] = []
    kind = name = ""
    for line in manifest.split("\n")[:MAX_MANIFEST_LINES]:
        section = _TARGET.match(line)
        if section is not None or line.lstrip().startswith("["):
            kind = section.group(1) if section is not None else ""
            continue
        path, named = _FOLDER.match(line.lstrip()), _NAMED.match(line)
        if kind and path is not None:
            found.append((kind, path.group(1)))
        if kind == "lib" and named is not None:
            name = named.group(1)
    return found, name


def _read_dependency(crate: str, line: str, named: str, found: dict[str, str | None]) -> None:
    """Record the dependency in a line, or the folder of the one that its section is `named` after."""
    key = _KEY.match(line)
    if key is None:
        return
    name, path = named or key.group(1), _FOLDER.search(line)
    if not named or key.group(1) == "path":
        folder = None if path is None else _join(crate, path.group(1))
        found[name] = found.get(name) if folder is None else folder


def _name_apart(crate: str, inside: str, apart: str) -> Path:
    """Return the home of a file that belongs to no library or named program, such as a test."""
    if not apart:
        return (crate, "", inside)
    modules = inside[len(apart) + 1 :].split("/")
    if len(modules) > 1 and modules[-1] in _ROOT_FILES:
        modules.pop()
    return (crate, "", f"{apart}/{modules[0]}", *modules[1:])


def _join(folder: str, path: str) -> str:
    joined = normpath(f"{folder}/{path}".lstrip("/"))
    return "" if joined == "." else joined


def _cut(folder: str, path: str) -> str:
    """Return a path below a folder, relative to it."""
    return path[len(folder) :].lstrip("/")


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(folder + "/")
