"""Reads while names are exchanged for links to the outside, as fast as the system can: nothing escapes.

The rows of sections 3.1 and 3.2 of the threat model under race, through a real server and all that reads:
answers, the bytes of the data directory, the log of calls and standard error are looked through for what lies
outside and for what is denied.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.deep.ledger import LEDGER, Row
from tests.deep.served import Served
from tests.deep.sizes import scale

CANARY = "qzvescaped"  # outside of the root
DENIED = "qzvdenied"  # inside, in files that are never served
SEED = 71
SHORT_READS, DEEP_READS = 60, scale(12_000)
REFRESH_EVERY = 100
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and renames of POSIX")


def make_tree(place: Path) -> Path:
    """Make a root with files and directories, each beside a link that leads out, or to what is denied."""
    root, outside = place / "root", place / "outside"
    for directory in (root / "src", root / "docs", outside):
        directory.mkdir(parents=True)
    text = "def {0}_function():\n    '''{0} words'''\n    return 1\n"
    for path in ("src/main.py", "docs/page.py", "plain.py"):
        (root / path).write_text(text.format("harmless"))
    for path in ("main.py", "page.py", "plain.py", "target.py"):
        (outside / path).write_text(text.format(CANARY))
    for path in (".env", "id_rsa", "secrets.py"):
        (root / path).write_text(text.format(DENIED))
    (root / "src-link").symlink_to(outside)
    (root / "docs-link").symlink_to("../outside")
    (root / "plain-link").symlink_to(outside / "target.py")
    (root / "denied-link").symlink_to(".env")
    (root / "denied.py").write_text(text.format("harmless"))
    return root


SWAPS = (("src", "src-link"), ("docs", "docs-link"), ("plain.py", "plain-link"), ("denied.py", "denied-link"))


@contextmanager
def swapping(root: Path) -> Iterator[list[int]]:
    """Exchange names and links while the block runs; how often is in the list."""
    stop, count = threading.Event(), [0]

    def swap() -> None:
        while not stop.is_set():
            for real, link in SWAPS:
                (root / real).rename(root / "aside")
                (root / link).rename(root / real)
                (root / real).rename(root / link)
                (root / "aside").rename(root / real)
                count[0] += 1

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield count
    finally:
        stop.set()
        swapper.join()


def list_calls() -> list[tuple[str, dict[str, object]]]:
    """Return reads of every kind of what is being exchanged."""
    paths = (
        "src/main.py",
        "docs/page.py",
        "plain.py",
        "denied.py",
        "src-link/main.py",
        "plain-link",
        "denied-link",
    )
    calls: list[tuple[str, dict[str, object]]] = []
    for path in paths:
        calls += [(tool, {"path": path}) for tool in ("repo.open_file", "read_file", "repo.outline")]
        calls += [("index_files", {"paths": [path]}), ("get_file_outline", {"path": path})]
    for query in (CANARY[1:], DENIED[1:], "harmless_function", "words"):
        calls += [("repo.search", {"query": query}), ("repo.search", {"query": query, "mode": "literal"})]
        calls += [("search_code", {"query": query}), ("search_docs", {"query": query})]
    calls += [("list_directory", {"path": "src"}), ("get_directory_tree", {}), ("repo.list_files", {})]
    return [
        *calls,
        ("repo.build_context_bundle", {"prompt": "harmless function in src/main.py and plain.py"}),
    ]


def _read(place: Path, reads: int, row: Row) -> None:
    root, data, said = make_tree(place), place / "data", place / "said"
    draw = random.Random(SEED)
    calls = list_calls()
    found = ""
    seen_harmless = refused = 0
    with Served(root, data, said=said) as server:
        server.settle()
        with swapping(root) as swaps:
            for number in range(reads):
                tool, arguments = draw.choice(calls)
                found = json.dumps(server.ask("tools/call", {"name": tool, "arguments": arguments}))
                asked = json.dumps(arguments)
                assert CANARY not in found.replace(asked, ""), (tool, arguments)
                assert DENIED not in found.replace(asked, ""), (tool, arguments)
                seen_harmless += "harmless" in found
                refused += "denied" in found or "escape" in found or "blocked" in found
                if number % REFRESH_EVERY == REFRESH_EVERY - 1:
                    server.call("index_codebase", path=".", force=draw.random() < 0.5)
                row.rounds += 1
            row.faults += swaps[0]
        assert row.faults > reads / 10
        assert seen_harmless
        assert refused
    for path in [*data.rglob("*"), said]:
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path.name
            assert DENIED.encode() not in path.read_bytes(), path.name
    row.note = f"{seen_harmless} answers with text, {refused} refused, 0 escapes"


@pytest.mark.parametrize("reads", [SHORT_READS, pytest.param(DEEP_READS, marks=pytest.mark.deep)])
def test_no_read_escapes_while_names_are_exchanged(tmp_path: Path, reads: int) -> None:
    with LEDGER.suite("3.1 racing reads") as row:
        _read(tmp_path, reads, row)
