"""Words of programs for the everyday words of a question: for "twin", `duplicate`, `clone` and `replica`.

Such a word stands for others only where no file has it. A word that the code has itself means what the code
means by it, and its everyday sense would only bring noise.

`everyday_words.txt` has a word and the words of programs in each line, the likeliest first. It was written
from general knowledge, without looking at any question that measures a search (docs/decisions/0156).
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from repo_mcp.text.stemming import stem_word
from repo_mcp.text.word_families import list_synonyms, spell_stem

_TABLE = Path(__file__).with_name("everyday_words.txt")
_CACHED_WORDS = 1_000


def list_stand_ins(stem: str) -> tuple[str, ...]:
    """Return the stems of the words to look for in place of one that no file has, synonyms first."""
    return tuple(dict.fromkeys((*list_synonyms(stem), *_list_code_words(stem))))


def spell_stand_in(stem: str) -> str:
    """Return a word with a stem that `list_synonyms` or `list_stand_ins` returned.

    Raises KeyError for any other.
    """
    spelled = _read_spellings().get(stem)
    return spelled if spelled is not None else spell_stem(stem)


@lru_cache(maxsize=_CACHED_WORDS)
def _list_code_words(stem: str) -> tuple[str, ...]:
    return tuple(stem_word(word.encode()).decode() for word in _read_table().get(stem, "").split())


@cache
def _read_spellings() -> dict[str, str]:
    """Return stem -> word, of all words of programs in the table."""
    words = dict.fromkeys(word for row in _read_table().values() for word in row.split())
    return {stem_word(word.encode()).decode(): word for word in reversed(words)}


@cache
def _read_table() -> dict[str, str]:
    """Return stem of an everyday word -> the words of programs for it, with spaces between."""
    rows = (line.partition(": ") for line in _TABLE.read_text(encoding="ascii").splitlines())
    return {stem_word(said.encode()).decode(): words for said, _, words in rows}
