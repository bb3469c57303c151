"""Find the documents nearest to the root: those by which one gets to know a repository.

They are looked for in the root itself and in the directories directly in it, as the tree is now. So it takes
as long in a repository of 100,000 files as in a small one, and needs no index. Left out on purpose: whatever
lies deeper, which a search finds better than a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repo_mcp.documentation.documents import is_document
from repo_mcp.errors import RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing

MAX_DIRECTORIES = 64  # that are looked into, the first in order of their names


def find_nearest(
    list_directory: Callable[[str], DirectoryListing], extensions: Mapping[str, str], most: int
) -> list[DirectoryEntry]:
    """Return at most `most` documents, those of the root first, each directory's in order of their names.

    `list_directory` lists a directory by its path, "" for the root; `extensions` maps extensions of files to
    languages. Raises RepoError when the root cannot be listed.
    """
    entries = list_directory("").entries
    found = [one for one in entries if not one.is_directory and is_document(one.path, extensions)]
    for directory in [one.path for one in entries if one.is_directory][:MAX_DIRECTORIES]:
        if len(found) >= most:
            break
        try:
            inner = list_directory(directory).entries
        except RepoError:  # it is gone, or must not be read
            continue
        found += [one for one in inner if not one.is_directory and is_document(one.path, extensions)]
    return found[:most]
