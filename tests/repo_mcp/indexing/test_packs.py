"""Packs: equal trees give equal bytes, one is taken over as the index of a checkout is, a bad one refused."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from index_format import (
    ChunkTable,
    Field,
    FileTable,
    IndexWriter,
    MemoryDirectory,
    PostingRun,
    SegmentContent,
    UnitTable,
    build_term_text,
    compute_fingerprint,
    pack,
    unpack,
    write_segment,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.adoption import NO_DONOR
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.repository.whole_index import pack_whole
from repo_mcp.storage import packs
from repo_mcp.storage.pack_keys import NO_KEY, read_key
from repo_mcp.storage.packs import (
    HEADER,
    MAGIC,
    MAX_FILES,
    PackDirectory,
    PackedIndex,
    create_pack,
    read_pack,
    write_pack,
)
from repo_mcp.text.schema import BODY, FIELDS
from tests.deep.sizes import choose, first
from tests.forked import run_program
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
from tests.repo_mcp.stdio.retrieval_client import PROJECT

pytestmark = [with_git, posix]


@pytest.fixture
def main(tmp_path: Path) -> GitTree:
    return make_main(tmp_path)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(b"k" * 32)
    return path


def write(tree: GitTree, path: Path, *, structure: bool = False, **options: Any) -> bytes:
    """Index a tree, and return its pack."""
    build(tree, structure=structure)
    with closing(open_root(tree, **options)) as repository:
        assert pack_whole(repository, create_pack(str(path))) == path.stat().st_size
    return path.read_bytes()


def test_equal_trees_give_equal_packs(main: GitTree, tmp_path: Path, key: Path) -> None:
    other = copy_plainly(main, tmp_path / "other")
    change(other)
    build(other, structure=True)
    change_back(other, main)
    first, second = (
        write(tree, tmp_path / f"{tree.root.name}.pack", structure=True) for tree in (main, other)
    )
    assert first == second
    assert str(tmp_path).encode() not in first
    signed = write(main, tmp_path / "signed.pack", pack_key=str(key))
    assert signed != first
    assert write(other, tmp_path / "again.pack", pack_key=str(key)) == signed
    assert (tmp_path / "main.pack").stat().st_mode & 0o777 == 0o600


def change_back(tree: GitTree, original: GitTree) -> None:
    for path in (
        "package/part1/module01.py",
        "package/part2/module02.py",
        "package/part3/module03.py",
        "docs/page4.md",
    ):
        tree.write({path: (original.root / path).read_text()})
    for path in ("package/new.py", "docs/page40.md"):
        (tree.root / path).unlink()


@pytest.mark.parametrize("is_signed", first(1, [True, False]))
def test_what_begins_with_a_pack_is_what_is_built_from_nothing(
    main: GitTree, tmp_path: Path, key: Path, is_signed: bool
) -> None:
    options = {"pack_key": str(key)} if is_signed else {}
    file = tmp_path / "main.pack"
    write(main, file, structure=True, **options)
    clone, plain = (copy_plainly(main, tmp_path / name) for name in ("clone", "plain"))
    for tree in (clone, plain):
        change(tree)
    with (
        closing(open_root(clone, index_pack=str(file), **options)) as ours,
        closing(open_root(plain)) as theirs,
    ):
        report = ours.refresh()
        assert (report.added, report.unchanged, report.warnings) == (4, TEXTS - 4, ())
        structure = ours.symbol_index.build()
        assert (structure.parsed, structure.unchanged) == (3, FILES - 3)
        theirs.refresh()
        theirs.symbol_index.build()
        assert ours.status().origin == f"a pack: {TEXTS - 4} of its {TEXTS} files were the same"
        assert ours.status().snapshot == theirs.status().snapshot
        assert ask_all(ours, 2) == ask_all(theirs, 2)
        for one in (ours, theirs):
            one.compact(full=True)
            one.symbol_index.compact(full=True)
        assert read_segments(ours) == read_segments(theirs)
    file.unlink()
    assert build(clone).unchanged == TEXTS  # it is ours now, under our own seal


def refuse(path: Path, key: Path | None = None) -> str:
    """Return why a pack is refused."""
    with pytest.raises(RepoError) as fault:
        read_pack(str(path), read_key(None if key is None else str(key)))
    assert fault.value.code is ErrorCode.CONFIG_INVALID
    return fault.value.message


def test_a_wrong_signature_is_refused(main: GitTree, tmp_path: Path, key: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"o" * 32)
    signed, plain = tmp_path / "signed", tmp_path / "plain"
    write(main, signed, pack_key=str(key))
    write(main, plain)
    assert refuse(signed, other) == "The pack was signed with another key, or changed since."
    assert refuse(signed) == "The pack is signed, and --pack-key names no key."
    assert refuse(plain, key) == "The pack is not signed with the key of --pack-key."
    (short := tmp_path / "short").write_bytes(b"k")
    assert refuse(signed, short) == "--pack-key has 1 bytes, 16 to 4,096 bytes are needed."
    assert refuse(signed, tmp_path / "missing").startswith("--pack-key cannot be read (")
    assert read_pack(str(signed), read_key(str(key)))[0].kind == "index"


def rebuild(data: bytes, change_table: Any) -> bytes:
    """Return a pack with another table."""
    *_, size = HEADER.unpack_from(data)
    table = unpack(data[HEADER.size : HEADER.size + size], "table")
    change_table(table)
    packed = pack(table)
    return HEADER.pack(MAGIC, 1, 0, len(packed)) + packed + data[HEADER.size + size :]


def test_what_is_no_whole_pack_is_refused_in_words(main: GitTree, tmp_path: Path) -> None:
    data = write(main, tmp_path / "good")
    bad = tmp_path / "bad"

    def look(content: bytes) -> str:
        bad.write_bytes(content)
        return refuse(bad).removeprefix("The pack ").removesuffix(".")

    assert look(b"") == look(b"PK\3\4" * 99) == "is not a pack"
    assert look(data[:-1]) == look(data[:2000]) == "is cut short"
    assert look(data + b"\0") == "has bytes after its end"
    other = struct.pack("<H", 2)
    assert look(data[:8] + other + data[10:]) == "is a pack of version 2, and this program reads version 1"
    assert look(data[:12] + b"\xff" * 4 + data[16:]) == "is cut short"
    for lie in (
        lambda table: table.pop("files"),
        lambda table: table["files"].append(["index", "x", -5]),
        lambda table: table["files"].append(table["files"][0]),
        lambda table: table["files"].append(["elsewhere", "x", 0]),
        lambda table: table.update(files=[["index"]]),
        lambda table: table.update(files="index"),
    ):
        assert look(rebuild(data, lie)) == "has a table that cannot be read"
    assert look(rebuild(data, lambda table: table.update(signed=True))).startswith("is signed")
    assert look(rebuild(data, lambda table: table["files"].reverse())) != ""
    assert refuse(tmp_path / "missing").startswith("The pack cannot be read (")
    assert refuse(tmp_path).startswith("The pack ")
    os.mkfifo(tmp_path / "fifo")
    assert refuse(tmp_path / "fifo").startswith("The pack is damaged (")


def test_any_changed_byte_is_refused_or_built_over(main: GitTree, tmp_path: Path) -> None:
    data = write(main, tmp_path / "good")
    bad, random = tmp_path / "bad", Random(3)
    clone = copy_plainly(main, tmp_path / "clone")
    outcomes: set[object] = set()
    for _ in range(12):
        place = random.choice((random.randrange(400), random.randrange(len(data))))
        bad.write_bytes(data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :])
        try:
            report = build(clone, index_pack=str(bad))
        except RepoError as fault:
            outcomes.add(fault.code)
            assert not list(clone.root.glob(".repo_mcp/index-*/*.seg"))
            continue
        outcomes.add("built")
        assert (report.added, report.warnings) == (TEXTS, (NO_DONOR,))
        for path in clone.root.glob(".repo_mcp/index-*/*"):
            path.unlink()
    assert outcomes == {ErrorCode.CONFIG_INVALID, "built"}


def test_nothing_that_is_not_here_is_served_whatever_a_pack_says(main: GitTree, tmp_path: Path) -> None:
    canary = "zyxcanaryzyx"
    main.write({"only_there.py": f"def {canary}():\n    return 1\n"})
    write(main, tmp_path / "pack")
    clone = copy_plainly(main, tmp_path / "clone")
    (clone.root / "only_there.py").unlink()
    with closing(open_root(clone, index_pack=str(tmp_path / "pack"))) as repository:
        assert repository.refresh().unchanged == TEXTS
        assert repository.search(SearchRequest(canary, top_k=5)).total == 0


CANARY = "zyxcanaryzyx"


def write_lies(path: Path, paths: dict[str, bytes], configuration: str, fields: tuple[Field, ...]) -> None:
    """Write a pack whose index says that each of the paths, of contents with a fingerprint, has one word."""
    names = sorted(map(str.encode, paths))
    count = len(names)
    ones, zeros = np.ones(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    prints = b"".join(paths[name.decode()] for name in names)
    files = FileTable(names, prints, ones * 7, zeros, zeros, ones, ones, ones, ["python"])
    lengths = [ones, *[zeros] * (len(fields) - 1)]
    tables = UnitTable(ones, ones), ChunkTable(zeros, ones, zeros)
    content = SegmentContent(fields, files, *tables, lengths, None)
    term, body = build_term_text([CANARY.encode()]), np.array([BODY], dtype=np.int64)
    run = PostingRun(term, zeros[:1], body, ones[:1] * count, np.arange(count), ones)
    source = MemoryDirectory(make_tag=lambda data: blake2b(data, digest_size=32).digest())
    writer = IndexWriter(source, configuration, fields)
    writer.add(write_segment(source, "lies", content, run))
    writer.commit()
    writer.close()
    write_pack(create_pack(str(path)), [("index", source)], NO_KEY)


@pytest.mark.sized
def test_paths_that_lead_out_that_are_denied_and_that_do_not_exist_give_nothing(
    main: GitTree, tmp_path: Path
) -> None:
    """Even where the pack knows the contents of what is denied."""
    (configuration,) = {one.manifest.configuration for one in read_pack_of(main, tmp_path / "good")}
    clone = GitTree(tmp_path / "clone")
    texts = {"here.py": "HERE = 1\n", ".env": f"{CANARY} = 1\n", "../outside.py": f"{CANARY} = 2\n"}
    clone.write(texts)
    prints = {path: compute_fingerprint(text.encode()) for path, text in texts.items()}
    outside = (
        "/etc/passwd",
        "../../etc/passwd",
        "..",
        ".",
        "a/../../b",
        ".git/config",
        "C:\\x",
        "a//b",
        "a\nb",
    )
    missing = [f"gone/{number:07}.py" for number in range(choose(20_000, MAX_FILES - 100))]
    lies = prints | dict.fromkeys([*outside, *missing], bytes(16))
    write_lies(tmp_path / "lies", lies, configuration, FIELDS)
    with closing(open_root(clone, index_pack=str(tmp_path / "lies"))) as repository:
        report = repository.refresh()
        assert (report.added, report.unchanged, report.warnings) == (0, 1, ())
        state = repository.status()
        assert (state.indexed_files, state.origin) == (
            1,
            f"a pack: 1 of its {len(lies):,} files were the same",
        )
        found = repository.search(SearchRequest(CANARY, top_k=50))
        assert {hit.path for hit in found.hits} <= {"here.py"}
        assert repository.search_exact(ExactRequest(CANARY)).total == 0


def read_pack_of(tree: GitTree, path: Path) -> tuple[PackedIndex, ...]:
    write(tree, path)
    return read_pack(str(path), NO_KEY)


def test_an_index_with_other_fields_or_settings_is_not_taken_over(main: GitTree, tmp_path: Path) -> None:
    (good,) = read_pack_of(main, tmp_path / "good")
    own = good.manifest.configuration
    clone = GitTree(tmp_path / "clone")
    clone.write({"here.py": "HERE = 1\n"})
    prints = {"here.py": compute_fingerprint(b"HERE = 1\n")}
    for configuration, fields, same in ((own, FIELDS, 1), (own, FIELDS[:-1], 0), (own[::-1], FIELDS, 0)):
        write_lies(tmp_path / "lies", prints, configuration, fields)
        report = build(clone, index_pack=str(tmp_path / "lies"))
        assert (report.unchanged, report.warnings) == (same, () if same else (NO_DONOR,))
        shutil.rmtree(clone.root / ".repo_mcp")


def test_an_index_of_too_many_files_is_refused(main: GitTree, tmp_path: Path) -> None:
    (good,) = read_pack_of(main, tmp_path / "good")
    missing = {f"gone/{number}.py": bytes(16) for number in range(9)}
    write_lies(tmp_path / "lies", missing, good.manifest.configuration, FIELDS)
    assert read_pack(str(tmp_path / "lies"), NO_KEY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "MAX_FILES", 8)
        assert refuse(tmp_path / "lies") == "The pack has an index of more than 8 files."


def test_an_index_with_denied_names_is_not_packed(main: GitTree, tmp_path: Path) -> None:
    main.write({"secrets.py": "a = 1\n"})
    with closing(open_root(main, allow_paths=["secrets.py"])) as repository:
        repository.refresh()
        with pytest.raises(RepoError, match="--allow-path"):
            pack_whole(repository, create_pack(str(tmp_path / "pack")))
    assert not (tmp_path / "pack").exists()


def test_a_pack_is_never_written_to() -> None:
    directory = PackDirectory({}, lambda data: data)
    for change_it in (
        lambda: directory.create("a"),
        lambda: directory.rename("a", "b"),
        lambda: directory.take("a", directory),
        lambda: directory.delete("a"),
        directory.sync,
        lambda: directory.lock("a"),
    ):
        with pytest.raises(OSError, match="never written to"):
            change_it()


def run(tree: GitTree, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "HOME": str(home)}
    return run_program(arguments, cwd=tree.root, env=environment)


def test_one_user_makes_it_and_another_begins_with_it(main: GitTree, tmp_path: Path, key: Path) -> None:
    """By commands, each of a home of its own, and so with other keys."""
    homes = [tmp_path / name for name in ("maker", "user")]
    for home in homes:
        home.mkdir()
    made = run(
        main, homes[0], "index", "--structure", "--pack", "../main.pack", "--pack-key", str(key), "--json"
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["pack_bytes"] == (tmp_path / "main.pack").stat().st_size
    clone = copy_plainly(main, tmp_path / "clone")
    refused = run(clone, homes[1], "index", "--from-pack", "../main.pack")
    assert (refused.returncode, "is signed" in refused.stderr) == (2, True)
    taken = run(clone, homes[1], "index", "--from-pack", "../main.pack", "--pack-key", str(key), "--json")
    assert taken.returncode == 0, taken.stderr
    document = json.loads(taken.stdout)
    assert (document["added"], document["unchanged"]) == (0, TEXTS)
    assert "a pack: " in run(clone, homes[1], "status").stdout
