"""Find the functions that a question names by a verb and a noun.

"How do I register a custom lookup" is often answered by a function with both in its name, `register_lookup`.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import DOING, VALUES, find_by_name, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import join_name
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import (
    Action,
    count_words,
    find_verb,
    leave_out_form,
    list_words,
    names_action,
    shares_word,
)

# Stems of words before the verb in the name of a function that does what the verb says.
_HELPING = frozenset(
    {"async", "can", "do", "handle", "internal", "is", "maybe", "must", "on", "should", "try"}
)
MOST_ACTIONS = 3  # that are shown
MANY_OTHERS = 2  # if a question has so many words beside its action, a declaration must have one of them
LEAST_NOUNS = 2  # that say together what a function named by a verb alone does
MOST_NAMED = 12  # declarations that fit by name; more say little about each


def find_actions(state: ResearchState, action: Action, *, is_described: bool) -> list[Node]:
    """Return the symbols named by the verb, the noun and at most one more word.

    The shortest names come first, functions before values.

    For a described action ("how is a password checked"), only the symbols with the most other words of the
    question in their path and name are returned; none if many symbols have no such word.
    """
    words = (action.verb, action.nouns[-1])
    texts = list_spellings(words) if is_described else [" ".join(words)]
    alike = [node for text in texts for node in find_by_name(state, text)]
    fitting = [
        node
        for node in dict.fromkeys(alike)
        if node.symbol.kind in (DOING if is_described else (DOING | VALUES))
        and names_action(node.symbol.name, action)
        and not (is_described and _does_otherwise(node.symbol.name, action))
    ]
    if is_described:
        fitting = _keep_nearest(state, fitting, words, action.nouns) or _find_placed(state, action)
    fitting.sort(
        key=lambda node: (
            count_words(node.symbol.name),
            node.symbol.kind not in CALLABLE_KINDS,
            node.symbol.start_line - node.symbol.end_line,
            node.path,
            node.symbol.start_line,
        )
    )
    return fitting[:MOST_ACTIONS]


def _does_otherwise(name: str, action: Action) -> bool:
    """Return True for a name that begins with another word: `close_pool_connections` pools none."""
    _, first, *others = (*get_word_terms(name), "")  # the first term is the whole name
    is_longer = len(others) > len((action.verb, action.nouns[-1]))
    return is_longer and first not in _HELPING and not shares_word(first, (action.verb, *action.nouns))


def _find_placed(state: ResearchState, action: Action) -> list[Node]:
    """Return the functions named by the verb alone whose path and type have all of several nouns.

    "How are static files found" is answered by `find` in `staticfiles/finders.py`.
    """
    if len(action.nouns) < LEAST_NOUNS:
        return []
    verbs = [spelling.partition(" ")[0] for spelling in list_spellings((action.verb, ""))]
    alike = dict.fromkeys(node for verb in verbs for node in find_by_name(state, verb))
    placed = [
        node
        for node in alike
        if node.symbol.kind in DOING
        and count_words(node.symbol.name) == 1
        and shares_word(node.symbol.name, (action.verb,))
        and _holds_all(f"{node.path} {node.qualified_name}", action.nouns)
    ]
    return placed if len(placed) <= MOST_NAMED else []


def _holds_all(place: str, nouns: Sequence[str]) -> bool:
    """Return True if a path and a name have all nouns, each by itself or all as one word: `staticfiles`."""
    return "".join(nouns) in join_name(place) or shares_word(place, nouns) == len(nouns)


def list_spellings(words: Sequence[str]) -> list[str]:
    """Return the stem of a verb and a noun as names may spell them: "change column" for "chang columns"."""
    verb, noun = words
    verbs = dict.fromkeys((verb, f"{verb[:-1]}y" if verb.endswith("i") else f"{verb}e"))
    nouns = dict.fromkeys((noun, noun.removesuffix("s")))
    return [f"{one} {other}" for one in verbs for other in nouns]


def _keep_nearest(
    state: ResearchState, nodes: Sequence[Node], words: Sequence[str], nouns: Sequence[str]
) -> list[Node]:
    """Return the symbols with the most words of the question, besides `words`, in their path and name.

    If none has any, return those whose lines have one, or no symbol if there are more than MOST_NAMED, or if
    another name has all of several `nouns`.
    """
    asked = list_words(leave_out_form(state.request.query))
    others = [word for word in asked if not shares_word(f"{word} {find_verb(word)}", words)]
    near = [shares_word(f"{node.path} {node.qualified_name}", others) for node in nodes]
    most = max(near, default=0)
    if not most and len({node.qualified_name for node in nodes}) > MOST_NAMED:
        return []
    if not most and len(nouns) >= LEAST_NOUNS and _is_declared(state, nouns):
        return []
    if not most:  # `isRateLimited` says nothing of the attempts of a login
        return [node for node in nodes if _is_near(state, node, words, others)]
    return [node for node, count in zip(nodes, near, strict=True) if count == most]


def _is_declared(state: ResearchState, nouns: Sequence[str]) -> bool:
    """Return True if a name has all nouns of a question: of `StaticFilesFinder`, no other file is static."""
    alike = find_by_name(state, " ".join(nouns))
    return any(shares_word(node.symbol.name, nouns) == len(nouns) for node in alike)


def _is_near(state: ResearchState, node: Node, words: Sequence[str], others: Sequence[str]) -> bool:
    """Return True for a symbol whose lines have another word of the question, or that needs no such word.

    A name that is longer than `words` needs one even if the question has few: `check_csrf_middleware` checks
    no request.
    """
    least = MANY_OTHERS if count_words(node.symbol.name) <= len(words) else 1
    return len(others) < least or bool(shares_word("\n".join(read_body(state, node)), others))
