"""Find which modules import which, and what they import from outside, by resolving the imports of files.

In a tree with more than MAX_FILES files, the same number of files of each module is read, evenly spread over
its paths. What counts is the share of each import in a module, so a large module gains nothing by its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.research.research_state import ResearchState

MAX_FILES = 400
LEAST_OF_MODULE = 5
POLLED = 20  # files between two checks whether the question was cancelled


@dataclass(slots=True)
class ModuleEdge:
    """The imports of one module by another, or of an outside package."""

    citation: str  # of the first import
    count: int = 0


Edges = dict[tuple[str, str], ModuleEdge]
Packages = dict[str, ModuleEdge]


def find_edges(state: ResearchState, modules: Mapping[str, str]) -> tuple[Edges, Packages]:
    """Return the edges between modules and the outside packages. `modules` maps each path to its module."""
    edges: Edges = {}
    packages: Packages = {}
    resolve_edges(state, _choose_files(state, modules), modules, edges, packages)
    return edges, packages


def _choose_files(state: ResearchState, modules: Mapping[str, str]) -> list[str]:
    """Return all files, or evenly spread ones of each module when there are too many."""
    if len(modules) <= MAX_FILES:
        return list(modules)
    files: dict[str, list[str]] = {}
    for path, name in modules.items():
        files.setdefault(name, []).append(path)
    most = max(LEAST_OF_MODULE, MAX_FILES // len(files))
    chosen = [path for own in files.values() for path in _spread(own, most)]
    state.limit(
        f"imports of {len(modules) - len(chosen):,} of {len(modules):,} files",
        f"{most} files per module are read, evenly spread over its paths",
    )
    return chosen


def _spread(paths: Sequence[str], most: int) -> list[str]:
    count = min(most, len(paths))
    return [paths[ordinal * len(paths) // count] for ordinal in range(count)]


def resolve_edges(
    state: ResearchState, paths: Sequence[str], modules: Mapping[str, str], edges: Edges, packages: Packages
) -> None:
    """Resolve and count the imports of some files, adding to `edges` and `packages`."""
    for number, path in enumerate(paths):
        if number % POLLED == 0:
            state.check()
        for one in state.graph.scan.list_imports(path):
            citation = f"{path}:{one.line}-{one.line}"
            if not one.target:
                package = name_package(one.module, one.outside)
                packages.setdefault(package, ModuleEdge(citation)).count += 1
            elif one.target in modules and modules[one.target] != modules[path]:
                ends = (modules[path], modules[one.target])
                edges.setdefault(ends, ModuleEdge(citation)).count += 1


def name_package(module: str, outside: str) -> str:
    """Return the package that an outside module belongs to: the first part of its name."""
    text = (module or outside).strip('<>"')
    if text.startswith("@"):
        return "/".join(text.split("/")[:2])
    separator = "/" if "/" in text else "::" if "::" in text else "."
    return text.split(separator)[0] or text
