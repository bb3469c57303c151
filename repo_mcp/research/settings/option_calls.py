"""Find the calls that declare an option of the command line, what each gives it, and what uses what it sets.

    flags.StringVar(&cfg.dir, "data-dir", "data", "Where to store.")      sets cfg.dir, default "data"
    app.Flag("data-dir", "Where to store.").Default("data").StringVar(&cfg.dir)
    parser.add_argument("--data-dir", dest="dir", default="data")
    options.add("data-dir", str, "data", "Where to store.")           where `default` is the third parameter
    { option: "data-dir", type: "path", default: "data", description: "Where to store." }

Of calls, the text is read, and the parameters of what is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.edges.written_names import list_written
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.open_brackets import list_open_brackets
from repo_mcp.research.findings.records import OptionCall
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.research.settings.given_values import begins_value
from repo_mcp.research.settings.line_use import HEAD_LINES
from repo_mcp.text.question_words import count_words

MOST_MATCHES = 60  # lines with the name of an option
MOST_DECLARING, MOST_USES = 4, 8  # calls that declare it, lines that use what one of them sets
MOST_LINES = 16  # of one call, with those on its result
MAX_DEFAULT_CHARS = 60
MOST_DECLARED = 8  # functions of one name, of which one has a parameter for the default
_TEXT = re.compile(r"\"(?:\\.|[^\"\\\n]){0,900}\"|'(?:\\.|[^'\\\n]){0,900}'|`[^`]{0,900}`")
# What is called before a bracket, with what it is called on: `cmd.Flags().StringVarP`, `Option<int>`.
_CALLED = re.compile(r"((?:[\w$]+(?:\(\))?(?:\.|::|->))*)([\w$]+)!?(?:<[^<>()]*>)?\s*$")
_DECLARES = re.compile(r"flag|option|\bopts?$|_opt\b|arg(?:ument|s)?$|^Arg::|switch|param", re.IGNORECASE)
_DECLARES_KEY = re.compile(  # of a file of configuration
    r"(?:add|declare|define|register)_?(?:config|env|ini|preference|setting)", re.IGNORECASE
)
_TYPED = re.compile(  # functions of Go that are named for the type of the option
    r"(?:String|Bool|U?[iI]nt\d*|Float\d*|Duration|Count|IP\w*|Bytes\w*)(?:To\w+)?(?:Slice|Array)?(?:Var)?P?"
)
# What is called to read, change or test an option rather than to declare it.
_KEEPS = re.compile(
    r"(?i:get|fetch|pop|read|look_?up|has|is|set|put|insert|update|del|remove|mark|changed|find|check|with|use)"
    r"(?![a-z])|(?i:parse)"
)
_READS = re.compile(r"(?i:get|pop|read|look_?up|fetch)")
_NAMED_DEFAULT = re.compile(r"(?:\w+ )?_?default(?![a-z])|(?:\w+ )?default_?[vV]alue", re.IGNORECASE)
# Of an entry of a list of options: the key before its name, and one of what else it tells.
_NAMES_ENTRY = re.compile(r"(?:^|[{,\s])[\"']?(?i:option|name|long|flag)[\"']?\s*[:=]\s*$")
_TELLS_ENTRY = re.compile(
    r"(?:^|[{,\s])[\"']?(?:description|describe|help|usage|default)[\"']?\s*[:=]", re.IGNORECASE
)
# A text of three words or more.
_SENTENCE = re.compile(r"[\"'`]\w[^\"'`]{0,200} [^\"'`]{1,200} \w")
_IN_PROSE = re.compile(r"[\w.)]\s*$")  # before a name in the text of another option; never before an argument
# Before an argument that is not the name: `metavar="dir"`.
_OTHER_ARGUMENT = re.compile(
    r"(?<!\w)(?!(?:dest|flag|key|long|names?|option)\b)\w+\s*[=:]\s*$", re.IGNORECASE
)
_LONG = frozenset({"long", "on", "name", "names"})  # declare an option that is written with dashes
# Stands before a default: `default=`, `.Default(`, `default_value_t = `.
_DEFAULT = re.compile(r"\bdefault_?(?:value)?(?:_t)?\s*(?:\(|=|:)\s*", re.IGNORECASE)
# What an option sets: `&cfg.dir`, `dest="dir"`, or the variable at the start of a statement.
_BOUND = re.compile(r"&([A-Za-z_][\w.]*)|\bdest\s*=\s*[\"'](\w+)[\"']")
_GIVEN = re.compile(r"\s*(?:var |let |const )?([A-Za-z_][\w.]*)(?:\s*:[^=]{1,80})?\s*:?=\s*[^=]")


def list_spelled(name: str) -> list[str]:
    """Return the names that an option may have whose value is kept under a name: `data-dir` for `dataDir`."""
    snake = write_snake(name).strip("_")
    return [*dict.fromkeys((name, snake.replace("_", "-"), snake))]


def list_declaring(state: ResearchState, name: str, *, with_keys: bool = False) -> list[OptionCall]:
    """Return the calls of the program that declare an option, in the order of their paths.

    With `with_keys`, those count too that declare a key of a configuration file: `addini("paths", ...)`.
    """
    quoted = re.escape(name)
    pattern = rf"[\"'`](?:(?:-\w,? ?)?--?{quoted}(?:[ =<\[,][^\"'`]*)?|{quoted})[\"'`]"
    request = ExactRequest(pattern, regex=True, limit=MOST_MATCHES, include_tests=False, by_role=True)
    found: list[OptionCall] = []
    for match in state.source.search_exact(request).matches:
        if len(found) < MOST_DECLARING and may_answer(match.path) and state.admits(match.path):
            written = re.search(pattern, match.line)
            if written is not None:
                call = _read_call(state, name, match, written, with_keys=with_keys)
                call = call or _read_entry(state, name, match, written)
                found += [call] if call is not None else []
    return found


def _read_call(
    state: ResearchState, name: str, match: ExactMatch, written: re.Match[str], *, with_keys: bool
) -> OptionCall | None:
    """Return the call of which a name is an argument, `written` in the matching line, if it declares one."""
    if match.start_line in state.source.read_comment_lines(match.path):
        return None
    lines = state.source.read_lines(match.path)
    start = max(0, match.start_line - 1 - HEAD_LINES)
    head = "\n".join((*lines[start : match.start_line - 1], match.line[: written.start()]))
    opened = _find_open_bracket(mask_texts(head))
    if opened is None or not (
        _declares(head[:opened], written[0], match.path)
        or (with_keys and _DECLARES_KEY.search(head[:opened].rpartition("\n")[2]))
    ):
        return None
    before = head[opened + 1 :]
    if _IN_PROSE.search(before) or _OTHER_ARGUMENT.search(before):
        return None
    first = start + head.count("\n", 0, opened) + 1
    found = _CALLED.search(head[:opened])
    called = found[2] if found is not None else ""
    last = _find_last(lines, first, match.start_line, called)
    text = "\n".join(lines[first - 1 : last])
    begins = text.find("(", opened - (head.rfind("\n", 0, opened) + 1))
    default = _read_default(text, begins, called, match.path)
    if not default and begins >= 0:
        default = _read_positional(state, text, begins, called)
    return OptionCall(name, match.path, match.start_line, first, last, default, _read_bound(text))


def explains(state: ResearchState, call: OptionCall) -> bool:
    """Return True for a call with a text of several words: it says what the option is for."""
    lines = state.source.read_lines(call.path)[call.first - 1 : call.last]
    return any(map(_SENTENCE.search, lines)) or '"""' in "".join(lines)


def _read_positional(state: ResearchState, text: str, begins: int, called: str) -> str:
    """Return the argument behind a bracket that a parameter of what is called takes as default; or ""."""
    position = _find_default_position(state, called)
    arguments = [*_iter_arguments(text, mask_texts(text), begins + 1)]
    return arguments[position] if 0 < position < len(arguments) else ""  # the first one is the name


def _find_default_position(state: ResearchState, called: str) -> int:
    """Return the position of the default among the arguments of what is called; -1 if that is not known."""
    for one in state.graph.scan.find_declared(called, MOST_DECLARED):
        names = [own.strip() for own in state.get_node(one).symbol.parameters.strip("()").split(",")]
        names = names[1:] if names[0] in ("self", "cls") else names
        found = [at for at, own in enumerate(names) if _NAMED_DEFAULT.match(own)]
        if found:
            return found[0]
    return -1


def _read_entry(
    state: ResearchState, name: str, match: ExactMatch, written: re.Match[str]
) -> OptionCall | None:
    """Return the entry of a list of options that has a name, if it tells more of the option."""
    if not _NAMES_ENTRY.search(match.line[: written.start()]):
        return None
    lines = state.source.read_lines(match.path)
    at = match.start_line
    first = at - 1 if at > 1 and lines[at - 2].rstrip().endswith("{") else at
    below = range(at, min(at + MOST_LINES, len(lines)) + 1)
    last = next((one for one in below if lines[one - 1].lstrip().startswith("}")), 0)
    text = "\n".join(lines[first - 1 : last])
    if not last or not _TELLS_ENTRY.search(text):
        return None
    default = _DEFAULT.search(mask_texts(text))
    given = "" if default is None else _cut_argument(text, mask_texts(text), default.end())
    return OptionCall(name, match.path, at, first, last, given)


def find_default(state: ResearchState, path: str, at: int, name: str, *, reads: bool = False) -> str:
    """Return the default that a call gives to a setting whose quoted name is an argument on a line; or "".

    addini("file_names", default=["test_*.py"])    With `reads`, also config.get("file_names", "x").
    """
    lines = state.source.read_lines(path)
    line = lines[at - 1] if at <= len(lines) else ""
    written = re.search(rf"[\"'`](?:-\w,? ?)?(?:--?)?{re.escape(name)}[\"'`]\s*(?:,|$)", line)
    if written is None or at in state.source.read_comment_lines(path):
        return ""
    start = max(0, at - 1 - HEAD_LINES)
    head = "\n".join((*lines[start : at - 1], line[: written.start()]))
    opened = _find_open_bracket(mask_texts(head))
    called = None if opened is None else _CALLED.search(head[:opened])
    if opened is None or called is None or head[opened + 1 :].strip()[-1:] not in ("", ","):
        return ""
    first = start + head.count("\n", 0, opened) + 1
    text = "\n".join(lines[first - 1 : _find_last(lines, first, at, called[2])])
    begins = text.find("(", opened - (head.rfind("\n", 0, opened) + 1))
    if not _KEEPS.match(called[2]):
        return _read_default(text, begins, called[2], path)
    arguments = list(_iter_arguments(text, mask_texts(text), begins + 1))
    is_read = reads and _READS.match(called[2]) and len(arguments) == 2 and name in arguments[0]
    return arguments[1] if is_read and begins_value(arguments[1]) else ""


def mask_texts(text: str) -> str:
    """Return a text of the same length whose quoted parts say nothing."""
    return _TEXT.sub(
        lambda found: f'"{"x" * (len(found[0]) - 2)}"' if "\n" not in found[0] else found[0], text
    )


def _find_open_bracket(text: str) -> int | None:
    """Return the position of the round bracket that is open last, perhaps with a list opened in it."""
    opened = list_open_brackets(text)
    if len(opened) > 1 and text[opened[-1]] in "[{" and text[: opened[-1]].rstrip()[-1:] in "=(,":
        opened.pop()
    return opened[-1] if opened and text[opened[-1]] == "(" else None


def _declares(head: str, written: str, path: str) -> bool:
    """Return True for what is called before a bracket if it declares the option that is written in it."""
    called = _CALLED.search(head)
    if called is None or _KEEPS.match(called[2]):
        return False
    if _TYPED.fullmatch(called[2]):
        return path.endswith(".go")
    is_dashed = written[1:-1].startswith("-")
    return _DECLARES.search(called[1] + called[2]) is not None or (is_dashed and called[2] in _LONG)


def _find_last(lines: Sequence[str], first: int, at: int, called: str) -> int:
    """Return the last line of a call, and of the calls on its result other than those of the same name."""
    depth = 0
    for number in range(first, min(first + MOST_LINES, len(lines) + 1)):
        bare = mask_texts(lines[number - 1])
        depth += sum(bare.count(one) for one in "([{") - sum(bare.count(one) for one in ")]}")
        following = lines[number].lstrip() if number < len(lines) else ""
        goes_on = bare.rstrip().endswith(".") or (
            following.startswith(".") and not following.startswith(f".{called}(")
        )
        if number >= at and depth <= 0 and not goes_on:
            return number
    return min(first + MOST_LINES - 1, len(lines))


def _read_default(text: str, begins: int, called: str, path: str) -> str:
    """Return the default that a statement gives to an option, as it is written; "" if it gives none."""
    masked = mask_texts(text)
    found = _DEFAULT.search(masked)
    if found is not None:
        return _cut_argument(text, masked, found.end())
    arguments = list(_iter_arguments(text, masked, begins + 1))
    at = next((number for number, one in enumerate(arguments) if one[:1] in "\"'`"), 0)
    if path.endswith(".go") and _TYPED.fullmatch(called):
        at += 2 if called.endswith("P") and called != "IP" else 1
        return arguments[at] if at + 1 < len(arguments) else ""
    return ""


def _iter_arguments(text: str, masked: str, at: int) -> Iterator[str]:
    """Yield the arguments of a call whose bracket is opened before a position."""
    while at < len(text):
        end = _find_end(masked, at)
        if text[at:end].strip():
            yield _cut_argument(text, masked, at)
        if masked[end : end + 1] != ",":
            return
        at = end + 1


def _cut_argument(text: str, masked: str, at: int) -> str:
    """Return the argument that begins at a position, on one line."""
    value = " ".join(text[at : _find_end(masked, at)].split())
    return value if len(value) <= MAX_DEFAULT_CHARS else f"{value[:MAX_DEFAULT_CHARS]}…"


def _find_end(masked: str, at: int) -> int:
    """Return the position of the comma or bracket that ends an argument."""
    depth = 0
    for position in range(at, len(masked)):
        char = masked[position]
        if depth == 0 and char in ",)]}":
            return position
        depth += (char in "([{") - (char in ")]}")
    return len(masked)


def _read_bound(text: str) -> str:
    """Return what a statement sets to the option: what it gives the address of, or the variable itself."""
    found = _BOUND.search(text)
    if found is not None:
        return found[1] or found[2]
    given = _GIVEN.match(text)
    return given[1] if given is not None and "add_arg" not in text else ""


def list_uses_of_bound(state: ResearchState, call: OptionCall) -> list[tuple[str, int]]:
    """Return the other lines that use what a call sets, each with its path.

    They are those of its file, or else those of the program that have the name of the field, if that is one
    of several words.
    """
    if not call.bound:
        return []
    used = re.compile(rf"(?<![\w.]){re.escape(call.bound)}\b(?!\s*:)")
    comments = state.source.read_comment_lines(call.path)
    own = (at for at, line in enumerate(state.source.read_lines(call.path), 1) if used.search(line))
    found = [(call.path, at) for at in own if not call.first <= at <= call.last and at not in comments]
    field = call.bound.rpartition(".")[2]
    if not found and field != call.bound and count_words(field) > 1:
        others = list_written(state, field)
        found = [
            (one.path, one.start_line)
            for one in others
            if re.search(rf"\.{field}\b", one.line)
            and not (one.path == call.path and call.first <= one.start_line <= call.last)
            and one.start_line not in state.source.read_comment_lines(one.path)
        ]
    return found[:MOST_USES]
