"""What is offered instead of a name that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_format import DiskDirectory, Snapshot, TermsReader, terms
from repo_mcp.config.server_config import load_config
from repo_mcp.model import SearchRequest
from repo_mcp.ranking.page import live_chunks
from repo_mcp.ranking.scoring import spell_suggest
from repo_mcp.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def parse_query(text):\n    return transfer_funds(text)\n")
    repository = Repository(load_config(str(root), data_dir=str(tmp_path / "data")))
    repository.refresh()
    return repository


def warn(repository: Repository, query: str) -> list[str]:
    warnings = repository.search(SearchRequest(query, 5)).warnings
    return [text for text in warnings if "similar" in text]


@pytest.mark.parametrize(
    ("query", "near"),
    [
        ("parse_quary", "parse_query"),
        ("parse_qery", "parse_query"),
        ("prase_query", "parse_query"),
        ("transfr_funds", "transfer_funds"),
        ("TransferFundss", "transfer_funds"),
    ],
)
def test_a_slip_is_offered_the_name(repository: Repository, query: str, near: str) -> None:
    (sentence,) = warn(repository, query)
    assert f"similar: `{near}`" in sentence
    assert sentence.startswith(f"`{query.lower()}` is not in")


def test_in_a_large_tree_the_whole_dictionary_is_read_where_nothing_was_found(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spell_suggest, "SMALL_UNITS", 0)
    assert warn(repository, "prase_query") == []  # `query` was found
    assert "similar: `parse_query`" in warn(repository, "parse_quary")[0]
    assert "similar: `text`" not in "".join(warn(repository, "prase_zuery"))
    (Path(repository.config.root) / "a.py").write_text("def parsequery(text):\n    return text\n")
    repository.refresh()
    assert "similar: `parsequery`" in warn(repository, "prasequery")[0]  # nothing else was found


@pytest.mark.parametrize("query", ["parse_query", "zzzzzzzzzz", "abc", "where is parse_quary called", "🙂"])
def test_nothing_is_offered_without_need_or_likeness(repository: Repository, query: str) -> None:
    assert warn(repository, query) == []


def test_dead_names_are_not_offered(repository: Repository) -> None:
    root = Path(repository.config.root)
    (root / "b.py").write_text("parse_quarry = 1\n")
    repository.refresh()
    assert "parse_quarry" in warn(repository, "parse_quary")[0]
    (root / "b.py").unlink()
    repository.refresh()
    assert "parse_quarry" not in warn(repository, "parse_quary")[0]


def test_what_was_found_in_a_segment_is_kept_while_it_is_open(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    find = spell_suggest._find_in
    monkeypatch.setattr(
        spell_suggest,
        "_find_in",
        lambda segment, *one, **more: looked.append(segment.name) or find(segment, *one, **more),
    )
    (first,) = warn(repository, "parse_quary")
    assert warn(repository, "parse_quary") == [first]
    assert len(looked) == 1
    (Path(repository.config.root) / "b.py").write_text("parse_quarry = 1\n")
    repository.refresh()
    assert "parse_quarry" in warn(repository, "parse_quary")[0]
    assert len(looked) == len(set(looked))
    for number in range(spell_suggest.CACHED_WORDS):
        warn(repository, f"parse_quary{number}")
    seen = len(looked)
    assert "parse_quarry" in warn(repository, "parse_quary")[0]
    assert len(looked) > seen


def test_only_words_of_alike_letters_are_compared(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(repository.config.root) / "a.py").write_text(
        "parse_query\nparse_gnawt\nparse_quietly\nqueri_parse\n"
    )
    repository.refresh()
    compared = []
    compare = spell_suggest.compare
    monkeypatch.setattr(
        spell_suggest, "compare", lambda one, other: compared.append(other) or compare(one, other)
    )
    assert "similar: `parse_query`" in warn(repository, "parse_quary")[0]
    assert compared == ["parse_query"]


def test_a_large_dictionary_is_read_where_it_may_have_the_second_half(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "LARGE_PAGES", 10)
    names = [f"{number:05x}zz{number % 7}" for number in range(6_000)]
    (Path(repository.config.root) / "a.py").write_text("\n".join([*names, "parsequery", "yparsequary"]))
    repository.refresh()
    snapshot = Snapshot.open(find_directory(repository))
    assert snapshot is not None
    (segment,) = snapshot.segments
    wanted = spell_suggest._find_in(segment, "prasequery", thorough=True)
    assert "parsequery" in wanted
    read = TermsReader.read_texts
    pages: list[int] = []
    monkeypatch.setattr(
        TermsReader,
        "read_texts",
        lambda self, start, stop: pages.extend(range(start, stop)) or read(self, start, stop),
    )
    assert spell_suggest._find_in(segment, "prasequery", thorough=True) == wanted
    assert 0 < len(pages) < segment.reader.terms.pages / 4
    snapshot.close()


def test_declarations_are_looked_for_where_enough_parts_of_a_name_are(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(repository.config.root)
    (root / "near.py").write_text("def read_shared_page():\n    return 1\n")
    (root / "far.py").write_text("def page():\n    return 1\n\n\ndef page_of_text():\n    return 2\n")
    repository.refresh()
    looked: list[bytes] = []
    find = live_chunks.find_near
    monkeypatch.setattr(
        live_chunks,
        "find_near",
        lambda language, text, *more: looked.append(text) or find(language, text, *more),
    )

    def look_up(name: str) -> tuple[str, ...]:
        looked.clear()
        return repository.search(SearchRequest(name, 5, symbols_only=True)).warnings

    assert "similar: `read_shared_page`." in look_up("read_sharde_page")[0]
    assert {b"def page():" in text for text in looked} == {False}
    assert "similar: `page_of_text`" in look_up("page_to_text")[0]
    assert {b"def page():" in text for text in looked} == {True}
    (root / "far.py").write_text("def read_shared_pages():\n    return page\n")  # what is there now counts
    assert "`read_shared_pages`" in look_up("read_sharde_page")[0]


def find_directory(repository: Repository) -> DiskDirectory:
    (path,) = Path(repository.config.data_dir).glob("index-v*")
    return DiskDirectory(str(path))


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("ParceQuery", "`ParseQuery`, `Query`."),  # as it is written, before what shares a part
        ("PrasseQuery", "`ParseQuery`, `Query`."),  # its first half differs
        ("Qwery", "`Query`."),
        ("PagesOfTect", ""),  # a heading has the words of one that is alike, and more
        ("qry", ""),
    ],
)
def test_a_look_up_names_what_is_spelled_alike_as_it_is_written(
    repository: Repository, asked: str, near: str
) -> None:
    root = Path(repository.config.root)
    (root / "a.py").write_text("class ParseQuery: ...\n\n\nclass Query: ...\n")
    (root / "a.md").write_text("# All pagesoftext\n")
    repository.refresh()
    (warning,) = repository.search(SearchRequest(asked, 5, symbols_only=True)).warnings
    assert warning.partition("; similar: ")[2] == near


def test_a_look_up_finds_a_name_in_any_case(repository: Repository) -> None:
    (Path(repository.config.root) / "a.py").write_text("class ParseQuery: ...\n")
    repository.refresh()
    for asked in ("parsequery", "PARSEQUERY", "Parsequery"):
        answer = repository.search(SearchRequest(asked, 5, symbols_only=True))
        assert [hit.symbol for hit in answer.hits] == ["ParseQuery"]
        assert answer.warnings == ()
