"""Note the lines that declare, set, read or mention a setting, each function with several of them once.

Of what sets it, configuration comes first and tests last.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from repo_mcp.bodies.body import measure
from repo_mcp.bodies.chosen_lines import keep_around
from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.locating import is_test_place, rank_role
from repo_mcp.research.findings.named_symbols import show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import MAX_EVIDENCE, ResearchState
from repo_mcp.research.settings.given_values import find_value
from repo_mcp.research.settings.line_use import LineUse, classify_match
from repo_mcp.research.settings.option_calls import find_default, list_uses_of_bound
from repo_mcp.research.settings.reading_lines import asks_for_readers
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.generated import is_generated
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.roles import FileRole, find_role

MAX_OF_FILE = 5  # functions or lines shown of one file
MAX_TESTS = 3  # places in tests: the program decides, and tests only try it
MAX_PLACES = 40
MAX_READERS = 10
MOST_BRANCHES = 2  # shown by one variable
LINE_CHARS = 400  # read of a line, so that none takes long
FUNCTION_CHARS = 260  # shown of a function that sets or mentions a name, if other lines do so too
_ROLES = {
    LineUse.SETS: Role.SETS,
    LineUse.FILLS: Role.SETS,
    LineUse.TAKES: Role.FROM_ENVIRONMENT,
    LineUse.OPTION: Role.OPTION,
    LineUse.DECLARES: Role.DECLARES,
    LineUse.PARAMETER: Role.PARAMETER,
    LineUse.PASSES_ON: Role.PASSES,
    LineUse.READS: Role.READS,
}
_DEFAULT = re.compile("default", re.IGNORECASE)


def note_option(state: ResearchState, option: Subject) -> None:
    """Note the calls that declare an option of the command line, then the lines that use what they set."""
    for call in option.declaring:
        around, reason = state.source.find_around(call.path, call.line), f"declares the option {call.name}"
        span, shown = (call.first, call.last), tuple(range(call.first, call.last + 1))
        finding = _build_finding(call.path, span, around, Reason(reason, Role.OPTION, call.name), 1)
        state.add_place(replace(finding, lines=(call.line,), shown=shown))
    for call in option.declaring:
        reason = f"uses {call.bound}, which the option {call.name} sets"
        for path, at in list_uses_of_bound(state, call)[:MAX_EVIDENCE]:
            around = state.source.find_around(path, at)
            finding = _build_finding(path, (at, at), around, Reason(reason, Role.READS, call.name), 2)
            state.add_place(replace(finding, lines=(at,), shown=(at,)))


def put_options_first(state: ResearchState) -> None:
    """Order the findings: what declares a setting as an option comes first, and what tools wrote last.

    A declaration that gives it a value stays first.
    """
    written = {one.path: is_generated(state.source.read_lines(one.path)) for one in state.findings}
    options = [one for one in state.findings if one.role is Role.OPTION and not written[one.path]]
    names = {one.reason.about.replace("-", "_") for one in options}
    is_given = any(one.role is Role.NAMED and _gives_value(state, one, names) for one in state.findings)
    declaring = [] if is_given else options
    others = [one for one in state.findings if one not in declaring]
    own = [one for one in others if not written[one.path]]
    last = [replace(one, hop=max(2, one.hop)) for one in others if written[one.path]] if own else others
    state.findings[:] = [*(replace(one, hop=min(1, one.hop)) for one in declaring), *own, *last]


def _gives_value(state: ResearchState, one: Finding, names: Collection[str]) -> bool:
    """Return True for a declaration of one of some names that gives it a value."""
    if one.node is None or one.node.symbol.kind not in VALUE_KINDS or one.node.symbol.name not in names:
        return False
    lines = state.source.read_lines(one.path)[one.start_line - 1 : one.end_line]
    return bool(find_value(one.node.symbol.name, "\n".join(lines)))


def note_readers(state: ResearchState, name: str, found: Iterable[ExactMatch], role: Role) -> None:
    """Note lines that read or mention the name."""
    noted = 0
    verb = "read" if role is Role.READS else "mention"
    reason = Reason(f"{verb}s {name}", role, name)
    places = _join_lines(state, found)
    for at, place in enumerate(places):
        if noted >= MAX_READERS:
            state.unnoted[role] += len(places) - at
            state.limit(f"more places that {verb} {name}", f"{MAX_READERS} are shown")
            break
        noted += _note_use(state, name, place, reason, 2)


def note_matches(state: ResearchState, name: str, matches: Iterable[ExactMatch]) -> None:
    """Note matching lines by function: configuration first, and lines that set the name before others.

    If only readers are asked for, what takes the name from the environment comes before configuration, and so
    does what is named after a default if one is asked for.
    """
    counts: dict[str, int] = {}
    uses = {match: _classify(state, name, match) for match in matches}
    first = LineUse.TAKES if asks_for_readers(state.request.query) else None
    asks_default = _DEFAULT.search(state.request.query) is not None
    ordered = sorted(
        uses,
        key=lambda one: (
            is_test_place(one.path),
            uses[one] is not first,
            uses[one] is not LineUse.PARAMETER,
            asks_default and not (uses[one] is LineUse.OPTION or _says_default(state, one)),
            name not in one.line,  # spelled otherwise, it may be another setting
            find_role(one.path) is not FileRole.CONFIG,
            rank_role(one.path),
            uses[one] in (LineUse.PASSES_ON, LineUse.GIVES),
            one.path,
        ),
    )
    noted = tests = 0
    places = _join_lines(state, ordered)
    for at, own in enumerate(places):
        match = own.matches[0]
        own.matches = [one for one in own.matches if uses[one] is uses[match]]
        tests += is_test_place(match.path)
        counts[match.path] = counts.get(match.path, 0) + 1
        if noted >= MAX_PLACES:
            state.unnoted[Role.SETS] += len(places) - at
            state.limit(f"places that set {name}", f"{MAX_PLACES} are shown")
            break
        if counts[match.path] > MAX_OF_FILE:
            state.limit("more lines", f"{MAX_OF_FILE} of one file are shown", match.path)
            continue
        if tests > MAX_TESTS and is_test_place(match.path):
            state.limit(f"more tests that set {name}", f"{MAX_TESTS} are shown")
            continue
        written = _find_written(name, match.line) or name
        use = uses[match]
        text = f"{use.value.format(written)}, in {_name_role(match.path)}"
        role = _ROLES.get(use, Role.OTHER)
        noted += _note_use(state, name, own, Reason(text, role, written), 1)


def _classify(state: ResearchState, name: str, match: ExactMatch) -> LineUse:
    """Return how a line uses a name: a call that is given its default with it declares it."""
    use = classify_match(state, name, match)
    if use in (LineUse.PASSES_ON, LineUse.SETS) and find_default(state, match.path, match.start_line, name):
        return LineUse.OPTION
    return use


def _says_default(state: ResearchState, match: ExactMatch) -> bool:
    """Return True for a line that is called a default, or lies in what is called so."""
    around = state.source.find_around(match.path, match.start_line)
    return _DEFAULT.search(f"{match.line} {'' if around is None else around.qualified_name}") is not None


def _name_role(path: str) -> str:
    role = FileRole.TEST if is_test_place(path) else find_role(path)
    return {
        FileRole.CONFIG: "configuration",
        FileRole.CODE: "the program",
        FileRole.STYLE: "a style sheet",
        FileRole.TEST: "a test",
        FileRole.DOCS: "a document or example",
        FileRole.FOREIGN: "others' code",
    }[role]


@dataclass(slots=True)
class _Place:
    """Matching lines of one function, or one line outside all functions."""

    matches: list[ExactMatch]
    around: Node | None
    is_code: bool = False  # these are lines of a function, or of a property that computes its value
    is_line: bool = False  # though it lies in one, which is noted for another reason

    @property
    def function(self) -> Node | None:
        """Return the function that holds the lines; None outside functions."""
        return None if self.is_line or not self.is_code else self.around


def _join_lines(state: ResearchState, matches: Iterable[ExactMatch]) -> list[_Place]:
    """Return the places of matches, in the order of the first match of each."""
    found: dict[tuple[str, int], _Place] = {}
    for match in matches:
        around = state.source.find_around(match.path, match.start_line)
        place = _Place([match], around, around is not None and _computes(state, around))
        line = match.start_line if place.function is None else place.function.symbol.start_line
        known = found.setdefault((match.path, line), place)
        if known is not place:
            known.matches.append(match)
    return list(found.values())


def _computes(state: ResearchState, node: Node) -> bool:
    """Return True for a function, and for a property with conditions."""
    if node.symbol.kind is not SymbolKind.PROPERTY:
        return node.symbol.kind in CALLABLE_KINDS
    lines = state.source.read_lines(node.path)[node.symbol.start_line : node.symbol.end_line]
    return any(map(is_branch, lines))


def _note_use(state: ResearchState, name: str, place: _Place, reason: Reason, hop: int) -> bool:
    """Note a place as `_note_place` does; of a function noted for another use, note the line alone."""
    if _note_place(state, name, place, reason, hop):
        return True
    function = place.function
    roles = {one.role for one in state.findings if function is not None and one.node == function}
    if reason.role not in (Role.READS, Role.SETS) or not roles or roles & {reason.role, Role.NAMED}:
        return False
    place.is_line = True
    return _note_place(state, name, place, reason, hop)


def _note_place(state: ResearchState, name: str, place: _Place, reason: Reason, hop: int) -> bool:
    """Note a place: a function with the lines that decide about the name, or a single line.

    Return False if it is already noted, outside the folder, or at the limit.
    """
    first, around, function = place.matches[0], place.around, place.function
    used = tuple(sorted({match.start_line for match in place.matches}))
    start, end = first.start_line, first.start_line
    shown: tuple[int, ...] = ()
    if function is not None:
        start, end = function.symbol.start_line, function.symbol.end_line
        if reason.role is Role.READS:
            used = tuple(sorted({*used, *_list_deciding(state, function, used, name)}))
        room = FUNCTION_CHARS + measure(state.source.read_lines(first.path), used[1:MAX_EVIDENCE])
        shown = show_body(state, function, room, dict.fromkeys(used, (name,)))
        shown = keep_around(state.source.read_lines(first.path), {*shown, *used[:MAX_EVIDENCE]}, used)
    elif reason.role is Role.READS and around is not None and around.symbol.kind in VALUE_KINDS:
        span = (around.symbol.start_line, around.symbol.end_line)  # the call may begin above the name
        start, end = span if span[1] - span[0] < MAX_EVIDENCE else (start, end)
        shown = tuple(range(start, end + 1))
    elif reason.role is Role.SETS and around is not None and _is_table(around):
        start, end = around.symbol.start_line, around.symbol.end_line
        shown = tuple(sorted({start, *used, *_list_guessed(state, around)}))
    finding = _build_finding(first.path, (start, end), around, reason, hop)
    written = _find_written(name, first.line)
    return state.add_place(replace(finding, lines=used[:MAX_EVIDENCE], name=written, shown=shown))


def _list_deciding(state: ResearchState, function: Node, used: Sequence[int], name: str) -> list[int]:
    """Return the first lines of a function that branch on a variable which one of some lines makes of a name.

    `limit = self.max_size` says little without `if len(row) > limit:`.
    """
    lines = state.source.read_lines(function.path)[: function.symbol.end_line]
    made = re.compile(
        rf"\s*(?:[\w<>\[\]?]+ ){{0,3}}([\w$]+)(?:\s*:[^=]{{1,60}})?\s*:?=(?![=>]).*{re.escape(name)}"
    )
    found: list[int] = []
    for at in used:
        given = made.match(lines[at - 1][:LINE_CHARS]) if at <= len(lines) else None
        if given is None or given[1] == name:
            continue
        asks = re.compile(rf"(?<![.\w]){re.escape(given[1])}\b")
        below = (one for one in range(at + 1, len(lines) + 1) if is_branch(lines[one - 1]))
        found += [one for one in below if asks.search(lines[one - 1][:LINE_CHARS])][:MOST_BRANCHES]
    return found


def _build_finding(
    path: str, span: tuple[int, int], around: Node | None, reason: Reason, hop: int
) -> Finding:
    """Build the finding of lines, named for the symbol around them, or for their file."""
    symbol, kind = (path, "file") if around is None else (around.qualified_name, around.kind)
    return Finding(path, *span, symbol, kind, around, reason, hop, "text")


def _is_table(node: Node) -> bool:
    """Return True for a value of several lines, such as a table of defaults."""
    return node.symbol.kind in VALUE_KINDS and node.symbol.end_line - node.symbol.start_line > MAX_EVIDENCE


def _list_guessed(state: ResearchState, table: Node) -> list[int]:
    """Return the lines of a table with a key that the question guesses."""
    keys = "|".join(map(re.escape, list_own_names(state.request.guesses)))
    entry = re.compile(rf"\s*[\"'`]?(?:{keys})[\"'`]?\s*(?::|=)")
    lines = state.source.read_lines(table.path)[: table.symbol.end_line]
    own = range(table.symbol.start_line, len(lines) + 1)
    return [at for at in own if keys and entry.match(lines[at - 1])][:MAX_EVIDENCE]


def _find_written(name: str, line: str) -> str:
    """Return a name as the line spells it, perhaps in another case, or "" for a line without it."""
    if name in line:  # `num_proxies = settings.NUM_PROXIES`
        return name
    written = re.search(re.escape(name).replace("_", "[_-]?"), line, re.IGNORECASE)
    return written[0] if written else ""
