"""Exact search where there is no RE2: the same answers by another process, which is killed in time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.exact import killable_matcher
from repo_mcp.exact.killable_matcher import KillableMatcher, serve
from repo_mcp.exact.line_matcher import LineMatcher, MatchingStopped
from repo_mcp.exact.search import NOT_FINISHED
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.process.parse_worker import ParseWorker
from repo_mcp.repository import Repository
from tests.growth import HANG_SECONDS
from tests.repo_mcp.indexed_roots import open_indexed

FILES = {
    "a.py": "def first(store):\n    return store.keep(1)\n\n\ndef second():\n    pass\n",
    "b/naïve.md": "# Naïve Straße\n\nKELVIN \u212a and the ſtore\n",
    "b/lines.txt": "one\ntwo\r\nthree\rfour foo_bar42\n",
    "hostile.txt": "b" + "a" * 5_000 + "\n",
}
REQUESTS = [
    ExactRequest("store"),
    ExactRequest("STORE", case_sensitive=False),
    ExactRequest("store", whole_word=True),
    ExactRequest("two\nthree"),
    ExactRequest(r"def (\w+)\(", regex=True, context_lines=2),
    ExactRequest(r"(?s)first.*second", regex=True),
    ExactRequest(r"\bk\w*", regex=True, case_sensitive=False),
    ExactRequest(r"^$", regex=True),
    ExactRequest(r"stra.e\b|\pL{6}", regex=True, case_sensitive=False),
    ExactRequest(r"foo_[a-z]+[0-9]{2}\s*$", regex=True, detail="files"),
    ExactRequest(r"\Ab", regex=True, detail="count"),
    ExactRequest("nowhere at all"),
]
ENDLESS = ExactRequest(r"(a|a)*c|(a|aa)+d", regex=True)


@pytest.fixture
def worker() -> Iterator[ParseWorker]:
    made = ParseWorker(wall_seconds=HANG_SECONDS, serve=serve)
    yield made
    made.close()


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    for path, text in FILES.items():
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_bytes(text.encode())
    with open_indexed(tmp_path / "root", data_dir=str(tmp_path / "data")) as opened:
        yield opened


def test_the_answers_do_not_depend_on_the_engine(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(request: ExactRequest) -> ExactAnswer:
        return replace(repository.search_exact(request), scanned=False)  # some terms only RE2 looks up

    with_re2 = [ask(request) for request in REQUESTS]
    monkeypatch.setitem(sys.modules, "re2", None)
    assert [ask(request) for request in REQUESTS] == with_re2
    assert [repository.search_exact(request, scan=True).matches for request in REQUESTS] == [
        answer.matches for answer in with_re2
    ]
    assert sum(answer.total > 0 for answer in with_re2) == len(REQUESTS) - 1


def test_a_pattern_that_never_ends_is_stopped_and_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    monkeypatch.setattr(killable_matcher, "WALL_SECONDS", 1.0)
    started = time.monotonic()
    answer = repository.search_exact(ENDLESS)
    assert time.monotonic() - started < HANG_SECONDS
    assert NOT_FINISHED in answer.warnings
    assert answer.total_is_lower_bound
    assert repository.search_exact(ExactRequest("store")).total == 2  # by another process


def test_closing_ends_the_process(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    repository.search_exact(ExactRequest("store"))
    process = repository.engines.exact._process
    assert process is not None
    assert process._child is not None
    child = process._child.process
    repository.close()
    with pytest.raises(ValueError, match="closed"):
        child.is_alive()


def test_a_text_without_what_a_match_needs_is_not_sent(worker: ParseWorker) -> None:
    matcher = KillableMatcher(ExactRequest("needle"), worker)
    assert list(matcher.iter_matches(b"hay\n" * 1_000)) == []
    assert worker._child is None
    assert [one.start_line for one in matcher.iter_matches(b"hay\nneedle\n")] == [2]


@pytest.mark.parametrize("pattern", ["(?:" * 1_900 + "a" + ")?" * 1_900, "(" * 4_000 + "a" + ")" * 4_000])
def test_deep_groups_are_no_danger(pattern: str, worker: ParseWorker) -> None:
    request = ExactRequest(pattern, regex=True)
    found = list(KillableMatcher(request, worker).iter_matches(b"bab\n"))
    assert found == list(LineMatcher(request).iter_matches(b"bab\n"))


def test_a_text_that_took_too_long_is_not_tried_again() -> None:
    worker = ParseWorker(wall_seconds=0.3, serve=serve)
    matcher = KillableMatcher(ENDLESS, worker)
    data = FILES["hostile.txt"].encode()
    with pytest.raises(MatchingStopped):
        list(matcher.iter_matches(data))
    started = time.monotonic()
    with pytest.raises(MatchingStopped):
        list(matcher.iter_matches(data))
    assert worker._child is None
    assert time.monotonic() - started < HANG_SECONDS
    worker.close()
