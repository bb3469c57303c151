"""The configuration of one server: its keys, its limits, and what the operator may choose.

There are three sources, each overriding those before: the defaults here, the repository's `repo_mcp.toml`
(`repo_mcp.config.repository_file`), the operator's options. The operator may raise limits up to the hard
caps compiled in here. A configuration records which keys the repository and the operator set.

Left out on purpose: the environment (`repo_mcp.config.environment`), which changes no answer of a server
except the two roots of `retrieval`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, TypedDict, Unpack

from repo_mcp.config.environment import find_root_variable
from repo_mcp.config.found_root import AUTO
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.storage.data_dir import OWN_NAME
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace import globs
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.reader.held_root import hold_root

TOOLSETS = ("repo", "retrieval", "graph", "research")
SYMBOL_TOOLSETS = frozenset({"graph", "research"})  # toolsets that need the symbol index
VECTOR_TOOLSETS = frozenset({"research"})  # toolsets that use vectors, if there is a model
NAMED_ROOT_TOOLSETS = frozenset({"retrieval"})  # toolsets that serve named roots instead of --repo-root
MAX_WORKERS = 64
CALLS_PER_SECOND = 500  # an agent that calls as fast as it can read reaches a few tens
CALL_SECONDS = 50
SYMBOL_WAIT_SECONDS = 2
# Limits that apply to every call, and the highest value allowed for each.
CALL_LIMITS: Mapping[str, int] = {
    "max_calls_per_second": 100_000,
    "call_timeout_seconds": 3_600,
    "symbol_wait_seconds": 30,
}
# Options that refuse files whatever their names.
REFUSALS = ("refuse_hard_links", "one_file_system", "refuse_private_keys")
_MAX_CHOSEN_WORKERS = 4  # default limit: more were no faster on the machines measured
DEFAULT_MEMORY_MB = 1_000
LEAST_MEMORY_MB, MOST_MEMORY_MB = 256, 1_000_000
MAX_GLOBS = 1_000
MAX_EXTENSION_CHARS = 32
MAX_REPOSITORY_FILE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of what one call may ask for or get, from `LEAST_LIMITS` to `HARD_CAPS`."""

    max_file_bytes: int = 2_000_000  # a larger file is neither opened nor indexed
    max_open_lines: int = 2_000  # lines of one call of open_file
    default_open_lines: int = 200  # lines when no end is given
    max_total_bytes_per_response: int = 65_536  # bytes of one serialised answer
    max_search_hits: int = 50
    default_search_hits: int = 10  # hits when no top_k is given
    max_query_words: int = 1_000  # the rest of a query is cut with a warning
    max_list_results: int = 1_000  # files in one listing
    max_bundle_files: int = 20
    max_bundle_lines: int = 2_000
    default_bundle_files: int = 8  # files when no budget is given
    default_bundle_lines: int = 400
    max_line_chars: int = 2_000  # a longer line is cut in an answer


# Not even the operator may exceed these, so that memory and answers stay bounded.
HARD_CAPS: Mapping[str, int] = {
    "max_file_bytes": 64_000_000,
    "max_open_lines": 100_000,
    "default_open_lines": 100_000,
    "max_total_bytes_per_response": 8_388_608,
    "max_search_hits": 1_000,
    "default_search_hits": 1_000,
    "max_query_words": 10_000,
    "max_list_results": 1_000_000,
    "max_bundle_files": 1_000,
    "max_bundle_lines": 100_000,
    "default_bundle_files": 1_000,
    "default_bundle_lines": 100_000,
    "max_line_chars": 1_000_000,
}
# Nobody may set one of these lower: below, files and lines are useless, and calls fail as no answer fits,
# not even `repo.status` with the warnings that say why (5,008 bytes); see
# `tests/repo_mcp/stdio/test_narrow_limits.py`.
LEAST_LIMITS: Mapping[str, int] = dict.fromkeys(HARD_CAPS, 1) | {
    "max_file_bytes": 1_000,
    "max_total_bytes_per_response": 8_192,
    "max_line_chars": 80,
}
# A default cannot be above its maximum: lowering the maximum lowers the default.
DEFAULT_OF = {
    "default_open_lines": "max_open_lines",
    "default_search_hits": "max_search_hits",
    "default_bundle_files": "max_bundle_files",
    "default_bundle_lines": "max_bundle_lines",
}


@dataclass(frozen=True, slots=True)
class NamedRoot:
    """One of several roots that a server offers by name."""

    name: str  # "docs" or "code"
    path: str  # absolute, as given, normalised as text
    source: str  # "environment" or "configuration file"


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration that one server was started with."""

    root: str  # absolute, as given, normalised as text; "" where it is found, or only named roots are served
    finds_root: bool = False  # `auto`: the client's roots, or else the one around the working directory
    data_dir: str | None = None  # absolute; None: the default directory
    limits: Limits = Limits()
    chunk_lines: int = 200
    chunk_overlap_lines: int = 30  # less than chunk_lines
    include_extensions: tuple[str, ...] = ()  # lower case, without the dot; empty: every text file
    exclude_globs: tuple[str, ...] = ()  # in the syntax of .gitignore, at the root
    allow_paths: tuple[str, ...] = ()  # globs of names that are denied by default; only the operator may
    toolsets: tuple[str, ...] = ("repo",)
    named_roots: tuple[NamedRoot, ...] = ()  # for the toolset `retrieval`: docs, then code
    workers: int = 0  # processes that index; 0: one for each processor, at most 4
    memory_mb: int = DEFAULT_MEMORY_MB  # the most that all processes of a build may use together
    watch: bool = False  # look for changed files while serving
    max_calls_per_second: int = CALLS_PER_SECOND  # for one server, with all its toolsets; 0: no limit
    call_timeout_seconds: int = CALL_SECONDS  # for one call that reads: clients give up after 60; 0: no limit
    symbol_wait_seconds: int = SYMBOL_WAIT_SECONDS  # How long a call of the graph waits for files to parse
    refuse_hard_links: bool = False  # a file with another name is not served
    one_file_system: bool = False  # file systems mounted below the root are not served
    refuse_private_keys: bool = False  # a file with the block of a private key in it is not served
    any_root: bool = False  # serve even the root of the file system or one of the kernel's directories
    harden: bool = False  # have the system forbid the server what it does not need, as far as it can
    audit_queries: bool = False  # the audit log includes the text of queries and prompts
    last_bundle: bool = True  # the last context bundle is stored in the data directory, for people
    semantic_model: str | None = None  # absolute; folder of an embedding model; only the operator may set it
    siblings: bool = True  # a first index begins with that of another checkout of the repository
    index_from: str | None = None  # absolute; a checkout whose index a first one may begin with
    index_pack: str | None = None  # absolute; a pack that a first index may begin with
    pack_key: str | None = None  # absolute; the key that this pack must be signed with
    # Pairs of extension and language that replace the built-in ones, sorted.
    extensions: tuple[tuple[str, str], ...] = ()
    disabled_adapters: tuple[str, ...] = ()  # sorted names
    given: frozenset[str] = field(default=frozenset(), compare=False)  # keys set by the operator
    narrowed: frozenset[str] = field(default=frozenset(), compare=False)  # keys set by repo_mcp.toml
    held_roots: tuple[HeldDirectory, ...] = field(default=(), compare=False)

    def hold_root(self) -> HeldDirectory:
        """Return the root as the server opened it when it started, or else as it is now.

        Raises RepoError with CONFIG_INVALID when it cannot be opened.
        """
        return self._find_held(self.root) or hold_root(self.root)

    def hold_roots(self) -> Config:
        """Return the configuration with all its roots open. Raises as `hold_root` does."""
        paths = [*filter(None, [self.root]), *(root.path for root in self.named_roots)]
        return replace(self, held_roots=tuple(self._find_held(path) or hold_root(path) for path in paths))

    def _find_held(self, path: str) -> HeldDirectory | None:
        return next((held for held in self.held_roots if held.path == path), None)

    def fingerprint(self, deny_fingerprint: str) -> str:
        """Return a digest (32 hex digits) of all settings that affect an index, not answers or paths."""
        facts: tuple[object, ...] = (
            self.chunk_lines,
            self.chunk_overlap_lines,
            self.limits.max_file_bytes,
            self.include_extensions,
            self.exclude_globs,
            self.extensions,
            self.disabled_adapters,
            deny_fingerprint,
        )
        # Not as more facts: with none of these options, an existing index remains valid.
        facts += tuple(key for key in REFUSALS if getattr(self, key))
        import hashlib  # imported here: it loads a large library, for which the list of tools need not wait

        return hashlib.blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    @property
    def refusals(self) -> Refusals:
        """Return the kinds of files that the repository reader refuses whatever their names."""
        return Refusals(self.refuse_hard_links, self.one_file_system, self.refuse_private_keys)

    def chosen_workers(self) -> int:
        """Return the number of processes to index with, at least 1."""
        return self.workers or max(1, min(_available_processors(), _MAX_CHOSEN_WORKERS))


class GivenOptions(TypedDict, total=False):
    """The operator's options by key, besides the root. What is None or an empty list is not given."""

    data_dir: str | None
    toolsets: Sequence[str] | None
    workers: int | None
    memory_mb: int | None
    watch: bool | None
    any_root: bool | None
    harden: bool | None
    audit_queries: bool | None
    last_bundle: bool | None
    semantic_model: str | None
    siblings: bool | None
    index_from: str | None
    index_pack: str | None
    pack_key: str | None
    include_extensions: Sequence[str] | None
    exclude_globs: Sequence[str] | None
    allow_paths: Sequence[str] | None
    limits: Mapping[str, int] | None  # values by the names of the fields of Limits
    call_limits: Mapping[str, int] | None  # values by the keys of CALL_LIMITS
    refusals: Mapping[str, bool] | None  # values by the names in REFUSALS


def load_config(root: str | None, **options: Unpack[GivenOptions]) -> Config:
    """Return the configuration of the operator's options. Nothing on disk is examined.

    `root` may be AUTO, or None for named roots alone. Raises RepoError with CONFIG_INVALID.
    """
    toolsets = _choose_toolsets(options.get("toolsets"), root)
    every: dict[str, Any] = {"repo_root": root, **options}
    given = {key: value for key, value in every.items() if value not in (None, (), [])}
    limits, calls, refusals = (given.pop(group, {}) for group in ("limits", "call_limits", "refusals"))
    checked = {key: check(given[key]) for key, check in _CHECKS.items() if key in given}
    checked |= {key: _check_call_limit(key, value) for key, value in calls.items()}
    return Config(
        root=_absolute(root, "--repo-root") if root and root != AUTO else "",
        finds_root=root == AUTO and not NAMED_ROOT_TOOLSETS.issuperset(toolsets),
        toolsets=toolsets,
        limits=_build_limits(limits),
        given=frozenset((*given, *limits, *calls, *refusals)),
        **checked,
        **refusals,
    )


def find_root_in_environment(name: str) -> str | None:
    """Return the root in the variable (DOCS_ROOT, CODE_ROOT), made absolute; None when it is unset or empty.

    Raises RepoError with CONFIG_INVALID, naming the variable, for a value that can be no directory.
    """
    value = find_root_variable(name)
    return _absolute(value, name) if value else None


def _build_limits(given: Mapping[str, int]) -> Limits:
    known = {field.name for field in fields(Limits)}
    for key, value in given.items():
        option = "--" + key.replace("_", "-")
        if key not in known:
            raise _invalid(option, "is not a known limit", f"Limits: {', '.join(sorted(known))}.")
        _check_number(value, option, LEAST_LIMITS[key], HARD_CAPS[key])
    limits = replace(Limits(), **given)
    for key, maximum in DEFAULT_OF.items():
        if key in given and given[key] > getattr(limits, maximum):
            raise _invalid("--" + key.replace("_", "-"), f"is above {maximum}", "Raise the maximum as well.")
    return cap_defaults(limits)


def cap_defaults(limits: Limits) -> Limits:
    """Return the limits with no default above its maximum."""
    capped = {key: min(getattr(limits, key), getattr(limits, maximum)) for key, maximum in DEFAULT_OF.items()}
    return replace(limits, **capped)


def _check_number(value: object, option: str, least: int, most: int) -> int:
    if type(value) is not int:  # bool is an int to isinstance
        raise _invalid(option, "must be a whole number", f"Allowed: {least} to {most}.")
    if not least <= value <= most:
        shown = str(value) if abs(value) < 10**18 else "too large"
        raise _invalid(option, f"is {shown}", f"Allowed: {least} to {most}.")
    return value


def _check_call_limit(key: str, value: int) -> int:
    return _check_number(value, "--" + key.replace("_", "-"), 0, CALL_LIMITS[key])


def clean_extension(text: str) -> str | None:
    """Return an extension in lower case without its dot; None for an invalid one."""
    cleaned = text.removeprefix(".").lower()
    plain = cleaned.replace("_", "").replace("-", "").replace("+", "")
    return cleaned if plain.isalnum() and len(cleaned) <= MAX_EXTENSION_CHARS else None


def is_usable_glob(text: str) -> bool:
    """Return True for a text that can be one line of ignore rules."""
    return 0 < len(text) <= globs.MAX_GLOB_CHARS and "\n" not in text and "\0" not in text


def _check_extensions(given: Sequence[str]) -> tuple[str, ...]:
    cleaned = {one: clean_extension(one) for one in given}
    for one, extension in cleaned.items():
        if extension is None:
            raise _invalid("--include-extension", f"is {_shown(one)}", "Give an extension such as py or .py.")
    return tuple(sorted({extension for extension in cleaned.values() if extension is not None}))


def _check_globs(given: Sequence[str]) -> tuple[str, ...]:
    for one in given:
        if not is_usable_glob(one) or len(given) > MAX_GLOBS:
            hint = f"Give patterns in .gitignore syntax, of at most {globs.MAX_GLOB_CHARS} characters."
            raise _invalid("--exclude-glob", f"cannot be {_shown(one)}", hint)
    return tuple(given)


def _check_allowed(given: Sequence[str]) -> tuple[str, ...]:
    """Return the globs in one order without repetition, so that equal choices share an index."""
    if len(given) > MAX_GLOBS:
        raise _invalid("--allow-path", f"is given more than {MAX_GLOBS} times", "Give fewer, wider globs.")
    if given:
        # Imported here: it loads modules that the list of tools can do without.
        from repo_mcp.workspace.policy import check_allowed
    for one in given:
        try:
            check_allowed(one)
        except ValueError as fault:
            hint = "Give a glob of paths below the root, such as secrets.py or models/secrets.*"
            raise _invalid("--allow-path", f"cannot be {_shown(one)}: {fault}", hint) from None
    return tuple(sorted(set(given)))


def _choose_toolsets(names: Sequence[str] | None, root: str | None) -> tuple[str, ...]:
    """Return the toolsets to offer over a root, which may be missing only for those of named roots."""
    chosen = _check_toolsets(names) if names is not None else ("repo",)
    if not root and (root is not None or set(chosen) - NAMED_ROOT_TOOLSETS):
        raise _invalid("--repo-root", "is required", "Give the directory to serve, or auto.")
    return chosen


def _check_toolsets(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the order given, without repetition."""
    unique = tuple(dict.fromkeys(name.strip() for name in names))
    unknown = [name for name in unique if name not in TOOLSETS]
    if unknown or not unique:
        what = f"has an unknown toolset {_shown(unknown[0])}" if unknown else "names no toolset"
        raise _invalid("--toolsets", what, f"Toolsets: {', '.join(TOOLSETS)}.")
    return unique


def _absolute(path: str, option: str) -> str:
    """Return the path made absolute and normalised as text, with links unresolved."""
    if not path:
        raise _invalid(option, "is empty", "Give a directory.")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise _invalid(option, "is not valid UTF-8", "Give a directory with a UTF-8 name.") from None
    if "\0" in path:
        raise _invalid(option, "contains a NUL character", "Give a directory.")
    return os.path.abspath(path)


def _find_checkout(path: str) -> str:
    """Return the checkout of a directory: itself, or the one around a data directory of the usual name."""
    return os.path.dirname(path) if os.path.basename(path) == OWN_NAME else path


def _check_pack(path: str) -> str:
    """Return the absolute path of a pack. Raises RepoError for a URL."""
    if "://" in path:
        what = "must be the path of a file, not a URL, since the server opens no connections"
        raise _invalid("--index-pack", what, "Build the index with it first: repo-mcp index --from-pack URL.")
    return _absolute(path, "--index-pack")


# What is made of the value of an option, by its key.
_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "data_dir": lambda one: _absolute(one, "--data-dir"),
    "workers": lambda one: _check_number(one, "--workers", 0, MAX_WORKERS),
    "memory_mb": lambda one: _check_number(one, "--memory-mb", LEAST_MEMORY_MB, MOST_MEMORY_MB),
    **dict.fromkeys(("watch", "any_root", "harden", "audit_queries", "last_bundle"), bool),
    "semantic_model": lambda one: _absolute(one, "--semantic-model"),
    "siblings": bool,
    "index_from": lambda one: _find_checkout(_absolute(one, "--index-from")),
    "index_pack": _check_pack,
    "pack_key": lambda one: _absolute(one, "--pack-key"),
    "include_extensions": _check_extensions,
    "exclude_globs": _check_globs,
    "allow_paths": _check_allowed,
}


def _available_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shown(text: str) -> str:
    return ascii(text[:80])


def _invalid(option: str, what: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, f"{option} {what}", hint, {"option": option})
