"""Generated expressions of all that RE2 understands, and a tree of texts in which they often match."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import strategies as st

from tests.written_trees import write_tree

# Characters whose case, width or kind is unusual, and what stands beside words.
CHARS = "aabbksKSSAB__019\u017f\u212aéÉßΣσςİıǅĀā検²٣\u0301\u200d😀"
BESIDE = "  \t\f\v.-=({[]})<>:;,'\"\\/|*+?^$#@!~`&%\x00\x1f\x7f\u00a0\u2028\u0085"
FILES = 400
_NAMES = "abcks"
_FOLDERS = ("", "src/", "src/deep/", "Src/", "a b/", "[x]/")
_ENDINGS = ("py", "c", "txt", "md", "PY", "d.ts")


def write_adversarial_tree(root: Path) -> Path:
    """Write FILES small files of nearly equal words and odd characters, the same each time."""
    draw = random.Random(5)
    files: dict[str, bytes | str] = {}
    for number in range(FILES):
        name = "".join(draw.choices(_NAMES, k=3))
        text = draw.choice(("\n", "\n", "\r\n")).join(_make_line(draw) for _ in range(draw.randrange(5)))
        codec = draw.choice(("utf-8",) * 12 + ("utf-8-sig", "utf-16"))
        path = f"{draw.choice(_FOLDERS)}{name}{number}.{draw.choice(_ENDINGS)}"
        files[path] = text.replace("\x00", "" if codec == "utf-16" else "\x00").encode(codec)
    files["long.txt"] = "ab " * 3_000 + "k" * 200 + "aab=\n" + "é" * 150 + "bks\n"
    return write_tree(root, files)


def _make_line(draw: random.Random) -> str:
    parts = []
    for _ in range(draw.randrange(1, 6)):
        parts.append("".join(draw.choices(CHARS[: draw.choice((6, 14, len(CHARS)))], k=draw.randrange(1, 7))))
        parts.append("".join(draw.choices(BESIDE[: draw.choice((2, 30, len(BESIDE)))], k=draw.randrange(3))))
    line = "".join(parts)
    return line.replace("\x00", "") if draw.random() < 0.9 else line


def _escape(char: str) -> str:
    return f"\\{char}" if char in "().-*+?|[]{}^$\\" else char


def _cut(text: str) -> list[str]:
    return text.split()


_WORDS = st.text("abks_AB01", min_size=1, max_size=5)
_LITERALS = st.sampled_from(CHARS + BESIDE.replace("\x00", "")).map(_escape)
_ESCAPES = st.sampled_from(
    _cut(
        r"""\w \W \d \D \s \S \b \B \A \z . ^ $ \C \x61 \x{e9} \x{17f} \x{212a} \x{0000062} \141 \07 \060 \t
        \f \v \n \r \a \pL \PL \pN \p{Lu} \p{^Lu} \P{^Ll} \p{Greek} \p{Latin} \P{Latin} \pM \p{Han}
        \p{Any} \- \_"""
    )
)
_QUOTES = st.text("ab.[]()*k\\ n", max_size=4).map(lambda text: rf"\Q{text}\E")
_CLASS_ITEMS = st.sampled_from(
    _cut(
        r"""a b k s K S _ 0 - ^ [ ] é ſ \] \\ \- \^ \w \W \d \S \pL \PL \p{Lu} \p{^Lu} \p{Greek} \p{Latin} a-c
        A-Z 0-9 !-[ +-_ \x00-\x20 \x{e9}-\x{ff} \x{100}-\x{2fff} K-S \n \t . ( ) $ * [:alpha:] [:^alpha:]
        [:word:] [:^word:] [:upper:] [:digit:] [: :] [:^space:] \x61 \142 \x{17f} \x{212a} \q"""
    )
)
_CLASSES = st.tuples(st.sampled_from(["[", "[^", "[]", "[^]", "[-"]), st.lists(_CLASS_ITEMS, max_size=3)).map(
    lambda pair: pair[0] + "".join(pair[1]) + "]"
)
_FLAGS = _cut(r"(?i) (?-i) (?s) (?U) (?-U) (?m) (?-m) (?ims) (?i-s) (?) \Q\E")
_GROUPS = _cut("( (?: (?i: (?-i: (?s: (?U: (?-m: (?P<n> (?<n> (?P<nä> (?P<ń> (?P<n\u0301>")
_REPEATS = st.sampled_from(
    _cut(
        """* + ? *? +? ?? {2} {3} {1,2} {0,1} {2,} {1,} {0,} {0} {1} {02} {2,03} {,2} {2 {} {1,2}? {٢} {a}
        {0,2} {-1}"""
    )
)
_ATOMS = st.one_of(
    _WORDS, _WORDS, _LITERALS, _ESCAPES, _CLASSES, _QUOTES, st.sampled_from([*_FLAGS, "", "()", "(|)"])
)


def _combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.lists(inner, min_size=1, max_size=4)
    return st.one_of(
        parts.map("".join),
        parts.map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
        st.tuples(st.sampled_from(_GROUPS), inner).map(lambda pair: f"{pair[0]}{pair[1]})"),
        st.tuples(inner, _REPEATS).map("".join),
    )


every_expression = st.recursive(_ATOMS, _combine, max_leaves=8)
every_literal = st.text(CHARS + BESIDE + "\n\r", min_size=1, max_size=5)
