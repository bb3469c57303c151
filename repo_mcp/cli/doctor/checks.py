"""The checks of `repo-mcp doctor`: configuration, directories, key, indexes, packages, the system.

Each check yields findings: what it examined, its state, and what to do. Nothing is repaired, and everything
outside of the data directory is read through the repository reader.

Left out on purpose: clients' files (`client_setups`), and how findings are shown (`doctor`).
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import stat as modes
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from itertools import islice

from index_format import DiskDirectory, IndexFormatError, MakeTag, read_manifest, verify_index
from repo_mcp.cli.console.render import count
from repo_mcp.cli.console.text import show_size
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.config.environment import find_state_home
from repo_mcp.config.found_root import MARKS, find_root
from repo_mcp.config.home import find_home
from repo_mcp.config.narrowing import narrow_config
from repo_mcp.config.server_config import Config
from repo_mcp.errors import RepoError
from repo_mcp.languages.symbol_parsers import list_faults, list_languages
from repo_mcp.process.hardening import is_available
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.repository import Repository
from repo_mcp.storage.data_dir import examine_data_dir
from repo_mcp.storage.donors import NO_PLACE, Donor
from repo_mcp.storage.pack_keys import read_key
from repo_mcp.storage.packs import read_pack
from repo_mcp.storage.user_key import examine_user_key
from repo_mcp.workspace.git.index import GitIndex
from repo_mcp.workspace.git.places import find_git_places, list_siblings
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.system_places import is_system_place

_MAX_FILES = 100_000  # most files of the data directory that are examined
_SHOWN_FAULTS = 5
# why Git's index cannot be used -> what to do where Git made it so
_GIT_REMEDIES = {
    "split": "Run: git config core.splitIndex false, then git update-index --no-split-index.",
    "sparse": "Run: git sparse-checkout reapply --no-sparse-index.",
}
# kinds of index that people know by another name
_SUBJECTS = {"structure": "symbol index", "scip": "SCIP index"}
# package -> its module, and what is lost without it
OPTIONAL_PACKAGES: Mapping[str, tuple[str, str]] = {
    "google-re2": ("re2", "searches for regular expressions take many times as long"),
    "watchfiles": ("watchfiles", "changes are noticed when a tool is used, not as soon as a file is saved"),
}


class State(StrEnum):
    """The state of something that was examined."""

    OK = "ok"
    NOTE = "note"  # a state that may be intended
    WARNING = "warning"  # less than it could be
    PROBLEM = "problem"  # does not work


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of examining one thing."""

    subject: str
    state: State
    message: str
    hint: str = ""  # what to do


def iter_findings(config: Config, *, reads_all: bool) -> Iterator[Finding]:
    """Yield the findings about one root. With `reads_all` every byte of its indexes is checked."""
    try:
        narrowed, ignored = narrow_config(config)
    except RepoError as error:
        yield Finding("root", State.PROBLEM, error.message, error.hint)
        return
    yield from _check_root(config.root)
    yield from _check_git_index(config)
    yield from _check_configuration(narrowed, ignored)
    yield from _check_call_limits(config)
    yield from _check_refusals(config)
    yield from _check_key(config.root)
    for pack in _check_pack(config, reads_all=reads_all):
        yield pack
        if pack.state is State.PROBLEM:  # because of it the indexes could not be examined
            config = replace(config, index_pack=None)
    path, is_there, fault = examine_data_dir(config.root, config.data_dir)
    if fault:
        yield Finding(
            "data directory",
            State.WARNING,
            f"It cannot be used ({fault}); the user's cache directory is used instead.",
            "Make it a directory that only you may write to, or give another --data-dir.",
        )
    elif not is_there:
        yield Finding("data directory", State.NOTE, "It does not exist yet; it is created when first used.")
        yield from _check_siblings(config)
    else:
        yield from _check_data_dir(path)
        yield from _check_indexes(config, reads_all=reads_all)
    yield from _check_packages()
    yield _check_hardening(config)


def _check_root(root: str) -> Iterator[Finding]:
    if is_system_place(root):  # possible only with --any-root
        message = "It is a system directory, not a repository."
        yield Finding("root", State.WARNING, message, "Give the directory of one repository as --repo-root.")
    elif os.path.abspath(root) == find_home():
        message = "It is your home directory: everything in it is served, unless it is denied."
        yield Finding("root", State.WARNING, message, "Give the directory of one repository as --repo-root.")
    elif find_root(root) == root:
        yield Finding("root", State.OK, f"The repository here is {os.path.basename(root)!r}.")
    else:
        message = f"{os.path.basename(root)!r} can be opened, but nothing marks it as a repository."
        hint = f"Servers find their root by {', '.join(MARKS)}. Any directory can be named as --repo-root."
        yield Finding("root", State.NOTE, message, hint)


def _check_git_index(config: Config) -> Iterator[Finding]:
    """Yield why the index of Git is not used, by which tracked files are told from ignored ones."""
    places = find_git_places(config.root) if config.siblings else None
    with closing(RepositoryReader(config.root, DenyPolicy().find_denial)) as reader:
        fault = GitIndex(reader, None if places is None else places.git_dir).read().fault
    if fault:
        message = f"It is {fault}, so it is not used: tracked files that .gitignore names are left out."
        hint = _GIT_REMEDIES.get(fault, "git status says whether Git itself can read it.")
        yield Finding("Git's index", State.WARNING, message, hint)


def _check_configuration(config: Config, ignored: Sequence[str]) -> Iterator[Finding]:
    for warning in ignored:
        yield Finding("configuration", State.WARNING, warning, "docs/configuration.md lists what it may set.")
    if config.narrowed:
        keys = ", ".join(sorted(config.narrowed))
        yield Finding("configuration", State.NOTE, f"repo_mcp.toml restricts: {keys}.")
    elif not ignored:
        yield Finding("configuration", State.OK, "Nothing in it is ignored.")


def _check_call_limits(config: Config) -> Iterator[Finding]:
    rate, patience = config.max_calls_per_second, config.call_timeout_seconds
    bounded = f"at most {rate:,} per second" if rate else "any number per second"
    limited = f"a read may take {patience} seconds" if patience else "no time limit"
    yield Finding(
        "calls", State.OK if rate and patience else State.NOTE, f"{bounded}; {limited}.".capitalize()
    )


def _check_refusals(config: Config) -> Iterator[Finding]:
    """Yield which files a server with these options refuses whatever their names."""
    for is_on, option, what in (
        (config.refuse_hard_links, "--refuse-hard-links", "Files with hard links are"),
        (config.one_file_system, "--one-file-system", "Other file systems below the root are"),
        (config.refuse_private_keys, "--refuse-private-keys", "Files that contain private keys are"),
    ):
        if is_on:
            yield Finding("files", State.OK, f"{what} not served.")
        else:
            yield Finding("files", State.NOTE, f"{what} served; {option} leaves them out.")


def _check_key(root: str) -> Iterator[Finding]:
    is_there, fault = examine_user_key(find_state_home(), root)
    if fault:
        message = (
            f"It cannot be used ({fault}): every process builds its own index, and the log is not trusted."
        )
        hint = "Delete user.key in your state directory, or set XDG_STATE_HOME to a directory of your own."
        yield Finding("key", State.PROBLEM, message, hint)
    elif not is_there:
        yield Finding("key", State.NOTE, "There is none yet; it is created when first used.")
    else:
        yield Finding("key", State.OK, "It exists and is private.")


def _check_data_dir(path: str) -> Iterator[Finding]:
    """Yield findings on who may read the data directory. Windows uses access lists, which are not checked."""
    status = os.lstat(path)
    if sys.platform != "win32" and status.st_mode & 0o077:
        message = "Others may list it, though its contents are private."
        yield Finding("data directory", State.WARNING, message, "Run chmod 700 on it.")
    names = islice(_iter_files(path), _MAX_FILES)
    exposed = [name for name in names if _is_exposed(os.path.join(path, name))]
    if exposed:
        shown = ", ".join(exposed[:_SHOWN_FAULTS])
        message = (
            f"{len(exposed)} files are links, belong to another user, or can be read by others: {shown}."
        )
        hint = "repo-mcp does not use them. Delete them, or the whole directory, which is then rebuilt."
        yield Finding("data directory", State.WARNING, message, hint)
    elif sys.platform == "win32" or not status.st_mode & 0o077:
        yield Finding("data directory", State.OK, "It and its contents are private.")


def _iter_files(path: str) -> Iterator[str]:
    """Yield the names of files in the directory and in those directly below."""
    folders = sorted(entry.name for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False))
    for folder in ("", *folders):
        for entry in sorted(os.scandir(os.path.join(path, folder)), key=lambda one: one.name):
            if not entry.is_dir(follow_symlinks=False):
                yield f"{folder}/{entry.name}" if folder else entry.name


def _is_exposed(path: str) -> bool:
    """Return True for a link, another user's file, and one that others may read."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:  # a server removed it meanwhile
        return False
    if not modes.S_ISREG(status.st_mode):
        return True
    return sys.platform != "win32" and bool(status.st_uid != os.geteuid() or status.st_mode & 0o077)


def _check_siblings(config: Config) -> Iterator[Finding]:
    """Yield what is known of donors while there is no data directory; to know more, one would be made."""
    others = list_siblings(config.root) if config.siblings else ()
    if others:
        message = f"It starts from the index of another work tree, if one of {len(others)} has one."
        yield Finding("index", State.OK, message)


def _check_donors(donors: Sequence[Donor], config: Config) -> Iterator[Finding]:
    """Yield the index from which a first one would start, and those that the operator named in vain."""
    for donor in donors[:1]:
        message = f"It starts from {donor.root.origin}: {count(donor.live_files, 'file')}."
        yield Finding("index", State.OK, message)
    places = {donor.root.path for donor in donors}
    named = {"The checkout of --index-from": config.index_from, "The pack": config.index_pack and NO_PLACE}
    for subject, place in named.items():
        if place is not None and place not in places:
            wanted = "it must be complete, of this version and with these settings"
            message = f"{subject} has no usable index: {wanted}."
            yield Finding(
                "index", State.WARNING, message, "Make one there with this version and these options."
            )


def _check_pack(config: Config, *, reads_all: bool) -> Iterator[Finding]:
    """Yield the faults of the operator's pack, or its contents and whether it is signed."""
    if config.index_pack is None:
        return
    try:
        key = read_key(config.pack_key)
        packed = read_pack(config.index_pack, key)
        faults = [fault for one in packed for fault in verify_index(one.directory, reads_all=reads_all)]
    except RepoError as error:
        yield Finding("pack", State.PROBLEM, error.message, error.hint)
        return
    if faults:
        message = f"It is damaged: {'; '.join(faults[:_SHOWN_FAULTS])}."
        yield Finding("pack", State.PROBLEM, message, "Make a new one with repo-mcp index --pack FILE.")
        return
    kinds = ", ".join(_SUBJECTS.get(one.kind, one.kind) for one in packed)
    files = count(sum(entry.live_files for entry in packed[0].manifest.segments), "file")
    message = f"{files}; {kinds}; {'every byte' if reads_all else 'its table'} checked; "
    if key.is_given:
        yield Finding("pack", State.OK, f"{message}signed with the key of --pack-key.")
    else:
        hint = "What it says about files is trusted. With --pack-key, only packs with that signature are."
        yield Finding("pack", State.NOTE, f"{message}it is not signed with a key of yours.", hint)


def _check_indexes(config: Config, *, reads_all: bool) -> Iterator[Finding]:
    try:
        repository = Repository(config)
    except RepoError as error:
        yield Finding("index", State.PROBLEM, error.message, error.hint)
        return
    with closing(repository):
        found: dict[str, Finding] = {}
        for name, make_tag in repository.namespaces.tags.items():
            kind = name.partition("-")[0]
            path = os.path.join(repository.data_dir.path, name)
            found[kind] = _check_index(kind, path, make_tag, reads_all=reads_all)
        if found["scip"].state is State.NOTE:
            del found["scip"]  # few have one, and nobody misses it
        state = found["index"].state
        yield from _advise(found, config)
        if state is State.NOTE:
            yield from _check_donors(repository.indexes.list_donors(), config)
        # Asked only of a healthy index: `status` begins to repair a damaged one.
        elif state is State.OK and (origin := repository.status().origin):
            yield Finding("index", State.OK, f"It started from {origin}.")
        if len(repository.poison):
            yield Finding(
                "parser",
                State.WARNING,
                f"{len(repository.poison)} texts crashed their parser process and are not parsed again.",
                "Search still finds them. repo-mcp index --force tries to parse them again.",
            )


def _advise(found: Mapping[str, Finding], config: Config) -> Iterator[Finding]:
    """Yield the findings about each kind of index, with the one command that puts all of them right.

    A command for each would build the first index twice.
    """
    scip = found.get("scip")
    if scip is not None and scip.state is State.PROBLEM:
        found = {**found, "scip": replace(scip, hint="Import the file again: repo-mcp index --scip FILE.")}
    for state, hint in (
        (State.PROBLEM, "Rebuild all that is damaged with: {}"),
        (State.NOTE, "To build it: {}. A server whose tools need it does so too."),
    ):
        kinds = [kind for kind, finding in found.items() if finding.state is state and not finding.hint]
        command = _name_command(kinds, config, anew=state is State.PROBLEM)
        found = {
            kind: replace(finding, hint=hint.format(command)) if kind in kinds else finding
            for kind, finding in found.items()
        }
    yield from found.values()


def _name_command(kinds: Sequence[str], config: Config, *, anew: bool) -> str:
    """Return the command that builds these kinds of index where `doctor` looked for them."""
    options = {
        "--force": "" if anew else None,
        "--structure": "" if "structure" in kinds else None,
        "--semantic-model": config.semantic_model if "vectors" in kinds else None,
        "--data-dir": config.data_dir,
        "--repo-root": None if find_working_root(None, may_be_home=True).root == config.root else config.root,
    }
    words = [word for name, value in options.items() if value is not None for word in (name, value) if word]
    return shlex.join(["repo-mcp", "index", *words])


def _check_index(kind: str, path: str, make_tag: MakeTag, *, reads_all: bool) -> Finding:
    subject = _SUBJECTS.get(kind, kind)
    try:
        directory = DiskDirectory(path, make_tag=make_tag)
        manifest = read_manifest(directory)
        if manifest is None:
            raise FileNotFoundError
        faults = verify_index(directory, reads_all=reads_all)
    except FileNotFoundError:
        return Finding(subject, State.NOTE, "There is none yet.")
    except (IndexFormatError, OSError) as error:
        reason = error.strerror or "" if isinstance(error, OSError) else str(error)
        return Finding(subject, State.PROBLEM, f"It cannot be read: {reason}.")
    if faults:
        more = f", and {len(faults) - _SHOWN_FAULTS} more" if len(faults) > _SHOWN_FAULTS else ""
        shown = "; ".join(faults[:_SHOWN_FAULTS])
        return Finding(subject, State.PROBLEM, f"It is damaged: {shown}{more}.")
    files = sum(entry.live_files for entry in manifest.segments)
    size = show_size(sum(entry.file_bytes for entry in manifest.segments))
    checked = "every byte checked" if reads_all else "sealed with your key; bytes not checked"
    return Finding(subject, State.OK, f"{count(files, 'file')}, {size}; {checked}.")


def _check_packages() -> Iterator[Finding]:
    """Yield findings on optional packages; without one of the others, the program would not have started."""
    hint = f"Run this in the clone: {name_installer(sys.prefix)} ."
    faults = list_faults(list_languages())
    for package in sorted({fault.package for fault in faults.values()}):
        names = [language for language, fault in faults.items() if fault.package == package]
        message = f"It {faults[names[0]].state}: files in {', '.join(names)} have no symbols."
        yield Finding(package, State.PROBLEM, message, hint)
    if not faults:
        yield Finding("parsers", State.OK, f"All of them can be loaded: {', '.join(list_languages())}.")
    for package, (module, lost) in OPTIONAL_PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            yield Finding(package, State.WARNING, f"It is not installed: {lost}.", hint)
        else:
            yield Finding(package, State.OK, "It is installed.")


def name_installer(prefix: str) -> str:
    """Return the command that reinstalls into a prefix; the path of the clone follows it."""
    names = prefix.replace("\\", "/").split("/")
    if "pipx" in names:
        return "pipx install --force"
    return "uv tool install --force" if {"uv", "tools"}.issubset(names) else "pip install --force-reinstall"


def _check_hardening(config: Config) -> Finding:
    if is_available():
        message = "Landlock is available" + (" and used." if config.harden else "; --harden uses it.")
        return Finding("hardening", State.OK if config.harden else State.NOTE, message)
    state = State.WARNING if config.harden else State.NOTE
    return Finding("hardening", state, "This system has no Landlock, so --harden does nothing.")
