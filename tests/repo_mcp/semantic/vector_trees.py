"""A tree with an index, and vectors for its chunks that a test chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from index_format import DiskDirectory, IndexWriter, Snapshot, write_segment
from repo_mcp.config.server_config import Config
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.repository import Repository
from repo_mcp.semantic.vector_index import NO_FIELDS, EmbeddedFile, VectorView, build_segment

DIMENSIONS = 8
LINES = 450  # of a file without declarations: chunks 1-200, 171-370, 341-450


def open_searcher(root: Path, data: Path) -> Searcher:
    """Open the searcher of a tree whose index is up to date."""
    repository = Repository(Config(str(root), data_dir=str(data)))
    repository.refresh()
    searcher = repository._index.get_searcher()
    repository.close()
    return searcher


def list_chunks(searcher: Searcher) -> dict[str, list[tuple[int, int]]]:
    """Return the first and last line of each chunk of each file."""
    return {
        segment.reader.files.read_path(file): [
            (one.start_line, one.end_line) for one in segment.reader.read_spans(file)
        ]
        for segment, file in searcher.snapshot.iter_live_files()
    }


def make_vectors(searcher: Searcher, seed: int) -> dict[str, np.ndarray]:
    """Return random vectors for every chunk, of so few different numbers that some scores are equal."""
    random = np.random.default_rng(seed)
    return {
        path: random.integers(-2, 3, (len(chunks), DIMENSIONS)).astype(np.int8)
        for path, chunks in list_chunks(searcher).items()
    }


def write_vectors(
    directory: Path,
    searcher: Searcher,
    vectors: Mapping[str, np.ndarray],
    groups: Sequence[Sequence[str]],
    prints: Mapping[str, bytes] | None = None,
) -> VectorView:
    """Write the vectors as an index of a segment for each group of paths. `prints` are not the tree's own."""
    known = KnownFiles(searcher.snapshot)
    disk = DiskDirectory(str(directory), create=True)
    with IndexWriter(disk, "test", NO_FIELDS) as writer:
        for group in groups:
            files = [
                EmbeddedFile(
                    path,
                    (prints or {}).get(path) or known.find_fingerprint(path) or bytes(16),
                    10,
                    "python",
                    vectors[path].tobytes(),
                )
                for path in group
            ]
            writer.add(write_segment(disk, writer.reserve_temporary(), *build_segment(files)))
        writer.commit()
    snapshot = Snapshot.open(disk)
    assert snapshot is not None
    return VectorView(snapshot, searcher, DIMENSIONS)


def compute_cosine(one: np.ndarray, other: np.ndarray) -> float:
    """Compute the cosine in double precision, by its definition."""
    a, b = one.astype(float), other.astype(float)
    length = float(np.sqrt((a @ a) * (b @ b)))
    return round(float(a @ b) / length, 6) if length else 0.0
