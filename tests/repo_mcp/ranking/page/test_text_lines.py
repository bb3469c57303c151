"""Lines that are cut when they are asked for are those of the whole text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.page import live_chunks
from repo_mcp.ranking.page.live_chunks import TextLines
from repo_mcp.text.lines import split_lines


@pytest.fixture(autouse=True)
def _count_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_chunks, "BLOCK_BYTES", 64)
    monkeypatch.setattr(live_chunks, "LEAST_COUNTED", 128)


TEXTS = st.lists(st.sampled_from([b"\n", b"a", b"bcd", b"\n\n", b"a" * 64]), max_size=40).map(b"".join)


@given(TEXTS, st.integers(0, 50), st.integers(0, 50))
def test_lines_are_those_of_the_split_text(data: bytes, first: int, stop: int) -> None:
    lines: Sequence[bytes] = TextLines(data)
    wanted = split_lines(data)
    assert len(lines) == len(wanted)
    assert lines[first:stop] == wanted[first:stop]
    assert list(lines) == wanted
    if wanted:
        assert lines[-1] == wanted[-1]
    with pytest.raises(IndexError):
        lines[len(wanted)]


@given(TEXTS)
def test_a_line_begins_behind_those_before_it(data: bytes) -> None:
    wanted = split_lines(data)
    lines = TextLines(data)
    for position in [*range(len(wanted)), *reversed(range(len(wanted)))]:
        assert lines[position] == wanted[position]
        assert (
            lines.find_start(position)
            == TextLines(data).find_start(position)
            == sum(len(line) + 1 for line in wanted[:position])
        )
    assert TextLines(data).find_start(len(wanted)) == len(data)
