"""Facts of declarations, and that the outline and the symbol record list the same definitions."""

from __future__ import annotations

import ast
import json
import sysconfig
from pathlib import Path

import pytest

from repo_mcp.languages.python.declarations import (
    find_docstring,
    find_last_name,
    find_start_line,
    iter_parameters,
    list_parameter_names,
    list_targets,
)
from repo_mcp.languages.python.symbol_parser import parse
from repo_mcp.languages.python.tree import outline_python
from repo_mcp.symbols.symbol_record import ParseStatus, SymbolKind, decode_symbol_record
from tests.deep.sizes import choose

DEFINED = frozenset({"class", "function", "async_function", "method", "async_method", "property"})
SYMBOLS = frozenset({
    SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR,
})  # fmt: skip
SAMPLE_FILES = choose(8, 30)
Definition = tuple[str, int, int]


def read_function(text: str) -> ast.FunctionDef:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def read_expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("c", "c"), ("a.b.c", "c"), ("c[T]", "c"), ("a.c[T]", "c"), ("a.b.c(1)", "c"), ("c[T](1)", "c"),
        ("c(1)(2)", ""), ("1", ""), ("lambda: c", ""),
    ],
)  # fmt: skip
def test_last_names(text: str, name: str) -> None:
    assert find_last_name(read_expression(text)) == name


def test_a_definition_starts_with_its_first_decorator() -> None:
    assert find_start_line(read_function("\n\ndef f(): ...")) == 3
    assert find_start_line(read_function("@a\n@b(\n1)\ndef f(): ...")) == 1


def test_a_docstring_is_the_first_statement_and_a_string() -> None:
    assert find_docstring(read_function("def f():\n    ' a '\n    'b'").body) == " a "
    assert find_docstring(read_function("def f(): ''").body) == ""
    assert find_docstring(read_function("def f():\n    pass\n    'b'").body) is None
    assert find_docstring(read_function("def f(): b'a'").body) is None
    assert find_docstring([]) is None


@pytest.mark.parametrize(
    ("parameters", "written", "bound"),
    [
        ("", "", ""),
        ("a, /, b=1, *c, d, e=2, **f", "a / b=1 *c d e=2 **f", "a b d e c f"),
        ("a=1, /, *, b", "a=1 / * b", "a b"),
        ("a, b=2", "a b=2", "a b"),
    ],
)
def test_parameters_as_written_and_as_bound(parameters: str, written: str, bound: str) -> None:
    args = read_function(f"def f({parameters}): ...").args
    shown = [
        stars + ("" if arg is None else arg.arg) + ("" if default is None else f"={ast.unparse(default)}")
        for stars, arg, default in iter_parameters(args)
    ]
    assert " ".join(shown) == written
    assert " ".join(list_parameter_names(args)) == bound


def test_targets_in_the_order_of_the_text() -> None:
    statement = ast.parse("a, (b.c, *d), [e[0], f] = g").body[0]
    assert isinstance(statement, ast.Assign)
    assert [ast.unparse(one) for one in list_targets(statement.targets[0])] == ["a", "b.c", "d", "e[0]", "f"]


def list_outlined(text: bytes) -> list[Definition] | None:
    answer = json.loads(outline_python(text))
    rows = answer.get("symbols")
    if rows is None or answer["cut"]:
        return None
    return sorted((name, start, end) for kind, name, _, start, end, *_ in rows if kind in DEFINED)


def list_recorded(text: bytes) -> tuple[list[Definition], list[Definition]] | None:
    """Return the functions and classes of a record, and its properties, which may be mere assignments."""
    record = decode_symbol_record(parse("a.py", text))
    if record.status is not ParseStatus.FULL:
        return None
    symbols = [record.get_symbol(number) for number in range(record.symbol_count)]
    sure = [(one.name, one.start_line, one.end_line) for one in symbols if one.kind in SYMBOLS]
    properties = [one for one in symbols if one.kind is SymbolKind.PROPERTY]
    return sure, [(one.name, one.start_line, one.end_line) for one in properties]


@pytest.mark.sized
def test_the_outline_and_the_record_list_the_same_definitions() -> None:
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    compared = 0
    for path in paths[:: max(1, len(paths) // SAMPLE_FILES)]:
        text = path.read_bytes().replace(b"\r\n", b"\n")
        outlined, recorded = list_outlined(text), list_recorded(text)
        if outlined is None or recorded is None:
            continue
        sure, properties = recorded
        rest = list(outlined)
        for definition in sure:
            rest.remove(definition)
        assert [one for one in rest if one not in properties] == [], path
        compared += len(outlined)
    assert compared > 8 * SAMPLE_FILES
