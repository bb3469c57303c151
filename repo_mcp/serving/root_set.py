"""The roots that answer calls at one time, and when each of them is closed.

A `RootSet` is replaced as a whole when the client names other roots. A root that is in the next one too stays
open; one that is not is closed as soon as no call uses it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.frames import encode_json
from repo_mcp.record_classes import dataclass
from repo_mcp.serving.toolset_loader import OneRoot, Warn
from repo_mcp.threads import start_daemon

if TYPE_CHECKING:
    from repo_mcp.config.server_config import Config
    from repo_mcp.protocol.tool_model import Tool

HINT = (
    "Tell the user to open a repository in the client, or to set this server up with one:"
    " repo-mcp init CLIENT --root DIR."
)


class OpenRoot:
    """One root in service, and the calls that are using it."""

    def __init__(self, config: Config, warn: Warn) -> None:
        """Open the root. Raises RepoError and OSError."""
        self.config = config
        self.identity = (config.root, config.hold_root().identity)
        self.shared = OneRoot(config, warn)
        self.shared.prepare()
        self.repositories = tuple(self.shared.open()[0])
        self._lock = threading.Lock()
        self._calls = 0
        self._is_left = False

    def enter(self) -> None:
        """Note that a call begins."""
        with self._lock:
            self._calls += 1

    def leave(self) -> None:
        """Note that a call has ended. Closes the root after the last one, if it is not served any more."""
        with self._lock:
            self._calls -= 1
            is_last = self._is_left and not self._calls
        # In a thread, so that the answer need not wait for it.
        if is_last and not start_daemon(threading.Thread(target=self.close, name="root-close")):
            self.close()

    def give_up(self) -> None:
        """Close the root as soon as no call is in it."""
        with self._lock:
            self._is_left = True
            is_idle = not self._calls
        if is_idle:
            self.close()

    def close(self) -> None:
        """Close what was opened. May wait for a refresh to stop."""
        for repository in self.repositories:
            repository.close()


@dataclass(frozen=True, slots=True)
class ServedRoot:
    """A root under its name, with the tools that query it."""

    root: OpenRoot
    names: tuple[str, ...]  # names of all roots
    tools: Mapping[str, Tool]
    find_resources: Callable[[], Mapping[str, Tool]]  # the tools that answer requests about files, by method


@dataclass(frozen=True, slots=True)
class RootSet:
    """The roots and toolsets that are served at one time."""

    roots: Mapping[str, ServedRoot]  # roots by name, in the client's order
    refused: tuple[str, ...]  # why other roots are not served

    def list_roots(self, without: Collection[OpenRoot] = ()) -> list[OpenRoot]:
        """Return the roots in order, except some."""
        return [served.root for served in self.roots.values() if served.root not in without]

    def explain_absence(self) -> RepoError:
        """Return the answer to every call while nothing is served."""
        if self.refused:
            message = f"None of the client's roots can be served: {'; '.join(self.refused)}."
        else:
            message = "There is no repository: the client names no root, and it was not started in one."
        return RepoError(ErrorCode.NO_ROOT, message, HINT)

    def choose(self, name: object) -> tuple[str, ServedRoot] | None:
        """Return the root that a call names, or the first for an unknown name; None if nothing is served.

        The tools of a root check the argument, so a wrong name is refused there.
        """
        for known, served in self.roots.items():
            if name == known:
                return known, served
        return next(iter(self.roots.items()), None)

    def note(self, chosen: str, name: object, known: str) -> tuple[str, ...]:
        """Return a note that names the root `chosen`, which has answered, unless the client knows that.

        `name` is the root that the call has named, `known` the one that the client knows to answer by
        default.
        """
        if len(self.roots) > 1:
            if name is not None:
                return ()
            others = ", ".join(encode_json(other) for other in self.roots if other != chosen)
            return (f"This answer is for the root {encode_json(chosen)}; `root` can name another: {others}.",)
        return () if chosen == known else (f"This answer is for the repository {encode_json(chosen)}.",)
