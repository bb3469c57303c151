"""Read the branches of a function: each condition, what stands under it, and with what that ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.bodies.body import Body, list_code, says_nothing
from repo_mcp.bodies.statements import (
    Statement,
    cut_statements,
    holds_failure,
    is_branch,
    leaves,
    list_alternatives,
    list_outer,
    only_logs,
)
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.open_brackets import close_open
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState

MOST_STATEMENTS = 10  # of a branch: a longer one has any word somewhere
READ_CHARS = 400  # read of a line, so that none takes long
QUOTED_CHARS = 90
BARE_ELSE = re.compile(r"\s*+[})]*\s*+else\s*+[:{]?\s*+$")  # an `else` without a condition of its own
_LOOPS = re.compile(r"\s*+(?:[})]++\s*+)?(?:(?:for|while|switch)\b|(?:match|when)\b(?!.*->))")
_TRIES = re.compile(r"\s*+(?:try|do|finally)\b")
_LEAVES_SWITCH = re.compile(r"\s*+break\b")
_ARM = re.compile(r"\s*+(?:[A-Z_\"'\d&]|\w+::)[^=]*=>\s*+\{?\s*$")  # of a `match`, no function with an arrow
_CASE = re.compile(r"\s*+case\b")
_IMPORTS = re.compile(r"\s*+(?:from\s.*\s)?import\b")
_IN_BRACKETS = re.compile(r"(?<=[(\[])\n|,?\n(?=[)\]])")  # where a statement goes on in the next line
# Behind code without a text. In some languages `total // count` divides, so two words of prose must follow.
_COMMENT = re.compile(
    r"^([^\"'`]*?)\s(?:#\s|//\s++[A-Za-z]++,?\s++(?!(?:and|else|for|if|in|is|not|or)\b)[A-Za-z]).*"
)
_BEHIND_HEAD = re.compile(
    r"(?<=[:{])\s+(?:#|//)\s.*"
)  # a comment behind a condition, whatever is quoted in it
HANDLES = re.compile(r"\s*+[})]*\s*+(?:except|catch|rescue)\b|.*\.(?:catch|exceptionally|recover)\b")


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition and what stands under it."""

    condition: Statement
    inner: tuple[Statement, ...]
    end: Statement  # of `inner`, as `_find_end` finds it
    otherwise: Statement | None = None  # the condition that does not hold, if this is a bare `else`


def build_body(state: ResearchState, path: str, first: int, last: int) -> Body:
    """Return some lines of a file as a body."""
    lines, comments = state.source.read_lines(path), state.source.read_comment_lines(path)
    return Body(lines, first, min(last, len(lines)), first, {}, comments)


def read_line(body: Body, one: Statement) -> str:
    """Return the first READ_CHARS of the line on which a statement begins."""
    return body.lines[one.first - 1][:READ_CHARS]


def iter_branches(body: Body, most: int = MOST_STATEMENTS) -> Iterator[Branch]:
    """Yield the branches of a body of which the end says something by itself, of up to so many statements."""
    statements = cut_statements(body, list_code(body))
    for at, one in enumerate(statements):
        line = read_line(body, one)
        is_arm = _ARM.match(line) is not None and line.count("(") == line.count(")")
        if at and (is_branch(line) or is_arm) and not _LOOPS.match(line):
            inner = list_inner(statements, at)
            is_else = BARE_ELSE.match(line) is not None
            above = _find_condition(body, statements, at) if is_else else None
            is_short = 0 < len(inner) <= most
            end = _find_end(body, inner) if is_short and not (is_else and above is None) else None
            if end is not None:
                yield Branch(one, inner, end, above)


def list_inner(statements: Sequence[Statement], at: int) -> tuple[Statement, ...]:
    """Return what stands under a statement."""
    end = next(
        (
            below
            for below in range(at + 1, len(statements))
            if statements[below].indent <= statements[at].indent
        ),
        len(statements),
    )
    return tuple(statements[at + 1 : end])


def list_own(inner: Sequence[Statement]) -> list[Statement]:
    """Return those of the statements of a branch that stand under no further condition."""
    return [one for one in inner if one.indent == inner[0].indent]


def list_around(
    body: Body, own: Statement, statements: Sequence[Statement] = ()
) -> list[tuple[Statement, Statement | None]]:
    """Return the conditions around a statement, the outermost first; loops and handlers are none.

    Each stands beside the condition to which it belongs if it is a bare `else`. The `statements` of the body
    may be given, where several of them are looked at.
    """
    statements = statements or cut_statements(body, list_code(body))
    at = next((at for at, one in enumerate(statements) if one.first == own.first), 0)
    outer = [
        one for one in reversed(list_outer(body, statements, at)) if _is_condition(body, statements[one])
    ]
    is_else = {one: BARE_ELSE.match(read_line(body, statements[one])) for one in outer}
    return [
        (statements[one], _find_condition(body, statements, one) if is_else[one] else None) for one in outer
    ]


def _is_condition(body: Body, one: Statement) -> bool:
    line = read_line(body, one)
    return is_branch(line) and not (_LOOPS.match(line) or HANDLES.match(line))


def _find_condition(body: Body, statements: Sequence[Statement], at: int) -> Statement | None:
    """Return the condition to which an `else` belongs."""
    above = list_alternatives(body, statements, at)
    if not above:
        return None
    found = statements[above[0]]
    line = read_line(body, found)
    return None if _LOOPS.match(line) or HANDLES.match(line) else found


def _find_end(body: Body, inner: Sequence[Statement]) -> Statement | None:
    """Return the statement with which a branch ends, or else the last one that does more than to log.

    Return None if that is a condition, a loop or a `try`, of which the end says nothing by itself.
    """
    own = list_own(inner)
    lines = {one: read_line(body, one) for one in own}
    if all(_TRIES.match(line) for line in lines.values()):  # which decides nothing
        under = [one for one in inner if one not in lines]
        return _find_end(body, under) if under else None
    own = [one for one in own if not _LEAVES_SWITCH.match(lines[one])] or own  # the end of a `case`
    leaving = [one for one in own if leaves(lines[one]) or holds_failure(lines[one])]
    last = (leaving or [one for one in own if not only_logs(lines[one])] or own)[-1]
    return None if is_branch(lines[last]) or _TRIES.match(lines[last]) else last


def list_alike(body: Body, condition: Statement) -> list[tuple[Statement, tuple[Statement, ...]]]:
    """Return the handlers of a `try`, or the cases of a switch, of which one is given, or it alone.

    Each has what stands under it.
    """
    statements = cut_statements(body, list_code(body))
    at = statements.index(condition)
    kind = next((one for one in (HANDLES, _CASE) if one.match(read_line(body, condition))), None)
    if kind is None:
        return [(condition, list_inner(statements, at))]
    indent, found = condition.indent, list[int]()
    for way in (range(at, 0, -1), range(at + 1, len(statements))):
        for near in way:
            is_alike = statements[near].indent == indent and kind.match(read_line(body, statements[near]))
            if statements[near].indent <= indent and not is_alike:
                break
            found += [near] if is_alike else []
    return [(statements[near], list_inner(statements, near)) for near in sorted(found)]


def list_done(body: Body, statements: Iterable[Statement]) -> list[Statement]:
    """Return those of some statements that do something: no conditions, logs and imports."""
    lines = {one: read_line(body, one) for one in statements}
    others = {one for one, line in lines.items() if _TRIES.match(line) or _IMPORTS.match(line)}
    return [one for one in lines if not (one in others or only_logs(lines[one]) or is_branch(lines[one]))]


def show_lines(state: ResearchState, one: Finding, told: Iterable[Statement]) -> None:
    """Let a finding show the lines of some statements."""
    text = state.source.read_lines(one.path)
    numbers = {at for own in told for at in range(own.first, own.last + 1)}
    lines = {at for at in numbers if not says_nothing(text[at - 1])}
    place = (one.path, one.start_line, one.symbol)
    for at, known in enumerate(state.findings):
        if (known.path, known.start_line, known.symbol) == place:
            shown = known.shown or (known.start_line, *known.lines)
            state.findings[at] = replace(known, shown=tuple(sorted({*shown, *lines})))


def quote(body: Body, statements: Sequence[Statement], most: int = QUOTED_CHARS) -> str:
    """Return the text of statements on one line, without comments, cut behind a word if it is long.

    What the cut leaves open is closed behind it, `raise Locked("The parcel is …")`, and so is a condition
    without its last line, `) {`.
    """
    numbers = (at for one in statements for at in range(one.first, one.last + 1))
    lines = (body.lines[at - 1] for at in numbers if at not in body.comment_lines)
    lines = (
        _BEHIND_HEAD.sub("", _COMMENT.sub(r"\1", line)).rstrip().removesuffix("\\").strip() for line in lines
    )
    joined = _IN_BRACKETS.sub("", "\n".join(filter(None, lines)))
    text = " ".join(joined.split()).replace("`", "'").lstrip("} ")  # `} else if (late) {`
    opens_block = text.endswith("{")
    if text.count("{") != text.count("}"):
        text = text.strip("{} ") if not text.endswith("${") else f"{text.removesuffix('${')}…"
    text = text.rstrip(":").strip()
    if len(text) <= most:
        closing = "" if opens_block else close_open(text)
        return text if closing.strip(")") else f"{text}{closing}"
    cut = text.rfind(" ", most // 2, most - 1)
    kept = text[: most - 1] if cut < 0 else text[: cut + 1]
    return f"{kept}…{close_open(kept)}"
