"""What `path` and `path_filter` limit a search to, and the errors that specification 4 words for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.toolsets.arguments import Arguments
from repo_mcp.toolsets.research.answers import Worded

if TYPE_CHECKING:
    from repo_mcp.repository import Repository


ROOT = "."
_NO_FOLDER = frozenset(
    {ErrorCode.NOT_FOUND, ErrorCode.NOT_A_DIRECTORY, ErrorCode.NOT_A_FILE, ErrorCode.UNREADABLE}
)


@dataclass(frozen=True, slots=True)
class PathScope:
    """One folder of the root, and a pattern for paths in it."""

    folder: str  # relative to the root, "" for the root itself
    matches_pattern: Callable[[str], bool] | None = None
    pattern: str = ""

    @property
    def key(self) -> str:
        """Names what is let through: of two scopes with the same key it is the same."""
        return f"{self.folder}\0{self.pattern}"

    @property
    def is_whole(self) -> bool:
        """True when every path is let through."""
        return not self.folder and self.matches_pattern is None

    def holds(self, path: str) -> bool:
        """True for a path relative to the root that lies in the folder and matches the pattern.

        A pattern may be relative to the root, as the paths in answers are, or to the folder.
        """
        if self.folder and not path.startswith(self.folder + "/"):
            return False
        if self.matches_pattern is None or self.matches_pattern(path):
            return True
        return bool(self.folder) and self.matches_pattern(path[len(self.folder) + 1 :])


def resolve_scope(repository: Repository, arguments: Arguments) -> PathScope:
    """What `path` and `path_filter` mean, for a tool that needs an index.

    Raises what specification 4 says of a path that is no folder, and of one that has no index.
    """
    folder = resolve_folder(repository, arguments)
    if not repository.index_exists:
        message = f"No index found for path: {_given(arguments)}. Run 'index_codebase' tool first."
        raise Worded(ErrorCode.INDEX_UNAVAILABLE, message)
    pattern = arguments.get("path_filter")
    if not isinstance(pattern, str):
        return PathScope(folder)
    from repo_mcp.workspace.ignore import GlobFilter  # here: tools are listed before anything is loaded

    return PathScope(folder, GlobFilter(pattern).matches, pattern)


def resolve_folder(repository: Repository, arguments: Arguments) -> str:
    """The folder that `path` names, relative to the root. Raises what specification 4 says for no folder."""
    given = _given(arguments)
    try:
        return repository.tree.reach_directory(given)
    except RepoError as error:
        if error.code in _NO_FOLDER:
            message = f"Path does not exist or is not a directory: {given}"
            raise Worded(error.code, message) from error
        if error.code is ErrorCode.PATH_ESCAPE:
            message = f"Path is outside of the repository that is served: {given}."
            raise RepoError(error.code, message, "Give '.' or a folder inside the repository.") from error
        if error.code is ErrorCode.PATH_DENIED:
            raise Worded(error.code, f"Path is never served: {given}") from error
        raise


def _given(arguments: Arguments) -> str:
    """The path as the client wrote it."""
    given = arguments.get("path", ROOT)
    return given if isinstance(given, str) else ROOT
