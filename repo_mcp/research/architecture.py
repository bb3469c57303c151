"""The structure of a tree: its strongest modules, its layers, what it is built on, where it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.index.roles import FileRole, find_role
from repo_mcp.research.layers import build_layers, compute_strengths
from repo_mcp.research.module_edges import Edges, ModuleEdge, cite_edge, find_edges, resolve_edges
from repo_mcp.research.module_edges import Outside as OutsideEdges
from repo_mcp.research.module_names import name_modules
from repo_mcp.research.notebook import Notebook
from repo_mcp.research.records import Layer, MapEdge, MapNode, Module, Outside
from repo_mcp.structure import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag

MAX_MODULES = 20
MAX_EDGES = 36
MAX_OUTSIDE = 12
MAX_OWN = 300  # files whose imports are resolved for one folder
MAX_LOOKED_AT = 12  # files of a module, for its main symbol
FINDINGS = 12  # modules that are shown with their files
_BEGINNINGS = frozenset({"main", "__main__", "cli", "app", "manage", "server", "index", "program"})


@dataclass(frozen=True, slots=True)
class Architecture:
    """What is known of the modules of a tree."""

    modules: tuple[Module, ...]
    layers: tuple[Layer, ...]
    map_nodes: tuple[MapNode, ...]
    map_edges: tuple[MapEdge, ...]
    outside: tuple[Outside, ...]


def survey_architecture(book: Notebook, folder: str) -> Architecture:
    """The modules of a folder and how they stand to each other; notes the strongest as findings."""
    paths = _choose_paths(book, folder)
    names = name_modules(paths)
    book.tell(0.5, f"{len(paths)} files in {len(set(names.values()))} modules")
    edges, outside = find_edges(book, names)
    book.tell_hop(1)
    all_names = sorted(set(names.values()))
    counts = {ends: edge.count for ends, edge in edges.items()}
    strengths = compute_strengths(all_names, counts)
    ordered = sorted(all_names, key=lambda name: (-strengths[name], name))
    shown = ordered[:MAX_MODULES]
    if len(ordered) > MAX_MODULES:
        book.limit(f"{len(ordered) - MAX_MODULES} weaker modules", f"the {MAX_MODULES} strongest are listed")
    cited = _cite_edges(book, names, edges, set(shown))
    layers = build_layers(shown, {ends: counts[ends] for ends in edges if set(ends) <= set(shown)})
    level = {name: place for place, (own, _) in enumerate(layers) for name in own}
    modules = tuple(_build_module(name, names, edges, strengths[name], level[name], cited) for name in shown)
    _note_modules(book, names, edges, modules)
    _note_beginnings(book, names, edges)
    book.tell_hop(book.depth)
    return Architecture(
        modules,
        tuple(Layer(place, own, cycles) for place, (own, cycles) in enumerate(layers)),
        tuple(MapNode(name, name, "module", name) for name in shown),
        tuple(
            MapEdge(
                source,
                target,
                "imports",
                edges[source, target].confidence.value,
                citation,
                counts[source, target],
            )
            for (source, target), citation in cited.items()
        ),
        list_packages(book, outside),
    )


def _choose_paths(book: Notebook, folder: str) -> list[str]:
    """The program's own files in a folder; all, where there are none."""
    paths = book.graph.survey.list_paths(folder)
    own = [path for path in paths if find_role(path) is FileRole.CODE]
    left = len(paths) - len(own)
    if own and left:
        book.limit(
            f"{left} files of tests, examples, documents and others' code", "no part of the architecture"
        )
    return own or paths


def _cite_edges(
    book: Notebook, names: Mapping[str, str], edges: Edges, shown: set[str]
) -> dict[tuple[str, str], str]:
    """The edges with most imports between the modules shown, each with a line that says so."""
    ends = [one for one in edges if one[0] in shown and one[1] in shown]
    ends.sort(key=lambda one: (-edges[one].count, one))
    cited: dict[tuple[str, str], str] = {}
    unfounded = 0
    for one in ends:
        if len(cited) >= MAX_EDGES:
            book.limit(
                f"{len(ends) - len(cited) - unfounded} weaker imports between modules",
                f"{MAX_EDGES} are shown",
            )
            break
        citation = cite_edge(book, names, one, edges[one])
        if citation:
            cited[one] = citation
        else:
            unfounded += 1
    return cited


def _build_module(
    name: str,
    names: Mapping[str, str],
    edges: Edges,
    strength: float,
    level: int,
    cited: Mapping[tuple[str, str], str],
) -> Module:
    importers = [source for source, target in edges if target == name]
    imported = [target for source, target in edges if source == name]
    citation = next((cited[ends] for ends in cited if ends[1] == name), "")
    files = sum(own == name for own in names.values())
    return Module(name, files, strength, len(importers), len(imported), level, citation)


def _note_modules(book: Notebook, names: Mapping[str, str], edges: Edges, modules: Sequence[Module]) -> None:
    """The main symbol of each strong module as a finding."""
    for module in modules[:FINDINGS]:
        book.check()
        node = _find_main_symbol(
            book, [path for path, name in names.items() if name == module.name], module.name
        )
        if node is None:
            continue
        why = (
            f"largest public declaration of {module.name}: {module.strength}% of the walks along imports end"
            " there,"
            f" {module.imported_by} modules import it, it imports {module.imports}"
        )
        book.add(node, why, 1)


def _find_main_symbol(book: Notebook, paths: Sequence[str], module: str) -> Node | None:
    """The public function or type with most lines in the files of a module that are nearest to its top."""
    best: tuple[tuple[bool, int, str, int], Declaration] | None = None
    for path in sorted(paths, key=lambda one: (one.count("/"), one))[:MAX_LOOKED_AT]:
        structure = book.graph.survey.find_structure(path)
        if structure is None:
            continue
        for place in structure.list_children(0):
            kind = int(structure.kinds[place])
            if kind in CALLABLE_KINDS or kind in TYPE_KINDS:
                is_public = bool(int(structure.flags[place]) & SymbolFlag.PUBLIC_API)
                rank = (not is_public, -int(structure.spans[place]), path, place)
                if best is None or rank < best[0]:
                    best = rank, Declaration(path, place)
    return None if best is None else book.get_node(best[1])


def _note_beginnings(book: Notebook, names: Mapping[str, str], edges: Edges) -> None:
    """Files that are named as where a program begins, and modules that nothing imports."""
    imported = {target for _, target in edges}
    for path in names:
        stem = path.rpartition("/")[2].partition(".")[0].lower()
        main = _find_function(book, path, "main")
        if main is not None:
            book.enter(main, "a function main")
        elif stem in _BEGINNINGS and names[path] not in imported:
            node = book.source.find_file(path)
            if node is not None:
                book.enter(node, "named as a beginning, and its module is imported by no other")
        if len(book.entry_points) >= FINDINGS:
            book.limit("more entry points", f"{FINDINGS} are listed")
            break


def _find_function(book: Notebook, path: str, name: str) -> Node | None:
    structure = book.graph.survey.find_structure(path)
    if structure is None:
        return None
    for place in structure.find_symbols(name):
        if int(structure.kinds[place]) in CALLABLE_KINDS and not int(structure.parents[place]):
            return book.get_node(Declaration(path, place))
    return None


def list_packages(book: Notebook, outside: OutsideEdges) -> tuple[Outside, ...]:
    """What is imported from outside, most often first."""
    ordered = sorted(outside, key=lambda name: (-outside[name].count, name))
    if len(ordered) > MAX_OUTSIDE:
        book.limit(f"{len(ordered) - MAX_OUTSIDE} more packages from outside", f"{MAX_OUTSIDE} are listed")
    return tuple(_build_outside(name, outside[name]) for name in ordered[:MAX_OUTSIDE])


def _build_outside(name: str, edge: ModuleEdge) -> Outside:
    path, line = edge.samples[0]
    return Outside(name, edge.count, f"{path}:{line}-{line}" if line else path)


def survey_imports(book: Notebook, own: Sequence[str], label: str) -> Architecture:
    """What some files import: of the repository by file, most imports first, and from outside by package."""
    edges: Edges = {}
    outside: OutsideEdges = {}
    inside = dict.fromkeys(own, label)
    names = {path: inside.get(path, path) for path in book.graph.survey.list_paths("")}
    resolve_edges(book, own[:MAX_OWN], names, edges, outside)
    if len(own) > MAX_OWN:
        book.limit(f"imports of {len(own) - MAX_OWN} files", f"those of {MAX_OWN} files are followed")
    book.tell_hop(1)
    ordered = sorted(edges, key=lambda ends: (-edges[ends].count, ends))
    if len(ordered) > MAX_EDGES:
        book.limit(f"{len(ordered) - MAX_EDGES} files that are imported", f"{MAX_EDGES} are shown")
    ordered = ordered[:MAX_EDGES]
    for _, path in ordered:
        node = book.source.find_file(path)
        if node is not None:
            edge = edges[label, path]
            book.add(node, f"imported by {label}, {edge.count} times", 1)
    keys = [label, *(target for _, target in ordered)]
    return Architecture(
        (),
        (),
        tuple(MapNode(name, name, "module", name) for name in keys),
        tuple(
            MapEdge(*ends, "imports", "exact", cite_edge(book, names, ends, edges[ends]), edges[ends].count)
            for ends in ordered
        ),
        list_packages(book, outside),
    )
