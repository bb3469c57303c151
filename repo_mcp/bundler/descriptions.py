"""Describe what was selected: the symbol, words and rationale of each excerpt, and the whole audit.

A reader can verify everything that is said: a term is named by a word of the excerpt that holds it, a symbol
when it is declared in the lines or encloses them, a step by the block that it began at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from repo_mcp.bundler.companions import find_around
from repo_mcp.bundler.evidence import Evidence, is_called
from repo_mcp.bundler.opened_files import OpenedFile
from repo_mcp.bundler.packing import MAX_LINE_CHARS, Packer
from repo_mcp.bundler.records import BundleAudit, Dropped, FoundChunk, Keyword, Role, Selection
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.prompt import ClueKind, Mention
from repo_mcp.ranking.searcher import Ranking
from repo_mcp.text.analysis import get_word_terms

MAX_KEYWORDS, MAX_CHUNKS, MAX_DROPPED = 30, 10, 10  # listed in an audit
MAX_NAMED_TERMS = 6
MAX_NAMED_STEPS = 3
MAX_WORD_CHARS = 60
_WORD = re.compile(r"\w+")


def describe(selection: Selection, file: OpenedFile, evidence: Evidence) -> Selection:
    """Return the selection with its symbol, its words of the prompt and its rationale."""
    start, end = selection.start_line, selection.end_line
    words = index_words(selection.lines)
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


def _list_steps(file: OpenedFile, start: int, end: int) -> Iterator[str]:
    """Yield the steps that led to blocks within the lines, each once."""
    told = (text for at, text in sorted(file.told.items()) if start <= file.blocks[at].start_line <= end)
    return iter(dict.fromkeys(told))


def _find_main(declared: Sequence[SymbolSpan], start: int, end: int) -> SymbolSpan | None:
    """Return the declaration that covers at least half of the lines, or None."""
    shares = [(min(end, one.end_line) - max(start, one.start_line) + 1, one) for one in declared]
    largest, main = max(shares, key=lambda share: share[0], default=(0, None))
    return main if 2 * largest >= end - start + 1 else None


def build_audit(evidence: Evidence, packer: Packer, selections: Sequence[Selection]) -> BundleAudit:
    """Return what was understood, searched, considered and left out."""
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
        Dropped(one.path, None, None, "less worth its lines than what was chosen")
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


def list_warnings(evidence: Evidence, packer: Packer, shown: Iterable[OpenedFile]) -> tuple[str, ...]:
    """Return warnings about changed files and cut lines."""
    indexed = {chunk.path: chunk.fingerprint for chunk in evidence.ranking.chunks}
    live = {one.candidate.path: one.view.live.fingerprint for one in shown}
    changed = sum(indexed.get(path, fingerprint) != fingerprint for path, fingerprint in live.items())
    cut = sum(len(line) > MAX_LINE_CHARS for one in packer.selections for line in one.lines)
    warnings = [*evidence.warnings]
    if changed:
        warnings.append(f"Of the files found, {changed} changed after indexing: refresh the index.")
    if cut:
        warnings.append(f"{cut} lines were cut at {MAX_LINE_CHARS} characters.")
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
    """Return the evidence, the strongest first; at least one part of it."""
    end_line = start_line + len(lines) - 1
    parts = [*_tell_mentions(mentions, start_line, end_line)]
    names = list(dict.fromkeys(span.name for span in named))
    if names:
        parts.append(f"declares {_join(names[:MAX_NAMED_TERMS])}, named in the prompt")
    elif around is not None and any(is_called(around, name) for name in evidence.names):
        parts.append(f"lies in {around.qualified_name}, named in the prompt")
    phrases = (clue.text for clue in evidence.clues if clue.kind is ClueKind.PHRASE)
    held = [phrase for phrase in phrases if holds_phrase(lines, phrase)]
    parts += [f'contains the text "{phrase}"' for phrase in held[:2]]
    if words:
        parts.append(f"matches {_join(words[:MAX_NAMED_TERMS])}")
    parts += found_by[:MAX_NAMED_STEPS]
    return tuple(parts) or ("next to what matched",)


def _tell_mentions(mentions: Sequence[Mention], start_line: int, end_line: int) -> Iterable[str]:
    """Return what the prompt says of the file; of several frames or paths, the first that points here."""
    here = [one for one in mentions if one.clue.line is not None and start_line <= one.clue.line <= end_line]
    for mention in (here or mentions)[:1]:
        clue = mention.clue
        what = "a traceback frame" if clue.kind is ClueKind.FRAME else "the prompt"
        yield f"{what} names line {clue.line}" if here else f"{what} names this file"


def holds_phrase(lines: Sequence[str], phrase: str) -> bool:
    """Return True when the lines hold the phrase, ignoring case and white space."""
    return phrase.lower() in " ".join(" ".join(lines).lower().split())


def index_words(lines: Iterable[str]) -> dict[str, str]:
    """Return the terms that the lines hold, each with the first word that gives it."""
    first: dict[str, str] = {}
    for line in lines:
        for word in _WORD.findall(line):
            for term in get_word_terms(word):
                first.setdefault(term, word)
    return first


def name_words(terms: Iterable[str], words: Mapping[str, str]) -> list[str]:
    """Return the words that give the terms, in the order of the terms, each once in any case, none long."""
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
