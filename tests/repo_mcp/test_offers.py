"""What chosen toolsets offer: tools before anything is open, one repository for those that share a root."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from repo_mcp.config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.offers import build_offers
from repo_mcp.tool_model import CallContext


def ignore(_warning: str) -> None:
    return None


def test_tools_are_listed_before_anything_is_opened(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    config = load_config(str(tmp_path / "r"), data_dir=str(tmp_path / "d"), toolsets=["graph", "repo"])
    one, two = build_offers(config, ignore)
    assert [len(one.toolset.tools), len(two.toolset.tools)] == [17, 8]
    assert not list((tmp_path / "d").glob("index-*"))


def test_a_call_waits_until_its_root_is_open(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    config = load_config(str(tmp_path / "r"), data_dir=str(tmp_path / "d"), toolsets=["graph"], watch=False)
    (offer,) = build_offers(config, ignore)
    tool = offer.toolset.tools[0]
    answers = []
    asking = threading.Thread(
        target=lambda: answers.append(tool.call({}, CallContext(lambda: False))), daemon=True
    )
    asking.start()
    asking.join(0.1)
    assert answers == []
    (repository,) = offer.open()
    try:
        asking.join(10)
        assert [answer.is_error for answer in answers] == [False]
    finally:
        repository.close()


@pytest.mark.parametrize("order", [["repo", "graph", "research"], ["research", "graph", "repo"]])
def test_toolsets_of_one_root_share_what_is_opened(tmp_path: Path, order: list[str]) -> None:
    (tmp_path / "r").mkdir()
    config = load_config(str(tmp_path / "r"), data_dir=str(tmp_path / "d"), toolsets=order, watch=False)
    offers = build_offers(config, ignore)
    opened = [offer.open() for offer in offers]
    (repository,) = opened[0]
    try:
        assert opened[1:] == [(), ()]
        for offer in offers:
            assert offer._get_opened()[0] is repository  # type: ignore[index]
    finally:
        repository.close()


def test_a_root_that_cannot_be_served_is_refused_at_once(tmp_path: Path) -> None:
    config = load_config(str(tmp_path / "nowhere"), data_dir=str(tmp_path / "d"), toolsets=["graph"])
    with pytest.raises(RepoError) as caught:
        build_offers(config, ignore)
    assert caught.value.code is ErrorCode.CONFIG_INVALID
