"""Tell which members of a base one more of its kind overrides, and which lines say so.

Of a long base these heads are all that matters: `abstract write(event)`, `protected virtual void Open()`.
Whether a language marks such members or not, others of the kind override them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from repo_mcp.bodies.body import Body, list_code, measure
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.named_symbols import read_code
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.derived_types import UNFILLED
from repo_mcp.research.question.members_of_types import list_symbols
from repo_mcp.symbols.symbol_record import Access, DeclaredSymbol, SymbolFlag, SymbolKind
from repo_mcp.text.guessed_names import list_own_names

WHOLE_CHARS = 1_200  # of a base or a model; of a longer one, only its open members are shown
FURTHER_CHARS = 400  # of a base beside the one from which most derive
MOST_SHOWN, HEAD_LINES = 10, 4  # heads of members, lines of each
MOST_DECLARED = 200  # members of one name that are looked at
LEAST_SETTING = 2  # of a kind that set a property of the base
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_OF_INSTANCE = re.compile(r"\s*(?:self|this)\.")  # what a constructor sets
# Of a member of an interface: it may be left out, or the interface has code for it.
_OPTIONAL = re.compile(r"^[^(:]*\w\?\s*[(:]")
_HAS_CODE = re.compile(r"\)(?:(?!:\s*\{)[^(){}])*\{[^\w}]{0,200}+\w")
Signature = tuple[str, str]  # name and parameters


def list_open_members(state: ResearchState, base: Node, kind: Collection[Node]) -> list[DeclaredSymbol]:
    """Return the members that a base leaves open, then guessed ones, then those overridden in its kind.

    Of the last, those overridden most come first: of several with one name, those with the same parameters,
    which a type may write in other words. Beside methods, a property counts only if it is abstract:
    others are settings of each.
    """
    others = [node for node in kind if node != base]
    forms = Counter(one.name for one in list_overridable(state, base))
    overridden = Counter(
        one for node in others for one in {_sign(own, forms) for own in list_overridable(state, node)}
    )
    guessed, lines = list_own_names(state.request.guesses), state.source.read_lines(base.path)
    own = [
        one
        for one in list_overridable(state, base)
        if one.access is not Access.PRIVATE
        and not one.flags & (SymbolFlag.STATIC | SymbolFlag.OVERRIDE)  # `ToString` is nothing of its own
        and (
            one.flags & SymbolFlag.ABSTRACT
            or overridden[_sign(one, forms)]
            or (one.name in guessed and _is_unfilled(lines, one))
        )
        and not (one.kind is SymbolKind.PROPERTY and one.name.startswith("_"))
    ]
    told = [one for one in own if one.kind is SymbolKind.METHOD or one.flags & SymbolFlag.ABSTRACT] or own
    return sorted(
        told,
        key=lambda one: (
            not is_required(lines, base, one),
            one.name not in guessed,
            -overridden[_sign(one, forms)],
        ),
    )


def list_settings(state: ResearchState, base: Node, kind: Collection[Node]) -> list[DeclaredSymbol]:
    """Return the properties of a base that at least half of its kind set, those that most set first."""
    others = [node for node in kind if node != base]
    names = Counter(name for node in others for name in {one.name for one in list_overridable(state, node)})
    lines = state.source.read_lines(base.path)
    own = [
        one
        for one in list_overridable(state, base)
        if one.kind is SymbolKind.PROPERTY
        and not one.flags & SymbolFlag.ABSTRACT
        and not one.name.startswith("_")
        and not any(map(_OF_INSTANCE.match, lines[one.start_line - 1 : one.start_line]))
        and names[one.name] >= max(LEAST_SETTING, len(others) / 2)
    ]
    return sorted(own, key=lambda one: -names[one.name])


def is_required(lines: Sequence[str], base: Node, member: DeclaredSymbol) -> bool:
    """Return True for a member without which one of the kind is not whole.

    It is abstract, or it only raises, or an interface has no code for it.
    """
    if base.symbol.kind in ABSTRACT_KINDS:
        text = "\n".join(lines[member.start_line - 1 : member.end_line])
        has_code = text.rstrip().endswith("}") and _HAS_CODE.search(text) is not None
        has_code |= base.language == "csharp" and "=>" in text
        return not (has_code or _OPTIONAL.search(text))
    return bool(member.flags & SymbolFlag.ABSTRACT) or _is_unfilled(lines, member)


def _is_unfilled(lines: Sequence[str], member: DeclaredSymbol) -> bool:
    """Return True for a member that raises for what overrides it."""
    return any(map(UNFILLED.search, lines[member.start_line - 1 : member.end_line]))


def list_overridable(state: ResearchState, node: Node) -> list[DeclaredSymbol]:
    """Return the methods and properties of a type."""
    return [one for one in list_symbols(state.graph, node) if one.kind in _MEMBERS]


def _sign(member: DeclaredSymbol, forms: Counter[str]) -> Signature:
    """Return the name of a member, and its parameters if the base has several of the name."""
    return member.name, "".join(member.parameters.split()) if forms[member.name] > 1 else ""


def show_open(
    state: ResearchState,
    base: Node,
    members: Sequence[DeclaredSymbol],
    settings: Sequence[DeclaredSymbol] = (),
    whole_chars: int = WHOLE_CHARS,
) -> Body:
    """Return a base as a body; of a long one, its head and the heads of its open and guessed members.

    `settings` are shown as well. One of more than `whole_chars` is long.
    """
    body = read_code(state, base)
    is_plain = not (members or settings) and whole_chars == WHOLE_CHARS
    if is_plain or _is_short(body, whole_chars):
        return body
    guessed = list_own_names(state.request.guesses)
    asked = [one for one in list_overridable(state, base) if one.name in guessed and one not in members]
    shown = (*members[:MOST_SHOWN], *asked[:HEAD_LINES], *settings[:MOST_SHOWN])
    kept = [at for one in shown for at in _list_head(body, one)]
    inside = (range(one.start_line, min(one.end_line, len(body.lines)) + 1) for one in shown)
    kept += [at for own in inside for at in own if UNFILLED.search(body.lines[at - 1])]
    return _keep_lines(body, kept, base.symbol.name)


def show_overriding(state: ResearchState, base: Node, model: Node, members: Sequence[DeclaredSymbol]) -> Body:
    """Return a model as a body; of a long one, its head, what overrides open members, and its settings.

    These are the properties that the base has, too.
    """
    body = read_code(state, model)
    settings = {one.name for one in list_overridable(state, base) if one.kind is SymbolKind.PROPERTY}
    names = {one.name for one in members} | settings
    own = [one for one in list_overridable(state, model) if one.name in names]
    if not own or _is_short(body):
        return body
    kept = (at for one in own for at in range(one.start_line, one.end_line + 1))
    return _keep_lines(body, kept, model.symbol.name)


def show_lines(state: ResearchState, node: Node, kept: Sequence[int]) -> Body:
    """Return a declaration as a body of which only its head and some lines are left."""
    return _keep_lines(read_code(state, node), kept, node.symbol.name)


def find_outside(state: ResearchState, model: Node, members: Sequence[DeclaredSymbol]) -> Node | None:
    """Return what overrides the first open member outside the lines of a model, as a method of Go does."""
    end = model.symbol.end_line
    own = {one.name for one in list_overridable(state, model) if one.start_line <= end}
    if not members or own.intersection(one.name for one in members):
        return None
    ending = f"{model.symbol.name}.{members[0].name}"
    declared = state.graph.scan.find_declared(members[0].name, MOST_DECLARED)
    nodes = (state.get_node(one) for one in declared if one.path.rpartition("/")[0] == model.folder)
    return next((node for node in nodes if f".{node.qualified_name}".endswith(f".{ending}")), None)


def _is_short(body: Body, most: int = WHOLE_CHARS) -> bool:
    return measure(body.lines, list_code(body)) <= most


def _list_head(body: Body, member: DeclaredSymbol) -> range:
    """Return the lines of a member from the one with its name to the end of its parameters."""
    first, depth = member.start_line, 0
    end = min(member.end_line, len(body.lines))  # the file may be shorter since it was parsed
    while first < end and member.name not in body.lines[first - 1]:
        first += 1
    for at in range(first, min(end, first + HEAD_LINES - 1) + 1):
        depth += body.lines[at - 1].count("(") - body.lines[at - 1].count(")")
        if depth <= 0:
            return range(first, at + 1)
    return range(first, first + HEAD_LINES)


def _keep_lines(body: Body, kept: Iterable[int], name: str) -> Body:
    """Return a body of which only some lines and those up to its name are left."""
    every = range(body.head_line, body.end_line + 1)
    named = next((at for at in every if name in body.lines[at - 1]), body.head_line)
    left = {*kept, *range(body.head_line, named + 1)} - body.comment_lines
    return replace(body, comment_lines=body.comment_lines | {at for at in every if at not in left})
