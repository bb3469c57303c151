"""Which files a bundle may open, in the order of the search, and those that the prompt names."""

from __future__ import annotations

from index_format import ChunkSpan
from repo_mcp.blocks.candidates import list_candidates
from repo_mcp.blocks.weights import WEIGHTS
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.mentions import Mention
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk


def chunk(path: str, score: float, start: int = 1, end: int = 50) -> RankedChunk:
    return RankedChunk(path, ChunkSpan(1, 200, 0), start, end, score, (), "python", b"", "")


def test_files_stand_as_the_search_has_them_with_their_place() -> None:
    chunks = [chunk("src/b.py", 2.0), chunk("src/a.py", 1.0), chunk("src/b.py", 0.5)]
    found = list_candidates(chunks, [], WEIGHTS)
    assert [(one.path, one.share, one.hit) for one in found] == [("src/b.py", 1.0, 1), ("src/a.py", 0.5, 2)]
    assert list_candidates([], [], WEIGHTS) == ()


def test_what_the_prompt_names_comes_first() -> None:
    named = Mention("tests/test_it.py", Clue(ClueKind.PATH, "tests/test_it.py"), 1.0)
    found = list_candidates([chunk("src/other.py", 9.0)], [named], WEIGHTS)
    assert [(one.path, one.hit) for one in found] == [("tests/test_it.py", None), ("src/other.py", 1)]


def test_the_innermost_frame_counts_most() -> None:
    frames = [Clue(ClueKind.FRAME, name, 1) for name in ("inner.py", "middle.py", "outer.py")]
    mentions = [Mention(clue.text, clue, 1.0) for clue in frames]
    found = list_candidates([], mentions, WEIGHTS)
    assert [one.path for one in found] == ["inner.py", "middle.py", "outer.py"]


def test_equal_files_stand_by_path() -> None:
    chunks = [chunk(path, 1.0) for path in ("b", "é", "a", "Z")]
    assert [one.path for one in list_candidates(chunks, [], WEIGHTS)] == ["Z", "a", "b", "é"]
