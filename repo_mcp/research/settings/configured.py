"""Find where something is configured: the lines that give its name a value, configuration files first.

A line gives a name a value when `=`, `:` or `:=` follows the name, which may be quoted (a key of JSON or of
a dictionary), or when a defining word precedes it: `#define NAME`, `config NAME`, `export NAME`, `--name`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from repo_mcp.bundler.body import measure, measure_indent
from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.locating import is_aside, is_program, is_test_place, rank_role
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import MAX_EVIDENCE, ResearchState
from repo_mcp.research.settings.decided_fields import list_asking, note_decided
from repo_mcp.research.settings.line_use import LineUse, classify_match, classify_use
from repo_mcp.research.settings.named_constants import list_taking
from repo_mcp.research.settings.option_calls import list_asked_option, note_options
from repo_mcp.research.settings.reading_lines import asks_for_readers, find_used, list_reading, reads_only
from repo_mcp.research.settings.setting_lines import MAX_MATCHES, MAX_SETTING_CHARS, search_setting
from repo_mcp.research.settings.setting_owners import is_owned
from repo_mcp.research.words.shown_lines import show_body
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import STOP_WORDS

MAX_OF_FILE = 5  # functions or lines shown of one file
MAX_TESTS = 3  # places in tests: the program decides, and tests only try it
MAX_PLACES = 40
MAX_DECLARING = 40  # files that declare one name
MAX_READERS = 10
MAX_HEADINGS = 2  # of documents
FUNCTION_CHARS = 260  # shown of a function that sets or mentions a name, if other lines do so too
_CONFIG_PATH = re.compile(
    r"(?:^|/|_)(?:conf|configs?|configuration|settings?|options|defaults?|env|constants)\b"
    r"|\.(?:env|ini|cfg|toml|ya?ml|json|properties|conf)$",
    re.IGNORECASE,
)
_OF_CONFIGURATION = re.compile(  # at the start of a word of the name of a type
    r"(?:\b|_|(?<=[a-z0-9])(?=[A-Z]))(?i:conf|opt|setting|default|param|flag|args\b|argument|preference)"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
KCONFIG = "CONFIG_"
_ROLES = {
    LineUse.SETS: Role.SETS,
    LineUse.TAKES: Role.FROM_ENVIRONMENT,
    LineUse.OPTION: Role.OPTION,
    LineUse.DECLARES: Role.DECLARES,
    LineUse.PASSES_ON: Role.PASSES,
    LineUse.READS: Role.READS,
}
_HYPHENATED = re.compile(r"\w+(?:-\w+)+")
_READERS = {Role.READS: "reads {}", Role.FROM_ENVIRONMENT: LineUse.TAKES.value}
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)+")


def list_setting_names(subject: Subject) -> list[str]:
    """Return at most two names to search for: those of the declarations found, else the text itself.

    Kconfig declares what the program calls `CONFIG_NET` as `config NET`.
    """
    names = dict.fromkeys(node.symbol.name for node in subject.nodes if subject.is_declared)
    if not names:
        last = subject.asked.rpartition(".")[2]
        named = (
            [last.removeprefix(KCONFIG) or last, last]
            if _NAME.fullmatch(last)
            else [*filter(_HYPHENATED.fullmatch, [subject.asked]), *_join_words(subject.asked)]
        )
        names = dict.fromkeys(named)
    return list(names)[:2]


def _join_words(text: str) -> list[str]:
    words = [word for word in re.findall(r"\w+", text) if word.lower() not in STOP_WORDS]
    return ["_".join(words)] if words else []


def is_written(state: ResearchState, subject: Subject) -> bool:
    """Return True for a setting that is declared, or whose name, perhaps of several words, some line has."""
    return bool(subject.nodes) or any(
        search_setting(state, name) or _search_mentions(state, name) for name in list_setting_names(subject)
    )


def find_settings(state: ResearchState, subject: Subject) -> None:
    """Note the lines that give the subject a value, and those that read it, or these first if asked for.

    Of the former, those in configuration come first, and those in tests last. Of an option of the command
    line, only the calls that declare it count.
    """
    if declaring := list_asked_option(state, subject):
        note_options(state, subject.asked, declaring)
        return
    if not subject.nodes and _DOTTED.fullmatch(subject.asked) and _note_dotted(state, subject.asked):
        return
    used = find_used(state, subject)
    others = _list_other_fields(state, subject)
    foreign = find_used(state, replace(subject, nodes=others)) - used
    for name in list_setting_names(subject):
        state.check()
        matches, mentions = (
            [one for one in found if (one.path, one.start_line) not in foreign and not _lies_in(others, one)]
            for found in (search_setting(state, name), _search_mentions(state, name))
        )
        if subject.nodes and "." in subject.asked:
            matches = [one for one in matches if _is_meant(state, subject, name, one, used)]
            mentions = [one for one in mentions if _is_meant(state, subject, name, one, used)]
        mentions = [one for one in mentions if not _lies_in(subject.nodes, one)]
        reading = list_reading(state, name, mentions, used, is_declared=bool(subject.nodes))
        matches = [one for one in matches if one not in reading or not reads_only(state, name, one)]
        _note_uses(state, subject, name, matches, mentions, reading)


def keep_settings(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return declarations of one name without those that configure nothing, in folders where none does.

    What an API answers has the same names. Return all if none configures anything.
    """
    folders = {_read_folder(node) for node in nodes if _configures(node)}
    return tuple(node for node in nodes if not folders or _read_folder(node) in folders)


def _configures(node: Node) -> bool:
    """Return True for a value that configures something, by its path or the name of its type."""
    owner = ".".join(node.qualified_name.split(".")[:-1][-2:])
    return is_configuration(node.path) or _OF_CONFIGURATION.search(owner) is not None


def _read_folder(node: Node) -> str:
    return node.path.rpartition("/")[0]


def _list_other_fields(state: ResearchState, subject: Subject) -> tuple[Node, ...]:
    """Return the fields with the name of a setting that configure nothing, where some of a type do."""
    if not any(node.symbol.kind is SymbolKind.PROPERTY and _configures(node) for node in subject.nodes):
        return ()
    names = dict.fromkeys(node.symbol.name for node in subject.nodes)
    found = (one for name in names for one in state.graph.scan.find_declared(name, MAX_DECLARING))
    nodes = [node for node in map(state.get_node, found) if node.symbol.kind is SymbolKind.PROPERTY]
    kept = keep_settings([*subject.nodes, *nodes])
    return tuple(node for node in nodes if node not in kept)


def _is_meant(
    state: ResearchState, subject: Subject, name: str, match: ExactMatch, used: Collection[tuple[str, int]]
) -> bool:
    """Return True for a line with the name of a member, by the graph or by the text.

    If neither tells, lines of configuration count, and those of files that declare such a member.
    """
    if (match.path, match.start_line) in used:
        return True
    owner = subject.asked.rpartition(".")[0].rpartition(".")[2]
    is_so = is_owned(state, owner, name, match)
    is_near = find_role(match.path) is FileRole.CONFIG or match.path in {node.path for node in subject.nodes}
    return is_near if is_so is None else is_so


def _note_uses(
    state: ResearchState,
    subject: Subject,
    name: str,
    matches: Sequence[ExactMatch],
    mentions: Sequence[ExactMatch],
    reading: Sequence[ExactMatch],
) -> None:
    """Note the lines that set and read a name, and others that only mention it."""
    own = [one for one in matches if is_program(one.path) or find_role(one.path) is FileRole.CONFIG]
    stating = (LineUse.TAKES, LineUse.DECLARES)
    taking = [one for one in mentions if classify_use(name, one.line) in stating and one not in own]
    is_first = asks_for_readers(state.request.query)
    if is_first:
        _note_readers(state, name, reading, Role.READS)
    _note_matches(state, name, [*own, *taking])
    by_constants = list_taking(name, mentions, partial(_search_mentions, state))
    _note_readers(state, name, by_constants, Role.FROM_ENVIRONMENT)
    note_decided(state, name, list_asking(state, name) if not subject.nodes else ())
    state.report_hop(1)
    if not is_first:
        _note_readers(state, name, reading, Role.READS)
    _note_readers(state, name, [one for one in mentions if one not in reading], Role.MENTIONS)
    if not subject.nodes:
        _note_headings(state, name)
    _note_matches(state, name, [one for one in matches if one not in own])


def _note_headings(state: ResearchState, name: str) -> None:
    """Note the sections of documents that have a setting in their headings."""
    request = ExactRequest(rf"^(?:#+|=+) .*\b{re.escape(name)}\b", regex=True, limit=MAX_MATCHES)
    found = [
        one
        for one in state.source.search_exact(request).matches
        if find_role(one.path) is FileRole.DOCS and not is_aside(one.path)
    ]
    for one in found[:MAX_HEADINGS]:
        reason = Reason(f"documents {name}", Role.OTHER, name)
        line = one.start_line
        state.add_place(Finding(one.path, line, line, one.path, "file", None, reason, 1, "text", (line,)))


def _lies_in(nodes: Iterable[Node], match: ExactMatch) -> bool:
    """Return True for a line of one of some declarations, which are shown anyway."""
    return any(
        node.path == match.path and node.symbol.start_line <= match.start_line <= node.symbol.end_line
        for node in nodes
    )


def _note_dotted(state: ResearchState, key: str) -> bool:
    """Note the lines that have a key of several parts, such as `search.lang`. Return False if none has it."""
    matches = state.source.search_exact(ExactRequest(key, whole_word=True, limit=MAX_MATCHES)).matches
    found = [one for one in matches if len(one.line) <= MAX_SETTING_CHARS]
    setting = [one for one in found if is_configuration(one.path)]
    others = [one for one in found if one not in setting and is_program(one.path)]
    reading = list_reading(state, key, others, ())
    _note_matches(state, key, setting)
    owner, name = key.split(".")[-2:]
    inside = [
        one
        for one in search_setting(state, name)
        if one not in setting
        and (is_program(one.path) or is_configuration(one.path))
        and is_owned(state, owner, name, one)
        and classify_match(state, name, one) is LineUse.SETS
    ]
    _note_matches(state, name, inside)
    state.report_hop(1)
    _note_readers(state, key, reading, Role.READS)
    _note_readers(state, key, [one for one in others if one not in reading], Role.MENTIONS)
    return bool(setting or inside or others)


def is_configuration(path: str) -> bool:
    """Return True for a file that by its path configures something."""
    return _CONFIG_PATH.search(path) is not None or find_role(path) is FileRole.CONFIG


def _search_mentions(state: ResearchState, name: str) -> list[ExactMatch]:
    """Return the lines of the program that mention a name."""
    request = ExactRequest(name, whole_word=True, limit=MAX_MATCHES, include_tests=False)
    return [match for match in state.source.search_exact(request).matches if is_program(match.path)]


def _note_readers(state: ResearchState, name: str, found: Iterable[ExactMatch], role: Role) -> None:
    """Note lines that read, take or mention the name."""
    noted = 0
    reason = Reason(_READERS.get(role, "mentions {}").format(name), role, name)
    for place in _join_lines(state, found):
        if noted >= MAX_READERS:
            verb = "read" if role is Role.READS else "mention"
            state.limit(f"more places that {verb} {name}", f"{MAX_READERS} are shown")
            break
        noted += _note_use(state, name, place, reason, 2)


def _note_matches(state: ResearchState, name: str, matches: Iterable[ExactMatch]) -> None:
    """Note matching lines by function: configuration first, and lines that set the name before others.

    If only readers are asked for, what takes the name from the environment comes before configuration.
    """
    counts: dict[str, int] = {}
    uses = {match: classify_match(state, name, match) for match in matches}
    first = LineUse.TAKES if asks_for_readers(state.request.query) else None
    ordered = sorted(
        uses,
        key=lambda one: (
            is_test_place(one.path),
            uses[one] is not first,
            name not in one.line,  # spelled otherwise, it may be another setting
            find_role(one.path) is not FileRole.CONFIG,
            rank_role(one.path),
            uses[one] in (LineUse.PASSES_ON, LineUse.GIVES),
            one.path,
        ),
    )
    noted = tests = 0
    for own in _join_lines(state, ordered):
        match = own.matches[0]
        own.matches = [one for one in own.matches if uses[one] is uses[match]]
        tests += is_test_place(match.path)
        counts[match.path] = counts.get(match.path, 0) + 1
        if noted >= MAX_PLACES:
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
    is_line: bool = False  # though it lies in a function, which is noted for another reason

    @property
    def function(self) -> Node | None:
        """Return the function that holds the lines; None outside functions."""
        is_function = self.around is not None and self.around.symbol.kind in CALLABLE_KINDS
        return self.around if is_function and not self.is_line else None


def _join_lines(state: ResearchState, matches: Iterable[ExactMatch]) -> list[_Place]:
    """Return the places of matches, in the order of the first match of each."""
    found: dict[tuple[str, int], _Place] = {}
    for match in matches:
        place = _Place([match], state.source.find_around(match.path, match.start_line))
        line = match.start_line if place.function is None else place.function.symbol.start_line
        known = found.setdefault((match.path, line), place)
        if known is not place:
            known.matches.append(match)
    return list(found.values())


def _note_use(state: ResearchState, name: str, place: _Place, reason: Reason, hop: int) -> bool:
    """Note a place as `_note_place` does; of a function noted for another use, note the line alone."""
    if _note_place(state, name, place, reason, hop):
        return True
    function = place.function
    roles = {one.role for one in state.findings if function is not None and one.node_id == function.node_id}
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
        room = FUNCTION_CHARS + measure(state.source.read_lines(first.path), used[1:MAX_EVIDENCE])
        shown = show_body(state, function, room, dict.fromkeys(used, (name,)))
        shown = _keep_around(state.source.read_lines(first.path), {*shown, *used[:MAX_EVIDENCE]}, used)
    return state.add_place(
        Finding(
            first.path,
            start,
            end,
            around.qualified_name if around is not None else first.path,
            around.kind if around is not None else "file",
            around.node_id if around is not None else None,
            reason,
            hop,
            "text",
            used[:MAX_EVIDENCE],
            _find_written(name, first.line),
            shown=shown,
        )
    )


def _keep_around(lines: Sequence[str], shown: Iterable[int], used: Sequence[int]) -> tuple[int, ...]:
    """Return the shown lines that name the setting or enclose one that does, and the first one, the head.

    Others would say what else the function does.
    """
    ordered = sorted(shown)
    kept: list[int] = []
    for number in reversed(ordered):
        inner = lines[number : kept[-1]] if kept else []
        indent = measure_indent(lines[number - 1])
        encloses = bool(inner) and all(measure_indent(line) > indent for line in inner if line.strip())
        if number in used or number == ordered[0] or encloses:
            kept.append(number)
    return tuple(reversed(kept))


def _find_written(name: str, line: str) -> str:
    """Return a name as the line spells it, perhaps in another case, or "" for a line without it."""
    if name in line:  # `num_proxies = settings.NUM_PROXIES`
        return name
    written = re.search(re.escape(name).replace("_", "[_-]?"), line, re.IGNORECASE)
    return written[0] if written else ""
