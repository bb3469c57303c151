"""Line patterns of the languages with braces and keywords: Java, C#, JavaScript, Go, Rust and the like.

Where a keyword says what a line defines, the name follows it. Java, C# and Dart have no keyword
for methods: there a method is a name before `(` and after at least one type word, on a line that
does not begin like a statement. In C# an interface may stand before the name: `Task IFilter<T>.Send(`; a
type may be a tuple, or stand alone above the name; and a constructor without a type has a body below it.
JavaScript methods need a `{` right after their parameters, which calls with a callback never have.

Where a pattern has alternatives that do not begin with a fixed byte, it first looks whether any of them can
begin with the first byte of the line: a third of the lines are blank or begin with a bracket.
"""

from __future__ import annotations

from repo_mcp.languages.patterns.landmarks import build_language

_NOT_STATEMENT = (
    r"(?!(?:return|new|else|throw|throws|case|assert|await|yield|goto|do|in|is|as|not|and|or|import|package|using"
    r"|select|where|from|let|join|orderby|if|for|foreach|while|switch|catch|lock|default)\b)"
)
_TYPE_WORD = r"[A-Za-z_@<][A-Za-z0-9_.<>\[\],?&@\x80-\xff]*+{gap}"
_TYPE_WORDS = rf"(?:{_TYPE_WORD}){{1,8}}"

_JAVA = r"""
    {opt}(?=[/A-Za-z_@<])(?:
        {slash_doc}
        | (?:(?:public|protected|private|static|abstract|final|sealed|non-sealed|strictfp){gap}){0,6}
          (?:class|@?interface|enum|record|trait){gap}({name})
        | (?:default{gap})?{not_statement}{type_words}(?:({name}){opt}\( | ({CONST}){opt}[=;])
    )
"""
JAVA = build_language("java", "code", _JAVA, not_statement=_NOT_STATEMENT, type_words=_TYPE_WORDS)
GROOVY = build_language("groovy", "code", _JAVA, not_statement=_NOT_STATEMENT, type_words=_TYPE_WORDS)

CSHARP = build_language(
    "csharp",
    "code",
    r"""
    {opt}(?=[/A-Za-z_@<(])(?:
        {slash_doc}
        | (?:(?:public|protected|private|internal|static|abstract|sealed|partial|readonly|ref|unsafe|new|file)
          {gap}){0,6}
          (?:class|interface|enum|struct|record(?:{gap}(?:class|struct))?){gap}({name})
        | (?=public|protected|private|internal|static|const)
          (?:{type_word}){2,8}(?<!async[ ])({name}){opt}(?:=> | \n?{opt}\{ | =(?!=))
        | {not_statement}{type_words}(?<!operator[ ]){not_modifier}({name}){generic}?{opt}\(
        | (?=[A-Z]){not_statement}({name})\([^;{}()]{0,300}+\)
          {opt}(?:\n?{opt}\{ | \n?{opt}:{opt}(?:base|this)\b)
        | (?=public|protected|private|internal)(?:{type_word}){1,6}[\w.<>\[\]?]++
          \n{opt}({name}){generic}?{opt}\(
        | (?:(?:public|protected|private|internal|static|async|virtual|override|abstract|sealed|new|unsafe
          |partial|extern){gap}){0,5}(?:[A-Za-z_][\w.]{0,80}+<)?\([^(){};=,\n]{1,80}+,[^(){};=\n]{1,150}+\)[>?\[\]]{0,5}{gap}
          (?!(?:or|and|when|switch|is|as|with|in)\b)({name})(?:<[^<>\n]{0,80}+>)?{opt}(?:\( | => | \{)
        | (?=public|protected|private|internal)(?:{name}{gap}){1,2}({name})\(
        | {not_statement}(?:{not_infix}{type_word}){1,8}(?<!,[ \t])
          (?:{name}(?:<[^();={}\n]{1,150}>)?\.){1,6}({name})(?:(?:<[^<>\n]{0,80}+>)?\( | {opt}=> | \n?{opt}\{)
    )
    """,
    not_statement=_NOT_STATEMENT,
    type_word=_TYPE_WORD,
    not_infix=r"(?!(?:namespace|when|is|as|in|and|or|not|new|await|return|equals|by|ref|out|at)\b)",
    not_modifier=r"(?!(?:static|abstract|override|virtual|async|readonly|sealed|new|extern|partial|unsafe"
    r"|typeof)\b)",
    generic=r"(?:<[^<>\n]{0,200}+(?:<[^<>\n]{0,80}+>[^<>\n]{0,80}+){0,4}>)",
    type_words=_TYPE_WORDS,
)

DART = build_language(
    "dart",
    "code",
    r"""
    {opt}(?=[/A-Za-z_@<])(?:
        {slash_doc}
        | (?:(?:abstract|base|final|sealed|interface|mixin){gap}){0,4}
          (?:class|mixin|enum|extension(?:{gap}type)?|typedef){gap}({name})
        | {not_statement}{type_words}(?:({name}){opt}(?:\( | =>) | (?<=const[ ])({name}){opt}=)
    )
    """,
    not_statement=_NOT_STATEMENT,
    type_words=_TYPE_WORDS,
)

_JS_NAME = r"[A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]*+"
_JS = r"""
    {opt}(?=[/A-Za-z_$*\#\[\x80-\xff])(?:
        {slash_doc}
        | (?:(?:export|default|declare|abstract|async){gap}){0,4}
          (?:function{opt}\*?{opt} | (?:const{gap})?enum{gap} | (?:class|interface|namespace){gap}
          | type{gap}(?={js}(?:[^\n]{0,200}= | <[ \t]*\n)))({js})
        | (?:module\.)?exports{opt}={opt}(?:async{gap})?function(?:{gap} | {opt}\*{opt})({js})
        | (?<![ \t])(?:export{gap})?(?:declare{gap})?(?:const|let|var){gap}({js})(?!{opt}={opt}require\()
        | (?:const|let|var){gap}({js}){opt}(?:{typed})?={opt}(?:\n{opt})?{function}
        | (?=[A-Za-z0-9_$.\x80-\xff]++(?:{opt}=|\[))(?:
            (?:{js}\.){1,4}({js}){opt}={opt}{function}
          | (?:{js}\.){1,4}{js}{opt}={opt}class{gap}(?!extends\b)({js})
          | (?:{js}\.){1,3}prototype\[(?:{js}\.){0,3}['"]?({js})['"]?\]{opt}={opt}{function})
        | (?:(?:public|private|protected|static|readonly|override){gap}){0,4}\#?({js}){opt}[:=]{opt}
          (?:async{gap})?(?:function\b
          | (?:{generic})?\((?:{plain}(?:{group})){0,8}{plain}\)(?:{opt}:[^;{}=\n]{0,100}+)?{opt}=>)
        | (?!(?:if|for|while|switch|case|catch|function|return|super|await|with|new|else|do|typeof)\b)
          (?:(?:public|private|protected|static|async|readonly|override|get|set){gap}){0,4}[*\#]?{opt}
          (?:({js}) | \[(?:{js}\.){0,3}({js})\])
          (?:{generic})?{opt}\((?:{plain}(?:{group})){0,8}{plain}\)
          (?:{opt}:(?:[^;{}()=]{0,100}+(?={opt}\{) | {opt}[\w.$]{1,80}+<[^;{}()=]{1,400}+(?<=>[ ])))?{opt}\{
    )
"""
# The type of a variable: in one line, or with type arguments on several.
_JS_TYPED = r":[^=\n]{1,100}+(?==) | :{opt}[\w.$]{1,80}+<[^=;()]{1,600}+(?<=>[ ])"
_JS_FUNCTION = r"""
    (?:async{gap})?(?:<[^=()]{1,300}+(?<=>))?(?:function\b | \([^()\n]{0,200}+\)[^=\n]{0,80}+=> | {js}{opt}=>
    | \({opt}\n(?:[^();]{0,300}+(?:\([^();]{0,100}+\))?){0,5}\)[^=;\n]{0,80}+=>)
"""
# Within parameters: a type of functions, what is taken apart and its type, a default.
_JS_GROUP = r"""
    \([^;{}()'"`]{0,100}+\) | \{(?:[^{}()]{0,400}+(?:\{[^{}()]{0,200}+\})?){0,4}\}
    | '[^'\n]{0,60}+' | "[^"\n]{0,60}+"
"""
# Type parameters: on one line, or on several, in which types have arguments that have arguments.
_JS_GENERIC = r"""
    <[^<>\n]{0,80}+> | <{types}(?:<{types}(?:<{types}>{types}){0,8}>{types}){0,16}>
"""
_JS_PARTS = {
    "generic": _JS_GENERIC,
    "types": r"[^<>;(){}]{0,300}+",
    "typed": _JS_TYPED,
    "function": _JS_FUNCTION,
    "group": _JS_GROUP,
    "plain": r"[^;{}()'\"`]{0,600}+",
    "js": _JS_NAME,
}
JAVASCRIPT = build_language("javascript", "code", _JS, **_JS_PARTS)
TYPESCRIPT = build_language("typescript", "code", _JS, **_JS_PARTS)
_COMPONENT = r"{opt}(?P<doc_html>{html}) |" + _JS
VUE = build_language("vue", "code", _COMPONENT, **_JS_PARTS)
SVELTE = build_language("svelte", "code", _COMPONENT, **_JS_PARTS)

GO = build_language(
    "go",
    "code",
    r"""
    {opt}{slash_doc}
    | func{gap}(?:\([^)\n]{0,120}+\){opt})?({name})
    | type{gap}({name})
    | (?:const|var){gap}({name})
    | \t([A-Z]{w}*+)(?:{gap}[A-Za-z0-9_.\[\]*]{1,80}+)?{opt}=(?!=)      # inside `const (` and `var (`
    """,
)

RUST = build_language(
    "rust",
    "code",
    r"""
    {opt}(?=[/A-Za-z_\x80-\xff])(?:
        {slash_doc}
        | (?:pub(?:\([^)\n]{0,40}+\))?{gap})?
          (?:(?:default|const|async|unsafe|auto|safe|extern(?:{gap}"[^"\n]{0,20}+")?){gap}){0,4}
          (?:fn|struct|enum|trait|union|type|mod|static(?:{gap}mut)?|const|macro){gap}({name})
        | (?:{name}!{opt}[({\[]{opt})?macro_rules!{gap}({name})
    )
    """,
)

SWIFT = build_language(
    "swift",
    "code",
    r"""
    {opt}(?=[/@a-z])(?:
        {slash_doc}
        | (?:@{name}(?:\([^)\n]{0,80}+\))?{gap}){0,3}
          (?:(?:{access}|static|class|final|override|mutating|nonmutating|indirect|convenience|required|dynamic
            |nonisolated|distributed|lazy|weak|unowned|prefix|postfix|infix){gap}){0,6}
          (?:(?:func|class|struct|enum|protocol|typealias|actor|associatedtype|macro){gap}{any_name}
            | extension{gap}(?:{name}\.){0,8}{any_name}
            | (init|deinit|subscript)(?=[?!]?{opt}[(<{])
            | (?<=static[ ])(?:let|var){gap}{any_name})
        | (?<![ \t])(?:(?:{access}){gap})?(?:let|var){gap}{any_name}
    )
    """,
    access=r"(?:public|private|internal|fileprivate|open|package)(?:\(set\))?",
)

KOTLIN = build_language(
    "kotlin",
    "code",
    r"""
    {opt}(?=[/@a-z])(?:
        {slash_doc}
        | (?:@{name}(?:\([^)\n]{0,80}+\))?{gap}){0,3}
          (?:(?:{access}|open|abstract|final|sealed|data|inner|value|inline|annotation|enum|override|suspend
            |operator|infix|tailrec|external|actual|expect|companion|lateinit|const|fun){gap}){0,8}
          (?:fun{gap}(?:<[^\n(]{1,100}?>{opt})?{receiver}{any_name}{opt}\(
            | (?:class|interface|object|typealias){gap}{any_name}
            | (?<=const[ ])val{gap}{any_name})
        | (?<![ \t])(?:(?:{access}|lateinit|override|inline|external|actual|expect){gap}){0,4}
          (?:val|var){gap}(?:<[^\n(]{1,100}?>{opt})?{receiver}{any_name}
    )
    """,
    access="public|private|internal|protected",
    receiver=r"(?:[A-Za-z0-9_.]{1,80}(?:<[^<>()=\n]{0,80}(?:<[^<>()=\n]{0,80}>[^<>()=\n]{0,80})?>)?\??\.)?",
)

SCALA = build_language(
    "scala",
    "code",
    r"""
    {opt}(?=[/@a-z])(?:
        {slash_doc}
        | (?:@{name}(?:\([^)\n]{0,80}+\))?{gap}){0,3}
          (?:(?:private|protected)(?:\[{name}\])?{gap}
            | (?:override|final|sealed|abstract|implicit|lazy|inline|transparent|opaque|open|infix|case
              |package){gap}
          ){0,6}
          (?:(?:def|class|trait|object|type|enum|given){gap}{any_name}
            | (?<![ ]{4})va[lr]{gap}{any_name})                # deeper ones without a modifier are locals
    )
    """,
)

PHP = build_language(
    "php",
    "code",
    r"""
    {opt}(?=[/\#a-z])(?:
        (?P<doc>{block} | {slashes} | \#(?!\[)[^\n]*+)
        | (?:(?:public|private|protected|static|abstract|final|readonly){gap}){0,6}
          (?:function{gap}&?|class{gap}|interface{gap}|trait{gap}|enum{gap}|const{gap}(?:{name}{gap})?)({name})
        | define\(['"]({name})
    )
    """,
)

ZIG = build_language(
    "zig",
    "code",
    r"""
    {opt}(?:
        (?P<doc>{slashes})
        | (?:(?:pub|export|inline|noinline|extern(?:{gap}"[^"\n]{0,20}+")?){gap}){0,4}fn{gap}({name})
        | pub{gap}(?:const|var){gap}({name})
        | const{gap}({name}){opt}={opt}(?:(?:extern|packed){gap})?(?:struct|enum|union|opaque|error)\b
    )
    | (?:(?:pub|export|threadlocal){gap}){0,3}(?:const|var){gap}({name})
    """,
)

PROTOBUF = build_language(
    "protobuf", "code", r"{opt}(?:{slash_doc} | (?:message|service|enum|rpc|extend|oneof){gap}({name}))"
)

GRAPHQL = build_language(
    "graphql",
    "code",
    r"""
    {opt}(?:
        (?P<doc>{hashes} | "{3}[^"\\]*+(?:(?:\\[^\n]?|"(?!""))[^"\\]*+){0,20000}(?:"{3})?)
        | (?:extend{gap})?(?:type|interface|union|enum|input|scalar|query|mutation|subscription|fragment){gap}
          ({name})
        | directive{gap}@{opt}({name})
    )
    """,
)

SOLIDITY = build_language(
    "solidity",
    "code",
    r"""
    {opt}(?:
        {slash_doc}
        | (?:abstract{gap})?(?:contract|interface|library|struct|enum|event|error|modifier|function|type){gap}
          ({name})
        | (?=[a-z])(?:[A-Za-z0-9_.\[\]]++{gap}){1,4}(?<=constant[ ])({name}){opt}=
    )
    """,
)
