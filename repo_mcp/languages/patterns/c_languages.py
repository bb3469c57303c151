"""Line patterns of C and the languages derived from it: C++, Objective-C, and assembly with C directives.

A function is defined where its parameter list is followed by `{` before any `;`, within 600
bytes: that tells it from a prototype or a call. In C, definitions begin in the first column;
in C++ and Objective-C they may be indented.
"""

from __future__ import annotations

import re

from repo_mcp.languages.patterns.landmarks import build_language
from repo_mcp.late_patterns import compile_late

_OBJECTIVE_C = rb"@(?:interface|protocol|implementation|class|import|property|end)\b"
OBJECTIVE_C_LINE = compile_late(rb"\n" + _OBJECTIVE_C)
# A line of Objective-C, which is group 1, or one of C++ alone; and of no prose in a comment.
DIALECT_LINE = compile_late(
    rb"\n(?=[ \t]{0,2}+[@tnpc])(?:("
    + _OBJECTIVE_C
    + rb""")
    | template[ \t]*< | namespace\b[ \t\w:]*+\{?[ \t]*\n | [ \t]{0,2}(?:public|private)[ \t]*:
    | class[ \t]+(?:[A-Z][A-Z0-9_]*[ \t]+)?\w+[ \t]*+(?:final[ \t]*+)?(?::[^;\n]*+)?\{?[ \t]*\n)""",
    re.VERBOSE,
)
# Statements and attributes that look like the head of a function.
_NOT_STATEMENT = (
    r"(?!(?:if|for|while|switch|return|else|do|case|default|goto|catch|enum|throw|new|delete|sizeof|using"
    r"|namespace|extern|struct|union|class|operator|noexcept|requires|constexpr|decltype|static_assert|alignas"
    r"|__attribute__|__acquires|__releases|__must_hold|__printf)\b)"
)
# The arguments of a macro or attribute before a name: `(1)`, `((visibility("default")))`.
_ARGUED = r"(?:\((?:[^()\n]++|\((?:[^()\n]++|\([^()\n]{0,80}+\)){0,9}\)){0,9}\))"
# A type, with the macros, attributes and `final` around its name.
_RECORD = r"""
        (?:class|struct|union|enum(?:{gap}(?:class|struct))?|namespace|concept){gap}
        (?:(?:\[\[[^\]\n]{0,80}+\]\]|{name}(?:{opt}{argued})?){gap}){0,2}
        (?:{name}(?:{arguments})?::){0,4}(?!final\b)({name})(?!{opt}[,>])
        (?=(?:{opt}<[^;{}]{0,300}>)?[^;{}()=:]{0,300}+(?::[^;{}]{0,300}+)?\{)
"""
# An include guard, which is no definition. Where "#endif" follows, an empty macro is defined after all.
_GUARD = r"""
    ifndef{gap}(?P<skipped>{name}){opt}\n\#{opt}define{gap}(?P=skipped){opt}(?=\n(?!\#{opt}endif))
"""
# What a macro defines by its last argument, and a body follows: `TEST_F(TableTest, Empty) {`; or by its
# first, if the second is the number of rounds: `BENCHMARK(insert, n) {`.
_NAMED_BODY = r"""
        (?:BENCHMARK{w}*+\(({name}),[^(),;\n]{1,80}+
          | [A-Z][A-Z0-9_]++\((?:[^(),;\n]{1,80}+,{opt}){0,2}({name}){opt})
        \)(?={opt}\n?{opt}\{)
"""
_ASSIGNED = r"{opt}(?:\[[^\]\n]{0,80}+\]{opt}){0,3}=(?!=)"

# The head of a function of C++ from its first word to its name, and what shows that a body follows. The name
# may be `operator`. Brackets and braces may stand before the one of the body: `char* all[]) {`,
# `Options given = {}) {`, `const [[clang::lifetimebound]] {`, `: size_{size} {`.
_TYPED_NAME = r"""
        (?:(?:extern{gap}"C" | template{opt}<[^\n]{0,200}> | \[\[[^\]\n]{0,100}+\]\] | __attribute__{argued}
          | {MACRO}{argued}){gap})?
        (?!{MACRO}{opt}\()
        (?=[^\n;(=]*+[=<>]{0,3}{opt}\()      # most lines end here
        (?:(?:decltype\([^()\n]{1,80}+\) | {type_word})[ \t*&]++){0,8}(?<!operator[ ])
        (?:{name}(?:{arguments})?::){0,4}
        (?:(operator)(?:{opt}(?:\({opt}\) | [^\s\w(;{}"]{1,3} | ""{opt}{name})
            | {gap}[\w:][\w:<>,*& \t\[\]]{0,100})                     # a conversion, or `new`
          | ~?{not_statement}({name})(?:<[^<>(){};\n]{0,80}+>)?){opt}
        (?=\({plain}(?:(?:\[\[ | (?<=[\w*&)\]])\[ | "[^"\n]{0,100}+" | {braced}){plain}){0,8}
          (?<=[\s)>&\]])(?<![,(=][ \n])\{)
        (?!{argued}{opt},)                # `size_(size),` initialises a member
"""
_TYPED_NAME_PARTS = {
    "typed_name": _TYPED_NAME,
    # with parentheses among its arguments: std::function<size_t(size_t)>
    "type_word": r"[\w:,\[\].+-]*+(?:[<>][\w:<>,\[\].+-]*+(?:\([^();{}\n]{0,80}+\)[\w:,<]*+>++)?)?",
    "MACRO": "[A-Z][A-Z0-9]*_[A-Z0-9_]++",
    "plain": r"[^;{}\[\"]{0,600}+",
    "braced": r"\{[^{};\n]{0,100}+(?:\{[^{};\n]{0,100}+\}[^{};\n]{0,100}+){0,2}\}",
}

_C = r"""
    (?![ \t]++[^/])(?:                   # of indented lines, which are two in three, only comments are tried
    \#{opt}(?: {guard} | define{gap}({name}) )
    | \}{opt}({name}){opt};                                         # the end of a typedef of several lines
    | {opt}{slash_doc}
    | (?=[A-Za-z_])(?:
        (?=[A-Z])(?:[A-Z]{1,20}_){0,3}DEFINE(?:_{w}{1,40}+|\d)?\(({name})   # DEFINE_MUTEX(x), ...
        | {named_body}
        | {record}                                           # headers of C++ are C by their names
        | (?:[A-Za-z0-9_:<>]++[ \t*&]++){0,8}(?:{name}(?:<[^<>\n]{0,60}+>)?::){0,4}
          {not_statement}({name})
          (?:{opt}\((?=[^;{}]{0,600}+\{) | {assigned} | {opt}\n?{opt}\{)
        | typedef{gap}(?:{w}++[ \t*]++){1,6}({name}){opt};
        | typedef\b[^;{}()\n]{1,80}+\({opt}\*{opt}({name})
      )
    )
"""

_C_PARTS = {
    "guard": _GUARD,
    "record": _RECORD,
    "argued": _ARGUED,
    "arguments": r"<[^<>\n]{0,60}+(?:<[^<>\n]{0,60}+>[^<>\n]{0,60}+){0,3}>",
    "named_body": _NAMED_BODY,
    "not_statement": _NOT_STATEMENT,
    "assigned": _ASSIGNED,
}

C = build_language("c", "code", _C, **_C_PARTS)

OBJECTIVE_C = build_language(
    "objective-c",
    "code",
    r"""
    @(?:interface|implementation|protocol){gap}({name})(?!{opt};)
    | [-+]{opt}\((?:[^()\n]|\([^()\n]{0,80}+\)){1,120}\){opt}({name})
    | typedef{gap}NS_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)\([^,()\n]{1,80}+,{opt}({name})
    |"""
    + _C,
    **_C_PARTS,
)

CPP = build_language(
    "cpp",
    "code",
    r"""
    \#{opt}(?: {guard} | define{gap}({name}) )
    | \}{opt}({name}){opt};
    | {opt}(?=/)(?:/\*{opt}{w}{1,20}+{opt}\*/{opt}{typed_name} | {slash_doc})   # /* implicit */ Foo(int a) {
    # below these, `size_(size)` initialises a member, or is part of a condition
    | (?<!,\n)(?<!\):\n)(?<!\)[ ]:\n)(?<!&&\n)(?<!\|\|\n){opt}
      (?=[A-Za-z_~\[]|::)(?!(?:return|throw|if|else|for|while|switch|case|goto|delete|co_{w}++)\b)(?:
        using{gap}({name}){opt}=
        | {named_body}
        | typedef{gap}(?:[A-Za-z0-9_:<>]++[ \t*&]++){1,6}({name}){opt};
        | (?=[tesucn])(?:template{opt}<[^\n]{0,200}>{opt})?(?:typedef{gap})?(?:export{gap})?{record}
        | {typed_name}
        | (?<![ \t])(?:[A-Za-z0-9_:<>]++[ \t*&]++){1,6}(?!operator\b)({name}){assigned}
      )
    """,
    **_TYPED_NAME_PARTS,
    **_C_PARTS,
)

ASSEMBLY = build_language(
    "assembly",
    "code",
    r"""
    \#{opt}define{gap}({name})
    | {opt}(?P<doc>{block} | {slashes} | \#(?=[ \#\n])[^\n]*+)
    | (?:ENTRY|[A-Z]{1,20}_(?:FUNC|CODE|DATA)_START(?:_[A-Z_]{1,30}+)?)\(({name})
    | TEXT{gap}(?:[^\s()]{0,80}\xc2\xb7)?({name})(?:<{w}{0,20}>)?\(SB\)  # a function of Go
    | \.macro{gap}({name})
    | ({name}):
    """,
)
