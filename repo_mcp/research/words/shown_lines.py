"""Choose the lines of each declaration that an answer shows, and note them as findings.

The best declaration gets the most room. Lines that call another declaration of the answer, or that do what
the question asks for, are preferred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from itertools import islice, pairwise, takewhile

from repo_mcp.bodies.body import Body, list_code, measure, measure_indent, trim_margin
from repo_mcp.bodies.chosen_lines import rank_lines
from repo_mcp.graph.program import Confidence
from repo_mcp.record_classes import replace
from repo_mcp.research.errors.handlers import asks_failing
from repo_mcp.research.errors.lines import holds_error
from repo_mcp.research.errors.shown_failures import show_failures
from repo_mcp.research.findings.reasons import RECIPE, Role
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.asked_words import PreferredKind
from repo_mcp.research.seeds.rated_seeds import OVERLOAD_LINES
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind

ROOM = 7_700  # characters of excerpts and of the fields beside them
BODIES = 8  # best declarations, of which lines are shown, however little room there is
# Declarations of which lines are shown for an open question. Of the first five of 350 answers one in four was
# wanted, of the sixth and seventh one in 19, and of 730 further ones one in 30.
MOST_BODIES = 7
# Further ones, if so many characters are left when the best have all that they can use: where an answer has
# at most 8,600 bytes, of the eighth and ninth one in nine was wanted, and of later ones one in 23.
FURTHER, FURTHER_ROOM = 2, 1_200
FINDING_CHARS = 200  # beside the excerpt of a finding
ROOM_OF_ASKED = 300  # characters for each finding that is asked for, where that is more than ROOM
# Maximum characters of the best declaration, of the next and so on; all others get the last value.
SHARES = (1_800, 1_500, 1_200, 1_000, 800, 600)
WHOLE_CHARS = 3_500  # of the best declaration, which is shown whole if it takes no more
NEARLY = 1.25  # times the share of another one, which is shown whole if it takes no more
AGAIN_ROOM = 330  # characters of a declaration with the name of a better one
NAME_LINES = 6  # at the head of a declaration, one of which has its name
LEAST_ROOM = 160  # with fewer characters left, only the heads of declarations are shown
# For a question about the errors of a function: the first declarations, and the least characters of each.
FAILING_FIRST, FAILING_ROOM = 3, 3_200
MEMBERS_ROOM = 600  # characters of an enumeration to which a member is to be added, and of its like
SPARE = 250  # characters more for the best statement, so that a long condition is shown
# Lines that end a block and are shown with what stands before them, and the most characters of each.
ENDING_LINES, ENDING_CHARS = 2, 50
FIRST_CHARS = 80  # of the first statement of a block, which is shown where nothing else of it is
_COMPARED = frozenset({Role.COMPARED, Role.MAKES_COMPARED})
_CALLING = re.compile(r"(?:perhaps )?calls (\S+)(?: of one of the kind)?")  # a reason
LINE_CHARS = 400  # read of a field, so that none takes long
LEADING_NAMES = 60  # names of the best declarations; lines that call one of these are preferred
# A member that others implement: abstract, of an interface or a trait, or one that only raises.
_UNFILLED = re.compile(
    r"\babstract\b|\bNotImplementedError\b"
    r"|^\s*(?!return|await|throw|yield|new|delete|else|case|go|defer)(?:[\w.<>\[\]?*&]+\s+)+\w+(?:<[^<>]*>)?"
    r"\((?:[^;{})]*+\))+[^;{}=)]*+;\s*$"
    r"|^\s*\w+\??\((?:[^;{})]|\)(?!\s*+:))*\)\s*+:[^;{}=]++;?\s*$"
)
# A field with a default: `this[kDepth] = depth != null ? depth : 1`, `self.depth = depth or 1`,
# `private int depth = 1;`
_DEFAULT = re.compile(
    r"\s*+(?:this\b|self\b|@)[\w.#\[\]$]*+\s*+(?::[^=]{1,60})?=(?!=)\s*+\S.*"
    r"(?:\?\?|\|\||\?.*:|\bor\b|\bif\b.*\belse\b)"
    r"|\s*+(?:(?:public|private|protected|internal|static|readonly|final|volatile)\s++){1,6}"
    r"[\w<>\[\]?,. ]++=(?![=>])\s*+[^;(]++;"
)
_ELSE = re.compile(r"\s*(?:\}\s*)?else\b(?!\s*if\b)")
_BARE = re.compile(r"\W*(?:else|try|finally|do|ensure)\W*$")
# What happens when something fails is in a handler, whose words are seldom those of the question.
_HANDLES = re.compile(r"^[^\w\n]*+(catch|except|recover|rescue)\b|\.(catch)\(", re.MULTILINE)


def note_seeds(
    state: ResearchState, seeds: Sequence[Seed], preferred: PreferredKind, *, is_named: bool
) -> None:
    """Note declarations as findings while there is room, the best with more of their lines.

    `is_named` means that the question names the first ones. Those whose errors it asks for get much room. For
    an open question that names none, lines of MOST_BODIES at most are shown, in all its parts together; the
    others are only named.
    """
    least_share = FAILING_ROOM if is_named and preferred is PreferredKind.FAILURES else 0
    is_open = preferred is PreferredKind.NOTHING and not is_named
    page = _Page(state, seeds, preferred)
    most = -(-MOST_BODIES // state.room.parts) if is_open else len(seeds)
    page.fill(least_share, most)
    if (is_open or len(page.chosen) == len(seeds)) and not state.word_match.lacks_most:
        page.spend_rest()
        page.add_further(most + FURTHER // state.room.parts)
    heads = [[_find_name_line(seed)] for seed in seeds[len(page.chosen) :]]
    for position, (seed, lines) in enumerate(zip(seeds, (*page.chosen, *heads), strict=True)):
        _note_seed(state, seed, tuple(lines), page.ranked.get(position, ()))


class _Page:
    """The lines that are shown of each declaration, and the room that is left for more."""

    def __init__(self, state: ResearchState, seeds: Sequence[Seed], preferred: PreferredKind) -> None:
        self.chosen: list[list[int]] = []  # the lines of the first seeds, which have room
        self._beside = 0  # how many of them take nobody's share
        self.ranked: dict[int, tuple[int, ...]] = {}  # by position, the best first
        self._left = max(ROOM, ROOM_OF_ASKED * state.request.findings) // state.room.parts
        self._parts, self._told = state.room.parts, state.room.told
        self._weights = state.weights
        self._seeds = seeds
        self._compares = any(seed.reason.role in _COMPARED for seed in seeds)
        bodies = (_leave_out_members(seed, seeds[:BODIES]) for seed in seeds)
        self._bodies = [trim_margin(body) for body in bodies]  # as shown
        self._preferred = preferred
        leads = match_calls([seed.name for seed in seeds])
        self._failing = {
            position: show_failures(state, seed.node)
            for position, seed in enumerate(seeds if preferred is PreferredKind.FAILURES else ())
            if self._parts == 1 and seed.node is not None and seed.node not in state.failures.asked
        }
        self._leads = match_handlers(leads) if asks_failing(state.request.query) else leads

    def fill(self, least_share: int, most: int) -> None:
        """Choose lines of one seed after the other, `most` of them beside those that take nobody's share.

        The first ones get at least `least_share` characters.
        """
        start = len(self.chosen)
        met = {seed.name for seed in self._seeds[:start]} - {""}
        for position, seed in enumerate(self._seeds[start:], start):
            is_again = seed.name in met and seed.reason.role is not Role.COMPARED
            share = _find_share(seed, position - self._beside, least_share, is_again=is_again)
            share = self._complete(position, share // self._parts)  # each part of a question shows several
            beside = self._beside + (seed.reason.role is Role.BESIDE)
            if beside > self._beside:  # it takes nobody's share, and little room
                share = min(share, SHARES[-1])
            is_type = seed.node is not None and seed.node.symbol.kind in TYPE_KINDS
            if is_type and (self._compares or (least_share and position)):
                share = min(share, MEMBERS_ROOM)  # the rest of its lines says less than its functions
            room = min(share, self._left - FINDING_CHARS)
            if room < LEAST_ROOM or position - beside >= most:
                break
            self._beside = beside
            met |= {seed.name} - {""}
            told = self._told.get(seed.path, frozenset())
            own = [at for at in told if seed.body.start_line <= at <= seed.body.end_line]
            self.chosen.append(self._choose(position, room + measure(seed.body.lines, own)))
            self._left -= self._measure(position) + FINDING_CHARS

    def add_further(self, most: int) -> None:
        """Choose lines of further seeds, up to `most`, if much room is left."""
        if self._left >= FURTHER_ROOM:
            self.fill(0, most)

    def _complete(self, position: int, share: int) -> int:
        """Return the share of a seed, or the characters of all its code if these are few enough for its rank.

        Of an enumeration to which a member is to be added, a few lines say as much as all.
        """
        seed, body = self._seeds[position], self._bodies[position]
        is_best = not position and seed.reason.role is not Role.ENUMERATION
        most = max(WHOLE_CHARS // self._parts if is_best else 0, int(NEARLY * share))
        whole = measure(body.lines, list_code(body))
        return max(share, whole) if whole <= most else share

    def spend_rest(self) -> None:
        """Choose more lines of the best seeds while characters are left."""
        types = [at for at, seed in enumerate(self._seeds) if self._compares and _is_built(seed)]
        for position in sorted(range(len(self.chosen)), key=lambda at: at in types):  # stable
            if self._left < LEAST_ROOM:
                break
            lines = self.chosen[position]
            used = self._measure(position)
            self.chosen[position] = sorted({*lines, *self._choose(position, used + self._left)})
            self._left -= self._measure(position) - used

    def _choose(self, position: int, room: int) -> list[int]:
        """Return lines of a seed that no other one shows: a type and its method are both found."""
        seed, chosen = self._seeds[position], enumerate(self.chosen)
        if failing := self._failing.get(position):
            self.ranked[position] = tuple(failing)
            return failing
        wanted = _match_wanted(self._preferred, self._leads, seed.body)
        if self._compares and _is_built(seed):
            wanted = match_defaults
        body = self._bodies[position]
        keeps = not position and body.comment_lines == seed.body.comment_lines
        keeps = keeps and seed.reason.role not in RECIPE  # of these, only what says how one is added
        keeps = keeps or len(list_code(seed.body)) == 1  # its comment says all
        ranked = rank_lines(body, self._weights, room, wanted, keeps_comments=keeps, spare=SPARE)
        self.ranked[position] = tuple(ranked)
        lines = end_blocks(body, sorted(ranked))
        others = (own for at, own in chosen if at != position and self._seeds[at].path == seed.path)
        known = {line for own in others for line in own} | self._told.get(seed.path, frozenset())
        return [line for line in lines if line == seed.body.head_line or line not in known]

    def _measure(self, position: int) -> int:
        """Return the characters of the lines that are shown of a seed."""
        return measure(self._bodies[position].lines, self.chosen[position])


def _is_built(seed: Seed) -> bool:
    """Return True for a type or a constructor, of which the fields with their defaults say most."""
    return seed.node is not None and seed.node.symbol.kind in TYPE_KINDS | {SymbolKind.CONSTRUCTOR}


def _leave_out_members(seed: Seed, others: Sequence[Seed]) -> Body:
    """Return the body of a seed; of a type, without the lines of those members that are shown themselves.

    The base of a kind has the heads of its members all the same.
    """
    if seed.node is None or seed.node.symbol.kind not in TYPE_KINDS or seed.reason.role is Role.BASE:
        return seed.body
    start, end = seed.body.start_line, seed.body.end_line
    inner = [one.body for one in others if one.path == seed.path and start < one.body.start_line]
    own = {at for body in inner if body.end_line <= end for at in range(body.head_line, body.end_line + 1)}
    return replace(seed.body, comment_lines=own | seed.body.comment_lines) if own else seed.body


def end_blocks(body: Body, chosen: Sequence[int]) -> list[int]:
    """Return the chosen lines of a body, ascending, with short lines that end a block begun by those.

    These are at most ENDING_LINES: a condition says little without what it leads to.
    """
    code = list_code(body)
    shown = set(chosen)
    for position in range(1, len(code)):
        if code[position - 1] in shown and code[position] not in shown:
            shown.update(_list_rest(body, code, position, shown))
    _begin_blocks(body, code, shown)
    return sorted(shown)


def _begin_blocks(body: Body, code: Sequence[int], shown: set[int]) -> None:
    """Add the condition before each `else` that is shown, and of each block without a line its first one.

    A block that begins with a long line stays without; an `else` or `try` of such a block is taken out.
    """
    indents = {at: measure_indent(body.lines[at - 1]) for at in code}
    for position, at in enumerate(code):
        if at in shown and _ELSE.match(body.lines[at - 1]):
            before = (one for one in reversed(code[:position]) if indents[one] == indents[at])
            shown.update(islice(before, 1))
    for position, (at, first) in enumerate(pairwise(code)):
        if not position or at not in shown or indents[first] <= indents[at]:  # the head is no block
            continue
        end = next((one for one in code[position + 1 :] if indents[one] <= indents[at]), body.end_line + 1)
        if not shown.isdisjoint(range(first, end)):
            continue
        if len(body.lines[first - 1].strip()) <= FIRST_CHARS:
            shown.add(first)
        elif _BARE.match(body.lines[at - 1]):
            shown.discard(at)


def _list_rest(body: Body, code: Sequence[int], position: int, shown: Set[int]) -> list[int]:
    """Return the lines of a block from a position to its end; none if it has more, or a longer one."""
    indent = measure_indent(body.lines[code[position] - 1])
    before = (code[at] for at in range(position - 1, -1, -1))
    above = next((at for at in before if measure_indent(body.lines[at - 1]) <= indent), None)
    below = code[position : position + ENDING_LINES + 1]
    rest = list(takewhile(lambda at: measure_indent(body.lines[at - 1]) >= indent, below))
    is_short = len(rest) <= ENDING_LINES and all(
        len(body.lines[at - 1].strip()) <= ENDING_CHARS for at in rest
    )
    return rest if is_short and above in shown else []


def _find_share(seed: Seed, position: int, least_share: int, *, is_again: bool) -> int:
    """Return the most characters of a seed, fewer if it has the name of a better one."""
    share = max(SHARES[min(position, len(SHARES) - 1)], least_share if position < FAILING_FIRST else 0)
    is_one_of_many = seed.reason.role is Role.ENUMERATION or (
        position and seed.reason.role is Role.MAKES_ERROR  # what leads to the error says enough
    )
    share = min(share, MEMBERS_ROOM) if is_one_of_many else share
    if not is_again:
        return share
    return max(AGAIN_ROOM, share // 2) if seed.body.line_count >= OVERLOAD_LINES else AGAIN_ROOM


def _find_name_line(seed: Seed) -> int:
    """Return the first line of a declaration that has its name: in C, the type may stand above it."""
    first = seed.body.head_line
    numbers = range(first, min(first + NAME_LINES, seed.body.end_line + 1))
    name = re.compile(rf"(?<!\w){re.escape(seed.name)}(?!\w)")
    return next((at for at in numbers if seed.name and name.search(seed.body.lines[at - 1])), first)


def match_calls(names: Sequence[str]) -> Callable[[str], Sequence[str]]:
    """Return a function that returns those of some names that a text calls, or reads as a member.

    The member may have an underscore more: `self._max_size` is what `max_size(size)` sets.
    """
    called = [re.escape(name) for name in dict.fromkeys(names[:LEADING_NAMES]) if len(name) > 2]
    if not called:
        return lambda _text: ()
    joined = "|".join(called)
    pattern = re.compile(rf"(?<![\w$])({joined})\s*[(<!]|[._]_?({joined})\b(?!\s*(?:\(|=(?!=)))")
    return lambda text: [found[1] or found[2] for found in pattern.finditer(text)]


def _match_wanted(
    preferred: PreferredKind, leads: Callable[[str], Sequence[str]], body: Body
) -> Callable[[str], Sequence[str]]:
    """Return a function that returns what of a text leads to another seed, or is what the question asks for.

    Of a type with members that others implement, these alone are wanted where it is asked what to add.
    """
    if preferred is PreferredKind.FAILURES:
        return lambda text: [text] if holds_error(text) else ()
    if preferred is PreferredKind.EXTENSION and any(
        map(_UNFILLED.search, body.lines[body.head_line : body.end_line])
    ):
        return lambda text: [text] if _UNFILLED.search(text) else ()
    return leads


def match_defaults(text: str) -> Sequence[str]:
    """Return a text that gives a field its default; nothing for others."""
    return [text] if _DEFAULT.match(text[:LINE_CHARS]) else ()


def match_handlers(leads: Callable[[str], Sequence[str]]) -> Callable[[str], Sequence[str]]:
    """Return a function that returns what `leads` does, and for what handles an error also that."""
    return lambda text: [*leads(text), *(one[1] or one[2] for one in _HANDLES.finditer(text))]


def _list_calls(seed: Seed, shown: Sequence[int]) -> tuple[int, ...]:
    """Return the shown lines that call what a declaration is shown for, each behind the condition around it.

    No page leaves these out.
    """
    calling, lines = _CALLING.fullmatch(seed.reason.text), seed.body.lines
    called = match_calls([calling[1].rpartition(".")[2]] if calling else [])
    found = {at for at in shown if called(lines[at - 1])}
    around = {
        above
        for above, at in pairwise(shown)
        if at in found and measure_indent(lines[above - 1]) < measure_indent(lines[at - 1])
    }
    return tuple(sorted(found | around))


def _note_seed(state: ResearchState, seed: Seed, shown: tuple[int, ...], ranked: tuple[int, ...]) -> None:
    """Note a declaration as a symbol, or as a place if it is none or is already noted."""
    called = _list_calls(seed, shown)
    if seed.node is not None and state.add(
        seed.node, seed.reason, 0, Confidence.PROBABLE, called, shown=shown, ranked=ranked
    ):
        return
    lines, start, end = seed.body.lines, seed.body.start_line, seed.body.end_line
    is_whole = any(seed.name in line for line in lines[start - 1 : end])  # and no part below its head
    place = TextPlace(seed.path, start, end, seed.full_name, seed.name if is_whole else "")
    note_lines(state, place, seed.reason, 0, shown=shown)
