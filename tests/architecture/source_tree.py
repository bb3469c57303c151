"""The shipped modules, their syntax trees and their imports, as the architecture tests read them."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("repo_mcp", "index_format")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, by its full name, and where the import stands."""

    module: str
    line: int


@dataclass(frozen=True, eq=False)
class Module:
    """One shipped Python file."""

    path: str  # POSIX, relative to the project
    name: str  # dotted; a package's own name for its __init__
    text: str
    tree: ast.Module

    @property
    def line_count(self) -> int:
        return len(self.text.splitlines())

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Return every node of the tree, kept because a walk takes longer than the checks."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def names(self) -> tuple[tuple[str, int], ...]:
        """Return all names and attributes, dotted, with their lines."""
        found = (one for one in self.nodes if isinstance(one, ast.Attribute | ast.Name))
        return tuple((dotted(one), one.lineno) for one in found)

    @cached_property
    def calls(self) -> tuple[tuple[str, int], ...]:
        """Return the names of all called functions, dotted, with their lines."""
        return tuple((dotted(one.func), one.lineno) for one in self.nodes if isinstance(one, ast.Call))


def expect_none(faults: Iterable[str], remedy: str) -> None:
    """Fail if there are faults, with what to do about them and all of them, one a line."""
    listed = list(faults)
    assert not listed, "\n".join([remedy, *listed])


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for an expression made of names alone, or else the empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


@cache
def load_modules() -> tuple[Module, ...]:
    """Return every Python file of the shipped packages, by path.

    They are kept, and hidden from the garbage collector, which would walk them again and again.
    """
    gc.disable()
    found = tuple(map(load_module, list_files()))
    assert all(module.nodes for module in found)
    gc.freeze()
    gc.enable()
    return found


def list_files() -> list[Path]:
    """Return where the Python files of the shipped packages are."""
    return [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]


def load_module(file: Path) -> Module:
    """Read one module."""
    path = file.relative_to(ROOT)
    parts = path.with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    text = file.read_text(encoding="utf-8")
    return Module(path.as_posix(), name, text, ast.parse(text))


def iter_definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the functions, methods and classes of a module; only statements are searched for them."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            inner = getattr(node, name, ())
            waiting += inner if isinstance(inner, list) else ()


@cache
def module_names() -> frozenset[str]:
    return frozenset(module.name for module in load_modules())


@cache
def list_imports(module: Module) -> tuple[Import, ...]:
    """Return every import of a file, including those in functions and under TYPE_CHECKING."""
    return tuple(_iter_imports(module))


def _iter_imports(module: Module) -> Iterator[Import]:
    package = module.name if module.path.endswith("__init__.py") else module.name.rpartition(".")[0]
    for node in module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                yield Import(submodule if submodule in module_names() else base, node.lineno)


def iter_functions(module: Module) -> Iterator[tuple[str, int, int]]:
    """Name, line and length in lines of every function, decorators left out."""
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1
