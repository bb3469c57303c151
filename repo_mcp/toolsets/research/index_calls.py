"""The call of `index_codebase`: both indexes of the repository brought up to date, with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from repo_mcp.model import IndexProgress, SkipReason
from repo_mcp.protocol.tool_model import CallContext, Progress
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result
from repo_mcp.toolsets.binding import Entry
from repo_mcp.toolsets.research import schemas
from repo_mcp.toolsets.research.answers import resolve_folder

if TYPE_CHECKING:
    from repo_mcp.repository import Repository
    from repo_mcp.repository.whole_index import WholeReport


WHOLE = "The whole repository was indexed, not only this folder."

# Where each phase stands on the way from 0 to 100: its beginning and its size. `merge` is that of words; once
# files were parsed it is that of their structure.
_PHASES = {
    "walk": (0.0, 2.0, "Looking at files"),
    "index": (2.0, 53.0, "Indexing"),
    "merge": (55.0, 3.0, "Merging"),
    "commit": (58.0, 2.0, "Writing"),
    "structure": (60.0, 37.0, "Parsing"),
}
_LAST_MERGE = (97.0, 3.0, "Merging")


def index_codebase(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `index_codebase`."""
    from repo_mcp.repository.whole_index import index_whole  # not when tools are listed

    folder = resolve_folder(repository, arguments)
    progress = None if context.report is None else _Meter(context.report)
    force = arguments.get("force") is True
    done = index_whole(repository, force=force, progress=progress, cancelled=context.cancelled)
    result = _describe(done)
    if repository.vectors is not None:
        state = repository.vectors.status()
        result["vectors"] = {"files": state.files_done, "total": state.files_total, "chunks": state.chunks}
    notes = [
        *([WHOLE] if folder else []),
        *repository.warnings,
        *done.refresh.warnings,
        *_drop_told(done.index.warnings, done.refresh.warnings),
        *done.symbols.warnings,
    ]
    if done.structure.left:
        notes.append(f"{len(done.structure.left)} of the files changed while they were parsed; index again.")
    return Draft(lambda _: Part(result, notes), render=_render)


def _drop_told(warnings: Iterable[str], told: Iterable[str]) -> list[str]:
    """Return the warnings of the index without those that the refresh has told already, in other words."""
    from repo_mcp.live.index_report import NOT_LISTED  # here: tools are listed first
    from repo_mcp.workspace.walk import UNLISTED

    is_told = any(one.endswith(UNLISTED) for one in told)
    return [one for one in warnings if one not in told and not (is_told and one == NOT_LISTED)]


def _describe(done: WholeReport) -> Result:
    """Return what was done to both indexes, in counts of files."""
    unreadable = done.refresh.skipped.get(SkipReason.UNREADABLE.value, 0)
    return {
        "files": done.index.indexed_files,
        "chunks": done.index.chunks,
        "symbols": done.symbols.symbols,
        "errors": unreadable + done.symbols.failed + done.symbols.unparsed,
        "added": done.refresh.added,
        "updated": done.refresh.updated,
        "removed": done.refresh.removed,
        "unchanged": done.refresh.unchanged,
        "skipped": dict(sorted(done.refresh.skipped.items())),
        "parsed": {
            "files": done.symbols.files_done,
            "partly": done.symbols.partial,
            "failed": done.symbols.failed,
            "now": done.structure.parsed,
        },
        "languages": dict(done.index.languages),
    }


class _Meter:
    """A progress meter of both phases, in percent of the whole. It never falls."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._most = 0.0
        self._parses = False

    def __call__(self, now: IndexProgress) -> None:
        self._parses |= now.phase == "structure"
        begin, size, name = _PHASES.get(now.phase, _LAST_MERGE)
        if now.phase == "merge" and self._parses:
            begin, size, name = _LAST_MERGE
        share = min(1.0, now.files_done / now.files_total) if now.files_total else 0.0
        self._most = max(self._most, round(begin + size * share, 1))
        self._report(Progress(self._most, 100.0, f"{name}: {now.count_files()}"))


def _render(result: Result) -> str:
    """Return text for people: the totals, then what this call did."""
    rows = {name: value for name, value in result.items() if name != "warnings" and value != {}}
    return "\n".join(f"{name}: {_show(value)}" for name, value in rows.items())


def _show(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {count:,}" for name, count in value.items())
    return f"{value:,}"


ENTRIES = (
    Entry(
        "index_codebase",
        "Index the code base",
        "Index the code base, or update its index: only changed files are read.",
        schemas.INDEX_INPUT,
        schemas.INDEX_OUTPUT,
        index_codebase,
        read_only=False,
        may_be_task=True,
    ),
)
