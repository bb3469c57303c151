"""The projects of a repository: folders that hold a project file such as package.json or a *.csproj.

A file belongs to the nearest project above it, or else to the root, whose id is ".". The id of a project is
its folder.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from difflib import get_close_matches

ROOT = "."
MAX_NAMED = 3
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
            ordinal = bisect_left(self.folders, folder)
            if ordinal < len(self.folders) and self.folders[ordinal] == folder:
                return folder
            folder = folder.rpartition("/")[0]
        return ROOT

    def suggest(self, project_id: str) -> list[str]:
        """Return the existing ids most similar to an unknown one, at most MAX_NAMED."""
        return get_close_matches(project_id, self.folders, MAX_NAMED, 0.4)
