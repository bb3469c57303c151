"""Find the file, the folder or the symbol on a line that a phrase of a question names by its path.

src/orders.py:45-60     a citation: the innermost symbol there
src/orders.py           a file, by its path or the end of it
src/web, "web view"     a folder, by its path or its name
"""

from __future__ import annotations

import re

from repo_mcp.errors import RepoError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.program import Declaration
from repo_mcp.research.findings.locating import is_test_place, list_ending
from repo_mcp.research.findings.records import Subject, TakenAs

_PATH = re.compile(r"[\w.@+~()\[\]-][\w.@+~()\[\] -]*(?:/[\w.@+~()\[\] -]+)*/?")
_PLACE = re.compile(r"(?:[a-z ]{0,40}(?:at|in|on) )?(\S.*\.\w{1,12}):(\d{1,9})(?:[:-]\d{1,9})?")


def find_placed(graph: Graph, text: str) -> Subject | None:
    """Return the innermost symbol on a line, as citations name it: `src/orders.py:45-60`."""
    place = _PLACE.fullmatch(text)
    if place is None:
        return None
    try:
        node = graph.choose(f"{place[1]}:{place[2]}")
    except RepoError:  # no such file, nothing on the line, or several symbols
        return None
    return Subject(text, TakenAs.DECLARED, (node,), node.symbol.name)


def find_path(graph: Graph, folder: str, text: str) -> Subject | None:
    """Return a file in a folder by its path or its end, or a folder by its path or an unambiguous end."""
    if not _PATH.fullmatch(text) or ("/" not in text and "." not in text):
        return None
    path = text.strip("/")
    scan = graph.scan
    if scan.has_folder(path):
        return Subject(text, TakenAs.FOLDER, name=path)
    paths = scan.list_paths(folder)
    fitting = list_ending(paths, path)
    for best in fitting:
        if scan.find_record(best) is not None:  # else it changed or was removed a moment ago
            node = graph.get_node(Declaration(best, 0))
            return Subject(text, TakenAs.FILE, (node,), left_out=len(fitting) - 1)
    folders = sorted({one[: one.index(f"/{path}/") + len(path) + 1] for one in paths if f"/{path}/" in one})
    return Subject(text, TakenAs.FOLDER, name=folders[0]) if len(folders) == 1 else None


def find_folder(graph: Graph, prefix: str, text: str) -> Subject | None:
    """Return the folder so named that is nearest to the root; None if none begins with `prefix`."""
    name = _fold_folder(text.strip("/"))
    folders: set[str] = set()
    for path in graph.name_uses.list_source_paths():
        parts = path.split("/")[:-1] if path.startswith(prefix) else ()
        for depth, part in enumerate(parts):
            if _fold_folder(part) == name:
                folders.add("/".join(parts[: depth + 1]))
                break
    best = min(folders, key=lambda one: (is_test_place(f"{one}/x.py"), one.count("/"), one), default=None)
    return None if best is None else Subject(text, TakenAs.FOLDER, name=best, left_out=len(folders) - 1)


def _fold_folder(name: str) -> str:
    """Return the name of a folder as it is compared: "Web View" may be `web_view` or `webview`."""
    return re.sub(r"[ _-]", "", name).lower()
