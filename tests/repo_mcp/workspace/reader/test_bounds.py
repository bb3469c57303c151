"""Files with several names and other file systems, where the operator does not have them served.

The mount is a real one, in a namespace of its own, where the system lets an ordinary user have one. What the
reader makes of a device number is also tried without one, by the status that the system gives of a directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.workspace.reader import repository_reader
from repo_mcp.workspace.reader.bounds import HARD_LINK, OTHER_FILE_SYSTEM, Bounds, Refusals
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, open_many, read_many

PROJECT = Path(__file__).resolve().parents[4]
MOST = 10_000
SECRET = "zyxcanaryzyx"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and mounts of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "lib").mkdir(parents=True)
    (root / "plain.py").write_text("def served(): ...\n")
    (root / "lib" / "deep.py").write_text("def deeper(): ...\n")
    (root / ".env").write_text(f"{SECRET} = 1\n")
    os.link(root / ".env", root / "settings.py")
    (tmp_path / "outside.py").write_text(f"{SECRET} = 2\n")
    os.link(tmp_path / "outside.py", root / "lib" / "outside.py")
    return root


def allow(_path: str) -> None:
    return None


def refuse(reader: RepositoryReader, path: str) -> RepoError:
    with pytest.raises(RepoError) as caught:
        reader.read(path, MOST)
    return caught.value


def test_a_file_with_another_name_is_refused_by_every_way_of_reading(root: Path) -> None:
    with closing(RepositoryReader(str(root), allow, Refusals(hard_links=True))) as reader:
        for path in ("settings.py", "lib/outside.py"):
            for error in (refuse(reader, path), *open_many(reader, [path], MOST)):
                assert isinstance(error, RepoError)
                assert error.code is ErrorCode.PATH_DENIED
                assert error.details["rule"] == "--refuse-hard-links"
                assert error.blocked
            with pytest.raises(RepoError):
                reader.read_walked(path, MOST)
            assert read_many(reader, [path], MOST) == [None]
            assert reader.stat(path) is None
        assert reader.read("plain.py", MOST).data.startswith(b"def served")
        assert reader.read("lib/deep.py", MOST).data.startswith(b"def deeper")
        assert reader.stat("plain.py") is not None


def test_without_the_option_it_is_a_file_like_any_other(root: Path) -> None:
    with closing(RepositoryReader(str(root), allow)) as reader:
        assert SECRET.encode() in reader.read("settings.py", MOST).data


def test_a_link_to_such_a_file_opens_nothing(root: Path) -> None:
    (root / "way.py").symlink_to("settings.py")
    with closing(RepositoryReader(str(root), allow, Refusals(hard_links=True))) as reader:
        assert refuse(reader, "way.py").code is ErrorCode.PATH_DENIED


@pytest.fixture
def repository(root: Path) -> Iterator[Repository]:
    config = load_config(str(root), workers=1, refusals={"refuse_hard_links": True, "one_file_system": True})
    with closing(Repository(config)) as opened:
        opened.refresh()
        yield opened


def list_holding(root: Path, token: str) -> list[str]:
    files = sorted(path for path in (root / ".repo_mcp").rglob("*") if path.is_file())
    return [path.name for path in files if token.encode() in path.read_bytes()]


def find(repository: Repository, text: str) -> list[str]:
    ranked = [hit.path for hit in repository.search(SearchRequest(text, 10)).hits]
    exact = [match.path for match in repository.search_exact(ExactRequest(text)).matches]
    return sorted({*ranked, *exact})


def test_it_is_neither_listed_nor_indexed_and_is_counted(root: Path, repository: Repository) -> None:
    listed = [file.path for file in repository.list_files(None, 100, include_hidden=True).files]
    assert listed == ["lib/deep.py", "plain.py"]
    assert find(repository, SECRET) == []
    assert find(repository, "served") == ["plain.py"]
    assert list_holding(root, SECRET) == []
    assert repository.status().skipped[HARD_LINK] == 2
    folder = repository.tree.list_directory("lib")
    assert [entry.path for entry in folder.entries] == ["lib/deep.py"]
    assert dict(folder.left_out) == {HARD_LINK: 1}


@pytest.mark.parametrize("named", [False, True], ids=["walk", "watcher"])
def test_a_file_that_is_given_another_name_is_purged(root: Path, repository: Repository, named: bool) -> None:
    assert list_holding(root, "deeper")
    os.link(root / "lib" / "deep.py", root.parent / "elsewhere.py")
    assert "deeper" not in repr(repository.search(SearchRequest("deeper", 10)).hits)
    if named:
        assert repository._index.refresh_paths(["lib/deep.py"]) == {}
    else:
        repository.refresh()
    assert list_holding(root, "deeper") == []
    (root.parent / "elsewhere.py").unlink()
    repository.refresh()
    assert find(repository, "deeper") == ["lib/deep.py"]


def test_who_has_neither_option_keeps_the_index_that_there_is(root: Path) -> None:
    plain = load_config(str(root)).fingerprint("")
    assert load_config(str(root), refusals={"refuse_hard_links": False}).fingerprint("") == plain
    others = {
        load_config(str(root), refusals={"refuse_hard_links": True}).fingerprint(""),
        load_config(str(root), refusals={"one_file_system": True}).fingerprint(""),
        load_config(str(root), refusals={"refuse_hard_links": True, "one_file_system": True}).fingerprint(""),
    }
    assert len(others | {plain}) == 4


@pytest.fixture
def mounted(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root, its directory `lib` having the device number of another file system."""
    inode, tell = (root / "lib").stat().st_ino, repository_reader.native.directory_stat

    def directory_stat(directory: int) -> os.stat_result:
        status = tell(directory)
        if status.st_ino != inode:
            return status
        return os.stat_result((*status[:2], status.st_dev + 1, *status[3:10]))

    monkeypatch.setattr(repository_reader.native, "directory_stat", directory_stat)
    return root


def test_a_directory_of_another_file_system_is_not_entered(mounted: Path) -> None:
    with closing(RepositoryReader(str(mounted), allow, Refusals(other_file_systems=True))) as reader:
        for path in ("lib/deep.py", "lib"):
            error = refuse(reader, path)
            if path != "lib":
                assert (error.code, error.details["rule"]) == (ErrorCode.PATH_DENIED, "--one-file-system")
        assert read_many(reader, ["lib/deep.py", "plain.py"], MOST)[0] is None
        with pytest.raises(RepoError) as caught:
            reader.open_directory("lib")
        assert caught.value.code is ErrorCode.PATH_DENIED
        with pytest.raises(RepoError):
            repository_reader.reach_directory(reader, "lib")
        assert reader.read("plain.py", MOST).data
    with closing(
        Repository(load_config(str(mounted), workers=1, refusals={"one_file_system": True}))
    ) as opened:
        done = opened.refresh()
        assert [file.path for file in opened.list_files(None, 100, include_hidden=False).files] == [
            "plain.py",
            "settings.py",
        ]
        assert done.skipped[OTHER_FILE_SYSTEM] == 1
        assert not any("could not be listed" in warning for warning in done.warnings)
        assert find(opened, "deeper") == []


def test_a_file_of_another_device_is_refused() -> None:
    """As one file that is mounted on another."""
    status = os.stat(__file__)
    assert Bounds(device=status.st_dev).find_refusal(status) is None
    assert Bounds(device=status.st_dev + 1).find_refusal(status) == OTHER_FILE_SYSTEM
    assert Bounds().are_wide


IN_A_NAMESPACE = """
import subprocess, sys
from contextlib import closing
from repo_mcp.config.server_config import load_config
from repo_mcp.repository import Repository
root = sys.argv[1]
subprocess.run(["mount", "-t", "tmpfs", "none", root + "/lib"], check=True)
open(root + "/lib/secret.py", "w").write("def mounted_here(): ...")
for option in (False, True):
    with closing(Repository(load_config(root, workers=1, refusals={"one_file_system": option}))) as opened:
        report = opened.refresh()
        files = [file.path for file in opened.list_files(None, 100, include_hidden=False).files]
        left_out = dict(opened.tree.list_directory("").left_out)
        try:
            opened.open_file("lib/secret.py", None, None)
            read = "read"
        except Exception as error:
            read = error.code.value
        print(option, "lib/secret.py" in files, report.skipped.get("other_file_system"), read,
              left_out.get("other_file_system"))
"""


def test_a_real_mount(root: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no unshare")
    inside = [unshare, "-Urm"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the system gives an ordinary user no namespace of mounts")
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(root.parent))
    done = subprocess.run(
        [*inside, sys.executable, "-c", IN_A_NAMESPACE, str(root)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **homes, "PYTHONPATH": str(PROJECT)},
    )
    assert done.stdout.splitlines() == ["False True None read None", "True False 1 path_denied 1"]
