"""Lines that match, against a plain reading of the same text; and patterns that nobody should answer."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.engines import PythonEngine, load_engine
from repo_mcp.exact.line_matcher import MAX_PATTERN_CHARS, TRIES_BETWEEN_LOOKS, LineMatch, LineMatcher
from repo_mcp.exact.repeated_parts import MAX_OPTIONAL, count_optional
from repo_mcp.model import ExactRequest
from repo_mcp.text.lines import split_lines
from tests.deep.sizes import examples
from tests.growth import HANG_SECONDS, assert_linear
from tests.repo_mcp.exact.exact_patterns import literals, texts


def match(request: ExactRequest, data: bytes) -> list[LineMatch]:
    """Return what both engines find, which is as many as they count, from any of the lines on."""
    matcher = LineMatcher(request, load_engine())
    found = list(matcher.iter_matches(data))
    if matcher.counts_lines:
        for passed, one in enumerate(found, 1):
            assert matcher.count_lines(data, one.line_end + 1, lambda: False) == len(found) - passed
        assert matcher.count_lines(data, 0, lambda: False) == len(found)
    assert list(LineMatcher(request, PythonEngine()).iter_matches(data)) == found
    return found


def find_lines(request: ExactRequest, text: str) -> list[tuple[int, int]]:
    return [(one.start_line, one.end_line) for one in match(request, text.encode())]


def find_starts(request: ExactRequest, text: str) -> list[str]:
    data = text.encode()
    return [data[one.line_start : one.start].decode() for one in match(request, data)]


@given(literals, texts, st.integers(0, 30))
def test_literals_match_where_the_text_holds_them(pattern: str, text: str, position: int) -> None:
    text = text[:position] + pattern + text[position:]
    if "\n" in pattern:
        first = text.index(pattern)
        start = text.count("\n", 0, first) + 1
        end = start + pattern.rstrip("\n").count("\n") if pattern.strip("\n") else start
        found = find_lines(ExactRequest(pattern), text)
        assert found[0][0] == start
        assert found[0][1] >= end
        return
    lines = [line.decode() for line in split_lines(text.encode())]
    wanted = [number for number, line in enumerate(lines, 1) if pattern in line]
    assert [start for start, _ in find_lines(ExactRequest(pattern), text)] == wanted
    assert find_starts(ExactRequest(pattern), text) == [
        lines[number - 1][: lines[number - 1].index(pattern)] for number in wanted
    ]


# Python's letter-by-letter folding also makes one of the dotted and the dotless i.
@settings(max_examples=examples(300))
@given(literals.filter(lambda text: "\n" not in text and not set(text) & set("İıiI")), texts)
def test_case_is_ignored_as_python_ignores_it(pattern: str, text: str) -> None:
    wanted = re.compile(re.escape(pattern), re.IGNORECASE)
    lines = [line.decode() for line in split_lines(text.encode())]
    assert [start for start, _ in find_lines(ExactRequest(pattern, case_sensitive=False), text)] == [
        number for number, line in enumerate(lines, 1) if wanted.search(line)
    ]


@pytest.mark.parametrize(
    ("pattern", "line", "matches"),
    [
        ("foo", "foo", True),
        ("foo", "a foo.b", True),
        ("foo", "foobar foo_x xfoo 3foo", False),
        ("foo", "foobar foo", True),
        ("foo", "éfoo", False),
        ("foo", "foo検", False),
        ("foo", "foo²", True),
        ("foo", "foo٣", False),
        ("foo", "–foo–", True),
        ("->x", "a->x", False),
        ("->x", "a ->x", True),
        ("(", "f(x)", False),
        ("naïve", "so naïve!", True),
    ],
)
def test_whole_words(pattern: str, line: str, matches: bool) -> None:
    found = find_lines(ExactRequest(pattern, whole_word=True), line)
    assert bool(found) == matches


def test_a_whole_word_is_found_behind_one_that_is_not() -> None:
    assert find_starts(ExactRequest("foo", whole_word=True), "xfoo foo foo") == ["xfoo "]
    assert find_starts(ExactRequest("a+", regex=True, whole_word=True), "xaa aa") == ["xaa "]
    assert find_starts(ExactRequest(" ?foo", regex=True, whole_word=True), " foo") == [""]


@pytest.mark.parametrize(
    ("pattern", "text", "lines"),
    [
        ("a", "a\nb\na", [(1, 1), (3, 3)]),
        ("a*", "b\n\nc\n", [(1, 1), (2, 2), (3, 3)]),
        ("a*", "", []),
        ("^$", "a\n\nb\n", [(2, 2)]),
        ("$", "a\n", [(1, 1)]),
        (r"a\s+b", "a\nb\na b", [(3, 3)]),
        ("a[^x]+b", "a\nb", []),
        (r"a\nb", "a\nb\na\nb", [(1, 2), (3, 4)]),
        (r"(?s)a.*b", "xa\ny\nbx\nb", [(1, 4)]),
        (r"a\n", "a\na\n", [(1, 1), (2, 2)]),
        (r"b\na", "a b\na b\na", [(1, 2), (2, 3)]),
        (r"\Aa", "a\na", [(1, 1)]),
        (r"a\z", "a\na", [(2, 2)]),
        (r"(?i)K", "\u212a", [(1, 1)]),
        (r"a\Q.", "ab\na.", [(2, 2)]),
    ],
)
def test_expressions(pattern: str, text: str, lines: list[tuple[int, int]]) -> None:
    assert find_lines(ExactRequest(pattern, regex=True), text) == lines


def test_a_quote_left_open_ends_with_a_whole_word() -> None:
    assert find_lines(ExactRequest(r"\Qa.b", regex=True, whole_word=True), "xa.b\na.b") == [(2, 2)]


def test_line_ends_of_a_literal_are_those_of_the_text() -> None:
    assert find_lines(ExactRequest("a\r\nb\rc"), "a\nb\nc") == [(1, 3)]


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("(", "missing )"),
        ("a**", "bad repetition operator at character 2: **"),
        ("x[z-a]", "invalid character class range at character 3: z-a"),
        ("(?=a)", "invalid perl operator at character 1: (?="),
        (r"(a)\1", r"invalid escape sequence at character 4: \1"),
        ("a{1001}", "invalid repetition size at character 2: {1001}"),
        ("((a{100}){100}){100}", "invalid repetition size"),
        ("a)(?:b", "unexpected )"),
        ("\ud800", "surrogate"),
        ("", "empty"),
        ("a" * (MAX_PATTERN_CHARS + 1), "at most 10,000"),
    ],
)
def test_what_is_wrong_with_a_pattern_is_said(pattern: str, what: str) -> None:
    for engine in (load_engine(), PythonEngine()):
        with pytest.raises(RepoError) as caught:
            LineMatcher(ExactRequest(pattern, regex=True), engine)
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT
        assert what in caught.value.message
        assert caught.value.details == {"argument": "pattern"}


HOSTILE = [
    "(a+)+$",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*)*x",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "a?" * 500 + "a" * 500,
    "(" * 900 + "a" + ")" * 900,
    "(?:" * 990 + "a" + ")*" * 990,
    "[a-z]{1000}",
    "(?:a{30}){30}",
    "|".join("abcdefghijklmnop"[: 1 + n % 16] + str(n) for n in range(1500)),
    "a" * MAX_PATTERN_CHARS,
    "[ab]" * 2_500,
    "(?i)" + "s" * 9_000,
    r"\pL{200}",
    ".*" * 2_000,
    "(?s).*" * 100 + "z",
]


@pytest.mark.parametrize(
    ("pattern", "optional"),
    [
        ("a{0,1000}" * 50, 49_950),
        ("(?:b{1,101}|c?){50}", 5_000),
        ("|".join(["[^x]{0,1000}"] * 8), 7_992),
        ("((a{2,6}){10}){10,}", 400),
        (r"\pL{0,90}(?i)a?b*c+d{5}e{5,}", 89),
    ],
)
def test_parts_that_may_be_left_out_are_counted(pattern: str, optional: int) -> None:
    """RE2 takes seconds to compile tens of thousands, and all other threads wait for it."""
    assert count_optional(pattern) == optional
    if optional <= MAX_OPTIONAL:
        LineMatcher(ExactRequest(pattern, regex=True))
        return
    with pytest.raises(RepoError) as caught:
        LineMatcher(ExactRequest(pattern, regex=True))
    assert f"may leave out {optional:,} parts; at most 4,000 are allowed" in caught.value.message
    assert caught.value.hint == "Use * or +, or smaller numbers in {...}."


@pytest.mark.parametrize("pattern", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_patterns_cost_little(pattern: str) -> None:
    """Milliseconds each; a backtracking engine takes years."""
    text = ("a" * 2_000 + "\n" + "x" * 2_000 + "\n") * 4
    started = time.monotonic()
    refused = None
    found = []
    try:
        found = list(LineMatcher(ExactRequest(pattern, regex=True)).iter_matches(text.encode()))
    except RepoError as error:
        refused = error.code
    assert refused in (None, ErrorCode.INVALID_ARGUMENT)
    assert len(found) <= 8
    assert time.monotonic() - started < HANG_SECONDS


@pytest.mark.parametrize("pattern", [r"(?s)\w", r"a|\n\n", r"(?s:a.?)"])
def test_a_long_line_of_matches_is_read_once(pattern: str) -> None:
    """Where a match may span lines, each of them is looked at: the next one may leave the line."""
    matcher = LineMatcher(ExactRequest(pattern, regex=True))
    assert_linear(lambda size: b"a " * size + b"\nb\n", lambda data: list(matcher.iter_matches(data)), 4_000)


def test_counting_can_be_stopped() -> None:
    looks = iter([False, True])
    count = LineMatcher(ExactRequest("a")).count_lines(b"a\n" * 10_000, 0, lambda: next(looks))
    assert count == TRIES_BETWEEN_LOOKS


def test_a_search_within_a_long_line_can_be_stopped() -> None:
    matcher = LineMatcher(ExactRequest(r"(?s)\w", regex=True))
    looks = iter([False, True])
    found = list(matcher.iter_matches(b"a" * 10_000 + b"\nb\n", lambda: next(looks)))
    assert [match.start_line for match in found] == [1]


@pytest.mark.parametrize(
    ("pattern", "escaped"),
    [
        ("f(", r"f\("),
        ("add(String s|put(|get", r"add\(String s|put\(|get"),
        ("(a|b)(", r"(a|b)\("),
        ("a)(b)", r"a\)(b)"),
        (r"[(]x\((", r"[(]x\(\("),
        (r"[])(]f(", r"[])(]f\("),
    ],
)
def test_an_error_shows_the_expression_with_its_lone_brackets_escaped(pattern: str, escaped: str) -> None:
    with pytest.raises(RepoError) as raised:
        LineMatcher(ExactRequest(pattern, regex=True))
    assert raised.value.hint == f"Escape a bracket that stands for itself: {escaped}"
    LineMatcher(ExactRequest(escaped, regex=True))


@pytest.mark.parametrize("pattern", ["poll_(read|write", "x|(?:a|b", "f(a|b|c"])
def test_an_error_closes_a_group_with_alternatives(pattern: str) -> None:
    with pytest.raises(RepoError) as raised:
        LineMatcher(ExactRequest(pattern, regex=True))
    assert raised.value.hint == f"Close the group: {pattern})"


@pytest.mark.parametrize("pattern", ["(" * 201, "a\t(", "a)[", "a)**", r"(\Q)", "(?:ab"])
def test_an_error_repeats_no_expression_that_is_long_or_still_wrong(pattern: str) -> None:
    with pytest.raises(RepoError) as raised:
        LineMatcher(ExactRequest(pattern, regex=True))
    assert raised.value.hint.startswith("Use RE2 syntax")
