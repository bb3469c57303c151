"""Order hits by how well their declarations answer, and by the chunks that hold the words.

    chunks with their shares, declarations rated by the bundler
        -> one hit for each declaration worth showing, one for each chunk without any, best first

A chunk is found by the words in it. The rating tells which declaration of a file answers best, by its name,
its text and its callers. Code comes before documents and data unless the query asks for those, functions come
before the heads of classes, and deprecated declarations count for less. If the query asks about errors, code
that raises them comes first; if it asks how to add something, code that registers such things and base types.

No other module of this folder finds hits. The share of a hit is its score divided by the best score that a
file could reach with this query (`Ranking.bound`): a file whose every unit holds each word as strongly as the
strongest unit of the index, and whose name matches as well as the best name that was considered. A share is
therefore at most 1, orders hits as their scores do, and means the same for every query. `relevance_percent`
is 100 times its square root, which spreads the low end, where most hits lie.

With vectors (repo_mcp/semantic/), chunks are also found by meaning. Scores and their bound are then weighted
sums of both kinds, and a share relates a hit to the best that both could reach together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import Protocol

from repo_mcp.blocks.best_blocks import SIDE_FILE, RatedBlock, find_declared
from repo_mcp.blocks.block_factors import NOT_RUN, RUN, weigh_extension, weigh_failures, weigh_work
from repo_mcp.blocks.layouts import FindRecord
from repo_mcp.code_search.namesakes import DECIMALS, ChunkHit, discount_overloads, put_named_first
from repo_mcp.ranking.files.ranking import choose_unknown, rank
from repo_mcp.ranking.page.declaration_rating import is_inner_test
from repo_mcp.ranking.query.intent import Intent, understand
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.ranking.scoring.searcher import Ranking, Searcher
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.guessed_names import list_own_names, split_guesses
from repo_mcp.text.idioms import find_idioms, leave_out_light_words
from repo_mcp.text.question_words import (
    asks_to_extend,
    find_action,
    find_described_action,
    is_named_after,
    list_words,
    names_action,
    shares_word,
)
from repo_mcp.text.roles import FileRole, find_role, is_side_file, is_translation
from repo_mcp.text.stop_words import FUNCTION_WORDS
from repo_mcp.text.word_families import list_synonyms

DEPTH = 50  # chunks that are ordered
MAX_RATED = 60  # declarations
LEAST_SHARE = 0.15  # of the best declaration's worth: one that is worth less is no hit of its own
# Weight of a chunk's share compared with a declaration's worth: for questions, for questions on how to add
# something, and for terms alone.
WORDS, OF_ADDED, OF_TERMS = 0.1, 0.25, 0.5
BESIDE, FAR = 0.3, 0.15  # how much of that counts outside the chunk's best unit, and outside the chunk
OTHER_ROLE, DEPRECATED = 0.35, 0.4  # factors of a hit's worth
TRANSLATION = 0.3  # factor of a text in a language other than English, beside that of its role
# More factors: for the head of a class, for a base of other declarations, and for a name that has the action
# of a question on how to add something, or of any other one, or that a question compares with another.
HEAD, DERIVED_FROM, NAMED, DEED = 0.6, 1.8, 2.5, 1.5
# For questions: power of the words in a declaration's name, and of the share of its words that are near each
# other. Chosen on 344 questions, of which six more have a right first hit, and none fewer.
NAME_WORDS, NEARNESS, NEAR_LINES = 0.1, 0.3, 18
# For each guessed name that a declaration has beside another one; shorter names are parts of others.
GUESSED, MIN_GUESS_CHARS = 1.6, 4
HEAD_LINES = 3  # of a class in which its bases are named
DOC_LINES = 8  # below a head that are searched for a mark of deprecation
INNER_TEST = 0.5  # factor for a test in a file of the program, unless tests are asked for
_DEPRECATED = re.compile(
    r"@deprecated\b|\[Obsolete\b|#\[deprecated\b|\bDeprecated:|\.\. deprecated::", re.IGNORECASE
)
_ABOUT_FAILURES = re.compile(
    r"\b(?:errors?|exceptions?|raises?|raised|throws?|thrown|fails?|failing|panics?|reject(?:s|ed)?)\b",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\b(difference between)\b|\bdiffers? from\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_TYPE_NAME, _HEAD_END = re.compile(r"\b[A-Z]\w+"), re.compile(r"\{|:[ \t]*(?:\n|$)")


@dataclass(frozen=True, slots=True)
class OrderedHits:
    """Hits, best first, and the lines that hold the query's terms."""

    hits: tuple[ChunkHit, ...]
    terms: Mapping[str, Mapping[int, tuple[str, ...]]]  # in rated files, by path and line
    weights: Mapping[str, float]  # of the terms


def order_hits(
    query: str,
    found: FoundChunks,
    rated: Sequence[RatedBlock],
    weights: Mapping[str, float],
    find_record: FindRecord,
    *,
    holds_phrase: bool,
) -> OrderedHits:
    """Return hits for the first DEPTH chunks in order, then the other chunks. Their shares never rise.

    `find_record` returns the symbol record of a file, or None. With `holds_phrase` each chunk holds a phrase,
    which a declaration that begins elsewhere may lack.
    """
    intent = understand(query)
    top = max(found.shares, default=0.0) or 1.0
    asks = _asks(query)
    words = (OF_ADDED if asks_to_extend(query) else WORDS) if asks else OF_TERMS
    weighed = _weigh(query, rated, weights, find_record, asks=asks)
    best = max((one.worth for one in weighed), default=0.0) or 1.0
    chunks = found.chunks[:DEPTH]
    shown = [one.rated for one in weighed if one.rated.block.span and one.worth >= LEAST_SHARE * best]
    homes = _find_homes(chunks, shown, holds_phrase=holds_phrase)
    factors = {id(one.rated): one for one in weighed}
    judged: list[tuple[float, int, ChunkHit]] = []
    for at, (chunk, share) in enumerate(zip(chunks, found.shares, strict=False)):
        role = _weigh_role(chunk.path, intent)
        own = words * share / top
        for block in homes[at]:
            one = factors[id(block)]
            worth = one.worth / best + own * _weigh_distance(chunk, block) * (one.factor if asks else 1.0)
            span = (block.block.start_line, block.block.end_line)
            hit = ChunkHit(replace(chunk), share, span, block.block.span)
            judged.append((round(worth * role, DECIMALS), at, hit))
        if not homes[at]:
            role *= SIDE_FILE if is_side_file(chunk.path) else 1.0
            judged.append((round(own * role, DECIMALS), at, ChunkHit(chunk, share, None)))
    judged.sort(key=lambda one: (-one[0], one[1]))
    ordered = [(worth, hit) for worth, _, hit in judged]
    terms = {one.path: one.view.line_terms for one in rated}
    if asks:
        ordered = put_named_first(discount_overloads(ordered), list_asked(query), terms)
    return OrderedHits(_give_shares(ordered, found, top), terms, weights)


def _weigh_role(path: str, intent: Intent) -> float:
    """Return the factor of a file by its role, and by its language for people."""
    role = 1.0 if find_role(path) in {FileRole.CODE, *intent.roles} else OTHER_ROLE
    return role * TRANSLATION if is_translation(path) and not intent.is_about_locales else role


def _give_shares(
    judged: Sequence[tuple[float, ChunkHit]], found: FoundChunks, top: float
) -> tuple[ChunkHit, ...]:
    """Return the judged hits with shares by their worth, `top` for the first, then the chunks below DEPTH."""
    most = judged[0][0] if judged and judged[0][0] else 1.0
    hits = [replace(hit, share=top * worth / most) for worth, hit in judged]
    least = hits[-1].share if hits else 1.0
    rest = zip(found.chunks[DEPTH:], found.shares[DEPTH:], strict=True)
    return (*hits, *(ChunkHit(chunk, min(share, least), None) for chunk, share in rest))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A declaration with its worth for a query, and the factor for its kind that the worth includes."""

    rated: RatedBlock
    worth: float
    factor: float


def _asks(query: str) -> bool:
    """Return True for a question or a sentence, False for terms alone."""
    return any(word.lower() in FUNCTION_WORDS for word in _WORD.findall(query))


def _weigh(
    query: str,
    rated: Sequence[RatedBlock],
    weights: Mapping[str, float],
    find_record: FindRecord,
    *,
    asks: bool,
) -> list[_Weighed]:
    """Return the declarations with their worth for a query, the best first."""
    fails = _ABOUT_FAILURES.search(leave_out_light_words(query)) is not None
    extends = asks_to_extend(query)
    bases = list_bases(rated) if extends else None
    named = list_named(query, rated, extends=extends)
    words = set(_WORD.findall(query))
    of_test = 1.0 if FileRole.TEST in understand(query).roles else INNER_TEST
    asked = list_asked(query)
    guesses = list_own_names(split_guesses(query)[1])
    weighed = []
    for one in rated:
        span = one.block.span
        factor = DEPRECATED if _is_deprecated(one) else 1.0
        if bases is not None:
            factor *= DERIVED_FROM if span is not None and span.name in bases else weigh_extension(one)
        else:
            factor *= weigh_work(one) * (_weigh_kind(one, find_record, words) if asks else 1.0)
        if span is not None:
            factor *= (NAMED if extends else DEED) if span.name in named else 1.0
        if asks:
            named_words = shares_word(span.name, asked) if span is not None else 0
            factor *= (1.0 + named_words) ** NAME_WORDS * rate_nearness(one, weights) ** NEARNESS
        if len(guesses) > 1:
            factor *= GUESSED ** max(0, count_guessed(one, guesses) - 1)
        if fails:
            factor *= weigh_failures(one)
        if span is not None and is_inner_test(span.qualified_name):
            factor *= of_test
        weighed.append(_Weighed(one, one.worth * factor, factor))
    return sorted(weighed, key=lambda one: -one.worth)  # stable


def list_asked(query: str) -> list[str]:
    """Return the words of a question, and those that programs use for its idioms, each once."""
    return [*dict.fromkeys((*list_words(query), *chain.from_iterable(find_idioms(query).values())))]


def count_guessed(one: RatedBlock, guesses: Sequence[str]) -> int:
    """Return how many of the guessed names the code of a block has, as words or within others.

    One that has several is where they meet, which a single name is too common to tell. `isLateParcel` has
    LateParcel, too.
    """
    comments, lines = one.view.layout.comment_lines, one.view.live.lines
    numbers = range(one.block.start_line, one.block.end_line + 1)
    code = "\n".join(lines[at - 1] for at in numbers if at not in comments).lower()
    return sum(guess.lower() in code for guess in guesses if len(guess) >= MIN_GUESS_CHARS)


def rate_nearness(one: RatedBlock, weights: Mapping[str, float]) -> float:
    """Return the share of a block's words, by weight, in those NEAR_LINES successive lines that hold most."""
    lines = sorted(one.term_lines.items())
    every = sum(weights.get(term, 0.0) for term in sorted({term for _, own in lines for term in own}))
    most = 0.0
    for at, (first, _) in enumerate(lines):
        own_lines = lines[at : at + NEAR_LINES]
        near = {term for line, own in own_lines if line < first + NEAR_LINES for term in own}
        most = max(most, sum(weights.get(term, 0.0) for term in sorted(near)))
    return most / every if every else 1.0


def _weigh_kind(one: RatedBlock, find_record: FindRecord, words: Set[str]) -> float:
    """Return the factor for a declaration's kind.

    It is below 1 for the head of a type that the query does not name, and for a declaration that does nothing
    by itself.
    """
    span = one.block.span
    if span is not None and span is one.block.owner:
        return 1.0 if span.name in words and not span.name.islower() else HEAD
    record = find_record(one.path)
    if record is None:
        return 1.0
    ordinal = find_declared(one, record)
    return 1.0 if ordinal and record.get_kind(ordinal) in RUN else NOT_RUN


def list_named(query: str, rated: Sequence[RatedBlock], *, extends: bool) -> set[str]:
    """Return those names of declarations that have the action of a question, or that it asks to compare.

    `validate_password` has that of "how is a password checked". Return none for any other question.
    """
    names = {one.block.span.name for one in rated if one.block.span is not None}
    if asked := _DIFFERENCE.search(query):
        return names.intersection(_WORD.findall(query[asked.end() :] if asked[1] else query))
    action = find_action(query) if extends else find_described_action(query)
    if action is None:
        return set()
    if extends:
        return {name for name in names if is_named_after(name, action)}
    meant = [action, *(replace(action, verb=verb) for verb in list_synonyms(action.verb))]
    return {name for name in names if any(names_action(name, one) for one in meant)}


def list_bases(rated: Sequence[RatedBlock]) -> set[str]:
    """Return the capitalised names that follow the names of the declarations, such as their base types."""
    names: set[str] = set()
    for one in rated:
        span = one.block.span
        if span is not None:
            lines = one.view.live.lines[span.name_line - 1 : span.name_line - 1 + HEAD_LINES]
            behind = "\n".join(lines).partition(span.name)[2]
            names.update(_TYPE_NAME.findall(_HEAD_END.split(behind)[0]))
    return names


def _find_homes(
    chunks: Sequence[RankedChunk], rated: Sequence[RatedBlock], *, holds_phrase: bool
) -> list[list[RatedBlock]]:
    """Return the declarations for which each chunk is shown: those that begin in it.

    The first chunk of a file also gets declarations that begin in none of its chunks, unless each chunk holds
    a phrase.
    """
    own: dict[str, list[int]] = {}
    for at, chunk in enumerate(chunks):
        own.setdefault(chunk.path, []).append(at)
    homes: list[list[RatedBlock]] = [[] for _ in chunks]
    for one in rated:
        places = own.get(one.path)
        if places:
            inside = next((at for at in places if _begins_in(one, chunks[at])), None)
            if inside is not None or not holds_phrase:
                homes[places[0] if inside is None else inside].append(one)
    return homes


def _begins_in(one: RatedBlock, chunk: RankedChunk) -> bool:
    return chunk.chunk.start_line <= one.block.start_line <= chunk.chunk.end_line


def _weigh_distance(chunk: RankedChunk, one: RatedBlock) -> float:
    """Return how much of a chunk's share counts for a declaration: less if it is not in the best unit."""
    if one.block.start_line <= chunk.unit_end and chunk.unit_start <= one.block.end_line:
        return 1.0
    return BESIDE if _begins_in(one, chunk) else FAR


def _is_deprecated(one: RatedBlock) -> bool:
    head = one.block.start_line if one.block.span is None else one.block.span.head_line
    last = min(one.block.end_line, head + DOC_LINES)
    lines = one.view.live.lines[one.block.start_line - 1 : last]
    return any(map(_DEPRECATED.search, lines))


@dataclass(frozen=True, slots=True)
class FoundChunks:
    """Chunks, best first."""

    chunks: tuple[RankedChunk, ...]
    shares: tuple[float, ...]  # of the chunks, 0 to 1
    total: int  # chunks that match
    unknown: tuple[str, ...]  # words of the query that occur nowhere, for which similar ones may be suggested


class Meaning(Protocol):
    """A ranking by meaning that complements words."""

    def rank(
        self, searcher: Searcher, query: Query, weight: float, top_k: int, wanted: Filter | None = None
    ) -> Ranking:
        """Rank like `ranking.rank`, with a bound; `weight` is the part of meaning in a score, 0 to 1."""
        ...

    def warn(self) -> list[str]:
        """Return warnings for the answer, such as that some files have no vectors yet."""
        ...


def find_chunks(
    searcher: Searcher,
    query: Query,
    wanted: Filter,
    most: int,
    meaning: Meaning | None = None,
    weight: float = 0.0,
) -> FoundChunks:
    """Return the best `most` chunks of the wanted files. Raises IndexFormatError for a damaged index."""
    if meaning is None or not weight:
        ranking = rank(searcher, query, most, wanted, bounded=True)
    else:
        ranking = meaning.rank(searcher, query, weight, most, wanted)
    shares = tuple(min(1.0, chunk.score / ranking.bound) for chunk in ranking.chunks)
    return FoundChunks(ranking.chunks, shares, ranking.total, tuple(choose_unknown(query, ranking)))
