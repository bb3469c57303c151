"""Modules that a file imports, and the names that it finds only in these."""

from __future__ import annotations

import pytest

from repo_mcp.blocks.imported_modules import MAX_LINES, find_modules, find_names_in, lies_in


@pytest.mark.parametrize(
    ("path", "line", "modules"),
    [
        ("a.py", "import ast", {"ast": "ast"}),
        ("a.py", "import os.path as p  # short", {"p": "path"}),
        ("A.java", "import java.util.Collections;", {"Collections": "Collections"}),
        ("a.js", 'import * as bars from "./foo/bar.js"', {"bars": "bar"}),
        ("a.ts", 'import users from "./users.service"', {"users": "users.service"}),
        ("a.js", 'const _ = require("lodash");', {"_": "lodash"}),
        ("a.js", 'const later = require("lodash.debounce")', {"later": "lodash.debounce"}),
        ("a.js", 'const app = require("../app/");', {"app": "app"}),
        ("a.js", 'const app = require("..");', {}),
        ("a.ts", 'import app from "."', {}),
        ("a.go", '\t"encoding/json"', {"json": "json"}),
        ("a.go", '\tyaml "gopkg.in/yaml.v3"', {"yaml": "yaml"}),
        ("a.go", 'import "github.com/ledger/book/v2"', {"book": "book"}),
        ("a.py", '    "ledger"', {}),  # in a list
        ("a.py", "from ast import parse", {}),
        ("a.py", "parse = ast.parse", {}),
    ],
)
def test_modules_by_the_names_that_stand_for_them(path: str, line: str, modules: dict[str, str]) -> None:
    assert find_modules(path, [line]) == modules
    assert find_modules(path, ["x = 1"] * MAX_LINES + [line]) == {}


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
    assert lies_in("src/users.service.ts", ["users.service"])
    assert not lies_in("src/books.service.ts", ["users.service"])
    assert not lies_in("src/lodash.debounce/index.js", ["debounce"])
