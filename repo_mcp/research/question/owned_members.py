"""Choose the members that a phrase names with their type in plain words. Pure.

    "reschedule on the task repository"  ->  `TaskRepository.reschedule`, `JdbcTaskRepository.reschedule`
    "store in the depot with a label"    ->  of the overloads of `Depot.store` that with a parameter `label`

A type that is told by one word has only this name; of several words, its name may have more before them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass
from repo_mcp.text.question_words import list_words, shares_word

MOST_WORDS = 4  # of the name of a type
_OWNED = re.compile(
    r"(?P<name>[\w$]+)(?:\(\))? (?:on|of|in|from) (?:(?:the|an?|its|our|this) )?(?P<owner>[\w$]+(?: [\w$]+)*)"
)


@dataclass(frozen=True, slots=True)
class OwnedName:
    """The name of a member, and the words behind it that begin with the name of its type."""

    name: str
    owner: tuple[str, ...]


def read_owned(text: str) -> OwnedName | None:
    """Return the member and the type that a phrase names, or None for any other phrase."""
    found = _OWNED.fullmatch(text)
    return None if found is None else OwnedName(found["name"], tuple(found["owner"].split()))


def choose_owned(nodes: Sequence[Node], owned: OwnedName, read_head: Callable[[Node], str]) -> list[Node]:
    """Return the declarations that the type has, of overloads those with what follows as a parameter.

    `read_head` returns the first lines of a declaration. Return none if no such type declares the name.
    """
    for count in range(min(len(owned.owner), MOST_WORDS), 0, -1):
        folded = "".join(owned.owner[:count]).replace("_", "").lower()
        own = [node for node in nodes if _is_owned(node, folded, is_ending=count > 1)]
        if own:
            rest = list_words(" ".join(owned.owner[count:]))
            taking = [node for node in own if _takes(read_head(node), node, rest)]
            return taking or own
    return []


def _is_owned(node: Node, folded: str, *, is_ending: bool) -> bool:
    owner = node.qualified_name.split(".")[-2:-1]
    name = "".join(owner).replace("_", "").lower()
    return name == folded or (is_ending and name.endswith(folded))


def _takes(head: str, node: Node, words: Sequence[str]) -> bool:
    """Return True if the parameters of a declaration have all of some words."""
    behind = head.partition(f"{node.symbol.name}(")[2].partition(")")[0]
    return bool(words) and shares_word(behind, words) == len(words)
