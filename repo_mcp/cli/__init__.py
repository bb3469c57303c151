"""`repo-mcp`: the commands for people. Only this package prints.

Nothing is imported that the command line does not need: `--version` and `--help` load no module of the
engine, and `serve` passes to the server before anything made for people is imported.
"""

from __future__ import annotations

import os
import signal
import sys

from repo_mcp.exit_codes import EXIT_INTERRUPTED
from repo_mcp.process.ending import end_process, kill_children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; as a program, without `argv`, end the process with it.

    0 done, 1 nothing found, 2 usage or configuration, 3 index or repository error, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["serve"] and not {"-h", "--help"}.intersection(arguments):
        from repo_mcp import server

        return server.main(arguments[1:])
    # Unless whoever started this process chose another handler.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_interrupted)
    _fill_closed_streams()
    if sys.platform == "win32":
        _write_utf8()
    from repo_mcp.cli.app import run

    exit_code = run(arguments)
    return exit_code if argv is not None else end_process(exit_code)


def _end_interrupted(_number: int, _frame: object) -> None:
    """End the process at once, whatever it is doing: importing, indexing, waiting for a thread, ending.

    An exception could surface as a traceback anywhere. An index is intact at any moment, and the locks of
    this process are released when it ends.
    """
    kill_children()
    remove_names = getattr(sys.modules.get("multiprocessing.util"), "_run_finalizers", None)
    if remove_names is not None:  # Semaphores' names, about which their tracker would complain otherwise
        remove_names(0)
    is_drawn = os.isatty(2)  # the progress line and ^C, which are erased
    os.write(2, (b"\r\x1b[K" if is_drawn else b"") + b"repo-mcp: interrupted\n")
    os._exit(EXIT_INTERRUPTED)


def _fill_closed_streams() -> None:
    """Open the null device for standard streams that were closed, as by `2>&-`.

    Whatever is opened next would get their descriptors: then what is printed could be written to an index.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # each gets the least free number
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _write_utf8() -> None:
    """Let pipes and files get UTF-8, as consoles do: the code page of Windows has no character for a bar."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
