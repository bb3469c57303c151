"""Tell which lines of a function make errors that never leave it. Pure.

    try {
        throw new Error("no row");
    } catch (cause) {
        throw new ReadError({ cause });
    }                                           the caller only meets the ReadError

Indentation shows what a `try` encloses, in every language that people format. If the `catch` may not catch
everything, or may let out what it catches, all is taken to leave.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.body import measure_indent
from repo_mcp.bodies.statements import only_logs
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.research.errors.lines import LINE_CHARS, RAISES_WORD
from repo_mcp.research.errors.variables import CLAUSE

_SCRIPTS = frozenset({"javascript", "svelte", "typescript", "vue"})
_TRIES = re.compile(r"\s*+[})\s]*+(?:(?:try|do)\b\s*+(?:[({:]|$)|begin\s*+$)")
_CLOSES = re.compile(r"\s*+[})]++\s*+$")
_OPENS = re.compile(r"\s*+\{\s*+$")
# What stands behind the word of a clause that catches everything; group 1, 2 or 3 is the variable.
_ALL = re.compile(
    r"\s*+(?:\{|:|$)"
    r"|\s*+\((?:final\s++)?(?:\w{1,60}\.){0,6}\\?(?:Exception|Throwable)(?:\s++[&$]?+(\w++))?\s*+\)\s*+(?:\{|$)"
    r"|\s*+\(\s*+(\w++)\s*+:\s*+(?:Exception|Throwable)\s*+\)"
    r"|\s*+(?:\(?(?:Base)?Exception\b\)?|StandardError\b)?\s*+(?:as|=>)\s++(\w++)"
    r"|\s++(?:\(?(?:Base)?Exception\)?|StandardError)\s*+(?::|$)"
    r"|\s*+\(\.\.\.\)"
)
_ALL_OF_SCRIPT = re.compile(r"\s*+(?:\(\s*+([\w$]++)[^)]*+\)|\{|$)")  # `catch (cause: unknown)`
_FILTER = re.compile(r"\bwhen\b")
_RAISES_AGAIN = re.compile(r"\b(?:throw|raise|rethrow)\b\s*+(?:;|\}|$|if\b|unless\b)")

# A line that raises what a variable holds, maybe as one of two, and a call that hands it on as an error.
_RAISES_NAME = re.compile(r"(?:\b(?:throw|raise)\s+|[?:|]\s*)\$?(\w+)\s*(?:[;:?]|$|(?:as|if|unless|from)\b)")
_HANDS_ON = re.compile(
    r"(?i:reject|next|callback|cb|done|fail|error|emit|throw)\w*[!?]?\((?:[^()]{0,200}[\s,(])?\$?(\w+)\s*[,)]"
)


_Clause = tuple[str, range]  # one that catches: what stands behind its word, and the numbers of its lines


def list_caught(lines: Sequence[str], first: int, last: int, path: str) -> set[int]:
    """Return the numbers of those lines whose errors are caught below them, and go no further."""
    caught: set[int] = set()
    for at in range(first, min(last, len(lines)) + 1):
        if _TRIES.match(lines[at - 1][:LINE_CHARS]):
            end = _find_end(lines, at, last)
            clauses = _list_clauses(lines, end, last)
            if clauses and _keep_all(lines, clauses, is_script=find_language(path).name in _SCRIPTS):
                caught.update(range(at, end))
    return caught


def find_filter(lines: Sequence[str], first: int, last: int, at: int) -> str:
    """Return the innermost clause around a line that catches everything which its filter lets through.

    catch (Exception ex) when (IsExpected(ex))      most of what arises in its `try` goes no further

    Return "" if no `try` around the line has one.
    """
    found = ""
    for number in range(first, min(at, last, len(lines)) + 1):
        if not _TRIES.match(lines[number - 1][:LINE_CHARS]):
            continue
        end = _find_end(lines, number, last)
        for head, own in _list_clauses(lines, end, last) if number < at < end else ():
            caught, *filtered = _FILTER.split(head, maxsplit=1)
            if filtered and _ALL.match(f"{caught.rstrip()} {{"):
                found = lines[own[0] - 1][:LINE_CHARS].strip(" \t{}")
    return found


def _find_end(lines: Sequence[str], at: int, last: int) -> int:
    """Return the number of the first line behind the block that a line begins."""
    indent = measure_indent(lines[at - 1])
    for number in range(at + 1, min(last, len(lines)) + 1):
        line = lines[number - 1]
        is_brace = number == at + 1 and _OPENS.match(line)
        if line.strip() and measure_indent(line) <= indent and not is_brace:
            return number
    return min(last, len(lines)) + 1


def _list_clauses(lines: Sequence[str], end: int, last: int) -> list[_Clause]:
    """Return the clauses that catch what is raised in a block, which ends at a line."""
    clauses: list[_Clause] = []
    number = end
    while number <= min(last, len(lines)):
        line = lines[number - 1][:LINE_CHARS]
        found = CLAUSE.match(line)
        if found is not None:
            behind = _find_end(lines, number, last)
            clauses.append((found[1].strip(), range(number, behind)))
            number = behind
        elif _CLOSES.match(line):  # the clause stands on the next line
            number += 1
        else:
            break
    return clauses


def _keep_all(lines: Sequence[str], clauses: Sequence[_Clause], *, is_script: bool) -> bool:
    """Return True if one of some clauses catches everything, and none lets out what it catches."""
    matches = [(_ALL_OF_SCRIPT if is_script else _ALL).match(head) for head, _ in clauses]
    if not any(matches) or any(re.search(r"\b(?:when|if)\b", head) for head, _ in clauses):
        return False
    for (head, own), found in zip(clauses, matches, strict=True):
        names = [name for name in found.groups() if name] if found is not None else []
        names = names or re.findall(r"(\w+)\s*+\)?\s*+[:{]?\s*$", head)
        body = (lines[at - 1][:LINE_CHARS] for at in own[1:] or own)
        if any(_lets_out(line, names[:1]) for line in body):
            return False
    return True


def _lets_out(line: str, names: Sequence[str]) -> bool:
    """Return True for a line that raises what was caught, or hands it to something that may."""
    if only_logs(line):
        return False
    lets_out = _RAISES_NAME if RAISES_WORD.search(line) else _HANDS_ON
    found = (one[1] for one in lets_out.finditer(line))
    return _RAISES_AGAIN.search(line) is not None or not set(names).isdisjoint(found)
