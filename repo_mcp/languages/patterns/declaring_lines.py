"""Finds the lines that declare a name where line patterns see no declaration: fields, values of an enum, ...

    size_t bytes;                  a field, a variable or a prototype, in a type or at the top of a file
    UV_EOF = -4095,                a value, in an enum
    letterBits = 6                 a constant of Go, in "const ("
    self.timeout = timeout         an attribute of Python, in any method

Such a line tells little by itself: inside a function, "count = 1" declares nothing. So the line that opens
the block around it decides, and that is found by indentation. Only lines that hold the name are looked at,
when somebody asks for it; the index knows nothing of them. Text with another layout gives no lines, or wrong
ones, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from repo_mcp.languages.patterns.declared_spans import TAB_COLUMNS
from repo_mcp.record_classes import dataclass

MAX_LINES = 200  # of a file with the name that are looked at
MAX_ABOVE = 3_000  # lines looked through for the one that opens a block: an enum may be long
MAX_HEAD_LINES = 6  # of what opens a block, above its brace
MAX_VALUE_LINES = 14  # of what is declared
MAX_LINE_CHARS = 1_000  # a longer line is data


class Around(Enum):
    """Names the kind of block around a line."""

    TOP = "the top of a file, or of a namespace"
    TYPE = "a type"
    VALUES = "an enum"
    GROUP = "a group of declarations in brackets"
    OTHER = "a function, a call, a value"


@dataclass(frozen=True, slots=True)
class _Rules:
    """Holds the patterns of lines that declare NAME in a family of languages."""

    lines: dict[Around, str]  # by what is around them
    anywhere: str = ""
    type_head: str = (
        r"[^=(]*?\b(?:class|struct|union|interface|trait|protocol|extension|impl|actor|record|object)\b"
    )
    see_through: str = r"[^=(]*?\b(?:namespace|module|mod|extern)\b"  # as if what it opens stood outside


_ATTRIBUTES = r"(?:(?:\[[^\]\n]*\]|\#\[[^\]\n]*\]|@\w+(?:\([^()\n]*\))?)[ \t]*)*"
_VALUE = rf"""
    [ \t]*{_ATTRIBUTES}(?:(?:indirect[ \t]+)?case[ \t]+)?
    (?:\w+[ \t]*(?:\([^()\n]*\)[ \t]*)?(?:=[^,\n]*)?,[ \t]*)*
    NAME[ \t]*(?:[=,({{}};:]|//|/\*|$|__\w)
"""
_ENUM_LINE = r"[^\n({]*\benum\b[^\n{;]*\{[^}\n]*\bNAME[ \t]*(?:[=,}(]|$)"  # in one line
_TYPED = r"""
    [ \t]*(?!(?:return|goto|else|case|throw|delete|new|import|package|await|yield|use)\b)
    [A-Za-z_@\[$][\w:<>,.*&?@$\[\] \t]*[ \t*&>\]$]NAME
    [ \t]*(?:\[[^\]\n]*\][ \t]*)*(?::[ \t]*\w+[ \t]*)?(?:[;,{(]|=(?!=)|//|/\*|__\w|[A-Z_]{2,}\b|\\?$)
    | [ \t]*[A-Za-z_][\w:<>.*&\[\] \t]*[ \t*&\]]\w+[ \t]*=[^;(){}\n]*,   # int a = 0, NAME = 1;
      [ \t]*\*?NAME[ \t]*[;,=\[]
    | [ \t]*[A-Za-z_][\w:<>,.*& \t]*\([ \t]*(?:\w+[ \t]+)?    # a type of functions, or of pointers to them
      (?:[*^][ \t]*NAME[ \t]*(?:\[\w*\][ \t]*)?\)|NAME[ \t]*\)[ \t]*\()
    | [ \t]*\}[\w \t*,]*\bNAME[ \t]*[;,=\[]
    | [ \t]*using[ \t]+NAME[ \t]*=
"""
_KEY = r"""
    [ \t]*(?:@\w+(?:\([^()\n]*\))?[ \t]+)*
    (?:(?:public|private|protected|internal|static|readonly|declare|abstract|override|accessor|async|get|set|val|var|def)
    [ \t]+)*[\#'"]?NAME['"]?[?!]?[ \t]*(?::(?!:)|[;(<,]|=(?!=)|$)
"""
_BOUND = r"[ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:const|let|var|val|static|type)[ \t]+NAME\b"
_ASSIGNED = r"[ \t]*(?:\w+[ \t]*,[ \t]*)*NAME[ \t]*(?:,[ \t]*\w+[ \t]*)*(?:=(?!=)|:(?!=)[ \t]*\S)"
_SWIFT = r"""
    [ \t]*(?:(?:@\w+(?:\([^()\n]*\))?|[a-z]+(?:\([a-z]+\))?)[ \t]+)*
    (?:let|var|case|typealias|associatedtype)[ \t]+(?:\w+[^,\n]*,[ \t]*)*NAME\b
"""
_VAL = r"""
    [ \t]*(?:(?:@\w+(?:\([^()\n]*\))?|[a-z]+(?:\[\w+\])?)[ \t]+)*(?:val|var|typealias|type|given)[ \t]+NAME\b
"""
_RUBY = r"[ \t]*(?:attr_(?:reader|writer|accessor)[ \t(]+(?::\w+,[ \t]*)*:NAME\b|NAME[ \t]*=(?!=))"
_PROTO = r"""
    [ \t]*(?:(?:repeated|optional|required)[ \t]+)?[\w.]+(?:<[\w., \t]+>)?[ \t]+NAME[ \t]*=[ \t]*\d
"""
_GRAPHQL = r"[ \t]*NAME[ \t]*(?:\([^)\n]*\)?[ \t]*)?:[ \t]*[\w\[(]|[ \t]*NAME[ \t]*\($"
_ELIXIR = r"""
    [ \t]*(?:@NAME[ \t]+[^\s=<>|).,]
    | (?:field|belongs_to|has_one|has_many|many_to_many|embeds_one|embeds_many|attr|slot|plug|arg|object|enum|value
      |attribute|argument)[ \t(]+:NAME\b)
"""
_HASKELL = r"[ \t]*[{,][ \t]*(?:\w+[ \t]*,[ \t]*)*NAME[ \t]*(?:,[^:\n]*)?::"
_CONSTRUCTOR = r"""
    [ \t]*(?:[|=][ \t]*(?:!?forall[^.\n]*\.[ \t]*)?NAME(?:[ \t{]|$) | NAME[ \t]*(?:::[ \t]|\{|$))
    | (?:data|newtype)\b[^=\n]*=(?:[^\n]*\|)?[ \t]*NAME(?:[ \t{]|$)
"""
_OCAML_VARIANT = r"""
    [ \t]*(?:\|[ \t]*NAME(?:[ \t]+of\b|[ \t]*:[^:=]|[ \t]*(?:\||\(\*|$)) | NAME(?:[ \t]+of\b|[ \t]*\|))
    | [ \t]*(?:type|and|exception)\b[^=\n]*=(?:[^\n]*\|)?[ \t]*\[?[ \t]*`?NAME\b
"""
_OCAML_FIELD = r"[ \t]*(?:type\b[^={\n]*=[ \t]*)?[{;]?[ \t]*(?:[^{}=\n]*;[ \t]*)?(?:mutable[ \t]+)?NAME[ \t]*:(?![:=])"
_ML_BOUND = r"[ \t]+(?:let|and)[ \t]+NAME\b|[ \t]*val[ \t]+(?:mutable[ \t]+)?NAME\b"
_JULIA = r"[ \t]*(?:const[ \t]+)?NAME[ \t]*(?:::|$|\#|=(?!=))"
_LUA = r"""
    (?:local[ \t]+)(?:[\w \t]+(?:<\w+>)?,[ \t]*)*NAME\b(?![ \t]*=[ \t]*require\b)
    | (?:[\w.]+[.:])?NAME[ \t]*=(?!=)
"""
_PERL = r"""
    (?:our|my|state|local)[ \t]+(?:\([^)\n]*)?[$@%]NAME\b
    | has[ \t]+\[?[ \t]*(?:qw[(\[ \t]+)?[^=\n]*?\bNAME\b[^=\n]*=> | field[ \t]+[$@%]NAME\b
    | use[ \t]+(?:constant|vars)\b[^=\n]*\bNAME\b | use[ \t]+constant[ \t]*\{(?:[^\n]*,)?[ \t]*NAME[ \t]*=>
    | [ \t]*\*NAME[ \t]*=
"""
_MAKE = r"(?:(?:export|override|define)[ \t]+)*NAME[ \t]*(?:[:+?!]?:?=|$)"
_TERRAFORM = r"[ \t]+NAME[ \t]*=(?!=)"
_ZIG = r"[ \t]*(?:comptime[ \t]+)?NAME[ \t]*(?::[ \t]|,|=(?!=))|[ \t]*(?:pub[ \t]+)?(?:const|var)[ \t]+NAME\b"
_R = r"NAME[ \t]*(?:<-|<<-|=(?!=))"
_SQL = r"[ \t]*(?:,[ \t]*)?[\"`\[]?NAME[\"`\]]?[ \t]+[A-Za-z]|.*\badd[ \t]+(?:column|constraint)\b[^;\n]*\bNAME\b"
_CSS = r"(?:[^{};:\n]*[\s,>+~&)])?[.\#]NAME(?:[ \t]*[,{]|[ \t]*$)|[ \t]*NAME[ \t]*:"
_LISP_METHOD = r"[ \t]+\(NAME[ \t]*[\[\n(\"]"
_GO_LIST = r"(?:\w+,[ \t]*)*NAME(?:,[ \t]*\w+)*"

_WORD_HEADS = r"[ \t]*(?:class|module|struct|mutable[ \t]+struct|Base\.@kwdef|@kwdef|abstract[ \t]+type|baremodule)\b"
_SCRIPT = _Rules(
    {Around.TOP: _BOUND, Around.TYPE: _KEY, Around.VALUES: _VALUE},
    anywhere=r"[ \t]*this\.NAME[ \t]*(?::[^=\n]+)?=(?!=)",
    type_head=r"[^=(]*?(?:\b(?:class|interface|object|trait)\b|\b(?:type|const|let|var)\b[^=\n]*=[ \t]*\{"
    r"|exports[ \t]*=[ \t]*\{|export[ \t]+default[ \t]*\{)",
    see_through=r"[^=(]*?\b(?:namespace|module|global)\b|['\"]?\w+['\"]?:[ \t]*\{",  # {a: {NAME: 1}}
)
_BRACES = _Rules(
    {Around.TOP: _TYPED, Around.TYPE: _TYPED, Around.VALUES: f"{_VALUE}|{_TYPED}"}, anywhere=_ENUM_LINE
)
_BOUND_FIELDS = (  # const { a, NAME } = use()
    r"[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]*[{\[][^=\n]*?(?:\w+[ \t]*:[ \t]*)?NAME[ \t]*[,}\]=]"
)
_COMPONENT = _Rules(
    {**_SCRIPT.lines, Around.TOP: f"{_BOUND}|{_BOUND_FIELDS}"},
    _SCRIPT.anywhere,
    _SCRIPT.type_head,
    rf"<script\b|{_SCRIPT.see_through}",
)
_RULES = {
    **dict.fromkeys(("c", "cpp", "objective-c", "csharp", "java", "dart", "groovy", "php", "d"), _BRACES),
    **dict.fromkeys(("typescript", "javascript"), _SCRIPT),
    **dict.fromkeys(("vue", "svelte"), _COMPONENT),
    "protobuf": _Rules(
        {Around.TYPE: _PROTO, Around.VALUES: r"[ \t]*NAME[ \t]*=[ \t]*-?\d"},
        type_head=r"[ \t]*(?:message|oneof|extend)\b",
    ),
    "graphql": _Rules(
        {Around.TYPE: _GRAPHQL, Around.VALUES: r"[ \t]*NAME[ \t]*(?:@|$|\#)"},
        type_head=r"(?:extend[ \t]+)?(?:type|interface|input)\b",
    ),
    "elixir": _Rules({}, anywhere=_ELIXIR),
    "haskell": _Rules({}, anywhere=f"{_HASKELL}|{_CONSTRUCTOR}"),
    "ocaml": _Rules(
        {Around.TYPE: f"{_OCAML_FIELD}|{_ML_BOUND}", Around.TOP: f"{_OCAML_FIELD}|{_ML_BOUND}"},
        anywhere=_OCAML_VARIANT,
        type_head=r".*(?:\{|\bstruct|\bsig|\bobject(?:[ \t]*\(\w+\))?|\btype\b.*=)$",
    ),
    "fsharp": _Rules(
        {Around.TYPE: rf"{_OCAML_FIELD}|{_ML_BOUND}", Around.TOP: _ML_BOUND},
        anywhere=_OCAML_VARIANT,
        type_head=r"(?:type|module|and)\b",
    ),
    "julia": _Rules({Around.TYPE: _JULIA, Around.TOP: _JULIA}, type_head=_WORD_HEADS),
    "lua": _Rules({Around.TOP: _LUA}, anywhere=r"[ \t]*self\.NAME[ \t]*=(?!=)"),
    "perl": _Rules({Around.TOP: _PERL, Around.TYPE: r"[ \t]+NAME[ \t]*=>"}, type_head=r"use[ \t]+constant\b"),
    "make": _Rules({Around.TOP: _MAKE}),
    "dockerfile": _Rules({Around.TOP: r"(?i:arg|env)[ \t]+(?:[^=\n]*=[^\n]*[ \t])?NAME(?:[= \t]|$)"}),
    "terraform": _Rules({Around.TYPE: _TERRAFORM}, type_head=r"locals\b"),
    "zig": _Rules(
        {
            Around.TOP: _ZIG,
            Around.TYPE: _ZIG,
            Around.VALUES: r"[ \t]*(?:@\")?NAME\"?[ \t]*(?:[,:=(]|$)",
        },
        type_head=r".*\b(?:struct|union|opaque)\b[^;]*\{$",
        enum_head=r".*\b(?:enum|error|union)\b[^;]*\{$",
    ),
    "r": _Rules({Around.TOP: _R}),
    "sql": _Rules({Around.TYPE: _SQL}, anywhere=_SQL.partition("|")[2], type_head=r"(?i)create\b.*\b(?:table|type)\b"),
    "css": _Rules({}, anywhere=_CSS),
    "clojure": _Rules({}, anywhere=_LISP_METHOD),
    "shell": _Rules(
        {Around.TOP: r"(?:(?:export|readonly|local|typeset|declare)[ \t]+(?:-\w+[ \t]+)?)?NAME\+?=|alias[ \t]+NAME="},
    ),
    **dict.fromkeys(
        ("kotlin", "scala"), _Rules({Around.TOP: _VAL, Around.TYPE: _VAL, Around.VALUES: f"{_VALUE}|{_VAL}"})
    ),
    "ruby": _Rules(
        {Around.TOP: _RUBY, Around.TYPE: _RUBY},
        anywhere=r"[ \t]+@NAME[ \t]*(?:\|\|)?=(?!=)",
        type_head=r"(?:class|module)\b",
    ),
    "go": _Rules(
        {
            Around.TOP: rf"(?:var|const|type)[ \t]+{_GO_LIST}(?:[ \t\[=]|$)",
            Around.GROUP: rf"[ \t]+{_GO_LIST}[ \t]*(?:=(?!=)|//|$|[\w*\[(])",
            Around.TYPE: rf"[ \t]+{_GO_LIST}(?:[ \t]+[\w*\[(<]|\(|[ \t]*$|[ \t]*//)",
        },
        type_head=r".*\b(?:struct|interface)[ \t]*\{",
    ),
    "rust": _Rules(
        {
            Around.TYPE: r"[ \t]*(?:pub(?:\([\w: ]+\))?[ \t]+)?NAME[ \t]*:(?!:)",
            Around.VALUES: _VALUE,
        },
        type_head=r"[^=(]*?\b(?:struct|union)\b",
    ),
    "swift": _Rules({Around.TOP: _SWIFT, Around.TYPE: _SWIFT, Around.VALUES: _SWIFT}),
    "python": _Rules(
        {Around.TOP: _ASSIGNED, Around.TYPE: _ASSIGNED},
        anywhere=r"[ \t]+self\.NAME[ \t]*(?:=(?!=)|:(?!=)[ \t]*\S)",
        see_through=r"(?:if|elif|else|try|except|finally|with)\b",
    ),
}
_ENUM_HEAD = re.compile(r"[^=(]*\benum\b[^=;(]*")
_GROUP_HEAD = re.compile(r"(?:const|var|type)[ \t]*\($")
_NO_HEAD = re.compile(
    r"[ \t]*(?:$|#(?!\[)|//|/\*|\*|--|(?:public|private|protected|signals|default)\b[\w \t]*:[ \t]*$)"
)
_MACRO_HEAD = re.compile(r"#[ \t]*define[ \t]+\w+[ \t]*\\$")  # of fields that a struct takes by name
_VISIBILITY = re.compile(r"\bpub\([\w: ]+\)[ \t]*")
_CLOSER = re.compile(r"[ \t]*[})](?!.*[{:]$)")
_OPENER_ALONE = re.compile(r"[ \t]*[{)\]:]")
_OPENS = re.compile(r"(?:[{(\[]|\"\"\"\\?|\\)[ \t]*$")
_CALL_ATTRIBUTES = re.compile(r"\b(?:__\w+|alignas|[A-Z][A-Z_]{2,})[ \t]*\((?:[^()]|\([^()]*\))*\)")
_NO_CALLS = frozenset({"c", "cpp", "objective-c"})  # whose functions may return "struct request *"


def list_declaring_lines(language: str, text: str, name: str) -> list[tuple[int, int]]:
    """Return the first and last lines, from 1, of what declares a name in normalised text, in order.

    Returns nothing for a language without rules, and leaves out what line patterns find.
    """
    rules = _RULES.get(language)
    if rules is None or name not in text:
        return []
    if language == "php":
        text = text.replace("$", " ")  # where variables are declared and used alike
    lines = text.split("\n")
    found = []
    for at in _list_holding(text, name):
        if len(lines[at]) <= MAX_LINE_CHARS and _declares(rules, language, lines, at, name):
            found.append((at + 1, _find_end(lines, at) + 1))
    return found


def _list_holding(text: str, name: str) -> list[int]:
    """Return the first lines that hold a name as a word, each once, counted from 0."""
    found: list[int] = []
    line = passed = 0
    at = text.find(name)
    while at >= 0 and len(found) < MAX_LINES:
        end = at + len(name)
        if not (_is_of_word(text[at - 1 : at]) or _is_of_word(text[end : end + 1])):
            line += text.count("\n", passed, at)
            passed = at
            if not found or found[-1] != line:
                found.append(line)
        at = text.find(name, end)
    return found


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _declares(rules: _Rules, language: str, lines: Sequence[str], at: int, name: str) -> bool:
    line = _CALL_ATTRIBUTES.sub("", lines[at]) if language in _NO_CALLS else lines[at]
    if rules.anywhere and _compile(rules.anywhere, name).match(line):
        return True
    if not any(_compile(pattern, name).match(line) for pattern in rules.lines.values()):
        return False
    pattern = rules.lines.get(find_around(language, lines, at))
    return pattern is not None and _compile(pattern, name).match(line) is not None


@lru_cache(maxsize=64)
def _compile(pattern: str, name: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("NAME", rf"(?<![\w$]){re.escape(name)}(?![\w$])"), re.VERBOSE)


def find_around(language: str, lines: Sequence[str], at: int) -> Around:
    """Return what is around a line, counted from 0, by the lines that open blocks above it."""
    rules = _RULES[language]
    while True:
        opener = _find_opener(lines, at)
        if opener is None:
            return Around.TOP
        at, head = opener
        if _GROUP_HEAD.match(head):
            return Around.GROUP
        if _ENUM_HEAD.match(head):
            return Around.VALUES
        if _opens_type(rules, language, head):
            return Around.TYPE
        if not re.match(rules.see_through, head):
            return Around.OTHER


def _opens_type(rules: _Rules, language: str, head: str) -> bool:
    if language in _NO_CALLS:
        if _MACRO_HEAD.match(head):
            return True
        head = _CALL_ATTRIBUTES.sub("", head)
        if "(" in head or "=" in head:
            return False
    return re.match(rules.type_head, head) is not None


def _find_opener(lines: Sequence[str], at: int) -> tuple[int, str] | None:
    """Return the line that opens the block around a line, and the text of its head; None at the top."""
    depth = _measure(lines[at])
    for above in range(at - 1, max(-1, at - MAX_ABOVE), -1):
        line = lines[above]
        if not depth:
            return None
        if (_NO_HEAD.match(line) and not _MACRO_HEAD.match(line)) or _measure(line) >= depth:
            continue
        if _CLOSER.match(line):  # of a block beside this one, below whose label the line is indented
            depth = _measure(line)
        elif _OPENER_ALONE.match(line):
            return _find_head(lines, above)
        else:
            return above, _VISIBILITY.sub("", line.strip())
    return None


def _find_head(lines: Sequence[str], brace: int) -> tuple[int, str]:
    """Return the first line and the text of a head whose brace, or last bracket, has a line of its own."""
    first, head = brace, [lines[brace]]
    for above in range(brace - 1, max(-1, brace - 1 - MAX_HEAD_LINES), -1):
        line = lines[above]
        if line.startswith("#"):  # a condition of the preprocessor
            continue
        if _NO_HEAD.match(line):
            break
        first = above
        head.append(line)
        if _measure(line) <= _measure(lines[brace]):
            break
    return first, _VISIBILITY.sub("", " ".join(one.strip() for one in reversed(head)))


def _find_end(lines: Sequence[str], at: int) -> int:
    """Return the last line of what is declared: its own, or the one that closes what it opens."""
    if not _OPENS.search(lines[at]):
        return at
    depth = _measure(lines[at])
    for below in range(at + 1, min(len(lines), at + MAX_VALUE_LINES)):
        if lines[below].strip() and _measure(lines[below]) <= depth:
            return below if lines[below].lstrip()[:1] in "{}()[]\"':" else below - 1
    return min(len(lines), at + MAX_VALUE_LINES) - 1


def _measure(line: str) -> int:
    """Return the column in which the text of a line begins."""
    text = line.expandtabs(TAB_COLUMNS)
    return len(text) - len(text.lstrip())
