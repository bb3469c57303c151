"""What is said of a literal that no line holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository
from repo_mcp.repository.no_match import explain_no_match
from tests.repo_mcp.indexed_roots import open_indexed
from tests.written_trees import write_tree

FILES = {
    "src/ledger.py": "def post_transfer(amount):\n    return Ledger(amount)\n",
    "src/totals.ts": "const total = ledger.sum();\n",
    "tests/test_ledger.py": "assert post_transfer(4)\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    root = tmp_path_factory.mktemp("no_match") / "root"
    write_tree(root, FILES)
    with open_indexed(root) as opened:
        yield opened


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (ExactRequest("LEDGER("), "With ignore_case it would match in src/ledger.py."),
        (
            ExactRequest("post", whole_word=True),
            "Without whole_word it would match in src/ledger.py and tests",
        ),
        (ExactRequest("total", file_glob="*.py"), "Without file_glob it would match in src/totals.ts."),
        (ExactRequest("total", language="python"), "Without language it would match in src/totals.ts."),
        (
            ExactRequest("assert", include_tests=False),
            "With include_tests it would match in tests/test_ledger.py.",
        ),
        (ExactRequest("Ledger(total)"), "`Ledger` alone is in src/ledger.py."),
        (ExactRequest("post_transfer(unheard)"), "No line has `unheard`."),
        (ExactRequest("(const)", file_glob="*.py"), "No line of the filtered files has `const`."),
        (
            ExactRequest("post_transfers"),
            "No declaration is named `post_transfers`; similar: `post_transfer`.",
        ),
        (ExactRequest("unheard"), ""),
        (ExactRequest("->"), ""),
    ],
    ids=lambda value: "" if isinstance(value, str) else value.pattern,
)
def test_what_would_match_is_said(repository: Repository, request_: ExactRequest, said: str) -> None:
    assert not repository.search_exact(request_).total
    answer = explain_no_match(repository, request_)
    assert answer.startswith(said)
    assert bool(answer) is bool(said)


def test_only_some_files_are_named(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_tree(root, {f"{name}.py": "value = 1\n" for name in "abcd"})
    repository = Repository(load_config(str(root)))
    repository.refresh()
    assert explain_no_match(repository, ExactRequest("VALUE")) == (
        "With ignore_case it would match in a.py, b.py and perhaps others."
    )
    repository.close()


def test_signs_are_not_searched_for_in_another_case(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Repository, "search_exact")
    assert explain_no_match(repository, ExactRequest("->*<-")) == ""


def test_no_time_is_taken_beyond_the_limit(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.repository.no_match.NO_MATCH_SECONDS", -1.0)
    assert explain_no_match(repository, ExactRequest("LEDGER(")) == ""
    with pytest.raises(RepoError) as raised:
        explain_no_match(repository, ExactRequest("LEDGER("), lambda: True)
    assert raised.value.code is ErrorCode.CANCELLED
