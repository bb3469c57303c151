"""Vectors are made, kept, renewed and merged: with a tiny model, in real processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from index_format import CorruptIndex, DiskDirectory, Snapshot, verify_index
from index_format.chunks import ChunkSpan
from index_format.segment_reader import SegmentReader
from repo_mcp.config.server_config import Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import IndexProgress
from repo_mcp.repository import Repository
from repo_mcp.semantic.model_folder import ModelFolder
from tests.repo_mcp.semantic.semantic_roots import FILES, find_directory, make_tree, open_root, vectors_of
from tests.repo_mcp.semantic.tiny_model import SHAPE, write_model
from tests.waiting import wait_until


@pytest.fixture(name="root")
def make_root(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "root")


@pytest.fixture(name="model", scope="module")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


def read_vectors(data: Path) -> dict[str, np.ndarray]:
    snapshot = Snapshot.open(DiskDirectory(str(find_directory(data))))
    assert snapshot is not None
    with closing(snapshot):
        return {
            segment.reader.files.read_path(file): np.frombuffer(
                segment.reader.records.read(file), dtype=np.int8
            ).reshape(-1, SHAPE.dimensions)
            for segment, file in snapshot.iter_live_files()
        }


def name_segments(data: Path) -> list[str]:
    return sorted(path.name for path in find_directory(data).glob("*.seg"))


def test_code_and_documents_have_a_vector_for_each_chunk(root: Path, model: Path, tmp_path: Path) -> None:
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        done = vectors_of(repository).build()
        status = vectors_of(repository).status()
    found = read_vectors(tmp_path / "data")
    assert {path: len(rows) for path, rows in found.items()} == {
        "a.py": 1,
        "b/reader.py": 3,
        "doc.md": 1,
        "empty.py": 0,
    }
    assert (done.embedded, done.removed, done.left) == (4, 0, ())
    assert (status.state, status.files_done, status.files_total, status.chunks) == ("ready", 4, 4, 5)
    loaded = ModelFolder(str(model)).load()
    wanted = loaded.embed(f"a.py\n{FILES['a.py']}").astype(int)
    assert np.abs(found["a.py"][0] - wanted).max() <= 1  # products may be divided otherwise in this process
    assert verify_index(DiskDirectory(str(find_directory(tmp_path / "data")))) == []


def test_the_bytes_do_not_depend_on_processes_or_history(root: Path, model: Path, tmp_path: Path) -> None:
    changed = {"a.py": "the = open\n", "c.py": "a = b\n"}
    with closing(open_root(root, model, tmp_path / "one", workers=3)) as repository:
        repository.refresh()
        vectors_of(repository).build()
        for path, text in changed.items():
            (root / path).write_text(text)
        os.unlink(root / "doc.md")
        repository.refresh()
        done = vectors_of(repository).build()
        assert (done.embedded, done.removed, done.unchanged) == (2, 1, 2)
        vectors_of(repository).build(anew=True)
    with closing(open_root(root, model, tmp_path / "two")) as repository:
        repository.refresh()
        vectors_of(repository).build()
    assert name_segments(tmp_path / "one") == name_segments(tmp_path / "two")


def test_a_second_round_has_nothing_to_do(root: Path, model: Path, tmp_path: Path) -> None:
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        vectors_of(repository).build()
        before = name_segments(tmp_path / "data")
        done = vectors_of(repository).build()
    assert (done.embedded, done.unchanged) == (0, 4)
    assert name_segments(tmp_path / "data") == before


def test_what_was_committed_stays_when_it_is_cancelled(
    root: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.semantic.vector_phase.COMMIT_SECONDS", 0.0)
    seen: list[IndexProgress] = []
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        with pytest.raises(RepoError) as caught:
            vectors_of(repository).build(progress=seen.append, cancelled=lambda: len(seen) > 2)
        assert caught.value.code is ErrorCode.CANCELLED
        status = vectors_of(repository).status()
        assert status.state == "partial"
        assert 0 < status.files_done < 4
        assert f"{status.files_done} of 4 files" in vectors_of(repository).warn()[0]
        done = vectors_of(repository).build()
        assert done.unchanged == status.files_done
        assert vectors_of(repository).warn() == []


def test_progress_tells_of_files(root: Path, model: Path, tmp_path: Path) -> None:
    seen: list[IndexProgress] = []
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        vectors_of(repository).build(progress=seen.append)
    counts = [one.files_done for one in seen]
    assert counts == sorted(counts)
    assert {one.files_total for one in seen} == {4}
    assert counts[-1] == 4
    assert [one.phase for one in seen if one.phase != "vectors"] == ["merge"]


def test_another_model_has_vectors_of_its_own(root: Path, model: Path, tmp_path: Path) -> None:
    other = write_model(tmp_path / "other", seed=8)
    for folder in (model, other):
        with closing(open_root(root, folder, tmp_path / "data")) as repository:
            repository.refresh()
            assert vectors_of(repository).status().chunks == 0
            vectors_of(repository).build()
    assert len(list((tmp_path / "data").glob("vectors-*"))) == 2


def test_damaged_vectors_are_made_anew(root: Path, model: Path, tmp_path: Path) -> None:
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        vectors_of(repository).build()
    (segment,) = find_directory(tmp_path / "data").glob("*.seg")
    whole = segment.read_bytes()
    segment.write_bytes(whole[:40] + b"\xff" + whole[41:])
    (find_directory(tmp_path / "data") / segment.name).write_bytes(whole[:-1] + b"\0")
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        assert vectors_of(repository).build().embedded == 4
        assert vectors_of(repository).status().state == "ready"
    assert segment.read_bytes() == whole


@pytest.fixture(name="background")
def serve_in_background(root: Path, model: Path, tmp_path: Path) -> Iterator[Repository]:
    config = Config(
        str(root), data_dir=str(tmp_path / "data"), semantic_model=str(model), toolsets=("research",)
    )
    with closing(Repository(config)) as repository:
        yield repository


def test_a_server_makes_them_behind_its_answers(background: Repository) -> None:
    background.start_background_refresh()
    wait_until(lambda: vectors_of(background).status().state == "ready")
    assert vectors_of(background).status().chunks == 5


def count_files(data: Path) -> int:
    """Count the files in all segments, dead ones as well."""
    snapshot = Snapshot.open(DiskDirectory(str(find_directory(data))))
    assert snapshot is not None
    with closing(snapshot):
        return sum(segment.entry.files for segment in snapshot.segments)


@pytest.mark.parametrize("how", ["round", "refresh"])
def test_of_a_file_that_is_denied_nothing_stays(root: Path, model: Path, tmp_path: Path, how: str) -> None:
    """By the next round, and where none comes, by the refresh. Nor of the version from before."""
    for number in range(30):  # so that two dead files are not worth a merge
        (root / f"f{number:02}.md").write_text(f"word {number}\n")
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        vectors_of(repository).build()
        (root / "a.py").write_text("a = read\n")
        repository.refresh()
        assert vectors_of(repository).build().embedded == 1
        assert count_files(tmp_path / "data") == 35
        (root / "a.py").rename(root / ".env")
        if how == "round":
            vectors_of(repository).note_refresh = lambda: None  # type: ignore[method-assign]
        repository.refresh()
        done = vectors_of(repository).build() if how == "round" else None
        assert done is None or (done.embedded, done.removed) == (0, 1)
        assert count_files(tmp_path / "data") == 33
        assert "a.py" not in read_vectors(tmp_path / "data")
        assert vectors_of(repository).status().state == "ready"


def test_where_there_are_no_vectors_a_purge_makes_none(root: Path, model: Path, tmp_path: Path) -> None:
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        (root / "a.py").rename(root / ".env")
        repository.refresh()
        assert not list((tmp_path / "data").glob("vectors*"))


def test_damage_that_a_round_meets_is_not_that_of_the_words(
    root: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        vectors_of(repository).build()
        os.unlink(root / "doc.md")
        repository.refresh()
        monkeypatch.setattr("repo_mcp.indexing.derived.phase.purge", meet_damage)
        done = vectors_of(repository).build()
        assert (done.embedded, done.unchanged) == (3, 0)
        assert repository.status().warnings == ()


def test_damage_of_the_words_costs_no_vectors(
    root: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.semantic.vector_phase.COMMIT_SECONDS", 0.0)
    with closing(open_root(root, model, tmp_path / "data")) as repository:
        repository.refresh()
        vectors_of(repository).build()
        for number in range(9):  # the largest is embedded last, long after the first were committed
            (root / f"n{number}.py").write_text("the = read\n" * (number + 20))
        repository.refresh()
        read_spans = SegmentReader.read_spans

        def read_some(reader: SegmentReader, file: int) -> list[ChunkSpan]:
            if reader.files.read_path(file) == "n8.py":
                meet_damage()
            return read_spans(reader, file)

        monkeypatch.setattr(SegmentReader, "read_spans", read_some)
        with pytest.raises(RepoError) as caught:
            vectors_of(repository).build()
        assert caught.value.code is ErrorCode.INDEX_UNAVAILABLE
        assert {"a.py", "b/reader.py", "doc.md", "empty.py", "n0.py"} <= set(read_vectors(tmp_path / "data"))


def meet_damage(*_: object) -> None:
    raise CorruptIndex("a segment")
