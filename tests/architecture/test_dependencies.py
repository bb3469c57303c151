"""What the packages import is what pyproject.toml says they need."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from tests.architecture.source_tree import PACKAGES, ROOT, list_imports, load_modules

BOUNDED = {"tree-sitter", "whoosh-reloaded", "mcp", "mcp-types"}  # a newer one may break what is not promised


@cache
def read_dependencies() -> dict[str, str]:
    """Name of a declared package -> the versions and the platforms that are asked for."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rows = (re.match(r"([\w-]+)(.*)", row) for row in tomllib.loads(text)["project"]["dependencies"])
    return {row[1]: row[2] for row in rows if row is not None}


@cache
def find_imported() -> dict[str, str]:
    """Top level of each library that is imported, wherever that stands -> the first place."""
    found: dict[str, str] = {}
    for module in load_modules():
        for imported in list_imports(module):
            top = imported.module.partition(".")[0]
            if top not in PACKAGES and top not in sys.stdlib_module_names:
                found.setdefault(top, f"{module.path}:{imported.line}")
    return found


def name_package(library: str) -> str:
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in packages_distributions().get(library, ())}
    assert len(names) == 1, f"{library} is of {sorted(names)}"
    return names.pop()


@pytest.mark.parametrize("library", sorted(find_imported()))
def test_what_is_imported_is_declared(library: str) -> None:
    assert importlib.util.find_spec(library) is not None
    assert name_package(library) in read_dependencies(), find_imported()[library]


def test_what_is_declared_is_imported() -> None:
    imported = {name_package(library) for library in find_imported()}
    assert sorted(imported) == sorted(read_dependencies())


def test_nothing_that_is_needed_is_an_extra() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    assert sorted(extras) == ["dev", "peers"]


@pytest.mark.parametrize("package", sorted(BOUNDED))
def test_what_may_break_has_an_upper_bound(package: str) -> None:
    assert "<" in read_dependencies()[package]


def test_only_the_engine_of_expressions_may_be_absent() -> None:
    """It has no wheel for every platform, and there is another way (`repo_mcp/exact`)."""
    assert [name for name, rest in read_dependencies().items() if ";" in rest] == ["google-re2"]


def test_the_pinned_versions_are_allowed() -> None:
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0] for line in lines if "==" in line}
    assert read_dependencies().keys() <= pinned
