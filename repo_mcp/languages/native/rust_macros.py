"""Blanking of Rust macros that only wrap declarations, byte for byte.

`cfg_net! { pub struct TcpStream { .. } }` and `pin_project! { .. }` hold ordinary items, which a parser sees
as loose words. Their heads and closing brackets become blanks; everything between keeps its offset.
"""

from __future__ import annotations

import itertools
import re

MAX_WRAPPERS = 2_000  # of one file
_HEAD = re.compile(rb"\n[ \t]*+((?:pin_project_lite::)?(?:cfg_\w++|pin_project|feature)![ \t]*+\{)")
_BRACKET = re.compile(rb"[{}]|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|//[^\n]*+|'(?:[{}]|\\.)'")


def unwrap_items(text: bytes) -> bytes:
    """Return the text with those wrappers blanked, at the same length."""
    if b"cfg_" not in text and b"pin_project!" not in text:
        return text
    found_heads = itertools.islice(_HEAD.finditer(text), MAX_WRAPPERS)
    heads = {found.end(1) - 1: found.span(1) for found in found_heads}
    if not heads:
        return text
    changed = bytearray(text)
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
