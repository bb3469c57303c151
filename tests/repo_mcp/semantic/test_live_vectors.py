"""What a search gets of the vectors: blended where there are any, and an honest word where there are none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index_format import CorruptIndex
from repo_mcp.cli import main
from repo_mcp.ranking.files.ranking import rank
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.repository import Repository
from repo_mcp.semantic.live_vectors import NO_QUESTION
from tests.repo_mcp.semantic.semantic_roots import find_directory, make_tree, open_root, vectors_of
from tests.repo_mcp.semantic.tiny_model import write_model
from tests.waiting import wait_until

QUERY = parse_query("how to open a token", 100)


@pytest.fixture(name="model", scope="module")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(name="root")
def make_root(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "root")


@pytest.fixture(name="repository")
def open_repository(root: Path, model: Path, tmp_path: Path) -> Iterator[Repository]:
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        yield repository


def searcher_of(repository: Repository) -> Searcher:
    return repository._index.get_searcher()


def test_meaning_is_part_of_the_score(repository: Repository) -> None:
    vectors = vectors_of(repository)
    vectors.build()
    found = vectors.rank(searcher_of(repository), QUERY, 0.7, 10)
    assert found.chunks
    assert all("meaning" in dict(chunk.explanation) for chunk in found.chunks)
    assert vectors.rank(searcher_of(repository), QUERY, 0.7, 10) == found
    assert repository.status().warnings == ()


def test_without_weight_it_is_by_words_and_no_process_is_started(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = vectors_of(repository)
    vectors.build()
    monkeypatch.setattr("repo_mcp.process.parse_worker._start_child", None)
    searcher = searcher_of(repository)
    assert vectors.rank(searcher, QUERY, 0.0, 10) == rank(searcher, QUERY, 10, bounded=True)


def test_before_there_are_vectors_it_is_by_words_and_said(repository: Repository) -> None:
    vectors, searcher = vectors_of(repository), searcher_of(repository)
    assert vectors.rank(searcher, QUERY, 0.7, 10) == rank(searcher, QUERY, 10, bounded=True)
    assert "0 of 4 files" in vectors.warn()[0]
    assert "0 of 4 files" in repository.status().warnings[-1]


def test_a_changed_file_counts_by_its_words_until_it_is_embedded(repository: Repository, root: Path) -> None:
    vectors = vectors_of(repository)
    vectors.build()
    (root / "doc.md").write_text("How to open a token.\n")
    repository.refresh()
    found = vectors.rank(searcher_of(repository), QUERY, 0.7, 10)
    by_path = {chunk.path: dict(chunk.explanation) for chunk in found.chunks}
    assert "meaning" not in by_path["doc.md"]
    assert "meaning" in by_path["a.py"]
    assert "3 of 4 files" in vectors.warn()[0]
    vectors.build()
    assert vectors.warn() == []


def test_a_question_without_a_vector_is_answered_by_words(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, searcher = vectors_of(repository), searcher_of(repository)
    vectors.build()
    monkeypatch.setattr("repo_mcp.semantic.embedding_process.START_PAUSE_SECONDS", 0.0)
    with monkeypatch.context() as broken:
        broken.setattr("repo_mcp.process.parse_worker._start_child", refuse_to_start)
        assert vectors.rank(searcher, QUERY, 0.7, 10) == rank(searcher, QUERY, 10, bounded=True)
        assert vectors.warn() == [NO_QUESTION]
    assert vectors.rank(searcher, QUERY, 0.7, 10) != rank(searcher, QUERY, 10, bounded=True)
    assert vectors.warn() == []


def refuse_to_start(*_: object) -> None:
    raise OSError


def test_damaged_vectors_are_passed_over_and_made_anew(root: Path, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with closing(open_root(root, model, data)) as repository:
        repository.refresh()
        vectors_of(repository).build()
    (segment,) = find_directory(data).glob("*.seg")
    whole = segment.read_bytes()
    segment.write_bytes(bytes([whole[0], *(byte ^ 0xFF for byte in whole[1:200]), *whole[200:]]))
    with closing(open_root(root, model, data)) as repository:
        vectors, searcher = vectors_of(repository), searcher_of(repository)
        assert vectors.rank(searcher, QUERY, 0.7, 10) == rank(searcher, QUERY, 10, bounded=True)
        wait_until(lambda: vectors.status().state == "ready" and not vectors.warn())
        assert "meaning" in dict(vectors.rank(searcher, QUERY, 0.7, 10).chunks[0].explanation)
    assert segment.read_bytes() == whole


def test_damage_that_a_search_meets_does_not_end_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, searcher = vectors_of(repository), searcher_of(repository)
    vectors.build()
    with monkeypatch.context() as broken:
        broken.setattr("repo_mcp.semantic.vector_index.compare", meet_damage)
        assert vectors.rank(searcher, QUERY, 0.7, 10) == rank(searcher, QUERY, 10, bounded=True)
    wait_until(lambda: vectors.status().state == "ready" and not vectors.warn())
    assert vectors.rank(searcher, QUERY, 0.7, 10) != rank(searcher, QUERY, 10, bounded=True)


def meet_damage(*_: object) -> None:
    raise CorruptIndex("page 3 has a wrong checksum")


def test_the_command_line_makes_them_and_says_so(
    root: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data"), "--semantic-model", str(model)]
    assert main(["index", *options]) == 0
    assert "4 of 4 files, 5 chunks" in capsys.readouterr().out
    assert main(["status", *options, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {key: shown["vectors"][key] for key in ("state", "files_done", "files_total", "chunks")} == {
        "state": "ready",
        "files_done": 4,
        "files_total": 4,
        "chunks": 5,
    }
    assert main(["status", *options[:4], "--json"]) == 0
    assert "vectors" not in json.loads(capsys.readouterr().out)


def test_a_folder_that_is_no_model_is_a_mistake_of_usage(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", "--repo-root", str(root), "--semantic-model", str(tmp_path)]) == 2
    assert "--semantic-model: the folder has no model.safetensors" in capsys.readouterr().err


def test_a_first_set_of_vectors_begins_with_that_of_another_checkout(
    repository: Repository, root: Path, model: Path, tmp_path: Path
) -> None:
    vectors_of(repository).build()
    copy = shutil.copytree(root, tmp_path / "copy")
    (copy / "a.py").write_text("def open_again():\n    return the\n")
    (copy / "doc.md").unlink()
    data = tmp_path / "data"  # both roots keep their indexes there
    with closing(open_root(copy, model, data, index_from=str(root))) as other:
        other.refresh()
        report = vectors_of(other).build()
        assert (report.embedded, report.removed) == (1, 1)
        with closing(open_root(copy, model, tmp_path / "fresh")) as fresh:
            fresh.refresh()
            assert vectors_of(fresh).build().embedded == report.embedded + report.unchanged
            ranked = [vectors_of(one).rank(searcher_of(one), QUERY, 0.7, 10) for one in (other, fresh)]
            assert ranked[0] == ranked[1]
