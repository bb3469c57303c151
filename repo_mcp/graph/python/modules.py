"""Python modules and packages as files and folders of the repository.

A module is a path: of a file (`a/b.py`, `a/b/__init__.py`), or of a folder without an `__init__` and with a
trailing "/" (`a/b/`), which is a namespace package. An absolute name is looked up in the source roots of the
importing file: the nearest enclosing folder that is not a package, the folders above it, and `src`, `lib` and
`python` in each of them. If none has it, the only package of that name in the repository's code is meant;
tests and vendored code do not count. All other names are external.

Left out on purpose: changes that programs make to `sys.path`, and installed packages.
"""

from __future__ import annotations

from repo_mcp.graph.program import Program
from repo_mcp.lru_cache import LruCache
from repo_mcp.text.roles import FileRole, find_role

MAX_KEPT = 100_000  # cached answers of each kind
MAX_FOLDERS = 64  # around a file
MAX_PACKAGES = 20_000  # found by their `__init__`, anywhere
_NESTED_ROOTS = ("", "src/", "lib/", "python/")
_STEMS = (".py", ".pyi")
_INITS = ("__init__.py", "__init__.pyi")


class PythonModules:
    """The modules of one program. Results are cached."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._roots: LruCache[str, tuple[str, ...]] = LruCache(MAX_KEPT)
        self._found: LruCache[tuple[str, str], str | None] = LruCache(MAX_KEPT)
        self._tops: dict[str, dict[str, None]] | None = None  # package name -> folders around such packages

    def find_module(self, path: str, name: str) -> str | None:
        """Return the module that a dotted name means in a file, or None; ".x" and "..x" are relative."""
        if name.startswith("."):
            return self._find_relative(path, name)
        folder = _folder(path)
        return self._found.get((folder, name), lambda: self._find_absolute(folder, name))

    def find_submodule(self, module: str, name: str) -> str | None:
        """Return a module in a package; None when there is none, or `module` is not a package."""
        if not name or "." in name:
            return None
        if not module.endswith("/") and not module.endswith(_INITS):
            return None
        return self._find_in(_folder(module), name)

    def _find_in(self, folder: str, name: str) -> str | None:
        """Return the module with a name directly inside a folder, which ends in "/" or is empty."""
        program = self._program
        for init in _INITS:
            if program.has_file(f"{folder}{name}/{init}"):
                return f"{folder}{name}/{init}"
        for suffix in _STEMS:
            if program.has_file(f"{folder}{name}{suffix}"):
                return f"{folder}{name}{suffix}"
        return f"{folder}{name}/" if program.has_folder(folder + name) else None

    def _follow(self, folder: str, names: list[str]) -> str | None:
        found: str | None = None
        for number, name in enumerate(names):
            found = self._find_in(folder, name)
            if found is None:
                return None
            if number + 1 < len(names) and not found.endswith("/") and not found.endswith(_INITS):
                return None
            folder = _folder(found)
        return found

    def _find_relative(self, path: str, name: str) -> str | None:
        rest = name.lstrip(".")
        folder = _folder(path)
        for _ in range(len(name) - len(rest) - 1):
            if not folder:
                return None
            folder = _folder(folder[:-1])
        if rest:
            return self._follow(folder, rest.split("."))
        for init in _INITS:
            if self._program.has_file(folder + init):
                return folder + init
        return folder or None

    def _find_absolute(self, folder: str, name: str) -> str | None:
        names = name.split(".")
        namespace: str | None = None
        for root in self._list_roots(folder):
            found = self._follow(root, names)
            if found is not None and not found.endswith("/"):
                return found
            namespace = namespace or found
        top = self._find_top(names[0])
        if top is not None and (found := self._follow(top, names)) is not None:
            return found
        return namespace if namespace is not None and self._holds_python(namespace) else None

    def _holds_python(self, folder: str) -> bool:
        """Return whether a folder may be a namespace package: its name is an identifier."""
        return all(part.isidentifier() for part in folder.rstrip("/").split("/")[-1:])

    def _list_roots(self, folder: str) -> tuple[str, ...]:
        """Return the folders in which absolute names are looked up, nearest first."""
        return self._roots.get(folder, lambda: self._find_roots(folder))

    def _find_roots(self, folder: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        around = folder
        for _ in range(MAX_FOLDERS):
            if not self.is_package(around):
                for nested in _NESTED_ROOTS:
                    if self._program.has_folder((around + nested).rstrip("/")):
                        found[around + nested] = None
            if not around:
                break
            around = _folder(around[:-1])
        return tuple(found)

    def _find_top(self, name: str) -> str | None:
        """Return the folder around the only package with a name; None if there is none or several."""
        if self._tops is None:
            self._tops = {}
            for init in _INITS:
                for path in self._program.list_declaring(init)[:MAX_PACKAGES]:
                    folder = _folder(path)
                    around = _folder(folder[:-1])
                    is_own = find_role(path) is FileRole.CODE
                    if folder and is_own and not self.is_package(around):
                        self._tops.setdefault(folder[len(around) : -1], {})[around] = None
        tops = self._tops.get(name, {})
        return next(iter(tops)) if len(tops) == 1 else None

    def is_package(self, folder: str) -> bool:
        """Return whether a folder, "" or ending in "/", has an `__init__`."""
        return any(self._program.has_file(folder + init) for init in _INITS)


def _folder(path: str) -> str:
    """Return the folder of a path with its "/", or the empty string; a folder is its own."""
    return path[: path.rfind("/") + 1]


def qualified_module(path: str, program: Program) -> str:
    """Return the dotted name under which a file is imported: "pkg.sub.mod", or "pkg" for `pkg/__init__.py`.

    It begins where folders stop being packages or, inside a folder `src`, directly below that.
    """
    folder = _folder(path)
    stem = path[len(folder) :].partition(".")[0]
    names = [] if stem == "__init__" else [stem]
    for _ in range(MAX_FOLDERS):
        if not folder or not any(program.has_file(folder + init) for init in _INITS):
            break
        parent = _folder(folder[:-1])
        names.append(folder[len(parent) : -1])
        folder = parent
    around = folder.split("/")[:-1]
    if "src" in around:
        below = around[len(around) - around[::-1].index("src") :]
        if all(one.isidentifier() for one in below):
            names += reversed(below)
    return ".".join(reversed(names)) or stem
