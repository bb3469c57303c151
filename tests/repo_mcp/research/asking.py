"""Ask questions about texts in memory: the shipped engine, over an index in memory and plain searches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from index_format import IndexWriter, MemoryDirectory, Snapshot, compute_fingerprint, write_segment
from repo_mcp.blocks.best_blocks import RatedBlock, rate_blocks
from repo_mcp.blocks.layouts import Layout, read_layout
from repo_mcp.blocks.source import IndexSource
from repo_mcp.documentation.media import MediaReader
from repo_mcp.documentation.records import DocsAnswer, DocsRequest
from repo_mcp.documentation.search import DocsSource, search_docs
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.shards.segment_builder import SegmentBuilder, SourceFile
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactAnswer, ExactMatch, ExactRequest, Hit, SearchAnswer, SearchRequest
from repo_mcp.ranking.page.rare_words import QueryWord, look_up_words
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.word_search import run_search
from repo_mcp.research.findings.records import Finding, Focus, Report, ResearchRequest, RunControl
from repo_mcp.research.findings.source import Source
from repo_mcp.research.research import answer_question
from repo_mcp.text.analysis import analyse_text
from repo_mcp.text.lines import decode_source
from repo_mcp.text.roles import is_test_path
from repo_mcp.text.schema import FIELDS
from repo_mcp.workspace.globs import PathGlob
from tests.repo_mcp.graph.memory_index import make_graph

HIT_LINES = 8


def open_index(texts: Mapping[str, str]) -> Searcher:
    """Index the texts in memory."""
    directory = MemoryDirectory()
    builder = SegmentBuilder(200, 30)
    for path in sorted(texts, key=str.encode):
        raw = texts[path].encode()
        language = find_language(path)
        builder.add(
            SourceFile(path, decode_source(raw).data, len(raw), compute_fingerprint(raw), language, 0)
        )
    with IndexWriter(directory, "test", FIELDS) as writer:
        writer.add(write_segment(directory, writer.reserve_temporary(), *builder.build()))
        writer.commit()
    snapshot = Snapshot.open(directory)
    assert snapshot is not None
    return Searcher(snapshot)


@dataclass
class Asked:
    """One root in memory."""

    texts: Mapping[str, str]
    has_graph: bool = True
    unparsed: frozenset[str] = frozenset()  # paths that the graph does not know yet
    reported: list[tuple[float, float, str]] = field(default_factory=list)  # progress of the last question

    def __post_init__(self) -> None:
        parsed = {path: text for path, text in self.texts.items() if path not in self.unparsed}
        self._graph = make_graph(parsed) if self.has_graph else None
        self._searcher = open_index(self.texts)

    def ask(
        self, query: str, depth: int | None = None, focus: Focus | None = None, folder: str = ""
    ) -> Report:
        self.reported.clear()
        control = RunControl(
            lambda: False, lambda done, total, said: self.reported.append((done, total, said))
        )
        return self.run(ResearchRequest(query, depth, focus, folder), control)

    def run(self, request: ResearchRequest, control: RunControl) -> Report:
        return answer_question(request, self.open_source(), control)

    def open_source(self) -> Source:
        is_partial = bool(self.unparsed)
        present = {find_language(path).name for path in self.texts}
        return Source(self._graph, cast("Any", self), lambda: False, is_partial=is_partial, present=present)

    def rate(
        self, prompt: str, folder: str, most: int, *, include_tests: bool = True
    ) -> tuple[list[RatedBlock], dict[str, float]]:
        source = IndexSource(self._searcher, self.read, folder=folder)
        return rate_blocks(prompt, source, read_layout, most, include_tests=include_tests)

    def read_layout(self, path: str, text: bytes) -> Layout:
        return read_layout(path, text)

    def search_docs(self, request: DocsRequest) -> DocsAnswer:
        reader = MediaReader(str, lambda _path: None, lambda path, _most: self.read(path))
        return search_docs(request, DocsSource(self._searcher, self.read, reader, {}, 1_000), lambda: False)

    def look_up_words(self, text: str) -> tuple[Sequence[QueryWord], bool]:
        return look_up_words(text, self._searcher.count_units), True

    def read(self, path: str) -> bytes:
        if path not in self.texts:
            raise RepoError(ErrorCode.NOT_FOUND, "There is no such file.")
        return self.texts[path].encode()

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Return pieces of HIT_LINES lines, those with most of the words first; declarations as they are."""
        if request.symbols_only:
            return run_search(self._searcher, request, 32, self.read)
        terms = list(dict.fromkeys(analyse_text(request.query)))
        hits = []
        for path, text in sorted(self.texts.items()):
            is_inside = request.file_glob is None or path.startswith(request.file_glob.removesuffix("**"))
            if not is_inside or (not request.include_tests and is_test_path(path)):
                continue
            lines = text.split("\n")
            for start in range(0, len(lines), HIT_LINES):
                own = lines[start : start + HIT_LINES]
                words = set(analyse_text("\n".join(own)))
                held = tuple(term for term in terms if term in words)
                if held:
                    last = start + len(own)
                    shown = "".join(f"{start + 1 + at}\t{line}\n" for at, line in enumerate(own))
                    hits.append(
                        Hit(
                            path,
                            start + 1,
                            last,
                            shown,
                            float(len(held)),
                            held,
                            None,
                            (),
                            "",
                            (start + 1, last),
                        )
                    )
        hits.sort(key=lambda hit: -hit.score)
        return SearchAnswer(tuple(hits[: request.top_k]), len(hits), len(hits) > request.top_k, "s1")

    def search_exact(self, request: ExactRequest, _cancelled: object) -> ExactAnswer:
        pattern = request.pattern if request.regex else re.escape(request.pattern)
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)" if request.whole_word else pattern
        compiled = re.compile(pattern, 0 if request.case_sensitive else re.IGNORECASE)
        matches = [
            ExactMatch(path, number, number, found.start() + 1, line)
            for path, text in sorted(self.texts.items())
            if not request.languages or find_language(path).name in request.languages
            if request.file_glob is None or PathGlob(request.file_glob).matches(path)
            for number, line in enumerate(text.split("\n"), 1)
            for found in [compiled.search(line)]
            if found is not None and (request.include_tests or not is_test_path(path))
        ]
        shown = tuple(matches[: request.limit])
        files = tuple(Counter(one.path for one in matches).items()) if request.detail == "files" else ()
        return ExactAnswer(shown, files, len(matches), False, len(matches) > len(shown), False, "s1")


def drop_conditions(claim: str) -> str:
    """Return an answer about errors without the conditions under which they arise."""
    return re.sub(
        r"(?:[,;] (?:called under |called in a `try` with )?(?:else of )?`[^`]*`)+(?=[,;)])", "", claim
    )


def list_found(report: Report, hop: int | None = None) -> list[str]:
    """Return the symbols of the findings, in order; those of one hop."""
    return [one.symbol for one in report.findings if hop is None or one.hop == hop]


def find_one(report: Report, symbol: str) -> Finding:
    found = [one for one in report.findings if one.symbol == symbol]
    assert len(found) == 1, (symbol, list_found(report))
    return found[0]


def list_edges(report: Report) -> set[tuple[str, str, str]]:
    """Return (depends, kind, on) of the map, by label."""
    labels = {node.key: node.label for node in report.map_nodes}
    return {(labels[one.source], one.kind, labels[one.target]) for one in report.map_edges}
