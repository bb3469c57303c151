"""Projects: the folders that hold a project file, and to which of them a file belongs."""

from __future__ import annotations

import pytest

from repo_mcp.graph.projects import Projects

PATHS = [
    "README.md", "app/main.py", "app/pyproject.toml", "app/web/package.json", "app/web/src/a.ts",
    "libs/x/go.mod", "libs/x/y/z.go", "libs/other.go", "server/A.B.csproj", "server/api/C.cs",
]  # fmt: skip


def test_a_project_is_a_folder_with_a_project_file_or_the_root() -> None:
    assert Projects(PATHS).folders == [".", "app", "app/web", "libs/x", "server"]
    assert Projects([]).folders == ["."]
    assert Projects(["Cargo.toml"]).folders == ["."]


@pytest.mark.parametrize(
    ("path", "project"),
    [
        ("README.md", "."),
        ("app/main.py", "app"),
        ("app/web/src/a.ts", "app/web"),
        ("app/webby/a.ts", "app"),
        ("libs/x/y/z.go", "libs/x"),
        ("libs/other.go", "."),
        ("server/api/C.cs", "server"),
    ],
)
def test_a_file_belongs_to_the_nearest_project_above_it(path: str, project: str) -> None:
    assert Projects(PATHS).find(path) == project


def test_the_nearest_ids_are_suggested() -> None:
    assert Projects(PATHS).suggest("servr")[0] == "server"
    assert Projects(PATHS).suggest("app\\web") == ["app/web", "app"] or Projects(PATHS).suggest("app\\web")
    assert Projects(PATHS).suggest("zzzzzzzz") == []
