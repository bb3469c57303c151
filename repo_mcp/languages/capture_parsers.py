"""The parsers of the languages that use the capture walk: each makes the symbol record of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, Dialect
from repo_mcp.languages.treesitter.parser import Captures, find_captures
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.record_builder import encode_failure
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.c.macros import Head

_MACRO_NAME = re.compile(rb"\b[A-Z](?=[A-Z0-9_]{3})[A-Z0-9]*+_?[A-Z0-9_]*+\b", re.A)
_SWIFT_FUNCTION = re.compile(rb"\bfunc[ \t]++(\w++)", re.A)


def parse_go(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Go file."""
    from repo_mcp.languages.go.declarations import GO
    from repo_mcp.languages.go.texts import spell_plainly

    return _encode(GO, file_name, text, find_captures("go", (GO.query,), spell_plainly(text)))


def parse_java(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Java file."""
    from repo_mcp.languages.java.declarations import JAVA

    return _parse(JAVA, "java", file_name, text)


def parse_rust(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Rust file."""
    from repo_mcp.languages.rust.declarations import RUST
    from repo_mcp.languages.rust.expanded import ExpandedWalk, expand_calls
    from repo_mcp.languages.rust.items import find_own_builtins, unwrap_items

    own = find_own_builtins(text, RUST.builtins)
    dialect = replace(RUST, builtins=RUST.builtins - own) if own else RUST
    plain = unwrap_items(text)
    found = find_captures("rust", ("rust",), plain)
    expanded = expand_calls(plain, found) if found is not None else None
    second = find_captures("rust", ("rust",), expanded.text) if expanded is not None else None
    if found is None or expanded is None or second is None:
        return _encode(dialect, file_name, text, found)
    walk = ExpandedWalk(dialect, file_name, expanded)
    if not found.is_complete:
        walk.builder.status = ParseStatus.PARTIAL
    walk.run(second)
    return walk.encode()


def parse_swift(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Swift file."""
    from repo_mcp.languages.swift.declarations import SWIFT
    from repo_mcp.languages.swift.syntax import spell_plainly

    own = SWIFT.builtins.intersection(one.decode() for one in _SWIFT_FUNCTION.findall(text))
    dialect = replace(SWIFT, builtins=SWIFT.builtins - own) if own else SWIFT
    return _encode(dialect, file_name, text, find_captures("swift", (SWIFT.query,), spell_plainly(text)))


def parse_c(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a C file; a header that fits C++ better is read as C++."""
    from repo_mcp.languages.c.declarations import C
    from repo_mcp.languages.c.macros import blank_macros

    is_header = file_name.endswith(".h")
    heads: list[Head] = []
    plain = blank_macros(text, is_c=not is_header, heads=heads)
    if is_header:
        from repo_mcp.languages.c.cpp_headers import read_header

        dialect, found = read_header(plain)
        return _encode(dialect, file_name, text, found, plain, heads)
    return _encode(C, file_name, text, find_captures("c", ("c",), plain), plain, heads)


def parse_cpp(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a C++ file."""
    from repo_mcp.languages.c.cpp_declarations import CPP
    from repo_mcp.languages.c.cpp_resumed import read_resumed
    from repo_mcp.languages.c.macros import blank_macros

    heads: list[Head] = []
    plain = blank_macros(text, heads=heads)
    found = read_resumed(plain, find_captures("cpp", ("cpp",), plain))
    return _encode(CPP, file_name, text, found, plain, heads)


def _parse(dialect: Dialect, grammar: str, file_name: str, text: bytes) -> bytes:
    return _encode(dialect, file_name, text, find_captures(grammar, (dialect.query,), text))


def _encode(
    dialect: Dialect,
    file_name: str,
    text: bytes,
    found: Captures | None,
    plain: bytes = b"",
    heads: Sequence[Head] = (),
) -> bytes:
    if found is None:
        return encode_failure(file_name, text.count(b"\n") + 1)
    walk = CaptureWalk(dialect, file_name, text)
    if not found.is_complete:
        walk.builder.status = ParseStatus.PARTIAL
    walk.run(found)
    if dialect.rules.is_preprocessed:
        _add_preprocessed(walk, text, plain, heads)
    return walk.encode()


def _add_preprocessed(walk: CaptureWalk, text: bytes, plain: bytes, heads: Sequence[Head]) -> None:
    """Add the conditions of lines, the calls in branches that are not read, and the blanked macros."""
    from repo_mcp.languages.c.branches import iter_left_out_calls, leaves_out_branches
    from repo_mcp.languages.c.conditions import list_conditions

    if leaves_out_branches(text):
        walk.builder.status = ParseStatus.PARTIAL
        calls = list(iter_left_out_calls(text))
        around = walk.builder.find_around(line for line, _ in calls)
        for line, name in calls:
            walk.builder.add_reference(around[line], ReferenceRole.CALL, name, line)
    is_header = not walk.file_name.endswith((".c", ".cc", ".cpp"))
    for line, conditions in list_conditions(text, is_header=is_header):
        walk.builder.add_reference(0, ReferenceRole.BIND, conditions, line, alias=CONDITIONS)
    for line, name in _iter_blanked(text, plain, heads):
        walk.builder.add_reference(0, ReferenceRole.USE, name, line)


def _iter_blanked(text: bytes, plain: bytes, heads: Sequence[Head]) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each macro that was blanked for the grammar."""
    line, start = 1, 0
    for offset, name in sorted(heads):
        line += text.count(b"\n", start, offset)
        start = offset
        yield line, name.decode()
    if plain == text:
        return
    line, start = 1, 0
    letters = np.frombuffer(text, np.uint8)
    blanks = np.frombuffer(plain, np.uint8) == ord(" ")
    for offset in np.flatnonzero(blanks & (letters >= ord("A")) & (letters <= ord("Z"))).tolist():
        found = _MACRO_NAME.match(text, offset)
        if found is not None:
            line += text.count(b"\n", start, offset)
            start = offset
            yield line, found.group().decode()


PARSERS: Mapping[str, Callable[[str, bytes], bytes]] = {
    "go": parse_go,
    "java": parse_java,
    "rust": parse_rust,
    "c": parse_c,
    "cpp": parse_cpp,
    "swift": parse_swift,
}
