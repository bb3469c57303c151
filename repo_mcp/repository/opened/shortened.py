"""The lines that are shown of a long declaration or text: heads, lines near one, or lines about words.

Left out on purpose: how the lines are chosen (`repo_mcp.languages.outline.folded_lines`, and `lines_near`,
`outer_lines` and `lines_about` beside this file).
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.languages.outline.comment_lines import iter_long_comments
from repo_mcp.languages.outline.docstring_lines import FIRST_LINES, iter_long_docstrings
from repo_mcp.languages.outline.folded_lines import NEAR_LINES, choose_folded
from repo_mcp.languages.outline.lexical_adapter import PREPROCESSED
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import OpenedText, Outline
from repo_mcp.record_classes import replace

NO_WORD = "No line has a word of about"
MOST_LEFT = 8  # most lines that are named instead of shown


def shorten(opened: OpenedText, outline: Outline, around: int | None, most_lines: int) -> OpenedText | None:
    """Return a long declaration by the lines that tell most, those near the line `around` among them.

    Return None for one of which all lines are shown.
    """
    return (
        _fold(opened, outline, around, most_lines)
        or _keep_part(opened, outline, around, most_lines)
        or _skip_documentation(opened, outline, around, most_lines)
    )


def _fold(opened: OpenedText, outline: Outline, around: int | None, most_lines: int) -> OpenedText | None:
    """Return a declaration without the bodies of its functions if it is a long type or module, else None.

    Of a very long one only the outermost of these lines are shown, and those beside the line `around`.
    """
    start = opened.start_line
    has_directives = outline.language in PREPROCESSED
    chosen = choose_folded(opened.lines, start, outline.symbols, around, has_directives=has_directives)
    if chosen is None:
        return None
    from repo_mcp.repository.opened.outer_lines import narrow_folded  # imported here, as in _keep_part

    outer = narrow_folded(opened.lines, start, chosen)
    if outer is not None:
        beside = () if around is None else (number for number in chosen if abs(number - around) <= NEAR_LINES)
        note = (
            f"Of {len(opened.lines)} lines, the outermost heads and fields are shown: repo.outline lists all"
            " members; open one by symbol or line."
        )
        return _keep_chosen(opened, tuple(sorted({*outer, *beside})), most_lines, note)
    note = (
        f"Of {len(opened.lines)} lines, bodies of functions, comments and blank lines are left out: open"
        f" a function by symbol or line, or all lines with start_line {start} and end_line {opened.end_line}."
    )
    return _keep_chosen(opened, chosen, most_lines, note)


def _keep_part(
    opened: OpenedText, outline: Outline, around: int | None, most_lines: int
) -> OpenedText | None:
    """Return a long function with some of its lines, else None: those near one, or the outermost."""
    if find_language(opened.path).kind != "code":
        return None
    from repo_mcp.repository.opened.lines_near import choose_near  # imported here, as ranges need neither
    from repo_mcp.repository.opened.outer_lines import choose_outer

    near = None if around is None else choose_near(opened.lines, opened.start_line, around, most_lines)
    chosen = near or choose_outer(opened.lines, opened.start_line, _list_documentation(opened, outline))
    if chosen is None or len(chosen) == len(opened.lines):
        return None
    which = f"those near line {around} and the heads of its blocks" if near else "the outermost"
    others = "about shows" if near else "line shows those near one, about"
    note = (
        f"Of {len(opened.lines)} lines, {which} are shown: {others} those about some words, start_line"
        f" {opened.start_line} with end_line {opened.end_line} all."
    )
    return _keep_chosen(opened, chosen, most_lines, note)


def _skip_documentation(
    opened: OpenedText, outline: Outline, around: int | None, most_lines: int
) -> OpenedText | None:
    """Return a declaration without most lines of its long docstrings or comments, or None if it has none.

    One with the line `around` in it is kept.
    """
    start = opened.start_line
    left = [
        places
        for places in _list_documentation(opened, outline)
        if around is None or not places.start - FIRST_LINES <= around - start <= places.stop
    ]
    if not left:
        return None
    return _leave_out(opened, left, most_lines, "docstrings" if outline.language == "python" else "comments")


def _list_documentation(opened: OpenedText, outline: Outline) -> list[range]:
    """Return the places of most lines of each long docstring of Python, or comment of other languages."""
    if outline.language == "python":
        return list(iter_long_docstrings(opened.lines))
    is_code = find_language(opened.path).kind == "code"
    return list(iter_long_comments(opened.lines)) if is_code else []


def _leave_out(opened: OpenedText, left: Sequence[range], most_lines: int, what: str) -> OpenedText:
    """Return the opened lines without those of `left`; a note names these and says `what` they are."""
    start = opened.start_line
    hidden = {start + at for places in left for at in places}
    spans = ", ".join(f"{start + places.start}-{start + places.stop - 1}" for places in left[:MOST_LEFT])
    more = f" and {len(left) - MOST_LEFT} more" if len(left) > MOST_LEFT else ""
    note = f"Left out of {what}: lines {spans}{more}; open these alone to see them."
    chosen = tuple(at for at in range(start, opened.end_line + 1) if at not in hidden)
    return _keep_chosen(opened, chosen, most_lines, note)


def _keep_chosen(opened: OpenedText, chosen: tuple[int, ...], most_lines: int, note: str) -> OpenedText:
    """Return only the chosen of the opened lines, at most `most_lines`, with a note that says which."""
    last = opened.end_line if len(chosen) <= most_lines else chosen[most_lines - 1]
    return replace(
        opened,
        end_line=last,
        lines=opened.lines[: last - opened.start_line + 1],
        shown=chosen[:most_lines],
        truncated=True,
        warnings=(*opened.warnings, note),
    )


def keep_asked(opened: OpenedText, about: str, around: int | None, most_lines: int) -> OpenedText | None:
    """Return only those of the opened lines that are about some words, and those near the line `around`.

    They are at most `most_lines`. Return None if no line has one of the words.
    """
    from repo_mcp.repository.opened.lines_about import choose_asked, list_left  # few calls give words

    is_prose = find_language(opened.path).kind == "docs"
    chosen = choose_asked(opened.lines, opened.start_line, about, around, is_prose=is_prose)[:most_lines]
    if not chosen:
        return None
    if left := list_left(opened.lines, opened.start_line, about, {*chosen}):
        named = ", ".join(map(str, sorted(left[:MOST_LEFT])))
        more = f" and {len(left) - MOST_LEFT} more" if len(left) > MOST_LEFT else ""
        lines = "lines" if len(left) > 1 else "line"
        note = f"Not shown, with words of about: {lines} {named}{more}."
        opened = replace(opened, warnings=(*opened.warnings, note))
    is_cut = opened.truncated or len(chosen) < len(opened.lines)
    return replace(opened, shown=chosen, truncated=is_cut)


def keep_first(opened: OpenedText, most_lines: int) -> OpenedText:
    """Return the first of the opened lines, none of which has a word that was asked for."""
    from repo_mcp.repository.opened.lines_about import choose_first  # imported here, as in keep_asked

    chosen = choose_first(opened.lines, opened.start_line)[:most_lines]
    if len(chosen) == len(opened.lines):
        return opened
    note = f"{NO_WORD}: only the first {len(chosen)} are shown."
    return replace(opened, shown=chosen, truncated=True, warnings=(*opened.warnings, note))


def note_unasked(opened: OpenedText) -> OpenedText:
    """Return the lines of a declaration with a note, if some are left out, that none has a word asked for."""
    return replace(opened, warnings=(f"{NO_WORD}.", *opened.warnings)) if opened.truncated else opened
