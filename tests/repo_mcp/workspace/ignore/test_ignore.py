"""Ignore rules: what Git would say, and that hostile rules are refused."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.ignore import files as ignore_files
from repo_mcp.workspace.ignore import ignore
from repo_mcp.workspace.ignore.ignore import MAX_IGNORE_FILE_BYTES, IgnoreRules
from tests.growth import assert_linear


def rules_of(files: Mapping[str, str], exclude: tuple[str, ...] = ()) -> IgnoreRules:
    rules = IgnoreRules(exclude)
    for directory, text in files.items():
        rules.add_file(directory, text.encode())
    return rules


@pytest.mark.parametrize(
    ("text", "path", "ignored"),
    [
        ("*.o", "a.o", True),
        ("*.o", "x/y/a.o", True),
        ("*.o", "a.os", False),
        ("build", "x/build", True),
        ("build/", "x/build", False),
        ("/a", "a", True),
        ("/a", "x/a", False),
        ("x/a", "x/a", True),
        ("x/a", "y/x/a", False),
        ("a/*", "a/b", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("**/a", "x/y/a", True),
        ("**/a/b", "x/a/b", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("***/b", "x/b", True),
        ("a**b/c", "aXb/c", True),
        ("a**b", "a/b", False),
        ("*", "x", True),
        ("/*\n!/a", "a", False),
        ("/*\n!/a", "b", True),
        ("*.c\n!main.c", "x/main.c", False),
        ("!main.c\n*.c", "main.c", True),
        ("# a\n\\#a", "#a", True),
        ("# a", "# a", False),
        ("\\!a", "!a", True),
        ("a ", "a", True),
        ("a\\ ", "a ", True),
        ("a\\ ", "a", False),
        ("a\t", "a", False),
        ("a\r\n", "a", True),
        (" a", " a", True),
        ("", "a", False),
        ("/", "a", False),
        ("//", "a", False),
        ("a//b", "a/b", False),
        ("!", "a", False),
        ("a\\", "a", False),
        ("a\\", "a\\", False),
        ("a[", "a[", False),
        ("[ab].c", "a.c", True),
        ("[!ab].c", "a.c", False),
        ("[^ab].c", "c.c", True),
        ("*.[oa]", "x.a", True),
        ("*.c.[012]*.*", "a.c.0x.y", True),
        ("[[:digit:]]x", "5x", True),
        ("[[:digit:]]x", "ax", False),
        ("[z-a]", "m", False),
        ("![a", "a", False),
        ("[#]x", "#x", True),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("a*b*c", "a-b-c", True),
        ("a\\*c", "a*c", True),
        ("a\\*c", "abc", False),
        ("\ufeffa", "a", True),
        ("é*", "x/étude", True),
        ("A", "a", False),
        ("[a]\t", "a\t", True),
        ("[a]\t", "a", False),
        ("[ab]\u2028", "a\u2028", True),
        ("[ab]", "a\n", False),
        ("?", "é", False),
        ("??", "é", True),
        ("[é]", "é", False),
        ("[é][é]", "é", True),
        ("[!a][!a]", "é", True),
        ("[a\\]b]", "]", True),
        ("[a\\]b]", "\\", False),
        ("[z-ab]", "b", True),
        ("[ab[:x:]]", "a", False),
        ("[[:space:]]x", "\vx", False),
        ("[[:punct:]]x", "!x", True),
        ("x[a/b]", "xa", True),
        ("a[/", "a[", False),
        ("a\0b", "a", True),
        ("a**/b", "ab", True),
        ("a**/b", "ax/y/b", True),
        ("a**//", "a", False),
        ("a/**\\/b", "a/b", False),
        ("a/**\\/b", "a/x/b", True),
    ],
)
def test_one_file(text: str, path: str, ignored: bool) -> None:
    rules = rules_of({"": text})
    assert rules.ignored(path, False) is ignored
    assert rules.warnings == []


def test_directories_alone_and_what_lies_below() -> None:
    rules = rules_of({"": "build/\n!build/keep\n"})
    assert rules.ignored("build", True)
    assert not rules.ignored("build", False)
    assert rules.ignored("x/build/y/z", False)
    assert rules.ignored("build/keep", False)


def test_deeper_files_come_first() -> None:
    rules = rules_of({"": "*.log\n/sub/x\n", "sub": "!keep.log\n/y\n", "sub/deep": "keep.log"})
    verdicts = {
        path: rules.ignored(path, False)
        for path in ("a.log", "sub/a.log", "sub/keep.log", "sub/deep/keep.log", "sub/x", "sub/y", "y")
    }
    assert [path for path, ignored in verdicts.items() if not ignored] == ["sub/keep.log", "y"]


def test_no_file_takes_back_what_the_operator_excludes() -> None:
    rules = rules_of({"": "!*.sql", "db": "!dump.sql"}, ("*.sql", "/gen/"))
    assert rules.ignored("db/dump.sql", False)
    assert rules.ignored("gen/x", False)
    assert not rules.ignored("db/gen/x", False)


def test_a_rule_for_everything_can_be_set_aside() -> None:
    rules = rules_of({"": "*.o\n/*\n!/debian/\n", "sub": "*"})
    assert rules.ignored("main.c", False)
    assert rules.set_aside_catch_alls()
    assert not rules.ignored("main.c", False)
    assert rules.ignored("main.o", False)
    assert rules.ignored("sub/x", False)
    assert not rules.set_aside_catch_alls()
    assert not rules_of({}).set_aside_catch_alls()


@pytest.mark.parametrize(
    "pattern",
    ["a" * 1025, "é" * 513, "[ab]*" * 9, "src/*" + "?*" * 9 + "/x"],
)
def test_hostile_patterns_are_refused_one_by_one(pattern: str) -> None:
    rules = rules_of({"": f"*.o\n{pattern}\n*.a\n"})
    assert len(rules.warnings) == 1
    assert rules.warnings[0].startswith(".gitignore: line 2 is not applied: ")
    assert rules.ignored("x.o", False)
    assert rules.ignored("x.a", False)


@pytest.mark.parametrize(
    "text",
    [
        "*a*a*a*a*a*a*a*ab",
        "*a" * 500 + "b",
        "**/a/" * 200 + "b",
        "?" * 200 + "*" * 200 + "b",
        "[ab]*" * 8 + "b",
        "*[a]*[a]*[a]b",
        "[" * 1000,
        "\\" * 1023,
        "!" * 1000,
        "[[:alpha:]" * 90,
        "\0",
    ],
)
def test_hostile_patterns_that_are_taken_end(text: str) -> None:
    rules = rules_of({"": text})
    assert not rules.ignored("a" * 255, False)
    assert not rules.ignored("a/" * 100 + "c", False)


@pytest.mark.parametrize("pattern", ["[ab]*[ab]*[ab]*[cd]", "*?*?*?*?*?*?*?*[cd]", "*a*a*a*a*a*[cd]"])
def test_the_time_to_match_grows_as_the_name(pattern: str) -> None:
    rules = rules_of({"": pattern})
    assert_linear(lambda size: "a" * size, lambda name: rules.ignored(name, False), 30)


@pytest.mark.parametrize("line", ["*.c/", "x.c/", "*{}.c", "*.c/\n!*.c"])
def test_rules_of_one_ending_are_not_gone_through_for_each_name(line: str) -> None:
    """Ten thousand lines such as `*7.c` took two milliseconds for each name that ends with `.c`."""

    def ask(rules: IgnoreRules) -> list[bool]:
        names = rules.names_in("")
        return [names.ignored("x.c", False) for _ in range(1_000)]

    def make(size: int) -> IgnoreRules:
        return rules_of({"": "".join(f"{line.format(number)}\n" for number in range(size))})

    assert_linear(make, ask, 500, bound=4)
    assert not any(ask(make(500)))


def test_the_last_rule_for_a_name_counts_and_those_for_directories_only_for_these() -> None:
    rules = rules_of({"": "*.c\n!*.c/\nx\n!x\nx/\n*.d/\n!*.d\n*.a.c/\n"})
    found = {name: (rules.ignored(name, False), rules.ignored(name, True)) for name in ("a.c", "x", "y.d")}
    assert found == {"a.c": (True, False), "x": (False, True), "y.d": (False, False)}
    assert (rules.ignored("b.a.c", False), rules.ignored("b.a.c", True)) == (True, True)


def test_pathspec_decides_what_a_comparison_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    decide = GitIgnoreSpecPattern.match_file

    def watch(self: GitIgnoreSpecPattern, file: str) -> object:
        seen.append(file)
        return decide(self, file)

    monkeypatch.setattr(GitIgnoreSpecPattern, "match_file", watch)
    rules = rules_of({"": "*.o\nbuild\n*a*b*\n*.py[co]\n"})
    assert [rules.ignored(name, False) for name in ("x.o", "build", "xaxb")] == [True, True, True]
    assert seen == []
    assert rules.ignored("x.pyc", False)
    assert not rules.ignored("x.pyx", False)
    assert seen == [".pyc", ".pyx"]


def test_half_a_pair_of_surrogates_is_a_name() -> None:
    rules = rules_of({"": "*?b"})
    assert rules.ignored("\ud800b", False)
    assert rules.ignored("\udcffb", False)


def test_files_over_the_limits_are_refused() -> None:
    rules = rules_of({"": "x" * (MAX_IGNORE_FILE_BYTES + 1), "sub": "*.o\n"})
    assert rules.warnings == [f".gitignore is not applied: it has more than {MAX_IGNORE_FILE_BYTES} bytes."]
    assert rules.ignored("sub/a.o", False)


def test_too_many_patterns_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ignore_files, "MAX_PATTERNS_PER_FILE", 3)
    monkeypatch.setattr(ignore_files, "MAX_UNINDEXED_PATTERNS", 1)
    assert rules_of({"": "a\nb\nc"}).warnings == []
    assert rules_of({"": "a\nb\nc\nd"}).warnings == [
        ".gitignore is not applied from line 4 on: it has too many patterns."
    ]
    assert rules_of({"": "a*\nb*"}).warnings == [
        ".gitignore is not applied from line 2 on: it has too many patterns."
    ]


def test_patterns_that_are_tried_are_cut_down_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred files of a thousand lines such as `f*7`, one below the other, took 24 ms for each name."""
    monkeypatch.setattr(ignore, "MAX_TRIED_RULES", 3)
    rules = rules_of({"": "a*\nplain\n*.c", "b": "x*\n**/d/*\n", "b/c": "y*", "e": "z*", "b/f": "name\n*.d"})
    assert rules.warnings == [
        "b/c/.gitignore is not applied: with those of the directories above it there are more than 3 patterns"
        " that can be decided only by trying."
    ]
    assert [rules.ignored(path, False) for path in ("b/xx", "b/c/yy", "e/zz", "b/f/name", "b/f/x.d")] == [
        True, False, True, True, True,
    ]  # fmt: skip


def test_too_many_files_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ignore, "MAX_IGNORE_FILES", 1)
    rules = rules_of({"": "*.o", "sub": "*.a"})
    assert rules.ignored("a.o", False)
    assert not rules.ignored("sub/a.a", False)
    assert len(rules.warnings) == 1


def test_warnings_are_bounded_and_printable() -> None:
    rules = IgnoreRules()
    for number in range(100):
        rules.add_file(f"a\x1b{number}", ("x" * 2000).encode())
    assert len(rules.warnings) == 21
    assert all(text.isprintable() for text in rules.warnings)


@given(st.binary(max_size=60), st.text(st.sampled_from("ab/.[]*\\!"), min_size=1, max_size=10))
def test_any_bytes_are_rules(text: bytes, path: str) -> None:
    rules = IgnoreRules()
    rules.add_file("", text)
    assert rules.ignored(path.strip("/") or "a", False) in (True, False)


def git(root: Path, *arguments: str, text: str = "") -> str:
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


SEGMENTS = [
    "a",
    "b",
    "ab",
    "*",
    "a*",
    "a**",
    "*b",
    "*.o",
    "*.a.o",
    "a*b",
    "?",
    "[ab]",
    "[!a]*",
    "*.[oc]",
    "**",
    "\\a",
    "*a*b*",
]
NAMES = ["a", "b", "ab", "aab", "c", "x.o", "x.a.o", "a.c", "b.o", "aXb"]


def generate_pattern(random_: random.Random) -> str:
    segments = [random_.choice(SEGMENTS) for _ in range(random_.choice([1, 1, 1, 2, 2, 3]))]
    return (
        random_.choice(["", "", "", "!"])
        + random_.choice(["", "", "/"])
        + "/".join(segments)
        + random_.choice(["", "", "/"])
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("seed", range(12))
def test_git_says_the_same(tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    git(tmp_path, "init", "--quiet")
    paths: dict[str, bool] = {}  # path -> is a directory
    directories = [""]
    for _ in range(300):
        above = random_.choice(directories)
        path = f"{above}/{random_.choice(NAMES)}" if above else random_.choice(NAMES)
        if path in paths or path.count("/") > 3:
            continue
        paths[path] = random_.random() < 0.4
        if paths[path]:
            (tmp_path / path).mkdir()
            directories.append(path)
        else:
            (tmp_path / path).write_text("x")
    rules = IgnoreRules()
    for directory in ["", *random_.sample(directories[1:], min(6, len(directories) - 1))]:
        text = "\n".join(generate_pattern(random_) for _ in range(random_.randint(1, 5))) + "\n"
        (tmp_path / directory / ".gitignore").write_text(text)
        rules.add_file(directory, text.encode())
    ordered = sorted(paths)
    said = git(tmp_path, "check-ignore", "--no-index", "--stdin", text="\n".join(ordered) + "\n")
    assert [path for path in ordered if rules.ignored(path, paths[path])] == sorted(said.splitlines())


def test_glob_filter_is_an_argument_error_when_it_cannot_be() -> None:
    assert GlobFilter("src/**/*.{c,h}").matches("src/x/a.h")
    assert not GlobFilter("*.py").matches("a.pyc")
    for glob in ("", "x" * 513, "{a,b}" * 20):
        with pytest.raises(RepoError) as caught:
            GlobFilter(glob)
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("!*.md", ["a.py", "docs/b.py", "src/core/c.py", "src/core/tests/d.py"]),
        ("!docs", ["README.md", "a.py", "src/core/c.py", "src/core/tests/d.py"]),
        ("!tests/", ["README.md", "a.py", "docs/b.py", "docs/x.md", "src/core/c.py", "src/core/tests/d.py"]),
        ("!*est*", ["README.md", "a.py", "docs/b.py", "docs/x.md", "src/core/c.py"]),
        ("!src/c*", ["README.md", "a.py", "docs/b.py", "docs/x.md"]),
        ("!**/tests/**", ["README.md", "a.py", "docs/b.py", "docs/x.md", "src/core/c.py"]),
        ("!{docs,src}/**", ["README.md", "a.py"]),
        ("{*.py,!src/**}", ["a.py", "docs/b.py"]),
        ("{!src/**,*.py}", ["a.py", "docs/b.py"]),
        ("{src/core,!tests}", ["src/core/c.py"]),
        ("{docs,a.py}", ["a.py", "docs/b.py", "docs/x.md"]),
        ("{*.py,!*.py}", []),
        (r"\!*.md", []),
    ],
)
def test_a_filter_may_leave_out(glob: str, expected: list[str]) -> None:
    paths = ["README.md", "a.py", "docs/b.py", "docs/x.md", "src/core/c.py", "src/core/tests/d.py"]
    assert list(filter(GlobFilter(glob).matches, paths)) == expected


def test_a_name_that_begins_with_an_exclamation_mark_is_met_when_escaped() -> None:
    assert list(filter(GlobFilter(r"\!*.md").matches, ["!a.md", "a.md"])) == ["!a.md"]
    with pytest.raises(RepoError, match="the pattern is empty"):
        GlobFilter("!")


def test_files_beyond_what_all_of_them_may_hold_are_not_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is parsed stays in memory: 300 files of 10,000 patterns took 1.5 GB."""
    monkeypatch.setattr(ignore, "MAX_RULES", 5)
    rules = IgnoreRules()
    rules.add_file("", b"one\ntwo\n")
    rules.add_file("a", b"three\nfour\nfive\n")
    rules.add_file("b", b"six\n")
    assert rules.ignored("a/five", False)
    assert not rules.ignored("b/six", False)
    assert "b/.gitignore is not applied" in rules.warnings[0]


def test_texts_beyond_what_all_of_them_may_hold_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ignore, "MAX_TEXT_BYTES", 20)
    rules = IgnoreRules()
    rules.add_file("", b"one\n# a comment\n")
    rules.add_file("b", b"six\n# a comment\n")
    assert rules.ignored("one", False)
    assert not rules.ignored("b/six", False)
    assert "b/.gitignore is not applied" in rules.warnings[0]


def test_directories_with_rules_of_their_own_do_not_repeat_the_others() -> None:
    """8,900 rules and 1,000 more, one for each directory, took 1.9 GB."""

    def build(count: int) -> tuple[IgnoreRules, int]:
        rules = IgnoreRules()
        text = "".join(f"n{number}\n/d{number}/x\n!/d{number}/n1\n" for number in range(count))
        rules.add_file("", text.encode())
        return rules, count

    def ask(built: tuple[IgnoreRules, int]) -> None:
        rules, count = built
        for number in range(count):
            names = rules.names_in(f"d{number}")
            assert names.ignored("x", False)
            assert names.ignored("n0", False)
            assert names.ignored("n1", False) == (number == 0)  # the later rule decides

    assert_linear(build, ask, 200)
