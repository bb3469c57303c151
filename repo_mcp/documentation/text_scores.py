"""Scores a section or comment by the words of a query that it holds. Pure.

    score = (text + heading + above) * coverage * share of the file

Each part is from 0 to 1: the worth of the query's words found there, so that a score means the same for every
query. Repetitions of a word in a text count ever less, and less in a long text. A heading counts by the words
of the query that it holds, and by how much of the heading they are. Coverage lowers the score of a section
that lacks words of the query. The file's rank for this query changes the score a little.

Left out on purpose: proximity of words, links between documents, dates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.documentation.query_words import QueryWord, QueryWords
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.record_classes import dataclass


@dataclass(frozen=True, slots=True)
class TextFacts:
    """The facts about a text that its score depends on."""

    counts: Mapping[str, int]  # term of the query -> number of lines that hold it
    chars: int  # characters of the text
    heading: str  # the heading; of a comment, the name it belongs to
    above: tuple[str, ...]  # headings above, and the words of the path
    share: float = 1.0  # share of the score that is kept
    rank: float = 0.0  # rank of the file for this query: 1 for the best


@dataclass(frozen=True, slots=True)
class Points:
    """The score of a text."""

    score: float
    matched: tuple[str, ...]  # the words that were found, as the query spells them


NOTHING = Points(0.0, ())


def score_text(facts: TextFacts, words: QueryWords) -> Points:
    """Return the score of a text; zero when its lines and heading hold no word of the query."""
    weights = words.weights
    frequencies = [_count(word, facts.counts, words) for word in words.words]
    in_heading = words.match_title(facts.heading)
    if not any(frequencies) and not any(in_heading):
        return NOTHING
    length = 0.5 + 0.5 * min(4.0, facts.chars / weights.usual_chars)
    above = _best(words, [words.match_title(name) for name in facts.above])
    # Sections do not repeat what the title of their document says.
    given = [tf or weights.given_tf * over for tf, over in zip(frequencies, above, strict=True)]
    text = words.add_up([tf / (tf + weights.half_tf * length) for tf in given])
    covered = words.add_up(
        [
            max(min(1.0, tf), own, 0.7 * over)
            for tf, own, over in zip(frequencies, in_heading, above, strict=True)
        ]
    )
    value = (
        weights.text * text
        + weights.heading * _weigh_heading(facts.heading, in_heading, above, words)
        + weights.above * words.add_up(above)
        + weights.file * facts.rank * covered
    )
    value *= (weights.coverage + (1.0 - weights.coverage) * covered) * facts.share
    found = (
        word.text for word, tf, own in zip(words.words, frequencies, in_heading, strict=True) if tf or own
    )
    return Points(round(value, DECIMALS), tuple(found))


def _count(word: QueryWord, counts: Mapping[str, int], words: QueryWords) -> float:
    """Return the term frequency of a word, with its other forms and parts counting less."""
    whole = counts.get(word.whole, 0) + words.weights.joined * sum(counts.get(one, 0) for one in word.joined)
    if not word.parts:
        return whole
    near = min(counts.get(part, 0) for part in word.parts)
    share = words.weights.parts if word.is_name else words.weights.stem
    return whole + share * max(0, near - whole)


def _weigh_heading(
    heading: str, matches: Sequence[float], above: Sequence[float], words: QueryWords
) -> float:
    """Return the worth of the words in a heading, less if it holds many others; 0 if it has none of them.

    Words that only headings above it hold count in part.
    """
    found = sum(
        max(1, len(word.parts)) for word, match in zip(words.words, matches, strict=True) if match > 0.0
    )
    if not found:
        return 0.0
    weights = words.weights
    filled = min(1.0, found / max(1, words.count_title_words(heading)))
    whole = [own or weights.given_heading * over for own, over in zip(matches, above, strict=True)]
    return words.add_up(whole) * (weights.heading_share + (1.0 - weights.heading_share) * filled)


def _best(words: QueryWords, matches: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return each word's best match in any of the titles whose matches are given."""
    return tuple(max((one[position] for one in matches), default=0.0) for position in range(len(words.words)))
