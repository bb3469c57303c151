"""Find the modules that a file imports under a name, so that `ast.parse(...)` leads to no `parse` of another.

Only imports of a whole module count, one a line, as Python, Go, Java, JavaScript and their like write them.
A name out of a module, as `from x import y`, may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

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
_VERSION = re.compile(r"v\d+")  # the last part of a path in Go, which is no name
_PART = re.compile(r"[^/.]+")
_NAMED = re.compile(r"(?<![\w$])(?:([\w$]++)\.(?=[A-Za-z_$]))?([A-Za-z_$][\w$]*)")  # with what is before it


def find_modules(lines: Sequence[str]) -> Mapping[str, str]:
    """Return the modules that lines import: by the name of each, the last part of its path."""
    modules: dict[str, str] = {}
    for line in lines[:MAX_LINES]:
        if plain := _PLAIN.fullmatch(line):
            last = plain[1].rpartition(".")[2]
            modules[plain[2] or last] = last
        elif script := _OF_SCRIPT.fullmatch(line):
            modules[script[1] or script[2]] = _find_last(script[3])
        elif go := _OF_GO.fullmatch(line):
            last = _find_last(go[2])
            modules[go[1] or last] = last
    return modules


def _find_last(path: str) -> str:
    """Return the last part of a path without its ending, passing a version."""
    parts: list[str] = [part for part in _PART.findall(path) if not _VERSION.fullmatch(part)]
    ended = "." in path.rpartition("/")[2].strip(".")
    return parts[-2] if ended and len(parts) > 1 else parts[-1] if parts else path


def find_names_in(code: str, modules: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the modules in which alone some code finds a name, by name; none for one found elsewhere too."""
    found: dict[str, set[str]] = {}
    for before, name in _NAMED.findall(code):
        found.setdefault(name, set()).add(modules.get(before, ""))
    return {name: frozenset(own) for name, own in found.items() if all(own)}


def lies_in(path: str, modules: Iterable[str]) -> bool:
    """Return True for a file that one of some modules may be: by a folder, or by its own name."""
    return not set(_PART.findall(path)).isdisjoint(modules)
