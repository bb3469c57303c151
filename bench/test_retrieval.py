"""The toolset `retrieval` over a million lines: SC-003 of its specification, and the cost of two roots.

The given tree is the root `code`, and its directory `docs`, if there is one, the root `docs`. The synthetic
corpus has a little more than a million lines here, whatever --files says. A search is the whole call, from
its arguments to the encoded answer, in both repositories, with the default limit of 200 matches.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.corpus import ensure_corpus
from bench.engine import find_index_path, measure_index
from bench.processes import START_SERVER, Peer, can_read_memory, read_memory
from bench.queries import choose_queries
from bench.rounds import measure_queries, run_rounds
from repo_mcp.config.server_config import NamedRoot, load_config
from repo_mcp.protocol.tool_model import CallContext, Tool
from repo_mcp.toolsets.retrieval import build_toolset, open_roots

MILLION_LINES_FILES = 7_000  # of the made corpus
SPAWN_ROUNDS = 10
# Searches for: a name in few files; a name in many; successive words of a comment; a name that is nowhere; an
# expression around a name; all of these in turn. The worst case is separate: two of the commonest words on
# one line, for which nearly every file must be read.
KINDS = ("rare", "common", "phrases", "absent", "expressions", "all", "worst")
Search = dict[str, object]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Two indexed roots, and searches of each kind for them."""

    docs: Path
    code: Path
    data_dir: Path
    searches: dict[str, list[Search]]
    lines: int
    files: int


@pytest.fixture(scope="session")
def retrieval(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Retrieval]:
    given = request.config.getoption("--tree")
    base = tmp_path_factory.getbasetemp()
    cache = base.parent if base.name.startswith("pytest-") else base
    code = Path(given).resolve() if given else ensure_corpus(cache, MILLION_LINES_FILES)
    docs = code / "docs" if (code / "docs").is_dir() else code
    data_dir = tmp_path_factory.mktemp("retrieval")
    named = (NamedRoot("docs", str(docs), "environment"), NamedRoot("code", str(code), "environment"))
    config = load_config(None, data_dir=str(data_dir), toolsets=["retrieval"])
    roots = open_roots(replace(config, named_roots=named), lambda warning: None)
    for repository in roots.repositories.values():
        repository.refresh()
        repository.close()
    place = data_dir / "retrieval" / "code"
    indexed = measure_index(code, place, find_index_path(place))
    lines = sum(path.read_bytes().count(b"\n") for path in code.rglob("*") if path.is_file())
    yield Retrieval(docs, code, data_dir, build_searches(choose_queries(indexed)), lines, indexed.files)
    shutil.rmtree(data_dir)


def build_searches(queries: dict[str, list[str]]) -> dict[str, list[Search]]:
    kinds: dict[str, list[Search]] = {
        "rare": [{"query": text} for text in queries["rare"]],
        "common": [{"query": text} for text in queries["common"]],
        "phrases": [{"query": text} for text in queries["questions"]],
        "absent": [{"query": f"{text}_{text[::-1]}"} for text in queries["rare"]],
        "expressions": [
            {"query": rf"\b{text}\w*\s*[(=]", "regex": True}
            for text in [*queries["rare"][::2], *queries["common"][::2]]
        ],
    }
    in_turn = itertools.chain.from_iterable(zip(*kinds.values(), strict=False))
    worst: list[Search] = [
        {"query": ".*".join(map(re.escape, text.split())), "regex": True} for text in queries["pairs"]
    ]
    return kinds | {"all": list(in_turn), "worst": worst}


@pytest.fixture(scope="session")
def tools(retrieval: Retrieval) -> Iterator[dict[str, Tool]]:
    named = (
        NamedRoot("docs", str(retrieval.docs), "environment"),
        NamedRoot("code", str(retrieval.code), "environment"),
    )
    config = load_config(None, data_dir=str(retrieval.data_dir), toolsets=["retrieval"])
    roots = open_roots(replace(config, named_roots=named), lambda warning: None)
    yield {tool.name: tool for tool in build_toolset(roots).tools}
    for repository in roots.repositories.values():
        repository.close()


def describe(benchmark: BenchmarkFixture, retrieval: Retrieval) -> None:
    benchmark.extra_info |= {"lines": retrieval.lines, "files": retrieval.files}


@pytest.mark.parametrize("kind", KINDS)
def test_retrieval_search(
    benchmark: BenchmarkFixture, retrieval: Retrieval, tools: dict[str, Tool], kind: str
) -> None:
    def ask(text: str) -> None:
        answer = tools["search"].call(json.loads(text), CallContext(lambda: False))
        assert not answer.is_error, answer.text

    measure_queries(benchmark, [json.dumps(one) for one in retrieval.searches[kind]], ask)
    describe(benchmark, retrieval)


def spawn_retrieval(retrieval: Retrieval) -> Peer:
    """Start the server as a client does, with its roots in a file."""
    file = retrieval.data_dir / "retrieval.toml"
    roots = {"docs_root": str(retrieval.docs), "code_root": str(retrieval.code)}
    file.write_text("".join(f"{key} = {json.dumps(path)}\n" for key, path in roots.items()))
    options = ("--toolsets", "retrieval", "--config", str(file), "--data-dir", str(retrieval.data_dir))
    peer = Peer("-c", START_SERVER, *options)
    peer.handshake()
    return peer


def call(peer: Peer, search: Search) -> None:
    result = peer.ask("tools/call", {"name": "search", "arguments": search})["result"]
    assert not result.get("isError"), result


def test_retrieval_search_over_stdio(benchmark: BenchmarkFixture, retrieval: Retrieval) -> None:
    peer = spawn_retrieval(retrieval)
    try:
        searches = [json.dumps(one) for one in retrieval.searches["all"]]
        measure_queries(benchmark, searches, lambda text: call(peer, json.loads(text)))
        describe(benchmark, retrieval)
        if can_read_memory():
            sizes = read_memory(peer.process_id)
            benchmark.extra_info["rss_mb"] = round(sizes["VmRSS"] / 1e6)
            benchmark.extra_info["peak_rss_mb"] = round(sizes["VmHWM"] / 1e6)
    finally:
        peer.close()


@pytest.mark.parametrize("first_search", [False, True], ids=["initialize", "first_search"])
def test_retrieval_spawn_to(benchmark: BenchmarkFixture, retrieval: Retrieval, first_search: bool) -> None:
    peers: list[Peer] = []
    in_turn = itertools.cycle(retrieval.searches["rare"])

    def start() -> None:
        peers.append(spawn_retrieval(retrieval))
        if first_search:
            call(peers[-1], next(in_turn))

    run_rounds(benchmark, start, rounds=SPAWN_ROUNDS, warmup_rounds=1, teardown=lambda: peers.pop().close())
