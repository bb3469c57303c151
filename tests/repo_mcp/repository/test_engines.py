"""What an opened root loads before a call asks for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from repo_mcp.config.server_config import Config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.languages.adapter_registry import AdapterRegistry
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.process.parse_worker import ParseWorker
from repo_mcp.repository import Repository
from repo_mcp.repository.engines import Engines, Outliner
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from tests.counted_calls import count_calls


@pytest.mark.parametrize(("toolset", "loads"), [("graph", True), ("research", True), ("repo", False)])
def test_the_graph_is_loaded_after_the_start_where_calls_follow_symbols(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolset: str, *, loads: bool
) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(Engines, "load_graph", lambda _engines: loaded.set())
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("def f(): ...\n")
    config = Config(str(tmp_path / "root"), data_dir=str(tmp_path / "data"), toolsets=(toolset,), watch=False)
    with closing(Repository(config)) as repository:
        repository.start_background_refresh()
        for one in threading.enumerate():
            if one.name == "load":
                one.join(60)
        assert loaded.wait(60 if loads else 0) is loads


def test_the_symbol_index_is_opened_with_the_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    @contextmanager
    def refuse(_index: LiveSymbolIndex) -> Iterator[None]:
        asked.append(True)
        raise RepoError(ErrorCode.INDEX_UNAVAILABLE, "There is none yet.")
        yield

    monkeypatch.setattr(LiveSymbolIndex, "view", refuse)
    (tmp_path / "root").mkdir()
    config = Config(str(tmp_path / "root"), data_dir=str(tmp_path / "data"), toolsets=("graph",), watch=False)
    with closing(Repository(config)) as repository:
        repository.engines.load_graph()
    assert asked == [True]


def test_an_outline_that_is_cut_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_calls(monkeypatch, AdapterRegistry, "outline")
    with closing(Outliner(Config("."), (), None)) as outliner:
        text = b"function f() {}\n" * 10_001
        outlines = [outliner.outline("a.js", text, whole=whole) for whole in (False, True, False, True)]
    assert all(one.truncated and one.warnings for one in outlines)
    assert len(made) == 1


def test_an_outline_of_a_parser_that_failed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_calls(monkeypatch, AdapterRegistry, "outline")

    def fail(_worker: ParseWorker, _task: str, _text: bytes) -> bytes:
        raise ParserFailed(ParserFault.UNAVAILABLE)

    monkeypatch.setattr(ParseWorker, "parse", fail)
    with closing(Outliner(Config("."), (), None)) as outliner:
        outlines = [outliner.outline("a.py", b"def f(): ...\n") for _ in range(2)]
    assert all(one.symbols and one.warnings for one in outlines)
    assert len(made) == 2
