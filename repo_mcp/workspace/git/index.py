"""Reads from `.git/index` which files Git tracks, so that none of them counts as ignored.

Nothing of it is returned, indexed or logged: its paths are only compared with names that a walk met and the
deny policy let pass. No command is run. `.git` is a real directory of the root, or a linked work tree's file
(`repo_mcp.workspace.git.places`), which is followed only where the caller says so. No link is, and a root
inside a repository has no tracked files here.

An index that cannot be read or used by itself, or is too large, counts for nothing, and the `fault` of what
is read says why.

Left out on purpose: its bytes (`index_entries.py`); the index of a submodule, whose files are judged by
`.gitignore` alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from repo_mcp.errors import RepoError
from repo_mcp.file_stat import FileStat
from repo_mcp.workspace.git.index_entries import (
    TrackedFiles,
    TrackedPaths,
    UnusableIndex,
    parse_both,
    parse_index,
)
from repo_mcp.workspace.git.places import DOT_GIT, read_git_file
from repo_mcp.workspace.reader.opened_file import file_stat
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, entry_name

MAX_INDEX_BYTES = 64 * 1024 * 1024  # enough for about 600,000 files in version 2; 80,000 files take 9 MB
INDEX = "index"
INDEX_PATH = f"{DOT_GIT}/{INDEX}"  # by this name a change of the index is reported, wherever it is
_ParsePaths = Callable[[bytes, int], TrackedPaths]  # (bytes of an index, when it was written in ns)
NotedFiles = tuple[TrackedFiles, int]  # Git's notes, and when it wrote them (ns)
NOTHING_TRACKED = TrackedPaths()


class GitIndex:
    """The index of one root, read again only when it was replaced. Safe for several threads."""

    def __init__(self, reader: RepositoryReader, git_dir: str | None = None) -> None:
        """`git_dir` is where Git keeps the index of a linked work tree; None where it may not be read."""
        self._reader = reader
        self._git_dir = git_dir
        self._known: tuple[FileStat, TrackedPaths] | None = None

    @property
    def directory(self) -> str:
        """Return the directory in which Git keeps the index: below the root, or an absolute path."""
        return self._git_dir or DOT_GIT

    def read(self) -> TrackedPaths:
        """Return the tracked paths as they are now, none where the root has no index. Never raises."""
        return self._read(lambda data, _written: parse_index(data))

    def read_files(self) -> NotedFiles | None:
        """Return Git's notes as they are now, None without an index that can be used. Never raises.

        The next `read` need not parse it.
        """
        found: list[NotedFiles] = []

        def parse(data: bytes, written: int) -> TrackedPaths:
            files, paths = parse_both(data)
            found.append((files, written))
            return paths

        self._known = None
        self._read(parse)
        return found[0] if found else None

    def _read(self, parse: _ParsePaths) -> TrackedPaths:
        reader = self._reader
        try:
            root = reader.open_directory("")
        except RepoError:
            return NOTHING_TRACKED
        try:
            directory = reader.open_child(root, DOT_GIT)
        except OSError:
            return NOTHING_TRACKED if self._git_dir is None else self._read_outside(self._git_dir, parse)
        finally:
            reader.close_directory(root)
        try:
            return self._read_in(directory, parse)
        except OSError:
            return TrackedPaths(fault="unreadable")
        finally:
            reader.close_directory(directory)

    def _read_outside(self, git_dir: str, parse: _ParsePaths) -> TrackedPaths:
        """Return the tracked paths by the index of a linked work tree."""
        try:
            status = file_stat(os.lstat(os.path.join(git_dir, INDEX)))
            known = self._known
            if known is not None and known[0] == status:
                return known[1]
            opened = read_git_file(git_dir, INDEX, MAX_INDEX_BYTES)
        except FileNotFoundError:
            return NOTHING_TRACKED
        except OSError:
            opened = None
        if opened is None:
            return TrackedPaths(fault="unreadable or too large")
        try:
            found = parse(opened[0], opened[1].st_mtime_ns)
        except UnusableIndex as fault:
            found = TrackedPaths(fault=str(fault))
        if file_stat(opened[1]) == status:
            self._known = status, found
        return found

    def _read_in(self, directory: int, parse: _ParsePaths) -> TrackedPaths:
        """Return the tracked paths by the index in an open `.git`. Raises OSError."""
        entry = next((one for one in self._reader.scan(directory) if entry_name(one) == INDEX), None)
        if entry is None:
            return NOTHING_TRACKED
        known, status = self._known, file_stat(entry.stat(follow_symlinks=False))
        if known is not None and known[0] == status:
            return known[1]
        try:
            opened = self._reader.read_child(directory, INDEX_PATH, MAX_INDEX_BYTES)
            found = parse(opened.data, opened.stat.mtime_ns)
        except RepoError:
            return TrackedPaths(fault="unreadable or too large")
        except UnusableIndex as fault:
            found = TrackedPaths(fault=str(fault))
        if opened.stat == status and not opened.changed_while_reading:
            self._known = status, found
        return found
