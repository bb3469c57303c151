"""One server over standard input and output, from its first frame to its end.

Importing this module is cheap: what the first frames do not need is imported where it is used.
"""

from __future__ import annotations

import signal
import threading

from repo_mcp.protocol.messages import Answers
from repo_mcp.protocol.session import Session
from repo_mcp.protocol.wire import StopReason, Wire
from repo_mcp.threads import start_daemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from repo_mcp.protocol.client_roots import ClientRoots
    from repo_mcp.protocol.tool_model import Tool, Toolset
    from repo_mcp.repository import Repository
    from repo_mcp.serving.served_roots import ServedRoots

CALLS_GRACE_SECONDS = 0.3
REFRESH_DELAY_SECONDS = 0.3  # lets the client's first call run first: beside a walk it takes twice as long


class Server:
    """One server from its first frame to its end."""

    def __init__(self, wire: Wire, answers: Answers, *, finds_root: bool = False) -> None:
        """`answers` belong to the toolsets offered later. With `finds_root` the client may name the roots."""
        self.wire = wire
        self._roots: ClientRoots | None = None
        if finds_root:
            from repo_mcp.protocol.client_roots import ClientRoots

            self._roots = ClientRoots(wire.say)
        self._session = Session(wire, answers, self._roots)

    def start(self) -> None:
        """Answer what can be answered from now on."""
        self.wire.start(self._session.take)

    def offer(self, toolsets: Sequence[Toolset]) -> None:
        """List the tools. Their calls wait until their repositories are open."""
        from repo_mcp.protocol.calls import CallPool
        from repo_mcp.protocol.sampling import Sampler
        from repo_mcp.protocol.tool_model import name_tools

        def find_resources() -> Mapping[str, Tool]:
            from repo_mcp.protocol.resources import join_resources  # of no use to most clients

            return join_resources(toolsets)

        self._session.offer(name_tools(toolsets), CallPool(), Sampler(self.wire.say), find_resources)

    def find_roots(self, served: ServedRoots) -> None:
        """Serve the roots that the client names."""
        assert self._roots is not None
        roots = self._roots
        served.follow(self.begin, self._session.change_schemas, self._session.change_resources)
        roots.listen(lambda uris: served.serve(uris, is_known=not roots.declared))

    def begin(self, repositories: Sequence[Repository]) -> None:
        """Refresh the repositories that the tools use, now that they are open."""
        self._session.note_open()
        refresh_soon(repositories)

    def run(self) -> StopReason:
        """Serve until the client ends it, and return why it ended."""
        reason = self.wire.wait()
        self._session.close()
        self.wire.finish()
        return reason

    def close(self) -> None:
        """Let calls that nobody waits for any more finish: each writes its line of the log."""
        self._session.wait_until_idle(CALLS_GRACE_SECONDS)


def stop_on_signals(wire: Wire) -> None:
    """Let the signals that end a server end the wire, whatever the process is doing."""
    reasons = {
        "SIGINT": StopReason.INTERRUPTED,
        "SIGTERM": StopReason.TERMINATED,
        "SIGHUP": StopReason.TERMINATED,
    }
    for name, reason in reasons.items():
        if hasattr(signal, name):  # there is no SIGHUP on Windows
            signal.signal(getattr(signal, name), _build_stop(wire, reason))


def _build_stop(wire: Wire, reason: StopReason) -> Callable[[int, object], None]:
    return lambda _number, _frame: wire.stop(reason)


def refresh_soon(repositories: Sequence[Repository]) -> None:
    """Refresh the repositories in the background, a moment after the client's first call could begin."""
    for repository in repositories:
        repository.expect_refresh()
        if not run_later(REFRESH_DELAY_SECONDS, repository.start_background_refresh):
            repository.start_background_refresh()


def run_later(seconds: float, run: Callable[[], object]) -> bool:
    """Run a function some seconds later in a thread of its own, unless the process has ended by then.

    Returns False when the system refuses the thread.
    """
    return start_daemon(threading.Timer(seconds, run))
