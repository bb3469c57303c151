"""Finds where the program says what a query says: the place of a copied message.

    query -> its text, or a part of it between colons -> units with all of its words
        -> lines that hold it between quotes -> hits
    query -> its text, or what it quotes -> units with most of its words
        -> the literal of which it has most, between values that are filled in -> hit
    query -> words before a value, behind a colon
        -> lines where a literal ends with them, or has a value behind them -> hits

The words of a message are often common, so ranking puts files that are about them first. A log or a terminal
may put a prefix before a message, or its cause behind it, each with a colon. Comments, documents, tests and
translations with the same words do not count. What a question says is only looked for if it is quoted in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from repo_mcp.late_patterns import compile_late
from repo_mcp.model import Hit
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.page.hit_lines import show_lines
from repo_mcp.ranking.page.live_chunks import ChunkReader, LiveChunk, decode_lines
from repo_mcp.ranking.page.quoted_lines import LEAST_WORDS, Quotable, find_message, read_quotable
from repo_mcp.ranking.query.query import STORY_WORDS, Query
from repo_mcp.record_classes import replace
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.block_heads import list_heads
from repo_mcp.text.lines import COMMENT_STARTS
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import FUNCTION_WORDS

LEAST_SAID = 3  # words of a message; fewer are a name or what anything is about
MOST_PARTS = 5  # between colons
MOST_SAID = 3  # places shown
CHUNKS_RANKED, CHUNKS_READ = 60, 12  # with all words of a message; tables of translations are not read
MOST_CHARS = 500  # of a line; a longer one is generated, or a table
MOST_JOINED = 4  # lines before and behind a unit that a literal may go on in
WHOLE_LINES = 16  # of a declaration that is shown whole
LINES_BEFORE, LINES_AFTER = 3, 2  # shown around the line, if its declaration is longer
LEAST_BEFORE_VALUE = 2  # words; a literal that ends there, or has a value there, says it by no chance
LEAST_FILLED_CHARS = 30  # of a message with values filled in; fewer are enough if they are half of the text
_QUOTED = compile_late(r"\"([^\"\n]{1,500})\"|(?<!\w)'([^'\n]{1,500})'(?!\w)|“([^”\n]{1,500})”")
_WORD = re.compile(r"\w+")
_QUOTE = re.compile(r"[\"`]|(?<!\w)'|'(?!\w)")  # no apostrophe
_VALUE = re.compile(r"\S*\d|[\"'`/]")  # at the beginning of a word
_ENDS_OR_FILLS = re.compile(r" (?:[\"'`%{$\\]|#\{)")  # behind words: the end of a literal, or a value
# The texts of a program, in English too, unlike `is_translation`.
_TEXTS = re.compile(r"(?:^|[/._-])(?:locales?|i18n|l10n|translations?|lang)(?=[/._-])", re.IGNORECASE)
_AROUND = " \t\"'`.!"


def list_said(text: str) -> list[str]:
    """Return what a line may quote, in lower case: the whole text, and runs of its parts between colons.

    The longest comes first.
    """
    parts = [" ".join(one.lower().split()) for one in text.split(": ", MOST_PARTS - 1)]
    runs = [parts[first:last] for first in range(len(parts)) for last in range(first + 1, len(parts) + 1)]
    said = dict.fromkeys(": ".join(run).strip(_AROUND) for run in runs)
    counts = {one: len(_WORD.findall(one)) for one in said}
    fitting = [one for one, count in counts.items() if LEAST_SAID <= count <= STORY_WORDS]
    return sorted(fitting, key=counts.__getitem__, reverse=True)  # stable


def list_before_values(text: str) -> list[str]:
    """Return the words, in lower case, with which parts behind a colon begin and which a value follows.

    The longest comes first.
    """
    found = []
    for part in text.lower().split(": ", MOST_PARTS - 1)[1:]:
        words = part.split()
        count = next((at for at, word in enumerate(words) if _VALUE.match(word)), 0)
        found += [" ".join(words[:count])] if LEAST_BEFORE_VALUE <= count <= STORY_WORDS else []
    return sorted(found, key=len, reverse=True)


def find_said(scope: SearchScope, query: Query) -> list[Hit]:
    """Return at most MOST_SAID places of the program that say what a query of one line does, word for word.

    If there are none, the place whose literal says most of it, or those that say what stands before a value.
    Raises IndexFormatError, OSError.
    """
    for said in list_said(query.text):
        if hits := _find_places(scope, query, said):
            return hits
    if filled := find_filled(scope, query, query.text):
        return filled
    found = (_find_places(scope, query, said, _ENDS_OR_FILLS) for said in list_before_values(query.text))
    return next(filter(None, found), [])


def _find_places(
    scope: SearchScope, query: Query, said: str, behind: re.Pattern[str] | None = None
) -> list[Hit]:
    """Return at most MOST_SAID places that say a text word for word, with what it has to have behind it."""
    terms = _list_terms(said)
    if not terms or not all(map(scope.searcher.count_units, terms)):
        return []
    hits: dict[object, Hit] = {}
    holds = re.compile(r"\s+".join(map(re.escape, said.split(" ")))).search
    for live in _iter_own(scope, replace(query, terms=terms, coded=terms)):
        text = live.lines.cut(live.start_line - 1, live.end_line).decode("utf-8", "replace")
        is_said = holds(text.lower())  # mostly not: no line is looked at by itself
        for line in _iter_saying(live, said, behind) if is_said else ():
            hit = _show(live, line)
            hits.setdefault((hit.path, hit.symbol_lines or line), hit)
        if len(hits) >= MOST_SAID:
            break
    return [*hits.values()][:MOST_SAID]


def list_quoted(text: str) -> str:
    """Return what a text quotes, a line each."""
    return "\n".join(filter(None, chain.from_iterable(_QUOTED.findall(text))))


def find_filled(scope: SearchScope, query: Query, text: str) -> list[Hit]:
    """Return the place whose literal says most of a text, if that is much, with values filled in or not.

    Raises IndexFormatError, OSError.
    """
    words = _WORD.findall(text)
    if len(words) < LEAST_WORDS or not any(
        word.lower() in FUNCTION_WORDS or word.isdigit() for word in words
    ):
        return []  # a message is a sentence, or has values in it; most queries are a few words
    report = read_quotable(text)
    fixed = _list_terms(" ".join(word for word in words if not any(map(str.isdigit, word))))
    queries = [replace(query, terms=_list_terms(text))]
    if fixed != queries[0].terms and all(map(scope.searcher.count_units, fixed)):
        queries.insert(0, replace(query, terms=fixed, coded=fixed))  # only numbers may be filled in
    return next(filter(None, (_find_longest(scope, one, report) for one in queries)), [])


def _find_longest(scope: SearchScope, query: Query, report: Quotable) -> list[Hit]:
    """Return the place of the literal that says most of a report, among the best units for a query."""
    least = min(LEAST_FILLED_CHARS, len(report.text) / 2)
    found = []
    for live in _iter_own(scope, query):
        first = max(1, live.start_line - MOST_JOINED)
        last = min(live.lines.line_count, live.end_line + MOST_JOINED)
        line, length = find_message("\n".join(decode_lines(live.lines, first, last)), report)
        if length >= least and not _is_comment(live, line + first - 1):
            found.append((length, live, line + first - 1))
    most = max((length for length, *_ in found), default=0)
    return [_show(live, line) for length, live, line in found if length == most][:1]


def _list_terms(text: str) -> list[str]:
    words = [word for word in _WORD.findall(text) if word.lower() not in FUNCTION_WORDS]
    return list(dict.fromkeys(chain.from_iterable(map(analyse_text, words))))


def _iter_own(scope: SearchScope, query: Query) -> Iterator[LiveChunk]:
    """Yield the best units for a query that are of the program itself and hold the phrases of the query."""
    chunks = scope.searcher.rank(query, CHUNKS_RANKED, scope.wanted).chunks
    own = [chunk for chunk in chunks if _may_say(chunk.path)][:CHUNKS_READ]
    return ChunkReader(query.phrases, scope.read_live).iter(own)


def _may_say(path: str) -> bool:
    return find_role(path) not in (FileRole.TEST, FileRole.DOCS) and _TEXTS.search(path) is None


def _iter_saying(live: LiveChunk, said: str, behind: re.Pattern[str] | None) -> Iterator[int]:
    """Yield the numbers of the lines that hold a text between quotes, and are no comments.

    With `behind`, only those that have this right behind the text.
    """
    lines = decode_lines(live.lines, live.start_line, live.end_line)
    first_word = said.split(" ", 1)[0]
    for number, line in enumerate(lines, live.start_line):
        folded = line.lower() if len(line) <= MOST_CHARS else ""
        if first_word not in folded or folded.lstrip().startswith(COMMENT_STARTS):
            continue
        before, found, after = " ".join(folded.split()).partition(said)
        is_quoted = found and _QUOTE.search(before) and _QUOTE.search(after)
        if is_quoted and (behind is None or behind.match(after)) and not _is_comment(live, number):
            yield number


def _is_comment(live: LiveChunk, line: int) -> bool:
    """Return True for a line of a comment or docstring. It takes as long as to find all declarations."""
    return bool(live.find_declarations().mark_comments(live.lines.line_count)[line - 1])


def _show(live: LiveChunk, line: int) -> Hit:
    """Return the hit that shows a line, with its declaration: whole if it is short.

    Of a longer one its first line is shown, and the heads of the blocks around the line.
    """
    symbol = live.find_declarations().find_innermost(line)
    first, last, shown = 1, live.lines.line_count, set[int]()
    if symbol is not None:
        first, last, shown = symbol.name_line, symbol.end_line, {symbol.name_line}
        if last - symbol.head_line < WHOLE_LINES:
            shown |= {*range(symbol.head_line, last + 1)}
    if first not in shown or last not in shown:
        start, stop = max(first, line - LINES_BEFORE), min(last, line + LINES_AFTER)
        beside = enumerate(decode_lines(live.lines, start, stop), start)
        shown |= {at for at, text in beside if any(map(str.isalnum, text))}
    if symbol is not None:
        shown |= {at + first for at in list_heads(decode_lines(live.lines, first, line))}
    lines = {at: decode_lines(live.lines, at, at)[0] for at in sorted(shown)}
    return show_lines(live, lines, symbol)
