"""The parsers of the languages on the capture walk, which make the symbol record of a text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, Dialect
from repo_mcp.languages.treesitter.parser import Captures, find_captures
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.symbol_record import ParseStatus, ReferenceRole, encode_failure

_PREPROCESSED = frozenset({"c", "cpp"})
FEW_ERRORS = 0.1  # share of bytes: with fewer, a header that looks like C++ is not tried as C


# A line that begins a namespace, a template, a class or an access section is C++. Comments do not count, nor
# does `extern "C"`, which is for headers of both languages.
# Repeats are bounded, because the text is not trusted. C's `struct class {` and `class:1` do not match.
_SIGNS = re.compile(
    rb"^[ \t]*+(?:(?:inline )?namespace(?:[ \t]++[\w:]++)?\s*+\{|using[ \t]++namespace[ \t]|template[ \t]*+<"
    rb"|class[ \t]++\w[^;(){}=]{0,300}[{:]|(?:public|private|protected)[ \t]*+:)",
    re.MULTILINE,
)
_COMMENTS = re.compile(rb"/\*(?:.*?\*/|.*+)|//[^\n]*+", re.DOTALL)


# `cfg_net! { pub struct TcpStream { .. } }` and `pin_project! { .. }` hold ordinary items, which a parser
# sees as loose tokens. The head and the closing brace are blanked; the rest keeps its offset.
MAX_WRAPPERS = 2_000  # of one file
_MACRO_NAME = re.compile(rb"\b[A-Z](?=[A-Z0-9_]{3})[A-Z0-9]*+_?[A-Z0-9_]*+\b", re.A)
_HEAD = re.compile(rb"\n[ \t]*+((?:pin_project_lite::)?(?:cfg_\w++|pin_project|feature)![ \t]*+\{)")
# Any other macro is treated the same if its first item, after attributes and comments, is a trait: nothing
# else has the words of a trait. Lines in its braces that begin with @ are for the macro.
_TRAIT_HEAD = re.compile(
    rb"\n[ \t]*+(\w++![ \t]*+\{)"
    rb"(?=(?:\s++|//[^\n]*+|#!?\[[^\n]*+){0,200}(?:pub(?:\([^()\n]*+\))?\s++)?(?:unsafe\s++)?trait\s++\w)"
)
_MACRO_WORDS = re.compile(rb"\n[ \t]*+(@[^\n{}]*+)(?=\n)")
_IMPORTED = re.compile(rb"^[ \t]*+(?:pub(?:\([^()\n]*+\))?\s++)?use\s([^;]{0,2000}+);", re.M)
_TYPE_DECLARED = re.compile(
    rb"^[ \t]*+(?:pub(?:\([^()\n]*+\))?\s++)?(?:type|struct|enum|trait)\s++(\w++)", re.M | re.A
)
_SWIFT_FUNCTION = re.compile(rb"\bfunc[ \t]++(\w++)", re.A)
_WORDS = re.compile(r"\w+")
_KEYWORDS = frozenset({"self", "Self", "_", "true", "false"})
_BRACKET = re.compile(rb"[{}]|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|//[^\n]*+|'(?:[{}]|\\.)'")


def unwrap_items(text: bytes) -> bytes:
    """Return the text with the macros around items blanked, at the same length."""
    has_trait = b"! {" in text and b"trait " in text
    if not has_trait and b"cfg_" not in text and b"pin_project!" not in text:
        return text
    traits = list(itertools.islice(_TRAIT_HEAD.finditer(text), MAX_WRAPPERS)) if has_trait else []
    found_heads = itertools.chain(itertools.islice(_HEAD.finditer(text), MAX_WRAPPERS), traits)
    heads = {found.end(1) - 1: found.span(1) for found in found_heads}
    if not heads:
        return text
    changed = bytearray(_MACRO_WORDS.sub(_blank_line, text) if traits else text)
    closing: list[int] = []  # depths at which a wrapper ends
    depth = 0
    for found in _BRACKET.finditer(text, min(heads)):
        position = found.start()
        byte = text[position]
        if byte == ord("{") and found.end() == position + 1:
            if position in heads:
                start, end = heads[position]
                changed[start:end] = b" " * (end - start)
                closing.append(depth)
            depth += 1
        elif byte == ord("}"):
            depth -= 1
            if closing and closing[-1] == depth:
                closing.pop()
                changed[position] = ord(" ")
    return bytes(changed) if not closing else text


def _blank_line(found: re.Match[bytes]) -> bytes:
    """Return a match with the words that are for a macro, on a line of their own, replaced by spaces."""
    start = found.start(1) - found.start()
    return found.group()[:start] + b" " * (found.end() - found.start(1))


def find_own_builtins(text: bytes, builtins: frozenset[str]) -> frozenset[str]:
    """Return those builtin names of Rust that a file imports or declares itself, such as `Result`."""
    own = {found.group(1).decode() for found in _TYPE_DECLARED.finditer(text)}
    for found in itertools.islice(_IMPORTED.finditer(text), MAX_WRAPPERS):
        own.update(_WORDS.findall(found.group(1).decode("utf-8", "replace")))
    return builtins & own - _KEYWORDS


def looks_like_cpp(text: bytes) -> bool:
    """Return True for the text of a header that no C compiler would accept."""
    return _SIGNS.search(text) is not None and _SIGNS.search(_COMMENTS.sub(b"", text)) is not None


def parse_go(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Go file."""
    from repo_mcp.languages.native.go import GO

    return _parse(GO, "go", file_name, text)


def parse_java(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Java file."""
    from repo_mcp.languages.native.java import JAVA

    return _parse(JAVA, "java", file_name, text)


def parse_rust(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a Rust file."""
    from repo_mcp.languages.native.rust import RUST
    from repo_mcp.languages.native.rust_expanded import ExpandedWalk, expand_calls

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
    from repo_mcp.languages.native.swift import SWIFT
    from repo_mcp.languages.native.swift_syntax import spell_plainly

    own = SWIFT.builtins.intersection(one.decode() for one in _SWIFT_FUNCTION.findall(text))
    dialect = replace(SWIFT, builtins=SWIFT.builtins - own) if own else SWIFT
    return _encode(dialect, file_name, text, find_captures("swift", (SWIFT.query,), spell_plainly(text)))


def parse_c(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a C file; a header that looks more like C++ is read as C++."""
    from repo_mcp.languages.native.c import C
    from repo_mcp.languages.native.c_macros import blank_macros

    is_header = file_name.endswith(".h")
    plain = blank_macros(text, is_c=not is_header)
    if is_header:
        dialect, found = _read_header(plain)
        return _encode(dialect, file_name, text, found, plain)
    return _encode(C, file_name, text, find_captures("c", ("c",), plain), plain)


def parse_cpp(file_name: str, text: bytes) -> bytes:
    """Return the symbol record of a C++ file."""
    from repo_mcp.languages.native.c_macros import blank_macros
    from repo_mcp.languages.native.cpp import CPP

    plain = blank_macros(text)
    return _encode(CPP, file_name, text, find_captures("cpp", ("cpp",), plain), plain)


def _parse(dialect: Dialect, grammar: str, file_name: str, text: bytes) -> bytes:
    return _encode(dialect, file_name, text, find_captures(grammar, (dialect.query,), text))


def _read_header(plain: bytes) -> tuple[Dialect, Captures | None]:
    """Return the dialect of a header, C++ or C, and its captures. If in doubt, fewer errors decide."""
    from repo_mcp.languages.native.c import C
    from repo_mcp.languages.native.cpp import CPP

    is_likely = looks_like_cpp(plain)
    other = find_captures("cpp", ("cpp",), plain) if is_likely else None
    if other is not None and _count_errors(other) <= FEW_ERRORS * len(plain):
        return CPP, other
    found = find_captures("c", ("c",), plain)
    if found is None or found.is_complete:
        return C, found
    if not is_likely:
        other = find_captures("cpp", ("cpp",), plain)
    if other is not None and _count_errors(other) < _count_errors(found):
        return CPP, other
    return C, found


def _count_errors(found: Captures) -> int:
    """Return the number of bytes that the grammar did not understand, plus one for each error."""
    return sum(1 + node.end_byte - node.start_byte for node in found.nodes.get("error", ()))


def _iter_blanked(text: bytes, plain: bytes) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each macro that was blanked for the grammar."""
    from repo_mcp.languages.native.c_macros import iter_lower_heads

    for offset, name in iter_lower_heads(text):
        if plain[offset : offset + 1] == b" ":
            yield text.count(b"\n", 0, offset) + 1, name.decode()
    line, start = 1, 0
    for found in _MACRO_NAME.finditer(text):
        if plain[found.start() : found.start() + 1] == b" ":
            line += text.count(b"\n", start, found.start())
            start = found.start()
            yield line, found.group().decode()


def _encode(
    dialect: Dialect, file_name: str, text: bytes, found: Captures | None, plain: bytes = b""
) -> bytes:
    if found is None:
        return encode_failure(file_name, text.count(b"\n") + 1)
    walk = CaptureWalk(dialect, file_name, text)
    if not found.is_complete:
        walk.builder.status = ParseStatus.PARTIAL
    walk.run(found)
    if dialect.query in _PREPROCESSED:
        from repo_mcp.languages.native.c_conditions import list_conditions
        from repo_mcp.languages.native.c_macros import iter_left_out_calls, leaves_out_branches

        if leaves_out_branches(text):
            walk.builder.status = ParseStatus.PARTIAL
            for line, name in iter_left_out_calls(text):
                walk.builder.add_reference(walk.builder.find_around(line), ReferenceRole.CALL, name, line)

        for line, conditions in list_conditions(
            text, is_header=not file_name.endswith((".c", ".cc", ".cpp"))
        ):
            walk.builder.add_reference(0, ReferenceRole.BIND, conditions, line, alias=CONDITIONS)
        for line, name in _iter_blanked(text, plain):
            walk.builder.add_reference(0, ReferenceRole.USE, name, line)
    return walk.encode()


PARSERS: Mapping[str, Callable[[str, bytes], bytes]] = {
    "go": parse_go,
    "java": parse_java,
    "rust": parse_rust,
    "c": parse_c,
    "cpp": parse_cpp,
    "swift": parse_swift,
}
