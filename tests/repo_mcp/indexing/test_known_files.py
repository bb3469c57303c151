"""The files that an index holds, found one by one and by the hashes of their paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.indexing import known_files
from repo_mcp.indexing.known_files import KnownFiles
from tests.repo_mcp.symbol_index.structure_tree import StructureTree

FILES = {
    "a.py": "a = 1\n",
    "a/b.py": "b = 1\n",
    "a/ü.py": "c = 1\n",
    "z.py": "d = 1\n",
    **{f"m/{number}.py": f"e = {number}\n" for number in range(30)},
}


def test_many_finds_give_what_few_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = StructureTree(tmp_path)
    tree.write(FILES)
    tree.write({"later.py": "f = 1\n"})
    asked = [*FILES, "later.py", "a", "a/", "", "a/c.py", "m/30.py", "zz.py", "a/ü", "ü.py"]

    def find_all() -> list[object]:
        known = KnownFiles(tree.lexical)
        known.take(["m/7.py"])
        return [(known.find(path), known.find_fingerprint(path)) for path in asked for _ in range(2)]

    few = find_all()
    monkeypatch.setattr(known_files, "MANY_FINDS", 0)
    assert find_all() == few
    assert [path for path, (found, _) in zip(asked, few[::2], strict=True) if found is None] == [
        "m/7.py",
        *asked[-8:],
    ]
    tree.close()


def test_paths_of_equal_hashes_are_distinguished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = StructureTree(tmp_path)
    tree.write(FILES)
    monkeypatch.setattr(known_files, "MANY_FINDS", 0)
    monkeypatch.setattr(known_files, "hash", len, raising=False)
    known = KnownFiles(tree.lexical)
    places = [known.find(path) for path in FILES]
    assert len(set(places)) == len(FILES)
    assert None not in places
    assert known.find("b.py") is None
    tree.close()
