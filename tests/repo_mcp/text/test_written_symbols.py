"""Names of symbols as people, messages and traces write them."""

from __future__ import annotations

import pytest

from repo_mcp.text.written_symbols import MAX_CHARS, read_compiled, read_written


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("put", "put", ""),
        ("Box<T>.put(int, String)", "Box.put", "(int, String)"),
        ("Box<Map<K, V>>.put", "Box.put", ""),
        ("IdentityMap`1.Add()", "IdentityMap.Add", "()"),
        ("Vec::<u8>::new", "Vec::new", ""),
        ("example.org/app.(*Server).Serve", "example.org/app.Server.Serve", ""),
        ("Order#finalize!()", "Order#finalize!", "()"),
        ("Box.operator()", "Box.operator()", ""),
        ("operator<", "operator<", ""),
        ("x(" * MAX_CHARS, "x(" * MAX_CHARS, ""),
    ],
)
def test_type_arguments_and_parameters_are_no_part_of_a_name(text: str, name: str, parameters: str) -> None:
    assert read_written(text) == (name, parameters)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a.Box$Node", "a.Box.Node"),
        ("a.Box$Node.<init>", "a.Box.Node.Node"),
        ("a.Box.lambda$fill$0", "a.Box.fill"),
        ("a.Box$1.run", "a.Box$1.run"),
        ("$item", "$item"),
        ("x$y" * MAX_CHARS, "x$y" * MAX_CHARS),
    ],
)
def test_what_a_compiler_makes_of_names_of_java_is_read(text: str, name: str) -> None:
    assert read_compiled(text) == name
