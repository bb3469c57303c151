"""Line patterns of scripting languages and those without braces: Python, Ruby, Lua, Shell and others.

A docstring begins where its quotes start a line and text follows them, where the line before ends
in a colon, or at the top of the file: quotes alone on a line may also close a string that
began after an assignment.
"""

from __future__ import annotations

from repo_mcp.languages.patterns.landmarks import build_language

_DOUBLE = r'"{3}[^"\\]*+(?:(?:\\[^\n]?|"(?!""))[^"\\]*+){0,20000}(?:"{3})?'
_SINGLE = r"'{3}[^'\\]*+(?:(?:\\[^\n]?|'(?!''))[^'\\]*+){0,20000}(?:'{3})?"

PYTHON = build_language(
    "python",
    "code",
    r"""
    \A(?P<doc_top>(?:{hashes}\n++)?[rRuU]?{triple})
    | {opt}(?:
        def{gap}({name})
        | async{gap}def{gap}({name})
        | class{gap}({name})
        | type{gap}({name})(?=[^=\n]{0,80}+=)
        | [a-z_]{w}*+{opt}={opt}[rbfRBF]{0,2}+{triple}                  # stepped over
        | (?=[A-Z\#"'ru])(?:
            ({CONST}){opt}(?::[^=\n]{1,80}+)?=(?!=)(?:{opt}[rbfRBF]{0,2}+{triple})?
            | (?<![ \t])([A-Z]{w}*+){opt}=(?!=)
            | {hash_doc}
            | (?P<doc_string>(?=[rRuU]?(?:"{3}|'{3})(?![\s),.;\]}%]))[rRuU]?{triple})
          )
      )
    | (?<=:\n){gap}(?P<doc_below>[rRuU]?{triple})   # in the first column they close a docstring
    """,
    triple=f"(?:{_DOUBLE}|{_SINGLE})",
)

RUBY = build_language(
    "ruby",
    "code",
    r"""
    (?P<doc_pod>=begin\b[^\n]*+(?:\n(?!=end\b)[^\n]*+){0,20000}(?:\n=end[^\n]*+)?)
    | {opt}(?:
        {hash_doc}
        | (?:(?:private|protected|public|module_function){gap})?def{gap}(?:{name}\.)?({name})
        | (?:class|module){gap}({name}(?:::{name}){0,6})
        | ({CONST}){opt}=(?!=)
      )
    """,
)

LUA = build_language(
    "lua",
    "code",
    r"""
    {opt}(?:
        (?P<doc>--\[\[[^\]]*+(?:\](?!\])[^\]]*+){0,20000}(?:\]\])?
          | --\[=\[[^\]]*+(?:\](?!=\])[^\]]*+){0,20000}(?:\]=\])?
          | {dashes})
        | (?:local{gap})?function{gap}(?:{name}[.:]){0,6}({name})
        | (?:local{gap})?(?:{name}\.){0,6}({name}){opt}={opt}function\b
    )
    """,
)

SHELL = build_language(
    "shell",
    "code",
    r"""
    {opt}(?:
        {hash_doc}
        | function{gap}({name}[-A-Za-z0-9_:.]*+)
        | ({name}[-A-Za-z0-9_:.]*+){opt}\({opt}\)
        | (?:export{gap}|readonly{gap}|declare{gap}-[a-zA-Z]{1,4}{gap})?({CONST})=
    )
    """,
)

PERL = build_language(
    "perl",
    "code",
    r"""
    (?P<doc_pod>=(?:pod|head[1-6]|item|over|begin|for|encoding|back)\b[^\n]*+
      (?:\n(?!=cut\b)[^\n]*+){0,20000}(?:\n=cut[^\n]*+)?)
    | {opt}(?:
        {hash_doc}
        | (?:sub|package){gap}({name}(?:::{name}){0,6})
        | (?:our|my){gap}[$@%]({CONST}){opt}=
      )
    """,
)

HASKELL = build_language(
    "haskell",
    "code",
    r"""
    {opt}(?P<doc>\{-(?!\#)[^-]*+(?:-(?!\})[^-]*+){0,20000}(?:-\})?
        | --(?![!\#$%&*+./<=>?@\\^|~:])[^\n]*+(?:\n[ \t]*+--[^\n]*+){0,500})
    | (?:data|newtype|type(?:{gap}family)?|class{gap}[^\n]{0,100}=>|class){gap}({name}'*+)
    | {opt}({name}'*+){opt}::
    """,
)

ELIXIR = build_language(
    "elixir",
    "code",
    r"""
    {opt}(?:
        {hash_doc}
        | @(?:module|type)?doc{gap}(?P<doc_string>(?:~[sS])?{triple})
        | (?:defp?|defmacrop?|defguardp?|defdelegate|defmodule|defprotocol|defimpl){gap}
          ({name}(?:\.{name}){0,8})
    )
    """,
    triple=f"(?:{_DOUBLE}|{_SINGLE})",
)

JULIA = build_language(
    "julia",
    "code",
    r"""
    {opt}(?:
        (?P<doc>{hashes} | {double})
        | (?:@{name}{gap})?(?:function|macro|(?:mutable{gap})?struct|abstract{gap}type|module|const){gap}
          (?:{name}\.)?({name})
      )
    | ({name})\([^()\n]{0,200}+\){opt}=(?!=)
    """,
    double=_DOUBLE,
)

R = build_language(
    "r", "code", r"{opt}(?:{hash_doc} | ([A-Za-z.][A-Za-z0-9_.]*+){opt}(?:<-|=){opt}function\b)"
)

SQL = build_language(
    "sql",
    "code",
    r"""
    {opt}(?:
        (?P<doc>{dashes} | {block})
        | (?i:create{gap}(?:or{gap}replace{gap})?(?:{name}{gap}){0,2}
            (?:table|view|function|procedure|trigger|index|type|schema){gap}(?:if{gap}not{gap}exists{gap})?)
          (?:["`\[]?{name}["`\]]?\.)?["`\[]?({name})
    )
    """,
)
