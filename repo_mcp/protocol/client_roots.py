"""The roots of a client: the directories that its user works in, asked for, and again when they change.

    {"jsonrpc": "2.0", "id": "repo-mcp/roots/1", "method": "roots/list"}
    {"jsonrpc": "2.0", "id": "repo-mcp/roots/1", "result": {"roots": [{"uri": "file:///home/me/ledger"}]}}

Only a client of the first era that declares roots is asked, once it has said that it is initialised: no
answer waits for that. Whatever it names is reported unchanged, as text; a client that has none, refuses, or
gives no answer in time counts as one without roots. A late answer counts if it is to the last request.
Left out on purpose: what the names mean, and whether they are served (`repo_mcp.serving.served_roots`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from repo_mcp.protocol.frames import Response, encode_frame
from repo_mcp.threads import start_daemon

Report = Callable[[tuple[str, ...]], object]  # must return at once

ANSWER_SECONDS = 3.0  # most time from `initialize` to the roots; clients were seen to take 0.1 s
MAX_URIS = 64  # the rest is not read; nobody works in as many directories
METHOD = "roots/list"
ID_PREFIX = "repo-mcp/roots/"


class ClientRoots:
    """The roots of one client. Safe in any thread."""

    def __init__(self, say: Callable[[bytes], object], seconds: float | None = None) -> None:
        """Take `say`, which sends a frame. The first answer may take `seconds` (default: ANSWER_SECONDS)."""
        self._say = say
        self._seconds = ANSWER_SECONDS if seconds is None else seconds
        self._lock = threading.Lock()
        self.declared = False  # the client can be asked
        self._asked = 0
        self._uris: tuple[str, ...] | None = None  # None: not known yet
        self._report: Report | None = None
        self._is_patient = False  # a thread ends the wait

    def listen(self, report: Report) -> None:
        """Report the roots to a listener: now if they are known, and after every change."""
        with self._lock:  # held while reporting, so that the last report is the true one
            self._report = report
            if self._uris is not None:
                report(self._uris)

    def open(self, *, declared: bool) -> None:
        """Note whether the client has declared roots. They are known soon, whatever it does.

        A client that opens a session again, ten thousand times, is waited for by one thread.
        """
        self.declared = declared
        if not declared:
            self._note(())
            return
        if self._is_patient:
            return
        self._is_patient = True
        patience = threading.Timer(self._seconds, self._give_up)
        if not start_daemon(patience):
            self._give_up()

    def ask(self) -> None:
        """Ask a client that has roots for them."""
        if not self.declared:
            return
        with self._lock:
            self._asked += 1
            request_id = f"{ID_PREFIX}{self._asked}"
        self._say(encode_frame({"jsonrpc": "2.0", "id": request_id, "method": METHOD}))

    def take(self, response: Response) -> bool:
        """Take an answer of the client. Return False when it answers something else."""
        request_id = response.body.get("id")
        if not isinstance(request_id, str) or not request_id.startswith(ID_PREFIX):
            return False
        if request_id == f"{ID_PREFIX}{self._asked}":
            uris = _read_uris(response.body.get("result"))
            if uris is not None or self._uris is None:  # an error changes nothing
                self._note(uris or ())
        return True

    def _give_up(self) -> None:
        if self._uris is None:
            self._note(())

    def _note(self, uris: tuple[str, ...]) -> None:
        with self._lock:
            self._uris = uris
            if self._report is not None:
                self._report(uris)


def _read_uris(result: object) -> tuple[str, ...] | None:
    """Return the URIs in a result; None for an error, or anything but a list of roots."""
    roots = result.get("roots") if isinstance(result, dict) else None
    if not isinstance(roots, list):
        return None
    uris = (root.get("uri") if isinstance(root, dict) else None for root in roots[:MAX_URIS])
    return tuple(uri if isinstance(uri, str) else "" for uri in uris)
