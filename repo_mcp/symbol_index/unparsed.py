"""Files that have no symbols: their parser is not installed, or there is none for their language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from index_format import IndexFormatError, Manifest, Snapshot
from repo_mcp.indexing.derived.plan import iter_wanted
from repo_mcp.languages.patterns.language_registry import get_language
from repo_mcp.languages.symbol_parsers import find_parser_task, find_unparsed, list_faults, list_languages
from repo_mcp.live.index_report import count_languages
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.record_classes import dataclass

# Share of the files in programming languages. Calls that found nothing do not name a language with fewer.
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Unparsed:
    """The files without symbols in one lexical index, as far as answers mention them."""

    file_count: int = 0  # files whose parser cannot run
    warnings: tuple[str, ...] = ()  # one for each of their languages
    unread: Mapping[str, int] | None = None  # number of files by language, of those that no parser reads
    present: frozenset[str] = frozenset()  # the languages of all files

    def describe_unread(self) -> str:
        """Return which languages no parser reads, for a call that found nothing; "" if there are none."""
        if not self.unread:
            return ""
        named = " and ".join(f"{language} ({_count(count)})" for language, count in self.unread.items())
        return f"No parser reads {named}: a search for text finds names in these files."


class UnparsedFiles:
    """Finds the files without symbols in the current lexical index, once for each manifest."""

    def __init__(self, index: LiveIndex) -> None:
        self._index = index
        self._kept: tuple[Manifest, Unparsed] | None = None

    def find(self) -> Unparsed:
        """Return what is known now; an empty record if there is no index, or none that can be read."""
        searcher = self._index.find_searcher()
        if searcher is None:
            return Unparsed()
        manifest, kept = searcher.snapshot.manifest, self._kept
        if kept is None or kept[0] is not manifest:
            try:
                kept = self._kept = manifest, find_files(searcher.snapshot)
            except (IndexFormatError, OSError):  # whoever reads the lexical index next reports it
                return Unparsed()
        return kept[1]


def find_files(lexical: Snapshot) -> Unparsed:
    """Return the files without symbols of a lexical index. Raises IndexFormatError, OSError."""
    languages = count_languages(lexical)
    unread, present = _list_unread(languages), frozenset(languages)
    faults = list_faults(languages)
    if not faults:
        return Unparsed(unread=unread, present=present)
    counts = Counter(file.language for file in iter_wanted(lexical, find_unparsed))
    warnings = (
        f"The symbols of {_count_files(counts[language], language)} are missing: {fault}."
        f" Install {fault.package} for this Python, then start the server again."
        for language, fault in faults.items()
        if counts[language]
    )
    return Unparsed(counts.total(), tuple(warnings), unread, present)


def _list_unread(languages: Mapping[str, int]) -> dict[str, int]:
    code = {one: count for one, count in languages.items() if get_language(one).kind == "code"}
    least, known = LEAST_SHARE * sum(code.values()), list_languages()
    unread = [one for one in code if one not in known and find_parser_task("", one) is None]
    unread.sort(key=lambda one: (-code[one], one))
    return {one: code[one] for one in unread if code[one] >= least}


def _count(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _count_files(count: int, language: str) -> str:
    return f"1 file in {language}" if count == 1 else f"{count} files in {language}"
