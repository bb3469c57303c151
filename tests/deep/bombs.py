"""Files that exhaust the memory, the time or the stack of a careless program, by name.

Each is the text of one file, or a function that makes more than one. Nothing here is run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

NESTS = {
    "c": b"int f(void) { return " + b"(" * 200_000,
    "h": b"#define A(x) A(A(x)) A(x)\n" * 20_000 + b"A(" * 50_000,
    "cpp": b"template<" * 100_000,
    "cs": b"class A { void F() { " + b"{" * 200_000,
    "go": b"package a\nvar x = " + b"[]" * 200_000,
    "java": b"class A { int x = " + b"(" * 200_000,
    "js": b"x = " + b"[" * 400_000,
    "ts": b"type A = " + b"{a:" * 200_000,
    "tsx": b"const a = " + b"<a>" * 200_000,
    "rs": b"fn f() { " + b"if a {" * 100_000,
    "swift": b"let x = " + b"[" * 200_000,
    "rb": b"def a\n" * 100_000,
    "json": b"[" * 900_000,
    "toml": b"a." * 400_000 + b"b = 1\n",
    "yaml": b"".join(b" " * depth + b"a:\n" for depth in range(1_900)),
    "md": b"# a\n" * 400_000,
    "html": b"<div>" * 350_000,
    "css": b"a{" * 900_000,
    "sh": b"$(" * 900_000,
}
PYTHON = {
    "a tuple of 2 MB": b"0," * 990_000,
    "statements": b"a;" * 990_000,
    "signs": b"-" * 1_000_000 + b"1",
    "open brackets": b"x = " + b"[" * 500_000,
    "calls": b"f(" * 900_000,
    "lambdas": b"lambda:" * 200_000,
    "powers": b"1" + b"**1" * 600_000,
    "sums": b"1" + b"+1" * 900_000,
    "branches": b"if a:\n pass\n" + b"elif a:\n pass\n" * 120_000,
    "blocks": b"".join(b" " * depth + b"if a:\n" for depth in range(1_500)),
    "digits": b"x = " + b"9" * 1_900_000,
    "hex digits": b"x = 0x" + b"f" * 1_900_000,
    "attributes": b"a" + b".a" * 900_000,
    "a name": b"def " + b"n" * 1_900_000 + b"(): pass",
    "functions": b"\n".join(b"def f%d(): x%d()" % (one, one) for one in range(60_000)),
    "decorators": b"@a\n" * 600_000,
    "quotes": b"'" * 1_900_000,
    "targets": b"x" + b"=y" * 900_000,
    "comments": b"#\n" * 990_000,
    "names, each another": b" ".join(b"n%d" % one for one in range(220_000)),
}


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _make_sparse(root: Path) -> None:
    with open(root / "sparse.py", "wb") as file:
        os.truncate(file.fileno(), 1 << 40)


def _make_many_files(root: Path) -> None:
    for number in range(20_000):
        _write(root / f"d{number % 3}" / f"f{number}.py", b"x = 1\n")


def _make_deep_directories(root: Path) -> None:
    descriptor = os.open(root, os.O_RDONLY)
    for _ in range(2_000):
        os.mkdir("d" * 40, dir_fd=descriptor)
        inner = os.open("d" * 40, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)


def _make_links(root: Path) -> None:
    for number in range(2_000):
        (root / f"l{number}.py").symlink_to(f"l{number + 1}.py")
    (root / "loop").symlink_to(".")


def _make_pipes(root: Path) -> None:
    for number in range(100):
        os.mkfifo(root / f"pipe{number}.py")


FILES: dict[str, tuple[str, bytes]] = {
    **{f"nested {kind}": (f"bomb.{kind}", data[:1_990_000]) for kind, data in NESTS.items()},
    **{f"python, {name}": ("bomb.py", data[:1_990_000]) for name, data in PYTHON.items()},
    "a line of 50 MB": ("line.txt", b"x" * 50_000_000),
    "a line of 1.9 MB": ("line.txt", b"x " * 950_000),
    "NUL far in": ("bomb.py", b"x = 1\n" * 2_000 + b"\0\n"),
    "an archive in a source file": (
        "zip.py",
        b"def f(): pass\n" * 100 + b"PK\x03\x04" + bytes(range(256)) * 4_000,
    ),
    "UTF-16": ("bomb.py", ("def f(): pass\n" * 60_000).encode("utf-16")),
    "bytes that are not UTF-8": ("bomb.py", b"\xff\xfe\xfd" * 600_000),
    "old line ends": ("bomb.py", b"x = 1\r" * 300_000),
    "patterns to ignore": (".gitignore", b"*a" * 400 + b"b\n" + b"**/a/" * 200 + b"\n" + b"[a\n" * 20_000),
    "a huge file of patterns": (".gitignore", b"*.x\n" * 490_000),
    "a configuration": ("repo_mcp.toml", b"a." * 30_000 + b"b = 1\n"),
}
TREES: dict[str, Callable[[Path], None]] = {
    "a sparse file of a terabyte": _make_sparse,
    "twenty thousand files": _make_many_files,
    "directories deeper than any path": _make_deep_directories,
    "two thousand links": _make_links,
    "pipes": _make_pipes,
}
NAMES = (*FILES, *TREES)
SHORT_NAMES = ("nested c",)


def make_bomb(root: Path, name: str) -> str:
    """Make a bomb in a directory, beside a harmless file; return its path, or the first name of a tree."""
    _write(root / "plain.py", b"def harmless_function():\n    return 1\n")
    if name in TREES:
        TREES[name](root)
        return min(path.name for path in root.iterdir())
    path, data = FILES[name]
    _write(root / path, data)
    return path
