"""The rest of what we do beside ranking words: symbols, navigation, exact search, the toolset `retrieval`.

None of the compared engines does these; ripgrep, ctags and Python's own parser do parts of them. They are
measured last, because from then on there is a symbol index beside the lexical one.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.engine import MEGABYTE, find_index_path, measure_index
from bench.exact_patterns import EXPRESSIONS, choose_patterns
from bench.peers.job import THREADS, Job
from bench.processes import START_SERVER, Peer, run_and_watch, spawn_server
from bench.symbols import QUESTIONS, choose_nodes, count_bytes, find_ctags
from repo_mcp.config.server_config import Config, NamedRoot, load_config
from repo_mcp.repository import Repository
from repo_mcp.toolsets.retrieval import open_roots

PATTERNS = 10  # of each kind
NODES = 60  # symbols about which all questions of navigation are asked
PATIENCE_SECONDS = 1_800.0  # for a server that indexes the tree first


@dataclass(frozen=True, slots=True)
class StructureFigures:
    """The cost of a tree's symbol index, built by as many processes as the other engines have threads."""

    text_mb: float  # of the files that have a record
    wall_seconds: float  # without looking for changed files
    cpu_seconds: float
    index_mb: float
    ctags_seconds: float | None  # of one process, over the same files; None: not installed
    ast_seconds: float  # of processor time, for nothing but `ast.parse` of the Python files among them


@dataclass(frozen=True, slots=True)
class OtherFigures:
    """Seconds of single answers, each asked for once before; and the cost of a symbol index."""

    structure: StructureFigures | None = None  # None: no file has a parser here
    navigation: dict[str, list[float]] = field(default_factory=dict)  # by question, in process
    exact: dict[str, list[float]] = field(default_factory=dict)  # by kind of pattern, over stdio
    ripgrep: dict[str, list[float]] = field(default_factory=dict)  # the same patterns; empty: not installed
    retrieval: list[float] = field(default_factory=list)  # over stdio


def measure_others(job: Job, position: Path) -> dict[str, Any]:
    """Measure, and return the arguments of OtherFigures as plain values."""
    structure = measure_structure(job, position)
    return {
        "structure": structure,
        "navigation": {} if structure is None else time_navigation(job, position),
        **time_exact(job, position),
        "retrieval": time_retrieval(job),
    }


def parse_others(plain: dict[str, Any]) -> OtherFigures:
    """Return the figures that a child process printed."""
    structure = plain["structure"]
    return OtherFigures(**plain | {"structure": StructureFigures(**structure) if structure else None})


def measure_structure(job: Job, position: Path) -> dict[str, float | None] | None:
    """Build the symbol index, and return the arguments of StructureFigures."""
    command = [sys.executable, "-m", "repo_mcp", "index", "--json", "--workers", str(THREADS)]
    command += ["--structure", "--repo-root", str(job.root), "--data-dir", str(position)]
    watched = run_and_watch(command)
    report = json.loads(watched.output)
    with closing(Repository(Config(str(job.root), data_dir=str(position)))) as repository:
        view = repository.symbol_index.find_view()
        if view is None or not count_bytes(view):
            return None
        ctags = find_ctags(view, job.root, job.scratch)
        return {
            "text_mb": count_bytes(view) / MEGABYTE,
            "wall_seconds": watched.wall_seconds - report["duration_ms"] / 1000,
            "cpu_seconds": watched.cpu_seconds,
            "index_mb": report["structure"]["index_bytes"] / MEGABYTE,
            "ctags_seconds": ctags() if ctags is not None else None,
            "ast_seconds": time_parsing(job.root, view.iter_paths()),
        }


def time_parsing(root: Path, paths: Iterable[str]) -> float:
    """Return the seconds of processor time that `ast.parse` takes for Python files that were read before."""
    seconds = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes in the texts
        for path in paths:
            if path.endswith(".py"):
                text = (root / path).read_bytes()
                begun = time.process_time()
                with suppress(SyntaxError, ValueError, RecursionError):
                    ast.parse(text)
                seconds += time.process_time() - begun
    return seconds


def time_navigation(job: Job, position: Path) -> dict[str, list[float]]:
    """Return the seconds of each question of navigation about the same symbols."""
    with closing(Repository(Config(str(job.root), data_dir=str(position)))) as repository:
        view = repository.symbol_index.find_view()
        assert view is not None
        with repository.engines.graph.open() as graph:
            nodes = choose_nodes(view, graph, NODES)
            return {name: time_twice(nodes, partial(ask, graph)) for name, ask in QUESTIONS.items()}


def time_twice(asked: Sequence[Any], ask: Callable[[Any], object]) -> list[float]:
    """Make each call twice, and return the seconds of the second ones."""
    for one in asked:
        ask(one)
    seconds = []
    for one in asked:
        begun = time.perf_counter()
        ask(one)
        seconds.append(time.perf_counter() - begun)
    return seconds


def time_exact(job: Job, position: Path) -> dict[str, dict[str, list[float]]]:
    """Return the seconds of exact searches by `repo.search`, and of ripgrep, which prints all lines."""
    patterns = choose_patterns(measure_index(job.root, position, find_index_path(position)))
    program = shutil.which("rg")
    ours: dict[str, list[float]] = {}
    theirs: dict[str, list[float]] = {}
    with closing(spawn_server(job.root, position, patience_seconds=PATIENCE_SECONDS)) as server:
        server.handshake()
        for kind, texts in patterns.items():
            mode, how = ("regex", "-e") if kind in EXPRESSIONS else ("literal", "-Fe")
            ours[kind] = time_twice(texts[:PATTERNS], partial(_search, server, mode))
            if program is not None:
                command = (program, "--no-config", "-n", how)
                theirs[kind] = time_twice(texts[:PATTERNS], partial(_run, job.root, command))
    return {"exact": ours, "ripgrep": theirs}


def _search(server: Peer, mode: str, text: str) -> None:
    _call(server, "repo.search", {"query": text, "mode": mode})


def _run(root: Path, command: Sequence[str], text: str) -> None:
    subprocess.run([*command, text, "."], cwd=root, stdout=subprocess.DEVNULL, check=False)


def time_retrieval(job: Job) -> list[float]:
    """Return the seconds of `search` over stdio, with the tree as `code` and one page as `docs`."""
    docs = job.scratch / "docs"
    docs.mkdir()
    (docs / "README.md").write_text("# A page\n\nOf the other root.\n")
    place = str(job.find_place("retrieval"))
    named = [NamedRoot(name, str(root), "environment") for name, root in (("docs", docs), ("code", job.root))]
    config = replace(load_config(None, data_dir=place, toolsets=["retrieval"]), named_roots=tuple(named))
    for repository in open_roots(config, lambda _warning: None).repositories.values():
        with closing(repository):
            repository.refresh()
    file = job.scratch / "retrieval.toml"
    file.write_text("".join(f"{one.name}_root = {json.dumps(one.path)}\n" for one in named))
    options = ("--toolsets", "retrieval", "--config", str(file), "--data-dir", place)
    mixed = [text for texts in job.read_queries().values() for text in texts]
    chosen = mixed[:: max(1, len(mixed) // (4 * PATTERNS))]
    with closing(Peer("-c", START_SERVER, *options, patience_seconds=PATIENCE_SECONDS)) as server:
        server.handshake()
        return time_twice(chosen, lambda text: _call(server, "search", {"query": text}))


def _call(server: Peer, tool: str, arguments: dict[str, object]) -> None:
    result = server.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
    assert not result.get("isError"), result
