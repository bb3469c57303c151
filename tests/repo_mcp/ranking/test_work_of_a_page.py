"""A search reads each file once, and makes no hits that its page does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from repo_mcp.model import SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits import declared_by_lines, name_lookup, scope
from repo_mcp.ranking.direct_hits.query_of_names import FEW_PLACES
from repo_mcp.ranking.files.ranking import order_files
from repo_mcp.ranking.page import live_chunks
from repo_mcp.ranking.query.query import Query, parse_query
from repo_mcp.ranking.scoring import block_max, searcher
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.query_units import QueryUnits
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed

USERS = 40
FILES = {
    "src/ledger.c": "/* The ledger of a shop. */\nint post_entry(int entry)\n{\n\treturn entry;\n}\n",
    **{
        f"src/user_{at}.c": f"int use_{at}(int value)\n{{\n\treturn post_entry(value) + {at};\n}}\n"
        for at in range(USERS)
    },
    "docs/posting.md": "# Posting\n\nThe ledger posts an entry of a shop while the shop is open.\n",
    "src/tide.h": "struct tide {\n\tint tide_mark;\n};\n",
    **{
        f"src/tide_{at}.c": f"int f{at}(struct tide *t)\n{{\n\treturn t->tide_mark;\n}}\n"
        for at in range(USERS)
    },
    "src/bells.py": "class Door:\n    def ring_bell(self):\n        pass\n\n\n"
    "class Tower:\n    def ring_bell(self):\n        pass\n",
    "docs/opening.md": "# Opening\n\nThe shop is open.\n",
    "src/buoy.h": "struct buoy {\n\tint buoy_mark;\n};\n",
    **{f"src/mark_{at}.c": f"int mark_buoy_{at}(void)\n{{\n\treturn {at};\n}}\n" for at in range(3)},
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("pages") / "root", FILES) as repository:
        yield repository


@pytest.fixture
def reads(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counted: Counter[str] = Counter()
    read = repository.tree.read_bytes

    def count(path: str) -> bytes:
        counted[path] += 1
        return read(path)

    monkeypatch.setattr(repository.tree, "read_bytes", count)
    return counted


def ask(repository: Repository, query: str, *, ends_early: bool) -> SearchAnswer:
    return repository.search(SearchRequest(query, 10, names_alone=True, ends_early=ends_early))


def test_places_behind_the_end_of_a_page_are_not_read(repository: Repository, reads: Counter[str]) -> None:
    whole = ask(repository, "post_entry", ends_early=False)
    read_for_all = len(reads)
    reads.clear()
    page = ask(repository, "post_entry", ends_early=True)
    assert page.usual_hits == 1 + FEW_PLACES < len(whole.hits)
    assert page.hits == whole.hits[: page.usual_hits]
    assert (page.total, page.total_is_lower_bound, page.truncated) == (page.usual_hits, True, True)
    assert (whole.total, whole.total_is_lower_bound, whole.usual_hits) == (
        11,
        True,
        page.usual_hits,
    )  # one behind the page
    assert len(reads) < read_for_all


def test_hits_that_score_low_are_not_made(repository: Repository, reads: Counter[str]) -> None:
    query = "where does the ledger post an entry of the shop while it is open"
    whole = ask(repository, query, ends_early=False)
    read_for_all = len(reads)
    reads.clear()
    page = ask(repository, query, ends_early=True)
    assert 0 < page.usual_hits < len(whole.hits)
    assert page.hits == whole.hits[: page.usual_hits]
    assert page.truncated
    assert len(reads) < read_for_all


def test_of_a_page_that_lacks_most_words_all_hits_are_made(repository: Repository) -> None:
    query = "xylophone quagmire zeppelin bagpipe entry shop"
    whole = ask(repository, query, ends_early=False)
    assert whole.lacks_most
    assert ask(repository, query, ends_early=True) == whole


@pytest.mark.parametrize("query", ["post_entry", "ledger entry shop", "use_value", "entry_post"])
def test_each_file_is_read_once(repository: Repository, reads: Counter[str], query: str) -> None:
    ask(repository, query, ends_early=True)
    assert set(reads.values()) == {1}


def test_lines_that_declare_a_name_are_looked_for_once(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    find = name_lookup.iter_declaring_lines
    monkeypatch.setattr(
        name_lookup, "iter_declaring_lines", lambda *given: looked.append(given[2].name) or find(*given)
    )
    assert ask(repository, "entry_posted", ends_early=True).hits
    assert looked == ["entry_posted"]


def test_files_behind_the_one_that_declares_a_field_are_not_read(
    repository: Repository, reads: Counter[str]
) -> None:
    (first, *_) = repository.search(SearchRequest("tide_mark", 10)).hits
    assert (first.path, first.symbol) == ("src/tide.h", "tide.tide_mark")
    assert len(reads) < USERS / 2


def test_files_without_a_word_are_neither_decoded_nor_cut_into_lines(
    repository: Repository, reads: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[object] = []
    count = live_chunks._count_ends
    monkeypatch.setattr(live_chunks, "_count_ends", lambda raw: counted.append(raw) or count(raw))
    monkeypatch.setattr(live_chunks, "LEAST_COUNTED", 0)
    monkeypatch.setattr(declared_by_lines, "list_declaring_lines", None)
    assert ask(repository, "post", ends_early=True).hits  # `post_entry` has this term, too
    assert len(reads) > USERS
    assert len(counted) < USERS / 2


def test_a_word_that_many_files_in_a_row_lack_is_looked_for_no_further(
    repository: Repository, reads: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declared_by_lines, "MOST_LACKING", 3)
    assert ask(repository, "post", ends_early=True).hits
    assert len(reads) < USERS / 2
    reads.clear()
    monkeypatch.setattr(declared_by_lines, "holds_word", lambda *_: True)
    ask(repository, "post", ends_early=True)
    assert len(reads) > USERS


def test_a_declaration_that_could_not_lead_a_page_is_not_looked_for(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = []
    monkeypatch.setattr(name_lookup, "_iter_declarations", lambda live, *_: searched.append(live) or ())
    assert repository.search(SearchRequest("entry_posted", 10)).hits
    assert not searched  # `post_entry` only shares its parts


def test_chunks_that_only_share_parts_of_a_name_are_not_searched_for_its_declaration(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = []
    find = name_lookup._iter_declarations
    monkeypatch.setattr(
        name_lookup,
        "_iter_declarations",
        lambda live, *given: searched.append(live.ranked.path) or find(live, *given),
    )
    (first, *_) = ask(repository, "postEntry", ends_early=True).hits
    assert (first.path, first.symbol) == ("src/ledger.c", "post_entry")
    searched.clear()
    ask(repository, "use_39", ends_early=True)
    assert set(searched) == {"src/user_39.c"}


def test_chunks_are_not_counted_where_the_total_is_that_of_places(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = []
    count = Searcher.count_best_chunks
    monkeypatch.setattr(
        Searcher, "count_best_chunks", lambda self, best: counted.append(1) or count(self, best)
    )
    assert ask(repository, "post_entry", ends_early=True).total_is_lower_bound
    assert not counted


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[Query]:
    """Return the queries that are ranked to look a name up."""
    queries: list[Query] = []
    monkeypatch.setattr(
        scope, "order_files", lambda searcher, query, *given: _record(queries, searcher, query, given)
    )
    return queries


def _record(queries: list[Query], searcher: Searcher, query: Query, given: tuple[object, ...]) -> object:
    queries.append(query)
    return order_files(searcher, query, *given)  # type: ignore[arg-type]


def test_what_was_ranked_to_look_a_name_up_is_not_ranked_again(
    repository: Repository, ranked: list[Query]
) -> None:
    assert ask(repository, "entry_posted", ends_early=True).hits
    symbols = [str(query.symbols) for query in ranked]
    assert symbols
    assert len(symbols) == len(set(symbols))


@pytest.mark.parametrize(("name", "rankings"), [("entry_posted", 0), ("value", 1)])
def test_lines_that_declare_a_name_are_ranked_where_some_file_has_it(
    repository: Repository, ranked: list[Query], name: str, rankings: int
) -> None:
    ask(repository, name, ends_early=True)
    assert sum(bool(query.required) for query in ranked) == rankings  # no header has `value`


def test_what_fewer_places_have_is_looked_through_first(repository: Repository, ranked: list[Query]) -> None:
    (first, *_) = repository.search(SearchRequest("buoy_mark", 10)).hits
    assert (first.path, first.symbol) == ("src/buoy.h", "buoy.buoy_mark")
    assert not any(query.symbols for query in ranked)  # more files declare its parts
    assert sum(bool(query.required) for query in ranked) == 1  # a single header has it


def test_others_are_not_ranked_where_a_header_declares_a_common_name(
    repository: Repository, ranked: list[Query], monkeypatch: pytest.MonkeyPatch
) -> None:
    (wanted, *_) = repository.search(SearchRequest("tide_mark", 10)).hits
    assert sum(bool(query.required) for query in ranked) == 1  # of all, among which is a single header
    ranked.clear()
    monkeypatch.setattr(declared_by_lines, "WORD_CHUNKS", USERS // 2)
    (first, *_) = repository.search(SearchRequest("tide_mark", 10)).hits
    assert first == wanted
    assert sum(bool(query.required) for query in ranked) == 1


def test_declarations_in_one_file_are_in_order_without_a_ranking(
    repository: Repository, ranked: list[Query]
) -> None:
    hits = ask(repository, "ring_bell", ends_early=True).hits
    assert [hit.symbol for hit in hits] == ["Door.ring_bell", "Tower.ring_bell"]
    assert sum(not query.symbols for query in ranked) == 1  # that of the places


def test_few_wanted_units_are_looked_up_without_a_search_of_blocks(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_max, "_Search", None)
    monkeypatch.setattr(QueryUnits, "mark", None)
    ((units, _),) = find_best(repository, "value sym:post_entry")
    assert len(units) == 1


@pytest.mark.parametrize(
    "query",
    [
        "value +entry",
        "value +post_entry -return",
        "entry sym:post_entry",
        "value sym:use_7 +post_entry",
        "tide -post_entry",
        "value +post_entry path:user_1",
        "shop +nowhere",
        "shop -nowhere path:docs",
    ],
)
def test_units_that_are_looked_up_are_those_that_a_search_of_blocks_finds(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    looked_up = find_best(repository, query)
    monkeypatch.setattr(searcher, "FEW_UNITS", -1)
    monkeypatch.setattr(block_max, "FEW_UNITS", -1)
    monkeypatch.setattr(block_max, "FEW_BLOCKS", 0)
    assert find_best(repository, query) == looked_up


def find_best(repository: Repository, query: str) -> list[tuple[list[int], list[float]]]:
    opened = repository._index.find_searcher()
    assert opened is not None
    best = opened.find_best_units(parse_query(query, 10), 10, Filter())
    return [(found.units.tolist(), found.scores.tolist()) for found in best.segments]
