"""Find the lines of a file that do the same several times, as a table, a switch or a list of calls does.

    register(deflate, "deflate")        case "first-child":         { .name = "bell-action", ... },
    register(inflate, "inflate")        case "last-child":          { .name = "bell-text", ... },

One line says what it does by how it begins, and lines of one kind have one indentation. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set

from repo_mcp.bodies.body import measure_indent
from repo_mcp.record_classes import dataclass

LEAST_ENTRIES, LEAST_CASES, LEAST_CALLS = 5, 4, 3
MOST_BETWEEN, MOST_LONG = 8, 16  # lines from one entry to the next, and of one in brackets or a call
LINE_CHARS = 300  # of a line that is looked at
CASES, TEXTS, BRACES = "case", "entry text", "entry brace"  # kinds of lines
EXPORTED, IMPORTED = "export", "import"
CALL = "call "  # before the name of what a line calls
_CASE = re.compile(r"\s*+(?:case\b|when\b|[\"'][^\"'\n]{1,80}[\"']\s*+=>)")
_EXPORT = re.compile(r"\s*+(?:export\s++(?:\*|\{[^{}]{0,200}\}|type\s*+\{)|autoload\b|pub\s++(?:mod|use)\b)")
_IMPORT = re.compile(r"\s*+from\s++\.")
_CALL = re.compile(r"\s*+(?:new\s++)?((?:\.|::|->)?[\w$]++(?:(?:\.|::|->)[\w$]++)*)!?(?:<[^<>()]{0,80}>)?\(")
_NO_CALLS = frozenset(
    """
    assert catch check elif for foreach function if include isinstance len log print printf range require
    return sizeof super switch test throw typeof while with
    """.split()  # noqa: SIM905
)
_ENTRY = re.compile(
    r"\s*+(?:(?P<text>[\"'][^\"'\n]{1,80}[\"'])\s*+(?::|=>)"
    r"|(?P<item>[\"'][^\"'\n]{1,80}[\"'])\s*+(?:,|$)|(?P<union>\|\s*+[\"'\w])"
    r"|(?P<brace>[{(\[]\s*+&?+\[?+\s*+(?:\.\w++\s*+=|[\"'\w]))|(?P<address>&\w++\s*+,)"
    r"|(?P<key>[\w.\[\]]++\s*+:\s*+[^\s:=]))"
)
_NAME_ENTRY = re.compile(r"\s*+[A-Za-z_][\w.]*+(?:\(\))?\s*+,\s*+(?:(?://|#|/\*).*)?$")
_GOES_ON = (",", "(", "{", "[")  # end a line with the key of an entry


@dataclass(frozen=True, slots=True)
class Run:
    """Lines of one indentation that begin alike."""

    kind: str  # "case", "export", "entry", or the function that they call
    lines: Sequence[int]  # the first line of each entry, ascending
    is_call: bool = False


def find_runs(lines: Sequence[str], comment_lines: Set[int]) -> list[Run]:
    """Return the runs of at least LEAST_ENTRIES entries, LEAST_CASES cases, or LEAST_CALLS calls alike."""
    held: dict[tuple[str, int], list[int]] = defaultdict(list)
    for at, line in enumerate(lines, 1):
        kind = "" if at in comment_lines else read_kind(line)
        if kind:
            indent = 0 if kind.startswith(CALL) else measure_indent(line)
            held[kind, indent].append(at)
    runs = []
    for (kind, _), numbers in held.items():
        is_call = kind.startswith(CALL)
        least = LEAST_CALLS if is_call else LEAST_CASES if kind == CASES else LEAST_ENTRIES
        most = MOST_LONG if is_call or kind == BRACES else MOST_BETWEEN
        runs += [
            Run(kind.removeprefix(CALL), own, is_call) for own in _cut(numbers, most) if len(own) >= least
        ]
    return runs


def _cut(numbers: Sequence[int], most: int) -> list[list[int]]:
    runs: list[list[int]] = []
    for at in numbers:
        if runs and at - runs[-1][-1] <= most:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def read_kind(line: str) -> str:
    """Return what a line begins: a case, an export, a call with its function, or an entry; "" for others."""
    line = line[:LINE_CHARS]
    if _CASE.match(line):
        return CASES
    if _EXPORT.match(line):
        return EXPORTED
    if _IMPORT.match(line):
        return IMPORTED
    call = _CALL.match(line)
    if call is not None:
        name = call[1].lstrip(".")
        return "" if name.rpartition(".")[2] in _NO_CALLS else f"{CALL}{name}"
    entry = _ENTRY.match(line)
    if entry is None:
        return "entry name" if _NAME_ENTRY.match(line) else ""
    is_field = entry.lastgroup == "key" and not line.rstrip().endswith(_GOES_ON)
    return "" if is_field else f"entry {entry.lastgroup}"
