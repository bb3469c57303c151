"""Which adapter a path gets, and adapters of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from repo_mcp.languages.adapter_registry import AdapterRegistry, find_installed_adapters
from repo_mcp.languages.python.syntax import outline_python
from repo_mcp.model import Outline, Symbol

INSTALLED = """
from repo_mcp.languages.outline.adapter import Adapter
from repo_mcp.model import Outline, Symbol

class Tiny(Adapter):
    name = "tiny"

    def supports_path(self, path):
        return path.endswith(".tiny")

    def outline(self, path, text):
        rows = enumerate(text.split("\\n"), 1)
        symbols = tuple(Symbol("line", row, row, at, at) for at, row in rows if row)
        return Outline(path, "tiny", symbols, "tiny")
"""


class Plain:
    """An adapter that derives from nothing and has only what must be there."""

    def __init__(self, name: str, suffix: str, error: Exception | None = None) -> None:
        self.name = name
        self.suffix = suffix
        self.error = error

    def supports_path(self, path: str) -> bool:
        return path.endswith(self.suffix)

    def outline(self, path: str, text: str) -> Outline:
        if self.error is not None:
            raise self.error
        return Outline(path, self.name, (Symbol("line", text, text, 1, 1),), self.name)


def fake_entry(name: str, make: object) -> EntryPoint:
    class Fake(EntryPoint):
        def load(self) -> object:
            return make

    return Fake(name, "module:thing", "repo_mcp.adapters")


def registry(*entries: EntryPoint, disabled: Iterable[str] = ()) -> AdapterRegistry:
    return AdapterRegistry(
        lambda _task, data: outline_python(data),
        disabled=tuple(disabled),
        find_installed=lambda _root: entries,
    )


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
    assert found.warnings == ()


def test_a_disabled_adapter_leaves_its_files_to_the_next() -> None:
    found = registry(disabled=["python", "keys"])
    assert found.names == ("headings", "lexical")
    assert adapter_name(found, "a.py") == "lexical"
    assert registry(disabled=["python", "lexical"]).outline("a.py", "def f(): pass").parser == "none"


def test_installed_adapters_stand_by_name_between_the_built_in_ones() -> None:
    lua, css = fake_entry("z", lambda: Plain("z", ".lua")), fake_entry("b", lambda: Plain("b", ".css"))
    found = registry(lua, css)
    assert found.names == ("python", "headings", "keys", "b", "z", "lexical")
    assert adapter_name(found, "a.lua") == "z"
    assert adapter_name(found, "a.css") == "b"
    assert found.outline("a.css", "x").language == "b"


def test_adapters_that_cannot_be_used_are_said_and_done_without() -> None:
    def fail() -> object:
        raise RuntimeError("secret of the file")

    found = registry(
        fake_entry("broken", fail),
        fake_entry("bare", object),
        fake_entry("thief", lambda: Plain("python", ".py")),
        fake_entry("good", lambda: Plain("good", ".zzz")),
    )
    assert found.names == ("python", "headings", "keys", "good", "lexical")
    assert len(found.warnings) == 3
    assert "RuntimeError" in "".join(found.warnings)
    assert "secret" not in "".join(found.warnings)


def test_an_adapter_that_fails_on_a_text_is_replaced_by_line_patterns() -> None:
    found = registry(fake_entry("l", lambda: Plain("l", ".lua", ValueError("secret"))))
    outline = found.outline("a.lua", "function f()\nend\n")
    assert outline.parser == "lexical"
    assert [one.name for one in outline.symbols] == ["f"]
    assert outline.warnings == ("the adapter l failed (ValueError)",)


def write_package(folder: Path, module: str) -> None:
    """A package as an installer leaves it: a module, and the metadata beside it."""
    folder.mkdir(parents=True)
    (folder / f"{module}.py").write_text(INSTALLED)
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[repo_mcp.adapters]\ntiny = {module}:Tiny\n")


def test_a_language_is_added_by_installing_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path / "site", "tiny_outline_a")
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found = AdapterRegistry(lambda _task, data: outline_python(data), root=str(root))
    assert "tiny" in found.names
    assert [one.name for one in found.outline("a.tiny", "x\n\ny\n").symbols] == ["x", "y"]
    adapter = found.find("a.tiny")
    assert adapter is not None
    assert adapter.smart_chunks("a.tiny", "") is None
    assert adapter.symbol_hints("x") == ()
    assert adapter.references("a.tiny", "") == ()


@pytest.mark.parametrize("place", ["root", "cwd", "relative"])
def test_nothing_in_the_repository_names_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    root = tmp_path / "root"
    module = f"tiny_outline_{place}"
    write_package(root / "vendor" if place == "root" else tmp_path / "here", module)
    root.mkdir(exist_ok=True)
    folder = root / "vendor" if place == "root" else tmp_path / "here"
    monkeypatch.chdir(tmp_path / "here" if place != "root" else tmp_path)
    monkeypatch.setattr(sys, "path", ["" if place == "relative" else str(folder), *sys.path])
    assert [entry for entry in find_installed_adapters(str(root)) if entry.name == "tiny"] == []
    assert "tiny" not in AdapterRegistry(lambda _task, data: data, root=str(root)).names
    assert module not in sys.modules
