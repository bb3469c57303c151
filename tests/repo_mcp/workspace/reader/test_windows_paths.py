"""The path syntax of Windows, as rules on strings."""

from __future__ import annotations

import pytest

from repo_mcp.workspace.reader import windows_paths


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("C:\\x", True),
        ("c:/x", True),
        ("C:x", True),
        ("\\\\server\\share", True),
        ("//server/share", True),
        ("\\\\?\\C:\\x", True),
        ("\\\\.\\pipe", True),
        ("\\??\\C:\\x", True),
        ("a:b", True),
        ("ab:c", False),
        ("\\x", False),
        ("/x", False),
        ("x\\y", False),
        ("", False),
    ],
)
def test_absolute_forms(path: str, absolute: bool) -> None:
    assert windows_paths.is_windows_absolute(path) is absolute


@pytest.mark.parametrize(
    ("component", "faulty"),
    [
        ("a:b", True),
        ("dir::$INDEX_ALLOCATION", True),
        ("CON", True),
        ("nul.txt", True),
        ("Aux .py", True),
        ("COM1.log", True),
        ("COM\u00b9", True),
        ("CONIN$", True),
        ("x.", True),
        ("x ", True),
        ("a?b", True),
        ("a\x1fb", True),
        ("CONSOLE", False),
        ("COM10", False),
        ("null", False),
        ("x.y", False),
        ("GIT~1", False),
    ],
)
def test_faults_of_components(component: str, faulty: bool) -> None:
    assert (windows_paths.find_component_fault(component) is not None) is faulty


@pytest.mark.parametrize(
    ("component", "short"),
    [
        ("GIT~1", True),
        ("PROGRA~1.EXE", True),
        ("a~12.c", True),
        ("a~", False),
        ("longername~1", False),
        ("a.b~1", False),
    ],
)
def test_short_names(component: str, short: bool) -> None:
    assert windows_paths.is_short_name(component) is short


@pytest.mark.parametrize(
    ("path", "climbs"),
    [
        ("..\\x", True),
        ("a\\..\\b", True),
        ("a/..\\b", True),
        ("a\\b", False),
        ("../x", False),
        ("a\\..b", False),
    ],
)
def test_backslash_climbs(path: str, climbs: bool) -> None:
    assert windows_paths.has_backslash_climb(path) is climbs


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("C:\\Repo\\src\\a.py", ["src", "a.py"]),
        ("c:/repo/src/./x/../a.py", ["src", "a.py"]),
        ("C:\\repo", []),
        ("C:\\repo-evil\\x", None),
        ("D:\\repo\\x", None),
        ("C:\\repo\\..\\x", None),
        ("C:\\..\\..\\repo\\x", ["x"]),
        ("C:repo\\x", None),
        ("\\\\?\\C:\\repo\\x", None),
        ("\\\\server\\repo\\x", None),
    ],
)
def test_relative_to_a_root(path: str, relative: list[str] | None) -> None:
    assert windows_paths.relative_to_root(path, "C:\\Repo") == relative
