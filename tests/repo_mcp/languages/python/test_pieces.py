"""Python texts in pieces: the record is that of the whole text, wherever the cuts are."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.languages.python import symbol_parser
from repo_mcp.languages.python.symbol_parser import cut_between_statements, parse
from repo_mcp.symbols.symbol_record import (
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolRecord,
    decode_symbol_record,
)
from tests.deep.sizes import examples, first, take_share

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
MODULES = ("argparse.py", "ast.py", "enum.py", "inspect.py", "os.py", "subprocess.py", "typing.py")
WHOLE = 1 << 30
TINY = 1


def read_in_pieces(monkeypatch: pytest.MonkeyPatch, text: bytes, piece_bytes: int) -> SymbolRecord:
    monkeypatch.setattr(symbol_parser, "PIECE_BYTES", piece_bytes)
    return decode_symbol_record(parse("a.py", text))


def list_all(structure: SymbolRecord) -> tuple[list[DeclaredSymbol], list[str]]:
    symbols = [structure.get_symbol(ordinal) for ordinal in range(structure.symbol_count)]
    references: list[Reference] = [structure.get_reference(row) for row in range(structure.reference_count)]
    return symbols, sorted(map(repr, references))


def check_pieces(monkeypatch: pytest.MonkeyPatch, text: bytes, piece_bytes: int = TINY) -> None:
    whole = read_in_pieces(monkeypatch, text, WHOLE)
    pieces = read_in_pieces(monkeypatch, text, piece_bytes)
    assert pieces.status is whole.status
    assert list_all(pieces) == list_all(whole)


@pytest.mark.parametrize("piece_bytes", [TINY, pytest.param(2_000, marks=pytest.mark.deep), 16_384])
@pytest.mark.parametrize("name", first(4, MODULES))
def test_modules_of_the_library(monkeypatch: pytest.MonkeyPatch, name: str, piece_bytes: int) -> None:
    check_pieces(monkeypatch, (LIBRARY / name).read_bytes(), piece_bytes)


@pytest.mark.deep
def test_the_whole_library(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [path for path in sorted(LIBRARY.rglob("*.py")) if "site-packages" not in path.parts]
    for path in take_share(paths):
        check_pieces(monkeypatch, path.read_bytes())


def test_pieces_begin_at_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbol_parser, "PIECE_BYTES", TINY)
    pieces = [
        b"import a\n\n\n",
        b"@d\ndef f():\n\n    def g(): pass\n\nx = 1\n\n",
        b"async def h(): pass\nclass A: pass\n\n",
        b"class B: pass",
    ]
    assert cut_between_statements(b"".join(pieces)) == pieces


def test_small_texts_and_texts_without_heads_are_one_piece() -> None:
    small = b"a\n\ndef f(): pass\n"
    assert cut_between_statements(small) == [small]
    data = b"x = 1\n\n" * 100_000
    assert cut_between_statements(data) == [data]
    assert cut_between_statements(b"") == [b""]


NO_CUTS = {
    "a string": b'x = """\n\ndef f(): return a.b\n\n"""\n\ndef g(): return c.d\n',
    "brackets": b"x = (1,\n\ndef f(): pass\n)",
    "a decorator": b"@one.two\n\n@three.four\n\ndef f(): return a.b\n\n@five\n\nclass A: pass\n",
    "a line that does not go on": b"x = a.b + \\\n\ndef f(): pass\n\ndef g(): pass\n",
    "a string that never ends": b'x = 1\n\ndef f(): pass\n\ndef g():\n  """\n\ndef h(): pass\n',
    "one bad piece": b"x = a.b\n\ndef f(): return c.d\n\ndef g(:\n\ndef h(): return e.f\n",
    "branches": b"if a:\n    pass\n\ndef f(): pass\n\ntry:\n    b()\n\nexcept C:\n    pass\n",
    "NUL": b"x = a.b\n\ndef f(): return c.d\n\ndef g(): \0\n",
}


@pytest.mark.parametrize("case", NO_CUTS)
def test_heads_that_are_none(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    check_pieces(monkeypatch, NO_CUTS[case])


SHARED = b"""import first
from second import thing

def early():
    global made
    made = first.one(list(), later)
    return other.two()

class A(thing):
    def __init__(self):
        self.x = later.three()

def list(): return early

later = A()

def other():
    global made, more
    more = made.four(first)
    return [one.five for one in later]

__all__ = ["early"]

def last(): return late.six

__all__ += ["last"]
"""


def test_pieces_share_the_names_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    check_pieces(monkeypatch, SHARED)
    pieces = cut_between_statements(SHARED)
    assert len([ast.parse(piece) for piece in pieces]) == 6
    found = read_in_pieces(monkeypatch, SHARED, TINY)
    assert [one.line for one in map(found.get_reference, found.find_references("list"))] == [6]
    assert found.get_symbol(found.find_symbols("more")[0]).start_line == 19
    assert found.get_symbol(found.find_symbols("last")[0]).start_line == 24


HIDING = b"""import first

def early(x):
    class A:
        one = x.own
        two = lambda x: x.of_the_lambda
        three = [x for x in two]

def late(x):
    class B:
        four = lambda x: x.of_the_lambda
"""


def test_what_hides_a_name_in_a_class_of_a_function_begins_on_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It once began on the first line of its piece, so that the cuts decided what a name meant before it."""
    check_pieces(monkeypatch, HIDING)
    found = read_in_pieces(monkeypatch, HIDING, TINY)
    rows = map(found.get_reference, range(found.reference_count))
    assert {row.line for row in rows if row.role is ReferenceRole.BIND and row.alias == "x"} == {6, 7, 11}


LINES = st.sampled_from(
    ["def f(a):", "class A(B):", "    x = 1", "  return y", "@d", "", "", "", "if a:", "else:", "(", ")",
     "'''", '"""', "\\", " ", "import a.b", "x: 'A['", "async def g(): pass", "    global x",
     "def h(): return f.a"]
)  # fmt: skip


@settings(max_examples=examples(150))
@given(st.lists(LINES, max_size=25))
def test_any_lines(lines: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        check_pieces(monkeypatch, "\n".join(lines).encode())


@pytest.mark.parametrize("name", MODULES)
def test_statements_of_pieces_are_those_of_the_whole(name: str) -> None:
    text = (LIBRARY / name).read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        each = [ast.parse(piece).body for piece in cut_between_statements(text)]
        whole = ast.parse(text).body
    assert len(each) > 1
    assert [ast.dump(one) for body in each for one in body] == [ast.dump(one) for one in whole]
