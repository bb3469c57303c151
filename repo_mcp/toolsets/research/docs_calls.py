"""The call of `search_docs`: sections of the documentation, and links to the media that they refer to.

A file that a returned section refers to is added to the text as a `resource_link`. A short sound is also
added as an `audio` block after its link, as long as the whole answer stays within its limit of bytes. Links
name files by `repo:///` and their path, never by an absolute path, and `resources/read` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from repo_mcp.config.server_config import Limits
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import Audio, Block, CallContext, Notes, ResourceLink
from repo_mcp.record_classes import replace
from repo_mcp.text.citations import write_citation
from repo_mcp.text.lines import escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result
from repo_mcp.toolsets.binding import Entry
from repo_mcp.toolsets.pages import CURSOR, NEXT_CURSOR, Page, keep_few, note_cut, note_hidden
from repo_mcp.toolsets.research.answers import resolve_scope
from repo_mcp.toolsets.research.schemas import FORMAT, MAX_QUERY_CHARS, PATH, PATH_FILTER, build_result
from repo_mcp.toolsets.schema_parts import (
    Schema,
    build_choice,
    build_field,
    build_limited,
    build_list,
    build_object,
    build_text,
    keep,
)

if TYPE_CHECKING:
    from repo_mcp.documentation.records import DocsAnswer, DocsHit, Media
    from repo_mcp.repository import Repository

MAX_LINKS = 8  # of one answer
RESERVED_BYTES = 2_048  # of an answer that no sound takes, because its text may have a longer form
DEFAULT_HITS = 10
KINDS = ("section", "doc_comment")


def docs_input(limits: Limits) -> Schema:
    """Return the input schema of `search_docs`."""
    most = limits.max_search_hits
    return build_object(
        {
            "query": build_text('Also "an exact phrase", +must, -mustnot', MAX_QUERY_CHARS),
            "path": PATH,
            "limit": build_limited("Most sections", min(DEFAULT_HITS, most), most),
            "path_filter": PATH_FILTER,
            "format": FORMAT,
            "cursor": CURSOR,
        },
        ("query",),
    )


_HIT = build_object(
    {
        "path": build_field("string", "Relative to the repository"),
        "start_line": build_field("integer", "First line of the snippet"),
        "end_line": build_field("integer"),
        "relevance_percent": build_field(
            "number",
            "0 to 100, the same scale for every query: 100 has each word of it, in the heading too. Above 75"
            " most of the query is met, below 40 little of it",
        ),
        "kind": build_choice("Section of a document, or comment of a declaration in code", KINDS),
        "breadcrumb": build_field(
            "string", "Its headings, or module and scopes, down to its own: Guide > Setup > pip"
        ),
        "section_lines": build_list(
            build_field("integer"),
            "First and last line of the whole section or comment, if the snippet is a part of it",
        ),
        "snippet": build_field("string", "The lines as they are in the file now"),
    },
    ("path", "start_line", "end_line", "relevance_percent", "kind", "breadcrumb", "snippet"),
)
_MEDIA = build_object(
    {
        "path": build_field("string"),
        "mime_type": build_field("string"),
        "size": build_field("integer", "Bytes"),
        "text": build_field("string", "Alternative text or caption"),
        "hit": build_field("integer", "Number of the result that refers to it, from 1"),
    },
    ("path", "mime_type", "size", "hit"),
)
DOCS_OUTPUT = build_result(
    {
        "results": keep(build_list(_HIT, "Best first; ties by path, then line")),
        "total": build_field("integer", "Sections and comments that were ranked"),
        "truncated": build_field("boolean", "There are more than returned"),
        "cursor": NEXT_CURSOR,
        "media": build_list(
            _MEDIA, "Images, audio and other files that the results refer to; also linked after the text"
        ),
    }
)


def search_docs(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `search_docs`. A NUL in the query counts as a blank: no person types one."""
    from repo_mcp.documentation.records import DocsRequest  # here: tools are listed before anything is loaded

    page = Page("search_docs", arguments)
    scope = resolve_scope(repository, arguments)
    query, limit = str(arguments["query"]).replace("\0", " "), arguments.get("limit")
    most = repository.config.limits.max_search_hits
    request = DocsRequest(
        query,
        page.start + (limit if isinstance(limit, int) else min(DEFAULT_HITS, most)),
        None if scope.is_whole else scope.holds,
        scope.key,
    )
    found = repository.engines.documentation.search(request, context.cancelled)
    ordinary = "limit" not in arguments
    keys = [f"{hit.start_line} {hit.path}" for hit in found.hits]
    page.check(keys)
    hits, left_out = keep_few(found.hits[page.start :], page, lacks_most=found.lacks_most)
    if ordinary and not page.start:
        hits = hits[: found.usual_hits]
    is_more = found.truncated or page.start + len(hits) < len(found.hits)
    answer = replace(found, hits=tuple(hits), truncated=is_more, warnings=(*found.warnings, *left_out))

    def build(rows: int) -> Part:
        is_cut = answer.truncated or rows < len(answer.hits)
        return _build(answer, rows, {"truncated": is_cut, **page.follow(keys, rows, is_cut)})

    def find_blocks(result: Result) -> tuple[Block, ...]:
        return _build_blocks(answer, result, repository.config.limits, context.root)

    return Draft(build, len(answer.hits), ordinary, render=_render, find_blocks=find_blocks)


def _build(answer: DocsAnswer, rows: int, more: Result) -> Part:
    hits = answer.hits[:rows]
    result: Result = {
        "results": [_render_hit(hit) for hit in hits],
        "total": answer.total,
        **more,
        "media": [_render_media(one, place) for place, one in _choose_media(hits)],
    }
    cut = note_cut(rows, len(answer.hits), "results")
    return Part(result, [*answer.warnings, *cut, *note_hidden((hit.snippet for hit in hits), "result")])


def _render_hit(hit: DocsHit) -> Result:
    whole = [hit.section_start, hit.section_end]
    return {
        "path": escape_text(hit.path),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "relevance_percent": hit.relevance_percent,
        "kind": hit.kind,
        "breadcrumb": escape_text(hit.breadcrumb),
        "section_lines": [] if whole == [hit.start_line, hit.end_line] else whole,
        "snippet": hit.snippet,
    }


def _render_media(media: Media, place: int) -> Result:
    return {
        "path": escape_text(media.path),
        "mime_type": media.media_type,
        "size": media.size,
        "text": escape_text(media.text),
        "hit": place,
    }


def _choose_media(hits: Sequence[DocsHit]) -> list[tuple[int, Media]]:
    """Return the media of the hits by priority, each with the number of the first hit that refers to it."""
    found: dict[str, tuple[int, Media]] = {}
    for place, hit in enumerate(hits, 1):
        for media in hit.media:
            known = found.get(media.path)
            if known is None or media.priority > known[1].priority:
                found[media.path] = (place, media)
    return sorted(found.values(), key=lambda row: (-row[1].priority, row[0], row[1].path.encode()))[
        :MAX_LINKS
    ]


def _build_blocks(answer: DocsAnswer, result: Result, limits: Limits, root: str) -> tuple[Block, ...]:
    """Return the links to readable files, each followed by its sound while there is room in the answer.

    `root` is the name of the root in URIs, "" for none.
    """
    most = limits.max_total_bytes_per_response
    rows = result["results"]
    media_of_hits = _choose_media(answer.hits[: len(rows)] if isinstance(rows, list) else ())
    chosen = [(place, media) for place, media in media_of_hits if media.size <= limits.max_file_bytes]
    links = [_link(media, answer.hits[place - 1], root) for place, media in chosen]
    room = most - RESERVED_BYTES - len(encode_json(result).encode()) - sum(map(_measure_link, links))
    blocks: list[Block] = []
    for link, (_, media) in zip(links, chosen, strict=True):
        blocks.append(link)
        if media.sound is None or 4 * len(media.sound) > 3 * room:
            continue
        sound = Audio(_encode(media.sound), media.media_type, link.notes)
        room -= len(sound.data) + len(sound.mime_type)
        blocks.append(sound)
    return tuple(blocks)


def _link(media: Media, hit: DocsHit, root: str) -> ResourceLink:
    from repo_mcp.protocol.resources import build_uri  # here: tools are listed before anything is called

    described = f"{media.text}; in {media.within}" if media.text else f"In {media.within}"
    audience = ("user", "assistant") if media.is_text else ("user",)
    return ResourceLink(
        build_uri("repo", root, media.path),
        escape_text(media.path.rpartition("/")[2]),
        media.media_type,
        escape_text(f"{described} ({hit.path})"),
        media.size,
        Notes(audience, media.priority),
    )


def _measure_link(link: ResourceLink) -> int:
    return len(link.uri) + len((link.name + link.mime_type + link.description).encode())


def _encode(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode("ascii")


def _render(result: Result) -> str:
    """Return text for people: one paragraph for each section, and below them the media."""
    rows, media = result["results"], result["media"]
    parts = [_render_row(row) for row in rows] if isinstance(rows, list) else []
    if not parts:
        parts = ["No documentation was found."]
    if isinstance(media, list) and media:
        parts.append("\n".join(["Media:", *(_render_medium(one) for one in media)]))
    return "\n\n".join(parts)


def _render_row(row: Mapping[str, Any]) -> str:
    head = f"{row['breadcrumb']}  ({row['relevance_percent']}%)"
    return f"{head}\n{write_citation(row['path'], row['start_line'], row['end_line'])}\n{row['snippet']}"


def _render_medium(one: Result) -> str:
    said = f": {one['text']}" if one["text"] else ""
    return f"  {one['path']} ({one['mime_type']}, {one['size']:,} bytes){said}"


ENTRIES = (
    Entry(
        "search_docs",
        "Search the documentation",
        "Find the sections of the documentation (and comments of declarations) that answer a question, with"
        " the media that they refer to.",
        docs_input,
        DOCS_OUTPUT,
        search_docs,
        free_text=frozenset({"query"}),
    ),
)
