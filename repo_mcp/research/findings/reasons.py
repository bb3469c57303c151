"""Reasons for which places are shown: the words for the reader, and the role of the place. Pure."""

from __future__ import annotations

from enum import Enum, auto

from repo_mcp.record_classes import dataclass


class Role(Enum):
    """The role of a place in the answer: sentences choose findings by it."""

    OTHER = auto()  # only what the words of its reason say
    HAS_WORDS = auto()  # it has words of the question, and nothing else led to it
    NAMED = auto()  # the question names the symbol, or leads to it by a name
    OVERRIDDEN = auto()  # a method of a base, through which calls may reach the one that is asked for
    NAMED_SO = auto()  # has the verb and the noun of the question in its name
    COMPARED = auto()  # declared by both or only one of the types that are compared
    MAKES_COMPARED = auto()  # makes one of these for the other, as what the reason is about says
    DECIDES_BY_ALL = auto()  # decides by all values that are compared
    DECIDES_BY_ONE = auto()  # by one of these, which the reason is about
    DEFAULT_OF_KIND = auto()  # has as a default the member of an enumeration which the reason is about
    BESIDE = auto()  # shown for a better place, which calls it or is called by it, and not for itself
    FAILS = auto()  # a function that fails, and that a subject uses
    MAKES_ERROR = auto()  # makes an error that the question or a guess names
    RAISES = auto()  # raises errors of the type that the question names
    CATCHES = auto()
    GIVES_ERROR = auto()  # makes one for what calls it
    WRITTEN = auto()  # has a text of the question; the reason is about a word behind it
    TAKES_KEY = auto()  # hands a text of the question and a function to a call, which the reason is about
    GIVEN_WITH = auto()  # is given to a call together with a text of the question
    EMITS_KEY = auto()  # hands a text of the question to what emits events, which the reason is about
    TAKES_TEXT = auto()  # is called with a text of the question
    DECIDES_BY_KEY = auto()  # has a branch for a text of the question
    HAS_NAME = auto()  # a line with a name that nothing declares; the reason is about the name

    # Where something is to be added.
    TELLS_HOW = auto()  # a section of a document that says how one is added, by its heading
    SHOWS_HOW = auto()  # one with several of the names that the question guesses
    BASE = auto()  # others of the kind derive from it
    INNER_BASE = auto()  # most of the kind derive from it
    ENUMERATION = auto()  # others of the kind are members of it
    RETURNED = auto()  # others of the kind are functions that return it
    REGISTERS = auto()
    KEEPS = auto()  # keeps what is registered, or looks it up, as the words of its reason say
    TAKES_ONE = auto()  # makes something with one of the kind
    CALLS_KIND = auto()  # calls a member that each of the kind has; the reason is about the member
    LISTS = auto()  # names several of the kind
    READS_LIST = auto()  # uses what lists them; the reason is about that
    HAS_MEMBER = auto()  # a line has a member of the enumeration, which the reason is about
    NAMED_TABLE = auto()  # a guess names it, and others of the kind are entries of it
    TABLE = auto()  # a good declaration reads it, and each entry may be one of the kind
    MODEL = auto()  # one of the kind, to be copied

    # Around a subject.
    DEPENDED_ON = auto()  # is called or used by it
    FILLS = auto()  # overrides or implements it
    CALLS_MEMBER = auto()  # calls a member of it, which others implement
    SETS_MEMBER = auto()  # a line that sets a member to a function; the reason is about the function
    BY_EXTENSION = auto()  # a type that an extension makes conform to it
    MENTIONS = auto()  # uses it as a value or a type
    HOLDS = auto()  # declares it inside
    READS_FIELD = auto()  # reads a field that it sets
    WORKS_FOR = auto()  # is called by what uses a value, and named like it
    READS_FIELD_BELOW = auto()  # is called by what reads such a field
    NEEDS = auto()  # lines of a file that no parser reads say what it needs
    DERIVES = auto()  # a line says so, in a language that no parser reads
    DECLARES_AGAIN = auto()  # a member, in a type that derives from the one with the member
    CALLS_BY_NAME = auto()  # a line calls something of its name, in a language that no parser reads
    REACHES_BY_NAME = auto()  # a file of tests calls what calls something of its name
    USES_TYPE_BY_NAME = auto()  # a file of tests uses the type that declares it, which the reason is about
    NAMED_AFTER = auto()  # a file of tests
    TITLED = auto()  # a test with the name of the subject in its own; the reason is about the name
    WRITES_NAME = auto()  # a file of tests has the name of the subject, which the reason is about
    BY_PROPERTY = auto()  # a test uses a property that uses the subject, perhaps for something else

    # Where a setting is configured; the reason is about its name as it is spelled there.
    SETS = auto()
    FROM_ENVIRONMENT = auto()
    OPTION = auto()  # declares it as an option
    PARAMETER = auto()  # a function takes it, with a default
    DECLARES = auto()  # declares or documents it
    PASSES = auto()  # hands its name on
    READS = auto()  # asks a record for it by its name
    NESTED_KEY = auto()  # a key of a table, whose names together are that of the setting
    DECIDES_SETTING = auto()  # takes it from several sources, or gives it a default
    MAKES_SETTINGS = auto()  # makes one of the type that holds the settings
    NAMED_DEFAULT = auto()  # a value that is named as its default

    # Where an option of a build is named; the reason is about the option.
    DEPENDS_ON_OPTION = auto()  # another option
    SELECTS_OPTION = auto()  # another option turns it on
    BUILDS_BY_OPTION = auto()  # a line of a Makefile
    ASKS_FOR_OPTION = auto()  # lines of code


# What shows how one of a kind is added: the type that it derives from, one to copy, and what takes it.
RECIPE = frozenset(
    {
        Role.BASE,
        Role.INNER_BASE,
        Role.RETURNED,
        Role.MODEL,
        Role.REGISTERS,
        Role.KEEPS,
        Role.TAKES_ONE,
        Role.CALLS_KIND,
    }
)


# What has to be written comes first, then what a document tells of it.
_WRITTEN_FIRST = frozenset(
    {
        Role.BASE,
        Role.INNER_BASE,
        Role.RETURNED,
        Role.ENUMERATION,
        Role.NAMED_TABLE,
        Role.MODEL,
        Role.LISTS,
        Role.READS_LIST,
        Role.REGISTERS,
        Role.KEEPS,
        Role.TAKES_ONE,
    }
)
_RANKS = (_WRITTEN_FIRST, frozenset({Role.TELLS_HOW, Role.SHOWS_HOW}), RECIPE)
LAST_RANK = len(_RANKS)


def rank_recipe(role: Role) -> int:
    """Return a sort key in the order in which whoever adds one of a kind needs a place of this role.

    What does not tell how one is added has LAST_RANK.
    """
    return next((rank for rank, roles in enumerate(_RANKS) if role in roles), LAST_RANK)


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for which a place is shown."""

    text: str  # as the report words it
    role: Role = Role.OTHER
    about: str = ""  # the name or word that a sentence of the answer repeats


NAMED_SO = Reason("has the verb and the noun of the question in its name", Role.NAMED_SO)
ADDS_SO = Reason("adds, by its name, what the question wants to register", Role.NAMED_SO)
PLACED_SO = Reason("is named by the verb of the question, and its place by the nouns", Role.NAMED_SO)

BASES = {
    role: Reason(text, role)
    for role, text in (
        (Role.BASE, "the type to derive from or to implement"),
        (Role.INNER_BASE, "most of the kind derive from it"),
        (Role.ENUMERATION, "the enumeration that one more belongs to"),
    )
}
MODEL = Reason("an example to copy", Role.MODEL)


def explain_named(name: str) -> Reason:
    """Return the reason for a symbol that the question leads to by a name."""
    return Reason(f'what "{name}" refers to', Role.NAMED, name)


def explain_calling(name: str) -> Reason:
    """Return the reason for what calls a member that each of a kind has."""
    return Reason(f"calls {name} of one of the kind", Role.CALLS_KIND, name)
