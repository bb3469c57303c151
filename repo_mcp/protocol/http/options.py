"""The operator's options for serving over HTTP, checked before anything is opened.

Left out on purpose: a token on the command line, where every user of the machine can read it.
"""

from __future__ import annotations

import argparse
import os
import stat

from repo_mcp.config.environment import find_http_token
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.http.guard import (
    MAX_TOKEN_CHARS,
    MIN_TOKEN_CHARS,
    is_loopback,
    is_usable_token,
    split_host,
)
from repo_mcp.record_classes import dataclass

DEFAULT_HOST = "127.0.0.1"
MAX_PORT = 65_535
TOKEN_BYTES = 32  # random bytes of a token that is made here
MAX_TOKEN_FILE_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """The address to listen on, and the clients to listen to."""

    host: str
    port: int  # 0: one that is free
    token: str
    is_made: bool  # the token was made for this run, and the operator must be told
    hosts: tuple[str, ...] = ()  # names of this server besides those of the loopback
    origins: tuple[str, ...] = ()


def add_http_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of HTTP to a parser."""
    group = parser.add_argument_group("HTTP (--transport http)")
    group.add_argument(
        "--transport", choices=("stdio", "http"), default="stdio", help="how clients connect (default: stdio)"
    )
    group.add_argument("--host", metavar="ADDRESS", help=f"address to listen on (default: {DEFAULT_HOST})")
    group.add_argument("--port", type=int, metavar="N", help="port to listen on (default: any free one)")
    group.add_argument(
        "--token-file",
        metavar="FILE",
        help="file with the bearer token, readable only by you (default: REPO_MCP_HTTP_TOKEN;"
        " without that, a new token is printed on standard error)",
    )
    group.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        help="host name that clients use, besides localhost; repeatable",
    )
    group.add_argument(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        help="origin of web pages that may call, such as https://inspector.example; repeatable",
    )


def read_http_options(options: argparse.Namespace) -> HttpOptions | None:
    """Return the options of HTTP; None for stdio.

    Raises CONFIG_INVALID, which names the first unusable option.
    """
    given = {
        "--host": options.host,
        "--port": options.port,
        "--token-file": options.token_file,
        "--allow-host": options.allow_host,
        "--allow-origin": options.allow_origin,
    }
    if options.transport == "stdio":
        for name, value in given.items():
            if value is not None:
                raise _invalid(name, "needs --transport http", "Give both, or neither.")
        return None
    host = options.host or DEFAULT_HOST
    hosts = tuple(options.allow_host or ())
    port = 0 if options.port is None else options.port
    if not 0 <= port <= MAX_PORT:
        raise _invalid("--port", f"is {port}; it must be 0 to {MAX_PORT}", "Give a port, or none.")
    for name in hosts:
        if split_host(name) != name.lower().strip("[]"):
            raise _invalid("--allow-host", "must be only a name or an address", "Leave out scheme and port.")
    if not is_loopback(host) and not hosts:
        what = "is not a loopback address, and --allow-host names no host for clients to use"
        raise _invalid("--host", what, "Give a host name with --allow-host, or listen on 127.0.0.1.")
    token = _read_token(options.token_file)
    made = "" if token is not None else _make_token()
    return HttpOptions(host, port, token or made, bool(made), hosts, tuple(options.allow_origin or ()))


def _make_token() -> str:
    import secrets  # loads a large library, which the list of tools over stdio need not wait for

    return secrets.token_urlsafe(TOKEN_BYTES)


def _read_token(path: str | None) -> str | None:
    if path is None:
        token = find_http_token()
        where, hint = "REPO_MCP_HTTP_TOKEN", "Set it to a longer text, or unset it."
    else:
        token = _read_token_file(path)
        where, hint = "--token-file", "Write a longer text into the file."
    if token is None or is_usable_token(token):
        return token
    what = f"does not hold a token of {MIN_TOKEN_CHARS} to {MAX_TOKEN_CHARS} visible ASCII characters"
    raise _invalid(where, what, hint)


def _read_token_file(path: str) -> str:
    """Return the one line of a file that nobody else may read. Raises CONFIG_INVALID."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a path"
        raise _invalid("--token-file", f"cannot be read ({reason})", "Give a file.") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _invalid("--token-file", "is not a regular file", "Give a file.")
        if os.name != "nt" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _invalid("--token-file", "can be read by others", "Run: chmod 600 on it.")
        return os.read(descriptor, MAX_TOKEN_FILE_BYTES).decode("latin-1").strip()
    finally:
        os.close(descriptor)


def _invalid(option: str, what: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, f"{option} {what}.", hint, {"option": option})
