"""The projects of a repository: the folders with a project file, and which of them a file belongs to.

A file belongs to the nearest project above it, or else to the root, whose id is ".". The id of any other
project is its folder.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from difflib import get_close_matches

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace.reader.client_paths import shown

ROOT = "."
MAX_NAMED = 3  # similar ids in an error
NEAR_NAMES = 5  # ids in an error when none is similar
_NAMES = frozenset(
    """
    package.json pyproject.toml setup.py setup.cfg go.mod Cargo.toml pom.xml build.gradle build.gradle.kts
    Package.swift CMakeLists.txt composer.json
    """.split()  # noqa: SIM905
)
_SUFFIXES = (".csproj", ".fsproj", ".vbproj")


class Projects:
    """The projects among some paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        folders = {ROOT}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if name in _NAMES or name.endswith(_SUFFIXES):
                folders.add(folder or ROOT)
        self.folders = sorted(folders)

    def find(self, path: str) -> str:
        """Return the id of the project that a file belongs to."""
        folder = path.rpartition("/")[0]
        while folder:
            position = bisect_left(self.folders, folder)
            if position < len(self.folders) and self.folders[position] == folder:
                return folder
            folder = folder.rpartition("/")[0]
        return ROOT

    def suggest(self, project_id: str) -> list[str]:
        """Return the existing ids most similar to an unknown one, at most MAX_NAMED."""
        return get_close_matches(project_id, self.folders, MAX_NAMED, 0.4)

    def check(self, project_id: str | None) -> None:
        """Raise NOT_FOUND for an unknown id; None means all projects."""
        if project_id is None or project_id in self.folders:
            return
        near = self.suggest(project_id) or self.folders[:NEAR_NAMES]
        raise RepoError(
            ErrorCode.NOT_FOUND,
            f"There is no project {shown(project_id)}.",
            f"A project_id is a folder with a project file, for example {', '.join(map(shown, near))}.",
            {"argument": "project_id"},
        )
