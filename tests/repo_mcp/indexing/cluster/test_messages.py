"""What a worker of a cluster sends is what a build here makes of the same files, or it is refused."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_format import CorruptIndex, IndexFormatError, MemoryDirectory, compute_fingerprint, pack, unpack
from repo_mcp.config.server_config import load_config
from repo_mcp.indexing.cluster.messages import (
    MOST_REPLY_BYTES,
    OtherProgram,
    ReceivedShard,
    _read_settings,
    build_shard,
    encode_task,
    read_reply,
)
from repo_mcp.indexing.shards.shards import BuildSettings, Cluster, ShardBuilder, ShardPlanner, ShardTask
from repo_mcp.model import SkipReason
from repo_mcp.repository import Repository
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.walked_files import WalkedFiles
from tests.deep.sizes import examples
from tests.repo_mcp.trees import make_tree

SHARD_BYTES = 20_000
Reply = list[bytes]


@dataclass(frozen=True)
class Tree:
    """A root, the settings of a build of it, and its shards."""

    root: Path
    settings: BuildSettings
    tasks: list[ShardTask]
    here: ShardBuilder

    def read(self, reply: object, task: ShardTask | None = None) -> ReceivedShard:
        return read_reply(self.settings, task or self.tasks[0], reply, self.here.are_true)


@pytest.fixture(name="tree", scope="module")
def open_tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    place = tmp_path_factory.mktemp("cluster")
    root = make_tree(place / "root", 7)
    (root / "zz.md").write_bytes(b"caf\xe9\n")  # decoded with replacements
    (root / "zz.png").write_bytes(b"\x89PNG\0")  # skipped by its name
    (root / "zz.py").write_bytes(b"\0binary")  # for what is in it
    (root / "zzz.py").write_bytes(b"x" * 3_000_000)  # unopened
    with closing(Repository(load_config(str(root), data_dir=str(place / "data")))) as repository:
        build = replace(repository._index.refresher.setup.settings, shard_bytes=SHARD_BYTES)
        names = map("new-{}".format, range(1_000))
        planner = ShardPlanner(lambda _path: None, lambda: next(names), SHARD_BYTES, keeps_stats=True)
        files = repository.tree.walk(lambda: False).files
        assert isinstance(files, WalkedFiles)
        with closing(ShardBuilder(build)) as here:
            yield Tree(root, build, [*planner.take(files), *planner.finish()], here)


def build_here(tree: Tree, task: ShardTask) -> ReceivedShard:
    """Return what a process of this machine makes of a shard."""
    directory = MemoryDirectory()
    with closing(ShardBuilder(tree.settings, directory)) as builder:
        result = builder.build(task)
    return ReceivedShard(result, tuple(bytes(directory.files[entry.name]) for entry in result.entries))


def build_there(tree: Tree, task: ShardTask | None = None) -> Reply:
    return build_shard(encode_task(tree.settings, task or tree.tasks[0]))


def test_a_worker_makes_the_same_bytes_and_says_the_same_of_each_file(tree: Tree) -> None:
    assert len(tree.tasks) > 3
    skipped: dict[str, SkipReason] = {}
    for task in tree.tasks:
        received = tree.read(build_there(tree, task), task)
        assert received == build_here(tree, task)
        skipped |= received.result.skipped
    assert skipped["zz.png"] is skipped["zz.py"] is SkipReason.BINARY
    assert skipped["zzz.py"] is SkipReason.TOO_LARGE


def test_a_shard_whose_files_were_all_wanted_before_is_empty(tree: Tree) -> None:
    task = replace(tree.tasks[0], files=())
    assert tree.read(build_there(tree, task), task) == build_here(tree, task)


def test_what_is_unchanged_is_not_built(tree: Tree) -> None:
    first = build_here(tree, tree.tasks[0])
    known = {path: compute_fingerprint((tree.root / path).read_bytes()) for path in first.result.indexed}
    task = replace(tree.tasks[0], files=tuple((path, known.get(path)) for path, _ in tree.tasks[0].files))
    received = tree.read(build_there(tree, task), task)
    assert received == build_here(tree, task)
    assert received.result.unchanged == first.result.indexed
    assert received.segments == ()


def test_all_settings_reach_a_worker(tree: Tree) -> None:
    wanted = replace(
        tree.settings,
        data_dir_parts=("own", "data"),
        chunk_lines=50,
        overlap_lines=5,
        max_file_bytes=4_000,
        include_extensions=frozenset({"py", "md"}),
        languages=(("foo", "python"),),
        refusals=Refusals(True, False, True),
        allow_paths=("*.pem",),
        cluster=Cluster("tcp://127.0.0.1:1", "/elsewhere"),
    )
    record = unpack(encode_task(wanted, tree.tasks[0]), "task")
    found = _read_settings(record["settings"])
    here = ("root", "index_path", "shard_bytes", "cluster")  # which mean nothing to a worker, or other things
    assert found.root == "/elsewhere"
    assert replace(found, **{name: getattr(wanted, name) for name in here}) == wanted


def change_record(change: Callable[[list[list[object]]], object]) -> Callable[[Reply], object]:
    """Return a reply with its rows changed."""

    def apply(reply: Reply) -> object:
        record = unpack(reply[0], "reply")
        change(record["files"])
        return [pack(record), *reply[1:]]

    return apply


def set_all(column: int, value: object) -> Callable[[Reply], object]:
    return change_record(lambda rows: [row.__setitem__(column, value) for row in rows])


def hide(reply: Reply, outcome: str) -> object:
    """Return a reply that says this of each file, as it was seen."""
    return [set_all(0, outcome)(reply)[0]]  # type: ignore[index]


def flip(data: bytes, place: int) -> bytes:
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


DAMAGE: dict[str, Callable[[Reply], object]] = {
    "nothing": lambda _reply: None,
    "no list": b"".join,
    "an empty list": lambda _reply: [],
    "no bytes": lambda reply: [reply[0], "segment"],
    "too many": lambda reply: [*reply, *[reply[1]] * 1_000],
    "too large": lambda reply: [reply[0], bytes(MOST_REPLY_BYTES)],
    "no record": lambda reply: [b"\xc1", *reply[1:]],
    "a record of numbers": lambda reply: [pack(7), *reply[1:]],
    "a record without files": lambda reply: [pack({"program": unpack(reply[0], "")["program"]}), *reply[1:]],
    "a deep record": lambda reply: [b"\x91" * 1_000_000, *reply[1:]],
    "a row too few": change_record(lambda rows: rows.pop()),
    "a row too many": change_record(lambda rows: rows.append(rows[0])),
    "rows of two": change_record(lambda rows: [row.__delitem__(slice(2, None)) for row in rows]),
    "outcomes that are none": set_all(0, "perhaps"),
    "outcomes that are numbers": set_all(0, 3),
    "outcomes that are lists": set_all(0, [[]]),
    "all unchanged": set_all(0, "unchanged"),
    "all gone": set_all(0, "gone"),
    "all binary": set_all(0, "binary"),
    "all gone, with nothing indexed": lambda reply: hide(reply, "gone"),
    "all binary, with nothing indexed": lambda reply: hide(reply, "binary"),
    "no segment": lambda reply: reply[:1],
    "a segment twice": lambda reply: [*reply, reply[1]],
    "a cut segment": lambda reply: [reply[0], reply[1][:-1]],
    "an empty segment": lambda reply: [reply[0], b""],
    "a longer segment": lambda reply: [reply[0], reply[1] + b"\0"],
    "a changed byte": lambda reply: [reply[0], flip(reply[1], len(reply[1]) // 2)],
    "a changed header": lambda reply: [reply[0], flip(reply[1], 9)],
    "a changed tail": lambda reply: [reply[0], flip(reply[1], -20)],
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_no_worker_of_ours_would_send_is_refused(tree: Tree, damage: str) -> None:
    reply = build_there(tree)
    assert len(reply) == 2
    with pytest.raises(IndexFormatError):
        tree.read(DAMAGE[damage](reply))


def test_the_segment_of_another_shard_is_refused(tree: Tree) -> None:
    """It is whole, and holds names that nobody asked for."""
    mine, other = build_there(tree), build_there(tree, tree.tasks[1])
    with pytest.raises(CorruptIndex, match="other files"):
        tree.read([mine[0], other[1]])
    with pytest.raises(CorruptIndex, match="outcomes"):
        tree.read(other)


def test_a_segment_of_other_settings_is_refused(tree: Tree) -> None:
    other = replace(tree.settings, languages=(*tree.settings.languages, ("md", "python")))
    task = next(one for one in tree.tasks if any(path.endswith(".md") for path, _ in one.files))
    with pytest.raises(CorruptIndex, match="another language"):
        tree.read(build_shard(encode_task(other, task)), task)
    narrow = replace(tree, settings=replace(tree.settings, max_file_bytes=1_000))
    with pytest.raises(CorruptIndex, match="too large"):
        narrow.read(build_there(tree))


def test_another_version_of_the_program_is_named(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    message = encode_task(tree.settings, tree.tasks[0])
    monkeypatch.setattr("repo_mcp.indexing.cluster.messages.__version__", "0.0.1")
    reply = build_shard(message)
    monkeypatch.undo()
    assert len(reply) == 1
    with pytest.raises(OtherProgram):
        tree.read(reply)


@given(st.integers(0, 2**32))
@settings(max_examples=examples(2_000), deadline=None)
@pytest.mark.sized
def test_any_bytes_are_refused_or_are_what_was_built(tree: Tree, seed: int) -> None:
    reply, draw = build_there(tree), random.Random(seed)
    part = draw.randrange(len(reply))
    data = bytearray(reply[part])
    for _ in range(draw.choice([1, 1, 3])):
        place = draw.randrange(len(data))
        data[place : place + draw.choice([0, 1, 1, 8])] = draw.randbytes(draw.choice([0, 1, 1, 8]))
    changed = [bytes(data) if number == part else one for number, one in enumerate(reply)]
    try:
        received = tree.read(changed)
    except IndexFormatError:
        return
    assert replace(received.result, unsettled=()) == build_here(tree, tree.tasks[0]).result


def copy_elsewhere(tree: Tree, place: Path) -> Tree:
    """Return the tree of workers that have a copy, with other times."""
    shutil.copytree(tree.root, place)
    for path in place.rglob("*.*"):
        os.utime(path, ns=(1, 1))
    return replace(tree, settings=replace(tree.settings, cluster=Cluster("tcp://127.0.0.1:1", str(place))))


def test_a_copy_of_the_tree_will_do(tree: Tree, tmp_path: Path) -> None:
    there = copy_elsewhere(tree, tmp_path / "copy")
    for task in tree.tasks:
        assert there.read(build_there(there, task), task) == build_here(tree, task)


@pytest.mark.parametrize("same_times", [False, True])
def test_a_worker_that_sees_another_tree_is_found_out(tree: Tree, tmp_path: Path, same_times: bool) -> None:
    """Also where the other file has the time of this one, but not its size."""
    there = copy_elsewhere(tree, tmp_path / "copy")
    for path, (size, mtime_ns) in tree.tasks[0].stats.items():
        other = tmp_path / "copy" / path
        other.write_bytes(b"another file\n" if same_times else b"y" * size)
        if same_times:
            os.utime(other, ns=(mtime_ns, mtime_ns))
    with pytest.raises(CorruptIndex, match="differ from those here"):
        there.read(build_there(there))


def test_files_that_a_worker_does_not_have_are_not_taken_for_gone(tree: Tree, tmp_path: Path) -> None:
    place = tmp_path / "copy"
    there = copy_elsewhere(tree, place)
    for path, _ in tree.tasks[0].files:
        (place / path).unlink()
    with pytest.raises(CorruptIndex, match="differ from those here"):
        there.read(build_there(there))


def test_what_is_gone_and_what_cannot_be_opened_is_believed_when_it_is_so_here(
    tree: Tree, tmp_path: Path
) -> None:
    """As when a file is removed between the walk and its shard."""
    task = tree.tasks[0]
    gone = "zz/not_there.py"
    more = replace(task, files=(*task.files, (gone, None)), stats={**task.stats, gone: (7, 7)})
    received = tree.read(build_there(tree, more), more)
    assert received.result.gone == ("zz/not_there.py",)
    assert received == build_here(tree, more)
