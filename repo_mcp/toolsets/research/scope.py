"""The scope that `path` and `path_filter` give a search, and its errors in the words of specification 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.toolsets.arguments import Arguments
from repo_mcp.toolsets.research.answers import Worded

if TYPE_CHECKING:
    from repo_mcp.repository import Repository
    from repo_mcp.workspace.ignore import GlobFilter


ROOT = "."
_NO_FOLDER = frozenset(
    {ErrorCode.NOT_FOUND, ErrorCode.NOT_A_DIRECTORY, ErrorCode.NOT_A_FILE, ErrorCode.UNREADABLE}
)


@dataclass(frozen=True, slots=True)
class PathScope:
    """One folder of the root, and a pattern for paths in it."""

    folder: str  # relative to the root, "" for the root itself
    filter: GlobFilter | None = None
    pattern: str = ""

    @property
    def key(self) -> str:
        """Return a name of the scope: two scopes with the same key let the same paths through."""
        return f"{self.folder}\0{self.pattern}"

    @property
    def is_whole(self) -> bool:
        """Return True when every path is let through."""
        return not self.folder and self.filter is None

    def holds(self, path: str) -> bool:
        """Return True for a path, relative to the root, that lies in the folder and matches the pattern.

        A pattern may be relative to the root, as the paths in answers are, or to the folder.
        """
        if self.folder and not path.startswith(self.folder + "/"):
            return False
        below = path[len(self.folder) + 1 :] if self.folder else None
        return self.filter is None or self.filter.matches_either(path, below)


def resolve_scope(repository: Repository, arguments: Arguments) -> PathScope:
    """Return the scope of `path` and `path_filter`, for a tool that needs an index.

    Raises RepoError in the words of specification 4 for a path that is no folder or has no index.
    """
    scope = _build_scope(resolve_folder(repository, arguments), arguments.get("path_filter"))
    if not repository.index_exists:
        given = _given(arguments)
        place = f"{given} (the root)" if given == "." else given
        message = f"No index found for path: {place}. Run 'index_codebase' tool first."
        raise Worded(ErrorCode.INDEX_UNAVAILABLE, message)
    return scope


def _build_scope(folder: str, pattern: object) -> PathScope:
    if not isinstance(pattern, str):
        return PathScope(folder)
    from repo_mcp.workspace.ignore import GlobFilter  # here: tools are listed before anything is loaded

    return PathScope(folder, GlobFilter(pattern), pattern)


def resolve_folder(repository: Repository, arguments: Arguments) -> str:
    """Return the folder that `path` names, relative to the root. Raises RepoError for what is none."""
    given = _given(arguments)
    try:
        return repository.tree.reach_directory(given)
    except RepoError as error:
        if error.code in _NO_FOLDER:
            message = f"Path does not exist or is not a directory: {given}"
            raise Worded(error.code, message) from error
        if error.code is ErrorCode.PATH_ESCAPE:
            message = f"Path is outside the served repository: {given}."
            raise RepoError(error.code, message, "Give '.' or a folder inside the repository.") from error
        if error.code is ErrorCode.PATH_DENIED:
            raise Worded(error.code, f"Path is never served: {given}") from error
        raise


def _given(arguments: Arguments) -> str:
    """Return the path as the client wrote it."""
    given = arguments.get("path", ROOT)
    return given if isinstance(given, str) else ROOT
