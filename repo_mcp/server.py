"""`repo-mcp-server`: a repository, or two, served over stdio, or over HTTP where the operator says so.

A client waits for the first frames, so they come first: a plain command line is looked at in a moment, the
handshake answered and the tools listed before the options are parsed (where limits were chosen: before the
engine is loaded). The SDK is loaded for HTTP alone. Importing this module is cheap;
everything else is imported where it is needed, in that order. The current directory is never served by
default and is left before anything of the repository is touched, so that nothing later can depend on it.

Exit codes: 0 the client is done or asked to stop, 2 usage or configuration, 3 the repository cannot be
opened, 130 interrupted. Configuration errors are one line on stderr, and come before the handshake.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from repo_mcp.config.plain_options import read_plain
from repo_mcp.protocol.answers import Answers
from repo_mcp.protocol.instructions import join_instructions, offers_tasks
from repo_mcp.protocol.ready_listing import read_listing
from repo_mcp.protocol.session import Session
from repo_mcp.protocol.wire import DEADLINE_SECONDS, StopReason, Wire, take_standard_streams
from repo_mcp.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from repo_mcp.config.server_config import Config
    from repo_mcp.errors import RepoError
    from repo_mcp.protocol.http_options import HttpOptions
    from repo_mcp.protocol.tool_model import Toolset
    from repo_mcp.repository import Repository


EXIT_USAGE = 2
EXIT_REPOSITORY = 3
WORKERS_GRACE_SECONDS = 0.2
CALLS_GRACE_SECONDS = 0.3
FIRST_FRAME_SECONDS = 0.05  # that loading the rest waits for the client's first frame
SWITCH_SECONDS = 0.0005  # that a thread which computes keeps another waiting; Python's own are 5 ms
REFRESH_DELAY_SECONDS = 0.3  # the client's first call comes first: beside a walk it takes twice as long
PROGRAM = "repo-mcp-server"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the server with the options of `argv`; returns the exit code.

    What has served ends the process itself, two seconds after the client at most, whatever hangs.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    server: Server | None = None
    plain = read_plain(arguments)
    if plain is not None:
        listing = read_listing(plain.toolsets) if plain.has_default_limits else ""
        server = _start(plain.toolsets, listing)
        if server is None:
            return _complain_of_streams()
        server.wire.wait_for_first_frame(FIRST_FRAME_SECONDS)
    from dataclasses import replace

    from repo_mcp.errors import RepoError
    from repo_mcp.protocol.http_options import read_http_options
    from repo_mcp.server_options import build_parser, read_config

    try:
        options = build_parser(PROGRAM).parse_args(arguments)
        http = read_http_options(options)
        config = read_config(options)
        if plain is not None:
            config = replace(config, held_roots=(plain.held_root,))
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else EXIT_USAGE
    except RepoError as error:
        return _complain(_render_error(error), EXIT_USAGE)
    return serve(config, server) if http is None else serve_http(config, http)


def serve_http(config: Config, http: HttpOptions) -> int:
    """Serve `config` over HTTP until a signal, and end the process. Returns the code of a failed start."""
    from repo_mcp.errors import RepoError
    from repo_mcp.process.allocator import return_free_memory
    from repo_mcp.protocol.call_pool import CallPool
    from repo_mcp.protocol.http_server import PATH, listen, open_socket
    from repo_mcp.protocol.sdk_server import build_sdk_server
    from repo_mcp.toolset_loader import load_toolsets

    _prepare_process()
    try:
        os.chdir(os.path.abspath(os.sep))
        bound = open_socket(http.host, http.port)
    except OSError as error:
        return _complain(f"--host or --port cannot be used: {error.strerror}", EXIT_USAGE)
    try:
        config = config.hold_roots()
        loaded_toolsets = load_toolsets(config, _warn)  # which hardens the process: no thread may run before
        return_free_memory()
        repositories = [repository for one in loaded_toolsets for repository in one.open()]
    except RepoError as error:
        return _complain_of_configuration(error)
    except OSError as error:
        return _complain(f"the repository cannot be opened: {error.strerror}", EXIT_REPOSITORY)
    _silence_sdk()
    pool = CallPool()
    sdk_server = build_sdk_server([one.toolset for one in loaded_toolsets], VERSION, pool)
    shown = f"[{http.host}]" if ":" in http.host else http.host

    def tell() -> None:
        _say(f"listening on http://{shown}:{bound.getsockname()[1]}{PATH}")
        if http.is_made:
            _say(f"token of this run: {http.token}")
        _refresh_soon(repositories)

    exit_code = 0
    try:
        if listen(sdk_server, http, bound, tell):
            exit_code = StopReason.INTERRUPTED.exit_code
    finally:
        _run_later(DEADLINE_SECONDS, lambda: _leave(exit_code))  # over stdio the wire sees to that
        _close(repositories)
        pool.wait_until_idle(CALLS_GRACE_SECONDS)
    return _end(exit_code)


def serve(config: Config, server: Server | None = None) -> int:
    """Serve `config` on standard input and output until the client ends it, and end the process.

    Returns the exit code of a failed start. `server` is one that has begun to answer.
    """
    from repo_mcp.errors import RepoError
    from repo_mcp.process.allocator import return_free_memory
    from repo_mcp.toolset_loader import load_toolsets

    _prepare_process()
    try:
        os.chdir(os.path.abspath(os.sep))
        config = config.hold_roots()  # before anything is answered: what takes their places is not served
        loaded_toolsets = load_toolsets(
            config, _warn
        )  # which hardens the process: no thread of ours may run before
        return_free_memory()
        if server is None:
            server = _start(config.toolsets)
            if server is None:
                return _complain_of_streams()
        server.offer([one.toolset for one in loaded_toolsets])
        repositories = [repository for one in loaded_toolsets for repository in one.open()]
    except RepoError as error:
        return _complain_of_configuration(error)
    except OSError as error:
        return _complain(f"the repository cannot be opened: {error.strerror}", EXIT_REPOSITORY)
    try:
        exit_code = server.run(repositories).exit_code
    finally:
        _close(repositories)
        server.close()
    return _end(exit_code)


def _prepare_process() -> None:
    """Prepare what all later threads share, over stdio and HTTP alike."""
    from repo_mcp.config.server_config import choose_instructions
    from repo_mcp.process.allocator import share_heap

    choose_instructions()
    share_heap()
    sys.setswitchinterval(SWITCH_SECONDS)


class Server:
    """One server from its first frame to its end."""

    def __init__(self, wire: Wire, answers: Answers) -> None:
        """`answers` are those of the toolsets that are offered later."""
        self.wire = wire
        self._session = Session(wire, answers)

    def start(self) -> None:
        """Answer what can be answered from now on."""
        self.wire.start(self._session.take)

    def offer(self, toolsets: Sequence[Toolset]) -> None:
        """List the tools. Their calls wait until what they ask is open."""
        from repo_mcp.protocol.call_pool import CallPool
        from repo_mcp.protocol.sampling import Sampler
        from repo_mcp.protocol.tool_model import name_tools

        self._session.offer(name_tools(toolsets), CallPool(), Sampler(self.wire.say))

    def run(self, repositories: Sequence[Repository]) -> StopReason:
        """Until the client ends it; returns why it ended. What the tools ask is open."""
        self.wire.note_started()
        _refresh_soon(repositories)
        reason = self.wire.wait()
        self._session.close()
        self.wire.finish()
        return reason

    def close(self) -> None:
        """Let calls that nobody waits for come to their end: each writes its line of the log."""
        self._session.wait_until_idle(CALLS_GRACE_SECONDS)


def _start(toolsets: Sequence[str], listing: str = "") -> Server | None:
    """A server that answers; None when a standard stream is closed. `listing` may be "": there is none."""
    try:
        wire = Wire(take_standard_streams(), leave=_leave)
    except OSError:
        return None
    _stop_on_signals(wire)
    answers = Answers(VERSION, join_instructions(toolsets), offers_tasks=offers_tasks(toolsets))
    answers.set_listing(listing)
    server = Server(wire, answers)
    server.start()
    return server


def _stop_on_signals(wire: Wire) -> None:
    """From here on the signals that end a server end the wire, whatever the process is doing."""
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


def _silence_sdk() -> None:
    import logging

    logging.getLogger("mcp").addHandler(logging.NullHandler())  # its records quote requests and results
    logging.getLogger("mcp").propagate = False


def _refresh_soon(repositories: Sequence[Repository]) -> None:
    for repository in repositories:
        _run_later(REFRESH_DELAY_SECONDS, repository.start_background_refresh)


def _run_later(seconds: float, run: Callable[[], object]) -> None:
    """In a thread of its own, unless the process has ended by then."""
    timer = threading.Timer(seconds, run)
    timer.daemon = True
    timer.start()


def _close(repositories: Sequence[Repository]) -> None:
    """Close what is served; processes that still index a moment after it has said stop are killed."""
    _run_later(WORKERS_GRACE_SECONDS, _kill_workers)
    closing = [threading.Thread(target=repository.close) for repository in repositories]
    for one in closing:  # each waits a little for its refresh to stop
        one.start()
    for one in closing:
        one.join()


def _kill_workers() -> None:
    """End the processes that index. What they did is not committed, and a shard can take them seconds."""
    list_children = getattr(sys.modules.get("multiprocessing"), "active_children", None)
    if list_children is None:  # nor has anybody started one while another thread still imports it
        return
    for child in list_children():
        try:
            child.kill()
        except (OSError, ValueError, AttributeError):  # whoever started it is closing it
            pass


def _end(exit_code: int) -> int:
    """End the process, and return nowhere, now that all is answered, logged and closed.

    Python would take its modules down one by one first: 0.3 s with the SDK loaded, over 2 s on a busy
    machine, and no deadline holds any more by then, for its thread is not let run.
    """
    import atexit

    atexit._run_exitfuncs()  # of libraries: processes that are joined, temporary directories
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed by now, or never there
            pass
    os._exit(exit_code)


def _leave(exit_code: int) -> None:
    """End the process now: something did not end in time."""
    try:
        _kill_workers()
    finally:
        os._exit(exit_code)


def _warn(message: str) -> None:
    _say(f"warning: {message}")


def _say(message: str) -> None:
    from repo_mcp.protocol.tool_model import escape_text

    try:  # by descriptor: there is no sys.stderr where it was closed
        os.write(2, f"{PROGRAM}: {escape_text(message)}\n".encode())
    except OSError:
        pass


def _render_error(error: RepoError) -> str:
    return f"{error.message} {error.hint}".rstrip()


def _complain_of_configuration(error: RepoError) -> int:
    from repo_mcp.errors import ErrorCode

    usage = error.code in (ErrorCode.CONFIG_INVALID, ErrorCode.INVALID_ARGUMENT)
    return _complain(_render_error(error), EXIT_USAGE if usage else EXIT_REPOSITORY)


def _complain_of_streams() -> int:
    return _complain("standard input or output is closed", EXIT_USAGE)


def _complain(message: str, exit_code: int) -> int:
    _say(message)
    return exit_code
