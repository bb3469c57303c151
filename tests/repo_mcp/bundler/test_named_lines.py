"""Which lines of a file a prompt names."""

from __future__ import annotations

from repo_mcp.blocks.named_lines import locate
from repo_mcp.languages.patterns.declared_spans import has_name
from repo_mcp.ranking.query.clues import Clue, ClueKind
from tests.repo_mcp.symbol_spans import list_symbol_spans

TEXT = b"class Door:\n    def read(self):\n        pass\n\nclass Wall:\n    def read(self):\n        pass\n"


def test_a_frame_of_another_version_points_to_its_function() -> None:
    spans = list_symbol_spans("a.py", TEXT)
    assert locate(Clue(ClueKind.FRAME, "a.py", 3, "read"), spans) == [3]
    assert locate(Clue(ClueKind.FRAME, "a.py", 90, "read"), spans) == [6]
    assert locate(Clue(ClueKind.FRAME, "a.py", 90, "gone"), spans) == [90]
    assert locate(Clue(ClueKind.FRAME, "a.py", None, "read"), spans) == []  # which of two is not said
    assert locate(Clue(ClueKind.FRAME, "a.py", None, "gone"), spans) == []
    assert locate(Clue(ClueKind.PATH, "a.py"), spans) == []


def test_a_qualified_name_is_one_declaration() -> None:
    spans = list_symbol_spans("a.py", TEXT)
    assert [one.name_line for one in spans if has_name(one, "Wall.read")] == [6]
    assert [one.name_line for one in spans if has_name(one, "read")] == [2, 6]
    assert not any(has_name(one, "Sandwall.read") for one in spans)
