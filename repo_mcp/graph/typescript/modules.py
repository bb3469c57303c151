"""The file that a TypeScript or JavaScript module name means: by relative path, tsconfig or package.

A package in the repository is searched for where the workspaces place packages, in a folder named like the
package, and above the importing file. Its `exports` or `main` usually name built files that do not exist;
then the source is guessed by the usual folders (`dist/a.js` -> `src/a.ts`), and must exist.

A package in a folder of another name is found by the folders of index files that the patterns of the
workspaces name.

Left out on purpose: `node_modules`, and conditions of exports beyond their order.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from repo_mcp.graph.program import Program

SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json")
_SOURCES = {".js": (".ts", ".tsx", ".d.ts", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_BUILT = re.compile(
    r"^(?:dist|lib|build|out|esm|cjs|es|dist-\w+)(?:/(?:esm|cjs|es|types|src|node|browser))?/"
)
_COMMENTS = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])')
_GLOB_LINE = re.compile(r"""^\s*-\s*['"]?([^'"#\n]+?)['"]?\s*$""", re.MULTILINE)
_CONDITIONS = ("source", "types", "import", "module", "node", "browser", "default", "require")
_INDEXES = ("index.ts", "index.tsx", "index.js", "index.mjs", "index.jsx", "main.ts", "main.js", "mod.ts")
MAX_PACKAGES = 400  # of the workspaces of a repository, whose names are read
MAX_EXTENDS = 8
MAX_CONDITIONS = 12
MAX_JSON_CHARS = 1_000_000


class ModuleFinder:
    """Finds the files of modules, and caches the answers."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: dict[tuple[str, str], str | None] = {}
        self._json: dict[str, dict[str, Any]] = {}
        self._configs: dict[str, tuple[dict[str, list[str]], str, str | None] | None] = {}
        self._workspaces: tuple[str, ...] | None = None

    def find(self, path: str, module: str) -> str | None:
        """Return the file that a module name means in a file; None when it is outside the repository."""
        folder = posixpath.dirname(path)
        key = (folder, module)
        if key not in self._found:
            self._found[key] = self._find(folder, module.partition("?")[0])
        return self._found[key]

    def _find(self, folder: str, module: str) -> str | None:
        if not module or module.startswith(("node:", "/", "http:", "https:")):
            return None
        if module.startswith("."):
            return self._find_file(_join(folder, module))
        return (
            self._find_by_config(folder, module)
            or self._find_imported(folder, module)
            or self._find_package(folder, module)
        )

    # -- files ---------------------------------------------------------------------------------------------

    def _find_file(self, path: str | None) -> str | None:
        """Return a file by its path with or without its suffix, or the index of a folder."""
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
        if has_file(_under(path, "package.json")):
            found = self._find_entry(path, ".")
            if found is not None:
                return found
        for one in SUFFIXES:
            if has_file(_under(path, "index" + one)):
                return _under(path, "index" + one)
        return None

    # -- tsconfig ------------------------------------------------------------------------------------------

    def _find_by_config(self, folder: str, module: str) -> str | None:
        """Search by `paths` and `baseUrl` of the nearest configuration that has them."""
        for ordinal in _iter_up(folder):
            config = self._read_config(ordinal)
            if config is None:
                continue
            paths, base, base_url = config
            for target in _match_paths(paths, module):
                found = self._find_file(_join(base, target))
                if found is not None:
                    return found
            if base_url is not None:
                found = self._find_file(_join(base_url, module))
                if found is not None:
                    return found
            return None
        return None

    def _read_config(self, folder: str) -> tuple[dict[str, list[str]], str, str | None] | None:
        """Return `paths`, the folder they start from, and `baseUrl` if given; None without either."""
        if folder not in self._configs:
            self._configs[folder] = None
            for name in _CONFIGS:
                path = _under(folder, name)
                if self._program.has_file(path):
                    self._configs[folder] = self._gather_config(path)
                    if self._configs[folder] is not None:
                        break
        return self._configs[folder]

    def _gather_config(self, path: str) -> tuple[dict[str, list[str]], str, str | None] | None:
        """Read a configuration and those that it extends, nearest first."""
        waiting = [path]
        base_url: str | None = None
        for _ in range(MAX_EXTENDS):
            if not waiting:
                break
            path = waiting.pop(0)
            folder = posixpath.dirname(path)
            data = self._read_json(path)
            options = data.get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            if base_url is None and isinstance(options.get("baseUrl"), str):
                base_url = _join(folder, options["baseUrl"])
            paths = options.get("paths")
            if isinstance(paths, dict):
                own = _join(folder, options["baseUrl"]) if isinstance(options.get("baseUrl"), str) else None
                start = own if own is not None else base_url if base_url is not None else folder
                return _clean_paths(paths), start, base_url
            extended = data.get("extends")
            for one in extended if isinstance(extended, list) else [extended]:
                if isinstance(one, str) and one.startswith("."):
                    target = _join(folder, one)
                    if target is not None:
                        waiting.append(target if target.endswith(".json") else target + ".json")
        return ({}, base_url, base_url) if base_url is not None else None

    # -- packages ------------------------------------------------------------------------------------------

    def _find_imported(self, folder: str, module: str) -> str | None:
        """Find `#name` through `imports` of the package around the file."""
        if not module.startswith("#"):
            return None
        for ordinal in _iter_up(folder):
            imports = self._read_json(_under(ordinal, "package.json")).get("imports")
            if isinstance(imports, dict):
                for target in _match_exports(imports, module):
                    found = self._find_built(ordinal, target)
                    if found is not None:
                        return found
                return None
        return None

    def _find_package(self, folder: str, module: str) -> str | None:
        """Find a module by the name of a package in the repository."""
        parts = module.split("/")
        length = 2 if module.startswith("@") else 1
        name, rest = "/".join(parts[:length]), "/".join(parts[length:])
        for ordinal in self._iter_package_folders(folder, name):
            if self._read_json(_under(ordinal, "package.json")).get("name") == name:
                return self._find_entry(ordinal, "./" + rest if rest else ".")
        other = self._packages.get(name)
        return None if other is None else self._find_entry(other, "./" + rest if rest else ".")

    @cached_property
    def _packages(self) -> dict[str, str]:
        """Map the name of a package in a workspace to its folder, whatever that is called."""
        patterns = [one.split("/") for one in self._list_workspaces() if "*" in one]
        folders: dict[str, None] = {}
        for index in _INDEXES:
            for path in self._program.list_declaring(index):
                parts = path.split("/")
                for pattern in patterns:
                    if len(parts) > len(pattern) and all(map(fnmatchcase, parts, pattern)):
                        last = len(parts) if pattern[-1] == "**" else len(pattern) + 1
                        folders.update(
                            dict.fromkeys("/".join(parts[:at]) for at in range(len(pattern), last))
                        )
        found: dict[str, str] = {}
        for folder in list(folders)[:MAX_PACKAGES]:
            name = self._read_json(_under(folder, "package.json")).get("name")
            if isinstance(name, str):
                found.setdefault(name, folder)
        return found

    def _iter_package_folders(self, folder: str, name: str) -> Iterator[str]:
        yield from _iter_up(folder)
        short = name.rpartition("/")[2]
        scope = name[1:].partition("/")[0] if name.startswith("@") else ""
        names = (short, f"{scope}-{short}", f"{scope}/{short}") if scope else (short,)
        for pattern in self._list_workspaces():
            if pattern.endswith("*"):
                yield from (_under(pattern.rstrip("*").rstrip("/"), one) for one in names)
            else:
                yield pattern

    def _list_workspaces(self) -> tuple[str, ...]:
        """Return the folders and patterns where packages are, from files in the root."""
        if self._workspaces is None:
            said = self._read_json("package.json").get("workspaces")
            said = said.get("packages") if isinstance(said, dict) else said
            patterns = [one for one in said if isinstance(one, str)] if isinstance(said, list) else []
            text = self._program.read_text("pnpm-workspace.yaml") or ""
            patterns += _GLOB_LINE.findall(text[:100_000])
            packages = self._read_json("lerna.json").get("packages")
            patterns += (
                [one for one in packages if isinstance(one, str)] if isinstance(packages, list) else []
            )
            patterns.append("packages/*")
            clean = (one.removeprefix("./").rstrip("/") for one in patterns if not one.startswith("!"))
            self._workspaces = tuple(dict.fromkeys(clean))
        return self._workspaces

    def _find_entry(self, folder: str, entry: str) -> str | None:
        """Return the file that a package exports as "." or "./sub"."""
        data = self._read_json(_under(folder, "package.json"))
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
        """Return the file that a package names, or the source that it is built from."""
        plain = target.removeprefix("./")
        stem = re.sub(r"\.d\.[mc]?ts$|\.[mc]?js$|\.min\.js$", "", plain)
        source = _BUILT.sub("", stem)
        for path in (plain, stem, f"src/{source}", source):
            found = self._find_file(_join(folder, path)) if path else None
            if found is not None and not found.endswith(".json"):
                return found
        return None

    def _read_json(self, path: str) -> dict[str, Any]:
        """Return a JSON file that may hold comments; empty if it is missing or invalid."""
        if path not in self._json:
            text = self._program.read_text(path) if self._program.has_file(path) else None
            self._json[path] = parse_loose_json(text or "")
        return self._json[path]


def parse_loose_json(text: str) -> dict[str, Any]:
    """Return a JSON object, allowing comments and trailing commas; empty for anything else."""
    if len(text) > MAX_JSON_CHARS:
        return {}
    text = _COMMENTS.sub(lambda found: found[1] or " ", text.removeprefix("\ufeff"))
    text = _TRAILING.sub(lambda found: found[1] or "", text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _clean_paths(paths: dict[str, Any]) -> dict[str, list[str]]:
    return {
        pattern: [one for one in targets if isinstance(one, str)]
        for pattern, targets in paths.items()
        if isinstance(targets, list)
    }


def _match_paths(paths: dict[str, list[str]], module: str) -> Iterator[str]:
    """Yield the targets of the best pattern: an exact match, or the one with the longest prefix."""
    best, found = -1, ""
    for pattern in paths:
        start, star, end = pattern.partition("*")
        fits = module == pattern if not star else module.startswith(start) and module.endswith(end)
        if fits and len(module) >= len(start) + len(end):
            weight = len(start) if star else len(pattern) + 1
            if weight > best:
                best, found = weight, pattern
    if best >= 0:
        start, star, end = found.partition("*")
        middle = module[len(start) : len(module) - len(end)] if star else ""
        for target in paths[found]:
            yield target.replace("*", middle, 1)


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


def _join(folder: str, path: str) -> str | None:
    """Return a path relative to a folder, normalised; None when it leaves the root."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    if joined == ".":
        return ""
    return None if joined == ".." or joined.startswith(("../", "/")) else joined


def _under(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _iter_up(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, up to the root."""
    while True:
        yield folder
        if not folder:
            return
        folder = posixpath.dirname(folder)
