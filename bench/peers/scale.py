"""The growth of times with the tree: 10,000, 80,000 and 640,000 files made of one tree's text.

A tree smaller than the source is an even sample of it. A larger one is made of copies; in each copy
after the first, part of the compound identifiers have another name, the same everywhere in that copy.
So the vocabulary grows about as it does in real code, whole files do not repeat, and what the
commonest words cost grows with the tree.

One tree is on disk at a time. Every size is asked the queries chosen from the smallest, whose files are in
all of them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path
from zlib import crc32

from bench.engine import Indexed, TimedWalk, open_snapshot
from bench.peers import engines
from bench.peers.cutting import write_units
from bench.peers.job import Job
from bench.peers.measure import AskFigures, Bench, Effort, Say
from bench.peers.server_times import time_spawns
from bench.queries import choose_mixed
from repo_mcp.config.server_config import Limits
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.text.lines import SNIFFED_BYTES, has_binary_extension

SIZES = (10_000, 80_000, 640_000)
RENAMED_PERCENT = 45  # of the distinct compound identifiers of a copy; 8 copies have 4 times the vocabulary
SPACE_FACTOR = 2.5  # tree, shards and merged indexes, by the text
BLOCK_BYTES = 4096  # the last one of a file is half empty on average
RESERVE_BYTES = 2_000_000_000
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{5,}")
_COMPOUND = re.compile(rb"[A-Za-z0-9]_+[A-Za-z0-9]|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Growth:
    """The figures of one size."""

    files: int
    text_mb: float
    index_mb: float
    build_per_file: float  # seconds until searchable
    build_per_mb: float  # of text
    peak_mb: float
    first_seconds: float  # open and first query
    spawn_seconds: float  # from starting a server to its first search
    warm_seconds: float  # p50
    longest_list: int  # documents of the commonest term of the queries
    peer_build_per_file: float | None  # tantivy's
    peer_warm_seconds: float | None


class Renamer(dict[bytes, bytes]):
    """Words -> what they are called in one copy."""

    def __init__(self, copy: int) -> None:
        super().__init__()
        self._seed = copy

    def __missing__(self, word: bytes) -> bytes:
        drawn = crc32(word, self._seed * 0x9E3779B1 & 0xFFFFFFFF)
        renamed = self._seed > 0 and drawn % 100 < RENAMED_PERCENT and _COMPOUND.search(word) is not None
        found = self[word] = word + _spell(drawn) if renamed else word
        return found

    def rename(self, text: bytes) -> bytes:
        """Return a text with the names of this copy."""
        return _WORD.sub(lambda match: self[match[0]], text) if self._seed else text


def _spell(number: int) -> bytes:
    """Return four lower-case letters."""
    return bytes(97 + number // 26**position % 26 for position in range(4))


class SourceText:
    """The text files of a tree, to be multiplied."""

    def __init__(self, root: Path) -> None:
        limit = Limits().max_file_bytes
        self._root = root
        self._paths = []
        self._bytes = 0
        for file in TimedWalk(root)().files:
            if file.stat.size <= limit and not has_binary_extension(file.path):
                self._paths.append(file.path)
                self._bytes += file.stat.size

    def estimate_bytes(self, files: int) -> int:
        """Return the disk space in bytes that a tree of so many files needs with its indexes."""
        text = self._bytes * files // max(1, len(self._paths))
        return int(text * SPACE_FACTOR) + files * BLOCK_BYTES // 2 + RESERVE_BYTES

    def write_tree(self, position: Path, files: int) -> None:
        """Write a tree of about so many files, without binary ones."""
        for copy in count_from():
            wanted = min(files - copy * len(self._paths), len(self._paths))
            if wanted <= 0:
                return
            renamer = Renamer(copy)
            for path in _choose_evenly(self._paths, wanted):
                data = (self._root / path).read_bytes()
                if b"\0" not in data[:SNIFFED_BYTES]:
                    target = position / f"copy{copy}" / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(renamer.rename(data))


def _choose_evenly(paths: Sequence[str], wanted: int) -> Iterator[str]:
    return (paths[number * len(paths) // wanted] for number in range(wanted))


class ScaleBench:
    """Multiplies the text of a tree, and measures each size."""

    def __init__(self, source: Path, scratch: Path, effort: Effort, say: Say) -> None:
        self._source = SourceText(source)
        self._scratch = scratch
        self._effort = effort
        self._say = say
        self._queries: dict[str, list[str]] = {}

    def run(self, sizes: Sequence[int]) -> list[Growth]:
        """Measure the sizes for which there is space, in ascending order."""
        grown = []
        for files in sorted(sizes):
            needed, free = self._source.estimate_bytes(files), shutil.disk_usage(self._scratch).free
            if needed > free:
                self._say(
                    f"{files:,} files: left out, {needed / 1e9:.0f} GB needed, {free / 1e9:.0f} GB free"
                )
                continue
            position = self._scratch / str(files)
            try:
                grown.append(self._measure(Job(position / "tree", position), files))
            finally:
                shutil.rmtree(position, ignore_errors=True)
        return grown

    def _measure(self, job: Job, files: int) -> Growth:
        self._say(f"{files:,} files: making the tree")
        self._source.write_tree(job.root, files)
        bench = Bench(job, self._effort, self._say)
        built = min(
            (bench.build(engines.OURS) for _ in range(self._effort.builds)),
            key=lambda one: one.searchable_seconds,
        )
        indexed = bench.measure_ours()
        self._queries = self._queries or choose_mixed(indexed)
        job.write_queries(self._queries)
        ours = self._ask(bench, engines.OURS)
        question = next(text for texts in self._queries.values() for text in texts)
        spawns = time_spawns(job, job.find_place(engines.OURS), question, self._effort.spawns)
        peer_build = peer_warm = None
        if engines.is_installed(engines.ENGINES[engines.TANTIVY]):
            write_units(indexed.index_path, job.units)
            peer_build = bench.build(engines.TANTIVY).searchable_seconds / indexed.files
            peer_warm = self._ask(bench, engines.TANTIVY).get_quantile(0.5)
        return Growth(
            files=indexed.files,
            text_mb=indexed.text_bytes / 1e6,
            index_mb=built.index_mb,
            build_per_file=built.searchable_seconds / indexed.files,
            build_per_mb=built.searchable_seconds / indexed.text_bytes * 1e6,
            peak_mb=built.peak_mb,
            first_seconds=sorted(ours.first)[len(ours.first) // 2],
            spawn_seconds=spawns.first_search,
            warm_seconds=ours.get_quantile(0.5),
            longest_list=find_longest_list(indexed, self._queries),
            peer_build_per_file=peer_build,
            peer_warm_seconds=peer_warm,
        )

    def _ask(self, bench: Bench, name: str) -> AskFigures:
        asked = [bench.ask(name) for _ in range(self._effort.asks)]
        return min(asked, key=lambda one: one.get_quantile(0.5))


def find_longest_list(indexed: Indexed, queries: dict[str, list[str]]) -> int:
    """Return the most documents that one term of the queries has in one field."""
    words = Limits().max_query_words
    terms = {term for texts in queries.values() for text in texts for term in parse_query(text, words).terms}
    snapshot = open_snapshot(indexed.index_path)
    longest = 1
    for term in sorted(terms):
        frequencies: dict[int, int] = {}
        for segment in snapshot.segments:
            for one in segment.reader.postings.find_lists(term.encode()):
                frequencies[one.field] = frequencies.get(one.field, 0) + one.frequency
        longest = max([longest, *frequencies.values()])
    snapshot.close()
    return longest
