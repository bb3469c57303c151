"""The vectors of a root's chunks, in segments of the same format as the lexical index.

The record of a file is the vectors of its chunks, concatenated, each with one signed byte per dimension of
the model. The index has no fields, units and chunks of its own: a file's chunks are those of the same version
in the lexical index, and a record counts only while that index holds this version.

The nearest chunks are found exactly, by comparing every vector. A product of two vectors is below 2**24, so
float32 sums it without rounding, in any order; the resulting cosine is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from index_format import (
    CorruptIndex,
    Field,
    LiveSegment,
    PostingRun,
    SegmentContent,
    Snapshot,
    build_term_text,
    spread_runs,
)
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.indexing.derived.content import build_content
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.record_classes import dataclass
from repo_mcp.semantic.model_folder import I8

VERSION = 1  # version of the content of a record
NO_FIELDS: tuple[Field, ...] = ()
BLOCK_BYTES = 4 * 1024 * 1024  # bytes of vectors compared at once: four times that as float32
ELSEWHERE = -1  # marks a file that the lexical index lacks, or has in another version


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """One file and the vectors of its chunks, concatenated."""

    path: str
    fingerprint: bytes
    size: int  # bytes of the source file
    language: str
    vectors: bytes


def build_segment(files: Sequence[EmbeddedFile]) -> tuple[SegmentContent, PostingRun]:
    """Return the content of a segment of one or more files; it has no posting lists."""
    files = sorted(files, key=lambda file: file.path.encode())
    none = np.zeros(0, dtype=np.int64)
    content = build_content(NO_FIELDS, files, [file.vectors for file in files])
    return content, PostingRun(build_term_text([]), none, none, none, none, none)


@dataclass(frozen=True, slots=True)
class NearChunks:
    """Chunks of one lexical segment, ascending, and the cosine of each."""

    chunks: I64
    cosines: F64


class VectorView:
    """The vectors of one generation next to one generation of the lexical index. Safe for several threads.

    Calls may raise IndexFormatError, OSError.
    """

    def __init__(self, snapshot: Snapshot, searcher: Searcher, dimensions: int) -> None:
        self.snapshot = snapshot
        self.searcher = searcher
        self._dimensions = dimensions
        counts = [part.reader.chunks.chunks for part in searcher.segments]
        self._bases = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        known = KnownFiles(searcher.snapshot)
        self._rows = [self._find_rows(segment, known) for segment in snapshot.segments]

    def _find_rows(self, segment: LiveSegment, known: KnownFiles) -> I64:
        """Return, per vector of a segment, its chunk, counted over all lexical segments, or ELSEWHERE."""
        positions = {one.name: position for position, one in enumerate(self.searcher.snapshot.segments)}
        sizes = np.diff(segment.reader.records.ends, prepend=0)
        if (sizes % self._dimensions).any():
            raise CorruptIndex(f"{segment.name}: RECS: a record that is not of whole vectors")
        vectors = sizes // self._dimensions
        firsts = np.full(len(vectors), ELSEWHERE, dtype=np.int64)
        files = segment.reader.files
        for file in np.flatnonzero(segment.live_file_mask & (vectors > 0)).tolist():
            path = files.read_path(file)
            position = known.find(path)
            fingerprint = files.take_fingerprints(np.array([file]))[0]
            if position is None or known.find_fingerprint(path) != fingerprint:
                continue
            part = self.searcher.segments[positions[position.segment]]
            first, end = part.reader.files.first_chunks[position.file : position.file + 2].tolist()
            if end - first == int(vectors[file]):
                firsts[file] = self._bases[part.position] + first
        rows = spread_runs(firsts, vectors)
        rows[np.repeat(firsts == ELSEWHERE, vectors)] = ELSEWHERE
        return rows

    @property
    def chunk_count(self) -> int:
        """Return the number of chunks that have a vector."""
        return sum(int(np.count_nonzero(rows != ELSEWHERE)) for rows in self._rows)

    def find_nearest(self, vector: I8, masks: Sequence[Mask | None], count: int) -> list[NearChunks]:
        """Return the `count` chunks nearest to a vector, split by lexical segment; ties by path, then line.

        The search is exact. Chunks without a positive cosine are left out.
        `masks` has one mask of units per lexical segment (None: all); a chunk needs at least one of them.
        """
        wanted = self._join_masks(masks)
        chunks, cosines = np.zeros(0, dtype=np.int64), np.zeros(0)
        for segment, rows in zip(self.snapshot.segments, self._rows, strict=True):
            for start, data in segment.reader.records.iter_blocks(self._dimensions, BLOCK_BYTES):
                own = rows[start : start + len(data) // self._dimensions]
                near = compare(vector, np.frombuffer(data, dtype=np.int8).reshape(len(own), -1))
                kept = np.flatnonzero((own != ELSEWHERE) & (near > 0.0))
                if wanted is not None:
                    kept = kept[wanted[own[kept]]]
                chunks = np.concatenate([chunks, own[kept]])
                cosines = np.concatenate([cosines, near[kept]])
                if len(chunks) > count:
                    best = cosines >= np.partition(cosines, len(cosines) - count)[len(cosines) - count]
                    chunks, cosines = chunks[best], cosines[best]
        return self._split(*self._cut(chunks, cosines, count))

    def _join_masks(self, masks: Sequence[Mask | None]) -> Mask | None:
        """Return a mask of the chunks, over all lexical segments, that hold a wanted unit; None: all."""
        if all(mask is None for mask in masks):
            return None
        joined = np.zeros(int(self._bases[-1]), dtype=np.bool_)
        for part, mask, base in zip(self.searcher.segments, masks, self._bases.tolist(), strict=False):
            units = np.arange(part.reader.unit_count) if mask is None else np.flatnonzero(mask)
            joined[base + part.find_chunks(units)] = True
        return joined

    def _cut(self, chunks: I64, cosines: F64, count: int) -> tuple[I64, F64]:
        """Return the best `count`; ties at the cut go to the first paths and lines."""
        if len(chunks) <= count:
            return chunks, cosines
        last = float(cosines.min())
        ties = np.flatnonzero(cosines == last).tolist()
        ties.sort(key=lambda row: (self._find_path(int(chunks[row])).encode(), int(chunks[row])))
        kept = cosines > last
        kept[ties[: count - int(np.count_nonzero(kept))]] = True
        return chunks[kept], cosines[kept]

    def _find_path(self, chunk: int) -> str:
        position = int(np.searchsorted(self._bases, chunk, side="right")) - 1
        firsts = self.searcher.segments[position].reader.files.first_chunks
        file = int(np.searchsorted(firsts, chunk - int(self._bases[position]), side="right")) - 1
        return self.searcher.read_path(position, file)

    def _split(self, chunks: I64, cosines: F64) -> list[NearChunks]:
        """Return the chunks and cosines split by lexical segment."""
        order = np.argsort(chunks)
        chunks, cosines = chunks[order], cosines[order]
        edges = np.searchsorted(chunks, self._bases)
        return [
            NearChunks(chunks[start:end] - base, cosines[start:end])
            for (start, end), base in zip(pairwise(edges.tolist()), self._bases.tolist(), strict=False)
        ]


def compare(vector: I8, rows: I8) -> F64:
    """Return the cosine, float64, of a vector with each of some rows; 0 where either is all zeros."""
    wide = rows.astype(np.float32)
    own = vector.astype(np.float32)
    # Not by BLAS, whose threads would wait for each other.
    products = np.einsum("ij,j->i", wide, own).astype(np.float64)
    squares = np.einsum("ij,ij->i", wide, wide).astype(np.float64) * float(own @ own)
    squares[squares == 0.0] = 1.0
    cosines: F64 = np.round(products / np.sqrt(squares), DECIMALS)
    return cosines
