"""The answers of a server about a tree, without what may differ between two servers: the oracle.

After any crash, fault or race, a refresh must make these equal to the answers of a server with an empty data
directory, for every reading tool of one root, and so for both indexes. Left out are only ids of calls, times,
sizes of the index and names of generations.

Thousands of rounds that ask in this process also parse in it: the texts are ours, and starting a child in
each round would take nine tenths of the time. The rounds with real servers parse as servers do.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from repo_mcp.config.server_config import Config, load_config
from repo_mcp.exact import search as exact_search
from repo_mcp.languages.symbol_parsers import run_parser_task
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.protocol.tool_model import CallContext, Tool
from repo_mcp.record_classes import replace
from repo_mcp.repository import Repository
from repo_mcp.toolsets import graph, repo, research, retrieval
from tests.deep.sizes import choose

QUERIES = ("schedule work", "getUserName", "kmalloc control", "manifest token commit", "def index", "naïve")
TOOLSETS = "repo,graph,research"
VARYING = frozenset(
    {
        "audit_log", "bundle_id", "data_dir", "duration_ms", "generation", "index_bytes", "last_batch_at",
        "last_refresh", "mtime", "origin", "progress", "request_id", "segments", "timestamp", "watching",
    }
)  # fmt: skip
LINKED = "linked_callee"  # a symbol with edges, in trees that have `LINKED_FILES`
LINKED_FILES = {
    "linked/base.py": "class LinkedBase:\n    def linked_callee(self):\n        return 1\n",
    "linked/user.py": "from linked.base import LinkedBase\n\nclass LinkedUser(LinkedBase):\n"
    "    def linked_caller(self):\n        return self.linked_callee()\n",
    "linked/more.py": "from linked.user import LinkedUser\n\ndef linked_more():\n"
    "    return LinkedUser().linked_callee()\n",
}
EDGES = ("get_callers", "get_callees", "get_references", "get_dependents", "get_dependencies")
Call = tuple[str, dict[str, object]]
# Words in answers that may lack something, or may show what is gone.
TELLING = re.compile(
    "not indexed yet|being refreshed|being (re)?built|compared with the index|A refresh failed"
    "|are being parsed|Parsing files failed|Another process is|no symbol index yet"
    "|from the copy that is still open"
)


class OwnParser:
    """A parser in this process, in place of a `BatchParser`."""

    def start(self) -> None:
        """Do nothing: this process is running already."""

    def parse(self, requests: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        return [run_parser_task(task, text) for task, text in requests]

    def lower(self, niceness: int) -> None:
        """Do nothing: this process keeps its priority."""

    def stop(self) -> None:
        """Do nothing: there is nothing to end."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def configure(root: Path, data_dir: Path) -> Config:
    """Return a server's configuration over a small tree: one process, no watcher."""
    return load_config(str(root), data_dir=str(data_dir), workers=1)


def open_repository(root: Path, data_dir: Path) -> Repository:
    """Return a repository of that configuration, which parses here."""
    repository = Repository(configure(root, data_dir))
    phase = repository.symbol_index._phase
    phase._parsing = replace(phase._parsing, make_parser=cast(Callable[[], BatchParser], OwnParser))
    return repository


def renew(repository: Repository, *, force: bool = False) -> None:
    """Bring both indexes up to date. Raises as each of them does."""
    repository.refresh(force=force)
    repository.symbol_index.build()


def list_calls(root: Path) -> list[Call]:
    """Return calls of every reading tool of the toolset `repo`."""
    calls: list[Call] = [("repo.list_files", {}), ("repo.status", {})]
    calls += [("repo.search", {"query": query}) for query in QUERIES[: choose(2, len(QUERIES))]]
    calls += [
        ("repo.search", {"query": query, "mode": "literal", "detail": "count"}) for query in QUERIES[:2]
    ]
    calls += [("repo.search", {"query": r"def \w+\(", "mode": "regex"})]
    calls += [("repo.build_context_bundle", {"prompt": "how is the work queue scheduled"})]
    return calls + [("repo.open_file", {"path": path}) for path in _choose_files(root)]


def list_structure_calls(root: Path) -> list[Call]:
    """Return calls of the toolsets `graph` and `research`."""
    calls: list[Call] = [("get_status", {}), ("get_directory_tree", {"depth": 5})]
    calls += [("search_symbols", {"query": query, "limit": 50}) for query in (LINKED, "get*", "kmalloc")]
    calls += [("lookup_symbol", {"qualified_name": "schedule"})]
    calls += [("get_file_outline", {"path": path}) for path in _choose_files(root)]
    calls += [
        ("search_code", {"query": "schedule the work queue"}),
        ("search_docs", {"query": "mount option"}),
    ]
    return [*calls, ("code_research", {"query": f"what calls {LINKED}"})]


def list_symbol_calls(node_id: str) -> list[Call]:
    """Return the calls about one symbol."""
    asked: list[Call] = [(tool, {"node_id": node_id}) for tool in (*EDGES, "get_symbol", "find_similar")]
    return [*asked, ("get_implementations", {"node_id": node_id}), ("get_source_spans", {"node_id": node_id})]


def _choose_files(root: Path) -> list[str]:
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return [path for path in files if not path.startswith(".repo_mcp/")][::7][:4]


def ask(repository: Repository, root: Path) -> list[str]:
    """Return the answers to all calls."""
    with _patience():
        return run_calls(_bind(repository), root)


@contextmanager
def _patience() -> Iterator[None]:
    """Give calls more time: on a busy machine an exact search may take longer than a moment."""
    usual, exact_search.TIME_LIMIT_SECONDS = exact_search.TIME_LIMIT_SECONDS, 3_600.0
    try:
        yield
    finally:
        exact_search.TIME_LIMIT_SECONDS = usual


def ask_briefly(repository: Repository, root: Path) -> dict[str, str]:
    """Return the answers to some calls, of all four toolsets and each engine, while something goes wrong."""
    lookup: Call = ("lookup_symbol", {"qualified_name": f"base.LinkedBase.{LINKED}"})
    calls: list[Call] = [
        ("repo.list_files", {}),
        ("repo.search", {"query": QUERIES[0]}),
        ("repo.search", {"query": QUERIES[1], "mode": "literal"}),
        ("repo.open_file", {"path": _choose_files(root)[0]}),
        ("repo.build_context_bundle", {"prompt": "how is the linked callee used"}),  # not LINKED: it is kept
        *(("search_symbols", {"query": query}) for query in (LINKED, "get*")),
        ("get_file_outline", {"path": _choose_files(root)[0]}),
        ("code_research", {"query": f"what calls {LINKED}"}),
        ("search_code", {"query": "schedule the work queue"}),
        ("search_docs", {"query": "mount option"}),
        ("search", {"query": LINKED, "repo": "code"}),
    ]
    run = _bind(repository)

    def answer(calls: Sequence[Call]) -> dict[str, str]:
        return {
            f"{name} {words}": json.dumps(strip(run(name, words)), sort_keys=True) for name, words in calls
        }

    with _patience():
        (found,) = (answers := answer([lookup])).values()
        rows = json.loads(found).get("result")
        answers |= answer([*calls, *(list_symbol_calls(rows[0]["node_id"]) if rows else ())])
        return answers | answer([("repo.status", {}), ("get_status", {})])  # they look at the tree themselves


def is_honest(answer: str, *right: str) -> bool:
    """Return whether an answer is right, whatever its warnings, or says that something is missing.

    An answer from an older generation is right only as long as nobody was asked to refresh.
    """
    found = json.loads(answer)
    if found.get("error"):
        return found["error"]["code"] in ("index_unavailable", "engine_unavailable", "busy")
    status = found["result"] if isinstance(found.get("result"), dict) else found
    if status.get("healthy") is False or status.get("state", "ready") != "ready":
        return True
    warnings = found.get("warnings") or found.get("meta", {}).get("warnings") or ()
    if any(TELLING.search(warning) for warning in warnings):
        return True
    return any(_bare(found) == _bare(json.loads(one)) for one in right)


def _bare(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer without warnings, ranks of symbols and the name of its snapshot; a status without
    the sizes of the structure.

    Those still count files that are gone, which are in no answer any more. An exact search finds the same,
    whatever is indexed.
    """
    if "meta" in answer:
        return {**answer, "meta": {**answer["meta"], "warnings": []}}
    if isinstance(answer.get("result"), dict):
        answer = {**answer, "result": {**answer["result"], "snapshot": None}}
    if isinstance(answer.get("result"), list):
        answer = {**answer, "result": [{**row, "rank": None} for row in answer["result"]]}
    sizes = {"indexed_symbols", "languages", "structure"} if "healthy" in answer else ()
    return {**{key: value for key, value in answer.items() if key not in sizes}, "warnings": []}


def _bind(repository: Repository) -> Callable[[str, dict[str, object]], Mapping[str, object]]:
    limits = repository.config.limits
    tools: dict[str, Tool] = {}
    for toolset in (repo, graph, research):
        bound = toolset.bind_toolset(limits, lambda: (repository, None))
        tools |= {tool.name: tool for tool in bound.tools}
    roots = retrieval.Roots({"code": repository}, limits, "")
    tools |= {tool.name: tool for tool in retrieval.build_toolset(roots).tools}
    context = CallContext(lambda: False)
    return lambda name, arguments: tools[name].call(arguments, context).structured


def run_calls(run: Callable[[str, dict[str, object]], Mapping[str, object]], root: Path) -> list[str]:
    """Return the answers that `run` gives to all calls, those about the first symbol found at the end."""
    calls = [*list_calls(root), *list_structure_calls(root)]
    answers = [strip(run(name, arguments)) for name, arguments in calls]
    found = answers[[name for name, _ in calls].index("search_symbols")].get("result")
    if found:
        node_id = found[0]["node_id"]
        answers += [strip(run(name, arguments)) for name, arguments in list_symbol_calls(node_id)]
    return [json.dumps(answer, sort_keys=True) for answer in answers]


def strip(value: Any) -> Any:
    """Return the same without what may differ between two servers."""
    if isinstance(value, Mapping):
        # The symbol index says "building" for a moment even if a round finds nothing to do.
        varying = {*VARYING, "state"} if "files_done" in value else VARYING
        return {key: strip(one) for key, one in value.items() if key not in varying}
    return [strip(one) for one in value] if isinstance(value, list | tuple) else value


def refresh_and_ask(root: Path, data_dir: Path) -> list[str]:
    """Return what a server answers after one refresh."""
    with closing(open_repository(root, data_dir)) as repository:
        renew(repository)
        return ask(repository, root)


def ask_anew(root: Path) -> list[str]:
    """Return what a server with an empty data directory answers."""
    place = Path(tempfile.mkdtemp(prefix="repo-mcp-anew-"))
    try:
        return refresh_and_ask(root, place / "data")
    finally:
        shutil.rmtree(place)
