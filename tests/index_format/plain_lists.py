"""Posting lists encoded the slow, clear way, value by value as FORMAT.md says: the oracle of the encoders.

A row holds the postings of one term by field number. A posting is (doc id, term frequency).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor

import numpy as np

from index_format import PostingRun, build_term_text
from index_format.postings import BLOCK_SHARE, EncodedLists, FieldLengths, ListTable, encode_lists
from index_format.records import I64

Posting = tuple[int, int]
Row = Mapping[int, Sequence[Posting]]
Lengths = Sequence[int]  # field length of each document


def lay_varint(value: int) -> bytes:
    """Encode seven bits a byte, the lowest first."""
    data = b""
    while value > 127:
        data += bytes([128 + value % 128])
        value //= 128
    return data + bytes([value])


def lay_gap_list(postings: Sequence[Posting]) -> bytes:
    """Encode a list by gap."""
    before = [0, *(doc for doc, _ in postings)]
    gaps = [
        4 * (doc - last) + min(count - 1, 3) for (doc, count), last in zip(postings, before, strict=False)
    ]
    rests = [count - 4 for _, count in postings if count > 3]
    return b"".join(map(lay_varint, gaps + rests))


def compute_bound(count: int, length: int, lengths: Lengths) -> int:
    """Return the bound of a block with this one posting, in doubles, operation by operation."""
    average = max(1, sum(lengths)) / len(lengths)
    tf_norm = count / (count + (1.0 + (1.0 / average) * length))
    return floor(255 * tf_norm) + 1


def compute_tf_norm(count: int, length: int, lengths: Lengths) -> Fraction:
    """Return the tf norm of a posting, without any rounding."""
    return Fraction(count) / (count + 1 + Fraction(length * len(lengths), max(1, sum(lengths))))


def lay_block_list(postings: Sequence[Posting], lengths: Lengths) -> bytes:
    """Encode a list by block over as many documents as there are lengths."""
    blocks: list[list[Posting]] = [[] for _ in range(-(-len(lengths) // 256))]
    for doc, count in postings:
        blocks[doc // 256].append((doc, count))
    bounds = [
        max((compute_bound(count, lengths[doc], lengths) for doc, count in one), default=0) for one in blocks
    ]
    halves = [min(count - 1, 15) for _, count in postings]
    halves += [0] * (len(halves) % 2)
    return b"".join(
        [
            bytes(bounds),
            bytes(len(one) % 256 for one in blocks),
            bytes(doc % 256 for doc, _ in postings),
            bytes(low + 16 * high for low, high in zip(halves[0::2], halves[1::2], strict=True)),
            *(lay_varint(count - 16) for _, count in postings if count > 15),
        ]
    )


def lay_row(row: Row, lengths: Sequence[Lengths]) -> list[bytes]:
    """Encode the lists of one term in field order; `lengths` is for each field. A single one has no bytes."""
    first = [doc for doc, _ in row[min(row)]]
    laid: list[bytes] = []
    for field, postings in sorted(row.items()):
        repeats = bool(laid) and postings == [(doc, 1) for doc in first]
        if repeats or (len(postings) == 1 and postings[0][1] == 1):
            laid.append(b"")
        elif len(postings) >= BLOCK_SHARE * -(-len(lengths[field]) // 256):
            laid.append(lay_block_list(postings, lengths[field]))
        else:
            laid.append(lay_gap_list(postings))
    return laid


def build_column(values: Sequence[int]) -> I64:
    return np.array(values, dtype=np.int64)


def list_keys(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Return (term, field) of each list in order."""
    return [(term, field) for term, row in enumerate(rows) for field in sorted(row)]


def build_run(rows: Sequence[Row]) -> PostingRun:
    """Build the lists of terms whose names are their numbers."""
    keys = list_keys(rows)
    postings = [posting for term, field in keys for posting in rows[term][field]]
    return PostingRun(
        build_term_text([b"%06d" % term for term in range(len(rows))]),
        build_column([term for term, _ in keys]),
        build_column([field for _, field in keys]),
        build_column([len(rows[term][field]) for term, field in keys]),
        build_column([doc for doc, _ in postings]),
        build_column([count for _, count in postings]),
    )


def encode_rows(rows: Sequence[Row], lengths: Sequence[Lengths]) -> EncodedLists:
    """Encode the lists with the encoder of the package."""
    return encode_lists(build_run(rows), FieldLengths([build_column(column) for column in lengths]))


def build_table(rows: Sequence[Row], encoded: EncodedLists, lengths: Sequence[Lengths]) -> ListTable:
    """Return the dictionary's entries for the lists."""
    run = build_run(rows)
    docs = build_column([len(column) for column in lengths])[run.list_fields]
    return ListTable(run.list_terms, run.frequencies, encoded.sizes, encoded.singles, docs)


def pair(found: tuple[I64, I64]) -> list[Posting]:
    """Doc ids and term frequencies as postings."""
    docs, counts = found
    return list(zip(docs.tolist(), counts.tolist(), strict=True))
