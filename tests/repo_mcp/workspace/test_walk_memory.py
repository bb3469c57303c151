"""A walk that remembers finds what one that knows nothing finds, whatever was changed in between."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.file_stat import FileStat
from repo_mcp.model import WalkedFile, WalkReport
from repo_mcp.process import lister_process
from repo_mcp.workspace.ignore import files as ignore_files
from repo_mcp.workspace.ignore.ignore import IgnoreRules, ParsedRules
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walk_memory import WalkMemory
from repo_mcp.workspace.walked_files import FileColumns, build_walked_files
from tests.deep.sizes import examples
from tests.repo_mcp.process.listings import list_here

DIRECTORIES = ("", "a", "a/b", "build", "c.d")
NAMES = ("x.c", "x.o", "y", ".hidden", ".env", "keep.o", "b")
PATTERNS = ("*.o", "!keep.o", "build/", "/y", "b", "*", "[xy]*", "a/**/y", "")
FILES = [f"{directory}/{name}".lstrip("/") for directory in DIRECTORIES for name in NAMES]
IGNORES = [f"{directory}/.gitignore".lstrip("/") for directory in DIRECTORIES]
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(FILES), st.just("")),
    st.tuples(st.just("link"), st.sampled_from(FILES), st.just("")),
    st.tuples(st.just("delete"), st.sampled_from([*FILES, *IGNORES, *DIRECTORIES[1:]]), st.just("")),
    st.tuples(st.just("ignore"), st.sampled_from(IGNORES), st.sampled_from(PATTERNS)),
)


def do(root: Path, kind: str, path: str, pattern: str) -> None:
    """Make one change; what is in its way is removed."""
    target = root / path
    for above in reversed(target.relative_to(root).parents):
        if (root / above).is_symlink() or not (root / above).is_dir():
            (root / above).unlink(missing_ok=True)
            (root / above).mkdir()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    if kind == "write":
        target.write_text(path)
    elif kind == "link":
        target.symlink_to("a")
    elif kind == "ignore":
        target.write_text(f"# {path}\n{pattern}\n")


@settings(max_examples=examples(150))
@given(st.lists(st.lists(STEPS, max_size=8), min_size=1, max_size=5))
def test_every_walk_of_a_history(history: list[list[tuple[str, str, str]]]) -> None:
    with TemporaryDirectory() as position:
        root = Path(position)
        policy, memory = DenyPolicy(), WalkMemory()
        reader = RepositoryReader(position, policy.find_denial)
        for steps in history:
            for step in steps:
                do(root, *step)
            known = walk(reader, policy.find_denial, IgnoreRules(("c.d/y",), memory.parsed), memory=memory)
            fresh = walk(reader, policy.find_denial, IgnoreRules(("c.d/y",)))
            assert known.files == fresh.files
            assert (known.skipped, known.unreadable) == (fresh.skipped, fresh.unreadable)
            with patch.object(lister_process, "SETTLED_NS", -(10**18)):  # files that were just written, too
                listings = list_here(root)
            listed = walk(
                reader,
                policy.find_denial,
                IgnoreRules(("c.d/y",), memory.parsed),
                memory=memory,
                find_listed=listings.get,
            )
            assert listed.files == fresh.files
            assert (listed.skipped, listed.unreadable) == (fresh.skipped, fresh.unreadable)
            assert known.warnings == fresh.warnings
            judged = dict(memory.judged)
            if len(steps) % 2:
                memory.move_together()
            assert memory.judged == judged
        reader.close()


class Vanishing:
    """A directory entry of a file that is gone when it is asked for its status."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.name = entry.name
        self.is_file, self.is_dir, self.inode = entry.is_file, entry.is_dir, entry.inode

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        raise FileNotFoundError(2, "gone")


@pytest.mark.parametrize("others", [[], ["new.c"]])
def test_a_known_file_may_be_gone_when_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: list[str]
) -> None:
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)
    for name in ("a.c", "b.c", "c.c"):
        (tmp_path / name).touch()
    (tmp_path / "d").mkdir()
    walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
    for name in others:
        (tmp_path / name).touch()
    scan = reader.scan
    monkeypatch.setattr(
        reader, "scan", lambda at: [Vanishing(one) if one.name == "b.c" else one for one in scan(at)]
    )
    report = walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
    assert [file.path for file in report.files] == ["a.c", "c.c", *others]
    assert memory.judged[""].directories == {"d"}
    reader.close()


def test_vanished_names_that_were_ignored_are_forgotten(tmp_path: Path) -> None:
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)
    (tmp_path / ".gitignore").write_text("*.o\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").touch()
    objects = [tmp_path / "src" / f"{number}.o" for number in range(9)]
    for one in objects:
        one.touch()
    walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
    for one in objects:
        one.unlink()
    walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
    assert (memory.judged["src"].files, memory.judged["src"].ignored_files) == ({"a.c"}, frozenset())
    reader.close()


def test_names_are_remembered_and_forgotten(tmp_path: Path) -> None:
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)
    asked: list[str] = []

    def find_denial(path: str) -> object:
        asked.append(path)
        return policy.find_denial(path)

    def look() -> WalkReport:
        asked.clear()
        return walk(reader, find_denial, IgnoreRules((), memory.parsed), memory=memory)  # type: ignore[arg-type]

    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").touch()
    assert [file.path for file in look().files] == ["src/a.c"]
    assert "src/a.c" in asked
    (tmp_path / "src" / "b.c").touch()
    assert [file.path for file in look().files] == ["src/a.c", "src/b.c"]
    assert "src/a.c" not in asked
    assert "src/b.c" in asked
    for number in range(200):
        (tmp_path / "src" / f"{number}.c").touch()
    look()
    for number in range(200):
        (tmp_path / "src" / f"{number}.c").unlink()
    look()
    assert memory.judged["src"].files == {"a.c", "b.c"}  # there were more names of what is gone
    shutil.rmtree(tmp_path / "src")
    assert list(look().files) == []
    assert list(memory.judged) == [""]
    reader.close()


def test_what_stays_is_moved_together_once(tmp_path: Path) -> None:
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)
    for name in ("src", "lib"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.c").touch()

    def look() -> dict[int, str]:
        """Return the paths by the objects that they are."""
        walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
        memory.move_together()
        return {id(path): path for path in memory.judged}

    walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
    scattered = memory.judged
    memory.move_together()
    together = memory.judged
    assert together == scattered
    paths = {id(path): path for path in together}
    assert not paths.keys() & {id(path) for path in scattered if path}  # there is one empty text
    assert look() == paths  # nothing is copied that stands there already
    assert memory.judged["src"] is together["src"]
    (tmp_path / "new").mkdir()
    assert sorted(look().values()) == ["", "lib", "new", "src"]
    assert memory.judged["src"] is together["src"]
    reader.close()


def test_rules_are_parsed_for_names_that_are_new(tmp_path: Path) -> None:
    """Neither the admitted names nor the ignored ones are judged again, nor is a rule for them parsed."""
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)
    (tmp_path / "out").mkdir()
    (tmp_path / ".gitignore").write_text("*.py[cod]\nout/\n")
    for name in ("a.c", "a.pyc", "out/b.c"):
        (tmp_path / name).touch()

    def look(known: ParsedRules) -> tuple[WalkReport, int]:
        report = walk(reader, policy.find_denial, IgnoreRules((), known), memory=memory)
        return report, memory.new_names

    first, new_names = look(memory.parsed)
    assert ([file.path for file in first.files], first.skipped) == (["a.c"], {"hidden": 1, "ignored": 2})
    assert new_names == 3
    again = ParsedRules()
    again.facts = memory.list_facts()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ignore_files, "parse_lines", None)  # would raise
        second, new_names = look(again)
        assert (second.files, second.skipped, new_names) == (first.files, first.skipped, 0)
    (tmp_path / "a.pyo").touch()
    assert look(memory.parsed)[0].skipped == {"hidden": 1, "ignored": 3}
    (tmp_path / "a.pyc").unlink()
    (tmp_path / "a.pyc").mkdir()  # a verdict is of a file or of a directory
    assert look(memory.parsed)[1] == 1
    reader.close()


def test_a_changed_ignore_file_is_in_force_at_once(tmp_path: Path) -> None:
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "deep" / "a.c").touch()
    for pattern, expected in [("*.o", ["src/deep/a.c"]), ("*.c", []), ("*.o", ["src/deep/a.c"])]:
        (tmp_path / ".gitignore").write_text(pattern)
        status = os.stat(tmp_path / ".gitignore")
        os.utime(tmp_path / ".gitignore", ns=(status.st_atime_ns, 10**18))  # by its text, not by its times
        report = walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
        assert [file.path for file in report.files] == expected
    reader.close()


def test_numbers_beyond_64_bits_are_wrapped_and_tell_apart() -> None:
    columns = FileColumns()
    columns.extend([("a", (1, 2, 3, 4))])
    columns.extend([("b", (1, 10**24 + 1, -1, 5)), ("c", (1, 10**24, -1, 2**64 - 1))])
    files = columns.finish()
    assert files.paths == ["a", "b", "c"]
    assert files.stats[0].tolist() == [1, 2, 3, 4]
    assert files.stats[1].tolist() != files.stats[2].tolist()
    assert files[2].stat.inode == -1
    assert build_walked_files((WalkedFile("x", FileStat(1, 2, 3, 4)),))[0] == WalkedFile(
        "x", FileStat(1, 2, 3, 4)
    )


def test_rules_that_ignore_everything_are_set_aside_again_without_being_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("a/x.c", "a/x.o", "Makefile", ".hidden", "notes.o"):
        do(tmp_path, "write", path, "")
    (tmp_path / ".gitignore").write_text("*.o\n*\n")
    policy, memory = DenyPolicy(), WalkMemory()
    reader = RepositoryReader(str(tmp_path), policy.find_denial)

    def walk_on() -> WalkReport:
        later = WalkMemory()  # of another process
        later.recall(memory.judged, memory.list_facts())
        return walk(reader, policy.find_denial, IgnoreRules((), later.parsed), memory=later)

    first = walk(reader, policy.find_denial, IgnoreRules((), memory.parsed), memory=memory)
    assert [file.path for file in first.files] == ["Makefile", "a/x.c"]
    with monkeypatch.context() as patch:
        patch.setattr(ignore_files, "parse_line", None)
        assert walk_on() == first
    do(tmp_path, "write", "new.c", "")
    assert walk_on() == walk(reader, policy.find_denial, IgnoreRules())
    (tmp_path / ".gitignore").write_text("*.o\n*\n!new.c\n")
    assert [file.path for file in walk_on().files] == ["new.c"]
