"""Says what was probably meant by a glob that matches no file.

`**/core/*.c` for `core/*.c`, which begins at the root; `{*.c,*.h}` for `*.c, *.h`; `[id]` with its brackets
escaped, as without that it is one of two letters; files that match in another case; the folders that a glob
with a missing one may mean; files of similar names, if it ends with a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice, takewhile

from index_format import IndexFormatError, Snapshot
from repo_mcp.errors import RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.late_patterns import compile_late
from repo_mcp.live.similar_names import MAX_NAMED, find_similar_files
from repo_mcp.workspace.glob_filter import GlobFilter

MOST_FOLDERS = 5  # that are named for one that is missing, those with most files
LEAST_ALIKE = 0.6  # least similarity of two names of folders (difflib's ratio, 0 to 1)
_WILD = compile_late(r"[*?\[{\\!]")
_SEPARATORS = compile_late(r"[,|;\s]+")  # What people who do not know braces write between alternatives


def suggest_glob(snapshot: Snapshot, glob: str, has_files: Callable[[str], bool]) -> str:
    """Return a sentence about what a glob may mean; "" for none, or if the index cannot tell.

    `has_files` returns whether a glob matches an indexed file, and raises RepoError for a bad one.
    """
    for one in _list_variants(glob):
        with suppress(RepoError):  # the split went through a bracket
            if has_files(one):
                return f"`{one}` matches some."
    try:
        paths = sorted(KnownFiles(snapshot).iter_paths())
    except (IndexFormatError, OSError):  # a search will say so
        return ""
    name = glob.rpartition("/")[2]
    similar = () if _WILD.search(name) else find_similar_files(snapshot, name)
    return (
        _find_in_other_case(glob, paths)
        or (f"Similar: {_join(similar)}." if similar else "")
        or _describe_folder(glob, paths)
        or _describe_bracket(glob)
    )


def _list_variants(glob: str) -> list[str]:
    """Return a glob with braces around what it lists, with literal brackets, and beginning at any depth."""
    alternatives = [one for one in _SEPARATORS.split(glob) if one]
    listed = ["{" + ",".join(alternatives) + "}"] if len(alternatives) > 1 and "{" not in glob else []
    literal = glob.replace("[", "\\[")  # folders of web frameworks are named so: `app/[id]/page.tsx`
    deep = [f"**/{one.strip('/')}" for one in (glob, literal) if "/" in one]
    return [*listed, *([literal] if literal != glob else []), *dict.fromkeys(deep)]


def _find_in_other_case(glob: str, paths: Iterable[str]) -> str:
    matches = GlobFilter(glob.lower()).matches
    found = list(islice((path for path in paths if matches(path.lower())), MAX_NAMED + 1))
    if not found:
        return ""
    more = " and others" if len(found) > MAX_NAMED else ""
    return f"In another case it matches {_join(found[:MAX_NAMED])}{more}."


def _describe_folder(glob: str, paths: Iterable[str]) -> str:
    """Return a sentence about the first folder of a glob that the index lacks."""
    folders = list(takewhile(lambda part: not _WILD.search(part), glob.strip("/").split("/")[:-1]))
    above = ""
    if ".." in folders:
        return "A glob leads no higher than the root."
    for folder in folders:
        inside = _count_folders(above, paths)
        if folder not in inside:
            near = get_close_matches(folder, inside, MAX_NAMED, LEAST_ALIKE)
            lacks = f"Nothing below `{above}{folder}/` is indexed"
            if near:
                return f"{lacks}; similar: {_join(f'{above}{one}/' for one in near)}."
            named = [f"{above}{one}/" for one, _ in inside.most_common(MOST_FOLDERS)]
            return f"{lacks}; there is {_join(named)}." if named else f"{lacks}."
        above += f"{folder}/"
    return ""


def _count_folders(above: str, paths: Iterable[str]) -> Counter[str]:
    """Return the folders directly in a folder (`src/`, or "" for the root) with their numbers of files."""
    inside = (path[len(above) :].split("/", 1) for path in paths if path.startswith(above))
    return Counter(parts[0] for parts in inside if len(parts) > 1)


def _describe_bracket(glob: str) -> str:
    for opening, closing in ("{}", "[]"):
        if opening in glob and closing not in glob.partition(opening)[2]:
            return f"`{opening}` without `{closing}` stands for itself."
    return ""


def _join(names: Iterable[str]) -> str:
    return ", ".join(f"`{one}`" for one in names)
