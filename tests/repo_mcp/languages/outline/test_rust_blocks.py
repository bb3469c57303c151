"""Blocks of Rust in outlines: each `impl` as it is written, and the conditions of its items."""

from __future__ import annotations

from repo_mcp.languages.outline.lexical_adapter import LexicalAdapter
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Symbol
from tests.growth import assert_linear


def read(text: str) -> tuple[Symbol, ...]:
    return LexicalAdapter(find_language).outline("a.rs", text).symbols


def test_each_impl_has_its_trait_and_its_type_as_written() -> None:
    text = (
        "mod m {\n    #[allow(x)]\n    unsafe impl<T: Send> Send\n        for Pair<T>\n    where\n"
        "        T: Copy,\n    {\n        fn one() {}\n    }\n}\nimpl Read for &[u8] {\n    all!();\n}\n"
        "// impl Not for A {\nimpl Unpin for A {}\nimpl A {\n}\n"
    )
    found = [one for one in read(text) if one.kind == "impl"]
    assert [(one.name, one.start_line, one.end_line, one.parent_symbol) for one in found] == [
        ("impl Send for Pair<T>", 2, 9, "m"),
        ("impl Read for &[u8]", 11, 13, None),
        ("impl Unpin for A", 15, 15, None),
        ("impl A", 16, 17, None),
    ]
    assert found[0].signature == "unsafe impl<T: Send> Send for Pair<T>"


def test_conditions_are_those_of_attributes_and_of_macros_named_after_them() -> None:
    text = (
        "cfg_net! {\n    #[cfg(unix)]\n    fn open() {}\n    fn shut() {}\n}\nlazy! {\n    fn plain() {}\n}\n"
        "#[cfg(test)]\n#[inline]\nfn run() {\n    #[cfg(loom)]\n    const MOST: u8 = 1;\n}\n"
    )
    assert {one.name: one.decl_context for one in read(text)} == {
        "open": "cfg_net!, cfg(unix)",
        "shut": "cfg_net!",
        "plain": None,
        "run": "cfg(test)",
        "MOST": "cfg(loom)",
    }


def test_blocks_are_read_in_linear_time() -> None:
    text = "cfg_a! {\nimpl A for B {\n}\n}\nmod m {\n    #[cfg(x)]\n    fn f() {}\n"
    assert_linear(lambda size: text * size, read, 200)
