"""The call of `search_code`: code for words, names or a question, ranked, each hit with what it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result
from repo_mcp.toolsets.binding import Entry
from repo_mcp.toolsets.pages import Page, keep_few, note_cut, note_hidden
from repo_mcp.toolsets.research import schemas
from repo_mcp.toolsets.research.answers import PathScope, resolve_scope
from repo_mcp.workspace.reader.client_paths import shown

if TYPE_CHECKING:
    from repo_mcp.code_search.records import CodeAnswer, CodeHit
    from repo_mcp.repository import Repository


MAX_EXTENSIONS = 64
FAR_SHARE = 0.45  # of the best relevance, 0.2 of its score: before less, a page without `limit` ends
NO_SEMANTICS = (
    "semantic_weight has no effect: the server was started without --semantic-model, so only words count."
)
_EXTENSION = re.compile(r"[\w+-]{1,32}(?:\.[\w+-]{1,32}){0,3}")


def search_code(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `search_code`. A NUL in the query counts as a blank: no person types one."""
    from repo_mcp.code_search.records import CodeRequest  # here: tools are listed before anything is loaded

    page = Page("search_code", arguments)
    endings = _read_extensions(arguments.get("extensions"))
    scope = resolve_scope(repository, arguments)
    query = str(arguments["query"]).replace("\0", " ")
    limit = arguments.get("limit")
    most = repository.config.limits.max_search_hits
    request = CodeRequest(
        query,
        page.start + (limit if isinstance(limit, int) else min(schemas.DEFAULT_HITS, most)),
        _build_filter(scope, endings),
        f"{scope.key}\0{','.join(endings)}",
        semantic_weight=_read_weight(arguments.get("semantic_weight")),
        expands=arguments.get("expand_query") is True,
        sums_up=arguments.get("synthesize") is True and not page.start,
    )
    answer = repository.engines.code_search.search(request, context.ask)
    ignored = repository.vectors is None and "semantic_weight" in arguments
    notes = [*answer.warnings, *([NO_SEMANTICS] if ignored else [])]
    ordinary = limit is None
    ends_early = ordinary and not request.expands  # what only added words find is rated low
    return _draft(query, answer, page, notes, ordinary=ordinary, ends_early=ends_early)


def _read_weight(given: object) -> float:
    """Return the weight of meaning against words; the default if none is given."""
    return float(given if isinstance(given, int | float) else schemas.DEFAULT_SEMANTIC_WEIGHT)


def _read_extensions(given: object) -> tuple[str, ...]:
    """Return the extensions in the form in which paths end, sorted: `py, *.ts` gives .py and .ts.

    Raises RepoError with INVALID_ARGUMENT.
    """
    if not isinstance(given, str):
        return ()
    parts = [part.strip().removeprefix("*").removeprefix(".").lower() for part in given.split(",")]
    endings = sorted({part for part in parts if part})
    bad = next((part for part in endings if not _EXTENSION.fullmatch(part)), None)
    if bad is not None or not endings or len(endings) > MAX_EXTENSIONS:
        what = "names none" if not endings else "names too many" if bad is None else f"has {shown(bad[:40])}"
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"Argument extensions {what}",
            "Give extensions separated by commas, such as py,ts.",
            {"argument": "extensions"},
        )
    return tuple(f".{part}" for part in endings)


def _build_filter(scope: PathScope, endings: tuple[str, ...]) -> Callable[[str], bool] | None:
    if not endings:
        return None if scope.is_whole else scope.holds
    return lambda path: path.lower().endswith(endings) and scope.holds(path)


def _draft(
    query: str, answer: CodeAnswer, page: Page, notes: Iterable[str], *, ordinary: bool, ends_early: bool
) -> Draft:
    keys = [f"{hit.start_line} {hit.path}" for hit in answer.hits]
    page.check(keys)
    shown, left_out = keep_few(answer.hits[page.start :], page, lacks_most=answer.lacks_most)
    if ends_early and not page.start:
        least = FAR_SHARE * max((hit.relevance_percent for hit in shown), default=0)
        shown = [*takewhile(lambda hit: hit.relevance_percent >= least, shown)]
    hits = [_render_hit(hit) for hit in shown]
    more: Result = {}
    if answer.expansion is not None and not page.start:  # the first page has it
        terms = [{"word": escape_text(one.word), "weight": one.weight} for one in answer.expansion.terms]
        more["expansion"] = {"by": answer.expansion.author.value, "terms": terms}
    if answer.summary is not None:
        more["summary"] = _render_summary(answer)
    said = [*notes, *left_out]

    def build(rows: int) -> Part:
        is_cut = page.start + rows < answer.total
        result: Result = {
            "results": hits[:rows],
            "total": answer.total,
            "truncated": is_cut,
            **page.follow(keys, rows, is_cut),
            **more,
        }
        hidden = note_hidden((hit.content for hit in shown[:rows]), "result")
        return Part(result, [*said, *note_cut(rows, len(hits), "results"), *hidden])

    return Draft(build, len(hits), ordinary, render=partial(_render, query))


def _render_hit(hit: CodeHit) -> Result:
    """Return what an answer says of a hit; its signature and comment only if its lines lack them."""
    shown = " ".join(hit.content.split())
    return {
        "path": escape_text(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "relevance_percent": hit.relevance_percent,
        "kind": hit.kind,
        "symbols": [escape_text(name) for name in hit.symbols],
        "signature": "" if hit.signature in shown else escape_text(hit.signature),
        "breadcrumb": escape_text(hit.breadcrumb),
        "doc_comment": "" if hit.doc_comment in shown else escape_text(hit.doc_comment),
        "declared_lines": list(hit.declared_lines or ()),
        "content": hit.content,
    }


def _render_summary(answer: CodeAnswer) -> Result:
    summary = answer.summary
    assert summary is not None
    return {
        "by": summary.author.value,
        "text": summary.text,
        "citations": [{"path": escape_text(one.path), "line": one.line} for one in summary.citations],
        "follow_ups": [
            {
                "tool": one.tool,
                "arguments": {name: escape_text(value) for name, value in one.arguments},
                "reason": escape_text(one.reason),
            }
            for one in answer.follow_ups
        ],
    }


def _render(query: str, result: Result) -> str:
    """Return text for people: the summary, then each result with its lines numbered."""
    shown: dict[str, Any] = dict(result)
    lines = [f'{len(shown["results"])} of {shown["total"]} results for "{escape_text(query)}"']
    if shown.get("expansion", {}).get("terms"):
        lines += ["Widened by: " + ", ".join(one["word"] for one in shown["expansion"]["terms"])]
    lines += _format_summary(shown.get("summary", {}))
    for number, hit in enumerate(shown["results"], 1):
        lines += ["", *_format_hit(number, hit)]
    return "\n".join(lines)


def _format_summary(summary: Mapping[str, Any]) -> Iterator[str]:
    if not summary:
        return
    yield ""
    yield summary["text"]
    for one in summary["follow_ups"]:
        arguments = ", ".join(f"{name}: {value}" for name, value in one["arguments"].items())
        yield f"Next: {one['tool']} ({arguments}), since {one['reason']}"


def _format_hit(number: int, hit: Mapping[str, Any]) -> Iterator[str]:
    place = write_citation(hit["path"], hit["start_line"], hit["end_line"])
    named: Sequence[str] = hit["symbols"]
    what = hit.get("breadcrumb") or (named[0] if named else "")
    yield f"{number}. {place}  {hit['relevance_percent']:.0f} %  {hit['kind']} {what}".rstrip()
    for name in ("signature", "doc_comment"):
        if hit[name]:
            yield f"   {hit[name]}"
    width = len(str(hit["end_line"]))
    for at, line in enumerate(hit["content"].split("\n"), hit["start_line"]):
        yield f"   {at:>{width}}  {line}".rstrip()


ENTRIES = (
    Entry(
        "search_code",
        "Search code",
        "Find code that answers a question: ranked pieces with declaration, signature, comment and"
        " relevance from 0 to 100.",
        schemas.search_input,
        schemas.SEARCH_OUTPUT,
        search_code,
        free_text=frozenset({"query"}),
        is_beginning=True,
    ),
)
