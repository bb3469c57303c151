"""The text that large trees are made of."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.peers.scale import Renamer, SourceText

TEXT = b"static int tcp_congestion_control(struct socket *sock) { return readBuffer(sock); }\n" * 3


def test_the_first_copy_is_the_text_itself() -> None:
    assert Renamer(0).rename(TEXT) == TEXT


def test_names_change_from_copy_to_copy_and_words_of_the_language_stay() -> None:
    names = [f"name_{number}_of_it" for number in range(300)]
    text = " ".join(["return", "static", "struct", *names]).encode()
    copies = [Renamer(copy).rename(text) for copy in (1, 2)]
    assert Renamer(1).rename(text) == copies[0]
    assert copies[0] != copies[1]
    for copy in copies:
        assert copy.startswith(b"return static struct ")
        kept = set(names) & set(copy.decode().split())
        assert 100 < len(kept) < 220


def test_a_larger_tree_repeats_no_file(made_tree: Path, tmp_path: Path) -> None:
    source = SourceText(made_tree)
    source.write_tree(tmp_path / "large", 60)
    digests = [hashlib.sha256(file.read_bytes()).digest() for file in tmp_path.rglob("*") if file.is_file()]
    assert len(digests) == 60
    assert len(set(digests)) >= 55  # a file without a compound name is the same in each copy


def test_a_smaller_tree_is_a_sample(made_tree: Path, tmp_path: Path) -> None:
    SourceText(made_tree).write_tree(tmp_path / "small", 5)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == 5
    for file in files:
        assert file.read_bytes() == (made_tree / file.relative_to(tmp_path / "small" / "copy0")).read_bytes()


def test_space_is_asked_for_in_proportion(made_tree: Path) -> None:
    source = SourceText(made_tree)
    one, two, three = (source.estimate_bytes(files) for files in (1_000, 2_000, 3_000))
    assert three - two == pytest.approx(two - one, abs=10)
