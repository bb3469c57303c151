"""What the chosen toolsets offer: tools, which can be listed before anything is open, and what they open.

    for offer in build_offers(config, warn):   # CONFIG_INVALID for what cannot be served
        list(offer.toolset.tools)              # their calls wait
        offer.open()                           # until this is done

Left out on purpose: what travels between client and server.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

from repo_mcp.errors import ErrorCode, RepoError

if TYPE_CHECKING:
    from repo_mcp.audit import AuditLog
    from repo_mcp.config import Config
    from repo_mcp.repository import Repository
    from repo_mcp.tool_model import Toolset

Warn = Callable[[str], None]
Opened = TypeVar("Opened")


class Offer(Generic[Opened]):
    """One toolset."""

    def __init__(
        self,
        bind: Callable[[Callable[[], Opened]], Toolset],
        open_it: Callable[[], tuple[Iterable[Repository], Opened]],
    ) -> None:
        """`bind` gives the tools over a function that waits until `open_it` was called."""
        self._open_it = open_it
        self._opened: list[Opened] = []
        self._is_open = threading.Event()
        self.toolset = bind(self._get_opened)

    def open(self) -> tuple[Repository, ...]:
        """Open what the tools ask, and let their calls begin. Raises RepoError, OSError."""
        repositories, opened = self._open_it()
        self._opened.append(opened)
        self._is_open.set()
        return tuple(repositories)

    def _get_opened(self) -> Opened:
        self._is_open.wait()
        return self._opened[0]


def build_offers(config: Config, warn: Warn) -> tuple[Offer[object], ...]:
    """The chosen toolsets in their order. CONFIG_INVALID for what cannot be served or has no place."""
    builders = {"repo": _offer_repo, "retrieval": _offer_retrieval}
    for name in config.toolsets:
        if name not in builders:
            message = f"--toolsets: {name} is not in this version; there are: {', '.join(builders)}."
            raise RepoError(ErrorCode.CONFIG_INVALID, message)
    return tuple(builders[name](config, warn) for name in config.toolsets)


def _offer_repo(config: Config, warn: Warn) -> Offer[object]:
    from repo_mcp.config import find_cache_home
    from repo_mcp.data_dir import prepare_data_dir
    from repo_mcp.narrowing import narrow_config
    from repo_mcp.toolsets.repo import bind_toolset

    limits = narrow_config(config)[0].limits
    prepare_data_dir(config.root, config.data_dir, find_cache_home())

    def open_it() -> tuple[Iterable[Repository], tuple[Repository, AuditLog]]:
        from repo_mcp.repository import Repository

        repository = Repository(config, report_warning=warn)
        audit = _open_audit_log(config, warn, repository.data_dir.path, config.root)
        return (repository,), (repository, audit)

    return Offer(lambda opened: bind_toolset(limits, opened), open_it)  # type: ignore[arg-type]


def _offer_retrieval(config: Config, warn: Warn) -> Offer[object]:
    from repo_mcp.toolsets.retrieval import bind_toolset, open_roots, prepare_place, raise_limits

    prepare_place(config)

    def open_it() -> tuple[Iterable[Repository], object]:
        roots = open_roots(config, warn)
        audit = _open_audit_log(config, warn, roots.path, *(root.path for root in config.named_roots))
        return roots.repositories.values(), (roots, audit)

    return Offer(lambda opened: bind_toolset(raise_limits(config), opened), open_it)  # type: ignore[arg-type]


def _open_audit_log(config: Config, warn: Warn, path: str, *roots: str) -> AuditLog:
    from repo_mcp.audit import open_audit_log

    audit = open_audit_log(path, *roots, keep_text=config.audit_queries)
    for warning in audit.warnings:
        warn(warning)
    return audit
