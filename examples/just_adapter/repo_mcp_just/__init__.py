"""The adapter of justfiles: recipes, assignments, aliases and modules, found line by line.

Every pattern is bounded and every line is looked at once, so that no text takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from repo_mcp.languages.outline.adapter import Adapter, Use
from repo_mcp.model import Outline, Symbol

CHUNK_LINES = 40  # a chunk begins at the first declaration after so many lines

_NAME = r"[A-Za-z_][A-Za-z0-9_-]{0,80}"
_ASSIGNMENT = re.compile(rf"(?:export[ \t]+)?({_NAME})[ \t]*:=[ \t]*(.*)")
_ALIAS = re.compile(rf"alias[ \t]+({_NAME})[ \t]*:=[ \t]*({_NAME})")
_MODULE = re.compile(rf"mod\??[ \t]+({_NAME})")
_RECIPE = re.compile(rf"@?({_NAME})([ \t][^:\n]{{0,400}})?:(?!=)(.*)")
_SKIPPED = re.compile(r"(?:set|import\??|unexport)[ \t]")
_INTERPOLATION = re.compile(r"\{\{([^{}\n]{1,400})\}\}")
_JUST = re.compile(rf"(?:^|[;&|]|\s)@?just[ \t]+({_NAME})")
_STRING = re.compile(r"\"[^\"\n]{0,1000}\"|'[^'\n]{0,1000}'|`[^`\n]{0,1000}`")
_WORD = re.compile(_NAME)
_HINT = re.compile(rf"\bjust[ \t]+({_NAME})|`({_NAME}-{_NAME})`")


@dataclass(frozen=True)
class _Declaration:
    """One declaration of a justfile. Lines count from 1."""

    kind: str
    name: str
    shown: str  # its line
    first_line: int  # with the comments and attributes right above it
    line: int
    end_line: int
    doc: str | None
    uses: tuple[Use, ...]


class JustAdapter(Adapter):
    """Justfiles, whole or in parts."""

    name = "just"
    languages = {".just": "just", "justfile": "just", ".justfile": "just"}  # noqa: RUF012  (never changed)

    def supports_path(self, path: str) -> bool:
        """Return True for `justfile` and `.justfile` in any case, and for `*.just`."""
        return path.rpartition("/")[2].lower().endswith((".just", "justfile"))

    def outline(self, path: str, text: str) -> Outline:
        """Return the declarations of a justfile."""
        found = tuple(
            Symbol(one.kind, one.name, one.shown, one.first_line, one.end_line, one.doc, None, "module")
            for one in _iter_declarations(text)
        )
        return Outline(path, "just", found, "just")

    def smart_chunks(self, path: str, text: str) -> tuple[int, ...] | None:
        """Return the first lines of chunks of about CHUNK_LINES that begin at declarations."""
        cuts = [1]
        for one in _iter_declarations(text):
            if one.first_line - cuts[-1] >= CHUNK_LINES:
                cuts.append(one.first_line)
        return tuple(cuts) if len(cuts) > 1 else None

    def symbol_hints(self, prompt: str) -> tuple[str, ...]:
        """Return recipes as prompts name them: `just build-image`, or a word with hyphens in backquotes."""
        return tuple(called or quoted for called, quoted in _HINT.findall(prompt))

    def references(self, path: str, text: str) -> tuple[Use, ...]:
        """Return the recipes that are depended on or run, and the variables that are used."""
        return tuple(use for one in _iter_declarations(text) for use in one.uses)


def _iter_declarations(text: str) -> Iterator[_Declaration]:
    lines = text.split("\n")
    first, doc = 0, None  # of the comments and attributes above the next declaration
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith(("#", "[")):
            doc = line.lstrip("#").strip() if line.startswith("#") and not line.startswith("#!") else doc
            number += 1
            continue
        end = number + 1
        found = _read(line, number + 1)
        if found is not None:
            kind, name, uses = found
            if kind == "function":
                end = _find_end(lines, end)
                uses += _read_body(lines, number + 1, end)
            yield _Declaration(kind, name, line.strip(), first + 1, number + 1, end, doc, uses)
        number = first = end
        doc = None


def _read(line: str, number: int) -> tuple[str, str, tuple[Use, ...]] | None:
    """Return kind, name and uses of the declaration in a line that is not indented."""
    if alias := _ALIAS.match(line):
        return "constant", alias[1], (Use(alias[2], number, "call"),)
    if _SKIPPED.match(line):
        return None
    if module := _MODULE.match(line):
        return "module", module[1], ()
    if assignment := _ASSIGNMENT.match(line):
        return "variable", assignment[1], tuple(_iter_uses(assignment[2], number))
    if recipe := _RECIPE.match(line):
        dependencies = _STRING.sub(" ", recipe[3].partition("#")[0])
        calls = re.sub(rf"\(\s*({_NAME})[^()]{{0,400}}\)", r"\1", dependencies)
        used = tuple(Use(name, number, "call") for name in _WORD.findall(calls))
        return "function", recipe[1], used
    return None


def _find_end(lines: list[str], start: int) -> int:
    """Return the last line of the body that begins at `start`, both as numbers from 1 of the line before."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if line.strip() and not line.startswith((" ", "\t")):
            break
        end = number + 1 if line.strip() else end
    return end


def _read_body(lines: list[str], start: int, end: int) -> tuple[Use, ...]:
    uses: list[Use] = []
    for number in range(start, end):
        uses += [Use(name, number + 1, "call") for name in _JUST.findall(lines[number])]
        for inside in _INTERPOLATION.findall(lines[number]):
            uses += _iter_uses(inside, number + 1)
    return tuple(uses)


def _iter_uses(expression: str, number: int) -> Iterator[Use]:
    """Yield the variables of an expression; what a parenthesis follows is a function of just itself."""
    for match in _WORD.finditer(bare := _STRING.sub(" ", expression.partition("#")[0])):
        if not bare.startswith("(", match.end()):
            yield Use(match[0], number)
