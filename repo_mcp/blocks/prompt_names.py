"""Read the names of declarations in a prompt: those it surely means, and those that its words may form.

Left out: which files declare them (`repo_mcp/blocks/evidence.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from itertools import islice

from repo_mcp.blocks.weights import Weights
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.clues import Clue, ClueKind, join_words, split_symbol
from repo_mcp.ranking.query.report_noise import read_words
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.stop_words import ASKING_WORDS, FUNCTION_WORDS

MAX_NAMES = 12  # of the prompt, whose declaring files are looked up
MAX_NAME_CHARS = 128
MAX_DECLARING = 4  # files or blocks; a name that more of them declare says little about each
SOLE_WORDS = 2  # in a prompt of at most this many words, each is read as a name
SELF_NAMES = frozenset(("self", "this", "cls", "super"))
_MARKED = compile_late(r"`([A-Za-z_$][\w$]*)(?:\(\))?`")
_WORD = re.compile(r"[^\W\d]\w*")
MAX_JOINED_NAMES, MAX_JOINED_WORDS = 8, 200


def is_in_prose(clue: Clue, prose_words: Set[str]) -> bool:
    """Return True for a word or a name that is among the words of the prose, and for any other clue."""
    if clue.kind is ClueKind.SYMBOL and not clue.is_joined:
        return split_symbol(clue.text)[-1].lower() in prose_words
    return clue.kind is not ClueKind.WORD or clue.text.lower() in prose_words


def list_names(
    prompt: str, clues: Iterable[Clue], weights: Weights, pasted: Set[Clue] = frozenset()
) -> dict[str, float]:
    """Return the names of declarations that the prompt asks for, with how surely they are meant.

    The names of `pasted` clues are less sure.
    """
    words = prompt.split()
    sole = [word for word in words if word.isidentifier()] if len(words) <= SOLE_WORDS else []
    names = dict.fromkeys(sole, 1.0)
    for clue in clues:
        parts = split_symbol(clue.text) if clue.kind is ClueKind.SYMBOL else ()
        if parts:
            name = ".".join(parts[1:] if len(parts) > 1 and parts[0] in SELF_NAMES else parts)
            sure = weights.joined if clue.is_joined else 1.0 if clue.is_strong else weights.unsure
            sure *= weights.pasted if clue in pasted else 1.0
            names[name] = max(sure, names.get(name, 0.0))
    return names


def find_light_names(
    prompt: str, clues: Sequence[Clue], count_units: Callable[[str], int]
) -> tuple[Clue, ...]:
    """Return clues for names that are words of any text: those in backquotes, as `get` is here.

    If the index has no other word of the prompt, all may be names: "A needs B" is about A and B.
    """
    named = {clue.text for clue in clues if clue.kind is ClueKind.SYMBOL}
    marked = (name for name in dict.fromkeys(_MARKED.findall(prompt)) if name not in named)
    found = tuple(Clue(ClueKind.SYMBOL, name) for name in marked)
    known = (*clues, *found)
    if any(count_units(term) for clue in known for term in analyse_text(clue.text)):
        return found
    said = {clue.text for clue in known} | FUNCTION_WORDS
    words = (word for word in dict.fromkeys(_WORD.findall(prompt)) if word.lower() not in ASKING_WORDS)
    light = islice((word for word in words if word not in said and len(word) <= MAX_NAME_CHARS), MAX_NAMES)
    return (*found, *(Clue(ClueKind.SYMBOL, word, is_strong=not word.islower()) for word in light))


def find_joined(prompt: str, count_units: Callable[[str], int]) -> tuple[Clue, ...]:
    """Return clues for names in the index that adjacent words of the prompt form, or form in the singular."""
    joined = join_words(read_words(prompt).split()[:MAX_JOINED_WORDS])
    forms = (name if count_units(name) else name.removesuffix("s") for name in joined)
    known = islice(filter(count_units, dict.fromkeys(forms)), MAX_JOINED_NAMES)
    return tuple(Clue(ClueKind.SYMBOL, name, is_joined=True) for name in known)
