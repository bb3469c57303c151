"""What the structure index answers: names to files, in several segments as in one; ranks; patterns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from index_format import TermsReader, merge_policy
from index_format import terms as term_dictionary
from repo_mcp.indexing.derived import phase as derived_phase
from repo_mcp.symbol_index import symbol_index
from repo_mcp.symbol_index.schema import DECLARES, MODULES, PARTS, USES
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import ParseStatus
from tests.repo_mcp.symbol_index.structure_tree import StructureTree

FILES = {
    "a.tiny": "def getUserName\ndef get_user\nuse load\nimport Base from pkg.models as Root",
    "b/one.tiny": "class UserName\nuse getUserName\nuse getUserName\nbind Hidden",
    "b/two.tiny": "def load\ndef load\nuse getUserName\nuse Root",
    "c.tiny": "def größe\npartial\n",
    "z.tiny": "def user\ndef user_list\ndef userMap",
}


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[StructureTree]:
    made = StructureTree(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["one segment", "a segment a file", "with dead files"])
def view(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SymbolIndex]:
    """Yield the same files, however they came into the index. It is only read."""
    tree = StructureTree(tmp_path_factory.mktemp("view"))
    with pytest.MonkeyPatch.context() as monkeypatch:
        view = build_view(tree, request.param, monkeypatch)
    yield view
    tree.close()


def build_view(tree: StructureTree, how: str, monkeypatch: pytest.MonkeyPatch) -> SymbolIndex:
    if how == "one segment":
        tree.write(FILES)
        tree.run()
        assert len(tree.read_segments()) == 1
        return tree.open()
    monkeypatch.setattr(merge_policy, "GROWTH", 0)
    monkeypatch.setattr(merge_policy, "DEAD_SHARE", 1.0)
    monkeypatch.setattr(derived_phase, "FULL_MERGE_SHARE", 2.0)
    if how == "with dead files":
        tree.write(
            {path: f"def old\nuse getUserName\ndef x{ordinal}\n" for ordinal, path in enumerate(FILES)}
        )
        tree.write({"kept.tiny": "nothing\n"})
        tree.run()
    for path, text in FILES.items():
        tree.write({path: text})
        tree.run()
    if how == "with dead files":
        tree.remove("kept.tiny")
        tree.run()
    else:
        assert len(tree.read_segments()) == len(FILES)
    return tree.open()


def test_names_lead_to_files(view: SymbolIndex) -> None:
    assert view.list_paths(DECLARES, "getUserName") == ["a.tiny"]
    assert view.list_paths(USES, "getUserName") == ["b/one.tiny", "b/two.tiny"]
    assert view.list_paths(DECLARES, "getusername") == []
    assert view.list_paths(PARTS, "getusername") == ["a.tiny"]
    assert view.list_paths(PARTS, "user") == ["a.tiny", "b/one.tiny", "z.tiny"]
    assert view.list_paths(USES, "Root") == ["a.tiny", "b/two.tiny"]
    assert (view.list_paths(USES, "Base"), view.list_paths(USES, "Hidden")) == (["a.tiny"], [])
    assert view.list_paths(MODULES, "pkg.models") == ["a.tiny"]
    assert (view.list_paths(USES, "nowhere"), view.list_paths(DECLARES, "")) == ([], [])


def test_files_are_counted_as_they_are_listed(view: SymbolIndex) -> None:
    names = ["user", "nowhere", "", *view.iter_terms(DECLARES), *view.iter_terms(USES)]
    for field, name in itertools.product((DECLARES, PARTS, USES, MODULES), names):
        assert view.count_paths(field, name) == len(view.list_paths(field, name)), (field, name)


def test_terms_come_in_order_each_once(view: SymbolIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [term for term in view.iter_terms(DECLARES) if view.list_paths(DECLARES, term)]
    declared = ["getUserName", "get_user", "UserName", "load", "größe", "user", "user_list", "userMap"]
    files = {path.rpartition("/")[2] for path in view.iter_paths()}
    assert names == sorted([*declared, *files], key=str.encode)
    assert list(view.iter_terms(DECLARES, "get")) == ["getUserName", "get_user"]
    assert list(view.iter_terms(USES, "get")) == ["getUserName"]
    assert list(view.iter_terms(DECLARES, "zz")) == []
    hump = re.compile(rb"^g[^A-Z\n]*U[^A-Z\n]*N[^\n]*$", re.MULTILINE)
    assert list(view.iter_terms(DECLARES, "g", hump)) == ["getUserName"]
    assert list(view.iter_terms(DECLARES, "get_", hump)) == []
    whole = [term for term in view.iter_terms(DECLARES) if re.fullmatch(r"(?a:\w)*", term)]
    assert list(view.iter_terms(DECLARES, "", re.compile(rb"^\w*$", re.MULTILINE))) == whole
    assert list(view.iter_terms(DECLARES, pattern=re.compile(rb"^user[^\n]*$", re.MULTILINE))) == [
        "user",
        "userMap",
        "user_list",
    ]
    assert list(view.iter_terms(MODULES)) == ["pkg.models"]


@pytest.mark.parametrize("literal", ["name", "NAME", "user", "e", "größe", "GRÖSSE", "ö", "nowhere", ""])
def test_lines_without_a_literal_are_passed_over(view: SymbolIndex, literal: str) -> None:
    part = re.escape(literal.encode())
    pattern = re.compile(rb"^[^\n]*" + part + rb"[^\n]*$", re.MULTILINE | re.IGNORECASE)
    for field in (DECLARES, PARTS, USES):
        whole = list(view.iter_terms(field, "", pattern))
        assert list(view.iter_terms(field, "", pattern, literal)) == whole


def test_a_line_feed_alone_is_at_the_end_of_each_line(view: SymbolIndex) -> None:
    pattern = re.compile(rb"^\w*$", re.MULTILINE)
    assert list(view.iter_terms(USES, "", pattern, "\n")) == list(view.iter_terms(USES, "", pattern))


@pytest.mark.parametrize("is_large", [False, True])
def test_few_pages_are_read_for_names_with_a_rare_end(
    tree: StructureTree, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    monkeypatch.setattr(term_dictionary, "LARGE_PAGES", 1 if is_large else 1_000)
    names = [*(f"get{number:04d}Name" for number in range(3000)), "openVault", "VAULT", "vaults"]
    tree.write({"a.tiny": "".join(f"def {name}\n" for name in names)})
    tree.run()
    view = tree.open()
    pages: list[int] = []
    read = TermsReader.read_texts

    def read_texts(self: TermsReader, start: int, stop: int) -> object:
        pages.append(stop - start)
        return read(self, start, stop)

    monkeypatch.setattr(TermsReader, "read_texts", read_texts)
    ending = re.compile(rb"^\w*vault$", re.MULTILINE | re.IGNORECASE)
    assert list(view.iter_terms(DECLARES, "", ending, "Vault\n")) == ["VAULT", "openVault"]
    total = view.snapshot.segments[0].reader.terms.pages
    assert sum(pages) < total / 2 if is_large else sum(pages) >= total


def test_many_pages_of_terms(tree: StructureTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbol_index, "SCAN_PAGES", 2)
    names = [f"name{number:04d}" for number in range(1000)]
    tree.write({"a.tiny": "".join(f"def {name}\nuse u{name}\n" for name in names)})
    tree.run()
    view = tree.open()
    assert list(view.iter_terms(DECLARES)) == ["a.tiny", *names]
    assert list(view.iter_terms(USES, "uname07")) == [f"uname{number:04d}" for number in range(700, 800)]
    ending = re.compile(rb"^[^\n]*99$", re.MULTILINE)
    assert list(view.iter_terms(DECLARES, "name", ending)) == [
        f"name{number}99" for number in ("00", "01", "02", "03", "04", "05", "06", "07", "08", "09")
    ]


def test_files_are_ranked_by_the_parts_that_they_declare(view: SymbolIndex) -> None:
    ranked = view.rank_files(["user", "name"], 10)
    assert {path for path, _ in ranked} == {"a.tiny", "b/one.tiny", "z.tiny"}
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert ranked[0][0] in ("a.tiny", "b/one.tiny")
    assert view.rank_files(["user", "name"], 1) == ranked[:1]
    assert view.rank_files(["nowhere"], 5) == []
    assert dict(view.rank_files(["load"], 5)).keys() == {"b/two.tiny"}


def test_ranks_do_not_depend_on_how_files_came_into_segments(
    tree: StructureTree, view: SymbolIndex, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = StructureTree(tmp_path_factory.mktemp("whole"))
    whole.write(FILES)
    whole.run()
    for terms in (["user"], ["user", "get"], ["load", "user", "user"]):
        assert view.rank_files(terms, 10) == whole.open().rank_files(terms, 10)
    whole.close()


def test_counts_are_those_of_live_files(view: SymbolIndex) -> None:
    assert (view.snapshot.file_count, view.symbol_count) == (5, 9)
    assert view.statuses == {ParseStatus.FULL: 4, ParseStatus.PARTIAL: 1, ParseStatus.FAILED: 0}
    assert sum(view.languages.values()) == 5
    assert list(view.iter_paths()) == sorted(FILES)


def test_what_was_read_of_segments_is_used_again(tree: StructureTree) -> None:
    tree.write(FILES)
    tree.run()
    first = tree.open()
    tree.write({"new.tiny": "def new\n"})
    tree.run()
    second = SymbolIndex(tree.open().snapshot, lambda _path: None, first)
    assert second.files[0] is first.files[0]
    assert second.list_paths(DECLARES, "new") == ["new.tiny"]
