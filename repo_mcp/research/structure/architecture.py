"""Describe the structure of a tree: its strongest modules, its layers, its packages, its entry points.

An edge between two modules stands for the imports of their files and, in languages whose files see each other
without one, for the types and functions that they use. In a tree with more than MAX_FILES files, the same
number of files of each module is read, evenly spread over its paths. Each import counts by its share in the
imports of its module, so a large module gains nothing by its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from repo_mcp.graph.bulk_scan import Uses
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.citing import write_count
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import Layer, MapEdge, MapNode, Module, Outside
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.structure.entries import list_outermost, note_entries
from repo_mcp.research.structure.module_names import name_modules
from repo_mcp.research.structure.module_ranks import build_layers, compute_strengths
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag
from repo_mcp.text.citations import write_citation

MAX_MODULES = 20  # listed
MAX_EDGES = 36  # of the map; or imports shown at the first hop
MAX_OUTSIDE = 12  # packages listed
MAX_OWN = 300  # files of one folder whose imports are resolved
MAX_FURTHER, FOLLOWED = 24, 12  # imports shown at a later hop; files whose imports are followed
MAX_LOOKED_AT = 40  # files of one module read to find its main symbol
FINDINGS = 12  # modules shown with their files
MAX_FILES = 400  # whose imports are read
LEAST_OF_MODULE = 5  # files read of each module
POLLED = 20  # files between two checks whether the question was cancelled


@dataclass(frozen=True, slots=True)
class Architecture:
    """The modules of a tree and their relations."""

    modules: tuple[Module, ...]
    layers: tuple[Layer, ...]
    map_nodes: tuple[MapNode, ...]
    map_edges: tuple[MapEdge, ...]
    outside: tuple[Outside, ...]
    number: int = 0  # of all modules, which may be more than those listed


def scan_architecture(state: ResearchState, folder: str) -> Architecture:
    """Find the modules of a folder and their relations, and note the strongest modules as findings."""
    paths = _choose_paths(state, folder)
    names = name_modules(paths)
    all_names = sorted(set(names.values()))
    state.report_progress(0.5, f"{len(paths)} files in {len(all_names)} modules")
    edges, packages = find_edges(state, names)
    all_names = _drop_empty(state, all_names, names, edges)
    state.report_hop(1)
    counts = {ends: edge.count for ends, edge in edges.items()}
    strengths = compute_strengths(all_names, counts)
    files = Counter(names.values())
    ordered = sorted(all_names, key=lambda name: (-strengths[name], -files[name], name))
    shown = ordered[:MAX_MODULES]
    if len(ordered) > MAX_MODULES:
        state.limit(f"{len(ordered) - MAX_MODULES} weaker modules", f"the {MAX_MODULES} strongest are listed")
    layers = build_layers(shown, {ends: counts[ends] for ends in edges if set(ends) <= set(shown)})
    level = {name: position for position, (own, _) in enumerate(layers) for name in own}
    modules = tuple(_build_module(name, names, edges, strengths[name], level[name]) for name in shown)
    _note_modules(state, names, modules)
    note_entries(state, names, edges)
    state.report_hop(state.depth)
    return Architecture(
        modules,
        tuple(Layer(position, own, cycles) for position, (own, cycles) in enumerate(layers)),
        *_build_map(state, shown, edges),
        list_packages(state, packages),
        len(all_names),
    )


def _drop_empty(
    state: ResearchState, all_names: Sequence[str], names: Mapping[str, str], edges: Edges
) -> list[str]:
    """Return the modules except those without imports or declarations, such as an empty `__init__.py`."""
    linked = {name for ends in edges for name in ends}
    files: dict[str, list[str]] = {}
    for path, name in names.items():
        if name not in linked:
            files.setdefault(name, []).append(path)
    return [
        name for name in all_names if name in linked or _find_main_symbol(state, files[name]) is not None
    ] or list(all_names)


def _build_map(
    state: ResearchState, shown: Sequence[str], edges: Edges
) -> tuple[tuple[MapNode, ...], tuple[MapEdge, ...]]:
    """Return the shown modules and the edges between them that stand for the most imports."""
    ends = [one for one in edges if one[0] in shown and one[1] in shown]
    ends.sort(key=lambda one: (-edges[one].count, one))
    if len(ends) > MAX_EDGES:
        state.limit(f"{len(ends) - MAX_EDGES} weaker imports between modules", f"{MAX_EDGES} are shown")
    return (
        tuple(MapNode(name, name, "module", name) for name in shown),
        tuple(
            MapEdge(*one, edges[one].kind, "exact", edges[one].citation, edges[one].count)
            for one in ends[:MAX_EDGES]
        ),
    )


def _choose_paths(state: ResearchState, folder: str) -> list[str]:
    """Return the paths of the program's own files in a folder, or of all its files if there are none."""
    paths = state.graph.scan.list_paths(folder)
    own = [path for path in paths if is_program(path)]
    left = len(paths) - len(own)
    if own and left:
        files = f"{write_count(left, 'file')}: tests, examples, documents and third-party code"
        state.limit(files, "not part of the architecture")
    return own or paths


def _build_module(name: str, names: Mapping[str, str], edges: Edges, strength: float, level: int) -> Module:
    importing = [ends for ends in edges if ends[1] == name]
    imported = sum(source == name for source, _ in edges)
    best = max(importing, key=lambda ends: (edges[ends].count, ends), default=None)
    files = sum(own == name for own in names.values())
    citation = edges[best].citation if best is not None else ""
    return Module(name, files, strength, len(importing), imported, level, citation)


def _note_modules(state: ResearchState, names: Mapping[str, str], modules: Sequence[Module]) -> None:
    """Note the main symbol of each strong module as a finding."""
    files: dict[str, list[str]] = {}
    for path, name in names.items():
        files.setdefault(name, []).append(path)
    for module in modules[:FINDINGS]:
        state.check()
        node = _find_main_symbol(state, files[module.name])
        noun = "module" if module.imported_by == 1 else "modules"
        if node is not None:
            state.add(
                node,
                Reason(
                    f"largest public function or type {_name_part(len(files[module.name]))}of {module.name},"
                    f" which is imported by {module.imported_by or 'no'} {noun}"
                    f" and imports {module.imports or 'none'}"
                ),
                1,
            )


def _name_part(files: int) -> str:
    return f"in {MAX_LOOKED_AT} of {files:,} files " if files > MAX_LOOKED_AT else ""


def _find_main_symbol(state: ResearchState, paths: Sequence[str]) -> Node | None:
    """Return the longest public function or type, in lines, in the files nearest to the top of a module."""
    best: tuple[tuple[bool, int, str, int], Declaration] | None = None
    for path in sorted(paths, key=lambda one: (one.count("/"), one))[:MAX_LOOKED_AT]:
        record = state.graph.scan.find_record(path)
        if record is None:
            continue
        for ordinal in list_outermost(record):
            kind = int(record.kinds[ordinal])
            if kind in CALLABLE_KINDS or kind in TYPE_KINDS:
                is_public = bool(int(record.flags[ordinal]) & SymbolFlag.PUBLIC_API)
                is_shown = is_public and int(record.spans[ordinal]) > 0  # an alias or delegate says little
                rank = (not is_shown, -int(record.spans[ordinal]), path, ordinal)
                if best is None or rank < best[0]:
                    best = rank, Declaration(path, ordinal)
    return None if best is None else state.get_node(best[1])


def list_packages(state: ResearchState, packages: Packages) -> tuple[Outside, ...]:
    """Return the imported outside packages, the most frequent first."""
    ordered = sorted(packages, key=lambda name: (-packages[name].count, name))
    if len(ordered) > MAX_OUTSIDE:
        state.limit(f"{len(ordered) - MAX_OUTSIDE} more external packages", f"{MAX_OUTSIDE} are listed")
    return tuple(
        Outside(name, packages[name].count, packages[name].citation) for name in ordered[:MAX_OUTSIDE]
    )


def scan_imports(state: ResearchState, own: Sequence[str], label: str) -> Architecture:
    """Find what some files import, hop by hop, and note the imported files as findings.

    The nodes of the map are files, except for `label`, which stands for all of `own`. Outside code is listed
    by package, for the first hop only.
    """
    packages: Packages = {}
    inside = dict.fromkeys(own, label)
    names = {path: inside.get(path, path) for path in state.graph.scan.list_paths("")}
    if len(own) > MAX_OWN:
        state.limit(f"imports of {len(own) - MAX_OWN} files", f"those of {MAX_OWN} files are followed")
    all_edges: Edges = {}
    keys = {label: None}
    level = list(own[:MAX_OWN])
    for hop in range(1, state.depth + 1):
        edges: Edges = {}
        resolve_edges(state, level, names, edges, packages if hop == 1 else {})
        ordered = sorted(edges, key=lambda ends: (-edges[ends].count, ends))
        fan = MAX_EDGES if hop == 1 else MAX_FURTHER
        if len(ordered) > fan:
            state.limit(f"{len(ordered) - fan} imports at hop {hop}", f"{fan} are shown")
        level = _note_imported(state, ordered[:fan], edges, keys, hop)[:FOLLOWED]
        all_edges.update((ends, edges[ends]) for ends in ordered[:fan])
        state.report_hop(hop)
    return Architecture(
        (),
        (),
        tuple(MapNode(name, name, "module", name) for name in keys),
        tuple(
            MapEdge(*ends, edge.kind, "exact", edge.citation, edge.count) for ends, edge in all_edges.items()
        ),
        list_packages(state, packages),
    )


def _note_imported(
    state: ResearchState, ordered: Sequence[tuple[str, str]], edges: Edges, keys: dict[str, None], hop: int
) -> list[str]:
    """Note the imported files, and return the paths of those that are new."""
    new = []
    for source, path in ordered:
        node = state.source.find_file(path) if path not in keys else None
        if node is not None:
            edge = edges[source, path]
            state.add(
                node, Reason(f"{'used' if edge.is_use else 'imported'} by {source}, {edge.citation}"), hop
            )
            new.append(path)
        keys.setdefault(path)
    return new


@dataclass(slots=True)
class ModuleEdge:
    """The imports of one module by another, or all imports of an outside package."""

    citation: str  # of the first import
    count: int = 0
    is_use: bool = True  # all that is used is seen without an import

    @property
    def kind(self) -> str:
        """Return the kind of the edge in a map."""
        return "uses" if self.is_use else "imports"


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
    return [paths[place * len(paths) // count] for place in range(count)]


def resolve_edges(
    state: ResearchState, paths: Sequence[str], modules: Mapping[str, str], edges: Edges, packages: Packages
) -> None:
    """Resolve and count the imports of some files, adding to `edges` and `packages`."""
    for number, path in enumerate(paths):
        if number % POLLED == 0:
            state.check()
        for one in state.graph.scan.list_imports(path, Uses.ALL if len(paths) == 1 else Uses.NAMED):
            citation = write_citation(path, one.line, one.line)
            if not one.target:
                package = name_package(one.module, one.outside)
                packages.setdefault(package, ModuleEdge(citation)).count += 1
            elif one.target in modules and modules[one.target] != modules[path]:
                ends = (modules[path], modules[one.target])
                edge = edges.setdefault(ends, ModuleEdge(citation))
                edge.count += 1
                edge.is_use = edge.is_use and not one.module


def name_package(module: str, outside: str) -> str:
    """Return the package that an outside module belongs to: the first part of its name."""
    text = (module or outside).strip('<>"')
    if text.startswith("@"):
        return "/".join(text.split("/")[:2])
    separator = "/" if "/" in text else "::" if "::" in text else "."
    return text.split(separator)[0] or text
