"""Chooses what the hit of a file shows for a report, and makes the hit: few lines, and names to open.

A report is pasted text or the title of such. Its best declaration in a file is shown by the lines that it
cites or quotes and by those that match best, and other declarations are named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.model import Hit
from repo_mcp.ranking.page.declaration_rating import Named, is_inner_test
from repo_mcp.ranking.page.hit_lines import show_lines
from repo_mcp.ranking.page.live_chunks import decode_lines
from repo_mcp.ranking.page.page_declarations import AskedFile, find_member, has_members
from repo_mcp.ranking.page.quoted_lines import Quotable, find_quoted
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import get_word_terms

PASTED_NAMED = 8, 4  # of the first file for pasted text, and of each further one
NAMESAKES = 4  # further declarations of the best one's name, such as overloads, that are named before others
CITED_NEAR = 6  # lines before and after one that pasted text cites, in the first file
NEXT_NEAR = 3  # and in each further one
SHORT_LINES = 16  # of the declaration that pasted text is about: one with no more is shown whole
LEAST_AROUND = 2  # lines of the declaration around a cited line: that of one line may be a variable's
MOST_NAMED_LINES = 100  # of a type that is named to be opened: of a longer one, the members are
PASTED_LINES = 6  # of the best declaration in the first file for pasted text
TITLE_LINES = 8  # the same for a single line with a name of code: it has fewer words to find declarations by
NEXT_LINES = 2  # and in each further one: a reader opens what these tell it to


@dataclass(frozen=True, slots=True)
class ReportClues:
    """The lines and names that a report points at."""

    cited: Mapping[str, int]  # the line that it cites of each of these paths
    quotable: Quotable  # what it may quote of a file
    named: Collection[Named]  # declarations that count for more
    first_lines: int = PASTED_LINES  # that are shown of the first file


def show_report(file: AskedFile, weights: Sequence[float], report: ReportClues, *, is_first: bool) -> Hit:
    """Return the hit of a file: lines of its best declaration, and the names of others.

    The best is the one around the line that the report cites or quotes, if any. `weights` are those of the
    words in `file.held`.
    """
    live = file.live
    cited = report.cited.get(live.ranked.path, 0) or find_quoted(live.data, report.quotable)
    spans = [span for _, span in file.rated]
    named = _list_named(file, report.named)
    around = file.declarations.find_innermost(cited, LEAST_AROUND) if cited else None
    best = around or find_member(live, spans[0], [*spans, *named]) or spans[0]
    lines = _choose_lines(file, weights, cited, best, report.first_lines if is_first else NEXT_LINES)
    alike = _list_namesakes(file, best)[:NAMESAKES]
    others = [span for span in dict.fromkeys([*named, *spans]) if _may_be_opened(file, span)]
    others = [*alike, *(span for span in others if span not in alike)]
    return show_lines(live, lines, best, others, PASTED_NAMED[0 if is_first else 1])


def _may_be_opened(file: AskedFile, span: SymbolSpan) -> bool:
    """Return whether a declaration is worth naming: no test in a file of the program, and no long type."""
    if is_inner_test(span.qualified_name):
        return False
    return span.end_line - span.head_line < MOST_NAMED_LINES or not has_members(file.live, span)


def _list_named(file: AskedFile, named: Collection[Named]) -> list[SymbolSpan]:
    """Return the declarations that a report names by a name of several words: one word may mean anything."""
    names = {name for _, name in named if len(get_word_terms(name)) > 1}
    return file.declarations.list_named(names) if names else []


def _list_namesakes(file: AskedFile, best: SymbolSpan) -> list[SymbolSpan]:
    """Return the other declarations of a qualified name: what is wrong in an overload often is in each."""
    named = file.declarations.list_named({best.name})
    return [one for one in named if one.qualified_name == best.qualified_name and one != best]


def _choose_lines(
    file: AskedFile, weights: Sequence[float], cited: int, symbol: SymbolSpan, most: int
) -> dict[int, str]:
    """Return at most `most` lines by number: those around line `cited`, if any, and a declaration's best.

    Those around a cited line leave room for half as many others, at least. In the first file it is up to
    SHORT_LINES if these show the declaration whole.
    """
    lines = file.live.lines
    beside = NEXT_NEAR if most == NEXT_LINES else CITED_NEAR
    start, stop = max(1, cited - beside), min(lines.line_count, cited + beside)
    if symbol.head_line <= cited <= symbol.end_line:
        start, stop = max(start, symbol.head_line), min(stop, symbol.end_line)
    near = range(start, stop + 1) if 0 < cited <= lines.line_count else ()
    chosen = {at for at in near if not _says_nothing(decode_lines(lines, at, at)[0])}
    whole = chosen | {*range(symbol.head_line, symbol.end_line + 1)}
    first = symbol.head_line if len(whole) <= most else symbol.name_line
    whole = chosen | {*range(first, symbol.end_line + 1)}
    if len(whole) <= (most if most == NEXT_LINES else SHORT_LINES):
        chosen = whole
    else:
        text = decode_lines(lines, first, symbol.end_line)
        is_comment = file.declarations.mark_comments(len(file.held))[first - 1 : symbol.end_line]
        is_idle = [
            bool(comment) or at in chosen or _says_nothing(line)
            for at, (comment, line) in enumerate(zip(is_comment, text, strict=True), first)
        ]
        held = file.held[first - 1 : symbol.end_line]
        room = max(most // 2, most - len(chosen - {first}))
        chosen |= {at + first for at in choose_telling(held, weights, is_idle, room)}
    return {at: decode_lines(lines, at, at)[0] for at in sorted(chosen)}


def _says_nothing(line: str) -> bool:
    """Return True for a blank line, and for brackets and other signs without a word."""
    return not any(map(str.isalnum, line))


def choose_telling(
    held: Sequence[int], weights: Sequence[float], is_idle: Sequence[bool], room: int
) -> set[int]:
    """Return `room` of some lines, counted from 0: the first one, and those that tell most.

    A line is worth the weights of its words, each less the more often it was shown, and has the lines beside
    it unless they are idle. What room is left is for the lines that follow the first. Of idle lines only the
    first is chosen, whatever it holds: `_` is a word, and `_ => {}` says nothing.
    """
    chosen = {0}
    seen = [0] * len(weights)
    waiting = {at: _list_bits(bits) for at, bits in enumerate(held) if at and bits and not is_idle[at]}
    while waiting and len(chosen) < room:
        best = max(waiting, key=lambda at: sum(weights[bit] / (1 + seen[bit]) for bit in waiting[at]))
        beside = [at for at in (best, best + 1, best - 1) if 0 <= at < len(held) and not is_idle[at]]
        chosen.update([at for at in beside if at not in chosen][: room - len(chosen)])
        for at in [at for at in waiting if at in chosen]:
            for bit in waiting.pop(at):
                seen[bit] += 1
    rest = (at for at, idle in enumerate(is_idle) if at not in chosen and not idle)
    return chosen | {*islice(rest, room - len(chosen))}


def _list_bits(bits: int) -> list[int]:
    return [at for at in range(bits.bit_length()) if bits >> at & 1]
