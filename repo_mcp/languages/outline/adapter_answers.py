"""The check of an installed adapter's answers: a symbol outside the text or an overlapping chunk is refused.

An adapter reads hostile text in a process that the text may take over, so an answer is checked twice: there,
to report its faults, and in the server, which trusts nothing. Answers travel as JSON. Order never depends on
the adapter: symbols and uses are sorted here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from repo_mcp.languages.outline.adapter import (
    MAX_DOC_CHARS,
    MAX_NAME_CHARS,
    MAX_PARENT_CHARS,
    MAX_SIGNATURE_CHARS,
    MAX_SYMBOLS,
    Use,
    cut,
)
from repo_mcp.languages.patterns.landmarks import Spans
from repo_mcp.model import Outline, Symbol
from repo_mcp.record_classes import dataclass

MAX_KIND_CHARS = 40
MAX_LABEL_CHARS = 200  # of a context, a warning, or a parser's name
MAX_WARNINGS = 8
MAX_CHUNKS = 20_000  # of one file
MAX_HINTS = 32
MAX_USES = 200_000  # of one file

FAULT = "fault"  # the key of an answer that says why there is none
ROLES = frozenset("call inherit implement extend import export accept type use".split())  # noqa: SIM905


class AdapterFault(Exception):
    """Raised for an answer that cannot be used. The message says what is wrong, in our own words alone."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The part of an adapter's answers for one text that the index uses."""

    definitions: Spans  # byte spans of the declared names, ascending and disjoint
    first_lines: tuple[int, ...] | None  # of the proposed chunks; None: cut as usual
    fault: str = ""  # why the adapter gave nothing, or no chunks


def count_lines(text: str) -> int:
    """Return the number of lines of a text with "\\n" for every line end."""
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def encode_outline(outline: object, lines: int) -> dict[str, object]:
    """Return an outline as JSON values. Raises AdapterFault for anything else."""
    if not isinstance(outline, Outline):
        raise AdapterFault("its answer is not an outline")
    rows = [
        (
            *(one.kind, one.name, one.signature, one.start_line, one.end_line, one.doc),
            *(one.parent_symbol, one.scope_kind, one.is_conditional, one.decl_context),
        )
        for one in outline.symbols
    ]
    symbols = read_symbols(rows, lines)
    return {
        "language": _read_text(outline.language, MAX_KIND_CHARS),
        "parser": _read_text(outline.parser, MAX_KIND_CHARS),
        "symbols": [_write_symbol(one) for one in symbols],
        "warnings": [_read_text(one, MAX_LABEL_CHARS) for one in outline.warnings[:MAX_WARNINGS]],
        "truncated": bool(outline.truncated) or len(rows) > len(symbols),
    }


def decode_outline(path: str, answer: Mapping[str, Any], lines: int) -> Outline:
    """Return the outline of a file from JSON values. Raises AdapterFault."""
    warnings = tuple(_read_text(one, MAX_LABEL_CHARS) for one in _read_list(answer.get("warnings")))
    return Outline(
        path,
        _read_text(answer.get("language"), MAX_KIND_CHARS),
        read_symbols(_read_list(answer.get("symbols")), lines),
        _read_text(answer.get("parser"), MAX_KIND_CHARS),
        warnings[:MAX_WARNINGS],
        answer.get("truncated") is True,
    )


def read_symbols(rows: Iterable[object], lines: int) -> tuple[Symbol, ...]:
    """Return the first MAX_SYMBOLS symbols by start line, end line and name. Raises AdapterFault."""
    found = [_read_symbol(row, lines) for row in rows]
    found.sort(key=lambda one: (one.start_line, one.end_line, one.parent_symbol or "", one.name, one.kind))
    return tuple(found[:MAX_SYMBOLS])


def _read_symbol(row: object, lines: int) -> Symbol:
    if not isinstance(row, list | tuple) or len(row) != 10:
        raise AdapterFault("its answer is not an outline")
    kind, name, signature, start, end, doc, parent, scope, conditional, context = row
    if not isinstance(name, str) or not name.strip():
        raise AdapterFault("a symbol has no name")
    if type(start) is not int or type(end) is not int or not 1 <= start <= end <= lines:
        raise AdapterFault("a symbol is outside the text")
    if conditional is not None and type(conditional) is not bool:
        raise AdapterFault("its answer is not an outline")
    return Symbol(
        _read_text(kind, MAX_KIND_CHARS),
        _read_text(name, MAX_NAME_CHARS),
        _read_text(signature, MAX_SIGNATURE_CHARS),
        start,
        end,
        None if doc is None else _read_text(doc, MAX_DOC_CHARS),
        None if parent is None else _read_text(parent, MAX_PARENT_CHARS),
        None if scope is None else _read_text(scope, MAX_KIND_CHARS),
        conditional,
        None if context is None else _read_text(context, MAX_LABEL_CHARS),
    )


def _write_symbol(one: Symbol) -> list[object]:
    return [
        *(one.kind, one.name, one.signature, one.start_line, one.end_line, one.doc),
        *(one.parent_symbol, one.scope_kind, one.is_conditional, one.decl_context),
    ]


def read_first_lines(given: object, lines: int) -> tuple[int, ...] | None:
    """Return the first lines of proposed chunks, or None. Raises AdapterFault if they are not valid."""
    if given is None:
        return None
    first_lines = tuple(_read_list(given))
    if not all(type(one) is int for one in first_lines):
        raise AdapterFault("its chunks are not line numbers")
    if first_lines[:1] != (1,) or first_lines[-1] > max(1, lines):
        raise AdapterFault("its chunks do not cover the text, or reach beyond it")
    if any(one >= after for one, after in pairwise(first_lines)):
        raise AdapterFault("its chunks overlap")
    if len(first_lines) > MAX_CHUNKS:
        raise AdapterFault(f"it proposes more than {MAX_CHUNKS:,} chunks")
    return first_lines


def read_definitions(given: object, size: int) -> Spans:
    """Return byte spans in a text of `size` bytes. Raises AdapterFault unless ascending and disjoint."""
    spans: Spans = []
    end = 0
    for pair in _read_list(given):
        first, last = pair if isinstance(pair, list | tuple) and len(pair) == 2 else (None, None)
        if type(first) is not int or type(last) is not int or not end <= first < last <= size:
            raise AdapterFault("its names are outside the text, or overlap")
        spans.append((first, last))
        end = last
    return spans


def read_hints(given: object) -> tuple[str, ...]:
    """Return the first MAX_HINTS names, each once and in order. Raises AdapterFault."""
    names = dict.fromkeys(_read_text(one, MAX_NAME_CHARS) for one in _read_list(given))
    return tuple(one for one in names if one)[:MAX_HINTS]


def read_uses(given: object, lines: int) -> list[Use]:
    """Return the uses by line, role and name. Raises AdapterFault."""
    uses = _read_list(given)
    if len(uses) > MAX_USES:
        raise AdapterFault(f"it finds more than {MAX_USES:,} references")
    for one in uses:
        if not isinstance(one, Use) or one.role not in ROLES:
            raise AdapterFault("its references are not uses of names")
        if type(one.line) is not int or not 1 <= one.line <= lines:
            raise AdapterFault("a reference is outside the text")
    named = [Use(_read_text(one.name, MAX_NAME_CHARS), one.line, one.role) for one in uses]
    return sorted((one for one in named if one.name), key=lambda one: (one.line, one.role, one.name))


def decode_answer(data: bytes) -> Mapping[str, Any]:
    """Return the values of an answer. Raises AdapterFault if it is not an answer, or reports a fault."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise AdapterFault("its process gave no readable answer") from error
    if not isinstance(answer, dict):
        raise AdapterFault("its process gave no readable answer")
    if FAULT in answer:
        raise AdapterFault(_read_text(answer[FAULT], MAX_LABEL_CHARS))
    return answer


def _read_list(given: object) -> list[Any]:
    if not isinstance(given, list | tuple):
        raise AdapterFault("its answer is not a list")
    return list(given)


def _read_text(given: object, most: int) -> str:
    """Return a text on one line, cut and valid in UTF-8. Raises AdapterFault for any other value."""
    if not isinstance(given, str):
        raise AdapterFault("its answer has another value where text should be")
    clean = given[: 4 * most].encode("utf-8", "replace").decode()
    return cut(" ".join(clean.split()), most)
