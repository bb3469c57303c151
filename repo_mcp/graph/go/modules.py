"""The folders that import paths of Go name: through modules, folders `vendor` and the standard library.

Left out on purpose: which version of a module a build chooses.
"""

from __future__ import annotations

import posixpath
import re

from repo_mcp.graph.program import Program

MAX_FOLDERS = 40  # above a file, searched for go.mod
MAX_LOCAL = 200  # folders of modules that are read from one go.mod or go.work
_MODULE = re.compile(r"^[ \t]*module[ \t]+\"?([^\s\"]+)", re.M)
_LOCAL = re.compile(r"^(?:.*=>|[ \t]*use)?[ \t]*(\.\.?(?:/[^\s\"]*)?)[ \t]*(?://.*)?$", re.M)
_STD = "std"  # the module of the standard library: imports do not begin with its name


class GoModules:
    """The modules of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._modules: dict[str, list[tuple[str, str]]] = {}
        self._folders: dict[tuple[str, str], str | None] = {}  # by the folder of a file and an import path

    def find_folder(self, near: str, import_path: str) -> str | None:
        """Return the folder of a path that a file in the folder `near` imports; None if it is not here."""
        key = near, import_path
        if key not in self._folders:
            is_path = not import_path.startswith(".")
            self._folders[key] = self._find_folder(near, import_path) if is_path else None
        return self._folders[key]

    def list_import_paths(self, folder: str) -> list[str]:
        """Return the paths by which files import the package in a folder; empty if none is known."""
        _, vendor, vendored = f"/{folder}".rpartition("/vendor/")
        if vendor:
            return [vendored]
        found = []
        for root, name in self._list_modules(folder):
            if not root or f"{folder}/".startswith(f"{root}/"):
                inside = folder[len(root) :].strip("/")
                found.append("/".join(filter(None, ["" if name == _STD else name, inside])))
        return found

    def _find_folder(self, near: str, import_path: str) -> str | None:
        for root, name in self._list_modules(near):
            if import_path == name:
                return root
            prefix = "" if name == _STD else f"{name}/"
            if import_path.startswith(prefix):
                folder = f"{root}/{import_path.removeprefix(prefix)}".strip("/")
                if self._program.has_folder(folder):
                    return folder
        return self._find_vendored(near, import_path) or self._find_by_ending(import_path)

    def _find_vendored(self, near: str, import_path: str) -> str | None:
        """Return the folder of an import path in the nearest folder `vendor` that lies above a file."""
        while True:
            folder = f"{near}/vendor/{import_path}".lstrip("/")
            if self._program.has_folder(folder):
                return folder
            if not near:
                return None
            near = near.rpartition("/")[0]

    def _find_by_ending(self, import_path: str) -> str | None:
        """Return the folder that the last parts of an import path name."""
        parts = import_path.split("/")
        if "." not in parts[0]:
            return None
        for start in (3, 2, 1):
            ending = "/".join(parts[start:])
            if ending and "/" in ending and self._program.has_folder(ending):
                return ending
        return None

    def _list_modules(self, folder: str) -> list[tuple[str, str]]:
        """Return the folders and names of the modules that a folder may import from, nearest first.

        They are the modules around it, those that their go.mod and go.work name by folders, and the one in
        `src`, where Go has its standard library.
        """
        if folder not in self._modules:
            found: dict[tuple[str, str], None] = {}
            for text in (self._read(folder, "go.mod"), self._read(folder, "go.work")):
                for local in ("", "src", *list_local(text)):
                    other = posixpath.normpath(f"{folder}/{local}".strip("/"))
                    other = "" if other == "." else other
                    named = _MODULE.search(self._read(other, "go.mod"))
                    found |= {(other, named.group(1)): None} if named is not None else {}
            above = folder.rpartition("/")[0]
            is_deep = folder.count("/") >= MAX_FOLDERS
            found |= dict.fromkeys(self._list_modules(above) if folder and not is_deep else [])
            self._modules[folder] = list(found)
        return self._modules[folder]

    def _read(self, folder: str, name: str) -> str:
        """Return the text of a file in a folder that belongs to the repository; "" if there is none."""
        path = f"{folder}/{name}".lstrip("/")
        return (self._program.read_text(path) or "") if self._program.has_file(path) else ""


def list_local(text: str) -> list[str]:
    """Return the folders that a go.mod or go.work names: `use ./a`, `replace x => ../a`."""
    return _LOCAL.findall(text)[:MAX_LOCAL]
