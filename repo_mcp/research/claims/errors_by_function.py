"""Tell the errors of each function that a question about errors only describes.

    "Which errors can I get when a parcel is sent?"
        ->  Errors that arise in Post.sendParcel: TooHeavy (…:12); in Courier.sendParcel: NoAddress (…:31)

All that have the name of the best declaration count, and what these call that has the words of that name: one
sender's errors are not the whole list. Errors of callers, and of what only shares words with the question,
are no errors of what is asked for; it is said where others arise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.research.claims.errors_claim import describe_near
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.errors.lines import LINE_CHARS, OF_ARGUMENT
from repo_mcp.research.errors.made import iter_errors, join_errors, list_errors, put_asked_first
from repo_mcp.research.findings.bounds import SHORT
from repo_mcp.research.findings.citing import (
    cite,
    name_findings,
    shorten_symbol,
)
from repo_mcp.research.findings.first_sentences import read_description
from repo_mcp.research.findings.handed_on import Place
from repo_mcp.research.findings.locating import is_program, is_test, is_test_node, may_answer
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, build_finding, list_uses
from repo_mcp.research.order.rivals import list_rivals
from repo_mcp.research.question.asked_words import find_error_kind
from repo_mcp.research.question.error_types import is_of_error
from repo_mcp.research.seeds.rated_seeds import LONG_LINES
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import count_words, list_words, shares_word

LINKED_DEPTH = 2  # levels of calls below the best declaration whose errors are named
MAX_ALIKE = 40  # declarations of one name
MAX_FUNCTIONS = 8  # that are told
TOLD_CHARS = 1_200  # of the errors of several functions; of the last ones, then only the places are told
MOST_BESIDE = 5  # that make a named error, whose others are told
MAX_FILES = 4  # in which one error is made
MOST_OTHERS = 2  # functions beside these that fail
_FUNCTIONS = frozenset({"function", "method"})
_IS_UNFILLED = re.compile(
    r"NotImplemented(?:Error|Exception) \("
)  # without a text: that of an abstract function
_ENDS_WITH_WHEN = re.compile(r"\bwhen\W*$", re.IGNORECASE)
_OVERLOADING = frozenset({"cpp", "csharp", "groovy", "java", "kotlin", "scala", "swift"})  # languages
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def describe_errors(state: ResearchState, asked: str) -> str:
    """Return the errors that the best declarations make, each with its first line; "" if none makes any."""
    asked = f"{asked} {find_error_kind(state.request.query)}".rstrip()
    near = [one for one in state.findings if not one.hop and not is_test(one.path, one.symbol)]
    if len(state.failures.values) > 1 or sum(map(len, state.failures.values.values())) > MAX_FUNCTIONS:
        return _tell_values(state, near)
    is_known = any(one.role is Role.NAMED for one in near)
    best = next((node for node in state.nodes.values() if not is_test_node(node)), None)
    is_told = is_known or any(one.role is Role.MAKES_ERROR for one in near)
    if not near or (" " not in asked and (best is None or not is_told)):
        return describe_near(state, near, asked)
    linked = _list_linked(state, best, near) if best is not None else _list_written(state, near)
    linked += [one for one in near if one.role is Role.FAILS and one not in linked]
    linked = _put_making_first(state, [one for one in linked if not is_of_error(one.symbol, one.kind)], near)
    linked = [one for own in _join_overloads(linked) for one in own]
    is_made = any(one.role is Role.MAKES_ERROR for one in linked)
    others = [] if is_made else _list_others(state, linked, near)
    shown = linked[:MAX_FUNCTIONS]
    told = _tell_errors(state, shown)
    while len(told) > 1 and sum(map(len, told)) > TOLD_CHARS:
        shown = shown[:-1]
        told = _tell_errors(state, shown)
    if not told and list_errors(state, linked)[0]:  # they only refuse arguments
        told, others = _tell_errors(state, others[:MOST_OTHERS]), others[MOST_OTHERS:]
    if not told:
        return describe_near(state, near if best is None else linked, asked)
    rest = [one for one in linked[len(shown) : MAX_FUNCTIONS] if any(iter_errors(state, one))]
    return _join_told(told, [*rest, *others[:MOST_OTHERS]])


def _tell_values(state: ResearchState, near: Sequence[Finding]) -> str:
    """Return where each named error arises that is a value, and what else arises there.

    Many functions make such errors, so the lines are told by file.
    """
    sentences = [_tell_value(state, *one) for one in state.failures.values.items()]
    making = [one for one in near if one.role is Role.MAKES_ERROR]
    names = {node.symbol.name for node in state.failures.values}
    others = _tell_errors(state, making[:MOST_BESIDE], told=names)
    sentences += [f"There, these arise too in {'; in '.join(others)}."] if others else []
    return f"{' '.join(sentences)} "


def _tell_value(state: ResearchState, node: Node, places: Sequence[Place]) -> str:
    """Return what the comment on an error says, and the lines where it arises."""
    of_file: dict[str, list[int]] = {}
    for path, at in places:
        of_file.setdefault(path, []).append(at)
    listed = [f"{path}:{', '.join(map(str, own))}" for path, own in of_file.items()]
    more = f"; and {len(listed) - MAX_FILES} more files" if len(listed) > MAX_FILES else ""
    arises = f"arises at {'; '.join(listed[:MAX_FILES])}{more}."
    name, said = node.symbol.name, read_description(state, node)
    if not said:
        return f"{name} ({cite(node)}) {arises}"
    is_named = said.startswith(name)
    return f"{said[:-1] if is_named else f'{name}: {said[:-1]}'} ({cite(node)}). It {arises}"


def _join_told(told: Sequence[str], others: Sequence[Finding]) -> str:
    """Return a sentence for each function whose errors are told, and one that names others that fail."""
    more = f"Others arise in {name_findings(others, MAX_FUNCTIONS)}. " if others else ""
    return f"Errors that arise in {'. In '.join(told)}. {more}"


def _put_making_first(
    state: ResearchState, linked: Sequence[Finding], near: Sequence[Finding]
) -> list[Finding]:
    """Return the functions whose errors are told: first what makes an error that is named, if anything does.

    What is only called by the best must then have a word of the question in its name.
    """
    making = [one for one in near if one.role is Role.MAKES_ERROR]
    if not making:
        return [*linked]
    making = [*(one for one in near[:1] if one.role is Role.NAMED_SO), *making]
    words = list_words(state.request.full_text)
    return [*making, *(one for one in linked if one not in making and shares_word(one.name, words))]


def _tell_errors(
    state: ResearchState,
    functions: Sequence[Finding],
    told: Collection[str] = (),
) -> list[str]:
    """Return the errors of each function, each error once, without those that refuse a missing argument.

    Nor are those returned whose names are `told` otherwise. A question that ends with "when" gets the
    condition of each.
    """
    sentences: list[str] = []
    left_out = {*OF_ARGUMENT, *told}
    says_when = _ENDS_WITH_WHEN.search(state.request.query) is not None
    seen: set[str] = set()
    for own in _join_overloads(functions):
        listed = put_asked_first(state, list_errors(state, own, says_when=says_when)[0])
        unseen = (error for error in listed if error not in seen and not _IS_UNFILLED.match(error))
        errors = [error for error in unseen if error.partition(" ")[0] not in left_out]
        seen.update(errors)
        cited = ", ".join([own[0].citation, *(one.citation.removeprefix(one.path) for one in own[1:])])
        name = f"{'' if len(own) == 1 else f'{len(own)} overloads of '}{shorten_symbol(own[0])} ({cited})"
        sentences += [f"{name}: {join_errors(errors, path=own[0].path)}"] if errors else []
    return sentences


def _join_overloads(functions: Sequence[Finding]) -> list[list[Finding]]:
    """Return the functions in their order, those of one type and one name together."""
    joined: dict[tuple[str, str | Node | None], list[Finding]] = {}
    for one in functions:
        is_overloaded = find_language(one.path).name in _OVERLOADING
        joined.setdefault((one.symbol, one.path if is_overloaded else one.node), []).append(one)
    return [*joined.values()]


def _may_be_other(one: Finding) -> bool:
    """Return True for a function that is not so long that its errors may be about anything."""
    return one.kind in _FUNCTIONS and one.end_line - one.start_line < LONG_LINES


def _list_others(state: ResearchState, linked: Sequence[Finding], near: Sequence[Finding]) -> list[Finding]:
    """Return further functions that fail and do not call those whose errors are told."""
    told = {one.node for one in linked}
    ends = ((state.get_node(link.source), state.get_node(link.target)) for link in state.links.values())
    known = told | {source for source, target in ends if target in told}
    functions = [one for one in near if _may_be_other(one) and one.node not in known]
    return [one for one in functions if any(iter_errors(state, one))]


def _list_written(state: ResearchState, near: Sequence[Finding]) -> list[Finding]:
    """Return the best function and those whose names it has, and so on, where no parser knows any call.

    In another file only a name of several words is surely meant. What only says that others implement it is
    left out.
    """
    functions = [one for one in near if one.name and not any(_encloses(one, other) for other in near)]
    linked = functions[:1]
    for one in linked:  # which grows
        body = _read_text(state, one)
        linked += [
            other
            for other in functions
            if other not in linked
            and (other.path == one.path or count_words(other.name) > 1)
            and re.search(rf"(?<![\w:@\"'.]){re.escape(other.name)}\b(?!\s*=)", body)
            and "NotImplementedError" not in _read_text(state, other)
        ]
    return linked


def _encloses(one: Finding, other: Finding) -> bool:
    """Return True for a type in which another finding is declared."""
    return one.path == other.path and one.start_line <= other.start_line <= other.end_line < one.end_line


def _read_text(state: ResearchState, one: Finding) -> str:
    """Return the lines of a finding behind its first, without comments."""
    lines, comments = state.source.read_lines(one.path), state.source.read_comment_lines(one.path)
    numbers = range(one.start_line + 1, min(one.end_line, len(lines)) + 1)
    return "\n".join(lines[at - 1][:LINE_CHARS] for at in numbers if at not in comments)


def _list_linked(state: ResearchState, best: Node, near: Sequence[Finding]) -> list[Finding]:
    """Return the best declaration, those of its name, those rated nearly as high, and what these call."""
    nodes = [one.node for one in near]
    alike = [best, *_list_alike(state, best)]
    alike = sorted(dict.fromkeys(alike), key=lambda node: nodes.index(node) if node in nodes else len(nodes))
    calls = [link for link in state.links.values() if link.kind == "calls"]
    linked = [node.declaration for node in alike]
    own = len(linked)
    for _ in range(LINKED_DEPTH):
        linked += [link.target for link in calls if link.source in linked and link.target not in linked]
    beside = [*(node for _, node in list_rivals(state, best) if node is not None), *_list_same(state, alike)]
    linked[own:own] = [node.declaration for node in beside]
    found = {one.node: one for one in near}
    known = {node: build_finding(node) for node in (*alike, *beside)}
    ends = map(state.get_node, dict.fromkeys(linked))
    return [one for node in ends if (one := found.get(node) or known.get(node)) is not None]


def _list_alike(state: ResearchState, best: Node) -> Iterable[Node]:
    """Yield what has the name of the best: its overloads, and what does the same in other types.

    Of a name of one word, which has any meaning, only the overloads count.
    """
    for one in state.graph.scan.find_declared(best.symbol.name, MAX_ALIKE):
        node = state.get_node(one)
        is_own = node.qualified_name == best.qualified_name or count_words(best.symbol.name) > 1
        if (
            is_own
            and node.symbol.kind is best.symbol.kind
            and may_answer(node.path)
            and not is_test_node(node)
        ):
            yield node


def _list_same(state: ResearchState, alike: Sequence[Node]) -> list[Node]:
    """Return what some functions call that has all words of their name: `sendTextParcel` for `sendParcel`.

    For a declaration without a body these are those that implement it.
    """
    words = _WORD.findall(alike[0].symbol.name)
    found: dict[Node, None] = {}
    for node in alike[:MAX_FUNCTIONS] if alike[0].symbol.kind in CALLABLE_KINDS else ():
        for edge in list_uses(state, node, SHORT):
            other = state.get_node(edge.other)
            is_same = shares_word(other.symbol.name, words) == len(words) > 1
            if not is_same or not is_program(other.path):
                continue
            filled = [state.get_node(link.source) for link in list_overriding(state, other)]
            found.update(
                dict.fromkeys(filled if other.symbol.start_line == other.symbol.end_line else [other])
            )
    return [node for node in found if node not in alike and is_program(node.path)]
