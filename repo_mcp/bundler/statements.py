"""Choose the deciding lines of a body: statements with the question's words, their conditions and results.

Pure.

    body -> statements -> worth of each -> the best that fit, each with its conditions -> lines

A statement ends where its brackets are closed. Indentation shows which statements enclose it, in every
language that people format. A body that fits is shown whole.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set

from repo_mcp.record_classes import dataclass, replace

MAX_LINE_CHARS = 140  # of a line that is shown
NUMBER_CHARS = 6  # of a line's number, tab and line end
MAX_STATEMENT_LINES = 8  # a longer statement is data, and is cut into pieces of so many lines
MAX_STATEMENTS = 400  # of one body that are compared
MAX_OUTER = 3  # conditions shown around a statement
# The worth of a statement for what it does; all words of a question together are worth 1.
FAILS, BRANCHES, LEAVES, LEADS = 0.30, 0.10, 0.12, 0.50
OWN_WORDS = 0.8  # part of that 1 which the words in the body share; the others keep theirs
MAKES_RESULT, MOST_RESULTS = 0.3, 20  # of a statement that changes what the body returns; names of such
TELLS = 0.2  # factor of a line that only logs
# In a body of MANY_LINES, a statement more than NEAR_LINES away from the question's words is worth less.
MANY_LINES, NEAR_LINES, FAR_OFF = 150, 10, 0.3
BOUND_CHARS = 90  # of a statement that is shown because it shares a name with the one beside it
SHORT_ROOM, SHORT_HEAD = 800, 2  # in less room only the first lines of a head are shown
# A line may be two megabytes of spaces, so whatever matches them is possessive.
_FAILS = re.compile(
    r"\b(?:raise|throw|throws|panic|die|abort|reject|bail|unreachable|fail)\b|\bthrow_\w+\s*+[(<]"
    r"|\b(?:fmt\.Errorf|errors\.New)\b"
    r"|(?:Error|Exception)\s*[({]|\bErr\(|\b(?:this|self|parser)\.error\("
)
_BRANCHES = re.compile(
    r"\s*+(?:[})]++\s*+)?"
    r"(?:if|elif|else if|else|unless|switch|match|case|catch|except|rescue|guard|when|while|for)\b"
)
_TELLS = re.compile(r"\s*[\w.:]*\b(?:log|logger|logging|console|trace|debug\w*|tracing)\b\s*(?:\.|::|!|\()")
_LEAVES = re.compile(r"\s*(?:return|yield|break|continue|throw|raise)\b")
_RETURNS_NAME = re.compile(r"\s*+(?:return|yield)\s++(?:(?:Ok|Some)?\()?[*&]?([A-Za-z_]\w*+)[),;\s]*+$")
_MAKES_NAME = re.compile(
    r"\s*+(?:(?:const|let|var|auto|final|val|mut)\s++){0,2}([A-Za-z_]\w*+)(?:\s*+:[^=]{1,60})?\s*+:?=(?![=>])"
)
_CONSTANTS = frozenset(
    {"None", "null", "nil", "true", "false", "True", "False", "undefined", "NULL", "self", "this"}
)
# A line that continues the statement above it: a call on its result, or an operator.
_GOES_ON = re.compile(r"\s*(?:\??\.\w|&&|\|\||\?\s|:\s|=>|->|\|>|\+\s|and\s|or\s)")
_AWAITS = re.compile(r"(?<![=<>!~])=\s*+$")  # a line whose value stands on the next one
# Words of control alone. They say something only below their condition, with which they are shown.
_BARE = re.compile(r"[\s})]*+(?:else|try|finally|do|raise|throw|return|break|continue|yield)?\s*+[:;{]?\s*$")
# A line for a preprocessor. It stands at the margin, so it would seem to enclose what follows.
_DIRECTIVE = re.compile(
    r"\s*#\s*(?:if|ifdef|ifndef|el(?:se|if)\w*|endif|pragma|region|endregion|line|nullable)\b"
)
_OPENS, _CLOSES = "([", ")]"
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n]){0,200}\"|'(?:\\.|[^'\\\n]){0,200}'")
_SAYS_NOTHING = re.compile(r"[\s\])};,{]*+(?:end)?[\s;]*$")
_IMPORT = re.compile(
    r"^[ \t]*(?:import|export|from|const|let|var)\b[^;'\"(]{0,2000}(?:from|require\()"
    r"\s*['\"][^'\"\n]*['\"]\)?;?"
    r"|^[ \t]*from\s+[\w.]+\s+import\s*\([^)]{0,2000}\)"
    r"|^[ \t]*(?:import|from|using|(?:pub )?use|package|namespace|mod|require(?:_relative)?|#include|<\?php)"
    r"\b.*$",
    re.MULTILINE,
)
_ADORNS = re.compile(r"\s*(?:@|#?\[)")  # a decorator, an annotation or an attribute, not a signature


@dataclass(frozen=True, slots=True)
class Body:
    """A declaration whose lines are chosen from."""

    lines: Sequence[str]  # of the whole file
    start_line: int  # 1-based, both included
    end_line: int
    head_line: int  # the first line of the declaration itself
    terms: Mapping[int, tuple[str, ...]]  # of the question, by line
    comment_lines: Set[int]  # lines of comments and docstrings

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return self.end_line - self.start_line + 1


@dataclass(frozen=True, slots=True)
class _Statement:
    first: int  # line, 1-based, both included
    last: int
    indent: int  # characters
    terms: tuple[str, ...]  # of the question, each once
    bonus: float  # for what it does
    worth: float  # factor of the weight of its terms and of the bonus


def is_branch(line: str) -> bool:
    """Return True for a line that begins a condition or a loop."""
    return _BRANCHES.match(line) is not None


def holds_failure(line: str) -> bool:
    """Return True for a line that raises, returns or makes an error."""
    return _FAILS.search(line) is not None


def only_imports(body: Body) -> bool:
    """Return True for lines that only import or include what others declare, and their comments."""
    numbers = range(body.start_line, min(body.end_line, len(body.lines)) + 1)
    code = "\n".join(body.lines[number - 1] for number in numbers if number not in body.comment_lines)
    return re.search(r"\w", _IMPORT.sub("", code)) is None


def says_nothing(line: str) -> bool:
    """Return True for a line that is blank or only closes something: brackets, commas, semicolons, `end`."""
    return _SAYS_NOTHING.match(line) is not None


def find_margin(lines: Sequence[str]) -> int:
    """Return the number of characters of indentation that all lines share.

    Blank lines and those for a preprocessor do not count.
    """
    indented = (line for line in lines if line.strip() and not _DIRECTIVE.match(line))
    margins = sorted({line[: len(line) - len(line.lstrip())] for line in indented})
    if not margins:
        return 0
    pairs = enumerate(zip(margins[0], margins[-1], strict=False))  # what these two share, all share
    return next((at for at, (one, other) in pairs if one != other), len(margins[0]))


def cut_margin(line: str, margin: int) -> str:
    """Return a line without a margin; one that begins in it, without all its indentation."""
    return line[margin:] if not line[:margin].strip() else line.lstrip()


def trim_margin(body: Body) -> Body:
    """Return a body without the indentation that its lines share."""
    first, last = body.start_line - 1, body.end_line
    own = body.lines[first:last]
    margin = find_margin(own)
    if not margin:
        return body
    return replace(
        body, lines=[*body.lines[:first], *(cut_margin(line, margin) for line in own), *body.lines[last:]]
    )


def measure(lines: Sequence[str], numbers: Sequence[int]) -> int:
    """Return the number of characters that lines take when shown with their numbers."""
    return sum(min(len(lines[number - 1].rstrip()), MAX_LINE_CHARS) + NUMBER_CHARS for number in numbers)


def choose_lines(
    body: Body,
    weights: Mapping[str, float],
    room: int,
    leads: Callable[[str], bool] = lambda _line: False,
    *,
    keeps_comments: bool = False,
    spare: int = 0,
) -> list[int]:
    """Return the numbers of the lines to show of a body within `room` characters, ascending.

    The first statement after the head may take `spare` characters more. `weights` are those of the question's
    terms; `leads` tells whether a text leads to another shown declaration. The head of the declaration is
    always included. With `keeps_comments`, comments and lines that only close brackets are shown if the whole
    body fits.
    """
    last = body.end_line
    while last > body.start_line and not body.lines[last - 1].strip():
        last -= 1
    whole = list(range(body.start_line, last + 1))
    if keeps_comments and measure(body.lines, whole) <= room:
        return whole
    code = [
        number
        for number in range(body.head_line, body.end_line + 1)
        if number not in body.comment_lines and body.lines[number - 1].strip()
    ]
    telling = [number for number in code if not says_nothing(body.lines[number - 1])]
    if measure(body.lines, telling) <= room:
        return telling
    code = [number for number in code if not _DIRECTIVE.match(body.lines[number - 1])]
    statements = _begin_with_signature(body, _cut_statements(body, code, leads))
    if room < SHORT_ROOM and statements:
        head = statements[0]
        statements[0] = replace(head, last=min(head.last, head.first + SHORT_HEAD - 1))
    return _choose(body, statements, weights, room, spare)


def _begin_with_signature(body: Body, statements: list[_Statement]) -> list[_Statement]:
    """Return the statements from the signature on, without the decorators above it."""
    signature = 0
    while signature < len(statements) - 1 and _ADORNS.match(body.lines[statements[signature].first - 1]):
        signature += 1
    return statements[signature:]


def _cut_statements(body: Body, code: Sequence[int], leads: Callable[[str], bool]) -> list[_Statement]:
    """Return the statements of a body in the order of lines, its head first. `code` has the line numbers."""
    found: list[_Statement] = []
    at = 0
    while at < len(code) and len(found) < MAX_STATEMENTS:
        first, depth, last = code[at], 0, at
        while last < len(code):
            text = _QUOTED.sub('""', body.lines[code[last] - 1])
            depth += sum(text.count(one) for one in _OPENS) - sum(text.count(one) for one in _CLOSES)
            is_open = depth > 0 or _goes_on(body, code, last, text)
            if not is_open or text.rstrip().endswith("{") or last - at + 1 >= MAX_STATEMENT_LINES:
                break
            last += 1
        last = min(last, len(code) - 1)
        found.append(_build(body, first, code[last], leads))
        at = last + 1
    return _end_with_result(body, _hand_on(body, _credit_makers(body, _keep_near(body, found))))


def _goes_on(body: Body, code: Sequence[int], at: int, text: str) -> bool:
    """Return True if what a line says goes on in the next line of code."""
    below = body.lines[code[at + 1] - 1] if at + 1 < len(code) else ""
    return _AWAITS.search(text) is not None or _GOES_ON.match(below) is not None


def _keep_near(body: Body, statements: list[_Statement]) -> list[_Statement]:
    """Return the statements; in a long body, those far from the question's words are worth less."""
    if body.line_count < MANY_LINES or not body.terms:
        return statements
    held = sorted(body.terms)

    def is_near(one: _Statement) -> bool:
        at = bisect_left(held, one.first - NEAR_LINES)
        return at < len(held) and held[at] <= one.last + NEAR_LINES

    return [one if is_near(one) else replace(one, worth=one.worth * FAR_OFF) for one in statements]


def _credit_makers(body: Body, statements: list[_Statement]) -> list[_Statement]:
    """Return the statements. Those that give a value to a name that the body returns are worth more."""
    lines = (body.lines[one.last - 1] for one in statements)
    returned = (found[1] for line in lines if (found := _RETURNS_NAME.match(line)))
    names = [name for name in dict.fromkeys(returned) if name not in _CONSTANTS][:MOST_RESULTS]
    if not names:
        return statements
    makes = re.compile(
        rf"(?<![\w.>])(?:{'|'.join(names)})"
        r"(?:(?:\s*+:[^=]{1,60})?\s*+(?:[-+*/|&^%?:]|<<|>>|\|\||&&)?=(?![=>])"
        r"|\.(?:push|append|add|insert|set|put|extend)\w*\()"
    )
    return [
        replace(one, bonus=one.bonus + MAKES_RESULT) if makes.search(body.lines[one.first - 1]) else one
        for one in statements
    ]


def _hand_on(body: Body, statements: list[_Statement]) -> list[_Statement]:
    """Return the statements; the condition around a lone `return` or `raise` gets its bonus."""
    handed: dict[int, float] = {}
    for position, one in enumerate(statements):
        outer = _list_outer(body, statements, position)[:1] if not one.worth and one.bonus else []
        if outer and _LEAVES.match(body.lines[one.first - 1]):
            handed[outer[0]] = one.bonus
    return [replace(one, bonus=one.bonus + handed.get(at, 0.0)) for at, one in enumerate(statements)]


def _end_with_result(body: Body, statements: list[_Statement]) -> list[_Statement]:
    """Return the statements; the last outermost one gets the bonus of a `return`: often it is the result."""
    inner = [one for one in statements[1:] if not _is_empty(body, one) and one.indent > statements[0].indent]
    least = min((one.indent for one in inner), default=0)
    last = next((one for one in reversed(inner) if one.indent == least), None)
    if last is None or _LEAVES.match(body.lines[last.first - 1]):
        return statements
    return [replace(one, bonus=one.bonus + LEAVES) if one is last else one for one in statements]


def _build(body: Body, first: int, last: int, leads: Callable[[str], bool]) -> _Statement:
    text = "\n".join(body.lines[first - 1 : last])
    bonus = FAILS * bool(_FAILS.search(text)) + BRANCHES * bool(_BRANCHES.match(text))
    worth = 0.0 if _BARE.match(text) else TELLS if _TELLS.match(text) else 1.0
    bonus += LEAVES * bool(_LEAVES.match(text)) + LEADS * leads(text)
    terms = tuple(dict.fromkeys(term for line in range(first, last + 1) for term in body.terms.get(line, ())))
    top = body.lines[first - 1]
    return _Statement(first, last, len(top) - len(top.lstrip()), terms, bonus, worth)


def _choose(
    body: Body, statements: Sequence[_Statement], weights: Mapping[str, float], room: int, spare: int
) -> list[int]:
    """Return the lines of the head and of the best statements that fit, ascending.

    A statement is taken with the conditions around it, and then the first statement inside it if that fits. A
    term counts less each time that it is shown.
    """
    held_here = {term for one in statements for term in one.terms}
    own = sum(weight for term, weight in weights.items() if term in held_here)  # in the same order each time
    whole = OWN_WORDS * own + (1.0 - OWN_WORDS) * sum(weights.values()) or 1.0
    shown: set[int] = set()
    seen: dict[str, int] = {}
    costs = [_measure(body, one) for one in statements]
    rates: dict[int, float] = {}  # of the statements that are left
    left = room

    def take(ordinal: int) -> bool:
        nonlocal left
        wanted = [ordinal, *_list_outer(body, statements, ordinal)]
        new = [one for one in wanted if one not in shown]
        cost = sum(costs[one] for one in new)
        if cost > left + (spare if len(shown) == 1 else 0) and shown:
            return False
        left -= cost
        shown.update(new)
        added = Counter(term for one in new for term in statements[one].terms)
        for term, count in added.items():
            seen[term] = seen.get(term, 0) + count
        for one in rates:
            if not added.keys().isdisjoint(statements[one].terms):
                rates[one] = rate(one)
        return True

    def rate(ordinal: int) -> float:
        one = statements[ordinal]
        held = sum(weights.get(term, 0.0) / (1 + seen.get(term, 0)) for term in one.terms) / whole
        return one.worth * (held + one.bonus) / math.sqrt(costs[ordinal] + 60)

    take(0)
    telling = (at for at, one in enumerate(statements) if at and one.worth and not _is_empty(body, one))
    rates |= {at: rate(at) for at in telling}
    while rates and left > 0:
        best = max(rates, key=lambda ordinal: (rates[ordinal], -ordinal))
        del rates[best]
        if best not in shown and take(best):
            following = _find_inner(body, statements, best)
            for one in filter(None, (following, *_find_bound(body, statements, best))):
                if one not in shown and (one == following or costs[one] <= BOUND_CHARS) and take(one):
                    rates.pop(one, None)
    return sorted(
        line
        for ordinal in shown
        for line in range(statements[ordinal].first, statements[ordinal].last + 1)
        if line not in body.comment_lines and not says_nothing(body.lines[line - 1])
    )


def _find_bound(body: Body, statements: Sequence[_Statement], ordinal: int) -> list[int]:
    """Return the positions of the statements beside one that it gives a name to, or takes a name from."""
    found = []
    for first, second in ((ordinal - 1, ordinal), (ordinal, ordinal + 1)):
        if first > 0 and second < len(statements) and statements[first].indent == statements[second].indent:
            made = _MAKES_NAME.match(body.lines[statements[first].first - 1])
            text = "\n".join(body.lines[statements[second].first - 1 : statements[second].last])
            if made is not None and re.search(rf"(?<![\w.]){re.escape(made[1])}\b", text):
                found.append(second if first == ordinal else first)
    return found


def _measure(body: Body, one: _Statement) -> int:
    numbers = range(one.first, one.last + 1)
    return measure(body.lines, [number for number in numbers if not says_nothing(body.lines[number - 1])])


def _is_empty(body: Body, one: _Statement) -> bool:
    return all(map(says_nothing, body.lines[one.first - 1 : one.last]))


def _list_outer(body: Body, statements: Sequence[_Statement], ordinal: int) -> list[int]:
    """Return the positions of the statements that enclose one, the nearest first."""
    found: list[int] = []
    indent = statements[ordinal].indent
    for other in range(ordinal - 1, 0, -1):
        if len(found) == MAX_OUTER or indent <= statements[0].indent:
            break
        if statements[other].indent < indent and not _is_empty(body, statements[other]):
            indent = statements[other].indent
            found.append(other)
    return found


def _find_inner(body: Body, statements: Sequence[_Statement], ordinal: int) -> int | None:
    """Return the position of the first statement inside another; None if there is none."""
    following = ordinal + 1
    while following < len(statements) and _is_empty(body, statements[following]):
        following += 1  # a bracket on a line of its own
    is_inner = following < len(statements) and statements[following].indent > statements[ordinal].indent
    return following if is_inner else None
