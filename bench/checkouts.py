"""The cost of a second checkout, measured on a tree: the goals of fresh work trees and packs, as one table.

    python -m bench.checkouts TREE [--scratch DIR] [--structure] [--out FILE]

The tree is copied and committed. `git worktree add` makes a second checkout, in which 20 files are changed,
and `git clone` a third, for a pack. Servers are started as a client starts them, and asked for their status
until everything can be searched: in the first checkout, which has no index; in the second, beside the first
one's index; and in a copy of the second without Git, where every file must be read. `--structure` does the
same for symbols. This needs four times the space of the tree and its index, on one file system so that
segments can be linked, and leaves nothing behind.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.edits import Edits, choose_edited, time_plain_reading, time_plain_walk
from bench.processes import START_SERVER, Peer, read_memory, run_and_watch, spawn_server
from repo_mcp.languages.adapter_tasks import encode_request
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.process.parse_worker import BatchParser

POLL_SECONDS = 0.02
PATIENCE_SECONDS = 14_400.0  # a server that lives longer is killed
MEGABYTE = 1e6
NAMED = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
COMMAND = START_SERVER.replace("repo_mcp.server", "repo_mcp.cli")


@dataclass(frozen=True, slots=True)
class Started:
    """The figures of one server, from its spawn on."""

    searchable_s: float  # until every file can be searched
    whole_s: float  # until segments are merged and the record is written, too
    structure_s: float | None  # until every symbol is known; None: not asked for
    peak_mb: float  # the server's own most resident memory
    files: int
    origin: str  # as `repo.status` says it


def git(place: Path, *arguments: str) -> None:
    """Run Git without the user's configuration. Raises CalledProcessError."""
    own = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *NAMED, *arguments], cwd=place, env=own, check=True, capture_output=True)


def read_status(server: Peer, tool: str) -> dict[str, Any]:
    """Return what a status tool says; what is not there has its schema's default."""
    said: dict[str, Any] = server.call_anything(tool)["structuredContent"]
    result: dict[str, Any] = said.get("result", said)
    return result


def start_once(root: Path, data: Path, *options: str, structure: bool) -> Started:
    """Start a server and ask for its status until everything is indexed."""
    begun = time.monotonic()
    toolsets = "repo,graph" if structure else "repo"
    given = ("--toolsets", toolsets, "--workers", "2", *options)
    with closing(spawn_server(root, data, *given, patience_seconds=PATIENCE_SECONDS)) as server:
        server.handshake()
        searchable = 0.0
        for status in poll(server, "repo.status"):
            progress = status.get("progress")
            if not searchable and progress is not None and progress["phase"] == "merge":
                searchable = time.monotonic() - begun
            is_looking = progress is None or progress["phase"] == "walk"  # for what changes from now on
            if is_looking and status.get("indexed_files") and status["state"] == "ready":
                break
        whole = time.monotonic() - begun
        symbols = None
        if structure:
            for now in poll(server, "get_status"):
                if now["structure"]["state"] == "ready":
                    break
            symbols = time.monotonic() - begun
        peak = read_memory(server.process_id)["VmHWM"] / MEGABYTE
    return Started(
        searchable or whole, whole, symbols, peak, status["indexed_files"], status.get("origin") or ""
    )


def poll(server: Peer, tool: str) -> Iterator[dict[str, Any]]:
    """Yield the answers of a status tool, one call after the other."""
    while True:
        yield read_status(server, tool)
        time.sleep(POLL_SECONDS)


def measure_disk(
    data: Path, known: frozenset[tuple[int, int]] = frozenset()
) -> tuple[int, frozenset[tuple[int, int]]]:
    """Return the bytes of the files whose inodes are not known yet, and the inodes of all files."""
    found = {(one.st_dev, one.st_ino): one.st_size for one in map(os.lstat, iter_files(data))}
    return sum(size for file, size in found.items() if file not in known), frozenset(found)


def iter_files(place: Path) -> Iterator[str]:
    """Yield every file below a directory."""
    for directory, _, names in os.walk(place):
        yield from (os.path.join(directory, name) for name in names)


def run_command(*arguments: str) -> tuple[float, float]:
    """Run one of our commands; return its seconds and the peak memory of all its processes, in megabytes."""
    done = run_and_watch([sys.executable, "-c", COMMAND, *arguments])
    return done.wall_seconds, done.peak_mb


def prepare(tree: Path, scratch: Path) -> tuple[Path, Path, Path, list[Path]]:
    """Make the three checkouts; in the second some files are changed. Returns all three, and those files."""
    first, second, third = (scratch / name for name in ("first", "second", "third"))
    shutil.copytree(tree, first, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    git(first, "init", "-q")
    all_files = () if (tree / ".git").exists() else ("-f",)  # even what it ignores: as a package has them
    git(first, "add", "-A", *all_files)
    git(first, "commit", "-q", "-m", "all")
    git(first, "worktree", "add", "-q", "--detach", str(second))
    git(scratch, "clone", "-q", str(first), str(third))
    paths = sorted(os.path.relpath(path, second) for path in iter_files(second))
    changed = choose_edited([path for path in paths if path.endswith(CHANGED)])
    Edits(second, changed).edit()
    return first, second, third, [second / path for path in changed]


CHANGED = (".py", ".c", ".h", ".go", ".rs", ".js", ".ts", ".java", ".rb", ".cs", ".md", ".txt", ".rst")


def measure(tree: Path, scratch: Path, *, structure: bool) -> dict[str, object]:
    """Measure everything, and report progress on standard error."""
    tell("copying and committing the tree")
    first, second, third, changed = prepare(tree, scratch)
    data = scratch / "data"
    tell("building the first index")
    built = start_once(first, data, structure=structure)
    size, inodes = measure_disk(data)
    tell("beginning in the second work tree")
    walk, reading = time_plain_walk(second), time_plain_reading(second)
    sibling = start_once(second, data, structure=structure)
    own, _ = measure_disk(data, inodes)
    parsing = time_parsing(changed) if structure else 0.0
    tell("beginning in a copy without Git")
    copy = shutil.copytree(second, scratch / "copy", symlinks=True, ignore=shutil.ignore_patterns(".git"))
    named = start_once(copy, data, "--index-from", str(first), structure=structure)
    tell("packing, and beginning with the pack")
    pack = scratch / "tree.pack"
    more = ("--structure",) if structure else ()
    packing, _ = run_command(
        "index", "--repo-root", str(first), "--data-dir", str(data), *more, "--pack", str(pack)
    )
    clone = ("index", "--repo-root", str(third), "--data-dir", str(scratch / "cloned"), "--no-siblings")
    opened, opened_mb = run_command(*clone, "--from-pack", str(pack))
    return {
        "files": built.files,
        "walk_s": walk,
        "reading_s": reading,
        "built": asdict(built),
        "sibling": asdict(sibling),
        "parsing_s": parsing,
        "without_git": asdict(named),
        "index_mb": size / MEGABYTE,
        "second_mb": own / MEGABYTE,
        "packing_s": packing,
        "pack_mb": pack.stat().st_size / MEGABYTE,
        "from_pack_s": opened,
        "from_pack_mb": opened_mb,
        "third_reading_s": time_plain_reading(third),
    }


def time_parsing(files: Sequence[Path]) -> float:
    """Return the seconds that one running parser process takes for those files that have a parser."""
    found = ((file, find_parser_task(file.name, find_language(file.name).name)) for file in files)
    tasks = [(task, file) for file, task in found if task is not None]
    requests = [(task, encode_request(file.name, file.read_bytes())) for task, file in tasks]
    with closing(BatchParser()) as parser:
        parser.parse([(task, encode_request("", b"\n")) for task, _ in tasks])
        started = time.perf_counter()
        parser.parse(requests)
        return time.perf_counter() - started


def tell(what: str) -> None:
    """Say on standard error what is being done."""
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def render(found: dict[str, Any]) -> list[str]:
    """Return the table of goals, in Markdown."""
    built, sibling, named = found["built"], found["sibling"], found["without_git"]
    walk, reading = found["walk_s"], found["reading_s"]
    rows = [
        (
            "files; plain walk with stat; reading all",
            "",
            f"{found['files']:,}; {walk:.2f} s; {reading:.2f} s",
        ),
        ("build: searchable; merged", "", f"{built['searchable_s']:.2f} s; {built['whole_s']:.2f} s"),
        ("second work tree, 20 files changed: whole", "", f"{sibling['whole_s']:.2f} s"),
        *_rate("times (walk + stat), Git's index usable", sibling["whole_s"] / walk, 3.0),
        *_rate("of the build, times faster", built["whole_s"] / sibling["whole_s"], 10.0, least=True),
        ("the same without Git, contents compared", "", f"{named['whole_s']:.2f} s"),
        *_rate("times (walk + stat + reading)", named["whole_s"] / (walk + reading), 2.0),
        *_rate("disk of the second, % of the first", 100 * found["second_mb"] / found["index_mb"], 5.0),
        *_rate("pack, times the index", found["pack_mb"] / found["index_mb"], 1.0),
        (
            "packed; index begun with the pack",
            "",
            f"{found['packing_s']:.2f} s; {found['from_pack_s']:.2f} s",
        ),
        *_rate(
            "opened and confirmed, s beside reading", found["from_pack_s"] - found["third_reading_s"], 2.0
        ),
        *_rate("memory of the server in the second, MB", sibling["peak_mb"], 300.0),
        *_rate("memory without Git, MB", named["peak_mb"], 300.0),
        *_rate("memory of the command with the pack, MB", found["from_pack_mb"], 300.0),
    ]
    if sibling["structure_s"] is not None:
        symbols = f"{built['structure_s']:.2f} s; {sibling['structure_s']:.2f} s"
        parsing = found["parsing_s"]
        rows.append(("symbols known: built; in the second", "", symbols))
        rows.append(("of it, to parse the changed files", "", f"{parsing:.2f} s"))
        rows += _rate("times (walk + stat), without parsing", (sibling["structure_s"] - parsing) / walk, 3.0)
        rows += _rate("times faster", built["structure_s"] / sibling["structure_s"], 10.0, least=True)
    rows.append(("where the second came from", "", sibling["origin"]))
    return ["| what | goal | measured |", "|---|---|--:|", *(f"| {' | '.join(row)} |" for row in rows)]


def _rate(what: str, value: float, goal: float, *, least: bool = False) -> list[tuple[str, str, str]]:
    """Return a row of a goal, which says whether it was reached."""
    is_met = value >= goal if least else value <= goal
    sign = "at least" if least else "at most"
    return [(what, f"{sign} {goal:g}", f"{value:.2f}{'' if is_met else ' (missed)'}")]


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.checkouts", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--scratch", type=Path, help="where checkouts and indexes lie meanwhile")
    parser.add_argument("--structure", action="store_true", help="symbols as well: minutes on a large tree")
    parser.add_argument("--out", type=Path, help="a JSON file for all figures")
    given = parser.parse_args(arguments)
    if given.scratch is not None:
        given.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=given.scratch) as scratch:
        found = measure(given.tree.resolve(), Path(scratch).resolve(), structure=given.structure)
        print("\n".join(render(found)), flush=True)  # removing four trees takes minutes
        if given.out is not None:
            given.out.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
