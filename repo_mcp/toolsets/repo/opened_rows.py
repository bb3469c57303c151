"""The lines that `repo.open_file` opened, as rows of its answer.

An answer that is too long is cut at its end, and every cut says how to continue. Of several spans, none
repeats what the call or the one before it says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import RepoError, shorten_message
from repo_mcp.text.lines import HIDING, escape_text, escape_texts
from repo_mcp.toolsets.answers import Arguments, Part, Result
from repo_mcp.toolsets.repo.answers import describe_error
from repo_mcp.toolsets.shown_text import MAY_HIDE, cut_line, name_some, warn_of_escapes

if TYPE_CHECKING:
    from repo_mcp.model import OpenedText

WIDE_LINES = 120  # of a range: few functions are as long, so it was guessed or holds several
WIDE = (
    "Long ranges cost more than they need: symbol or line opens one declaration, about keeps only the lines"
    " about some words."
)


def note_ranges(spans: Sequence[Arguments], answers: Sequence[OpenedText | RepoError]) -> tuple[str, ...]:
    """Return a note if some range of lines is long: what may be asked for instead costs less."""
    is_wide = any(
        "end_line" in span
        and "about" not in span
        and not isinstance(answer, RepoError)
        and len(answer.lines) >= WIDE_LINES
        for span, answer in zip(spans, answers, strict=True)
    )
    return (WIDE,) if is_wide else ()


def render_spans(
    spans: Sequence[Mapping[str, object]],
    answers: Sequence[OpenedText | RepoError],
    rows: int,
    *,
    max_chars: int,
) -> Part:
    """Return the first rows of the answers to several spans, each with its own warnings or its error."""
    rendered: list[Result] = []
    asked_paths = {span.get("path") for span in spans}
    last_path = asked_paths.pop() if len(asked_paths) == 1 else None  # of all spans: the call tells it
    errors = [one for one in answers if isinstance(one, RepoError)]
    for span, answer in zip(spans, answers, strict=True):
        if isinstance(answer, RepoError):
            refused = {"blocked": True} if answer.blocked else {}
            asked = {name: span[name] for name in ("path", "symbol") if name in span}
            named = {name: escape_text(shorten_message(str(text))) for name, text in asked.items()}
            rendered.append({**named, "error": describe_error(answer), **refused})
            last_path = named.get("path")
            continue
        whole = count_rows(answer)
        part = render_opened(answer, min(rows, whole), max_chars=max_chars)
        rows = max(0, rows - whole)
        warnings = escape_texts(part.warnings)
        # Where the span gives another path, as that of a caller, the path that is opened is told.
        known_path = last_path if span.get("path") in (None, last_path) else None
        told = _leave_out_told(
            part.result, known_path, span.get("symbol"), has_end=answer.wanted_line is not None
        )
        rendered.append(told | ({"warnings": warnings} if warnings else {}))
        last_path = part.result["path"]
    failed = (f"{len(errors)} of {len(answers)} spans could not be opened.",) if errors else ()
    notes = failed + note_ranges(spans, answers)
    refusal = next((error.code for error in errors if error.blocked), None)
    return Part({"spans": rendered}, notes, refusal=refusal)


def _leave_out_told(
    result: Mapping[str, object], last_path: object, asked_symbol: object, *, has_end: bool
) -> Result:
    """Return one of several results without what the call, the last one and its own numbered lines tell.

    How many lines its file has is only told if the span did not say where it ends.
    """
    rows = str(result["content"]).removesuffix("\n").split("\n")
    first, last = rows[0].partition("\t")[0], rows[-1].partition("\t")[0]
    told = {
        "path": result["path"] == last_path,
        "start_line": str(result["start_line"]) == first,
        "end_line": str(result["end_line"]) == last,
        "total_lines": has_end,
        "symbol": result.get("symbol") == asked_symbol,
    }
    return {name: value for name, value in result.items() if not told.get(name)}


def render_opened(opened: OpenedText, rows: int, *, max_chars: int, notes: Sequence[str] = ()) -> Part:
    """Return the first rows of an opened text; `notes` are told if nothing was cut."""
    lines = _list_rows(opened)
    whole, lines = len(lines), lines[:rows]
    long = [number for number, line in lines if len(line) > max_chars]
    hiding = [number for number, line in lines if HIDING.search(line)]
    warnings = [*opened.warnings]
    if long:
        warnings.append(f"Lines are cut at {max_chars:,} characters: {name_some(long)}.")
    if hiding:
        warnings.append(f"{MAY_HIDE}: {name_some(hiding)}.")
    last = opened.start_line + len(opened.lines) - 1
    if rows < whole:
        last = lines[-1][0] if lines else opened.start_line - 1
    is_cut = rows < whole or last < (opened.wanted_line or opened.total_lines)
    if is_cut:
        until = f", end_line {opened.wanted_line}" if opened.wanted_line else ""
        warnings.append(f"The answer was cut to keep it short; continue with start_line {last + 1}{until}.")
    else:
        warnings += notes  # not where the range may be what the last answer said to continue with
    warn_of_escapes(warnings, [opened.path])
    result: Result = {
        "path": escape_text(opened.path),
        "start_line": opened.start_line,
        "end_line": last,
        "total_lines": opened.total_lines,
        "content": "".join(f"{number}\t{cut_line(line, max_chars)}\n" for number, line in lines),
        "truncated": opened.truncated or bool(long) or is_cut,
    }
    return Part(result | ({"symbol": escape_text(opened.symbol)} if opened.symbol else {}), warnings)


def count_rows(opened: OpenedText) -> int:
    """Return the number of lines that are shown."""
    return len(opened.lines) if opened.shown is None else len(opened.shown)


def _list_rows(opened: OpenedText) -> list[tuple[int, str]]:
    """Return the lines that are shown, with their numbers."""
    numbered = list(enumerate(opened.lines, opened.start_line))
    if opened.shown is None:
        return numbered
    shown = set(opened.shown)
    return [(number, line) for number, line in numbered if number in shown]
