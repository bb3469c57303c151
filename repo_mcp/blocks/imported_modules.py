"""Find the modules that a file imports under a name, so that `ast.parse(...)` leads to no `parse` of another.

Only imports of a whole module count, one a line, as Python, Go, Java, JavaScript and their like write them.
A name out of a module, as `from x import y`, may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.languages.patterns.language_registry import find_language

MAX_LINES = 400  # of a file that are looked at: imports stand above the code
# `import a.b as c`, `import a.b.C;`; `import * as c from "a/b"`; `c = require("a/b")`; `c "a/b"` of Go
# A line may be two megabytes of spaces, so whatever matches them is possessive.
_PLAIN = re.compile(r"\s*+import\s++(?:static\s++)?([\w.]++)(?:\s++as\s++(\w++))?\s*+(?:;\s*+)?(?:#.*|//.*)?")
_OF_SCRIPT = re.compile(
    r"\s*+(?:import\s++(?:\*\s++as\s++)?(\w++)\s++from"
    r"|(?:const|let|var)\s++(\w++)\s*+=\s*+require\()"
    r"\s*+[\"']([^\"']++)[\"']\)?;?\s*+"
)
_OF_GO = re.compile(r"(?:import\s++|\s++)(?:(\w++)\s++)?\"([\w./-]++)\"\s*+(?://.*)?")
# The last part of a path in Go that is no name: `yaml/v3`; and what is no part of its last name: `yaml.v3`.
_VERSION = re.compile(r"v\d++")
_VERSIONED = re.compile(r"\.v\d++$")
_SCRIPT_ENDS = (".cjs", ".cts", ".js", ".json", ".jsx", ".mjs", ".mts", ".ts", ".tsx")
_NAMED = re.compile(r"(?<![\w$])(?:([\w$]++)\.(?=[A-Za-z_$]))?([A-Za-z_$][\w$]*)")  # with what is before it


def find_modules(path: str, lines: Sequence[str]) -> Mapping[str, str]:
    """Return the modules that the lines of a file import: by the name of each, the last part of its path.

    A path without a name, such as `..`, leads to no module that could be told by it.
    """
    is_go = find_language(path).name == "go"
    modules: dict[str, str] = {}
    for line in lines[:MAX_LINES]:
        if plain := _PLAIN.fullmatch(line):
            last = plain[1].rpartition(".")[2]
            modules[plain[2] or last] = last
        elif script := _OF_SCRIPT.fullmatch(line):
            last = _find_last_of_script(script[3])
            if last:
                modules[script[1] or script[2]] = last
        elif is_go and (go := _OF_GO.fullmatch(line)):
            last = _find_last_of_go(go[2])
            if last:
                modules[go[1] or last] = last
    return modules


def _find_last_of_script(path: str) -> str:
    """Return the last part of a path in a script without its ending, or "" if it is no name."""
    last = path.rstrip("/").rpartition("/")[2]
    last = next((last.removesuffix(end) for end in _SCRIPT_ENDS if last.endswith(end)), last)
    return last if last.strip(".") else ""


def _find_last_of_go(path: str) -> str:
    """Return the last part of a path in Go that is no version, or "" if there is none."""
    parts = [part for part in path.split("/") if part.strip(".") and not _VERSION.fullmatch(part)]
    return _VERSIONED.sub("", parts[-1]) if parts else ""


def find_names_in(code: str, modules: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the modules in which alone some code finds a name, by name; none for one found elsewhere too."""
    found: dict[str, set[str]] = {}
    for before, name in _NAMED.findall(code):
        found.setdefault(name, set()).add(modules.get(before, ""))
    return {name: frozenset(own) for name, own in found.items() if all(own)}


def lies_in(path: str, modules: Iterable[str]) -> bool:
    """Return True for a file that one of some modules may be: by a folder, or by its own name.

    Of a name with dots, each beginning counts: `ledger.service.ts` may be `ledger.service` and `ledger`.
    """
    names = set(path.split("/"))
    stem = path.rpartition("/")[2]
    while "." in stem:
        stem = stem.rpartition(".")[0]
        names.add(stem)
    return not names.isdisjoint(modules)
