"""`repo-mcp-server`: a repository, or two, served over stdio, or over HTTP where the operator says so.

A client waits for the first frames, so they come first. With a plain command line (see
`repo_mcp.config.plain_options`) the handshake is answered and the tools are listed before the options are
parsed; if the command line sets limits, the tools are listed after that, but before the engine is loaded.
Importing this module is cheap: everything else is imported where it is needed, in that order, and the SDK
only for HTTP.

The current directory is never served by default; with `--repo-root auto` the repository around it is. The
process leaves that directory before it touches the repository, so that nothing later can depend on it.

Exit codes: 0 the client is done or asked to stop, 2 usage or configuration, 3 the repository cannot be
opened, 130 interrupted. Configuration errors are one line on stderr, and come before the handshake.
"""

from __future__ import annotations

import os
import sys

from repo_mcp import __version__
from repo_mcp.config.plain_options import read_plain
from repo_mcp.exit_codes import EXIT_FAILURE, EXIT_USAGE
from repo_mcp.process.ending import end_process, kill_children
from repo_mcp.protocol.instructions import describe_root, join_instructions, name_schemes, offers_tasks
from repo_mcp.protocol.messages import Answers
from repo_mcp.protocol.ready_listing import read_listing
from repo_mcp.protocol.wire import DEADLINE_SECONDS, StopReason, Wire, take_standard_streams
from repo_mcp.serving.stdio_server import (
    CALLS_GRACE_SECONDS,
    Server,
    refresh_soon,
    run_later,
    stop_on_signals,
)
from repo_mcp.threads import run_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from repo_mcp.config.server_config import Config
    from repo_mcp.errors import RepoError
    from repo_mcp.protocol.http.options import HttpOptions
    from repo_mcp.repository import Repository
    from repo_mcp.serving.served_roots import ServedRoots
    from repo_mcp.storage.held_directory import HeldDirectory


WORKERS_GRACE_SECONDS = 0.2
FIRST_FRAME_SECONDS = 0.05  # how long the client's first frame is waited for before the rest is loaded
SWITCH_SECONDS = 0.0005  # how long a computing thread keeps another one waiting; Python's default is 5 ms
PROGRAM = "repo-mcp-server"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the server with the options of `argv`, and return the exit code if it could not start.

    After serving, it ends the process itself, at most two seconds after the client has ended, whatever hangs.
    """
    from repo_mcp.process.allocator import share_heap

    share_heap()  # before the first thread: each would get a heap of its own, never given back in full
    arguments = list(sys.argv[1:] if argv is None else argv)
    server: Server | None = None
    plain = read_plain(arguments)
    if plain is not None:
        listing = read_listing(plain.toolsets) if plain.has_default_limits else ""
        root = "" if plain.held_root is None else plain.held_root.path
        server = _start(plain.toolsets, root, listing, finds_root=plain.finds_root)
        if server is None:
            return _complain_of_streams()
        server.wire.wait_for_first_frame(FIRST_FRAME_SECONDS)
    from repo_mcp.errors import RepoError
    from repo_mcp.protocol.http.options import read_http_options
    from repo_mcp.record_classes import replace
    from repo_mcp.serving.server_options import build_parser, read_config

    try:
        options = build_parser(PROGRAM).parse_args(arguments)
        http = read_http_options(options)
        config = read_config(options)
        if plain is not None and plain.held_root is not None:
            config = replace(config, held_roots=(plain.held_root,))
        if config.finds_root and (http is not None or config.harden):
            config = _settle(config)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else EXIT_USAGE
    except RepoError as error:
        return _complain(_render_error(error), EXIT_USAGE)
    return serve(config, server) if http is None else serve_http(config, http)


def serve_http(config: Config, http: HttpOptions) -> int:
    """Serve `config` over HTTP until a signal, and end the process. Returns the code of a failed start."""
    from repo_mcp.errors import RepoError
    from repo_mcp.process.allocator import return_free_memory
    from repo_mcp.protocol.calls import CallPool
    from repo_mcp.protocol.http.server import listen, open_socket
    from repo_mcp.protocol.sdk_server import build_sdk_server
    from repo_mcp.serving.toolset_loader import load_toolsets

    _prepare_process()
    try:
        os.chdir(os.path.abspath(os.sep))
        bound = open_socket(http.host, http.port)
    except OSError as error:
        return _complain(f"--host or --port cannot be used: {error.strerror}", EXIT_USAGE)
    try:
        config = config.hold_roots()
        loaded_toolsets = load_toolsets(config, _warn)  # hardens the process: no thread may run before
        return_free_memory()
        repositories = [repository for one in loaded_toolsets for repository in one.open()]
    except RepoError as error:
        return _complain_of_configuration(error)
    except OSError as error:
        return _complain(f"the repository cannot be opened: {error.strerror}", EXIT_FAILURE)
    _silence_sdk()
    pool = CallPool()
    toolsets = [one.toolset for one in loaded_toolsets]
    root = describe_root(config.root) if config.root else ""
    sdk_server = build_sdk_server(toolsets, __version__, pool, root=root)

    def announce() -> None:
        _say_address(http, bound.getsockname()[1])
        refresh_soon(repositories)

    exit_code = 0
    try:
        if listen(sdk_server, http, bound, announce):
            exit_code = StopReason.INTERRUPTED.exit_code
    finally:
        run_later(DEADLINE_SECONDS, lambda: _leave(exit_code))  # over stdio the wire does that
        _close(repositories)
        pool.wait_until_idle(CALLS_GRACE_SECONDS)
    return end_process(exit_code)


def _say_address(http: HttpOptions, port: int) -> None:
    from repo_mcp.protocol.http.server import PATH

    host = f"[{http.host}]" if ":" in http.host else http.host
    _say(f"listening on http://{host}:{port}{PATH}")
    if http.is_made:
        _say(f"token of this run: {http.token}")


def _settle(config: Config) -> Config:
    """Return `config` with the root found already, for a server that must know it before a client comes.

    Over HTTP there are many clients, and a hardened process cannot open anything later. Raises RepoError
    with CONFIG_INVALID.
    """
    from repo_mcp.config.found_root import hold_found_root
    from repo_mcp.errors import ErrorCode, RepoError
    from repo_mcp.record_classes import replace

    here = hold_found_root()
    if here is None:
        message = "--repo-root auto finds no repository around the working directory."
        hint = "Start the server in one, or give its directory as --repo-root."
        raise RepoError(ErrorCode.CONFIG_INVALID, message, hint)
    return replace(config, root=here.path, finds_root=False, held_roots=(here,))


def serve(config: Config, server: Server | None = None) -> int:
    """Serve `config` on standard input and output until the client ends it, and end the process.

    Returns the exit code of a failed start. `server` is given if it has begun to answer already.
    """
    from repo_mcp.errors import RepoError

    _prepare_process()
    try:
        here = _find_here(config) if config.finds_root else None
        os.chdir(os.path.abspath(os.sep))
        config = config.hold_roots()  # first: a directory that takes a root's place later is not served
        session = _serve_found(config, here, server) if config.finds_root else _serve_named(config, server)
    except RepoError as error:
        return _complain_of_configuration(error)
    except OSError as error:
        return _complain(f"the repository cannot be opened: {error.strerror}", EXIT_FAILURE)
    if session is None:
        return _complain_of_streams()
    server, close = session
    try:
        exit_code = server.run().exit_code
    finally:
        close()
        server.close()
    return end_process(exit_code)


def _find_here(config: Config) -> HeldDirectory | None:
    """Return the root around the working directory: the one found at the very start, if that was done."""
    from repo_mcp.config.found_root import hold_found_root

    return config.held_roots[0] if config.held_roots else hold_found_root()


def _serve_named(config: Config, server: Server | None) -> tuple[Server, Callable[[], object]] | None:
    """Open the roots of the options and serve them. Returns the server, and how to close what it serves.

    None when a standard stream is closed. Raises RepoError and OSError.
    """
    from repo_mcp.process.allocator import return_free_memory
    from repo_mcp.serving.toolset_loader import load_toolsets

    loaded_toolsets = load_toolsets(config, _warn)  # hardens the process: no thread of ours may run before
    return_free_memory()
    server = server or _start(config.toolsets, config.root)
    if server is None:
        return None
    server.offer([one.toolset for one in loaded_toolsets])
    repositories = [repository for one in loaded_toolsets for repository in one.open()]
    server.begin(repositories)
    return server, lambda: _close(repositories)


def _serve_found(
    config: Config, here: HeldDirectory | None, server: Server | None
) -> tuple[Server, Callable[[], object]] | None:
    """Serve the roots that the client names, or else `here`. Otherwise like `_serve_named`."""
    from repo_mcp.process.allocator import return_free_memory
    from repo_mcp.serving.served_roots import ServedRoots

    served = ServedRoots(config, here, _warn)
    return_free_memory()
    server = server or _start(config.toolsets, "" if here is None else here.path, finds_root=True)
    if server is None:
        return None
    server.offer(served.toolsets)
    repositories = served.open_named_roots()
    server.find_roots(served)
    return server, lambda: _close([*repositories, served])


def _prepare_process() -> None:
    """Prepare what all later threads share, over stdio and HTTP alike."""
    from repo_mcp.config.environment import prepare_numpy

    prepare_numpy()
    sys.setswitchinterval(SWITCH_SECONDS)


def _start(
    toolsets: Sequence[str], root: str, listing: str = "", *, finds_root: bool = False
) -> Server | None:
    """Start a server and return it; None when a standard stream is closed.

    `root` is the root named in its instructions, "" for none; `listing` is the ready list of tools, "" for
    none.
    """
    try:
        wire = Wire(take_standard_streams(), leave=_leave)
    except OSError:
        return None
    stop_on_signals(wire)
    said = describe_root(root) if root or finds_root else ""
    answers = Answers(
        __version__,
        join_instructions(toolsets),
        root=said,
        offers_tasks=offers_tasks(toolsets),
        schemes=name_schemes(toolsets),
    )
    answers.set_listing(listing)
    server = Server(wire, answers, finds_root=finds_root)
    server.start()
    return server


def _silence_sdk() -> None:
    import logging

    logging.getLogger("mcp").addHandler(logging.NullHandler())  # its records quote requests and results
    logging.getLogger("mcp").propagate = False


def _close(repositories: Sequence[Repository | ServedRoots]) -> None:
    """Close what is served; processes that still index a moment after they were told to stop are killed."""
    run_later(WORKERS_GRACE_SECONDS, kill_children)
    run_beside(repository.close for repository in repositories)  # each waits a little for its refresh


def _leave(exit_code: int) -> None:
    """End the process at once, because something did not end in time."""
    try:
        kill_children()
    finally:
        os._exit(exit_code)


def _warn(message: str) -> None:
    _say(f"warning: {message}")


def _say(message: str) -> None:
    from repo_mcp.text.lines import escape_text

    try:  # by descriptor: there is no sys.stderr where it was closed
        os.write(2, f"{PROGRAM}: {escape_text(message)}\n".encode())
    except OSError:
        pass


def _render_error(error: RepoError) -> str:
    stop = "" if error.message.endswith((".", "?", "!")) else "."
    return f"{error.message}{stop} {error.hint}".rstrip()


def _complain_of_configuration(error: RepoError) -> int:
    from repo_mcp.errors import ErrorCode

    usage = error.code in (ErrorCode.CONFIG_INVALID, ErrorCode.INVALID_ARGUMENT)
    return _complain(_render_error(error), EXIT_USAGE if usage else EXIT_FAILURE)


def _complain_of_streams() -> int:
    return _complain("standard input or output is closed", EXIT_USAGE)


def _complain(message: str, exit_code: int) -> int:
    _say(message)
    return exit_code


if __name__ == "__main__":  # a client may name the module instead of the installed command
    sys.exit(main())
