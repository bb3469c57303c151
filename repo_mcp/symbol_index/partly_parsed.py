"""Uses that the graph may lack: in files that were parsed only in part and have a name as a word.

Where there are none, what was not parsed is no reason to doubt an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.workspace.reader.client_paths import shown

MOST_FILES = 200  # that have the name
MOST_PATHS = 3  # named
ONE = "{} was parsed only in part and has the word {}: what the rest of it uses is not known."
SEVERAL = (
    "{} files with the word {} were parsed only in part, such as {}: what the rest of them uses is not known."
)


def describe_partly_parsed(
    name: str,
    languages: Collection[str],
    is_partial: Callable[[str], bool],
    search: Callable[[ExactRequest], ExactAnswer],
) -> str:
    """Return which files of some languages have a name as a word and were parsed only in part; "" for none.

    Raises as the search does.
    """
    request = ExactRequest(
        name,
        whole_word=True,
        languages=tuple(sorted(languages)),
        limit=MOST_FILES,
        detail="files",
        names_snapshot=False,
    )
    found = [path for path, _ in search(request).files if is_partial(path)]
    if len(found) < 2:
        return ONE.format(shown(found[0]), shown(name)) if found else ""
    return SEVERAL.format(f"{len(found):,}", shown(name), ", ".join(map(shown, found[:MOST_PATHS])))
