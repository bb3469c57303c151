"""Late patterns do what compiled ones do, and compile nothing before they are used."""

from __future__ import annotations

import pickle
import re

import pytest

from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.clues import ClueKind, parse_prompt

TEXT = "one two\nOne"


def test_it_finds_what_a_compiled_pattern_finds() -> None:
    late, compiled = compile_late("(o)ne", re.IGNORECASE), re.compile("(o)ne", re.IGNORECASE)
    for _ in range(2):  # the first time, and compiled
        assert late.findall(TEXT) == compiled.findall(TEXT)
        assert [[one.span() for one in pattern.finditer(TEXT, 3)] for pattern in (late, compiled)] == [
            [(8, 11)]
        ] * 2
        assert late.sub(r"<\1>", TEXT) == compiled.sub(r"<\1>", TEXT)
        assert late.subn("", TEXT, 1) == compiled.subn("", TEXT, 1)
        assert late.split(TEXT) == compiled.split(TEXT)
        assert late.fullmatch(TEXT) is compiled.fullmatch(TEXT) is None
    assert compile_late(rb"w\w").findall(b"two") == [b"wo"]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the expressions that are compiled from now on are added."""
    sources: list[str] = []
    compile_now = re.compile

    def compile_and_note(source: str, flags: int = 0) -> re.Pattern[str]:
        sources.append(source)
        return compile_now(source, flags)

    monkeypatch.setattr(re, "compile", compile_and_note)
    return sources


def test_it_compiles_at_the_first_use(made: list[str]) -> None:
    late, mistaken = compile_late("two"), compile_late("(")
    assert made == []
    assert [late.search(TEXT) is not None, late.match(TEXT), late.search("")] == [True, None, None]
    assert made == ["two"]
    with pytest.raises(re.error):
        mistaken.search(TEXT)


def test_it_has_nothing_else_of_a_pattern() -> None:
    with pytest.raises(AttributeError):
        compile_late("a").pattern  # noqa: B018
    assert pickle.loads(pickle.dumps(compile_late("a"))).match("a")


def test_a_query_of_plain_words_compiles_little(made: list[str]) -> None:
    clues = parse_prompt("checksum pages")
    assert [clue.text for clue in clues if clue.kind is ClueKind.WORD] == ["checksum", "pages"]
    assert len(made) <= 1  # words with a space between them may be capitalised
