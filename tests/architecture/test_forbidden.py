"""What shipped code never does: run programs, open sockets, unpickle, open files past the repository reader.

An exception needs its row in ALLOWED with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture.source_tree import Module, expect_none, list_imports, load_modules

FORBIDDEN_IMPORTS = {
    "pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib",  # run code when they read
    "subprocess", "pty", "popen2",  # run programs
    "socket", "socketserver", "ssl", "asyncore", "urllib", "http", "ftplib", "smtplib",  # reach the network
    "requests", "httpx", "httpx2", "aiohttp", "fsspec", "websockets",
    "dask", "distributed", "tornado",
    "importlib.machinery", "imp", "runpy", "code", "codeop",  # import what the repository holds
    "ctypes", "cffi",  # go around every check
    "mmap",  # a truncated map kills the process
    "random", "secrets", "uuid",  # nothing of ours is random
}  # fmt: skip

FORBIDDEN_CALLS = {
    "eval", "exec", "compile", "__import__", "breakpoint", "input",
    "os.system", "os.popen", "os.startfile", "os.realpath", "os.path.realpath", "os.fork", "os.forkpty",
    "os.execv", "os.execve", "os.execvp", "os.spawnv", "os.spawnvp", "os.posix_spawn",
    "importlib.import_module", "numpy.load", "np.load", "Path.resolve", "tempfile.mktemp",
}  # fmt: skip

# file -> {what it may use: why}
ALLOWED: dict[str, dict[str, str]] = {
    "repo_mcp/cli/clients/check.py": {
        "subprocess": "`repo-mcp init --check` starts this very server, as a client would"
    },
    "repo_mcp/cli/pack_stores.py": {
        "fsspec": "fetches and stores a pack where the user's command names a URL",
        "aiohttp": "says how long a server may be silent then",
    },
    "repo_mcp/cli/clients/files.py": {
        "os.path.realpath": "finds out where a link of the user's own, in place of a client's file, leads to"
    },
    "repo_mcp/cli/clients/server_choice.py": {
        "os.path.realpath": "tells whether the server's program lies in a cache that may be emptied"
    },
    "repo_mcp/config/found_root.py": {
        "os.path.realpath": "learns the other name of the user's home, which is never served unasked"
    },
    "repo_mcp/storage/data_dir.py": {
        "os.path.realpath": "compares the operator's own two directories, once, at the start"
    },
    "repo_mcp/protocol/http/options.py": {"secrets": "makes the bearer token of a run"},
    "repo_mcp/protocol/http/server.py": {"socket": "listens, where the operator chose HTTP"},
    "repo_mcp/workspace/reader/windows.py": {
        "ctypes": "asks Windows for the final name of an opened file; Python has no call"
    },
    "repo_mcp/process/hardening.py": {"ctypes": "asks Linux to forbid things (Landlock); Python has no call"},
    "repo_mcp/indexing/cluster/loop.py": {
        "distributed": "talks with the cluster that the operator named, for `repo-mcp index` alone"
    },
    "repo_mcp/indexing/inotify.py": {"ctypes": "asks Linux to tell of changes (inotify); Python has no call"},
    "repo_mcp/process/allocator.py": {"ctypes": "tells the C library what to keep; Python has no call"},
    "repo_mcp/record_classes/making.py": {
        "exec": "compiles the `__init__` of a record class from the names of its fields"
    },
    "repo_mcp/text/spans.py": {
        "secrets": "keys a hash against prepared collisions; it leaves no trace in the result"
    },
    "repo_mcp/workspace/reader/repository_reader.py": {
        "os.path.realpath": "learns the root's other name, once, at the start"
    },
    "repo_mcp/audit/call_recorder.py": {"uuid": "request ids vary on purpose and stand outside `result`"},
}

# The files made for it: nothing else opens anything.
OPENERS = {
    "index_format/disk_directory.py",
    "repo_mcp/storage/data_dir.py",
    "repo_mcp/storage/held_directory.py",  # directories alone, to enter them by descriptor
    "repo_mcp/process/hardening.py",  # what a rule allows, by descriptors; the interpreter, for its loader
    "repo_mcp/protocol/http/options.py",  # the operator's own file with the token
    "repo_mcp/languages/outline/installed.py",  # the entry points of installed packages
    "repo_mcp/cli/impact_command.py",  # the diff that the user names
    "repo_mcp/config/named_roots.py",  # the operator's own configuration file
    "repo_mcp/workspace/reader/repository_reader.py",
    "repo_mcp/workspace/git/places.py",  # what Git keeps of a linked work tree outside its root
    "repo_mcp/workspace/reader/posix.py",
    "repo_mcp/semantic/model_folder.py",  # the operator's own model
    "repo_mcp/protocol/ready_listing.py",  # files of the package itself
    "repo_mcp/text/everyday_phrases.py",  # a file of the package itself
    "repo_mcp/text/word_families.py",  # a file of the package itself
    "repo_mcp/config/processor.py",  # what Linux says of the processor
    "repo_mcp/process/lister_process.py",  # directories alone, beneath the root's descriptor
    "repo_mcp/process/parse_process.py",  # what Linux says of the process's own memory
    "repo_mcp/protocol/wire.py",  # the null device in place of standard input and output
    "repo_mcp/cli/__init__.py",  # the null device in place of standard streams that are closed
}

# The files that make, rename, delete or mark anything on disk; all others do it through a `DiskDirectory`.
CHANGERS = {
    "index_format/disk_directory.py",
    "repo_mcp/storage/data_dir.py",
    "repo_mcp/storage/held_directory.py",
    "repo_mcp/storage/namespaces.py",
    "repo_mcp/storage/user_key.py",  # the user's state directory, outside every root
    "repo_mcp/cli/clients/files.py",  # the files of clients, which `repo-mcp init` edits
}
CHANGING_CALLS = {
    f"os.{name}"
    for name in ("mkdir", "makedirs", "rename", "renames", "replace", "unlink", "remove", "removedirs",
                 "rmdir", "chmod", "fchmod", "chown", "link", "symlink", "truncate", "utime", "mkfifo")
}  # fmt: skip

# Python before 3.11.5 matches it wrong (gh-106052); of single characters and classes it does not.
POSSESSIVE_GROUP = re.compile(r"(?<![\\(])\)(?:[*+?]|\{\d*,?\d*\})\+")

PRINTERS = ("repo_mcp/cli/", "index_format/__main__.py")
ENVIRONMENT_READERS = ("repo_mcp/config/environment.py", "repo_mcp/config/home.py")


def iter_faults(module: Module) -> Iterator[str]:
    allowed = ALLOWED.get(module.path, {})
    for imported in list_imports(module):
        parts = imported.module.split(".")
        names = {".".join(parts[: end + 1]) for end in range(len(parts))}
        if names & FORBIDDEN_IMPORTS and not names & set(allowed):
            yield f"{module.path}:{imported.line} imports {imported.module}"
    for name, line in module.names:
        if name in FORBIDDEN_CALLS and name not in allowed:
            yield f"{module.path}:{line} uses {name}"


def test_nothing_forbidden_is_imported_or_called() -> None:
    expect_none(
        (fault for module in load_modules() for fault in iter_faults(module)),
        "Do without (AGENTS.md, safety rules); an exception has a row with its reason in ALLOWED:",
    )


def test_every_exception_is_still_needed() -> None:
    paths = {module.path for module in load_modules()}
    for path, uses in ALLOWED.items():
        assert path in paths
        text = (next(m for m in load_modules() if m.path == path)).text
        assert all(use.rpartition(".")[2] in text and reason for use, reason in uses.items())


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{module.path}:{line}"
        for module in load_modules()
        if not module.path.startswith(PRINTERS)
        for name, line in module.calls
        if name in ("print", "pprint", "pprint.pprint")
    ]
    expect_none(printing, "Standard output is the protocol: return a warning, or log it.")


def test_only_the_configuration_reads_the_environment() -> None:
    reading = [
        f"{module.path}:{line} {name}"
        for module in load_modules()
        if module.path not in ENVIRONMENT_READERS
        for name, line in module.names
        if name in ("os.environ", "os.environb", "os.getenv", "os.path.expanduser", "os.path.expandvars")
    ]
    expect_none(reading, f"Ask a function of {' or '.join(ENVIRONMENT_READERS)}:")


def test_only_the_repository_reader_and_the_index_open_files() -> None:
    opening = [
        f"{module.path}:{line} {name}"
        for module in load_modules()
        if module.path not in OPENERS
        for name, line in module.calls
        if name in ("open", "os.open", "io.open", "os.fdopen")
    ]
    expect_none(
        opening,
        "Read files of the root by the RepositoryReader, write by a DiskDirectory. What opens anything else"
        " is in OPENERS, with what that is:",
    )


def test_only_these_change_directories() -> None:
    changing = {
        module.path for module in load_modules() for name, _ in module.calls if name in CHANGING_CALLS
    }
    expect_none(
        sorted(changing ^ CHANGERS),
        "Change files by a DiskDirectory. CHANGERS names the files that change directories themselves:",
    )


def test_no_group_of_a_pattern_is_repeated_possessively() -> None:
    assert all(map(POSSESSIVE_GROUP.search, ("(?:ab?c)*+", "(a|b)++", "(a){0,3}+", "(a){2}+", "(a)?+")))
    assert not any(map(POSSESSIVE_GROUP.search, ("[()]*+", r"\(\)++", "(?:a)+b+", "a{0,3}+")))
    repeating = [
        f"{module.path}:{node.lineno} {text}"
        for module in load_modules()
        for node in module.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        for text in [node.value if isinstance(node.value, str) else node.value.decode("latin-1")]
        if POSSESSIVE_GROUP.search(text)
    ]
    expect_none(repeating, "Repeat groups by count, {0,100}: Python before 3.11.5 matches these wrong.")
