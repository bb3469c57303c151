"""Generated patterns and texts for the tests of exact search: small alphabets, so that matches are common."""

from __future__ import annotations

from hypothesis import strategies as st

# Letters with unusual case folding, one without case, a mark, a superscript, and edges of words.
ODD_CHARS = "aAsSkK\u017f\u212aéÉßΣςİı検²_09 (-.\u0301"
TEXT_CHARS = ODD_CHARS + "ab"

lines = st.text(TEXT_CHARS, max_size=14)
texts = st.lists(lines, max_size=6).map("\n".join)
literals = st.text(TEXT_CHARS + "\n", min_size=1, max_size=6)


def _escape(char: str) -> str:
    return f"\\{char}" if char in "().-*+?|[]{}^$\\" else char


_ATOMS = st.one_of(
    st.sampled_from(TEXT_CHARS).map(_escape),
    st.text("absk_0", min_size=2, max_size=4),
    st.sampled_from(
        [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\b", r"\B", ".", "^", "$", r"\x61", r"\x{e9}", r"\141"]
    ),
    st.sampled_from([r"\n", r"[^\n]", r"\pL", r"\PL", r"\p{Lu}", r"\Qa.s\E", r"\A", r"\z"]),
    st.sampled_from(
        [
            "[a-c]",
            "[^a-s]",
            "[as]",
            r"[\w-]",
            r"[^\w]",
            r"[^\s(]",
            "[é-ü]",
            "[[:alpha:]]",
            "[[:^word:]]",
            "[]a]",
        ]
    ),
    st.sampled_from(["[ -]", "[s_]", r"[\d_]", "[^a-zA-Z0-9_]", "[k]", "[K-S]", r"[\x00-\x20]"]),
)


def _combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.sampled_from(["(", "(?:", "(?i:", "(?-i:", "(?s:", "(?P<n>", "(?i)", "(?-i)"])
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(group, inner).map(
            lambda pair: pair[0] + pair[1] if pair[0].endswith("i)") else f"{pair[0]}{pair[1]})"
        ),
        st.tuples(
            inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?", "{0}"])
        ).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    )


expressions = st.recursive(_ATOMS, _combine, max_leaves=8)

_CLASSES = st.sampled_from(
    ["[a-m]", "[A-Z]", r"\w", r"\d", "[0-9a-f]", "[a-z_]", "[[:alnum:]]", "(?i:[a-f])"]
)
_COUNTS = st.sampled_from(["", "", "+", "{2}", "{1,2}", "{2,}", "?", "*"])
_CLASSED = st.tuples(_CLASSES, _COUNTS).map("".join)
shaped_expressions = st.lists(
    st.one_of(_CLASSED, _CLASSED, st.sampled_from(["a", "b_", "k", "s", "é", r"\b", " ", "-", "(", "^"])),
    min_size=1,
    max_size=5,
).map(lambda parts: "".join(parts) + ")" * parts.count("("))
