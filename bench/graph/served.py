"""Our edges as a client meets them: over stdio, with the default limits, page after page.

The references of every symbol in some files are requested. Edges that are only possible do not count. A row
names a line, not the word on it, which is taken to be the symbol's own name; so names given by an import are
not compared.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.economy.client import Client
from repo_mcp.graph.program import Confidence, Declaration, Program, Target

Place = tuple[str, int, str]  # path, line, name

POLL_SECONDS = 0.2
READY_SECONDS = 600.0
CALLS = "calls"  # what an edge is that does not say it


@dataclass(slots=True)
class ServedEdges:
    """The edges that end at the symbols of some files, and which of their places are calls."""

    targets: dict[Place, list[Target]] = field(default_factory=dict)
    calls: set[Place] = field(default_factory=set)
    answers: int = 0


def collect_served(tree: Path, program: Program, paths: Iterable[str]) -> ServedEdges:
    """Collect what a server says of the files of a tree; `program` holds the same files."""
    served = ServedEdges()
    with TemporaryDirectory() as data:
        client = Client(tree, Path(data), "--toolsets", "graph")
        try:
            _wait_until_ready(client)
            for path in paths:
                for symbol in _iter_rows(client, "get_file_outline", path=path):
                    declaration = _find_declaration(program, path, symbol)
                    if declaration is not None:
                        _collect_symbol(client, symbol, declaration, served)
        finally:
            client.close()
    return served


def _wait_until_ready(client: Client) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        status = client.call("get_status").record
        if status.get("state") == status.get("structure", {}).get("state") == "ready":
            return
        time.sleep(POLL_SECONDS)
    raise TimeoutError("The server did not index the tree.")


def _iter_pages(client: Client, tool: str, **arguments: object) -> Iterator[Mapping[str, Any]]:
    while True:
        answer = client.call(tool, **arguments)
        if answer.is_error:
            raise ValueError(answer.text)
        yield answer.record
        if "cursor" not in answer.record:
            return
        arguments["cursor"] = answer.record["cursor"]


def _iter_rows(client: Client, tool: str, **arguments: object) -> Iterator[Mapping[str, Any]]:
    for page in _iter_pages(client, tool, **arguments):
        yield from page["result"]


def _find_declaration(program: Program, path: str, symbol: Mapping[str, Any]) -> Declaration | None:
    record = program.find_record(path)
    if record is None:
        return None
    found = [
        ordinal
        for ordinal in record.find_symbols(symbol["name"])
        if int(record.starts[ordinal]) == symbol["line_start"]
    ]
    return Declaration(path, found[0]) if found else None


def _collect_symbol(
    client: Client, symbol: Mapping[str, Any], declaration: Declaration, served: ServedEdges
) -> None:
    for page in _iter_pages(client, "get_references", node_id=symbol["node_id"]):
        served.answers += 1
        path = ""
        for row in page["result"]:
            path = row.get("file_path", path)
            confidence = Confidence(row.get("confidence", Confidence.EXACT))
            if confidence is Confidence.POSSIBLE:
                continue
            for line in row["lines"].split("\n"):
                place = (path, int(line.partition("\t")[0]), symbol["name"])
                served.targets.setdefault(place, []).append(Target(declaration, confidence))
                if row.get("edge_type", CALLS) == CALLS:
                    served.calls.add(place)
