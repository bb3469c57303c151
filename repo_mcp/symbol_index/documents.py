"""Turns symbol records into the content of one segment: names that files declare and use, and the records.

The columns and strings of all records are handled at once, the strings as spans of one text: each distinct
name becomes a term once, however many files have it, and posting lists come from one sort.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from index_format import (
    FIELD_BITS,
    Occurrences,
    PostingRun,
    SegmentContent,
    TermText,
    gather_spans,
    join_term_texts,
    rank_spans,
    rank_terms,
    sort_distinct,
    spread_runs,
)
from repo_mcp.arrays import I64
from repo_mcp.indexing.derived.content import build_content
from repo_mcp.indexing.shards.segment_builder import build_run
from repo_mcp.record_classes import dataclass
from repo_mcp.symbol_index.record_columns import RecordColumns
from repo_mcp.symbol_index.schema import DECLARES, MAX_NAME_BYTES, MODULES, PARTS, SYMBOL_FIELDS, USES
from repo_mcp.symbols.symbol_record import (
    HEADER,
    NAMES,
    REF_ALIASES,
    REF_NAMES,
    REF_QUALIFIERS,
    REF_ROLES,
    ParseStatus,
    ReferenceRole,
)
from repo_mcp.text.analysis import WordTerms, analyse_text, analyse_words
from repo_mcp.text.spans import PADDING, Spans, join_spans

_LINE_FEED = 0x0A
STRING_WEIGHT = 3
NAME_WEIGHT = 4
CACHED_NAMES = 4_096  # names that are not plain words, mostly file names: `models.py` occurs in every segment
_NAME_BITS = 32
_IMPORT, _EXPORT, _BIND = int(ReferenceRole.IMPORT), int(ReferenceRole.EXPORT), int(ReferenceRole.BIND)
_IS_WORD_BYTE = np.array([byte > 0x7F or byte == 0x5F or chr(byte).isalnum() for byte in range(256)])


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One file and its record, already validated."""

    path: str
    fingerprint: bytes
    size: int  # bytes of the source file
    language: str
    record: bytes

    @property
    def status(self) -> ParseStatus:
        """Return how much of the file was understood."""
        return ParseStatus(self.record[1])

    @property
    def weight(self) -> int:
        """Return the bytes that the file adds to a segment's work; strings take many times their size."""
        counts: tuple[int, ...] = HEADER.unpack_from(self.record)
        symbols, references, strings = counts[-3:]
        return len(self.record) + STRING_WEIGHT * strings + NAME_WEIGHT * (symbols + references) + 500


def build_segment(files: Sequence[ParsedFile]) -> tuple[SegmentContent, PostingRun]:
    """Return the content and the posting lists of a segment of one or more files."""
    files = sorted(files, key=lambda file: file.path.encode())
    terms, occurrences = _list_terms(files)
    lengths = [np.zeros(len(files), dtype=np.int64) for _ in SYMBOL_FIELDS]
    run = build_run(terms, occurrences, lengths)
    records, flags = [file.record for file in files], [int(file.status) for file in files]
    return build_content(SYMBOL_FIELDS, files, records, lengths, flags), run


@dataclass(frozen=True, slots=True)
class _Names:
    """Names, numbered in byte order, and their occurrences."""

    texts: TermText
    fields: Mapping[int, tuple[I64, I64]]  # for DECLARES, USES, MODULES: names and files, with repetitions


def _list_terms(files: Sequence[ParsedFile]) -> tuple[TermText, Occurrences]:
    """Return the terms in byte order, and every occurrence; a list number is (term position, field)."""
    names = _find_names(files)
    named, owners = _find_distinct(*names.fields[DECLARES])
    declared, ordinals = np.unique(named, return_inverse=True)
    analysed = _analyse(names.texts.gather(declared))
    bounds = np.searchsorted(analysed.words, np.arange(len(declared) + 1))
    repeats = np.diff(bounds)[ordinals]
    rows = spread_runs(bounds[ordinals], repeats)
    parts = gather_spans(analysed.texts.padded, analysed.texts.starts, analysed.texts.sizes)
    joined = join_term_texts([names.texts, parts])
    ranks, firsts = rank_terms(joined)
    count = len(rows) + sum(len(one) for one, _ in names.fields.values())
    occurrences = Occurrences(count, len(firsts) << FIELD_BITS, len(files), 1)
    for field, (own, docs) in names.fields.items():
        occurrences.add(ranks[own] << FIELD_BITS | field, docs, np.ones_like(docs))
    lists = ranks[len(names.texts) + analysed.terms[rows]] << FIELD_BITS | PARTS
    occurrences.add(lists, owners, np.ones_like(owners), repeats)
    return joined.gather(firsts), occurrences


def _find_names(files: Sequence[ParsedFile]) -> _Names:
    """Return the names of all fields except `parts`, without empty and overlong ones."""
    columns = RecordColumns([file.record for file in files])
    texts = [file.record[start:] for file, start in zip(files, columns.text_starts, strict=True)]
    text = b"\n".join(texts) + b"\n"
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _LINE_FEED)
    starts = np.concatenate([[0], ends[:-1] + 1])
    counts = np.array([one.count(b"\n") + 1 for one in texts], dtype=np.int64)
    firsts = np.cumsum(counts) - counts
    sizes = ends - starts
    is_name = (sizes > 0) & (sizes <= MAX_NAME_BYTES)
    spans: dict[int, tuple[I64, I64]] = {}
    for field, (own, docs) in _list_names(columns).items():
        strings = own + firsts[docs]
        kept = is_name[strings]
        spans[field] = (strings[kept], docs[kept])
    is_used = np.zeros(len(sizes), dtype=np.bool_)
    for strings, _ in spans.values():
        is_used[strings] = True
    used = np.flatnonzero(is_used)
    ranks, ordinals = rank_spans(text, starts[used], sizes[used])
    numbers = np.zeros(len(sizes), dtype=np.int64)
    numbers[used] = ranks
    return _Names(
        gather_spans(text, starts[used[ordinals]], sizes[used[ordinals]]),
        {field: (numbers[strings], docs) for field, (strings, docs) in spans.items()},
    )


def _list_names(columns: RecordColumns) -> dict[int, tuple[I64, I64]]:
    """Return, per field except `parts`, string numbers within their records, and the records' positions."""
    records = np.arange(len(columns.symbol_counts))
    owners = np.repeat(records, columns.reference_counts)
    roles = columns.get(REF_ROLES)
    is_used, is_elsewhere = roles != _BIND, (roles == _IMPORT) | (roles == _EXPORT)
    used = columns.get(REF_NAMES)[is_used], columns.get(REF_ALIASES)[is_elsewhere]
    return {
        DECLARES: (columns.get(NAMES).astype(np.int64), np.repeat(records, columns.symbol_counts)),
        USES: (
            np.concatenate(used, dtype=np.int64),
            np.concatenate((owners[is_used], owners[is_elsewhere])),
        ),
        MODULES: (columns.get(REF_QUALIFIERS)[is_elsewhere].astype(np.int64), owners[is_elsewhere]),
    }


def _find_distinct(names: I64, docs: I64) -> tuple[I64, I64]:
    """Return each pair of a name and a file once."""
    packed = sort_distinct(docs << _NAME_BITS | names)
    return packed & ((1 << _NAME_BITS) - 1), packed >> _NAME_BITS


def _analyse(names: TermText) -> WordTerms:
    """Return the terms of distinct names: plain words by array arithmetic, all others one by one."""
    padded = names.text + PADDING
    starts = names.starts  # computed on each access
    sizes = names.ends - 1 - starts
    is_plain = np.ones(len(names), dtype=np.bool_)
    raw = np.frombuffer(names.text, dtype=np.uint8)
    others = np.flatnonzero(~_IS_WORD_BYTE[raw] & (raw != _LINE_FEED))
    is_plain[np.searchsorted(names.ends, others, side="right")] = False
    plain = np.flatnonzero(is_plain)
    analysed = analyse_words(Spans(padded, starts, sizes).take(plain))
    rest = np.flatnonzero(~is_plain)
    more = [
        (ordinal, term.encode())
        for ordinal in rest.tolist()
        for term in _analyse_text(names[ordinal].decode("utf-8", "replace"))
    ]
    texts = join_spans([*analysed.texts.slice(), *(term for _, term in more)])
    words = np.concatenate(
        [plain[analysed.words], np.array([ordinal for ordinal, _ in more], dtype=np.int64)]
    )
    numbers = np.arange(len(more)) + len(analysed.texts.starts)
    order = np.argsort(words, kind="stable")
    return WordTerms(texts, words[order], np.concatenate([analysed.terms, numbers])[order])


@lru_cache(CACHED_NAMES)
def _analyse_text(name: str) -> tuple[str, ...]:
    """Return the terms of a name like `operator ==`: the name in lower case, and those of its words."""
    return tuple(dict.fromkeys([name.lower(), *analyse_text(name)]))
