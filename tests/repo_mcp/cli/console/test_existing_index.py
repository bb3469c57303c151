"""A command whose index cannot be brought up to date: it answers from the one that is there, and says so."""

from __future__ import annotations

import errno
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.cli.console.opening import bring_up_to_date
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SearchRequest
from tests.deep.answers import open_repository, renew
from tests.deep.fault_layer import Faults, Mode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "fish.py").write_text("def halibut():\n    return 1\n")
    return root


def is_full(place: Path) -> Faults:
    """While it is entered nothing below the place can be changed."""
    return Faults(place, Mode.FAIL, operation=1, number=errno.ENOSPC, sticky=True)


def test_a_full_disk_leaves_what_is_indexed_searchable(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    with closing(open_repository(root, data)) as repository:
        renew(repository)
        (root / "ling.py").write_text("def ling():\n    return 2\n")
        with is_full(data):
            bring_up_to_date(repository, quiet=True)
            hits = repository.search(SearchRequest("halibut", 5)).hits
    assert [hit.path for hit in hits] == ["fish.py"]
    said = capsys.readouterr().err
    assert said.endswith("(No space left on device). The answer comes from the existing index.\n")


def test_without_an_index_there_is_nothing_to_answer_from(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with closing(open_repository(root, data)) as repository, is_full(data):
        with pytest.raises(RepoError) as refused:
            bring_up_to_date(repository, quiet=True)
        assert refused.value.code is ErrorCode.INDEX_UNAVAILABLE
