"""Finds members that no line pattern sees, because one line may declare several, or none by itself.

    public static array $types = [];                PHP: properties, also those of a constructor's parameters
    attr_reader :path, :site                        Ruby: what a class calls in its body to declare members
    def_delegators :@obj, :each, :size              where the receiver comes first,
    alias_method :extname, :ext                     or only the first name is new
    # :method: before_action                        and comments for RDoc on what is made at run time
    case Draft = 'draft';                           PHP: values of an enum
    RED(1), BLUE(2);                                Kotlin: entries of an enum
    private val path: Path                          Kotlin: properties, also those of a constructor

Left out: names that are computed, and those that a prefix is put before. What is indented deeper than other
members of its type or its `companion object` is in a block of code, whose variables are no members.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import attrgetter

from repo_mcp.languages.outline.adapter import MAX_NAME_CHARS, MAX_SIGNATURE_CHARS, cut
from repo_mcp.languages.outline.declaration_heads import measure_indent
from repo_mcp.languages.patterns.declaration_kinds import CLASS_KINDS
from repo_mcp.languages.patterns.heredocs import iter_texts
from repo_mcp.late_patterns import compile_late
from repo_mcp.model import Symbol
from repo_mcp.record_classes import dataclass, replace

_WORD = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*"
_PHP = compile_late(
    rb"""
    \n[ \t]++case[ \t]+(?P<case>%(word)b)(?=[ \t]*(?:=[^\n:]*)?;)
    | [\n(,][ \t]*+(?:\#\[[^\]\n]{0,200}\][ \t]*+)?
      (?P<words>(?:(?:public|protected|private|static|readonly|var|final|abstract)(?:\(set\))?[ \t]++){1,6})
      (?:[?\\\w|&()]{1,200}[ \t]++)?&?\$(?P<property>%(word)b)(?=[ \t]*(?:[;=,){]|\n))
    """
    % {b"word": _WORD},
    re.VERBOSE,
)
_NAME = rb"(?::@{0,2}[A-Za-z_]\w*[?!=]?|:?\"[\w?!=]+\"|:?'[\w?!=]+')"
_RUBY = compile_late(
    rb"""
    \n[ \t]*+(?:(?:private|protected|public|module_function|private_class_method)[ \t(]+)?
    (?:(?:singleton_class|self)\.)?(?P<macro>(?:\w{1,40}_)?(?:attr|accessor|reader|writer|attribute|delegat\w{1,40})(?:_\w{1,40})?|define_method|alias(?:_method)?
      |scope|has_many|has_one|belongs_to|has_and_belongs_to_many)
    [ \t(]+(?P<names>%(name)b(?:[ \t]*,\s*%(name)b){0,200}|(?<=alias[ ])[\w?!=]+)(?P<rest>[^\n]*)
    """
    % {b"name": _NAME},
    re.VERBOSE,
)
_DOCUMENTED = compile_late(
    rb"""
    \n[ \t]*+\#[ \t]*+:(?P<what>(?:singleton-)?method|attr\w{0,9}):[ \t]*+(?P<name>[\w?!=]++)[^\n]*+
    (?P<rest>(?:\n[ \t]*+\#(?![ \t]*+:(?:singleton-)?(?:method|attr))[^\n]*+){0,500})(?=(?P<below>\n[^\n]*+)?)
    """,
    re.VERBOSE,
)
_KOTLIN = compile_late(
    rb"""
    \n(?P<indent>[ \t]++)(?:@\w++(?:\([^()\n]{0,200}\))?[ \t]++){0,4}
    (?:
      (?P<companion>(?:(?:public|private|protected|internal)[ \t]++)?companion[ \t]++object\b)
    | (?P<words>(?:(?:public|private|protected|internal|open|abstract|final|override|lateinit|const|vararg
        |inline|external|expect|actual)[ \t]++){0,5}va[lr][ \t]++)
      (?:<[^<>\n]{1,80}>[ \t]++)?(?:[\w<>?.*, ]{1,80}\.)?
      (?P<property>%(word)s)(?=[ \t]*(?:[:=,)]|by\b|get\(|\n))
    | (?P<entries>%(entry)s(?:[ \t]*,[ \t]*%(entry)s){0,200})(?=[ \t]*(?:[,;{(/]|\n))
    )
    """
    % {b"word": _WORD, b"entry": rb"[A-Z]\w*+(?:\([^()\n]{0,200}\))?"},
    re.VERBOSE,
)
_ENTRY = re.compile(rb"(?:^|,[ \t]*)(\w+)")
_LISTED = re.compile(rb"[\w?!=@]+")
MAX_VALUE_LINES = 400  # of a property
_TYPES = CLASS_KINDS | {"module"}
_OPENS = re.compile(rb"[\[(][ \t]*$")
_METHODS = (b"delegat", b"alias", b"define_method", b"scope")  # in the words that declare no attribute
_ONLY_FIRST = frozenset(
    b"alias alias_method alias_attribute attribute define_method scope"
    b" has_many has_one belongs_to has_and_belongs_to_many".split()
)


@dataclass(frozen=True, slots=True)
class _Member:
    """A member as a text declares it."""

    start: int  # byte offset of the name
    name: str
    kind: str
    signature: str
    may_be_parameter: bool = False  # of a constructor
    indent: int = 0  # compared with that of the type's other members
    block: int = -1  # where the companion around it begins
    below: int = 0  # lines below its own that belong to it


def add_members(language: str, text: bytes, symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the declarations of normalised text with the members of its types, in the order of lines."""
    members = sorted(_iter_members(language, text), key=attrgetter("start"))
    if not members:
        return [*symbols]
    lines = text.split(b"\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    quoted = [
        (bisect_right(starts, first), bisect_right(starts, last))
        for first, last in iter_texts(language, text)
    ]
    found: list[tuple[Symbol, tuple[int, int], int]] = []  # with its type and block, and its indentation
    begun: list[Symbol] = []
    at = 0
    for member in members:
        line = bisect_right(starts, member.start)
        while at < len(symbols) and symbols[at].start_line <= line:
            begun.append(symbols[at])
            at += 1
        begun = [one for one in begun if one.end_line >= line]
        inner = max(begun, key=lambda one: (one.start_line, -one.end_line), default=None)
        if inner is None or any(first <= line <= last for first, last in quoted):
            continue
        if member.may_be_parameter and inner.name == "__construct":
            around = inner.parent_symbol
        elif _is_enum(inner) if member.kind == "enum_member" else inner.kind in _TYPES:
            around = inner.name if inner.parent_symbol is None else f"{inner.parent_symbol}.{inner.name}"
        else:
            continue
        end = max(_find_end(lines, line - 1) + 1, line + member.below)
        built = Symbol(member.kind, member.name, member.signature, line, end, None, around, "class")
        found.append((built, (inner.start_line, member.block), member.indent))
    least: dict[tuple[int, int], int] = {}
    for _, block, indent in found:
        least[block] = min(indent, least.get(block, indent))
    kept = [one for one, block, indent in found if indent == least[block]]
    ordered = [*symbols, *kept]
    ordered.sort(key=lambda one: (one.start_line, one.end_line))  # stable
    return ordered


def _is_enum(symbol: Symbol) -> bool:
    return symbol.kind == "enum" or "enum class " in symbol.signature


def _find_end(lines: Sequence[bytes], at: int) -> int:
    """Return the line that closes the bracket with which a line ends, or the line itself."""
    if not _OPENS.search(lines[at]):
        return at
    depth = _measure(lines[at])
    for below in range(at + 1, min(len(lines), at + MAX_VALUE_LINES)):
        if lines[below].strip() and _measure(lines[below]) <= depth:
            return below if lines[below].lstrip().startswith((b"]", b")", b"}")) else at
    return at


def _measure(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _iter_members(language: str, text: bytes) -> Iterator[_Member]:
    if language == "php":
        for match in _PHP.finditer(text):
            if match["case"]:
                yield _build(match.start("case"), match["case"], "enum_member", match[0])
            else:
                is_local = match["words"].split() == [b"static"]  # in a function, else a property
                written = text[match.start("words") : match.end()]
                start, name = match.start("property"), match["property"]
                yield _build(start, name, "property", written, may_be_parameter=not is_local)
    elif language == "ruby":
        for match in _RUBY.finditer(text):
            yield from _iter_called(match)
        yield from _iter_documented(text)
    elif language == "kotlin":
        yield from _iter_kotlin(text)


def _iter_kotlin(text: bytes) -> Iterator[_Member]:
    """Yield what may be properties and entries, each with its indentation and the companion around it."""
    block, depth = -1, -1  # of the last companion
    for match in _KOTLIN.finditer(text):
        indent = measure_indent(match["indent"] + b"x")
        if match["companion"]:
            block, depth = match.start(), indent
            continue
        if indent <= depth:
            block, depth = -1, -1
        if match["property"]:
            written = match["words"] + match["property"]
            listed = [_build(match.start("property"), match["property"], "property", written)]
        else:
            begin = match.start("entries")
            listed = [
                _build(begin + one.start(1), one[1], "enum_member", one[1])
                for one in _ENTRY.finditer(match["entries"])
            ]
        for one in listed:
            yield replace(one, indent=indent, block=block)


def _iter_called(match: re.Match[bytes]) -> Iterator[_Member]:
    """Yield the members that one call in the body of a class declares."""
    macro, start = match["macro"], match.start("names")
    if b"prefix:" in match["rest"]:
        return
    names = [*_LISTED.finditer(match["names"])]
    if macro.startswith(b"def_"):  # the receiver comes first, and a name of one's own last
        names = (names[2:] or names[1:]) if macro.endswith(b"delegator") else names[1:]
    elif macro in _ONLY_FIRST:
        names = names[:1]
    elif macro.endswith(b"_as"):
        names = names[-1:]
    kind = "method" if any(word in macro for word in _METHODS) else "property"
    for one in names:
        if b"@" not in one[0]:
            yield _build(start + one.start(), one[0], kind, macro + b" :" + one[0])


def _iter_documented(text: bytes) -> Iterator[_Member]:
    """Yield the methods that a comment describes unless the line below it, which has the name, makes them."""
    for match in _DOCUMENTED.finditer(text):
        if match["name"].rstrip(b"=") not in (match["below"] or b""):
            kind = "method" if b"method" in match["what"] else "property"
            written = b":%b: %b" % (match["what"], match["name"])
            built = _build(match.start("name"), match["name"], kind, written)
            yield replace(built, below=match["rest"].count(b"\n"))


def _build(start: int, name: bytes, kind: str, written: bytes, *, may_be_parameter: bool = False) -> _Member:
    signature = " ".join(written.decode("utf-8", "replace").split())
    named = cut(name.decode("utf-8", "replace"), MAX_NAME_CHARS)
    return _Member(start, named, kind, cut(signature, MAX_SIGNATURE_CHARS), may_be_parameter)
