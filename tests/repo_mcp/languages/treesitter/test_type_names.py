"""The name of a type in its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.treesitter.type_names import read_type

CASES = [
    ("*pkg.Foo", ("Foo", "pkg", False)),
    ("[]Foo", ("Foo", "", True)),
    ("map[string][]*Foo", ("Foo", "", True)),
    ("...Foo", ("Foo", "", True)),
    ("chan Foo", ("Foo", "", False)),
    ("const ns::Foo &", ("Foo", "ns", False)),
    ("struct foo *", ("foo", "", False)),
    ("std::unique_ptr<Foo>", ("Foo", "", False)),
    ("std::vector<std::shared_ptr<Foo>>", ("Foo", "", True)),
    ("&'a mut Foo<T>", ("Foo", "", False)),
    ("Box<dyn Foo>", ("Foo", "", False)),
    ("Arc<Mutex<Foo>>", ("Mutex", "", False)),
    ("HashMap<String, Foo>", ("Foo", "", True)),
    ("[Foo; 3]", ("Foo", "", True)),
    ("&[u8]", ("u8", "", True)),
    ("List<Foo>", ("Foo", "", True)),
    ("Foo[]", ("Foo", "", True)),
    ("Map<String, List<Foo>>", ("Foo", "", True)),
    ("[Foo]?", ("Foo", "", True)),
    ("[String: Foo]", ("Foo", "", True)),
    ("some View", ("View", "", False)),
    ("Foo?", ("Foo", "", False)),
    ("constant", ("constant", "", False)),
    ("", ("", "", False)),
    ("(int, error)", ("", "", False)),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_type(text: str, wanted: tuple[str, str, bool]) -> None:
    found = read_type(text)
    assert (found.name, found.qualifier, found.is_items) == wanted


@given(st.text("aB<>[]()*&:., ?!'~", max_size=60))
def test_any_text(text: str) -> None:
    found = read_type(text)
    assert "<" not in found.name
