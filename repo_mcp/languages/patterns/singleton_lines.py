"""Finds the lines of Ruby in which `def name` declares a method of a class itself: of `class << self`."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.late_patterns import compile_late

# The head of a class or a module, or of `class << self`; and an `end` on the same line, not in a comment.
_HEAD = compile_late(rb"([ \t]*)(?:class|module)\b[ \t]*(<<[ \t]*self\b)?")
_END = compile_late(rb"[^#]*\bend\b")


def list_singleton_lines(lines: Sequence[bytes]) -> frozenset[int]:
    """Return the lines, from 0, whose innermost class or module is a `class << self`."""
    found = []
    around: list[tuple[bytes, bool]] = []  # the last line that each waits for, and whether it is such a block
    for number, line in enumerate(lines):
        if around and line.startswith(around[-1][0]):
            around.pop()
        if around and around[-1][1]:
            found.append(number)
        head = _HEAD.match(line)
        if head is not None and not _END.match(line):
            around.append((head[1] + b"end", head[2] is not None))
    return frozenset(found)
