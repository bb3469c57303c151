"""Patterns of the lines that declare a name where line patterns see no declaration, for each language.

In them NAME is the name, as a word. What is around a line decides which of them holds: see `declaring_lines`.
"""

from __future__ import annotations

from enum import Enum

from repo_mcp.record_classes import dataclass


class Around(Enum):
    """Names the kind of block around a line."""

    TOP = "the top of a file, or of a namespace"
    TYPE = "a type"
    VALUES = "an enum"
    GROUP = "a group of declarations in brackets"
    OTHER = "a function, a call, a value"


@dataclass(frozen=True, slots=True)
class Rules:
    """Holds the patterns of lines that declare NAME in a family of languages."""

    lines: dict[Around, str]  # by what is around them
    anywhere: str = ""
    type_head: str = (
        r"[^=(]*?\b(?:class|struct|union|interface|trait|protocol|extension|impl|actor|record|object)\b"
    )
    values_head: str = r"[^=(]*\benum\b[^=;(]*|typedef[ \t]+NS_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)\b"
    see_through: str = r"[^=(]*?\b(?:namespace|module|mod|extern)\b"  # as if what it opens stood outside


_ATTRIBUTES = r"(?:(?:\[[^\]\n]*\]|\#\[[^\]\n]*\]|@\w+(?:\([^()\n]*\))?)[ \t]*)*"
_VALUE = rf"""
    [ \t]*{_ATTRIBUTES}(?:(?:indirect[ \t]+)?case[ \t]+)?
    (?:\w+[ \t]*(?:\([^()\n]*\)[ \t]*)?(?:=[^,\n]*)?,[ \t]*)*
    NAME[ \t]*(?:[=,({{}};:]|//|/\*|$|__\w)
"""
_PHP = r"[ \t]*(?:(?:public|protected|private|static|readonly|var)[ \t]+)+[\w|?&\\ \t]*[ \t]NAME[ \t]*[;=,]"
_PROPERTY = r"@property\b[^;\n]*?(?:[ \t*]NAME\b|\(\^[ \t]*NAME\))"  # of Objective-C
_ENUM_LINE = r"[^\n({]*\benum\b[^\n{;]*\{[^}\n]*\bNAME[ \t]*(?:[=,}(]|$)"  # in one line
_TYPED = r"""
    (?!(?>[^;{}(\n]*?\b(?:class|struct|interface)\b)(?>[^;{}\n]*?(?:[^:]:[^:]|\b(?:extends|implements)\b))
      [^{\n]*NAME)  # a base of it
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
_RUBY = r"""
    [ \t]*(?:(?:private|protected|public)[ \t(]+)?
      (?:(?:\w+\.)?(?:\w*attr_\w+|class_attribute|\w*_accessor|\w*delegat\w*)[ \t(]+)?
      (?::@?\w+[?!=]?,[ \t]*)*:NAME(?:$|[ \t,)?!])
    | [ \t]*(?:alias(?:_\w+)?|define\w*|scope|attribute|enum|has_many|has_one|belongs_to
      |has_and_belongs_to_many|let!?)[ \t(]+[:"']{0,2}NAME(?:\b|$|[ \t,"'])
    | [ \t]*NAME[ \t]*=(?!=)
"""
_RUBY_ANYWHERE = r"""
    [ \t]+@NAME[ \t]*(?:\|\|)?=(?!=)
    | [ \t]*\#[ \t]*:(?:(?:singleton-)?method|attr\w*):[ \t]*NAME  # what is made at run time, for RDoc
"""
_RUBY_BLOCKS = (  # whose lines stand for the class around them, or that hold names on further lines
    r"(?:included|prepended|class_methods|concerning|with_options|class_eval|module_eval|describe|context)\b.*\bdo\b"
    r"|(?:if|unless|else|elsif|begin)\b|(?:\w*attr_\w+|\w*_accessor|\w*delegat\w*)\b[^\n]*,$"
)
_PROTO = r"""
    [ \t]*(?:(?:repeated|optional|required)[ \t]+)?[\w.]+(?:<[\w., \t]+>)?[ \t]+NAME[ \t]*=[ \t]*\d
"""
_GRAPHQL = r"[ \t]*NAME[ \t]*(?:\([^)\n]*\)?[ \t]*)?:[ \t]*[\w\[(]|[ \t]*NAME[ \t]*\($"
_ELIXIR = r"""
    [ \t]*(?:@NAME[ \t]+[^\s=<>|).,]
    | (?:field|belongs_to|has_one|has_many|many_to_many|embeds_one|embeds_many|attr|slot|plug|arg|object|enum
      |value|attribute|argument)[ \t(]+:NAME\b)
"""
_HASKELL = r"(?:data|newtype)\b[^=\n]*=(?:[^\n]*[|{,])?[ \t]*NAME(?:[ \t{]|$)"  # in one line
_CONSTRUCTOR = r"""
    [ \t]*[|=][ \t]*(?:forall[^.\n]*\.[ \t]*)?(?:[^|\n]*\|[ \t]*)*NAME(?:[ \t{]|$)
    | [ \t]*NAME[ \t]*(?:::[ \t]|\{|$|[A-Z(|])
    | [ \t]*(?:[|=]?[ \t]*[A-Z]\w*[ \t]*)?[{,][ \t]*(?:\w+[ \t]*,[ \t]*)*NAME[ \t]*(?:,[^:\n]*)?(?:::|$)
"""
_OCAML_VARIANT = r"""
    [ \t]*(?:\|[ \t]*NAME(?:[ \t]+of\b|[ \t]*:[^:=]|[ \t]*(?:\||\(\*|$)) | NAME(?:[ \t]+of\b|[ \t]*\|))
    | [ \t]*(?:type|and|exception)\b[^=\n]*=(?:[^\n]*\|)?[ \t]*\[?[ \t]*`?NAME\b
"""
_OCAML_FIELD = (
    r"[ \t]*(?:type\b[^={\n]*=[ \t]*)?[{;]?[ \t]*(?:[^{}=\n]*;[ \t]*)?(?:mutable[ \t]+)?NAME[ \t]*:(?![:=])"
)
_ML_BOUND = r"[ \t]+(?:let|and)[ \t]+NAME\b|[ \t]*val[ \t]+(?:mutable[ \t]+)?NAME\b"
_JULIA = r"[ \t]*(?:const[ \t]+)?NAME[ \t]*(?:::|$|\#|=(?!=))"
_LUA = r"""
    (?:local[ \t]+)(?:[\w \t]+(?:<\w+>)?,[ \t]*)*NAME\b(?![ \t]*=[ \t]*require\b)
    | (?:[\w.]+[.:])?NAME[ \t]*=(?!=)
"""
_PERL = r"""
    (?:our|my|state|local)[ \t]+(?:\([^)\n]*)?[@%]?NAME\b
    | has[ \t]+\[?[ \t]*(?:qw[(\[ \t]+)?[^=\n]*?\bNAME\b[^=\n]*=> | field[ \t]+[@%]?NAME\b
    | use[ \t]+(?:constant|vars)\b[^=\n]*\bNAME\b | use[ \t]+constant[ \t]*\{(?:[^\n]*,)?[ \t]*NAME[ \t]*=>
    | [ \t]*\*NAME[ \t]*=
"""
_MAKE = r"(?:(?:export|override|define)[ \t]+)*NAME[ \t]*(?:[:+?!]?:?=|$)"
_TERRAFORM = r"[ \t]+NAME[ \t]*=(?!=)"
_ZIG = r"[ \t]*(?:comptime[ \t]+)?NAME[ \t]*(?::[ \t]|,|=(?!=))|[ \t]*(?:pub[ \t]+)?(?:const|var)[ \t]+NAME\b"
_R = r"NAME[ \t]*(?:<-|<<-|=(?!=))"
_SQL = r"[ \t]*(?:,[ \t]*)?[\"`\[]?NAME[\"`\]]?[ \t]+[A-Za-z]"
_SQL_ADDED = r".*(?i:\badd[ \t]+(?:column|constraint|value)\b)[^;\n]*\bNAME\b"
_CSS = r"(?:[^{};:\n]*[\s,>+~&)])?[.\#]NAME(?:[ \t]*[,{]|[ \t]*$)|[ \t]*(?:--|@)NAME[ \t]*:"
_SHELL = r"(?:(?:export|readonly|typeset|declare|alias)[ \t]+(?:-\w+[ \t]+)?)?NAME\+?="
_LISP_METHOD = r"[ \t]+\(NAME[ \t]*[\[\n(\"]"
_GO_LIST = r"(?:\w+,[ \t]*)*NAME(?:,[ \t]*\w+)*"

_WORD_HEADS = (
    r"[ \t]*(?:class|module|struct|mutable[ \t]+struct|Base\.@kwdef|@kwdef|abstract[ \t]+type|baremodule)\b"
)
_SCRIPT = Rules(
    {Around.TOP: _BOUND, Around.TYPE: _KEY, Around.VALUES: _VALUE},
    anywhere=r"[ \t]*this\.NAME[ \t]*(?::[^=\n]+)?=(?!=)",
    type_head=r"[^=(]*?(?:\b(?:class|interface|object|trait)\b|\b(?:type|const|let|var)\b[^=\n]*=[ \t]*\{"
    r"|exports[ \t]*=[ \t]*\{|export[ \t]+default[ \t]*\{)",
    see_through=r"[^=(]*?\b(?:namespace|module|global)\b|['\"]?\w+['\"]?:[ \t]*\{",  # {a: {NAME: 1}}
)
_BRACES = Rules(
    {Around.TOP: _TYPED, Around.TYPE: _TYPED, Around.VALUES: f"{_VALUE}|{_TYPED}"},
    anywhere=f"{_ENUM_LINE}|{_PROPERTY}",
)
_BOUND_FIELDS = (  # const { a, NAME } = use()
    r"[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]*[{\[][^=\n]*?(?:\w+[ \t]*:[ \t]*)?NAME[ \t]*[,}\]=]"
)
_COMPONENT = Rules(
    {**_SCRIPT.lines, Around.TOP: f"{_BOUND}|{_BOUND_FIELDS}"},
    _SCRIPT.anywhere,
    _SCRIPT.type_head,
    rf"<script\b|{_SCRIPT.see_through}",
)
RULES = {
    **dict.fromkeys(("c", "cpp", "objective-c", "csharp", "java", "dart", "groovy", "d"), _BRACES),
    "php": Rules({Around.TOP: _TYPED, Around.TYPE: f"{_PHP}|{_TYPED}", Around.VALUES: f"{_VALUE}|{_TYPED}"}),
    **dict.fromkeys(("typescript", "javascript"), _SCRIPT),
    **dict.fromkeys(("vue", "svelte"), _COMPONENT),
    "protobuf": Rules(
        {Around.TYPE: _PROTO, Around.VALUES: r"[ \t]*NAME[ \t]*=[ \t]*-?\d"},
        type_head=r"[ \t]*(?:message|oneof|extend)\b",
    ),
    "graphql": Rules(
        {Around.TYPE: _GRAPHQL, Around.VALUES: r"[ \t]*NAME[ \t]*(?:@|$|\#)"},
        type_head=r"(?:extend[ \t]+)?(?:type|interface|input)\b",
    ),
    "elixir": Rules({}, anywhere=_ELIXIR),
    "haskell": Rules(
        {Around.TYPE: _CONSTRUCTOR},
        anywhere=_HASKELL,
        type_head=r"(?:data|newtype)\b",
        see_through=r"[ \t]*(?:[=|][ \t]*)?[A-Z]\w*\b[^=]*$",
    ),
    "ocaml": Rules(
        {Around.TYPE: f"{_OCAML_FIELD}|{_ML_BOUND}", Around.TOP: f"{_OCAML_FIELD}|{_ML_BOUND}"},
        anywhere=_OCAML_VARIANT,
        type_head=r".*(?:\{|\bstruct|\bsig|\bobject(?:[ \t]*\(\w+\))?|\btype\b.*=)$",
    ),
    "fsharp": Rules(
        {Around.TYPE: rf"{_OCAML_FIELD}|{_ML_BOUND}", Around.TOP: _ML_BOUND},
        anywhere=_OCAML_VARIANT,
        type_head=r"(?:type|module|and)\b",
    ),
    "julia": Rules({Around.TYPE: _JULIA, Around.TOP: _JULIA}, type_head=_WORD_HEADS),
    "lua": Rules(
        {Around.TOP: _LUA, Around.TYPE: r"[ \t]+NAME[ \t]*=(?!=)"},
        anywhere=r"[ \t]*self\.NAME[ \t]*=(?!=)",
        type_head=r"(?:(?:local[ \t]+)?[\w.]+[ \t]*=|return)[ \t]*(?:[\w.]+[ \t]*\(?[ \t]*)?\{$",
    ),
    "perl": Rules({Around.TOP: _PERL, Around.TYPE: r"[ \t]+NAME[ \t]*=>"}, type_head=r"use[ \t]+constant\b"),
    "make": Rules({Around.TOP: _MAKE}),
    "dockerfile": Rules({Around.TOP: r"(?i:arg|env)[ \t]+(?:[^=\n]*=[^\n]*[ \t])?NAME(?:[= \t]|$)"}),
    "terraform": Rules({Around.TYPE: _TERRAFORM}, type_head=r"locals\b"),
    "zig": Rules(
        {
            Around.TOP: _ZIG,
            Around.TYPE: _ZIG,
            Around.VALUES: r"[ \t]*(?:@\")?NAME\"?[ \t]*(?:[,:=(]|$)",
        },
        type_head=r".*\b(?:struct|union|opaque)\b[^;]*\{$",
        values_head=r".*\b(?:enum|error|union)\b[^;]*\{$",
    ),
    "r": Rules({Around.TOP: _R}),
    "sql": Rules({Around.TYPE: _SQL}, anywhere=_SQL_ADDED, type_head=r"(?i)create\b.*\b(?:table|type)\b"),
    "css": Rules({}, anywhere=_CSS),
    "clojure": Rules({}, anywhere=_LISP_METHOD),
    "shell": Rules({Around.TOP: _SHELL}),
    **dict.fromkeys(
        ("kotlin", "scala"), Rules({Around.TOP: _VAL, Around.TYPE: _VAL, Around.VALUES: f"{_VALUE}|{_VAL}"})
    ),
    "ruby": Rules(
        {Around.TOP: _RUBY, Around.TYPE: _RUBY},
        anywhere=_RUBY_ANYWHERE,
        type_head=r"(?:class|module)\b|[A-Z]\w*[ \t]*=[ \t]*(?:Struct|Class|Module|Data)\.",
        see_through=_RUBY_BLOCKS,
    ),
    "go": Rules(
        {
            Around.TOP: rf"(?:var|const|type)[ \t]+{_GO_LIST}(?:[ \t\[=]|$)",
            Around.GROUP: rf"[ \t]+{_GO_LIST}[ \t]*(?:=(?!=)|//|$|[\w*\[(])",
            Around.TYPE: rf"[ \t]+{_GO_LIST}(?:[ \t]+[\w*\[(<]|\(|[ \t]*$|[ \t]*//)",
        },
        type_head=r".*\b(?:struct|interface)[ \t]*\{",
    ),
    "rust": Rules(
        {
            Around.TYPE: r"[ \t]*(?:pub(?:\([\w: ]+\))?[ \t]+)?NAME[ \t]*:(?!:)",
            Around.VALUES: _VALUE,
        },
        type_head=r"[^=(]*?\b(?:struct|union)\b",
    ),
    "swift": Rules({Around.TOP: _SWIFT, Around.TYPE: _SWIFT, Around.VALUES: _SWIFT}),
    "python": Rules(
        {Around.TOP: _ASSIGNED, Around.TYPE: _ASSIGNED},
        anywhere=r"[ \t]+self\.NAME[ \t]*(?:=(?!=)|:(?!=)[ \t]*\S)",
        see_through=r"(?:if|elif|else|try|except|finally|with)\b",
    ),
}
