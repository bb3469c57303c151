"""Filters, ties and totals of the ranking, through a real repository."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from repo_mcp.arrays import I64, U32
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.files import ranking
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.scoring import segment_search
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.query_units import LOOKED_UP
from repo_mcp.ranking.scoring.searcher import ALL_FIELDS, Searcher
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.ranking.scoring.term_documents import TermDocuments
from repo_mcp.repository import Repository
from repo_mcp.text.schema import DOC, SYMBOL
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.ranking.plain_search import score_units
from tests.repo_mcp.trees import edit_tree, make_tree


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "root"
    for path, text in {
        "src/queue.py": "class Queue:\n    def push(self, item):\n        return item\n",
        "src/worker.py": "# pushes to the queue\ndef work(queue):\n    queue.push(1)\n",
        "src/worker.c": "int work(struct queue *q)\n{\n\treturn push(q, 1);\n}\n",
        "tests/test_queue.py": "def test_push():\n    assert Queue().push(1) == 1\n",
        "docs/queue.md": "# The queue\n\nPush and work.\n",
        "b/same.txt": "identical twin words\n",
        "a/same.txt": "identical twin words\n",
        "empty.py": "",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data")))
    repository.refresh()
    return repository


def search(repository: Repository, query: str, **options: object) -> SearchAnswer:
    return repository.search(SearchRequest(query, options.pop("top_k", 10), **options))  # type: ignore[arg-type]


def find(repository: Repository, query: str, **options: object) -> set[str]:
    return {hit.path for hit in search(repository, query, **options).hits}


def test_ties_are_by_path(repository: Repository) -> None:
    hits = search(repository, "identical twin").hits
    assert [hit.path for hit in hits] == ["a/same.txt", "b/same.txt"]
    assert hits[0].score == hits[1].score
    assert [hit.path for hit in search(repository, "identical", top_k=1).hits] == ["a/same.txt"]


def test_matched_terms_are_those_of_the_unit(repository: Repository) -> None:
    (hit,) = search(repository, "Queue push nothing", file_glob="src/queue.py").hits
    assert hit.matched_terms == ("Queue", "push")
    assert hit.symbol == "Queue"
    (hit,) = search(repository, "queues push_item pushQueue", file_glob="src/queue.py").hits
    assert hit.matched_terms == ("queues", "push", "item", "Queue")  # parts, where the whole is not there


@pytest.mark.parametrize(
    ("query", "options", "paths"),
    [
        ("push", {"file_glob": "*.c"}, {"src/worker.c"}),
        ("push", {"language": "markdown"}, {"docs/queue.md"}),
        ("push lang:c", {}, {"src/worker.c"}),
        ("push", {"include_tests": False, "file_glob": "*.py"}, {"src/queue.py", "src/worker.py"}),
        ("push path:SRC/w", {}, {"src/worker.py", "src/worker.c"}),
        ("push +struct", {}, {"src/worker.c"}),
        ("push -struct -self -assert", {}, {"src/worker.py", "docs/queue.md"}),
        ("sym:push", {}, {"src/queue.py", "tests/test_queue.py"}),
        ('"return push"', {}, {"src/worker.c"}),
        ("push", {"file_glob": "nothing/**"}, set()),
    ],
)
def test_filters(repository: Repository, query: str, options: dict[str, object], paths: set[str]) -> None:
    assert find(repository, query, **options) == paths


def rank_units(repository: Repository, query: str, wanted: Filter, fields: frozenset[int]) -> set[str]:
    searcher = repository._index.get_searcher()
    best = searcher.find_best_units(parse_query(query, 10), 100, wanted, fields)
    return {
        searcher.read_path(part.position, file)
        for part, found in zip(searcher.segments, best.segments, strict=True)
        for file in part.find_files(found.units).tolist()
    }


def test_one_of_some_languages_beside_what_the_query_asks(repository: Repository) -> None:
    of_both = Filter(languages=frozenset(("c", "markdown")))
    assert rank_units(repository, "push", of_both, ALL_FIELDS) == {"src/worker.c", "docs/queue.md"}
    assert rank_units(repository, "push lang:c", of_both, ALL_FIELDS) == {"src/worker.c"}
    assert rank_units(repository, "push lang:python", of_both, ALL_FIELDS) == set()
    named = Filter(lambda path: "queue" in path, "queue", languages=frozenset(("markdown", "python")))
    assert rank_units(repository, "push", named, ALL_FIELDS) == {
        "src/queue.py",
        "docs/queue.md",
        "tests/test_queue.py",
    }


def test_some_fields_alone(repository: Repository) -> None:
    assert rank_units(repository, "queue", Filter(), frozenset((DOC,))) == {"src/worker.py"}
    assert rank_units(repository, "queue", Filter(), frozenset((SYMBOL,))) == {
        "src/queue.py",
        "docs/queue.md",
    }


def test_totals_count_all_matching_chunks(repository: Repository) -> None:
    answer = search(repository, "push", top_k=2)
    assert (len(answer.hits), answer.total, answer.truncated) == (2, 5, True)
    answer = search(repository, "identical")
    assert (answer.total, answer.truncated) == (2, False)


def test_totals_are_exact_or_said_to_be_the_least(tmp_path: Path) -> None:
    """More units match than are ranked; a wider query never has a smaller total; segments leave no trace."""
    root = tmp_path / "root"
    root.mkdir()
    lines = [
        f"common {'middle' if at // 300 % 2 else ''} {'rare' if at % 9_000 == 0 else ''}\n"
        for at in range(80_000)
    ]
    (root / "long.txt").write_text("".join(lines))
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data")))
    repository.refresh()
    totals = {}
    for files in (0, 700):
        for at in range(files):
            (root / f"f{at:03}.txt").write_text("common words\n")
        repository.refresh()
        for query in ("rare", "middle", "common", "rare middle", "rare common", "common -middle"):
            answer = search(repository, query)
            totals[query, files] = answer.total, answer.total_is_lower_bound
            assert answer.truncated == (answer.total > len(answer.hits))
    parts = repository._index.get_searcher().segments
    chunks = sum(int(part.reader.files.first_chunks[-1]) for part in parts) - 700
    assert 400 < chunks < 1_000
    assert totals["common", 0] == totals["rare common", 0] == (chunks, False)
    assert totals["common", 700] == totals["rare common", 700] == (ranking.MOST_COUNTED, True)
    assert totals["rare", 0] < totals["middle", 0] <= totals["rare middle", 0] < totals["common", 0]
    for query in ("rare", "middle", "rare middle"):
        assert totals[query, 0] == totals[query, 700]
        assert not totals[query, 0][1]
    assert totals["common -middle", 0][0] < chunks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "MOST_COUNTED", 100)
        patch.setattr(SegmentSearch, "count_chunks", lambda *_: pytest.fail("chunks were counted"))
        answer = search(repository, "rare common")  # more units than a hundred chunks have
        assert (answer.total, answer.total_is_lower_bound) == (100, True)
    narrowed = search(repository, "common", file_glob="f*.txt")
    assert (narrowed.total, narrowed.total_is_lower_bound) == (700, False)


def test_where_there_is_no_chunk_none_is_counted(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "empty.py").touch()
    with open_indexed(tmp_path / "root", data_dir=str(tmp_path / "data")) as opened:
        searcher = opened._index.find_searcher()
        query = parse_query("empty", 10)
        best = searcher.find_best_units(query, 10, Filter(), ALL_FIELDS)
        assert searcher.count_chunks(query, best, 10) == 0


def test_a_searcher_goes_with_its_last_use(repository: Repository) -> None:
    """Not when rings of objects are looked for: until then it would hold all that it read."""
    snapshot = repository._index.find_searcher().snapshot
    gc.disable()
    try:
        searcher = Searcher(snapshot)
        assert searcher.rank(parse_query("push lang:python", 10), 10, Filter(include_tests=False)).chunks
        known = weakref.ref(searcher)
        del searcher
        assert known() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("query", ["zzz_absent", "🙂", "->", "\0"])
def test_no_match_is_no_error(repository: Repository, query: str) -> None:
    assert search(repository, query).hits == ()


@pytest.mark.parametrize("query", ["", "  \n\t"])
def test_an_empty_query_is_an_error_that_names_it(repository: Repository, query: str) -> None:
    with pytest.raises(RepoError) as caught:
        search(repository, query)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert caught.value.details == {"argument": "query"}


def test_a_file_denied_since_is_not_shown(repository: Repository) -> None:
    """The policy is asked again when an answer is given, whatever the index holds."""
    root = Path(repository.config.root)
    (root / "docs" / "queue.md").rename(root / "docs" / "queue.txt")
    (root / "docs" / "queue.md").symlink_to(root / "docs" / "queue.txt")
    assert "docs/queue.md" not in find(repository, "push")


def rank_plainly(searcher: Searcher, query: Query) -> list[tuple[float, str, int]]:
    """Return every matching chunk with its best unit's score, best first: all units, one by one."""
    best: dict[tuple[str, int], float] = {}
    for matches, segment in zip(score_units(searcher, query), searcher.snapshot.segments, strict=True):
        reader = segment.reader
        scores = dict(zip(matches.units.tolist(), matches.scores.tolist(), strict=True))
        for file in range(reader.file_count):
            path, first = reader.files.read_path(file), int(reader.files.first_units[file])
            chunks = reader.chunks.read_chunks(*reader.files.first_chunks[file : file + 2].tolist())
            ends = (first + chunks.first_units + chunks.unit_counts).tolist()
            spans = reader.read_spans(file)
            for unit in range(first, int(reader.files.first_units[file + 1])):
                chunk = next(span for span, end in zip(spans, ends, strict=True) if unit < end)
                score = round(scores.get(unit, 0.0), 6)
                if score > 0:
                    key = (path, chunk.start_line)
                    best[key] = max(best.get(key, 0.0), score)
    return sorted(
        ((score, path, line) for (path, line), score in best.items()), key=lambda row: (-row[0], *row[1:])
    )


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Yield a repository of several segments."""
    root = make_tree(tmp_path_factory.mktemp("edited") / "root", 11, files=80)
    data_dir = str(tmp_path_factory.mktemp("data"))
    with open_indexed(root, data_dir=data_dir) as repository:
        draw = random.Random(12)
        for _ in range(4):
            edit_tree(root, draw)
            repository.refresh()
        yield repository


@pytest.mark.parametrize("top_k", [1, 3, 10, 50])
def test_the_best_chunks_are_those_of_a_full_sort(edited: Repository, top_k: int) -> None:
    searcher = edited._index.get_searcher()
    assert len(searcher.snapshot.segments) > 1
    for text in (
        "schedule",
        "queue work",
        "x",
        "def class int",
        "d1",
        "naïve user",
        "getUserName token index",
    ):
        query = parse_query(text, 100)
        wanted = rank_plainly(searcher, query)
        ranking = searcher.rank(query, top_k)
        found = [(chunk.score, chunk.path, chunk.chunk.start_line) for chunk in ranking.chunks]
        assert found == wanted[:top_k]
        assert min(top_k, len(wanted)) <= ranking.total <= len(wanted)  # of the units that were ranked


def test_counting_a_term_weighs_none_of_its_lists(edited: Repository) -> None:
    snapshot = edited._index.get_searcher().snapshot
    assert any(len(segment.dead_files) for segment in snapshot.segments)
    searcher, weighing = Searcher(snapshot), Searcher(snapshot)
    counts = {term: searcher.count_units(term) for term in ("schedul", "queue", "x", "d1", "user", "absent")}
    assert not len(searcher._lists._lists)
    assert counts == {term: weighing._lists.read([term])[0].frequency for term in counts}
    assert counts["absent"] == 0 < min(counts["queue"], counts["x"])


def test_of_more_terms_than_are_kept_some_are_found_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least recently used would be the next ones to be asked for, so that none would."""
    read: dict[str, int] = {"files": 0, "docs": 0}

    def find_files(_documents: TermDocuments, term: str, *_rest: object) -> U32:
        read["files"] += 1
        return np.zeros(len(term) * 100, np.uint32)

    def read_docs(documents: TermDocuments, term: str, _field: int) -> list[tuple[SegmentSearch, I64]]:
        read["docs"] += 1
        return [(documents._segments[0], np.zeros(len(term) * 50, np.int64))]

    monkeypatch.setattr(TermDocuments, "_find_files", find_files)
    monkeypatch.setattr(TermDocuments, "_read_docs", read_docs)
    monkeypatch.setattr("repo_mcp.ranking.scoring.term_documents.FILES_BYTES", 50_000)
    monkeypatch.setattr("repo_mcp.ranking.scoring.term_documents.DOCS_BYTES", 50_000)
    searcher = Searcher(repository._index.get_searcher().snapshot)
    terms = [f"{number}".rjust(2 + number * 9 % 7, "0") for number in range(30)]  # of 64,000 bytes
    for term in terms * 5:
        searcher.documents.find_files([term], DOC)
        searcher.documents.list_docs(term, DOC)
    assert max(read.values()) < 4 * len(terms)


def test_chunks_are_found_by_their_files_as_by_all_of_them(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_search, "SPARSE_LOOKUPS", 1)  # the first by files, the others by all
    snapshot = repository._index.find_searcher().snapshot
    for position, segment in enumerate(snapshot.segments):
        for count in range(1, segment.reader.file_count):
            units = np.arange(segment.reader.unit_count)[-count:][::-1]
            part = SegmentSearch(segment, position)
            found = [part.find_chunks(units).tolist() for _ in range(3)]
            assert found[0] == found[1] == found[2]
            files, spans = part.locate(units)
            assert files.tolist() == part.find_files(units).tolist()
            for span in spans:
                assert span.chunk.start_line <= span.start_line <= span.end_line <= span.chunk.end_line


@pytest.mark.parametrize("looked_up", [0, LOOKED_UP, 1 << 40])  # 0: in all lists but the rarest
def test_units_hold_all_required_terms(
    edited: Repository, monkeypatch: pytest.MonkeyPatch, looked_up: int
) -> None:
    """Whether units are looked up in a list, or it is decoded, and whatever dead files hold."""
    monkeypatch.setattr("repo_mcp.ranking.scoring.query_units.LOOKED_UP", looked_up)
    found, own = 0, edited._index.get_searcher()
    for required in (
        ["queue"],
        ["queue", "work"],
        ["x", "index", "token"],
        ["d1", "schedule"],
        ["x", "nothing"],
    ):
        query = Query(required=[(term,) for term in required])
        holding = [score_units(own, Query(terms=[term])) for term in required]
        for position, part in enumerate(own.segments):
            marked = own.units.find(part, query, None)
            assert marked is not None
            wanted = set.intersection(*(set(one[position].units.tolist()) for one in holding))
            live = part.segment.live_unit_mask
            assert set((marked & live).nonzero()[0].tolist()) == wanted
            found += len(wanted)
    assert found > 20
