"""Tell which files are of a module that a prompt names: before a name, or before all that it says.

    time.Parse fails              a file of the folder `time`, or `time.py`
    net/http: requests hang       a file below the folder `net/http`

Who writes so means nothing of that name elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from repo_mcp.late_patterns import compile_late
from repo_mcp.text.analysis import analyse_text

_LEADING_FOLDER = compile_late(r"\s*([\w.-]{1,80}(?:/[\w.-]{1,80}){1,8}): ")


def find_leading_folder(prompt: str, find_paths: Callable[[Iterable[str]], list[str]]) -> str:
    """Return the folder of several parts that a prompt begins with, before a colon; "" if there is none."""
    found = _LEADING_FOLDER.match(prompt)
    if found is None:
        return ""
    folder = found[1].strip("/")
    paths = find_paths(analyse_text(folder.rpartition("/")[2]))
    return folder if any(is_below(path, folder) for path in paths) else ""


def is_below(path: str, folder: str) -> bool:
    """Return True for a path below a folder, whose first parts may be left out."""
    return f"/{folder}/" in f"/{path}"


def is_of_module(path: str, name: str) -> bool:
    """Return True for a file in the folder, or with the name, of the module before the last dot of a name."""
    module = name.rpartition(".")[0].rpartition(".")[2]
    folder, _, file = path.rpartition("/")
    return bool(module) and module in (folder.rpartition("/")[2], file.partition(".")[0])
