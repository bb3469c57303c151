"""What is answered while an index is built from nothing: what remains is looked through, and goes first."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.bundler.records import BundleRequest
from repo_mcp.live import look_ahead
from repo_mcp.model import IndexProgress, SearchRequest
from tests.growth import HANG_SECONDS
from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.written_trees import write_tree

OTHERS = 150
LING, HAKE, NOTES = "a/b/c/d/ling.py", "a/b/c/d/e/hake.py", "docs/a/b/notes.md"
CAUGHT = "a/b/c/d/e/f/caught.yml"
STANDS = "The index is being refreshed: "


class Building(Served):
    """A repository whose index is built no further than its first shard and what calls want, until it may."""

    def __init__(self, root: Path, data: Path, workers: int = 0) -> None:
        super().__init__(root, data, index=False)
        self.refresher = self.repository._index.refresher
        setup = self.refresher.setup
        settings = replace(setup.settings, shard_bytes=1_000)
        self.refresher.setup = replace(setup, settings=settings, workers=workers)
        self.repository.engines.graph._wait_seconds = HANG_SECONDS
        self.may_go_on = threading.Event()
        self._stands = threading.Event()
        self._thread = threading.Thread(target=self.repository.refresh, kwargs={"progress": self._hold})
        self._thread.start()
        assert self._stands.wait(HANG_SECONDS)

    def _hold(self, now: IndexProgress) -> None:
        if now.phase == "index" and now.files_done:
            self._stands.set()
            while not (self.may_go_on.is_set() or self.refresher.remaining._awaited):
                time.sleep(0.005)

    def finish(self) -> None:
        self.may_go_on.set()
        self._thread.join()


def list_segments(data: Path) -> dict[str, bytes]:
    """Return the segments of the one lexical index in a data directory."""
    return {path.name: path.read_bytes() for path in data.rglob("index-*/*.seg")}


@pytest.fixture(name="root")
def make_root(tmp_path: Path) -> Path:
    texts = {
        LING: "def ling():\n    return 1\n",
        HAKE: "from a.b.c.d.ling import ling\n\n\ndef hake():\n    return ling()\n",
        NOTES: "# Fish\n\nA turbot is flat.\n",
        CAUGHT: ("note: the net\n" * 60 + "when: mend_every_net\n") * 6,
    }
    others = [f"other{number:03}" for number in range(OTHERS)]
    texts |= {f"{name}.py": f"def {name}():\n    return 1\n" for name in others}
    return write_tree(tmp_path / "root", texts)


@pytest.fixture(name="building", params=[0, 1])
def open_building(
    root: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Building]:
    monkeypatch.setattr(look_ahead, "LOOK_SECONDS", HANG_SECONDS)
    monkeypatch.setattr(look_ahead, "INDEX_SECONDS", HANG_SECONDS)
    with closing(Building(root, tmp_path / "data", request.param)) as building:
        try:
            yield building
        finally:
            building.finish()


def search(building: Building, query: str, glob: str | None = None) -> list[str]:
    answer = building.repository.search(SearchRequest(query, 5, file_glob=glob))
    assert any(warning.startswith(STANDS) for warning in answer.warnings)
    return [hit.path for hit in answer.hits]


def test_what_is_asked_for_is_found_before_its_turn(building: Building) -> None:
    assert search(building, "ling") == [LING, HAKE]
    assert search(building, "is a turbot flat") == [NOTES]
    assert search(building, "other149")[0] == "other149.py"


def test_what_is_not_indexed_yet_may_declare_a_name(building: Building, root: Path) -> None:
    request = SearchRequest("mend_every_net", 5, names_alone=True)
    found = building.repository.search(request)
    assert {hit.path for hit in found.hits} == {CAUGHT}
    assert "No indexed declaration is named `mend_every_net`." in found.warnings
    building.finish()
    assert "No declaration is named `mend_every_net`." in building.repository.search(request).warnings


def test_the_finished_index_is_as_ever(building: Building, root: Path, tmp_path: Path) -> None:
    for query in ("hake", "turbot", "other077 other120"):
        search(building, query)
    assert len(list_segments(tmp_path / "data")) >= 3
    building.finish()
    with Served(root, tmp_path / "plain"):
        assert list_segments(tmp_path / "plain") == list_segments(tmp_path / "data")


def test_files_that_the_filters_leave_out_are_not_chosen(
    building: Building, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look_ahead, "MAX_FILES", 1)
    assert search(building, "ling")[0] == LING
    assert search(building, "ling", "**/hake.py") == [HAKE]
    assert search(building, "fish other100", "docs/**") == [NOTES]


def test_the_graph_has_what_a_symbol_needs(building: Building) -> None:
    building.repository.symbol_index.start()
    outline = building.call("get_file_outline", path=LING)
    assert [row["name"] for row in outline["result"]] == ["ling"]
    callers = building.call("get_callers", node_id=outline["result"][0]["node_id"])
    assert [row["file_path"] for row in callers["result"]] == [HAKE]
    assert any(warning.startswith(STANDS) for warning in callers["warnings"])


def test_a_name_is_looked_up_in_what_remains(building: Building) -> None:
    building.repository.symbol_index.start()
    found = building.call("search_symbols", query="hake")
    assert {row["file_path"] for row in found["result"]} == {HAKE}


def test_who_may_not_wait_does_not_look(building: Building) -> None:
    building.repository.engines.graph._wait_seconds = 0.0
    building.repository.symbol_index.start()
    building.answer("search_symbols", query="hake")
    assert HAKE in building.refresher.remaining.list_paths()


def test_bundles_have_what_remains(building: Building) -> None:
    bundle = building.repository.engines.bundles.build(BundleRequest("where is hake declared"))
    assert HAKE in [one.path for one in bundle.selections]


def test_what_a_donor_has_is_found_before_its_turn(root: Path, tmp_path: Path) -> None:
    """Its rows are dead until the files are compared."""
    with Served(root, tmp_path / "data", max_file_bytes=100_000):
        pass
    with closing(Building(root, tmp_path / "data")) as building:
        try:
            assert search(building, "ling") == [LING, HAKE]
        finally:
            building.finish()
        assert building.repository.status().origin.startswith("another index of this checkout")


def test_time_bounds_the_look(building: Building, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_ahead, "LOOK_SECONDS", -1.0)
    assert search(building, "ling") == []


def test_nobody_looks_where_little_remains(building: Building, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_ahead, "FEWEST_FILES", OTHERS + 10)
    assert search(building, "ling") == []


def test_what_may_not_be_served_is_not_looked_through(root: Path, tmp_path: Path) -> None:
    (root / "a" / ".env").write_text("HALIBUT=1\n")
    (root / "a" / "halibut.exe").write_text("halibut")
    (root / "a" / "halibut.dat").write_bytes(b"halibut\0")
    with closing(Building(root, tmp_path / "data")) as building:
        try:
            assert search(building, "halibut") == []
        finally:
            building.finish()
