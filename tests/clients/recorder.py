"""A program in place of the server that starts the real one and records what is sent, and when.

    python -IS recorder.py HOLD= LOG SERVER ARGUMENT...

Bytes are passed on as they come, before anything is written down. One JSON object a line, appended to LOG:

    {"pid": 7, "at": 0.0, "what": "started", "parent": 5, "command": [...], "cwd": "/", "variables": [...]}
    {"pid": 7, "at": 0.0131, "what": "client", "line": "{...}"}         a line that the client sent
    {"pid": 7, "at": 0.0142, "what": "server", "line": "{...}"}         one of the server's
    {"pid": 7, "at": 1.2, "what": "closed"}                             the client closed its end
    {"pid": 7, "at": 1.3, "what": "signal", "number": 15}               and sent this, which was passed on
    {"pid": 7, "at": 1.4, "what": "ended", "status": 0}

With HOLD=TOOL the answer to the first call of that tool is held back until the client cancels it, or for
twenty seconds.

`pid` is the server's, `at` the seconds since it was spawned. The client also waits for this program to start,
so only modules of the standard library that load fast are used.
"""

import json
import os
import signal
import sys
import threading
import time

HOLD_SECONDS = 20.0


class Recorder:
    """One server, and the file that its conversation is written to."""

    def __init__(self, log: str, command: list[str], hold: str) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        given, self._to_server = os.pipe()
        self._from_server, said = os.pipe()
        inherited = [(os.POSIX_SPAWN_DUP2, given, 0), (os.POSIX_SPAWN_DUP2, said, 1)]
        self._hold = f'"{hold}"'.encode() if hold else b""
        self._held = False
        self._let_go = threading.Event()
        self._spawned = time.perf_counter()
        self._pid = os.posix_spawn(command[0], command, os.environ, file_actions=inherited)
        os.close(given)
        os.close(said)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._pass_on)
        self._note(
            "started",
            0.0,
            parent=os.getppid(),
            command=command,
            cwd=os.getcwd(),
            variables=sorted(os.environ),
        )

    def run(self) -> int:
        """Pass everything on until the server has ended, and return its exit code."""
        threading.Thread(target=self._listen_to_client, daemon=True).start()
        self._copy(self._from_server, 1, "server")
        _, status = os.waitpid(self._pid, 0)
        code = os.waitstatus_to_exitcode(status)
        self._note("ended", self._now(), status=code)
        return code if code >= 0 else 128 - code

    def _listen_to_client(self) -> None:
        self._copy(0, self._to_server, "client")
        os.close(self._to_server)
        self._note("closed", self._now())

    def _copy(self, source: int, target: int, who: str) -> None:
        rest = b""
        while data := os.read(source, 1 << 16):
            at = self._now()
            self._hold_back(data, who)
            try:
                left = data
                while left:
                    left = left[os.write(target, left) :]
            except BrokenPipeError:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._note(who, at, line=line.decode("utf-8", "replace"))

    def _hold_back(self, data: bytes, who: str) -> None:
        if who == "client" and self._hold and not self._held:
            self._held = b"tools/call" in data and self._hold in data
        elif who == "client" and b"notifications/cancelled" in data:
            self._let_go.set()
        elif who == "server" and self._held:
            self._let_go.wait(HOLD_SECONDS)

    def _pass_on(self, number: int, _frame: object) -> None:
        self._note("signal", self._now(), number=number)
        try:
            os.kill(self._pid, number)
        except ProcessLookupError:
            pass

    def _now(self) -> float:
        return time.perf_counter() - self._spawned

    def _note(self, what: str, at: float, **more: object) -> None:
        row = {"pid": self._pid, "at": round(at, 6), "what": what, **more}
        os.write(self._log, json.dumps(row).encode() + b"\n")


if __name__ == "__main__":
    held, log, *server = sys.argv[1:]
    os._exit(Recorder(log, server, held.partition("=")[2]).run())
