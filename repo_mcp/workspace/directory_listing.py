"""Lists one directory as the walk would: what exists and is neither denied, hidden nor ignored.

Where the walk would not go (a directory that is hidden or ignored, or inside one) nothing is listed, and the
entries are counted under that reason. The repository reader resolves links on the way, inside the root only;
links among the entries are counted, like anything else that is neither file nor directory.

Left out on purpose: deeper levels, and the walk's memory of admitted names, because one directory is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing
from repo_mcp.workspace.hidden_names import is_hidden
from repo_mcp.workspace.ignore.ignore import IgnoreRules
from repo_mcp.workspace.name_judge import NOTHING_JUDGED, Entry, NameJudge
from repo_mcp.workspace.policy import Denial
from repo_mcp.workspace.reader.bounds import find_entry_refusal
from repo_mcp.workspace.reader.client_paths import shown
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, entry_name, reach_directory
from repo_mcp.workspace.walk_level import WalkLevel
from repo_mcp.workspace.walk_memory import NewVerdicts


def list_directory(
    reader: RepositoryReader, find_denial: Callable[[str], Denial | None], ignore: IgnoreRules, path: str
) -> DirectoryListing:
    """Return the files and directories directly in one directory, in order of names.

    `path` comes from a client; `ignore` collects the `.gitignore` files on the way. Raises as
    `reach_directory` does, and RepoError with UNREADABLE.
    """
    path = reach_directory(reader, path)
    judge = NameJudge(reader, find_denial, ignore, hidden=False, memory=None)
    parts = path.split("/") if path else []
    why_nothing = ""
    for depth, name in enumerate(parts):
        with _open(reader, judge, "/".join(parts[:depth])) as (level, entries):
            rules = judge.find_rules(level, entries)
        if is_hidden(name):
            why_nothing = why_nothing or "hidden"
        elif rules.ignored(name, True):
            why_nothing = why_nothing or "ignored"
    judge.skipped.clear()
    rows: list[DirectoryEntry] = []
    with _open(reader, judge, path) as (level, entries):
        if why_nothing:
            allowed = judge.list_allowed(entries)
            judge.skipped.update("hidden" if is_hidden(name) else why_nothing for name, _, _ in allowed)
        else:
            rows = sorted(_iter_rows(reader, judge, level, entries), key=attrgetter("path"))
    left_out = {reason: count for reason, count in sorted(judge.skipped.items()) if count}
    return DirectoryListing(path, tuple(rows), left_out, (*judge.warnings, *ignore.warnings))


@contextmanager
def _open(reader: RepositoryReader, judge: NameJudge, path: str) -> Iterator[tuple[WalkLevel, list[Entry]]]:
    """Yield a directory and its entries while it is open, after its own ignore file was read."""
    directory = reader.open_directory(path)
    try:
        level = WalkLevel(path, directory, ())
        found = {entry_name(entry): entry for entry in reader.scan(directory)}
        judge.recall(level, directory, found)
        yield level, [(name, level.prefix + name, entry) for name, entry in found.items()]
    except OSError:
        raise RepoError(ErrorCode.UNREADABLE, f"Cannot list the directory {shown(path)}.") from None
    finally:
        reader.close_directory(directory)


def _iter_rows(
    reader: RepositoryReader, judge: NameJudge, level: WalkLevel, entries: list[Entry]
) -> Iterator[DirectoryEntry]:
    """Yield the entries that the walk would take, except files deleted since they were listed."""
    for (_, path, entry), is_directory in judge.iter_admitted(level, NOTHING_JUDGED, entries, NewVerdicts()):
        refusal = find_entry_refusal(reader.bounds, entry)
        if refusal is not None:
            judge.skipped[refusal] += 1
            continue
        try:
            size = None if is_directory else entry.stat(follow_symlinks=False).st_size
        except FileNotFoundError:
            continue
        yield DirectoryEntry(path, is_directory, size)
