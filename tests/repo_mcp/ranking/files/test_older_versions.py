"""Which of several versions in one tree is older."""

from __future__ import annotations

import pytest

from repo_mcp.ranking.files.older_versions import OlderVersions

PATHS = (
    "api/v1/server.go",
    "api/v2/server.go",
    "api/v7/server.go",
    "lib/fields.py",
    "lib/v1/fields.py",
    "lib/v1/only_there.py",
    "module/codec.go",
    "module/v2/codec.go",
    "old/Legacy/read.c",
    "old/codec_v08.c",
    "old/codec_v09.c",
    "old/codec_v10.c",
    "old/legacy/codec_v1.c",
    "old/legacy/codec_v2.c",
    "v3/core.ts",
    "v4/index.ts",
)


def count_signs(path: str, *named: str) -> int:
    older = OlderVersions(frozenset(named), lambda text: any(one.startswith(text) for one in PATHS))
    return older.count_signs(path)


def is_older(path: str, *named: str) -> bool:
    return count_signs(path, *named) > 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("api/v1/server.go", True),
        ("api/v2/server.go", False),  # only the next four are looked for
        ("api/v7/server.go", False),
        ("lib/fields.py", False),
        ("lib/v1/fields.py", True),  # a copy of the first version is kept below the second
        ("lib/v1/only_there.py", False),
        ("module/v2/codec.go", False),  # the second version lies below the first
        ("v3/core.ts", True),
        ("v4/index.ts", False),
        ("src/v3.ts", False),
        ("old/codec_v08.c", True),
        ("old/codec_v09.c", True),
        ("old/codec_v10.c", False),
        ("old/Legacy/read.c", True),
        ("old/legacy.c", False),
        ("rev3/core.ts", False),
    ],
)
def test_a_version_is_older_than_one_beside_it(path: str, expected: bool) -> None:
    assert is_older(path) is expected


def test_a_version_that_is_named_is_meant() -> None:
    assert not is_older("v3/core.ts", "v3")
    assert is_older("v3/core.ts", "v4")


def test_a_legacy_directory_counts_besides_a_version_in_it() -> None:
    assert count_signs("old/legacy/codec_v1.c") == 2
    assert count_signs("old/legacy/codec_v2.c") == 1
    assert count_signs("old/legacy/codec_v1.c", "v1") == 1
    assert count_signs("old/legacy/codec_v1.c", "legaci", "v1") == 0
