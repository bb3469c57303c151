"""Choose the lines of a span that are about some words: its head, and lines with the words and near them.

A word weighs more the rarer it is in the span, and counts less each time that it is shown. In a comment it
weighs less than in the statement below. Nothing but the text of the span decides. Pure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import accumulate

from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.repository.opened.lines_near import HEADS_NEAR, list_beside
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.block_heads import list_heads
from repo_mcp.text.lines import is_comment

ROOM_CHARS = 1_200  # of the lines that are chosen: some thirty
ASKED_CHARS = 600  # of those beside a line that was asked for: some fifteen more
WORTH_CUTTING = 2 / 3  # of the lines: if more are chosen, all are, for a few gaps hide how a function works
HEAD_LINES = 2  # first lines of the span, which are always chosen
NEAR_LINES = 2  # chosen before and after a line with a word
MOST_COMPLETING = 6  # lines chosen behind others to close the parentheses in these
BARE_CHARS = 400  # of further lines with words, without those near them: some ten
COMMENT_SHARE = 0.1  # of the weight of a word in a statement
MAX_TERMS = 60  # of the given words; each is a bit of a number
MAX_COMPARED = 2_000  # lines with words, the first of the best


def choose_asked(
    lines: Sequence[str], start_line: int, words: str, around: int | None = None, *, is_prose: bool = False
) -> tuple[int, ...]:
    """Return the numbers of the lines that are about the words, ascending, and of those beside one of them.

    `lines` are those of the span from `start_line` on, `around` is the number of the one that was asked for.
    In prose, nothing is a comment: `#` begins a heading there. Returns all of them if they fit or few would
    be left out, and none if no line has any of the words.
    """
    by_line = _find_terms(lines, words)
    if not by_line:
        return ()
    left = ROOM_CHARS - sum(map(len, lines))
    beside = _list_asked(lines, -1 if around is None else around - start_line)
    chosen = range(len(lines)) if left >= 0 else _choose(lines, by_line, beside, is_prose=is_prose)
    if len(chosen) >= WORTH_CUTTING * len(lines):
        chosen = range(len(lines))
    return tuple(at + start_line for at in sorted(chosen))


def list_left(lines: Sequence[str], start_line: int, words: str, shown: Set[int]) -> list[int]:
    """Return the numbers of the lines that have any of the words and are not `shown`, those worth most first.

    `lines` are those of the span from `start_line` on.
    """
    by_line = _find_terms(lines, words)
    weights = _weigh(by_line, len(lines))
    return [at + start_line for at in _list_best(by_line, weights) if at + start_line not in shown]


def _list_best(by_line: Mapping[int, Sequence[str]], weights: Mapping[str, float]) -> list[int]:
    """Return the positions of lines with words, those whose words weigh most first, else as they come."""
    return sorted(by_line, key=lambda at: sum(weights[term] for term in by_line[at]), reverse=True)


def _find_terms(lines: Sequence[str], words: str) -> dict[int, tuple[str, ...]]:
    """Return the terms of some words that each line has, by its position; lines without any are left out.

    Of a single name, its parts count only where no line below the head has the whole.
    """
    terms = list(dict.fromkeys(analyse_text(words)))[:MAX_TERMS]
    found = {
        at: tuple(term for place, term in enumerate(terms) if held >> place & 1)
        for at, held in enumerate(find_line_terms(lines, terms))
        if held
    }
    if terms[:1] != [words.strip().lower()]:
        return found
    wholes = {at: held for at, held in found.items() if terms[0] in held}
    return wholes if max(wholes, default=0) >= HEAD_LINES else found


def _weigh(by_line: Mapping[int, Sequence[str]], line_count: int) -> dict[str, float]:
    """Return the weight of each term: the logarithm of its rarity in the span."""
    counts = Counter(term for terms in by_line.values() for term in terms)
    return {term: math.log1p(line_count / count) for term, count in counts.items()}


def choose_first(lines: Sequence[str], start_line: int) -> tuple[int, ...]:
    """Return the numbers of the first lines, as many as have room. `lines` are those from `start_line` on."""
    before = accumulate(map(len, lines), initial=0)
    return tuple(
        at + start_line for at, chars in zip(range(len(lines)), before, strict=False) if chars < ROOM_CHARS
    )


def _list_asked(lines: Sequence[str], at: int) -> set[int]:
    """Return the positions beside one, and of the heads of its blocks; none for one of the head."""
    if not HEAD_LINES <= at < len(lines):
        return set()
    return {*list_beside(lines, at, ASKED_CHARS), *list_heads(lines[: at + 1], HEADS_NEAR)}


def _choose(
    lines: Sequence[str], by_line: Mapping[int, Sequence[str]], asked: Set[int], *, is_prose: bool
) -> set[int]:
    """Return the positions asked for and those of the head, of the best lines and of those near them.

    Asked ones take room from the others, but only half of what they have. A few further lines with words are
    chosen without those near them.
    """
    weights = _weigh(by_line, len(lines))
    chosen = {*range(min(HEAD_LINES, len(lines)))}
    left = ROOM_CHARS - sum(len(lines[at]) for at in chosen) - (ASKED_CHARS // 2 if asked else 0)
    chosen |= asked
    seen = Counter(term for at in asked & by_line.keys() for term in by_line[at])
    waiting = {at: by_line[at] for at in _list_best(by_line, weights)[:MAX_COMPARED] if at not in asked}
    shares = {at: COMMENT_SHARE if not is_prose and is_comment(lines[at]) else 1.0 for at in waiting}
    while waiting and left > -BARE_CHARS:
        best = max(
            waiting,
            key=lambda at: (
                shares[at] * sum(weights[term] / (1 + seen[term]) for term in waiting[at]),
                -at,
            ),
        )
        beside = NEAR_LINES if left > 0 else 0
        near = {at for at in range(best - beside, best + beside + 1) if 0 <= at < len(lines)} - chosen
        chosen |= near
        left -= sum(len(lines[at]) for at in near)
        for at in [at for at in waiting if at in chosen]:
            seen.update(waiting.pop(at))
    # A link of a chain of calls says little without its neighbours: of 647 long functions that fixes changed,
    # they show 7 changed lines more, beside 1,551, for .004 of the bytes.
    links = [at for at in chosen if at and _is_link(lines[at])]
    chosen |= {at - 1 for at in links} | {at + 1 for at in links if _is_link("".join(lines[at + 1 : at + 2]))}
    chosen |= {at for last in chosen if last + 1 not in chosen for at in _complete(lines, last, chosen)}
    # One line that is missing between two others is overlooked, and breaks prose.
    chosen |= {at + 1 for at in chosen if at + 2 in chosen}
    return {at for at in chosen if lines[at].strip() or {at - 1, at + 1} <= chosen}


def _is_link(line: str) -> bool:
    """Return whether a line goes on with a chain of calls: `.chars()`, but not `...rest`."""
    text = line.lstrip()
    return text.startswith((".", "?.")) and not text.startswith("..")


def _complete(lines: Sequence[str], last: int, chosen: set[int]) -> range:
    """Return the positions of the lines that close the parentheses of those chosen up to `last`, if near.

    So a condition or call of several lines is shown whole. Parentheses in strings count as well.
    """
    first = last
    while first - 1 in chosen:
        first -= 1
    depth = 0
    for at in range(first, min(last + 1 + MOST_COMPLETING, len(lines))):
        depth = max(0, depth + sum(map(lines[at].count, "([")) - sum(map(lines[at].count, ")]")))
        if at >= last and not depth:
            return range(last + 1, at + 1)
    return range(0)
