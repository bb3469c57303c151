"""Rows of hits as text: what is a name and what a line, and which lines are of the named declaration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.economy.evidence import read_lines
from repo_mcp.model import Hit
from repo_mcp.repository import Repository
from repo_mcp.toolsets.repo.hit_rows import write_brief, write_hit
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call

FILES = {
    "far.rb": "class A::B\n  def far\n    far\n  end\n\n  def far_off\n  end\nend\n",
    "far.md": "# Notes: far\n\n## Sub: far\n\ntext\n\n## in far: away\n\na\n\nfar\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    with open_indexed(tmp_path_factory.mktemp("rows") / "root", FILES) as repository:
        yield repository


def search(repository: Repository, query: str, **arguments: object) -> Any:
    return call(repository, "repo.search", query=query, **arguments)["result"]


def test_a_name_with_a_colon_is_not_named_before_a_declaring_line(repository: Repository) -> None:
    query = {"mode": "regex", "detail": "text"}
    (ruby,) = search(repository, "far", **query, file_glob="*.rb")["hits"]
    assert ruby == "far.rb\n2-4 A::B.far\n2:def far\n3:  far\n6-7:def far_off"
    (notes,) = search(repository, "Sub: far", **query, file_glob="*.md")["hits"]
    assert notes == "far.md\n3-5 Notes: far.Sub: far\n3:## Sub: far"
    (ranked,) = search(repository, "B.far", mode="symbol", detail="text", file_glob="*.rb", top_k=1)["hits"]
    assert ranked == "far.rb\n2-4 A::B.far\n2:def far\n3:  far\n4:end"
    (record,) = search(repository, "def far", mode="literal", file_glob="*.rb")["hits"]
    assert record["snippet"] == "2-4 in A::B\tdef far\n6-7\tdef far_off"


def test_a_name_with_a_colon_is_no_line() -> None:
    hit = Hit("a.md", 9, 9, "9\ta: b\n", 1.5, ("a",), "in short: it works", symbol_lines=(8, 10))
    assert write_hit(hit, []) == "a.md\n8-10  in short: it works\n9:a: b"
    shown = {("a.md", 9): "a: b"}
    assert read_lines([write_hit(hit, [])]) == shown
    assert read_lines([write_hit(replace(hit, symbol="A::B.x", symbol_name="x"), [])]) == shown
    assert read_lines([write_brief(hit, [])]) == {}


def test_lines_outside_of_the_declaration_are_set_off_from_it() -> None:
    lines = "2\tx = 1\n3\ty = 2\n8\tdef f():\n9\t    pass\n14\t    z = 3\n"
    hit = Hit("a.py", 2, 14, lines, 1.5, ("x",), "A.f", symbol_lines=(8, 10), symbol_name="f")
    assert write_hit(hit, []) == "a.py\n2:x = 1\n3:y = 2\n8-10 in A:def f():\n9:    pass\n\n14:z = 3"


def test_files_with_the_same_lines_are_named_once_as_text(tmp_path: Path) -> None:
    files = {
        "docs/de/a.md": "eins\nrun settle_account now\nrun settle_account twice\n",
        "docs/es/a.md": "run settle_account now\n\nrun settle_account twice\n",
        "docs/fr/a.md": "run settle_account now\nrun settle_account once\n",
        "docs/it/a.md": "uno\ndue\nrun settle_account now\nrun settle_account twice\n",
        "tests/a.py": "def f():\n    settle_account()\n",
        "tests/b.py": "x = 1\ndef f():\n    settle_account()\n",
        "tests/c.py": "def g():\n    settle_account()\n",
    }
    with open_indexed(tmp_path / "root", files) as repository:
        texts = search(repository, "settle_account", mode="literal", detail="text")
        records = search(repository, "settle_account", mode="literal")
    assert texts["hits"] == [
        "tests/a.py\n1-2 f\n2:settle_account()\nsame lines in tests/b.py:3",
        "tests/c.py\n1-2 g\n2:settle_account()",
        "docs/de/a.md\n2:run settle_account now\n3:run settle_account twice\n"
        "same lines in docs/es/a.md:1,3, docs/it/a.md:3-4",
        "docs/fr/a.md\n1:run settle_account now\n2:run settle_account once",
    ]
    assert [hit["path"] for hit in records["hits"]] == sorted(files, key=lambda path: (path < "t", path))
    assert read_lines(texts["hits"]) == {
        (hit["path"], number): text.strip()
        for hit in records["hits"]
        for (_, number), text in read_lines([hit]).items()
    }


def test_brackets_alone_are_not_the_same_lines(tmp_path: Path) -> None:
    with open_indexed(tmp_path / "root", {"a.md": "}\n", "b.md": "}\n"}) as repository:
        hits = search(repository, "}", mode="literal", detail="text")["hits"]
    assert hits == ["a.md\n1:}", "b.md\n1:}"]


def test_lines_that_are_cut_are_not_the_same_lines(tmp_path: Path) -> None:
    texts = {f"{name}.md": f"settle_account {'x ' * 300}{name}\n" for name in "ab"}
    with open_indexed(tmp_path / "root", texts) as repository:
        hits = search(repository, "settle_account", mode="literal", detail="text")["hits"]
    assert [hit.partition("\n")[0] for hit in hits] == ["a.md", "b.md"]
    assert not any("same lines" in hit for hit in hits)


def test_declarations_of_one_name_are_named_together() -> None:
    also = ("A.f", (20, 25)), ("A.f", (30, 36)), ("A.g", (40, 44)), ("B.f", (50, 52))
    hit = Hit("a.py", 8, 8, "8\tdef f():\n", 1.5, (), "A.f", symbol_lines=(8, 10), symbol_name="f", also=also)
    assert write_hit(hit, []).endswith("\nalso 20-25,30-36 .f, 40-44 .g, 50-52 B.f")
