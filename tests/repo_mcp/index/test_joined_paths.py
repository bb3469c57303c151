"""Paths as one text against a list of them."""

from __future__ import annotations

from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.index.joined_paths import JoinedPaths, join_paths, split_paths

PATHS = st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1), unique=True).map(
    sorted
)


@given(PATHS, PATHS)
def test_it_is_as_the_list(paths: list[str], others: list[str]) -> None:
    joined = JoinedPaths(join_paths(paths))
    assert len(joined) == len(paths)
    assert list(joined) == [joined[place] for place in range(len(joined))] == paths
    assert [joined[-1 - place] for place in range(len(paths))] == paths[::-1]
    assert joined[1:3] == paths[1:3]
    assert joined == paths
    assert (joined == others) == (paths == others) == (joined == JoinedPaths(join_paths(others)))
    assert [bisect_left(joined, path) for path in others] == [bisect_left(paths, path) for path in others]
    assert split_paths(join_paths(joined)) == paths


def test_what_is_not_there() -> None:
    joined = JoinedPaths(b"a\0b")
    for place in (2, -3):
        with pytest.raises(IndexError):
            joined[place]
    assert joined != 3
    assert joined != ["a", "\udcff"]
    with pytest.raises(UnicodeDecodeError):
        JoinedPaths(b"\xff")
