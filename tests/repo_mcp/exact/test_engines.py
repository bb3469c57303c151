"""Both engines: the same patterns are valid in the same words and match at the same places."""

from __future__ import annotations

import random

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.exact.character_sets import find_category, list_cases
from repo_mcp.exact.engines import Options, PythonEngine, Re2, compile_for_terms
from repo_mcp.exact.expression_reader import ExpressionFault
from tests.deep.sizes import IS_DEEP, examples

ENGINES = (Re2(re2), PythonEngine())
# What a pattern is made of: classes of every kind, assertions, flags and quotes.
ATOMS = (
    *("a", "b", "k", "s", "K", "S", "_", " ", "é", "ſ", ".", "^", "$", "x"),
    *(
        r"\n",
        r"\s",
        r"\w",
        r"\W",
        r"\d",
        r"\D",
        r"\b",
        r"\A",
        r"\z",
        r"\pL",
        r"\PL",
        r"\p{Lu}",
        r"\x{212a}",
        r"\101",
    ),
    *(
        "[ab]",
        "[^a]",
        r"[^\n]",
        "[a-c]",
        r"[^\w]",
        r"[\W]",
        "[[:upper:]]",
        r"[^[:alpha:]\d]",
        "[]^-]",
        r"\Qa.\E",
    ),
    *("(?i)", "(?s)", "(?-m)", "(?U)", "", "{", "{,2}"),
)
GROUPS = ("(", "(?:", "(?i:", "(?P<n>", "(?s-i:", "(?<n>")
REPEATS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}")


def build_patterns() -> st.SearchStrategy[str]:
    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = st.tuples(st.sampled_from(GROUPS), inner, st.just(")")).map("".join)
        return st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map("|".join),
            group,
            st.tuples(group, st.sampled_from(REPEATS)).map("".join),
        )

    return st.recursive(st.sampled_from(ATOMS), grow, max_leaves=10)


TEXTS = st.text("aabkKsS_ \nxé\u017f\u212aA1É", max_size=14)
OPTIONS = st.builds(Options, st.booleans(), st.booleans(), st.booleans())


def compile_or_say(engine: Re2 | PythonEngine, pattern: str, options: Options) -> object:
    try:
        return engine.compile(pattern, options)
    except ExpressionFault as fault:
        return str(fault)


def assert_alike(pattern: str, text: str, options: Options) -> None:
    one, other = (compile_or_say(engine, pattern, options) for engine in ENGINES)
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    data = text.encode()
    for position in (len(text[:number].encode()) for number in range(len(text) + 1)):
        spans = [
            found and (found.start(), found.end())
            for found in (compiled.search(data, position) for compiled in (one, other))  # type: ignore[attr-defined]
        ]
        assert spans[0] == spans[1], position


@settings(max_examples=examples(2_000))
@given(build_patterns(), TEXTS, OPTIONS)
def test_patterns_match_at_the_same_places(pattern: str, text: str, options: Options) -> None:
    assert_alike(pattern, text, options)


@settings(max_examples=examples(1_000))
@given(st.text(r"ab\(){}[]|*+?^$.-:<>=!PpLQEdxi01,", max_size=8))
def test_the_same_patterns_are_refused_in_the_same_words(pattern: str) -> None:
    one, other = (compile_or_say(engine, pattern, Options()) for engine in ENGINES)
    if r"\x{" in pattern or r"\C" in pattern:  # the words differ, and RE2 has \C
        return
    assert (one if isinstance(one, str) else "") == (other if isinstance(other, str) else "")


@pytest.mark.parametrize(
    "pattern",
    [
        *(f"\\{chr(code)}" for code in range(32, 127) if chr(code) != "C"),
        *(f"[\\{chr(code)}]" for code in range(32, 127) if chr(code) != "C"),
        *(f"[\\{chr(code)}" for code in range(32, 127) if chr(code) != "C"),  # the class has no end
        *(f"(?{chr(code)}a)" for code in range(32, 127)),
        *(
            "a**",
            "a*?*",
            "a{2}*",
            "|*",
            "(*)",
            "^*",
            r"\b+",
            "a(?i)*",
            r"\Qa\E*",
            r"a\Q\E*",
            "a{3,2}",
            "a{1001}",
        ),
        *(
            "(a{100}){11}",
            "((a{2}){50}){11}",
            "(a{1000}){0,1}",
            "((a{1000}){0}){5}",
            "x{2}{3}",
            "a{02}",
            "a{,3}",
        ),
        *(
            "(?P<n>a)(?P<n>b)",
            "(?<n",
            "(?P<n",
            "(?P<>a)",
            "(?P<a-b>x)",
            "(?P=n)",
            "(?i-)",
            "(?-i-s)",
            "(?ii)a",
        ),
        *(
            "[",
            "[]",
            "[]a]",
            "[a-",
            "[a-]",
            "[a-b-c]",
            r"[a-\d]",
            "[[:foo:]]",
            "[[:alpha:]",
            "[[:a]",
            "(?<=",
            "(?<",
        ),
        *(
            r"\777",
            r"\8",
            r"\018",
            r"\xfg",
            r"\p{Any}",
            r"\p{^Lu}",
            r"\P{^Lu}",
            r"\p{}",
            r"\p{L",
            r"\é",
            r"[\\",
        ),
    ],
)
def test_one_pattern_in_both(pattern: str) -> None:
    assert_alike(pattern, "a1_\\a{,3}\tB2x", Options())
    assert_alike(pattern, "a1_\\a{,3}\tB2x", Options(case_sensitive=False, never_line_feed=True))


def test_cases_are_those_of_re2() -> None:
    cased = [char for char in map(chr, range(0x2_0000)) if char.isalpha() or char.lower() != char.upper()]
    lines = "\n".join(char for char in cased if len(list_cases(char)) > 1).encode()
    for char in (
        "a",
        "k",
        "s",
        "ß",
        "µ",
        "ά",
        "\u0345",
        "\u01c5",
        "\u0390",
        "\ufb05",
        "ı",
        "İ",
        "\u13a0",
        "я",
    ):
        spans = []
        for engine in ENGINES:
            compiled = engine.compile(f"^{engine.escape(char)}$", Options(case_sensitive=False))
            spans.append([])
            position = 0
            while (found := compiled.search(lines, position)) is not None:
                spans[-1].append(found.start())
                position = found.end() + 1
        assert spans[0] == spans[1], char


@pytest.mark.sized
@pytest.mark.parametrize("name", ["L", "Lu", "Nd", "P", "Zs", "Mn", "Sc"])
def test_categories_are_those_of_re2_where_the_versions_of_unicode_agree(name: str) -> None:
    """In the characters up to U+FFFF that Unicode 3.2 had, few of which ever change their category. A check
    tries every fifth, and the next check others.
    """
    import unicodedata

    step = 1 if IS_DEEP else 5
    some = map(chr, range(random.randrange(step), 0x1_0000, step))
    had = [char for char in some if unicodedata.ucd_3_2_0.category(char) not in ("Cn", "Cs")]
    compiled = ENGINES[0].compile(rf"^\p{{{name}}}$", Options())
    is_in = {char for low, high in find_category(name) for char in map(chr, range(low, high + 1))}
    differing = [char for char in had if (compiled.search(char.encode(), 0) is not None) != (char in is_in)]
    assert not differing


@pytest.mark.parametrize("pattern", [r"\C", r"\p{Greek}", r"[\p{Han}]"])
def test_what_only_re2_can_do_says_so(pattern: str) -> None:
    assert ENGINES[0].compile(pattern, Options()) is not None
    with pytest.raises(ExpressionFault, match="google-re2"):
        ENGINES[1].compile(pattern, Options())


def test_a_pattern_that_is_too_large_is_refused_by_both() -> None:
    for engine in ENGINES:
        with pytest.raises(ExpressionFault, match="too large"):
            engine.compile(r"\pL{1000}", Options())


def test_terms_are_found_without_re2_where_that_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "re2", None)
    assert compile_for_terms(rb"[\n\x80-\xffki]foo\n").search(b"\nxkfoo\n", 0).start() == 2
    assert compile_for_terms(rb"[0-9]+foo") is None
