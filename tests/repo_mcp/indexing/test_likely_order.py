"""The order in which files are indexed: code before data, near before deep, what was changed last first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.indexing.likely_order import LATER_NS, MAX_CHANGED_LAST, order_likely
from repo_mcp.workspace.walked_files import FileColumns, WalkedFiles

CHECKED_OUT_NS = 10**18


def make_files(times: dict[str, int]) -> WalkedFiles:
    """Return files in path order, each changed so many hours after most."""
    columns = FileColumns()
    columns.extend(
        [(path, (1, CHECKED_OUT_NS + times[path] * LATER_NS, 0, 0)) for path in sorted(times, key=str.encode)]
    )
    return columns.finish()


def order(*paths: str) -> list[str]:
    return order_changed(dict.fromkeys(paths, 0))


def order_changed(times: dict[str, int]) -> list[str]:
    files = make_files(times)
    return [files.paths[position] for position in order_likely(files)]


def test_code_comes_before_tests_documents_data_and_what_others_wrote() -> None:
    assert order(
        "a.json", "docs/a.py", "src/deep/er/a.py", "tests/a.py", "vendor/a.py", "README.md", "setup.cfg"
    ) == [
        "src/deep/er/a.py",
        "tests/a.py",
        "README.md",
        "docs/a.py",
        "a.json",
        "setup.cfg",
        "vendor/a.py",
    ]


def test_what_lies_near_the_root_comes_first() -> None:
    assert order("a/b/c/one.c", "b/c/two.c", "c/three.c", "four.c") == [
        "four.c",
        "c/three.c",
        "b/c/two.c",
        "a/b/c/one.c",
    ]


def test_the_directories_of_one_depth_are_a_fair_sample() -> None:
    """In the order of paths the first half would be of one half of the directories."""
    names = [f"{number:02}" for number in range(100)]
    found = order(*(f"{name}/{file}.c" for name in names for file in "ab"))
    assert [path[:2] for path in found[::2]] == [path[:2] for path in found[1::2]]
    early = sum(path < "50" for path in found[:100])
    assert 30 <= early <= 70


def test_what_was_changed_last_comes_before_all() -> None:
    found = order_changed({"a.c": 0, "b.c": 0, "c.c": 0, "deep/later.txt": 3, "soon.txt": 1})
    assert found == ["deep/later.txt", "a.c", "b.c", "c.c", "soon.txt"]


def test_no_more_than_a_days_work_counts_as_changed_last() -> None:
    changed = {f"z{number:03}.json": 2 + number for number in range(MAX_CHANGED_LAST + 10)}
    found = order_changed(changed | {f"a{number:03}.py": 0 for number in range(len(changed) + 1)})
    assert sorted(found[:MAX_CHANGED_LAST]) == sorted(changed)[10:]
    assert found[MAX_CHANGED_LAST] == "a000.py"


@given(st.dictionaries(st.from_regex(r"([ab]/){0,3}[a-z]\.(c|md|json)", fullmatch=True), st.integers(0, 9)))
def test_every_file_comes_once(times: dict[str, int]) -> None:
    files = make_files(times)
    assert sorted(order_likely(files)) == list(range(len(files)))
