"""Writes hits of `repo.search` as text, and files of exact matches in both forms.

A ranked hit as text is its path, the span and name of its symbol, and its lines:

    a/ledger.py
    12-20 Ledger.post
    14:balance = self._sum()
    also 30-41 .close, 50-61 Account.open

Further hits of its file have their rows below those of the first, in order of their lines.

Lines outside of that symbol stand before its name, or behind a blank row. The last row names further
declarations of the file that a question may be about, those of later brief hits among them; the snippet of a
record has the first lines of what a question may be about.
Later hits with the same lines are its `copies`, or one more row of the text: `same lines in b.py:12-20`.
A brief hit is what a model needs to open it: of a declaration its span and first line, as text its name.

A file of exact matches is its path and its lines, numbered as ripgrep numbers them, each declaration before
its lines, with its span the first time, and a blank row before lines that are in none. If the first line is
the one that declares it, the span from there on replaces its number, and `in` names the enclosing declaration
unless that was named before or is in the line, as a receiver in Go; the line itself has the name. One with a
colon, as `A::B`, has a row of its own, since a colon ends what stands before a line. The last row says how
many matches are left out, and where they begin and end, as far as that is known:

    a/ledger.py
    12-20 Ledger.post
    14:post(x)
    30-41:def close(self):
    210-480 .total
    233:post(y)
    500-502 in Account:def open(self):

    510:post(z)
    +2 more in 600-612

As text, a file with the same lines in the same declarations as one before it, such as a translation, is only
named there, in a last row `same lines in b/ledger.py:14,33`: with the numbers that the lines have in it.
A record has the same rows as its snippet, with a tab behind each number, and `more` and `more_lines` for the
last of them.
In both, `.total` lies where the declaration named last lies, or in that one if it lies in none, and at first
on an exact page in the class that is called as its file. Lines under one declaration lose the indentation
that they share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass
from repo_mcp.text.citations import write_span
from repo_mcp.text.lines import cut_indentation, escape_text, escape_texts
from repo_mcp.titled_names import is_titled, split_qualified
from repo_mcp.toolsets.answers import Result, plain_number

if TYPE_CHECKING:
    from repo_mcp.exact.page_lines import PageLine
    from repo_mcp.model import ExactMatch, Hit

_NAMED_COPIES = 3  # nobody opens more of them
_BRIEF_CHARS = 100  # of the line of a brief hit as text,
_BRIEF_BEFORE = 30  # and of it before the first matching word
_ALIKE_CHARS = 12  # of the lines of a file that are given once for several: a brace is the same everywhere

Group = tuple["ExactMatch | None", "list[PageLine]"]  # the first match of lines under one declaration


@dataclass(frozen=True, slots=True)
class ShownFile:
    """The matches of one file that an exact page shows, and those that it leaves out."""

    matches: Sequence[ExactMatch]
    left: int = 0
    left_lines: tuple[int, ...] = ()  # of the first and the last that is left out; the first if more follow


def write_hit(hit: Hit, copies: Sequence[Hit], others: Sequence[Hit] = ()) -> str:
    """Return a ranked hit as text, with the rows of `others` in its file."""
    rows = _list_rows(hit)
    known = hit.symbol_lines
    for one in sorted(others, key=attrgetter("start_line")):
        is_known = one.symbol_lines is not None and one.symbol_lines == known
        own = _list_rows(one, is_known=is_known)
        rows += own if one.symbol_lines else ["", *own]
        known = one.symbol_lines
    return "\n".join((escape_text(hit.path), *rows, *_list_further(hit, copies)))


def _list_rows(hit: Hit, *, is_known: bool = False) -> list[str]:
    """Return the rows of the lines of a hit, after the name of its declaration unless that `is_known`."""
    rows: list[str] = []
    numbered = [line.partition("\t") for line in hit.snippet.removesuffix("\n").split("\n")]
    first, last = hit.symbol_lines or (0, 0)
    for is_inside, group in groupby(numbered, lambda line: first <= int(line[0]) <= last):
        lines = [*group]
        texts = cut_indentation([text for _, _, text in lines])
        if is_inside and not is_known:
            rows += _head_rows(hit, lines[0][0], texts[0])
        else:
            rows += [""] if rows else []
            rows.append(f"{lines[0][0]}:{texts[0]}")
        rows += [f"{number}:{text}" for (number, _, _), text in zip(lines[1:], texts[1:], strict=True)]
    return rows


def _head_rows(hit: Hit, number: str, text: str) -> list[str]:
    """Return the rows that name the declaration of a hit and show its first line."""
    assert hit.symbol is not None
    assert hit.symbol_lines is not None
    around, dot, name = _split_name(hit.symbol, hit.symbol_name)
    owner = "" if _shows_owner(text, around, name) else around
    if number == str(hit.symbol_lines[0]) and name in text and ":" not in owner:
        return [f"{_write_declaring(hit.symbol_lines, owner)}:{text}"]
    return [_write_name(f"{around}{dot}{name}", hit.symbol_lines), f"{number}:{text}"]


def _list_further(hit: Hit, copies: Sequence[Hit], *, is_named: bool = True) -> list[str]:
    """Return the rows that name further declarations of the file, as `_iter_also` does, and copies."""
    also = [f"also {', '.join(_iter_also(hit, is_named=is_named))}"] if hit.also else []
    return [*also, f"same lines in {', '.join(name_copies(copies))}"] if copies else also


def write_brief(hit: Hit, copies: Sequence[Hit]) -> str:
    """Return a ranked hit far below the best as text: the name of its declaration, or the one line of it."""
    number, _, line = hit.snippet.removesuffix("\n").partition("\t")
    name = ""
    if hit.symbol is not None and hit.symbol_lines is not None and len({*hit.symbol_lines}) > 1:
        name = _write_name(escape_text(hit.symbol), hit.symbol_lines)
    row = name or f"{number}:{_cut_around_words(line.lstrip(), hit.matched_terms)}"
    return "\n".join((escape_text(hit.path), row, *_list_further(hit, copies, is_named=bool(name))))


def _cut_around_words(text: str, words: Sequence[str]) -> str:
    """Return a line cut around the first of some words, or behind its beginning if it has none of them."""
    if len(text) <= _BRIEF_CHARS:
        return text
    folded = text.lower()
    at = min((place for word in words if (place := folded.find(word.lower())) >= 0), default=0)
    start = 0 if at + _BRIEF_BEFORE < _BRIEF_CHARS else at - _BRIEF_BEFORE
    end = start + _BRIEF_CHARS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def render_hit(hit: Hit, copies: Sequence[Hit], *, explains: bool, names_also: bool) -> Result:
    """Return a ranked hit as a record; with `explains`, also what made up its score, and its chunk.

    Further declarations of its file are named if it `names_also`, or else shown by their first lines.
    """
    row: Result = {
        "path": escape_text(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "snippet": hit.snippet if names_also else _add_heads(hit),
        "score": plain_number(hit.score),
        "matched_terms": escape_texts(hit.matched_terms),
        "symbol": None if hit.symbol is None else escape_text(hit.symbol),
        "symbol_lines": None if hit.symbol_lines is None else list(hit.symbol_lines),
        "also": [*_iter_also(hit)] if names_also else [],
        "copies": name_copies(copies) if copies else [],
    }
    if explains:
        row["explanation"] = {name: plain_number(points) for name, points in hit.explanation}
        row["chunk_id"] = hit.chunk_id
        row["chunk_lines"] = list(hit.chunk_lines)
    return row


def _add_heads(hit: Hit) -> str:
    """Return the snippet with the lines that name further declarations, in their places."""
    if not hit.heads:
        return hit.snippet
    rows = f"{hit.snippet}{hit.heads}".removesuffix("\n").split("\n")
    by_number = {int(row.partition("\t")[0]): row for row in rows}
    return "".join([f"{by_number[number]}\n" for number in sorted(by_number)])


def render_brief(hit: Hit, copies: Sequence[Hit]) -> Result:
    """Return a ranked hit far below the best as a record: the span of its declaration, and one line.

    The declaration is named only if that line does not name it. Others are named that joined the hit.
    """
    first, last = hit.symbol_lines or (hit.start_line, hit.end_line)
    is_shown = hit.symbol is None or hit.symbol_name in hit.snippet
    return {
        "path": escape_text(hit.path),
        "start_line": first,
        "end_line": last,
        "snippet": hit.snippet,
        "score": plain_number(hit.score),
        "symbol": None if is_shown else escape_text(hit.symbol or ""),
        "also": [*_iter_also(hit, is_named=not is_shown)],
        "copies": name_copies(copies) if copies else [],
    }


def _iter_also(hit: Hit, *, is_named: bool = True) -> Iterator[str]:
    """Yield the further declarations of a hit: `30-41 Ledger.close`, and `50-61 .open` in the same class.

    Several of one name that follow each other are one: `50-61,70-75 .open`. Unless the hit `is_named`, its
    own class is not known to the reader.
    """
    around, _, name = _split_name(hit.symbol or "", hit.symbol_name)
    if around and not is_named:
        around = name = ""
    for symbol, alike in groupby(hit.also, itemgetter(0)):
        spans = ",".join(["{}-{}".format(*lines) for _, lines in alike])
        parent = around or name
        last = split_qualified(symbol)[-1]  # in a heading such as `2.1 Form`, this is not a name
        is_name = last.rstrip("?!=").isidentifier() or is_titled(last)
        around, dot, name = _split_name(symbol, last if is_name else symbol)
        yield f"{spans} {'' if around == parent else around}{dot}{name}"


def name_copies(copies: Sequence[Hit]) -> list[str]:
    """Return the places of the first copies, which can be opened as paths, and how many more there are."""
    places = [
        f"{escape_text(copy.path)}:{write_span(*(copy.symbol_lines or (copy.start_line, copy.end_line)))}"
        for copy in copies[:_NAMED_COPIES]
    ]
    return places if len(copies) <= _NAMED_COPIES else [*places, f"{len(copies) - _NAMED_COPIES} more"]


def write_file(file: ShownFile) -> str:
    """Return the matches of one file as text."""
    path = file.matches[0].path
    rows = [escape_text(path), *_iter_rows(path, _group_lines(file.matches), ":")]
    if file.left:
        first, *last = file.left_lines
        rows.append(f"+{file.left} more {f'in {write_span(first, *last)}' if last else f'from {first} on'}")
    return "\n".join(rows)


def find_alike(files: Sequence[ShownFile]) -> list[int]:
    """Return for each file the place of the first with the same lines in the same declarations, or its own.

    A file of which lines are left out, or cut, is like no other.
    """
    firsts: dict[object, int] = {}
    places: list[int] = []
    for place, file in enumerate(files):
        groups = [] if file.left else _group_lines(file.matches)
        texts = [(match and match.symbol, [line.text.strip() for line in lines]) for match, lines in groups]
        every = [text for _, own in texts for text in own]
        is_told = sum(map(len, every)) >= _ALIKE_CHARS and not any(map(_may_be_cut, every))
        places.append(firsts.setdefault(repr(texts), place) if is_told else place)
    return places


def _may_be_cut(text: str) -> bool:
    return text.startswith("…") or text.endswith("…")


def name_alike(files: Sequence[ShownFile]) -> str:
    """Return the row that names files with the lines shown above it, and their numbers there."""
    places = []
    for file in files:
        lines = [line.number for _, own in _group_lines(file.matches) for line in own]
        places.append(f"{escape_text(file.matches[0].path)}:{_write_numbers(lines)}")
    return f"same lines in {', '.join(places)}"


def _write_numbers(numbers: Sequence[int]) -> str:
    """Return ascending numbers with a hyphen between the ends of each run: `3-5,9`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join([write_span(*run) for run in runs])


def render_file(file: ShownFile) -> Result:
    """Return the matches of one file as a record."""
    path, groups = file.matches[0].path, _group_lines(file.matches)
    return {
        "path": escape_text(path),
        "start_line": groups[0][1][0].number,
        "end_line": groups[-1][1][-1].number,
        "snippet": "\n".join(_iter_rows(path, groups, "\t")),
        "more": file.left,
        "more_lines": [*file.left_lines],
    }


def _iter_rows(path: str, groups: Sequence[Group], sign: str) -> Iterator[str]:
    """Yield the lines of a file, each after its number and the sign, and what names their declarations."""
    # What the declaration named last lies in, or itself if in none; at first the class called as its file.
    parent = escape_text(path.rpartition("/")[2].partition(".")[0])
    spans: set[Sequence[int]] = set()  # declarations written with their span
    for place, (match, lines) in enumerate(groups):
        texts = cut_indentation([line.text for line in lines])
        numbers = [str(line.number) for line in lines]
        if match is not None and match.symbol_lines is not None:
            around, _, name = _split_name(match.symbol or "", match.symbol_name)
            begins = _begins(match, lines)
            owner = "" if begins and _shows_owner(texts[0], around, name) else _name_owner(around, parent)
            if begins and sign not in owner:
                span = lines[0].number, match.symbol_lines[1]
                numbers[0] = _write_declaring(span, owner.removesuffix("."))
            else:
                yield _write_name(f"{owner}{name}", match.symbol_lines, is_known=match.symbol_lines in spans)
            spans.add(match.symbol_lines)
            parent = around or name
        elif place:
            yield ""
        yield from (f"{number}{sign}{text}" for number, text in zip(numbers, texts, strict=True))


def _name_owner(around: str, parent: str) -> str:
    """Return what a declaration lies in, to stand before its name: `Ledger.`, or `.` for the parent."""
    if not around:
        return ""
    inner = f"{around}.".removeprefix(f"{parent}.")
    return inner if inner == f"{around}." else f".{inner}"


def _write_declaring(lines: Sequence[int], owner: str) -> str:
    """Return what stands in place of a declaring line's number."""
    return f"{write_span(*lines)}{owner and ' in '}{owner}"


def _write_name(name: str, lines: Sequence[int], *, is_known: bool = False) -> str:
    """Return the row of a declaration: with its span unless that is known, or if the name looks like a line.

    Two blanks distinguish a heading such as `in short: it works` from a line that declares `short`.
    """
    if is_known and not name[:1].isdigit():
        return name
    return f"{write_span(*lines)} {' ' if name.startswith('in ') else ''}{name}"


def _group_lines(matches: Sequence[ExactMatch]) -> list[Group]:
    """Return the lines to show of a file, by the innermost declaration around them; None without one."""
    from repo_mcp.exact.page_lines import list_page_lines

    groups: list[Group] = []
    for line in list_page_lines(matches):
        last = groups[-1][0] if groups else None
        match = last if line.match is None else line.match
        if not groups or (match and match.symbol_lines) != (last and last.symbol_lines):
            groups.append((match, []))
        groups[-1][1].append(line)
    return groups


def _begins(match: ExactMatch, lines: Sequence[PageLine]) -> bool:
    """Return True if the lines begin in the head of the declaration, and have its name."""
    first = lines[0].number
    return (
        match.declares
        and match.symbol_lines is not None
        and match.symbol_lines[0] <= first <= match.start_line
    )


def _shows_owner(text: str, around: str, name: str) -> bool:
    """Return True if a declaring line names what its declaration lies in: `func (l *Ledger) Post(`."""
    owner = re.escape(around.rpartition(".")[2])
    return bool(around) and bool(
        re.search(rf"\b{owner}(?:[<\[][^()]*[>\]])?(?:\)\s*|::|\.|:){re.escape(name)}\b", text)
    )


def _split_name(symbol: str, name: str) -> tuple[str, str, str]:
    """Return the declaration around a symbol, a dot and the symbol's own name, which is `name`.

    If the symbol does not end with `name`, return "", "" and the whole symbol.
    """
    around = symbol.removesuffix(f".{name}")
    return (
        ("", "", escape_text(symbol)) if around == symbol else (escape_text(around), ".", escape_text(name))
    )
