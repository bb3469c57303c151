"""The configuration of one server: the only reader of the environment.

Three sources, each later one stronger: the defaults here, the repository's own `repo_mcp.toml`
(given as bytes by whoever may read it), the operator's options. The repository is not trusted:
its file can exclude more and lower limits, and nothing else; what it may not say is ignored with
a warning. The operator may raise limits up to the hard caps compiled in here.

Left out on purpose: `.env` files, and environment variables that would change an answer.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace

from repo_mcp import globs
from repo_mcp.errors import ErrorCode, RepoError

REPOSITORY_FILE = "repo_mcp.toml"
MAX_REPOSITORY_FILE_BYTES = 64 * 1024
TOOLSETS = ("repo", "retrieval", "graph", "research")
MAX_WORKERS = 64
_MAX_CHOSEN_WORKERS = 4  # more did not pay on the machines measured; the operator may ask for them
_MAX_GLOBS = 1_000
_MAX_DOTS = 200  # tomllib takes quadratic time for dotted keys: 8,000 cost 0.5 s


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one call may ask for or get. Hard caps stand in `HARD_CAPS`."""

    max_file_bytes: int = 2_000_000  # a larger file is neither opened nor indexed
    max_open_lines: int = 2_000  # lines of one open_file
    default_open_lines: int = 200  # when no end is asked for
    max_total_bytes_per_response: int = 65_536  # of one serialised answer
    max_search_hits: int = 50
    default_search_hits: int = 10  # when no top_k is asked for
    max_query_words: int = 1_000  # the rest of a query is cut with a warning
    max_list_results: int = 1_000  # files of one listing
    max_bundle_files: int = 20
    max_bundle_lines: int = 2_000
    default_bundle_files: int = 8  # when no budget is given
    default_bundle_lines: int = 400
    max_line_chars: int = 2_000  # a longer line is cut in an answer


# What the operator cannot pass either: memory and answers stay bounded.
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
# A default cannot be above its maximum: lowering the one lowers the other.
_DEFAULT_OF = {
    "default_open_lines": "max_open_lines",
    "default_search_hits": "max_search_hits",
    "default_bundle_files": "max_bundle_files",
    "default_bundle_lines": "max_bundle_lines",
}


@dataclass(frozen=True, slots=True)
class Config:
    """What one server was started with."""

    root: str  # absolute, as given, folded as text
    data_dir: str | None = None  # absolute; None: the default place
    limits: Limits = Limits()
    chunk_lines: int = 200
    chunk_overlap_lines: int = 30  # less than chunk_lines
    include_extensions: tuple[str, ...] = ()  # lower case, without the dot; empty: every text file
    exclude_globs: tuple[str, ...] = ()  # in the syntax of .gitignore, at the root
    toolsets: tuple[str, ...] = ("repo",)
    workers: int = 0  # processes that index; 0: as many as there are processors, at most 4
    watch: bool = False  # look for changed files while serving

    def fingerprint(self, deny_fingerprint: str) -> str:
        """Changes with whatever changes the contents of an index: not with limits of answers or places."""
        facts = (
            self.chunk_lines,
            self.chunk_overlap_lines,
            self.limits.max_file_bytes,
            self.include_extensions,
            self.exclude_globs,
            deny_fingerprint,
        )
        return hashlib.blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def chosen_workers(self) -> int:
        """The number of processes to index with, at least 1."""
        return self.workers or max(1, min(_available_processors(), _MAX_CHOSEN_WORKERS))


def load_config(
    root: str | None,
    *,
    data_dir: str | None = None,
    toolsets: Sequence[str] | None = None,
    workers: int | None = None,
    watch: bool = False,
    limits: Mapping[str, int] | None = None,
) -> Config:
    """The configuration of the operator's options; CONFIG_INVALID names the first that cannot be used.

    Looks at nothing on disk: whether the root is there is found out by the door.
    """
    if not root:
        raise _invalid("--repo-root", "is required", "Give the directory to serve.")
    return Config(
        root=_absolute(root, "--repo-root"),
        data_dir=_absolute(data_dir, "--data-dir") if data_dir is not None else None,
        limits=_build_limits(limits or {}),
        toolsets=_check_toolsets(toolsets) if toolsets is not None else ("repo",),
        workers=_check_number(workers, "--workers", 0, MAX_WORKERS) if workers is not None else 0,
        watch=watch,
    )


def find_cache_home() -> str:
    """The user's directory for what can be rebuilt: XDG_CACHE_HOME, LOCALAPPDATA or ~/.cache."""
    return _find_home("XDG_CACHE_HOME", ".cache")


def find_state_home() -> str:
    """The user's directory for what outlives a cache: XDG_STATE_HOME, LOCALAPPDATA or ~/.local/state."""
    return _find_home("XDG_STATE_HOME", os.path.join(".local", "state"))


def get_root_from_environment(name: str) -> str:
    """The root that the variable (DOCS_ROOT, CODE_ROOT) gives; CONFIG_INVALID when it is not set."""
    value = os.environ.get(name, "")
    if not value:
        raise _invalid(name, "is not set", "Set it to a directory.")
    return _absolute(value, name)


def apply_repository_file(config: Config, text: bytes) -> tuple[Config, tuple[str, ...]]:
    """The configuration narrowed by the contents of `repo_mcp.toml`, and what in it was ignored.

    Understands `exclude_globs`, `include_extensions` and a table `limits`. Never raises: a file
    that cannot be read changes nothing.
    """
    table, warnings = _parse_repository_file(text)
    for key, value in table.items():
        if key in ("exclude_globs", "include_extensions"):
            found = _string_list(value)
            if found is None:
                warnings.append(f"{REPOSITORY_FILE}: {key} must be a list of strings, ignored")
            elif key == "exclude_globs":
                config = replace(config, exclude_globs=(*config.exclude_globs, *found))
            else:
                config = replace(config, include_extensions=_narrow(config.include_extensions, found))
        elif key == "limits" and isinstance(value, dict):
            config = _lower_limits(config, value, warnings)
        else:
            warnings.append(f"{REPOSITORY_FILE}: {_shown(key)} cannot be set by a repository, ignored")
    return config, tuple(warnings)


def _parse_repository_file(text: bytes) -> tuple[dict[str, object], list[str]]:
    if len(text) > MAX_REPOSITORY_FILE_BYTES:
        return {}, [f"{REPOSITORY_FILE} ignored: more than {MAX_REPOSITORY_FILE_BYTES} bytes"]
    if max((line.partition(b"=")[0].count(b".") for line in text.split(b"\n")), default=0) > _MAX_DOTS:
        return {}, [f"{REPOSITORY_FILE} ignored: a key has more than {_MAX_DOTS} dots"]
    try:
        return tomllib.loads(text.decode()), []
    except (ValueError, RecursionError):  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        return {}, [f"{REPOSITORY_FILE} ignored: not valid TOML"]


def _lower_limits(config: Config, table: Mapping[str, object], warnings: list[str]) -> Config:
    """The configuration with the limits that the table lowers; the rest is warned about."""
    lowered: dict[str, int] = {}
    for key, value in table.items():
        if key not in HARD_CAPS or type(value) is not int or value < 1:
            warnings.append(f"{REPOSITORY_FILE}: limits.{_shown(key)} is no limit above 0, ignored")
        elif value > getattr(config.limits, key):
            warnings.append(f"{REPOSITORY_FILE}: limits.{key} may only be lowered by a repository, ignored")
        else:
            lowered[key] = value
    return replace(config, limits=_cap_defaults(replace(config.limits, **lowered)))


def _narrow(allowed: tuple[str, ...], wanted: Sequence[str]) -> tuple[str, ...]:
    """The extensions that both sides allow, an empty side allowing all."""
    cleaned = tuple(sorted({one.lower().lstrip(".") for one in wanted}))
    return tuple(one for one in cleaned if one in allowed) if allowed else cleaned


def _string_list(value: object) -> list[str] | None:
    """The value as a list of strings short enough for globs; None when it is none."""
    if not isinstance(value, list) or len(value) > _MAX_GLOBS:
        return None
    texts = [
        one for one in value if isinstance(one, str) and len(one) <= globs.MAX_GLOB_CHARS and "\n" not in one
    ]
    return texts if len(texts) == len(value) else None


def _build_limits(given: Mapping[str, int]) -> Limits:
    known = {field.name for field in fields(Limits)}
    for key, value in given.items():
        option = "--" + key.replace("_", "-")
        if key not in known:
            raise _invalid(option, "is no limit of this program", f"Limits: {', '.join(sorted(known))}.")
        _check_number(value, option, 1, HARD_CAPS[key])
    limits = replace(Limits(), **given)
    for key, maximum in _DEFAULT_OF.items():
        if key in given and given[key] > getattr(limits, maximum):
            raise _invalid("--" + key.replace("_", "-"), f"is above {maximum}", "Raise the maximum as well.")
    return _cap_defaults(limits)


def _cap_defaults(limits: Limits) -> Limits:
    """The limits with no default above its maximum."""
    capped = {
        key: min(getattr(limits, key), getattr(limits, maximum)) for key, maximum in _DEFAULT_OF.items()
    }
    return replace(limits, **capped)


def _check_number(value: object, option: str, least: int, most: int) -> int:
    if type(value) is not int:  # bool is an int to isinstance
        raise _invalid(option, "must be a whole number", f"Allowed: {least} to {most}.")
    if not least <= value <= most:
        raise _invalid(option, f"is {value}, allowed are {least} to {most}", f"Allowed: {least} to {most}.")
    return value


def _check_toolsets(names: Sequence[str]) -> tuple[str, ...]:
    """The names in the order given, without repetition."""
    unique = tuple(dict.fromkeys(name.strip() for name in names))
    unknown = [name for name in unique if name not in TOOLSETS]
    if unknown or not unique:
        what = f"has no toolset {_shown(unknown[0])}" if unknown else "names no toolset"
        raise _invalid("--toolsets", what, f"Toolsets: {', '.join(TOOLSETS)}.")
    return unique


def _absolute(path: str, option: str) -> str:
    """The path made absolute and folded as text; links in it stay as they are."""
    if not path:
        raise _invalid(option, "is empty", "Give a directory.")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise _invalid(option, "is not valid UTF-8", "Give a directory with a UTF-8 name.") from None
    if "\0" in path:
        raise _invalid(option, "contains a NUL character", "Give a directory.")
    return os.path.abspath(path)


def _find_home(variable: str, below_home: str) -> str:
    # An XDG variable counts only when it is absolute, as its specification says.
    for name in (variable, "LOCALAPPDATA"):
        value = os.environ.get(name, "")
        if os.path.isabs(value) and (name == variable or os.name == "nt"):
            return value
    return os.path.join(os.path.expanduser("~"), below_home)


def _available_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shown(text: str) -> str:
    return ascii(text[:80])


def _invalid(option: str, what: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, f"{option} {what}", hint, {"option": option})


@contextmanager
def safe_child_environment() -> Iterator[None]:
    """Processes started inside look for modules in no current directory, and start nothing of the user's."""
    changes = {"PYTHONSAFEPATH": "1", "PYTHONPATH": None, "PYTHONSTARTUP": None, "LD_PRELOAD": None}
    before = {name: os.environ.get(name) for name in changes}
    _set_environment(changes)
    try:
        yield
    finally:
        _set_environment(before)


def _set_environment(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
