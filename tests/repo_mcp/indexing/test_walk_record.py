"""The record of a walk: another process that reads it finds what one finds that knows nothing."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import DiskDirectory
from repo_mcp.indexing import walk_record
from repo_mcp.indexing.side_files import read_side_file, write_side_file
from repo_mcp.indexing.walk_record import SIDE_FILE, VERSION, keep_walk, recall_walk
from repo_mcp.model import WalkReport
from repo_mcp.workspace.ignore import files as ignore_files
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walk_memory import WalkMemory
from tests.deep.sizes import examples
from tests.repo_mcp.workspace.test_walk_memory import STEPS, do


class Root:
    """A root, each walk of which is that of a new process."""

    def __init__(self, place: Path) -> None:
        self.path, index = place / "root", place / "index"
        self.path.mkdir()
        index.mkdir()
        self.index = DiskDirectory(str(index))
        self.policy = DenyPolicy()
        self.reader = RepositoryReader(str(self.path), self.policy.find_denial)

    def walk(self, memory: WalkMemory, excluded: tuple[str, ...] = ()) -> WalkReport:
        rules = IgnoreRules(excluded, memory.parsed)
        return walk(self.reader, self.policy.find_denial, rules, memory=memory)

    def walk_anew(self, excluded: tuple[str, ...] = ()) -> tuple[WalkReport, WalkMemory]:
        memory = WalkMemory()
        recall_walk(self.index, memory)
        report = self.walk(memory, excluded)
        keep_walk(self.index, memory)
        return report, memory


@settings(max_examples=examples(100))
@given(st.lists(st.lists(STEPS, max_size=8), min_size=1, max_size=5), st.sampled_from([(), ("c.d/y",)]))
def test_every_process_of_a_history(
    history: list[list[tuple[str, str, str]]], excluded: tuple[str, ...]
) -> None:
    with TemporaryDirectory() as place:
        root = Root(Path(place))
        for steps in history:
            for step in steps:
                do(root.path, *step)
            known, _ = root.walk_anew(excluded)
            fresh = root.walk(WalkMemory(), excluded)
            assert known.files == fresh.files
            assert (known.skipped, known.warnings) == (fresh.skipped, fresh.warnings)
        root.reader.close()


def test_nothing_is_parsed_or_judged_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Root(tmp_path)
    (root.path / "src").mkdir()
    for name in ("a.c", "a.o", "src/ä.c", "src/b.o", "src/x [1].py"):
        (root.path / name).touch()
    too_long = "x" * 2_000  # which is warned about
    (root.path / ".gitignore").write_text(f"*.[oa]\n{too_long}\n")
    (root.path / "src" / ".gitignore").write_text("*.tmp\n")
    first, _ = root.walk_anew()
    assert [file.path for file in first.files] == ["a.c", "src/x [1].py", "src/ä.c"]
    assert len(first.warnings) == 1
    monkeypatch.setattr(ignore_files, "parse_lines", None)  # would raise
    again, memory = root.walk_anew()
    assert (again.files, again.skipped, again.warnings) == (first.files, first.skipped, first.warnings)
    assert memory.new_names == 0


def test_a_large_record_is_written_when_enough_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk_record, "SMALL_ENTRIES", 10)
    root = Root(tmp_path)
    for number in range(100):
        (root.path / f"{number}.c").touch()
    root.walk_anew()
    (root.path / "new.c").touch()
    assert root.walk_anew()[1].new_names == 1
    assert root.walk_anew()[1].new_names == 1  # it was not written for one
    (root.path / "newer.c").touch()
    (root.path / "newest.c").touch()
    assert root.walk_anew()[1].new_names == 3
    assert root.walk_anew()[1].new_names == 0


def test_what_is_not_a_record_counts_for_nothing(tmp_path: Path) -> None:
    root = Root(tmp_path)
    (root.path / "a.c").touch()
    wanted, _ = root.walk_anew()
    found = read_side_file(root.index, SIDE_FILE, VERSION)
    assert found is not None
    parts = {name: value for name, value in found[1].items() if name != "version"}
    for other in (
        parts | {"syntax": -1},
        parts | {"directories": b""},
        parts | {"names": parts["directories"]},
        parts | {"chains": []},
        parts | {"chains": [7]},
        parts | {"facts": [["", b"", 0, False]]},
        {name: value for name, value in parts.items() if name != "facts"},
    ):
        write_side_file(root.index, SIDE_FILE, VERSION, other)
        report, memory = root.walk_anew()
        assert (report.files, memory.new_names) == (wanted.files, 1)
    write_side_file(root.index, SIDE_FILE, VERSION + 1, parts)
    assert root.walk_anew()[1].new_names == 1
    assert root.walk_anew()[1].new_names == 0


def test_a_walk_is_not_recalled_over_one_of_this_process(tmp_path: Path) -> None:
    root = Root(tmp_path)
    (root.path / "a.c").touch()
    _, memory = root.walk_anew()
    judged = memory.judged
    recall_walk(root.index, memory)
    assert memory.judged is judged
