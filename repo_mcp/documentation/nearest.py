"""Find the documents and media nearest to the root: those by which one gets to know a repository.

They are looked for in the root itself and in the directories directly in it, as the tree is now. So it takes
as long in a repository of 100,000 files as in a small one, and needs no index. Left out on purpose: whatever
lies deeper, which a search finds better than a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from repo_mcp.documentation.documents import is_document
from repo_mcp.documentation.media import is_medium
from repo_mcp.errors import RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing

MAX_DIRECTORIES = 64  # that are looked into, the first in order of their names


def find_nearest(
    list_directory: Callable[[str], DirectoryListing],
    extensions: Mapping[str, str],
    most: int,
    document_bytes: int,
    medium_bytes: int,
) -> list[DirectoryEntry]:
    """Return at most `most` files, documents before media, those of the root before those of its directories.

    Each directory's are in order of their names. `list_directory` lists a directory by its path, "" for the
    root; `extensions` maps extensions of files to languages. Larger files than these bytes are left out.
    Raises RepoError when the root cannot be listed.
    """
    documents: list[DirectoryEntry] = []
    media: list[DirectoryEntry] = []
    for entry in _iter_files(list_directory):
        size = entry.size or 0
        if is_document(entry.path, extensions):
            documents += [entry] if size <= document_bytes else []
        elif is_medium(entry.path) and size <= medium_bytes:
            media.append(entry)
        if len(documents) >= most:
            break
    return [*documents, *media][:most]


def _iter_files(list_directory: Callable[[str], DirectoryListing]) -> Iterator[DirectoryEntry]:
    """Yield the files of the root, then those of each directory in it."""
    entries = list_directory("").entries
    yield from (one for one in entries if not one.is_directory)
    for directory in [one.path for one in entries if one.is_directory][:MAX_DIRECTORIES]:
        try:
            inner = list_directory(directory).entries
        except RepoError:  # it is gone, or must not be read
            continue
        yield from (one for one in inner if not one.is_directory)
