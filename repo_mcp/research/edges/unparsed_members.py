"""Compare types that no parser reads by what their text declares, and by the types that they make.

    FileBuffer.generate_chunk        FileChunk.new(metadata)         FileChunk.write_metadata
    FileSingleBuffer.generate_chunk  FileSingleChunk.new(metadata)   FileSingleChunk.restore_metadata

Functions of one name stand side by side if they differ, the most different first, behind the longest that
only one of the types has. What both types make in a function of one name is compared in the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.model import Hit
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.research_state import ResearchState

MOST_ALONE = 2  # functions shown that only one of two types has
LEAST_DIFFERENT = 3  # lines in which two functions of one name differ
MAX_LINES = 120  # of a function that is compared
_MAKES = re.compile(r"\bnew\s+((?:\w+(?:::|\.))*[A-Z]\w*)|\b((?:\w+(?:::|\.))*[A-Z]\w*)\.new\b")
_OF_ERROR = re.compile(r"(?:Error|Exception)$")


@dataclass(frozen=True, slots=True)
class WrittenType:
    """A type and its functions, as the text of its file has them."""

    path: str
    name: str
    members: Mapping[str, SymbolSpan]
    lines: Sequence[str]  # of the file
    size: int  # characters

    def read_code(self, name: str) -> list[str]:
        """Return the lines of a function without margins, empty lines and comments."""
        span = self.members[name]
        lines = (line.strip() for line in self.lines[span.head_line - 1 : span.end_line])
        return [line for line in lines if line and not line.startswith(("#", "//", "--", "*", "/*"))]


def read_type(state: ResearchState, hit: Hit) -> WrittenType | None:
    """Return the type that a hit declares; None if it declares something without functions."""
    first, last = hit.symbol_lines or (hit.start_line, hit.end_line)
    spans = [one for one in state.source.find_layout(hit.path).spans if first <= one.name_line <= last]
    name = spans[0].name if spans else ""
    members = {
        one.name: one
        for one in reversed(spans)
        if one.qualified_name.split(".")[-2:-1] == [name]
        and 1 < one.end_line - one.head_line + 1 <= MAX_LINES
    }
    members = dict(sorted(members.items(), key=lambda item: item[1].name_line))
    lines = state.source.read_lines(hit.path)
    size = sum(map(len, lines[first - 1 : last]))
    return WrittenType(hit.path, name, members, lines, size) if members else None


def list_different(one: WrittenType, other: WrittenType) -> list[tuple[WrittenType, str, bool]]:
    """Return the functions in which two types differ, those that tell most first.

    Each is given by its type, its name, and whether that type alone has it.
    """
    listed = []
    for own, theirs in ((one, other), (other, one)):
        alone = [name for name in own.members if name not in theirs.members]
        alone.sort(key=lambda name: -len(own.read_code(name)))
        listed += [(own, name, True) for name in alone[:MOST_ALONE]]
    shares = {name: _measure_difference(one, other, name) for name in one.members if name in other.members}
    ranked = sorted((name for name, share in shares.items() if share), key=lambda name: -shares[name])
    return listed + [(own, name, False) for name in ranked for own in (one, other)]


def _measure_difference(one: WrittenType, other: WrittenType, name: str) -> float:
    """Return the share of the lines of two functions of one name that only one of them has; 0 for few."""
    own, theirs = Counter(one.read_code(name)), Counter(other.read_code(name))
    different = ((own - theirs) + (theirs - own)).total()
    return different / (own + theirs).total() if different > LEAST_DIFFERENT else 0.0


def find_made(one: WrittenType, other: WrittenType) -> tuple[str, str, str] | None:
    """Return the names of a function and of the types that two types make in it, where these differ."""
    for name in one.members:
        if name not in other.members:
            continue
        own, theirs = (_list_made(each.read_code(name)) for each in (one, other))
        first = next((made for made in own if made not in theirs), None)
        second = next((made for made in theirs if made not in own), None)
        if first is not None and second is not None:
            return name, first, second
    return None


def _list_made(code: Sequence[str]) -> list[str]:
    """Return the names of the types that lines make something of, without errors."""
    found = (re.split(r"::|\.", made[1] or made[2])[-1] for line in code for made in _MAKES.finditer(line))
    return [name for name in dict.fromkeys(found) if not _OF_ERROR.search(name)]
