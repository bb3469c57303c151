"""Find every place that lists the types of a kind: where one more has to be named beside the others.

    a switch or a table with their names      the texts by which these are chosen
    a list of all of them                     types named after each: `DiskOptions | MailOptions`
    what exports them

A place is found by its lines: several of the kind are named close together, and each mostly once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.locating import count_shared_folders, may_answer
from repo_mcp.research.findings.named_symbols import VALUES, count_lines
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.listed_lines import (
    LEAST_LISTED,
    Group,
    Spelling,
    find_groups,
    find_mentions,
    find_opening,
)
from repo_mcp.research.kinds.siblings import MOST_SIBLINGS, Sibling, read_siblings, spell_key
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.question_words import shares_word

MOST_PLACES = 4
MOST_USING = 200  # files that use the name of one of a kind
MOST_READ = 16  # files whose lines are looked at
MOST_KEYS, MOST_MATCHES = 6, 600  # whose spellings are searched for, and lines that have one
NEAR_LINES = 60  # around such a line
MOST_ENTRIES = 4  # of a list, of which lines are shown
LEAST_PART, MANY = 4, 24  # of the kind, or of so many if it has more, for one that a list names
LEAST_WEIGHT = 4  # of the heaviest place for one of another
_ASKS_BUILT_IN = re.compile(
    r"\b(?:built-? ?in|primitive|scalar|basic|native|standard(?: library)?) (?:\w+ )?types?\b", re.IGNORECASE
)
MOST_BUILT_IN, LEAST_BUILT_IN = 3, 6  # places, and types that one names
MANY_BUILT_IN = 12  # of two lists with as many, the longer one has more besides
# That a program seldom names but where it lists them.
_BUILT_IN_TYPES = """
    bytes complex date datetime Decimal dict float frozenset list object set str time timedelta tuple UUID
    Boolean Byte Char Character DateTime DateTimeOffset Double Float Guid Int16 Int32 Int64 Integer Long
    Number SByte Short Single String Symbol TimeSpan UInt16 UInt32 UInt64
    bool char double f32 f64 float32 float64 i16 i32 i64 int int16 int32 int64 int8 u16 u32 u64 uint16 uint32
    uint64 uint8 bigint boolean number string byte long short sbyte decimal ushort uint ulong
"""
EXPORTS = re.compile(r"(?:^|/)(?:__init__\.pyi?|index\.\w+|mod\.rs|lib\.rs)$")


@dataclass(frozen=True, slots=True)
class Place:
    """A declaration, or the top level of a file, that holds lines."""

    path: str
    node: Node | None  # None at the top level of a file

    @property
    def name(self) -> str:
        """Return the path and the name."""
        return self.path if self.node is None else f"{self.path} {self.node.qualified_name}"


@dataclass(frozen=True, slots=True)
class Listing:
    """A place that lists several of a kind."""

    path: str
    node: Node | None  # what holds the lines; None at the top level of a file
    count: int  # of the kind, as far as it is named
    body: Body  # of which only a few lines are left


def find_listings(
    state: ResearchState, base: Node, kind: Sequence[Node], model: Node | None, nouns: Sequence[str]
) -> list[Listing]:
    """Return the places that list a kind, those with most of it first, and what exports it last."""
    nodes = [node for node in kind if node != base][:MOST_SIBLINGS]
    siblings = read_siblings(base, nodes)
    first = next(
        (one for one in siblings if model is not None and one.name == model.symbol.name),
        next(iter(siblings), None),
    )
    names = set() if first is None else {first.name, "".join(first.key)} - {""}
    languages = tuple(sorted({node.language for node in nodes} & LANGUAGES.keys()))
    return find_places(state, siblings, base.path, languages, names, nouns)


def find_places(
    state: ResearchState,
    siblings: Sequence[Sibling],
    near: str,
    languages: tuple[str, ...],
    first: Collection[str],
    nouns: Sequence[str],
) -> list[Listing]:
    """Return the places that list siblings, best in the outermost folder of the path `near`.

    Of each, the lines with one of the `first` names are shown, and those of a few others.
    """
    if len(siblings) < 2:
        return []
    least = min(LEAST_LISTED, len(siblings))
    groups = _list_named(state, [one.name for one in siblings if one.name], least)
    groups += _list_spelled(state, siblings, least, languages)
    fair = max(least, min(len(siblings), MANY) / LEAST_PART)
    groups = [
        (path, group)
        for path, group in _keep_near(groups, near)
        if len(group.names) >= fair and (not group.is_import or EXPORTS.search(path))
    ]
    held = _join(state, groups, len(siblings) / 2, nouns)
    heaviest = max((one.weight for own in held.values() for one in own), default=0.0)
    told = [place for place, own in held.items() if max(one.weight for one in own) >= heaviest / LEAST_WEIGHT]
    order = sorted(told, key=lambda place: _rank(place, held[place]))
    return [
        Listing(
            one.path,
            one.node,
            max(len(group.names) for group in held[one]),
            _show(state, one, held[one], first),
        )
        for one in order[:MOST_PLACES]
    ]


def find_built_in_types(state: ResearchState) -> list[Listing]:
    """Return the places that list types which languages have built in, if the question asks for one more."""
    if _ASKS_BUILT_IN.search(state.request.query) is None:
        return []
    groups = _list_named(state, _BUILT_IN_TYPES.split(), LEAST_LISTED)
    held = _join(state, groups, LEAST_LISTED, ())
    counts = {place: len(frozenset().union(*(one.names for one in own))) for place, own in held.items()}
    told = [place for place, count in counts.items() if count >= LEAST_BUILT_IN]
    order = sorted(
        told,
        key=lambda place: (
            not _is_value(place),
            -min(counts[place], MANY_BUILT_IN),
            -(0 if place.node is None else count_lines(place.node)),
            place.path,
        ),
    )
    return [
        Listing(one.path, one.node, counts[one], _show(state, one, held[one], frozenset()))
        for one in order[:MOST_BUILT_IN]
    ]


def _is_value(place: Place) -> bool:
    return place.node is not None and place.node.symbol.kind in VALUES


def _rank(place: Place, groups: Sequence[Group]) -> tuple[bool, float, str, int]:
    """Return a sort key: what only exports a kind comes last."""
    return (
        bool(EXPORTS.search(place.path)) and (place.node is None or place.node.symbol.kind in VALUES),
        -max(one.weight for one in groups),
        place.path,
        groups[0].first,
    )


def _list_named(state: ResearchState, names: Sequence[str], least: int) -> list[tuple[str, Group]]:
    """Return the groups of lines with names of a kind."""
    using: Counter[str] = Counter()
    for name in names:
        state.check()
        found = state.graph.name_uses.list_rare(name, MOST_USING)
        using.update({path for own in found for path in own})
    paths = [path for path, count in using.items() if count >= least and _may_list(state, path)]
    groups = []
    for path in sorted(paths, key=lambda one: (-using[one], one))[:MOST_READ]:
        lines = state.source.read_lines(path)
        mentions = find_mentions(lines, names)
        if find_groups(lines, mentions, least):
            comments = state.source.read_comment_lines(path)
            told = {at: own for at, own in mentions.items() if at not in comments}
            groups += [(path, one) for one in find_groups(lines, told, least)]
    return groups


def _may_list(state: ResearchState, path: str) -> bool:
    return may_answer(path) and state.admits(path)


def _list_spelled(
    state: ResearchState, siblings: Sequence[Sibling], least: int, languages: tuple[str, ...]
) -> list[tuple[str, Group]]:
    """Return the groups of lines with texts that tell one of a kind, or with types named after each.

    The files are found by the longest of these words, which few lines have by chance.
    """
    keyed = {"".join(one.key): one for one in siblings if one.key}
    if len(keyed) < least:
        return []
    longest = sorted(keyed, key=lambda key: (-len(key), key))[:MOST_KEYS]
    words = {form for key in longest for form in spell_key(keyed[key].key)}
    named = {_capitalise(keyed[key]) for key in longest}
    words |= {keyed[key].name for key in longest} - {""}
    pattern = rf"[\"'`./](?:{_join_words(words)})[\"'`:.]|\b(?:{_join_words(named)})[A-Z]\w"
    request = ExactRequest(
        pattern, regex=True, include_tests=False, limit=MOST_MATCHES, by_role=True, languages=languages
    )
    found: dict[str, list[int]] = defaultdict(list)
    for one in state.source.search_exact(request).matches:
        if _may_list(state, one.path):
            found[one.path].append(one.start_line)
    few = min(least, len(longest)) - 1
    told = [path for path, own in found.items() if len(own) >= few]
    paths = sorted(told, key=lambda path: (-len(found[path]), path))
    spelling = Spelling(
        {one.name: key for key, one in keyed.items() if one.name},
        frozenset(keyed),
        re.compile(rf"\b({_join_words(map(_capitalise, keyed.values()))})([A-Z]\w*)"),
    )
    groups = []
    for path in paths[:MOST_READ]:
        lines = state.source.read_lines(path)
        near = {at for line in found[path] for at in range(line - NEAR_LINES, line + NEAR_LINES + 1)}
        numbers = sorted(at for at in near if 0 < at <= len(lines))
        for mentions in spelling.read(lines, numbers):
            groups += [(path, one) for one in find_groups(lines, mentions, least, is_spelled=True)]
    return groups


def _capitalise(one: Sibling) -> str:
    return "".join(map(str.capitalize, one.key))


def _join_words(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda one: (-len(one), one)))


def _keep_near(groups: Sequence[tuple[str, Group]], path: str) -> list[tuple[str, Group]]:
    """Return the groups in the outermost folder of a base, if there are any: others are of other programs."""
    near = [one for one in groups if count_shared_folders(one[0], path)]
    return near if "/" in path and near else [*groups]


def _join(
    state: ResearchState, groups: Sequence[tuple[str, Group]], least: float, nouns: Sequence[str]
) -> dict[Place, list[Group]]:
    """Return the groups by what holds them.

    What only spells the kind must be in a place that names it, or spell as many.
    """
    held: dict[Place, list[Group]] = defaultdict(list)
    for path, group in groups:
        node = find_holder(state, path, group.first, group.last)
        held[Place(path, node)].append(group)
    return {
        place: own
        for place, own in held.items()
        if any(not one.is_spelled or len(one.names) >= least for one in own) or shares_word(place.name, nouns)
    }


def find_holder(state: ResearchState, path: str, first: int, last: int) -> Node | None:
    """Return the innermost declaration around some lines; None at the top level."""
    node = state.source.find_around(path, first)
    while node is not None and node.symbol.kind is not SymbolKind.FILE:
        if node.symbol.start_line <= first and last <= node.symbol.end_line:
            return node
        node = state.get_parent(node)
    return None


def _show(state: ResearchState, place: Place, groups: Sequence[Group], first: Collection[str]) -> Body:
    """Return a body of which the head, what opens the list, and the lines of a few of the kind are left."""
    lines, node = state.source.read_lines(place.path), place.node
    shown: set[int] = set()
    for group in groups:
        by_name: dict[str, list[int]] = defaultdict(list)
        for at in sorted(group.lines):
            for name in group.lines[at]:
                by_name[name].append(at)
        names = sorted(by_name, key=lambda name: (name not in first, by_name[name]))
        last = max(by_name, key=lambda name: by_name[name][-1])
        for name in (*names[:MOST_ENTRIES], last):
            shown.update(by_name[name][:2])
        opening = find_opening(lines, group.first)
        shown |= {opening} if opening is not None else set()
    start, end = min(shown), max(shown)
    if node is not None:
        start, end = node.symbol.start_line, max(end, node.symbol.end_line)
        own = find_mentions(lines[:end], first)
        shown.update(islice((at for at in sorted(own) if at >= start), 1))
        named = (at for at in range(start, end + 1) if node.symbol.name in lines[at - 1])
        shown.add(next(named, start))
    hidden = frozenset(at for at in range(start, end + 1) if at not in shown)
    return Body(lines, start, end, start, {}, hidden)
