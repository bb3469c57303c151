"""Syntax of later Pythons: what is written in its place parses, and means the same wherever it can."""

from __future__ import annotations

import ast
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.python.newer_syntax import write_older
from repo_mcp.languages.python.symbol_parser import parse
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, decode_symbol_record
from tests.deep.sizes import first

WRITTEN = [
    ("type Pair[T] = tuple[T, T]", "Pair: TypeAlias  = tuple[T, T]"),
    ("if 1:\n    type Id = int", "if 1:\n    Id: TypeAlias = int"),
    ("def first[T](pair: Pair[T]): ...", "def first (pair: Pair[T]): ..."),
    ("async def first[T: (int, str), **P](): ...", "async def first (): ..."),
    ('class Box[T = dict["a]", int]](Base[T]): ...', "class Box (Base[T]): ..."),
    ("class Box[\n    T,\n](Base): ...", "class Box \\\n\\\n(Base): ..."),
    ("try: ...\nexcept OSError, a.Error: ...", "try: ...\nexcept (OSError, a.Error): ..."),
    ("try: ...\nexcept* A, B,: ...", "try: ...\nexcept* (A, B): ..."),
    ("lazy import json", "import json"),
    ("lazy from json import loads", "from json import loads"),
    ("x = t'{a}' rt\"{b}\\d\"", "x = f'{a}' rf\"{b}\\d\""),
    ('f"{row["name"]}"', "f\"{row['name']}\""),
    ("f'{row['name']!r:>{row['width']}}'", 'f\'{row["name"]!r:>{row["width"]}}\''),
    ('f"{"\\n".join(rows)}"', "f\"{' n'.join(rows)}\""),
    ('f"{f"{d[1:2]!r:>3}{a!=b}{c=}"}"', 'f"{((d[1:2]), (a!=b), (c), )}"'),
    ('f"{\n    row["a"]\n}"', 'f"""{\n    row[\'a\']\n}"""'),
    ('f"{"""a\nb"""}"', 'f"""{\'a b\'\n}"""'),
    ('f"\\N{EM DASH}{row["a"]}{{"', "f\"\\N{EM DASH}{row['a']}{{\""),
]
SAME = [
    "type = 3\ntype[0] = 1\ntype (x)\nprint(type, 1)",
    "lazy = 1\nlazy.imports = 2",
    'x = """\ndef f[T](): ...\ntype X = int\n"""',
    "x = [\n    d[0],\n]\n# f'{a['b']}'",
    "try: ...\nexcept (A, B): ...\nexcept C as d: ...",
    "f'{a!r:>{width}} {b=} {{}} {lambda_(lambda: 1)} {c:%H:%M}', rb'\\''",
    "f'''{a['b']} ' {c[0]}\n'''",
]
FOLDERS = ("asyncio", "json", "email", "logging", "unittest")


@pytest.mark.parametrize(("newer", "older"), WRITTEN, ids=range(len(WRITTEN)))
def test_newer_syntax_is_written_in_older(newer: str, older: str) -> None:
    assert write_older(newer) == older
    ast.parse(older)


@pytest.mark.parametrize("text", SAME, ids=range(len(SAME)))
def test_what_parses_anyway_means_the_same(text: str) -> None:
    assert ast.dump(ast.parse(write_older(text))) == ast.dump(ast.parse(text))


@pytest.mark.parametrize("folder", first(2, FOLDERS))
def test_the_standard_library_means_the_same(folder: str) -> None:
    paths = sorted(Path(sysconfig.get_path("stdlib"), folder).rglob("*.py"))
    assert len(paths) >= 3
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert ast.dump(ast.parse(write_older(text))) == ast.dump(ast.parse(text)), path


@given(st.text(alphabet="fFtr\"'\\{}[]()!:=,\nN type def except a.#", max_size=60))
def test_any_text_keeps_its_lines(text: str) -> None:
    assert write_older(text).count("\n") == text.count("\n")


def test_strings_that_nest_too_deep_are_left_alone() -> None:
    text = 'f"{' * 5_000
    assert write_older(text) == text


def test_the_record_of_newer_syntax_is_complete() -> None:
    text = (
        "type Pair[T] = tuple[T, T]\n"
        "class Box[T]:\n"
        "    def get(self) -> T: ...\n"
        "def first[T](pair: Pair[T]) -> T:\n"
        "    try:\n"
        '        return show(f"{pair.left("a")}")\n'
        "    except ValueError, KeyError:\n"
        '        return t"{other(pair)}"\n'
    )
    record = decode_symbol_record(parse("a.py", text.encode()))
    assert record.status == ParseStatus.FULL
    names = [record.strings[name] for name in record.names]
    assert names[1:] == ["Pair", "Box", "get", "first"]
    called = {record.strings[record.ref_names[row]] for row in record.list_role(ReferenceRole.CALL)}
    assert called >= {"show", "left", "other"}


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="newer syntax is known")
def test_what_is_wrong_besides_is_left_out_alone() -> None:
    text = "def first[T](): return one()\nlazy import json\ndef bad(: ...\ndef last[T](): return two()\n"
    record = decode_symbol_record(parse("a.py", text.encode()))
    assert record.status == ParseStatus.PARTIAL
    called = {record.strings[record.ref_names[row]] for row in record.list_role(ReferenceRole.CALL)}
    assert called == {"one", "two"}
