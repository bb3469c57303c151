"""Which lines of a file a prompt names."""

from __future__ import annotations

from repo_mcp.bundler.hybrid import locate, locate_symbols
from repo_mcp.languages.patterns.declared_spans import list_symbol_spans
from repo_mcp.ranking.prompt import Clue, ClueKind

TEXT = b"class Door:\n    def read(self):\n        pass\n\nclass Wall:\n    def read(self):\n        pass\n"


def test_a_frame_of_another_version_points_to_its_function() -> None:
    spans = list_symbol_spans("a.py", TEXT)
    assert locate(Clue(ClueKind.FRAME, "a.py", 3, "read"), spans) == [3]
    assert locate(Clue(ClueKind.FRAME, "a.py", 90, "read"), spans) == [6]
    assert locate(Clue(ClueKind.FRAME, "a.py", 90, "gone"), spans) == [90]
    assert locate(Clue(ClueKind.PATH, "a.py"), spans) == []


def test_a_qualified_name_is_one_declaration() -> None:
    spans = list_symbol_spans("a.py", TEXT)
    assert locate_symbols([Clue(ClueKind.SYMBOL, "Wall.read")], spans) == [6]
    assert locate_symbols([Clue(ClueKind.SYMBOL, "read"), Clue(ClueKind.SYMBOL, "self.read")], spans) == []
    assert locate_symbols([Clue(ClueKind.SYMBOL, "Sandwall.read")], spans) == []
