"""The best units found by pruning are those of scoring everything: the same units, scores and ties."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from index_format import IndexWriter, MemoryDirectory, Snapshot, write_segment
from repo_mcp.index import top_units
from repo_mcp.index.documents import SegmentBuilder
from repo_mcp.index.query import Query
from repo_mcp.index.schema import FIELDS
from repo_mcp.index.scoring import DECIMALS
from repo_mcp.index.searcher import Searcher
from repo_mcp.index.segment_search import Matches
from repo_mcp.index.term_lists import GRAIN, LongList, PathList, ShortList, TermListReader, _Kept
from repo_mcp.index.top_units import Mask, TopUnits, TopUnitsFinder
from tests.repo_mcp.index.plain_search import score_units
from tests.repo_mcp.index.test_whoosh_oracle import choose_queries, read_sources

SEGMENTS = 3
COUNTS = (1, 7, 60, 1000)


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    """Three segments of different sizes, each with dead files."""
    sources = read_sources()
    directory = MemoryDirectory()
    with IndexWriter(directory, "test", FIELDS) as writer:
        for number, share in enumerate((slice(0, None, 2), slice(1, None, 4), slice(3, None, 4))):
            builder = SegmentBuilder(200, 30)
            own = sources[share]
            for source in own:
                builder.add(source)
            writer.add(write_segment(directory, writer.reserve_temporary(), *builder.build()))
            writer.mark_dead(writer.segments[number].name, list(range(number, len(own), 9)))
        writer.commit()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return Searcher(snapshot)


@pytest.fixture(params=["few units", "many units", "as it is"])
def path_taken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both ways to go over the sums, whatever the size of the tree."""
    if request.param != "as it is":
        monkeypatch.setattr(top_units, "MANY_UNITS", 0 if request.param == "many units" else 1 << 60)
        monkeypatch.setattr(top_units, "SAMPLE_BLOCKS", 1)
    return


def choose_expected(matches: Matches, count: int) -> dict[int, float]:
    """The units of a segment that must be found, by sorting all of them."""
    scores = np.round(matches.scores, DECIMALS)
    last = sorted(scores.tolist(), reverse=True)[count - 1] if len(scores) >= count else 0.0
    return {
        unit: score
        for unit, score in zip(matches.units.tolist(), scores.tolist(), strict=True)
        if score >= last
    }


def find(
    searcher: Searcher, terms: list[str], count: int, wanted: list[Mask] | None = None
) -> Iterator[TopUnits]:
    snapshot = searcher.snapshot
    reader = TermListReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    read = [reader.read(term) for term in terms]
    for place, segment in enumerate(snapshot.segments):
        finder = TopUnitsFinder(segment)
        lists = [one for term in read for one in term.segments[place]]
        for _ in range(2):  # the sums are zero again after the first time
            found = finder.find(lists, wanted[place] if wanted else None, count)
        yield found


@pytest.mark.usefixtures("path_taken")
def test_the_best_units_are_those_of_scoring_everything(searcher: Searcher) -> None:
    compared = 0
    for text in choose_queries(read_sources())[:40]:
        terms = list(dict.fromkeys(text.lower().split()))
        expected = score_units(searcher, Query(terms=terms))
        for count in COUNTS:
            for found, matches in zip(find(searcher, terms, count), expected, strict=True):
                wanted = choose_expected(matches, count)
                assert dict(zip(found.units.tolist(), found.scores.tolist(), strict=True)) == wanted
                compared += len(wanted)
    assert compared > 10_000


@pytest.mark.usefixtures("path_taken")
def test_only_wanted_units_are_found(searcher: Searcher) -> None:
    draw = np.random.default_rng(3)
    masks = [draw.random(segment.reader.unit_count) < 0.2 for segment in searcher.snapshot.segments]
    for text in ("the self return", "async def read", "email message header value"):
        expected = score_units(searcher, Query(terms=text.split()))
        found = find(searcher, text.split(), 10, masks)
        for own, matches, mask in zip(found, expected, masks, strict=True):
            wanted = choose_expected(matches.keep(mask[matches.units]), 10)
            assert len(wanted) >= 10
            assert dict(zip(own.units.tolist(), own.scores.tolist(), strict=True)) == wanted


def test_units_below_the_threshold_may_be_left_out(searcher: Searcher) -> None:
    snapshot = searcher.snapshot
    reader = TermListReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    lists = [one for term in ("the", "loop") for one in reader.read(term).segments[0]]
    everything = TopUnitsFinder(snapshot.segments[0]).find(lists, None, 50)
    high = float(np.sort(everything.scores)[-5])
    found = TopUnitsFinder(snapshot.segments[0]).find(lists, None, 50, high)
    best = everything.units[everything.scores >= high]
    assert set(best.tolist()) <= set(found.units.tolist())


def test_no_list_gives_more_than_its_bounds(searcher: Searcher) -> None:
    snapshot = searcher.snapshot
    reader = TermListReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    forms = set()
    for term in ("the", "self", "loop", "email", "async", "charset", "py"):
        for segment, lists in zip(snapshot.segments, reader.read(term).segments, strict=True):
            units = np.arange(segment.reader.unit_count)
            for one in lists:
                forms.add(type(one))
                gains = one.read_gains(units)
                sums = np.zeros(top_units.BLOCK_DOCS * len(one.bound_blocks()))
                named = one.add_naming(sums)
                assert sums[: len(units)].tolist() == gains.tolist()
                one.add_to(sums)
                assert sums[: len(units)].tolist() == (2 * gains).tolist()
                assert sorted(named.tolist()) == np.flatnonzero(gains).tolist()
                bounds = one.bound_blocks()
                assert (gains <= bounds[units // top_units.BLOCK_DOCS] + 1e-12).all()
                assert gains.max() <= one.most + 1e-12
                assert (np.rint(gains / GRAIN) * GRAIN == gains).all()
    assert forms == {ShortList, LongList, PathList}


def test_sums_of_gains_do_not_depend_on_their_order() -> None:
    draw = random.Random(5)
    gains = [round(draw.uniform(0, 65) / GRAIN) * GRAIN for _ in range(256)]
    for _ in range(20):
        draw.shuffle(gains)
        total = 0.0
        for gain in gains:
            total += gain
        assert total == sum(sorted(gains))


def test_what_was_used_last_is_kept() -> None:
    read: list[str] = []

    def get(key: str) -> bytes:
        def make() -> bytes:
            read.append(key)
            return b"12345678"

        return kept.get(key, make)

    kept: _Kept[str, bytes] = _Kept(16, len)
    for key in "abacab":
        assert get(key) == b"12345678"
    assert read == ["a", "b", "c", "b"]
    assert _Kept(4, len).get("big", lambda: b"12345678") == b"12345678"
