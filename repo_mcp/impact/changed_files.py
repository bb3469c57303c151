"""The files of a diff: judged by name before anything is read, then laid over what is there.

A denied file is left out whole: neither its text nor what the diff says of it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.impact.applied import Applied, Side, TouchedLines, lay_over
from repo_mcp.impact.records import LeftOut
from repo_mcp.text.lines import decode_source
from repo_mcp.text.unified_diff import DiffFile
from repo_mcp.workspace.repository_reader import OpenedFile

MAX_CHARS = 50_000_000  # of the texts of both sides: some 300 MB of memory
TOO_MUCH = f"beyond the first {MAX_CHARS:,} characters of the diff's files"
BINARY = "binary: nothing is known of its contents"
MISSING = "not in the tree: neither the old nor the new state of the diff is there"
_REASONS = {
    ErrorCode.PATH_DENIED: "denied: this name is never served",
    ErrorCode.PATH_ESCAPE: "outside the root",
    ErrorCode.PATH_INVALID: "no file can have this path",
    ErrorCode.NOT_A_FILE: "no regular file",
    ErrorCode.BINARY_FILE: BINARY,
    ErrorCode.FILE_TOO_LARGE: "larger than max_file_bytes",
    ErrorCode.UNREADABLE: "the system refuses to read it",
}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a diff that may be looked at."""

    path: str  # of the file as it is; of one that is not there, in the diff
    old_path: str | None  # another name that it had, or has
    lines: tuple[str, ...]  # as it is; empty when it is not there
    applied: Applied
    is_there: bool


NamePath = Callable[[str], str]  # a client's path -> as it may be named; raises RepoError
Read = Callable[[str], OpenedFile]  # raises RepoError


def judge_files(
    files: Iterable[DiffFile], name_path: NamePath, read: Read
) -> tuple[list[ChangedFile], list[LeftOut]]:
    """Return the files that may be looked at, in the order of the diff, and the others with reasons.

    Once those looked at have MAX_CHARS, all further ones are left out.
    """
    judged: list[ChangedFile] = []
    left_out: list[LeftOut] = []
    room = MAX_CHARS
    for file in files:
        if room < 0:
            left_out.append(LeftOut(file.path, TOO_MUCH))
            continue
        try:
            judged.append(_judge(file, name_path, read))
            room -= sum(map(len, judged[-1].lines)) + sum(map(len, judged[-1].applied.other))
        except RepoError as error:
            left_out.append(LeftOut(file.path, _REASONS.get(error.code, error.message)))
    return judged, left_out


def _judge(file: DiffFile, name_path: NamePath, read: Read) -> ChangedFile:
    given = list(dict.fromkeys(one for one in (file.new_path, file.old_path) if one is not None))
    named = [*map(name_path, given)]  # both: what is renamed from a denied name is denied
    if file.is_binary:
        raise RepoError(ErrorCode.BINARY_FILE, BINARY)
    shorter = [name_path(one.partition("/")[2]) for one in given if "/" in one]  # as `patch -p1` takes them
    for paths in (named, shorter):
        for path in paths:
            found = _read_lines(path, read)
            if found is not None:
                others = [one for one in paths if one != path]
                applied = lay_over(found[1], file.hunks)
                return ChangedFile(found[0], others[0] if others else None, found[1], applied, True)
    if None in (file.new_path, file.old_path):
        return _imagine(file, named[0])
    raise RepoError(ErrorCode.NOT_FOUND, MISSING)


def _read_lines(path: str, read: Read) -> tuple[str, tuple[str, ...]] | None:
    """Return the real path of a file and its lines; None where there is none. Raises RepoError."""
    try:
        opened = read(path)
    except RepoError as error:
        if error.code is ErrorCode.NOT_FOUND:
            return None
        raise
    return opened.path, tuple(decode_source(opened.data).data.decode("utf-8", "replace").split("\n"))


def _imagine(file: DiffFile, path: str) -> ChangedFile:
    """Return a file that is not there: one to be created, or one that the diff has deleted."""
    mark = "-" if file.new_path is None else "+"
    other = [line for hunk in file.hunks for line in hunk.list_side(mark)]
    side = Side.NEW if file.new_path is None else Side.OLD
    touched = TouchedLines(tuple(range(1, len(other) + 1)), ())
    return ChangedFile(path, None, (), Applied(side, TouchedLines((), ()), touched, tuple(other), 0), False)


def list_touched_text(file: ChangedFile) -> Sequence[str]:
    """Return the lines that the diff adds and removes, as far as both sides are known."""
    applied = file.applied
    return [
        *(file.lines[one - 1] for one in applied.here.lines),
        *(applied.other[one - 1] for one in applied.there.lines),
    ]
