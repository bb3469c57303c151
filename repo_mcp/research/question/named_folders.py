"""Read which folder of the repository a question is asked of: "which types extend Crane in depot?". Pure.

A folder is named by its path, or by the words that the name of a top folder joins: Active Depot, activedepot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_KIND = r"(?:folder|directory|package|component|gem|crate|subproject)"
_IN = re.compile(
    rf"[,\s]+(?:in|inside|within|under) (?:the )?(?:{_KIND} )?[`'\"]?"
    r"([\w.@-]++(?:/[\w.@-]++)*|[A-Z]\w*(?: [A-Z]\w*){1,2})/?[`'\"]?"
    rf"(?: {_KIND})?[?.!\s]*$"
)


def split_folder(query: str, paths: Iterable[str]) -> tuple[str, str]:
    """Return a question without the folder at its end, and the folder; "" for none."""
    found = _IN.search(query)
    if found is None:
        return query, ""
    asked = found[1].strip("/")
    if "/" in asked:
        folder = asked if any(path.startswith(f"{asked}/") for path in paths) else ""
    else:
        tops = dict.fromkeys(path.partition("/")[0] for path in paths if "/" in path)
        folder = next((one for one in tops if one == asked or (" " in asked and _joins(one, asked))), "")
    return (query[: found.start()], folder) if folder else (query, "")


def _joins(name: str, words: str) -> bool:
    return re.sub(r"[-_]", "", name).lower() == words.replace(" ", "").lower()
