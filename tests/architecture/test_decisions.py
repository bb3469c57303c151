"""Decision records can be found: their index lists each of them once, and says which no longer hold."""

from __future__ import annotations

import re

from tests.architecture.source_tree import ROOT

FOLDER = ROOT / "docs" / "decisions"
INDEX = FOLDER / "README.md"
ENTRY = re.compile(r"^- \[(\d{4})\]\((\S+?)\)(?: \(([^)]*)\))?: (.+)$")
MARK = re.compile(r"replaced by \d{4}|(?:rejected; )?in part, by \d{4}.*|rejected")
FIRST_LINES = 3


def list_entries() -> list[tuple[str, str, str, str]]:
    """Return number, file, mark and statement of each entry, as the index has them."""
    rows = [line for line in INDEX.read_text(encoding="utf-8").splitlines() if line.startswith("- [")]
    matches = [ENTRY.match(row) for row in rows]
    assert all(matches), [row for row, match in zip(rows, matches, strict=True) if match is None]
    return [(match[1], match[2], match[3] or "", match[4]) for match in matches if match is not None]


def list_records() -> list[str]:
    return sorted(path.name for path in FOLDER.glob("[0-9]*.md"))


def test_every_record_is_listed_once() -> None:
    assert sorted(file for _, file, _, _ in list_entries()) == list_records()


def test_numbers_are_those_of_the_files_and_of_their_titles() -> None:
    numbers = {file: number for number, file, _, _ in list_entries()}
    assert [file for file, number in numbers.items() if not file.startswith(f"{number}-")] == []
    assert len(set(numbers.values())) == len(numbers)
    for file, number in numbers.items():
        title = (FOLDER / file).read_text(encoding="utf-8").splitlines()[0]
        assert title.startswith(f"# {int(number)}. "), file


def test_an_entry_says_what_was_decided_and_not_the_title_again() -> None:
    for _, file, _, statement in list_entries():
        title = (FOLDER / file).read_text(encoding="utf-8").splitlines()[0].split(". ", 1)[1]
        assert statement.endswith("."), file
        assert len(statement) >= 30, file
        assert statement.rstrip(".").casefold() != title.casefold(), file


def test_marks_name_later_records() -> None:
    numbers = {number for number, _, _, _ in list_entries()}
    for number, file, mark, _ in list_entries():
        assert not mark or MARK.fullmatch(mark), file
        later = set(re.findall(r"\b\d{4}\b", mark))
        assert later <= numbers, file
        assert all(other > number for other in later), file


def test_a_replaced_record_says_so_in_its_first_lines() -> None:
    for _, file, mark, _ in list_entries():
        first = " ".join((FOLDER / file).read_text(encoding="utf-8").splitlines()[:FIRST_LINES])
        says = re.search(r"Superseded by (\d+)", first)
        assert bool(says) == mark.startswith("replaced"), file
        if says is not None:
            assert int(says[1]) == int(mark.split()[-1]), file


def test_an_amended_record_names_in_its_first_lines_what_amended_it() -> None:
    for _, file, mark, _ in list_entries():
        first = " ".join((FOLDER / file).read_text(encoding="utf-8").splitlines()[:FIRST_LINES])
        says = re.search(r"Amended by ([\d, and]+)", first)
        assert bool(says) == ("in part" in mark), file
        if says is not None:
            later = [int(number) for number in re.findall(r"\b\d{4}\b", mark)]
            assert [int(number) for number in re.findall(r"\d+", says[1])] == later, file
