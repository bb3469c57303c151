"""`repo.search` where several files have the same lines: they are shown once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.ranking import ranked_answer
from repo_mcp.ranking.direct_hits import scope
from repo_mcp.ranking.files.ranking import OrderedFiles, order_files
from repo_mcp.ranking.page.snippets import ShownHits, show_hits
from repo_mcp.repository import Repository
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.toolsets.repo.repo_calls import call as call_tool
from tests.repo_mcp.toolsets.repo.searched_roots import build, search, tell


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Yield a repository with six copies of one example, one that was changed, and a file of its own."""
    example = "{}def mend_the_sail(canvas):\n    canvas.mended = {}\n    return canvas\n"
    copies = {f"step{number}/sail": example.format("\n" * number, True) for number in range(6)}
    changed = {"step6/sail": example.format("", False), "yard": "# mend the sail\nYARD = 'sail, mend'\n"}
    with closing(build(tmp_path_factory.mktemp("copies") / "root", **copies, **changed)) as repository:
        yield repository


QUESTION = "how do I mend the sail"


def test_copies_of_what_is_shown_are_named_with_it(copied: Repository) -> None:
    hits = search(copied, QUESTION)["hits"]
    places = ["step1/sail.py:2-4", "step2/sail.py:3-5", "step3/sail.py:4-6", "2 more"]
    assert [(hit["path"], hit["copies"]) for hit in hits] == [
        ("step0/sail.py", places),
        ("step6/sail.py", []),
        ("yard.py", []),
    ]
    rows = search(copied, QUESTION, detail="text")["hits"][0].split("\n")
    assert rows[-1] == f"same lines in {', '.join(places)}"
    assert all("copies" not in tell(hit) for hit in search(copied, QUESTION, explain=True)["hits"])
    text = call_tool(copied, "repo.open_file", path=places[0])["result"]["content"]
    assert text.startswith("2\tdef mend_the_sail")


def test_what_only_begins_alike_is_no_copy(tmp_path: Path) -> None:
    for system, end in (("posix", "fork"), ("windows", "spawn")):
        text = "def start_worker(pool):\n" + "    pool.count += 1\n" * 40 + f"    return pool.{end}()\n"
        (tmp_path / f"{system}.py").write_text(text)
    with open_indexed(tmp_path) as repository:
        for query in ("start_worker", "how is a worker of a pool started"):
            hits = search(repository, query)["hits"]
            assert {hit["path"] for hit in hits} == {"posix.py", "windows.py"}
            assert not any(hit["copies"] for hit in hits)


def test_a_page_goes_on_behind_copies(copied: Repository) -> None:
    first = search(copied, QUESTION, top_k=4)
    assert [hit["path"] for hit in first["hits"]] == ["step0/sail.py", "step6/sail.py"]
    rest = search(copied, QUESTION, top_k=4, cursor=first["cursor"])
    assert [hit["path"] for hit in rest["hits"]] == ["yard.py"]
    assert not rest["truncated"]


def test_hits_in_place_of_copies_are_not_ranked_again(
    copied: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[int] = []
    shown: list[int] = []

    def order(*given: Any) -> OrderedFiles:
        ranked.append(1)
        return order_files(*given)

    def show(*given: Any) -> ShownHits:
        shown.append(1)
        return show_hits(*given)

    monkeypatch.setattr(scope, "order_files", order)
    monkeypatch.setattr(ranked_answer, "show_hits", show)
    answer = search(copied, QUESTION, top_k=4)
    assert [len(hit["copies"]) for hit in answer["hits"]] == [4, 0]
    assert (len(ranked), len(shown)) == (1, 2)


def test_a_page_of_a_name_goes_on_behind_copies(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.yml").write_text("set_the_sail: true\n")
    (tmp_path / "late.yml").write_text("other: 1\n" * 30 + "when: set_the_sail\n")
    with open_indexed(tmp_path) as repository:
        hits = search(repository, "set_the_sail")["hits"]
    assert [len(hit["copies"]) for hit in hits] == [4, 0]
    assert hits[1]["path"] == "late.yml"
