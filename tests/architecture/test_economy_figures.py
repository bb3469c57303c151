"""The figures of `bench/economy/README.md` are those of the stored run that it names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROWS = json.loads(Path("bench/results/run-economy-packages.json").read_text())["rows"]
PAGE = Path("bench/economy/README.md").read_text()
TEXT = PAGE.partition("## The latest figures\n")[2].partition("\n## ")[0]
TIMES = {  # row of the document -> rows of the run, for the columns of records and of text
    "literal page of `repo.search`": ("repo.search, literal", "repo.search, literal as text"),
    "regex page": ("repo.search, regex", "repo.search, regex as text"),
    "ranked page": ("repo.search, bm25", "repo.search, bm25 as text"),
    "symbol page": ("repo.search, symbol", "repo.search, symbol as text"),
    "page of one name": ("", "repo.search, a name, bm25 as text"),
    "page of three names": ("", "repo.search, three names, bm25 as text"),
    "page of `search` (retrieval)": ("search (retrieval)", ""),
    "`repo.open_file`": ("repo.open_file", ""),
    "`repo.list_files`": ("repo.list_files", ""),
    "`repo.outline`": ("repo.outline, standard library", ""),
    "`get_file_outline`": ("get_file_outline", ""),
    "a bundle": ("repo.build_context_bundle", ""),
}
BYTES = {
    "`search_code`": "search_code",
    "`search_docs`": "search_docs",
    "`code_research`": "code_research",
    "`search_symbols`": "search_symbols",
    "`get_references`": "get_references",
    "`find_similar`": "find_similar",
    "the tools of `repo`, as a model sees them": "tool list: repo",
    "the tools of all four toolsets": "tool list: repo,graph,research,retrieval",
}


def read_cells(row: str) -> list[str]:
    """Return the cells of the row of a table that begins with a text."""
    (line,) = [line for line in TEXT.splitlines() if line.startswith(f"| {row} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("row", TIMES)
def test_times_of_plain_text(row: str) -> None:
    for stored, shown in zip(TIMES[row], read_cells(row)[3:5], strict=True):
        assert not stored or shown == f"{ROWS[stored]['median_times']:.2f}"


@pytest.mark.parametrize("row", BYTES)
def test_bytes_of_an_answer(row: str) -> None:
    assert read_cells(row)[2] == f"{ROWS[BYTES[row]]['bytes']:,.0f}"


def test_bytes_of_a_ranked_page() -> None:
    records, text = ROWS["repo.search, bm25"]["bytes"], ROWS["repo.search, bm25 as text"]["bytes"]
    assert read_cells("a ranked page of `repo.search`")[2] == f"{records:,.0f}; as text {text:,.0f}"


@pytest.mark.parametrize("share", ["half", "four_fifths"])
@pytest.mark.parametrize("half", ["open", "kept back"])
def test_bytes_read_until_a_question_is_answered(half: str, share: str) -> None:
    ours, theirs = ROWS[f"evidence, {half} half"][share], ROWS[f"ripgrep, {half} half"][share]
    shown = re.search(rf"^\| {half} \| {share.replace('_', ' ')} \|(.*)\|$", TEXT, re.MULTILINE)
    assert shown is not None
    cells = [cell.strip() for cell in shown[1].split("|")]
    assert cells[2:] == [f"{ours:,.0f}", f"{ours / theirs:.2f}", f"{theirs:,.0f}"]
