"""Tell what a line does with the name of a setting: sets, takes, declares or only reads it.

`classify_use` knows the line alone, `classify_match` also whether it is a comment and what is open above it.
"""

from __future__ import annotations

import re
from enum import StrEnum

from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.open_brackets import QUOTED, list_open_brackets
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.given_values import tells_value
from repo_mcp.research.settings.unpacked import is_unpacked
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

# `os.environ["NAME"]`, `std::env::var_os("NAME")`, `GetEnvironmentVariable("NAME")`, `process.env.NAME`.
# Unless the name is in capitals, it is quoted: an object called `environment` may have a field of the name.
# The argument may be labelled, as in Swift: `Environment.secret(path: "NAME")`.
_TAKEN = (
    r"\b\w{0,40}env\w{0,40}[\w.:!]{0,80}\s{0,40}[(\[]\s{0,40}(?:\w{1,40}:\s{0,8})?[\"'`]NAME\b"
    r"|\bprocess\.env\.NAME\b"
)
_TAKEN_IN_CAPITALS = _TAKEN + r"|\b\w{0,40}env\w{0,40}[\w.:!]{0,80}\s{0,40}[(\[.]\s{0,40}NAME\b"
# A line that sets a variable of the environment: `os.environ["NAME"] = `, `std::env::set_var(`, `setenv(`
_GIVEN = re.compile(
    r"\.env\s*\(|(?:set|put)_?env\w*\s*\(|set_var\s*\(|env_remove|\]\s*=[^=]|\benv\.\w+\s*=[^=]",
    re.IGNORECASE,
)
# A call that declares an option by its name: `pflag.IntVarP(&jobs, "NAME",`, `.option("NAME",`
_TAKEN_AS_OPTION = (
    r"\b(?!get|has|is_|lookup|read)\w{0,20}(?:flag|option)\w{0,20}(?:\(\))?(?:\.(\w{1,40}))?"
    r"\((?:&?[\w.]{1,80},\s{0,40})?"
    r"[\"'`]NAME[\"'`]\s{0,40},"
)
# The address of a variable handed to a call that declares an option: `.IntVar(&cfg.NAME)`
_FILLED = r"(?:\w{0,40}Var\w{0,2}|\w{0,40}(?:flag|option)\w{0,20})\(\s{0,8}&[\w.]{0,80}(?<!\w)NAME\b"
# Functions that read or change a record of options, and declare none.
_KEEPS = re.compile(r"(?:get|pop|read|lookup|has|is_|set|put|insert|update|del|remove)", re.IGNORECASE)
_READING = re.compile(r"(?:get|pop|read|lookup|env|has|is_)", re.IGNORECASE)  # functions that read a setting
# A function that returns the setting if its name is the only argument: `app.setting("NAME")`
_ASKING = r"\b\w{0,40}(?:conf|config|settings?|option|pref|preference)"
_SETTING = re.compile(r"(?:set|define|declare|register|add|default|option)", re.IGNORECASE)

_TAKES_OPTION = re.compile(r"arg|opt|flag|param", re.IGNORECASE)  # a function that declares an option
# An attribute that a call declares: `class_attribute :NAME`, `mattr_accessor :OTHER, :NAME` of Ruby
_ATTRIBUTE = (
    r"(?:^|[\s.])(?:class_attribute|thread_mattr_\w+|[cm]?attr_\w+|config_accessor|attribute|option|setting)"
    r"\s*\(?\s*(?::\w+,\s*){0,20}:NAME\b"
)
# A field or parameter alone on its line, with its type.
_TYPED = (
    r"\bNAME\??\s{0,8}:\s{0,8}(?-i:boolean|bool|string|str|number|int|float)(?:\s{0,8}\|[^=]{0,80})?[;,]?\s*$"
)
_NOT_SET = r"(?!\s*(?:\?\?|\|\|)?=(?!=))"
_SCHEMA = re.compile(r"(?:^|[/._-])schemas?(?=[/._-]).*\.json$", re.IGNORECASE)
# Stands before the bracket with the parameters of a function; `.init(` of Swift is a call.
_HEAD = re.compile(r"(?:\b(?:def|function|func|fn|fun)\s+[\w$]+|(?<![.\w])(?:init|constructor|function))\s*$")
_LITERAL = re.compile(r"(?:-?\.?\d|[\"'`]|(?:true|false|True|False)\b)(?![^,)]*[\"'`]\s*\|)")
_ADORNS = re.compile(r"\s*(?:@\w|\[\w|#\[)")
_SCRIPTS = frozenset({"javascript", "svelte", "typescript", "vue"})
LINE_CHARS = 400  # read of the head of a function, so that none takes long
HEAD_LINES = 16  # above a line, in which a declaration or a call may begin
_TEXT = re.compile(r"\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'")  # in quotes; a sentence has a blank


class LineUse(StrEnum):
    """The use that a line makes of a name, as the report words it."""

    SETS = "sets {}"
    FILLS = "sets {} by an option"
    TAKES = "takes {} from the environment"
    OPTION = "declares the option {}"
    DECLARES = "declares or documents {}"
    PASSES_ON = "passes the name {}"
    PARAMETER = "takes {} as a parameter with a default"
    GIVES = "has a parameter or an argument {}"
    READS = "reads {}"


def classify_use(name: str, line: str) -> LineUse:
    """Return how a line uses a name.

    If the name is a quoted argument before a comma, the called function decides: `get("NAME", 0)` reads it,
    `setdefault("NAME", 0)` sets it.
    """
    quoted = re.escape(name).replace("_", "[_-]?")
    if re.search(rf"--{quoted}=(?:(?-i:[A-Z][A-Z_]*\b)|<\w)", line, re.IGNORECASE):
        return LineUse.DECLARES  # a text of help
    if re.search(rf"(?:\w::|\bconfig|\bARG|--)\s{{0,40}}{quoted}\b(?!\s*=)", line, re.IGNORECASE):
        return LineUse.DECLARES
    if re.search(_ATTRIBUTE.replace("NAME", quoted), line):
        return LineUse.DECLARES
    taken = _TAKEN_IN_CAPITALS if name.isupper() else _TAKEN
    if re.search(taken.replace("NAME", quoted), line, re.IGNORECASE):
        return LineUse.SETS if _GIVEN.search(line) else LineUse.TAKES
    named = re.search(rf"(?<=[\s.]){quoted}:\s", line, re.IGNORECASE)
    if named is not None and stands_in_text(line, named.start()):
        return LineUse.READS  # a message that names it
    given = re.search(rf"(?<=[\s.]){quoted}\s=(?!=)", line, re.IGNORECASE)
    if given is not None and _ADORNS.match(line) and stands_in_text(line, given.start()):
        return LineUse.READS  # so does what says why something is obsolete
    if re.search(rf"[\"'`][^\"'`]{{0,200}}\b{quoted}=(?:{{|%\w)", line, re.IGNORECASE):
        return LineUse.READS  # a text with its value: f"retries={retries}", "retries=%d"
    if re.search(rf"[\"'][^\"']{{0,200}}\b{quoted}\s?[=:]\s?[\"'](?=\s*[)+,;]|\s*$)", line, re.IGNORECASE):
        return LineUse.READS  # a text before its value: `"retries=" + retries`
    if re.match(rf"\s*case\s+[\"'`]{quoted}[\"'`]\s*:", line, re.IGNORECASE):
        return LineUse.READS  # what is done if it is given
    if is_branch(line) and re.search(rf"\b{quoted}\b[\])]*\s*:\s*$", line, re.IGNORECASE):
        return LineUse.READS  # the colon ends a condition
    if re.search(
        rf"[\w)\]]\[[^\[\]]{{0,80}}\b{quoted}\s*:[^:=]|\?\s[\w.]{{0,80}}\b{quoted}\s:\s", line, re.IGNORECASE
    ):
        return LineUse.READS  # a part of a list, or a choice: `rows[-size:]`, `is_big ? size : 0`
    if _stands_in_call(line, quoted):
        return LineUse.GIVES
    if re.match(
        rf"\s*(?:[\w.]{{1,80}}(?:\.|->))?{quoted}(?:\[\w{{0,40}}\])?\s*=(?![=>])", line, re.IGNORECASE
    ):
        return LineUse.SETS  # perhaps to what is read under the same name
    if re.search(rf"\b(?:name|long|dest)\s*[:=]\s*[\"'`]{quoted}[\"'`]", line, re.IGNORECASE):
        return LineUse.OPTION
    taking = re.search(_TAKEN_AS_OPTION.replace("NAME", quoted), line, re.IGNORECASE)
    if taking is not None and not _KEEPS.match(taking[1] or ""):
        return LineUse.OPTION
    if re.search(_FILLED.replace("NAME", quoted), line, re.IGNORECASE):
        return LineUse.FILLS
    handed = re.search(
        rf"(\w{{0,40}})(\(?)(?:[\w.]{{1,80}}, ?)?\s{{0,40}}[\"']{quoted}[\"']\s{{0,40}},", line, re.IGNORECASE
    )
    if handed is None:
        return LineUse.SETS
    if handed[2] and _READING.match(handed[1]):
        return LineUse.READS
    return LineUse.SETS if handed[2] and _SETTING.match(handed[1]) else LineUse.PASSES_ON


def stands_in_text(line: str, column: int) -> bool:
    """Return True if a column of a line lies in quotes, behind a blank: it is part of a message."""
    opened, at = "", 0
    begun = 0
    while at < column:
        char = line[at]
        if char == "\\":
            at += 1
        elif opened and char == opened:
            opened = ""
        elif not opened and char in "\"'`" and _opens(line, at):
            opened, begun = char, at
        at += 1
    return bool(opened) and " " in line[begun:column]


def _opens(line: str, at: int) -> bool:
    """Return True for a quote that begins a text: an apostrophe stands in a word, or alone."""
    return line[at] != "'" or (not line[at - 1 : at].isalnum() and "'" in line[at + 1 :])


def reads_key(name: str, line: str) -> bool:
    """Return True for a line that asks a record for a setting: `options.pop("NAME", 0)`, `app.conf.NAME`."""
    quoted, named = rf"[\"'`]{re.escape(name)}[\"'`]", re.escape(name)
    asked = r"(?:\b|_)(?:get|read|lookup|fetch)(?:_\w{0,40})?\((?:[\w.>-]{1,60},\s{0,8}){0,2}"
    asked += rf"{quoted}\s*[,)]|\b{_READING.pattern}\w*\(\s*{quoted}\s*[,)]|{_ASKING}\(\s*{quoted}\s*\)"
    asked += rf"|[\w)\]]\[\s*{quoted}\s*\]{_NOT_SET}"
    record = r"\b\w{0,40}(?:conf|config|configuration|settings?|options|opts|cfg|props)"
    code = _TEXT.sub(lambda text: '""' if " " in text[0] else text[0], line)
    return re.search(rf"{asked}|{record}\??\.{named}\b{_NOT_SET}", code, re.IGNORECASE) is not None


def reads_in_call(state: ResearchState, name: str, match: ExactMatch) -> bool:
    """Return True for a quoted name that begins its line, as an argument of what reads a setting."""
    begins = re.match(rf"\s*[\"'`]{re.escape(name)}[\"'`]\s*(?:[,)]|$)", match.line)
    called = _find_open_call(state, match, 0) if begins else None
    return called is not None and _READING.match(called) is not None


def classify_match(state: ResearchState, name: str, match: ExactMatch) -> LineUse:
    """Return how a line uses a name, considering also whether it is a comment and which brackets are open."""
    if takes_out(state, name, match):
        return LineUse.READS
    use = classify_use(name, match.line)
    if use is LineUse.PASSES_ON:
        opened = _find_open_call(state, match, match.line.find(name))
        is_default = LineUse.SETS if _lies_in_defaults(state, match) else use
        return (_judge_call(opened) if opened else None) or is_default
    quoted = re.escape(name).replace("_", "[_-]?")
    if use in (LineUse.GIVES, LineUse.SETS) and read_parameter_default(name, match.line):
        opened = _find_open_call(state, match, match.line.find(name))
        if opened and _heads_function(state, match, opened):
            return LineUse.PARAMETER
    if use is LineUse.GIVES and _gives_literal(match.line, quoted):
        return LineUse.SETS
    if use not in (LineUse.SETS, LineUse.DECLARES):
        return use
    if match.start_line in state.source.read_comment_lines(match.path):
        return LineUse.DECLARES
    if use is LineUse.SETS and _declares_type(match, quoted):
        return LineUse.DECLARES
    if use is LineUse.DECLARES:
        option = re.search(rf"[\"'`][^\"'`]{{0,20}}--{quoted}\b", match.line, re.IGNORECASE)
        called = None if option is None else _find_open_call(state, match, option.start())
        return LineUse.OPTION if called and _TAKES_OPTION.search(called) else use
    read = (
        rf"(?:[\w.?>-]+(?:\.|->)_*{quoted}|{quoted}_|(?:[\w.]+(?:\.|->))?(?:get|is|has)_?{quoted}(?=\())"
        r"(?:(?:\.\w+)?\([\w:. ]*\))?"
    )
    declared = rf"\s*(?:[\w<>\[\],?]+ ){{0,4}}{quoted}(?:\s*:[^=]{{1,80}})?"
    whole = rf"{declared}\s*=\s*{read}(?:\s*\?\?\s*{read})?;?\s*(?://.*)?"
    if re.fullmatch(whole, _join_value(state, match), re.IGNORECASE) or _is_made_of_same(match.line, quoted):
        return LineUse.READS  # a variable of the same name
    if re.fullmatch(rf"\s*(?:this\.|self\.|@)?_?({quoted})\s*=\s*\1;?\s*", match.line, re.IGNORECASE):
        return LineUse.GIVES
    if "=" not in match.line and _declares_field(state, match, quoted):
        return LineUse.DECLARES
    handed = rf"(?<![\w.]){quoted}[\"']?\s*:\s*(?:\w[\w.]*\.{quoted}\b|{quoted}(?:[\[.]|\s*(?:[,}})]|$)))"
    if re.search(handed, match.line, re.IGNORECASE):
        return LineUse.PASSES_ON
    given = re.search(  # a parameter with a type, or one whose value has its name
        rf"(?<=[\w>?\]]) {quoted}\s*=(?!=)"
        rf"|(?<![\w.]){quoted}\s*(?:\??:(?!:)|=\s*[\w.\[\"']*(?:\b|_){quoted}\b)",
        match.line,
        re.IGNORECASE,
    )
    if given is None or _find_open_call(state, match, given.start()) is None:
        return use
    if _gives_literal(match.line, quoted):
        return use
    return LineUse.PASSES_ON if "=" in given[0] else LineUse.GIVES


def takes_out(state: ResearchState, name: str, match: ExactMatch) -> bool:
    """Return True for a line that takes a name out of an object, as only scripts write it."""
    if name not in match.line or find_language(match.path).name not in _SCRIPTS:
        return False
    return is_unpacked(state.source.read_lines(match.path), match.start_line, name)


def _declares_type(match: ExactMatch, quoted: str) -> bool:
    """Return True for a name with its type alone on a line, and for one that a schema describes."""
    is_typed = re.search(_TYPED.replace("NAME", quoted), match.line, re.IGNORECASE) is not None
    return is_typed or (_SCHEMA.search(match.path) is not None and match.line.rstrip().endswith("{"))


def _lies_in_defaults(state: ResearchState, match: ExactMatch) -> bool:
    """Return True for a line of a function that by its name gives defaults: `applySearchDefaults`."""
    around = state.source.find_around(match.path, match.start_line)
    if around is None or around.symbol.kind not in CALLABLE_KINDS:
        return False
    return "default" in around.symbol.name.lower()


def _gives_literal(line: str, quoted: str) -> bool:
    """Return True for an argument that gives a name a literal: `Store(maxSize: 16 * 1024)`."""
    given = re.search(rf"(?:^|[(,])\s{{0,40}}{quoted}\s?:\s(?=\S)(.*)", line, re.IGNORECASE)
    opened = [] if given is None else list_open_brackets(line[: given.start() + 1])
    if given is None or (opened and _HEAD.search(line[: opened[-1]])):
        return False
    return _LITERAL.match(given[1]) is not None


def read_parameter_default(name: str, line: str) -> str:
    """Return what a parameter has on a line of a head if nothing is given for it; "" for none."""
    typed = r"(?:\s*\??:[^=(){}]{1,80})?"
    line = line[:LINE_CHARS]
    found = re.search(rf"(?<![\w.]){re.escape(name)}{typed}\s*=(?![=>])\s*(?=[^\s,])", line)
    if found is None:
        return ""
    value = re.sub(r"\s#\s.*|\s*//.*", "", line[found.end() :])
    depth = 0
    for at, sign in enumerate(value):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == "," and not depth):
            return value[:at].rstrip()
    return value.rstrip(" ;{:")


def _heads_function(state: ResearchState, match: ExactMatch, opened: str) -> bool:
    """Return True if the bracket behind a word is that of the parameters of the function around a line."""
    around = state.source.find_around(match.path, match.start_line)
    return (
        around is not None
        and around.symbol.kind in CALLABLE_KINDS
        and around.symbol.name == opened
        and match.start_line - around.symbol.start_line < HEAD_LINES
    )


def _is_made_of_same(line: str, quoted: str) -> bool:
    """Return True for a variable made of a member of its name, and of no value that the line tells."""
    made = re.match(
        rf"\s*(?:[\w<>\[\],?]+ ){{0,4}}{quoted}(?:\s*:[^=]{{1,80}})?\s*:?=\s*([^=].*(?:\.|->){quoted}\b.*)",
        line,
        re.IGNORECASE,
    )
    return made is not None and not tells_value(made[1])


def _join_value(state: ResearchState, match: ExactMatch) -> str:
    """Return a matching line, with the next one if that is where its value stands."""
    if not match.line.rstrip().endswith("="):
        return match.line
    following = state.source.read_lines(match.path)[match.start_line : match.start_line + 1]
    return " ".join((match.line, *following))


def _declares_field(state: ResearchState, match: ExactMatch, quoted: str) -> bool:
    """Return True for a line that is the declaration of a field of the name, and no key of an object."""
    around = state.source.find_around(match.path, match.start_line)
    if around is None or around.symbol.kind is not SymbolKind.PROPERTY:
        return False
    return bool(re.fullmatch(quoted, around.symbol.name, re.IGNORECASE)) and not _lies_in_value(state, around)


def _lies_in_value(state: ResearchState, node: Node) -> bool:
    """Return True for a property of an object that a variable holds."""
    outline = {one.symbol.ordinal: one for one in state.graph.outline(node.path)}
    while node.symbol.kind is SymbolKind.PROPERTY and node.symbol.parent in outline:
        node = outline[node.symbol.parent]
    return node.symbol.kind in (SymbolKind.VARIABLE, SymbolKind.CONSTANT)


def _find_open_call(state: ResearchState, match: ExactMatch, column: int) -> str | None:
    """Return the word before the round bracket in which a column of a line stands, or "" without a word.

    Return None if the innermost bracket that is open there is no round one.
    """
    above = state.source.read_lines(match.path)[
        max(0, match.start_line - 1 - HEAD_LINES) : match.start_line - 1
    ]
    text = QUOTED.sub("", "\n".join((*above, match.line[:column])))
    opened = list_open_brackets(text)
    if not opened or text[opened[-1]] != "(":
        return None
    word = re.search(r"\w+$", text[: opened[-1]])
    return "" if word is None else word[0]


def _judge_call(name: str) -> LineUse | None:
    """Return what a call does with the name of a setting that stands alone; None if its name does not say.

    It sets or takes a variable of the environment, or makes a record of a setting.
    """
    if re.fullmatch(r"(?:[A-Z]\w*)?(?:Setting|Option|Flag|Preference)", name):
        return LineUse.OPTION
    if re.fullmatch(r"(?:set|put|with|insert)?_?env(?:_?var\w*)?|set_var", name, re.IGNORECASE):
        return LineUse.SETS
    return LineUse.TAKES if re.fullmatch(r"(?:get|lookup|read)_?env\w*", name, re.IGNORECASE) else None


def _stands_in_call(line: str, quoted: str) -> bool:
    """Return True if `name: ` stands in the round brackets of a call or a declaration on a line."""
    found = re.search(rf"[(,]\s{{0,40}}{quoted}\s?\??:\s", line, re.IGNORECASE)
    opened = [] if found is None else list_open_brackets(line[: found.start() + 1])
    return bool(opened) and line[opened[-1]] == "("
