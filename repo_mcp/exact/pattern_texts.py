"""Texts that stand for all that a part of a pattern can match, and the needs that follow from them.

Three marks in a text stand for anything except a known word character:

    SPACE   one or more characters at which every word ends, or the edge of a line
    STRANGE a character outside ASCII, or anything that SPACE stands for: RE2's `\\b` and `\\W` allow both
    HOLE    anything, or nothing

A large class of word characters becomes a mark, too (`repo_mcp.exact.required_terms`). A text that keeps the
punctuation beside its words (`repo_mcp.exact.neighbour_bloom`) can also contain:

    U+E0xx  a punctuation character or the edge of a line, moved there so that it is not a mark
    BLANK   one or more blanks, where nothing else that ends a word is possible
    REST    word characters, or none

A piece of a pattern is a few such texts, of which one is matched. If there were more than MAX_TEXTS of them,
those so far become a need of their own, and a HOLE takes their place. Then it is no longer known how they
join, but no match is lost.

Terms are in lower case, and so are runs. Two characters outside ASCII have an ASCII letter as another case.
The lower case of the Kelvin sign is `k`, also in terms. The long s has no other lower case, so a run with an
`s` in any case may occur in a term with a long s, and is marked accordingly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from repo_mcp.exact.neighbour_bloom import BLANKS, INDENT, LINE_EDGE
from repo_mcp.exact.punctuation_bigrams import PUNCTUATION
from repo_mcp.exact.required_terms import (
    CLASS_MARKS,
    MAX_ATOMS,
    MIN_ATOMS,
    MORE,
    All,
    Edge,
    Either,
    Need,
    Run,
    cut_shape,
    find_literal_part,
    has_classes,
)
from repo_mcp.record_classes import dataclass

# The marks of a text: see above.
SPACE = " "
STRANGE = "~"
HOLE = "*"
BLANK = "\t"
REST = "\x06"
LONG_S = "\u017f"
_CHARACTER_BASE = 0xE000  # first of the private characters that stand for punctuation
EDGE = chr(_CHARACTER_BASE + ord(LINE_EDGE))
MAX_TEXTS = 16
MAX_TEXT_CHARS = 512
MAX_RUNS = 24  # most runs of one text that are looked up: the longest
MIN_OPEN_BYTES = 3  # least bytes of a run that may be part of a longer word: shorter ones are in most files
_SIGMA = "\u03a3"  # a Greek capital whose lower case depends on the next letter
ASCII_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_SIGN_MARKS = "\ue000-\ue07f"
_RUN = re.compile(rf"[^{SPACE}{STRANGE}\{HOLE}{BLANK}{_SIGN_MARKS}]+")
_CHARACTER_BEFORE = re.compile(rf"([{_SIGN_MARKS}])({BLANK}*)$")
_CHARACTER_BEHIND = re.compile(rf"{BLANK}*([{_SIGN_MARKS}])")
_CLASSED_PARTS = re.compile(rf"[{CLASS_MARKS}{MORE}{REST}]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a pattern: what it matches is one of `texts`, and the searched text meets all `needs`."""

    texts: tuple[str, ...]
    needs: tuple[Need, ...] = ()


EMPTY = Piece(("",))
ANYTHING = Piece((HOLE,))


def mark_char(char: str, ignores_case: bool) -> str:
    """Return what stands for a character in a text."""
    if char.isascii():
        if char not in ASCII_WORD:
            return SPACE
        return LONG_S if ignores_case and char in "sS" else char.lower()
    # Letters of Unicode 3.2 are letters for any Python that built the index; case follows simple rules only.
    category = unicodedata.ucd_3_2_0.category(char)
    if category in ("Lo", "Lm") or (category in ("Lu", "Ll") and not ignores_case and char != _SIGMA):
        lowered = char.lower()
        if len(lowered) == 1 and lowered != LONG_S and not lowered.isascii():
            return lowered
    return HOLE


def keep_punctuation(char: str, ignores_case: bool) -> str:
    """Return what stands for a character in a text that keeps punctuation."""
    if char in BLANKS or char in "\r\n":  # no match within a line contains a line end
        return BLANK
    return chr(_CHARACTER_BASE + ord(char)) if char in PUNCTUATION else mark_char(char, ignores_case)


def build_need(texts: Sequence[str]) -> Need | None:
    """Return the need of a searched text that has at least one of the texts; None if it needs nothing.

    Of each text the runs are needed; short ones only if it has no others.
    """
    needs: list[Need] = []
    for text in dict.fromkeys(texts):
        every = sorted(dict.fromkeys(_iter_runs(text)), key=lambda run: -len(run.text))
        runs = [run for run in every if not is_short(run)] or every
        if not runs:
            return None
        needs.append(runs[0] if len(runs) == 1 else All(tuple(runs[:MAX_RUNS])))
    return needs[0] if len(needs) == 1 else Either(tuple(needs))


def is_short(run: Run) -> bool:
    """Return True for a run that most files have, unless its characters are rare."""
    is_open = Edge.OPEN in (run.left, run.right)
    return is_open and not run.shape and len(run.text.encode()) < MIN_OPEN_BYTES


def _iter_runs(text: str) -> Iterator[Run]:
    """Yield the runs of a text that may be worth looking up."""
    for found in _RUN.finditer(text):
        run = found[0]
        left = _edge(text[found.start() - 1 : found.start()], run[0])
        right = _edge(text[found.end() : found.end() + 1], run[-1])
        before, behind = (
            _CHARACTER_BEFORE.search(text, 0, found.start()),
            _CHARACTER_BEHIND.match(text, found.end()),
        )
        if before or behind:
            characters = [chr(ord(one[1]) - _CHARACTER_BASE) if one else "" for one in (before, behind)]
            if before and before[2] and characters[0] == LINE_EDGE:
                characters[0] = INDENT
            yield from _iter_neighboured(run, left, right, *characters)
        elif REST in run:
            continue  # the text keeps punctuation, but there is none beside this run
        elif has_classes(run):
            yield from _iter_shaped(run, left, right)
        else:
            yield Run(run.replace(LONG_S, "s"), left, right, LONG_S in run)


def _iter_neighboured(run: str, left: Edge, right: Edge, before: str, behind: str) -> Iterator[Run]:
    """Yield the longest part of a run without classes, if it is worth looking up, with its punctuation."""
    part = max(_CLASSED_PARTS.split(run), key=len)
    if part != run:
        left, right = (left, Edge.OPEN) if run.startswith(part) else (Edge.OPEN, Edge.OPEN)
    if len(part.encode()) >= MIN_OPEN_BYTES or (part and Edge.OPEN not in (left, right)):
        yield Run(part.replace(LONG_S, "s"), left, right, LONG_S in part, "", before, behind)


def _iter_shaped(run: str, left: Edge, right: Edge) -> Iterator[Run]:
    """Yield a run with classes, if it is worth looking up."""
    shape = cut_shape(run)
    part = find_literal_part(shape)
    if len(part.encode()) >= MIN_OPEN_BYTES or len(shape.replace(MORE, "")) >= MIN_ATOMS:
        edge = right if shape == run else Edge.OPEN
        yield Run(part.replace(LONG_S, "s"), left, edge, LONG_S in shape, shape.replace(LONG_S, "s"))


def _edge(mark: str, neighbour: str) -> Edge:
    """Return the edge of a run at a mark; "" is the end of the text.

    Beside a letter outside ASCII, `\\b` means the opposite, so nothing is known there.
    """
    if mark in (SPACE, BLANK) or mark >= chr(_CHARACTER_BASE):
        return Edge.CLOSED
    return Edge.STRANGE if mark == STRANGE and (neighbour.isascii() or neighbour == LONG_S) else Edge.OPEN


def join_all(needs: Iterable[Need | None]) -> Need | None:
    """Return the need for all of some needs; None if there are none. A need of None requires nothing."""
    kept = tuple(dict.fromkeys(need for need in needs if need is not None))
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else All(kept)


def concatenate(pieces: Iterable[Piece]) -> Piece:
    """Return the piece that matches the pieces one after the other."""
    texts: tuple[str, ...] = ("",)
    needs: list[Need | None] = []
    for piece in pieces:
        needs += piece.needs
        longest = max(map(len, texts)) + max(map(len, piece.texts))
        if len(texts) * len(piece.texts) > MAX_TEXTS or longest > MAX_TEXT_CHARS:
            needs.append(build_need(texts))
            texts = (HOLE,)
        texts = tuple(dict.fromkeys(_tidy(one + other) for one, other in product(texts, piece.texts)))
    return Piece(texts, tuple(need for need in needs if need is not None))


def _tidy(text: str) -> str:
    return text.replace(HOLE + HOLE, HOLE)


def alternate(pieces: Sequence[Piece]) -> Piece:
    """Return the piece that matches any one of the pieces."""
    if len(pieces) == 1:
        return pieces[0]
    texts = tuple(dict.fromkeys(text for piece in pieces for text in piece.texts))
    if len(texts) <= MAX_TEXTS and not any(piece.needs for piece in pieces):
        return Piece(texts)
    needs = [join_all([*piece.needs, build_need(piece.texts)]) for piece in pieces]
    if None in needs:
        return ANYTHING
    return Piece((HOLE,), (Either(tuple(need for need in needs if need is not None)),))


def repeat(piece: Piece, least: int, most: int | None) -> Piece:
    """Return a piece for `least` to `most` repetitions of a piece; a `most` of None means no limit."""
    if most == 0:
        return EMPTY
    only_space = all(text and not text.strip(SPACE + BLANK) for text in piece.texts)
    space = SPACE if any(SPACE in text for text in piece.texts) else BLANK
    if least == 0:
        if only_space and not piece.needs:
            return Piece(("", space))
        if most == 1 and not piece.needs and len(piece.texts) < MAX_TEXTS:
            return Piece(tuple(dict.fromkeys(("", *piece.texts))))
        return ANYTHING
    if only_space or (least == most == 1):
        return Piece((space,), piece.needs) if only_space else piece
    mark = piece.texts[0]
    if len(piece.texts) == len(mark) == 1 and mark in CLASS_MARKS and not piece.needs:
        return Piece((mark * min(least, MAX_ATOMS) + (MORE if least != most or least > MAX_ATOMS else ""),))
    if least == most and least * max(map(len, piece.texts)) <= MAX_TEXTS:
        return concatenate([piece] * least)
    ends = concatenate([piece, ANYTHING, piece])
    return alternate([piece, ends]) if least == 1 else ends
