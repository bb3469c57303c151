"""What is taken from a document of SCIP, and which documents are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from index_format import compute_fingerprint
from repo_mcp.scip.matching import OTHER_VERSION, OUTSIDE, Matched, OtherText, match_document
from repo_mcp.scip.messages import Document, Occurrence, PositionEncoding
from repo_mcp.symbol_index.precise_record import PreciseRecord
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolRecord, decode_symbol_record
from tests.repo_mcp.graph.memory_index import parse_as
from tests.repo_mcp.scip.written import PACKAGE, Mark, build_document

TEXT = """\
from lib import save as keep, load


class Été:
    def run(self, thing):
        '🚀'; thing.save(load)
        self.size = thing.load(load())

    def load(self):
        def inner(): ...
        inner = 1
        return inner
"""
RUN: Mark = ("m/`Été`#run().", "run", 0)
SAVE: Mark = ("m/save().", "save", 1)
LOAD: Mark = ("m/load().", "load", 1)


def parse(text: str) -> SymbolRecord:
    return decode_symbol_record(parse_as("python", "m.py", text.encode()))


def match(document: Document, text: str = TEXT) -> Matched:
    return match_document(document, parse(text), text)


def mean(symbol: str) -> bytes:
    return compute_fingerprint((PACKAGE + symbol).encode())


def list_meanings(matched: Matched) -> set[tuple[int, str, ReferenceRole, bytes]]:
    record = PreciseRecord(matched.record)
    rows = [
        (record.record.get_reference(row), record.find_meaning(row))
        for row in range(record.record.reference_count)
    ]
    return {(row.line, row.name, row.role, meaning) for row, meaning in rows if meaning is not None}


@pytest.mark.parametrize("encoding", [PositionEncoding.UTF8, PositionEncoding.UTF16, PositionEncoding.UTF32])
def test_declarations_and_references_get_their_meanings(encoding: PositionEncoding) -> None:
    defined = [("m/`Été`#", "Été", 0), RUN]
    matched = match(build_document("m.py", TEXT, defined, [SAVE, ("m/`Été`#size.", "size", 0)], encoding))
    record = PreciseRecord(matched.record)
    names = {record.record.get_symbol(one).name: record.find_declared(one) for one in range(4)}
    assert names == {"m.py": None, "size": None, "Été": mean("m/`Été`#"), "run": mean("m/`Été`#run().")}
    assert matched.meanings == {mean("m/`Été`#"), mean("m/`Été`#run().")}
    assert (6, "save", ReferenceRole.CALL, mean("m/save().")) in list_meanings(matched)


def test_the_record_is_ours_and_more() -> None:
    document = build_document("m.py", TEXT, [RUN], [LOAD, ("m/thing.", "thing", 1)])
    ours, theirs = parse(TEXT), PreciseRecord(match(document).record).record
    assert [ours.get_symbol(one) for one in range(ours.symbol_count)] == [
        theirs.get_symbol(one) for one in range(theirs.symbol_count)
    ]
    own = [ours.get_reference(row) for row in range(ours.reference_count)]
    both = [theirs.get_reference(row) for row in range(theirs.reference_count)]
    assert [row for row in both if row in own] == own
    (added,) = [row for row in both if row not in own]
    assert (added.name, added.role, added.line) == ("thing", ReferenceRole.USE, 6)
    assert theirs.get_symbol(added.symbol).name == "run"


def test_a_name_with_several_meanings_in_a_line_leaves_ours_and_adds_a_use_of_each() -> None:
    marks: list[Mark] = [("m/A#load().", "load", 2), ("m/B#load().", "load", 3)]
    matched = match(build_document("m.py", TEXT, [RUN], marks))
    assert list_meanings(matched) == {
        (7, "load", ReferenceRole.USE, mean("m/A#load().")),
        (7, "load", ReferenceRole.USE, mean("m/B#load().")),
    }


def test_names_of_other_packages_give_meanings_and_add_nothing() -> None:
    document = build_document("m.py", TEXT, [RUN], [SAVE])
    outside = replace(
        document,
        occurrences=tuple(
            replace(one, symbol=one.symbol.replace("package", "other")) if not one.roles else one
            for one in document.occurrences
        )
        + tuple(
            replace(one, symbol="tool manager other 1 x/thing.")
            for one in build_document("m.py", TEXT, [], [("x", "thing", 1)]).occurrences
        ),
    )
    matched = match(outside)
    assert matched.names == frozenset()
    assert len(list_meanings(matched)) == 1


def test_local_symbols_count_where_they_are_declarations_of_ours() -> None:
    local = [("local 0", "inner", 0), ("local 1", "inner", 1)]
    matched = match(build_document("m.py", TEXT, [RUN, *local], [("local 0", "inner", 2)]))
    (found,) = list_meanings(matched)
    assert found[:2] == (12, "inner")
    other = match(build_document("m.py", TEXT, [RUN, *local], [("local 1", "inner", 2)]))
    assert list_meanings(other) == set()


def test_an_import_under_another_name_is_one_of_the_name() -> None:
    document = build_document("m.py", TEXT, [RUN])
    renamed = Occurrence(f"{PACKAGE}lib/save().", 0, 16, 28)
    matched = match(replace(document, occurrences=(*document.occurrences, renamed)))
    assert list_meanings(matched) == {(1, "save", ReferenceRole.IMPORT, mean("lib/save()."))}


@pytest.mark.parametrize(
    "occurrence",
    [
        Occurrence("local 0", 99, 0, 1),
        Occurrence("local 0", 0, 0, 999),
        Occurrence("local 0", 5, 999, 3),
        Occurrence("local 0", (1 << 63) - 1, 0, 1),
        Occurrence("local 0", 0, (1 << 64) - 1, (1 << 64) - 1),
    ],
)
@pytest.mark.parametrize("encoding", PositionEncoding)
def test_places_outside_the_file_are_refused(occurrence: Occurrence, encoding: PositionEncoding) -> None:
    with pytest.raises(OtherText, match=OUTSIDE):
        match(Document("m.py", "", (occurrence,), encoding=encoding))


def test_another_version_is_refused_whole() -> None:
    used: list[Mark] = [SAVE, LOAD, ("m/`Été`#load().", "load", 4)]
    document = build_document("m.py", TEXT, [("m/`Été`#", "Été", 0), RUN], used)
    match(document, TEXT + "# below\n")
    with pytest.raises(OtherText):
        match(document, "# above\n" + TEXT)
    with pytest.raises(OtherText, match=OTHER_VERSION):
        match(document, TEXT.replace("def ", "def  ").replace("class ", "class  "))
    with pytest.raises(OtherText, match=OTHER_VERSION):
        match(replace(document, text=b"another"))
    assert match(replace(document, text=TEXT.encode())).resolved == match(document).resolved


def test_a_place_of_another_name_says_nothing() -> None:
    changed = TEXT.replace("thing.save(load)", "thing.keep(load)")
    document = build_document("m.py", TEXT, [RUN], [SAVE, LOAD])
    assert {one[1] for one in list_meanings(match(document, changed))} == {"load"}


def test_long_lines_say_nothing() -> None:
    text = TEXT.replace("'🚀'", "'" + "x" * 6_000 + "'")
    assert list_meanings(match(build_document("m.py", text, [RUN], [SAVE]), text)) == set()
