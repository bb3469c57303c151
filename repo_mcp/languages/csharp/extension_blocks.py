"""Extension blocks of C# 14, written as extension methods, which the grammar knows. Lines stay as they are.

    extension<T>(List<T> all) {
        public T At(int place) => all[place];    public static T At<T>(this List<T> all, int place) => ...
        public static List<T> Make() => [];      public static List<T> Make<T>() => [];
        public int Half => all.Count / 2;        (as it is)
    }

The head of the block and its last brace become a space each. The constraints of a block are lost. A method
without a word such as `public` stays as it is, and so does everything after a block that never ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLOCK = re.compile(
    rb"""extension(?<![\w.]extension)\s*+(<[^<>(){};]{0,200}>)?\s*+
    \(((?:[^(){};]|\([^(){};]{0,200}\)){0,400})\)\s*(?:where\b[^{};]{0,400})?\{""",
    re.VERBOSE,
)
_OLD_NAME = re.compile(rb"\b(?:class|struct|record)\s+extension\b")  # refused by C# 14: its constructors
_TOKEN = re.compile(
    rb"""//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|"{3,}+[\s\S]*?(?:"{3,}|\Z)|[@$]{1,2}"(?:[^"\\]|""|\\.)*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[{}]"""
)
_METHOD = re.compile(
    rb"""(?<!\w)((?:(?:public|internal|private|static|async|unsafe|partial)\s+){1,6})
    ([\w.<>,?()[\]:\s]{1,300}?[\s>\]?)])([@\w]+)\s*+(<[^<>(){};]{0,200}>)?\s*+\((\s*\))?""",
    re.VERBOSE,
)
_RECEIVER = re.compile(rb"[^\s].*\s@?\w+\s*$", re.DOTALL)  # a type and a name; else only a type


def write_extension_methods(text: bytes) -> bytes:
    """Return the text with extension blocks written as extension methods; those without an end stay."""
    if b"extension" not in text or _OLD_NAME.search(text):
        return text
    written, start = [], 0
    for head in _BLOCK.finditer(text):
        if head.start() < start:
            continue
        end = _find_end(text, head.end())
        if end < 0:
            break
        written += [text[start : head.start()], _keep_lines(head[0])]
        written += _iter_members(text[head.end() : end], head[1] or b"", b" ".join(head[2].split()))
        written.append(b" ")
        start = end + 1
    return b"".join([*written, text[start:]])


def _find_end(text: bytes, start: int) -> int:
    """Return the place of the brace that closes the block whose content starts here; -1 if none does."""
    depth = 1
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] == b"{") - (token[0] == b"}")
        if depth == 0:
            return token.start()
    return -1


def _iter_members(content: bytes, type_parameters: bytes, receiver: bytes) -> Iterator[bytes]:
    """Yield the content of a block piece by piece, with the heads of its methods rewritten."""
    depth = start = 0
    for token in [*_TOKEN.finditer(content), None]:
        end = len(content) if token is None else token.start()
        yield (
            _write_heads(content[start:end], type_parameters, receiver) if depth == 0 else content[start:end]
        )
        if token is not None:
            yield token[0]
            depth += (token[0] == b"{") - (token[0] == b"}")
            start = token.end()


def _write_heads(code: bytes, type_parameters: bytes, receiver: bytes) -> bytes:
    def write(found: re.Match[bytes]) -> bytes:
        modifiers, result, name, generic, closing = found.groups()
        parameters = type_parameters or generic or b""
        if type_parameters and generic:
            parameters = type_parameters[:-1] + b", " + generic[1:]
        is_static = b"static" in modifiers.split() or not _RECEIVER.match(receiver)
        first = b"" if is_static else b"this " + receiver + (b", " if closing is None else b"")
        word = b"" if b"static" in modifiers.split() else b"static "
        return modifiers + word + result + name + parameters + b"(" + first + (closing or b"")

    return _METHOD.sub(write, code)


def _keep_lines(head: bytes) -> bytes:
    """Return a space and the line feeds of the head of a block."""
    return b" " + b"\n" * head.count(b"\n")
