"""Turns precise records into the content of one segment: the meanings and added names of each file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from index_format import FIELD_BITS, Occurrences, PostingRun, SegmentContent, build_term_text
from repo_mcp.indexing.derived.content import build_content
from repo_mcp.indexing.shards.segment_builder import build_run
from repo_mcp.record_classes import dataclass
from repo_mcp.symbol_index.precise_record import DEFINES, NAMES, PRECISE_FIELDS


@dataclass(frozen=True, slots=True)
class PreciseFile:
    """One file and its precise record."""

    path: str
    fingerprint: bytes
    size: int  # bytes of the source file
    language: str
    record: bytes
    meanings: frozenset[bytes]  # that it declares
    names: frozenset[str]  # of references that our parser did not find


def build_segment(files: Sequence[PreciseFile]) -> tuple[SegmentContent, PostingRun]:
    """Return the content and the posting lists of a segment of one or more files."""
    files = sorted(files, key=lambda file: file.path.encode())
    found = sorted(
        {(one.hex().encode(), DEFINES, doc) for doc, file in enumerate(files) for one in file.meanings}
        | {(one.encode(), NAMES, doc) for doc, file in enumerate(files) for one in file.names}
    )
    terms = sorted({term for term, _, _ in found})
    numbers = {term: number for number, term in enumerate(terms)}
    occurrences = Occurrences(len(found), len(terms) << FIELD_BITS, len(files), 1)
    lists = np.array([numbers[term] << FIELD_BITS | field for term, field, _ in found], dtype=np.int64)
    docs = np.array([doc for _, _, doc in found], dtype=np.int64)
    occurrences.add(lists, docs, np.ones_like(docs))
    lengths = [np.zeros(len(files), dtype=np.int64) for _ in PRECISE_FIELDS]
    run = build_run(build_term_text(terms), occurrences, lengths)
    return build_content(PRECISE_FIELDS, files, [one.record for one in files], lengths), run
