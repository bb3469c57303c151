"""The declarations of a C# type that the project of a file compiles, where several projects declare a name.

A project is an assembly: its own type takes precedence over that of a referenced one, and all parts of a type
are in one assembly. The project of a file is the nearest folder with a file of its name, `a/b/b.csproj`; it
compiles all files below that it does not remove, and files from elsewhere that it includes. A type with the
modifier `file` exists in its file alone.

The usings of a project are those of its file and of the nearest Directory.Build.props and
Directory.Build.targets, as MSBuild reads them.

Left out on purpose: project files of another name, conditions, what else stands in Directory.Build.props, and
what a project imports by itself. Files outside all known projects may belong to any.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.record_classes import dataclass

SHARED_FILES = ("Directory.Build.props", "Directory.Build.targets")
MAX_PROJECT_CHARS = 200_000
MAX_REFERENCED = 200
MAX_GLOBS = 50
_ITEM = re.compile(r'<(Compile|ProjectReference)\s[^<>]*?\b(Include|Remove)\s*=\s*"([^"]*)"')
_USING = re.compile(r'<Using\s(?![^<>]*\bAlias\b)[^<>]*?\bInclude\s*=\s*"([\w.]+)"')
_PROPERTY = re.compile(r"<(\w+)>([^<$]*)</\1>")
_USED_PROPERTY = re.compile(r"\$\((\w+)\)")
_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")


@dataclass(frozen=True, slots=True)
class _Project:
    folder: str
    removed: tuple[re.Pattern[str], ...]
    included: tuple[re.Pattern[str], ...]
    referenced: tuple[str, ...]  # folders
    usings: tuple[str, ...]  # of all its files


class CSharpProjects:
    """Tells which declarations of one name a file sees, and caches the project files read."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._projects: dict[str, _Project | None] = {}
        self._reached: dict[str, frozenset[str]] = {}

    def find_folder(self, path: str) -> str | None:
        """Return the folder of the project that a file is in, or None."""
        found = self._find_project(posixpath.dirname(path))
        return found.folder if found is not None else None

    def list_usings(self, path: str) -> tuple[str, ...]:
        """Return the namespaces that the project of a file uses in all its files."""
        found = self._find_project(posixpath.dirname(path))
        return found.usings if found is not None else ()

    def narrow(self, path: str, parts: tuple[Declaration, ...]) -> tuple[tuple[Declaration, ...], bool]:
        """Return the parts that the project of a file sees, and whether these are all of one assembly."""
        homes = {part: self._find_project(posixpath.dirname(part.path)) for part in parts}
        known = {home.folder for home in homes.values() if home is not None}
        if len(known) < 2:
            return parts, True
        own = self._find_project(posixpath.dirname(path))
        if own is None:
            return parts, False
        is_removed = _is_matched(own.removed, path)
        compiled = [one for one in parts if self._is_compiled(own, one, homes[one], anyway=is_removed)]
        if compiled:  # a removed file may have the text of generated parts
            kept = {own, None}
            return tuple(one for one in parts if homes[one] in kept or one in compiled), True
        folders = {
            home.folder for one, home in homes.items() if home and not _is_matched(home.removed, one.path)
        }
        chosen = folders if len(folders) == 1 else folders & self._list_reached(own)
        if len(chosen) != 1:
            return parts, False
        return tuple(one for one, home in homes.items() if home is None or home.folder in chosen), True

    def is_foreign(self, path: str, parts: tuple[Declaration, ...]) -> bool:
        """Return whether the project of a file certainly sees none of the declarations.

        Then other projects compile all of them, and the project references none of these.
        """
        own = self._find_project(posixpath.dirname(path))
        if own is None or not own.referenced:
            return False
        seen = self._list_reached(own) | {own.folder}
        for part in parts:
            home = self._find_project(posixpath.dirname(part.path))
            if home is None or home.folder in seen or _is_matched(own.included, part.path):
                return False
        return True

    def _is_compiled(self, own: _Project, part: Declaration, home: _Project | None, *, anyway: bool) -> bool:
        if home is own:
            return anyway or not _is_matched(own.removed, part.path)
        return _is_matched(own.included, part.path)

    def _list_reached(self, project: _Project) -> frozenset[str]:
        """Return the folders of the projects that a project references, directly or through others."""
        if project.folder not in self._reached:
            waiting, seen = [*project.referenced], set(project.referenced)
            while waiting and len(seen) < MAX_REFERENCED:
                other = self._find_project(waiting.pop())
                new = [one for one in other.referenced if one not in seen] if other is not None else []
                seen.update(new)
                waiting += new
            self._reached[project.folder] = frozenset(seen)
        return self._reached[project.folder]

    def _find_project(self, folder: str) -> _Project | None:
        """Return the project of the nearest folder with a project file of its name, itself or above."""
        if folder not in self._projects:
            path = f"{folder}/{posixpath.basename(folder)}.csproj"
            if not folder:
                found = None
            elif self._program.has_file(path):
                shared = [self._read_nearest(folder, name) for name in SHARED_FILES]
                found = _read_project(folder, self._read(path), shared)
            else:
                found = self._find_project(posixpath.dirname(folder))
            self._projects[folder] = found
        return self._projects[folder]

    def _read_nearest(self, folder: str, name: str) -> str:
        """Return the text of the file of a name in a folder or the nearest one above; "" without one."""
        paths = (f"{one}/{name}".lstrip("/") for one in _list_upwards(folder))
        path = next(filter(self._program.has_file, paths), None)
        return "" if path is None else self._read(path)

    def _read(self, path: str) -> str:
        return (self._program.read_text(path) or "")[:MAX_PROJECT_CHARS]


def _list_upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, ending with the root, ""."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _read_project(folder: str, text: str, shared: Iterable[str]) -> _Project:
    """Read a project file; the texts in `shared` are of files that hold for several projects."""
    properties = {name: value.strip() for name, value in _PROPERTY.findall(text)}
    found: dict[str, list[str]] = {}
    for item, verb, written in _ITEM.findall(text):
        for one in _USED_PROPERTY.sub(lambda used: properties.get(used[1], ""), written).split(";"):
            plain = one.strip().replace("\\", "/")
            if plain:
                found.setdefault(item + verb, []).append(posixpath.normpath(f"{folder}/{plain}"))
    return _Project(
        folder,
        tuple(_compile_glob(one) for one in found.get("CompileRemove", ())[:MAX_GLOBS]),
        tuple(_compile_glob(one) for one in found.get("CompileInclude", ())[:MAX_GLOBS]),
        tuple(posixpath.dirname(one) for one in found.get("ProjectReferenceInclude", ())),
        tuple(using for one in (text, *shared) for using in _USING.findall(one)[:MAX_GLOBS]),
    )


def _compile_glob(glob: str) -> re.Pattern[str]:
    signs = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(signs.get(one) or re.escape(one) for one in _GLOB.findall(glob)))


def _is_matched(globs: tuple[re.Pattern[str], ...], path: str) -> bool:
    return any(one.fullmatch(path) for one in globs)
