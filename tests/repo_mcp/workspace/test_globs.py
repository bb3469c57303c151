"""Shell patterns: meaning, limits, and that hostile ones cost nothing."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.workspace.globs import PathGlob, compile_name, expand_braces, match_components


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "src/a.pyc", False),
        ("*.py", "a.py/b", False),
        ("main.c", "src/main.c", True),
        ("Main.c", "src/main.c", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/*.py", "lib/src/a.py", False),
        ("/src/*.py", "src/a.py", True),
        ("./src/*.py", "src/a.py", True),
        ("/a.py", "a.py", True),
        ("/a.py", "src/a.py", False),
        ("src/**", "src/a", True),
        ("src/**", "src/a/b/c", True),
        ("src/**", "src", False),
        ("src/", "src/a/b", True),
        ("src/", "lib/src/a", False),
        ("**/test_*.py", "test_a.py", True),
        ("**/test_*.py", "x/y/test_a.py", True),
        ("**/test_*.py", "x/y/a_test.py", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**/b", "a/x/y/c", False),
        ("a/**/b/**/c", "a/b/x/b/c", True),
        ("**/a/**/a", "a/x", False),
        ("**", "a/b", True),
        ("*", "a/b", True),
        ("{a,b}.py", "x/b.py", True),
        ("{a\\,b,c}.py", "a,b.py", True),
        ("{a\\,b,c}.py", "b.py", False),
        ("{src,tests}/**/*.{c,h}", "tests/x/y.h", True),
        ("{src,tests}/**/*.{c,h}", "docs/x/y.h", False),
        ("a{b,c{d,e}}", "ace", True),
        ("{a}.py", "{a}.py", True),
        ("\\{a,b\\}", "{a,b}", True),
        ("[a-c].py", "b.py", True),
        ("[!a-c].py", "b.py", False),
        ("[^a-c].py", "d.py", True),
        ("[]x].py", "].py", True),
        ("[a-].py", "-.py", True),
        ("[z-a]x", "zx", False),
        ("a[b", "a[b", True),
        ("\\*.py", "*.py", True),
        ("\\*.py", "a.py", False),
        ("?.py", "é.py", True),
        ("?.py", ".py", False),
        ("a*b*c", "a-b-bc", True),
        ("a*b*c", "a-c-b", False),
        ("a*a", "a", False),
    ],
)
def test_meaning(glob: str, path: str, matches: bool) -> None:
    assert PathGlob(glob).matches(path) is matches


@pytest.mark.parametrize(
    "glob", ["", "x" * 513, "{a,b}" * 7, "{" + ",".join("abcdefgh") + "}" + "{1,2,3}" * 3, "a\0"]
)
def test_refused(glob: str) -> None:
    with pytest.raises(ValueError, match="the pattern"):
        PathGlob(glob)


def test_as_many_alternatives_as_allowed() -> None:
    assert len(expand_braces("{a,b}" * 6)) == 64


@pytest.mark.parametrize(
    "glob",
    [
        "*a" * 250 + "b",
        "*[a]" * 100 + "b",
        "*?" * 200 + "b",
        "**/a/" * 90 + "b",
        "{*a*a*a*a*a*a*a*a,x}*b",
        "[" * 500,
        "{" * 500,
        "}" * 500,
        "\\" * 511,
    ],
)
def test_hostile_patterns_end(glob: str) -> None:
    """Each would take a backtracking expression longer than the universe has lasted."""
    compiled = PathGlob(glob)
    assert not compiled.matches("a" * 255)
    assert not compiled.matches("a/" * 1000 + "c")


def matches_slowly(glob: str, name: str) -> bool:
    """Match by the definition: try every length for a star."""
    if not glob:
        return not name
    if glob[0] == "*":
        return any(matches_slowly(glob[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and glob[0] in ("?", name[0]) and matches_slowly(glob[1:], name[1:])


@given(st.text(st.sampled_from("ab*?"), max_size=8), st.text(st.sampled_from("ab\n"), max_size=8))
def test_names_match_as_defined(glob: str, name: str) -> None:
    assert (compile_name(glob).match(name) is not None) == matches_slowly(glob, name)


def spans_slowly(pattern: list[str | None], parts: list[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] is None:
        return any(spans_slowly(pattern[1:], parts[at:]) for at in range(len(parts) + 1))
    return bool(parts) and pattern[0] == parts[0] and spans_slowly(pattern[1:], parts[1:])


@given(
    st.lists(st.sampled_from(["a", "b", None]), max_size=7), st.lists(st.sampled_from(["a", "b"]), max_size=7)
)
def test_components_match_as_defined(pattern: list[str | None], parts: list[str]) -> None:
    compiled = [re.compile(one + r"\Z") if one else None for one in pattern]
    assert match_components(compiled, parts) == spans_slowly(pattern, parts)


@given(
    st.lists(st.sampled_from(["a", "b", "**", "*", "\\a"]), min_size=2, max_size=6),
    st.lists(st.sampled_from(["a", "b", ""]), min_size=1, max_size=6),
)
def test_what_a_pattern_begins_with_is_a_component_as_any(glob: list[str], parts: list[str]) -> None:
    wanted = [*glob, "*"] if glob[-1] == "**" else glob
    pattern = [None if one == "**" else compile_name(one) for one in wanted]
    assert PathGlob("/".join(glob)).matches("/".join(parts)) == match_components(pattern, parts)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_pattern_compiles_or_says_why(glob: str, path: str) -> None:
    if glob and "\0" not in glob and glob.count(",") < 6:
        assert PathGlob(glob).matches(path) in (True, False)
    else:
        with contextlib.suppress(ValueError):
            PathGlob(glob)
