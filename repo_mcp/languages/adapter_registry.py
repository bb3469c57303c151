"""The adapters of a server, and the choice of one for a path.

The order is fixed: built-in adapters for certain languages, then installed ones by name, then line patterns
for the rest. The first enabled adapter that supports the path is used.

Installed adapters are found by entry points of the group `repo_mcp.adapters`, each naming a class or
function that is called without arguments and returns an adapter. Only packages outside the served root and
the current directory count: nothing in a repository names code to run. They are looked up once, on first
use. An adapter that fails to load, or fails on a text, is not used for it, and a warning says so.

    [project.entry-points."repo_mcp.adapters"]
    lua = "repo_mcp_lua:LuaAdapter"
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from repo_mcp.languages.outline.adapter import BUILT_IN, Adapter, Parse
from repo_mcp.languages.outline.headings_adapter import HeadingsAdapter
from repo_mcp.languages.outline.keys_adapter import KeysAdapter
from repo_mcp.languages.outline.lexical_adapter import LexicalAdapter
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.languages.patterns.language_registry import find_language as find_language_by_name
from repo_mcp.languages.python.adapter import PythonAdapter
from repo_mcp.model import Outline

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "repo_mcp.adapters"


class AdapterRegistry:
    """The adapters of one server. Safe to use from several threads."""

    def __init__(
        self,
        parse: Parse,
        *,
        root: str | None = None,
        disabled: Collection[str] = (),
        find_language: Callable[[str], Language] = find_language_by_name,
        find_installed: Callable[[str | None], Iterable[EntryPoint]] | None = None,
    ) -> None:
        """Load nothing yet. `disabled` names the adapters to leave out."""
        self._find_language = find_language
        self._root = root
        self._disabled = frozenset(disabled)
        self._find_installed = find_installed or find_installed_adapters
        self._special: tuple[Adapter, ...] = (
            PythonAdapter(parse, find_language),
            HeadingsAdapter(find_language),
            KeysAdapter(find_language),
        )
        self._lexical = LexicalAdapter(find_language)
        self._lock = threading.Lock()
        self._loaded: tuple[tuple[Adapter, ...], tuple[str, ...]] | None = None

    @property
    def adapters(self) -> tuple[Adapter, ...]:
        """Return the enabled adapters in the order in which they are tried."""
        every = (*self._special, *self._load()[0], self._lexical)
        return tuple(adapter for adapter in every if adapter.name not in self._disabled)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the enabled adapters, in the same order."""
        return tuple(adapter.name for adapter in self.adapters)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return one warning for each installed adapter that could not be loaded."""
        return self._load()[1]

    def find(self, path: str) -> Adapter | None:
        """Return the adapter of a path, or None when no enabled adapter supports it."""
        return next((adapter for adapter in self.adapters if _supports(adapter, path)), None)

    def outline(self, path: str, text: str) -> Outline:
        """Return the outline of a text with "\\n" line ends; warn of an installed adapter that failed."""
        adapter = self.find(path)
        language = self._find_language(path).name
        if adapter is None:
            return Outline(
                path, language, (), "none", (f"there are no outlines for the language {language}",)
            )
        if adapter not in self._load()[0]:
            return adapter.outline(path, text)
        try:
            outline: object = adapter.outline(path, text)
            if isinstance(outline, Outline):
                return outline
            reason = "its answer is not an outline"
        except Exception as error:  # not our code
            reason = type(error).__name__
        warning = f"the adapter {adapter.name} failed ({reason})"
        if not self._lexical.supports_path(path):
            return Outline(path, language, (), "none", (warning,))
        instead = self._lexical.outline(path, text)
        return replace(instead, warnings=(warning, *instead.warnings))

    def _load(self) -> tuple[tuple[Adapter, ...], tuple[str, ...]]:
        """Return the installed adapters by name, and the warnings about the others."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load_installed()
            return self._loaded

    def _load_installed(self) -> tuple[tuple[Adapter, ...], tuple[str, ...]]:
        taken = set(BUILT_IN)
        found: list[Adapter] = []
        warnings: list[str] = []
        for entry in sorted(self._find_installed(self._root), key=lambda entry: (entry.name, entry.value)):
            try:
                adapter = entry.load()()
                fault = _find_fault(adapter, taken)
            except Exception as error:  # not our code
                fault = type(error).__name__
            if fault is not None:
                warnings.append(f"the installed adapter {entry.name!a} is not used: {fault}")
            else:
                taken.add(adapter.name)
                found.append(adapter)
        return tuple(found), tuple(warnings)


def find_installed_adapters(root: str | None) -> Iterable[EntryPoint]:
    """Yield the entry points of installed packages outside the root and the current directory."""
    from importlib.metadata import distributions  # costs 20 ms, so only when adapters are asked for

    outside = [one for one in sys.path if os.path.isabs(one) and not _is_inside(one, root)]
    for distribution in distributions(path=outside):
        for entry in distribution.entry_points.select(group=ENTRY_POINT_GROUP):
            if _is_installed(entry, root):
                yield entry


def _is_installed(entry: EntryPoint, root: str | None) -> bool:
    """Return True when the package that would be imported also lies outside the root."""
    try:
        spec = importlib.util.find_spec(entry.module.partition(".")[0])
    except (ImportError, ValueError):
        return False
    if spec is None:
        return False
    paths = [*(spec.submodule_search_locations or ()), spec.origin or ""]
    return not any(_is_inside(path, root) for path in paths if os.path.isabs(path))


def _is_inside(path: str, root: str | None) -> bool:
    """Return True for a path that is at or below the root, or is the current directory."""
    path = os.path.abspath(path)
    if path == os.getcwd():
        return True
    return root is not None and os.path.commonpath([path, root]) == root


def _find_fault(adapter: object, taken: set[str]) -> str | None:
    name = getattr(adapter, "name", None)
    if not isinstance(name, str) or not name:
        return "it has no name"
    if name in taken:
        return f"there is another adapter {name!a}"
    missing = [one for one in ("supports_path", "outline") if not callable(getattr(adapter, one, None))]
    return f"it has no {missing[0]}" if missing else None


def _supports(adapter: Adapter, path: str) -> bool:
    try:
        return bool(adapter.supports_path(path))
    except Exception:  # not our code
        return False
