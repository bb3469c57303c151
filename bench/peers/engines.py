"""The engines that are compared, by name, and whether they can be used here."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bench.peers.engine_model import Engine

OURS, OURS_FULL, OURS_SEARCH = "repo-mcp", "repo-mcp, full ranking", "repo-mcp, whole answers"
TANTIVY, TANTIVY_UNCOUNTED, TANTIVY_FREQ = "tantivy", "tantivy, not counting", "tantivy, no positions"
TANTIVY_TERMS = "tantivy, our terms"
FTS5, BM25S, WHOOSH = "FTS5", "bm25s", "Whoosh"
PROGRAMS = {"rg": "ripgrep", "ctags": "ctags"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine in one configuration. Its package is imported by `load`, in the process that uses it."""

    name: str
    load: Callable[[], Engine]
    package: str | None = None  # an optional package that it needs
    index_of: str | None = None  # the engine whose index it uses instead of building one
    slow: bool = False  # takes minutes or gigabytes on a large tree
    updates: bool = True


def _load_ours(kind: str) -> Engine:
    from bench.peers import ours

    made: Engine = getattr(ours, kind)()
    return made


def _load_tantivy(index_option: str, counts: bool) -> Engine:
    from bench.peers.tantivy_peer import TantivyEngine

    return TantivyEngine(index_option, counts=counts)


def _load_tantivy_terms() -> Engine:
    from bench.peers.tantivy_terms_peer import TantivyTermsEngine

    return TantivyTermsEngine()


def _load_fts5() -> Engine:
    from bench.peers.fts5_peer import Fts5Engine

    return Fts5Engine()


def _load_bm25s() -> Engine:
    from bench.peers.bm25s_peer import Bm25sEngine

    return Bm25sEngine()


def _load_whoosh() -> Engine:
    from bench.peers.whoosh_peer import WhooshEngine

    return WhooshEngine()


_ENTRIES = (
    Entry(OURS, partial(_load_ours, "OurEngine")),
    Entry(
        OURS_FULL, partial(_load_ours, "OurFullEngine"), "repo_mcp.ranking.files.ranking", OURS, updates=False
    ),
    Entry(OURS_SEARCH, partial(_load_ours, "OurSearchEngine"), None, OURS, updates=False),
    Entry(TANTIVY, partial(_load_tantivy, "position", True), "tantivy"),
    Entry(TANTIVY_UNCOUNTED, partial(_load_tantivy, "position", False), "tantivy", TANTIVY, updates=False),
    Entry(TANTIVY_FREQ, partial(_load_tantivy, "freq", True), "tantivy", updates=False),
    Entry(TANTIVY_TERMS, _load_tantivy_terms, "tantivy", updates=False),
    Entry(FTS5, _load_fts5),
    Entry(BM25S, _load_bm25s, "bm25s", slow=True, updates=False),
    Entry(WHOOSH, _load_whoosh, "whoosh", slow=True),
)
ENGINES = {entry.name: entry for entry in _ENTRIES}


def is_installed(entry: Entry) -> bool:
    """Return whether the package of an engine is installed."""
    return entry.package is None or importlib.util.find_spec(entry.package) is not None


def choose_entries(*, slow: bool) -> list[Entry]:
    """Return what can be measured here, ours first."""
    return [entry for entry in _ENTRIES if is_installed(entry) and (slow or not entry.slow)]


def list_missing() -> list[str]:
    """Return the names of the other engines and programs that are not installed."""
    missing = [entry.name for entry in _ENTRIES if not entry.index_of and not is_installed(entry)]
    return missing + [name for program, name in PROGRAMS.items() if shutil.which(program) is None]
