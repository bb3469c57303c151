r"""One line of an ignore file to rules, byte by byte as Git reads it.

The syntax is that of Git's `dir.c` and `wildmatch.c`, down to what no manual says:

- a carriage return ends a line once, a NUL cuts it, and of white space only spaces are trimmed at its end
- `?` and sets match bytes, so two of them match an "é"; a set may hold escapes, ranges, classes and slashes
- what is malformed (`[a`, `a\`, `[[:x:]]`) matches nothing
- `**` is also special after a literal prefix: `a**/b` matches `ab` and `ax/y/b`. Git compares the
  beginning by itself, and reads what remains as if it were the whole pattern

A pattern for a name that is literal, or literal except for one star, is compared by `layers.py`. In any
other, the stars are found here, and pathspec decides each piece between them that has `?` or a set. It gets
one slice of the name at a time, as long as the piece, so it never backtracks. Sets are given to it in the one
spelling in which pathspec, Python and Git agree: their bytes as ranges, nothing escaped or negated.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from repo_mcp.late_patterns import compile_late
from repo_mcp.workspace.ignore.layers import NameGlob, Rule

if TYPE_CHECKING:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

MAX_PATTERN_BYTES = 1024
MAX_PIECES_WITH_SETS = 8  # most pieces with sets in one name; pathspec takes 0.1 ms to compile one

_Set = frozenset[int]  # what one item of a name matches: some bytes, never NUL or a slash
_Place = tuple[tuple[NameGlob | None, ...] | None, NameGlob]  # the `above` and the `name` of a rule
_STAR, _SLASH, _ESCAPED_SLASH = "*", "/", "\\/"
_SINGLE = tuple(frozenset((byte,)) for byte in range(256))
_PLAIN = string.ascii_letters + string.digits + "._"  # characters that need no set
_ANY = frozenset(range(1, 256)) - _SINGLE[ord("/")]
_CLASSES = {  # as in Git's own ctype, ASCII alone: first and last of each range
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "  \t\t",
    "cntrl": "\1\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "  \t\n\r\r",
    "upper": "AZ",
    "xdigit": "09AFaf",
}
_SPANS_BEHIND_TEXT = compile_late(r"([^*?\[\\]*[^*?\[\\/])\*\*+(?:/\*\*+)*(?=/|\\/|\Z)")


class HostilePattern(ValueError):
    """A pattern that is refused; the message says why."""


def parse_line(line: bytes, order: int) -> list[Rule]:
    """Return the rules of one line, numbered from `order`: two for `a**/b`, one for nearly all others.

    A blank line, a comment and a pattern that never matches have no rules. Raises `HostilePattern` for a
    pattern that is too long or has too many sets.
    """
    text = line.removesuffix(b"\r").partition(b"\0")[0].decode("latin-1")  # a character for each byte
    text = _strip_trailing_spaces(text)
    if not text or text.startswith("#"):
        return []
    if len(text) > MAX_PATTERN_BYTES:
        raise HostilePattern(f"it is longer than {MAX_PATTERN_BYTES} bytes")
    negated = text.startswith("!")
    pattern = text.removeprefix("!")
    only_directories = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    found = _find_components(pattern)
    return [
        Rule(order + at, name, above, negated, only_directories) for at, (above, name) in enumerate(found)
    ]


def encode_name(name: str) -> bytes:
    """Return the bytes of a name as Git has them. On Windows, a name may hold half a pair of surrogates."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


def _find_components(pattern: str) -> list[_Place]:
    """Return the patterns that a pattern stands for: each as the directories above the name, and the name."""
    if "/" not in pattern:
        items = _read_items(pattern)
        return [(None, _build_name_glob(items))] if items else []
    places: list[_Place] = []
    for one in _spell_out(pattern.removeprefix("/")):
        items = _read_items(one)
        components = _split_at_slashes(items) if items else None
        if components is not None:
            *above, name = [None if one is None else _build_name_glob(one) for one in components]
            assert name is not None
            places.append((None if above == [None] else tuple(above), name))
    return places


def _spell_out(pattern: str) -> list[str]:
    """Return patterns without `**` after a literal prefix that together match what this one matches."""
    found = _SPANS_BEHIND_TEXT.match(pattern)
    if found is None:
        return [pattern]
    beginning, rest = found[1], pattern[found.end() :]
    if rest.startswith("\\"):
        return [f"{beginning}*/**{rest[1:]}"]
    return [beginning + (rest[1:] if rest else "*"), f"{beginning}*/**{rest}"]


def _strip_trailing_spaces(line: str) -> str:
    """Return the line without trailing spaces; a backslash may preserve the first of them."""
    stripped = line.rstrip(" ")
    escaped = (len(stripped) - len(stripped.rstrip("\\"))) % 2 == 1
    return stripped + " " if escaped and len(stripped) < len(line) else stripped


def _read_items(pattern: str) -> list[_Set | str] | None:
    """Return the sets, stars and slashes of a pattern; None if it is malformed or has an empty set."""
    items: list[_Set | str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "[":
            members, at = _read_set(pattern, at)
            if not members:
                return None
            items.append(members)
        elif char == "\\":
            if at == len(pattern):
                return None
            items.append(_ESCAPED_SLASH if pattern[at] == "/" else _SINGLE[ord(pattern[at])])
            at += 1
        elif char == "?":
            items.append(_ANY)
        else:
            items.append(char if char in "*/" else _SINGLE[ord(char)])
    return items


def _read_set(pattern: str, start: int) -> tuple[_Set, int]:
    """Return the bytes of the set whose bracket ends at `start`, and where it ends; no bytes if malformed."""
    negated = pattern.startswith(("!", "^"), start)
    first = at = start + negated
    members: set[int] = set()
    previous = -1  # the byte that a range would begin with
    while at == first or not pattern.startswith("]", at):
        named = _read_class(pattern, at)
        if named is not None:
            members |= named[0]
            previous, at = -1, named[1]
            continue
        is_range = previous >= 0 and pattern.startswith("-", at) and not pattern.startswith("]", at + 1)
        at += is_range
        at += pattern.startswith("\\", at)
        if at >= len(pattern):
            return frozenset(), at
        byte = ord(pattern[at])
        members.update(range(previous, byte + 1) if is_range else (byte,))
        previous = -1 if is_range else byte
        at += 1
    return (_ANY - members if negated else _ANY & members), at + 1


def _read_class(pattern: str, at: int) -> tuple[_Set, int] | None:
    """Return the bytes of a class such as `[:alpha:]` and where it ends; None if there is none at `at`.

    A class that does not exist has no bytes and extends to the end of the pattern, which makes it malformed.
    """
    end = pattern.find("]", at) if pattern.startswith("[:", at) else -1
    if end < at + 3 or pattern[end - 1] != ":":
        return None
    ends = _CLASSES.get(pattern[at + 2 : end - 1])
    if ends is None:
        return frozenset(), len(pattern)
    ranges = zip(ends[::2], ends[1::2], strict=True)
    return frozenset(byte for first, last in ranges for byte in range(ord(first), ord(last) + 1)), end + 1


def _split_at_slashes(items: Sequence[_Set | str]) -> list[list[_Set | str] | None] | None:
    """Return the items of each component, None for `**`; None for all if one of them is empty.

    A final `**` is followed by the `*` that it implies. Before an escaped slash `**` matches one component
    at least.
    """
    components: list[list[_Set | str] | None] = []
    component: list[_Set | str] = []
    for item in [*items, ""]:
        if item not in (_SLASH, _ESCAPED_SLASH, ""):
            component.append(item)
            continue
        if not component:
            return None
        spans = len(component) > 1 and all(one == _STAR for one in component)
        if not spans:
            components.append(component)
        else:
            if not components or components[-1] is not None:
                components.append(None)
            if item != _SLASH:
                components.append([_STAR])
        component = []
    return components


def _build_name_glob(items: Sequence[_Set | str]) -> NameGlob:
    """Return the glob of one component. Raises `HostilePattern` for one with too many sets."""
    pieces: list[list[_Set]] = [[]]
    for item in items:
        if not isinstance(item, str):
            pieces[-1].append(item)
        elif len(pieces) == 1 or pieces[-1]:
            pieces.append([])
    literals = [_join_literal(piece) for piece in pieces]
    names = [literal if literal is None else _decode(literal) for literal in literals]
    if len(pieces) == 1 and literals[0] is not None:
        return NameGlob(literal=literals[0].encode("latin-1").decode("utf-8", "surrogateescape"))
    if len(pieces) == 2 and names[0] is not None and names[1] is not None:
        return NameGlob(prefix=names[0], suffix=names[1])
    if literals.count(None) > MAX_PIECES_WITH_SETS:
        raise HostilePattern(f"it has more than {MAX_PIECES_WITH_SETS} pieces with ? or a set between stars")
    runs = [_decode(run) or "" for piece in pieces for run in _find_literal_runs(piece)]
    matcher = _Pieces(
        [
            _Literal(one) if one is not None else _Sets(piece)
            for one, piece in zip(literals, pieces, strict=True)
        ]
    )
    return NameGlob(matcher=matcher, fragment=max(runs, key=len, default=""))


def _join_literal(piece: Sequence[_Set]) -> str | None:
    """Return the only text that a piece matches, a character for each byte; None if it matches several."""
    return None if any(len(one) > 1 for one in piece) else "".join(chr(byte) for one in piece for byte in one)


def _find_literal_runs(piece: Sequence[_Set]) -> list[str]:
    """Return the longest texts without sets in a piece, a character for each byte."""
    return [
        _join_literal(list(run)) or "" for single, run in groupby(piece, lambda one: len(one) == 1) if single
    ]


def _decode(text: str) -> str | None:
    """Return the text whose bytes are the characters of this one; None if it is not UTF-8."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return None


class _Pieces:
    """The pieces between stars, found from left to right, each as early as it can be."""

    __slots__ = ("_pieces", "_width")

    def __init__(self, pieces: Sequence[_Literal | _Sets]) -> None:
        self._pieces = pieces
        self._width = sum(piece.width for piece in pieces)

    def match(self, name: str) -> bool:
        """Return True when the whole name matches. At most one look at each of its bytes finds a piece."""
        text = name if name.isascii() else encode_name(name).decode("latin-1")
        first, last = self._pieces[0], self._pieces[-1]
        if len(self._pieces) == 1:
            return len(text) == self._width and first.find(text, 0, len(text)) == 0
        end = len(text) - last.width
        if (
            len(text) < self._width
            or first.find(text, 0, first.width) < 0
            or last.find(text, end, len(text)) < 0
        ):
            return False
        at = first.width
        for piece in self._pieces[1:-1]:
            at = piece.find(text, at, end)
            if at < 0:
                return False
            at += piece.width
        return True


class _Literal:
    __slots__ = ("_text", "width")

    def __init__(self, text: str) -> None:
        self._text = text
        self.width = len(text)

    def find(self, text: str, start: int, end: int) -> int:
        return text.find(self._text, start, end)


class _Sets:
    """A piece with sets, decided by pathspec, which is loaded once a name may have such a piece."""

    __slots__ = ("_pattern", "_written", "width")

    def __init__(self, piece: Sequence[_Set]) -> None:
        # The slash anchors it, so that no first byte is read as a comment or negation.
        self._written = "/" + "".join(map(_render_set, piece))
        self._pattern: GitIgnoreSpecPattern | None = None
        self.width = len(piece)

    def find(self, text: str, start: int, end: int) -> int:
        if start > end - self.width:
            return -1
        pattern = self._pattern
        if pattern is None:
            from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # 81 modules

            pattern = self._pattern = GitIgnoreSpecPattern(self._written)
        for at in range(start, end - self.width + 1):
            if pattern.match_file(text[at : at + self.width]) is not None:
                return at
        return -1


def _render_set(members: _Set) -> str:
    """Return the set for pathspec, in the only spelling that needs no escape and is not a negation.

    First a bracket or a NUL, which no name has, then the ranges, then the minus.
    """
    if members == _ANY:
        return "?"
    byte = min(members)
    if len(members) == 1 and chr(byte) in _PLAIN:
        return chr(byte)
    written = "]" if ord("]") in members else "\0"
    for low, high in _find_ranges(members - {ord("]"), ord("-")}):
        written += chr(low) if low == high else f"{chr(low)}-{chr(high)}"
    return f"[{written}{'-' if ord('-') in members else ''}]"


def _find_ranges(members: _Set) -> list[tuple[int, int]]:
    """Return the first and last of each run of bytes."""
    ordered = sorted(members)
    starts = [byte for byte in ordered if byte - 1 not in members]
    ends = [byte for byte in ordered if byte + 1 not in members]
    return list(zip(starts, ends, strict=True))
