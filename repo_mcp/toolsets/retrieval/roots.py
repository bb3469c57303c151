"""The two opened roots of the `retrieval` toolset: one repository each, and a directory outside both.

The index of a root, and the log of calls, lie in one directory: `retrieval` in the data directory that the
operator names, else one in the user's cache directory that belongs to this pair of roots. It is refused when
it lies inside a root: nothing is ever written there.

    <directory>/docs, <directory>/code    the indexes
    <directory>/audit.jsonl               the log of calls

This toolset begins from the hard caps where the specification asks for whole answers (a whole file, 200
matches); what the operator or a root's `repo_mcp.toml` says lowers them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from repo_mcp.config.environment import find_cache_home
from repo_mcp.config.server_config import HARD_CAPS, LEAST_MEMORY_MB, Config, Limits, cap_defaults
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import replace
from repo_mcp.storage.data_dir import name_cache_dir, take_outside_dir
from repo_mcp.storage.held_directory import OwnDirectory
from repo_mcp.toolsets.retrieval.failures import Code

if TYPE_CHECKING:
    from repo_mcp.repository import Repository

DEFAULT_MATCHES = 200  # the specification's
_OWN_NAME = "retrieval"


class Roots:
    """The opened roots by their names."""

    def __init__(
        self, repositories: Mapping[str, Repository], limits: Limits, directory: OwnDirectory
    ) -> None:
        """Take the operator's limits for this toolset, and the directory of indexes and log."""
        self.repositories = repositories
        self.limits = limits
        self.directory = directory

    def get(self, name: str) -> Repository:
        """Return the repository of a root. Raises KeyError for an unknown name."""
        return self.repositories[name]

    def name_path(self, name: object, path: str) -> str:
        """Return a path of a root in the form that may be logged.

        Raises RepoError, PATH_INVALID for an unknown root.
        """
        repository = self.repositories.get(str(name))
        if repository is None:
            raise RepoError(ErrorCode.PATH_INVALID, "The path is not in any root.")
        return repository.tree.name_path(path)

    def find_answer_bytes(self, name: str | None) -> int:
        """Return the largest size of an answer from a root, in bytes; without a root, the smallest of all."""
        named = self.repositories.get(name or "")
        chosen = self.repositories.values() if named is None else (named,)
        return min(one.config.limits.max_total_bytes_per_response for one in chosen)


def raise_limits(config: Config) -> Limits:
    """Return the limits of this toolset: the operator's, or else limits for whole answers."""
    whole_file = config.limits.max_file_bytes  # no file has more lines, no line more characters
    wanted = {
        "max_open_lines": whole_file,
        "default_open_lines": whole_file,
        "max_line_chars": whole_file,
        "max_total_bytes_per_response": HARD_CAPS["max_total_bytes_per_response"],
        "max_search_hits": HARD_CAPS["max_search_hits"],
        "default_search_hits": DEFAULT_MATCHES,
    }
    changes = {name: value for name, value in wanted.items() if name not in config.given}
    return cap_defaults(replace(config.limits, **changes))


def open_roots(config: Config, report_warning: Callable[[str], None]) -> Roots:
    """Open every named root, without building an index.

    Raises RepoError with CONFIG_INVALID when a root cannot be served or the data directory lies inside one.
    """
    from repo_mcp.repository import Repository

    place = prepare_place(config)
    limits = raise_limits(config)
    with ExitStack() as opened:
        repositories = {}
        for root in config.named_roots:
            own = replace(
                config,
                root=root.path,
                data_dir=os.path.join(place.path, root.name),
                limits=limits,
                workers=_share_workers(config),
                memory_mb=max(LEAST_MEMORY_MB, config.memory_mb // len(config.named_roots)),
                last_bundle=False,
            )
            warn = _name_warnings(root.name, report_warning)
            repositories[root.name] = Repository(own, report_warning=warn)
            opened.enter_context(closing(repositories[root.name]))
        opened.pop_all()
    return Roots(repositories, limits, place)


def prepare_place(config: Config) -> OwnDirectory:
    """Make or check the directory of indexes and log, and return it. Raises RepoError with CONFIG_INVALID."""
    paths = [root.path for root in config.named_roots]
    if config.data_dir is not None:
        place = os.path.join(config.data_dir, _OWN_NAME)
    else:
        place = name_cache_dir(_OWN_NAME, paths, find_cache_home())
    return _take_places(paths, [place, *(os.path.join(place, root.name) for root in config.named_roots)])


def _take_places(roots: Sequence[str], places: Sequence[str]) -> OwnDirectory:
    """Return the first of these directories, when all can be used. Raises RepoError with CONFIG_INVALID."""
    try:
        first, *_ = [take_outside_dir(roots, place) for place in places]
        return first
    except RepoError as error:
        message = f"{Code.CONFIG_INVALID}: {error.message}"
        raise RepoError(ErrorCode.CONFIG_INVALID, message, error.hint) from None


def _share_workers(config: Config) -> int:
    """Return the number of processes for each root: the roots are indexed at the same time."""
    return config.workers or max(1, config.chosen_workers() // max(1, len(config.named_roots)))


def _name_warnings(name: str, report_warning: Callable[[str], None]) -> Callable[[str], None]:
    return lambda warning: report_warning(f"{name}: {warning}")
