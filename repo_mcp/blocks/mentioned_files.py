"""Find the files that the clues of a prompt refer to: by path, or because they declare what a frame names.

Left out: tests that are not asked for, frames in foreign or built code, documents that a report only cites.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.blocks.prompt_names import MAX_DECLARING
from repo_mcp.blocks.source import BlockSource
from repo_mcp.errors import RepoError
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.mentions import Mention, resolve_mentions
from repo_mcp.text.roles import FileRole, find_role

MAX_DECLARING_FRAME = 50  # files that declare the method of a frame, of which its type chooses


def find_mentioned(
    clues: Iterable[Clue], source: BlockSource, title: str | None, *, include_tests: bool
) -> tuple[Mention, ...]:
    """Return the files that the clues refer to. `title` is that of pasted text, else None.

    Raises IndexFormatError, OSError.
    """
    found = tuple(_iter_mentions(clues, source, include_tests=include_tests))
    return tuple(one for one in found if _is_wanted(one, title, include_tests=include_tests))


def _iter_mentions(clues: Iterable[Clue], source: BlockSource, *, include_tests: bool) -> Iterator[Mention]:
    """Yield the files that the clues refer to: of a frame that names a type, those that declare both.

    A file named like the type may define the function alone, as in C++. Of a frame that names only a
    function, those that declare it; of one whose function has moved, those beside its file that do.
    """
    for clue in clues:
        found = resolve_mentions((clue,), source.find_paths)
        yield from _find_moved(clue, found, source, include_tests=include_tests) or found
        if not found and clue.arguments is not None and clue.name:
            owner = clue.text.rpartition(".")[2]
            owning = source.find_declaring(owner, MAX_DECLARING, include_tests)
            naming = source.find_declaring(clue.name, MAX_DECLARING_FRAME, include_tests) if owner else ()
            paths = [path for path in naming if path in owning or _is_named_like(path, owner)]
            yield from (Mention(path, clue, 1 / len(paths)) for path in paths)
        elif clue.kind is ClueKind.FRAME and not clue.text and clue.name:
            paths = source.find_declaring(clue.name, MAX_DECLARING, include_tests)
            yield from (Mention(path, clue, 1 / len(paths)) for path in paths)


def _find_moved(
    clue: Clue, found: Sequence[Mention], source: BlockSource, *, include_tests: bool
) -> list[Mention]:
    """Return the files beside those of a frame that declare its function, if those do not even name it.

    They are read only if the index knows such files beside them.
    """
    name = clue.name
    if clue.kind is not ClueKind.FRAME or not name or not found:
        return []
    own = {one.path for one in found}
    folders = {path.rpartition("/")[0] for path in own}
    declaring = source.find_declaring(name, MAX_DECLARING_FRAME, include_tests)
    paths = [path for path in declaring if path.rpartition("/")[0] in folders]
    if not own.isdisjoint(paths) or not paths or any(_names(source, one.path, name) for one in found):
        return []
    return [Mention(path, clue, 1 / len(paths)) for path in paths]


def _names(source: BlockSource, path: str, name: str) -> bool:
    """Return whether a file has a name; True for one that is not readable now."""
    try:
        return any(name in line for line in source.read(path).lines)
    except RepoError:
        return True


def _is_named_like(path: str, name: str) -> bool:
    """Return whether a file has the name of a type: Book.cpp or signal_handler.cc."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return stem.replace("_", "").lower() == name.replace("_", "").lower()


def _is_wanted(mention: Mention, title: str | None, *, include_tests: bool) -> bool:
    """Return False for a test that is not asked for, and for a traceback frame in foreign or built code.

    A document that a report does not name in its `title` was changed besides, as a change log is, or cited.
    """
    role = find_role(mention.path)
    if role is FileRole.TEST:
        return include_tests
    if role is FileRole.DOCS and title is not None:
        return mention.clue.line is not None or mention.clue.text in title
    return role is not FileRole.FOREIGN or mention.clue.kind is not ClueKind.FRAME
