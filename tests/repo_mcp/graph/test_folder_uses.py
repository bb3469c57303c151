"""The references by a name, divided into folders."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.graph.edge_list import MAX_FOLDERS, SAMPLED_FILES, SMALLEST_PART, choose_samples, divide
from tests.deep.sizes import examples

FOLDERS = ("", "a/", "a/b/", "a/b/c/", "a/b-c/", "a/b.c/", "a/b0/", "a/d/", "e/", "e/f/", "g/")
USES = st.dictionaries(
    st.builds("{}{}.c".format, st.sampled_from(FOLDERS), st.sampled_from("xyz")), st.integers(1, 50)
).map(lambda counts: sorted(counts.items()))


def count(uses: list[tuple[str, int]]) -> int:
    return sum(number for _, number in uses)


def test_a_folder_stands_apart_where_it_has_a_large_part() -> None:
    uses = [("a/b/x.c", 60), ("a/y.c", 10), ("c/d/e/z.c", 29), ("f/little.c", 1)]
    assert divide(uses) == [
        ("a/b", [("a/b/x.c", 60)]),
        ("c/d/e", [("c/d/e/z.c", 29)]),  # and no row for the folders around it, which have nothing else
        ("a", [("a/y.c", 10)]),
        ("", [("f/little.c", 1)]),
    ]
    assert divide([]) == [("", [])]


@pytest.mark.sized
@settings(max_examples=examples(1_000))
@given(USES)
def test_each_file_counts_once_for_the_nearest_folder_with_a_row(uses: list[tuple[str, int]]) -> None:
    rows = divide(uses)
    assert sorted(one for _, files in rows for one in files) == uses
    folders = [folder for folder, _ in rows]
    assert len(set(folders)) == len(folders) <= MAX_FOLDERS
    for folder, files in rows:
        for path, _ in files:
            around = [one for one in folders if not one or path.startswith(f"{one}/")]
            assert max(around, key=len) == folder
    assert [count(files) for _, files in rows] == sorted((count(files) for _, files in rows), reverse=True)
    if len(rows) < MAX_FOLDERS:
        for folder in FOLDERS[1:]:
            held = [one for one in uses if one[0].startswith(folder)]
            own = folder.rstrip("/")
            is_large = count(held) * SMALLEST_PART >= count(uses) and bool(held)
            has_own = any(path.rpartition("/")[0] == own for path, _ in held)
            assert not (is_large and has_own) or own in folders


@pytest.mark.sized
@settings(max_examples=examples(1_000))
@given(USES)
def test_samples_are_a_few_different_files_spread_over_all(uses: list[tuple[str, int]]) -> None:
    paths = [path for path, _ in uses]
    chosen = choose_samples(uses)
    assert len(chosen) == len(set(chosen)) == min(SAMPLED_FILES, len(paths))
    assert chosen == sorted(chosen)
    assert chosen[:1] == paths[:1]


def divide_plainly(uses: list[tuple[str, int]]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Divide by looking at each file of a folder, as the definition says."""
    folders = {"": list(uses)}
    while True:
        inner = {
            (folder, "/".join(path.split("/")[: len(folder.split("/")) + 1 if folder else 1])): 0
            for folder, files in folders.items()
            for path, _ in files
            if "/" in path.removeprefix(f"{folder}/" if folder else "")
        }
        weighed = [
            (-count([one for one in folders[folder] if one[0].startswith(f"{child}/")]), child, folder)
            for folder, child in inner
        ]
        large = [one for one in weighed if -one[0] * SMALLEST_PART >= count(uses)]
        if not large:
            break
        _, child, folder = min(large)
        held = [one for one in folders[folder] if one[0].startswith(f"{child}/")]
        rest = [one for one in folders[folder] if one not in held]
        if rest and len(folders) == MAX_FOLDERS:
            break
        del folders[folder]
        folders |= {name: files for name, files in ((folder, rest), (child, held)) if files}
    return sorted(folders.items(), key=lambda one: (-count(one[1]), one[0]))


@pytest.mark.sized
@settings(max_examples=examples(1_000))
@given(USES)
def test_folders_found_by_position_are_those_of_each_file(uses: list[tuple[str, int]]) -> None:
    assert divide(uses) == divide_plainly(uses)
