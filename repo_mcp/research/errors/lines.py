"""Tell lines that make errors, and read the name and the text of an error from one. Pure.

Errors are known by their names, in lines that raise, throw or return one; in C by values such as `EINVAL`.
The text that an error is given tells it from others of its name, and stands for one without a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.statements import holds_failure, is_branch

# The name of an error: `ValueError`, `FormatException`, `Error::Closed`, `ErrClosed`, also of a module,
# `raise errors.NoRowFound(`; in C++ `std::out_of_range`, behind `throw` or in `throw_as<std::out_of_range>(`;
# in Node.js `new ERR_INVALID_URL(`; and what a promise fails with: `promise.fail(Refusal(`.
_ERROR = re.compile(
    r"\b(?:(?:raise|throw new) (?:[a-z_]\w{0,60}\.){0,3}|throw )((?:[A-Z]\w*(?:::|\.))*[A-Z](?=\w*[a-z])\w++)"
    r"(?!\.(?!(?:new|create|from|of)(?![a-z]))[a-z]\w*\()"
    r"|\b((?:[A-Z]\w*)?(?:Error|Exception|Failure)(?:::[A-Z]\w*)?|Err[A-Z]\w+)\b(?![\w.]*\.\w)"
    r"|\bthrow(?: (?=\w+::\w+[({])|_\w+<)((?:\w+::)*[a-z]\w+)\b"
    r"|\bnew ((?:[A-Z0-9]+_){0,4}ERR(?:_[A-Z0-9]+)+)\b"
    r"|\b(?:completeExceptionally|fail|reject|setException|throw_exception)\((?:new )?"
    r"((?:[A-Z]\w*(?:::|\.))*[A-Z](?=\w*[a-z])\w++)(?=\()"
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
# `err = ErrClosed` in Go, where a function may make one: `return NewClosedErr(`.
_GIVES_VALUE = re.compile(
    r"\berrno = (E[A-Z0-9]{2,})\b"
    rf"|\breturn -?\(?{_CODE}"
    rf"|\b(?:\w{{0,40}}err\w{{0,40}}|rc|ret|rv|res|result|retval|status|code)\s*=\s*-?\(?{_CODE}"
    r"|\b(?!\w{0,40}(?:[Ll]og|[Pp]rint|is_|has_|Is|Has))\w{0,40}(?:[Ee]rr|[Ff]ail)\w{0,40}"
    rf"\(\s*+(?:(?:[^()\"=<>]|->){{0,120}},\s*+)?-?{_CODE}"
    r"|\b(Status::(?!OK\b|Ok\b)[A-Z]\w+)\("
    r"|\.(?:map_err|ok_or(?:_else)?)\((?:move )?(?:\|[^|\n]{0,40}\|\s*)?"
    r"((?:\w{1,60}::){0,3}\w{0,60}Error(?:::[A-Z]\w*)?)\b"
    r"|(?:\breturn|\berr :?=) (?:[^,\"]{1,80}, ){0,4}(?:[a-z]\w*\.)?(?:(Err[A-Z]\w*)\s*$|(New\w*Err)\()",
    re.ASCII,
)
_SAYS = re.compile(
    r"\b(?!\w{0,40}(?:log|print|debug|LOG))\w{1,40}_error(?:_[a-z]{1,20})?\([^()\"]{0,120}\""
)  # `report_error(s, "lost")`, `return set_error_context(s,` with the text on the next line
# A call that only logs, `level.Error(logger).Log("msg", ...)`, passes one on, `OnReadError(path)`, or asks
# for one, `event.readError()`; and one that makes an error in Go.
_LOGS = re.compile(
    r"\b(?:level|zap|\w{0,40}[Ll]og(?:ger|ging)?)(?:\(\))?\.(?:Error|Exception)\("
    r"|\b(?:On|Handle|Process|Has|Is|Clear)(?:[A-Z]\w{0,60})?(?:Error|Exception)\("
    r"|\.(?!(?:as|build|create|from|make|new|raise|throw|to|wrap)[A-Z])[a-z]\w{0,60}(?:Error|Exception)\(\s*+\)"
)
# What hands on an error of Swift: `done(.failure(ReadError.closed))`, `.resume(throwing: ReadError.closed)`
_FAILS_WITH = re.compile(r"(?:(?<![\w)])\.failure\(|\bthrowing: )\s*+\w*(?:Error|Failure)\.[a-z]")
_WRAPS = re.compile(r"\b(?:\w{0,20}errors|status)\.(?:Errorf?|Newf|Wrapf?|With(?:Message|Stack)f?)\(")
# The head of a function makes no error: `func (m Matcher) MatchWithError(`, `fn open() -> OpenError`, and
# before the brackets `void ReadError(`. Of Swift, what it `throws(ReadError)` is kept.
_NAMES_FUNCTION = re.compile(
    r"\b(?:fn|func) (?![^{\n]*\bthrows\()[^{\n]*+|\b(?:def|func?|function) \w+"
    r"|^\s*+(?:(?!(?:and|assert|await|case|defer|do|elif|else|for|go|if|in|is|match|new|not|or|raise|return"
    r"|switch|throw|try|unless|when|while|yield)\b)[\w<>\[\],.?*&]++\s++){1,6}[*&]?\w++(?=\()"
)
# What the head of a function of Swift says of any error, perhaps on a line of its own: `) async throws {`.
_MAY_THROW = re.compile(r"\b(?:re)?throws\b(?!\()")
# What a function gives, at the end of its head: `(cause): ReadError {`.
_RESULT = re.compile(r"\)\s*+:\s*+[\w$<>\[\]|.&, ?]++\{\s*+$")
# A text in quotes. In C# a quote is doubled in `@"..."`; one in a word, or of `&'a`, opens no text.
_QUOTED = re.compile(
    r"@\"([^\"\n]*+(?:\"\"[^\"\n]*+)*)\"|\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*)\"|`([^`\n]*+)`"
    r"|(?<![\w&<])[rbfuRBFU]{0,2}'([^'\\\n]*+(?:\\.[^'\\\n]*+)*)'"
)
# What stands before an error that is raised; `Mono.error(`, but not `span.error(`, is one way.
RAISES = (
    r"\b(?:throw|raise|rethrow)\b(?!\s*=)"
    r"|\b(?:[A-Z]\w{0,40}|sink|emitter|subscriber)\.(?:error|failed|failedFuture|reject)\(|(?<![\w)])\.failure\("
    r"|\b(?:completeExceptionally|fail|onError|onErrorMap|orElseThrow|reject|setException|throw_if|throw_unless)\("
    r"|\b(?:Err|map_err|ok_or|ok_or_else)\("
    r"|\bthrow_\w{1,40}\s*+[(<]|\B(?:OrThrow|_or_throw)\("
)
RAISES_WORD = re.compile(r"\b(?:throw|raise)\b")  # of these, a word of the language
# They have no text: nothing but the caller is wrong.
OF_ARGUMENT = frozenset({"ArgumentNullException", "NullPointerException"})
LINE_CHARS = 1_000  # read of a line, so that none takes long
MOST_CHARS = 8_000  # read of a statement, which may be one line of megabytes
MESSAGE_CHARS = 60  # of the text of an error
BEFORE_CHARS = 400  # before a member that an error may be given
_REMARK = re.compile(r"\s(?:#|//)\s.*")  # a comment behind code
_IS_NONE = re.compile(r"(?:_|^)(?:NONE|OK|SUCCESS|NO_ERR(?:OR)?)$|_FLAGS?_")  # a value that is no error
_DECLARES = re.compile(r"\s*+(?:[a-z]++\s++){0,4}(?:class|struct|enum|interface|record)\s++\w")  # a type
_CAUGHT = re.compile(  # what the head of a function `throws` in Java need not arise in it
    r"\b(?:catch|except|rescue)\b[^{:]{0,200}|\bthrows [A-Z][\w.]*+(?:\s*+,\s*+[A-Z][\w.]*+){0,9}"
)
# A function that makes, tests or throws errors, and a call of a member: `ThrowIfError`, `err.Error()`.
# What only asks an error for its stack: `new Error().stack`
_ASKS_STACK = re.compile(
    r"\bnew \w*Error\([^()]*\)\)?\.\w|\bError\.(?:captureStackTrace|prepareStackTrace)\b"
)
_DOES = re.compile(
    r"(?:Add|As|Build|Can|Check|Clear|Convert|Create|Ensure|Get|Handle|Has|Is|Join|Log|Make|Must|New|On|Parse|Process"
    r"|Raise|Report|Retry|Set|Should|Throw|To|Translate|Try|With|Wrap)[A-Z]|\w*GetLastError$"
)
_IS_CALLED, _IS_SET = re.compile(r"\s*\("), re.compile(r"\s*=(?![=>])")
_ENDS_ARGUMENT = re.compile(r"\s*[,)]")
_IS_ASKED = re.compile(r"\s*\(\s*\)")  # `const bool hadError = Error();`
_IS_PARAMETER = re.compile(  # `(XMLError error, `, `XMLError error = `
    r"[&*]*+\s++[&*]*+(?:\s++[&*]*+)?(?!if\b|unless\b|from\b)[a-z]\w*\s*(?:[,)]|=(?![=>~]))"
)
_IS_ARGUMENT = re.compile(  # `throw new ReadError(row, e.`
    r"(?:Error|Exception|Failure)\(\s*+(?:(?:[^()]|\([^()]*+\)){1,200},\s*+)?(?:\w++\.){1,20}$"
)
_PLAIN = (
    "Error",
    "Exception",
    "Failure",
    "InnerException",
)  # as members they are functions and fields: `err.Error()`
# Stands behind the name of an error that a function of its type makes: `throw ReadError.Create(`.
_FACTORY = re.compile(r"(?<=Error|ption)(?:\.|::)(?:[Cc]reate|[Ff]rom|[Nn]ew|[Oo]f|[Ff]or)(?:[A-Z]\w*)?$")
# Stands before the last part of the name of an error that is made: `throw errors.`
_GIVEN_BACK = re.compile(r"\b(?:(?:new|return|raise|throw)\s+[\w.]{0,80}|Throw\w{0,20})\.$")
_CONSTANT = r"(?:[A-Z]\w*(?:\.|::)){0,4}\.?\b(?<=[.:])(?!class\b)\w++"  # `.notFound`, `Code::NotFound`
_MAKES = re.compile(r"\b(?:(?:new|raise|return|throw)\s+|(?:Err|panic|reject|throw)\s?)\(?$")
_TEMPLATE_TOKEN = re.compile(r"\\.|\$\{|[`{}]|[^\\`${}]++|.", re.DOTALL)
_HAS_QUOTE = re.compile(r"[\"'`]")
# An error of a kind that holds another: `DecodeError::Format(FormatErrorInner::TooShort {` in Rust.
_HOLDS_ERROR = re.compile(r"\b\w+::[A-Z]\w*\(\s*+(\w{0,40}Err\w{0,40}::[A-Z]\w*)")
# An error by its name, not "preferred": in Go, each call has a test of one.
OF_ERROR = re.compile(r"(?<![A-Za-z])err(?:s|no|ors?)?(?![a-z])|Err(?:ors?)?(?![a-z])|(?<![A-Z])ERR")


def holds_error(line: str) -> bool:
    """Return True for a line that raises, returns or makes an error, or gives the value of one, as in C.

    Unlike `holds_failure` it knows values, and takes no text in quotes, call that logs, or head of a function
    for an error.
    """
    text = _LOGS.sub("", line[:MOST_CHARS])
    plain = _MAY_THROW.sub("", _RESULT.sub("", blank_texts(_NAMES_FUNCTION.sub("", text))))
    is_made = holds_failure(plain) or _WRAPS.search(plain) or _find_value(plain) or _FAILS_WITH.search(plain)
    return bool(is_made or ("_error(" in plain and _SAYS.search(plain)))


def makes_error(line: str) -> bool:
    """Return True for a line that holds an error, as `holds_error` does, and does not only catch it.

    Nor is one made by a head that says what may be thrown.
    """
    return holds_error(_ASKS_STACK.sub("", _CAUGHT.sub("", line[:MOST_CHARS])))


def blank_texts(line: str) -> str:
    """Return a line with nothing in its quotes."""
    return _QUOTED.sub('""', line)


def declares_type(line: str) -> bool:
    return _DECLARES.match(leave_out_heads(line)) is not None


def leave_out_heads(line: str) -> str:
    """Return a line without the head of a function, and without what it only catches."""
    return _CAUGHT.sub("", _NAMES_FUNCTION.sub("", line))


def name_made(called: str) -> str:
    """Return the name of an error by what is called to make it: `ReadError` for `ReadError.Create`."""
    return _FACTORY.sub("", called)


def _find_value(line: str) -> str | None:
    """Return the value of an error that a line gives; None for one that gives none, or only asks for one."""
    value = None if is_branch(line) and "return" not in line else _GIVES_VALUE.search(line)
    name = None if value is None else next(filter(None, value.groups()))
    return None if name is None or _IS_NONE.search(name) else name


def find_errors(line: str) -> list[str]:
    """Return the names of errors in a line: those of types or constants, not of functions or fields."""
    line = line[:MOST_CHARS]
    value = _find_value(line)
    if value is not None:
        return [value]
    code = _RESULT.sub("", _REMARK.sub("", blank_texts(line)))
    errors, opened = list[str](), 0  # the bracket of the last one, which may hold its cause
    for found in _ERROR.finditer(code):
        name, start = next(filter(None, found.groups()), ""), max(found.start(), found.start(5))
        if name and not _is_cause(code, opened, start, found.end()):
            if _is_something_else(code, name, start, found.end()):
                continue
            errors.append(name_made(name))
            opened = found.end() if _IS_CALLED.match(code, found.end()) else 0
    return errors


def _is_cause(line: str, opened: int, start: int, end: int) -> bool:
    """Return True for a name that another error is given behind its text: `Lost("lost", CauseError)`."""
    if not opened or not _ENDS_ARGUMENT.match(line, end):
        return False
    between = line[opened:start]
    return between.rstrip().endswith(",") and between.count("(") > between.count(")")


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
    if _IS_ARGUMENT.search(line[max(0, start - BEFORE_CHARS) : start]) and not _IS_CALLED.match(line, end):
        return True
    return name in _PLAIN or bool(_IS_CALLED.match(line, end) and not _GIVEN_BACK.search(line[:start]))


def says_error(line: str, statement: str) -> bool:
    """Return True for a line that begins a call such as `set_error(s, "lost")`; it may end further down."""
    found = _SAYS.search(statement) if "_error" in line else None
    return found is not None and found.start() < len(line)


def find_message(statement: str) -> str:
    """Return the first text of several words in a statement, in quotes and cut; "" without one."""
    for found in _QUOTED.finditer(blank_nested(statement)):
        text = next(filter(None, found.groups()), "").strip()
        if " " in text:
            return f'"{text[:MESSAGE_CHARS].rstrip()}{"…" if len(text) > MESSAGE_CHARS else ""}"'
    return ""


def add_value(name: str, statement: str) -> str:
    """Return the name of an error with the constant that a statement gives it first: `Abort(.notFound)`."""
    if name in OF_ARGUMENT:
        return name
    given = re.search(rf"\b{re.escape(name)}\(\s*+(?:\w++:\s*+)?({_CONSTANT})\s*+[,)]", statement)
    return f"{name}({given[1]})" if given is not None else name


def find_inner(name: str, statement: str) -> str:
    """Return the error that another one only holds, or else its own name."""
    inner = _HOLDS_ERROR.search(statement, max(0, statement.find(f"{name}("))) if "::" in name else None
    return inner[1] if inner is not None and statement.startswith(f"{name}(", inner.start()) else name


def join_open(lines: Sequence[str]) -> str:
    """Return the first of some lines and those that follow while its brackets are open."""
    joined, depth = "", 0
    for line in lines:
        joined += f"{line[:LINE_CHARS]}\n"
        bare = blank_texts(line[:LINE_CHARS])
        depth += bare.count("(") - bare.count(")")
        if depth <= 0:
            break
    return joined


def blank_nested(text: str) -> str:
    """Return a text in which expressions with quotes inside a template are `${…}`.

    Otherwise such an expression would end the template, and a part of it would be taken for a text:
    `got ${names.map((name) => `<${name}>`)}`. A template without an end gets one.
    """
    if "${" not in text or "`" not in text:
        return text
    made, inner, opened = list[str](), list[str](), list[str]()
    for found in _TEMPLATE_TOKEN.finditer(text):
        token = found[0]
        (inner if "${" in opened else made).append(token)
        top = opened[-1] if opened else ""
        if token == "`":
            opened = opened[:-1] if top == "`" else [*opened, token]
        elif (token == "${" and top == "`") or (token == "{" and top in ("{", "${")):
            opened.append(token)
        elif token == "}" and top in ("{", "${"):
            opened.pop()
        if inner and "${" not in opened:
            said = "".join(inner[:-1])
            made.append("…}" if _HAS_QUOTE.search(said) else f"{said}}}")
            inner = []
    return "".join(made) + ("…`" if opened[:1] == ["`"] else "")
