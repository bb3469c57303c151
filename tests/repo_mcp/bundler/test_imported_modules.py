"""Modules that a file imports, and the names that it finds only in these."""

from __future__ import annotations

import pytest

from repo_mcp.bundler.imported_modules import MAX_LINES, find_modules, find_names_in, lies_in


@pytest.mark.parametrize(
    ("line", "modules"),
    [
        ("import ast", {"ast": "ast"}),
        ("import os.path as p  # short", {"p": "path"}),
        ("import java.util.Collections;", {"Collections": "Collections"}),
        ('import * as bars from "./foo/bar.js"', {"bars": "bar"}),
        ('const _ = require("lodash");', {"_": "lodash"}),
        ('\t"encoding/json"', {"json": "json"}),
        ('\tyaml "gopkg.in/yaml/v3"', {"yaml": "yaml"}),
        ("from ast import parse", {}),
        ("parse = ast.parse", {}),
    ],
)
def test_modules_by_the_names_that_stand_for_them(line: str, modules: dict[str, str]) -> None:
    assert find_modules([line]) == modules
    assert find_modules(["x = 1"] * MAX_LINES + [line]) == {}


def test_a_name_behind_a_module_alone_is_found_only_in_it() -> None:
    modules = {"ast": "ast", "json": "json"}
    assert find_names_in("tree = ast.parse(text)", modules) == {"parse": {"ast"}}
    assert find_names_in("ast.parse(json.parse(text))", modules) == {"parse": {"ast", "json"}}
    assert find_names_in("ast.parse(text) or parse(text)", modules) == {}
    assert find_names_in("ast.parse(text) or config.parse(text)", modules) == {}
    assert find_names_in("config.ast.parse(text)", modules) == {}


def test_a_file_lies_in_a_module_by_its_folder_or_its_name() -> None:
    assert lies_in("src/ast/nodes.py", ["ast"])
    assert lies_in("src/ast.py", ["ast"])
    assert not lies_in("src/config/parsing.py", ["ast"])
