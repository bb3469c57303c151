"""What the packages import is what pyproject.toml says they need."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.source_tree import PACKAGES, ROOT, list_imports, load_modules

BOUNDED = {"tree-sitter", "whoosh-reloaded", "mcp", "mcp-types"}  # a newer one may break what is not promised

# Beside the one that these tests run on: no pin is left out for them.
WINDOWS = {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"}
BROWSER = {"sys_platform": "emscripten", "platform_system": "Emscripten", "python_version": "3.12"}
PLATFORMS: tuple[dict[str, str], ...] = ({}, WINDOWS, BROWSER)


EXTRAS = ("shared", "signed")  # of commands that few need, and that say which is missing
HEAVY_EXTRAS = (
    "distributed",
)  # the same, and twenty packages: `make deep` installs it. Named like its library


@cache
def read_project() -> dict[str, Any]:
    loaded: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return loaded


def read_dependencies() -> dict[str, str]:
    """Name of a declared package -> the versions and the platforms that are asked for."""
    return name_each(read_project()["project"]["dependencies"])


def read_extras() -> dict[str, str]:
    """Return the packages of EXTRAS, as those that are always installed."""
    extras = read_project()["project"]["optional-dependencies"]
    return name_each(one for extra in EXTRAS for one in extras[extra])


def name_each(declared: Iterable[str]) -> dict[str, str]:
    rows = (re.match(r"([\w-]+)(.*)", row) for row in declared)
    return {row[1]: row[2] for row in rows if row is not None}


@cache
def find_imported() -> dict[str, str]:
    """Top level of each library that is imported, wherever that stands -> the first place."""
    found: dict[str, str] = {}
    for module in load_modules():
        for imported in list_imports(module):
            top = imported.module.partition(".")[0]
            if top not in {*PACKAGES, *HEAVY_EXTRAS} and top not in sys.stdlib_module_names:
                found.setdefault(top, f"{module.path}:{imported.line}")
    return found


@cache
def list_distributions() -> Mapping[str, list[str]]:
    """Return the packages that each library is installed by: every file of all of them is looked at."""
    return packages_distributions()


def name_package(library: str) -> str:
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in list_distributions().get(library, ())}
    assert len(names) == 1, f"{library} is of {sorted(names)}"
    return names.pop()


def test_what_is_imported_is_declared() -> None:
    declared = read_dependencies() | read_extras()
    assert [library for library in find_imported() if importlib.util.find_spec(library) is None] == []
    assert {
        library: place for library, place in find_imported().items() if name_package(library) not in declared
    } == {}


def test_what_is_declared_is_imported() -> None:
    imported = {name_package(library) for library in find_imported()}
    assert sorted(imported) == sorted(read_dependencies() | read_extras())


def test_nothing_that_is_needed_is_an_extra() -> None:
    extras = read_project()["project"]["optional-dependencies"]
    assert sorted(extras) == sorted(["dev", "peers", *EXTRAS, *HEAVY_EXTRAS])
    assert [list(name_each(extras[name])) for name in HEAVY_EXTRAS] == [[name] for name in HEAVY_EXTRAS]


@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_are_developed_with(extra: str) -> None:
    """Their tests run in a check."""
    extras = read_project()["project"]["optional-dependencies"]
    assert name_each(extras[extra]).keys() <= name_each(extras["dev"]).keys()


@pytest.mark.parametrize("package", sorted(BOUNDED))
def test_what_may_break_has_an_upper_bound(package: str) -> None:
    assert "<" in read_dependencies()[package]


def test_only_the_engine_of_expressions_may_be_absent() -> None:
    """It has no wheel for every platform, and there is another way (`repo_mcp/exact`)."""
    assert [name for name, rest in read_dependencies().items() if ";" in rest] == ["google-re2"]


def read_pins(file: str) -> set[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {line.partition("==")[0] for line in lines if "==" in line}


def find_all_needed(declared: Iterable[str]) -> set[str]:
    """Return what is declared, and what that needs in turn, on any platform."""
    waiting = [Requirement(one) for one in declared]
    found: set[str] = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in found and not wanted.extras:
            continue
        found.add(name)
        try:
            needs = requires(name) or []
        except PackageNotFoundError:  # of another platform
            continue
        waiting += [one for one in map(Requirement, needs) if may_apply(one, wanted.extras)]
    return found


def may_apply(wanted: Requirement, extras: Iterable[str]) -> bool:
    return wanted.marker is None or any(
        wanted.marker.evaluate({**platform, "extra": extra})
        for platform in PLATFORMS
        for extra in ["", *extras]
    )


def test_what_runs_is_pinned_and_nothing_else_beside_it() -> None:
    """`make try` installs requirements.txt alone: no linter, no test suite."""
    assert read_pins("requirements.txt") == find_all_needed(read_running())


def test_what_is_developed_with_is_pinned_beside_what_runs() -> None:
    """Nothing is installed that no pin names, so a missing one is missed by a fresh installation alone."""
    project = read_project()
    declared = [*project["project"]["optional-dependencies"]["dev"], *project["build-system"]["requires"]]
    needed = find_all_needed([*read_running(), *declared])
    assert read_pins("requirements-dev.txt") == needed - read_pins("requirements.txt")


def read_running() -> list[str]:
    return [name + rest for name, rest in read_dependencies().items()]
