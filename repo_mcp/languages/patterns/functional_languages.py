"""Line patterns of Lisps and of the languages of the ML family: Clojure, Scheme, OCaml, F#, Erlang.

In a Lisp whatever begins with `def` defines the name after it. In OCaml and F# `let` also binds local names:
below the first column only those with a parameter count, and none whose line ends in `in`.
"""

from __future__ import annotations

from repo_mcp.languages.patterns.landmarks import build_language

_SEMICOLONS = r"(?P<doc>;[^\n]*+(?:\n[ \t]*+;[^\n]*+){0,500})"
_SYMBOL = r"""[^\s()\[\]{}"';@^`~,\#][^\s()\[\]{}"';@^`~,]{0,120}+"""

CLOJURE = build_language(
    "clojure",
    "code",
    r"""
    {opt}(?:
        {semicolons}
        | (?:\#\?\(:[a-z]{1,10}\s)?\((?:[a-z][\w.]{0,30}+/)?(?:def(?!ault\b|er\b)[\w*!?<>=-]{0,30}+ | ns){gap}
          (?:\^(?:\{[^{}]{0,600}+\} | [^\s{}()]{1,60}+)\s{1,40}+){0,4}({symbol})
      )
    """,
    semicolons=_SEMICOLONS,
    symbol=_SYMBOL,
)

COMMON_LISP = build_language(
    "common-lisp",
    "code",
    r"""
    {opt}(?:
        {semicolons}
        | (?P<doc_block>\#\|[^|]*+(?:\|(?!\#)[^|]*+){0,20000}(?:\|\#)?)
        | \((?:[a-z]{1,20}:)?(?:def(?!ault\b|ine-key\b)[\w*!?<>=/-]{0,30}+){gap}\(?(?:setf{gap})?({symbol})
      )
    """,
    semicolons=_SEMICOLONS,
    symbol=_SYMBOL,
)

_ML_COMMENT = r"(?P<doc>\(\*(?!\))[^*]*+(?:\*(?!\))[^*]*+){0,20000}(?:\*\))?)"
_ML_NAME = r"(?!_\b|open\b)[a-z_][A-Za-z0-9_']*+"
_PARAMETER = r"""(?={gap}(?:[a-z_~?(\[{][^\n=]{0,200}+=(?![^\n]{0,200}[ ]in\n) | :[^\n=]{0,200}->
    | ={opt}(?:fun|function)\b))"""

OCAML = build_language(
    "ocaml",
    "code",
    r"""
    {opt}(?:
        {comment}
        | (?:let|and)(?:[%@\[][^\s\n]{1,40}+)?{gap}(?:rec{gap})?({ml}){parameter}
        | (?:val|external|method)[!%]?{gap}(?:(?:mutable|private|virtual){gap}){0,2}
          (?:({ml}) | \({opt}([^\s\w()][^\s()]{0,8}+){opt}\))
        | (?:module|exception|class){gap}(?:(?:type|rec|virtual){gap}){0,2}(?:\[[^\]\n]{1,80}\]{gap})?
          ({name}'*+)
        | (?:type|and){gap}(?:nonrec{gap})?(?:(?:[+!-]{0,2}'{ml}|\([^()\n=]{1,80}\)){gap})?
          ({ml})(?={opt}(?:=|\n|:=|\+=))
      )
    | let(?:[%@\[][^\s\n]{1,40}+)?{gap}(?:rec{gap})?(?:({ml})|\({opt}([^\s\w()][^\s()]{0,8}+){opt}\))
    """,
    comment=_ML_COMMENT,
    parameter=_PARAMETER,
    ml=_ML_NAME,
)

FSHARP = build_language(
    "fsharp",
    "code",
    r"""
    {opt}(?:
        (?P<doc>\(\*(?!\))[^*]*+(?:\*(?!\))[^*]*+){0,20000}(?:\*\))? | {slashes})
        | (?:let|and){gap}(?:(?:rec|inline|private|internal|mutable){gap}){0,3}({ml}){parameter}
        | (?:static{gap})?(?:member|abstract|override|default)(?:{gap}member)?
          {gap}(?:(?:inline|private|internal|val|mutable){gap}){0,2}(?:{name}\.)?({name})
        | (?:type|module|namespace|exception|and){gap}(?:(?:private|internal|public|rec){gap}){0,2}
          (?:\[<[^\n>]{1,80}>\]{opt})?({name}(?:\.{name}){0,8})
      )
    | let{gap}(?:(?:rec|inline|private|internal|mutable){gap}){0,3}({ml})
    """,
    parameter=_PARAMETER,
    ml=r"[A-Za-z_][A-Za-z0-9_']*+",
)

ERLANG = build_language(
    "erlang",
    "code",
    r"""
    {opt}(?P<doc>%[^\n]*+(?:\n[ \t]*+%[^\n]*+){0,500})
    | -(?:module|record|define|type|opaque|callback|nominal){opt}\(?{opt}({name})
    | ([a-z][A-Za-z0-9_@]{0,80}+)\((?=[^;{}]{0,600}?->|[^\n]{0,300}->)
    """,
)
