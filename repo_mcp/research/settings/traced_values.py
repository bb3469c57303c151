"""Trace a value to the lines that give it, from its declaration to what stands at the end.

    self.max_redirects  ->  max_redirects: int = DEFAULT_MAX_REDIRECTS  ->  DEFAULT_MAX_REDIRECTS = 20

A number, a text, a list or a function at the right side tells something; a name leads on: to what it refers
to, to the parameter's default, or, if the name is all that is known, to the line that gives it a value
anywhere in the program. A name to which several places give values leads only to those that are defaults.
Two members of the same name are two values: a member of an enum, or of a type that has nothing to do with the
one in question, gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.locating import is_aside, may_answer
from repo_mcp.research.findings.named_symbols import VALUES, admits_node, count_lines
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.question.phrase_names import fold_name
from repo_mcp.research.settings.given_values import (
    begins_value,
    find_end,
    find_value,
    is_beginning,
    tells_value,
)
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.question_words import count_words

LEAST_WORDS = 2  # of a name that means the same wherever the program has it
MOST_STEPS = 5  # from a name to the line that tells its value
ACCESSOR_LINES = 4  # of a function that has room for one statement at most
MOST_SETTING = 3  # lines of a file that give one value
MOST_NAMES = 2  # in one value, that are followed
MOST_MET = 24  # symbols and names that are looked at for one value
MOST_MATCHES, MOST_GIVING = 60, 3  # lines with a name; places that give it values, none of which is a default
LINE_CHARS = 400  # read of a line, so that none takes long
# Languages in which methods name members without a receiver.
BARE_MEMBERS = frozenset({"cpp", "csharp", "java", "swift"})
STANDING = VALUES | {SymbolKind.MACRO}
_DEFAULT = re.compile(r"default", re.IGNORECASE)
_RETURNED = re.compile(r"(?:\breturn\b|=>)\s*(.+)|\{\s*([^{};]+)\}?\s*$", re.DOTALL)
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)*(?!\w*\s*\()")
_KEY = re.compile(r"[\"'`]([A-Za-z]\w*[_-]\w+|[a-z]+[A-Z]\w+)[\"'`]")  # the name of a setting
_OF_OPTIONS = re.compile(
    r"(?:Args|Builder|Conf|Config|Configuration|Defaults?|Options?|Params|Parameters|Props|Settings|Spec)$"
)  # end the names of types that hold what configures another
_IS_ARGUMENT = re.compile(r"^\s*\w+=(?!=).*,\s*$")  # of a call: of what is made there, not of all of the name
_OWN = frozenset({None, "self", "this", "cls"})  # receivers in the methods of a type
_WORDS = frozenset({"None", "null", "nil", "undefined", "self", "this", "new", "not", "or", "and"})


@dataclass(frozen=True, slots=True)
class Place:
    """The lines of a statement that gives a value, 1-based, both included."""

    path: str
    first: int
    last: int


def trace_value(state: ResearchState, value: Node | str) -> list[Place]:
    """Return the places that lead from a value, or from a key, to what it is; none if no line tells it."""
    tracer = _Tracer(state)
    return tracer.trace_name(value, MOST_STEPS) if isinstance(value, str) else tracer.trace(value, MOST_STEPS)


def list_keys(text: str) -> list[str]:
    """Return the texts in a line that may be keys of settings: `get("max_size")`."""
    return [key for key in _KEY.findall(text) if count_words(key) >= LEAST_WORDS]


class _Tracer:
    """The search for one value, which meets no symbol and no name twice."""

    def __init__(self, state: ResearchState) -> None:
        self._state = state
        self._met: set[object] = set()

    def trace(self, node: Node, steps: int) -> list[Place]:
        """Return the places that lead to the value of a symbol, within some steps."""
        if node in self._met or steps < 1:
            return []
        self._met.add(node)
        self._state.check()
        name = node.symbol.name
        if node.symbol.kind in CALLABLE_KINDS:
            return self._trace_returned(node, steps)
        given = self._list_givers(node)
        if given is None or self._is_one_of_its_type(node):
            return []
        for at in given:
            if found := self._judge(node.path, at, name, steps):
                return found
        is_member_of_enum = node.symbol.kind is SymbolKind.ENUM_MEMBER
        return [] if is_member_of_enum else self.trace_name(name, steps - 1, node, node.path)

    def _list_givers(self, node: Node) -> list[int] | None:
        """Return the lines of the file of a value that may give it: its declaration, then assignments.

        Return None for what counts or is set again and again: it has a state, and no value of its own.
        """
        lines = self._state.source.read_lines(node.path)
        comments = self._state.source.read_comment_lines(node.path)
        name, own = re.escape(node.symbol.name), node.symbol.start_line
        given = re.compile(
            rf"(?:(?P<bare>^\s*|[;{{(]\s*)|(?P<of>[\w)\]]*+)(?:\.|->)|@){name}\s*"
            r"(?:(?P<counts>\+\+|--|[-+]=)|(?:\?\?|\|\|)?:?=(?![=>]))"
        )
        found = [
            (at, match)
            for at, line in enumerate(lines, 1)
            if node.symbol.name in line and (match := given.search(line[:LINE_CHARS])) and at not in comments
        ]
        others = [(at, match) for at, match in found if at != own]
        if any(match["counts"] for _, match in found) or len(others) > MOST_SETTING:
            return None
        meant = [(at, one["of"]) for at, one in others if self._may_mean(node, at, one["bare"], one["of"])]
        meant.sort(key=lambda one: one[1] not in _OWN)  # stable; of others it may be another type's
        return [own, *(at for at, _ in meant)]

    def _is_one_of_its_type(self, node: Node) -> bool:
        """Return True for an instance that a type has of itself: its name says as much."""
        owner = node.qualified_name.rpartition(".")[0].rpartition(".")[2]
        lines = self._state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.start_line]
        made = re.compile(rf"=\s*(?:new\s+)?{re.escape(owner)}\s*\(")
        return bool(owner) and any(made.search(line[:LINE_CHARS]) for line in lines)

    def _may_mean(self, node: Node, at: int, bare: str | None, receiver: str | None) -> bool:
        """Return True if a name in a line of its file may be a value: no variable, no member of another type.

        A method of the same type may leave out the receiver. Any receiver but its own may be of that type.
        """
        around, owner = self._state.source.find_around(node.path, at), node.qualified_name.rpartition(".")[0]
        if bare is None:
            own = around is None or around.qualified_name.startswith(f"{owner}.")
            return own or receiver not in _OWN
        if around is None or around.symbol.kind not in CALLABLE_KINDS:
            return True
        is_beside = around.qualified_name.rpartition(".")[0] == owner and bool(node.symbol.parent)
        return around.qualified_name == owner or (is_beside and node.language in BARE_MEMBERS)

    def _trace_returned(self, node: Node, steps: int) -> list[Place]:
        """Return the line with what a short function returns, and what leads to that."""
        if count_lines(node) > ACCESSOR_LINES:
            return []
        lines = self._state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]
        text = "\n".join(line[:LINE_CHARS] for line in lines)
        found = _RETURNED.search(text)
        if found is None:
            return []
        value = found[1] or found[2]
        at = node.symbol.start_line + text[: found.start(1 if found[1] else 2)].count("\n")
        behind = self._follow(node.path, at, value, steps - 1)
        if re.fullmatch(r"[\w.]+\W*", value):  # it only hands on what it holds
            return behind
        return [Place(node.path, at, at), *behind] if behind or tells_value(value) else []

    def _judge(self, path: str, at: int, name: str, steps: int, *, is_sure: bool = True) -> list[Place]:
        """Return the place of a line that gives a value to a name, with what leads on from it.

        Unless the line `is_sure` to mean this name, the value must be there to be read, or at the end.
        """
        lines = self._state.source.read_lines(path)
        comments = self._state.source.read_comment_lines(path)
        place = Place(path, at, find_end(lines, at, comments=comments))
        code = (lines[one - 1][:LINE_CHARS] for one in range(at, place.last + 1) if one not in comments)
        value = find_value(name, "\n".join(code))
        if not value or is_beginning(lines[at - 1], value):
            return []
        if begins_value(value):
            return [place]
        behind = self._follow(path, at, value, steps - 1)
        is_passed = fold_name(re.split(r"\W+", value.strip(" ;,"))[-1]) == fold_name(name)
        tells = is_sure and tells_value(value)
        return [place, *behind] if tells or (behind and not is_passed) else behind

    def _follow(self, path: str, at: int, value: str, steps: int) -> list[Place]:
        """Return the places that lead on from a value: by the keys in it, what it names, or its names."""
        if steps < 1:
            return []
        found: list[Place] = []
        for key in list_keys(value):
            if found := self.trace_name(key, steps):
                return found
        around = self._state.source.find_around(path, at)
        for other in [] if around is None else _list_values(self._state, around, range(at, at + 1)):
            found += self.trace(other, steps)
            if len(found) >= MOST_NAMES:
                return found
        if found:
            return found
        named = [re.split(r"\W+", name)[-1] for name in _DOTTED.findall(value) if name not in _WORDS]
        for name in reversed(named[-MOST_NAMES:]):
            default = self._trace_parameter(around, name, steps) if around is not None else []
            if default or (default := self.trace_name(name, steps, origin=path)):
                return default
        return []

    def _trace_parameter(self, around: Node, name: str, steps: int) -> list[Place]:
        """Return the places that lead to the default of a parameter of a function."""
        lines = self._state.source.read_lines(around.path)
        if around.symbol.kind not in CALLABLE_KINDS or (around, name) in self._met or steps < 1:
            return []
        self._met.add((around, name))
        given = re.compile(rf"(?<![\w.]){re.escape(name)}\s*(?::[^=,]{{1,80}})?=(?![=>])\s*([^,)]+)")
        for at in range(around.symbol.start_line, find_end(lines, around.symbol.start_line, 40) + 1):
            found = given.search(lines[at - 1][:LINE_CHARS]) if at <= len(lines) else None
            if found is not None:
                if tells_value(found[1]):
                    return [Place(around.path, at, at)]
                return self._follow(around.path, at, found[1], steps - 1)
        return []

    def trace_name(self, name: str, steps: int, node: Node | None = None, origin: str = "") -> list[Place]:
        """Return the places that lead to a value of a name, wherever the program gives it one.

        If it is the name of a known `node`, neither members of other types nor variables of functions count,
        and if it stands in the file `origin`, no variables and no private members in other files.
        """
        folded = name.strip("_")
        if not folded or count_words(folded) < LEAST_WORDS or folded in self._met or steps < 1:
            return []
        if len(self._met) >= MOST_MET:
            return []
        self._met.add(folded)
        self._state.check()
        quoted = re.escape(folded)
        typed = r"(?:[?:]?[^=:,;(){}]{0,60}=[^=>]|:\s|=>)"
        pattern = rf"\b_*{quoted}[\"'`]?\]?\s*{typed}|#\s*define\s+{quoted}\b"
        request = ExactRequest(pattern, regex=True, include_tests=False, limit=MOST_MATCHES, by_role=True)
        giving: list[tuple[bool, list[Place]]] = []
        for match in self._state.source.search_exact(request).matches:
            path, at = match.path, match.start_line
            if not may_answer(path) or is_aside(path) or not self._state.admits(path):
                continue
            if at in self._state.source.read_comment_lines(path):
                continue
            if "=>" in match.line and not re.search(rf"[\"':]{quoted}[\"']?\s*=>", match.line):
                continue  # a function with such a parameter
            around = self._state.source.find_around(path, at)
            if around is not None and _is_another(around, folded, node):
                continue
            owner = "" if around is None else around.qualified_name
            is_default = _DEFAULT.search(f"{owner} {match.line}") is not None
            is_local = around is not None and around.symbol.kind in CALLABLE_KINDS
            is_keyed = re.search(rf"{quoted}[\"'`]?\s*:(?!=)", match.line) is not None
            is_elsewhere = origin not in ("", path)
            is_other = (is_elsewhere or node is not None) and _is_variable(match.line, folded)
            if is_elsewhere and around is not None and around.symbol.name == f"_{folded}":
                continue  # a private member of another type
            if is_local and (is_other or not (is_default or is_keyed)):
                continue
            is_sure = is_default and not _IS_ARGUMENT.search(match.line)
            if found := self._judge(path, at, folded, steps - 1, is_sure=is_sure):
                giving.append((is_default, found))
        default = [found for is_default, found in giving if is_default]
        own = default or (giving and len(giving) <= MOST_GIVING and [giving[0][1]]) or []
        return own[0] if own else []


def _list_values(state: ResearchState, node: Node, lines: Sequence[int]) -> list[Node]:
    """Return the values and short functions that some lines of a symbol name, surely or probably."""
    edges = list_uses(state, node, NARROW, (*CALLS, EdgeType.REFERENCES))
    found = [state.get_node(edge.other) for edge in edges if any(at in lines for at in edge.lines)]
    return [one for one in dict.fromkeys(found) if one != node and may_stand(state, one)]


def _is_another(around: Node, name: str, node: Node | None) -> bool:
    """Return True for a member with a name that is surely not meant by it, nor by a node of that name.

    The type of a member may be named after that of the node, or the other way round: `Client` and its
    `ClientOptions`. In another folder that ending must say so: `EventTrigger` is none of `Event`.
    """
    if around.symbol.name.strip("_") != name:
        return False
    if around.symbol.kind is SymbolKind.ENUM_MEMBER:
        return True
    if node is None or not (node.symbol.parent and around.symbol.parent):
        return False
    own, other = (one.qualified_name.rpartition(".")[0].rpartition(".")[2] for one in (node, around))
    if own not in other and other not in own:
        return True
    is_near = own == other or node.folder == around.folder
    return not (is_near or _OF_OPTIONS.search(max(own, other, key=len)))


def _is_variable(line: str, name: str) -> bool:
    """Return True for a line that gives a value to a variable of a name, and to no member or argument."""
    return (
        re.match(rf"\s*(?:[a-z]+\s+)?{re.escape(name)}\s*(?::[^=]{{1,80}})?=(?![=>])[^,]*$", line) is not None
    )


def may_stand(state: ResearchState, node: Node) -> bool:
    """Return True for a value of the program, and for a function that does nothing but to return one."""
    is_short = node.symbol.kind in CALLABLE_KINDS and count_lines(node) <= ACCESSOR_LINES
    return (node.symbol.kind in STANDING or is_short) and admits_node(state, node)
