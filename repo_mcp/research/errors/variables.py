"""Follow a variable with errors between the lines that raise it and those that say what it holds. Pure.

catch (LockedException ex) {      GateException last = null;      var refusal = new LockedException(name);
    throw ex;                     ...                             ...
}                                 throw last;                     throw refusal;
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from repo_mcp.bodies.body import iter_enclosing
from repo_mcp.research.errors.lines import LINE_CHARS, RAISES
from repo_mcp.research.question.error_types import is_error_name

LINES_ABOVE = 200  # of one that raises a variable, in which that is set or declared
MOST_LISTS, MOST_ADDED = 4, 400  # of errors, in one function, and lines that put something there
LINES_BELOW = 12  # of one that makes an error, in which a variable with it is raised
# A line that raises a variable, or what was caught around it.
_RAISES_HELD = re.compile(
    rf"\s*+(?:return\s++)?(?:{RAISES})\s*+([A-Za-z_]\w*+)\s*+(?:\)*+;?\s*+$|;|from\b)"
    r"|\s*+(?:raise|throw|rethrow)\s*+(?:;|$)"
)
_SETS = r"(?<![\w.]){0}\s*(?::[^=]{{1,60}})?:?=(?![=>])[^=]*"  # a line that gives a variable a value
_HOLDS = re.compile(_SETS.format(r"([A-Za-z_$][\w$]*)") + "$")  # what stands before that value
_FILTER = re.compile(
    r"\b(?:when|if)\b.*"
)  # behind what a clause catches: `catch (IOException ex) when (Ready())`
CLAUSE = re.compile(r"\s*+[})\s]*+(?:catch|except|rescue)\b(.*)")  # group 1 is behind its word
_TYPE = re.compile(r"\b(?:[A-Za-z_]\w*(?:\.|::))*([A-Z]\w*)\b")  # the last part of its name
# A line that puts something into a list: group 1 is the list, 2 an error that is made there, 3 a variable.
_ADDS = re.compile(
    r"(?<![\w.])(\w+)\.(?:[Aa]dd|append|push|push_back)\(\s*"
    r"(?:(?:new\s+)?[\w.:]{0,80}(Error|Exception)\w*[<({]|(\w+)\s*\))"
)
_NAMED_TYPE = re.compile(r"(?<![\w$])([A-Z]\w*(?:Error|Exception))(?![\w$])")
_MADE_BY = re.compile(r"\bnew\s+([a-z_$][\w$]*)\s*\(")
SETTING_LINES = 3  # of a statement that makes what is raised
_ANY = frozenset({"Exception", "Throwable", "BaseException", "StandardError", "Error"})  # says nothing


def name_held(lines: Sequence[str], first: int, at: int) -> list[str]:
    """Return the names of the errors that a line of a function raises without making one."""
    raised = _RAISES_HELD.match(lines[at - 1][:LINE_CHARS])
    if raised is None:
        return []
    first = max(first, at - LINES_ABOVE)
    clause = _find_clause(lines, first, at)
    if clause and (raised[1] is None or re.search(rf"\b{re.escape(raised[1])}\b", clause)):
        found = [name for name in _TYPE.findall(clause) if name != raised[1]]
    else:
        found = _list_declared(lines[first - 1 : at - 1], raised[1]) if raised[1] else []
    return [name for name in dict.fromkeys(found) if name not in _ANY]


def name_made_by_variable(lines: Sequence[str], first: int, at: int) -> list[str]:
    """Return the error that a line raises which a variable made that holds its type.

    const kind = options.kind ?? LockedError      const error = new kind(row)      throw error
    """
    raised = _RAISES_HELD.match(lines[at - 1][:LINE_CHARS])
    made = find_set(lines, max(first, at - LINES_ABOVE), at, raised[1]) if raised and raised[1] else 0
    statement = "\n".join(line[:LINE_CHARS] for line in lines[made - 1 : made - 1 + SETTING_LINES])
    by = _MADE_BY.search(statement) if made else None
    given = find_set(lines, max(first, made - LINES_ABOVE), made, by[1]) if by is not None else 0
    goes_on = given and lines[given - 1].rstrip().endswith("=")
    text = " ".join(line[:LINE_CHARS] for line in lines[given - 1 : given + bool(goes_on)]) if given else ""
    return [one for one in dict.fromkeys(_NAMED_TYPE.findall(text)) if one not in _ANY]


def find_maker(lines: Sequence[str], first: int, at: int) -> int:
    """Return the number of the line that made the error which a line raises by a variable; 0 for none."""
    raised = _RAISES_HELD.match(lines[at - 1][:LINE_CHARS])
    if raised is None or not raised[1]:
        return 0
    return find_set(lines, max(first, at - LINES_ABOVE), at, raised[1], "[({]")


def find_set(lines: Sequence[str], first: int, at: int, name: str, value: str = "") -> int:
    """Return the number of the nearest line above one that gives a variable a value; 0 for none.

    The value must match the expression `value`.
    """
    sets = re.compile(_SETS.format(re.escape(name)) + value)
    above = range(at - 1, first - 1, -1)
    return next((number for number in above if sets.search(lines[number - 1][:LINE_CHARS])), 0)


def find_raising(lines: Sequence[str], at: int, before: str) -> int:
    """Return the number of the line that raises the variable to which a line gives an error; 0 for none.

    `before` stands before the error.
    """
    held = _HOLDS.search(before)
    if held is None:
        return 0
    raises = re.compile(rf"(?:{RAISES})[^;]*?(?<![\w.]){re.escape(held[1])}\b")
    below = range(at + 1, min(at + LINES_BELOW, len(lines)) + 1)
    return next((number for number in below if raises.search(lines[number - 1][:LINE_CHARS])), 0)


def list_collected(
    lines: Sequence[str], first: int, last: int
) -> list[tuple[str, list[int], list[int], list[int]]]:
    """Return the lists of a function that keep errors until they are raised, by their names.

    With each come the lines that put errors there which they make, those that put what was caught, and those
    that raise the list or what is in it.
    """
    made: dict[str, list[int]] = {}
    caught: dict[str, list[int]] = {}
    numbers = range(first, min(last, len(lines)) + 1)
    adding = ((at, added) for at in numbers if (added := _ADDS.search(lines[at - 1][:LINE_CHARS])))
    for at, added in islice(adding, MOST_ADDED):
        if added[2]:
            made.setdefault(added[1], []).append(at)
        elif re.search(rf"\b{re.escape(added[3])}\b", _find_clause(lines, max(first, at - LINES_ABOVE), at)):
            caught.setdefault(added[1], []).append(at)
    found = []
    for name in [*{**made, **caught}][:MOST_LISTS]:
        raises = re.compile(rf"(?:{RAISES})[^;]*?(?<![\w.]){re.escape(name)}\b")
        below = range(min(*made.get(name, ()), *caught.get(name, ()), last) + 1, min(last, len(lines)) + 1)
        raised = [at for at in below if raises.search(lines[at - 1][:LINE_CHARS])]
        if raised:
            found.append((name, made.get(name, []), caught.get(name, []), raised))
    return found


def _find_clause(lines: Sequence[str], first: int, at: int) -> str:
    """Return what stands behind the word of the clause that catches around a line; "" for none."""
    clauses = (CLAUSE.match(line[:LINE_CHARS]) for line in iter_enclosing(lines, at, at - first))
    return next((_FILTER.sub("", clause[1]) for clause in clauses if clause), "")


def _list_declared(lines: Sequence[str], name: str) -> list[str]:
    """Return the types of errors with which lines declare a variable: `GateException last = null`."""
    own = re.escape(name)
    declares = re.compile(rf"\b([A-Z]\w*)[?!]?\s+{own}\s*[=;,)]|\b{own}\s*:\s*([A-Z]\w*)")
    found = (one for line in lines for one in declares.finditer(line[:LINE_CHARS]))
    return [name for one in found if is_error_name(name := one[1] or one[2])]
