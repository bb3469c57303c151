"""Say why each excerpt of a bundle is shown.

A reader can verify every reason: a term is named by a word of the excerpt, a symbol is declared in its lines
or encloses them, and a step is named by the block where it began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.named_lines import is_frame
from repo_mcp.blocks.rated_files import RatedFile
from repo_mcp.bundler.records import Selection
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, has_name
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.record_classes import replace

MAX_NAMED_TERMS = 3  # of one excerpt, in its rationale
MAX_NAMED_STEPS = 3  # of one excerpt, in its rationale
MAX_NAMED_PHRASES = 2  # of one excerpt, in its rationale
MAX_WORD_CHARS = 60  # longer words are not named


def describe(selection: Selection, file: RatedFile, evidence: Evidence) -> Selection:
    """Return the selection with its symbol, the prompt's words in it and the evidence for it."""
    start, end = selection.start_line, selection.end_line
    words = file.view.finder.find_first_words(selection.lines)
    terms = order_terms(words, evidence.term_weights)
    spans = file.view.layout.spans
    around = find_around(spans, start, end)
    declared = tuple(span for span in spans if start <= span.name_line <= end)
    named = [one for one in declared if _is_named(one, evidence)]
    symbol = named[0] if named else _find_main(declared, start, end) or around
    name = symbol.qualified_name if symbol is not None else None
    selection = replace(selection, symbol=name, matched_terms=tuple(name_words(terms, words)))
    return replace(selection, evidence=_list_reasons(selection, file, evidence, named, around))


def find_around(spans: Sequence[SymbolSpan], start_line: int, end_line: int) -> SymbolSpan | None:
    """Return the smallest declaration that holds all the lines, or None."""
    around = [span for span in spans if span.start_line <= start_line and end_line <= span.end_line]
    return min(around, key=lambda span: (span.end_line - span.start_line, span.name_line), default=None)


def _is_named(span: SymbolSpan, evidence: Evidence) -> bool:
    """Return True for a declaration that the prompt names."""
    return any(has_name(span, name) for name in evidence.names)


def _list_origins(file: RatedFile, start: int, end: int) -> list[str]:
    """Return what led to the blocks that begin within the lines, each once."""
    origins = (
        text for at, text in sorted(file.origins.items()) if start <= file.blocks[at].start_line <= end
    )
    return list(dict.fromkeys(origins))


def _find_main(declared: Sequence[SymbolSpan], start: int, end: int) -> SymbolSpan | None:
    """Return the declaration that covers at least half of the lines, or None."""
    shares = [(min(end, one.end_line) - max(start, one.start_line) + 1, one) for one in declared]
    largest, main = max(shares, key=lambda share: share[0], default=(0, None))
    return main if 2 * largest >= end - start + 1 else None


def _list_reasons(
    selection: Selection,
    file: RatedFile,
    evidence: Evidence,
    named: Sequence[SymbolSpan],
    around: SymbolSpan | None,
) -> tuple[str, ...]:
    """Return the reasons for an excerpt, the strongest first; there is always one.

    `named` are the declarations in it that the prompt names, `around` is the smallest one that holds it.
    """
    start, end = selection.start_line, selection.end_line
    beside = (why for line, why in file.beside.items() if start <= line <= end)
    reasons = [*dict.fromkeys(beside), *_describe_mentions(file, start, end)]
    if _makes_message(file, start, end):
        reasons.insert(0, "makes a message that the prompt shows")
    names = list(dict.fromkeys(span.name for span in named))
    if names:
        reasons.append(f"declares {_join(names[:MAX_NAMED_TERMS])}, named in the prompt")
    elif around is not None and _is_named(around, evidence):
        reasons.append(f"is in {around.qualified_name}, named in the prompt")
    phrases = (clue.text for clue in evidence.clues if clue.kind is ClueKind.PHRASE)
    held = [phrase for phrase in phrases if holds_phrase(selection.lines, phrase)]
    reasons += [f'contains the text "{phrase}"' for phrase in held[:MAX_NAMED_PHRASES]]
    if selection.matched_terms:
        reasons.append(f"matches {_join(selection.matched_terms[:MAX_NAMED_TERMS])}")
    found_by = [f"{origin}, which matches the prompt" for origin in _list_origins(file, start, end)]
    if file.candidate.hit is not None:
        found_by.append(f"hit {file.candidate.hit} of repo.search")
    reasons += found_by[:MAX_NAMED_STEPS]
    return tuple(reasons) or ("next to what matched",)


def _describe_mentions(file: RatedFile, start_line: int, end_line: int) -> Iterable[str]:
    """Yield in words the first mention that names a line of the excerpt, or else its function or its file."""
    mentions = file.candidate.mentions
    here = [one for one in mentions if one.clue.line is not None and start_line <= one.clue.line <= end_line]
    frame = None if here else _find_frame(file, start_line, end_line)
    if frame is not None:
        yield _describe_frame(frame, file)
        return
    for mention in (here or mentions)[:1]:
        what = "a traceback frame" if is_frame(mention) else "the prompt"
        of = f" of {mention.clue.name}" if here and _has_moved(mention.clue, file.view.layout.spans) else ""
        yield f"{what} names line {mention.clue.line}{of}" if here else f"{what} names this file"


def _describe_frame(frame: Clue, file: RatedFile) -> str:
    """Return what a frame says of an excerpt that is of its function, or beside its line if it names none."""
    line = frame.line
    if frame.name is None:
        return f"is near line {line}, which a traceback frame names"
    said, spans = "is in a function that a traceback frame names", file.view.layout.spans
    was_in = frame.text.rpartition("/")[2]
    if line is not None and was_in != file.candidate.path.rpartition("/")[2]:
        return f"{said}, which has moved here from {was_in}"
    if line is None or not _has_moved(frame, spans):
        return said
    now = find_around(spans, line, line)
    where = "outside of it" if now is None else f"in {now.qualified_name}"
    return f"{said}; its line {line} is now {where}"


def _has_moved(frame: Clue, spans: Sequence[SymbolSpan]) -> bool:
    """Return True if a file declares the function of a frame, but not around the line that the frame names.

    The trace is then of another version of the file.
    """
    line, named = frame.line, [span for span in spans if span.name == frame.name]
    return (
        line is not None and bool(named) and not any(one.start_line <= line <= one.end_line for one in named)
    )


def _makes_message(file: RatedFile, start_line: int, end_line: int) -> bool:
    """Return True for an excerpt with the literal of a message, unless a frame names its function."""
    return any(
        start_line <= line <= end_line
        for traced in file.traced.values()
        if traced.frame is None
        for line in traced.lines
    )


def _find_frame(file: RatedFile, start_line: int, end_line: int) -> Clue | None:
    """Return the innermost frame that points at an excerpt of which at least half is pointed at, or None."""
    framed = {at: one for at, one in file.traced.items() if one.frame is not None}
    shared = {
        at: min(end_line, file.blocks[at].end_line) - max(start_line, file.blocks[at].start_line) + 1
        for at in framed
    }
    if 2 * sum(max(0, count) for count in shared.values()) < end_line - start_line + 1:
        return None
    pointing = [framed[at] for at, count in shared.items() if count > 0]
    return min(pointing, key=lambda one: one.rank).frame if pointing else None


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
