"""Find what a stack trace points at: the block of each frame in the project, and the source of its message.

    evidence -> files that may hold the message -> opened files -> blocks with a rank, the least for the
    innermost frame

These blocks are shown before all others. The source of a message comes right behind the innermost frame. What
the prompt quotes may be a message, too. Of a frame that names no line, the lines are those that call the
frame within it. Left out: frames in code that is not of the project, and those that may be in several files,
unless one of them declares the function.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.named_lines import locate
from repo_mcp.blocks.prompt import MAX_WORDS
from repo_mcp.blocks.rated_files import RatedFile, Traced
from repo_mcp.blocks.source import BlockSource
from repo_mcp.ranking.page.quoted_lines import Quotable, find_message, read_quotable
from repo_mcp.ranking.query.clues import Clue, list_messages
from repo_mcp.ranking.query.mentions import Mention, number_frames
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.record_classes import replace
from repo_mcp.text.roles import FileRole, find_role

MAX_FRAMES = 12  # whose blocks come first
MAX_MESSAGES = 2  # whose sources are looked for
MAX_SOURCES = 8  # files that may hold a message, and that are opened
MAX_ALIKE = 2  # sources of one message; what more places say is no message of one of them
INNERMOST, MESSAGE, NEXT = 0, 1, 2  # ranks: of the innermost frame, of the source of a message, of the others
UNTRACED = 1_000  # rank of lines that no trace points at
WHOLE_FILE = 1, 1 << 31
_SEPARATORS = re.compile(r"[\"'“”`]")


def add_sources(evidence: Evidence, source: BlockSource) -> Evidence:
    """Return the evidence with files that may hold the messages of the prompt's errors as candidates.

    Raises IndexFormatError, OSError.
    """
    candidates = {one.path: one for one in evidence.candidates}
    for message in list_messages(evidence.prompt)[:MAX_MESSAGES]:
        ranking = source.rank(parse_query(_SEPARATORS.sub(" ", message), MAX_WORDS), False)
        paths = dict.fromkeys(one.path for one in ranking.chunks if find_role(one.path) is FileRole.CODE)
        for path in islice(paths, MAX_SOURCES):
            candidates[path] = replace(candidates.get(path, Candidate(path, 0.0, None)), may_declare=True)
    return replace(evidence, candidates=tuple(candidates.values()))


def mark_traced(opened: Sequence[RatedFile], evidence: Evidence) -> None:
    """Note in the opened files which of their blocks the frames and the messages of a prompt point at."""
    frames = number_frames(evidence.mentions)
    inner = ""
    for clue, number in islice(frames.items(), MAX_FRAMES):
        for one in opened:
            for mention in one.candidate.mentions:
                if mention.clue == clue:
                    _mark_frame(one, mention, NEXT + number - 1 if number else INNERMOST, inner)
        inner = clue.name or ""
    for message in list_messages(evidence.prompt)[:MAX_MESSAGES]:
        _mark_message(opened, read_quotable(message), MESSAGE if frames else INNERMOST)


def find_rank(one: RatedFile, start_line: int, end_line: int) -> int:
    """Return the least rank of a block that is shown and shares lines with an excerpt, or UNTRACED."""
    ranks = [
        traced.rank
        for at, traced in one.traced.items()
        if at in one.shown and one.blocks[at].start_line <= end_line and start_line <= one.blocks[at].end_line
    ]
    return min(ranks, default=UNTRACED)


def _mark_frame(one: RatedFile, mention: Mention, rank: int, inner: str) -> None:
    """Note the blocks of a frame, with the line that it names or the lines that call the function `inner`."""
    clue = mention.clue
    for line in locate(clue, one.view.layout.spans, one.view.live.lines):
        at = _find_block(one, line)
        if at is None or (mention.share < 1.0 and not _declares(one, at, clue)):
            continue
        traced = one.traced.setdefault(at, Traced(rank, clue))
        if clue.line is None and inner:
            traced.lines += _iter_calling(one, at, inner)
        else:
            traced.lines.append(line)


def _declares(one: RatedFile, at: int, clue: Clue) -> bool:
    """Return True if a block is the function of a frame, or is in it."""
    block = one.blocks[at]
    return clue.name is not None and clue.name in {
        span.name for span in (block.span, block.owner) if span is not None
    }


def _iter_calling(one: RatedFile, at: int, name: str) -> Iterator[int]:
    """Yield the lines of a block that call a function."""
    calls = re.compile(rf"(?<![\w$]){re.escape(name)}(?:<[^()]{{0,80}}>)?\s?\(")
    block = one.blocks[at]
    first = block.start_line if block.span is None else block.span.name_line + 1
    for number in range(first, block.end_line + 1):
        if number not in one.view.layout.comment_lines and calls.search(one.view.live.lines[number - 1]):
            yield number


def _mark_message(opened: Sequence[RatedFile], message: Quotable, rank: int) -> None:
    """Note the block that holds a message in a literal; of several literals the one that has most of it."""
    found = []
    for one in opened:
        if find_role(one.candidate.path) is FileRole.CODE:
            line, length = find_message("\n".join(one.view.live.lines), message)
            if length and line not in one.view.layout.comment_lines:
                found.append((length, one, line))
    most = max((length for length, *_ in found), default=0)
    best = [(one, line, _find_block(one, line)) for length, one, line in found if length == most]
    best = [place for place in best if place[2] in place[0].traced] or best  # a frame says which one it was
    for one, line, at in best if len(best) <= MAX_ALIKE else ():
        if at is not None:
            one.traced.setdefault(at, Traced(rank, None)).lines.append(line)


def _find_block(one: RatedFile, line: int) -> int | None:
    at = bisect_right([block.start_line for block in one.blocks], line) - 1
    return at if at >= 0 and line <= one.blocks[at].end_line else None
