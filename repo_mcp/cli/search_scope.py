"""The files that a search of a person is about: PATHs, globs and a type, as the engine takes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.errors import ErrorCode, RepoError

_SPECIAL = re.compile(r"[*?\[\]{}\\,!]")


def join_globs(globs: Sequence[str], paths: Iterable[str]) -> str | None:
    """Return one glob for the files that match one of `globs` and lie at or below one of `paths`.

    A glob that begins with `!` leaves out what the rest of it matches, at any place. None lets every file
    through. Raises RepoError with PATH_ESCAPE for a path outside of the root, and with INVALID_ARGUMENT for a
    glob with a slash that names another place than a path.
    """
    left_out = [glob for glob in globs if glob.startswith("!")]
    wanted = [glob for glob in globs if not glob.startswith("!")]
    places = [_name_place(path) for path in paths]
    if "" in places:  # the root itself
        places = []
    if places and wanted:
        wanted = [_place_glob(glob, place) for place in places for glob in wanted]
    elif places:
        wanted = [one for place in places for one in (f"/{place}", f"{place}/**")]
    return _unite([*wanted, *left_out])


def _unite(globs: Sequence[str]) -> str | None:
    distinct = list(dict.fromkeys(globs))
    return f"{{{','.join(distinct)}}}" if len(distinct) > 1 else next(iter(distinct), None)


def _name_place(path: str) -> str:
    """Return a path relative to the root, its special characters escaped; "" for the root."""
    plain = os.path.normpath(path).replace(os.sep, "/") if path else ""
    if not plain or plain.startswith(("../", "/")) or plain == "..":
        raise RepoError(
            ErrorCode.PATH_ESCAPE,
            f"{path or 'An empty PATH'} is not inside of the repository.",
            "Give paths relative to it.",
        )
    return "" if plain == "." else _SPECIAL.sub(r"\\\g<0>", plain)


def _place_glob(glob: str, place: str) -> str:
    """Return the glob for files that match below a place."""
    plain = glob.removeprefix("./").lstrip("/")
    if "/" not in plain.rstrip("/"):
        return f"{place}/**/{plain}"
    if plain.startswith("**/"):
        return f"{place}/{plain}"
    if plain.startswith(f"{place}/"):
        return plain
    raise RepoError(
        ErrorCode.INVALID_ARGUMENT,
        f"--glob {glob} is not inside of {place}.",
        "Give a glob without a slash, such as *.py, or leave out the path.",
    )


def choose_language(name: str | None, extensions: Mapping[str, str]) -> str | None:
    """Return the language of a name or of a file extension: "python" for "py" and "Python"."""
    if name is None:
        return None
    from repo_mcp.languages.patterns.language_registry import LANGUAGES, find_language

    plain = name.lower().removeprefix(".")
    if plain in LANGUAGES:
        return plain
    found = find_language(f"x.{plain}", extensions).name
    return name if found == "unknown" else found
