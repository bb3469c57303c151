"""The names in symbols of SCIP, ours and those of other indexers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.scip.descriptors import SCHEME, build_descriptor, list_last_names
from repo_mcp.symbols.model import SymbolKind

OF_OTHERS = [
    ("scip-python python flask 3.0 `flask.app`/Flask#wsgi_app().", ["wsgi_app", "Flask"]),
    ("scip-python python flask 3.0 `flask.app`/Flask#", ["Flask", "flask.app"]),
    ("scip-python python flask 3.0 `flask.app`/__init__:", ["__init__", "flask.app"]),
    ("scip-typescript npm vue 3 src/`ref.ts`/RefImpl#`<constructor>`().", ["<constructor>", "RefImpl"]),
    ("scip-java maven a 1 b/C#d(+2).(e)", ["e", "d"]),
    ("scip-java maven a 1 b/C#[T]", ["T", "C"]),
    ("rust-analyzer cargo regex 1.0 macros/err!", ["err", "macros"]),
    ("a  b c d  e f `x``y z`#", ["x`y z"]),
    ("local 3", []),
    ("scip-python python flask 3.0 ", []),
    ("scip-python python flask 3.0 `unended", []),
    ("scip-python python flask 3.0 a/é#", ["a"]),
    ("nothing", []),
]


@pytest.mark.parametrize(("symbol", "names"), OF_OTHERS)
def test_the_last_names_of_a_symbol(symbol: str, names: list[str]) -> None:
    assert list(list_last_names(symbol)) == names


def test_ours_say_what_they_name() -> None:
    built = [
        build_descriptor("src/a b.py", SymbolKind.FILE),
        build_descriptor("Foo", SymbolKind.CLASS),
        build_descriptor("Foo", SymbolKind.EXTENSION, 1),
        build_descriptor("get", SymbolKind.METHOD),
        build_descriptor("get", SymbolKind.METHOD, 2),
        build_descriptor("MAX", SymbolKind.MACRO),
        build_descriptor("x`y", SymbolKind.PROPERTY),
    ]
    assert built == ["`src/a b.py`/", "Foo#", "Foo+1#", "get().", "get(+2).", "MAX!", "`x``y`."]


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=8), st.sampled_from(SymbolKind)), min_size=1, max_size=4)
)
def test_names_come_back(parts: list[tuple[str, SymbolKind]]) -> None:
    symbol = SCHEME + "".join(build_descriptor(name, kind) for name, kind in parts)
    assert list(list_last_names(symbol, len(parts))) == [name for name, _ in parts][::-1]
