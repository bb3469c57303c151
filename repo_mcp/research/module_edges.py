"""Which modules import which, and what they import from outside: by resolving the imports of their files.

Of a tree with more than MAX_FILES files the same number of each module are read, evenly spread over its
paths: what is weighed are the shares of a module's imports, not how many files it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.research.research_state import ResearchState

MAX_FILES = 400
LEAST_OF_MODULE = 5
POLLED = 20  # files between two looks whether the question is cancelled


@dataclass(slots=True)
class ModuleEdge:
    """Imports of one module by another."""

    citation: str  # of the first
    count: int = 0


Edges = dict[tuple[str, str], ModuleEdge]
Packages = dict[str, ModuleEdge]


def find_edges(state: ResearchState, modules: Mapping[str, str]) -> tuple[Edges, Packages]:
    """The edges between modules, and what is imported from outside, by package. `modules` maps paths."""
    edges: Edges = {}
    packages: Packages = {}
    resolve_edges(state, _choose_files(state, modules), modules, edges, packages)
    return edges, packages


def _choose_files(state: ResearchState, modules: Mapping[str, str]) -> list[str]:
    """All files, or evenly spread ones of each module."""
    if len(modules) <= MAX_FILES:
        return list(modules)
    files: dict[str, list[str]] = {}
    for path, name in modules.items():
        files.setdefault(name, []).append(path)
    most = max(LEAST_OF_MODULE, MAX_FILES // len(files))
    chosen = [path for own in files.values() for path in _spread(own, most)]
    state.limit(
        f"imports of {len(modules) - len(chosen):,} of {len(modules):,} files",
        f"of each module {most} files are read, evenly spread over its paths",
    )
    return chosen


def _spread(paths: Sequence[str], most: int) -> list[str]:
    count = min(most, len(paths))
    return [paths[ordinal * len(paths) // count] for ordinal in range(count)]


def resolve_edges(
    state: ResearchState, paths: Sequence[str], modules: Mapping[str, str], edges: Edges, packages: Packages
) -> None:
    """Count the imports of some files, each resolved."""
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
    """The package that something outside belongs to: the first part of its name."""
    text = (module or outside).strip('<>"')
    if text.startswith("@"):
        return "/".join(text.split("/")[:2])
    separator = "/" if "/" in text else "::" if "::" in text else "."
    return text.split(separator)[0] or text
