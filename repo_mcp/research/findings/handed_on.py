"""Records in which a step of an investigation hands on more than the places and edges that it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass

Place = tuple[str, int]  # path and line


@dataclass(slots=True)
class WordMatch:
    """The words of the question that are missing in all files, or in the best declaration."""

    absent: list[str] = field(default_factory=list)  # words of the question that no file has
    lacks_most: bool = False  # most words of the question are in no file
    lacking: list[str] = field(default_factory=list)  # words of the question that the best declaration lacks
    is_unnamed: bool = False  # the best lacks words, and has none of the others in its name and path
    is_thin: bool = False  # the best has so few words of the question that it may be about anything
    is_guessed: bool = False  # the best lacks words, and has a name that the question guesses
    says_half: bool = False  # such a best declaration has at least half of the words that tell something
    rivals: list[tuple[str, Node | None]] = field(
        default_factory=list
    )  # rated nearly as high: name, citation


@dataclass(slots=True)
class Failures:
    """The functions whose errors are asked for, and those that fail below them."""

    asked: list[Node] = field(default_factory=list)  # the functions whose errors are asked for, if named
    followed: list[Node] = field(default_factory=list)  # of these, or of what implements them, with a body
    failing: list[Node] = field(default_factory=list)  # functions that fail below these
    # What a function uses, as far as it was followed, in that order.
    leads: dict[Node, dict[Node, None]] = field(default_factory=dict)
    values: dict[Node, list[Place]] = field(default_factory=dict)  # named errors that are values: where made
    testing: list[Node] = field(default_factory=list)  # functions that use named errors and make none
    left_open: list[Node] = field(default_factory=list)  # what they call, and several others implement
    no_errors: dict[str, bool] = field(default_factory=dict)  # names of types that cannot be raised
    called_under: dict[Node, tuple[str, ...]] = field(default_factory=dict)  # conditions of all known ways
    unreached: set[Place] = field(default_factory=set)  # lines that fail, and that no known call reaches


@dataclass(slots=True)
class Room:
    """The part of the answer that is this question's, and what the answer shows so far."""

    parts: int = 1  # of the question, among which the room of the answer is divided
    told: Mapping[str, frozenset[int]] = field(default_factory=dict)  # lines by path: what earlier parts show
    quoted: set[Place] = field(default_factory=set)  # lines, by path, that the answer shows


class KeyUse(IntEnum):
    """The use that code makes of a text, the one that tells most first."""

    GIVEN = 0  # a function
    DECIDES = 1
    HAS = 2


@dataclass(frozen=True, slots=True)
class UsedKey:
    """A text in quotes, with the lines of the call or the branch around it."""

    use: KeyUse
    first: int  # line, 1-based, both included
    last: int
    called: str = ""  # what takes the text, and a function or the name of one; "" if nothing does
    names: tuple[str, ...] = ()  # plain names among the arguments, one of which may be a function


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A line that has a key as a text in quotes, and what the code around it does with the key."""

    path: str
    line: int
    used: UsedKey
    is_asked: bool  # it is called by the noun that the question asks for
    shared: int  # words of the question in its path, in the name around it and in that of what is called


@dataclass(frozen=True, slots=True)
class MemberUses:
    """A member of a type, and the lines of the program that call it through that type."""

    name: str
    places: tuple[Place, ...]
    is_least: bool  # there may be more


@dataclass(frozen=True, slots=True)
class OpenType:
    """A type that others implement, with what a change of it breaks."""

    node: Node
    implementers: tuple[Node, ...]  # in the program
    in_tests: int  # implementers besides
    uses: tuple[MemberUses, ...]  # of all its members
