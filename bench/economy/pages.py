"""The cost of one answer of each kind, beside the plainest text that says the same.

| kind of answer | beside it |
|---|---|
| page of a search | the lines that it shows, as `rg --heading -n` prints them |
| outline | the file |
| lines of a file | the text of the lines |
| bundle | its code, each line with its number, as it stands in the answer |
| list of files | the paths, one a line |
| everything else | nothing: its bytes alone |
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.economy.client import Answer, Client
from bench.economy.evidence import read_files, read_lines, render_grouped
from bench.economy.policy import OPEN, SEARCH
from bench.economy.ripgrep import list_words
from bench.economy.tasks import Quest

NAMES_TOGETHER = 3
PAGES_A_TREE = 6  # quests of each tree for which pages are requested
OUTLINE = "repo.outline"
BUNDLE = "repo.build_context_bundle"
OF_A_NODE = ("get_symbol", "get_source_spans", "get_callers", "get_callees", "get_references", "find_similar")


@dataclass(frozen=True, slots=True)
class Page:
    """One answer."""

    kind: str
    bytes: int
    beside: int | None  # bytes of the text that it is compared with
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """The pages of one kind together."""

    kind: str
    pages: int
    bytes: float  # the mean
    times: float | None  # all bytes, divided by all bytes of the texts beside them
    median_times: float | None
    cut: int  # pages that are not whole


def sum_up(pages: Iterable[Page]) -> list[Cost]:
    """Return one cost for each kind, in the order in which the kinds came."""
    groups: dict[str, list[Page]] = {}
    for page in pages:
        groups.setdefault(page.kind, []).append(page)
    return [_sum_kind(kind, own) for kind, own in groups.items()]


def _sum_kind(kind: str, pages: Sequence[Page]) -> Cost:
    beside = [(page.bytes, page.beside) for page in pages if page.beside]
    times = sum(own for own, _ in beside) / sum(other for _, other in beside) if beside else None
    median = statistics.median(own / other for own, other in beside) if beside else None
    mean = statistics.mean(page.bytes for page in pages)
    return Cost(kind, len(pages), mean, times, median, sum(page.is_cut for page in pages))


def iter_pages(client: Client, root: Path, quests: Sequence[Quest]) -> Iterator[Page]:
    """Yield the answers that the tree's quests lead to, by every tool that the server lists."""
    yield from _iter_single(client)
    for quest in [one for one in quests if not one.is_kept_back][:PAGES_A_TREE]:
        yield from _iter_searches(client, root, quest.task.query)
        yield from _iter_named(client, root, quest.regions[0].path)
        path = quest.regions[0].path
        opened = client.call(OPEN, path=path)
        yield Page("repo.open_file", opened.bytes, _count_text(opened))
        yield measure_outline(client, root, path)
        yield measure_bundle(client, quest.task.query)
        yield from _iter_graph(client, root, path, quest)
        yield from _iter_research(client, quest.task.query)


def _iter_single(client: Client) -> Iterator[Page]:
    listed = client.call("repo.list_files", glob="*.py")  # installers may compile modules
    files = listed.record["result"]["files"]
    # Some installers give files whole seconds, and others their own clock's: 4 bytes more for each file.
    fractions = sum(len(str(one["mtime"])) - len(str(int(one["mtime"]))) for one in files)
    paths = sum(len(one["path"].encode()) + 1 for one in files)
    yield Page("repo.list_files", listed.bytes - fractions, paths)
    yield Page("repo.status", client.call("repo.status").bytes, None)
    yield Page("an error", client.call(OPEN, path="no/such/file.py").bytes, None)


def _iter_searches(client: Client, root: Path, query: str) -> Iterator[Page]:
    word = list_words(query)[0]
    asked = {
        "bm25": query,
        "literal": word,
        "regex": rf"\b{word}\w*\s*[(=:]",
        "symbol": word,
    }
    for mode, text in asked.items():
        for shape in ("", "text") if client.takes(SEARCH, "detail", "text") else ("",):
            detail = {"detail": shape} if shape else {}
            answer = client.call(SEARCH, query=text, mode=mode, **detail)
            page = _measure_search(f"repo.search, {mode}{shape and ' as text'}", root, answer)
            if page:
                yield page


def _iter_named(client: Client, root: Path, path: str) -> Iterator[Page]:
    """Yield the pages for one name that a file declares, and for three, in both modes that look up names."""
    symbols = (client.call(OUTLINE, path=path).record.get("result") or {}).get("symbols") or ()
    kinds = ("function", "class", "method")
    names = list(dict.fromkeys(one["name"] for one in symbols if one["kind"] in kinds))
    for count, said in ((1, "a name"), (NAMES_TOGETHER, "three names")):
        for mode in ("bm25", "symbol") if len(names) >= count else ():
            answer = client.call(SEARCH, query=" ".join(names[-count:]), mode=mode, detail="text")
            page = _measure_search(f"repo.search, {said}, {mode} as text", root, answer)
            if page:
                yield page


def _measure_search(kind: str, root: Path, answer: Answer) -> Page | None:
    """Return a page with hits; None for a page without."""
    lines = read_files(root, read_lines(answer.record))
    return Page(kind, answer.bytes, len(render_grouped(lines).encode())) if lines else None


def measure_outline(client: Client, root: Path, path: str) -> Page:
    """Return the page of one file's outline, beside the file."""
    answer = client.call(OUTLINE, path=path)
    result = answer.record.get("result") or {}
    is_cut = bool(result.get("truncated") or result.get("cursor"))
    return Page(OUTLINE, answer.bytes, (root / path).stat().st_size, is_cut)


def _count_text(answer: Answer) -> int:
    return sum(len(text.encode()) + 1 for text in read_lines(answer.record).values())


def measure_bundle(client: Client, prompt: str) -> Page:
    """Return the page of a bundle, beside its code with the numbers of the lines, as JSON has them."""
    answer = client.call(BUNDLE, prompt=prompt)
    excerpts = [one["content"] for one in answer.record["result"]["selections"]]
    code = sum(len(json.dumps(one, ensure_ascii=False).encode()) - len('""') for one in excerpts)
    return Page(BUNDLE, answer.bytes, code)


def _iter_graph(client: Client, root: Path, path: str, quest: Quest) -> Iterator[Page]:
    if "get_file_outline" not in client.tools:
        return
    outline = client.call("get_file_outline", path=path)
    size = outline.bytes
    while outline.record.get("cursor"):
        outline = client.call("get_file_outline", path=path, cursor=outline.record["cursor"])
        size += outline.bytes
    yield Page("get_file_outline", size, (root / path).stat().st_size)
    found = client.call("search_symbols", query=list_words(quest.task.query)[0])
    yield Page("search_symbols", found.bytes, None)
    node = _find_node(found.record)
    for tool in OF_A_NODE if node else ():
        yield Page(tool, client.call(tool, node_id=node).bytes, None)


def _iter_research(client: Client, query: str) -> Iterator[Page]:
    for tool in ("search_code", "search_docs", "code_research"):
        if tool in client.tools:
            yield Page(tool, client.call(tool, query=query).bytes, None)


def _find_node(record: object) -> str | None:
    """Return the first `node_id` in a record."""
    if isinstance(record, Mapping):
        own: Any = record.get("node_id")
        return own if isinstance(own, str) else _find_node(list(record.values()))
    if isinstance(record, list):
        return next((node for one in record if (node := _find_node(one))), None)
    return None


def iter_retrieval(client: Client, root: Path, quests: Sequence[Quest]) -> Iterator[Page]:
    """Yield pages of the exact search over two roots."""
    for quest in [one for one in quests if not one.is_kept_back][:PAGES_A_TREE]:
        answer = client.call("search", query=list_words(quest.task.query)[0])
        page = _measure_search("search (retrieval)", root, answer)
        if page:
            yield page
