"""Finds the types that declarations belong to though they stand outside them.

These are the type that an `impl` of Rust is for, the receiver of a method of Go, and the classes before `::`
in a definition of C++. Read by line patterns; a head that is written in another way gives no owner. Each
line is looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.late_patterns import compile_late

MAX_HEAD_LINES = 30  # of an `impl`, up to its brace
MAX_HEAD_BYTES = 2_000
MAX_CLASSES_BYTES = 200  # before a name in C++

_NAMING_CLASSES = frozenset({"c", "cpp"})  # headers of C++ are read as C
_ENDS_OF_CLASSES = (b":", b"~")  # right before the name of a member

_IMPL = compile_late(rb"[ \t]*(?:default[ \t]+)?(?:unsafe[ \t]+)?impl\b")
_WHERE = compile_late(rb"\bwhere\b")
_FOR = compile_late(rb"\bfor\b(?![ \t]*<)")  # not the `for<'a>` of a bound
_PATH = compile_late(rb"(?:&|\*const\b|'\w+|mut\b|dyn\b|[ \t]){0,20}(?:\w+[ \t]*::[ \t]*){0,20}(\w+)")
_RECEIVER = compile_late(rb"func[ \t]*\([^)\n]*?\b(\w+)[ \t]*+(?:\[[^\]\n]*\][ \t]*)?\)[ \t]*$")
_ARGUMENTS_OF_CLASS = rb"<[^<>\n]{0,60}(?:<[^<>\n]{0,60}>[^<>\n]{0,60}){0,3}>"
_CLASSES = compile_late(rb"((?:[A-Za-z_]\w*(?:%b)?[ \t]*::[ \t]*){1,4})~?$" % _ARGUMENTS_OF_CLASS)
_ARGUMENTS = compile_late(_ARGUMENTS_OF_CLASS)


class Owners:
    """The owners of the declarations of one text.

    In Rust all declarations inside an `impl` have its type, those in functions as well: see `join_owner`.
    """

    def __init__(self, language: str, lines: Sequence[bytes]) -> None:
        self._language = language
        self._implemented = _list_implemented(lines) if language == "rust" else []

    def find_at(self, line: int, text: bytes, start: int) -> str:
        """Return the owner of what is declared in `line`, from 0, given where in the text its name begins.

        In C, the line is cut out of the text only if a class may stand before the name.
        """
        if self._language in _NAMING_CLASSES and text[start - 1 : start] not in _ENDS_OF_CLASSES:
            return ""
        return self.find(line, text[text.rfind(b"\n", 0, start) + 1 : start])

    def find(self, line: int, before: bytes) -> str:
        """Return the owner of what is declared in `line`, from 0, whose name `before` precedes; "" for none.

        The qualified name of the owner is relative to the declarations that enclose the line.
        """
        if self._language == "rust":
            return self._implemented[line]
        if self._language == "go":
            found = _RECEIVER.match(before)
            return found[1].decode() if found else ""
        if self._language in _NAMING_CLASSES and before.endswith(_ENDS_OF_CLASSES):
            found = _CLASSES.search(before[-MAX_CLASSES_BYTES:])
            classes = _ARGUMENTS.sub(b"", found[1]).split(b"::") if found else []
            return ".".join(one.strip().decode() for one in classes if one.strip())
        return ""


def join_owner(around: str, owner: str, owner_around: str) -> str:
    """Return the qualified name of what encloses a declaration, with its own owner unless that is outside.

    `owner_around` is the owner of the declaration around it, whose qualified name is `around`.
    """
    return ".".join(filter(None, (around, owner if owner != owner_around else "")))


def _list_implemented(lines: Sequence[bytes]) -> list[str]:
    """Return for each line the type of the innermost `impl` around it; a brace below `impl` ends one."""
    implemented = []
    open_blocks: list[tuple[bytes, str]] = []  # the end that each waits for, and its type
    for number, line in enumerate(lines):
        if open_blocks and line.startswith(open_blocks[-1][0]):
            open_blocks.pop()
        implemented.append(open_blocks[-1][1] if open_blocks else "")
        head, is_open = read_head(lines, number)
        if is_open:
            owner = _name_type(head)
            if owner:
                open_blocks.append((line[: len(line) - len(line.lstrip())] + b"}", owner))
    return implemented


def read_head(lines: Sequence[bytes], first: int) -> tuple[bytes, bool]:
    """Return the head of an `impl` without its brace and `where`, and whether its block goes on below it.

    The head is empty if none begins in the line.
    """
    if b"impl" not in lines[first] or not _IMPL.match(lines[first]):
        return b"", False
    head = b""
    for line in lines[first : first + MAX_HEAD_LINES]:
        head += line[: MAX_HEAD_BYTES - len(head)] + b" "
        if b"{" in line:
            head, _, body = head.partition(b"{")
            return _WHERE.split(head, maxsplit=1)[0], not body.rstrip().endswith(b"}")
        if line.rstrip().endswith(b";"):
            return b"", False
    return b"", False


def cut_parameters(head: bytes) -> bytes:
    """Return what the head of an `impl` says after the word and its type parameters: `Draw for Pair<T>`."""
    head = _IMPL.sub(b"", head, count=1)
    return head[_skip_brackets(head) :] if head.startswith(b"<") else head


def _name_type(head: bytes) -> str:
    """Return the last name of the type that an `impl` is for; "" for one without a name, such as a tuple."""
    bound = _FOR.split(cut_parameters(head))
    found = _PATH.match(bound[-1])
    return found[1].decode() if found else ""


def _skip_brackets(text: bytes) -> int:
    """Return where the angle brackets end that a text begins with; `->` closes none."""
    depth = 0
    for place, byte in enumerate(text):
        depth += (byte == ord("<")) - (byte == ord(">") and text[place - 1] != ord("-"))
        if depth == 0:
            return place + 1
    return len(text)
