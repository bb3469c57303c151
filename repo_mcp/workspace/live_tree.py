"""One root's tree as it is now: its files by path, its directories, and the walk over all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import DirectoryListing, FileListing, ListedFile, WalkReport
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.directory_listing import list_directory
from repo_mcp.workspace.git_index import GitIndex
from repo_mcp.workspace.git_places import find_git_places
from repo_mcp.workspace.ignore import GlobFilter, IgnoreRules
from repo_mcp.workspace.path_changes import PathChangeFinder
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader_bounds import Refusals
from repo_mcp.workspace.repository_reader import OpenedFile, RepositoryReader, reach_directory, read_many
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
        """Read beneath a root that is open. `data_dir_parts` is where our data directory lies in it.

        With `reads_git` it also reads outside the root which files Git tracks in a linked work tree. Raises
        RepoError with CONFIG_INVALID.
        """
        self.policy = DenyPolicy(allow_paths, data_dir_parts)
        self.reader = RepositoryReader(root, self.policy.find_denial, refusals)
        self._exclude_globs = exclude_globs
        self._max_file_bytes = max_file_bytes
        self.memory = WalkMemory()
        places = find_git_places(root.path) if reads_git else None
        self._git_index = GitIndex(self.reader, None if places is None else places.git_dir)

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

    def find_real_path(self, path: str, max_bytes: int) -> str:
        """Return the path of the file that a path leads to, links resolved. Raises as reading it does."""
        return self.reader.read(path, max_bytes).path

    # Files

    def read(self, path: str) -> OpenedFile:
        """Return the file of a client's path. Raises RepoError for whatever may not or cannot be read."""
        return self.reader.read(path, self._max_file_bytes)

    def read_walked(self, path: str) -> OpenedFile:
        """Return a file by the path that the walk gave it. Raises as `read` does."""
        return self.reader.read_walked(path, max_bytes=self._max_file_bytes)

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a file by the path that the walk gave it. Raises as `read` does."""
        return self.reader.read_walked(path, self._max_file_bytes).data

    def read_many(self, paths: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of walked files; None for one that cannot be read now."""
        return read_many(self.reader, paths, self._max_file_bytes)

    # Listings

    def list_directory(self, path: str) -> DirectoryListing:
        """Return the entries directly in one directory, in order of names. See `directory_listing`."""
        ignore = IgnoreRules(self._exclude_globs, tracked=self._git_index.read())
        return list_directory(self.reader, self.policy.find_denial, ignore, path)

    def list_files(
        self, glob: str | None, max_results: int, include_hidden: bool, cancelled: Callable[[], bool]
    ) -> FileListing:
        """Return the files whose paths match, in path order. Raises INVALID_ARGUMENT for a bad glob."""
        matches = GlobFilter(glob).matches if glob else None
        report = self.walk(cancelled, include_hidden=include_hidden)
        found = [file for file in report.files if matches is None or matches(file.path)]
        return FileListing(
            tuple(
                ListedFile(file.path, file.stat.size, file.stat.mtime_ns / NANOSECONDS)
                for file in found[:max_results]
            ),
            total=len(found),
            truncated=len(found) > max_results,
            denied=report.skipped.get("denied", 0),
            warnings=report.warnings,
        )

    def walk(
        self,
        cancelled: Callable[[], bool],
        met: Callable[[FileColumns], None] | None = None,
        *,
        include_hidden: bool = False,
    ) -> WalkReport:
        """Walk the tree. Raises CANCELLED, UNREADABLE, and whatever `met`, told of files so far, raises."""
        self.check_root()
        memory = None if include_hidden else self.memory
        parsed = memory.parsed if memory is not None else None
        ignore = IgnoreRules(self._exclude_globs, parsed, self._git_index.read())
        return walk(
            self.reader,
            self.policy.find_denial,
            ignore,
            include_hidden=include_hidden,
            cancelled=cancelled,
            memory=memory,
            met=met,
        )

    def find_changes(self) -> PathChangeFinder:
        """Return what looks at a few named files by what the last walk found out."""
        return PathChangeFinder(self.reader, self.policy.find_denial, self.memory)
