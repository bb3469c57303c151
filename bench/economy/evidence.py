"""The lines of a tree that an answer showed, and what a policy spent until it had shown the wanted ones.

An answer is worth the numbered lines in it. They are read from any record by what all of them have in common:
a `path`, and a text whose lines have their numbers in front, or `start_line` where the numbers are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TEXTS = ("snippet", "content", "text", "preview", "excerpt")
PATHS = ("path", "file_path")
_NUMBERED = re.compile(r" *(\d+)[\t:](.*)", re.DOTALL)
# Of a hit as text; a span is that of what the line declares, and then comes what that lies in.
_TEXT_LINE = re.compile(r"(\d+)(?:-\d+)?(?: in [^:]*)?:(.*)")
_SNIPPET_LINE = re.compile(r"(\d+)(?:-\d+)?(?: in [^\t]*)?\t(.*)")  # the same in a record
_SAME = "same lines in "  # begins the row of the other files that have the lines above it
_BLANK = ("", "…")  # no line of the file; the second stands for lines that are left out

Line = tuple[str, int]  # path and number, from 1


@dataclass(frozen=True, slots=True)
class Region:
    """A span of one file that answers a task."""

    path: str
    first: int
    last: int

    def is_in(self, shown: set[Line]) -> bool:
        """Return whether every line of the region was shown."""
        return all((self.path, number) in shown for number in range(self.first, self.last + 1))


@dataclass(frozen=True, slots=True)
class Step:
    """One answer."""

    bytes: int
    lines: Mapping[Line, str]  # what it shows


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of one task to a policy."""

    bytes: int | None  # of all answers until the evidence; None when it never came
    calls: int


def spend(steps: Iterable[Step], regions: Sequence[Region], budget_bytes: int) -> Spent:
    """Take steps until one of the regions was shown, or the budget is exceeded.

    One region is enough: from there an agent would follow the names that it read, which no policy here can.
    """
    shown: set[Line] = set()
    total = calls = 0
    for step in steps:
        total, calls = total + step.bytes, calls + 1
        if total > budget_bytes:
            break
        shown.update(step.lines)
        if any(region.is_in(shown) for region in regions):
            return Spent(total, calls)
    return Spent(None, calls)


def read_lines(record: object, path: str = "") -> dict[Line, str]:
    """Return the lines that a record shows, at whatever depth, in its order."""
    return dict(_iter_lines(record, path))


def _iter_lines(record: object, path: str) -> Iterator[tuple[Line, str]]:
    if isinstance(record, list):
        for one in record:
            path = _find_path(one) or path  # of several spans of a file, the first names it
            yield from _iter_text(one) if isinstance(one, str) else _iter_lines(one, path)
    elif isinstance(record, Mapping):
        path = _find_path(record) or path
        for name, value in record.items():
            if name == "snippet" and isinstance(value, str) and (own := _read_snippet(path, value)):
                yield from own
            elif name in TEXTS and isinstance(value, str):
                yield from _number(path, value, record)
            else:
                yield from _iter_lines(value, path)


def _find_path(record: object) -> str | None:
    own = record if isinstance(record, Mapping) else {}
    return next((str(own[name]) for name in PATHS if isinstance(own.get(name), str)), None)


def _iter_text(text: str) -> Iterator[tuple[Line, str]]:
    """Yield the lines of a hit that is text: its path, then numbered lines and declarations."""
    path, _, rest = text.partition("\n")
    shown: list[str] = []
    for line in rest.split("\n"):
        match = _TEXT_LINE.fullmatch(line)
        if match:
            shown.append(match[2])
            yield (path, int(match[1])), match[2]
        elif line.startswith(_SAME):
            yield from _iter_same(line.removeprefix(_SAME), shown)


def _iter_same(places: str, shown: Sequence[str]) -> Iterator[tuple[Line, str]]:
    """Yield the lines of other files that are said to be those shown, if their numbers are given: `3-5,9`."""
    for place in places.split(", "):
        path, _, numbers = place.rpartition(":")
        spans = re.findall(r"(\d+)(?:-(\d+))?", numbers)
        lines = [number for first, last in spans for number in range(int(first), int(last or first) + 1)]
        if len(lines) == len(shown):
            yield from (((path, number), text) for number, text in zip(lines, shown, strict=True))


def _read_snippet(path: str, text: str) -> list[tuple[Line, str]]:
    """Return the numbered lines of a snippet; its other rows name declarations."""
    matches = map(_SNIPPET_LINE.fullmatch, text.split("\n"))
    return [((path, int(match[1])), match[2]) for match in matches if match]


def _number(path: str, text: str, record: Mapping[str, object]) -> Iterator[tuple[Line, str]]:
    lines = text.removesuffix("\n").split("\n") if text else []
    first = record.get("start_line", record.get("line"))
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    is_numbered = all(match or line.strip() in _BLANK for match, line in zip(numbered, lines, strict=True))
    if "line" not in record and any(numbered) and is_numbered:
        yield from (((path, int(match[1])), match[2]) for match in numbered if match)
    elif isinstance(first, int):
        yield from (((path, first + at), line) for at, line in enumerate(lines))


def read_files(root: Path, lines: Mapping[Line, str]) -> dict[Line, str]:
    """Return shown lines with the indentation that they have in their files; a cut line stays as shown."""
    paths = dict.fromkeys(path for path, _ in lines)
    texts = {path: (root / path).read_bytes().decode("utf-8", "replace").split("\n") for path in paths}

    def read(path: str, number: int, shown: str) -> str:
        whole = "".join(texts[path][number - 1 : number]).rstrip("\r")
        return whole if whole.strip() == shown.strip() else shown

    return {(path, number): read(path, number, shown) for (path, number), shown in lines.items()}


def render_grouped(lines: Mapping[Line, str]) -> str:
    """Render lines as `rg --heading -n` does: headings, `number:text`, a blank line between files."""
    parts: list[str] = []
    last = ""
    for (path, number), text in sorted(lines.items()):
        if path != last:
            parts.append(f"\n{path}\n" if last else f"{path}\n")
            last = path
        parts.append(f"{number}:{text}\n")
    return "".join(parts)
