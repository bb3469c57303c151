"""What a pattern must contain: examples to read, and that no match is ever without it."""

from __future__ import annotations

import re

import pytest
import re2
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from repo_mcp.errors import RepoError
from repo_mcp.exact import pattern_texts
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.patterns import read_pattern
from repo_mcp.exact.required_terms import (
    CLASS_MARKS,
    MORE,
    All,
    Edge,
    Either,
    Need,
    Run,
    build_expression,
    describe_edge,
)
from repo_mcp.model import ExactRequest
from repo_mcp.text.analysis import MAX_WORD_BYTES, get_word_terms
from tests.deep.sizes import examples
from tests.repo_mcp.exact.exact_patterns import expressions, literals, shaped_expressions, texts

WORD = re.compile(r"\w+")


def show(need: Need | None) -> str:
    """Render `<foo~ & (bar | baz>)`: `<` and `>` a closed edge, `~` a strange one, `'` a possible long s."""
    if need is None:
        return "anything"
    if isinstance(need, Run):
        left = {Edge.OPEN: "", Edge.CLOSED: "<", Edge.STRANGE: "~"}[need.left]
        right = {Edge.OPEN: "", Edge.CLOSED: ">", Edge.STRANGE: "~"}[need.right]
        return f"{left}{show_shape(need)}{right}" + ("'" if need.may_have_long_s else "")
    parts = (" & " if isinstance(need, All) else " | ").join(map(show, need.parts))
    return f"({parts})"


def show_shape(run: Run) -> str:
    """Render D for a digit, H a hexadecimal one, L a letter, W any word character; + one or more of it."""
    return (run.shape or run.text).translate(str.maketrans(CLASS_MARKS + MORE, "DHLW+"))


@pytest.mark.parametrize(
    ("pattern", "need"),
    [
        ("foo", "foo"),
        ("foo bar", "(foo> & <bar)"),
        ("return foo_bar(x);", "(<foo_bar> & return> & <x>)"),
        ("->next", "<next"),
        ("fo", "fo"),
        ("fo bar)", "<bar>"),
        ("=~", "anything"),
        (" if ", "<if>"),
        ("Größe", "größe"),
        ("検索する", "検索する"),
        ("foo\nbar", "(foo> & <bar)"),
    ],
)
def test_literals(pattern: str, need: str) -> None:
    assert show(read_pattern(ExactRequest(pattern)).need) == need


def test_a_literal_in_any_case_may_hold_odd_letters() -> None:
    assert show(read_pattern(ExactRequest("Class", case_sensitive=False)).need) == "class'"
    assert show(read_pattern(ExactRequest("Kerl", case_sensitive=False)).need) == "kerl"
    assert show(read_pattern(ExactRequest("Größe", case_sensitive=False)).need) == "(gr & e)"


def test_a_whole_word_leaves_open_what_is_not_ascii() -> None:
    assert show(read_pattern(ExactRequest("foo", whole_word=True)).need) == "~foo~"
    assert show(read_pattern(ExactRequest("é", whole_word=True)).need) == "é"


@pytest.mark.parametrize(
    ("pattern", "need"),
    [
        ("foo", "foo"),
        ("foo|bar", "(foo | bar)"),
        (r"\bfoo_(get|put)\(", "(~foo_get> | ~foo_put>)"),
        ("foo.*bar", "(foo & bar)"),
        ("foo[0-9]+bar", "fooD+bar"),
        (r"foo\s+bar", "(foo> & <bar)"),
        (r"foo\s*bar", "(foobar | (foo> & <bar))"),
        ("^static$", "<static>"),
        ("colou?r", "(color | colour)"),
        ("(abc)+", "(abc | abc)"),
        ("(abc){3}", "abcabcabc"),
        ("(?i)foo", "foo"),
        ("(?i)sum", "sum'"),
        (r"\d+", "anything"),
        ("a|", "anything"),
        ("x*", "anything"),
        ("[abc]def", "(adef | bdef | cdef)"),
        ("[a-z]def", "Ldef"),
        (r"[^\w]def", "~def"),
        (r"[ \t]def", "<def"),
        (r"\Qa.bcd\E", "<bcd"),
        (r"\x66oo", "foo"),
        ("(?:abc|def|ghi)(?:jkl|mno)(?:stu|vwx|yza)", "((stu | vwx | yza) & (abcjkl | abcmno"
         " | defjkl | defmno | ghijkl | ghimno))"),
        (r"é\bfoo", "~foo"),
        ("disabled_?[0-9]+", "(disabledD+ | disabled_D+)"),
        (r"\bfoo\w+\(", "~fooW+>"),
        (r"foo\w*bar", "(foo & bar)"),
        (r"x\d{2,}foo\S", "xDD+foo"),
        ("[A-Z]{24}", "L" * 24),
        ("[A-Z]{7}", "anything"),
        ("[0-9a-fA-F]{8,12}-", "HHHHHHHH+>"),
        ("(?:[[:alnum:]]){100}", "W" * 48 + "+"),
        ("(?:[a-z]|_){9}", "anything"),
        ("(?i)[a-f]{9}", "HHHHHHHHH"),
        ("(?i)[a-z]{9}", "anything"),
        ("[a-z-]{9}foo", "foo"),
        ("[0-9]+[a-z]{40}[0-9]{9} ", "D+" + "L" * 40 + "D" * 6),
    ],
)  # fmt: skip
def test_expressions(pattern: str, need: str) -> None:
    found = show(read_pattern(ExactRequest(pattern, regex=True)).need)
    assert sorted(re.findall(r"[^\s()&|]+", found)) == sorted(re.findall(r"[^\s()&|]+", need))


@pytest.mark.parametrize("pattern", [r"a\nb", "a\nb", r"a\x0ab", "(?s)a.b", r"[\n]", r"[ \n]", r"\012"])
def test_who_names_a_line_feed_wants_lines_joined(pattern: str) -> None:
    assert read_pattern(ExactRequest(pattern, regex=True)).spans_lines


@pytest.mark.parametrize("pattern", [r"a\s+b", r"[^x]*", r"[^\n]", "a.b", r"\W", "(?m)a$", r"a\\n"])
def test_others_do_not(pattern: str) -> None:
    assert not read_pattern(ExactRequest(pattern, regex=True)).spans_lines


def test_an_open_quote_is_reported() -> None:
    assert read_pattern(ExactRequest(r"a\Qb", regex=True)).open_quote
    assert not read_pattern(ExactRequest(r"a\Qb\E", regex=True)).open_quote


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("[0-9]{4}zq", "zq"),
        ("ab*cd?eff+g", "ef"),
        ("ab|cd", ""),
        ("(ab|cd)e", "e"),
        ("(abc)d(?i)efg", "d"),
        (r"a\.b\Q*c\E[x]", "a.b*c"),
        ("x{2}yz", "yz"),
        ("(?i:ab)CD", "CD"),
        ("ab^cd", "ab"),
    ],
)
def test_literals_of_expressions(pattern: str, literal: str) -> None:
    assert read_pattern(ExactRequest(pattern, regex=True)).literal == literal


def holds(need: Need, words: set[str]) -> bool:
    """Return whether a text of these words may meet the need, by the promise of each part."""
    if isinstance(need, Run):
        return any(may_hold(need, word) for word in words)
    met = [holds(part, words) for part in need.parts]
    return all(met) if isinstance(need, All) else any(met)


def may_hold(run: Run, word: str) -> bool:
    if len(word.encode()) > MAX_WORD_BYTES:
        return True
    whole = get_word_terms(word)[0]
    if run.may_have_long_s and "\u017f" in whole:
        return True
    if run.shape:
        edges = (describe_edge(edge is Edge.OPEN, edge is Edge.CLOSED) for edge in (run.left, run.right))
        expression = build_expression(run.shape, *edges)
        return re.search(expression, b"\n%b\n" % whole.encode()) is not None
    positions = [position for position in range(len(whole)) if whole.startswith(run.text, position)]
    return any(
        fits(run.left, whole[position - 1 : position])
        and fits(run.right, whole[position + len(run.text) : position + len(run.text) + 1])
        for position in positions
    )


def fits(edge: Edge, neighbour: str) -> bool:
    if edge is Edge.OPEN or not neighbour:
        return True
    # A Kelvin sign, which is no letter to RE2's `\b`, is a `k` in the term.
    return edge is Edge.STRANGE and (not neighbour.isascii() or neighbour == "k")


def check(request: ExactRequest, text: str) -> None:
    try:
        matcher = LineMatcher(request)
    except RepoError:
        return
    need = matcher.reading.need
    data = text.encode()
    matcher._literal = None
    for match in matcher.iter_matches(data):
        words = set(WORD.findall(data[match.line_start : match.line_end].decode()))
        assert need is None or holds(need, words), show(need)
        assert matcher.reading.literal in text


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.too_slow])
@given(expressions, texts, st.booleans(), st.booleans())
@example("(?i-s)s", "\u017f", True, False)
@example(r"\bfoo", "éfoo", True, False)
@example("K", "\u212a", False, True)
@example(r"\bfoo", "\u212afoo", True, False)
def test_no_expression_matches_without_what_it_needs(
    pattern: str, text: str, case_sensitive: bool, whole_word: bool
) -> None:
    request = ExactRequest(pattern, regex=True, case_sensitive=case_sensitive, whole_word=whole_word)
    check(request, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("cd{02}", "cd{02}"),  # no repetition
        ("abc{\u0662}", "abc{\u0662}"),
        ("ab(?U)?c", "xac"),  # repeats what is before the flags
        ("ab(?i)*c", "xac"),
        (r"x\Q\E*foo", "foo"),
        (r"foo[^\pL]bar", "foo_bar"),
        (r"foo[^\PL]bar", "fooxbar"),
        (r"foo[^\p{Lu}]bar", "fooxbar"),
        (r"foo[^\p{Greek}]bar", "fooxbar"),
        (r"foo\PLbar", "foo_bar"),
        (r"foo\P{Latin}bar", "foo_bar"),
        ("foo[!-[:digit:]]bar", "foo[]bar"),  # a range, and a bracket behind the class
        (r"(?i)[\x{17f}]oo", " soo"),
        (r"(?i)[\x{2100}-\x{2fff}]oo", " koo"),
        ("(?P<n\u0301>ab)c", "abc"),
    ],
)
def test_what_looks_like_other_syntax(pattern: str, text: str) -> None:
    request = ExactRequest(pattern, regex=True)
    assert list(LineMatcher(request).iter_matches(text.encode()))
    check(request, text)


@settings(max_examples=examples(300))
@given(literals, texts, st.integers(0, 10), st.booleans(), st.booleans())
def test_no_literal_matches_without_what_it_needs(
    pattern: str, text: str, position: int, case_sensitive: bool, whole_word: bool
) -> None:
    text = text[:position] + pattern + text[position:]
    check(ExactRequest(pattern, case_sensitive=case_sensitive, whole_word=whole_word), text)


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.too_slow])
@given(shaped_expressions, texts, st.booleans(), st.booleans())
@example("[a-z]+", "\u212aa", False, False)
@example(r"\b[a-z]+\b", "\u212aa\u0130", True, False)
@example("[a-z]{3}", "aßa", True, False)
def test_no_expression_with_classes_matches_without_what_it_needs(
    pattern: str, text: str, case_sensitive: bool, whole_word: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_texts, "MIN_ATOMS", 1)  # so that the short texts say something
        check(ExactRequest(pattern, regex=True, case_sensitive=case_sensitive, whole_word=whole_word), text)


@pytest.mark.deep
@settings(max_examples=examples(100_000), suppress_health_check=[HealthCheck.too_slow])
@given(expressions, texts, st.booleans(), st.booleans())
def test_no_expression_matches_without_what_it_needs_at_length(
    pattern: str, text: str, case_sensitive: bool, whole_word: bool
) -> None:
    check(ExactRequest(pattern, regex=True, case_sensitive=case_sensitive, whole_word=whole_word), text)


def test_the_generated_expressions_are_mostly_valid_and_often_match() -> None:
    """So that the property is not held by rejecting everything."""
    valid = matched = 0

    @settings(max_examples=100, database=None, suppress_health_check=list(HealthCheck))
    @given(expressions, texts)
    def count(pattern: str, text: str) -> None:
        nonlocal valid, matched
        options = re2.Options()
        options.log_errors = False
        try:
            compiled = re2.compile(pattern, options)
        except re2.error:
            return
        valid += 1
        matched += compiled.search(text) is not None

    count()
    assert valid > 40
    assert matched > 8


def test_needs_of_nothing_are_not_built() -> None:
    assert read_pattern(ExactRequest("(a|b|c|d|e)*", regex=True)).need is None
    either = read_pattern(ExactRequest("|".join(f"word{n}" for n in range(40)), regex=True)).need
    assert isinstance(either, Either)
    assert len(either.parts) == 40
