"""Outlines of live files through the repository: hostile and odd ones too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import Outline
from repo_mcp.repository import Repository


class Tree:
    """A root to write files into, and its repository."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.repository = Repository(load_config(str(root), data_dir=str(data)))

    def outline(self, path: str, content: bytes | str) -> Outline:
        file = self.root / path
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return self.repository.outline(path)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    root = tmp_path_factory.mktemp("root")
    made = Tree(root, tmp_path_factory.mktemp("data"))
    yield made
    made.repository.close()


def spans(outline: Outline) -> list[tuple[str, int, int]]:
    return [(one.name, one.start_line, one.end_line) for one in outline.symbols]


SOURCE = "x = 1\n\nclass A:\n    def m(self):\n        pass\n\ndef f():\n    pass\n"
SPANS = [("A", 3, 5), ("m", 4, 5), ("f", 7, 8)]


def test_a_live_file_is_read_each_time(tree: Tree) -> None:
    first = tree.outline("a.py", SOURCE)
    assert (first.path, first.language, first.parser, first.warnings) == ("a.py", "python", "ast", ())
    assert spans(first) == SPANS
    assert tree.repository.outline("a.py") == first
    assert spans(tree.outline("a.py", "\n" + SOURCE)) == [(name, a + 1, b + 1) for name, a, b in SPANS]


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_other_line_ends_give_the_same_lines(tree: Tree, line_end: str) -> None:
    assert spans(tree.outline("a.py", SOURCE.replace("\n", line_end))) == SPANS


def test_a_coding_line_is_honoured(tree: Tree) -> None:
    source = "# -*- coding: latin-1 -*-\ndef caf\xe9(): pass\n\nclass \xc0: pass\n"
    outline = tree.outline("latin.py", source.encode("latin-1"))
    assert spans(outline) == [("caf\xe9", 2, 2), ("\xc0", 4, 4)]
    assert outline.warnings == ()


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_names_the_codec(tree: Tree, codec: str) -> None:
    mark = b"\xfe\xff" if codec == "utf-16-be" else b""
    found = tree.outline("a.py", mark + ("# é\n" + SOURCE).encode(codec))
    assert spans(found) == [(name, a + 1, b + 1) for name, a, b in SPANS]
    assert found.warnings == ()


def test_latin_1_without_a_coding_line_is_outlined_with_a_warning(tree: Tree) -> None:
    found = tree.outline("a.py", b"# about\nNAME = '\xe9'\n" + SOURCE.encode())
    assert spans(found)[1:] == [(name, a + 2, b + 2) for name, a, b in SPANS]
    assert "not valid UTF-8" in found.warnings[0]


def test_separators_that_end_no_line_do_not_count(tree: Tree) -> None:
    text = "A = '\u2028\x85'\n\x0c\ndef f():\n    '''\x0b'''\n"
    assert spans(tree.outline("a.py", text)) == [("A", 1, 1), ("f", 3, 4)]


BOMBS = {
    "a long tuple": "0," * 250_000,
    "many statements": "a;" * 250_000,
    "signs": "-" * 100_000 + "1",
    "brackets": "x = " + "[" * 50_000,
    "braces closed": "x = " + "(" * 100 + ")" * 100,
    "lambdas": "lambda:" * 50_000,
    "powers": "1" + "**1" * 100_000,
    "sums": "1" + "+1" * 100_000,
    "branches": "if a:\n pass\n" + "elif a:\n pass\n" * 20_000,
    "blocks": "".join(" " * depth + "if a:\n" for depth in range(99)) + " " * 99 + "def f(): pass\n",
    "too many blocks": "".join(" " * depth + "if a:\n" for depth in range(1_500)),
    "digits": "x = " + "9" * 200_000,
    "hex digits": "def f(a=0x" + "f" * 200_000 + "): pass",
    "attributes": "a" + ".a" * 50_000,
    "a long name": "def " + "n" * 400_000 + "(): pass",
    "parameters": "def f(" + ",".join(f"a{number}" for number in range(30_000)) + "): pass",
    "decorators": "@a\n" * 50_000 + "def f(): pass",
    "strings": "'" * 100_000,
    "a NUL far in": "x = 1\n" * 2_000 + "\0\n",
    "2 MB": "0," * 990_000,
}


PARSED_AND_EMPTY = {"a long tuple", "many statements", "braces closed"}
if sys.version_info >= (3, 14):  # which stops at the end of its stack, where older ones counted to a limit
    PARSED_AND_EMPTY.add("attributes")


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_give_an_outline_or_a_reason(tree: Tree, bomb: str) -> None:
    found = tree.outline("bomb.py", BOMBS[bomb])
    assert found.language == "python"
    assert found.symbols or found.warnings or bomb in PARSED_AND_EMPTY
    assert sum(len(one.name) + len(one.signature) for one in found.symbols) < 100_000
    assert spans(tree.outline("a.py", SOURCE)) == SPANS  # the next file is not the worse for it


def test_nested_names_do_not_grow_without_bound(tree: Tree) -> None:
    name = "n" * 2_000
    text = "".join(" " * depth + f"class {name}{depth}:\n" for depth in range(90)) + " " * 90 + "x = 1\n"
    found = tree.outline("a.py", text)
    assert len(found.symbols) == 91
    assert max(len(one.parent_symbol or "") for one in found.symbols) <= 1_000


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("zip.py", b"PK\x03\x04\0\0\0\0", ErrorCode.BINARY_FILE),
        ("large.py", b"#" * 2_000_001, ErrorCode.FILE_TOO_LARGE),
        (".env", b"KEY=1", ErrorCode.PATH_DENIED),
    ],
)
def test_what_cannot_be_opened_cannot_be_outlined(
    tree: Tree, path: str, content: bytes, code: ErrorCode
) -> None:
    with pytest.raises(RepoError) as raised:
        tree.outline(path, content)
    assert raised.value.code is code


def test_missing_files_directories_and_escapes(tree: Tree) -> None:
    (tree.root / "folder").mkdir()
    for path, code in [
        ("none.py", ErrorCode.NOT_FOUND),
        ("folder", ErrorCode.NOT_A_FILE),
        ("../x.py", ErrorCode.PATH_ESCAPE),
    ]:
        with pytest.raises(RepoError) as raised:
            tree.repository.outline(path)
        assert raised.value.code is code


def test_empty_files_and_unknown_languages(tree: Tree) -> None:
    empty = tree.outline("empty.py", b"")
    assert (empty.symbols, empty.warnings) == ((), ())
    unknown = tree.outline("some.xyz", b"words\n")
    assert unknown.parser == "none"
    assert unknown.symbols == ()
    assert "unknown" in unknown.warnings[0]


def test_adapters_are_named_and_can_be_switched_off(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(SOURCE)
    (root / "a.foo").write_text(SOURCE)
    (root / "repo_mcp.toml").write_text(
        '[adapters.python]\nenabled = false\n[extensions]\n".foo" = "python"\n'
    )
    with closing(Repository(load_config(str(root), data_dir=str(tmp_path / "data")))) as repository:
        assert repository.outliner.adapters.names == ("headings", "keys", "lexical")
        for path in ("a.py", "a.foo"):
            found = repository.outline(path)
            assert found.parser == "lexical"
            assert spans(found) == SPANS
