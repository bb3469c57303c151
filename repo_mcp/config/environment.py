"""Everything that is read from the environment, apart from the home directory (`repo_mcp.config.home`).

Variables say where the user's own files are, whether a terminal takes colours, and where `retrieval` finds
its two roots. Only those roots change what a server answers. What the processes that we start find in their
environment is decided here too.

Left out on purpose: `.env` files.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from repo_mcp.config.home import find_home
from repo_mcp.config.processor import SLOW_SORTS, read_description, sorts_slowly

# The variables that Codex passes on, the client that passes on the fewest.
_CLIENT_VARIABLES = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "USER", "__CF_USER_TEXT_ENCODING"),
    *("LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"),
)
_WINDOWS_CLIENT_VARIABLES = (
    *("PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "USERNAME", "USERDOMAIN", "USERPROFILE"),
    *("HOMEDRIVE", "HOMEPATH", "PROGRAMFILES", "PROGRAMDATA", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"),
)
_ENVIRONMENT_LOCK = threading.Lock()
_NUMPY_VARIABLES = {"off": "NPY_DISABLE_CPU_FEATURES", "on": "NPY_ENABLE_CPU_FEATURES"}  # one or the other
_CHILD_ENVIRONMENT: Mapping[str, str | None] = {
    "PYTHONSAFEPATH": "1",
    "PYTHONPATH": None,
    "PYTHONSTARTUP": None,
    "LD_PRELOAD": None,
    # Only glibc reads these. Large arrays then reuse freed memory instead of coming from the kernel, which
    # zeroes it each time; that was a tenth of the time of indexing.
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    # For the linear algebra libraries that numpy may be built with: one thread, as there is a process for
    # each processor, and sums that are split differently round differently.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}


def find_client_home(variable: str, *below_home: str) -> str:
    """Return a client's directory: the value of its variable if absolute, else a path below home."""
    value = os.environ.get(variable, "") if variable else ""
    return value if os.path.isabs(value) else os.path.join(find_home(), *below_home)


def list_client_variables() -> dict[str, str]:
    """Return the environment that a sparing client gives its servers: these variables, where set."""
    names = _WINDOWS_CLIENT_VARIABLES if os.name == "nt" else _CLIENT_VARIABLES
    return {name: os.environ[name] for name in names if name in os.environ}


def find_cache_home() -> str:
    """Return the user's directory for rebuildable files: XDG_CACHE_HOME, LOCALAPPDATA or ~/.cache."""
    return _find_user_directory("XDG_CACHE_HOME", ".cache")


def find_state_home() -> str:
    """Return the user's directory for lasting state: XDG_STATE_HOME, LOCALAPPDATA or ~/.local/state."""
    return _find_user_directory("XDG_STATE_HOME", os.path.join(".local", "state"))


def find_config_home() -> str:
    """Return the user's directory for configuration: XDG_CONFIG_HOME, LOCALAPPDATA or ~/.config."""
    return _find_user_directory("XDG_CONFIG_HOME", ".config")


def find_root_variable(name: str) -> str:
    """Return the value of DOCS_ROOT or CODE_ROOT as it was set, or ""."""
    return os.environ.get(name, "")


def find_http_token() -> str | None:
    """Return the bearer token of REPO_MCP_HTTP_TOKEN; None when it is unset or empty."""
    return os.environ.get("REPO_MCP_HTTP_TOKEN", "").strip() or None


def wants_colour(*, is_terminal: bool) -> bool:
    """Return True when output for people is to be coloured, by NO_COLOR, FORCE_COLOR and TERM."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown"):
        return False
    # The old console of Windows shows escape sequences as they are; its newer ones say that they do not.
    is_able = os.name != "nt" or bool(os.environ.get("WT_SESSION") or os.environ.get("TERM"))
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal and is_able)


def _find_user_directory(variable: str, below_home: str) -> str:
    # An XDG variable counts only when it is absolute (XDG Base Directory Specification).
    for name in (variable, "LOCALAPPDATA"):
        value = os.environ.get(name, "")
        if os.path.isabs(value) and (name == variable or os.name == "nt"):
            return value
    return os.path.join(find_home(), below_home)


def prepare_numpy() -> None:
    """Make numpy, here and in later processes, avoid instructions that are slow on this processor.

    Its library of linear algebra gets one thread: others spin for 50 ms, and no product here is worth that.
    Call this before numpy is imported. It leaves the user's own choices alone. See `processor.py`.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    is_chosen = any(name in os.environ for name in _NUMPY_VARIABLES.values())
    if not is_chosen and sorts_slowly(read_description(os.environ.get("PROCESSOR_IDENTIFIER", ""))):
        os.environ[_NUMPY_VARIABLES["off"]] = SLOW_SORTS


@contextmanager
def safe_child_environment() -> Iterator[None]:
    """Keep the current directory and the user's own code out of processes started inside."""
    changes = _CHILD_ENVIRONMENT
    with _ENVIRONMENT_LOCK:  # otherwise two threads would save each other's changes as the original values
        before = {name: os.environ.get(name) for name in changes}
        _set_environment(changes)
        try:
            with _hold_interrupts():
                yield
        finally:
            _set_environment(before)


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Start processes with SIGINT blocked: while they import they would answer it with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _set_environment(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
