"""The adapters of one opened root and its parser process, both made at their first use.

A server that needs no outline imports none of it and starts no process.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from repo_mcp.config.server_config import Config
from repo_mcp.languages.outline.installed import InstalledAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Outline

if TYPE_CHECKING:
    from repo_mcp.languages.adapter_registry import AdapterRegistry
    from repo_mcp.process.parse_worker import ParseWorker
    from repo_mcp.storage.poison import PoisonList


class Outliner:
    """Makes outlines of texts. Safe for use from several threads."""

    def __init__(
        self, config: Config, installed: tuple[InstalledAdapter, ...] = (), poison: PoisonList | None = None
    ) -> None:
        """Load and start nothing yet. Texts on the `poison` list are not parsed."""
        self._config = config
        self.installed = installed
        self._poison = poison
        self._lock = threading.Lock()
        self._made: tuple[AdapterRegistry, ParseWorker] | None = None

    @property
    def adapters(self) -> AdapterRegistry:
        """Return the adapters, loading them at the first use."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made[0]

    def _make(self) -> tuple[AdapterRegistry, ParseWorker]:
        from repo_mcp.languages.adapter_registry import AdapterRegistry
        from repo_mcp.process.parse_worker import ParseWorker

        worker = ParseWorker(poison=self._poison)
        registry = AdapterRegistry(
            worker.parse,
            self.installed,
            disabled=self._config.disabled_adapters,
            find_language=partial(find_language, overrides=dict(self._config.extensions)),
        )
        return registry, worker

    def outline(self, path: str, data: bytes) -> Outline:
        """Return the outline of normalised text. Never raises because of its contents."""
        return self.adapters.outline(path, data.decode("utf-8", "replace"))

    def find_installed_outline(self, path: str, data: bytes) -> Outline | None:
        """Return the outline that an installed adapter gives; None for a file of none."""
        if not self.installed or self.adapters.find_installed(path) is None:
            return None
        return self.outline(path, data)

    def find_symbol_task(self, path: str, _language: str) -> str | None:
        """Return the task by which an installed adapter makes a file's symbol record; None without one."""
        return self.adapters.find_symbol_task(path)

    def describe_installed(self) -> tuple[str, ...]:
        """Return the names and versions of the installed adapters: "just 1.0.0"."""
        return tuple(f"{one.name} {one.version}".strip() for one in self.installed)

    def list_languages(self) -> frozenset[str]:
        """Return the languages that installed adapters bring: their files have symbols, too."""
        return frozenset(language for one in self.installed for _, language in one.languages)

    def find_hints(self, prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names that installed adapters see in a prompt, and warnings about those that failed."""
        return self.adapters.find_hints(prompt) if self.installed else ((), ())

    def close(self) -> None:
        """End the parser process; later texts are outlined without it."""
        with self._lock:
            made = self._made
        if made is not None:
            made[1].close()
