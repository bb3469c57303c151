"""The tools of the chosen toolsets, which can be listed before anything is open, and how to open them.

    for offer in load_toolsets(config, warn):   # CONFIG_INVALID for what cannot be served
        list(offer.toolset.tools)              # their calls wait
        offer.open()                           # until this is done

Left out on purpose: the protocol between client and server.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from repo_mcp.config.server_config import NAMED_ROOT_TOOLSETS
from repo_mcp.process.lean_imports import lean_imports
from repo_mcp.protocol.call_guard import CallGuard
from repo_mcp.record_classes import replace
from repo_mcp.toolsets.binding import LoadedToolset

if TYPE_CHECKING:
    from index_format import DirectoryHolder
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.config.server_config import Config, Limits
    from repo_mcp.process.lister import Lister
    from repo_mcp.protocol.tool_model import Tool, Toolset
    from repo_mcp.repository import Repository

Warn = Callable[[str], None]


def load_toolsets(
    config: Config,
    warn: Warn,
    *,
    one_root: OneRoot | None = None,
    guard: CallGuard | None = None,
    roots: Sequence[str] = (),
) -> tuple[LoadedToolset[object], ...]:
    """Return the chosen toolsets in order. Raises RepoError with CONFIG_INVALID when one cannot be served.

    Several roots of one server share a `guard`. `one_root` is what a root has opened already, and `roots` are
    the names of all, which the tools then take as the argument `root`.
    """
    if guard is None:
        guard = build_guard(config)  # one for all of them
    one_root = one_root or OneRoot(config, warn)
    loaded_toolsets = tuple(
        _load_retrieval(config, warn, guard)
        if name in NAMED_ROOT_TOOLSETS
        else _load_over_root(name, one_root, guard, roots)
        for name in config.toolsets
    )
    _protect(config, warn)
    return loaded_toolsets


def build_guard(config: Config) -> CallGuard:
    """Return the limits on the calls of one server."""
    return CallGuard(config.max_calls_per_second, config.call_timeout_seconds)


def _protect(config: Config, warn: Warn) -> None:
    """Have the system forbid what is not needed, if the operator asked for it.

    By now every directory of this server has been made, and no thread has been started.
    """
    if not config.harden:
        return
    from repo_mcp.config.environment import find_cache_home, find_state_home
    from repo_mcp.process.hardening import harden
    from repo_mcp.storage.user_key import take_key_dir

    places = []
    if config.root:
        from repo_mcp.storage.data_dir import prepare_data_dir

        places.append(prepare_data_dir(config.hold_root(), config.data_dir, find_cache_home()).path)
    if config.named_roots:
        from repo_mcp.toolsets.retrieval import prepare_place

        places.append(prepare_place(config).path)
    roots = [*filter(None, [config.root]), *(root.path for root in config.named_roots)]
    key_dir, has_key = take_key_dir(find_state_home())
    readable = [key_dir, *filter(None, [config.semantic_model, config.index_from])]
    readable += [os.path.dirname(path) for path in (config.index_pack, config.pack_key) if path is not None]
    state = harden(roots, places if has_key else [*places, key_dir], readable)
    if not state.startswith("on"):
        warn(f"--harden: {state}")


class OneRoot:
    """The repository and audit log that several toolsets share, opened with the first of them."""

    def __init__(self, config: Config, warn: Warn) -> None:
        """Open nothing yet. `config` is that of the root."""
        self._config = config
        self._warn = warn
        self._opened: tuple[Repository, AuditLog] | None = None

    def prepare(self) -> Limits:
        """Prepare the data directory and return the limits. Raises RepoError with CONFIG_INVALID."""
        from repo_mcp.config.environment import find_cache_home
        from repo_mcp.config.narrowing import narrow_config
        from repo_mcp.storage.data_dir import prepare_data_dir

        config = self._config
        limits = narrow_config(config)[0].limits
        prepare_data_dir(config.hold_root(), config.data_dir, find_cache_home())
        return limits

    def open(self) -> tuple[Iterable[Repository], tuple[Repository, AuditLog]]:
        """Return the repositories that this call opened, and the shared repository and log."""
        if self._opened is not None:
            return (), self._opened
        with lean_imports():
            from repo_mcp.repository import Repository

        repository = Repository(self._config, report_warning=self._warn)
        if not repository.index_exists:  # otherwise a first call would share the processor with it
            repository.tree.listed = self._list_ahead()
        audit = _open_audit_log(self._config, self._warn, repository.data_dir.directory, self._config.root)
        self._opened = (repository, audit)
        return (repository,), self._opened

    def _list_ahead(self) -> Lister | None:
        """Begin to list a large root whose first index is to be made.

        Not where nothing is watched: what changes behind the listing would not be found soon.
        """
        from repo_mcp.storage.held_directory import HAS_DESCRIPTORS
        from repo_mcp.workspace.git.places import has_many_files

        config = self._config
        may_list = HAS_DESCRIPTORS and config.watch and config.siblings and not config.harden
        if not may_list or not has_many_files(config.root):
            return None
        from repo_mcp.process.lister import Lister

        return Lister(config.hold_root())


def find_binder(name: str) -> Callable[..., Toolset]:
    """Return the `bind_toolset` of a toolset over one root."""
    if name == "repo":
        from repo_mcp.toolsets.repo import bind_toolset
    elif name == "graph":
        from repo_mcp.toolsets.graph import bind_toolset
    else:
        from repo_mcp.toolsets.research import bind_toolset
    return bind_toolset


def _load_over_root(
    name: str, one_root: OneRoot, guard: CallGuard, roots: Sequence[str]
) -> LoadedToolset[object]:
    limits, bind_toolset = one_root.prepare(), find_binder(name)

    def bind(opened: Callable[[], Any]) -> Toolset:
        toolset: Toolset = bind_toolset(limits, opened, guard, roots)
        return replace(toolset, find_resources=partial(bind_root_resources, limits, opened, guard))

    return LoadedToolset(bind, one_root.open)


def bind_root_resources(
    limits: Limits, opened: Callable[[], tuple[Repository, AuditLog | None]], guard: CallGuard
) -> tuple[Tool, ...]:
    """Return the object that answers requests about the files of one root."""
    from repo_mcp.toolsets.resources import bind_resources

    return bind_resources(limits, opened, guard, {"repo": lambda repository: repository})


def _load_retrieval(config: Config, warn: Warn, guard: CallGuard) -> LoadedToolset[object]:
    from repo_mcp.toolsets.retrieval import bind_toolset, open_roots, prepare_place, raise_limits

    prepare_place(config)

    def open_it() -> tuple[Iterable[Repository], object]:
        roots = open_roots(config, warn)
        audit = _open_audit_log(config, warn, roots.directory, *(root.path for root in config.named_roots))
        return roots.repositories.values(), (roots, audit)

    return LoadedToolset(lambda opened: bind_toolset(raise_limits(config), opened, guard), open_it)  # type: ignore[arg-type]


def _open_audit_log(config: Config, warn: Warn, directory: DirectoryHolder, *roots: str) -> AuditLog:
    from repo_mcp.audit.log import open_audit_log

    audit = open_audit_log(directory, *roots, keep_text=config.audit_queries)
    for warning in audit.warnings:
        warn(warning)
    return audit
