"""Parts that the benchmarks of symbols share: how much was parsed, a timer of ctags, symbols to ask about.

These symbols are drawn from all files by a fixed seed.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from repo_mcp.graph.graph import Graph
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, NAMED, EdgeType, SymbolFilter, list_implementing
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import SymbolKind

SEED = 7
SYMBOLS = 300
TRIES = 4  # files drawn for each symbol, because some declare nothing

QUESTIONS: Mapping[str, Callable[[Graph, Node], object]] = {
    "search": lambda graph, node: graph.search(node.symbol.name, SymbolFilter(), 20),
    "lookup": lambda graph, node: graph.look_up(node.qualified_name, SymbolFilter()),
    "symbol": lambda graph, node: graph.choose(node.node_id),
    "callers": lambda graph, node: graph.find_incoming(node, CALLS),
    "callees": lambda graph, node: graph.find_outgoing(node, CALLS),
    "implementations": lambda graph, node: graph.find_incoming(node, list_implementing(node.symbol.kind)),
    "references": lambda graph, node: graph.find_incoming(node, NAMED),
    "dependencies": lambda graph, node: graph.find_outgoing(node, tuple(EdgeType)),
    "dependents": lambda graph, node: graph.find_incoming(node, tuple(EdgeType)),
    "similar": lambda graph, node: graph.find_similar(node, 10),
}


def choose_nodes(view: SymbolIndex, graph: Graph, count: int = SYMBOLS) -> list[Node]:
    """Return at most `count` symbols of all files, the same in each run."""
    paths = list(view.iter_paths())
    draw = random.Random(SEED)
    chosen: list[Node] = []
    for path in draw.choices(paths, k=TRIES * count):
        declared = [node for node in graph.outline(path) if node.symbol.kind is not SymbolKind.FILE]
        if declared and len(chosen) < count:
            chosen.append(draw.choice(declared))
    return chosen


def count_bytes(view: SymbolIndex) -> int:
    """Return the bytes of the source files that have a record."""
    return sum(
        int(segment.reader.read_file_table().sizes[segment.live_file_mask].sum())
        for segment in view.snapshot.segments
    )


def find_ctags(view: SymbolIndex, root: Path, scratch: Path) -> Callable[[], float] | None:
    """Return a timer of one process of universal-ctags over the same files, which have been read before.

    Returns None where it is not installed.
    """
    if shutil.which("ctags") is None:
        return None
    version = subprocess.run(["ctags", "--version"], capture_output=True, text=True, check=False)
    if "Universal" not in version.stdout:
        return None
    (scratch / "files").write_text("\n".join(view.iter_paths()), "utf-8")

    def time_all() -> float:
        begun = time.perf_counter()
        subprocess.run(
            ["ctags", "--options=NONE", "-L", str(scratch / "files"), "-f", str(scratch / "tags")],
            cwd=root,
            stderr=subprocess.DEVNULL,  # it warns of thousands of empty names in minified files
            check=True,
        )
        return time.perf_counter() - begun

    time_all()
    return time_all
