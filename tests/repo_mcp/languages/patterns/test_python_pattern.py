"""The line pattern of Python against its plain version, whose alternatives are in nobody's way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.languages.patterns.landmarks import build_language, scan
from repo_mcp.languages.patterns.script_languages import PYTHON
from tests.deep.sizes import examples

_DOUBLE = r'"{3}[^"\\]*+(?:(?:\\[^\n]?|"(?!""))[^"\\]*+){0,20000}(?:"{3})?'
PLAIN = build_language(
    "python",
    "code",
    r"""
    \A(?P<doc_top>(?:{hashes}\n++)?[rRuU]?{triple})
    | (?<=:\n){gap}(?P<doc_below>[rRuU]?{triple})
    | {opt}(?:
        {hash_doc}
        | (?:async{gap})?def{gap}({name})
        | class{gap}({name})
        | type{gap}({name})(?=[^=\n]{0,80}+=)
        | ({CONST}){opt}(?::[^=\n]{1,80}+)?=(?!=)(?:{opt}[rbfRBF]{0,2}+{triple})?
        | [a-z_]{w}*+{opt}={opt}[rbfRBF]{0,2}+{triple}
        | (?P<doc_string>(?=[rRuU]?(?:"{3}|'{3})(?![\s),.;\]}%]))[rRuU]?{triple})
      )
    | ([A-Z]{w}*+){opt}=(?!=)
    """,
    triple=f"(?:{_DOUBLE}|{_DOUBLE.replace(chr(34), chr(39))})",
)
FRAGMENTS = [
    "\n", "\n", "\n    ", " ", "\t", ":\n", '"""', "'''", '"', "'", "\\", "#", "# a", "a", "r", "R", "u", "U",
    "f", "B", "Ab", "AB", "A_1", "ABc", "_x", "=", "==", " = ", ": int", "def ", "async ", "class ", "type ",
    "f(x)", ")", ".", "text", "\u00e9", "defa", "classA", "[T]",
]  # fmt: skip


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_finds_what_the_plain_pattern_finds(text: str) -> None:
    assert scan(PYTHON, text.encode()) == scan(PLAIN, text.encode())
