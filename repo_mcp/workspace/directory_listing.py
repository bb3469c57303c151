"""Lists one directory of the live tree as the walk would: what exists, is not denied and not ignored.

Where the walk would not go (a directory that is hidden or ignored itself, or inside one) nothing is listed,
and the entries are counted under that reason. The repository reader resolves links on the way, inside the
root only; links among the entries are counted like anything that is neither file nor directory.

Left out on purpose: deeper levels, and the walk's memory of admitted names, since one directory is quick.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing
from repo_mcp.workspace.client_paths import is_unicode, shown
from repo_mcp.workspace.denied_names import OWN_DIRECTORY_RULE, Denial
from repo_mcp.workspace.hidden_names import is_hidden
from repo_mcp.workspace.ignore import CATCH_ALLS_SET_ASIDE, MAX_IGNORE_FILE_BYTES, IgnoreRules
from repo_mcp.workspace.ignore_layers import NameRules
from repo_mcp.workspace.reader_bounds import RULES, Bounds, find_entry_refusal
from repo_mcp.workspace.repository_reader import RepositoryReader, entry_name, reach_directory

_IGNORE_NAME = ".gitignore"
_LEFT_OUT = frozenset({"symlink", "special", *RULES})


@dataclass(frozen=True, slots=True)
class _Entry:
    """One directory entry as the system describes it."""

    name: str
    kind: str  # file, directory, symlink, special, or why it is refused whatever its name
    size: int | None  # bytes of a file, where sizes are wanted


def list_directory(
    reader: RepositoryReader, find_denial: Callable[[str], Denial | None], ignore: IgnoreRules, path: str
) -> DirectoryListing:
    """Return the files and directories directly in one directory, in order of names.

    `path` comes from a client; `ignore` collects the `.gitignore` files on the way. Raises as
    `reach_directory` does, and RepoError with UNREADABLE.
    """
    return _Listing(reader, find_denial, ignore).run(reach_directory(reader, path))


class _Listing:
    """The state of one listing."""

    def __init__(
        self, reader: RepositoryReader, find_denial: Callable[[str], Denial | None], ignore: IgnoreRules
    ) -> None:
        self._reader = reader
        self._find_denial = find_denial
        self._ignore = ignore
        self._left_out: Counter[str] = Counter()
        self._warnings: list[str] = []

    def run(self, path: str) -> DirectoryListing:
        """Read the ignore file of every directory from the root down, and list the last one."""
        parts = path.split("/") if path else []
        why_nothing = ""
        for depth, name in enumerate(parts):
            here = "/".join(parts[:depth])
            rules = self._rules_in(here, self._admit(here, sizes=False))
            self._left_out.clear()
            if is_hidden(name):
                why_nothing = why_nothing or "hidden"
            elif rules.ignored(name, True):
                why_nothing = why_nothing or "ignored"
        entries = self._admit(path, sizes=True)
        rows = self._list(path, entries, self._rules_in(path, entries), why_nothing)
        left_out = {reason: count for reason, count in sorted(self._left_out.items()) if count}
        return DirectoryListing(path, tuple(rows), left_out, (*self._warnings, *self._ignore.warnings))

    def _admit(self, path: str, *, sizes: bool) -> list[_Entry]:
        """Return the entries of a directory whose names are UTF-8 and not denied."""
        directory = self._reader.open_directory(path)
        try:
            found = [_look(entry, sizes, self._reader.bounds) for entry in self._reader.scan(directory)]
        except OSError:
            raise RepoError(ErrorCode.UNREADABLE, f"Cannot list the directory {shown(path)}.") from None
        finally:
            self._reader.close_directory(directory)
        prefix = f"{path}/" if path else ""
        admitted = []
        for entry in found:
            if entry is None:
                continue
            if not entry.name.isascii() and not is_unicode(entry.name):
                self._left_out["name_not_utf8"] += 1
                continue
            slash = "/" if entry.kind == "directory" else ""
            denial = self._find_denial(f"{prefix}{entry.name}{slash}")
            if denial is None:
                admitted.append(entry)
            elif denial.rule != OWN_DIRECTORY_RULE:  # must not reveal that our own is there
                self._left_out["denied"] += 1
        return admitted

    def _rules_in(self, path: str, entries: list[_Entry]) -> NameRules:
        """Return the ignore rules for a directory's entries, including those of its own file."""
        own = next((entry for entry in entries if entry.name == _IGNORE_NAME), None)
        if own is not None and own.kind == "file":
            ignore_path = f"{path}/{_IGNORE_NAME}" if path else _IGNORE_NAME
            try:
                text = self._reader.read_walked(ignore_path, MAX_IGNORE_FILE_BYTES).data
            except RepoError as error:
                self._warnings.append(f"{ignore_path} not applied: {error.message}")
            else:
                self._ignore.add_file(path, text)
        rules = self._ignore.names_in(path)
        if path or own is None or not _ignores_everything(rules, entries):
            return rules
        if self._ignore.set_aside_catch_alls():  # as in the walk, which reports it the same way
            self._warnings.append(CATCH_ALLS_SET_ASIDE)
        return self._ignore.names_in(path)

    def _list(
        self, path: str, entries: list[_Entry], rules: NameRules, why_nothing: str
    ) -> list[DirectoryEntry]:
        prefix = f"{path}/" if path else ""
        rows = []
        for entry in sorted(entries, key=attrgetter("name")):
            why = "hidden" if is_hidden(entry.name) else why_nothing
            if not why and entry.kind in _LEFT_OUT:
                why = entry.kind
            elif not why and rules.ignored(entry.name, entry.kind == "directory"):
                why = "ignored"
            if why:
                self._left_out[why] += 1
            else:
                rows.append(DirectoryEntry(prefix + entry.name, entry.kind == "directory", entry.size))
        return rows


def _look(entry: os.DirEntry[str], sizes: bool, bounds: Bounds) -> _Entry | None:
    """Describe an entry while its directory is open. Returns None for a file deleted since the scan."""
    refusal = find_entry_refusal(bounds, entry)
    if refusal is not None:
        return _Entry(entry_name(entry), refusal, None)
    if entry.is_file(follow_symlinks=False):
        try:
            size = entry.stat(follow_symlinks=False).st_size if sizes else None
        except FileNotFoundError:
            return None
        return _Entry(entry_name(entry), "file", size)
    if entry.is_dir(follow_symlinks=False):
        return _Entry(entry_name(entry), "directory", None)
    return _Entry(entry_name(entry), "symlink" if entry.is_symlink() else "special", None)


def _ignores_everything(rules: NameRules, entries: list[_Entry]) -> bool:
    """Return True when there are entries to list and the rules leave none of them."""
    visible = [entry for entry in entries if entry.name[0] != "."]
    return bool(visible) and all(rules.ignored(entry.name, entry.kind == "directory") for entry in visible)
