"""Which of several versions in one tree is older."""

from __future__ import annotations

import pytest

from repo_mcp.ranking.older_versions import OlderVersions

PATHS = (
    "api/v1/server.go",
    "api/v2/server.go",
    "api/v7/server.go",
    "lib/fields.py",
    "lib/v1/fields.py",
    "lib/v1/only_there.py",
    "module/codec.go",
    "module/v2/codec.go",
    "v3/core.ts",
    "v4/index.ts",
)


def is_older(path: str, *named: str) -> bool:
    return OlderVersions(named, lambda text: any(one.startswith(text) for one in PATHS)).hold(path)


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
        ("rev3/core.ts", False),
    ],
)
def test_a_version_is_older_than_one_beside_it(path: str, expected: bool) -> None:
    assert is_older(path) is expected


def test_a_version_that_is_named_is_meant() -> None:
    assert not is_older("v3/core.ts", "v3")
    assert is_older("v3/core.ts", "v4")
