"""Line patterns of documents and configuration: headings and table names count as definitions.

The text of a document is its body, not a comment, so documents have no comment spans except
those of HTML. Fenced blocks are skipped: a `#` inside one is not a heading.
"""

from __future__ import annotations

from repo_mcp.languages.patterns.landmarks import Language, build_language

MARKDOWN = build_language(
    "markdown",
    "docs",
    r"""
    ```[^\n]*+(?:\n(?!```)[^\n]*+){0,20000}(?:\n```)?
    | ~~~[^\n]*+(?:\n(?!~~~)[^\n]*+){0,20000}(?:\n~~~)?
    | \#{1,6}{gap}([^\n\#]{1,200}+)
    | (?P<doc>{html})
    | ([^\n<`~\#]{1,200}+)(?=\n={3,}+{opt}(?:\n|\Z))
    """,
)

RST = build_language(
    "rst",
    "docs",
    r"""
    ([^\s.=~^"'*+\#`:_-][^\n]{0,200}+)
      (?=\n(?:={3}|-{3}|~{3}|\^{3}|"{3}|\*{3}|\+{3}|\#{3})[=~^"*+\#-]*+(?:\n|\Z))
    | \.\.{gap}(?:{name}:)?
      (?:function|method|class|module|data|exception|option|attribute|macro|type|struct)::{gap}({name})
    """,
)

HTML = build_language("html", "docs", r"{opt}(?P<doc>{html})")
XML = build_language("xml", "data", r"{opt}(?P<doc>{html})")
CSS = build_language(
    "css",
    "code",
    r"""
    {opt}(?:
        {slash_doc}
        | @(?:mixin|function|keyframes|-webkit-keyframes|property|layer|counter-style){gap}([\w-]{1,100}+)
        | %([\w-]{1,100}+)(?={opt}[,{])
      )
    | [$@](?!media\b|page\b)([\w-]{1,100}+){opt}:
    """,
)
YAML = build_language("yaml", "config", r"{opt}{hash_doc}")
TOML = build_language("toml", "config", r"{opt}{hash_doc} | \[\[?([^\[\]\n]{1,200}+)\]")
INI = build_language(
    "ini", "config", r"{opt}(?P<doc>[\#;][^\n]*+(?:\n[ \t]*+[\#;][^\n]*+){0,500}) | \[([^\]\n]{1,200}+)\]"
)
MAKE = build_language(
    "make", "config", r"{hash_doc} | ([A-Za-z0-9_][A-Za-z0-9_./-]{0,80}+){opt}:(?!=) | define{gap}({name})"
)
CMAKE = build_language("cmake", "config", r"{opt}(?:{hash_doc} | (?i:function|macro){opt}\({opt}({name}))")
DOCKERFILE = build_language(
    "dockerfile", "config", r"{opt}{hash_doc} | (?i:from){gap}[^\n]{1,200}?{gap}(?i:as){gap}([\w.-]{1,80}+)"
)
KCONFIG = build_language("kconfig", "config", r"{hash_doc} | (?:menu)?config{gap}({name})")
DEVICE_TREE = build_language(
    "devicetree", "config", r"{opt}(?:{slash_doc} | ({name}):(?=[^;{}\n]{1,100}+\{))"
)
TERRAFORM = build_language(
    "terraform",
    "config",
    r"""
    {opt}(?P<doc>{hashes} | {block} | {slashes})
    | (?:resource|data){gap}"[^"\n]{1,80}+"{gap}"([^"\n]{1,80}+)
    | (?:variable|output|module|provider){gap}"([^"\n]{1,80}+)
    """,
)
JSON = Language("json", "data")
CSV = Language("csv", "data")
TEXT = Language("text", "docs")
UNKNOWN = Language("unknown", "data")
