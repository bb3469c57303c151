"""An index of a few texts, from which candidates of a bundle are opened, for tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.opened_files import Opener
from repo_mcp.blocks.source import LiveFile
from repo_mcp.blocks.weights import WEIGHTS
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.ranking.scoring.searcher import Ranking


class Source:
    """An index in which every name is rare but those of `common`; it notes which names are looked up."""

    unit_count = 1_000

    def __init__(self, common: Collection[str] = (), **declaring: str) -> None:
        self._common = common
        self.looked_up: list[str] = []
        self.texts: dict[str, str] = {}
        self._declaring = declaring

    def count_units(self, term: str) -> int:
        return 500 if term in self._common else 1

    def find_declaring(self, name: str, _most: int, _include_tests: bool) -> list[str]:
        self.looked_up.append(name)
        return [self._declaring[name]] if name in self._declaring else []

    def read(self, path: str) -> LiveFile:
        return read_text(path, read_given(self.texts, path).decode())


def read_given(texts: Mapping[str, str], path: str) -> bytes:
    """Return a text as its file is read. Raises RepoError if there is none."""
    if path not in texts:
        raise RepoError(ErrorCode.NOT_FOUND, "There is no such file.")
    return texts[path].encode()


def read_text(path: str, text: str) -> LiveFile:
    return LiveFile(path, text.encode(), tuple(text.splitlines()), b"f")


def make_opener(
    source: Source,
    prompt: str = "",
    names: Mapping[str, float] | None = None,
    candidates: tuple[Candidate, ...] = (),
) -> Opener:
    evidence = Evidence(prompt, (), names or {}, (), {}, Ranking((), 0), candidates, (), ())
    return Opener(read_layout, evidence, WEIGHTS, cast("Any", source), small_file_lines=0)
