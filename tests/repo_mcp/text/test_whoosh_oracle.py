"""Whoosh's own Searcher over the same units gives the same hits and scores as ours.

The corpus is a part of the standard library that runs this test. Whoosh gets each unit as plain
text in four fields and analyses it by itself, so the inversion, the statistics and the scores are
all compared. Its in-memory codec keeps exact field lengths; the others round them to a byte.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from whoosh.codec.memory import MemoryCodec
from whoosh.fields import ID, TEXT, Schema
from whoosh.query import Or, Term
from whoosh.searching import Searcher as WhooshSearcher

from index_format import IndexWriter, MemoryDirectory, Snapshot, compute_fingerprint, write_segment
from repo_mcp.indexing.shards.segment_builder import SegmentBuilder, SourceFile, cut_file
from repo_mcp.languages.patterns.landmarks import scan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import FIELD_WEIGHTS, MODEL
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.text.analysis import ANALYSER, analyse_text
from repo_mcp.text.lines import decode_source, split_lines
from repo_mcp.text.schema import FIELDS
from tests.deep.sizes import IS_DEEP, choose, first
from tests.repo_mcp.ranking.plain_search import score_units

LIBRARY = Path(asyncio.__file__).parent.parent
PACKAGES = ("asyncio", "email", "json", "logging", "concurrent")
TOP = 20
QUERIES = choose(20, 200)
SEGMENTS = 3


def read_sources(packages: tuple[str, ...] = PACKAGES) -> list[SourceFile]:
    paths = sorted(
        path.relative_to(LIBRARY).as_posix()
        for package in packages
        for path in (LIBRARY / package).rglob("*.py")
    )
    sources = []
    for path in sorted(paths, key=str.encode):
        raw = (LIBRARY / path).read_bytes()
        sources.append(
            SourceFile(
                path, decode_source(raw).data, len(raw), compute_fingerprint(raw), find_language(path), 0
            )
        )
    return sources


def open_index(sources: list[SourceFile], segments: int) -> Searcher:
    directory = MemoryDirectory()
    with IndexWriter(directory, "test", FIELDS) as writer:
        for number in range(segments):
            builder = SegmentBuilder(200, 30)
            for source in sources[number::segments]:
                builder.add(source)
            writer.add(write_segment(directory, writer.reserve_temporary(), *builder.build()))
        writer.commit()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return Searcher(snapshot)


def iter_unit_texts(source: SourceFile) -> Iterator[dict[str, str]]:
    """Yield each unit's text by field, cut by lines and spans alone."""
    landmarks = scan(source.language, source.data)
    body, doc, symbol = (bytearray(re.sub(rb"[^\n]", b" ", source.data)) for _ in range(3))
    body[:] = source.data
    for start, end in landmarks.doc_spans:
        doc[start:end] = source.data[start:end]
        body[start:end] = re.sub(rb"[^\n]", b" ", source.data[start:end])
    for start, end in landmarks.definitions:
        symbol[start:end] = source.data[start:end]
    texts = {"body": body, "doc": doc, "symbol": symbol}
    lines = {name: split_lines(bytes(text)) for name, text in texts.items()}
    first = 0
    cut = cut_file(source, landmarks, len(lines["body"]), 200, 30)
    for size in cut.unit_lines:
        unit = {name: b"\n".join(rows[first : first + size]).decode() for name, rows in lines.items()}
        yield {**unit, "path": source.path}
        first += size


def open_whoosh(sources: list[SourceFile]) -> WhooshSearcher:
    field = TEXT(analyzer=ANALYSER, phrase=False)
    schema = Schema(key=ID(stored=True), **dict.fromkeys(FIELD_WEIGHTS, field))
    codec = MemoryCodec()
    writer = codec.writer(schema)
    for source in sources:
        for number, unit in enumerate(iter_unit_texts(source)):
            writer.add_document(key=f"{source.path}#{number}", **unit)
    writer.commit()
    return WhooshSearcher(codec.reader(schema), weighting=MODEL)


def search_whoosh(searcher: WhooshSearcher, terms: list[str]) -> list[tuple[str, float]]:
    """Return every match with its score, best first."""
    scores: dict[str, float] = {}
    for name, weight in FIELD_WEIGHTS.items():
        query = Or([Term(name, term) for term in terms])
        for hit in searcher.search(query, limit=None):
            scores[hit["key"]] = scores.get(hit["key"], 0.0) + weight * hit.score
    return sorted(scores.items(), key=lambda pair: -pair[1])


def search_ours(searcher: Searcher, terms: list[str]) -> dict[str, float]:
    """Return every match with its score, before rounding."""
    found = {}
    for matches, segment in zip(
        score_units(searcher, Query(terms=terms)), searcher.snapshot.segments, strict=True
    ):
        files = segment.reader.files
        for unit, score in zip(matches.units.tolist(), matches.scores.tolist(), strict=True):
            file = int(files.find_files_of(np.array([unit]))[0])
            found[f"{files.read_path(file)}#{unit - int(files.first_units[file])}"] = score
    return found


def choose_queries(sources: list[SourceFile]) -> list[str]:
    """Draw words, pairs and questions from the corpus itself, rare and common ones."""
    words = re.findall(r"\w+", " ".join(source.data.decode() for source in sources))
    draw = random.Random(20)
    return [" ".join(draw.choices(words, k=draw.choice([1, 1, 2, 4, 6]))) for _ in range(QUERIES)]


@pytest.mark.sized
@pytest.mark.parametrize("segments", first(1, [SEGMENTS, 1]))
def test_same_hits_and_scores_as_whoosh(segments: int) -> None:
    sources = read_sources(PACKAGES if IS_DEEP else PACKAGES[2:])
    ours, whoosh = open_index(sources, segments), open_whoosh(sources)
    compared = 0
    for text in choose_queries(sources):
        terms = list(dict.fromkeys(analyse_text(text)))
        wanted = search_whoosh(whoosh, terms)
        found = search_ours(ours, terms)
        assert found.keys() == dict(wanted).keys()
        top = sorted(found.values(), reverse=True)[:TOP]
        assert top == pytest.approx([score for _, score in wanted[:TOP]], abs=1e-9)
        for key, score in wanted[:TOP]:
            assert found[key] == pytest.approx(score, abs=1e-9)
        compared += len(wanted[:TOP])
    assert compared > QUERIES
