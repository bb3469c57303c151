"""The calls of the `graph` toolset about files and folders. They need no index."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.config.server_config import Limits
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import DirectoryListing, OpenedText
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.lines import HIDING, escape_text
from repo_mcp.text.media_types import find_media_type
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, add_warnings, find_integer
from repo_mcp.toolsets.graph.argument_schemas import (
    DEFAULT_DEPTH,
    MAX_ENTRIES,
    MAX_LINE_NUMBER,
    MAX_READ_BYTES,
    MAX_READ_LINES,
    MAX_TREE_ENTRIES,
)
from repo_mcp.toolsets.pages import Page
from repo_mcp.toolsets.shown_text import MAY_HIDE, choose_line_chars, cut_line, name_some

if TYPE_CHECKING:
    from repo_mcp.repository import Repository


_ROOT_PATHS = ("", ".", "./", "/")
_ESCAPED_BYTES = 6  # JSON takes at most so many for one byte of content, which is then a control character
MAX_NOTES = 20  # warnings of one tree
_NOTE_BYTES = 600  # reserved for further warnings


def list_directory(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `list_directory`."""
    page = Page("list_directory", arguments)
    listing = _list(repository, str(arguments.get("path", "")))
    page.check([entry.path for entry in listing.entries])
    rows = min(len(listing.entries) - page.start, MAX_ENTRIES)
    most = _choose(repository, "max_total_bytes_per_response", MAX_READ_BYTES)
    return Draft(lambda count: _build_listing(listing, page, count), rows, max_bytes=most)


def _list(repository: Repository, path: str) -> DirectoryListing:
    return repository.tree.list_directory("" if path in _ROOT_PATHS else path)


def _build_listing(listing: DirectoryListing, page: Page, count: int) -> Part:
    rows: list[dict[str, object]] = []
    for entry in listing.entries[page.start : page.start + count]:
        name = escape_text(entry.path.rpartition("/")[2])
        if entry.is_directory:
            rows.append({"name": name, "type": "directory"})
        else:
            rows.append({"name": name, "type": "file", "size": entry.size or 0})
    is_cut = page.start + count < len(listing.entries)
    result: Result = {
        "result": rows,
        "total": len(listing.entries),
        "truncated": is_cut,
        "left_out": dict(listing.left_out),
        **page.follow([entry.path for entry in listing.entries], count, is_cut),
    }
    return Part(result, listing.warnings)


def read_file(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `read_file`."""
    first = find_integer(arguments, "line_start") or 1
    last = find_integer(arguments, "line_end") or MAX_LINE_NUMBER
    _check_order(first, last)
    try:
        opened = repository.open_file(
            str(arguments["path"]),
            first,
            last,
            most_lines=_choose(repository, "max_open_lines", MAX_READ_LINES),
        )
    except RepoError as error:
        raise _name_arguments(error, str(arguments["path"])) from error
    opened, long = _cut_long(opened, choose_line_chars(repository.config, opened.lines))
    most = _choose(repository, "max_total_bytes_per_response", _ESCAPED_BYTES * MAX_READ_BYTES)
    frame = _build_text(opened, 0, (), long)
    room = most - len(encode_json(add_warnings(frame.result, frame.warnings)).encode()) - _NOTE_BYTES
    whole = _choose(repository, "max_total_bytes_per_response", MAX_READ_BYTES)
    cut, notes = _cut_bytes(opened, whole, room)
    return Draft(lambda rows: _build_text(cut, rows, notes, long), len(cut.lines), max_bytes=most)


def _cut_long(opened: OpenedText, most: int) -> tuple[OpenedText, tuple[str, ...]]:
    """Return the text with each line cut at `most` characters, and a warning if any was cut."""
    numbers = [number for number, line in enumerate(opened.lines, opened.start_line) if len(line) > most]
    if not numbers:
        return opened, ()
    lines = tuple(cut_line(line, most) for line in opened.lines)
    return replace(opened, lines=lines), (f"Lines are cut at {most:,} characters: {name_some(numbers)}.",)


def _check_order(first: int, last: int) -> None:
    if last < first:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"line_end is {last}, before line_start {first}.",
            "Give a line_end that is not before line_start, or none.",
            {"argument": "line_end"},
        )


def _choose(repository: Repository, limit: str, otherwise: int) -> int:
    """Return the specification's limit `otherwise`, unless the operator or the repository has set another."""
    config = repository.config
    value: int = getattr(config.limits, limit)
    return value if limit in config.given or value < getattr(Limits(), limit) else otherwise


def _name_arguments(error: RepoError, path: str) -> RepoError:
    """Return the error with the argument names of this tool, and with the type of a binary file."""
    if error.code is ErrorCode.BINARY_FILE:
        head = error.details.get("head")
        media_type = find_media_type(path, head if isinstance(head, bytes) else b"")
        message = f"The file is binary: {media_type}."
        return RepoError(ErrorCode.BINARY_FILE, message, error.hint, error.details)
    if error.code is not ErrorCode.INVALID_ARGUMENT:
        return error
    message = error.message.replace("start_line", "line_start").replace("end_line", "line_end")
    hint = error.hint.replace("start_line", "line_start").replace("end_line", "line_end")
    return RepoError(error.code, message, hint, error.details)


def _cut_bytes(opened: OpenedText, most: int, room: int) -> tuple[OpenedText, tuple[str, ...]]:
    """Return as many whole lines as fit into `most` bytes, and into `room` bytes of JSON.

    A first line that is longer is cut, and a warning says so.
    """
    size = escaped = 0
    for number, line in enumerate(opened.lines):
        size += len(line.encode()) + 1
        escaped += _count_escaped(line)
        if size <= most and escaped <= room:
            continue
        if number:
            lines = opened.lines[:number]
            end = opened.start_line + number - 1
            return replace(opened, lines=lines, end_line=end, truncated=True, is_ended=True), ()
        begun = line.encode()[:most].decode("utf-8", "ignore")
        while begun and _count_escaped(begun) > room:
            begun = begun[: len(begun) // 2]
        note = f"Line {opened.start_line} is too long: its first {len(begun):,} characters are given."
        return replace(opened, lines=(begun,), end_line=opened.start_line, truncated=True, is_ended=False), (
            note,
        )
    return opened, ()


def _count_escaped(line: str) -> int:
    """Return the bytes of a line with its end in JSON: the end takes as many as the quotes counted here."""
    return len(json.dumps(line, ensure_ascii=False).encode())


def _build_text(opened: OpenedText, rows: int, more: tuple[str, ...], long: tuple[str, ...]) -> Part:
    lines = opened.lines[:rows]
    end = opened.start_line + rows - 1
    truncated = opened.truncated or rows < len(opened.lines)
    notes = [*opened.warnings, *long, *more]
    if any(HIDING.search(line) for line in lines):
        notes.append(f"{MAY_HIDE}.")
    if truncated and end < opened.total_lines:
        notes.append(
            f"The text was cut after line {end} of {opened.total_lines}; continue with line_start {end + 1}."
        )
    result: Result = {
        "path": escape_text(opened.path),
        "content": "\n".join(lines)
        + ("\n" if lines and (opened.is_ended or rows < len(opened.lines)) else ""),
        "line_start": opened.start_line,
        "line_end": end,
        "total_lines": opened.total_lines,
        "truncated": truncated or bool(long),
    }
    return Part(result, notes)


@dataclass(slots=True)
class _TreeEntry:
    """One entry of a tree. Entries are numbered folder by folder, the upper folders first; 0 is the top."""

    path: str
    is_directory: bool
    folder: int  # number of the folder that it lies in
    is_open: bool = False  # True: its own entries are shown
    is_cut: bool = False  # True: not all of its own entries are listed


def get_directory_tree(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_directory_tree`."""
    page = Page("get_directory_tree", arguments)
    top = _list(repository, str(arguments.get("path", "")))
    wanted = find_integer(arguments, "depth") or DEFAULT_DEPTH
    whole = page.start + MAX_TREE_ENTRIES
    entries, notes, widest = _grow(repository, top, wanted, whole + 1, context)
    keys = [entry.path for entry in entries[1:]]
    page.check(keys)
    if len(keys) > whole:
        notes.append(
            f"The tree was cut at {MAX_TREE_ENTRIES:,} entries; continue with cursor, or ask for a folder or"
            " less depth."
        )
    name = top.path.rpartition("/")[2] or repository.root_name
    rows = min(len(keys), whole) - page.start

    def build(rows: int) -> Part:
        end = page.start + rows
        tree = _build_tree(entries, name, page.start + 1, end + 1)
        return Part({**tree, **page.follow(keys, rows, end < len(keys))}, notes)

    if widest < MAX_ENTRIES:
        return Draft(build, rows, "depth" not in arguments)
    # The specification promises 1,000 entries of one folder, so a tree with such a folder is not kept short.
    most = _choose(repository, "max_total_bytes_per_response", MAX_READ_BYTES)
    return Draft(build, rows, max_bytes=most)


def _grow(
    repository: Repository, top: DirectoryListing, depth: int, most: int, context: CallContext
) -> tuple[list[_TreeEntry], list[str], int]:
    """Return the top and at most `most` entries below it, warnings, and the entries of the widest folder."""
    notes = [*top.warnings, *_explain_empty(top)]
    entries = [_TreeEntry(top.path, True, 0, is_open=True)]
    widest = 0
    waiting: deque[tuple[int, int]] = deque([(0, 1)])  # number of a folder, and its level
    while waiting and not context.cancelled():
        number, level = waiting.popleft()
        folder = entries[number]
        room = min(MAX_ENTRIES, most + 1 - len(entries))
        listing = (_find_listing(repository, folder.path) if number else top) if room else None
        if listing is None:
            folder.is_cut = not room
            notes += [f"{escape_text(folder.path)} could not be listed."] if room else []
            continue
        for entry in listing.entries[:room]:
            is_open = entry.is_directory and level < depth
            if is_open:
                waiting.append((len(entries), level + 1))
            entries.append(_TreeEntry(entry.path, entry.is_directory, number, is_open))
        widest = max(widest, min(room, len(listing.entries)))
        folder.is_cut = room < len(listing.entries)
    return entries, notes[:MAX_NOTES], widest


def _explain_empty(listing: DirectoryListing) -> list[str]:
    """Return a warning that explains why a folder shows nothing although it is not empty; else none."""
    if listing.entries or not listing.left_out:
        return []
    counts = ", ".join(f"{count} {reason}" for reason, count in sorted(listing.left_out.items()))
    return [f"Its entries are left out: {counts}."]


def _find_listing(repository: Repository, path: str) -> DirectoryListing | None:
    """Return the entries of a folder; None if it vanished or cannot be read."""
    try:
        return _list(repository, path)
    except RepoError:
        return None


def _build_tree(entries: Sequence[_TreeEntry], name: str, start: int, end: int) -> Result:
    """Return the tree of the entries numbered from `start` up to but excluding `end`, with their folders.

    A folder is `truncated` if it has later entries that are not shown; those before `start` were on earlier
    pages.
    """
    shown = set(range(start, end))
    for number in range(start, end):
        while number and (number := entries[number].folder) not in shown:
            shown.add(number)
    rows: dict[int, Result] = {0: {"name": escape_text(name), "type": "directory", "children": []}}
    children: dict[int, list[Result]] = {}
    for number in sorted(shown - {0}):
        entry = entries[number]
        row: Result = {"name": escape_text(entry.path.rpartition("/")[2])}
        row["type"] = "directory" if entry.is_directory else "file"
        rows[number] = row
        children.setdefault(entry.folder, []).append(row)
    cut = {entries[number].folder for number in range(end, len(entries))}
    for number, row in rows.items():
        if entries[number].is_open:
            row["children"] = children.get(number, [])
        if entries[number].is_cut or number in cut:
            row["truncated"] = True
    return rows[0]
