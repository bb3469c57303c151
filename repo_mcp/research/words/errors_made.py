"""Tell which errors the functions make that a question about errors is about.

Errors are known by their names, in lines that raise, throw or return one; in C by values such as `EINVAL`.
The text that an error is given tells it from others of its name, and stands for one without a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.bundler.statements import holds_failure, is_branch, tells
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.research.findings.citing import join_names, name_findings, shorten_symbol
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

_Error = tuple[str, str]  # name and text; one of them may be ""
MAX_ERRORS = 6  # in one sentence
HELPER_LINES = 40  # of a function that makes an error for others
_BOUNDS = Bounds(files=30, references=120)
FAILING = 8  # best declarations whose errors are named
# The name of an error: `ValueError`, `FormatException`, `Error::Closed`, `ErrClosed`; in C++
# `std::out_of_range`, behind `throw` or in `throw_as<std::out_of_range>(`; in Node.js `new ERR_INVALID_URL(`.
_ERROR = re.compile(
    r"\b(?:raise|throw(?: new)?) ((?:[A-Z]\w*(?:::|\.))*[A-Z]\w*[a-z]\w*)\b(?!\.(?!new\b)[a-z]\w*\()"
    r"|\b((?:[A-Z]\w*)?(?:Error|Exception|Failure)(?:::[A-Z]\w*)?|Err[A-Z]\w+)\b(?![\w.]*\.\w)"
    r"|\bthrow(?: (?=\w+::\w+[({])|_\w+<)((?:\w+::)*[a-z]\w+)\b"
    r"|\bnew ((?:[A-Z0-9]+_){0,4}ERR(?:_[A-Z0-9]+)+)\b"
)
# The value of one in C: `EINVAL`, `PARSE_INVALID_METHOD`.
_CODE = (
    r"((?:[A-Z]+_)?E(?:2BIG|ACCES|ADDRINUSE|AGAIN|ALREADY|BADF|BUSY|CANCELED|CONNRESET|EXIST|FAULT|INTR|INVAL|IO"
    r"|ISDIR|MFILE|MSGSIZE|NODEV|NOBUFS|NOENT|NOMEM|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTSUP|OPNOTSUPP|OVERFLOW|PERM"
    r"|PIPE|PROTO|RANGE|ROFS|TIMEDOUT)"
    r"|(?:[A-Z0-9]+_){0,6}(?:ERR(?:OR)?|INVALID|FAIL(?:ED|URE)?)(?:_[A-Z0-9]+){0,6})\b(?!\s*[\[(.])"
)
# A line that gives one: `errno = EINVAL`, `return -EIO`, `s->rc = PARSE_INVALID`, `set_error(s, ERR_IO)`;
# `Status::Corruption(` in C++, `.map_err(|err| Error::Read {` in Rust, `return ErrClosed` and
# `err = ErrClosed` in Go.
_GIVES_VALUE = re.compile(
    r"\berrno = (E[A-Z0-9]{2,})\b"
    rf"|\breturn -?\(?{_CODE}"
    rf"|\b(?:\w{{0,40}}err\w{{0,40}}|rc|ret|rv|res|result|retval|status|code)\s*=\s*-?\(?{_CODE}"
    r"|\b(?!\w{0,40}(?:[Ll]og|[Pp]rint|is_|has_|Is|Has))\w{0,40}(?:[Ee]rr|[Ff]ail)\w{0,40}"
    rf"\(\s*+(?:(?:[^()\"=<>]|->){{0,120}},\s*+)?-?{_CODE}"
    r"|\b(Status::(?!OK\b|Ok\b)[A-Z]\w+)\("
    r"|\.(?:map_err|ok_or(?:_else)?)\((?:move )?(?:\|[^|\n]{0,40}\|\s*)?"
    r"((?:\w{1,60}::){0,3}\w{0,60}Error(?:::[A-Z]\w*)?)\b"
    r"|(?:\breturn|\berr :?=) (?:[^,\"]{1,80}, ){0,4}(?:[a-z]\w*\.)?(Err[A-Z]\w*)\s*$",
    re.ASCII,
)
_SAYS = re.compile(
    r"\b(?!\w{0,40}(?:log|print|debug|LOG))\w{1,40}_error(?:_[a-z]{1,20})?\([^()\"]{0,120}\""
)  # `report_error(s, "lost")`, `return set_error_context(s,` with the text on the next line
# A call that only logs, `level.Error(logger).Log("msg", ...)`, or passes one on, `OnReadError(path)`, and one
# that makes an error in Go.
_LOGS = re.compile(
    r"\b(?:level|zap|\w{0,40}[Ll]og(?:ger|ging)?)(?:\(\))?\.(?:Error|Exception)\("
    r"|\b(?:On|Handle|Process|Has|Is|Clear)(?:[A-Z]\w{0,60})?(?:Error|Exception)\("
)
_WRAPS = re.compile(r"\b(?:\w{0,20}errors|status)\.(?:Errorf?|Newf|Wrapf?|With(?:Message|Stack)f?)\(")
# The head of a function makes no error: `func (m Matcher) MatchWithError(`, `fn open() -> OpenError`, and
# before the brackets `void ReadError(`. Of Swift, what it `throws` is kept.
_NAMES_FUNCTION = re.compile(
    r"\b(?:fn|func) (?![^{\n]*\bthrows\b)[^{\n]*+|\b(?:def|func?|function) \w+"
    r"|^\s*+(?:(?!(?:and|assert|await|case|defer|do|elif|else|for|go|if|in|is|match|new|not|or|raise|return"
    r"|switch|throw|try|unless|when|while|yield)\b)[\w<>\[\],.?*&]++\s++){1,6}[*&]?\w++(?=\()"
)
# A text in quotes. In C# a quote is doubled in `@"..."`; one in a word, or of `&'a`, opens no text.
_QUOTED = re.compile(
    r"@\"([^\"\n]*+(?:\"\"[^\"\n]*+)*)\"|\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*)\"|`([^`\n]*+)`"
    r"|(?<![\w&<])[rbfuRBFU]{0,2}'([^'\\\n]*+(?:\\.[^'\\\n]*+)*)'"
)
# A variable that an error is given: `this.error(message, {`, `raise ValueError(msg)`.
_GIVES_VARIABLE = re.compile(r"\b(?:\w*[Ee]rror|\w*Exception|Errorf|New)\(\s*([a-z]\w{0,60})\s*[,)]")
_RAISES_VARIABLE = re.compile(r"\s*+(?:raise|throw)\s++([a-z_]\w*+)\s*+(?:;|from\b|$)")
VARIABLE_LINES = 12  # above it, in which the variable gets its text
LINE_CHARS = 1_000  # read of a line, so that none takes long
MESSAGE_CHARS, MESSAGE_LINES = 60, 3  # of the text of an error; lines below its name on which it may begin
_REMARK = re.compile(r"\s(?:#|//)\s.*")  # a comment behind code
_IS_NONE = re.compile(r"(?:_|^)(?:NONE|OK|SUCCESS|NO_ERR(?:OR)?)$|_FLAGS?_")  # a value that is no error
_RAISES = re.compile(r"\b(?:raise|throw)\b")
_RETURNS_MADE = re.compile(
    r"\s*+return (?:new )?((?:[A-Z]\w{0,60}(?:::|\.)){0,3}[A-Z]\w{0,60}[a-z])\("
)  # in a helper
_DECLARES = re.compile(r"\s*+(?:[a-z]++\s++){0,4}(?:class|struct|enum|interface|record)\s++\w")  # a type
_CAUGHT = re.compile(  # `throws Exception` and `throws E` in Java name none
    r"\b(?:catch|except|rescue)\b[^{:]{0,200}|\bthrows (?:Exception|Throwable|[A-Z])\b"
)
# A function that makes, tests or throws errors, and a call of a member: `ThrowIfError`, `err.Error()`.
_DOES = re.compile(
    r"(?:Add|As|Build|Can|Check|Clear|Convert|Create|Ensure|Get|Handle|Has|Is|Join|Log|Make|Must|New|On|Parse|Process"
    r"|Report|Retry|Set|Should|Throw|To|Translate|Try|With|Wrap)[A-Z]|\w*GetLastError$"
)
_IS_CALLED, _IS_SET = re.compile(r"\s*\("), re.compile(r"\s*=(?![=>])")
_IS_ASKED = re.compile(r"\s*\(\s*\)")  # `const bool hadError = Error();`
_IS_PARAMETER = re.compile(  # `(XMLError error, `
    r"[&*]*+\s++[&*]*+(?:\s++[&*]*+)?(?!if\b|unless\b|from\b)[a-z]\w*\s*[,)]"
)
_PLAIN = ("Error", "Exception", "Failure")  # as members they are functions and fields: `err.Error()`
# Stands before the last part of the name of an error that is made: `throw errors.`
_GIVEN_BACK = re.compile(r"\b(?:(?:new|return|raise|throw)\s+[\w.]{0,80}|Throw\w{0,20})\.$")
_MAKES = re.compile(r"\b(?:(?:new|raise|return|throw)\s+|(?:Err|panic|reject|throw)\s?)\(?$")
# An error of a kind that holds another: `DecodeError::Format(FormatErrorInner::TooShort {` in Rust.
_HOLDS_ERROR = re.compile(r"\b\w+::[A-Z]\w*\(\s*+(\w{0,40}Err\w{0,40}::[A-Z]\w*)")
# Lines that give a caller the error of what they call, by the ending of the file.
_PASSES_ON = {
    "rs": re.compile(r"[\w)\]]\?(?:[;,.)]|\s*$)"),
    "go": re.compile(r"\breturn\b[^/\n]*\berr\b"),
    "swift": re.compile(r"\btry\b(?![?!])"),
}


def holds_error(line: str) -> bool:
    """Return True for a line that raises, returns or makes an error, or gives the value of one, as in C."""
    plain = _QUOTED.sub('""', _NAMES_FUNCTION.sub("", _LOGS.sub("", line)))
    is_made = holds_failure(plain) or _WRAPS.search(plain) or _find_value(plain)
    return bool(is_made or ("_error(" in plain and _SAYS.search(plain)))


def makes_error(line: str) -> bool:
    """Return True for a line that holds an error and does not only catch it, or say that one may come."""
    return holds_error(_CAUGHT.sub("", line))


def _find_value(line: str) -> str | None:
    """Return the value of an error that a line gives; None for one that gives none, or only asks for one."""
    value = None if is_branch(line) and "return" not in line else _GIVES_VALUE.search(line)
    name = None if value is None else next(filter(None, value.groups()))
    return None if name is None or _IS_NONE.search(name) else name


def list_named(state: ResearchState) -> list[Finding]:
    """Return the functions that a question names and that have a body."""
    named = [one for one in state.findings if one.role is Role.NAMED]
    return [one for one in named if one.end_line > one.start_line]


def describe_function(state: ResearchState, named: Sequence[Finding]) -> str:
    """Return the errors that a function makes, and which of those below it fail, or that none is known to."""
    failing = [one for one in state.findings if one.role is Role.FAILS]
    errors = _name_errors(state, [*named, *failing])
    return f"{errors}{_describe_failing(state, named, failing, errors)}".rstrip()


def describe_near(state: ResearchState, near: Sequence[Finding], asked: str) -> str:
    """Return the errors that findings make, of a single word those with that name; "" if none makes any."""
    return _name_errors(state, near if " " in asked else _keep_named(near, asked))


def _keep_named(near: Sequence[Finding], asked: str) -> Sequence[Finding]:
    """Return the findings with a name that no parser knows, or all if none has it."""
    name = split_qualified(asked.replace("#", "."))[-1]
    return [one for one in near if one.symbol.rpartition(".")[2] == name] or near


def _name_errors(state: ResearchState, near: Sequence[Finding]) -> str:
    """Return a sentence with the names and texts of the errors that some findings make, or their lines."""
    named, unnamed = list_errors(state, near)
    if named:
        return f"Errors that arise here: {join_names(named, MAX_ERRORS)}. "
    return f"Errors arise at {join_names(unnamed)}. " if unnamed else ""


def list_errors(state: ResearchState, near: Sequence[Finding]) -> tuple[list[str], list[str]]:
    """Return the errors that some findings make with their places, and the places of those without a name.

    An error that lacks a name or a text adds nothing to others that have what it has.
    """
    errors: dict[_Error, str] = {}
    unnamed: list[str] = []
    for one in near[:FAILING]:
        for number, own in iter_errors(state, one):
            place = write_citation(one.path, number, number)
            found = own or _list_of_helper(state, one, number)
            unnamed += [] if found else [place]
            for error in found:
                if not _is_covered(error, errors):
                    errors.setdefault(error, place)
    named = [
        f"{' '.join(filter(None, error))} ({place})"
        for error, place in errors.items()
        if not _is_covered(error, errors)
    ]
    if len(named) > MAX_ERRORS:  # else those with words of the question may be among those only counted
        words = list_words(state.request.query)
        named.sort(key=lambda one: -shares_word(one.rpartition(" (")[0], words))  # stable
    return named, unnamed


def iter_errors(state: ResearchState, one: Finding) -> Iterator[tuple[int, list[_Error]]]:
    """Yield the numbers of the lines of a finding that make errors, and these; none if only a helper does."""
    for number, line, statement in _list_code(state, one):
        if tells(line):
            continue
        plain = _CAUGHT.sub("", _NAMES_FUNCTION.sub("", line))
        if (holds_error(plain) or _says_error(line, statement)) and not _DECLARES.match(plain):
            names = [_find_inner(name, statement) for name in find_errors(plain)]
            names = names or _find_made(state, one, number)
            text = _find_message(statement) or _find_variable(state, one, number)
            yield number, [(name, text) for name in names or [""] if name or text]


def _list_of_helper(state: ResearchState, one: Finding, number: int) -> list[_Error]:
    """Return the errors that a function makes which a line calls: `throw makeError(row)`, `fail(row)`."""
    caller = next((node for node in state.nodes.values() if node.node_id == one.node_id), None)
    edges = () if caller is None else state.graph.find_outgoing(caller, CALLS, _BOUNDS).edges
    called = (state.get_node(edge.other) for edge in edges if number in edge.lines)
    helpers = [node for node in called if node.symbol.end_line - node.symbol.start_line < HELPER_LINES]
    own = [build_finding(helper) for helper in helpers if helper is not caller]
    made = [error for place in own for _, errors in iter_errors(state, place) for error in errors]
    line = state.source.read_lines(one.path)[number - 1][:LINE_CHARS]
    if made or _RAISES.search(line) is None:
        return made
    given = [(place, _RETURNS_MADE.match(text)) for place in own for _, text, _ in _list_code(state, place)]
    return [(found[1], "") for _, found in given if found is not None]


def build_finding(node: Node) -> Finding:
    first, last = node.symbol.start_line, node.symbol.end_line
    name = node.symbol.name
    return Finding(
        node.path, first, last, node.qualified_name, node.kind, node.node_id, Reason(""), 0, "", name=name
    )


def _says_error(line: str, statement: str) -> bool:
    """Return True for a line that begins a call such as `set_error(s, "lost")`; it may end further down."""
    found = _SAYS.search(statement) if "_error" in line else None
    return found is not None and found.start() < len(line)


def _find_message(statement: str) -> str:
    """Return the first text of several words in a statement, in quotes and cut; "" without one."""
    for found in _QUOTED.finditer(statement):
        text = next(filter(None, found.groups()), "").strip()
        if " " in text:
            return f'"{text[:MESSAGE_CHARS].rstrip()}{"…" if len(text) > MESSAGE_CHARS else ""}"'
    return ""


def _find_inner(name: str, statement: str) -> str:
    """Return the error that another one only holds, or else its own name."""
    inner = _HOLDS_ERROR.search(statement, max(0, statement.find(f"{name}("))) if "::" in name else None
    return inner[1] if inner is not None and statement.startswith(f"{name}(", inner.start()) else name


def _find_variable(state: ResearchState, one: Finding, number: int) -> str:
    """Return the text of the variable that a line gives an error, as `_find_message` does; "" without one."""
    lines = state.source.read_lines(one.path)
    given = _GIVES_VARIABLE.search(lines[number - 1][:LINE_CHARS])
    if given is None:
        return ""
    sets = re.compile(rf"\b{given[1]}\s*:?=(?!=)")
    above = range(number - 1, max(one.start_line, number - VARIABLE_LINES) - 1, -1)
    at = next((at for at in above if sets.search(lines[at - 1][:LINE_CHARS])), 0)
    return _find_message(_join_open(lines[at - 1 : at + MESSAGE_LINES])) if at else ""


def _find_made(state: ResearchState, one: Finding, number: int) -> list[str]:
    """Return the name of the error that a line raises by the variable which holds it; none for any other."""
    lines = state.source.read_lines(one.path)
    raised = _RAISES_VARIABLE.match(lines[number - 1][:LINE_CHARS])
    if raised is None:
        return []
    makes = re.compile(
        rf"\b{raised[1]}\s*(?::[^=]{{1,60}})?:?=\s*(?:new\s)?(?:\w+(?:\.|::))*([A-Z]\w*[a-z]\w*)\("
    )
    above = (makes.search(lines[at - 1][:LINE_CHARS]) for at in range(number - 1, one.start_line - 1, -1))
    return [found[1] for found in above if found is not None][:1]


def _is_covered(error: _Error, errors: Iterable[_Error]) -> bool:
    """Return True if others already have the name and the text of an error."""
    name, text = error
    return any(
        text in ("", other_text) and (not name or _ends_alike(name, other)) and error != (other, other_text)
        for other, other_text in errors
    )


def _ends_alike(name: str, other: str) -> bool:
    """Return True for two equal names, or if one ends in the other, behind the name of a type."""
    shorter, longer = sorted((name, other), key=len)
    return longer == shorter or longer.endswith((f".{shorter}", f"::{shorter}"))


def _list_code(state: ResearchState, one: Finding) -> list[tuple[int, str, str]]:
    """Return the lines of a finding that are no comments: number, text, and text with what continues it."""
    lines, comments = state.source.read_lines(one.path), state.source.read_comment_lines(one.path)
    numbers = range(one.start_line, min(one.end_line, len(lines)) + 1)
    return [
        (number, lines[number - 1][:LINE_CHARS], _join_open(lines[number - 1 : number + MESSAGE_LINES]))
        for number in numbers
        if number not in comments
    ]


def _join_open(lines: Sequence[str]) -> str:
    """Return the first of some lines and those that follow while its brackets are open."""
    joined, depth = "", 0
    for line in lines:
        joined += f"{line[:LINE_CHARS]}\n"
        bare = _QUOTED.sub('""', line[:LINE_CHARS])
        depth += bare.count("(") - bare.count(")")
        if depth <= 0:
            break
    return joined


def find_errors(line: str) -> list[str]:
    """Return the names of errors in a line: those of types or constants, not of functions or fields."""
    value = _find_value(line)
    if value is not None:
        return [value]
    code = _REMARK.sub("", _QUOTED.sub('""', line))
    return [
        name
        for found in _ERROR.finditer(code)
        if (name := found[1] or found[2] or found[3] or found[4])
        and not _is_something_else(code, name, found.start(), found.end())
    ]


def _is_something_else(line: str, name: str, start: int, end: int) -> bool:
    """Return True for a name that ends like that of an error but is that of a function or a field."""
    if (_DOES.match(name) and f"new {name}" not in line) or _IS_SET.match(line, end):
        return True
    if _IS_PARAMETER.match(line, end):
        return True
    if name in _PLAIN and _IS_ASKED.match(line, end) and not _MAKES.search(line[:start]):
        return True
    if not line[:start].endswith("."):
        return False
    return name in _PLAIN or bool(_IS_CALLED.match(line, end) and not _GIVEN_BACK.search(line[:start]))


def _describe_failing(
    state: ResearchState, named: Sequence[Finding], failing: Sequence[Finding], errors: str
) -> str:
    """Return which functions fail below those that a question names, or that none is known to fail.

    Return "" if none fails but `errors` already names errors of the function itself.
    """
    subject = f"{shorten_symbol(named[0])} ({named[0].citation})"
    if failing:
        too = (
            " too" if any(holds_error(line) for one in named for _, line, _ in _list_code(state, one)) else ""
        )
        return f"{subject} uses {name_findings(failing)}, where errors arise{too}."
    if errors:
        return ""
    passing = _PASSES_ON.get(named[0].path.rpartition(".")[2])
    code = [] if passing is None else _list_code(state, named[0])
    lines = [
        write_citation(named[0].path, number, number)
        for number, line, _ in code
        if passing and passing.search(line)
    ]
    if lines:
        return f"{subject} passes on the errors of what it calls at {join_names(lines)}."
    return f"Neither {subject} nor what it calls is known to cause an error."
