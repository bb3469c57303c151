"""Name the files that a client may have meant by a path that leads to none.

These are files of the index that end as the path does, or share its name and most of its folders, and
otherwise names of the same folder that are spelled nearly so. Only what is listed or indexed is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from index_format import IndexFormatError
from repo_mcp.errors import SIMILAR, ErrorCode, RepoError
from repo_mcp.ranking.prompt import find_meant
from repo_mcp.ranking.searcher import Searcher
from repo_mcp.ranking.spell_suggest import find_paths
from repo_mcp.workspace.client_paths import shown
from repo_mcp.workspace.live_tree import LiveTree

MAX_NAMED = 3
LEAST_ALIKE = 0.75  # from 0 to 1, as difflib has it


def add_near_paths(error: RepoError, path: str, tree: LiveTree, searcher: Searcher | None) -> RepoError:
    """Return an error about a path; if it leads to no file, and others are like it, with their paths."""
    if error.code is not ErrorCode.NOT_FOUND:
        return error
    near = _find_ending(path, searcher) or _find_in_folder(path, tree)
    if not near:
        return error
    named = ", ".join(map(shown, near[:MAX_NAMED]))
    return RepoError(error.code, error.message, f"{SIMILAR} {named}.", error.details)


def _find_ending(path: str, searcher: Searcher | None) -> Sequence[str]:
    """Return the indexed files that end as the path does, or none while nothing is indexed."""
    if searcher is None:
        return ()
    try:
        return find_meant(path, lambda terms: find_paths(searcher.snapshot, terms))
    except (IndexFormatError, OSError):  # a search will say so
        return ()


def _find_in_folder(path: str, tree: LiveTree) -> Sequence[str]:
    """Return the files in the folder of a path whose names are nearly spelled as its name."""
    folder, _, name = path.rpartition("/")
    try:
        entries = tree.list_directory(folder).entries
    except RepoError:
        return ()
    files = {entry.path.rpartition("/")[2]: entry.path for entry in entries if not entry.is_directory}
    return [files[one] for one in get_close_matches(name, files, MAX_NAMED, LEAST_ALIKE)]
