"""Diffs as tools and models write them: files, sides, hunks, and faults in words."""

from __future__ import annotations

import difflib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.text.unified_diff import MAX_FAULTS, DiffFile, Hunk, parse_diff
from tests.deep.sizes import examples

GIT = """diff --git a/src/a.py b/src/a.py
index 1111111..2222222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@ def post():
 one
-two
+2
+and
 three
@@ -10 +11,0 @@
-gone
"""


def _sides(text: str) -> list[tuple[str | None, str | None]]:
    return [(one.old_path, one.new_path) for one in parse_diff(text).files]


def test_a_mark_of_byte_order_is_no_part_of_a_line() -> None:
    (file,) = parse_diff("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\ufeffold\n+\ufeffnew\n").files
    assert file.hunks[0].lines == ("-old", "+new")


def test_a_diff_of_git_has_files_and_hunks() -> None:
    (file,) = parse_diff(GIT).files
    assert file == DiffFile(
        "src/a.py",
        "src/a.py",
        [Hunk(1, 1, (" one", "-two", "+2", "+and", " three")), Hunk(10, 11, ("-gone",))],
    )
    assert file.hunks[0].list_side("-") == ["one", "two", "three"]
    assert file.hunks[0].list_side("+") == ["one", "2", "and", "three"]
    assert parse_diff(GIT.replace("\n", "\r\n")).files == (file,)


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("--- a/x.py\t2024-01-01 10:00:00\n+++ b/x.py\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n", ("x.py", "x.py")),
        ("--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b\n", ("x.py", "x.py")),
        ("--- a/x.py\n+++ a/x.py\n@@ -1 +1 @@\n-a\n+b\n", ("a/x.py", "a/x.py")),
        ("--- i/x.py\n+++ w/x.py\n@@ -1 +1 @@\n-a\n+b\n", ("x.py", "x.py")),
        ("--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+b\n", (None, "x.py")),
        ("--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", ("x.py", None)),
        ('--- "a/\\303\\244 \\"q\\".py"\n+++ "b/\\303\\244 \\"q\\".py"\n@@ -1 +1 @@\n-a\n+b\n',
         ('ä "q".py', 'ä "q".py')),
        ("diff --git a/my file b/my file\nold mode 100644\nnew mode 100755\n", ("my file", "my file")),
        ("diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n", (None, "e")),
        ("diff --git a/e b/e\ndeleted file mode 100644\n", ("e", None)),
        ("diff --git a/x b/y z\nsimilarity index 90%\nrename from x\nrename to y z\n", ("x", "y z")),
        ('diff --git "a/\\303\\244" "b/\\303\\244"\nold mode 100644\n', ("ä", "ä")),
    ],
)  # fmt: skip
def test_the_paths_of_a_file(text: str, sides: tuple[str | None, str | None]) -> None:
    assert _sides(text) == [sides]
    assert parse_diff(text).faults == ()


@pytest.mark.parametrize(
    "said", ["Binary files a/x.png and b/x.png differ", "GIT binary patch\nliteral 3\nabc"]
)
def test_a_binary_file_has_no_hunks(said: str) -> None:
    (file,) = parse_diff(f"diff --git a/x.png b/x.png\nindex 1..2\n{said}\n").files
    assert (file.path, file.is_binary, file.hunks) == ("x.png", True, [])


def test_files_follow_each_other_without_a_line_of_git() -> None:
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    binary = "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"
    sides = _sides(f"{binary}--- a/y\n+++ b/y\n--- a/z\n+++ b/z\n{hunk}--- a/q\n+++ b/q\n{hunk}")
    assert [new for _, new in sides] == ["x.png", "y", "z", "q"]


def test_a_removed_line_may_look_like_the_head_of_a_file() -> None:
    text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old note\n+++ new note\n select\n"
    (file,) = parse_diff(text).files
    assert file.hunks == [Hunk(1, 1, ("--- old note", "+++ new note", " select"))]


def test_a_mail_ends_with_a_signature_that_is_no_line() -> None:
    text = f"Subject: [PATCH] x\n\n---\n 1 file\n\n{GIT}-- \n2.39.0\n"
    (file,) = parse_diff(text).files
    assert file.hunks[1] == Hunk(10, 11, ("-gone",))


@pytest.mark.parametrize(
    ("body", "lines", "said"),
    [
        ("@@ -1,9 +1,9 @@\n a\n-b\n+c\n", (" a", "-b", "+c"), "says 9 old and 9 new lines, and has 2 and 2"),
        ("@@ -1 +1 @@\n a\n-b\n+c\n d\n", (" a", "-b", "+c", " d"), "has 3 and 3"),
        ("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", (" a", " ", "-b", "+c"), ""),
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", ("-a", "+b"), ""),
        ("@@ nonsense @@\n@@ -1 +1 @@\n-a\n+b\n", ("-a", "+b"), ""),
        ("@@ -x +y @@\n@@ -1 +1 @@\n-a\n+b\n", ("-a", "+b"), "a hunk's header is not understood"),
    ],
)  # fmt: skip
def test_the_lines_of_a_hunk_count_more_than_its_numbers(
    body: str, lines: tuple[str, ...], said: str
) -> None:
    diff = parse_diff(f"--- a/x\n+++ b/x\n{body}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n")
    assert [one.path for one in diff.files] == ["x", "y"]
    assert diff.files[0].hunks[0].lines == lines
    assert said in "".join(diff.faults)
    assert bool(said) == bool(diff.faults)


@pytest.mark.parametrize(
    "text", ["hello", "@@ -1 +1 @@\n-a\n+b\n", "--- a\nno\n", "diff --cc x\n@@@ -1 -1 +1 @@@\n"]
)
def test_what_is_no_diff_is_refused_in_words(text: str) -> None:
    with pytest.raises(RepoError) as caught:
        parse_diff(text)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert "not a unified diff" in caught.value.message
    assert "git diff" in caught.value.hint


def test_an_empty_text_is_a_diff_without_files() -> None:
    assert parse_diff(" \n\n").files == ()


def test_faults_are_counted_beyond_some() -> None:
    faults = parse_diff(GIT + "@@ -x @@\n" * (MAX_FAULTS + 7)).faults
    assert len(faults) == MAX_FAULTS + 1
    assert faults[-1].startswith("7 more")


_LINES = st.lists(
    st.sampled_from(["a", "b", "", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", "diff --git"]), max_size=12
)


@given(old=_LINES, new=_LINES, context=st.integers(1, 3))
@pytest.mark.sized
@settings(max_examples=examples(300), deadline=None)
def test_what_difflib_writes_is_read_as_it_was_meant(old: list[str], new: list[str], context: int) -> None:
    text = "\n".join(difflib.unified_diff(old, new, "a/f", "b/f", n=context, lineterm=""))
    diff = parse_diff(text)
    assert diff.faults == ()
    if old == new:
        assert diff.files == ()
        return
    (file,) = diff.files
    for hunk in file.hunks:
        for mark, start, side in (("-", hunk.old_start, old), ("+", hunk.new_start, new)):
            lines = hunk.list_side(mark)
            first = start - 1 if lines else start
            assert side[first : first + len(lines)] == lines


@given(st.text('-+@ \\\nab/"1,', max_size=300))
@pytest.mark.sized
@settings(max_examples=examples(1000), deadline=None)
def test_no_text_does_more_than_refuse(text: str) -> None:
    with suppress(RepoError):
        diff = parse_diff(text)
        assert all(one.path for one in diff.files)
