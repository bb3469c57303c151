"""Files whose parser is not installed, and so have no symbols."""

from __future__ import annotations

from collections import Counter

from index_format import Snapshot
from repo_mcp.indexing.derived_plan import iter_wanted
from repo_mcp.languages.symbol_parsers import find_unparsed, list_faults
from repo_mcp.live.live_index import count_languages


def describe_unparsed(lexical: Snapshot) -> tuple[int, tuple[str, ...]]:
    """Return the number of files whose parser cannot run, and a warning for each of their languages.

    Raises IndexFormatError, OSError.
    """
    faults = list_faults(count_languages(lexical))
    if not faults:
        return 0, ()
    counts = Counter(file.language for file in iter_wanted(lexical, find_unparsed))
    warnings = (
        f"The symbols of {_count_files(counts[language], language)} are missing: {fault}."
        f" Install {fault.package} for this Python, then start the server again."
        for language, fault in faults.items()
        if counts[language]
    )
    return counts.total(), tuple(warnings)


def _count_files(count: int, language: str) -> str:
    return f"1 file in {language}" if count == 1 else f"{count} files in {language}"
