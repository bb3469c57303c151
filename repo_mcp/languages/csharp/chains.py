"""Writes C# expressions as chains of dotted names: "a.b", "Make<Foo>()", "items[]", "Box<int>.Empty".

A chain keeps type arguments, because they decide which type a name means, and what a method returns.
Arguments in parentheses and brackets are left out. A cast, `as` and a new instance are calls of the type:
"Foo<int>()".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from repo_mcp.languages.csharp.types import AWAITED
from repo_mcp.languages.treesitter.assigned_values import name_assigned

MAX_DEPTH = 4  # of parentheses around the beginning of a chain
_NAME = rb"[\w@\x80-\xff]+"
_CHAIN = re.compile(rb"%b(?:\(\)|\[\]|\.%b)*" % (_NAME, _NAME))
_KEPT = rb"(?:\x02\d+\x03)?"  # the place of type arguments
_WITH_TYPES = re.compile(rb"%b%b(?:\x00|\x01|\.%b%b)*" % (_NAME, _KEPT, _NAME, _KEPT))
_SPACE = re.compile(rb"\s+")
_ROUND = re.compile(rb"\([^()\[\]{}]*\)")
_SQUARE = re.compile(rb"\[[^()\[\]{}]*\]")
_CURLY = re.compile(rb"\{[^()\[\]{}]*\}")
_TYPE_ARGUMENTS = re.compile(rb"<[\w@\x80-\xff,.?\x00-\x03]*>")
_PLACE = re.compile(rb"\x02(\d+)\x03")
_AS = re.compile(rb".*\bas\s+([\w@.:]+(?:\s*<.*>)?)\s*\??", re.DOTALL)
_AWAIT = re.compile(rb"await\b\s*")
_NEW = re.compile(rb"new\s+(?=[\w@])")
_TYPE = re.compile(rb"[\w@.:]+(?:\s*<.*>)?\s*\??", re.DOTALL)
# after a value in parentheses, these continue with a member of it
_MEMBER = re.compile(rb"[?!\s]*(?:\.|->|\[)")
_INSTANCE = re.compile(rb"%b(?:\.%b)*%b" % (_NAME, _NAME, _KEPT))
_NUMBER = re.compile(
    rb"(0[xXbB][\da-fA-F_]+|[\d_]+(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)(ul|lu|[ulmfd])?(?!\w)", re.I
)
_KINDS_OF_NUMBER = {
    b"m": b"decimal",
    b"f": b"float",
    b"d": b"double",
    b"u": b"uint",
    b"l": b"long",
    b"ul": b"ulong",
    b"lu": b"ulong",
}
_AWAITED_END = b"." + AWAITED.encode()


def simplify(text: bytes, depth: int = 0) -> bytes:
    """Return an expression as a chain; empty when it is not one."""
    text = text.strip()
    if text[:1].isdigit():
        return _name_number(text)
    if text.isalnum() or _CHAIN.fullmatch(text):
        return text
    awaited = _AWAIT.match(text)
    if awaited is not None and awaited.end() < len(text):
        chain = simplify(text[awaited.end() :], depth)
        return chain + _AWAITED_END if chain else b""
    if text.startswith(b"("):
        return _simplify_group(text, depth) if depth < MAX_DEPTH else b""
    made = _NEW.match(text)
    if made is not None:
        return _reduce(text[made.end() :], is_new=True)
    return _reduce(text)


def _name_number(text: bytes) -> bytes:
    """Return the chain of a number with a suffix, with its members: "decimal()"."""
    found = _NUMBER.match(text)
    if found is None or text[found.end() : found.end() + 1] not in {b"", b"."}:
        return b""
    is_real = b"." in found[1] or b"e" in found[1].lower()
    kind = _KINDS_OF_NUMBER.get((found[2] or b"").lower(), b"double" if is_real else b"int") + b"()"
    tail = _reduce(b"_" + text[found.end() :])
    return kind + tail[1:] if tail else b""


def _simplify_group(text: bytes, depth: int) -> bytes:
    """Return an expression that begins with parentheses as a chain: a value or a cast, with members."""
    end = _find_end(text)
    if end < 0:
        return b""
    inner, rest = text[1:end].strip(), text[end + 1 :].strip()
    if rest and _MEMBER.match(rest) is None:
        return _name_type(inner)
    shown = _AS.fullmatch(inner)
    if shown is not None:
        head = _name_type(shown[1])
    else:
        head = simplify(name_assigned(text[: end + 1]) or inner, depth + 1)
    tail = _reduce(b"_" + rest) if rest else b"_"
    return head + tail[1:] if head and tail else b""


def _name_type(written: bytes) -> bytes:
    """Return the chain of a value with a written type; empty if the text names no type."""
    if _TYPE.fullmatch(written) is None:
        return b""
    chain = _reduce(written.rstrip(b"? \t\r\n"))
    return chain + b"()" if chain else b""


def _find_end(text: bytes) -> int:
    """Return the position of the parenthesis that closes the first one; -1 if none does."""
    depth = 0
    for found in re.finditer(rb"[()]", text):
        depth += 1 if found[0] == b"(" else -1
        if not depth:
            return found.start()
    return -1


def _reduce(text: bytes, *, is_new: bool = False) -> bytes:
    """Return names with calls and items as a chain; with `is_new`, the first one names a new instance."""
    text = _SPACE.sub(b"", text).replace(b"?.", b".").replace(b"!", b"").replace(b"?[", b"[")
    text = text.removeprefix(b"global::").replace(b"::", b".").replace(b"->", b".")
    for _ in range(6):
        shorter = _CURLY.sub(b"", _ROUND.sub(b"\x00", _SQUARE.sub(b"\x01", text)))
        if shorter == text:
            break
        text = shorter
    kept: list[bytes] = []

    def keep(found: re.Match[bytes]) -> bytes:
        kept.append(found[0])
        return b"\x02%d\x03" % (len(kept) - 1)

    if b"<" in text:
        for _ in range(4):
            text = _TYPE_ARGUMENTS.sub(keep, text)
    made = _INSTANCE.match(text) if is_new else None
    if made is not None and text[made.end() : made.end() + 1] == b"\x01":
        return b""  # an array
    if made is not None and text[made.end() : made.end() + 1] != b"\x00":
        text = made[0] + b"\x00" + text[made.end() :]
    if _WITH_TYPES.fullmatch(text) is None:
        return b""
    for _ in range(4):
        text = _PLACE.sub(lambda found: kept[int(found[1])], text)
    return text.replace(b"\x00", b"()").replace(b"\x01", b"[]")


class Segment(NamedTuple):
    """One name of a chain, "Make<Foo,int>()"; an item has the name "[]"."""

    name: str
    type_arguments: tuple[str, ...]  # as written
    is_call: bool


@lru_cache(maxsize=8_192)
def split_chain(chain: str) -> tuple[Segment, ...]:
    """Return the names of a chain."""
    return tuple(map(_read_segment, _split(chain)))


def _split(chain: str) -> list[str]:
    if "<" not in chain:
        return chain.replace("[]", ".[]").split(".")
    parts, depth, start = [], 0, 0
    for number, sign in enumerate(chain):
        depth += (sign == "<") - (sign == ">")
        if depth == 0 and (sign == "." or chain.startswith("[]", number)):
            parts.append(chain[start:number])
            start = number + (sign == ".")
    return [*parts, chain[start:]]


def _read_segment(text: str) -> Segment:
    name, _, arguments = text.removesuffix("()").partition("<")
    return Segment(name, tuple(split_types(arguments[:-1])) if arguments else (), text.endswith("()"))


def split_types(text: str) -> list[str]:
    """Return the parts of "A,B<C,D>"."""
    parts, depth, start = [], 0, 0
    for number, sign in enumerate(text):
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and not depth:
            parts.append(text[start:number].strip())
            start = number + 1
    return [*parts, text[start:].strip()]


def split_last(chain: str) -> tuple[str, str]:
    """Return a chain without its last name, and that name with its type arguments and brackets."""
    if ">" not in chain:
        before, _, last = chain.rpartition(".")
        return before, last
    parts = _split(chain)
    last = parts.pop() if parts[-1] != "[]" or len(parts) < 2 else parts[-2] + "[]"
    return chain[: -len(last)].removesuffix("."), last


def strip_types(chain: str) -> str:
    """Return a chain without type arguments."""
    if "<" not in chain:
        return chain
    kept, depth = [], 0
    for sign in chain:
        depth += sign == "<"
        if not depth:
            kept.append(sign)
        depth -= sign == ">"
    return "".join(kept)
