"""Sizes: functions within 60 lines, nine in ten within 25, modules within 600, classes within 12 methods.

Properties are not counted as methods: they are what a record has.
"""

from __future__ import annotations

import ast

from tests.architecture.source_tree import expect_none, iter_functions, load_modules

MAX_FUNCTION_LINES = 60
USUAL_FUNCTION_LINES = 25
MAX_MODULE_LINES = 600
MAX_PUBLIC_METHODS = 12


def test_no_function_is_too_long() -> None:
    long = [
        f"{module.path}:{line} {name} has {length} lines"
        for module in load_modules()
        for name, line, length in iter_functions(module)
        if length > MAX_FUNCTION_LINES
    ]
    expect_none(long, f"A function has at most {MAX_FUNCTION_LINES} lines: give a step a name of its own.")


def test_nine_in_ten_functions_are_short() -> None:
    lengths = [length for module in load_modules() for _, _, length in iter_functions(module)]
    assert len(lengths) > 50
    assert sum(length <= USUAL_FUNCTION_LINES for length in lengths) >= 0.9 * len(lengths), (
        f"Nine functions in ten have at most {USUAL_FUNCTION_LINES} lines: cut the longest that you added."
    )


def test_no_module_is_too_long() -> None:
    expect_none(
        (m.path for m in load_modules() if m.line_count > MAX_MODULE_LINES),
        f"A module has at most {MAX_MODULE_LINES} lines: cut it where a reader has another question.",
    )


def is_public_method(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
        return False
    properties = {"property", "cached_property"}
    return not any(isinstance(one, ast.Name) and one.id in properties for one in node.decorator_list)


def test_no_class_is_too_wide() -> None:
    wide = [
        f"{module.path}:{node.lineno} {node.name}"
        for module in load_modules()
        for node in module.nodes
        if isinstance(node, ast.ClassDef) and sum(map(is_public_method, node.body)) > MAX_PUBLIC_METHODS
    ]
    expect_none(
        wide,
        f"A class has at most {MAX_PUBLIC_METHODS} public methods: move those that share a field to a class,"
        " or make a function of one that uses no field.",
    )


def test_every_module_says_what_it_is() -> None:
    expect_none(
        (m.path for m in load_modules() if m.text.strip() and ast.get_docstring(m.tree) is None),
        "Begin each of these with a docstring: what it is, and what it leaves out on purpose.",
    )


def test_no_file_is_named_after_nothing() -> None:
    refused = {"utils", "util", "helpers", "helper", "common", "core", "manager", "misc"}
    expect_none(
        (m.path for m in load_modules() if m.name.rpartition(".")[2] in refused),
        "Name each of these after what it does:",
    )
