"""A query of names finds what they declare and the places that have them; nothing that has a part of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.model import Hit, SearchAnswer, SearchRequest
from repo_mcp.ranking.direct_hits.query_of_names import FEW_PLACES, ONE_SHOWN, list_names
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed

FILES = {
    "src/pay/ledger.py": "class Ledger:\n    def post_entry(self, entry):\n"
    + "".join(f"        step_{at}(entry)\n" for at in range(40))
    + "\n    def close(self):\n        self.post_entry(None)\n",
    "src/pay/entry.py": "def post(entry):\n    return entry\n\n\ndef read_entry(text):\n"
    "    return post(text)\n",
    "src/pay/till.py": "# post_entry is slow\n\n\ndef ring(ledger):\n    ledger.post_entry(1)\n\n\n"
    "def ring_twice(ledger):\n    ledger.post_entry(1)\n    ledger.post_entry(2)\n",
    "src/pay/shop.py": "from pay.till import ring\n\n\nclass Till:\n    def close(self):\n"
    "        ring(self)\n",
    "tests/test_ledger.py": "def test_post_entry(ledger):\n    ledger.post_entry(3)\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("named") / "root", FILES) as repository:
        yield repository


def ask(repository: Repository, query: str, top_k: int = 10) -> SearchAnswer:
    return repository.search(SearchRequest(query, top_k, names_alone=True))


def tell(hits: tuple[Hit, ...]) -> list[tuple[str, str | None, int, int]]:
    return [(hit.path.rpartition("/")[2], hit.symbol, hit.start_line, hit.end_line) for hit in hits]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("post_entry", ["post_entry"]),
        ("post", ["post"]),
        ("class Ledger", ["class Ledger"]),
        ("Ledger.close, read_entry ring", ["Ledger.close,", "read_entry", "ring"]),
        ("src/pay/till.py", ["src/pay/till.py"]),
        ("post entry", []),  # words
        ("how does Ledger.close work", []),
        ("is Ledger ReadEntry", []),
        ("A1 A2 A3 A4 A5 A6 A7", []),  # a list
        ("", []),
    ],
)
def test_names_are_distinguished_from_words(text: str, names: list[str]) -> None:
    assert list_names(text) == [name.rstrip(",") for name in names]


def test_one_name_gives_its_declaration_and_the_places_that_have_all_of_it(repository: Repository) -> None:
    answer = ask(repository, "post_entry")
    assert tell(answer.hits) == [
        ("ledger.py", "Ledger.post_entry", 2, 1 + ONE_SHOWN[0]),
        ("ledger.py", "Ledger.close", 45, 45),
        ("till.py", "ring", 5, 5),
        ("till.py", "ring_twice", 9, 9),
        ("test_ledger.py", "test_post_entry", 2, 2),
    ]
    assert (answer.total, answer.truncated, answer.usual_hits) == (5, False, 1 + FEW_PLACES)
    assert all(hit.snippet.count("\n") == 1 for hit in answer.hits[1:])
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(hit.score == round(sum(points for _, points in hit.explanation), 6) for hit in answer.hits)


def test_a_short_declaration_is_whole_and_a_qualifier_chooses(repository: Repository) -> None:
    (first, *_) = ask(repository, "Till.close").hits
    assert tell((first,)) == [("shop.py", "Till.close", 5, 6)]
    both = ask(repository, "close").hits[:2]
    assert {hit.symbol for hit in both} == {"Till.close", "Ledger.close"}


def test_a_heading_that_spells_a_name_otherwise_hides_no_places(tmp_path: Path) -> None:
    files = {
        "docs/deny-names-in-url.md": "# Options\n\n## `--deny-names-in-url`\n\nFails if it has one.\n",
        "src/url.c": "int read_url(struct set *set) {\n  return set->deny_names_in_url;\n}\n",
    }
    with open_indexed(tmp_path / "root", files) as repository:
        answer = ask(repository, "deny_names_in_url")
    assert [hit.path for hit in answer.hits] == [*files]
    assert answer.hits[1].symbol == "read_url"


def test_several_names_come_in_their_order_and_one_that_is_missing_is_reported(
    repository: Repository,
) -> None:
    answer = ask(repository, "ring_twice Ledger post_entry")
    assert [hit.symbol for hit in answer.hits[:3]] == ["ring_twice", "Ledger", "Ledger.post_entry"]
    answer = ask(repository, "read_entry noSuchThing")
    assert answer.hits[0].symbol == "read_entry"
    assert answer.warnings == ("No file has: noSuchThing.",)


def test_a_file_is_shown_by_what_it_declares(repository: Repository) -> None:
    for text in ("pay/entry.py", "entry.py", "src/pay/entry.py"):
        (first, *_) = ask(repository, text).hits
        assert (first.path, first.snippet) == (
            "src/pay/entry.py",
            "1\tdef post(entry):\n5\tdef read_entry(text):\n",
        )


def test_of_a_file_with_one_class_its_members_are_shown(repository: Repository) -> None:
    (first, *_) = ask(repository, "pay/ledger.py").hits
    assert [row.partition("(")[0] for row in first.snippet.splitlines()] == [
        "1\tclass Ledger:",
        "2\t    def post_entry",
        "44\t    def close",
    ]


def test_other_forms_of_a_word_are_no_places(repository: Repository) -> None:
    (Path(repository.config.root) / "shut.py").write_text("def closed(till):\n    closing(till)\n")
    repository.refresh()
    assert "shut.py" not in {hit.path for hit in ask(repository, "close").hits}


def test_other_queries_are_answered_as_before(repository: Repository) -> None:
    for text in ("post entry", "postEntries", "no_such_name", "how is an entry posted"):
        asked = SearchRequest(text, 10)
        assert repository.search(replace(asked, names_alone=True)) == repository.search(asked)


@pytest.mark.parametrize("path", ["../..", "./..", "..", "src/..", "../.. till.py"])
def test_a_path_that_ends_with_no_name_names_nothing(repository: Repository, path: str) -> None:
    asked = SearchRequest(path, 10)
    assert repository.search(replace(asked, names_alone=True)) == repository.search(asked)


def test_fewer_hits_are_the_first_ones(repository: Repository) -> None:
    whole = ask(repository, "post_entry").hits
    for count in range(1, len(whole)):
        answer = ask(repository, "post_entry", count)
        assert answer.hits == whole[:count]
        assert answer.truncated
