"""The users of a symbol, folder by folder, before its uses are resolved.

The index counts the references by a name whatever they mean, so how many there are at most is known at once
of the hottest symbol. How sure they are is told by a few of each folder, spread over its files.

A folder stands apart from the one around it where it has a large part of all references; the largest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.graph.edges import Edge
from repo_mcp.graph.program import Confidence

MAX_FOLDERS = 10
SMALLEST_PART = 20  # a folder apart has at least one in so many of all references
SAMPLED_FILES, SAMPLED_REFERENCES = 3, 2  # of a folder; and of each of those files

Uses = Sequence[tuple[str, int]]  # path, and the number of references by name; ascending


@dataclass(frozen=True, slots=True)
class FolderUses:
    """The references by name in one folder, without those in folders that stand apart from it."""

    folder: str  # "" for the root
    files: int
    references: int  # at most
    resolved: int  # of these; all of them where the list of edges is complete
    lines: Mapping[Confidence, int]  # of the edges that the resolved ones are


def divide(uses: Uses) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return folders with the files that count for each, the folder with the most references first."""
    folders: dict[str, list[tuple[str, int]]] = {"": list(uses)}
    smallest = sum(count for _, count in uses) / SMALLEST_PART
    inner = {"": _count_inner("", uses)}
    while True:
        below = [
            (count, child, folder) for folder, counts in inner.items() for child, count in counts.items()
        ]
        large = [one for one in below if one[0] >= smallest]
        if not large:
            break
        _, child, folder = min(large, key=lambda one: (-one[0], one[1]))
        held = [one for one in folders[folder] if one[0].startswith(f"{child}/")]
        rest = [one for one in folders[folder] if not one[0].startswith(f"{child}/")]
        if rest and len(folders) == MAX_FOLDERS:
            break
        del folders[folder], inner[folder]
        for name, files in ((folder, rest), (child, held)):
            if files:
                folders[name], inner[name] = files, _count_inner(name, files)
    return sorted(folders.items(), key=lambda one: (-sum(count for _, count in one[1]), one[0]))


def _count_inner(folder: str, uses: Uses) -> Counter[str]:
    """Return the references in each of the folders directly inside one."""
    start, found = len(folder) + 1 if folder else 0, Counter[str]()
    for path, count in uses:
        end = path.find("/", start)
        if end >= 0:
            found[path[:end]] += count
    return found


def choose_samples(uses: Uses) -> list[str]:
    """Return a few of some files, evenly spread."""
    count = min(SAMPLED_FILES, len(uses))
    return [uses[number * len(uses) // count][0] for number in range(count)]


def count_lines(edges: Sequence[Edge]) -> Counter[Confidence]:
    """Return the number of lines by how sure they are."""
    found: Counter[Confidence] = Counter()
    for edge in edges:
        found[edge.confidence] += edge.count
    return found
