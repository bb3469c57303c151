"""Finds the last line of a declaration: by indentation, by the brace of its body, or by its language.

A declaration ends before the next line that is indented no deeper; a line there that closes a bracket or a
block (`}`, `)`, `end`) still belongs to it. In languages with braces only such a line ends it, because labels
and preprocessor lines of C begin in the first column. A head may take several lines: braces and blank lines
among its parameters do not end it. Indentation does not show the ends of C# that templates make, Lisp forms,
Haskell equations, blocks of Objective-C that `@end` closes, and SQL statements, so each has its own rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from repo_mcp.languages.patterns.heredocs import CSHARP_TOKENS
from repo_mcp.languages.patterns.line_layout import NO_TEXT, WORD_LANGUAGES, Layout
from repo_mcp.languages.patterns.types_above import TYPED_LANGUAGES
from repo_mcp.late_patterns import compile_late

MAX_HEADER_LINES = 60  # from the name, or the end of its parameters, to what ends the head
MAX_PARAMETER_LINES = 200  # of a head whose parameters are not closed before
MAX_STATEMENT_LINES = 200  # of a declaration without a body
MAX_META_LINES = 12  # of the metadata before a name in Clojure
MAX_SQL_LINES = 2_000  # of one statement
_CLOSES = re.compile(rb"[}\])]")
_CLOSES_WITH_END = compile_late(rb"[}\])]|end\b")  # not where braces end blocks: there it may be a label
_PARTS_BLOCK = compile_late(rb"(?:rescue|else|ensure|after|catch)\b")  # of a body, before its `end`
# Some write it at the indentation of the class, even before all else in it.
_SETS_ACCESS = compile_late(rb"(?:private|protected|public)(?:_class_method)?\s*(?:#|$)")
_HOLDS_ACCESS = compile_late(  # the head of a body that may have such a line, and does not end at once
    rb"(?![^#]*\bend[ \t]*(?:\#|$))(?:[ \t]*(?:class|module)\b|[^#]*\bdo\b)"
)
_OPENERS = (b"{", b"(", b"[")  # at the end of a line
# Blocks of all other languages are assumed to have braces, or lines of their own for their ends.
_INDENTED_LANGUAGES = frozenset(
    "python ruby lua haskell elixir julia nim make cmake kconfig clojure common-lisp ocaml fsharp"  # noqa: SIM905
    " erlang".split()
)
_LINE_ENDED_LANGUAGES = frozenset(
    "kotlin scala swift go javascript typescript vue svelte groovy r shell graphql".split()  # noqa: SIM905
)
_GOES_ON_IN_HEAD = compile_late(
    rb"[{)\]}>:=|&.,#/]|->|$|(?:where|extends|implements|with|throws|async|requires|derives)\b"
)
_SIGNATURE = compile_late(rb"[ \t]*([A-Za-z_][\w']*+|\([^\w\s()]++\))[^:\n]*::")  # of a Haskell name
_FORM = compile_late(rb"\((?=(?:[\w.]+[/:])?(?:def|ns\b))")
_LISP_TOKENS = compile_late(  # of these, brackets alone are counted
    rb"""
    ;[^\n]*+ | "[^"\\]*+(?:\\.[^"\\]*+){0,20000}"? | \\. | [()\[\]{}]
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = compile_late(rb"@(?:interface|implementation|protocol)\b")
_DOLLARS = compile_late(rb"\$\w*\$")  # the quotes of PostgreSQL
_CREATES = compile_late(rb"(?i)(?:create|drop|grant|alter|comment on)\b")
_BEGINS = compile_late(rb"(?i)[ \t]*begin\b[^;]*$")
_ENDS_BODY = compile_late(rb"(?i)end\b")
_GOES_ON = compile_late(rb"[)\]}{#]|\w+:\s*$|where\b")  # a line that ends no declaration with a brace
_CONTINUES = compile_late(rb"[)\]>;]|=>|\}\)|where(?:\s|$)")  # a line as deep as its statement
_NO_STATEMENT = compile_late(rb":[ \t]*$|[ \t]*\#")  # the label of an access, or of the preprocessor
_DIRECTIVE_LINE = compile_late(rb"[ \t]*\#(?:if|el|endif)")
_NAMESPACE = compile_late(rb"[ \t]*(?:inline[ \t]+)?namespace\b")
_BRANCH_ENDS = compile_late(rb"[ \t]*\#[ \t]*(?:endif|el)")
_LINE_COMMENT = re.compile(rb"//")
_MACRO = compile_late(rb"[ \t]*#[ \t]*define\b")  # ends with its line, and those that a backslash continues


def choose_end(language: str) -> Callable[[Layout, int], int]:
    """Return what finds the last line of a declaration, given the line of its name."""
    closes = _CLOSES_WITH_END if language in WORD_LANGUAGES else _CLOSES
    find = _ENDS.get(language, _find_indented_end if language in _INDENTED_LANGUAGES else _find_brace_end)
    return partial(find, closes=closes)


def _find_equations_end(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a Haskell function: the equations below its signature begin with its name."""
    end = _find_indented_end(layout, line, closes)
    signature = _SIGNATURE.match(layout.lines[line])
    if signature is None:
        return end
    depth, name = layout.depths[line], signature[1]
    for position in layout.iter_outer(end + 1, depth):
        if layout.depths[position] < depth or not _is_equation(layout.lines[position].strip(), name):
            break
        end = _find_indented_end(layout, position, closes)
    return end


def _is_equation(text: bytes, name: bytes) -> bool:
    """Return whether a line defines a name for some arguments: `f x = ...`, `x <+> y = ...`, or guards."""
    if _SIGNATURE.match(text):
        return False
    if name.startswith(b"("):
        return name[1:-1] in text.partition(b"=")[0] or text.startswith(name)
    return re.match(rb"%b(?![\w'])" % re.escape(name), text) is not None or b"`%b`" % name in text


def _find_form_end(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a Lisp form, by its brackets; by indentation where they do not balance."""
    first = line
    while (
        first > line - MAX_META_LINES and first and not layout.lines[first].lstrip().startswith((b"(", b"#?"))
    ):
        first -= 1  # metadata may stand between "(ns" and the name
    form = _FORM.search(layout.text, layout.find_offset(first), layout.find_offset(line + 1))
    depth = 0
    for token in _LISP_TOKENS.finditer(layout.text, form.start()) if form else ():
        if not layout.spend_step():
            break
        depth += (token[0] in b"([{") - (token[0] in b")]}")
        if not depth:
            return layout.find_line(token.start())
    return _find_indented_end(layout, line, closes)


def _find_directive_end(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a declaration of Objective-C: `@end`, if it is a class or the like."""
    if not _DIRECTIVE.match(layout.lines[line]):
        return _find_brace_end(layout, line, closes)
    for position in layout.iter_outer(line + 1, layout.depths[line]):
        if layout.lines[position].startswith(b"@end"):
            return position
    return line


def _find_statement_of_sql(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of an SQL statement: the first that ends in `;`, outside `$$ ... $$`.

    A body between `BEGIN` and `END` ends where its `END` does.
    """
    quote, is_begun = b"", False
    for position in range(line, min(line + MAX_SQL_LINES, len(layout.lines))):
        text = layout.lines[position]
        if position > line and not quote and _CREATES.match(text):
            return layout.trim(line, position)
        for mark in _DOLLARS.findall(text):
            quote = b"" if mark == quote else quote or mark
        is_begun = is_begun or (not quote and _BEGINS.match(text) is not None)
        if quote or not layout.spend_step() or not text.rstrip().endswith((b";", b"$$", b"//")):
            continue
        if not is_begun or _ENDS_BODY.match(text):
            return position
    return layout.trim(line, min(line + MAX_SQL_LINES, len(layout.lines)))


def _find_indented_end(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    depth = layout.depths[line]
    has_parts = layout.language in WORD_LANGUAGES
    for position in layout.iter_outer(line + 1, depth):
        stripped = layout.lines[position].strip()
        if has_parts and (_is_part(layout, line, position) or _closes_parameters(layout, line, position)):
            continue
        if layout.depths[position] < depth or not closes.match(stripped):
            return layout.trim(line, position)
        if not stripped.endswith((b":", b"(", b"[", b"{", b"=")):  # else: parameters over several lines
            return position
    return layout.trim(line, len(layout.lines))


def _is_part(layout: Layout, line: int, position: int) -> bool:
    """Return whether a line is the head of a further part of the body that begins below `line`."""
    depth, text = layout.depths[line], layout.lines[position].lstrip()
    if layout.depths[position] != depth:
        return False
    if _SETS_ACCESS.match(text):
        if not _HOLDS_ACCESS.match(layout.lines[line]):  # of a constant above the section, or a short method
            return False
        return _find_depth_below(layout, position) > depth or _has_body(layout, line, position)
    return _PARTS_BLOCK.match(text) is not None and _has_body(layout, line, position)


def _closes_parameters(layout: Layout, line: int, position: int) -> bool:
    """Return whether a line has the bracket of the parameters in the head `line`, with the body below it."""
    if not layout.lines[position].lstrip().startswith(b")") or layout.depths[position] != layout.depths[line]:
        return False
    return _find_depth_below(layout, position) > layout.depths[line]


def _find_depth_below(layout: Layout, position: int) -> int:
    """Return the indentation of the first line with text below a line, 0 at the end."""
    below = range(position + 1, len(layout.depths))
    return next((layout.depths[one] for one in below if layout.depths[one] < NO_TEXT), 0)


def _has_body(layout: Layout, line: int, position: int) -> bool:
    """Return whether any line between two lines is indented more than the first."""
    return any(layout.depths[line] < layout.depths[one] < NO_TEXT for one in range(line + 1, position))


def _find_brace_end(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    if _MACRO.match(layout.lines[line]):
        return _find_macro_end(layout, line)
    body = _find_body(layout, line)
    if body is None:
        return _find_statement_end(layout, line)
    depth = layout.depths[line]
    text = layout.lines[body]
    if text.count(b"{") <= text.count(b"}") and not text.rstrip().endswith(_OPENERS):
        if not text.rstrip().endswith((b"=", b"=>")):
            return body
        body = _find_brace_below(layout, body)  # of the value: `{ get; set; } = args =>`
        if body is None:
            return _find_statement_end(layout, line)
        text = layout.lines[body]
    if _is_flat_namespace(layout, line, body):
        return body  # nothing shows which brace closes it
    depth = _find_closing_depth(layout, line, body)
    may_close_deeper = text.rstrip().endswith((b"(", b"[")) or (
        layout.depths[body] > depth and layout.language not in TYPED_LANGUAGES
    )
    is_macro = _is_continued(layout, body)
    for position in layout.iter_outer(body + 1, depth):
        stripped = layout.lines[position].strip()
        if layout.depths[position] < depth and _LINE_COMMENT.match(stripped):
            continue  # code that was taken out, with its marks in the first column
        if _is_continued(layout, position - 1) and not is_macro:
            continue  # of a macro that the body defines
        if may_close_deeper and not _GOES_ON.match(stripped):
            return layout.trim(line, position)
        if closes.match(stripped) and not stripped.endswith(_OPENERS):
            if _is_left_out(layout, position, depth):
                continue
            return position if layout.depths[position] == depth else layout.trim(line, position)
    return layout.trim(line, len(layout.lines))


def _is_left_out(layout: Layout, closing: int, depth: int) -> bool:
    """Return whether a brace of C is in a branch of the preprocessor below which the body goes on."""
    if closing + 2 >= len(layout.lines) or b"#" not in layout.lines[closing + 1]:
        return False
    is_branch = (
        layout.language in TYPED_LANGUAGES and _BRANCH_ENDS.match(layout.lines[closing + 1]) is not None
    )
    return is_branch and NO_TEXT > layout.depths[closing + 2] > depth


def _is_flat_namespace(layout: Layout, line: int, body: int) -> bool:
    """Return whether a line begins a namespace of C++ that indents nothing."""
    text = layout.lines[line]
    if b"namespace" not in text or layout.language not in TYPED_LANGUAGES or not _NAMESPACE.match(text):
        return False
    return _find_depth_below(layout, body) <= layout.depths[line]


def _find_closing_depth(layout: Layout, line: int, body: int) -> int:
    """Return the indentation of the brace that closes a body: in C and C#, it may not be that of the name.

    Some indent the braces; and a name may be on a further line of its head:

        inline Result<T>
            make(T value) {
          return Result<T>(value);
        }
    """
    depth, around = layout.depths[line], layout.depths[body]
    if layout.language == "csharp":
        return around if around < depth else depth  # with a type above the name
    if layout.language not in TYPED_LANGUAGES or (body == line and depth < 2):
        return depth
    if body != line and layout.lines[body].lstrip().startswith(b"{"):
        return around
    inside = body + 1
    while inside < len(layout.lines) and layout.depths[inside] == NO_TEXT:
        inside += 1
    if inside == len(layout.lines) or around != depth or not 0 < layout.depths[inside] < depth:
        return depth
    if _NO_STATEMENT.search(layout.lines[inside]):
        return depth
    return layout.depths[next(layout.iter_outer(inside + 1, layout.depths[inside] - 1), line)]


def _find_body(layout: Layout, line: int) -> int | None:
    """Return the line whose brace opens the body of the declaration in `line`, or None without a body.

    A brace among the parameters opens none, and no blank line among them ends a head.
    """
    nesting, read = 0, line  # of the parameters in the lines before `read`
    closed = line  # the parameters, if any, have ended before this line
    is_line_ended = layout.language in _LINE_ENDED_LANGUAGES
    for position in layout.iter_stops(line, min(line + MAX_PARAMETER_LINES, len(layout.lines))):
        for place in range(read, position):
            change = layout.lines[place].count(b"(") - layout.lines[place].count(b")")
            nesting, closed = nesting + change, closed if change >= 0 else place + 1
            if is_line_ended and nesting <= 0 and _begins_anew(layout, line, place + 1):
                return None
        read = position
        if position >= closed + MAX_HEADER_LINES and nesting <= 0:
            return None
        text = layout.read_statement(position)
        if b"{" in text and _opens_body(text, nesting) and not _sets_member(layout, position):
            return position
        if position == line and b"=" in text and text.endswith(_OPENERS):
            return position
        if not (text.strip() or nesting > 0):
            return _find_brace_below(layout, position)
        if text.endswith(b";"):
            return None
    return None


def _sets_member(layout: Layout, position: int) -> bool:
    """Return whether the braces in a line of a head give a member of C++ its value: `size_{size},`."""
    text = layout.lines[position].rstrip()
    if layout.language not in TYPED_LANGUAGES or text.count(b"{") != text.count(b"}"):
        return False
    return text.endswith(b",") or (text.endswith(b"}") and _find_brace_below(layout, position) is not None)


def _find_brace_below(layout: Layout, line: int) -> int | None:
    """Return the first line with text below a line if it begins with a brace, or None."""
    lines = range(line + 1, min(line + MAX_HEADER_LINES, len(layout.lines)))
    below = next((one for one in lines if layout.lines[one].strip()), None)
    return below if below is not None and layout.lines[below].lstrip().startswith(b"{") else None


def _find_placed_end(layout: Layout, line: int, closes: re.Pattern[bytes]) -> int:
    """Return the last line of a declaration of C#, by its braces if lines of another file are among its own.

    `#line` says so, which generated code of templates has: those lines have the indentation of that file.
    """
    body = _find_body(layout, line) if layout.places_lines else None
    if body is None:
        return _find_brace_end(layout, line, closes)
    depth = 0
    for token in CSHARP_TOKENS.finditer(layout.text, layout.find_offset(body)):
        if not layout.spend_step():
            break
        depth += (token[0] == b"{") - (token[0] == b"}")
        if not depth and token[0] == b"}":
            return layout.find_line(token.start())
    return _find_brace_end(layout, line, closes)


_ENDS = {
    "csharp": _find_placed_end,
    "clojure": _find_form_end,
    "common-lisp": _find_form_end,
    "haskell": _find_equations_end,
    "objective-c": _find_directive_end,
    "sql": _find_statement_of_sql,
}


def _begins_anew(layout: Layout, line: int, place: int) -> bool:
    """Return whether a line below the head in `line` is another statement, where no semicolon ends one."""
    if layout.depths[place] > layout.depths[line]:
        return False
    return _GOES_ON_IN_HEAD.match(layout.lines[place].lstrip()) is None


def _opens_body(text: bytes, nesting: int) -> bool:
    """Return whether a line of a head has the brace of a body, given the parentheses open before it.

    Between them, that of a function does: `x = wrap(function () {`. Those of named or destructured
    parameters, and of defaults, do not: `({`, `, {`, `= { true },`.
    """
    head = text.partition(b"{")[0]
    if nesting + head.count(b"(") <= head.count(b")"):
        return True
    if nesting + text.count(b"(") <= text.count(b")"):
        return b"{" in text[text.rfind(b")") :]
    opened = text.rstrip()
    return opened.endswith(b"{") and opened[:-1].rstrip()[-1:] not in (b"(", b",")


def _find_macro_end(layout: Layout, line: int) -> int:
    while line + 1 < len(layout.lines) and _is_continued(layout, line) and layout.spend_step():
        line += 1
    return line


def _is_continued(layout: Layout, line: int) -> bool:
    return layout.lines[line].endswith(b"\\")


def _find_statement_end(layout: Layout, line: int) -> int:
    """Return the last line of a declaration without a body, which includes deeper and continued lines."""
    for position in range(line, min(line + MAX_STATEMENT_LINES, len(layout.lines))):
        text = layout.read_statement(position)
        if text.endswith(b";") or not layout.spend_step():
            return position
        if position + 1 < len(layout.lines) and layout.is_inside[position + 1]:
            continue
        if not text.endswith((b"\\", b"=>")) and not _follows(layout, line, position + 1):
            return position
    return line


def _follows(layout: Layout, line: int, position: int) -> bool:
    """Return whether the statement that begins in `line` goes on in a line without a body of its own."""
    depth = layout.depths[line]
    if layout.language == "scala":  # whose bodies may be indented, and then have blank lines
        while position < len(layout.lines) and layout.depths[position] == NO_TEXT:
            position += 1
    if layout.language == "csharp":  # which may have a body in some builds alone
        while position < len(layout.lines) and _DIRECTIVE_LINE.match(layout.lines[position]):
            position += 1
    if position >= len(layout.lines):
        return False
    closes = (
        layout.depths[position] == depth and _CONTINUES.match(layout.lines[position].lstrip()) is not None
    )
    return closes or NO_TEXT > layout.depths[position] > depth
