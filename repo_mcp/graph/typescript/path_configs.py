"""The meanings of module names by `tsconfig.json` and the like: their `paths` and `baseUrl`.

A configuration may have none of its own and leave all to others beside it, its `references`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from repo_mcp.graph.program import Program
from repo_mcp.graph.typescript.config_files import ConfigFiles, iter_up, join, under

_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
MAX_EXTENDS = 8
MAX_REFERENCES = 8

_Config = tuple[dict[str, list[str]], str, str | None]  # `paths`, where they start from, and `baseUrl`


class PathConfigs:
    """Finds the configurations of folders."""

    def __init__(self, program: Program, files: ConfigFiles) -> None:
        self._program = program
        self._files = files
        self._configs: dict[str, _Config | None] = {}

    def iter_targets(self, folder: str, module: str) -> Iterator[str | None]:
        """Yield the paths that a module name may have by the nearest configuration; None outside the root."""
        for around in iter_up(folder):
            config = self._read_config(around)
            if config is not None:
                paths, base, base_url = config
                yield from (join(base, target) for target in _match_paths(paths, module))
                if base_url is not None:
                    yield join(base_url, module)
                return

    def _read_config(self, folder: str) -> _Config | None:
        """Return `paths`, the folder they start from, and `baseUrl` if given; None without either."""
        if folder not in self._configs:
            self._configs[folder] = None
            for name in _CONFIGS:
                path = under(folder, name)
                if self._program.has_file(path):
                    self._configs[folder] = self._gather_config(path) or self._read_references(path)
                    if self._configs[folder] is not None:
                        break
        return self._configs[folder]

    def _read_references(self, path: str) -> _Config | None:
        """Read the first configuration with paths among those beside it that one refers to."""
        listed, folder = self._files.read_json(path).get("references"), posixpath.dirname(path)
        for one in listed[:MAX_REFERENCES] if isinstance(listed, list) else ():
            said = one.get("path") if isinstance(one, dict) else None
            target = join(folder, said) if isinstance(said, str) and said.endswith(".json") else None
            if target is not None and posixpath.dirname(target) == folder:
                found = self._gather_config(target)
                if found is not None:
                    return found
        return None

    def _gather_config(self, path: str) -> _Config | None:
        """Read a configuration and those that it extends, nearest first."""
        waiting = [path]
        base_url: str | None = None
        for _ in range(MAX_EXTENDS):
            if not waiting:
                break
            path = waiting.pop(0)
            folder = posixpath.dirname(path)
            data = self._files.read_json(path)
            options = data.get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            if base_url is None and isinstance(options.get("baseUrl"), str):
                base_url = join(folder, options["baseUrl"])
            paths = options.get("paths")
            if isinstance(paths, dict):
                own = join(folder, options["baseUrl"]) if isinstance(options.get("baseUrl"), str) else None
                start = own if own is not None else base_url if base_url is not None else folder
                return _clean_paths(paths), start, base_url
            extended = data.get("extends")
            for one in extended if isinstance(extended, list) else [extended]:
                if isinstance(one, str) and one.startswith("."):
                    target = join(folder, one)
                    if target is not None:
                        waiting.append(target if target.endswith(".json") else target + ".json")
        return ({}, base_url, base_url) if base_url is not None else None


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
