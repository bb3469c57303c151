"""Outlines of configuration: top-level keys of JSON, YAML, TOML and INI, tables, and items of YAML lists.

Only lines and brackets are looked at; values are not parsed. So a file that a parser would refuse, such as
one with comments, still has an outline. A key reaches to the line before the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise

from repo_mcp.languages.outline.adapter import MAX_NAME_CHARS, MAX_SYMBOLS, Adapter, cut
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import dataclass

PARSER = "keys"
MAX_VALUE_CHARS = 80
MAX_JSON_CHARS = 512 * 1024  # read at most: a token costs a quarter of a microsecond
_JSON_LINES = (".jsonl", ".ndjson", ".map")  # many documents in one file, or made by a program

_YAML_KEY = re.compile(
    r"""("[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s#:'"\-?\[\]{},&*!|>%@`][^:#\n]{0,199}?)[ \t]*:(?:[ \t]|$)"""
)
# An item of a list: `- name: Install it` is called by its value, `- block:` by its key.
_YAML_ITEM = re.compile(r"-[ \t]+(?:([\w.-]{1,200})[ \t]*:(?:[ \t]+|$))?(.*)")
_TOML_TABLE = re.compile(r"[ \t]*(\[\[?)[ \t]*([^\[\]\n]{1,200})[ \t]*\]\]?")
_TOML_KEY = re.compile(
    r"""[ \t]*((?:[\w-]{1,100}|"[^"\n]{1,200}"|'[^'\n]{1,200}')(?:\.[\w-]{1,100}){0,8})[ \t]*="""
)
_INI_SECTION = re.compile(r"[ \t]*\[([^\]\n]{1,200})\]")
_INI_KEY = re.compile(r"([^\s=:#;\[!][^=:\n]{0,199}?)[ \t]*[=:]")
# An unterminated string is a token too, so that no quote is tried twice.
_JSON_TOKEN = re.compile(
    r"""(?P<text>"[^"\\\n]*+(?:\\.[^"\\\n]*+){0,20000}"?)|(?P<skip>//[^\n]*|/\*[^*]*\*/)|[{}\[\]:,\n]"""
)


@dataclass(frozen=True, slots=True)
class _Key:
    """One key or table header of a text."""

    line: int  # from 1
    kind: str  # key, item, table, section
    name: str
    shown: str


class KeysAdapter(Adapter):
    """The adapter of JSON, YAML, TOML and INI."""

    name = "keys"

    def __init__(self, find_language: Callable[[str], Language]) -> None:
        self._find_language = find_language

    def supports_path(self, path: str) -> bool:
        """Return True for files of JSON, YAML, TOML and INI."""
        return self._find_language(path).name in _READERS

    def outline(self, path: str, text: str) -> Outline:
        """Return the top-level keys of a text, at most MAX_SYMBOLS, and the warnings about its size."""
        language = self._find_language(path).name
        if language == "json" and path.lower().endswith(_JSON_LINES):
            return Outline(path, language, (), PARSER)
        seen = text[:MAX_JSON_CHARS] if language == "json" else text
        found = list(islice(_READERS[language](seen), MAX_SYMBOLS + 1))
        warnings = []
        if len(seen) < len(text):
            warnings.append(f"Only the first {MAX_JSON_CHARS:,} characters were read.")
        if len(found) > MAX_SYMBOLS:
            warnings.append(f"Only the first {MAX_SYMBOLS:,} keys are listed.")
        total = seen.count("\n") + (not seen.endswith("\n"))
        symbols = _close(found[:MAX_SYMBOLS], total)
        return Outline(path, language, symbols, PARSER, tuple(warnings), bool(warnings))


def _close(keys: list[_Key], total: int) -> tuple[Symbol, ...]:
    """Return the keys as symbols: each ends before the next, or on its own line if several share it."""
    ends = [*(max(one.line, after.line - 1) for one, after in pairwise(keys)), total]
    return tuple(
        Symbol(key.kind, key.name, key.shown, key.line, max(key.line, end))
        for key, end in zip(keys, ends, strict=False)
    )


def _build_key(line: int, kind: str, name: str, shown: str) -> _Key:
    shown = " ".join(shown[: 4 * MAX_VALUE_CHARS].split())
    return _Key(line, kind, cut(name.strip().strip("\"'"), MAX_NAME_CHARS), cut(shown, MAX_VALUE_CHARS))


def _read_yaml(text: str) -> Iterator[_Key]:
    in_mapping = False  # whose lists may begin in the first column, too
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("---"):
            in_mapping = False
        elif match := _YAML_KEY.match(line):
            in_mapping = True
            yield _build_key(number, "key", match.group(1), line)
        elif not in_mapping and (item := _YAML_ITEM.match(line)):
            yield _build_key(number, "item", item.group(2).strip() or item.group(1) or "-", line)


def _read_toml(text: str) -> Iterator[_Key]:
    in_table = False
    quotes = ""  # that close the multi-line string we are in
    for number, line in enumerate(text.split("\n"), 1):
        if quotes:
            quotes = "" if quotes in line else quotes
            continue
        if table := _TOML_TABLE.match(line) if line.lstrip(" \t").startswith("[") else None:
            rest = line[table.end() :].strip()
            if not rest or rest.startswith("#"):
                in_table = True
                yield _build_key(number, "table", table.group(2), line)
        elif (key := _TOML_KEY.match(line)) and not in_table:
            yield _build_key(number, "key", key.group(1), line)
        quotes = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")


def _read_ini(text: str) -> Iterator[_Key]:
    in_section = False
    for number, line in enumerate(text.split("\n"), 1):
        if section := _INI_SECTION.match(line):
            in_section = True
            yield _build_key(number, "section", section.group(1), line)
        elif not in_section and (key := _INI_KEY.match(line)):
            yield _build_key(number, "key", key.group(1), line)


def _read_json(text: str) -> Iterator[_Key]:
    """Yield the keys of the outermost object: strings at depth 1 that a colon follows."""
    line, depth, outermost = 1, 0, ""
    key = ""
    for match in _JSON_TOKEN.finditer(text):
        token = match.group()
        line += token.count("\n")
        if match.lastgroup == "skip" or token == "\n":
            continue
        if match.lastgroup == "text":
            key = token if depth == 1 and token.endswith('"') else ""
            continue
        if token == ":" and key and outermost == "{":
            value = text[match.end() : match.end() + MAX_VALUE_CHARS].partition("\n")[0].strip()
            yield _build_key(line, "key", key, f"{cut(key, MAX_NAME_CHARS)}: {value}")
        elif token in "{[":
            depth += 1
            outermost = token if depth == 1 else outermost
        elif token in "}]":
            depth = max(0, depth - 1)
        key = ""


_READERS: dict[str, Callable[[str], Iterator[_Key]]] = {
    "json": _read_json,
    "yaml": _read_yaml,
    "toml": _read_toml,
    "ini": _read_ini,
}
