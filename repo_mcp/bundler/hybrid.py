"""The strategy `hybrid`: fused searches, declarations as excerpts, no model.

    prompt -> clues -> mentions, term weights -> searches -> candidates -> windows -> selections

Each step is a function of the result of the step before. This module only joins them and spends the budget:
first on one window in each of the best files, then on further windows as good as the first, then on further
files, and last on the heads and imports of the selections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from repo_mcp.bundler.companions import find_head, find_imports
from repo_mcp.bundler.fusion import SCORE_DECIMALS, Candidate, fuse
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer, cut_line, order_selections, share_lines
from repo_mcp.bundler.rationale import explain, index_words, list_searches, name_words, order_terms
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
from repo_mcp.bundler.searches import SearchHits, find_joined, plan_searches, run_searches, weigh_terms
from repo_mcp.bundler.source import BundleSource
from repo_mcp.bundler.spans import SpanFinder
from repo_mcp.bundler.strategy import Choice
from repo_mcp.bundler.weights import WEIGHTS, Weights
from repo_mcp.bundler.windows import (
    NOTHING,
    Block,
    FileView,
    choose_window,
    find_around,
    iter_declared,
    value_blocks,
    view_file,
)
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.mentions import Mention, resolve_mentions
from repo_mcp.ranking.prompt import Clue, ClueKind, parse_prompt, split_symbol
from repo_mcp.ranking.rare_words import look_up_words, tell_of_absent
from repo_mcp.text.roles import is_test_path

LEAST_WINDOW_LINES = 5  # no smaller window is begun
MAX_FURTHER_WINDOWS = 3  # of one file, after its first
MAX_KEYWORDS, MAX_CHUNKS, MAX_DROPPED = 30, 10, 10  # listed in an audit
MAX_COMPANION_FILES = 8
MAX_NAMED_IMPORTS = 8


# prompt -> names that it seems to speak of, and warnings about adapters that failed
HintFinder = Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]


def find_no_hints(_prompt: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return no names: without an installed adapter nothing more is known of a prompt."""
    return (), ()


SELF_NAMES = frozenset(("self", "this", "cls", "super"))


def locate(clue: Clue, spans: Sequence[SymbolSpan]) -> list[int]:
    """Return the line that a clue names, or the line of its function's name if the function has moved."""
    line = clue.line
    if line is None:
        return []
    named = [span for span in spans if span.name == clue.name]
    if not named or any(span.start_line <= line <= span.end_line for span in named):
        return [line]
    return [min((span.name_line for span in named), key=lambda position: (abs(position - line), position))]


def locate_symbols(clues: Iterable[Clue], spans: Sequence[SymbolSpan]) -> list[int]:
    """Return the lines that declare the qualified names of the prompt: `Reader.read`, not every `read`."""
    wanted = [
        ".".join(parts) for clue in clues for parts in [split_symbol(clue.text)] if _is_qualified(clue, parts)
    ]
    return [
        span.name_line
        for span in spans
        if any(f".{span.qualified_name}".endswith(f".{name}") for name in wanted)
    ]


def _is_qualified(clue: Clue, parts: Sequence[str]) -> bool:
    return clue.kind is ClueKind.SYMBOL and len(parts) > 1 and parts[0] not in SELF_NAMES


@dataclass(slots=True)
class _OpenFile:
    """A candidate that was opened, and its blocks."""

    candidate: Candidate
    view: FileView
    blocks: list[Block]
    best: float  # value of its best block
    windows: int = 0


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence that is gathered before any file is opened."""

    clues: tuple[Clue, ...]
    mentions: tuple[Mention, ...]
    term_weights: Mapping[str, float]
    hits: tuple[SearchHits, ...]
    candidates: tuple[Candidate, ...]
    warnings: tuple[str, ...]  # about hints that are missing


class HybridStrategy:
    """Chooses excerpts by fused searches and the prompt's mentions."""

    name = "hybrid"

    def __init__(
        self, find_spans: SpanFinder, find_hints: HintFinder = find_no_hints, weights: Weights = WEIGHTS
    ) -> None:
        """`find_spans` returns the declarations of a file, `find_hints` more symbols that a prompt names."""
        self._find_spans = find_spans
        self._find_hints = find_hints
        self._weights = weights

    def choose(self, request: BundleRequest, budget: Budget, source: BundleSource) -> Choice:
        """Choose the excerpts for a request within its budget, with the audit of how they were found."""
        evidence = self._gather(request, source)
        packer = Packer(budget)
        opened = self._take_first_windows(evidence, packer, source)
        self._take_more_windows(evidence, packer, opened)
        self._take_more_files(evidence, packer, source, opened)
        self._take_companions(packer, opened)
        positions = {one.candidate.path: position for position, one in enumerate(opened)}
        views = {one.candidate.path: one.view for one in opened}
        selections = tuple(
            _describe(one, views[one.path], evidence)
            for one in order_selections(packer.selections, positions)
        )
        absent = tell_of_absent(look_up_words(request.prompt, source.count_units), is_whole=source.is_whole)
        return Choice(
            selections,
            packer.total(),
            _audit(evidence, packer, selections),
            (*absent, *_list_warnings(evidence, packer, views)),
        )

    def _gather(self, request: BundleRequest, source: BundleSource) -> _Evidence:
        """Understand the prompt and run its searches."""
        clues = parse_prompt(request.prompt)
        hints, warnings = self._find_hints(request.prompt)
        known = {clue.text for clue in clues if clue.kind is ClueKind.SYMBOL}
        clues += tuple(Clue(ClueKind.SYMBOL, name) for name in hints if name not in known)
        clues += find_joined(request.prompt, source.count_units)
        mentions = resolve_mentions(clues, source.find_paths)
        if not request.include_tests:
            mentions = tuple(one for one in mentions if not is_test_path(one.path))
        term_weights = weigh_terms(clues, source.count_units, source.unit_count, self._weights)
        planned = plan_searches(request.prompt, clues, term_weights, self._weights)
        hits = run_searches(planned, source, request.include_tests)
        ranked = source.rank_files(request.prompt, request.include_tests)
        candidates = fuse(ranked, hits, mentions, self._weights)
        return _Evidence(clues, mentions, term_weights, hits, candidates, warnings)

    def _take_first_windows(
        self, evidence: _Evidence, packer: Packer, source: BundleSource
    ) -> list[_OpenFile]:
        """Take one window in each of the best files. Lines that one leaves unused pass to the next."""
        wanted = self._list_wanted(evidence)
        shares = share_lines(len(wanted), packer.budget, self._weights.least_lines)
        opened: list[_OpenFile] = []
        carried = 0
        for candidate in wanted:
            if len(opened) >= len(shares):
                break
            file = self._open(candidate, evidence, packer, source, shares[len(opened)])
            if file is None:
                continue
            most = shares[len(opened)] + carried
            used = self._take_window(file, evidence, packer, most)
            if used:
                opened.append(file)
                carried = most - used
        return opened

    def _list_wanted(self, evidence: _Evidence) -> list[Candidate]:
        """Return the candidates whose score is close enough to the best one."""
        least = self._weights.file_share * max((one.found for one in evidence.candidates), default=0.0)
        return [one for one in evidence.candidates if one.score >= least and one.score > 0.0]

    def _open(
        self,
        candidate: Candidate,
        evidence: _Evidence,
        packer: Packer,
        source: BundleSource,
        share: int,
    ) -> _OpenFile | None:
        """Open the live text of a candidate as blocks; None, with the reason recorded, if unreadable."""
        try:
            live = source.read(candidate.path)
        except RepoError as error:
            packer.refuse_file(candidate.path, f"not readable now: {error.code}")
            return None
        spans = self._find_spans(candidate.path, live.data)
        lines = [line for one in candidate.mentions for line in locate(one.clue, spans)]
        lines += locate_symbols(evidence.clues, spans)
        view = view_file(live, spans, evidence.term_weights, lines)
        blocks = value_blocks(view, share, evidence.term_weights, self._weights)
        return _OpenFile(candidate, view, blocks, max((block.value for block in blocks), default=0.0))

    def _take_window(self, file: _OpenFile, evidence: _Evidence, packer: Packer, most_lines: int) -> int:
        """Select the best remaining window of a file. Return its number of lines, 0 when there is none."""
        path = file.candidate.path
        window = choose_window(
            file.view,
            file.blocks,
            packer.list_taken(path),
            min(most_lines, packer.lines_left),
            evidence.term_weights,
            self._weights.grow_share,
        )
        if window is None:
            if not file.windows:
                packer.refuse_file(path, "none of its lines has a term of the prompt")
            return 0
        share = 1.0 if window.is_named or not file.best else window.value / file.best
        score = round(file.candidate.score * share, SCORE_DECIMALS)
        added = packer.add(_build(file.view, window.start_line, window.end_line, Role.MATCH, score))
        file.windows += added is not None
        return len(added.lines) if added is not None else 0

    def _take_more_windows(self, evidence: _Evidence, packer: Packer, opened: Sequence[_OpenFile]) -> None:
        """Take further windows of the selected files, the best file first, while they are good enough."""
        for file in opened:
            for _ in range(MAX_FURTHER_WINDOWS):
                taken = packer.list_taken(file.candidate.path)
                best = max(
                    (block.worth for block in file.blocks if block.start_line not in taken), default=NOTHING
                )
                least = (False, self._weights.more_share * file.best)
                if packer.lines_left < LEAST_WINDOW_LINES or best < least:
                    break
                if not self._take_window(file, evidence, packer, packer.lines_left // 2):
                    break

    def _take_more_files(
        self, evidence: _Evidence, packer: Packer, source: BundleSource, opened: list[_OpenFile]
    ) -> None:
        """Take a window in further files while both limits allow it."""
        known = {one.candidate.path for one in opened} | {one.path for one in packer.dropped}
        for candidate in self._list_wanted(evidence):
            if candidate.path in known:
                continue
            if packer.lines_left < self._weights.least_lines or packer.files_left < 1:
                reason = "max_files reached" if packer.files_left < 1 else "budget used up"
                packer.refuse_file(candidate.path, reason)
                continue
            file = self._open(candidate, evidence, packer, source, packer.lines_left)
            if file is not None and self._take_window(file, evidence, packer, packer.lines_left // 2):
                opened.append(file)

    def _take_companions(self, packer: Packer, opened: Sequence[_OpenFile]) -> None:
        """Add the heads of declarations around excerpts, then imports of the names in them, if they fit."""
        for file in opened[:MAX_COMPANION_FILES]:
            path = file.candidate.path
            own = [one for one in packer.selections if one.path == path]
            for one in own:
                around = find_around(file.view.spans, one.start_line, one.end_line)
                if around is not None and around.name_line < one.start_line:
                    start, end = find_head(file.view.live.lines, around)
                    told = f"start of {around.qualified_name}, which encloses an excerpt"
                    _add_companion(file, packer, start, end, Role.SIGNATURE, told)
            imports = find_imports(file.view.live.lines, [one.lines for one in own])
            if imports is not None:
                told = f"imports {', '.join(imports[2][:MAX_NAMED_IMPORTS])}, used by excerpts of this file"
                _add_companion(file, packer, imports[0], imports[1], Role.IMPORTS, told)


def _add_companion(file: _OpenFile, packer: Packer, start: int, end: int, role: Role, why: str) -> None:
    """Select the lines if all are new and fit; a companion that does not fit is not reported."""
    taken = packer.list_taken(file.candidate.path)
    if end - start + 1 <= packer.lines_left and not any(line in taken for line in range(start, end + 1)):
        before = len(packer.dropped)
        packer.add(_build(file.view, start, end, role, 0.0, (why,)))
        del packer.dropped[before:]


def _build(
    view: FileView, start: int, end: int, role: Role, score: float, evidence: tuple[str, ...] = ()
) -> Selection:
    """Build a selection that is still to be described."""
    lines = tuple(map(cut_line, view.live.lines[start - 1 : end]))
    fingerprint = view.live.fingerprint.hex()
    return Selection(view.live.path, start, end, None, role, evidence, score, (), lines, fingerprint)


def _describe(selection: Selection, view: FileView, evidence: _Evidence) -> Selection:
    """Return the selection with its symbol, its terms and its rationale."""
    start, end = selection.start_line, selection.end_line
    words = index_words(selection.lines)
    terms = order_terms(words, evidence.term_weights)
    around = find_around(view.spans, start, end)
    declared = tuple(iter_declared(view.spans, start, end))
    wanted = {split_symbol(clue.text)[-1] for clue in evidence.clues if clue.kind is ClueKind.SYMBOL}
    named = next((one for one in declared if one.name in wanted), None)
    symbol = around or named or _find_main(declared, start, end)
    why = selection.evidence
    if selection.role is Role.MATCH:
        mentions = [one for one in evidence.mentions if one.path == selection.path]
        found_by = list_searches(evidence.hits, selection.path, start, end)
        named_words = name_words(terms, words)
        why = explain(
            mentions, declared, around, evidence.clues, selection.lines, start, named_words, found_by
        )
    name = symbol.qualified_name if symbol is not None else None
    return replace(selection, symbol=name, evidence=why, matched_terms=terms)


def _find_main(declared: Sequence[SymbolSpan], start: int, end: int) -> SymbolSpan | None:
    """Return the declaration that covers at least half of the lines, or None."""
    shares = [(min(end, one.end_line) - max(start, one.start_line) + 1, one) for one in declared]
    largest, main = max(shares, key=lambda share: share[0], default=(0, None))
    return main if 2 * largest >= end - start + 1 else None


def _audit(evidence: _Evidence, packer: Packer, selections: Sequence[Selection]) -> BundleAudit:
    """Return what was understood, searched, considered and left out."""
    resolved = {one.clue for one in evidence.mentions}
    symbols = {clue.text for clue in evidence.clues if clue.kind is ClueKind.SYMBOL}
    keywords = [
        Keyword(clue.text, clue.kind)
        for clue in evidence.clues
        if (clue.kind is not ClueKind.PATH or clue in resolved)
        and (clue.kind is not ClueKind.WORD or clue.text not in symbols)
    ]
    selected = set(packer.paths)
    seen = {one.path for one in packer.dropped} | selected
    rest = [
        Dropped(one.path, None, None, "scores too low compared with the best file")
        for one in evidence.candidates
        if one.path not in seen
    ]
    dropped = [*packer.dropped, *rest]
    return BundleAudit(
        tuple(keywords[:MAX_KEYWORDS]),
        tuple(one.describe() for one in evidence.hits),
        tuple(islice(_iter_chunks(evidence.hits, selections), MAX_CHUNKS)),
        len(evidence.candidates),
        tuple(dropped[:MAX_DROPPED]),
        len(dropped),
    )


def _iter_chunks(hits: Sequence[SearchHits], selections: Sequence[Selection]) -> Iterator[FoundChunk]:
    """Yield the chunks among the hits that share lines with an excerpt, each once, by excerpt, then line."""
    spans = {(one.path, one.chunk.start_line): one for found in hits for one in found.chunks}
    seen: set[tuple[str, int]] = set()
    for selection in selections:
        for key in sorted(key for key in spans.keys() - seen if key[0] == selection.path):
            chunk = spans[key].chunk
            if chunk.start_line <= selection.end_line and selection.start_line <= chunk.end_line:
                seen.add(key)
                yield FoundChunk(spans[key].chunk_id, selection.path, chunk.start_line, chunk.end_line)


def _list_warnings(evidence: _Evidence, packer: Packer, views: Mapping[str, FileView]) -> tuple[str, ...]:
    """Return warnings about changed files and cut lines."""
    indexed = {chunk.path: chunk.fingerprint for one in evidence.hits for chunk in one.chunks}
    live = {path: view.live.fingerprint for path, view in views.items()}
    changed = sum(indexed.get(path, fingerprint) != fingerprint for path, fingerprint in live.items())
    cut = sum(len(line) > MAX_LINE_CHARS for one in packer.selections for line in one.lines)
    warnings = [*evidence.warnings]
    if changed:
        warnings.append(f"{changed} of the files have changed since they were indexed: refresh the index.")
    if cut:
        warnings.append(f"{cut} lines were cut at {MAX_LINE_CHARS} characters.")
    return tuple(warnings)
