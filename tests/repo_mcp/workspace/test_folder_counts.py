"""Files counted by folder."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.workspace.folder_counts import count_folders
from repo_mcp.workspace.glob_filter import GlobFilter

PATHS = st.lists(
    st.lists(
        st.sampled_from(["a", "b", "a[b]", "!a", "{a,b}", "a*", "\\a", "ab"]), min_size=1, max_size=4
    ).map("/".join),
    unique=True,
    max_size=40,
)


def test_the_largest_folder_is_divided_first() -> None:
    paths = ["setup.py", *[f"src/core/m{at}.py" for at in range(5)], "src/a.py", "doc/x/1", "doc/y/2"]
    assert count_folders(paths, 3) == {"/*": 1, "doc/**": 2, "src/**": 6}
    assert count_folders(paths, 4) == {"/*": 1, "doc/**": 2, "src/*": 1, "src/core/*": 5}
    assert count_folders(paths, 5) == {"/*": 1, "doc/x/*": 1, "doc/y/*": 1, "src/*": 1, "src/core/*": 5}


def test_of_a_root_with_too_many_parts_the_largest_are_counted() -> None:
    assert count_folders(["a/1", "b/1", "b/2", "c/1", "c/2"], 2) == {"b/*": 2, "c/*": 2}


@given(PATHS, st.integers(3, 12))
def test_the_globs_match_the_files_that_they_count(paths: list[str], most: int) -> None:
    counted = count_folders(paths, most)
    assert len(counted) <= most
    for glob, count in counted.items():
        assert len([path for path in paths if GlobFilter(glob).matches(path)]) == count


def test_a_folder_is_not_divided_if_a_glob_of_its_parts_would_be_too_long() -> None:
    deep = "/".join(["a" * 200] * 3)
    paths = [f"{deep}/1", f"{deep}/2", "b/1"]
    assert count_folders(paths, 9) == {"/".join(["a" * 200] * 2) + "/**": 2, "b/*": 1}
