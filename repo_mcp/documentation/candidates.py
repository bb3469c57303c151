"""Find the sections and comments that a query may mean, each with its score.

The index gives the best files among the documents, and the units of code whose comments hold most of the
query. Those files are read and cut into sections and comments. The ones in units that the index found are
scored. How many are scored does not depend on the limit of the request, so a longer answer begins with the
shorter one.

Left out on purpose: how a text is scored (`text_scores.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

import numpy as np

from index_format import sort_distinct
from repo_mcp.arrays import I64, Mask
from repo_mcp.documentation.doc_comments import (
    DocComment,
    LiveDocument,
    LiveDocuments,
    find_doc_comments,
    overlaps,
)
from repo_mcp.documentation.documents import ScoreShares
from repo_mcp.documentation.query_words import QueryTermFinder, QueryWords, count_terms, rate_rarity
from repo_mcp.documentation.sections import Part, Section, cut_parts, find_sections
from repo_mcp.documentation.text_scores import Points, TextFacts, score_text
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.files.ranking import rank_files
from repo_mcp.ranking.files.ranking_weights import RankingWeights
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import BestUnits, Searcher
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.schema import BODY, DOC

RANKED_FILES = 150  # documents ranked by the index before shares are applied
POOL_FILES = 32  # documents read
POOL_UNITS = 48  # units of code whose comments are read
FIRST_UNITS = 2  # examined in a document that matches by its path alone
COMMENT_FIELDS = frozenset((DOC,))
# All candidates are documents here, so document kinds get equal weight; ScoreShares lowers scores instead.
# The weights of a closer look at files are 0, because sections are scored themselves.
FILE_WEIGHTS = RankingWeights(
    document=1.0, configuration=1.0, whole_name=0.4, variant=1.0, held_word=0.0, neighbour=0.0
)

_SOURCE_DIRECTORIES = frozenset(("src", "lib", "python"))
SECTION, DOC_COMMENT = "section", "doc_comment"


_PICTURES = ("![", "<img", "image::", "figure::", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", "mermaid")
_SOUNDS = ("<audio", "audio::", ".mp3", ".wav", ".ogg", ".flac", ".opus")
_FILMS = ("<video", "video::", ".mp4", ".webm", ".mov", ".gif", "youtube.com/", "youtu.be/")
_KINDS = (
    (
        _PICTURES,
        "screenshot screenshots image images picture pictures diagram diagrams figure illustration drawing",
    ),
    (_SOUNDS, "audio sound sounds recording recordings podcast"),
    (_FILMS, "video videos screencast film animation demo"),
)
_MARKS: Mapping[str, tuple[str, ...]] = {word: marks for marks, words in _KINDS for word in words.split()}


def find_media_marks(terms: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the terms that ask for media, each with the marks (lower case) of texts that refer to them."""
    return {term: _MARKS[term] for term in terms if term in _MARKS}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One section, part of a section, or comment."""

    document: LiveDocument
    kind: str
    names: tuple[str, ...]  # names of the breadcrumb, the heading last
    start_line: int  # first line of the part, or of the comment with its declaration
    end_line: int
    section_start: int  # first line of the whole section or comment
    section_end: int
    score: float  # 0 to 1
    matched: tuple[str, ...]  # words of the query that it holds
    shown_from: int = 1  # first line that may be shown; those above are metadata

    @property
    def key(self) -> tuple[float, bytes, int]:
        """Return the sort key of candidates: by score, ties by path, then line."""
        return -self.score, self.document.path.encode(), self.start_line


def build_rate(searcher: Searcher, query: Query, best: BestUnits) -> Callable[[str], float]:
    """Build the function that rates a term's rarity: half among the documents, half in the whole index."""
    known = dict(zip(query.terms, best.terms, strict=True))
    masks = [find_live_units(part, mask) for part, mask in zip(searcher.segments, best.masks, strict=True)]
    documents = sum(int(mask.sum()) for mask in masks)

    def rate(term: str) -> float:
        lists = known.get(term)
        if lists is None:
            return 1.0
        whole = rate_rarity(lists.frequency, searcher.snapshot.unit_count)
        if not documents:
            return whole
        found = searcher.documents.list_docs(term, BODY, lists)
        count = sum(int(np.count_nonzero(masks[part.position][docs])) for part, docs in found)
        return (whole + rate_rarity(count, documents)) / 2

    return rate


def find_live_units(part: SegmentSearch, files: Mask | None) -> Mask:
    """Return the mask of live units, one bool per unit of the segment, in the files that a filter admits."""
    live = part.segment.live_unit_mask
    return live if files is None else live & part.keep_files(files)


class CandidateFinder:
    """Finds the candidates of one query."""

    def __init__(self, searcher: Searcher, query: Query, words: QueryWords, shares: ScoreShares) -> None:
        self._searcher = searcher
        self._query = query
        self._words = words
        self._shares = shares
        self._finder = QueryTermFinder(words.terms)
        self._media_marks = find_media_marks(words.terms)

    def find_sections(self, best: BestUnits, documents: LiveDocuments) -> Iterator[Candidate]:
        """Yield the sections of the best documents."""
        ranked = [
            (-file.score * self._shares.find(file.path), file.path.encode(), file)
            for file in rank_files(self._searcher, self._query, best, RANKED_FILES, FILE_WEIGHTS)
        ]
        ranked.sort(key=lambda row: row[:2])
        for score, _, file in ranked[:POOL_FILES]:
            units = _find_units(file.part, file.file, best)
            document = documents.read(file.part, file.file, units)
            if document is not None:
                rank = score / ranked[0][0] if ranked[0][0] else 0.0
                yield from self._score_sections(document, rank)

    def _score_sections(self, document: LiveDocument, rank: float) -> Iterator[Candidate]:
        share = self._shares.find(document.path)
        sections: Sequence[Section] = find_sections(
            document.path, document.language, document.lines, document.fingerprint
        )
        if document.language == "html" and len(sections) > 1:
            # Before its first heading, a page mostly has navigation.
            sections = [one for one in sections if one.is_headed]
        for section, headings in _pair_headings(sections, document.lines):
            for part in cut_parts(section, document.lines):
                if overlaps(document.wanted, part.start_line, part.end_line):
                    yield from self._score_part(document, part, headings, share, rank)

    def _score_part(
        self, document: LiveDocument, part: Part, headings: Sequence[str], share: float, rank: float
    ) -> Iterator[Candidate]:
        section = part.section
        lines = document.lines[part.start_line - 1 : part.end_line]
        facts = TextFacts(
            self._count_terms(lines),
            sum(map(len, lines)),
            "",
            (*section.above, _name_path(document.path)),
            share,
            rank,
        )
        points = _choose(score_text(replace(facts, heading=one), self._words) for one in headings)
        if points.score > 0.0:
            yield Candidate(
                document,
                SECTION,
                section.names,
                part.start_line,
                part.end_line,
                section.start_line,
                section.end_line,
                points.score,
                points.matched,
                1 if section.is_headed else section.body_line,
            )

    def _count_terms(self, lines: Sequence[str]) -> Mapping[str, int]:
        counts = count_terms(self._finder.find(lines), self._words.terms)
        if not self._media_marks:
            return counts
        text = "\n".join(lines).lower()
        shown = {term for term, marks in self._media_marks.items() if any(mark in text for mark in marks)}
        return {term: count + (term in shown) for term, count in counts.items()}

    def find_comments(
        self, wanted: Filter, documents: LiveDocuments, extensions: Mapping[str, str]
    ) -> Iterator[Candidate]:
        """Yield the comments of declarations in code."""
        best = self._searcher.find_best_units(self._query, POOL_UNITS, wanted, COMMENT_FIELDS)
        for part, file, units in self._iter_files(best):
            document = documents.read(part, file, units)
            if document is not None:
                yield from self._score_comments(document, extensions)

    def _iter_files(self, best: BestUnits) -> Iterator[tuple[SegmentSearch, int, I64]]:
        """Yield files with their best units, ordered by the best unit of each, ties by path."""
        rows = []
        for part, found in zip(self._searcher.segments, best.segments, strict=True):
            files = part.find_files(found.units)
            for file in sort_distinct(files).tolist():
                own = files == file
                path = self._searcher.read_path(part.position, file).encode()
                rows.append((-float(found.scores[own].max()), path, part, file, found.units[own]))
        for _, _, part, file, units in sorted(rows, key=lambda row: row[:2]):
            yield part, file, units

    def _score_comments(self, document: LiveDocument, extensions: Mapping[str, str]) -> Iterator[Candidate]:
        share = self._shares.find(document.path, is_code=True)
        weights = self._words.weights
        language = find_language(document.path, extensions)
        module = name_module(document.path, document.language)
        for one in find_doc_comments(language, document.data, document.lines, document.wanted):
            lines = document.lines[one.start_line - 1 : one.end_line]
            kept = share * self._weigh_comment(one)
            if share > weights.test and self._shares.is_test(one.name, one.within):
                kept *= weights.test
            facts = TextFacts(
                self._count_terms(lines),
                sum(map(len, lines)),
                one.name or module,
                (*one.within, _name_path(document.path)),
                kept,
            )
            points = score_text(facts, self._words)
            if points.score > 0.0:
                yield _build_comment(document, one, module, points)

    def _weigh_comment(self, one: DocComment) -> float:
        """Return the weight of a comment: 1 if it belongs to a name that the query spells out, else less."""
        if one.is_inner:
            return self._words.weights.inner_comment
        spelled = any(word.is_name and word.text == one.name for word in self._words.words)
        return 1.0 if spelled else self._words.weights.comment


def _build_comment(document: LiveDocument, one: DocComment, module: str, points: Points) -> Candidate:
    names = (module, *one.within, *([one.name] if one.name else ()))
    return Candidate(
        document,
        DOC_COMMENT,
        names,
        one.shown_from,
        one.shown_to,
        one.start_line,
        one.end_line,
        points.score,
        points.matched,
    )


def name_module(path: str, language: str) -> str:
    """Return the name of a file in code: in Python the dotted module name, otherwise the path."""
    if language != "python":
        return path
    parts = path.rpartition(".")[0].split("/")
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    named = list(takewhile(str.isidentifier, reversed(parts)))[::-1]
    while len(named) > 1 and named[0] in _SOURCE_DIRECTORIES:
        named.pop(0)
    return ".".join(named) or path


def _name_path(path: str) -> str:
    """Return the words of a path without its extension."""
    directory, _, name = path.rpartition("/")
    return f"{directory} {name.partition('.')[0]}".replace("/", " ").replace("-", " ")


def _pair_headings(
    sections: Sequence[Section], lines: Sequence[str]
) -> Iterator[tuple[Section, tuple[str, ...]]]:
    """Yield each section to rank with its headings.

    A section without text lends its heading to the next section if that lies under it. Otherwise it is ranked
    by its heading alone.
    """
    empty: Section | None = None
    for section in sections:
        covers = empty is not None and section.names[: len(empty.names)] == empty.names
        if empty is not None and not covers and empty.is_headed:
            yield empty, (empty.heading,)
        if _has_text(section, lines):
            yield section, (section.heading, *((empty.heading,) if empty is not None and covers else ()))
            empty = None
        else:
            empty = section
    if empty is not None and empty.is_headed:
        yield empty, (empty.heading,)


def _has_text(section: Section, lines: Sequence[str]) -> bool:
    """Return False for a heading alone, and for a preamble that holds only directives."""
    own = lines[section.body_line - 1 : section.end_line]
    if section.start_line > 1 or section.body_line > 1:
        return any(line.strip() for line in own)
    return any(line.strip() and not line.startswith((".. ", ":", " ", "\t", "<!--")) for line in own)


def _choose(points: Iterator[Points]) -> Points:
    """Return the first of the highest scores."""
    return max(points, key=lambda one: one.score)


def _find_units(part: SegmentSearch, file: int, best: BestUnits) -> I64:
    """Return the units (int64) of a file that the index found, or its first ones when it found none."""
    first, end = int(part.first_units[file]), int(part.first_units[file + 1])
    found = best.segments[part.position].units
    own = found[slice(*np.searchsorted(found, (first, end)))]
    return own if len(own) else np.arange(first, min(end, first + FIRST_UNITS))


def order_candidates(candidates: Sequence[Candidate], repeat: float) -> list[Candidate]:
    """Return the best part of each section, by score, ties by path, then line.

    The score of each further section of a file is multiplied by `repeat` once more.
    """
    taken: set[tuple[str, int]] = set()
    counts: dict[str, int] = {}
    kept = []
    for one in sorted(candidates, key=lambda one: one.key):
        path = one.document.path
        if (path, one.section_start) in taken:
            continue
        taken.add((path, one.section_start))
        position = counts[path] = counts.get(path, -1) + 1
        kept.append(replace(one, score=round(one.score * repeat**position, DECIMALS)))
    return sorted(kept, key=lambda one: one.key)
