"""Which modules import which: of few files by resolving every import, of many by the names of modules.

A tree of more than MAX_RESOLVED files is not resolved file by file. The dictionary of imported modules says
which files import a module of some written name, and the name mostly says which file that is; edges that are
shown are then looked up in one of their files, and what is not found there is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import normpath

from repo_mcp.graph.program import Confidence
from repo_mcp.research.notebook import Notebook

MAX_RESOLVED = 500  # files
MAX_SAMPLES = 4  # files of one edge that are looked at
_STANDS_FOR_FOLDER = ("__init__", "index", "mod", "lib")


@dataclass(slots=True)
class ModuleEdge:
    """Imports of one module by another."""

    count: int = 0
    samples: list[tuple[str, int]] = field(default_factory=list)  # files with a line, 0: not known
    confidence: Confidence = Confidence.EXACT


Edges = dict[tuple[str, str], ModuleEdge]
Outside = dict[str, ModuleEdge]


def find_edges(book: Notebook, modules: Mapping[str, str]) -> tuple[Edges, Outside]:
    """The edges between modules, `modules` maps paths; and what is imported from outside, by package."""
    if len(modules) <= MAX_RESOLVED:
        edges: Edges = {}
        outside: Outside = {}
        resolve_edges(book, list(modules), modules, edges, outside)
        return edges, outside
    book.limit(
        f"imports of {len(modules):,} files",
        f"above {MAX_RESOLVED} files they are counted by the names of modules; edges that are shown were"
        " looked up",
    )
    return _read_dictionary(book, modules)


def resolve_edges(
    book: Notebook, paths: Sequence[str], modules: Mapping[str, str], edges: Edges, outside: Outside
) -> None:
    """Count the imports of some files, each resolved."""
    for number, path in enumerate(paths):
        if number % 50 == 0:
            book.check()
        for one in book.graph.survey.list_imports(path):
            if not one.target:
                _count(
                    outside.setdefault(_name_package(one.module, one.outside), ModuleEdge()), path, one.line
                )
            elif one.target in modules and modules[one.target] != modules[path]:
                ends = (modules[path], modules[one.target])
                _count(edges.setdefault(ends, ModuleEdge()), path, one.line)


def _count(edge: ModuleEdge, path: str, line: int, times: int = 1) -> None:
    edge.count += times
    if len(edge.samples) < MAX_SAMPLES:
        edge.samples.append((path, line))


def _name_package(module: str, outside: str) -> str:
    """The package that something outside belongs to: the first part of its name."""
    text = module or outside
    if text.startswith("@"):
        return "/".join(text.split("/")[:2])
    separator = "/" if "/" in text else "::" if "::" in text else "."
    return text.split(separator)[0] or text


# -- by the dictionary -------------------------------------------------------------------------------------


def _read_dictionary(book: Notebook, modules: Mapping[str, str]) -> tuple[Edges, Outside]:
    edges: Edges = {}
    outside: Outside = {}
    endings = _Endings(modules)
    for number, (written, paths) in enumerate(book.graph.survey.list_modules()):
        if number % 500 == 0:
            book.check()
        own = [path for path in paths if path in modules]
        for path, target, times in endings.find(written, own):
            if not target:
                _count(outside.setdefault(_name_package(written, ""), ModuleEdge()), path, 0, times)
            elif modules[target] != modules[path]:
                edge = edges.setdefault((modules[path], modules[target]), ModuleEdge())
                edge.confidence = Confidence.PROBABLE
                _count(edge, path, 0, times)
    return edges, outside


class _Endings:
    """The files of a tree by the ends of their paths."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._by_name: dict[str, list[str]] = {}
        for path in modules:
            folder, _, name = path.rpartition("/")
            stem = name.partition(".")[0]
            for key in dict.fromkeys((name, stem)):
                self._by_name.setdefault(key, []).append(path)
            if stem in _STANDS_FOR_FOLDER:
                self._by_name.setdefault(folder.rpartition("/")[2], []).append(path)

    def find(self, written: str, paths: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """(a file that imports, what it imports or "", how many like it), one for each importing module."""
        groups: dict[str, list[str]] = {}
        for path in paths:
            key = path.rpartition("/")[0] if written.startswith(".") else self._modules[path]
            groups.setdefault(key, []).append(path)
        fitting = [] if written.startswith(".") else self._list_fitting(written)
        for own in groups.values():
            if written.startswith("."):
                target = self._find_relative(written, own[0])
            else:
                target = self._choose(fitting, own[0])
            if target != own[0]:
                yield own[0], target, len(own)

    def _list_fitting(self, written: str) -> list[str]:
        for wanted in _list_spellings(written):
            last = wanted.rpartition("/")[2]
            fitting = [path for path in self._by_name.get(last, ()) if _fits(path, wanted)]
            if fitting:
                return fitting
        return []

    def _choose(self, fitting: Sequence[str], path: str) -> str:
        """Of several the one of the same module, else the one with the shortest path."""
        own = self._modules[path]
        return min(fitting, key=lambda one: (self._modules[one] != own, one.count("/"), one), default="")

    def _find_relative(self, written: str, path: str) -> str:
        folder = path.rpartition("/")[0]
        if written.startswith(("./", "../")) or written in (".", ".."):
            wanted = normpath(f"{folder}/{written}")
        else:  # dots of Python
            name = written.lstrip(".")
            up = "/.." * (len(written) - len(name) - 1)
            wanted = normpath(f"{folder}{up}/{name.replace('.', '/')}")
        wanted = wanted.lstrip("/")
        fitting = [one for one in self._by_name.get(wanted.rpartition("/")[2], ()) if _is(one, wanted)]
        return fitting[0] if fitting else ""


def _list_spellings(written: str) -> Iterable[str]:
    """The paths that a written module may stand for: the whole, and without its last part, a name in it."""
    if "/" in written or written.endswith((".h", ".hpp", ".hh")):
        plain = written.strip('/<>"')
        return (plain, plain.partition(".")[0]) if "." in plain.rpartition("/")[2] else (plain,)
    path = written.replace("::", "/").replace(".", "/").removeprefix("crate/")
    above = path.rpartition("/")[0]
    return (path, above) if above else (path,)


def _fits(path: str, wanted: str) -> bool:
    """True when a path ends with what is wanted, with or without its extension."""
    return any(one == wanted or one.endswith(f"/{wanted}") for one in _spell(path))


def _is(path: str, wanted: str) -> bool:
    return wanted in _spell(path)


def _spell(path: str) -> list[str]:
    folder, slash, name = path.rpartition("/")
    stem = name.partition(".")[0]
    spelled = [path, f"{folder}{slash}{stem}"]
    return [*spelled, folder] if stem in _STANDS_FOR_FOLDER else spelled


def cite_edge(book: Notebook, modules: Mapping[str, str], ends: tuple[str, str], edge: ModuleEdge) -> str:
    """The citation of an import that an edge stands for; empty when none is found in its samples."""
    for path, line in edge.samples:
        if line:
            return f"{path}:{line}-{line}"
        for one in book.graph.survey.list_imports(path):
            if one.target and modules.get(one.target) == ends[1]:
                return f"{path}:{one.line}-{one.line}"
    return ""
