"""Layouts that are kept: made once for a text and what its parser saw of it, anew when either changes."""

from __future__ import annotations

from typing import Any

import pytest

from repo_mcp.blocks.layouts import KeptLayouts, Layout, read_layout
from repo_mcp.languages.patterns import enclosing
from repo_mcp.languages.patterns.declared_spans import DeclaredRow, find_declared_rows
from repo_mcp.languages.patterns.macro_runs import Macros
from repo_mcp.symbols.record_builder import SymbolRecordBuilder
from repo_mcp.symbols.symbol_record import SymbolKind, SymbolRecord
from tests.repo_mcp.blocks.small_views import SOURCE

TEXT = b"export const weigh: Scale = (load) => {\n  return load * 9\n}\n"


def build_record() -> SymbolRecord:
    builder = SymbolRecordBuilder("scale.ts", 3)
    builder.add_symbol("weigh", SymbolKind.FUNCTION, 0, 1, 3)
    return SymbolRecord(builder.encode())


def test_a_layout_is_made_once_for_a_text_and_a_record() -> None:
    made: list[str] = []
    records: list[SymbolRecord | None] = [None]

    def make(path: str, text: bytes, **known: object) -> Layout:
        made.append(path)
        return read_layout(path, text, find_record=lambda _path: records[-1])

    kept = KeptLayouts()

    def read(text: bytes) -> list[tuple[str, int]]:
        spans = kept.read(make, lambda _path: records[-1], "scale.ts", text).spans
        return [(span.name, span.end_line) for span in spans]

    assert read(TEXT) == read(TEXT) == read_spans(TEXT)
    assert len(made) == 1
    records.append(build_record())
    assert read(TEXT) == read(TEXT) == [("weigh", 3)]
    assert len(made) == 2
    assert read(b"// heavier\n" + TEXT + b"function last() {\n}\n")[-1] == ("last", 6)
    assert len(made) == 3


def read_spans(text: bytes) -> list[tuple[str, int]]:
    return [(span.name, span.end_line) for span in read_layout("scale.ts", text).spans]


def test_a_function_in_a_block_of_its_owner_names_it_once() -> None:
    text = b"impl Parcel {\n    fn weigh(&self) -> u32 {\n        self.load * 9\n    }\n}\n"
    builder = SymbolRecordBuilder("parcel.rs", 5)
    block = builder.add_symbol("Parcel", SymbolKind.EXTENSION, 0, 1, 5)
    builder.add_symbol("weigh", SymbolKind.METHOD, block, 2, 4)
    record = SymbolRecord(builder.encode())
    spans = read_layout("parcel.rs", text, find_record=lambda _path: record).spans
    assert [span.qualified_name for span in spans] == ["Parcel", "Parcel.weigh"]


def test_a_method_outside_its_type_is_not_named_by_its_receiver() -> None:
    text = b"package depot\n\nfunc (p *Parcel) Weigh() int {\n\treturn p.load * 9\n}\n"
    builder = SymbolRecordBuilder("depot.go", 5)
    receiver = builder.add_symbol("Parcel", SymbolKind.EXTENSION, 0, 3, 5)
    builder.add_symbol("Weigh", SymbolKind.METHOD, receiver, 3, 5)
    record = SymbolRecord(builder.encode())
    spans = read_layout("depot.go", text, find_record=lambda _path: record).spans
    assert [span.qualified_name for span in spans] == ["Parcel.Weigh"]


def test_declarations_of_a_text_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    def find_rows(*arguments: Any) -> tuple[list[DeclaredRow], Macros]:
        found.append(1)
        return find_declared_rows(*arguments)

    monkeypatch.setattr(enclosing, "find_declared_rows", find_rows)
    text = f"{SOURCE}\ndef found_once():\n    return 1\n".encode()
    layout = read_layout("a.py", text)
    assert read_layout("a.py", text) == layout
    assert (len(found), layout.spans[-1].name) == (1, "found_once")
