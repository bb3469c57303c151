"""Which of the files that remain to be indexed go first because a call needs them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import cast

from repo_mcp.indexing.remaining_files import RemainingFiles
from repo_mcp.live.look_ahead import FEWEST_FILES, MAX_BYTES, LookAhead, Need

WORD = "halibut"
FILLING = {f"other/{number:02}.py": b"pass\n" for number in range(FEWEST_FILES)}


class Remaining:
    """Files that remain, and those that were wanted first."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = list(paths)
        self.wanted: tuple[str, ...] | None = None

    def list_paths(self) -> list[str]:
        return self.paths

    def index_first(self, paths: Sequence[str], seconds: float) -> bool:
        self.wanted = tuple(paths)
        return True


def look(texts: Mapping[str, bytes], need: Need) -> tuple[str, ...] | None:
    """Return the files that go first; None when nobody waits."""
    remaining = Remaining(list(texts))

    def read_many(paths: Sequence[str]) -> list[bytes | None]:
        return [texts[path] for path in paths]

    LookAhead(cast("RemainingFiles", remaining), read_many, threading.Event()).look(need, lambda _: 0)
    return remaining.wanted


def test_files_with_the_word_go_first_and_no_binary_ones() -> None:
    texts = {"a.py": b"halibut\n", "b.py": b"halibut\0halibut\n", "c.py": b"halibut halibut\n"}
    assert look(FILLING | texts, Need(WORD)) == ("c.py", "a.py")


def test_a_file_that_a_call_names_goes_before_those_with_its_words() -> None:
    texts = FILLING | {"a.py": b"halibut\n"}
    assert look(texts, Need(WORD, paths=("other/07.py", "gone.py"))) == ("other/07.py", "a.py")
    assert look(texts, Need(WORD, wanted=lambda path: path.startswith("other/"))) == ()


def test_a_word_in_the_name_of_a_file_says_more_than_one_in_the_name_of_its_folder() -> None:
    texts = {"halibut/of.py": b"halibut\n", "of/halibut.py": b"halibut\n"}
    assert look(FILLING | texts, Need(WORD)) == ("of/halibut.py", "halibut/of.py")


def test_the_best_file_goes_first_however_large_it_is() -> None:
    large = b"halibut\n" * (MAX_BYTES // 8 + 1)
    texts = {"halibut.py": large, "a.py": b"halibut\n"}
    assert look(FILLING | texts, Need(WORD)) == ("halibut.py",)


def test_few_files_are_indexed_before_they_could_be_searched() -> None:
    assert look(FILLING, Need("pass")) is not None
    assert look(dict(list(FILLING.items())[1:]), Need("pass")) is None
