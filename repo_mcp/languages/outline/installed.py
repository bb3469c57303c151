"""The installed adapters: which packages have one, and how it is loaded.

They are found by entry points of the group `repo_mcp.adapters`, each naming a class or function that is
called without arguments and returns an adapter. Only packages outside the served root and the current
directory count: nothing in a repository names code to run.

    [project.entry-points."repo_mcp.adapters"]
    just = "repo_mcp_just:JustAdapter"

A server looks for them at its start, because the index depends on them. `importlib.metadata` costs 20 ms,
so it is imported only when a package has the group; reading the entry points of 60 packages takes 2 ms.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from repo_mcp.languages.outline.adapter import BUILT_IN, Adapter
from repo_mcp.languages.patterns.language_registry import has_rule
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "repo_mcp.adapters"
MAX_ENTRIES_BYTES = 1024 * 1024  # of one package's entry points
_METADATA = (".dist-info", ".egg-info")
_ENTRIES = "entry_points.txt"
_NAME = compile_late(r"[a-z0-9][a-z0-9_.+#-]{0,39}")  # of an adapter or a language
_NOT_IN_VERSION = compile_late(r"[^\w.+!-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class InstalledAdapter:
    """One installed adapter that can be used."""

    name: str
    entry: str  # entry point that creates it: "module:attribute"
    package: str
    version: str  # of the package: with another version the index is rebuilt
    languages: tuple[tuple[str, str], ...] = ()  # as `find_language` takes them: overrides, ascending

    def supports_path(self, path: str) -> bool:
        """Return True when the adapter handles files of this name; False if it raises."""
        try:
            return bool(load_adapter(self.entry).supports_path(path))
        except (Exception, SystemExit):  # not our code
            return False


@cache
def load_adapter(entry: str) -> Adapter:
    """Return the adapter that an entry point makes, the same each time. Raises whatever its code raises."""
    from importlib.metadata import EntryPoint

    made: Adapter = EntryPoint("adapter", entry, ENTRY_POINT_GROUP).load()()
    return made


def find_installed(root: str | None) -> tuple[tuple[InstalledAdapter, ...], tuple[str, ...]]:
    """Return the installed adapters by name, and warnings about those that cannot be used."""
    taken = set(BUILT_IN)
    found: list[InstalledAdapter] = []
    warnings: list[str] = []
    for entry, package, version in sorted(_iter_entries(root), key=lambda row: (row[0].name, row[0].value)):
        try:
            one = _describe(load_adapter(entry.value), entry.value, package, version, taken)
        except _Unusable as fault:
            warnings.append(f"The installed adapter {entry.name!a} is not used: {fault}.")
        except (Exception, SystemExit) as error:  # not our code
            warnings.append(f"The installed adapter {entry.name!a} is not used: {type(error).__name__}.")
        else:
            taken.add(one.name)
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.name)), tuple(warnings)


def find_enabled(
    root: str | None, disabled: Collection[str]
) -> tuple[tuple[InstalledAdapter, ...], tuple[str, ...]]:
    """Return what `find_installed` returns, without the adapters that are switched off."""
    found, warnings = find_installed(root)
    return tuple(one for one in found if one.name not in disabled), warnings


class _Unusable(Exception):
    """An adapter lacks something. The message says what."""


def _describe(adapter: object, entry: str, package: str, version: str, taken: set[str]) -> InstalledAdapter:
    """Return the record of an adapter. Raises _Unusable."""
    name = getattr(adapter, "name", None)
    if not isinstance(name, str) or not name:
        raise _Unusable("it has no name")
    if not _NAME.fullmatch(name):
        raise _Unusable("its name is not made of lower-case letters and digits")
    if name in taken:
        raise _Unusable(f"another adapter is named {name!a}")
    for method in ("supports_path", "outline"):
        if not callable(getattr(adapter, method, None)):
            raise _Unusable(f"it has no {method}")
    languages = _read_languages(getattr(adapter, "languages", {}))
    return InstalledAdapter(name, entry, package, version, languages)


def _read_languages(given: object) -> tuple[tuple[str, str], ...]:
    """Return the languages of an adapter as overrides of `find_language`. Raises _Unusable."""
    if not isinstance(given, Mapping):
        raise _Unusable("its languages are not a mapping")
    found = {}
    for name, language in given.items():
        if not (isinstance(name, str) and isinstance(language, str) and _NAME.fullmatch(language)):
            raise _Unusable("its languages are not a mapping of names of files to names in lower case")
        if name.strip(".") and name == name.lower() and "/" not in name:
            key = name[1:] if name.startswith(".") else f"/{name}"
            if not has_rule(key):
                found[key] = language
    return tuple(sorted(found.items()))


def _iter_entries(root: str | None) -> Iterator[tuple[EntryPoint, str, str]]:
    """Yield entry points of installed packages outside the root, with name and version of their package."""
    seen: set[str] = set()
    for metadata in _iter_metadata(root):
        from importlib.metadata import PathDistribution
        from pathlib import Path

        package = PathDistribution(Path(metadata))
        name = re.sub(r"[-_.]+", "-", package.name or os.path.basename(metadata)).lower()
        if name in seen:  # an earlier directory of the path has it
            continue
        seen.add(name)
        version = _NOT_IN_VERSION.sub("?", package.version or "")
        for entry in package.entry_points.select(group=ENTRY_POINT_GROUP):
            if _is_installed(entry, root):
                yield entry, name, version


def _iter_metadata(root: str | None) -> Iterator[str]:
    """Yield the metadata directories that have entry points of the group, in the order of the path."""
    outside = dict.fromkeys(one for one in sys.path if os.path.isabs(one) and not _is_inside(one, root))
    for directory in outside:
        try:
            names = sorted(name for name in os.listdir(directory) if name.endswith(_METADATA))
        except OSError:  # an archive, or missing
            continue
        for name in names:
            try:
                with open(os.path.join(directory, name, _ENTRIES), "rb") as file:
                    entries = file.read(MAX_ENTRIES_BYTES)
            except OSError:
                continue
            if ENTRY_POINT_GROUP.encode() in entries:
                yield os.path.join(directory, name)


def _is_installed(entry: EntryPoint, root: str | None) -> bool:
    """Return True when the package that would be imported also lies outside the root."""
    import importlib.util

    try:
        spec = importlib.util.find_spec(entry.module.partition(".")[0])
    except (ImportError, ValueError, AttributeError):
        return False
    if spec is None:
        return False
    paths = [*(spec.submodule_search_locations or ()), spec.origin or ""]
    return not any(_is_inside(path, root) for path in paths if os.path.isabs(path))


def _is_inside(path: str, root: str | None) -> bool:
    """Return True for a path that is at or below the root, or is the current directory."""
    path = os.path.abspath(path)
    with suppress(OSError):  # the current directory was deleted: nothing is in it
        if path == os.getcwd():
            return True
    return root is not None and os.path.commonpath([path, root]) == root
