"""Find the lines of a file that name several of a kind close together, as a list, a table or a switch does.

    switch (kind) {                              export type Kind =
        case "disk": return new DiskStore()          | "disk"
        case "mail": return new MailStore()          | "mail"

Pure.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.bodies.body import measure_indent
from repo_mcp.record_classes import dataclass
from repo_mcp.research.kinds.parallel_lines import CALL, CASES, read_kind

MOST_APART, MOST_APART_CALLS = 6, 24  # lines from one of the kind to the next, and of calls alike
LEAST_LISTED = 3  # of a kind, or all of two
# Lines with one name, and lines from one with a name to the next with the same.
MOST_AGAIN, MOST_BESIDE = 2, 3
SPELLED = 0.7  # of the weight of an own name for a text or a further name
_IMPORTS = re.compile(r"\s*(?:import|from|using|use|require|#\s*include)\b|.*\brequire\(")
_COMMENT = re.compile(r"\s*(?://|\*|/\*|#(?!include)|--|<!--)")
_DECLARES = re.compile(
    r"\b(?:class|struct|interface|trait|impl|enum|type|record|object|protocol|extension|module|def|func|fn)\s+"
    r"(?:<[^<>]*>\s*)?$"
)
_MADE_FOR_USE = re.compile(r"[\w\])>?]\s*(?::[^=:;]{1,80})?=\s*(?:await\s+)?(?:new\s+)?(?:\w+\.){0,3}$")
_QUOTED = re.compile(r"([\"'`])((?:(?!\1)[^\\\n]){1,80})\1")
_APART = re.compile(r"[^\w-]+")
Mentions = Mapping[int, set[str]]  # what of a kind each line names


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that name several of a kind."""

    lines: Mapping[int, frozenset[str]]  # what of the kind each names
    is_import: bool = False
    is_spelled: bool = False  # by texts or by further names, not by the own names of the kind

    @property
    def names(self) -> frozenset[str]:
        """Return what of the kind they name."""
        return frozenset(name for own in self.lines.values() for name in own)

    @property
    def weight(self) -> float:
        """Return a number that grows with what of the kind they name, and with how close together."""
        count = len(self.names)
        share: float = SPELLED if self.is_spelled else 1.0
        return share * count * math.sqrt(count / (self.last - self.first + 1))

    @property
    def first(self) -> int:
        """Return the number of the first line."""
        return min(self.lines)

    @property
    def last(self) -> int:
        """Return the number of the last line."""
        return max(self.lines)


def find_mentions(lines: Sequence[str], names: Iterable[str]) -> dict[int, set[str]]:
    """Return the names that each line of code has as whole words, without the lines that declare them."""
    text = "\n".join(lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: dict[int, set[str]] = defaultdict(set)
    for name in names:
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            if not (_is_part(text[at - 1 : at]) or _is_part(text[end : end + 1])):
                number = bisect_right(starts, at)
                before = lines[number - 1][: at - starts[number - 1]]
                is_used = text[end : end + 1] == "(" and _MADE_FOR_USE.search(before)
                if not (_COMMENT.match(before) or _DECLARES.search(before) or is_used):
                    found[number].add(name)
            at = text.find(name, end)
    return found


def _is_part(char: str) -> bool:
    return char.isalnum() or char == "_"


@dataclass(frozen=True, slots=True)
class Spelling:
    """The words that tell the types of a kind apart, as texts and further names spell them."""

    names: Mapping[str, str]  # own names -> what tells one
    keys: frozenset[str]  # what tells one, in lower case without anything between its words
    further: re.Pattern[str]  # a name that begins so, and the rest of it

    def read(self, lines: Sequence[str], numbers: Iterable[int]) -> list[dict[int, set[str]]]:
        """Return what texts in some lines spell, then what the names with each ending do."""
        found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for at in numbers:
            line = lines[at - 1]
            for quoted in _QUOTED.finditer(line):
                for word in _APART.split(quoted[2]):
                    key = _join(word)
                    if word in self.names or key in self.keys:
                        found[""][at].add(self.names.get(word, key))
            for name in self.further.finditer(line):
                if name[0] not in self.names:
                    found[name[2]][at].add(_join(name[1]))
        return [*found.values()]


def _join(word: str) -> str:
    return word.replace("-", "").replace("_", "").lower()


def is_import(line: str) -> bool:
    """Return True for a line that imports."""
    return _IMPORTS.match(line) is not None


def find_groups(
    lines: Sequence[str], mentions: Mentions, least: int = LEAST_LISTED, *, is_spelled: bool = False
) -> list[Group]:
    """Return the groups of lines near each other that name at least so many of a kind, each mostly once.

    Lines that import them are groups of their own.
    """
    imported = {at for at in mentions if is_import(lines[at - 1])}
    groups = []
    for imports in (False, True):
        own = [at for at in sorted(mentions) if (at in imported) is imports]
        for numbers in _cut(lines, own, mentions):
            group = Group({at: frozenset(mentions[at]) for at in numbers}, imports, is_spelled)
            groups += [group] if len(group.names) >= least else []
    return groups


def _cut(lines: Sequence[str], numbers: Sequence[int], mentions: Mentions) -> list[list[int]]:
    """Return ascending numbers in runs without a gap of more than MOST_APART, each with a name only once.

    A name may stand in lines next to each other: `case "disk":` and `return new DiskStore()`.
    """
    runs: list[list[int]] = []
    said: dict[str, list[int]] = {}  # lines of each name in the latest run
    for at in numbers:
        is_near = bool(runs) and _are_near(lines, runs[-1][-1], at)
        before = [said[name] for name in mentions[at] if name in said]
        is_again = any(at - own[-1] > MOST_BESIDE or len(own) == MOST_AGAIN for own in before)
        if not is_near or is_again:
            runs.append([])
            said = {}
        runs[-1].append(at)
        for name in mentions[at]:
            said.setdefault(name, []).append(at)
    return runs


def _are_near(lines: Sequence[str], first: int, second: int) -> bool:
    """Return True for lines near each other; two cases, or calls of one function, may stand further apart."""
    if second - first > MOST_APART_CALLS:
        return False
    kind = read_kind(lines[second - 1]) if second - first > MOST_APART else ""
    is_alike = kind == CASES or kind.startswith(CALL)
    return second - first <= MOST_APART or (is_alike and kind == read_kind(lines[first - 1]))


def find_opening(lines: Sequence[str], first: int, most: int = 3) -> int | None:
    """Return the nearest line above a list that has less indentation than its first line; None for none."""
    indent = measure_indent(lines[first - 1])
    for at in range(first - 1, max(0, first - 1 - most), -1):
        line = lines[at - 1]
        if line.strip() and measure_indent(line) < indent and line.strip() not in ("{", "["):
            return at
    return None
