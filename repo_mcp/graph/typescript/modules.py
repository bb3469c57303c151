"""The file that a TypeScript or JavaScript module name means: by relative path, tsconfig or package.

A package of the repository is searched for where the workspaces have packages, in a folder named like it, and
above the importing file. Its `exports` or `main` usually name built files that do not exist; then the source
is one that the configuration of its bundler names (`entry: ["src/exports/a.ts"]`), or is guessed by the usual
folders (`dist/a.js` -> `src/a.ts`), and must exist.

A package in a folder of another name is found among the folders with a package.json that the patterns of the
workspaces match. Workspaces may be declared in any folder above the importing file, the nearest first.

Left out on purpose: `node_modules`, and conditions of exports beyond their order.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from repo_mcp.graph.program import Program
from repo_mcp.graph.typescript.config_files import ConfigFiles, iter_up, join, under
from repo_mcp.graph.typescript.path_configs import PathConfigs

SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json")
_SOURCES = {".js": (".ts", ".tsx", ".d.ts", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_BUILT_FOLDER = r"^(?:dist|lib|build|out|esm|cjs|es|dist-\w+)"
_BUILT_ROOT = re.compile(f"{_BUILT_FOLDER}/")
_BUILT = re.compile(f"{_BUILT_FOLDER}(?:/(?:esm|cjs|es|types|src|node|browser))?/")
_GLOB_LINE = re.compile(r"""^[ \t]*-\s*+['"]?([^'"#\n]*(?:[^'"#\s]|\s(?=['"])))['"]?\s*$""", re.MULTILINE)
_BUNDLERS = ("tsdown", "tsup", "vite", "rollup", "rolldown", "build", "esbuild")
_ENTRY = re.compile(r"""['"](?:\./)?(src/[^'"*\n]+?)\.[cm]?[jt]sx?['"]""")
_CONDITIONS = ("source", "types", "import", "module", "node", "browser", "default", "require")
MAX_PACKAGES = 2_000  # packages in the workspaces of one folder whose names are read: 0.1 ms each
MAX_CONDITIONS = 12
MAX_CONFIG_CHARS = 100_000


class ModuleFinder:
    """Finds the files of modules, and caches the answers."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: dict[tuple[str, str], str | None] = {}
        self._files = ConfigFiles(program)
        self._configs = PathConfigs(program, self._files)
        self._workspaces: dict[str, tuple[str, ...]] = {}
        self._packages: dict[str, dict[str, str]] = {}
        self._entries: dict[str, list[str]] = {}

    def find(self, path: str, module: str) -> str | None:
        """Return the file that a module name means in a file; None when it is outside the repository."""
        folder = posixpath.dirname(path)
        key = (folder, module)
        if key not in self._found:
            self._found[key] = self._find(folder, module.partition("?")[0])
        return self._found[key]

    def find_own_name(self, path: str) -> str:
        """Return the name of the package whose main file this is; "" for any other file."""
        for folder in iter_up(posixpath.dirname(path)):
            name = self._files.read_json(under(folder, "package.json")).get("name")
            if isinstance(name, str):
                return name if self._find_entry(folder, ".") == path else ""
        return ""

    def find_package_folder(self, path: str) -> str:
        """Return the nearest folder with a package.json around a file, as `a/b/`; empty for the root."""
        above = (one for one in iter_up(posixpath.dirname(path)) if one)
        return next((f"{one}/" for one in above if self._program.has_file(f"{one}/package.json")), "")

    def _find(self, folder: str, module: str) -> str | None:
        if not module or module.startswith(("node:", "/", "http:", "https:")):
            return None
        if module.startswith("."):
            return self._find_file(join(folder, module))
        configured = map(self._find_file, self._configs.iter_targets(folder, module))
        return (
            next(filter(None, configured), None)
            or self._find_imported(folder, module)
            or self._find_package(folder, module)
        )

    # Files

    def _find_file(self, path: str | None) -> str | None:
        """Return a file by its path, with or without its suffix, or the index file of a folder."""
        if path is None:
            return None
        has_file = self._program.has_file
        stem, suffix = posixpath.splitext(path)
        for other in _SOURCES.get(suffix, ()):
            if has_file(stem + other):
                return stem + other
        if suffix and has_file(path):
            return path
        for one in SUFFIXES:
            if has_file(path + one):
                return path + one
        if not self._program.has_folder(path):
            return None
        if has_file(under(path, "package.json")):
            found = self._find_entry(path, ".")
            if found is not None:
                return found
        for one in SUFFIXES:
            if has_file(under(path, "index" + one)):
                return under(path, "index" + one)
        return None

    # Packages

    def _find_imported(self, folder: str, module: str) -> str | None:
        """Find `#name` through `imports` of the package around the file."""
        if not module.startswith("#"):
            return None
        for around in iter_up(folder):
            imports = self._files.read_json(under(around, "package.json")).get("imports")
            if isinstance(imports, dict):
                for target in _match_exports(imports, module):
                    found = self._find_built(around, target)
                    if found is not None:
                        return found
                return None
        return None

    def _find_package(self, folder: str, module: str) -> str | None:
        """Find a module by the name of a package in the repository."""
        parts = module.split("/")
        length = 2 if module.startswith("@") else 1
        name, rest = "/".join(parts[:length]), "/".join(parts[length:])
        for around in self._iter_package_folders(folder, name):
            if self._files.read_json(under(around, "package.json")).get("name") == name:
                return self._find_entry(around, "./" + rest if rest else ".")
        for root in iter_up(folder):
            other = self._map_packages(root).get(name)
            if other is not None:
                return self._find_entry(other, "./" + rest if rest else ".")
        return None

    def _map_packages(self, root: str) -> dict[str, str]:
        """Map the name of each package in the workspaces of a folder to the folder that it is in."""
        if root not in self._packages:
            patterns = [one.split("/") for one in self._list_workspaces(root) if "*" in one]
            found: dict[str, str] = {}
            for folder in self._list_matching(root, patterns)[:MAX_PACKAGES]:
                name = self._files.read_json(under(folder, "package.json")).get("name")
                if isinstance(name, str):
                    found.setdefault(name, folder)
            self._packages[root] = found
        return self._packages[root]

    def _list_matching(self, root: str, patterns: list[list[str]]) -> list[str]:
        """Return the folders of packages below a root, at any depth, with a matching path."""
        folders, prefix = self._package_folders, under(root, "")
        found: list[str] = []
        for folder in folders[bisect_left(folders, prefix) :] if patterns else ():
            if not folder.startswith(prefix):
                break
            parts = folder[len(prefix) :].split("/")
            if any(_matches(parts, pattern) for pattern in patterns):
                found.append(folder)
        return found

    @cached_property
    def _package_folders(self) -> list[str]:
        """Return the folders with a package.json, ascending."""
        paths = self._program.list_source_paths()
        return sorted(posixpath.dirname(path) for path in paths if path.endswith("/package.json"))

    def _iter_package_folders(self, folder: str, name: str) -> Iterator[str]:
        yield from iter_up(folder)
        short = name.rpartition("/")[2]
        scope = name[1:].partition("/")[0] if name.startswith("@") else ""
        names = (short, f"{scope}-{short}", f"{scope}/{short}") if scope else (short,)
        for root in iter_up(folder):
            for pattern in self._list_workspaces(root):
                if pattern.endswith("*"):
                    parent = under(root, pattern.rstrip("*").rstrip("/"))
                    yield from (under(parent, one) for one in names)
                else:
                    yield under(root, pattern)

    def _list_workspaces(self, root: str) -> tuple[str, ...]:
        """Return the folders and patterns of packages that the configuration files in a folder name."""
        if root not in self._workspaces:
            said = self._files.read_json(under(root, "package.json")).get("workspaces")
            said = said.get("packages") if isinstance(said, dict) else said
            packages = self._files.read_json(under(root, "lerna.json")).get("packages")
            listed = [one for one in (said, packages) if isinstance(one, list)]
            patterns = [one for named in listed for one in named if isinstance(one, str)]
            patterns += _GLOB_LINE.findall(
                self._files.read_text(under(root, "pnpm-workspace.yaml"))[:MAX_CONFIG_CHARS]
            )
            patterns += [] if root else ["packages/*"]
            clean = (one.removeprefix("./").rstrip("/") for one in patterns if not one.startswith("!"))
            self._workspaces[root] = tuple(dict.fromkeys(clean))
        return self._workspaces[root]

    def _find_entry(self, folder: str, entry: str) -> str | None:
        """Return the file that a package exports as "." or "./sub"."""
        data = self._files.read_json(under(folder, "package.json"))
        exports = data.get("exports")
        if isinstance(exports, str) or (isinstance(exports, dict) and not _has_entries(exports)):
            exports = {".": exports}
        targets = list(_match_exports(exports, entry)) if isinstance(exports, dict) else []
        if entry == ".":
            mains = (data.get(one) for one in ("source", "types", "typings", "module", "main"))
            targets += [one for one in mains if isinstance(one, str)]
            targets += ["./index", "./src/index", "./src/main"]
        else:
            targets += [entry, "./src/" + entry[2:]]
        for target in targets:
            found = self._find_built(folder, target)
            if found is not None:
                return found
        return None

    def _find_built(self, folder: str, target: str) -> str | None:
        """Return the file that a package names, or the source from which it is built."""
        plain = target.removeprefix("./")
        stem = re.sub(r"\.d\.[mc]?ts$|\.[mc]?js$|\.min\.js$", "", plain)
        source = _BUILT.sub("", stem)
        outer = _BUILT_ROOT.sub("", stem)  # of `dist/node/a` both `src/node/a` and `src/a` may be the source
        entries = (one for one in self._list_entries(folder) if one.endswith(f"/{outer}"))
        for path in dict.fromkeys((plain, stem, *entries, f"src/{outer}", f"src/{source}", source)):
            found = self._find_file(join(folder, path)) if path else None
            if found is not None and not found.endswith(".json"):
                return found
        return None

    def _list_entries(self, folder: str) -> list[str]:
        """Return the sources that a package's bundler is set to read, without suffix, the outermost first."""
        if folder not in self._entries:
            names = (
                f"{one}.config.{suffix}" for one in _BUNDLERS for suffix in ("ts", "mts", "js", "mjs", "cjs")
            )
            texts = (self._files.read_text(under(folder, name)) for name in names)
            found = [one for text in texts for one in _ENTRY.findall(text[:MAX_CONFIG_CHARS])]
            self._entries[folder] = sorted(dict.fromkeys(found), key=lambda one: one.count("/"))
        return self._entries[folder]


def may_lead_to(target: str, path: str, module: str) -> bool:
    """Return False if a relative module name in a file means another file or folder than the target."""
    if not module.startswith("."):
        return True
    place = join(posixpath.dirname(path), module)
    if place is None:
        return False
    stem, suffix = posixpath.splitext(place)
    begin = stem if suffix in SUFFIXES else place
    return not begin or (target.startswith(begin) and target[len(begin) : len(begin) + 1] in ("", ".", "/"))


def _matches(parts: list[str], pattern: list[str]) -> bool:
    """Return whether a workspace's pattern matches the parts of a path; only a last `**` is of any depth."""
    is_whole = len(parts) == len(pattern) or (pattern[-1] == "**" and len(parts) > len(pattern))
    return is_whole and all(map(fnmatchcase, parts, pattern))


def _has_entries(exports: dict[str, Any]) -> bool:
    return any(key.startswith((".", "#")) for key in exports)


def _match_exports(exports: dict[str, Any], entry: str) -> Iterator[str]:
    """Yield the targets of an entry of `exports` or `imports`, in the order of their conditions."""
    middle = ""
    value = exports.get(entry)
    if value is None:
        for pattern, target in exports.items():
            start, star, end = pattern.partition("*")
            if star and entry.startswith(start) and entry.endswith(end) and len(entry) >= len(start + end):
                value, middle = target, entry[len(start) : len(entry) - len(end)]
                break
    waiting = [value]
    for _ in range(MAX_CONDITIONS):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, str):
            yield value.replace("*", middle)
        elif isinstance(value, dict):
            known = [value[one] for one in _CONDITIONS if one in value]
            waiting = known + [one for key, one in value.items() if key not in _CONDITIONS] + waiting
        elif isinstance(value, list):
            waiting = value[:MAX_CONDITIONS] + waiting
