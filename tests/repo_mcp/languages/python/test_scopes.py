"""Scopes, beside `symtable`: both say which names of which scope lead out of all functions."""

from __future__ import annotations

import ast
import random
import symtable
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.languages.python.scopes import Scope, ScopeKind
from repo_mcp.languages.python.statements import StatementWalk
from repo_mcp.languages.python.symbols import SymbolDrafts
from tests.deep.sizes import scale, take_share

# What a text cannot name, and what the compiler adds.
INLINES_COMPREHENSIONS = sys.version_info >= (3, 12)  # symtable counts their names with what is around
INVISIBLE = {"__class__", "__annotations__", "super", "__classcell__", ".0", "__conditional_annotations__"}


def list_scopes(text: str) -> list[Scope]:
    walk = StatementWalk(SymbolDrafts("a.py", 1), is_stub=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        statements = ast.parse(text).body
    walk.walk(statements, text.encode().split(b"\n"))
    for scope in [walk.module, *walk.scopes]:
        scope.find_variables()
    return walk.scopes


def is_outside(scope: Scope, name: str) -> bool:
    """Return True when a name that is read in a scope means one of the module or a builtin."""
    if name in scope.hidden:
        return False
    around: Scope | None = scope
    while around is not None and around.kind is not ScopeKind.MODULE:
        if name in around.global_names:
            return True
        sees = around.kind is not ScopeKind.CLASS or around is scope
        if sees and name in around.declared | around.variables and name not in around.nonlocal_names:
            return False
        around = around.parent
    return True


def unmangle(name: str, classes: tuple[str, ...]) -> str:
    for one in classes:
        prefix = "_" + one.lstrip("_")
        if one.strip("_") and name.startswith(prefix + "__") and not name.endswith("__"):
            return name[len(prefix) :]
    return name


def iter_tables(
    table: symtable.SymbolTable, classes: tuple[str, ...] = ()
) -> Iterator[tuple[symtable.SymbolTable, tuple[str, ...]]]:
    yield table, classes
    for child in table.get_children():
        if table.get_type() == "module" and child.get_type() == "annotation":
            continue  # a table of its own from Python 3.14 on: to us these names are read in the module
        yield from iter_tables(
            child, (child.get_name(), *classes) if child.get_type() == "class" else classes
        )


def count_outside_by_symtable(text: str) -> Counter[str]:
    """Count for each name the scopes, but the module's, in which it is used and means one of the module."""
    found: Counter[str] = Counter()
    for table, classes in iter_tables(symtable.symtable(text, "a.py", "exec")):
        if table.get_type() == "module":
            continue
        for symbol in table.get_symbols():
            if table.get_name() == "top" and symbol.is_local():
                continue  # symtable takes a function of this name for the module
            is_written = symbol.is_assigned() and not symbol.is_namespace() and not symbol.is_imported()
            used = symbol.is_referenced() or (symbol.is_declared_global() and is_written)
            if symbol.is_global() and used and symbol.get_name() not in INVISIBLE:
                found[unmangle(symbol.get_name(), classes)] += 1
    return found


def count_outside(scopes: list[Scope]) -> Counter[str]:
    return Counter(
        name
        for scope in scopes
        if scope.kind is not ScopeKind.MODULE
        for name in {read[2] for read in scope.reads}
        if is_outside(scope, name) and name not in INVISIBLE
    )


def has_quoted_annotation(tree: ast.Module) -> bool:
    """Return whether annotations are read that `symtable` does not see: quoted, or never evaluated."""
    for node in ast.walk(tree):
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if is_future and any(one.name == "annotations" for one in node.names):
            return True
        for field in ("annotation", "returns"):
            part = getattr(node, field, None)
            if isinstance(part, ast.AST) and any(
                isinstance(one, ast.Constant) and isinstance(one.value, str) for one in ast.walk(part)
            ):
                return True
    return False


def check_files(files: list[Path]) -> int:
    compared = 0
    for file in files:
        try:
            text = file.read_text("utf-8")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
                if has_quoted_annotation(tree):
                    continue
                expected = count_outside_by_symtable(text)
        except (SyntaxError, ValueError):
            continue
        found = count_outside(list_scopes(text))
        if INLINES_COMPREHENSIONS:
            assert set(expected) <= set(found), file.name
        else:
            assert found == expected, file.name
        compared += 1
    return compared


def list_library() -> list[Path]:
    folder = Path(sysconfig.get_path("stdlib"))
    folders = [one for one in folder.iterdir() if one.is_dir() and one.name != "site-packages"]
    return sorted([*folder.glob("*.py"), *(path for one in folders for path in one.rglob("*.py"))])


def test_a_part_of_the_standard_library_agrees() -> None:
    files = random.Random(7).sample(list_library(), 6)
    assert check_files(files) > 2


@pytest.mark.deep
def test_the_whole_standard_library_agrees() -> None:
    assert check_files([*take_share(list_library())]) > scale(1_000)


CASES = {
    "a variable of the function": ("def f():\n    x = 1\n    return x\n", set()),
    "a global": ("def f():\n    return x\n", {"x"}),
    "bound later in the function": ("def f():\n    print(x)\n    x = 1\n", {"print"}),
    "declared global": ("def f():\n    global x\n    x = 1\n    return x\n", {"x"}),
    "of the function around": ("def f(x):\n    def g():\n        return x\n    return g\n", set()),
    "nonlocal": ("def f(x):\n    def g():\n        nonlocal x\n        x = y\n    return g\n", {"y"}),
    "a class around is not seen": ("class A:\n    x = 1\n    def f(self):\n        return x\n", {"x"}),
    "a function around a class is": ("def f(x):\n    class A:\n        y = x\n    return A\n", set()),
    "a comprehension's own": ("def f(x):\n    return [y for y in x if y]\n", set()),
    "not outside of it": ("def f(x):\n    [y for y in x]\n    return y\n", {"y"}),
    "its first iterable": ("class A:\n    x = ()\n    y = [x for _ in x]\n", {"x"}),
    "a walrus in it": ("def f(x):\n    [z := y for y in x]\n    return z\n", set()),
    "a lambda": ("def f():\n    return lambda a, b=c, *, d=1: a + b + d\n", {"c"}),
    "defaults": ("def f():\n    def g(a=a): return a\n    return g\n", {"a"}),
    "except": ("def f():\n    try: pass\n    except E as e: return e\n", {"E"}),
    "global over a function": ("def f(x):\n    def g():\n        global x\n        return x\n", {"x"}),
    "del": ("def f():\n    del x\n    return x\n", set()),
    "del of several": ("def f():\n    del (x, [y]), z\n    return x, y, z\n", set()),
    "match": ("def f(x):\n    match x:\n        case A(b=c, d=[*e]): return c, e\n", {"A"}),
    "with": ("def f():\n    with a as (b, [c, *d]): return b, c, d\n", {"a"}),
    "another cast": ("def f(x):\n    return x.cast('B'), x.cast('B', (2, 2)), cast('B')\n", {"cast"}),
    "import": ("def f():\n    import a.b, c as d\n    return a, d, c\n", {"c"}),
}


def test_what_is_quoted_in_a_cast_of_typing_is_read() -> None:
    text = "def f(x):\n    return t.cast('A', cast('B', x))\n"
    assert set(count_outside(list_scopes(text))) == {"t", "A", "cast", "B"}


@pytest.mark.parametrize("case", CASES)
def test_a_name_leads_out_or_not(case: str) -> None:
    text, expected = CASES[case]
    assert set(count_outside(list_scopes(text))) == expected
    if "for" not in text or not INLINES_COMPREHENSIONS:
        assert set(count_outside_by_symtable(text)) == expected
