"""A tree on a file system that takes `Main.PY` for `main.py`: one file, one name, denied by any spelling.

Where the temporary directory is on such a one (Windows, macOS) it is used. Elsewhere CASELESS_DIRECTORY names
a directory on one; on Linux an exFAT image through FUSE, or NTFS by `lowntfs-3g -o ignore_case`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SearchRequest
from repo_mcp.repository import Repository
from tests.repo_mcp.git_trees import GitTree, with_git
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.indexing.test_siblings import build, open_root

CANARY = "caseless_canary"
NAMES = {"src/Main.py": "def main_entry(): ...\n", ".env": f"KEY={CANARY}\n", "keys/server.pem": CANARY}


def is_caseless(place: Path) -> bool:
    """Return whether a directory answers to both spellings of a name."""
    (place / "Probe").touch()
    try:
        return (place / "pROBE").exists()
    finally:
        (place / "Probe").unlink()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Yield a directory on such a file system."""
    given = os.environ.get("CASELESS_DIRECTORY")
    if is_caseless(tmp_path):
        yield tmp_path
    elif given is None or not is_caseless(Path(given)):
        pytest.skip("no file system here that ignores case; CASELESS_DIRECTORY may name a directory on one")
    else:
        made = Path(tempfile.mkdtemp(dir=given))
        try:
            yield made
        finally:
            shutil.rmtree(made)


@pytest.fixture
def repository(place: Path, tmp_path: Path) -> Iterator[Repository]:
    root = place / "Tree"
    for name, text in NAMES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with open_indexed(root, data_dir=str(tmp_path / "data")) as repository:
        yield repository


def find_paths(repository: Repository, text: str) -> list[str]:
    return [hit.path for hit in repository.search(SearchRequest(text, 10)).hits]


def test_a_denied_name_is_denied_by_any_spelling(repository: Repository) -> None:
    assert find_paths(repository, CANARY) == []
    for name in (".env", ".ENV", ".Env", "keys/server.pem", "KEYS/Server.PEM", ".GIT/config"):
        with pytest.raises(RepoError) as refused:
            repository.open_file(name, None, None)
        assert refused.value.code in (ErrorCode.PATH_DENIED, ErrorCode.NOT_FOUND), name
        assert CANARY not in str(refused.value)


def test_a_renamed_file_is_one_file_by_its_new_name(repository: Repository) -> None:
    root = Path(repository.config.root)
    shown = next(path for path in os.listdir(root / "src"))  # NTFS may show it in small letters
    assert find_paths(repository, "main_entry") == [f"src/{shown}"]
    os.rename(root / "src" / shown, root / "src" / "between")
    os.rename(root / "src" / "between", root / "src" / "MAIN.py")
    repository.refresh()
    (found,) = find_paths(repository, "main_entry")
    assert found == f"src/{os.listdir(root / 'src')[0]}"
    assert repository.status().indexed_files == 1


def test_a_spelling_is_never_a_second_file(repository: Repository) -> None:
    assert repository.status().indexed_files == 1
    for name in ("SRC/MAIN.PY", "Src/main.py"):
        text = str(repository.open_file(name, None, None))
        assert "main_entry" in text
    repository.symbol_index.named_files.index(["SRC/MAIN.PY"])
    assert repository.status().indexed_files == 1


@with_git
def test_a_work_tree_with_another_spelling_answers_as_if_built_from_nothing(place: Path) -> None:
    first = GitTree(place / "main")
    first.git("init", "-q")
    first.write({f"module{number}.py": f"def f{number}(): ...\n" for number in range(6)})
    first.write({"readme.md": "# Words\n"})
    first.commit()
    second = first.add_work_tree(place / "other")
    second.git("mv", "module3.py", "Module3x.py")
    second.git("mv", "Module3x.py", "MODULE3.py")
    build(first)
    with closing(open_root(second)) as repository:
        repository.refresh()
        begun = [hit.path for hit in repository.search(SearchRequest("f3", 10)).hits]
        assert repository.status().indexed_files == 7
    with closing(open_root(second, data_dir=str(place / "anew"), siblings=False)) as repository:
        repository.refresh()
        assert [hit.path for hit in repository.search(SearchRequest("f3", 10)).hits] == begun
        assert len(begun) == 1
