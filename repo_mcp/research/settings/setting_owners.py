"""Tell a setting from others of its name: `keepAlive.intervalMs` is not `ping.intervalMs`.

Fields count that configure something, by their paths and types. Of a line, only the text is read.

The owner is what stands before the name, or before the bracket or the lines in which it stands:

    ping.intervalMs = 3      keepAlive: { intervalMs: 3 }      keepAlive:
                                                                   intervalMs: 3
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.bodies.body import measure_indent
from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.locating import list_around
from repo_mcp.research.findings.open_brackets import QUOTED, list_open_brackets
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbol_index.unread_declarations import has_parser
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.roles import FileRole, find_role

LINES_ABOVE = 60  # in which a bracket may be opened, or a section begin
LEAST_CHARS = 3  # of a name that tells an owner; a shorter one is any variable
HEAD_CHARS = 120  # before a bracket
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SECTION = re.compile(
    r"\s*\[+([^\]\n]{1,200})\]+\s*(?:[#;].*)?$|(\s*)(?:-\s+)?[\"']?([\w.-]+)[\"']?:\s*(?:[#&].*)?$"
)
_KEY = re.compile(r"[\"']([\w$-]{1,80})[\"']\s{0,8}:")  # of an object
_BEHIND = re.compile(r"[{}\[\](),;]")
_NO_OWNERS = frozenset(
    """const let var val return export default static final public private readonly new await async
    function if else this self cls options opts config settings props""".split()  # noqa: SIM905
)
_SELF = frozenset(("this", "self", "cls", "base", "super"))
MAX_DECLARING = 40  # files that declare one name
_CONFIG_PATH = re.compile(
    r"(?:^|/|_)(?:conf|configs?|configuration|settings?|options|defaults?|env|constants)\b"
    r"|\.(?:env|ini|cfg|toml|ya?ml|json|properties|conf)$",
    re.IGNORECASE,
)
_OF_CONFIGURATION = re.compile(  # at the start of a word of the name of a type
    r"(?:\b|_|(?<=[a-z0-9])(?=[A-Z]))(?i:conf|opt|setting|default|param|flag|args\b|props\b|argument|preference)"
)
_CONFIGURES_ALL = re.compile(  # the name of a type that configures everything, which has one reading
    r"(?:App|Base|Common|Defaults?|Global|Main|Server|Client|Conf|Config|Configuration|Options?|Settings?|Params"
    r"|Parameters|Args|Flags|Preferences)+",
    re.IGNORECASE,
)


def is_owned(state: ResearchState, owner: str, name: str, match: ExactMatch) -> bool | None:
    """Return whether a line means the name of an owner, or None if it does not say whose it is.

    A variable is seldom named after its type, so it tells a type only if it is. Keys of data that stand
    around the name say whose it is, unless all of the type's name says that it configures something.
    """
    is_other = False
    is_data = not has_parser(match.path) and not _CONFIGURES_ALL.fullmatch(owner)
    for holders in _iter_holders(state, name, match):
        told = [one for one in holders if len(one) >= LEAST_CHARS and one not in _NO_OWNERS]
        is_other = is_other or (is_data and bool(told))
        if any(_is_like(owner, one) for one in told):
            return True
        if any(owner[0].islower() or one[0].isupper() for one in told):
            return False
    return False if is_other else None


def _is_like(owner: str, other: str) -> bool:
    """Return True for the same type, and for other names if one has the other in it."""
    if owner[0].isupper() and other[0].isupper():
        return owner == other
    first, second = (one.replace("_", "").lower() for one in (owner, other))
    return first in second or second in first


def _iter_holders(state: ResearchState, name: str, match: ExactMatch) -> Iterator[Sequence[str]]:
    """Yield the names that stand for what holds the name in a line, the innermost first."""
    quoted = re.escape(name)
    case = re.NOFLAG if name in match.line else re.IGNORECASE  # data spell it as their own
    found = re.search(rf"\b{quoted}[\"']?\]?\s*(?:[:=]|\?\?|\|\|)", match.line, case) or re.search(
        quoted, match.line, case
    )
    if found is None:
        return
    before = re.search(r"([\w$]+)\s*[?!]?(?:\(\))?(?:\.|->|::|\[[\"'])$", match.line[: found.start()])
    around = state.source.find_around(match.path, match.start_line)
    parts = [] if around is None else around.qualified_name.split(".")
    handed = re.search(
        r"\w\(\s*([\w$]+)\s*,\s*[\"']$", match.line[: found.start()]
    )  # `set(ping, "every", 3)`
    if handed is not None:
        yield [handed[1]]
        return
    if before is not None and before[1] not in _SELF:
        yield [before[1]]
        return
    if before is not None:
        yield _list_types(state, match)
        return
    if parts[-1:] == [name]:
        yield parts[-2:-1]
    yield from _iter_opened(state, match, found.start())
    yield from _iter_sections(state, match)


def _list_types(state: ResearchState, match: ExactMatch) -> list[str]:
    """Return the names of the types around a line."""
    record = state.graph.scan.find_record(match.path)
    around = [] if record is None else list_around(record, match.start_line).tolist()
    return [record.get_name(one) for one in around if record.get_kind(one) in TYPE_KINDS] if record else []


def _iter_opened(state: ResearchState, match: ExactMatch, column: int) -> Iterator[Sequence[str]]:
    """Yield the names before each bracket that is open at a column of a line."""
    last = match.start_line - 1
    above = state.source.read_lines(match.path)[max(0, last - LINES_ABOVE) : last]
    text = "\n".join(QUOTED.sub("", _KEY.sub(r"\1:", line)) for line in (*above, match.line[:column]))
    for at in reversed(list_open_brackets(text)):
        head = text[max(0, at - HEAD_CHARS) : at].rpartition("\n")[2]
        yield _WORD.findall(_BEHIND.split(head)[-1])


def _iter_sections(state: ResearchState, match: ExactMatch) -> Iterator[Sequence[str]]:
    """Yield the key above a line that is indented less, or the section of a file with sections."""
    last = match.start_line - 1
    indent = measure_indent(match.line)
    for line in reversed(state.source.read_lines(match.path)[max(0, last - LINES_ABOVE) : last]):
        found = _SECTION.match(line)
        if found is not None and (found[1] or len(found[2]) < indent):
            yield re.split(r"[.\s\"']+", found[1] or found[3])
            return


def is_other_case(nodes: Sequence[Node], name: str, match: ExactMatch) -> bool:
    """Return True for a line of the language of some declarations that has their name in another case.

    There `queueSize` is not `QueueSize`. In capitals, with other signs or in quotes, it may be the same.
    """
    ending = match.path.rpartition(".")[2]
    if name in match.line or not has_parser(match.path) or name.isupper() or "_" in name:
        return False
    if all(node.path.rpartition(".")[2] != ending for node in nodes):
        return False
    found = re.search(rf"(?<![\"'`-])\b{re.escape(name)}\b", match.line, re.IGNORECASE)
    return found is not None and not found[0].isupper()


def keep_settings(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return declarations of one name without those that configure nothing, in folders where none does.

    What an API answers has the same names. Return all if none configures anything.
    """
    folders = {node.folder for node in nodes if configures(node)}
    return tuple(node for node in nodes if not folders or node.folder in folders)


def configures(node: Node) -> bool:
    """Return True for a value that configures something, by its path or the name of its type."""
    owner = ".".join(node.qualified_name.split(".")[:-1][-2:])
    return is_configuration(node.path) or _OF_CONFIGURATION.search(owner) is not None


def list_other_fields(state: ResearchState, subject: Subject) -> tuple[Node, ...]:
    """Return the fields with the name of a setting that configure nothing, where some of a type do."""
    if not any(node.symbol.kind is SymbolKind.PROPERTY and configures(node) for node in subject.nodes):
        return ()
    names = dict.fromkeys(node.symbol.name for node in subject.nodes)
    found = (one for name in names for one in state.graph.scan.find_declared(name, MAX_DECLARING))
    nodes = [node for node in map(state.get_node, found) if node.symbol.kind is SymbolKind.PROPERTY]
    kept = keep_settings([*subject.nodes, *nodes])
    return tuple(node for node in nodes if node not in kept)


def list_rival_fields(state: ResearchState, subject: Subject) -> tuple[Node, ...]:
    """Return the fields of other types that have the name of one whose type is given."""
    names = dict.fromkeys(node.symbol.name for node in subject.nodes)
    found = (one for name in names for one in state.graph.scan.find_declared(name, MAX_DECLARING))
    nodes = map(state.get_node, found)
    return tuple(one for one in nodes if one.symbol.kind is SymbolKind.PROPERTY and one not in subject.nodes)


def is_configuration(path: str) -> bool:
    """Return True for a file that by its path configures something."""
    return _CONFIG_PATH.search(path) is not None or find_role(path) is FileRole.CONFIG
