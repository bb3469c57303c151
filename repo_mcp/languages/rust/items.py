"""Prepares a text of Rust for the parser: macros around items, and builtin names that it declares itself.

`cfg_net! { pub struct TcpStream { .. } }` and `pin_project! { .. }` contain ordinary items, which a parser
sees as loose tokens. The head and the closing brace are blanked; the rest keeps its offset.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from repo_mcp.languages.treesitter.blanking import blank_group

MAX_WRAPPERS = 2_000  # of one file
MAX_IMPORTS = 2_000  # of one file
# Patterns begin with a line feed, which is quick to search for; texts get one before their first line.
_HEAD = re.compile(rb"\n[ \t]*+((?:pin_project_lite::)?(?:cfg_\w++|pin_project|feature)![ \t]*+\{)")
# Any other macro is treated in the same way if its first item, after attributes and comments, is a trait:
# nothing else begins like one. Lines in its braces that begin with @ are meant for the macro.
_FIRST = rb"(?:\s++|//[^\n]*+|#!?\[[^\n]*+){0,200}(?:pub(?:\([^()\n]*+\))?\s++)?"
_TRAIT_HEAD = re.compile(rb"\n[ \t]*+(\w++![ \t]*+\{)(?=" + _FIRST + rb"(?:unsafe\s++)?trait\s++\w)")
# Neither does anything else begin like an import or a module, unless in a function: `quote! { use a; }`.
_IMPORT_HEAD = re.compile(
    rb"\n(\w++![ \t]*+\{)(?=" + _FIRST + rb"(?:use\s++[\w:]|(?:unsafe\s++)?mod\s++\w++\s*+[;{]))"
)
_MACRO_WORDS = re.compile(rb"\n[ \t]*+(@[^\n{}]*+)(?=\n)")
_IMPORTED = re.compile(rb"\n[ \t]*+(?:pub(?:\([^()\n]*+\))?\s++)?use\s([^;]{0,2000}+);")
_TYPE_DECLARED = re.compile(rb"\n[ \t]*+(?:pub(?:\([^()\n]*+\))?\s++)?(?:type|struct|enum|trait)\s++(\w++)")
_WORDS = re.compile(r"\w+")
_KEYWORDS = frozenset({"self", "Self", "_", "true", "false"})
_BRACKET = re.compile(rb"[{}]|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|//[^\n]*+|'(?:[{}]|\\.)'")


def unwrap_items(text: bytes) -> bytes:
    """Return the text with the macros around items blanked, at the same length."""
    if b"!" not in text:
        return text
    has_trait = b"! {" in text and b"trait " in text
    traits = [*_iter_spans(_TRAIT_HEAD, text, 0)] if has_trait else []
    others = itertools.chain(*(_iter_spans(one, b"\n" + text, 1) for one in (_HEAD, _IMPORT_HEAD)))
    heads = {end - 1: (start, end) for start, end in (*traits, *others)}
    if not heads:
        return text
    changed = bytearray(_MACRO_WORDS.sub(blank_group, text) if traits else text)
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


def _iter_spans(pattern: re.Pattern[bytes], text: bytes, before: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the first group in a text that has `before` bytes more at its beginning."""
    for found in itertools.islice(pattern.finditer(text), MAX_WRAPPERS):
        yield found.start(1) - before, found.end(1) - before


def find_own_builtins(text: bytes, builtins: frozenset[str]) -> frozenset[str]:
    """Return the builtin names of Rust that a file imports or declares itself, such as `Result`."""
    lines = b"\n" + text
    own = {found.group(1).decode() for found in _TYPE_DECLARED.finditer(lines)}
    for found in itertools.islice(_IMPORTED.finditer(lines), MAX_IMPORTS):
        own.update(_WORDS.findall(found.group(1).decode("utf-8", "replace")))
    return builtins & own - _KEYWORDS
