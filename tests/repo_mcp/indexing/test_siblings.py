"""A first index that begins with that of another checkout is the one that would have been built from nothing.

The checkouts are made by Git. Compared are the names of content, answers, and the bytes after a full merge.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest

from index_format import VERSION, DiskDirectory, DiskFile, EncodedRun, ReadableFile, Snapshot
from index_format.directory import TransferMethod
from index_format.seals import SealedFile, SegmentProof
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing import adoption, building, refresh, scan_state
from repo_mcp.indexing.adoption import NO_DONOR
from repo_mcp.indexing.derived.plan import Plan
from repo_mcp.indexing.refresh import Refresh
from repo_mcp.indexing.shards import shards, workers
from repo_mcp.indexing.shards.shards import ShardPlanner, ShardTask
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.record_classes import replace
from repo_mcp.symbol_index import phase as symbol_phase
from repo_mcp.symbol_index.phase import RoundWanted, make_parser
from repo_mcp.workspace.walked_files import WalkedFiles
from tests.growth import HANG_SECONDS
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree, with_git
from tests.repo_mcp.sibling_trees import (
    FILES,
    TEXTS,
    ask_all,
    build,
    change,
    copy_plainly,
    make_main,
    open_root,
    read_segments,
)

pytestmark = [with_git, posix]

CANARY = "zyxcanaryzyx"


def list_files(root: Path) -> dict[str, tuple[int, bytes]]:
    """Return what lies in a data directory, with the inodes."""
    return {
        str(path.relative_to(root)): (path.stat().st_ino, path.read_bytes())
        for path in sorted((root / ".repo_mcp").rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def main(tmp_path: Path) -> GitTree:
    return make_main(tmp_path)


@pytest.fixture
def work_tree(main: GitTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitTree:
    """Return a changed work tree of a repository that was indexed long after its files were written."""
    monkeypatch.setattr(scan_state, "GRANULARITY_NS", 0)
    build(main)
    tree = main.add_work_tree(tmp_path / "work")
    tree.settle()
    change(tree)
    return tree


@pytest.fixture
def opened_paths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the files that indexing reads."""
    found: list[str] = []
    read_many = shards.open_many

    def record(reader: Any, paths: Any, max_bytes: int) -> Any:
        found.extend(paths)
        return read_many(reader, paths, max_bytes)

    monkeypatch.setattr(shards, "open_many", record)
    return found


def test_the_result_is_that_of_a_build_from_nothing(
    work_tree: GitTree, main: GitTree, tmp_path: Path, opened_paths: list[str]
) -> None:
    plain = copy_plainly(work_tree, tmp_path / "plain")
    build(main, structure=True)
    opened_paths.clear()
    before = list_files(main.root)
    with closing(open_root(work_tree)) as ours, closing(open_root(plain)) as theirs:
        report = ours.refresh()
        assert (report.added, report.updated, report.removed) == (4, 0, 0)
        changed = [
            "docs/page40.md",
            "package/new.py",
            "package/part1/module01.py",
            "package/part2/module02.py",
        ]
        assert opened_paths == changed  # nothing else was read
        structure = ours.symbol_index.build()
        assert (structure.parsed, structure.unchanged) == (3, FILES - 3)
        theirs.refresh()
        theirs.symbol_index.build()
        state = ours.status()

        expected = f"another work tree of the repository: {TEXTS - 4} of its {TEXTS} files were the same"
        assert state.origin == expected
        assert (state.state, state.snapshot) == ("ready", theirs.status().snapshot)
        assert state.skipped == theirs.status().skipped
        assert ours.symbol_index.status().snapshot == theirs.symbol_index.status().snapshot
        assert ask_all(ours, 1) == ask_all(theirs, 1)
        for one in (ours, theirs):
            one.compact(full=True)
            one.symbol_index.compact(full=True)
        assert read_segments(ours) == read_segments(theirs)
        assert sorted(map(len, read_segments(ours).values())) == [1, 1]
        assert ours.status().origin == state.origin
    assert list_files(main.root) == before


def test_a_parser_waits_for_the_files_that_differ(
    work_tree: GitTree, main: GitTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(main, structure=True)
    with closing(open_root(work_tree)) as ours:
        ours.refresh()
        phase, searcher = ours.symbol_index._phase, ours.indexes.lexical.get_searcher()
        made: list[BatchParser] = []

        def make() -> BatchParser:
            made.append(make_parser())
            return made[-1]

        monkeypatch.setattr(phase, "_parsing", replace(phase._parsing, make_parser=make))
        parse, asked = BatchParser.parse, list[list[str]]()

        def note(self: BatchParser, requests: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
            asked.append([task for task, _ in requests])
            return parse(self, requests)

        monkeypatch.setattr(BatchParser, "parse", note)
        assert phase.run(searcher.snapshot, RoundWanted(is_whole=False)).parsed == 3
        assert len(made) == 2  # one that parsed, and one for what is still to come
        assert phase._spare is not None
        phase._spare._thread.join()
        assert asked[-1] == ["structure/python"]  # which is loaded there by now
        (work_tree.root / "package/late.py").write_text("def late(): pass\n")
        ours.refresh()
        assert (ours.symbol_index.build().parsed, len(made)) == (1, 2)
        phase.run(searcher.snapshot, RoundWanted(is_whole=False))
        assert (len(made), made[2]._closed.is_set()) == (3, False)
        ours.symbol_index.build()  # and nothing came
        assert (len(made), made[2]._closed.is_set(), made[2]._child) == (3, True, None)


def test_symbols_are_taken_over_beside_a_refresh(
    work_tree: GitTree, main: GitTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(main, structure=True)
    with closing(open_root(work_tree)) as ours:
        with pytest.raises(KeyError), ours.symbol_index.adopting():
            raise KeyError  # while the thread begins
        with ours.symbol_index.adopting():
            ours.refresh()
        assert ours.symbol_index.exists
        assert (ours.symbol_index.build().parsed, ours.symbol_index.status().state) == (3, "ready")
    shutil.rmtree(work_tree.root / ".repo_mcp")
    fill_the_disk_while_copying(main, monkeypatch)
    with closing(open_root(work_tree)) as ours:
        with ours.symbol_index.adopting():
            ours.refresh()
        assert not ours.symbol_index.exists  # which is no reason to fail
        assert ours.symbol_index.build().parsed == FILES


@pytest.mark.parametrize("known", [4, 2])
def test_files_that_differ_are_parsed_while_all_are_compared(
    work_tree: GitTree, main: GitTree, monkeypatch: pytest.MonkeyPatch, known: int
) -> None:
    build(main, structure=True)
    plan, latest, parse, is_parsing = (
        symbol_phase.plan_round,
        symbol_phase.list_latest,
        BatchParser.parse,
        Event(),
    )

    def compare(*arguments: Any) -> Plan:
        assert is_parsing.wait(HANG_SECONDS)
        return plan(*arguments)

    def note(self: BatchParser, requests: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        is_parsing.set()
        return parse(self, requests)

    monkeypatch.setattr(
        symbol_phase, "list_latest", lambda lexical: latest(lexical)[:known]
    )  # all of them, or some
    monkeypatch.setattr(BatchParser, "parse", note)
    with closing(open_root(work_tree)) as ours:
        with ours.symbol_index.adopting():
            ours.refresh()
        monkeypatch.setattr(symbol_phase, "plan_round", compare)
        assert (ours.symbol_index.build().parsed, ours.symbol_index.status().state) == (3, "ready")
        assert ours.symbol_index._phase._ahead is None


def test_files_that_differ_are_parsed_while_the_refresh_still_ends(
    work_tree: GitTree, main: GitTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(main, structure=True)
    write, parse, plan = Refresh._write_seen, BatchParser.parse, symbol_phase.plan_round
    is_parsed, is_written, asked, planned = Event(), Event(), list[int](), list[bool]()

    def write_late(self: Refresh, *arguments: Any) -> None:
        assert is_parsed.wait(HANG_SECONDS)
        write(self, *arguments)
        is_written.set()

    def note(self: BatchParser, requests: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        answers = parse(self, requests)
        if any(len(request) > 2 for _, request in requests):  # not the one that loads the parser
            asked.append(len(requests))
            is_parsed.set()
        return answers

    def compare(lexical: Snapshot, *arguments: Any) -> Plan:
        planned.append(is_written.is_set())
        return plan(lexical, *arguments)

    monkeypatch.setattr(Refresh, "_write_seen", write_late)
    monkeypatch.setattr(BatchParser, "parse", note)
    monkeypatch.setattr(symbol_phase, "plan_round", compare)
    with closing(open_root(work_tree)) as ours:
        with ours.symbol_index.adopting():
            pass
        ours.symbol_index.start()
        ours.refresh()
        assert ours.symbol_index._wait(monotonic() + HANG_SECONDS)
        assert (asked, planned) == ([3], [True])  # once each: all are compared when all is there
        assert ours.symbol_index.status().state == "ready"
        assert ours.symbol_index._phase._ahead is None


def test_the_first_walk_judges_only_names_that_the_donor_has_not(
    work_tree: GitTree, main: GitTree, tmp_path: Path
) -> None:
    with closing(open_root(work_tree)) as repository:
        repository.refresh()
        assert repository.tree.memory.new_names == len({"docs/page40.md", "package/new.py"})
    with closing(open_root(work_tree)) as repository:  # which finds the record here
        repository.refresh()
        assert repository.tree.memory.new_names == 0
    third = main.add_work_tree(tmp_path / "third")
    with closing(open_root(third, exclude_globs=("docs/",))) as repository:  # by other rules
        assert repository.refresh().unchanged == TEXTS - 9
        assert repository.tree.memory.new_names > TEXTS


def test_what_is_too_large_or_binary_in_both_is_not_opened(
    main: GitTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened_paths: list[str]
) -> None:
    monkeypatch.setattr(scan_state, "GRANULARITY_NS", 0)
    main.write({"long.txt": "word " * 1_000_000})
    (main.root / "odd.txt").write_bytes(b"\0\1" * 99)
    main.commit()
    main.settle()
    build(main)
    tree = main.add_work_tree(tmp_path / "work")
    tree.settle()
    opened_paths.clear()
    with closing(open_root(tree)) as repository:
        repository.refresh()
        assert opened_paths == []
        seen = repository._index.generation.read_seen()
        assert seen is not None
        left_out = seen[1].get_skipped()
        assert {"long.txt": "too_large", "odd.txt": "binary"}.items() <= left_out.items()


def test_a_record_that_no_merge_follows_is_written_once(
    work_tree: GitTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, write = [], scan_state.write_side_file

    def note(directory: Any, name: str, *fields: Any) -> bytes:
        written.append(name)
        return write(directory, name, *fields)

    monkeypatch.setattr(scan_state, "write_side_file", note)
    build(work_tree)
    assert written == [scan_state.SIDE_FILE]
    assert build(work_tree).unchanged == TEXTS
    assert written == [scan_state.SIDE_FILE]


def test_segments_are_shared_where_the_system_can(work_tree: GitTree, main: GitTree) -> None:
    build(main, structure=True)
    build(work_tree, structure=True)
    inodes = [{one for one, _ in list_files(tree.root).values()} for tree in (main, work_tree)]
    assert len(inodes[0] & inodes[1]) == 2
    assert build(main).unchanged == TEXTS  # whose segments have another ctime now
    assert build(work_tree).unchanged == TEXTS


def test_a_third_work_tree_compares_nothing_that_the_second_has_sealed(
    work_tree: GitTree, main: GitTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DiskFile, "clone_to", lambda _self, target: target.close())  # only links
    compared: list[int] = []
    begin = SegmentProof.__init__

    def note(self: SegmentProof, files: Sequence[tuple[ReadableFile, SealedFile]]) -> None:
        compared.append(len(files))
        begin(self, files)

    monkeypatch.setattr(SegmentProof, "__init__", note)
    build(work_tree)  # links the donor's segment, whose seal then is out of date
    third = main.add_work_tree(tmp_path / "third")
    assert build(third).unchanged == TEXTS
    shutil.rmtree(third.root / ".repo_mcp")  # after which no seal is up to date
    assert build(third).unchanged == TEXTS
    assert compared == [0, 0, 1]


def test_the_main_work_tree_begins_with_a_linked_one(work_tree: GitTree, main: GitTree) -> None:
    build(work_tree)
    shutil.rmtree(main.root / ".repo_mcp")
    report = build(main)
    assert (report.added, report.unchanged) == (4, TEXTS - 4)


def test_a_clone_begins_with_what_the_operator_names(
    work_tree: GitTree, main: GitTree, tmp_path: Path, opened_paths: list[str]
) -> None:
    clone = copy_plainly(work_tree, tmp_path / "clone")
    assert build(clone).unchanged == 0
    shutil.rmtree(clone.root / ".repo_mcp")
    opened_paths.clear()
    report = build(clone, index_from=str(main.root))
    assert (report.added, report.unchanged, len(opened_paths)) == (4, TEXTS - 4, 4)


def test_the_data_directory_of_a_checkout_names_the_checkout(
    work_tree: GitTree, main: GitTree, tmp_path: Path
) -> None:
    clone = copy_plainly(work_tree, tmp_path / "clone")
    report = build(clone, index_from=str(main.root / ".repo_mcp"))
    assert (report.added, report.unchanged) == (4, TEXTS - 4)


@pytest.mark.parametrize("while_walking", [False, True])
def test_contents_are_compared_where_git_does_not_tell(
    work_tree: GitTree,
    main: GitTree,
    tmp_path: Path,
    opened_paths: list[str],
    monkeypatch: pytest.MonkeyPatch,
    while_walking: bool,
) -> None:
    """Of a large tree, begun while it is walked."""
    monkeypatch.setattr(building, "NOTED_FILES", 1)
    monkeypatch.setattr(adoption, "COMPARED_BYTES", 0 if while_walking else 1 << 30)
    planned: list[int] = []
    take = ShardPlanner.take

    def record(self: ShardPlanner, files: WalkedFiles) -> Iterator[ShardTask]:
        planned.append(len(files))
        return take(self, files)

    monkeypatch.setattr(ShardPlanner, "take", record)
    plain, expected = (copy_plainly(work_tree, tmp_path / name) for name in ("plain", "expected"))
    for tree in (plain, expected):
        shutil.rmtree(tree.root / ".git")
    report = build(plain, index_from=str(main.root))
    assert (report.added, report.unchanged) == (4, TEXTS - 5)  # without Git, kept.log counts as ignored
    assert len(opened_paths) == TEXTS  # and the binary file
    assert (sum(planned), len(planned) > 2) == (TEXTS, while_walking)
    build(expected)
    with closing(open_root(plain)) as ours, closing(open_root(expected)) as theirs:
        assert ours.status().origin.startswith("the checkout of --index-from: ")
        assert ours.status().snapshot == theirs.status().snapshot


def test_a_file_that_git_does_not_see_change_is_read(work_tree: GitTree, opened_paths: list[str]) -> None:
    """Of the same size and time, so that only the inode and the ctime tell."""
    path = work_tree.root / "package/part5/module05.py"
    status, text = path.stat(), path.read_text()
    path.unlink()
    path.write_text(text.replace("value", "other"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    build(work_tree)
    assert "package/part5/module05.py" in opened_paths
    with closing(open_root(work_tree)) as repository:
        assert repository.search(SearchRequest("other", top_k=5)).total


def test_what_only_the_donor_has_is_not_there(main: GitTree, tmp_path: Path) -> None:
    main.write({f"{CANARY}.py": f"def {CANARY}():\n    return {CANARY}\n"})
    build(main, structure=True)
    tree = main.add_work_tree(tmp_path / "work")
    with closing(open_root(tree)) as repository:
        assert repository.refresh().unchanged == TEXTS
        repository.symbol_index.build()
        assert repository.search(SearchRequest(CANARY, top_k=5)).total == 0
        assert repository.search_exact(ExactRequest(CANARY)).total == 0
        with repository.symbol_index.view() as view:
            assert CANARY not in " ".join(view.iter_paths())
            assert view.find_record_bytes(f"{CANARY}.py") is None


def test_text_that_is_ignored_here_does_not_stay_in_the_index(
    main: GitTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main.write({"secret.py": f"def {CANARY}():\n    return 1\n"})
    build(main, structure=True)
    encode, windows = workers.encode_merge, list[int]()

    def note(*arguments: Any) -> Iterator[EncodedRun]:
        windows.append(arguments[-1].window_bytes)
        return encode(*arguments)

    monkeypatch.setattr(workers, "encode_merge", note)
    tree = main.add_work_tree(tmp_path / "work")
    tree.write(
        {"secret.py": f"def {CANARY}():\n    return 1\n", ".gitignore": "*.log\n.repo_mcp/\nsecret.py\n"}
    )
    build(tree, structure=True)
    holding = [
        any(CANARY.encode() in data for _, data in list_files(one.root).values()) for one in (main, tree)
    ]
    assert holding == [True, False]
    assert windows == [refresh.PURGE_WINDOW_BYTES]  # less memory than a merge: symbols may be purged, too


def test_a_work_tree_without_files_begins_with_nothing_of_it(work_tree: GitTree, main: GitTree) -> None:
    for path in work_tree.root.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with closing(open_root(work_tree)) as repository:
        assert repository.refresh().unchanged == 0
        assert (repository.status().indexed_files, repository.status().segments) == (0, 0)


def test_other_options_of_the_same_root_are_a_donor(main: GitTree, opened_paths: list[str]) -> None:
    build(main)
    opened_paths.clear()
    report = build(main, exclude_globs=["package/part1/"])
    assert report.added == 0
    with closing(open_root(main, exclude_globs=["package/part1/"])) as repository:
        assert repository.status().origin.startswith("another index of this checkout: ")
        assert repository.search(SearchRequest("name_1_0", top_k=5, file_glob="package/part1/*")).total == 0
        assert len(opened_paths) == report.unchanged + 1
    opened_paths.clear()
    assert build(main, limits={"max_file_bytes": 1_000}).unchanged < 20


def test_the_same_options_in_another_data_directory_are_a_donor(main: GitTree, tmp_path: Path) -> None:
    build(main)
    kept = str(tmp_path / "kept")
    assert build(main, data_dir=kept).added == 0
    with closing(open_root(main, data_dir=kept)) as repository:
        expected = f"another index of this checkout: {TEXTS} of its {TEXTS} files were the same"
        assert repository.status().origin == expected


def test_without_siblings_nothing_outside_is_used(work_tree: GitTree, opened_paths: list[str]) -> None:
    report = build(work_tree, siblings=False)
    assert (report.added, report.unchanged) == (TEXTS - 1, 0)  # kept.log counts as ignored
    with closing(open_root(work_tree, siblings=False)) as repository:
        assert repository.status().origin == ""
    shutil.rmtree(work_tree.root / ".repo_mcp")
    with closing(open_root(work_tree)) as repository:
        assert repository.refresh(force=True).unchanged == 0


def test_an_index_with_denied_names_is_no_donor(main: GitTree, tmp_path: Path) -> None:
    main.write({"secrets.py": f"{CANARY} = 1\n"})
    build(main, allow_paths=["secrets.py"])
    tree = main.add_work_tree(tmp_path / "work")
    assert build(tree).unchanged == 0


# What bad input gets: a build from nothing


def flip_a_byte(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    for path in (main.root / ".repo_mcp").glob("index-*/*.seg"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)


def cut_the_segment(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    for path in (main.root / ".repo_mcp").glob("index-*/*.seg"):
        os.truncate(path, path.stat().st_size // 2)


def remove_the_seal(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    for path in (main.root / ".repo_mcp").glob("index-*/*.seal"):
        path.unlink()


def remove_the_segment(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    for path in (main.root / ".repo_mcp").glob("index-*/*.seg"):
        path.unlink()


def replace_by_fifos(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    for path in [
        *(main.root / ".repo_mcp").glob("index-*/*.seg"),
        *(main.root / ".repo_mcp").glob("*/manifest"),
    ]:
        path.unlink()
        os.mkfifo(path)


def take_another_key(_main: GitTree, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("XDG_STATE_HOME", os.path.join(os.environ["XDG_STATE_HOME"], "another"))


def be_of_another_version(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    for path in (main.root / ".repo_mcp").glob("index-*"):
        path.rename(path.with_name(path.name.replace(f"-v{VERSION}-", f"-v{VERSION - 1}-")))


def be_open_to_others(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    (main.root / ".repo_mcp").chmod(0o777)


def be_a_link(main: GitTree, _patch: pytest.MonkeyPatch) -> None:
    (main.root / ".repo_mcp").rename(main.root / "elsewhere")
    (main.root / ".repo_mcp").symlink_to("elsewhere")


def fill_the_disk_while_copying(_main: GitTree, patch: pytest.MonkeyPatch) -> None:
    """Make the medium faulty: nothing of ours is."""

    def fail(_self: DiskDirectory, *_arguments: object) -> TransferMethod:
        raise OSError(errno.ENOSPC, "No space left on device")

    patch.setattr(DiskDirectory, "take", fail)


@pytest.mark.parametrize(
    "spoil",
    [
        flip_a_byte,
        cut_the_segment,
        remove_the_seal,
        remove_the_segment,
        replace_by_fifos,
        take_another_key,
        be_of_another_version,
        be_open_to_others,
        be_a_link,
        fill_the_disk_while_copying,
    ],
)
def test_a_bad_donor_is_not_used(
    spoil: Callable[[GitTree, pytest.MonkeyPatch], None],
    work_tree: GitTree,
    main: GitTree,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spoil(main, monkeypatch)
    names = sorted(os.listdir(main.root))
    with closing(open_root(work_tree)) as repository:
        report = repository.refresh()
        assert (report.added, report.unchanged, report.warnings) == (TEXTS, 0, ())
        state = repository.status()
        assert (state.state, state.origin) == ("ready", "")
        assert repository.search(SearchRequest("added_here", top_k=3)).total
    assert sorted(os.listdir(main.root)) == names


def test_a_checkout_that_is_named_in_vain_is_reported(main: GitTree, tmp_path: Path) -> None:
    for name in ("missing", "empty"):
        report = build(main, index_from=str(tmp_path / name))
        assert (report.added, report.warnings) == (TEXTS, (NO_DONOR,))
        shutil.rmtree(main.root / ".repo_mcp")
        (tmp_path / "empty").mkdir(exist_ok=True)


def test_after_a_bad_donor_the_next_one_is_tried(
    work_tree: GitTree, main: GitTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    third = main.add_work_tree(tmp_path / "third")
    build(third)
    flip_a_byte(main, monkeypatch)  # in a file that both have
    for path in (third.root / ".repo_mcp").glob("index-*/*.seg"):
        path.unlink()
    assert build(work_tree).unchanged == 0
    shutil.rmtree(third.root / ".repo_mcp")
    build(third)
    shutil.rmtree(work_tree.root / ".repo_mcp")
    assert build(work_tree).unchanged == TEXTS - 4


def test_a_half_built_donor_gives_what_it_has(main: GitTree, tmp_path: Path) -> None:
    half = copy_plainly(main, tmp_path / "half")
    shutil.rmtree(half.root / "package")
    build(half)
    plain = copy_plainly(main, tmp_path / "plain")
    report = build(plain, index_from=str(half.root))
    assert (report.added, report.unchanged) == (FILES, TEXTS - FILES)


def test_a_donor_that_merges_meanwhile_is_looked_at_again(
    work_tree: GitTree, main: GitTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    main.write({"docs/late.md": "late\n"})
    build(main)
    take, merges = DiskDirectory.take, iter([True])

    def merge_first(self: DiskDirectory, *arguments: Any) -> TransferMethod:
        if next(merges, False):
            with closing(open_root(main)) as repository:
                repository.compact(full=True)
        return take(self, *arguments)

    monkeypatch.setattr(DiskDirectory, "take", merge_first)
    report = build(work_tree)
    assert (report.added, report.unchanged) == (4, TEXTS - 4)


@pytest.mark.parametrize("links", [True, False])
def test_a_donor_that_changes_while_it_is_copied_is_not_used(
    work_tree: GitTree, main: GitTree, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Between the look at its seal and the copy."""
    take = DiskDirectory.take

    def flip_first(self: DiskDirectory, *arguments: Any) -> TransferMethod:
        flip_a_byte(main, monkeypatch)
        return take(self, *arguments)

    def refuse_to_link(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(DiskDirectory, "take", flip_first)
    if not links:
        monkeypatch.setattr(os, "link", refuse_to_link)
    with closing(open_root(work_tree)) as repository:
        report = repository.refresh()
        assert (report.added, report.unchanged) == (TEXTS, 0)
        assert repository.search(SearchRequest("added_here", top_k=3)).total


def test_a_work_tree_whose_main_one_is_gone_builds_from_nothing(work_tree: GitTree, main: GitTree) -> None:
    shutil.rmtree(main.root)
    with closing(open_root(work_tree)) as repository:
        report = repository.refresh()
        assert (report.unchanged, repository.status().origin) == (0, "")
        assert repository.search(SearchRequest("added_here", top_k=3)).total


@pytest.mark.parametrize("kind", ["fifo", "circle", "elsewhere", "device"])
def test_a_pointer_of_git_to_anywhere_at_all_gives_an_index(
    work_tree: GitTree, main: GitTree, tmp_path: Path, kind: str
) -> None:
    pointer = work_tree.root / ".git"
    pointer.unlink()
    if kind == "fifo":
        os.mkfifo(pointer)
    elif kind == "circle":
        pointer.symlink_to(".git")
    else:
        pointer.write_text(f"gitdir: {main.root / '.git' if kind == 'elsewhere' else '/dev/zero'}\n")
    with closing(open_root(work_tree)) as repository:
        report = repository.refresh()
        assert (report.unchanged, repository.status().origin) == (0, "")
        assert repository.search(SearchRequest("added_here", top_k=3)).total


def test_names_that_differ_in_case_are_other_files(main: GitTree, tmp_path: Path) -> None:
    """As a checkout on a system that ignores case may have them: the walk says how they are written here."""
    plain = copy_plainly(main, tmp_path / "plain")
    (plain.root / "docs/page1.md").rename(plain.root / "docs/PAGE1.md")
    build(main)
    report = build(plain, index_from=str(main.root))
    assert (report.added, report.unchanged) == (1, TEXTS - 1)
    with closing(open_root(plain)) as repository:
        found = repository.search(SearchRequest("page", top_k=50, file_glob="docs/*"))
        pages = ["docs/PAGE1.md", *(f"docs/page{number}.md" for number in (0, *range(2, 9)))]
        assert sorted(hit.path for hit in found.hits) == pages


def test_a_killed_adoption_is_gone_on_with(work_tree: GitTree) -> None:
    """Stopped between its first commit and the last: what was confirmed stays, and the rest is indexed."""
    with closing(open_root(work_tree)) as repository:

        def progress(now: Any) -> None:
            if now.phase == "merge":
                raise RepoError(ErrorCode.CANCELLED, "stopped", "")

        with pytest.raises(RepoError):
            repository.refresh(progress=progress)
        assert repository.search(SearchRequest("name_7_1", top_k=3)).total
    with closing(open_root(work_tree)) as repository:
        repository.refresh()
        assert repository.status().state == "ready"
        assert repository.status().indexed_files == TEXTS
        assert repository.search(SearchRequest("added_here", top_k=3)).total
