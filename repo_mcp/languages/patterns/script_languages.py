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
        | cp?def{gap}(?:class{gap}({name}) | (?:[\w.\[\]*, ]{1,80}?[ *])?({name})\((?!\*))    # Cython
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

_RUBY = r"""
    (?P<doc_pod>=begin\b[^\n]*+(?:\n(?!=end\b)[^\n]*+){0,20000}(?:\n=end[^\n]*+)?)
    | {opt}(?:
        {hash_doc}
        | (?:(?:private|protected|public|private_class_method|public_class_method|module_function|memoize
            |ruby2_keywords|helper_method){gap})?
          def{gap}(?:{name}\.)?(?:({name}[?!=]?(?![=~]))
            |(\[\]=?|<=>|===?|[=!]~|<<|>>|\*\*|[+!~-]@|[+*/%<>!~&|^`-]=?)(?=[\s(;]))
        | (?:class|module){gap}({name}(?:::{name}){0,6})
        | ({CONST}){opt}=(?!=)
        | ([A-Z]{w}*+){opt}={opt}(?:Struct|Class|Module|Data)\.(?:new|define)\b
      )
"""
RUBY = build_language("ruby", "code", _RUBY)
# For outlines, with the blocks that a call names. Their names are sentences, which no search by name wants.
RUBY_WITH_BLOCKS = build_language(
    "ruby",
    "code",
    rf"""{_RUBY}
    | {{opt}}(?:RSpec\.)?[fx]?
      (?:test|it|specify|example|scenario|should|describe|context|feature|initializer
        |(?:{{name}}{{opt}}={{opt}})?namespace)(?:{{gap}}|\()
      (?=[^\n]{{1,300}}(?:[ \t]do\b|\{{))(?:{{quoted}} | :({{name}}) | ([A-Z]{{w}}*+(?:::{{name}}){{0,6}}))
    | {{opt}}(?:multi)?task(?:{{gap}}|\()(?:{{quoted}} | :({{name}}) | ({{name}})(?=:[ \t]))
    """,
    quoted=r"""(?:"([^"\\\n]*+(?:\\[^\n][^"\\\n]*+){0,20})" | '([^'\\\n]++)')""",
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
        | (?:sub|package|class|role|method){gap}({name}(?:::{name}){0,6})
        | (?:our|my){gap}[$@%]({CONST}){opt}=
        | use{gap}constant{gap}({name}){opt}(?:=>|,)
        | has{gap}['"+]{0,2}({name})
      )
    """,
)

HASKELL = build_language(
    "haskell",
    "code",
    r"""
    {opt}(?P<doc>\{-(?!\#)[^-]*+(?:-(?!\})[^-]*+){0,20000}(?:-\})?
        | --(?![!\#$%&*+./<=>?@\\^|~:])[^\n]*+(?:\n[ \t]*+--[^\n]*+){0,500})
    | (?:(?:data|newtype|type)(?:{gap}(?:family|instance))?|class{gap}[^\n]{0,100}=>|class
        |pattern(?={gap}[A-Z])){gap}({name}'*+)
    | {opt}(?:({name}'*+)|\(([!\#$%&*+./<=>?@\\^|~:-]{1,8}+)\))(?:{opt},{opt}{name}'*+){0,6}{opt}::
    | foreign{gap}import\b[^:\n]{0,120}{gap}({name}'*+){opt}::
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
          ({name}(?:\.{name}){0,8}[?!]?)
        | @(?:typep?|opaque|callback|macrocallback){gap}({name}[?!]?)
    )
    """,
    triple=f"(?:{_DOUBLE}|{_SINGLE})",
)

JULIA = build_language(
    "julia",
    "code",
    r"""
    {opt}(?:
        (?P<doc>{hashes} | (?:@doc{gap}(?:raw)?)?{double})
        | (?:const{gap})?({name}){opt}={opt}(?:raw|md)?{double}
        | (?:@{name}{gap}){0,3}
          (?:function|macro|(?:mutable{gap})?struct|(?:abstract|primitive){gap}type|(?:bare)?module|const){gap}
          (?:{name}\.){0,4}({name}!?)
      )
    | (?:@{name}{gap}){0,3}(?:{name}\.){0,4}({name}!?)
      (?:\{[^{}\n]{1,80}\})?\([^()\n]{0,200}(?:\([^()\n]{0,100}\)[^()\n]{0,100}){0,4}\)
      (?:{opt}::{opt}[^\s=]{1,80}+)?(?:{gap}where{gap}[^=\n]{1,120})?{opt}=(?!=)
    """,
    double=_DOUBLE,
)

R = build_language(
    "r",
    "code",
    r"""
    {opt}(?:
        {hash_doc}
        | (?:([A-Za-z.][A-Za-z0-9_.]*+)|["'`]([^"'`\n]{1,80}+)["'`]){opt}(?:<-|=|<<-){opt}\n?{opt}
          (?:function\b|\\\()
      )
    | ([A-Za-z.][A-Za-z0-9_.]*+){opt}(?:<-|=){opt}(?:R6::)?(?:R6Class|setClass|setRefClass)\(
    | set(?:Class|RefClass|Generic|Method|Validity|ClassUnion)\({opt}\n?{opt}["']([^"'\n]{1,80}+)
    """,
)

SQL = build_language(
    "sql",
    "code",
    r"""
    {opt}(?:
        (?P<doc>{dashes} | {block})
        | (?i:create{gap}(?:or{gap}(?:replace|alter){gap})?(?:{name}{gap}){0,2}
            (?:table|view|function|procedure|trigger|index|type|schema|domain|sequence|aggregate|policy
              |package(?:{gap}body)?|rule){gap}
            (?:concurrently{gap})?(?:if{gap}not{gap}exists{gap})?)
          (?:["`\[]?{name}["`\]]?\.){0,2}["`\[]?({name})
    )
    """,
)

POWERSHELL = build_language(
    "powershell",
    "code",
    r"""
    {opt}(?:
        (?P<doc><\#[^\#]*+(?:\#(?!>)[^\#]*+){0,20000}(?:\#>)? | {hashes})
        | (?i:function|filter|class|enum|configuration){gap}(?:(?:global|script|local|private):)?
          ({name}(?:-{w}{1,80}+){0,4})
    )
    """,
)
