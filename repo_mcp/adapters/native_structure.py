"""The parsers of the languages on the capture walk: a text to the record of its structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.adapters.capture_walk import CaptureWalk, Dialect
from repo_mcp.adapters.tree_sitter_parser import Captures, find_captures
from repo_mcp.structure import ParseStatus, encode_failure


def parse_go(file_name: str, text: bytes) -> bytes:
    """The record of a Go file."""
    from repo_mcp.adapters.go_structure import GO

    return _parse(GO, "go", file_name, text)


def parse_java(file_name: str, text: bytes) -> bytes:
    """The record of a Java file."""
    from repo_mcp.adapters.java_structure import JAVA

    return _parse(JAVA, "java", file_name, text)


def parse_rust(file_name: str, text: bytes) -> bytes:
    """The record of a Rust file."""
    from repo_mcp.adapters.rust_macros import unwrap_items
    from repo_mcp.adapters.rust_structure import RUST

    return _encode(RUST, file_name, text, find_captures("rust", ("rust",), unwrap_items(text)))


def parse_swift(file_name: str, text: bytes) -> bytes:
    """The record of a Swift file."""
    from repo_mcp.adapters.swift_structure import SWIFT

    return _parse(SWIFT, "swift", file_name, text)


def parse_c(file_name: str, text: bytes) -> bytes:
    """The record of a C file; of a header that is rather C++, that of a C++ file."""
    from repo_mcp.adapters.c_macros import blank_macros
    from repo_mcp.adapters.c_structure import C

    plain = blank_macros(text)
    found = find_captures("c", ("c",), plain)
    if found is not None and not found.is_complete and file_name.endswith(".h"):
        other = find_captures("cpp", ("cpp",), plain)
        if other is not None and _count_errors(other) < _count_errors(found):
            from repo_mcp.adapters.cpp_structure import CPP

            return _encode(CPP, file_name, text, other)
    return _encode(C, file_name, text, found)


def parse_cpp(file_name: str, text: bytes) -> bytes:
    """The record of a C++ file."""
    from repo_mcp.adapters.c_macros import blank_macros
    from repo_mcp.adapters.cpp_structure import CPP

    return _encode(CPP, file_name, text, find_captures("cpp", ("cpp",), blank_macros(text)))


def _parse(dialect: Dialect, grammar: str, file_name: str, text: bytes) -> bytes:
    return _encode(dialect, file_name, text, find_captures(grammar, (dialect.query,), text))


def _count_errors(found: Captures) -> int:
    """Bytes that the grammar did not understand."""
    return sum(1 + node.end_byte - node.start_byte for node in found.nodes.get("error", ()))


def _encode(dialect: Dialect, file_name: str, text: bytes, found: Captures | None) -> bytes:
    if found is None:
        return encode_failure(file_name, text.count(b"\n") + 1)
    walk = CaptureWalk(dialect, file_name, text)
    if not found.is_complete:
        walk.builder.status = ParseStatus.PARTIAL
    walk.run(found)
    return walk.encode()


PARSERS: Mapping[str, Callable[[str, bytes], bytes]] = {
    "go": parse_go,
    "java": parse_java,
    "rust": parse_rust,
    "c": parse_c,
    "cpp": parse_cpp,
    "swift": parse_swift,
}
