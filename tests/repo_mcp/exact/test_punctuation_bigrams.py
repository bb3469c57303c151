"""Pairs of signs: no file that holds them is ruled out, and a version that changed never is."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from index_format import FilesReader, compute_fingerprint
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.exact import file_bitmaps
from repo_mcp.exact.patterns import read_pattern
from repo_mcp.exact.punctuation_bigrams import PUNCTUATION, PunctuationBigrams, list_bigrams
from repo_mcp.indexing.side_files import write_side_file
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository
from repo_mcp.text.lines import decode_source
from tests.no_threads import no_threads
from tests.repo_mcp.exact.exact_patterns import expressions
from tests.repo_mcp.exact.learnt_neighbours import grow_old

signs = st.text(PUNCTUATION + "\taé\n", max_size=12)
raws = st.one_of(
    st.none(),
    signs.map(str.encode),
    signs.map(lambda text: text.replace("\n", "\r\n").encode()),
    signs.map(lambda text: text.encode("latin-1")),
    signs.map(lambda text: text.encode("utf-16")),
    signs.map(lambda text: text.encode("utf-32")),
    signs.map(lambda text: b"\xef\xbb\xbf" + text.encode()),
)


@given(st.lists(raws, min_size=1, max_size=5), st.lists(st.integers(0, 4)))
@example([b"=", b"~="], [])
@example([b""], [0])
def test_every_pair_of_a_text_is_marked(files: list[bytes | None], changed: list[int]) -> None:
    prints = [compute_fingerprint(raw or b"") for raw in files]
    for position in changed:
        prints[position % len(files)] = b"another version "
    table = PunctuationBigrams(cast(FilesReader, None)).mark_versions(files, prints)
    for position, raw in enumerate(files):
        if raw is None or prints[position] == b"another version ":
            assert table[position].all()
            continue
        try:
            lines = decode_source(raw).data.decode().split("\n")
        except RepoError:
            continue
        pairs = list_bigrams(lines)
        assert table[position][list(pairs)].all()
        if raw.isascii():
            assert table[position].sum() == len(pairs)


@given(expressions)
def test_the_pairs_of_a_pattern_are_those_of_its_literals(pattern: str) -> None:
    reading = read_pattern(ExactRequest(pattern, regex=True))
    assert set(list_bigrams([reading.literal])) <= set(reading.bigrams)


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"\)\s*\{\{", ["{{"]),
        (r"\$\$\{x|y", []),
        (r"a->b.=~=", ["->", "=~="]),
        (r"(\$\$)?\{\{+", []),
        (r"\t \t=", [" ="]),
        (r"(?i)=~x", []),
        (r"\Q=~=\E", ["=~="]),
    ],
)
def test_pairs_of_expressions(pattern: str, literals: list[str]) -> None:
    assert read_pattern(ExactRequest(pattern, regex=True)).bigrams == list_bigrams(literals)


def test_pairs_of_literals() -> None:
    assert read_pattern(ExactRequest("a =~= B", case_sensitive=False)).bigrams == list_bigrams(
        ["=~=", " =", "= "]
    )
    assert read_pattern(ExactRequest("=\n=")).bigrams == ()


@pytest.fixture
def repository(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Repository]:
    monkeypatch.setattr(file_bitmaps, "MIN_FILES", 10)
    monkeypatch.setattr(file_bitmaps, "BYTES_AT_ONCE", 100)  # three files
    for number in range(100):
        line = "a =~= b\n" if number == 7 else "a = ~b\n"
        add_text(tmp_path, f"src/f{number:02}.c", f"int x{number} = y->z;\n{line}")
        os.utime(tmp_path / f"src/f{number:02}.c", (1e9, 1e9))
    grow_old(monkeypatch)
    repository = Repository(load_config(str(tmp_path), data_dir=str(tmp_path_factory.mktemp("index"))))
    repository.refresh()
    yield repository
    repository.close()


def add_text(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(text)


def learn(repository: Repository) -> None:
    """Search until the signs are known."""
    assert list_paths(repository, "=~=") == ["src/f07.c"]
    assert repository.engines.exact._searcher is not None
    assert repository.engines.exact._searcher.join(10)


def list_paths(repository: Repository, pattern: str) -> list[str]:
    return [path for path, _ in repository.search_exact(ExactRequest(pattern)).files]


def test_the_second_search_reads_few_files(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repository.search_exact(ExactRequest("=~=")).scanned
    learn(repository)
    read: list[str] = []
    real = repository.tree.read_many
    monkeypatch.setattr(repository.tree, "read_many", lambda paths: read.extend(paths) or real(paths))
    answer = repository.search_exact(ExactRequest("=~="))
    assert [path for path, _ in answer.files] == ["src/f07.c"]
    assert not answer.scanned
    assert read == ["src/f07.c"]


def test_the_second_search_of_any_kind_learns(repository: Repository) -> None:
    assert list_paths(repository, "f07") == []
    searcher = repository.engines.exact._searcher
    assert searcher is not None
    assert not searcher._learning
    assert list_paths(repository, "f08") == []
    assert searcher.join(10)
    assert not repository.search_exact(ExactRequest("=~=")).scanned


def find_side_files(repository: Repository) -> list[Path]:
    return sorted(Path(repository.config.data_dir or "").glob("*/*.side"))


def test_what_was_learnt_is_kept_for_the_next_process(repository: Repository) -> None:
    learn(repository)
    (kept,) = find_side_files(repository)
    assert kept.with_name(f"{kept.name.partition('.')[0]}.seg").is_file()
    with closing(Repository(repository.config)) as other:
        answer = other.search_exact(ExactRequest("=~="))
        assert [path for path, _ in answer.files] == ["src/f07.c"]
        assert not answer.scanned
        assert other.engines.exact._searcher is not None
        assert not other.engines.exact._searcher._learning


@pytest.mark.parametrize("damage", ["cut", "changed", "of another segment"])
def test_what_was_kept_and_is_not_ours_is_learnt_again(repository: Repository, damage: str) -> None:
    learn(repository)
    (kept,) = find_side_files(repository)
    whole = kept.read_bytes()
    directory = repository._index.generation.directory
    if damage == "of another segment":
        write_side_file(directory, f"{'0' * 32}.pairs.side", 1, {"files": 100, "rows": [b""] * 1024})
        kept.write_bytes(kept.with_name(f"{'0' * 32}.pairs.side").read_bytes())
    else:
        kept.write_bytes(whole[:-1] if damage == "cut" else whole[:-1] + b"?")
    with closing(Repository(repository.config)) as other:
        assert other.search_exact(ExactRequest("=~=")).scanned
        learn(other)
        assert not other.search_exact(ExactRequest("=~=")).scanned
    assert kept.read_bytes() == whole


def test_what_was_kept_goes_with_its_segment(repository: Repository, tmp_path: Path) -> None:
    """A file that is ignored now is purged, and so is what was learnt of it."""
    learn(repository)
    assert len(find_side_files(repository)) == 1
    add_text(tmp_path, ".gitignore", "f07.c\n")
    repository.refresh()
    assert find_side_files(repository) == []


def test_what_is_learnt_of_a_segment_that_went_meanwhile_is_not_kept(
    repository: Repository, tmp_path: Path
) -> None:
    repository.search_exact(ExactRequest("x"))
    searcher = repository.engines.exact._searcher
    assert searcher is not None
    add_text(tmp_path, ".gitignore", "f07.c\n")
    repository.refresh()
    (memory,) = searcher.memory.values()
    memory.bigrams.compute(repository.tree.read_many, lambda: False, gently=False)
    assert memory.bigrams.is_known
    assert find_side_files(repository) == []


def test_a_search_that_finds_no_thread_to_learn_leaves_that_to_the_next(repository: Repository) -> None:
    with no_threads():
        assert list_paths(repository, "=~=") == ["src/f07.c"]
    learn(repository)
    assert not repository.search_exact(ExactRequest("=~=")).scanned


def test_files_that_change_are_found_whatever_is_known_of_them(
    repository: Repository, tmp_path: Path
) -> None:
    learn(repository)
    add_text(tmp_path, "src/f20.c", "p =~= q\n")
    add_text(tmp_path, "new.c", "p =~= q\n")
    add_text(tmp_path, "src/f07.c", "nothing\n")
    assert list_paths(repository, "=~=") == ["new.c", "src/f20.c"]
    repository.refresh()
    assert list_paths(repository, "=~=") == ["new.c", "src/f20.c"]


def test_a_version_that_is_not_the_indexed_one_is_not_learnt(tmp_path: Path, repository: Repository) -> None:
    """The signs are computed while a file has another version, which may be taken back afterwards."""
    add_text(tmp_path, "src/f07.c", "nothing\n")
    repository.search_exact(ExactRequest("=~="))
    assert repository.engines.exact._searcher is not None
    assert repository.engines.exact._searcher.join(10)
    (memory,) = repository.engines.exact._searcher.memory.values()
    may_hold = memory.bigrams.find(list_bigrams(["=~="]))
    assert may_hold is not None
    assert may_hold.nonzero()[0].tolist() == [7]


def test_what_was_learnt_of_segments_that_are_gone_is_not_kept(
    tmp_path: Path, repository: Repository
) -> None:
    """10 MB for the kernel's, for each time that all of it was merged."""
    learn(repository)
    for number in range(3):
        for file in range(12):
            add_text(tmp_path, f"src/{number}/g{file}.c", "a =~= b\n")
        repository.refresh()
        assert len(list_paths(repository, "=~=")) == 13 + 12 * number
        assert repository.engines.exact._searcher is not None
        assert repository.engines.exact._searcher.join(10)
    assert len(repository.engines.exact._searcher._learning) <= 1


def test_closing_stops_what_is_computed(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_bitmaps, "FILES_AT_ONCE", 8)
    entered = threading.Event()
    real = repository.tree.read_many

    def read(paths: list[str]) -> list[bytes | None]:
        if threading.current_thread().name == "sign pairs":
            entered.set()
            assert repository._closed.wait(10)
        return real(paths)

    monkeypatch.setattr(repository.tree, "read_many", read)
    repository.search_exact(ExactRequest("=~="))
    assert entered.wait(10)
    assert repository.engines.exact._searcher is not None
    repository.close()
    (memory,) = repository.engines.exact._searcher.memory.values()
    assert memory.bigrams._rows is None
    assert not any(thread.name == "sign pairs" for thread in threading.enumerate())
