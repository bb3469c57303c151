"""The best units found by pruning are those of scoring everything: the same units, scores and ties."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from index_format import IndexWriter, MemoryDirectory, Snapshot, write_segment
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.indexing.shards.segment_builder import SegmentBuilder
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring import block_max, bm25f, term_scorers
from repo_mcp.ranking.scoring.block_max import BlockMaxMaxScore
from repo_mcp.ranking.scoring.bm25f import DECIMALS, TermScorer, TfNormTable
from repo_mcp.ranking.scoring.gains import GRAIN
from repo_mcp.ranking.scoring.posting_scorers import BLOCK_DOCS, LongList, PathList, PostingScorer, ShortList
from repo_mcp.ranking.scoring.query_units import LOOKED_UP_IN_BODY
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.scoring.segment_search import Matches
from repo_mcp.ranking.scoring.term_scorers import TermScorerReader
from repo_mcp.text.schema import BODY, FIELDS
from tests.repo_mcp.ranking.plain_search import score_units
from tests.repo_mcp.text.test_whoosh_oracle import choose_queries, read_sources

SEGMENTS = 3
COUNTS = (1, 7, 60, 1000)


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    """Return three segments of different sizes, all but the first with dead files."""
    sources = read_sources()
    directory = MemoryDirectory()
    with IndexWriter(directory, "test", FIELDS) as writer:
        for number, share in enumerate((slice(0, None, 2), slice(1, None, 4), slice(3, None, 4))):
            builder = SegmentBuilder(200, 30)
            own = sources[share]
            for source in own:
                builder.add(source)
            writer.add(write_segment(directory, writer.reserve_temporary(), *builder.build()))
            if number:
                writer.mark_dead(writer.segments[number].name, list(range(number, len(own), 9)))
        writer.commit()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return Searcher(snapshot)


@pytest.fixture(params=["small steps", "paths apart", "as it is"])
def path_taken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take every way over the blocks, whatever the size of the tree."""
    if request.param != "as it is":
        monkeypatch.setattr(block_max, "FEW_BLOCKS", 0)
    if request.param == "small steps":
        monkeypatch.setattr(block_max, "SAMPLE_BLOCKS", 1)
        monkeypatch.setattr(block_max, "UNITS_PER_BLOCK", 1000)
        monkeypatch.setattr(block_max, "BLOCKS_AT_ONCE", 1)
        monkeypatch.setattr(block_max, "BLOCKS_OF_FEW", 1)
        monkeypatch.setattr(block_max, "FEW_UNITS", 2)
    if request.param == "paths apart":
        monkeypatch.setattr(term_scorers, "PATH_UNITS", 0)
    return


def choose_expected(matches: Matches, count: int) -> dict[int, float]:
    """Return the units of a segment that must be found, by sorting all of them."""
    scores = np.round(matches.scores, DECIMALS)
    last = sorted(scores.tolist(), reverse=True)[count - 1] if len(scores) >= count else 0.0
    return {
        unit: score
        for unit, score in zip(matches.units.tolist(), scores.tolist(), strict=True)
        if score >= last
    }


def find(
    searcher: Searcher, terms: list[str], count: int, wanted: list[Mask] | None = None
) -> Iterator[Matches]:
    snapshot = searcher.snapshot
    reader = TermScorerReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    read = reader.read(terms)
    for position, segment in enumerate(snapshot.segments):
        lists = [one for term in read for one in term.segments[position]]
        yield BlockMaxMaxScore(segment).find(lists, wanted[position] if wanted else None, count)


@pytest.mark.usefixtures("path_taken")
def test_the_best_units_are_those_of_scoring_everything(searcher: Searcher) -> None:
    compared = 0
    for text in choose_queries(read_sources())[:20]:
        terms = list(dict.fromkeys(text.lower().split()))
        expected = score_units(searcher, Query(terms=terms))
        for count in COUNTS:
            for found, matches in zip(find(searcher, terms, count), expected, strict=True):
                wanted = choose_expected(matches, count)
                assert dict(zip(found.units.tolist(), found.scores.tolist(), strict=True)) == wanted
                compared += len(wanted)
    assert compared > 5_000


@pytest.mark.usefixtures("path_taken")
def test_only_wanted_units_are_found(searcher: Searcher) -> None:
    draw = np.random.default_rng(3)
    masks = [draw.random(segment.reader.unit_count) < 0.2 for segment in searcher.snapshot.segments]
    for text in ("the self return", "async def read", "email message header value"):
        expected = score_units(searcher, Query(terms=text.split()))
        found = find(searcher, text.split(), 10, masks)
        for own, matches, mask in zip(found, expected, masks, strict=True):
            wanted = choose_expected(matches.keep(mask[matches.units]), 10)
            assert len(wanted) >= 5  # of Python 3.12's library fewer are read than of 3.11's
            assert dict(zip(own.units.tolist(), own.scores.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("count", [1, 5, 64, 300])
def test_the_first_threshold_is_no_higher_than_the_last_unit_wanted(count: int) -> None:
    draw = np.random.default_rng(count)
    for distinct in (2, 40, 10_000):
        scores = draw.integers(0, distinct, 4 * BLOCK_DOCS) * GRAIN
        assert block_max._bound_last(scores, count) <= np.sort(scores)[-count]


def test_units_below_the_threshold_may_be_left_out(searcher: Searcher) -> None:
    snapshot = searcher.snapshot
    reader = TermScorerReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    lists = [one for lists in reader.read(("the", "loop")) for one in lists.segments[0]]
    everything = BlockMaxMaxScore(snapshot.segments[0]).find(lists, None, 50)
    high = float(np.sort(everything.scores)[-5])
    found = BlockMaxMaxScore(snapshot.segments[0]).find(lists, None, 50, high)
    best = everything.units[everything.scores >= high]
    assert set(best.tolist()) <= set(found.units.tolist())


@pytest.mark.usefixtures("path_taken")
def test_lists_give_their_terms_gains_and_no_more_than_their_bounds(searcher: Searcher) -> None:
    snapshot = searcher.snapshot
    reader = TermScorerReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    forms = set()
    for term in ("the", "self", "loop", "email", "async", "charset", "py"):
        expected = score_units(searcher, Query(terms=[term]))
        for segment, lists, matches in zip(
            snapshot.segments, reader.read([term])[0].segments, expected, strict=True
        ):
            count = segment.reader.unit_count
            units, blocks = np.arange(count), np.arange(-(-count // BLOCK_DOCS))
            sums = np.zeros(len(blocks) * BLOCK_DOCS)
            for one in lists:
                forms.add(type(one))
                gains = np.bincount(*one.take(blocks), len(sums))
                assert gains[:count].nonzero()[0].tolist() == one.hold(units)
                assert gains[:count].tolist() == one.look_up(units).tolist()
                assert (gains <= one.bound_blocks()[np.arange(len(sums)) // BLOCK_DOCS] + 1e-12).all()
                assert gains.max() <= one.most + 1e-12
                assert (np.rint(gains / GRAIN) * GRAIN == gains).all()
                check_parts(one, blocks, gains)
                sums += gains
            live = np.flatnonzero(segment.live_unit_mask & (sums[:count] > 0))
            assert live.tolist() == matches.units.tolist()
            assert sums[live] == pytest.approx(matches.scores, abs=1e-9)
    assert forms >= {ShortList, LongList}


@pytest.mark.parametrize("looked_up", [0, LOOKED_UP_IN_BODY, 1 << 40])  # 0: in all lists but the rarest
def test_units_hold_coded_terms_outside_comments(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch, looked_up: int
) -> None:
    monkeypatch.setattr("repo_mcp.ranking.scoring.query_units.LOOKED_UP_IN_BODY", looked_up)
    found = 0
    for coded in (["loop"], ["self", "loop"], ["the", "self", "email"], ["async", "charset"], ["py", "loop"]):
        for part in searcher.segments:
            marked = searcher.units.find(part, Query(coded=coded), None)
            assert marked is not None
            wanted = set(part.segment.live_unit_mask.nonzero()[0].tolist())
            for term in coded:
                lists = part.reader.postings.find_lists(term.encode())
                wanted &= {
                    unit
                    for one in lists
                    if one.field == BODY
                    for unit in part.reader.postings.read(one)[0].tolist()
                }
            assert set((marked & part.segment.live_unit_mask).nonzero()[0].tolist()) == wanted
            found += len(wanted)
    assert found > 100


def check_parts(one: PostingScorer, blocks: I64, gains: F64) -> None:
    """Check that a choice of blocks gives what all together give there."""
    own = blocks[1::2]
    there = gains.reshape(-1, BLOCK_DOCS)[own].reshape(-1)
    assert np.bincount(*one.take(own), len(there)).tolist() == there.tolist()


@pytest.mark.usefixtures("path_taken")
def test_lists_tell_the_documents_of_each_field(searcher: Searcher) -> None:
    for term in ("the", "self", "email", "charset", "py"):
        (lists,) = searcher._lists.read([term])
        for field in range(len(FIELDS)):
            known = [docs.tolist() for _, docs in searcher.documents.list_docs(term, field, lists)]
            read = [docs.tolist() for _, docs in searcher.documents.list_docs(term, field)]
            assert [docs for docs in known if docs] == [docs for docs in read if docs]


def test_paths_of_many_files_are_a_list_of_their_own(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(term_scorers, "PATH_UNITS", 0)
    snapshot = searcher.snapshot
    reader = TermScorerReader(snapshot.segments, snapshot.unit_count, searcher.average_lengths)
    assert PathList in {type(one) for own in reader.read(["email"])[0].segments for one in own}


@pytest.mark.parametrize("limits", [None, (4, 40), (1, 1)])
def test_saturations_are_scores_but_for_the_rarity(
    limits: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbered or not, far from ordinary or not: times a term's factor they are its scores to a bit."""
    if limits is not None:
        monkeypatch.setattr(bm25f, "FREQUENCIES", limits[0])
        monkeypatch.setattr(bm25f, "LENGTHS", limits[1])
    draw = np.random.default_rng(4)
    known = TfNormTable([70.5] * len(FIELDS))
    for field in (0, 2, 0):
        counts, lengths = draw.integers(1, 12, 900), draw.integers(1, 90, 900).astype(np.uint16)
        counts[5], lengths[6] = 100_000, 60_000
        scorer = TermScorer(FIELDS[field].name, "term", 10_000, 77, 70.5)
        numbers = known.number(field, counts, lengths)
        assert (known.fields[numbers] == field).all()
        assert (known.values[numbers] * scorer.factor).tolist() == scorer.score(counts, lengths).tolist()
        assert len(set(numbers.tolist())) == len(set(zip(counts.tolist(), lengths.tolist(), strict=True)))


def test_sums_of_gains_do_not_depend_on_their_order() -> None:
    draw = random.Random(5)
    gains = [round(draw.uniform(0, 65) / GRAIN) * GRAIN for _ in range(256)]
    for _ in range(20):
        draw.shuffle(gains)
        total = 0.0
        for gain in gains:
            total += gain
        assert total == sum(sorted(gains))
