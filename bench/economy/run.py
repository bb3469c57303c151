"""Asks the tasks of each tree in turn: one index, one server, both policies, one page of each kind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.economy.client import Client, build_index
from bench.economy.evidence import Spent, spend
from bench.economy.pages import Page, iter_pages, iter_retrieval, measure_outline
from bench.economy.policy import SEARCH, follow_server
from bench.economy.ripgrep import Ripgrep, follow_ripgrep
from bench.economy.tasks import Quest
from bench.quality.tasks import Tree

BUDGET_BYTES = 1_000_000  # evidence beyond this counts as never found; four fifths of all tasks need less
TOGETHER = "repo,graph,research"
STDLIB = "standard library"


@dataclass(frozen=True, slots=True)
class Result:
    """One quest, and what each policy spent on it."""

    quest: Quest
    ours: Spent
    ripgrep: Spent | None  # None where ripgrep is not installed


@dataclass(slots=True)
class Run:
    """All that was measured."""

    results: list[Result] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    list_bytes: dict[str, int] = field(default_factory=dict)  # toolsets -> what a model sees of the list


def run_tree(
    tree: Tree, quests: Sequence[Quest], data_dir: Path, program: str | None, code: Path, *, with_pages: bool
) -> Iterator[Result | Page]:
    """Yield the results and pages of one tree."""
    build_index(tree.root, data_dir, *(("--structure",) if with_pages else ()), code=code)
    with closing(Client(tree.root, data_dir, code=code)) as client:
        client.settle(SEARCH, query=quests[0].task.query)
        for quest in quests:
            yield ask(client, quest, Ripgrep(program, tree.root) if program else None)
    if not with_pages:
        return
    with closing(Client(tree.root, data_dir, "--toolsets", TOGETHER, code=code)) as client:
        client.settle(SEARCH, query=quests[0].task.query)
        client.settle("search_code", query=quests[0].task.query)
        yield from iter_pages(client, tree.root, quests)
    with closing(open_retrieval(tree.root, data_dir, code)) as client:
        yield from iter_retrieval(client, tree.root, quests)


def ask(client: Client, quest: Quest, rg: Ripgrep | None) -> Result:
    """Return what both policies spend on one quest."""
    query = quest.task.query
    ours = spend(follow_server(client, query), quest.regions, BUDGET_BYTES)
    other = spend(follow_ripgrep(rg, query), quest.regions, BUDGET_BYTES) if rg else None
    return Result(quest, ours, other)


def open_retrieval(root: Path, data_dir: Path, code: Path, toolsets: str = "retrieval") -> Client:
    """Start a server with a tree as both of its roots."""
    file = data_dir / "retrieval.toml"
    file.write_text("".join(f"{key} = {json.dumps(str(root))}\n" for key in ("docs_root", "code_root")))
    return Client(root, data_dir / "retrieval", "--toolsets", toolsets, "--config", str(file), code=code)


def measure_lists(root: Path, data_dir: Path, code: Path) -> dict[str, int]:
    """Return the bytes of the tool list of each toolset, then of all four together."""
    sizes = {}
    for toolsets in ("repo", "graph", "research", "retrieval", f"{TOGETHER},retrieval"):
        with closing(open_retrieval(root, data_dir, code, toolsets)) as client:
            sizes[toolsets] = client.count_list_bytes()
    return sizes


def measure_library(library: Path, scratch: Path, code: Path) -> Iterator[Page]:
    """Yield the outline of each module in the first folder of a library; no index is needed."""
    root = scratch / "library"
    root.mkdir()
    files = sorted(file for file in library.glob("*.py") if file.stat().st_size)
    for file in files:
        shutil.copy(file, root)
    with closing(Client(root, scratch / "library-data", code=code)) as client:
        for file in files:
            page = measure_outline(client, root, file.name)
            yield Page(f"{page.kind}, {STDLIB}", page.bytes, page.beside, page.is_cut)


def run_all(
    quests: Iterable[tuple[Tree, Sequence[Quest]]],
    data_dirs: Path,
    program: str | None,
    code: Path,
    report: Callable[[str], None],
    library: Path | None,
) -> Run:
    """Measure each tree, saying which; without a library only evidence is measured, and no pages."""
    run = Run()
    for tree, own in quests:
        report(f"{tree.name}: {len(own)} tasks")
        data_dir = data_dirs / tree.name
        data_dir.mkdir(parents=True, exist_ok=True)
        if library and not run.list_bytes:
            run.list_bytes = measure_lists(tree.root, data_dir, code)
        for one in run_tree(tree, own, data_dir, program, code, with_pages=library is not None):
            if isinstance(one, Result):
                run.results.append(one)
            else:
                run.pages.append(one)
    if library:
        run.pages += measure_library(library, data_dirs, code)
    return run


def group_by_tree(quests: Iterable[tuple[Tree, Quest]]) -> Mapping[Tree, Sequence[Quest]]:
    """Return the quests of each tree, in the order of both."""
    groups: dict[Tree, list[Quest]] = {}
    for tree, quest in quests:
        groups.setdefault(tree, []).append(quest)
    return groups
