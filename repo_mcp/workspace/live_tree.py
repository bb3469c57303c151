"""One root's tree as it is now: its files by path, its directories, and the walk over all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import DirectoryListing, FileListing, ListedFile, WalkReport
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.directory_listing import list_directory
from repo_mcp.workspace.folder_counts import count_folders
from repo_mcp.workspace.git.index import GitIndex, NotedFiles
from repo_mcp.workspace.git.places import find_git_places
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.listed_ahead import FindListed, ListedAhead, find_nothing
from repo_mcp.workspace.path_changes import PathChangeFinder
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.reader.opened_file import OpenedFile
from repo_mcp.workspace.reader.repository_reader import (
    RepositoryReader,
    reach_directory,
    read_bytes,
    read_many,
)
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walk_memory import WalkMemory
from repo_mcp.workspace.walked_files import FileColumns

NANOSECONDS = 1_000_000_000


class LiveTree:
    """One opened root. Methods may be called from several threads at a time."""

    def __init__(
        self,
        root: HeldDirectory,
        exclude_globs: Sequence[str],
        max_file_bytes: int,
        refusals: Refusals,
        allow_paths: Sequence[str],
        data_dir_parts: tuple[str, ...] | None,
        *,
        reads_git: bool = True,
    ) -> None:
        """Read below an open root, in which our data directory is at `data_dir_parts`, if it is inside.

        With `reads_git`, the index of a linked work tree is read too, which Git keeps outside the root.
        Raises RepoError with CONFIG_INVALID.
        """
        self.policy = DenyPolicy(allow_paths, data_dir_parts)
        self.reader = RepositoryReader(root, self.policy.find_denial, refusals)
        self._exclude_globs = exclude_globs
        self._max_file_bytes = max_file_bytes
        # Returns the bytes of a file by the path that the walk gave it. Raises as `read` does.
        self.read_bytes: Callable[[str], bytes] = partial(read_bytes, self.reader, max_bytes=max_file_bytes)
        self.memory = WalkMemory()
        self.listed: ListedAhead | None = None  # listings that another process has made for the first walk
        places = find_git_places(root.path) if reads_git else None
        self.git_index = GitIndex(self.reader, None if places is None else places.git_dir)

    def close(self) -> None:
        """Release the root. Nothing may be read afterwards."""
        if self.listed is not None:
            self.listed.close()
        self.reader.close()

    def check_root(self) -> None:
        """Raise RepoError with UNREADABLE when the root was moved, replaced or deleted since opening it."""
        self.reader.check_root()

    # Paths

    def name_path(self, path: str) -> str:
        """Return a client's path as it may be named, relative to the root, whether anything is there or not.

        Raises RepoError with PATH_INVALID, PATH_ESCAPE or PATH_DENIED, by the name alone.
        """
        named = self.reader.normalise(path)
        denial = self.policy.find_denial(named)
        if denial is not None:
            rule = {"rule": denial.rule}
            raise RepoError(ErrorCode.PATH_DENIED, "The path is denied.", denial.hint, rule)
        return named

    def reach_directory(self, path: str) -> str:
        """Return the path of the directory that a client's path leads to, "" for the root, links resolved.

        Raises RepoError with NOT_FOUND or NOT_A_DIRECTORY, and as reading a file does.
        """
        return reach_directory(self.reader, path)

    # Files

    def read(self, path: str) -> OpenedFile:
        """Return the file of a client's path. Raises RepoError for whatever may not or cannot be read."""
        return self.reader.read(path, self._max_file_bytes)

    def read_walked(self, path: str) -> OpenedFile:
        """Return a file by the path that the walk gave it. Raises as `read` does."""
        return self.reader.read_walked(path, max_bytes=self._max_file_bytes)

    def read_many(self, paths: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of walked files; None for one that cannot be read now."""
        return read_many(self.reader, paths, self._max_file_bytes)

    # Listings

    def list_directory(self, path: str) -> DirectoryListing:
        """Return the entries directly in one directory, in order of names."""
        ignore = IgnoreRules(self._exclude_globs, tracked=self.git_index.read())
        return list_directory(self.reader, self.policy.find_denial, ignore, path)

    def list_files(
        self,
        glob: str | None,
        max_results: int,
        include_hidden: bool,
        cancelled: Callable[[], bool],
        most_folders: int = 0,
    ) -> FileListing:
        """Return the files whose paths match, in path order. Raises INVALID_ARGUMENT for a bad glob.

        If these are more than `max_results`, all are counted by at most `most_folders` folders.
        """
        wanted = GlobFilter(glob or "**")
        # The first walk is of the whole tree, because later walks use what it found.
        inside = wanted.folder if self.memory.rules is not None else ""
        report = self.walk(cancelled, include_hidden=include_hidden, inside=inside)
        found = [file for file in report.files if not glob or wanted.matches(file.path)]
        return FileListing(
            tuple(
                ListedFile(file.path, file.stat.size, file.stat.mtime_ns / NANOSECONDS)
                for file in found[:max_results]
            ),
            total=len(found),
            denied=report.skipped.get("denied", 0),
            warnings=report.warnings,
            folders=count_folders([file.path for file in found], most_folders)
            if most_folders and len(found) > max_results
            else {},
        )

    def walk(
        self,
        cancelled: Callable[[], bool],
        met: Callable[[FileColumns], None] | None = None,
        *,
        include_hidden: bool = False,
        inside: str = "",
    ) -> WalkReport:
        """Walk the tree; given a folder `inside`, only that and the files in the folders above it.

        `met` is called now and then with the files found so far. Raises CANCELLED, UNREADABLE, and whatever
        `met` raises.
        """
        self.check_root()
        memory = None if include_hidden else self.memory
        parsed = memory.parsed if memory is not None else None
        ignore = IgnoreRules(self._exclude_globs, parsed, self.git_index.read())
        with nullcontext(find_nothing) if inside else self._take_listed() as find_listed:
            return walk(
                self.reader,
                self.policy.find_denial,
                ignore,
                include_hidden=include_hidden,
                cancelled=cancelled,
                memory=memory,
                met=met,
                find_listed=find_listed,
                inside=inside,
            )

    @contextmanager
    def _take_listed(self) -> Iterator[FindListed]:
        """Yield the listings made ahead for one walk; none if files may be refused by their status."""
        listed, self.listed = self.listed, None
        try:
            yield find_nothing if listed is None or not self.reader.bounds.are_wide else listed.find
        finally:
            if listed is not None:
                listed.close()

    def read_noted(self) -> NotedFiles | None:
        """Return Git's notes on the files, as `GitIndex.read_files` does. They are kept for the next walk."""
        return self.git_index.read_files()

    def find_changes(self) -> PathChangeFinder:
        """Return an object that examines a few named files, using the results of the last walk."""
        return PathChangeFinder(self.reader, self.policy.find_denial, self.memory, self.git_index)
