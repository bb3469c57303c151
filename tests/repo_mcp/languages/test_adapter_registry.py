"""Which adapter a path gets, and adapters of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from repo_mcp.languages.adapter_registry import AdapterRegistry
from repo_mcp.languages.outline.adapter import Adapter
from repo_mcp.languages.outline.installed import InstalledAdapter, find_installed
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.process.parse_process import run_task
from tests.repo_mcp.installed_packages import write_package

TINY = """
from repo_mcp.languages.outline.adapter import Adapter
from repo_mcp.model import Outline, Symbol

class Made(Adapter):
    name = "tiny"
    languages = {".tiny": "tiny", "tinyfile": "tiny", ".py": "tiny"}

    def supports_path(self, path):
        return path.endswith((".tiny", "tinyfile"))

    def outline(self, path, text):
        rows = enumerate(text.split("\\n"), 1)
        symbols = tuple(Symbol("line", row, row, at, at) for at, row in rows if row)
        return Outline(path, "tiny", symbols, "tiny")
"""
PLAIN = """
from repo_mcp.model import Outline, Symbol

class Made:  # derives from nothing and has only what must be there
    name = {name!r}

    def supports_path(self, path):
        return path.endswith({suffix!r})

    def outline(self, path, text):
        return Outline(path, self.name, (Symbol("line", text, text, 1, 1),), self.name)
"""
_numbers = count()
Install = Callable[[str], str]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a source as a package and returns the name of its module."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    def write(source: str) -> str:
        module = f"made_for_registry_{next(_numbers)}"
        write_package(tmp_path / "site", module, source)
        return module

    return write


def registry(disabled: tuple[str, ...] = ()) -> AdapterRegistry:
    """Return the registry with what is installed, whose tasks run in this process."""
    return AdapterRegistry(run_task, find_installed(None)[0], disabled=disabled)


def adapter_name(found: AdapterRegistry, path: str) -> str | None:
    adapter = found.find(path)
    return None if adapter is None else adapter.name


def test_the_built_in_adapters_and_what_they_take() -> None:
    found = registry()
    assert found.names == ("python", "headings", "keys", "lexical")
    paths = ["a.py", "a.md", "a.rst", "a.toml", "a.c", "a.pyx", "a.clj", "a.txt", "a.csv", "none"]
    assert [adapter_name(found, path) for path in paths] == [
        "python", "headings", "headings", "keys", "lexical", "lexical", "lexical", None, None, None,
    ]  # fmt: skip
    assert find_installed(None) == ((), ())
    assert (found.find_installed("a.py"), found.mark("a.py", b"x = 1\n", 1)) == (None, None)
    assert found.find_hints("x.y()") == ((), ())


def test_a_disabled_adapter_leaves_its_files_to_the_next() -> None:
    found = registry(("python", "keys"))
    assert found.names == ("headings", "lexical")
    assert adapter_name(found, "a.py") == "lexical"
    assert registry(("python", "lexical")).outline("a.py", "def f(): pass").parser == "none"


def test_installed_adapters_stand_by_name_between_the_built_in_ones(install: Install) -> None:
    install(PLAIN.format(name="z", suffix=".lua"))
    install(PLAIN.format(name="b", suffix=(".css", ".py", ".rs")))
    found = registry()
    assert found.names == ("python", "headings", "keys", "b", "z", "lexical")
    assert [adapter_name(found, path) for path in ("a.lua", "a.css", "a.py", "a.rs")] == [
        "z", "b", "python", "b",
    ]  # fmt: skip
    assert found.outline("a.css", "x").language == "b"
    task = found.find_symbol_task("a.lua")
    assert task is not None
    assert task.startswith("adapter/structure/1.0/")
    assert found.find_symbol_task("a.py") is None
    assert registry(("z",)).find_symbol_task("a.lua") is None


def test_adapters_that_cannot_be_used_are_said_and_done_without(install: Install) -> None:
    install("def Made():\n    raise RuntimeError('secret of the file')\n")
    install("raise SystemExit(3)\n")
    install("Made = object\n")
    install(PLAIN.format(name="python", suffix=".py"))
    install(PLAIN.format(name="Upper Case", suffix=".py"))
    install(TINY.replace('{".tiny": "tiny"', '{".tiny": 3'))
    install(PLAIN.format(name="good", suffix=".zzz"))
    found, warnings = find_installed(None)
    assert [one.name for one in found] == ["good"]
    assert len(warnings) == 6
    assert "RuntimeError" in "".join(warnings)
    assert "SystemExit" in "".join(warnings)
    assert "secret" not in "".join(warnings)


def test_a_language_is_added_by_installing_a_package(install: Install, tmp_path: Path) -> None:
    module = install(TINY)
    (tmp_path / "root").mkdir()
    (one,), warnings = find_installed(str(tmp_path / "root"))
    assert (one.name, one.package, one.version, warnings) == ("tiny", module.replace("_", "-"), "1.0", ())
    assert one.languages == (("/tinyfile", "tiny"), ("tiny", "tiny"))  # `.py` has a language already
    overrides = dict(one.languages)
    paths = ["a.tiny", "b/TinyFile", "a.py", "b.tinyfile"]
    assert [find_language(path, overrides).name for path in paths] == ["tiny", "tiny", "python", "unknown"]
    found = registry()
    assert [symbol.name for symbol in found.outline("a.tiny", "x\n\ny\n").symbols] == ["x", "y"]


def test_names_and_chunks_for_the_index(install: Install) -> None:
    install(TINY + "    def smart_chunks(self, path, text):\n        return [1, 3]\n")
    marks = registry().mark("a.tiny", "naïve one\nb\nb b\n".encode(), 3)
    assert marks is not None
    assert marks.definitions == [(0, 10), (11, 12), (13, 16)]
    assert (marks.first_lines, marks.fault) == ((1, 3), "")


def test_every_hook_but_two_may_be_missing(install: Install) -> None:
    install(PLAIN.format(name="bare", suffix=".bare"))
    found = registry()
    marks = found.mark("a.bare", b"x\n", 1)
    assert marks is not None
    assert (marks.first_lines, marks.fault) == (None, "")
    assert found.find_hints("`x`") == ((), ())


def test_a_name_that_makes_the_adapter_fail_is_not_its() -> None:
    one = InstalledAdapter("gone", "no_such_module_here:Made", "gone", "1")
    assert not one.supports_path("a.gone")


@pytest.mark.parametrize("place", ["root", "cwd", "relative"])
def test_nothing_in_the_repository_names_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    root = tmp_path / "root"
    module = f"tiny_outline_{place}"
    folder = root / "vendor" if place == "root" else tmp_path / "here"
    write_package(folder, module, TINY)
    root.mkdir(exist_ok=True)
    (tmp_path / "here").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / "here" if place != "root" else tmp_path)
    monkeypatch.setattr(sys, "path", ["" if place == "relative" else str(folder), *sys.path])
    assert find_installed(str(root)) == ((), ())
    assert module not in sys.modules


def test_defaults_of_the_interface() -> None:
    """What a class that derives from `Adapter` has, without writing it."""

    class Least(Adapter):
        name = "least"

    assert Least.smart_chunks(Least.__new__(Least), "a", "") is None
    assert dict(Least.languages) == {}
