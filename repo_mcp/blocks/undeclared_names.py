"""Raise the worth of the blocks that use a name of the prompt which nothing declares.

Such a name belongs to a library, to a configuration or to what the program talks to. Who looks for it finds
where it is used, and that is what the prompt is about. A name that is used in many places says little about
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from repo_mcp.blocks.rated_files import RatedFile, iter_lines_with
from repo_mcp.blocks.source import MAX_READ_PATHS, BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.text.analysis import MAX_WORD_BYTES
from repo_mcp.text.lines import compile_name

MIN_NAME_CHARS = 4
MAX_UNITS = 12  # of the index that hold the name
MAX_USING = 8  # blocks


def raise_users(
    opened: Sequence[RatedFile], names: Mapping[str, float], source: BlockSource, weights: Weights
) -> None:
    """Raise the worth of the blocks that use a name which the prompt surely means and no file declares.

    Comments, tests and documents do not use it.
    """
    for name in dict.fromkeys(name.rpartition(".")[2] for name, sure in names.items() if sure >= 1.0):
        if MIN_NAME_CHARS <= len(name) <= MAX_WORD_BYTES and _is_undeclared(name, source):
            using = [(one, at) for one in opened if one.priority >= 1.0 for at in _iter_using(one, name)]
            if len(using) <= MAX_USING:
                for one, at in using:
                    one.worth[at] += weights.named


def _is_undeclared(name: str, source: BlockSource) -> bool:
    """Return True for a name that the index has in few places, none of which declares it."""
    if not 0 < source.count_units(name.lower()) <= MAX_UNITS:
        return False
    return not source.find_declaring(name, MAX_READ_PATHS, True)


def _iter_using(one: RatedFile, name: str) -> Iterator[int]:
    """Yield the positions of the blocks of a file that use a name, each once."""
    whole = compile_name(name)
    yield from dict.fromkeys(at for at, _, line in iter_lines_with(one, [name]) if whole.search(line))
