"""A parser of a tiny language for tests of the symbol index, with texts that end its process.

    def NAME | class NAME | use NAME | bind NAME | import NAME from MODULE as ALIAS
    die | hang | spin | slow | lie | partial

The child is a real one: `serve_tiny` runs in it in place of `parse_process.serve`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from repo_mcp.indexing.derived.plan import FindTask
from repo_mcp.process import parse_process
from repo_mcp.process.parse_process import serve
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.storage.poison import PoisonList
from repo_mcp.symbol_index.phase import Parsing
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, SymbolKind

TASK = "structure/tiny"


def find_tiny_task(path: str, _language: str) -> str | None:
    return TASK if path.endswith(".tiny") else None


def make_tiny_parser() -> BatchParser:
    return BatchParser(wall_seconds=5.0, niceness=1, serve=serve_tiny)


def parse_only_tiny(
    workers: int,
    poison: PoisonList,
    _find_task: FindTask,
    make_parser: Callable[[], BatchParser] = make_tiny_parser,
) -> Parsing:
    """Stand in for `Parsing`: files in the tiny language have symbols, and no others."""
    return Parsing(workers, poison, find_tiny_task, make_parser)


def serve_tiny(requests: Connection, answers: Connection, niceness: int) -> None:
    serve(requests, answers, niceness, run_tiny)


def serve_tiny_briefly(requests: Connection, answers: Connection, niceness: int) -> None:
    """Do the same, and end when a text takes more than a second of the processor's time."""
    parse_process.CPU_SECONDS = 1
    serve_tiny(requests, answers, niceness)


def run_tiny(task: str, request: bytes) -> bytes:
    assert task == TASK
    name, _, text = request.partition(b"\n")
    return parse_tiny(name.decode(), text)


def parse_tiny(name: str, text: bytes) -> bytes:
    lines = text.decode("utf-8", "replace").split("\n")
    builder = SymbolRecordBuilder(name, len(lines))
    for number, line in enumerate(lines, 1):
        match line.split(" "):
            case ["def", name]:
                builder.add_symbol(name, SymbolKind.FUNCTION, 0, number, number)
            case ["class", name]:
                builder.add_symbol(name, SymbolKind.CLASS, 0, number, number)
            case ["use", name]:
                builder.add_reference(0, ReferenceRole.CALL, name, number)
            case ["bind", name]:
                builder.add_reference(0, ReferenceRole.BIND, name, number, alias="x")
            case ["import", name, "from", module, "as", alias]:
                builder.add_reference(0, ReferenceRole.IMPORT, name, number, qualifier=module, alias=alias)
            case ["die"]:
                os._exit(1)
            case ["hang"]:
                time.sleep(600)
            case ["spin"]:
                while True:
                    pass
            case ["slow"]:
                time.sleep(0.03)
            case ["lie"]:
                return b"no record"
            case ["partial"]:
                builder.status = ParseStatus.PARTIAL
    return builder.encode()
