"""Find the statements of a body that share a name: what gives it a value, and what uses it.

Pure.

    limit = config.limit or 3          <-  `limit` of the next line
    if tried >= limit:                 <-  a condition
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from repo_mcp.bodies.body import Body
from repo_mcp.bodies.statements import MAX_STATEMENTS, QUOTED, Statement, is_branch, leaves

MOST_MAKERS = 3  # of the names in one statement
LINE_CHARS = 400  # read of a line, so that none takes long
# What stands before the `=` of a statement: `const { a, b }`, `limit, err`, `long count`, `let a: Rule`.
_GIVES = re.compile(r"\s*+([\w\s,:<>?&*$@{}()|\[\].]{1,120}?)\s*:?=(?![=>~])")
_NAME = re.compile(r"(?<![\w.@])[A-Za-z_]\w*+")
_VARIABLE = re.compile(r"[*&$]*[A-Za-z_]\w*")
_FUNCTION = re.compile(
    r"=>\s*+\{\s*+$|(?:\b(?:function|func|fn)\b|->).*\{\s*+$"
)  # whose body says what it gives
_DECIDES = re.compile(r"&&|\|\||[=!]=|[<>]=?\s|\?\s|\b(?:and|or|not|in|is)\b")


def find_bound(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the neighbours that use a name which a statement assigns, or assign one which it uses."""
    found = []
    for first, second in ((ordinal - 1, ordinal), (ordinal, ordinal + 1)):
        if first > 0 and second < len(statements) and statements[first].indent == statements[second].indent:
            made = _list_made(_read_top(body, statements[first]))
            if made and not made.isdisjoint(_list_used(body, statements[second])):
                found.append(second if first == ordinal else first)
    return found


def find_makers(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the statements that give values to the variables of a condition or a result, the nearest first.

    What such a statement decides is followed once more: `is_late = age > limit`.
    """
    top = _read_top(body, statements[ordinal])
    if not (is_branch(top) or leaves(top)):
        return []
    found = _find_givers(body, statements, ordinal)
    deciding = [one for one in found if _DECIDES.search(_read(body, statements[one]))]
    further = [at for one in deciding for at in _find_givers(body, statements, one)]
    return list(dict.fromkeys([*found, *further]))


def _find_givers(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the nearest statements above one that give values to the variables which it uses."""
    wanted, indent, found = _list_used(body, statements[ordinal]), statements[ordinal].indent, list[int]()
    for at in range(ordinal - 1, 0, -1):
        if not wanted or len(found) == MOST_MAKERS:
            break
        if statements[at].indent > indent:  # of a block that ends before
            continue
        indent = statements[at].indent
        made = _list_made(_read_top(body, statements[at])) & wanted
        if made:
            wanted -= made
            found.append(at)
    return found


@lru_cache(maxsize=2 * MAX_STATEMENTS)  # of one body, whose conditions all look at the lines above them
def _list_made(line: str) -> frozenset[str]:
    """Return the names of variables to which a line gives values; none if it begins a condition."""
    given = None if is_branch(line) or leaves(line) or _FUNCTION.search(line) else _GIVES.match(line)
    if given is None:
        return frozenset()
    left = re.sub(r"<.*>", "", given[1]).strip()
    if "(" in left and not left.startswith("("):  # a call
        return frozenset()
    if "," in left or "{" in left:
        return frozenset(_NAME.findall(left))
    last = left.replace("::", ".").partition(":")[0].split()[-1:]
    return frozenset(name.lstrip("*&$") for name in last if _VARIABLE.fullmatch(name))


def _list_used(body: Body, one: Statement) -> set[str]:
    return set(_NAME.findall(_read(body, one)))


def _read(body: Body, one: Statement) -> str:
    """Return the text of a statement without what it quotes."""
    return QUOTED.sub('""', "\n".join(line[:LINE_CHARS] for line in body.lines[one.first - 1 : one.last]))


def _read_top(body: Body, one: Statement) -> str:
    return body.lines[one.first - 1][:LINE_CHARS]
