"""A slow, plain model of an index, and segments built from it: the oracle of the format's tests.

A model file is a list of units, a unit a mapping of (field, term) to term frequency.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from index_format import (
    ChunkTable,
    Directory,
    Field,
    FileTable,
    Level,
    PostingRun,
    SegmentContent,
    SegmentEntry,
    Snapshot,
    UnitTable,
    build_term_text,
    number_languages,
    write_segment,
)

FIELDS = (Field("body", Level.UNIT), Field("path", Level.FILE), Field("symbol", Level.UNIT))
BODY, PATH, SYMBOL = range(3)
Unit = Mapping[tuple[int, bytes], int]
ModelFile = tuple[Unit, ...]  # PATH counts stand in the first unit
Model = dict[str, ModelFile]


def get_fingerprint(units: ModelFile) -> bytes:
    """Sixteen bytes that stand for the content."""
    return hashlib.blake2b(repr(units).encode(), digest_size=16).digest()


def build_content(model: Model, records: Mapping[str, bytes] | None = None) -> SegmentContent:
    """Return the tables of a segment that holds the model, and records by path."""
    paths = sorted(model, key=str.encode)
    units = [unit for path in paths for unit in model[path]]
    language_names, languages = number_languages(["even" if len(path) % 2 else "odd" for path in paths])
    counts = np.array([len(model[path]) for path in paths], dtype=np.int64)
    chunk_counts = np.minimum(counts, 1)
    return SegmentContent(
        FIELDS,
        FileTable(
            [path.encode() for path in paths],
            b"".join(get_fingerprint(model[path]) for path in paths),
            counts * 100,
            languages,
            counts % 3,
            counts * 7,
            counts,
            chunk_counts,
            language_names,
        ),
        UnitTable(np.full(len(units), 7), np.array([len(unit) for unit in units], dtype=np.int64)),
        ChunkTable(
            np.zeros(int(chunk_counts.sum()), dtype=np.int64),
            counts[counts > 0],
            np.zeros(int(chunk_counts.sum()), dtype=np.int64),
        ),
        [
            np.array([_sum_field(unit, BODY) for unit in units], dtype=np.int64),
            np.array([sum(_sum_field(unit, PATH) for unit in model[path]) for path in paths], dtype=np.int64),
            np.array([_sum_field(unit, SYMBOL) for unit in units], dtype=np.int64),
        ],
        None if records is None else [records[path] for path in paths],
    )


def _sum_field(unit: Unit, field: int) -> int:
    return sum(count for (own, _), count in unit.items() if own == field)


def list_postings(model: Model) -> dict[tuple[bytes, int], dict[int, int]]:
    """Return the postings: (term, field) -> doc id -> term frequency."""
    found: dict[tuple[bytes, int], dict[int, int]] = {}
    doc = 0
    for file, path in enumerate(sorted(model, key=str.encode)):
        for unit in model[path]:
            for (field, term), count in unit.items():
                docs = found.setdefault((term, field), {})
                number = file if field == PATH else doc
                docs[number] = docs.get(number, 0) + count
            doc += 1
    return found


def build_run(model: Model) -> PostingRun:
    """Return the posting lists of the model."""
    postings = list_postings(model)
    keys = sorted(postings)
    terms = sorted({term for term, _ in keys})
    return PostingRun(
        build_term_text(terms),
        np.array([terms.index(term) for term, _ in keys], dtype=np.int64),
        np.array([field for _, field in keys], dtype=np.int64),
        np.array([len(postings[key]) for key in keys], dtype=np.int64),
        np.array([doc for key in keys for doc in sorted(postings[key])], dtype=np.int64),
        np.array([postings[key][doc] for key in keys for doc in sorted(postings[key])], dtype=np.int64),
    )


def write_model(
    directory: Directory, model: Model, temporary: str = "model", records: Mapping[str, bytes] | None = None
) -> SegmentEntry:
    """Write one segment that holds the model."""
    return write_segment(directory, temporary, build_content(model, records), build_run(model))


def read_model(snapshot: Snapshot) -> dict[str, dict[tuple[bytes, int], dict[int, int]]]:
    """Return what is live: path -> (term, field) -> unit within the file (0 for PATH) -> term frequency."""
    found: dict[str, dict[tuple[bytes, int], dict[int, int]]] = {}
    for segment in snapshot.segments:
        reader = segment.reader
        firsts = reader.files.first_units
        live = segment.live_file_mask
        paths = [path.decode() for path in reader.files.iter_paths()]
        found.update({path: {} for path, alive in zip(paths, live, strict=True) if alive})
        for run in reader.postings.iter_runs(50):
            ends, terms = np.cumsum(run.frequencies), run.terms.split()
            for position, (term, field) in enumerate(zip(run.list_terms, run.list_fields, strict=True)):
                span = slice(int(ends[position] - run.frequencies[position]), int(ends[position]))
                for doc, count in zip(run.docs[span], run.term_frequencies[span], strict=True):
                    file = int(doc) if field == PATH else int(reader.files.find_files_of(np.array([doc]))[0])
                    if live[file]:
                        within = 0 if field == PATH else int(doc - firsts[file])
                        lists = found[paths[file]].setdefault((terms[term], int(field)), {})
                        lists[within] = lists.get(within, 0) + int(count)
    return found


def expect_model(model: Model) -> dict[str, dict[tuple[bytes, int], dict[int, int]]]:
    """Return what `read_model` must find for a model."""
    return {path: list_postings({path: units}) for path, units in model.items()}
