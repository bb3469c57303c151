"""Cut a body into statements, each with a bonus and a factor for what it does.

Pure. A statement ends where its brackets are closed. Indentation shows which statements enclose it, in every
language that people format.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile

from repo_mcp.bodies.body import Body, is_directive, measure, measure_indent, says_nothing
from repo_mcp.record_classes import dataclass, replace

MAX_STATEMENT_LINES = 8  # a longer statement is data, and is cut into pieces of so many lines
MAX_STATEMENTS = 2_000  # of one body; what follows is left out
MAX_ALTERNATIVES = 3  # conditions shown above an `else`
MAX_OUTER = 3  # conditions shown around a statement
# Added to the worth of a statement for what it does; all words of a question together are worth 1.
FAILS, BRANCHES, LEAVES = 0.30, 0.10, 0.12
MAKES_RESULT, MOST_RESULTS = 0.3, 20  # of a statement that changes what the body returns, or a flag; names
TERMS_OF_NAME = 3  # of the question, that a line with a name of several words has: the name and its words
LOGS = 0.2  # factor of a line that only logs
FAILURE_CHARS = 10_000  # of a line in which a failure is looked for; a longer one was generated
# A line may be two megabytes of spaces, so whatever matches them is possessive.
_FAILS = re.compile(
    r"\b(?:raise|throw|throws|panic|die|abort|reject|bail|unreachable|fail)\b|\bthrow_\w+\s*+[(<]"
    r"|\b(?:fmt\.Errorf|errors\.New)\b"
    r"|(?:Error|Exception)\s*[({]|\bErr\(|\b(?:this|self|parser)\.error\("
    r"|\bnew (?:[A-Z0-9]{1,20}_){0,4}ERR_[A-Z]"
)
_BRANCHES = re.compile(
    r"\s*+(?:[})]++\s*+)?"
    r"(?:if|elif|else if|else|unless|switch|match|case|catch|except|rescue|guard|when|while|for)\b"
)
# A call that logs: `log::warn!(` in Rust, `_logger.LogError(`, `klog.V(2).Infof(`, `Log::info(`. What
# else is done with a log, such as `log.append(entry)`, or ends the program, `log.Fatal(`, counts in full.
# A line that loops over, branches on or returns what has a name.
_DECIDES = (
    r"^\s*+(?:\}}?\s*+)?(?:el(?:se\s*+)?if|if|while|until|unless|for|foreach|switch|match|guard|return|yield)"
    r"\b.*\b{}\b"
)
_LOGS = re.compile(
    r"\s*+(?:await\s)?(?:[\w.:$?]|->)*(?<![A-Za-z0-9])"
    r"(?:(?:trace|debug|info|warn|error|event)!|(?:console|trace|debug\w*|tracing)\b\s*(?:\.|::|!|\()|NSLog\(|os_log\("
    r"|(?:[gks]?log|spdlog|logging|logrus|winston|zap|Timber|Log|LOG|\w{0,40}[Ll]ogger|LOGGER)\b(?:\.\w{1,20}+(?=\.))?\s*"
    r"(?:[!(]|(?:\.|::|\??->)\s*(?:(?i:trace|debug|info|notice|warn|err|critical|exception|verbose|log|print|with)"
    r"|at[A-Z]|[deivwLSV]\b)))"
    r"|\s*+level\.\w{4,5}\(\w{0,40}[Ll]ogger\)\.Log\("
)
_ELSE = re.compile(r"\s*+(?:[})]++\s*+)?(?:else\b|elif\b|elsif\b)")
_LEAVES = re.compile(r"\s*(?:return|yield|break|continue|throw|raise)\b")
_RETURNS_NAME = re.compile(r"\s*+(?:return|yield)\s++(?:(?:Ok|Some)?\()?[*&]?([A-Za-z_]\w*+)[),;\s]*+$")
# An arm of a switch, not of a `select` of Go: `case one := <-in:`, `case out <- one:`.
_ARM = re.compile(r"\s*+(?:case(?![^\n:\"']*(?::=[^\n:\"']*)?<-)|when|default)\b")
_SETS_FLAG = re.compile(
    r"\s*+(?:[\w<>]+\s++){0,3}(?:(?:self|this)(?:\.|->)|@)?([A-Za-z_]\w*+)(?:\s*+:[^=]{1,40})?\s*+:?=\s*+"
    r"(?:[Tt]rue|[Ff]alse)\b"
)
_NAME = re.compile(r"[A-Za-z_]\w*+")
_CONDITIONAL = re.compile(r"\s*+#\s*+(?:(if)|(endif)|el)")
_CONSTANTS = frozenset(
    {"None", "null", "nil", "true", "false", "True", "False", "undefined", "NULL", "self", "this"}
)
# A line that continues the statement above it: a call on its result, or an operator.
_GOES_ON = re.compile(r"\s*(?:\??\.\w|&&|\|\||\?\s|:\s|=>|->|\|>|\+\s|and\s|or\s)")
# A line that goes on in the next one: behind `=`, or behind an operator, with a comment or not.
_AWAITS = re.compile(r"(?:(?<![=<>!~])=|\s(?:&&|\|\||\?\??|[-+]|and|or|not))\s*+\\?\s*+(?://.*|#\s.*)?$")
# Words of control alone. They say something only below their condition, with which they are shown.
_BARE = re.compile(
    r"[\s})]*+(?:else|try|finally|do|raise|throw|return|break|continue|yield|switch|select|when|case)?\s*+[:;{]?\s*$"
)
_OPENS, _CLOSES = "([", ")]"
QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n]){0,200}\"|'(?:\\.|[^'\\\n]){0,200}'")
# A call whose arguments stand on lines of their own, and such a line that says no more than a name.
_OPENS_CALL = re.compile(r"\w\($")
_HANDS_ON = re.compile(r"\s*+(?:out |ref |&|\*)?[\w.]++[,)]++;?$")
_ADORNS = re.compile(r"\s*(?:@|#?\[)")  # a decorator, an annotation or an attribute, not a signature


@dataclass(frozen=True, slots=True)
class Statement:
    first: int  # line, 1-based, both included
    last: int
    indent: int  # characters
    terms: tuple[str, ...]  # of the question, each once
    bonus: float  # for what it does
    factor: float  # of the weight of its terms and of the bonus


def is_branch(line: str) -> bool:
    """Return True for a line that begins a condition or a loop."""
    return _BRANCHES.match(line) is not None


def holds_failure(line: str) -> bool:
    """Return True for a line with the words by which errors are raised or made in most languages.

    It asks for no more than bundles need: a line that only catches or logs an error may have them, too.
    """
    return _FAILS.search(line, 0, FAILURE_CHARS) is not None


def leaves(line: str) -> bool:
    """Return True for a line that leaves a block: it returns, raises, breaks or continues."""
    return _LEAVES.match(line) is not None


def only_logs(line: str) -> bool:
    """Return True for a line that only logs."""
    return _LOGS.match(line) is not None


def decides(name: str, texts: Sequence[str]) -> bool:
    """Return True if a line loops over, branches on or returns what has a name."""
    return any(map(re.compile(_DECIDES.format(re.escape(name))).search, texts))


def cut_statements(body: Body, code: Sequence[int]) -> list[Statement]:
    """Return the statements of a body, its signature first. `code` has the numbers of the lines of code."""
    found: list[Statement] = []
    at = 0
    while at < len(code) and len(found) < MAX_STATEMENTS:
        first, depth, last = code[at], 0, at
        while last < len(code):
            text = QUOTED.sub('""', body.lines[code[last] - 1])
            depth += _count_open(text) + _count_closed(body, code, last)
            is_open = depth > 0 or _goes_on(body, code, last, text)
            if not is_open or text.rstrip().endswith("{") or last - at + 1 >= MAX_STATEMENT_LINES:
                break
            last += 1
        last = min(last, len(code) - 1)
        found.append(_build(body, first, code[last]))
        at = last + 1
    credited = _credit_setters(body, _credit_makers(body, found))
    weighed = _end_with_result(body, _hand_on(body, credited))
    return _begin_with_signature(body, weighed)


def _count_open(text: str) -> int:
    return sum(text.count(one) for one in _OPENS) - sum(text.count(one) for one in _CLOSES)


def _count_closed(body: Body, code: Sequence[int], at: int) -> int:
    """Return what the lines that only close something add to the depth before the next line of code."""
    end = code[at + 1] if at + 1 < len(code) else body.end_line + 1
    between = (number for number in range(code[at] + 1, min(end, len(body.lines) + 1)))
    return sum(_count_open(body.lines[one - 1]) for one in between if says_nothing(body.lines[one - 1]))


def _begin_with_signature(body: Body, statements: list[Statement]) -> list[Statement]:
    """Return the statements from the signature on, without the decorators above it."""
    signature = 0
    while signature < len(statements) - 1 and _ADORNS.match(body.lines[statements[signature].first - 1]):
        signature += 1
    return statements[signature:]


def _goes_on(body: Body, code: Sequence[int], at: int, text: str) -> bool:
    """Return True if what a line says goes on in the next line of code."""
    below = body.lines[code[at + 1] - 1] if at + 1 < len(code) else ""
    return _AWAITS.search(text) is not None or _GOES_ON.match(below) is not None


def _credit_makers(body: Body, statements: list[Statement]) -> list[Statement]:
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


def _credit_setters(body: Body, statements: list[Statement]) -> list[Statement]:
    """Return the statements. Those that set a flag which a condition of the body reads are worth more."""
    sets = [_SETS_FLAG.match(body.lines[one.first - 1]) for one in statements]
    flags = {match[1] for match in sets if match is not None}
    tops = (_read_top(body, one) for one in statements) if flags else ()
    read = {name for top in tops if is_branch(top) for name in _NAME.findall(top)} & flags
    return [
        replace(one, bonus=one.bonus + MAKES_RESULT) if match is not None and match[1] in read else one
        for one, match in zip(statements, sets, strict=True)
    ]


def _hand_on(body: Body, statements: list[Statement]) -> list[Statement]:
    """Return the statements; the condition around a lone `return` or `raise` gets its bonus."""
    handed: dict[int, float] = {}
    for position, one in enumerate(statements):
        outer = list_outer(body, statements, position)[:1] if not one.factor and one.bonus else []
        if outer and leaves(body.lines[one.first - 1]):
            handed[outer[0]] = one.bonus
    return [replace(one, bonus=one.bonus + handed.get(at, 0.0)) for at, one in enumerate(statements)]


def _end_with_result(body: Body, statements: list[Statement]) -> list[Statement]:
    """Return the statements; the last outermost one gets the bonus of a `return`: often it is the result."""
    inner = [one for one in statements[1:] if not is_empty(body, one) and one.indent > statements[0].indent]
    least = min((one.indent for one in inner), default=0)
    last = next((one for one in reversed(inner) if one.indent == least), None)
    if last is None or leaves(body.lines[last.first - 1]):
        return statements
    return [replace(one, bonus=one.bonus + LEAVES) if one is last else one for one in statements]


def _build(body: Body, first: int, last: int) -> Statement:
    text = "\n".join(body.lines[first - 1 : last])
    bonus = FAILS * bool(_FAILS.search(text)) + BRANCHES * bool(_BRANCHES.match(text))
    factor = 0.0 if _BARE.match(text) else LOGS if only_logs(text) else 1.0
    bonus += LEAVES * leaves(text)
    terms = tuple(dict.fromkeys(term for line in range(first, last + 1) for term in body.terms.get(line, ())))
    top = body.lines[first - 1]
    return Statement(first, last, measure_indent(top), terms, bonus, factor)


def list_arms(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the positions of all arms of a switch, if the statement begins one of them; otherwise nothing.

    The first statement below each arm is among them.
    """
    if not _ARM.match(_read_top(body, statements[ordinal])):
        return []
    indent, found = statements[ordinal].indent, list[int]()
    for way in (range(ordinal - 1, 0, -1), range(ordinal, len(statements))):
        for at in way:
            is_arm = _ARM.match(_read_top(body, statements[at])) is not None
            if statements[at].indent < indent or (statements[at].indent == indent and not is_arm):
                break
            if statements[at].indent == indent:
                found += [at, *list_inner(body, statements, at)[:1]]
    return sorted(found)


def list_conditionals(body: Body, shown: Sequence[int]) -> list[int]:
    """Return the lines that say under which condition a preprocessor keeps any of the lines shown.

    `shown` ascends. What all of a body depends on stands outside of it.
    """
    found: set[int] = set()
    open_ones: list[list[int]] = []
    for at in range(body.head_line, min(body.end_line, len(body.lines)) + 1):
        match = None if at in body.comment_lines else _CONDITIONAL.match(body.lines[at - 1])
        if match is None or not is_directive(body.lines[at - 1]):
            continue
        if match[1]:
            open_ones.append([at])
        elif open_ones:
            open_ones[-1].append(at)
            if match[2]:
                marks = open_ones.pop()
                if bisect_left(shown, marks[0]) < bisect_left(shown, at):
                    found.update(marks)
    return sorted(found)


def list_shown_lines(body: Body, one: Statement) -> list[int]:
    """Return the lines of a statement that are shown: none that only closes something, or hands on a name.

    A name of several words that the question has is shown, though it is only handed on: it may decide.
    """
    lines, top = body.lines, _read_top(body, one)
    is_call = one.first > body.head_line and _OPENS_CALL.search(top) and not (is_branch(top) or leaves(top))
    return [
        at
        for at in range(one.first, one.last + 1)
        if at not in body.comment_lines
        and not says_nothing(lines[at - 1])
        and not (
            is_call
            and at > one.first
            and len(body.terms.get(at, ())) < TERMS_OF_NAME
            and _HANDS_ON.match(lines[at - 1])
        )
    ]


def measure_statement(body: Body, one: Statement) -> int:
    """Return the number of characters that a statement takes when shown."""
    return measure(body.lines, list_shown_lines(body, one))


def is_empty(body: Body, one: Statement) -> bool:
    """Return True for a statement whose lines are blank or only close something."""
    return all(map(says_nothing, body.lines[one.first - 1 : one.last]))


def list_outer(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the positions of the statements that enclose one, the nearest first."""
    found: list[int] = []
    indent = statements[ordinal].indent
    for other in range(ordinal - 1, 0, -1):
        if len(found) == MAX_OUTER or indent <= statements[0].indent:
            break
        if statements[other].indent < indent and not is_empty(body, statements[other]):
            indent = statements[other].indent
            found.append(other)
    return found


def list_alternatives(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the positions of the conditions that fail where an `else` is reached, the nearest first.

    Without them, nobody can tell when it is. A long chain is given by its nearest ones and its first.
    """
    indent, found = statements[ordinal].indent, list[int]()
    at = ordinal
    while at > 1 and _ELSE.match(_read_top(body, statements[at])):
        above = (one for one in range(at - 1, 0, -1) if statements[one].indent <= indent)
        at = next(above, 0)
        if statements[at].indent < indent or not at:
            break
        if is_branch(_read_top(body, statements[at])):
            found.append(at)
    return [*found[: MAX_ALTERNATIVES - 1], *found[MAX_ALTERNATIVES - 1 :][-1:]]


def list_inner(body: Body, statements: Sequence[Statement], ordinal: int) -> list[int]:
    """Return the positions of the first statement below a condition and of the last one, if it leaves.

    Statements that only log are passed over.
    """
    if not is_branch(_read_top(body, statements[ordinal])):
        return []
    below = (at for at in range(ordinal + 1, len(statements)) if not is_empty(body, statements[at]))
    block = list(takewhile(lambda at: statements[at].indent > statements[ordinal].indent, below))
    own = (at for at in block if statements[at].indent == statements[block[0]].indent)
    does = [at for at in own if not only_logs(_read_top(body, statements[at]))]
    return [
        at for at in does if at == does[0] or (at == does[-1] and leaves(_read_top(body, statements[at])))
    ]


def _read_top(body: Body, one: Statement) -> str:
    return body.lines[one.first - 1]
