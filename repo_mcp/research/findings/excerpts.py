"""Quote live text: the excerpt of each finding, unless its lines have changed since they were parsed.

Each line is quoted once where a function is declared inside another one, and both are found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.body import cut_margin, find_margin, says_nothing
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_decorator
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.source import Source
from repo_mcp.titled_names import is_titled, read_title

FLAG_PREFIX = "FLAGS_"  # of the variable that a macro of C++ declares for a flag
MAX_LINE_CHARS = 140  # of one line of an excerpt
MAX_LINES = 3  # of an excerpt whose lines were not chosen before
# Before a value that the symbol record calls as its file, or `default`
_EXPORTING = re.compile(r"\s*(?:module\.exports\b.*=|export\s+default\b)")
GAP = "…\n"  # stands for lines that are left out


def add_excerpts(
    source: Source, findings: Sequence[Finding], *, only_uses: bool = False
) -> tuple[list[Finding], int]:
    """Return the findings with their excerpts, and the number of findings that were left out.

    With `only_uses`, what uses a subject is quoted by its uses alone: its name and place say where they are.
    """
    shown = [_add_excerpt(source, one, only_uses=only_uses) for one in show_once(findings)]
    kept = [one for one in shown if one is not None]
    return kept, len(shown) - len(kept)


def _add_excerpt(source: Source, finding: Finding, *, only_uses: bool) -> Finding | None:
    """Return a finding with its excerpt; None if its lines no longer hold its name.

    Then the file has changed since it was parsed.
    """
    lines = source.read_lines(finding.path)
    if finding.start_line > len(lines):
        return None if lines or finding.name else finding
    end = min(finding.end_line, len(lines))
    head = find_name(lines, finding.name, finding.start_line, end)
    if head is None:
        return None
    if finding.shown:
        shown = [line for line in finding.shown if line <= len(lines)]
        return replace(finding, end_line=end, excerpt=render_excerpt(lines, shown))
    uses = {line for line in finding.lines if line <= len(lines)}
    wanted = uses if only_uses and finding.hop and uses else {head, *uses}
    return replace(finding, end_line=end, excerpt=render_excerpt(lines, sorted(wanted)[:MAX_LINES]))


def find_name(lines: Sequence[str], name: str, start: int, end: int) -> int | None:
    """Return the first line that holds a name, preferring a whole word outside of decorators.

    Without a name, return the first line that is not blank. An unnamed class is called `new Base`, and its
    base may be written `Outer.Base`. What `module.exports = ` gives may be called as its file. A macro that
    declares a flag has the name without FLAG_PREFIX. Of a function with a title, the line of that is
    meant.
    """
    if is_titled(name):
        return next((one for one in range(start, end + 1) if read_title(name) in lines[one - 1]), start)
    name = name.rpartition(" ")[2].removeprefix(FLAG_PREFIX)
    if any(map(_EXPORTING.match, lines[start - 1 : start])):  # it may be gone
        return start
    if not name:
        return next((number for number in range(start, end + 1) if lines[number - 1].strip()), start)
    first = None
    for number in range(start, end + 1):
        line = lines[number - 1]
        if name in line:
            first = first or number
            if not is_decorator(lines, number) and _holds_word(line, name):
                return number
    return first


def _holds_word(line: str, name: str) -> bool:
    """Return True when a line holds a name with no letter, digit or underscore next to it."""
    at = line.find(name)
    while at >= 0:
        around = line[at - 1 : at] + line[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = line.find(name, at + 1)
    return False


def render_excerpt(lines: Sequence[str], numbers: Sequence[int]) -> str:
    """Return the given lines, each with its number, without the indentation that they share.

    GAP stands for missing lines unless they say nothing.
    """
    margin = find_margin([lines[number - 1] for number in numbers])
    parts: list[str] = []
    before = 0
    for number in numbers:
        if before and not all(map(says_nothing, lines[before : number - 1])):
            parts.append(GAP)
        text = cut_margin(lines[number - 1].rstrip(), margin)
        text = text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + "…"
        parts.append(f"{number}\t{text}\n")
        before = number
    return "".join(parts)


def show_once(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, without the chosen lines that two of them show, one of which contains the other.

    What was found by its text is left out if another finding of its symbol shows it. If the outer one shows
    all lines of the inner one, only the first is left to this. Otherwise, the inner one has them, and the
    outer one the first.
    """
    kept = [one for one in findings if not _is_repeated(one, findings)]
    of_file: dict[str, list[int]] = {}
    for at, one in enumerate(kept):
        if one.shown:
            of_file.setdefault(one.path, []).append(at)
    for own in of_file.values():
        for outer in own:
            for inner in own:
                if _contains(kept[outer], kept[inner]):
                    kept[outer], kept[inner] = _divide(kept[outer], kept[inner])
    return kept


def _is_repeated(line: Finding, findings: Sequence[Finding]) -> bool:
    """Return True for lines found by their text that another finding of what is around them shows."""
    own = set(line.shown or line.lines)
    if line.confidence != "text" or line.node is None or not own:
        return False
    beside = (one for one in findings if one.node == line.node and _contains(one, line))
    return any(own.issubset(one.shown) for one in beside)


def _contains(outer: Finding, inner: Finding) -> bool:
    size = outer.end_line - outer.start_line
    return (
        outer.start_line <= inner.start_line
        and inner.end_line <= outer.end_line
        and inner.end_line - inner.start_line < size
    )


def _divide(outer: Finding, inner: Finding) -> tuple[Finding, Finding]:
    """Return both findings, each line of the inner one but its first with one of them."""
    first, *rest = inner.shown
    if not rest or set(rest).isdisjoint(outer.shown):
        return outer, inner
    if set(rest) <= set(outer.shown):
        return outer, replace(inner, shown=(first,))
    return replace(outer, shown=tuple(at for at in outer.shown if at not in rest)), inner
