"""The strategy `hybrid`: cut the files that a search finds into blocks, and rate these by the prompt's words.

    prompt -> evidence -> opened files, blocks and their worth -> names followed -> budget spent -> selections

Each step is a function of the result of the step before. No model is asked.

The budget is spent block by block: first on what the prompt names, then each time on the one with the most
worth for its lines, while lines are left. Each further block of a file counts less, so that no file fills the
bundle. A block that does not fit is skipped for one that does, except for the best of all and what the prompt
names: their heads and deciding lines are shown. If no file has most words of the prompt, and the prompt names
no file, at most FEW_LINES are spent.

A reader can verify every reason given for an excerpt: a term is named by a word of the excerpt, a symbol is
declared in its lines or encloses them, and a step is named by the block where it began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice

from repo_mcp.bundler.blocks import Block
from repo_mcp.bundler.build import Choice
from repo_mcp.bundler.companions import find_around, find_head, take_companions
from repo_mcp.bundler.evidence import SCORE_DECIMALS, Evidence, HintFinder, gather_evidence, is_called
from repo_mcp.bundler.following import follow_names
from repo_mcp.bundler.limits import FEW_LINES, FEW_SHOWN, NOTHING_FITS
from repo_mcp.bundler.opened_files import FileView, Opener, RatedFile, is_prototype
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer, build_selection, order_selections
from repo_mcp.bundler.records import (
    Budget,
    BundleAudit,
    BundleRequest,
    Dropped,
    FoundChunk,
    Keyword,
    Role,
    Selection,
)
from repo_mcp.bundler.source import BundleSource
from repo_mcp.bundler.spans import LayoutReader
from repo_mcp.bundler.weights import WEIGHTS, Weights
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.prompt import ClueKind, Mention
from repo_mcp.ranking.searcher import Ranking
from repo_mcp.ranking.word_search import describe_absent, lacks_most, look_up_words
from repo_mcp.record_classes import replace

MAX_COMPANION_FILES = 8  # files whose excerpts get imports and heads beside them
FIRST = 1e6  # added to the worth of what the prompt names, which no other block is worth
LEAST_PART_LINES = 20  # a part of a block is not shown if fewer lines are left
MAX_KEYWORDS, MAX_CHUNKS, MAX_DROPPED = 30, 10, 10  # listed in an audit
MAX_NAMED_TERMS = 6  # of one excerpt, in its rationale
MAX_NAMED_STEPS = 3  # of one excerpt, in its rationale
MAX_WORD_CHARS = 60  # longer words are not named


def find_no_hints(_prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return no names and no warnings: without an installed adapter, nothing adds names to a prompt."""
    return (), ()


class HybridStrategy:
    """Chooses declarations by the prompt's words, names and paths."""

    name = "hybrid"

    def __init__(self, read_layout: LayoutReader, find_hints: HintFinder = find_no_hints) -> None:
        """Take functions that find the declarations of a file and further symbols that a prompt names."""
        self._read_layout = read_layout
        self._find_hints = find_hints

    def choose(self, request: BundleRequest, budget: Budget, source: BundleSource) -> Choice:
        """Choose the excerpts for a request within its budget, with the audit of how they were found."""
        evidence = gather_evidence(request, source, self._find_hints, WEIGHTS)
        words = look_up_words(request.prompt, source.count_units)
        told = describe_absent(words, is_whole=source.is_whole)
        is_noise = source.is_whole and not evidence.mentions and lacks_most(request.prompt, words)
        if is_noise and budget.max_total_lines > FEW_LINES:
            budget = replace(budget, max_total_lines=FEW_LINES)
            told.append(FEW_SHOWN)
        packer = Packer(budget)
        opener = Opener(self._read_layout, evidence, WEIGHTS, source, packer)
        opened = opener.open_best(budget)
        opened += follow_names(opened, opener, source, WEIGHTS, request.include_tests)
        mark_named(opened, evidence.names)
        spend(opened, packer, WEIGHTS)
        shown = _order_shown(opened, packer)
        for file in shown[:MAX_COMPANION_FILES]:
            take_companions(packer, file.view.live, file.view.layout.spans)
        files = {one.candidate.path: one for one in shown}
        selections = tuple(
            describe(one, files[one.path], evidence)
            for one in order_selections(packer.selections, {path: at for at, path in enumerate(files)})
        )
        too_small = [NOTHING_FITS] if not selections and any(any(one.worth) for one in opened) else []
        return Choice(
            selections,
            packer.total(),
            build_audit(evidence, packer, selections),
            (*told, *too_small, *list_warnings(evidence, packer, shown)),
        )


def _order_shown(opened: Sequence[RatedFile], packer: Packer) -> list[RatedFile]:
    """Return the shown files, the one with the best excerpt first."""
    best: dict[str, float] = {}
    for one in packer.selections:
        best[one.path] = max(one.score, best.get(one.path, 0.0))
    shown = [one for one in opened if one.candidate.path in best]
    return sorted(shown, key=lambda one: -best[one.candidate.path])


def mark_named(opened: Sequence[RatedFile], names: Mapping[str, float]) -> None:
    """Mark the one declaration of each name that the prompt surely means, with its overloads."""
    for name in (name for name, sure in names.items() if sure >= 1.0):
        found = [
            (one, at, span.qualified_name)
            for one in opened
            for at, span in one.list_declaring(name)
            if not is_prototype(one.view, span)
        ]
        most = max((one.priority for one, *_ in found), default=0.0)
        found = [place for place in found if place[0].priority == most]
        if len({(one.candidate.path, qualified) for one, _, qualified in found}) == 1:
            for one, at, _ in found:
                one.named.add(at)


def spend(opened: Sequence[RatedFile], packer: Packer, weights: Weights) -> None:
    """Select blocks until the budget is used up, or no block is worth showing."""
    _BlockQueue(opened, packer, weights).spend()


class _BlockQueue:
    """The blocks that may still be selected, those with the most worth per line first."""

    def __init__(self, opened: Sequence[RatedFile], packer: Packer, weights: Weights) -> None:
        self._opened = opened
        self._packer = packer
        self._weights = weights
        self._dearest = max((max(one.worth, default=0.0) for one in opened), default=0.0)
        self._seen: set[tuple[int, int]] = set()  # positions of file and block: selected or skipped
        self._heap = [
            (-self._rate(one, position), at, position)
            for at, one in enumerate(opened)
            for position, worth in enumerate(one.worth)
            if worth > self._find_least(one)
        ]
        heapify(self._heap)

    def spend(self) -> None:
        while self._heap and self._packer.lines_left > 0:
            rated, at, position = heappop(self._heap)
            one = self._opened[at]
            now = -self._rate(one, position)
            if (at, position) in self._seen:
                continue
            if now > rated:  # lines of its file were selected since
                heappush(self._heap, (now, at, position))
                continue
            self._seen.add((at, position))
            if one.candidate.path not in self._packer.paths and self._packer.files_left < 1:
                self._packer.refuse_file(one.candidate.path, "max_files reached")
            elif self._select(one, position):
                for near in (position - 1, position + 1):  # which cost less now
                    if 0 <= near < len(one.blocks) and one.worth[near] > self._find_least(one):
                        heappush(self._heap, (-self._rate(one, near), at, near))

    def _find_least(self, one: RatedFile) -> float:
        """Return the worth that a block of a file must exceed; it is lower if nothing matches well."""
        weights = self._weights
        factor = 1.0 if one.priority == 1.0 else weights.other_least
        return min(factor * weights.least_worth, weights.least_share * self._dearest)

    def _rate(self, one: RatedFile, position: int) -> float:
        """Return the worth of a block per line, which is less if its file already has excerpts."""
        weights = self._weights
        lines = float(one.blocks[position].line_count)
        if not {position - 1, position + 1} & one.shown:
            lines += weights.base_lines
        worth: float = one.priority * one.worth[position] / lines**weights.lines
        return worth / (1.0 + one.lines / weights.repeat_lines) + FIRST * (position in one.named)

    def _select(self, one: RatedFile, position: int) -> bool:
        """Select a block, or parts of one that does not fit but is worth it. Return False if nothing was."""
        block, worth = one.blocks[position], one.worth[position]
        score = round(worth, SCORE_DECIMALS)
        chosen = [build_selection(one.view.live, block.start_line, block.end_line, Role.MATCH, score)]
        if not self._packer.has_room(chosen[0]):
            most = self._count_part_lines(one, position)
            if not most:
                return False
            parts = choose_parts(one.view, block, most)
            chosen = [build_selection(one.view.live, start, end, Role.MATCH, score) for start, end in parts]
        for selection in chosen:
            added = self._packer.add(selection)
            if added is not None:
                one.lines += len(added.lines)
                one.shown.add(position)
        return position in one.shown

    def _count_part_lines(self, one: RatedFile, position: int) -> int:
        """Return how many lines to show of a block that does not fit; 0 for none.

        The best block of all is always shown in part, and one that the prompt names if there is room. Any
        other is only if its worth is high and it is larger than the whole budget: otherwise whole blocks are
        worth more.
        """
        room, whole = self._packer.room, self._packer.budget.max_total_lines
        if len(self._seen) == 1:  # the best of all
            return max(1, room)
        if room < LEAST_PART_LINES:
            return 0
        if position in one.named:
            return room
        is_worth_it = one.worth[position] >= self._weights.part_share * self._dearest
        return min(room, whole // 2) if is_worth_it and one.blocks[position].line_count > whole else 0


def choose_parts(view: FileView, block: Block, most_lines: int) -> list[tuple[int, int]]:
    """Return at most `most_lines` lines of a block that does not fit, as spans in order.

    These are its head, then the lines with most of the prompt's terms, each with its neighbours.
    """
    start = block.start_line if block.span is None else max(block.start_line, block.span.head_line)
    head = find_head(view.live.lines, block.span)[1] if block.span is not None else start
    shown = set(range(start, min(head, start + most_lines - 1) + 1))
    numbers = [line for line in view.line_terms if start <= line <= block.end_line]
    comments = view.layout.comment_lines
    ordered = sorted(numbers, key=lambda line: (line in comments, -len(set(view.line_terms[line])), line))
    for line in ordered:
        around = set(range(max(start, line - 2), min(block.end_line, line + 2) + 1))
        if len(shown | around) <= most_lines:
            shown |= around
    return list(_join_lines(sorted(shown)))


def _join_lines(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of consecutive lines; `lines` ascend."""
    first = 0
    for position, line in enumerate(lines, 1):
        if position == len(lines) or lines[position] != line + 1:
            yield lines[first], line
            first = position


def describe(selection: Selection, file: RatedFile, evidence: Evidence) -> Selection:
    """Return the selection with its symbol, the prompt's words in it and the evidence for it."""
    start, end = selection.start_line, selection.end_line
    words = file.view.finder.find_first_words(selection.lines)
    terms = order_terms(words, evidence.term_weights)
    matched = tuple(name_words(terms, words))
    spans = file.view.layout.spans
    around = find_around(spans, start, end)
    declared = tuple(span for span in spans if start <= span.name_line <= end)
    named = [one for one in declared if any(is_called(one, name) for name in evidence.names)]
    symbol = named[0] if named else _find_main(declared, start, end) or around
    why = selection.evidence
    if selection.role is Role.MATCH:
        found_by = [*_list_steps(file, start, end)]
        if file.candidate.hit is not None:
            found_by.append(f"hit {file.candidate.hit} of repo.search")
        why = explain(
            file.candidate.mentions, named, around, evidence, selection.lines, start, matched, found_by
        )
    name = symbol.qualified_name if symbol is not None else None
    return replace(selection, symbol=name, evidence=why, matched_terms=matched)


def _list_steps(file: RatedFile, start: int, end: int) -> Iterator[str]:
    """Yield the steps that led to blocks within the lines, each once."""
    told = (text for at, text in sorted(file.told.items()) if start <= file.blocks[at].start_line <= end)
    return iter(dict.fromkeys(told))


def _find_main(declared: Sequence[SymbolSpan], start: int, end: int) -> SymbolSpan | None:
    """Return the declaration that covers at least half of the lines, or None."""
    shares = [(min(end, one.end_line) - max(start, one.start_line) + 1, one) for one in declared]
    largest, main = max(shares, key=lambda share: share[0], default=(0, None))
    return main if 2 * largest >= end - start + 1 else None


def build_audit(evidence: Evidence, packer: Packer, selections: Sequence[Selection]) -> BundleAudit:
    """Return the audit: what was understood, searched, considered and left out."""
    resolved = {one.clue for one in evidence.mentions}
    symbols = {clue.text for clue in evidence.clues if clue.kind is ClueKind.SYMBOL}
    keywords = [
        Keyword(clue.text, clue.kind)
        for clue in evidence.clues
        if (clue.kind is not ClueKind.PATH or clue in resolved)
        and (clue.kind is not ClueKind.WORD or clue.text not in symbols)
    ]
    told = {one.path for one in packer.dropped} | set(packer.paths)
    rest = [
        Dropped(one.path, None, None, "worth less per line than what was chosen")
        for one in evidence.candidates
        if one.path not in told
    ]
    dropped = [*packer.dropped, *rest]
    return BundleAudit(
        tuple(keywords[:MAX_KEYWORDS]),
        evidence.searches,
        tuple(islice(_iter_chunks(evidence.ranking, selections), MAX_CHUNKS)),
        len(evidence.candidates),
        tuple(dropped[:MAX_DROPPED]),
        len(dropped),
    )


def _iter_chunks(ranking: Ranking, selections: Sequence[Selection]) -> Iterator[FoundChunk]:
    """Yield the chunks among the hits that share lines with an excerpt, each once, by excerpt, then line."""
    spans = {(one.path, one.chunk.start_line): one for one in ranking.chunks}
    seen: set[tuple[str, int]] = set()
    for selection in selections:
        for key in sorted(key for key in spans.keys() - seen if key[0] == selection.path):
            chunk = spans[key].chunk
            if chunk.start_line <= selection.end_line and selection.start_line <= chunk.end_line:
                seen.add(key)
                yield FoundChunk(spans[key].chunk_id, selection.path, chunk.start_line, chunk.end_line)


def list_warnings(evidence: Evidence, packer: Packer, shown: Iterable[RatedFile]) -> tuple[str, ...]:
    """Return warnings about changed files and cut lines."""
    indexed = {chunk.path: chunk.fingerprint for chunk in evidence.ranking.chunks}
    live = {one.candidate.path: one.view.live.fingerprint for one in shown}
    changed = sum(indexed.get(path, fingerprint) != fingerprint for path, fingerprint in live.items())
    cut = sum(len(line) > MAX_LINE_CHARS for one in packer.selections for line in one.lines)
    warnings = [*evidence.warnings]
    if changed:
        warnings.append(f"{changed} of the files found changed after indexing: refresh the index.")
    if cut:
        lines = "1 line was" if cut == 1 else f"{cut} lines were"
        warnings.append(f"{lines} cut at {MAX_LINE_CHARS} characters.")
    return tuple(warnings)


def explain(
    mentions: Sequence[Mention],
    named: Sequence[SymbolSpan],
    around: SymbolSpan | None,
    evidence: Evidence,
    lines: Sequence[str],
    start_line: int,
    words: Sequence[str],
    found_by: Sequence[str],
) -> tuple[str, ...]:
    """Return the evidence for an excerpt, the strongest first; there is always some."""
    end_line = start_line + len(lines) - 1
    parts = [*_describe_mentions(mentions, start_line, end_line)]
    names = list(dict.fromkeys(span.name for span in named))
    if names:
        parts.append(f"declares {_join(names[:MAX_NAMED_TERMS])}, named in the prompt")
    elif around is not None and any(is_called(around, name) for name in evidence.names):
        parts.append(f"is in {around.qualified_name}, named in the prompt")
    phrases = (clue.text for clue in evidence.clues if clue.kind is ClueKind.PHRASE)
    held = [phrase for phrase in phrases if holds_phrase(lines, phrase)]
    parts += [f'contains the text "{phrase}"' for phrase in held[:2]]
    if words:
        parts.append(f"matches {_join(words[:MAX_NAMED_TERMS])}")
    parts += found_by[:MAX_NAMED_STEPS]
    return tuple(parts) or ("next to what matched",)


def _describe_mentions(mentions: Sequence[Mention], start_line: int, end_line: int) -> Iterable[str]:
    """Yield in words the first mention that names a line of the excerpt, or else the first of the file."""
    here = [one for one in mentions if one.clue.line is not None and start_line <= one.clue.line <= end_line]
    for mention in (here or mentions)[:1]:
        clue = mention.clue
        what = "a traceback frame" if clue.kind is ClueKind.FRAME else "the prompt"
        yield f"{what} names line {clue.line}" if here else f"{what} names this file"


def holds_phrase(lines: Sequence[str], phrase: str) -> bool:
    """Return True when the lines hold the phrase, ignoring case and white space."""
    return phrase.lower() in " ".join(" ".join(lines).lower().split())


def name_words(terms: Iterable[str], words: Mapping[str, str]) -> list[str]:
    """Return the words that yield the terms, in the order of the terms, without long ones.

    Of words that differ only in case, the first is returned.
    """
    named: dict[str, str] = {}
    for term in terms:
        named.setdefault(words[term].lower(), words[term])
    return [word for word in named.values() if len(word) <= MAX_WORD_CHARS]


def order_terms(present: Collection[str], term_weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the terms that are present, the heaviest first, equal ones in the order of `term_weights`."""
    kept = [term for term in term_weights if term in present]
    return tuple(sorted(kept, key=lambda term: -term_weights[term]))


def _join(texts: Sequence[str]) -> str:
    return ", ".join(texts)
