"""Render a symbol record as text that a person can read: symbols, then references, one on each line."""

from __future__ import annotations

from repo_mcp.symbols.symbol_record import SymbolFlag, decode_symbol_record


def render_structure(record: bytes) -> str:
    """Render symbols, `ordinal KIND name < parent lines ACCESS FLAGS signature -> type`, and references."""
    structure = decode_symbol_record(record)
    lines = [structure.status.name]
    for ordinal in range(structure.symbol_count):
        symbol = structure.get_symbol(ordinal)
        flags = " ".join(flag.name or "" for flag in SymbolFlag if flag in symbol.flags)
        words = [
            f"{ordinal} {symbol.kind.name} {symbol.name} < {symbol.parent}",
            f"{symbol.start_line}-{symbol.end_line}",
            symbol.access.name if symbol.access else "",
            flags,
            f"{symbol.parameters}/{symbol.parameter_count}" if symbol.parameters else "",
            f"-> {symbol.return_type}" if symbol.return_type else "",
        ]
        lines.append(" ".join(filter(None, words)))
    for row in range(structure.reference_count):
        one = structure.get_reference(row)
        qualifier = f" of {one.qualifier}" if one.qualifier else ""
        alias = f" as {one.alias}" if one.alias else ""
        name = f" {one.name}" if one.name else ""
        count = f" #{one.arguments}" if one.arguments else ""
        lines.append(f"{one.line}: [{one.symbol}] {one.role.name}{name}{qualifier}{alias}{count}")
    return "\n".join(lines) + "\n"
