"""Find what calls a function by a name that is put together, by an event, or through what holds the function.

    getattr(middleware, "before_" + signal)(self)     emit("close")  ->  calls before_close
    socket.on("ready", onReady)                        socket.emit("ready")  ->  calls onReady
    command.execute = run                              command.execute(row)  ->  calls run, perhaps

No edge of the graph leads there. What is found is probable at most: texts of the same letters may mean
something else. Names in more lines than are read say too little and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.named_symbols import is_program_line, read_body
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

MOST_READ = 40  # lines with one text
MOST_STORED = 12  # calls of one member; of more, none is noted
MOST_NOTED = 8  # functions for one subject
LINE_CHARS = 400  # read of a line
LEAST_CHARS = 3  # of a part of a name
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=_)(?=[A-Za-z])")  # where a name may be put together
# A name that is put together of a text and something else, and what gets a member by its name.
_PUT_TOGETHER = r"[\"']{0}[\"']\s*\+|\bf[\"']{0}\{{|`{0}\$\{{|\"{0}#\{{"
_BY_NAME = re.compile(r"\bgetattr\(|\b(?:public_)?send\(|[\w)]\[[^\]\n]{1,80}\]\??\.?\(")
_REGISTERS = (
    r"\.(?:on|once|addListener|addEventListener|prependListener|subscribe|listen|hook|tap|bind|add_listener"
    r"|register\w*|connect)\(\s*[\"'`]([\w:./-]+)[\"'`]\s*,[^\n]*(?<![\w.$]){}(?![\w$(])"
)
EMITTING = "emit|dispatch|fire|trigger|publish|send|notify"  # how functions begin that are given an event
_EMITS = rf"(?:{EMITTING}|call)\w*\(\s*[\"'`]{{}}[\"'`]"
_STORES = (
    r"\.(\w{{4,}})\s*=\s*(?:[\w.]+\.)?{0}\s*;?\s*$|^\s*(\w{{4,}})\s*:\s*(?:[\w.]+\.)?{0}\s*,?\s*$"
    r"|(?<![\w.])(\w{{4,}})\s*:\s*(?:[\w.]+\.)?{0}\s*[,}})]"
)
# A table of functions: `self.handlers[key] = run`
_TABLES = r"[.>](\w{{4,}})\[[^\]\n]{{1,80}}\]\s*=\s*(?:[\w.]+\.)?{0}\s*;?\s*$"
_CALLS_STORED = r"[.>]{0}\??\.?\s*\("
_CALLS_ENTRY = r"[.>]{0}(?:\[[^\]\n]{{1,80}}\]|\.get\([^()\n]{{1,80}}\))\s*\("
# An object that is asked to call a function: `saved.connect(run)`, in C# `list.Saved += Run`.
_CONNECTS = (
    r"(?<![\w$])(\w+)\.(?:connect|subscribe)\(\s*(?:[\w.]+\.)?{0}\s*[,)]"
    r"|(?<![\w$])(\w+)\s*\+=\s*(?:\w+\.)?{0}\s*;"
)
_SENDS = r"(?<![\w$]){0}(?:\.(?:send|send_robust|send_async|emit|fire|notify|next)|\?\.Invoke|\.Invoke)?\("


def note_dispatched(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note what calls some functions by a text, and what may call a member that holds one of them."""
    for node in nodes:
        if node.symbol.kind not in CALLABLE_KINDS or node.symbol.kind is SymbolKind.CONSTRUCTOR:
            continue
        state.check()
        _note_put_together(state, node)
        mentions = [*_iter_mentions(state, node)]
        for event in dict.fromkeys(_iter_events(node, mentions)):
            _note_matching(
                state, node, _EMITS.format(re.escape(event)), f'emits "{event}", for which {{}} is registered'
            )
        for signal in dict.fromkeys(_iter_first(_CONNECTS, node, mentions)):
            told = f"sends {signal}, to which {{}} is connected"
            _note_matching(state, node, _SENDS.format(re.escape(signal)), told)
        for stores, calls in ((_STORES, _CALLS_STORED), (_TABLES, _CALLS_ENTRY)):
            for member in dict.fromkeys(_iter_first(stores, node, mentions)):
                _note_stored(state, node, member, calls)


def _note_put_together(state: ResearchState, node: Node) -> None:
    """Note the functions that call a member whose name they put together, and what hands them the rest."""
    name = node.symbol.name
    for cut in (one.start() for one in _WORDS.finditer(name)):
        begun, rest = name[:cut], name[cut:]
        if min(len(begun), len(rest)) < LEAST_CHARS:
            continue
        for around, at in _find(state, _PUT_TOGETHER.format(re.escape(begun)), MOST_READ):
            by_name = any(_BY_NAME.search(line[:LINE_CHARS]) for line in read_body(state, around))
            calling = [*_iter_handing(state, around, rest)] if by_name else []
            if not calling:
                continue
            reason = Reason(f'calls members by "{begun}" and a name that it is given')
            state.add(around, reason, 1, Confidence.PROBABLE, (at,))
            for other, lines in calling[:MOST_NOTED]:
                told = (
                    f'calls {node.symbol.name} by the name "{rest}", which it hands to {around.symbol.name}'
                )
                state.add(other, Reason(told), 1, Confidence.PROBABLE, lines)


def _iter_handing(state: ResearchState, node: Node, rest: str) -> Iterator[tuple[Node, tuple[int, ...]]]:
    """Yield what calls a function with a text among the arguments, with the lines."""
    spelled = {rest, rest[:1].lower() + rest[1:]}
    given = re.compile(rf"[\"'`](?:{'|'.join(map(re.escape, sorted(spelled)))})[\"'`]")
    for edge in list_users(state, node, NARROW, CALLS):
        lines = state.source.read_lines(edge.other.path)
        own = tuple(at for at in edge.lines if given.search(lines[at - 1][:LINE_CHARS]))
        if own:
            yield state.get_node(edge.other), own


def _iter_mentions(state: ResearchState, node: Node) -> Iterator[str]:
    """Yield the lines that name a function as a value."""
    for edge in list_users(state, node, NARROW, (EdgeType.REFERENCES,)):
        lines = state.source.read_lines(edge.other.path)
        yield from (lines[at - 1][:LINE_CHARS] for at in edge.lines if at <= len(lines))


def _iter_events(node: Node, mentions: Sequence[str]) -> Iterator[str]:
    """Yield the events for which some lines register a function."""
    registers = re.compile(_REGISTERS.format(re.escape(node.symbol.name)))
    yield from (found[1] for line in mentions for found in registers.finditer(line))


def _iter_first(pattern: str, node: Node, mentions: Sequence[str]) -> Iterator[str]:
    """Yield the first group of each match in lines that name a function, if it is another name."""
    compiled = re.compile(pattern.format(re.escape(node.symbol.name)))
    for line in mentions:
        found = compiled.search(line)
        name = "" if found is None else next(filter(None, found.groups()))
        if name and name != node.symbol.name:
            yield name


def _note_stored(state: ResearchState, node: Node, member: str, calls: str) -> None:
    """Note what calls a member that holds a function, if few do: each may mean another one's member."""
    found = [*_find(state, calls.format(re.escape(member)), MOST_STORED)]
    for around, at in found[:MOST_NOTED]:
        if around != node:
            reason = Reason(f"calls a member {member}, in which {node.symbol.name} is kept")
            state.add(around, reason, 1, Confidence.POSSIBLE, (at,))


def _note_matching(state: ResearchState, node: Node, pattern: str, told: str) -> None:
    """Note the functions with lines that match, for a reason that has a place for the name of `node`."""
    lines: dict[Node, list[int]] = {}
    for around, at in _find(state, pattern, MOST_READ):
        lines.setdefault(around, []).append(at)
    for around, own in [*lines.items()][:MOST_NOTED]:
        state.add(around, Reason(told.format(node.symbol.name)), 1, Confidence.PROBABLE, tuple(own))


def _find(state: ResearchState, pattern: str, most: int) -> Iterator[tuple[Node, int]]:
    """Yield the functions of the program around the lines that match, with these; none if too many do."""
    request = ExactRequest(pattern, regex=True, include_tests=False, limit=most + 1)
    found: Sequence[ExactMatch] = state.source.search_exact(request).matches
    for one in found if len(found) <= most else ():
        around = state.source.find_around(one.path, one.start_line)
        if around is not None and around.symbol.kind in CALLABLE_KINDS and is_program_line(state, one):
            yield around, one.start_line
