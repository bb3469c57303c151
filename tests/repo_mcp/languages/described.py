"""Render a symbol record as lines of text that a test can compare."""

from __future__ import annotations

from textwrap import dedent

from repo_mcp.languages.symbol_parsers import find_parser_task, run_parser_task
from repo_mcp.symbols.symbol_record import Access, ReferenceRole, SymbolRecord, decode_symbol_record

LANGUAGES = {"ts": "typescript", "tsx": "typescript", "js": "javascript", "cs": "csharp"}


def read(path: str, text: str) -> SymbolRecord:
    """Return the symbol record of a text, after removing its common indentation."""
    task = find_parser_task(path, LANGUAGES[path.rpartition(".")[2]])
    assert task is not None
    data = dedent(text).lstrip("\n").encode()
    return decode_symbol_record(run_parser_task(task, path.encode() + b"\n" + data))


def list_symbols(structure: SymbolRecord) -> list[str]:
    """Return "parent.name KIND start-end ACCESS FLAGS (parameters)/count -> type" of all but the file."""
    lines = []
    for ordinal in range(1, structure.symbol_count):
        symbol = structure.get_symbol(ordinal)
        parent = structure.get_symbol(symbol.parent).name if symbol.parent else ""
        flags = sorted(flag.name or "" for flag in symbol.flags)
        words = [f"{parent}.{symbol.name}" if parent else symbol.name, symbol.kind.name]
        words.append(f"{symbol.start_line}-{symbol.end_line}")
        words += [] if symbol.access is Access.NONE else [symbol.access.name]
        words += flags
        if symbol.parameters:
            words.append(f"{symbol.parameters}/{symbol.parameter_count}")
        if symbol.return_type:
            words.append(f"-> {symbol.return_type}")
        lines.append(" ".join(words))
    return lines


def list_references(structure: SymbolRecord, *roles: ReferenceRole) -> list[str]:
    """Return "symbol: ROLE qualifier|name line" of each reference, with "as alias" and "n=arguments"."""
    lines = []
    for row in range(structure.reference_count):
        one = structure.get_reference(row)
        if roles and one.role not in roles:
            continue
        symbol = structure.get_symbol(one.symbol)
        line = (
            f"{symbol.name if symbol.ordinal else ''}: {one.role.name} {one.qualifier}|{one.name} {one.line}"
        )
        line += f" as {one.alias}" if one.alias else ""
        line += f" n={one.arguments}" if one.arguments else ""
        lines.append(line)
    return lines
