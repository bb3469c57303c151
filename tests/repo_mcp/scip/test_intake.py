"""An index of a precise indexer, from the file that the operator names to the answers of the graph."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.scip.intake import CHANGED, DAMAGED, NAMED_TWICE, NOT_INDEXED, SAVED_LATER, IntakeReport
from repo_mcp.scip.messages import Document, Occurrence, encode_document
from repo_mcp.scip.wire import encode_message
from repo_mcp.symbol_index.precise_index import UNREADABLE
from tests.deep.sizes import choose
from tests.repo_mcp.scip.written import PACKAGE, build_document, encode_index, write_index
from tests.repo_mcp.toolsets.graph.graph_roots import Served
from tests.written_trees import write_tree

LIB = "class Disk:\n    def save(self): ...\n\n\nclass Net:\n    def save(self): ...\n"
USE = "from lib import Disk, Net\n\n\ndef run(thing: Disk | Net):\n    thing.save()\n    thing.size\n"
FILES = {"lib.py": LIB, "use.py": USE, "other.py": USE.replace("run", "go")}
OF_LIB = build_document(
    "lib.py",
    LIB,
    [("lib/Disk#", "Disk", 0), ("lib/Disk#save().", "save", 0), ("lib/Net#save().", "save", 1)],
)
OF_USE = build_document("use.py", USE, [("use/run().", "run", 0)], [("lib/Disk#save().", "save", 0)])
LATER = 10_000_000_000  # nanoseconds after the files were written


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(write_tree(tmp_path / "root", FILES), tmp_path / "data") as served:
        yield served


def take(served: Served, place: Path, data: bytes, *, anew: bool = False) -> IntakeReport:
    place.write_bytes(data)
    now = place.stat().st_mtime_ns + LATER
    os.utime(place, ns=(now, now))
    return served.repository.engines.scip.take(str(place), anew=anew)


def callers(served: Served, name: str) -> set[tuple[str, str, str]]:
    rows = served.rows("get_callers", symbol=name, limit=500)
    return {(row["file_path"], row["confidence"], row.get("source", "")) for row in rows}


def renew(served: Served) -> None:
    served.repository.refresh()
    served.repository.symbol_index.build()


OURS = {("other.py", "exact", ""), ("use.py", "exact", "")}


def test_what_an_indexer_recorded_comes_before_ours_until_the_file_is_edited(
    served: Served, tmp_path: Path
) -> None:
    assert callers(served, "Disk.save") == callers(served, "Net.save") == OURS
    report = take(served, tmp_path / "a.scip", encode_index([OF_LIB, OF_USE]))
    assert (report.files, report.symbols, report.references, dict(report.left_out)) == (2, 4, 1, {})
    expected = {("use.py", "exact", "scip"), ("other.py", "exact", "")}
    assert callers(served, "Disk.save") == expected
    assert callers(served, "Net.save") == {("other.py", "exact", "")}
    (served.root / "use.py").write_text("\n" + USE)
    renew(served)
    assert callers(served, "Disk.save") == callers(served, "Net.save") == OURS
    (served.root / "use.py").write_text(USE)  # as when a branch is checked out and left again
    renew(served)
    assert callers(served, "Disk.save") == expected
    (served.root / "lib.py").write_text(LIB + "# edited\n")  # where the meaning is declared
    renew(served)
    assert callers(served, "Disk.save") == callers(served, "Net.save") == OURS


def test_uses_that_our_parser_did_not_find_are_listed(served: Served, tmp_path: Path) -> None:
    before = served.answer("get_references", symbol="Disk")["total"]
    text = USE + "    'Disk'\n"
    (served.root / "use.py").write_text(text)
    renew(served)
    used = build_document("use.py", text, [("use/run().", "run", 0)], [("lib/Disk#", "Disk", 2)])
    take(served, tmp_path / "a.scip", encode_index([OF_LIB, used]))
    found = served.answer("get_references", symbol="Disk")["result"]
    (row,) = (one for one in found if one.get("source") == "scip")
    assert len(found) == before + 1
    assert (row["file_path"], row["edge_type"], row["source"]) == ("use.py", "references", "scip")
    assert row["lines"] == "7\t'Disk'"


def test_another_index_is_taken_in_beside_the_first_unless_all_is_made_anew(
    served: Served, tmp_path: Path
) -> None:
    take(served, tmp_path / "a.scip", encode_index([OF_LIB, OF_USE]))
    take(served, tmp_path / "b.scip", encode_index([replace(OF_USE, occurrences=())]))
    assert callers(served, "Disk.save") == OURS
    take(served, tmp_path / "a.scip", encode_index([OF_USE]))
    assert ("use.py", "exact", "scip") in callers(served, "Disk.save")
    take(served, tmp_path / "a.scip", encode_index([OF_USE]), anew=True)
    assert callers(served, "Disk.save") == OURS
    served.repository.indexes.precise.forget()
    served.repository.indexes.precise.forget()
    assert callers(served, "Disk.save") == OURS


# Hostile and broken indexes

TRAVERSALS = [
    "../lib.py", "/etc/passwd", "./lib.py", "a/../lib.py", "lib.py/", "LIB.PY", "lib.py\0", "", ".env",
]  # fmt: skip


def test_documents_that_name_no_indexed_file_are_left_out(served: Served, tmp_path: Path) -> None:
    (served.root / ".env").write_text("SECRET=1\n")
    renew(served)
    others = [replace(OF_LIB, path=path) for path in TRAVERSALS]
    report = take(served, tmp_path / "a.scip", encode_index([*others, OF_LIB, OF_USE, OF_USE]))
    assert report.files == 2
    assert report.left_out == {NOT_INDEXED: len(TRAVERSALS), NAMED_TWICE: 1}
    assert "1 left out: it is named twice" in report.describe()


def test_damaged_documents_are_left_out_alone(served: Served, tmp_path: Path) -> None:
    path = encode_message(1, b"lib.py")
    bad = [
        encode_message(2, b"\xff" * 40),
        encode_message(2, path + encode_message(2, b"\x0a\x7f")),
        encode_message(2, path + encode_message(2, encode_message(1, b"\x01" * 9))),
        encode_message(2, encode_message(1, b"\xff\xfe")),
    ]
    assert take(served, tmp_path / "a.scip", b"".join([*bad, encode_document(OF_USE)])).files == 1
    outside = Document("lib.py", "", (Occurrence(f"{PACKAGE}lib/x().", 10**9, 0, 1),))
    report = take(served, tmp_path / "a.scip", b"".join([*bad, encode_document(outside)]))
    assert (report.files, sum(report.left_out.values()), report.left_out[DAMAGED]) == (0, 5, 3)


@pytest.mark.sized
def test_an_index_that_is_cut_changes_nothing(served: Served, tmp_path: Path) -> None:
    whole = encode_index([OF_LIB, OF_USE])
    take(served, tmp_path / "a.scip", whole)
    reported = callers(served, "Disk.save")
    other = encode_index([replace(OF_USE, occurrences=()), OF_LIB])
    ends = {len(encode_index([replace(OF_USE, occurrences=())]))}
    for size in range(1, len(other), choose(17, 1)):
        if size in ends:  # what is left is an index
            continue
        with pytest.raises(RepoError, match="is not a SCIP index") as caught:
            take(served, tmp_path / "a.scip", other[:size])
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT
        assert callers(served, "Disk.save") == reported


@pytest.mark.parametrize("kind", ["nothing", "empty", "folder", "text"])
def test_a_file_that_is_no_index_is_named(served: Served, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "a.scip"
    if kind == "folder":
        place.mkdir()
    elif kind == "empty":
        place.write_bytes(encode_index([]))
    elif kind == "text":
        place.write_text("Index: no such thing\n")
    with pytest.raises(RepoError, match="The file of --scip ") as caught:
        served.repository.engines.scip.take(str(place), anew=False)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert str(tmp_path) not in caught.value.message


def test_a_file_that_was_saved_later_is_left_out(served: Served, tmp_path: Path) -> None:
    place = write_index(tmp_path / "a.scip", [OF_LIB, OF_USE])
    now = place.stat().st_mtime_ns + LATER
    os.utime(served.root / "use.py", ns=(now, now))
    report = served.repository.engines.scip.take(str(place), anew=False)
    assert report.left_out == {SAVED_LATER: 1}
    (served.root / "lib.py").write_text(LIB + "# edited, and not indexed yet\n")
    report = take(served, place, encode_index([OF_LIB]))
    assert report.left_out == {CHANGED: 1}


@pytest.mark.sized
def test_a_million_documents_that_are_not_here_are_counted(served: Served, tmp_path: Path) -> None:
    many = choose(2_000, 1_000_000)
    place = tmp_path / "a.scip"
    with place.open("wb") as file:
        file.write(encode_index([OF_LIB]))
        other = encode_document(replace(OF_LIB, path="not/there.py"))
        for _ in range(many // 1_000):
            file.write(other * 1_000)
        file.write(encode_document(OF_USE))
    now = place.stat().st_mtime_ns + LATER
    os.utime(place, ns=(now, now))
    report = served.repository.engines.scip.take(str(place), anew=False)
    assert (report.files, report.left_out) == (2, {NOT_INDEXED: many})


# What lies on disk


def list_stored(served: Served) -> list[Path]:
    return sorted(Path(served.repository.data_dir.path).glob("scip-*/*.seg"))


def test_it_is_sealed_and_a_damaged_one_is_not_used(served: Served, tmp_path: Path) -> None:
    take(served, tmp_path / "a.scip", encode_index([OF_LIB, OF_USE]))
    (segment,) = list_stored(served)
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(bytes(data))
    with Served(served.root, tmp_path / "data", index=False) as other:
        assert callers(other, "Disk.save") == OURS
        warnings = other.answer("get_callers", symbol="Disk.save").get("warnings", [])
        assert warnings in ([], [UNREADABLE])
        take(other, tmp_path / "a.scip", encode_index([OF_LIB, OF_USE]))
        assert ("use.py", "exact", "scip") in callers(other, "Disk.save")


def test_nothing_of_a_file_that_is_ignored_stays(served: Served, tmp_path: Path) -> None:
    take(served, tmp_path / "a.scip", encode_index([OF_LIB, OF_USE]))
    assert any(b"lib.py" in one.read_bytes() for one in list_stored(served))
    (served.root / ".gitignore").write_text("lib.py\n")
    renew(served)
    assert list_stored(served)
    assert not any(b"lib.py" in one.read_bytes() for one in list_stored(served))


def test_equal_indexes_give_equal_bytes(served: Served, tmp_path: Path) -> None:
    take(served, tmp_path / "a.scip", encode_index([OF_LIB, OF_USE]), anew=True)
    once = [one.read_bytes() for one in list_stored(served)]
    take(served, tmp_path / "a.scip", encode_index([OF_USE]), anew=True)
    take(served, tmp_path / "b.scip", encode_index([OF_USE, OF_LIB]))
    assert [one.read_bytes() for one in list_stored(served)] == once
