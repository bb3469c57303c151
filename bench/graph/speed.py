"""The time of navigation over stdio: `python -m bench.graph.speed TREE DATA_DIR`.

DATA_DIR holds the indexes of the tree, with its symbols. The symbols asked about are drawn from them by a
seed, equally many of three kinds: any, those whose names several files declare, and those whose names occur
in most files. A server is asked each question about each symbol, by its name, and again by the id of the
first candidate if the name is ambiguous. Then all questions are asked once more. With `--first`, a new server
is asked for the callers of each given name, and nothing else.

It prints the median and the 95th percentile for each tool: milliseconds from the request to its parsed
answer, and milliseconds of the server's processor time, which depend less on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.economy.client import Client
from bench.processes import PROJECT, read_memory
from repo_mcp.config.server_config import Config
from repo_mcp.graph.graph import Graph
from repo_mcp.repository import Repository
from repo_mcp.symbol_index.schema import USES
from repo_mcp.symbols.symbol_record import SymbolKind

SEED, SYMBOLS = 7, 120
KINDS = ("any", "ambiguous", "hot")
DRAWN_FILES = 3_000  # a declared symbol and a used name of each are drawn
BY_SYMBOL = (
    "get_symbol",
    "get_callers",
    "get_callees",
    "get_implementations",
    "get_references",
    "get_dependencies",
    "get_dependents",
    "find_similar",
)
TOOLS = ("search_symbols", "lookup_symbol", *BY_SYMBOL, "get_file_outline")
AT_REST = 0.05  # seconds of processor time in a second, of which this question takes some
ROUNDS = ("first time", "warm")


@dataclass(frozen=True, slots=True)
class Subject:
    """A symbol that is asked about."""

    kind: str
    name: str
    qualified_name: str
    path: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call, what it took, and its answer."""

    tool: str
    arguments: Mapping[str, str]
    kind: str
    wall_ms: float
    cpu_ms: float  # of all threads of the server
    text: str


def draw_subjects(tree: Path, data_dir: Path, count: int, seed: int) -> list[Subject]:
    """Draw symbols from the indexes of a tree. Equal indexes and seeds give equal symbols."""
    config = Config(str(tree.resolve()), data_dir=str(data_dir), watch=False)
    with closing(Repository(config)) as repository, repository.engines.graph.open() as graph:
        view = repository.symbol_index.find_view()
        assert view is not None, "the graph is open"
        draw, each = random.Random(seed), count // len(KINDS)
        paths = draw.choices(list(view.iter_paths()), k=DRAWN_FILES)
        declared = [one for path in paths for one in _draw_declared(graph, draw, path)]
        used = {name for path in paths for name in _draw_used(graph, draw, path)}
        several = [one for one in declared[each:] if len(graph.scan.list_declaring(one[0])) > 1]
        ordered = sorted(used, key=lambda name: (-view.count_paths(USES, name), name))
        hot = (one for name in ordered for one in _list_first(graph, name))
        hottest = [one for one, _ in zip(hot, range(each), strict=False)]
    drawn = zip(KINDS, (declared[:each], several[:each], hottest), strict=True)
    return [Subject(kind, *one) for kind, ones in drawn for one in ones]


def _draw_declared(graph: Graph, draw: random.Random, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, qualified name and path of one symbol of a file, if it declares any."""
    nodes = [node for node in graph.outline(path) if node.symbol.kind is not SymbolKind.FILE]
    if nodes:
        node = draw.choice(nodes)
        yield node.symbol.name, node.qualified_name, path


def _draw_used(graph: Graph, draw: random.Random, path: str) -> Iterator[str]:
    """Yield a name that a file uses, if it uses any."""
    record = graph.scan.find_record(path)
    if record is not None and record.reference_count:
        yield record.get_reference(draw.randrange(record.reference_count)).name


def _list_first(graph: Graph, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the name, qualified name and path of the first symbol of a name, if any file declares it."""
    for path in graph.scan.list_declaring(name)[:1]:
        yield name, name, path


class Stopwatch:
    """A client that notes what each call takes. Close it."""

    def __init__(self, tree: Path, data_dir: Path, code: Path, *options: str) -> None:
        self._client = Client(tree, data_dir, "--toolsets", "graph", *options, code=code)
        used = -math.inf  # until the server is idle
        while (now := self._client.read_processor_seconds()) - used > AT_REST or self._is_starting():
            used = now
            time.sleep(1.0)

    def _is_starting(self) -> bool:
        return self._client.call("get_status").record.get("state") != "ready"

    def close(self) -> None:
        """End the server."""
        self._client.close()

    def ask(self, tool: str, kind: str, **arguments: str) -> Call:
        """Return a call with its answer, which may be an error."""
        cpu, wall = self._client.read_processor_seconds(), time.perf_counter()
        answer = self._client.call(tool, **arguments)
        wall = time.perf_counter() - wall
        return Call(
            tool,
            arguments,
            kind,
            1e3 * wall,
            1e3 * (self._client.read_processor_seconds() - cpu),
            answer.text,
        )

    def read_memory(self) -> Mapping[str, int]:
        """Return the resident memory of the server and its peak, in bytes."""
        return read_memory(self._client.process_id)


def ask_all(watch: Stopwatch, subjects: Sequence[Subject]) -> Iterator[Call]:
    """Yield the calls about each symbol, tool by tool."""
    for tool in TOOLS:
        for one in subjects:
            if tool == "search_symbols":
                yield watch.ask(tool, one.kind, query=one.name)
            elif tool == "lookup_symbol":
                yield watch.ask(tool, one.kind, qualified_name=one.qualified_name)
            elif tool == "get_file_outline":
                yield watch.ask(tool, one.kind, path=one.path)
            else:
                call = watch.ask(tool, one.kind, symbol=one.name)
                yield call
                candidates = json.loads(call.text).get("error", {}).get("candidates", ())
                for candidate in candidates[:1]:
                    yield watch.ask(tool, one.kind, node_id=candidate["node_id"])


def print_table(calls: Sequence[Call], slowest: int) -> None:
    """Print a line for each tool, and the slowest calls of each."""
    print(f"{'tool':20}{'calls':>6}{'p50':>8}{'p95':>8}{'longest':>9}   processor: p50, p95, longest")
    for tool in TOOLS:
        own = [call for call in calls if call.tool == tool]
        walls = sorted(call.wall_ms for call in own)
        cpus = sorted(call.cpu_ms for call in own)
        figures = "".join(f"{one:8.1f}" for one in (*_pick(walls), *_pick(cpus)))
        print(f"{tool:20}{len(own):6}{figures}")
        for call in sorted(own, key=lambda one: -one.cpu_ms)[:slowest]:
            print(f"    {call.cpu_ms:7.1f}  {call.kind} {' '.join(call.arguments.values())}")


def _pick(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, the 95th percentile and the longest of ascending values."""
    return values[len(values) // 2], values[len(values) * 95 // 100], values[-1]


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.graph.speed", description="Navigation over stdio.")
    parser.add_argument("tree", type=Path)
    parser.add_argument("data_dir", type=Path, help="with the indexes of the tree")
    parser.add_argument("--symbols", type=int, default=SYMBOLS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--slowest", type=int, default=0, help="calls shown of each tool")
    parser.add_argument("--no-watch", dest="options", action="append_const", const="--no-watch", default=[])
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose server is measured")
    parser.add_argument("--answers", type=Path, help="a file for all answers, to be compared with others'")
    parser.add_argument("--first", nargs="+", metavar="SYMBOL", help="only the first callers of each, alone")
    given = parser.parse_args(arguments)

    def start() -> Stopwatch:
        return Stopwatch(given.tree, given.data_dir, given.code, *given.options)

    for name in given.first or ():
        with closing(start()) as watch:
            first, again = (watch.ask("get_callers", "hot", symbol=name) for _ in range(2))
        print(f"{name:30}{first.wall_ms:7.0f} ms, processor {first.cpu_ms:5.0f}, again {again.cpu_ms:6.1f}")
    if given.first:
        return 0
    subjects = draw_subjects(given.tree, given.data_dir, given.symbols, given.seed)
    answers: list[str] = []
    with closing(start()) as watch:
        for number in ROUNDS:
            calls = list(ask_all(watch, subjects))
            answers += [json.dumps([one.tool, one.arguments, one.text]) for one in calls]
            memory = {name: round(size / 1e6) for name, size in watch.read_memory().items()}
            print(f"{number}, {len(calls):,} calls; MB: {memory}")
            print_table(calls, given.slowest)
    if given.answers:
        given.answers.write_text("\n".join(answers), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
