"""Name the files that a client may have meant by a path that leads to none.

These are files of the index that end as the path does, or share its name and most of its folders; files
that the path matches, if it is a glob; otherwise names of the same folder that are spelled nearly so, paths
that end as it does but for the case of letters, and names anywhere that share a word with its own. Of a
directory some files are named. Only what is listed or indexed is.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from index_format import IndexFormatError
from repo_mcp.errors import SIMILAR, ErrorCode, RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.live.similar_names import find_similar_files
from repo_mcp.ranking.query.mentions import find_meant
from repo_mcp.ranking.scoring.live_terms import find_paths
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.roles import order_by_role
from repo_mcp.text.shared_parts import count_shared
from repo_mcp.workspace.live_tree import LiveTree
from repo_mcp.workspace.reader.client_paths import shown

MAX_NAMED = 3
MAX_MATCHING = 100  # most files that are counted for a glob in place of a path
LEAST_ALIKE = 0.75  # least similarity of two names (difflib's ratio, 0 to 1)


def add_near_paths(error: RepoError, path: str, tree: LiveTree, searcher: Searcher | None) -> RepoError:
    """Return the error about a path; if no file has the path, the paths of similar files are added to it."""
    if error.code is ErrorCode.NOT_A_FILE and error.details.get("is_directory"):
        inside = _list_folder(tree.name_path(path), tree)
        hint = f"{error.hint.removesuffix('.')}: {_name_some(inside)}." if inside else error.hint
        return RepoError(error.code, error.message, hint, error.details)
    if error.code is not ErrorCode.NOT_FOUND:
        return error
    near = _list_near(path.replace("\\", "/"), tree, searcher)
    if not near:
        return error
    return RepoError(error.code, error.message, f"{SIMILAR} {_name_some(near)}.", error.details)


def _list_near(path: str, tree: LiveTree, searcher: Searcher | None) -> Sequence[str]:
    """Return the files that a path may mean, without the path itself: its file may just have been deleted."""

    def find_others(found: Sequence[str]) -> Sequence[str]:
        return [one for one in found if one != path]

    near = _list_matching(path, tree) if "*" in path else find_others(_find_ending(path, searcher))
    near = near or _find_in_folder(path, tree) or find_others(_find_folded(path, searcher))
    if not near and searcher is not None:
        near = find_others(find_similar_files(searcher.snapshot, path.rpartition("/")[2]))
    return near


def _name_some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MAX_NAMED} more" if len(paths) > MAX_NAMED else ""
    return ", ".join(map(shown, paths[:MAX_NAMED])) + more


def _find_ending(path: str, searcher: Searcher | None) -> Sequence[str]:
    """Return the indexed files that end as the path does, or none while nothing is indexed."""
    if searcher is None:
        return ()
    name = path.rpartition("/")[2]
    try:
        found = find_meant(path, lambda terms: find_paths(searcher.snapshot, terms))
        alike = () if found else find_paths(searcher.snapshot, analyse_text(name))
    except (IndexFormatError, OSError):  # a search will say so
        return ()
    return found or list(order_by_role(one for one in alike if f"/{one}".endswith(f"/{path}")))


def _list_matching(glob: str, tree: LiveTree) -> Sequence[str]:
    """Return the files that a glob matches; none for a bad one."""
    try:
        return [file.path for file in tree.list_files(glob, MAX_MATCHING, False, lambda: False).files]
    except RepoError:
        return ()


def _list_folder(folder: str, tree: LiveTree) -> Sequence[str]:
    """Return the files directly in a folder; none if it cannot be listed."""
    try:
        return [entry.path for entry in tree.list_directory(folder).entries if not entry.is_directory]
    except RepoError:
        return ()


def _find_in_folder(path: str, tree: LiveTree) -> Sequence[str]:
    """Return the files in the folder of a path whose names are nearly spelled as its name."""
    folder, _, name = path.rpartition("/")
    files = {one.rpartition("/")[2]: one for one in _list_folder(folder, tree)}
    return [files[one] for one in get_close_matches(name, files, MAX_NAMED, LEAST_ALIKE)]


def _find_folded(path: str, searcher: Searcher | None) -> Sequence[str]:
    """Return the indexed files whose names and folders are, in other case, those of a path, the most alike
    first.
    """
    if searcher is None:
        return ()
    parts = path.lower().split("/")[::-1]
    try:
        paths = KnownFiles(searcher.snapshot).iter_paths()
        alike = [(count_shared(reversed(one.lower().split("/")), parts), one) for one in paths]
    except (IndexFormatError, OSError):
        return ()
    least = min(2, len(parts))  # the name, and a folder if there is one
    return [one for shared, one in sorted(alike, key=lambda pair: (-pair[0], pair[1])) if shared >= least]
