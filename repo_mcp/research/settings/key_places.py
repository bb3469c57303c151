"""Find where a text that serves as a key is written and read: of a map, a message, a record, an event.

    data["worker"] = id         Store.save writes it
    load(data.get("worker"))    Pool.adopt reads it

No parser says which function reads what another one stores under such a text. What tells them apart is only
how a line uses it: what does not store a value is said to use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.citing import cite_line, join_names, shorten, shorten_symbol
from repo_mcp.research.findings.locating import count_shared_folders, is_program, is_test
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.asked_keys import LINE_CHARS, find_texts, match_quoted
from repo_mcp.research.words.shown_lines import show_body
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.generated import is_generated

MAX_LINES = 200  # with one key that are read
MAX_PLACES = 24  # that are noted
MAX_BODIES = 8  # of the program, of which more than the lines with a key are shown
ROOM, LESS_ROOM, FIRST = 900, 500, 4  # characters of each body; of the FIRST ones, and of the others
MAX_NAMED = 5  # in one sentence
BEFORE, BEHIND = 160, 80  # characters read before and behind a key
AROUND = 1  # lines shown before and after one with a key, of what is no function
# What stands around a key that gets a value, before the key and behind it.
_STORES = re.compile(
    r"(?:^|[^\w])(?:add|append|assign|bind|cache|dispatch|emit|fire|hset|insert|mset|publish|push|put|raise|save|send|set"
    r"|store|trigger|update|with|write)\w*\s*(?:<[^<>()]*>)?\(\s*(?:\w+\s*,\s*)?$",
    re.IGNORECASE,
)
_IS_GIVEN = re.compile(r"\s*\]?\s*(?::=|=>|=(?![=>])|:(?!:))|\s*\]?\s*\?\?=")
_BEGINS_PAIR = re.compile(r"\{\s*$")  # `{ "key", value }`
_GOES_ON = re.compile(r"\s*,")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Place:
    """The lines of one symbol, or of a file, that have keys."""

    path: str
    node: Node | None  # None for a file that is not parsed
    symbol: str
    span: tuple[int, int]
    keys: dict[int, tuple[str, ...]]  # by line
    given: tuple[bool, ...]  # whether a value is stored under each

    @property
    def writes(self) -> bool:
        """Return True for what stores values under the keys and reads none."""
        return all(self.given)

    @property
    def held(self) -> frozenset[str]:
        """Return the keys that it has."""
        return frozenset(key for own in self.keys.values() for key in own)


def note_keys(state: ResearchState, subjects: Sequence[Subject]) -> None:
    """Note what the question names as the holder of keys, then all else that has them, tests last."""
    spans = [
        (node.path, node.symbol.start_line, node.symbol.end_line) for one in subjects for node in one.nodes
    ]
    spans += [
        (hit.path, *(hit.symbol_lines or (hit.start_line, hit.end_line)))
        for one in subjects
        for hit in one.places
    ]
    whole = [subject.asked for subject in subjects if _is_whole(state, subject.asked, spans)]
    places = _list_places(state, [subject.asked for subject in subjects], whole)
    own: list[_Place] = []
    rest: list[_Place] = []
    for one in places:
        (own if _lies_within(one, spans) else rest).append(one)
    own += _list_unread(state, subjects, own)
    rest.sort(key=lambda one: _rank(state, one, own, len(subjects)))
    for one in own:
        _note(state, one, 0, ROOM)
    for position, one in enumerate(rest[:MAX_PLACES]):
        room = ROOM if position < FIRST else LESS_ROOM
        has_room = position < MAX_BODIES and not is_test(one.path, one.symbol)
        _note(state, one, 1, room if has_room else 0)
    if len(rest) > MAX_PLACES:
        state.limit(f"{len(rest) - MAX_PLACES} more places with these texts", f"{MAX_PLACES} are shown")


def describe_keys(state: ResearchState, subjects: Sequence[Subject]) -> str:
    """Return what writes keys and what uses them."""
    found = {hop: [one for one in state.findings if bool(one.hop) is hop] for hop in (False, True)}
    others = [one for one in found[True] if not is_test(one.path, one.symbol)]
    writers = [one for one in others if one.role is Role.WRITES_KEY]
    readers = [one for one in others if one.role is Role.READS_KEY]
    tests = len(found[True]) - len(others)
    is_one = len(subjects) == 1
    keys = join_names((f'"{one.asked}"' for one in subjects), len(subjects))
    verb = "write" if any(one.role is Role.WRITES_KEY for one in found[False]) else "use"
    it = "it" if is_one else "them"
    held = f"{_say(found[False], verb)} the text{'' if is_one else 's'} {keys}."
    sentences = [held] if found[False] else []
    sentences += [
        f"{_say(readers, 'use')} {it}." if readers else f"No other code is known to read {it}.",
    ]
    sentences += [f"{_say(writers, 'write')} such a text, too."] if writers else []
    sentences += (
        [f"{tests} {'place in tests has' if tests == 1 else 'places in tests have'} {it}."] if tests else []
    )
    return " ".join(sentences)


def _say(found: Sequence[Finding], verb: str) -> str:
    """Return the names of findings, each with the first line that has a key, and a verb behind them."""
    names = (f"{shorten_symbol(one)} ({cite_line(one)})" for one in found)
    return f"{join_names(names, MAX_NAMED)} {verb if len(found) > 1 else f'{verb}s'}"


def _is_whole(state: ResearchState, key: str, spans: Iterable[tuple[str, int, int]]) -> bool:
    """Return True if a line of the holders has nothing but the key in quotes."""
    quoted = match_quoted(key)
    return any(
        quoted.search(line)
        for path, first, last in spans
        for line in state.source.read_lines(path)[first - 1 : last]
    )


def _list_places(state: ResearchState, keys: Sequence[str], whole: Sequence[str]) -> list[_Place]:
    """Return the symbols around all lines of code that have a key in a text, in the order of their files.

    The `whole` keys must be all of the text.
    """
    around: dict[tuple[str, str], tuple[ExactMatch, dict[int, list[str]]]] = {}
    for key in keys:
        is_whole = key in whole
        request = ExactRequest(
            rf"[\"'`]{re.escape(key)}[\"'`]" if is_whole else key,
            regex=is_whole,
            whole_word=not is_whole,
            limit=MAX_LINES,
            with_symbols=True,
            by_role=True,
        )
        found = state.source.search_exact(request)
        if found.truncated:
            state.limit(f'lines with "{key}"', f"the first {MAX_LINES} are read")
        for one in found.matches:
            if _is_code(state, one) and _has_text(state, one, key, is_whole=is_whole):
                node = state.source.find_around(one.path, one.start_line)
                name = node.qualified_name if node is not None else one.symbol or one.path
                lines = around.setdefault((one.path, name), (one, {}))[1]
                lines.setdefault(one.start_line, []).append(key)
    return [_build_place(state, one, lines) for one, lines in around.values()]


def _list_unread(state: ResearchState, subjects: Sequence[Subject], own: Sequence[_Place]) -> list[_Place]:
    """Return the holders of keys that lie beyond the lines that were read."""
    found = []
    for node in dict.fromkeys(node for one in subjects for node in one.nodes):
        span = (node.symbol.start_line, node.symbol.end_line)
        if any(_lies_within(one, [(node.path, *span)]) for one in own):
            continue
        lines, comments = state.source.read_lines(node.path), state.source.read_comment_lines(node.path)
        keys = {
            at: tuple(one.asked for one in subjects if find_texts(lines, at, one.asked, span[0]))
            for at in range(span[0], min(span[1], len(lines)) + 1)
            if at not in comments
        }
        keys = {at: held for at, held in keys.items() if held}
        given = tuple(_is_given(lines[at - 1][:LINE_CHARS], key) for at, held in keys.items() for key in held)
        found += [_Place(node.path, node, node.qualified_name, span, keys, given)] if keys else []
    return found


def _is_code(state: ResearchState, match: ExactMatch) -> bool:
    """Return True for a line of the program or of tests."""
    is_code = is_program(match.path) or is_test(match.path, match.symbol or "")
    return is_code and state.admits(match.path)


def _has_text(state: ResearchState, match: ExactMatch, key: str, *, is_whole: bool) -> bool:
    """Return True for a line that has a key in a text, or as all of one, and is no comment."""
    if is_whole and not match_quoted(key).search(match.line):
        return False  # most lines: their files need not be read
    first = 0
    if not is_whole:
        node = state.source.find_around(match.path, match.start_line)
        own = match.symbol_lines or (match.start_line, match.end_line)
        first = own[0] if node is None else node.symbol.start_line
    text = state.source.read_lines(match.path)[: match.start_line]
    if len(text) < match.start_line or not find_texts(text, match.start_line, key, first):
        return False
    return match.start_line not in state.source.read_comment_lines(match.path)


def _build_place(state: ResearchState, first: ExactMatch, lines: dict[int, list[str]]) -> _Place:
    node = state.source.find_around(first.path, first.start_line)
    text = state.source.read_lines(first.path)
    given = [_is_given(text[line - 1][:LINE_CHARS], key) for line, keys in lines.items() for key in keys]
    keys = {line: tuple(own) for line, own in lines.items()}
    span = first.symbol_lines or (first.start_line, first.start_line)
    symbol = first.symbol or first.path
    if node is not None:
        span, symbol = (node.symbol.start_line, node.symbol.end_line), node.qualified_name
    return _Place(first.path, node, symbol, span, keys, tuple(given))


def _is_given(line: str, key: str) -> bool:
    """Return True for a line that stores a value under a key."""
    for found in match_quoted(key).finditer(line):
        before = line[max(0, found.start() - BEFORE) : found.start()]
        after = line[found.end() : found.end() + BEHIND]
        is_argument = _STORES.search(before) or _BEGINS_PAIR.search(before)
        if _IS_GIVEN.match(after) or (_GOES_ON.match(after) and is_argument):
            return True
    set_in_list = rf"\b{re.escape(key)}\s*=[^=,]{{1,30}},|\bset\b[^;]*\b{re.escape(key)}\s*=(?!=)"  # SQL
    return not match_quoted(key).search(line) and re.search(set_in_list, line, re.IGNORECASE) is not None


def _lies_within(place: _Place, spans: Iterable[tuple[str, int, int]]) -> bool:
    """Return True for a symbol that is, or lies in, one of some spans of files."""
    return any(
        place.path == path and first <= place.span[0] <= place.span[1] <= last for path, first, last in spans
    )


def _rank(
    state: ResearchState, place: _Place, own: Sequence[_Place], count: int
) -> tuple[bool, bool, bool, bool, bool, int, str, int]:
    """Return a sort key: first what has all keys, and what names the type whose key it is."""
    lines = state.source.read_lines(place.path)
    first, last = place.span
    text = "\n".join(lines[first - 1 : last])
    owners = {name for one in own for name in shorten(one.symbol).split(".")}
    near = max((count_shared_folders(place.path, one.path) for one in own), default=0)
    return (
        is_test(place.path, place.symbol),
        is_generated(lines),
        len(place.held) < count,
        place.writes,
        owners.isdisjoint(_WORD.findall(text)),
        -near,
        place.path,
        first,
    )


def _note(state: ResearchState, place: _Place, hop: int, room: int) -> None:
    """Note a place, with more than its lines that have a key if it gets room."""
    named = join_names(f'"{key}"' for key in sorted(place.held))
    writes = place.writes if hop else any(place.given)
    role = Role.WRITES_KEY if writes else Role.READS_KEY
    reason = Reason(f"{'writes' if writes else 'uses'} {named}", role)
    lines = tuple(sorted(place.keys))
    node = place.node
    if node is not None and node.symbol.kind is not SymbolKind.FILE:
        shown = show_body(state, node, room, place.keys) if room else ()
        state.add(node, reason, hop, lines=lines, shown=tuple(sorted({*shown, *lines})) if room else ())
        return
    text = state.source.read_lines(place.path)
    around = {at for line in lines for at in range(line - AROUND, line + AROUND + 1)} if room else set(lines)
    shown = tuple(sorted(at for at in around if 0 < at <= len(text)))
    state.add_place(
        Finding(
            place.path,
            lines[0],
            lines[-1],
            place.symbol,
            "text",
            None,
            reason,
            hop,
            "text",
            lines,
            shown=shown,
        )
    )
