"""Print edges to be read by eye: `python -m bench.graph.sample TREE --language L --seed N`.

The tree is indexed as a server does it, every reference in files of the language is resolved, and a hundred
edges that are called `exact` are drawn by the seed: equal trees and seeds give equal edges. Each is printed
with the line of the use and the line of what it leads to.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from repo_mcp.config.server_config import Config
from repo_mcp.graph.bulk_scan import BulkScan
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.repository import Repository
from repo_mcp.symbols.symbol_record import Reference, SymbolRecord

HEAD_LINES = 8  # of a declaration, until the line with its name: attributes and comments come first
SHOWN_CHARS = 160


@dataclass(frozen=True, slots=True)
class SampledEdge:
    """One use of a name, and one declaration that it leads to."""

    path: str
    reference: Reference
    target: Declaration
    beside: int  # further targets of the same use


@contextmanager
def opened_graph(tree: Path) -> Iterator[Graph]:
    """Index a tree in a directory of its own, and yield the graph. Raises RepoError."""
    with (
        tempfile.TemporaryDirectory() as data,
        closing(Repository(Config(str(tree.resolve()), data_dir=data, watch=False))) as repository,
    ):
        repository.refresh()
        repository.symbol_index.build()
        repository.symbol_index.note_refresh()
        with repository.engines.graph.open() as graph:
            yield graph


def iter_edges(scan: BulkScan, language: str, confidence: Confidence) -> Iterator[SampledEdge]:
    """Yield the edges of one confidence in files of a language to symbols, by path and row."""
    for path in scan.list_paths(""):
        if scan.find_language(path) != language:
            continue
        record = scan.find_record(path)
        for row, resolution in scan.list_resolved(path) if record is not None else ():
            assert record is not None
            for target in resolution.targets:
                if target.confidence is confidence and target.declaration.ordinal:
                    yield SampledEdge(
                        path, record.get_reference(row), target.declaration, len(resolution.targets) - 1
                    )


def draw(edges: Sequence[SampledEdge], most: int, seed: int) -> list[SampledEdge]:
    """Return at most `most` of the edges, drawn by a seed, by path and line."""
    drawn = random.Random(seed).sample(range(len(edges)), min(most, len(edges)))
    return [edges[one] for one in sorted(drawn)]


def render(scan: BulkScan, edge: SampledEdge) -> str:
    """Render an edge: the use and its line, the declaration and its line."""
    reference, target = edge.reference, edge.target
    record = scan.find_record(target.path)
    assert record is not None
    symbol = record.get_symbol(target.ordinal)
    line = _find_head(scan.read_lines(target.path), symbol.name, symbol.start_line, symbol.end_line)
    beside = f" and {edge.beside} more" if edge.beside else ""
    name = _qualify(record, target.ordinal)
    return "\n".join(
        (
            f"{edge.path}:{reference.line} {reference.name} ({reference.role.name.lower()})",
            f"    {_quote(scan.read_lines(edge.path), reference.line)}",
            f" -> {target.path}:{line} {name} ({symbol.kind.name.lower()}){beside}",
            f"    {_quote(scan.read_lines(target.path), line)}",
        )
    )


def _find_head(lines: Sequence[str], name: str, first: int, last: int) -> int:
    for line in range(first, min(last, first + HEAD_LINES) + 1):
        if name in "".join(lines[line - 1 : line]):
            return line
    return first


def _qualify(record: SymbolRecord, ordinal: int) -> str:
    names: list[str] = []
    while ordinal:
        symbol = record.get_symbol(ordinal)
        names.append(symbol.name)
        ordinal = symbol.parent
    return ".".join(reversed(names))


def _quote(lines: Sequence[str], line: int) -> str:
    return "".join(lines[line - 1 : line]).strip()[:SHOWN_CHARS]


def main(arguments: list[str]) -> int:
    """Draw and print. 1 when the tree has no such edge."""
    parser = argparse.ArgumentParser(prog="bench.graph.sample", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--language", required=True, help="as list_files names it: python, csharp, cpp, ...")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=100, help="edges that are drawn")
    parser.add_argument("--confidence", choices=[*Confidence], default=Confidence.EXACT)
    parser.add_argument("--path", default="", help="only uses in files whose paths begin so")
    given = parser.parse_args(arguments)
    with opened_graph(given.tree) as graph:
        found = iter_edges(graph.scan, given.language, Confidence(given.confidence))
        edges = [one for one in found if one.path.startswith(given.path)]
        for number, edge in enumerate(draw(edges, given.most, given.seed), 1):
            print(f"{number}. {render(graph.scan, edge)}")
        print(f"drawn from {len(edges):,} edges")
    return 0 if edges else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
