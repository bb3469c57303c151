"""Both policies on a real tree: ours over a real server, ripgrep's with the real program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from bench.economy.client import Answer, Client, build_index
from bench.economy.evidence import Region, spend
from bench.economy.policy import OPEN, SEARCH, choose_window, follow_server, list_hits, read_span
from bench.economy.ripgrep import Ripgrep, follow_ripgrep, list_words, rank_files
from tests.bench.economy.conftest import write_shop

BUDGET = 100_000
RESERVE = Region("warehouse.py", 11, 16)
QUERY = "where is a crate kept for an order"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Yield a server of the tree, for all tests here; they only ask."""
    data = tmp_path_factory.mktemp("economy")
    tree = write_shop(data / "shop")
    build_index(tree, data / "data")
    with closing(Client(tree, data / "data")) as opened:
        opened.settle(SEARCH, query=QUERY)
        yield opened


def test_an_answer_costs_the_bytes_of_its_text(client: Client) -> None:
    answer = client.call(OPEN, path="warehouse.py", start_line=11, end_line=12)
    assert not answer.is_error
    assert answer.bytes == len(answer.text.encode()) > 100
    assert list(answer.to_step().lines) == [("warehouse.py", 11), ("warehouse.py", 12)]
    assert client.call(OPEN, path="none.py").is_error


def test_what_a_server_takes_is_read_from_its_list(client: Client) -> None:
    assert client.takes(OPEN, "start_line")
    assert not client.takes(OPEN, "a_thing_that_no_tool_takes")
    assert not client.takes("no.tool", "path")
    assert client.takes(SEARCH, "detail", "text")
    assert not client.takes(SEARCH, "detail", "a choice that no tool has")
    assert 1_000 < client.count_list_bytes() < 20_000


def test_the_server_leads_to_the_evidence(client: Client) -> None:
    steps = list(follow_server(client, QUERY))
    spent = spend(steps, [RESERVE], BUDGET)
    assert spent.bytes is not None
    assert 1 <= spent.calls <= 2
    assert sum(step.bytes for step in steps[: spent.calls]) == spent.bytes


def test_the_policy_ends_and_opens_no_span_twice(client: Client) -> None:
    steps = list(follow_server(client, "measure_rain_3"))
    assert len(steps) < 60
    assert spend(steps, [Region("nowhere.py", 1, 1)], BUDGET).bytes is None
    whole = {line for step in steps for line in step.lines}
    assert ("rain_3.py", 5) in whole


def test_a_name_is_asked_for_as_a_symbol_first(client: Client) -> None:
    first, *_ = follow_server(client, "Warehouse")
    answer = client.call(SEARCH, query="Warehouse", mode="symbol", detail="text")
    assert list_hits(answer)[0]["path"] == "warehouse.py"
    assert first.lines == answer.to_step().lines


def test_a_hit_as_text_is_opened_as_its_record(client: Client) -> None:
    records = list_hits(client.call(SEARCH, query=QUERY))
    texts = list_hits(client.call(SEARCH, query=QUERY, detail="text"))
    names = ("path", "symbol_lines")  # a record shows further declarations whole
    assert [[one.get(name) for name in names] for one in texts] == [
        [one.get(name) for name in names] for one in records
    ]


def test_a_brief_hit_is_opened_by_its_span() -> None:
    answer = Answer("", {"result": {"hits": ["a/ledger.py\n12-20 Ledger.post", "b.py\n3:x = 1"]}}, False)
    named, line = list_hits(answer)
    assert (named["path"], read_span(named["symbol_lines"])) == ("a/ledger.py", (12, 20))
    assert (line["path"], line["start_line"], line["end_line"], line["symbol_lines"]) == ("b.py", 3, 3, None)


def test_the_span_of_a_hit_may_come_behind_lines_outside_of_it() -> None:
    text = "a/ledger.py\n3:from b import c\n12-20 in Ledger:def post(self):\n14:    c()\nalso 30-41 .close"
    (hit,) = list_hits(Answer("", {"result": {"hits": [text]}}, False))
    assert (hit["start_line"], hit["end_line"], read_span(hit["symbol_lines"])) == (3, 14, (12, 20))
    assert hit["also"] == ["30-41 .close"]


@pytest.mark.parametrize("given", ["7-16", [7, 16], {"start": 7, "end": 16}, "L7-L16"])
def test_a_span_is_read_however_it_is_written(given: object) -> None:
    assert read_span(given) == (7, 16)


def test_of_a_long_symbol_the_lines_around_the_hit_are_opened() -> None:
    assert choose_window((10, 209), 15) == (10, 209)
    assert choose_window((10, 900), 15) == (10, 209)
    assert choose_window((10, 900), 500) == (400, 599)
    assert choose_window((10, 900), 890) == (701, 900)


@pytest.mark.parametrize("given", [None, "", [], "7"])
def test_no_span(given: object) -> None:
    assert read_span(given) is None


def test_words_of_a_query() -> None:
    assert list_words("How does the reserve_crate use a Crate or crate?") == ["reserve_crate", "crate"]
    assert len(list_words(" ".join(f"word{number}" for number in range(100)))) == 24


def test_code_with_most_words_comes_first() -> None:
    found = {
        "crate": {("tests/test_a.py", 1): "", ("b.py", 1): "", ("a.py", 1): "", ("a.py", 2): ""},
        "order": {("tests/test_a.py", 1): "", ("c.py", 9): "", ("b.py", 8): "", ("notes.md", 1): ""},
    }
    assert rank_files(found) == ["b.py", "a.py", "c.py", "tests/test_a.py", "notes.md"]


def test_ripgrep_leads_to_the_evidence(ripgrep: Ripgrep) -> None:
    steps = list(follow_ripgrep(ripgrep, QUERY))
    spent = spend(steps, [RESERVE], BUDGET)
    assert spent.bytes is not None
    assert 2 <= spent.calls <= 6
    # Both words stand in one line each, `crate` in more.
    assert [list(step.lines) for step in steps[:2]] == [[("warehouse.py", 1)], [("warehouse.py", 12)]]


def test_ripgrep_looks_for_the_declaration_of_a_name(ripgrep: Ripgrep) -> None:
    search, window, *_ = follow_ripgrep(ripgrep, "Warehouse")
    assert search.lines == {("warehouse.py", 4): "class Warehouse:"}
    assert window.bytes == len("".join((ripgrep.root / "warehouse.py").read_text().splitlines(True)[3:]))


def test_no_match_costs_nothing(ripgrep: Ripgrep) -> None:
    assert list(follow_ripgrep(ripgrep, "unheard_of_thing")) == []
    with pytest.raises(RuntimeError, match="regex parse error"):
        ripgrep.find("(")
