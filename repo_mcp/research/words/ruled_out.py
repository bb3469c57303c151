"""Tell which errors of a function cannot arise, since it is only called where their condition does not hold.

    if row.key is None:             def _insert(self, row):
        self._insert(row)               if row.key is not None:
                                            raise KnownRow(row)    # never met on this way

Only the first call of a branch counts: what stands before another may change what the condition reads. A
condition must read only what both functions have. `or` of a branch that is taken, and `and` of one that is
not, say nothing of their parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import takewhile

from repo_mcp.bundler.body import Body
from repo_mcp.bundler.statements import Statement, holds_failure
from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import list_statements, read_code
from repo_mcp.research.findings.research_state import ResearchState

_Fact = tuple[str, bool]  # an expression, and whether it holds
_IF = re.compile(r"\s*+(?:[})]++\s*+)?(el(?:se\s+)?if|if)\b\s*+(.*?)\s*+[:{]?\s*+$", re.DOTALL)
_ELSE = re.compile(r"\s*+(?:[})]++\s*+)?else\s*+[:{]?\s*+$")
_OR, _AND = re.compile(r"\s(?:or|\|\|)\s"), re.compile(r"\s(?:and|&&)\s")
_COMPARES = re.compile(r"(.+?)\s*(===?|!==?|\bis not\b|\bis\b|\bnot in\b|\bin\b)\s*(.+)")
_DENIES = re.compile(r"not\s|!(?!=)")
_NONE = re.compile(r"\b(?:null|nil|undefined|nullptr|NULL)\b")
_NAME = re.compile(r"(?<![\w.\"'])[A-Za-z_$][\w$]*")
_OWN, _OWN_OBJECT = frozenset({"self", "this"}), re.compile(r"\bthis\b")
_CONSTANTS = frozenset({"None", "null", "nil", "undefined", "true", "false", "True", "False", "in"})
CONDITION_CHARS = 300  # of a longer one nothing is said


def list_ruled_out(state: ResearchState, caller: Node, lines: Sequence[int], callee: Node) -> set[int]:
    """Return the lines of a function that fail under a condition which never holds at some calls of it."""
    body, statements = read_code(state, caller), list_statements(state, caller)
    found: set[int] | None = None
    for at in lines:
        position = next((ordinal for ordinal, one in enumerate(statements) if one.first <= at <= one.last), 0)
        known = _list_known(body, statements, position) if position else frozenset()
        own = _list_denied(state, callee, known, _read(body, statements[position])) if known else set()
        found = own if found is None else found & own
    return found or set()


def _list_known(body: Body, statements: Sequence[Statement], position: int) -> Set[_Fact]:
    """Return what surely holds at a statement because it is the first of a branch."""
    above = statements[position - 1]
    if above.indent >= statements[position].indent:
        return frozenset()
    known: set[_Fact] = set()
    taken = True  # of the branch itself; those before it were not
    for one in reversed(statements[:position]):
        if one.indent > above.indent:
            continue
        text = _read(body, one)
        match = _IF.match(text)
        if one.indent < above.indent or (match is None and not (taken and _ELSE.match(text))):
            break
        if match is not None:
            known |= _list_facts(match[2], holds=taken)
            if match[1] == "if":
                return known
        taken = False
    return frozenset()


def _list_facts(condition: str, *, holds: bool) -> set[_Fact]:
    """Return the parts of a condition of which is known whether they hold."""
    text = " ".join(condition.split())
    while text.startswith("(") and text.endswith(")") and _is_closed(text[1:-1]):
        text = text[1:-1].strip()
    ways = _OR.search(text) is not None, _AND.search(text) is not None
    if len(text) > CONDITION_CHARS or all(ways) or (ways[0] and holds) or (ways[1] and not holds):
        return set()
    return {_read_fact(part, holds=holds) for part in (_AND if holds else _OR).split(text)}


def _is_closed(text: str) -> bool:
    """Return True for a text whose brackets are opened before they are closed."""
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return True


def _read_fact(part: str, *, holds: bool) -> _Fact:
    text = _OWN_OBJECT.sub("self", _NONE.sub("None", part.strip()))
    while (denied := _DENIES.match(text)) is not None:
        text, holds = text[denied.end() :].strip(), not holds
    compared = _COMPARES.fullmatch(text)
    if compared is None:
        return text, holds
    is_in = compared[2].endswith("in")
    is_denied = compared[2].startswith(("!", "not")) or compared[2].endswith("not")
    return f"{compared[1].strip()} {'in' if is_in else '='} {compared[3].strip()}", holds is not is_denied


def _list_denied(state: ResearchState, callee: Node, known: Set[_Fact], call: str) -> set[int]:
    """Return the lines of a function that fail if something holds of which the contrary is known."""
    body, statements = read_code(state, callee), list_statements(state, callee)
    given = _match_arguments(callee, _read(body, statements[0]), call) if statements else {}
    denied: set[int] = set()
    for ordinal, one in enumerate(statements[1:], 1):
        match = _IF.match(_read(body, one))
        inner = [other for other in statements[ordinal + 1 :] if other.first > one.last]
        block = list(takewhile(lambda other: other.indent > one.indent, inner))  # noqa: B023
        if match is None or not block or not holds_failure(_read(body, block[0])):
            continue
        before = "\n".join(body.lines[statements[0].last : one.first - 1])
        facts = {
            (_put_given(text, given), holds)
            for text, holds in _list_facts(match[2], holds=True)
            if _is_of(text, given) and not re.search(rf"{re.escape(text.split(' ')[0])}\s*=(?!=)", before)
        }
        if any((text, not holds) in known for text, holds in facts):
            denied.update(range(block[0].first, block[-1].last + 1))
    return denied


def _is_of(text: str, given: Mapping[str, str]) -> bool:
    """Return True for an expression that reads nothing but what a function is given."""
    return all(name in given or name in _CONSTANTS for name in _NAME.findall(text))


def _put_given(text: str, given: Mapping[str, str]) -> str:
    return _NAME.sub(lambda one: given.get(one[0], one[0]), text)


def _match_arguments(callee: Node, head: str, call: str) -> dict[str, str]:
    """Return the parameters of a function with what a call gives them, and its own object if both have it."""
    name = re.escape(callee.symbol.name)
    parameters = [one for one in _split(head, rf"\b{name}") if one.split(" ")[-1].strip("&*") not in _OWN]
    names = [_NAME.findall(one.partition("=")[0].partition(":")[0])[-1:] for one in parameters]
    own = dict.fromkeys(_OWN, "self") if re.search(rf"\b(?:self|this)(?:\.|->){name}\(", call) else {}
    arguments = _split(call, rf"\b{name}")
    pairs = zip(names, arguments, strict=False)
    return {**own, **{one[0]: given for one, given in pairs if one and "=" not in given}}


def _split(text: str, before: str) -> list[str]:
    """Return what stands in the round brackets behind an expression, cut at the outer commas."""
    start = re.search(rf"{before}\s*(?:<[^<>()]*>\s*)?\(", text)
    parts, depth = [""], 0
    for char in text[start.end() :] if start is not None else "":
        if depth == 0 and char == ")":
            break
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [" ".join(one.split()) for one in parts if one.strip()]


def _read(body: Body, one: Statement) -> str:
    return "\n".join(body.lines[one.first - 1 : one.last])
