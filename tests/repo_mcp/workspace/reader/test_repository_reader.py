"""The repository reader: every way out of the root is shut, and what is inside opens."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.storage.held_directory import HeldDirectory
from repo_mcp.workspace.live_tree import LiveTree
from repo_mcp.workspace.policy import DenyPolicy
from repo_mcp.workspace.reader import kept_directory, repository_reader
from repo_mcp.workspace.reader.bounds import Refusals
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, read_many
from tests.deep.sizes import choose
from tests.posix import posix
from tests.repo_mcp.open_files import list_open
from tests.waiting import wait_until
from tests.written_trees import write_tree

OUTSIDE = "outside, never to be read"
LIMIT = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a root with a few files, and a secret and a sibling outside."""
    root = tmp_path / "repo"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "README.md").write_text("read me")
    (root / "src" / "main.py").write_text("main")
    (root / "src" / "deep" / "x.py").write_text("deep")
    (root / ".env").write_text("PASSWORD=1")
    (tmp_path / "secret.txt").write_text(OUTSIDE)
    (tmp_path / "repo-evil").mkdir()
    (tmp_path / "repo-evil" / "x").write_text(OUTSIDE)
    return root


@pytest.fixture
def reader(root: Path) -> Iterator[RepositoryReader]:
    reader = RepositoryReader(str(root), DenyPolicy().find_denial)
    yield reader
    reader.close()


def code_of(reader: RepositoryReader, path: str) -> ErrorCode:
    with pytest.raises(RepoError) as caught:
        reader.read(path, LIMIT)
    assert str(reader.root) not in caught.value.message + caught.value.hint
    assert OUTSIDE not in caught.value.message
    return caught.value.code


def text_of(reader: RepositoryReader, path: str) -> str:
    return reader.read(path, LIMIT).data.decode()


@pytest.mark.parametrize(
    ("path", "reached"),
    [
        ("README.md", "README.md"),
        ("src/main.py", "src/main.py"),
        ("./src//deep/../main.py", "src/main.py"),
        ("no-such/../README.md", "README.md"),
        ("src/main.py/", "src/main.py"),
    ],
)
def test_reads_what_is_inside(reader: RepositoryReader, path: str, reached: str) -> None:
    opened = reader.read(path, LIMIT)
    assert opened.path == reached
    assert opened.stat.size == len(opened.data)
    assert opened.stat == reader.stat(reached)
    assert not opened.changed_while_reading


def test_an_absolute_path_inside_is_taken(reader: RepositoryReader, root: Path) -> None:
    assert text_of(reader, f"{root}/src/main.py") == "main"
    assert text_of(reader, f"{root}/../repo/README.md") == "read me"
    assert reader.normalise(str(root)) == ""


@posix
def test_the_root_may_be_named_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    reader = RepositoryReader(str(tmp_path / "alias"), DenyPolicy().find_denial)
    assert text_of(reader, f"{tmp_path}/alias/README.md") == "read me"
    assert text_of(reader, f"{root}/README.md") == "read me"
    reader.close()


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret.txt",
        "src/../../secret.txt",
        "src/deep/../../../secret.txt",
        "../repo-evil/x",
        "/etc/passwd",
        "/no/such/file",
        "/",
        "//server/share",
        "C:\\Windows\\win.ini",
        "C:secret",
        "c:/x",
        "\\\\server\\share\\x",
        "\\\\?\\C:\\x",
        "\\\\.\\pipe\\x",
        "\\??\\C:\\x",
    ],
)
def test_escapes(reader: RepositoryReader, path: str) -> None:
    assert code_of(reader, path) is ErrorCode.PATH_ESCAPE


@posix
@pytest.mark.parametrize("path", ["a:3.py", "c:/x.py", "src/c:x", "C:\\x"])
def test_a_file_that_is_named_like_a_drive_opens(reader: RepositoryReader, root: Path, path: str) -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("named")
    assert text_of(reader, path) == "named"
    assert code_of(reader, "c:/../../secret.txt") is ErrorCode.PATH_ESCAPE
    (root / "c:").mkdir(exist_ok=True)
    (root / "c:" / ".env").write_text("PASSWORD=1")
    assert code_of(reader, "c:/.env") is ErrorCode.PATH_ESCAPE  # whether it exists or not
    assert code_of(reader, "c:/.envrc") is ErrorCode.PATH_ESCAPE


def test_a_sibling_with_the_roots_name_as_prefix_is_outside(reader: RepositoryReader, root: Path) -> None:
    assert code_of(reader, f"{root}-evil/x") is ErrorCode.PATH_ESCAPE
    assert code_of(reader, f"{root}/../repo-evil/x") is ErrorCode.PATH_ESCAPE


@pytest.mark.parametrize(
    "path",
    [
        "a\0b",
        "\0",
        "\ud800",
        "a\udcffb",
        "a/" * 2049,
        "x" * 256,
        "src/" + "é" * 128,
        pytest.param("..\\..\\secret.txt", marks=posix),
        pytest.param("src\\..\\x", marks=posix),
        "file:///etc/passwd",
        "FILE:x",
    ],
)
def test_spellings_that_name_no_file(reader: RepositoryReader, path: str) -> None:
    assert code_of(reader, path) is ErrorCode.PATH_INVALID


@pytest.mark.parametrize(
    "path",
    [
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "~/x",
        "~root",
        "$HOME/x",
        "%USERPROFILE%",
        "no-such",
        "src/no-such/x",
        "README.md/x",
        pytest.param("CON", marks=posix),
        pytest.param("NUL.txt", marks=posix),
        pytest.param("src\\main.py", marks=posix),
        "a" * 255,
        "/".join(["d"] * 1500),
        "SRC~1",
        "README~1.MD",
    ],
)
def test_literal_names_that_are_not_there(reader: RepositoryReader, path: str) -> None:
    assert code_of(reader, path) is ErrorCode.NOT_FOUND


@posix
def test_a_backslash_is_part_of_a_name(reader: RepositoryReader, root: Path) -> None:
    (root / "a\\b").write_text("odd")
    assert text_of(reader, "a\\b") == "odd"


def test_the_shape_of_a_short_name_may_be_a_real_name(reader: RepositoryReader, root: Path) -> None:
    (root / "note~1").write_text("real")
    assert text_of(reader, "note~1") == "real"


@pytest.mark.parametrize("path", ["", ".", "src", "src/", "src/deep/.."])
def test_directories_are_no_files(reader: RepositoryReader, path: str) -> None:
    assert code_of(reader, path) is ErrorCode.NOT_A_FILE
    with pytest.raises(RepoError) as caught:
        reader.read(path, LIMIT)
    assert caught.value.details["is_directory"] is True


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".ENV",
        "src/../.env",
        ".env/x",
        "\uff0eenv",
        pytest.param(".env.", marks=posix),  # no name on Windows
        "src/.git/HEAD",
    ],
)
def test_denied_by_any_name(reader: RepositoryReader, path: str) -> None:
    assert code_of(reader, path) is ErrorCode.PATH_DENIED


def test_denied_is_decided_before_existence(reader: RepositoryReader, root: Path) -> None:
    with pytest.raises(RepoError) as there:
        reader.read(".env", LIMIT)
    (root / ".env").unlink()
    with pytest.raises(RepoError) as gone:
        reader.read(".env", LIMIT)
    assert (there.value.message, there.value.hint) == (gone.value.message, gone.value.hint)
    assert gone.value.blocked
    assert gone.value.hint


LINKS_INSIDE = [
    ("link", "README.md", "README.md", "read me"),
    ("link", "src/../README.md", "README.md", "read me"),
    ("src/link", "../README.md", "README.md", "read me"),
    ("src/deep/link", "./../main.py", "src/main.py", "main"),
]


@posix
@pytest.mark.parametrize(("link", "target", "reached", "text"), LINKS_INSIDE)
def test_a_link_inside_is_resolved(
    reader: RepositoryReader, root: Path, link: str, target: str, reached: str, text: str
) -> None:
    (root / link).symlink_to(target)
    opened = reader.read(link, LIMIT)
    assert (opened.path, opened.data.decode()) == (reached, text)


@posix
def test_links_to_directories_and_chains_are_resolved(reader: RepositoryReader, root: Path) -> None:
    (root / "dir").symlink_to("src")
    (root / "chain").symlink_to("dir/deep")
    (root / "absolute").symlink_to(root / "src" / "main.py")
    assert reader.read("chain/x.py", LIMIT).path == "src/deep/x.py"
    assert reader.read("absolute", LIMIT).path == "src/main.py"


@posix
@pytest.mark.parametrize(
    "target",
    [
        "../secret.txt",
        "../no-such",
        "/etc/passwd",
        "/no/such",
        "..",
        "/",
        "src/../../secret.txt",
        "/dev/zero",
    ],
)
def test_a_link_outside_is_an_escape_whether_its_target_exists(
    reader: RepositoryReader, root: Path, target: str
) -> None:
    (root / "link").symlink_to(target)
    for path in ("link", "link/x"):
        with pytest.raises(RepoError) as caught:
            reader.read(path, LIMIT)
        assert caught.value.code is ErrorCode.PATH_ESCAPE
        assert caught.value.message == "A symbolic link in the path leads outside the root."


@posix
@pytest.mark.parametrize("target", [".env", ".git/config", ".git/no-such", "src/.env"])
def test_a_link_to_a_denied_name_is_denied_whether_it_exists(
    reader: RepositoryReader, root: Path, target: str
) -> None:
    (root / "innocent").symlink_to(target)
    assert code_of(reader, "innocent") is ErrorCode.PATH_DENIED


@posix
def test_a_linked_directory_does_not_hide_a_denied_one(reader: RepositoryReader, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text(OUTSIDE)
    (root / "plain").symlink_to(".git")
    assert code_of(reader, "plain/config") is ErrorCode.PATH_DENIED
    assert code_of(reader, "plain/no-such") is ErrorCode.PATH_DENIED


@posix
def test_loops_and_endless_chains_end(reader: RepositoryReader, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    (root / "self").symlink_to("self/x")
    for number in range(1000):
        (root / f"hop{number}").symlink_to(f"hop{number + 1}")
    (root / "hop1000").write_text("the end")
    assert {code_of(reader, path) for path in ("a", "hop0")} == {ErrorCode.UNREADABLE}
    assert code_of(reader, "self") in (ErrorCode.UNREADABLE, ErrorCode.PATH_INVALID)
    assert text_of(reader, "hop980") == "the end"


@posix
def test_a_link_to_nothing_is_named_with_its_target(reader: RepositoryReader, root: Path) -> None:
    (root / "broken").symlink_to("gone/far.py")
    (root / "sources").symlink_to("src")
    for path, target in (("broken", "gone/far.py"), ("sources/none.py", "src/none.py")):
        with pytest.raises(RepoError, match=f"^'{path}' leads to '{target}', where there is nothing.$"):
            reader.read(path, 1_000)


@posix
def test_a_link_target_that_is_not_utf8_is_refused(reader: RepositoryReader, root: Path) -> None:
    os.symlink(b"\xff", os.fsencode(root) + b"/link")
    assert code_of(reader, "link") is ErrorCode.PATH_ESCAPE


@posix
def test_fifos_and_sockets_are_refused_at_once(reader: RepositoryReader, root: Path) -> None:
    os.mkfifo(root / "fifo")
    os.mknod(root / "socket", stat.S_IFSOCK | 0o600)
    for name in ("fifo", "socket"):
        assert code_of(reader, name) is ErrorCode.NOT_A_FILE
        assert reader.stat(name) is None
        with pytest.raises(RepoError) as caught:
            reader.read_walked(name, LIMIT)
        assert caught.value.code is ErrorCode.NOT_A_FILE


def test_the_limit_counts_bytes(reader: RepositoryReader, root: Path) -> None:
    (root / "exact").write_bytes(b"x" * LIMIT)
    (root / "over").write_bytes(b"x" * (LIMIT + 1))
    with open(root / "sparse", "wb") as file:
        file.truncate(1 << 40)
    assert len(reader.read("exact", LIMIT).data) == LIMIT
    assert code_of(reader, "over") is ErrorCode.FILE_TOO_LARGE
    assert code_of(reader, "sparse") is ErrorCode.FILE_TOO_LARGE
    assert reader.read("README.md", 7).data == b"read me"


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_a_stated_size_is_only_a_hint() -> None:
    """Files in /proc are regular and say they have 0 bytes."""
    reader = RepositoryReader("/proc/self", lambda path: None)
    assert reader.stat("status") is not None
    assert len(reader.read("status", 1 << 20).data) > 100
    assert code_of(reader, "maps") is ErrorCode.FILE_TOO_LARGE
    reader.close()


def test_growth_while_reading_is_noticed(
    reader: RepositoryReader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "log"
    path.write_bytes(b"line\n")
    read = os.read

    def append_then_read(descriptor: int, count: int) -> bytes:
        if os.lseek(descriptor, 0, os.SEEK_CUR) == 0:
            with open(path, "ab") as file:
                file.write(b"more\n")
        return read(descriptor, count)

    monkeypatch.setattr(os, "read", append_then_read)
    grown = reader.read("log", LIMIT)
    assert grown.changed_while_reading
    assert grown.data == b"line\nmore\nmore\nmore\n"  # of the third reading
    assert grown.stat.size == len(b"line\nmore\nmore\n")


def test_a_change_that_leaves_the_times_as_they_were_is_noticed(
    reader: RepositoryReader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writes between two ticks of the file system's clock, to the same length."""
    path = root / "file"
    path.write_text("old old old")
    read, status = os.read, os.fstat
    kept: list[os.stat_result] = []

    def write_then_read(descriptor: int, count: int) -> bytes:
        data = read(descriptor, count)
        path.write_text("new new new")
        return data

    def see_no_change(descriptor: int) -> os.stat_result:
        kept.append(status(descriptor))
        return kept[0]

    monkeypatch.setattr(os, "read", write_then_read)
    monkeypatch.setattr(os, "fstat", see_no_change)
    opened = reader.read("file", LIMIT)
    assert (opened.data, opened.changed_while_reading) == (b"new new new", False)


def test_one_change_while_reading_is_read_again(
    reader: RepositoryReader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "file"
    path.write_text("old old old")
    read = os.read
    changes = iter(["new"])

    def change_once(descriptor: int, count: int) -> bytes:
        data = read(descriptor, count)
        for text in changes:
            path.write_text(text)
        return data

    monkeypatch.setattr(os, "read", change_once)
    opened = reader.read("file", LIMIT)
    assert (opened.data, opened.changed_while_reading) == (b"new", False)


def test_endless_growth_ends_at_the_limit(
    reader: RepositoryReader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "endless").write_bytes(b"x")
    monkeypatch.setattr(os, "read", lambda descriptor, count: b"x" * count)
    assert code_of(reader, "endless") is ErrorCode.FILE_TOO_LARGE


def test_walked_paths_open_without_following_links(reader: RepositoryReader, root: Path) -> None:
    (root / "link").symlink_to("README.md")
    (root / "dir").symlink_to("src")
    assert reader.read_walked("src/deep/x.py", LIMIT).data == b"deep"
    assert reader.read_walked("src/main.py", LIMIT).data == b"main"
    for path in ("link", "dir/main.py"):
        with pytest.raises(RepoError):
            reader.read_walked(path, LIMIT)
        assert reader.stat(path) is None


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.txt", "src/../../secret.txt", "..", "/etc/passwd", "", "src//main.py"),
        *("a\0b", "\ud800", "x" * 300, "x" * 300 + "/y", ".env", ".git/config"),
    ],
)
def test_a_path_out_of_a_hostile_index_is_not_trusted(reader: RepositoryReader, path: str) -> None:
    with pytest.raises(RepoError):
        reader.read_walked(path, LIMIT)
    assert reader.stat(path) is None


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc", "a\0b", "\ud800"])
def test_no_system_call_takes_what_is_not_one_name(root: Path, name: str) -> None:
    """Whoever calls: nobody has to think of it."""
    directory = repository_reader.native.open_root(str(root))
    try:
        for call in ("open_directory", "open_file", "lstat"):
            with pytest.raises(RepoError) as caught:
                getattr(repository_reader.native, call)(directory, name)
            assert caught.value.code is ErrorCode.PATH_INVALID
    finally:
        repository_reader.native.close_directory(directory)


@posix
def test_a_directory_that_is_not_utf8_below_a_denied_one_hinders_no_look(root: Path) -> None:
    hidden = root / ".git" / "objects"
    hidden.mkdir(parents=True, exist_ok=True)
    os.mkdir(os.fsencode(hidden) + b"/\xff")
    (hidden / "moved").write_text("here now")
    tree = LiveTree(HeldDirectory(str(root)), (), 9_999, Refusals(), (), None)
    with closing(tree.reader):
        tree.walk(lambda: False)
        inode = os.stat(hidden / "moved").st_ino
        assert tree.find_changes().find_below_denied(frozenset((inode,))) == {inode}


def test_a_replaced_directory_is_noticed(
    reader: RepositoryReader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_directory, "KEPT_SECONDS", 0.0)
    assert reader.read_walked("src/main.py", LIMIT).data == b"main"
    (root / "src").rename(root / "old")
    (root / "src").mkdir()
    (root / "src" / "main.py").write_text("new")
    assert reader.read_walked("src/main.py", LIMIT).data == b"new"


def test_status_of_what_is_no_file(reader: RepositoryReader) -> None:
    assert [reader.stat(path) for path in ("src", "no-such", "no/such", "README.md/x", ".env", "")] == [
        None
    ] * 6


@posix
def test_directories_open_and_links_to_them_do_not(reader: RepositoryReader, root: Path) -> None:
    (root / "dir").symlink_to("src")
    directory = reader.open_directory("src/deep")
    assert [entry.name for entry in reader.scan(directory)] == ["x.py"]
    reader.close_directory(directory)
    codes = []
    for path in ("dir", "README.md", "no-such", ".git", "src/../..", "a\0b"):
        with pytest.raises(RepoError) as caught:
            reader.open_directory(path)
        codes.append(caught.value.code.name)
    assert codes == [
        "NOT_A_DIRECTORY",
        "NOT_A_DIRECTORY",
        "NOT_FOUND",
        "PATH_DENIED",
        "PATH_INVALID",
        "PATH_INVALID",
    ]


@pytest.mark.parametrize("name", ["no-such", "file", "link-to-nothing", "nul\0"])
def test_an_unusable_root_is_a_configuration_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link-to-nothing").symlink_to("nothing")
    with pytest.raises(RepoError) as caught:
        RepositoryReader(f"{tmp_path}/{name}", lambda path: None)
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert "\n" not in caught.value.message


@posix
def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "out").symlink_to("/etc/passwd")
    before = list_open(root)
    reader = RepositoryReader(str(root), DenyPolicy().find_denial)
    for path in ("README.md", "src/main.py", "out", "no/such", "src", ".env", "src/main.py/x"):
        for call in (reader.read, reader.read_walked):
            try:
                call(path, LIMIT)
            except RepoError:
                pass
        reader.stat(path)
    reader.close()
    assert list_open(root) == before


@posix
@pytest.mark.sized
def test_a_swap_race_never_escapes(root: Path, tmp_path: Path) -> None:
    """A directory and a file are exchanged for links to the outside as fast as the system can."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "main.py").write_text(OUTSIDE)
    (root / "dir-link").symlink_to(outside)
    (root / "file-link").symlink_to(outside / "main.py")
    (root / "spare").write_text("main")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for real, link in ((root / "src", root / "dir-link"), (root / "README.md", root / "file-link")):
                real.rename(root / "aside")
                link.rename(real)
                real.rename(link)
                (root / "aside").rename(real)

    reader = RepositoryReader(str(root), DenyPolicy().find_denial)
    swapper = threading.Thread(target=swap)
    swapper.start()
    seen: set[bytes | ErrorCode] = set()

    def read_each() -> bool:
        for path in ("src/main.py", "README.md"):
            for call in (reader.read, reader.read_walked):
                try:
                    seen.add(call(path, LIMIT).data)
                except RepoError as error:
                    seen.add(error.code)
        return seen >= {b"main", b"read me"}

    try:
        for _ in range(choose(500, 1_500)):
            read_each()
        # On a busy machine the swapper may have slept through all of that, with a link in place of a file.
        wait_until(read_each)
    finally:
        stop.set()
        swapper.join()
        reader.close()
    assert OUTSIDE.encode() not in seen


@posix
@pytest.mark.parametrize("replaced", [False, True])
def test_a_root_that_went_away_is_not_an_empty_one(tmp_path: Path, replaced: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("a")
    reader = RepositoryReader(str(root), lambda _path: None)
    reader.check_root()
    root.rename(tmp_path / "elsewhere")
    if replaced:
        root.mkdir()
    with pytest.raises(RepoError) as caught:
        reader.check_root()
    assert caught.value.code is ErrorCode.UNREADABLE
    reader.close()


@posix
def test_a_call_after_the_end_meets_no_directory_that_took_the_place_of_the_root(tmp_path: Path) -> None:
    """Calls that a server cannot wait for at its end go on while the root is closed."""
    write_tree(tmp_path, {"root/a.txt": "inside\n", "outside/a.txt": "outside\n"})
    reader = RepositoryReader(str(tmp_path / "root"), lambda _path: None)
    reader.close()
    others = [os.open(tmp_path / "outside", os.O_RDONLY | os.O_DIRECTORY) for _ in range(8)]
    try:
        for ask in (
            lambda: reader.read("a.txt", LIMIT),
            lambda: reader.open_directory(""),
            reader.check_root,
        ):
            with pytest.raises(RepoError) as caught:
                ask()
            assert caught.value.code is ErrorCode.UNREADABLE
        assert (reader.stat("a.txt"), reader.lstat("a.txt")) == (None, None)
        with pytest.raises(OSError, match="Bad file descriptor"):
            reader.scan(-1)  # which Python takes for the current directory
    finally:
        for other in others:
            os.close(other)


@posix
def test_many_are_read_as_one_by_one(reader: RepositoryReader, root: Path) -> None:
    (root / "big").write_text("x" * (LIMIT + 1))
    (root / "full").write_text("x" * LIMIT)
    (root / "empty").write_text("")
    (root / "src" / "link.py").symlink_to(root / "src" / "main.py")
    (root / "linked").symlink_to(root / "src")
    os.mkfifo(root / "pipe")
    paths = ["README.md", "big", "empty", "full", "pipe", "src/link.py", "src/main.py", "src/deep/x.py"]
    refused = [
        ".env",
        "src",
        "src/.env",
        "linked/main.py",
        "../secret.txt",
        "/etc/passwd",
        "gone",
        "gone/x",
        "",
    ]
    paths += refused
    found = dict(zip(paths, read_many(reader, paths, LIMIT), strict=True))
    assert {path: data for path, data in found.items() if data is not None} == {
        "README.md": b"read me",
        "empty": b"",
        "full": b"x" * LIMIT,
        "src/main.py": b"main",
        "src/deep/x.py": b"deep",
    }
    for path, data in found.items():
        try:
            assert reader.read_walked(path, LIMIT).data == data
        except RepoError:
            assert data is None


def test_a_file_that_grows_while_many_are_read(
    reader: RepositoryReader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stated before the bytes were read is only a hint, up or down."""
    real = os.fstat

    def stale(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return status
        fields = list(status)
        fields[6] = stated
        return os.stat_result(fields)

    monkeypatch.setattr(repository_reader.os, "fstat", stale)
    for stated in (0, 2, 7, 500):
        assert read_many(reader, ["README.md"], 7) == [b"read me" if stated <= 7 else None]
        assert read_many(reader, ["README.md"], 6) == [None]


def test_a_directory_with_a_name_that_only_files_are_denied_is_served(tmp_path: Path) -> None:
    """And asking for it as a directory does not tell whether there is such a file."""
    (tmp_path / "test_rsa").mkdir()
    (tmp_path / "test_rsa" / "sign.c").write_text("int sign(void);\n")
    (tmp_path / "deploy_rsa").write_text("a key")
    tree = LiveTree(HeldDirectory(str(tmp_path)), (), 9_999, Refusals(), (), None)
    with closing(tree.reader) as reader:
        assert tree.read("test_rsa/sign.c").data
        assert [entry.path for entry in tree.list_directory("test_rsa").entries] == ["test_rsa/sign.c"]
        assert [entry.path for entry in tree.list_directory("").entries] == ["test_rsa"]
        walked = tree.walk(lambda: False)
        assert [file.path for file in walked.files] == ["test_rsa/sign.c"]
        assert walked.skipped == {"denied": 1}
        changes = tree.find_changes().look_at(["test_rsa/sign.c", "deploy_rsa"])
        assert changes is not None
        assert [file.path for file in changes.files] == ["test_rsa/sign.c"]
        assert reader.lstat("test_rsa") is not None
        assert reader.lstat("deploy_rsa") is None
        for name in ("deploy_rsa", "other_rsa"):
            for ask in (tree.reach_directory, tree.read):
                with pytest.raises(RepoError) as caught:
                    ask(name)
                assert caught.value.code is ErrorCode.PATH_DENIED
