"""Read what handles the failure that a question is about: what was tried, and what is done when it fails.

    "What happens when a print job throws?"        try {
                                                     made = await job(page)
                                                   } catch (cause) {
                                                     made = refuse(cause)
                                                   }
                                                   report(made)

A handler is about what was tried, whose words are those of the question. What it only fills in is used
behind it: `report(made)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from repo_mcp.bodies.body import Body, list_code
from repo_mcp.bodies.statements import Statement, cut_statements, is_branch, leaves, list_outer, only_logs
from repo_mcp.record_classes import dataclass
from repo_mcp.research.errors.branches import READ_CHARS, list_inner, read_line
from repo_mcp.research.errors.variables import CLAUSE
from repo_mcp.text.question_words import list_words, shares_word

LEAST_HANDLED = 0.5  # of the number of words, in what was tried or the name of its function
MOST_DONE, MOST_BEHIND = 2, 2  # statements of a handler, and behind it, that are told
MOST_HANDLERS, MOST_SET = 40, 8  # of one function, and variables that one sets; more take long to read
_ASKS = re.compile(
    r"\bwhat happens\b.{1,200}\b(?:crash(?:es|ed)?|fail(?:s|ed)?|panics?|raise[ds]?|reject(?:s|ed)?"
    r"|throws?|thrown|goes wrong|errors? out|(?:errors?|exceptions?) (?:aris|com|happen|occur)\w*)\b"
    r"|\bhow\b.{1,80}\b(?:errors?|exceptions?|failures?)\b.{0,80}\bhandled\b"
    r"|\bhow\b.{1,80}\bhandles?\b.{0,80}\b(?:errors?|exceptions?|failures?)\b",
    re.IGNORECASE,
)
_FAILING = re.compile(r"(?:fail|panic|rais|reject|throw|crash|error|exception)\w*", re.IGNORECASE)
_TRIES = re.compile(r"\s*+[})]*\s*+(?:try|do|begin|def)\b")  # a method of Ruby may have clauses itself
_TESTS = re.compile(
    r"\s*+(?:\}\s*+else\s++)?if\b(?:[^{]*\b(?=\w*[eE]rr)\w++\s*!=\s*nil\b| let Err\()"
)  # in Go and Rust
_PASSES_ON = re.compile(r"\s*+return\b.*\b\w*[eE]rr\w*|\s*+return\s*+;?\s*$")
_BEHIND_CLAUSE = re.compile(r"[#{]|//")  # a comment, or what is done
_NAMES = re.compile(r"[\w$]+")
# Types of errors that every error has, or nearly, and what says nothing of the type.
_OF_ALL = frozenset({"BaseException", "Error", "Exception", "StandardError", "Throwable"})
_OF_NONE = frozenset({"any", "as", "const", "final", "let", "unknown", "val", "var"})
_ENDS = re.compile(r"\s*+[})]*\s*+(?:finally|ensure|else)\b")
_SETS = re.compile(
    r"\s*+(?:(?:const|let|var|val|final|auto)\s++)?(?:[\w<>?]++\s++)?([A-Za-z_$][\w$]*+)\s*+:?=(?![=>])"
)


@dataclass(frozen=True, slots=True)
class Step:
    """A statement, and the conditions under which it is reached."""

    statement: Statement
    under: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Handler:
    """A clause or a test for errors, with what it handles and how."""

    clause: Statement
    tried: tuple[Statement, ...]
    inner: tuple[Statement, ...]
    done: tuple[Step, ...]  # those of `inner` that say most
    behind: tuple[Step, ...]  # what uses behind it what it has set
    catches_all: bool  # nothing that fails is left to another handler


def asks_failing(query: str) -> bool:
    """Return True for a question about what happens when something fails."""
    return _ASKS.search(query) is not None


def rate_handlers(body: Body, query: str, name: str) -> list[tuple[float, Handler]]:
    """Return the handlers of a function, each with its share of a question's words.

    A word must be in what it tried; others may be in the name of the function.
    """
    words = list_words(_FAILING.sub(" ", query))
    rated: list[tuple[float, Handler]] = []
    for handler in iter_handlers(body):
        numbers = (at for one in handler.tried for at in range(one.first, one.last + 1))
        tried = "\n".join(body.lines[at - 1][:READ_CHARS] for at in numbers)
        if shares_word(tried, words):
            rated.append((shares_word(f"{tried}\n{name}", words) / (len(words) or 1), handler))
    return rated


def iter_handlers(body: Body) -> Iterator[Handler]:
    """Yield the first handlers of a body that do more than to log."""
    statements = cut_statements(body, list_code(body))
    lines = [read_line(body, one) for one in statements]
    handling = (at for at, line in enumerate(lines) if CLAUSE.match(line) or _TESTS.match(line))
    for at in islice(handling, MOST_HANDLERS):
        tried = _list_tried(lines, statements, at)
        inner = list_inner(statements, at) if tried else ()
        done = _choose_done(lines, statements, range(at + 1, at + 1 + len(inner)))
        if all(_PASSES_ON.match(lines[own]) for own in done):
            continue
        behind = _list_behind(lines, statements, at) if not leaves(lines[done[-1]]) else []

        def build(own: int, at: int = at) -> Step:
            outer = (other for other in list_outer(body, statements, own) if other > at)
            under = [other for other in outer if is_branch(lines[other]) and not CLAUSE.match(lines[other])]
            return Step(statements[own], tuple(statements[other] for other in reversed(under)))

        clause = CLAUSE.match(lines[at])
        is_all = clause is None or _catches_all(clause[1])
        yield Handler(
            statements[at], tried, inner, tuple(map(build, done)), tuple(map(build, behind)), is_all
        )


def _catches_all(caught: str) -> bool:
    """Return True for a clause that names no type of errors, or one that nearly all have; and a variable."""
    names = [one for one in _NAMES.findall(_BEHIND_CLAUSE.split(caught)[0]) if one not in _OF_NONE]
    types = {one for one in names if one[0].isupper()}
    return types <= _OF_ALL and len(names) - len(types) <= 1


def _list_tried(lines: Sequence[str], statements: Sequence[Statement], at: int) -> tuple[Statement, ...]:
    """Return what was tried where a statement handles its failure; () if it handles none.

    Where functions return errors, a test of one handles what it calls, or what the statement above calls.
    """
    if _TESTS.match(lines[at]):
        above = statements[at - 1 : at] if at and statements[at - 1].indent == statements[at].indent else ()
        return (*above, statements[at])
    for above_it in range(at - 1 if CLAUSE.match(lines[at]) else -1, -1, -1):
        if statements[above_it].indent <= statements[at].indent and not CLAUSE.match(lines[above_it]):
            return list_inner(statements, above_it) if _TRIES.match(lines[above_it]) else ()
    return ()


def _choose_done(lines: Sequence[str], statements: Sequence[Statement], inner: range) -> list[int]:
    """Return the first statement of a handler that does something, and the one that leaves it.

    What stands under no further condition comes first.
    """
    plain = [at for at in inner if not _is_frame(lines, at)]
    own = [at for at in plain if statements[at].indent == statements[inner[0]].indent]
    leaving = [at for at in own if leaves(lines[at])][-1:]
    does = [at for at in own if at not in leaving] or [at for at in plain if at not in leaving][:1]
    return [*does[: MOST_DONE - len(leaving)], *leaving]


def _is_frame(lines: Sequence[str], at: int) -> bool:
    """Return True for a line that only branches, tries, catches or logs, and for a part of a chain."""
    if any(line.rstrip().endswith(".") for line in lines[max(0, at - 1) : at + 1]):
        return True
    line = lines[at]
    return is_branch(line) or only_logs(line) or any(one.match(line) for one in (_TRIES, CLAUSE, _ENDS))


def _list_behind(lines: Sequence[str], statements: Sequence[Statement], at: int) -> list[int]:
    """Return the positions of what stands behind a handler and hands on or returns what this has set."""
    inner = range(at + 1, at + 1 + len(list_inner(statements, at)))
    given = filter(None, (_SETS.match(lines[own]) for own in inner))
    names = [*dict.fromkeys(one[1] for one in given)][:MOST_SET]
    uses = re.compile(rf"(?<![\w.$])(?:{'|'.join(map(re.escape, names))})(?![\w$])")
    found, is_beside = list[int](), True
    for own in range(inner.stop, len(statements) if names else 0):
        if statements[own].indent < statements[at].indent:
            break
        if statements[own].indent == statements[at].indent:
            is_beside = any(one.match(lines[own]) for one in (CLAUSE, _ENDS))
        if not is_beside and not _is_frame(lines, own) and uses.search(lines[own]):
            found.append(own)
    handing = [own for own in found if not _SETS.match(lines[own])]
    return (handing or found)[:MOST_BEHIND]
