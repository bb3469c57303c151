"""What Git tracks, read from its index: what Git itself lists, and nothing from bytes that are none."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.workspace.directory_listing import list_directory
from repo_mcp.workspace.git import index as git_index
from repo_mcp.workspace.git import index_entries as git_index_entries
from repo_mcp.workspace.git.index import GitIndex
from repo_mcp.workspace.git.index_entries import TrackedPaths, UnusableIndex, parse_index
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.path_changes import PathChangeFinder
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader.repository_reader import RepositoryReader
from repo_mcp.workspace.walk import walk
from repo_mcp.workspace.walk_memory import WalkMemory
from tests.deep.sizes import choose, examples
from tests.posix import posix

with_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CEILING_DIRECTORIES": "/",
}


class Checkout:
    """A root with Git's index, and what is found in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.policy, self.memory = DenyPolicy(), WalkMemory()
        self.reader = RepositoryReader(str(root), self.policy.find_denial)
        self.index = GitIndex(self.reader)
        self.excluded: tuple[str, ...] = ()
        self.warnings: tuple[str, ...] = ()

    def git(self, *arguments: str) -> list[str]:
        """Run Git and return the parts of its output that end in NUL."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=ENVIRONMENT, capture_output=True, check=True
        )
        return sorted(filter(None, done.stdout.decode().split("\0")))

    def write(self, *paths: str) -> None:
        for path in paths:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(path)

    def read(self) -> TrackedPaths:
        return self.index.read()

    def walk(self) -> list[str]:
        rules = IgnoreRules(self.excluded, self.memory.parsed, self.read())
        report = walk(self.reader, self.policy.find_denial, rules, memory=self.memory)
        self.warnings = report.warnings
        return [file.path for file in report.files]

    def list(self, path: str) -> list[str]:
        rules = IgnoreRules(self.excluded, tracked=self.read())
        return [one.path for one in list_directory(self.reader, self.policy.find_denial, rules, path).entries]


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    made = Checkout(tmp_path)
    if shutil.which("git"):
        made.git("init", "-q")
    yield made
    made.reader.close()


def list_paths(tracked: TrackedPaths) -> list[str]:
    return [path.decode() for path in tracked.paths.split(b"\0")[:-1]]


PATHS = ("a.c", "a/b.c", "a/é.c", "a/" + "n" * 200, "b-c/d", "b/c/d", "z" * 250 + "/y")


@with_git
@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
@pytest.mark.parametrize("skips_digest", ["false", "true"])
def test_the_paths_are_those_that_git_lists(
    tmp_path: Path, version: int, kind: str, skips_digest: str
) -> None:
    checkout = Checkout(tmp_path)
    checkout.git("init", "-q", f"--object-format={kind}")
    checkout.git("config", "index.skipHash", skips_digest)
    checkout.write(*PATHS)
    checkout.git("update-index", "--add", f"--index-version={version}", *PATHS)
    if version == 3:  # only where an entry needs it
        checkout.git("update-index", "--skip-worktree", "a/b.c", "z" * 250 + "/y")
    assert (tmp_path / ".git/index").read_bytes()[7] == version
    tracked = checkout.read()
    assert list_paths(tracked) == checkout.git("ls-files", "-z") == sorted(PATHS)
    assert not tracked.fault
    assert all(map(tracked.has_file, PATHS))
    assert [one for one in ("a", "b", "b-c", "b/c", "z", "a.c", "", "a/b") if tracked.has_below(one)] == [
        *("a", "b", "b-c", "b/c")
    ]
    assert not any(map(tracked.has_file, ("a", "a.", "a.c2", "b/c", "0", "zzz", "a/e.c")))
    checkout.reader.close()


@with_git
def test_what_git_tracks_is_not_ignored(checkout: Checkout) -> None:
    checkout.write("a.o", "b.o", "src/c.o", "build/d.c", "build/deep/e.c", "build/f.c", "dist/g.c")
    (checkout.root / ".gitignore").write_text("*.o\nbuild/\ndist/\n")
    assert checkout.walk() == []
    checkout.git("add", "-f", "a.o", "src/c.o", "build/deep/e.c")
    assert checkout.walk() == ["a.o", "build/deep/e.c", "src/c.o"]
    assert checkout.walk() == ["a.o", "build/deep/e.c", "src/c.o"]  # as the memory of the walk has it
    assert checkout.list("") == ["a.o", "build", "src"]
    assert checkout.list("build") == ["build/deep"]
    checkout.git("rm", "-q", "--cached", "a.o", "build/deep/e.c")
    assert checkout.walk() == ["src/c.o"]
    assert checkout.list("") == ["src"]


@with_git
def test_a_file_is_looked_at_by_name_as_the_walk_would(checkout: Checkout) -> None:
    checkout.write("top.c", "a.o", "b.o", "build/c.o", "build/d.o")
    (checkout.root / ".gitignore").write_text("*.o\n/build\n")
    checkout.git("add", "-f", "a.o", "build/c.o")
    checkout.walk()
    finder = PathChangeFinder(checkout.reader, checkout.policy.find_denial, checkout.memory)
    found = finder.look_at(["a.o", "b.o", "build/c.o", "build/d.o"])
    assert found is not None
    assert [file.path for file in found.files] == ["a.o", "build/c.o"]
    for name in ("a.o", "build/c.o"):
        (checkout.root / name).unlink()
    found = finder.look_at(["a.o", "build/c.o", "build/d.o"])
    assert found is not None
    assert found.gone == ("a.o", "build/c.o")


@with_git
def test_neither_denied_nor_hidden_nor_excluded_files_come_in_because_they_are_tracked(
    checkout: Checkout,
) -> None:
    checkout.write(".env", "tls/server.pem", ".cache/x.c", "out/a.c", "out/b.log", "gen/c.c")
    (checkout.root / ".gitignore").write_text("*\n")
    checkout.git("add", "-f", ".")
    checkout.excluded = ("*.log", "gen/")
    assert checkout.walk() == ["out/a.c"]
    assert checkout.list("out") == ["out/a.c"]


@with_git
@pytest.mark.sized
def test_the_walk_finds_what_git_tracks_and_what_it_would_add(tmp_path: Path) -> None:
    """Any tree, rules and index: the files that `git ls-files -c -o --exclude-standard` lists."""
    for number in range(choose(5, 100)):
        draw = Random(number)
        (tmp_path / str(number)).mkdir()
        checkout = Checkout(tmp_path / str(number))
        checkout.git("init", "-q")
        names = ["a", "b", "c.o", "d.c"]
        paths = {"/".join(draw.choices(["x", "y", "z"], k=draw.randint(0, 3))) for _ in range(8)}
        checkout.write("keep", *(f"{above}/{name}".lstrip("/") for above in paths for name in names))
        rules = ["*.o", "x/", "/y/a", "!c.o", "z", "b", "!z/", "x/*", "!x/b", "**/y/d.c"]
        for place in draw.choices(["", "x", "y"], k=2):
            if (checkout.root / place).is_dir():
                text = "\n".join(draw.choices(rules, k=3)) + "\n"
                (checkout.root / place / ".gitignore").write_text(text)
        every = [one for one in checkout.git("ls-files", "-z", "-o") if not one.endswith(".gitignore")]
        checkout.git("add", "-f", "--", *draw.sample(every, k=draw.randint(1, len(every))))
        listed = checkout.git("ls-files", "-z", "-c", "-o", "--exclude-standard")
        expected = [path for path in listed if not path.endswith(".gitignore")]
        assert checkout.walk() == expected, number
        assert checkout.walk() == expected, number
        checkout.git("rm", "-q", "-r", "--cached", ".")
        listed = checkout.git("ls-files", "-z", "-o", "--exclude-standard")
        assert checkout.walk() == [path for path in listed if not path.endswith(".gitignore")] or (
            "ignores everything" in "".join(checkout.warnings)
        ), number
        checkout.reader.close()


def _split(checkout: Checkout) -> None:
    checkout.git("update-index", "--split-index")


def _sparse(checkout: Checkout) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@y")
    checkout.git(*identity, "commit", "-q", "-m", "x")
    checkout.git("sparse-checkout", "init", "--cone", "--sparse-index")
    checkout.git("sparse-checkout", "set", "src")


@with_git
@pytest.mark.parametrize(("spoil", "fault"), [(_split, "split"), (_sparse, "sparse")])
def test_an_index_that_is_not_whole_is_not_used_and_named(
    checkout: Checkout, spoil: Callable[[Checkout], None], fault: str
) -> None:
    checkout.write("src/a.c", "doc/deep/b", "x.o")
    (checkout.root / ".gitignore").write_text("*.o\n")
    checkout.git("add", "-f", ".")
    spoil(checkout)
    checkout.write("x.o")
    assert "x.o" not in checkout.walk()
    assert [one for one in checkout.warnings if ".git/index" in one] == [
        f".git/index is {fault}, so it is not used: tracked files that .gitignore names are left out."
    ]
    (checkout.root / ".gitignore").write_text("")
    checkout.walk()
    assert checkout.warnings == ()  # without ignored files nothing can be missing


def build_index(*paths: bytes, version: int = 2, extensions: bytes = b"", count: int | None = None) -> bytes:
    """Return an index of version 2 or, with paths that share nothing, 4."""
    data = struct.pack(">4sII", b"DIRC", version, len(paths) if count is None else count)
    last = b""
    for path in paths:
        entry = bytes(60) + struct.pack(">H", min(len(path), 0xFFF))
        if version == 4:
            entry += bytes([len(last)]) + path + b"\0"
        else:
            entry += path + bytes(8 - (len(entry) + len(path)) % 8)
        data += entry
        last = path
    data += extensions
    return data + hashlib.sha1(data, usedforsecurity=False).digest()


GOOD = build_index(b"a", b"b/c", extensions=b"TREE\0\0\0\2xx")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "damaged"),
        (b"DIRC", "damaged"),
        (build_index().replace(b"DIRC", b"CRID"), "damaged"),
        (build_index(b"a", version=1), "of the unknown version 1"),
        (build_index(b"a", version=5), "of the unknown version 5"),
        (build_index(b"a", count=2), "damaged"),
        (build_index(b"a", count=2**32 - 1), "damaged"),
        (build_index(b"b", b"a"), "damaged"),
        (build_index(b"b", b""), "damaged"),
        (build_index(b"a", extensions=b"TREE\xff\xff\xff\xff"), "damaged"),
        (build_index(b"a", extensions=b"TRE"), "damaged"),
        (build_index(b"a", extensions=b"link\0\0\0\0"), "split"),
        (build_index(b"a", extensions=b"sdir\0\0\0\0"), "sparse"),
        (build_index(b"a", extensions=b"new!\0\0\0\0"), "of an unknown kind"),
        (build_index(b"a", extensions=b"TREE\0\0\0\0" * 10_000), "damaged"),  # eight million fit in
        (GOOD[:-1] + bytes([GOOD[-1] ^ 1]), "damaged"),
        (build_index(b"a" * 5_000, version=4), "damaged"),
    ],
)
def test_anything_else_is_refused_with_its_fault(data: bytes, fault: str) -> None:
    with pytest.raises(UnusableIndex) as caught:
        parse_index(data)
    assert str(caught.value) == fault


def test_a_few_bytes_do_not_become_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_index_entries, "MAX_PATHS_BYTES", 100_000)
    entry = bytes(60) + struct.pack(">H", 0xFFF)
    first = entry + b"\0" + b"a" * 4_000 + b"\0"
    data = struct.pack(">4sII", b"DIRC", 4, 31) + first + (entry + b"\0\0") * 30
    with pytest.raises(UnusableIndex):  # 31 paths of 4,000 bytes each
        parse_index(data + hashlib.sha1(data, usedforsecurity=False).digest())


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255), st.booleans())
@settings(max_examples=examples(2_000), deadline=None)
def test_any_bytes_are_an_index_or_refused(at: int, byte: int, cuts: bool) -> None:
    body = bytearray(GOOD[:-20])
    if cuts:
        body = body[:at]
    elif at < len(body):
        body[at] = byte
    for data in (bytes(body) + bytes(20), bytes(body) + hashlib.sha256(body).digest()):
        try:
            tracked = parse_index(data)
        except UnusableIndex:
            continue
        assert list_paths_bytes(tracked) == sorted(list_paths_bytes(tracked))


MODES = (0o100644, 0o100755, 0o120000, 0o160000)
NAMES = st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name)


def build_entries(paths: Sequence[bytes], modes: Sequence[int], extra: bytes, digest: str) -> bytes:
    """Return an index of version 2 as Git writes it; `extra` is in object names and after the entries."""
    width = hashlib.new(digest).digest_size
    data = struct.pack(">4sII", b"DIRC", 2, len(paths))
    for path, mode in zip(paths, modes, strict=True):
        status = struct.pack(">10I", *range(6), mode, 7, 8, 9)
        entry = status + (extra * width)[:width] + struct.pack(">H", min(len(path), 0xFFF)) + path
        data += entry + bytes(8 - len(entry) % 8)
    data += struct.pack(">4sI", b"TREE", len(extra)) + extra
    return data + hashlib.new(digest, data).digest()


@given(
    st.sets(NAMES, min_size=1, max_size=12),
    st.data(),
    st.sampled_from([b"x", struct.pack(">I", 0o100644), struct.pack(">I", 0o100644) + bytes(4)]),
    st.sampled_from(["sha1", "sha256"]),
)
@settings(max_examples=examples(500), deadline=None)
def test_entries_read_at_once_are_those_read_one_by_one(
    names: set[bytes], data: st.DataObject, extra: bytes, digest: str
) -> None:
    paths = sorted(names)
    modes = data.draw(st.lists(st.sampled_from(MODES), min_size=len(paths), max_size=len(paths)))
    body = bytearray(build_entries(paths, modes, extra, digest))
    for at, byte in data.draw(st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=3)):
        if 12 <= at < len(body):
            body[at] = byte
    fixed = 40 + hashlib.new(digest).digest_size
    end = len(body) - fixed + 40
    found = git_index_entries._read_at_once(bytes(body), len(paths), fixed, end)
    if found is not None:
        one_by_one = git_index_entries._read_padded(bytes(body), len(paths), fixed, end)
        assert (found[0], found[1].tolist(), found[2]) == one_by_one


@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_an_ordinary_index_is_read_at_once(digest: str) -> None:
    paths = [b"%04d/%s" % (number, b"a" * (number % 19)) for number in range(3_000)]
    data = build_entries(paths, [MODES[number % 4] for number in range(3_000)], b"x", digest)
    width = hashlib.new(digest).digest_size
    found = git_index_entries._read_at_once(data, 3_000, 40 + width, len(data) - width)
    assert found is not None
    assert found[0] == paths == list_paths_bytes(parse_index(data))
    assert git_index_entries.parse_files(data).paths == [path for at, path in enumerate(paths) if at % 4 < 2]


@given(
    st.sets(NAMES, min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=3),
    st.sampled_from(["sha1", "sha256"]),
)
@settings(max_examples=examples(500), deadline=None)
def test_an_index_like_another_is_read_as_it_is_alone(
    names: set[bytes], changes: list[tuple[int, int]], digest: str
) -> None:
    width = hashlib.new(digest).digest_size
    good = build_entries(sorted(names), MODES[:1] * len(names), b"x", digest)
    body = bytearray(good[:-width])
    for at, byte in changes:
        if at < len(body):
            body[at] = byte
    data = bytes(body) + hashlib.new(digest, body).digest()
    other = git_index_entries.parse_files(good)
    try:
        alone = git_index_entries.parse_files(data)
    except UnusableIndex as fault:
        with pytest.raises(UnusableIndex, match=str(fault)):
            git_index_entries.parse_files(data, other)
        return
    found = git_index_entries.parse_files(data, other)
    assert found.paths == alone.paths
    assert (found.stats == alone.stats).all()
    assert (found.blobs == alone.blobs).all()


@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_only_status_and_object_names_may_differ_in_an_index_like_another(digest: str) -> None:
    paths = [b"%02d/%s" % (number, b"a" * (number % 19)) for number in range(40)]
    good = build_entries(paths, MODES[:1] * 40, b"x", digest)
    width = hashlib.new(digest).digest_size
    other = git_index_entries.parse_files(good)
    entries = other.entries
    start = int(entries.starts[20])
    for at in range(start, int(entries.starts[21])):
        data = bytearray(good)
        data[at] ^= 1
        is_free = at < start + 40 + width
        found = git_index_entries._read_alike(bytes(data), width, entries)
        assert (found is not None) == is_free
        assert found is None or found.paths is entries.paths
    for size in (16, width + 4):  # cut within the entries
        assert git_index_entries._read_alike(good[: entries.stop - size], width, entries) is None
    assert git_index_entries._read_alike(good, 52 - width, entries) is None


@pytest.mark.parametrize(
    "paths", [[b"a", b"b" * 0xFFF], [b"a", b"b" * 5_000]], ids=["the length that says more", "longer"]
)
def test_a_path_whose_length_is_not_noted_is_read_by_its_end(paths: list[bytes]) -> None:
    assert list_paths_bytes(parse_index(build_entries(paths, MODES[:2], b"x", "sha1"))) == paths


def test_a_false_length_is_not_believed() -> None:
    """One path says that it ends where the next entry's status begins to repeat it."""
    good = build_entries([b"a" * 9, b"b"], MODES[:2], b"x", "sha1")[:-20]
    bad = good.replace(struct.pack(">H", 9), struct.pack(">H", 8), 1)
    data = bad + hashlib.sha1(bad, usedforsecurity=False).digest()
    assert list_paths_bytes(parse_index(data)) == [b"a" * 9, b"b"]


def list_paths_bytes(tracked: TrackedPaths) -> list[bytes]:
    return tracked.paths.split(b"\0")[:-1]


@posix
def test_no_link_and_no_pointer_is_followed(
    checkout: Checkout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "index").write_bytes(GOOD)
    place = checkout.root / ".git"
    shutil.rmtree(place, ignore_errors=True)
    assert checkout.read() == TrackedPaths()
    place.symlink_to(elsewhere)
    assert checkout.read() == TrackedPaths()
    place.unlink()
    place.write_text(f"gitdir: {elsewhere}\n")
    assert checkout.read() == TrackedPaths()
    place.unlink()
    place.mkdir()
    (place / "commondir").write_text(str(elsewhere))
    assert checkout.read() == TrackedPaths()
    (place / "index").symlink_to(elsewhere / "index")
    assert checkout.read() == TrackedPaths(fault="unreadable or too large")
    (place / "index").unlink()
    (place / "index").write_bytes(GOOD)
    assert list_paths(checkout.read()) == ["a", "b/c"]


def test_one_too_large_is_not_read(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_index, "MAX_INDEX_BYTES", len(GOOD) - 1)
    (checkout.root / ".git").mkdir(exist_ok=True)
    (checkout.root / ".git/index").write_bytes(GOOD)
    assert checkout.read() == TrackedPaths(fault="unreadable or too large")


def test_it_is_read_again_only_when_it_was_replaced(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout.root / ".git").mkdir(exist_ok=True)
    (checkout.root / ".git/index").write_bytes(GOOD)
    first = checkout.read()
    assert checkout.read() is first
    (checkout.root / ".git/new").write_bytes(build_index(b"a", b"b/d", extensions=b"TREE\0\0\0\2xx"))
    (checkout.root / ".git/new").replace(checkout.root / ".git/index")
    assert list_paths(checkout.read()) == ["a", "b/d"]
