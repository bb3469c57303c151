"""Find the documents and media nearest to the root, which people read first.

The root itself and the directories directly in it are listed as they are now. This needs no index, and takes
as long in a repository of 100,000 files as in a small one. Left out on purpose: whatever is deeper, because a
search finds it better than a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from repo_mcp.documentation.documents import is_document
from repo_mcp.documentation.media import is_medium
from repo_mcp.errors import RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing

MAX_DIRECTORIES = 64  # most directories that are listed, the first by name


def find_nearest(
    list_directory: Callable[[str], DirectoryListing],
    extensions: Mapping[str, str],
    most: int,
    document_bytes: int,
    medium_bytes: int,
) -> list[DirectoryEntry]:
    """Return at most `most` files: documents before media, and those in the root before those below it.

    Files of one directory are sorted by name. `list_directory` lists a directory by its path, "" for the
    root; `extensions` maps file extensions to languages. Documents of more than `document_bytes` and media of
    more than `medium_bytes` are left out. Raises RepoError if the root cannot be listed.
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
        except RepoError:  # the directory is gone, or must not be read
            continue
        yield from (one for one in inner if not one.is_directory)
