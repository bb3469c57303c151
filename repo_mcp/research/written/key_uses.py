"""Tell what code does with a text in quotes: it gives the text a function, decides by it, or only has it.

    router.post("parcels.send", check(), async (ctx) => {     given a function, to the line that closes it
    case "parcels.send":                                      decides by it, to the next `case` with lines
    names = ["parcels.send", "parcels.drop"]                  only has it

Pure. Indentation shows where a block ends, in every language that people format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.body import measure_indent, says_nothing
from repo_mcp.bodies.statements import is_branch
from repo_mcp.research.errors.branches import READ_CHARS
from repo_mcp.research.findings.handed_on import KeyUse, UsedKey
from repo_mcp.research.findings.open_brackets import QUOTED, find_closing

MOST_BLOCK_LINES = 400  # of a call or a branch; a longer one is cut
MOST_ARGUMENT_LINES = 60  # of a call, read for a function among its arguments
MOST_NAMES = 8  # among the arguments: a function is one of the first
HEAD_LINES = 8  # above a text, in which the call that takes it may begin
_IMPORTS = re.compile(
    r"\s*(?:(?:import|use)\s|(?:require(?:_relative|_once)?|#?include(?:_once)?)\b)"
    r"|.*\b(?:(?:require|import)\(|from)\s*$"
)
_ADORNS = re.compile(r"\s*(?:@|#\[|\[(?=\w+\())([\w.]+)\(.*")  # a decorator, an annotation or an attribute
_CALLED = re.compile(r"([\w$.>:-]*[\w$])!?(?:<[^<>()]{0,80}>)?$")  # before the bracket of a call
_NO_CALLS = frozenset(
    {"if", "elif", "while", "switch", "case", "return", "catch", "when", "not", "in", "and", "or"}
)
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b)")
_FUNCTION = re.compile(
    r"=>|\bfunction\b|\blambda\b|\bdef\b|\bfunc\s*\(|\bfn\b|\bdo\b|->\s*\{|[({,]\s*+\{?\s*\|[\w\s,&:]*\||\)\s*\{"
)
# A block behind the brackets of a call, or behind a call without any: `get "key" do |row|`, `get("key") {`
_TRAILING = re.compile(
    r"\)?\s*(?:,\s*\w[^{}]*)?(?:\{|\bdo\b)(?:\s*(?:\|[^|]*\||[\w, ]{1,80}->|[\w, ]{1,80} in))?\s*$"
)
_ARM = re.compile(r"\s*(?:=>|->)")  # behind a text that begins an arm of a `match`
_NAMED = re.compile(r"(?<![\w.\"'`])(?:[\w$]+\.)*([A-Za-z_$][\w$]*)(?=\s*[,)]|\s*$)")  # alone, an argument
_DECIDES = re.compile(r"(?:\bcase|\bwhen|[=!]==?|\beq\b|\bequals\(|\bIs\b)\s*+\(?\s*$")


def is_imported(line: str, column: int) -> bool:
    """Return True for a text that names a module: `import { a } from "./lib/a.js"`.

    Left out are paths in the brackets of an `import` of Go: as keys they tell which files use a package.
    """
    return _IMPORTS.match(line[:column]) is not None


def read_use(lines: Sequence[str], at: int, column: int, length: int) -> UsedKey:
    """Return what code does with the text of `length` characters that begins at a column of a line."""
    end = column + length
    before, behind = lines[at - 1][:column][-READ_CHARS:], lines[at - 1][end : end + READ_CHARS]
    adorned = _ADORNS.match(before)
    if adorned is not None:
        return UsedKey(KeyUse.GIVEN, at, at, f"@{adorned[1]}")
    is_arm = not before.strip() and _ARM.match(behind) is not None
    if is_arm or is_branch(lines[at - 1][:READ_CHARS]) or _DECIDES.search(before):
        return UsedKey(KeyUse.DECIDES, at, _end_branch(lines, at))
    first, called = _find_call(lines, at, column)
    has_block = _TRAILING.match(behind) is not None
    called = called or (_read_called(before) if has_block else "")
    if not called:
        return UsedKey(KeyUse.HAS, at, at)
    last = _end_block(lines, first)
    given = "" if has_block else _read_arguments(lines, at, end, last)
    if has_block or _FUNCTION.search(given):
        return UsedKey(KeyUse.GIVEN, first, last, called)
    last = last if last - first < HEAD_LINES else first
    return UsedKey(KeyUse.HAS, first, last, called, tuple(dict.fromkeys(_NAMED.findall(given)))[:MOST_NAMES])


def _find_call(lines: Sequence[str], at: int, column: int) -> tuple[int, str]:
    """Return the line of the call whose first argument is a text, and what it calls; "" if there is none."""
    first = at
    if not lines[at - 1][:column].strip():
        above = range(at - 1, max(0, at - 1 - HEAD_LINES), -1)
        first = next((one for one in above if lines[one - 1].strip()), at)
    before = lines[first - 1][: column if first == at else None].rstrip()[-READ_CHARS:]
    called = _read_called(before[:-1]) if before.endswith("(") else ""
    return first, called


def _read_called(text: str) -> str:
    found = _CALLED.search(text.rstrip())
    return "" if found is None or found[1] in _NO_CALLS else found[1]


def _read_arguments(lines: Sequence[str], at: int, column: int, last: int) -> str:
    """Return the text behind the first argument of a call, without texts in quotes, up to its bracket."""
    end = min(last, at + MOST_ARGUMENT_LINES)
    read = (line[:READ_CHARS] for line in (lines[at - 1][column:], *lines[at:end]))
    text = "(" + QUOTED.sub('""', "\n".join(read))
    return text[1 : find_closing(text, 0)]


def _end_block(lines: Sequence[str], first: int) -> int:
    """Return the last line of what begins on a line: it ends where what is indented ends, or is closed."""
    indent, last = measure_indent(lines[first - 1]), first
    for at in range(first + 1, min(len(lines), first + MOST_BLOCK_LINES) + 1):
        line = lines[at - 1]
        if not line.strip():
            continue
        if measure_indent(line) <= indent:
            return at if measure_indent(line) == indent and _CLOSES.match(line) else last
        last = at
    return last


def _end_branch(lines: Sequence[str], at: int) -> int:
    """Return the last line of a branch; of a `case` without lines, that of the next one that has some."""
    indent, last = measure_indent(lines[at - 1]), at
    for below in range(at + 1, min(len(lines), at + MOST_BLOCK_LINES) + 1):
        line = lines[below - 1]
        if not line.strip():
            continue
        goes_on = last == below - 1 and is_branch(lines[last - 1]) and is_branch(line)
        if measure_indent(line) < indent or (measure_indent(line) == indent and not goes_on):
            return last
        last = last if says_nothing(line) else below
    return last
