"""The structure record: what goes in comes out, and no bytes do harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.symbols.record_builder import MAX_TEXT_CHARS, Head, SymbolRecordBuilder, encode_failure
from repo_mcp.symbols.symbol_record import (
    HEADER,
    Access,
    DeclaredSymbol,
    ParseStatus,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    SymbolRecordError,
    decode_symbol_record,
)

names = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=12)
rows = st.lists(st.tuples(st.integers(0, 5), names, names, st.integers(1, 70_000)), max_size=30)


def build_example() -> SymbolRecordBuilder:
    builder = SymbolRecordBuilder("auth.py", 40)
    service = builder.add_symbol(
        "AuthService", SymbolKind.CLASS, 0, 3, 40, Head(flags=SymbolFlag.DOCUMENTED, access=Access.PUBLIC)
    )
    builder.add_symbol(
        "login",
        SymbolKind.METHOD,
        service,
        5,
        9,
        Head(
            flags=SymbolFlag.ASYNC | SymbolFlag.PUBLIC_API,
            access=Access.PRIVATE_PROTECTED,
            parameters="(self, name: str)",
            parameter_count=2,
            return_type="bool",
        ),
    )
    builder.add_reference(2, ReferenceRole.CALL, "check", 8, qualifier="self", arguments=2)
    builder.add_reference(0, ReferenceRole.IMPORT, "check", 1, qualifier="..rules", alias="check")
    return builder


def test_what_goes_in_comes_out() -> None:
    structure = decode_symbol_record(build_example().encode())
    assert structure.status is ParseStatus.FULL
    assert structure.get_symbol(0) == DeclaredSymbol(
        0, "auth.py", SymbolKind.FILE, 0, 1, 40, SymbolFlag(0), Access.NONE, "", 0, ""
    )
    assert structure.get_symbol(2) == DeclaredSymbol(
        2,
        "login",
        SymbolKind.METHOD,
        1,
        5,
        9,
        SymbolFlag.ASYNC | SymbolFlag.PUBLIC_API,
        Access.PRIVATE_PROTECTED,
        "(self, name: str)",
        2,
        "bool",
    )
    assert [structure.get_reference(row) for row in range(structure.reference_count)] == [
        Reference(0, ReferenceRole.IMPORT, "check", "..rules", "check", 1, 0),
        Reference(2, ReferenceRole.CALL, "check", "self", "", 8, 2),
    ]


def test_names_and_roles_lead_to_rows() -> None:
    structure = decode_symbol_record(build_example().encode())
    assert structure.find_symbols("login") == [2]
    assert structure.find_symbols("logout") == []
    assert structure.find_references("check") == [0, 1]
    assert structure.list_role(ReferenceRole.CALL) == [1]
    assert structure.list_role(ReferenceRole.CALL, ReferenceRole.IMPORT) == [0, 1]
    assert structure.list_children(0) == [1]
    assert structure.list_children(1) == [2]


def test_long_and_many_lined_strings_are_cut_to_one_line() -> None:
    builder = SymbolRecordBuilder("a.py", 1)
    builder.add_symbol(
        "f", SymbolKind.FUNCTION, 0, 1, 1, Head(parameters="(a,\n   b)", return_type="x" * 1_000)
    )
    symbol = decode_symbol_record(builder.encode()).get_symbol(1)
    assert symbol.parameters == "(a, b)"
    assert len(symbol.return_type) == MAX_TEXT_CHARS


def test_a_text_that_does_not_parse_has_the_file_alone() -> None:
    structure = decode_symbol_record(encode_failure("bad.py", 7))
    assert (structure.status, structure.symbol_count, structure.reference_count) == (ParseStatus.FAILED, 1, 0)


@given(rows)
def test_any_rows_come_back(given_rows: list[tuple[int, str, str, int]]) -> None:
    builder = SymbolRecordBuilder("f", 9)
    for _, name, _, line in given_rows:
        builder.add_symbol(name, SymbolKind.CLASS, 0, line, line)
    for _, name, qualifier, line in given_rows:
        builder.add_reference(0, ReferenceRole.USE, name, line, qualifier=qualifier)
    structure = decode_symbol_record(builder.encode())
    found = [structure.get_symbol(ordinal) for ordinal in range(1, structure.symbol_count)]
    assert [(one.name, one.start_line) for one in found] == [(name, line) for _, name, _, line in given_rows]
    uses = [structure.get_reference(row) for row in range(structure.reference_count)]
    wanted = sorted(given_rows, key=lambda row: row[3])
    assert [(one.name, one.qualifier, one.line) for one in uses] == [(n, q, line) for _, n, q, line in wanted]


@given(st.binary(max_size=80), st.integers(0, 200), st.integers(0, 255))
def test_no_bytes_raise_anything_else(noise: bytes, ordinal: int, value: int) -> None:
    good = bytearray(build_example().encode())
    good[ordinal % len(good)] = value
    for data in (noise, bytes(good), bytes(good)[:ordinal], bytes(good) + noise):
        try:
            structure: SymbolRecord = decode_symbol_record(data)
        except SymbolRecordError:
            continue
        for symbol in range(structure.symbol_count):
            structure.get_symbol(symbol)
        for row in range(structure.reference_count):
            structure.get_reference(row)


def test_another_version_is_refused() -> None:
    data = bytearray(build_example().encode())
    data[0] += 1
    assert HEADER.size < len(data)
    with pytest.raises(SymbolRecordError, match="version"):
        decode_symbol_record(bytes(data))


@given(st.lists(st.text(st.sampled_from("abAß é…\n\r"), max_size=6), max_size=12), st.booleans())
def test_strings_are_found_in_the_whole_text_as_one_by_one(texts: list[str], is_split: bool) -> None:
    builder = SymbolRecordBuilder("a.py", 3)
    for text in texts:
        builder.add_reference(0, ReferenceRole.CALL, text, 1)
    record = builder.encode()
    plain = decode_symbol_record(record).strings
    asked = [*plain, *texts, "", "zz", "\n", "a\n"]
    last = {text: number for number, text in enumerate(plain)}
    structure = decode_symbol_record(record)
    if is_split:
        assert structure.string_table.find("a.py") == last["a.py"]
    assert structure.string_table.find_all(asked) == [last.get(text) for text in asked]
    for text in asked:  # few at a time are not found by the table
        assert decode_symbol_record(record).string_table.find_all([text]) == [last.get(text)]
    needles = ["a", "ab", "aa", "ß", "\naß\n", "\nab\n", "\n\n", "zz"]
    found = structure.string_table.find_holding(needles)
    for needle, numbers in zip(needles, found, strict=True):
        is_whole = needle.startswith("\n")
        folded = [text.lower() for text in plain]
        holding = [
            n for n, text in enumerate(folded) if (text == needle[1:-1] if is_whole else needle in text)
        ]
        if needle != "\n\n":  # nothing stands in front of the first string
            assert sorted(set(numbers.tolist())) == holding, needle
    assert structure.string_table.get(range(len(plain))) == plain
    assert [
        decode_symbol_record(record).string_table.get([number])[0] for number in range(len(plain))
    ] == plain


def test_a_few_strings_are_found_without_splitting_all() -> None:
    builder = SymbolRecordBuilder("a.py", 3)
    for number in range(100):
        builder.add_reference(0, ReferenceRole.CALL, f"name{number}", 1)
    table = decode_symbol_record(builder.encode()).string_table
    assert [table.find(f"name{number}") for number in range(4)] == [2, 3, 4, 5]
    assert table.find("name") is None
    assert "strings" not in table.__dict__
    assert [table.find(f"name{number}") for number in range(100)] == [*range(2, 102)]
    assert "strings" in table.__dict__  # asked for many, it knows all


def test_of_several_needles_the_rarest_is_looked_for() -> None:
    builder = SymbolRecordBuilder("a.py", 3)
    for name in ("nr_rx", "nr_tx", "nr_rx_ip", "ip"):
        builder.add_reference(0, ReferenceRole.CALL, name, 1)
    record = decode_symbol_record(builder.encode())
    (numbers,) = record.string_table.find_holding([("nr", "rx", "ip")])
    held = [record.strings[number] for number in numbers]
    assert held == ["nr_rx", "nr_rx_ip"]
