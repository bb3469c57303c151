"""Finds the indexed files that the paths and frames of a prompt mean. Pure.

A path in a prompt need not be one of ours: it may be absolute, from another machine, cut at either end, or
the dotted name of a module or of the type that a frame names. It means a file when the two paths agree from
the end in all components of the shorter one, or, for an absolute path, in at least two; the longest agreement
wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.shared_parts import count_shared

MAX_MEANT = 4  # files that one path may mean; a path that fits more says nothing
SOURCE_SHARE = 0.5  # of a file from which a script may have been built, by its name alone
_DOTTED = compile_late(r"\w+(?:\.\w+)+")
FindPaths = Callable[[Iterable[str]], list[str]]
_BUILT = (".js", ".cjs", ".mjs")  # such a file may be built from one of another name
_BUILT_FROM = frozenset(("coffeescript", "javascript", "svelte", "typescript", "vue"))


@dataclass(frozen=True, slots=True)
class Mention:
    """One indexed file that a clue refers to."""

    path: str
    clue: Clue
    share: float  # 1, or SOURCE_SHARE, over the number of files that the clue may refer to


def resolve_mentions(clues: Sequence[Clue], find_paths: FindPaths) -> tuple[Mention, ...]:
    """Return the files that the frames and paths refer to, in the order of the clues.

    For a frame in a built script that is its source, in which the line of the frame means nothing.
    """
    mentions: list[Mention] = []
    for clue in clues:
        if clue.text and clue.kind in (ClueKind.FRAME, ClueKind.PATH):
            meant = find_meant(clue.text, find_paths)
            mentions += [Mention(path, clue, 1 / len(meant)) for path in meant]
            if not meant and clue.kind is ClueKind.FRAME and clue.text.endswith(_BUILT):
                frame, sources = replace(clue, line=None), find_sources(clue.text, find_paths)
                mentions += [Mention(path, frame, SOURCE_SHARE / len(sources)) for path in sources]
    return tuple(mentions)


def number_frames(mentions: Iterable[Mention]) -> dict[Clue, int]:
    """Return the frames that are mentioned, each with its number; the first is the innermost and has 0."""
    frames = dict.fromkeys(one.clue for one in mentions if one.clue.kind is ClueKind.FRAME)
    return {clue: number for number, clue in enumerate(frames)}


def find_sources(text: str, find_paths: FindPaths) -> list[str]:
    """Return the files from which a script may have been built: `a/b.ts` or `a/b/index.js` for `a/b.js`.

    Left out are files in languages that are not built into scripts, `b.d.ts`, and tests such as `b.test.ts`.
    """
    wanted = [part for part in _strip_extension(text).split("/") if part not in ("", ".", "..")]
    if not wanted:
        return []
    stems = ("index", wanted[-1])

    def find_scripts(terms: Iterable[str]) -> list[str]:
        return [
            path
            for path in find_paths(terms)
            if path.rpartition("/")[2].rpartition(".")[0] in stems and find_language(path).name in _BUILT_FROM
        ]

    meant = _find_agreeing(wanted, find_scripts, _strip_extension)
    return meant if len(meant) <= MAX_MEANT else []


def find_meant(text: str, find_paths: FindPaths) -> list[str]:
    """Return the files that a path refers to; none when there are more than MAX_MEANT."""
    wanted = [part for part in text.split("/") if part not in ("", ".", "..")]
    meant = _find_agreeing(wanted, find_paths, lambda path: path) if wanted else []
    if not meant and _DOTTED.fullmatch(text):
        modules = [part for part in text.split(".") if part]
        meant = _find_agreeing(modules, find_paths, _name_module)
        meant = [path for path in meant if "/" in path]
    return meant if len(meant) <= MAX_MEANT else []


def _strip_extension(path: str) -> str:
    """Return the path in module form: without its extension, and a package by its directory."""
    head, slash, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return head if stem in ("__init__", "index", "mod") and slash else f"{head}{slash}{stem}"


def _name_module(path: str) -> str:
    """Return the path in module form, with the dots of folders as slashes: `Ledger.Core/Book.cs`."""
    return _strip_extension(path).replace(".", "/")


def _find_agreeing(wanted: Sequence[str], find_paths: FindPaths, shape: Callable[[str], str]) -> list[str]:
    """Return the paths that share the longest run of components, from the end, with the wanted ones.

    Of paths that have all of these, no more are looked for than are too many.
    """
    best, found = 0, []
    for path in find_paths(analyse_text(wanted[-1])):
        parts = shape(path).split("/")
        length = count_shared(reversed(parts), reversed(wanted))
        enough = length in (len(parts), len(wanted)) or length >= 2
        if enough and length > best:
            best, found = length, [path]
        elif enough and length == best:
            found.append(path)
            if length == len(wanted) and len(found) > MAX_MEANT:
                break  # none agrees better, and these are too many
    return found
