"""Find the setting that a question describes in words of which its name has only some.

    "how many times is a task retried by default"
    defaultMaxRetry = 25                    "retried" is in its name, the rest of which says that it is a most
    "how many attempts does a retry make by default"
    DEFAULT_MAX_ATTEMPTS = 3                "retry" is in the name of the type around it
    "how verbose the terminal log is"
    add_option("termlog_verbosity", ..., "Log verbosity.")    a call declares it, with a text for its user

Each is rated by where it has the words: in its name, in that of its type or function, in its lines and the
comment above, in the name of its file. described_settings.py, which comes first, is stricter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.first_sentences import list_comment
from repo_mcp.research.findings.locating import is_test_node, may_answer
from repo_mcp.research.findings.named_symbols import count_lines, is_deprecated, read_body
from repo_mcp.research.findings.records import OptionCall, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, rate_words
from repo_mcp.research.kinds.siblings import split_words
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.research.settings.described_settings import UNTELLING, counts_with, list_short
from repo_mcp.research.settings.given_values import find_value, tells_value
from repo_mcp.research.settings.option_calls import list_declaring
from repo_mcp.research.settings.setting_owners import configures
from repo_mcp.text.generated import is_generated
from repo_mcp.text.question_words import count_words, list_words, shares_word

MOST_FOUND = 100  # values that a search for the words finds
MOST_TYPES = 8  # types that such a search finds, whose values are rated
MOST_FILES = 6  # best files by words, of which all values and options are rated
MOST_COMMENTED = 24  # best values by their lines, whose comments are read
MOST_CALLS = 12  # names of options that calls may declare
MOST_OPTIONS = 2  # shown
TELLING = 2  # words of the question, in the text that tells the user what an option is for
NAME_LINES = 4  # above such a text, one of which has the name of the option
MOST_LINES = 16  # of a value that are read; a longer one is no setting
# Worth of a word where a value has it: in the name of what is around it, or further out.
IN_NAME, IN_OWNER, IN_TEXT, IN_OUTER = 1.0, 0.8, 0.7, 0.4
LEAST_WORTH = 0.6  # of all words
OTHER, LONG = 0.12, 0.01  # less for each further word of a name, and for each of its words
# More for a number, if an amount is asked for; for what is called a default, if one is asked for; for what
# is named as configuration, or may be given from outside.
NUMBER, DEFAULT, CONFIGURES = 0.15, 0.1, 0.1
UNGIVEN = 0.25  # less for what is given no number and is not named as configuration, if one is asked for
NEAR = 0.2  # an option and a value with worths nearer than this are both shown, and options half as near
_HOW_MUCH = re.compile(r"\bhow (?:many|much|long|often|big|large|far|deep|soon|frequently)\b", re.IGNORECASE)
_HOW_LONG = re.compile(r"\bhow (?:long|often|soon|frequently)\b", re.IGNORECASE)
_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)
_BY_DEFAULT = re.compile(r"\s+(?:by|as (?:the|a)) default\b", re.IGNORECASE)
_ASKS_SETTING = re.compile(
    r"\W*(?:which|what) (?:\w+ )?(?:setting|option|flag|parameter|property|preference)s? (?P<x>\w[^?]+)",
    re.IGNORECASE,
)
# Words that say that something is an amount or a bound, in a question or a name.
_OF_AMOUNTS = frozenset(
    """
    amount capacity count length least limit limits max maximum min minimum most n num number restricts size
    times total
    """.split()  # noqa: SIM905
)
_LEAST = frozenset({"least", "min", "minimum"})
_MOST = frozenset({"cap", "limit", "limits", "max", "maximum", "most", "restricts"})
_OF_NAMES = _OF_AMOUNTS | {"default", "defaults", "per"}  # say nothing more in a name
_OF_TIME = frozenset(
    """
    age delay duration every expiry expires expiration frequency interval ms period seconds secs time timeout
    ttl wait
    """.split()  # noqa: SIM905
)
_COMPUTED = re.compile(r"=>|\bget\b")
_NO_AMOUNT = re.compile(r"[\"'`\[{&]|new\b")
_QUOTED = re.compile(r"[\"'`].*")  # the rest of a line from the first quote
_OPTION_NAME = re.compile(r"[\"'`](?:--)?([A-Za-z][\w-]{2,60})[\"'`]")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of a description, and the kind of setting that the question wants."""

    spelled: Mapping[str, tuple[str, ...]]  # each word with other forms of it
    wants_amount: bool
    wants_time: bool
    wants_default: bool

    @property
    def forms(self) -> list[str]:
        return [one for own in self.spelled.values() for one in own]


@dataclass(frozen=True, slots=True)
class _Place:
    """The texts by which a value or an option is rated."""

    name: str
    owner: str
    text: str
    path: str


def read_asked_setting(question: str) -> str:
    """Return the description of the setting that a question wants in another form than "where is X set"."""
    if _HOW_MUCH.search(question) and _DEFAULT.search(question):
        return _BY_DEFAULT.sub("", _HOW_MUCH.sub("", question)).strip(" ?")
    found = _ASKS_SETTING.match(question)
    return "" if found is None else found["x"].strip()


def find_rated(state: ResearchState, described: str) -> Subject | None:
    """Return the values of one name, or the option, with most of what is described; None without enough."""
    words = tuple(word for word in list_words(described) if word.lower() not in UNTELLING)
    if len(words) < 2:
        return None
    files = _list_files(state, words)
    asked = _read_asked(state, words)
    values = _rate_values(state, asked, files)
    options = _rate_options(state, asked, files)
    best, worth = max(values.values(), default=0.0), options[0][0] if options else 0.0
    calls = tuple(call for own, call in options[:MOST_OPTIONS] if own >= worth - NEAR / 2)
    if worth >= LEAST_WORTH and (best < LEAST_WORTH or worth > best + NEAR):
        return Subject(described, TakenAs.WORDS, declaring=calls)
    nodes = _choose_values(state, values) if best >= LEAST_WORTH else ()
    if not nodes:
        return None
    also = calls if worth > max(LEAST_WORTH, best - NEAR) else ()
    return Subject(described, TakenAs.DECLARED, nodes, nodes[0].symbol.name, declaring=also)


def _choose_values(state: ResearchState, rated: Mapping[Node, float]) -> tuple[Node, ...]:
    """Return the values of the name that is rated best; none if two are, or if the program counts with it."""
    best = max(rated, key=rated.__getitem__)
    name = _fold(best.symbol.name)
    same = [one for one in rated if _fold(one.symbol.name) == name]
    if any(rated[one] == rated[best] for one in rated if one not in same):
        return ()
    near = [one for one in same if rated[one] >= rated[best] - OTHER]
    near.sort(key=lambda one: (-rated[one], one.symbol.name.startswith("_")))  # stable
    lines = (line for path in {one.path for one in near} for line in state.source.read_lines(path))
    return () if counts_with(best.symbol.name.strip("_"), lines) else tuple(near)


def _read_asked(state: ResearchState, words: Sequence[str]) -> _Asked:
    question = state.request.query
    spelled = {}
    for word in words:
        own = word.lower()
        alike = next((words for words in (_LEAST, _MOST, _OF_AMOUNTS) if own in words), frozenset())
        spelled[word] = (word, *list_short(word), *sorted(alike))
    return _Asked(
        spelled,
        _HOW_MUCH.search(question) is not None,
        _HOW_LONG.search(question) is not None,
        _DEFAULT.search(question) is not None,
    )


def _fold(name: str) -> str:
    return write_snake(name).strip("_")


def _list_files(state: ResearchState, words: Sequence[str]) -> list[str]:
    """Return the best files of the program by the words."""
    rated, _ = rate_words(state, " ".join(words), include_tests=False)
    paths = dict.fromkeys(one.path for one in rated)
    return [path for path in paths if may_answer(path) and state.admits(path)][:MOST_FILES]


def _rate_values(state: ResearchState, asked: _Asked, files: Sequence[str]) -> dict[Node, float]:
    """Return the best values of the program with their worth."""
    first: dict[Node, float] = {}
    for node in _iter_values(state, asked, files):
        if not asked.wants_amount or _is_amount(state, asked, node):
            first[node] = _rate(asked, _read_place(state, node)) + _rate_kind(state, asked, node)
    order = sorted(first, key=lambda node: (-first[node], node.path, node.symbol.start_line))
    written = {path: is_generated(state.source.read_lines(path)) for path in {one.path for one in order}}
    own = [node for node in order if not written[node.path]]
    return {
        node: _rate(asked, _read_place(state, node, list_comment(state, node)))
        + _rate_kind(state, asked, node)
        for node in own[:MOST_COMMENTED]
    }


def _iter_values(state: ResearchState, asked: _Asked, files: Sequence[str]) -> Iterator[Node]:
    """Yield the values of the program that may be meant, each once."""
    text = " ".join(asked.forms)
    found: list[Node] = []
    for kind in ("property", "constant", "variable"):
        found += [node for node, _ in state.graph.search(text, SymbolFilter(kind=kind), MOST_FOUND)[0]]
    types = [
        node
        for node, _ in state.graph.search(" ".join(asked.spelled), SymbolFilter(kind="class"), MOST_TYPES)[0]
    ]
    for path in dict.fromkeys((*files, *(node.path for node in types))):
        found += state.graph.outline(path)
    for node in dict.fromkeys(found):
        is_value = node.symbol.kind in VALUE_KINDS and not is_test_node(node) and not is_deprecated(node)
        if is_value and may_answer(node.path) and state.admits(node.path) and count_lines(node) <= MOST_LINES:
            yield node


def _is_amount(state: ResearchState, asked: _Asked, node: Node) -> bool:
    """Return True for a value that is a number, or is named as an amount; what it has of time, if asked."""
    value, words = _read_value(state, node), split_words(node.symbol.name)
    of_time = [word for word in words if word in _OF_TIME and word not in asked.forms]
    if of_time and not asked.wants_time:
        return False
    if value:
        return not _NO_AMOUNT.match(value) and tells_value(value) and any(map(str.isdigit, value))
    return not (_OF_AMOUNTS | _OF_TIME).isdisjoint(words)


def _read_value(state: ResearchState, node: Node) -> str:
    """Return what a declaration gives a value; "" for nothing, and for what it computes."""
    body = "\n".join(read_body(state, node))
    return "" if _COMPUTED.search(body) else find_value(node.symbol.name, body)


def _read_place(state: ResearchState, node: Node, comment: Sequence[int] = ()) -> _Place:
    lines = state.source.read_lines(node.path)
    told = [lines[at - 1] for at in comment if at <= len(lines)]
    owner = node.qualified_name.rpartition(".")[0]
    return _Place(node.symbol.name, owner, "\n".join((*told, *read_body(state, node))), node.path)


def _rate_kind(state: ResearchState, asked: _Asked, node: Node) -> float:
    """Return what it is worth that a value is a number, a default, or configuration."""
    worth = CONFIGURES if configures(node) else 0.0
    if not asked.wants_amount:
        return worth
    if any(map(str.isdigit, _read_value(state, node))):
        return worth + NUMBER
    return worth or -UNGIVEN


def _rate(asked: _Asked, place: _Place) -> float:
    """Return the share of what is asked for that a place has, less what else its name says."""
    worth = sum(_measure(forms, place) for forms in asked.spelled.values()) / len(asked.spelled)
    others = [
        word
        for word in split_words(place.name)
        if word not in _OF_NAMES
        and not (asked.wants_time and word in _OF_TIME)
        and not shares_word(word, asked.forms)
    ]
    is_default = asked.wants_default and shares_word(place.name, ("default",))
    less = OTHER * len(others) + LONG * count_words(place.name)
    return worth - less + DEFAULT * bool(is_default)


def _measure(forms: Sequence[str], place: _Place) -> float:
    outer, _, owner = place.owner.rpartition(".")
    file = place.path.rpartition("/")[2]
    places = (
        (IN_NAME, place.name), (IN_OWNER, owner), (IN_TEXT, place.text), (IN_OUTER, f"{outer} {file}")
    )  # fmt: skip
    return next((worth for worth, one in places if shares_word(one, forms)), 0.0)


def _rate_options(
    state: ResearchState, asked: _Asked, files: Sequence[str]
) -> list[tuple[float, OptionCall]]:
    """Return the calls that declare options with words of the question, the best first, one of each name."""
    found: dict[str, tuple[float, OptionCall]] = {}
    for name in islice(_iter_option_names(state, asked, files), MOST_CALLS):
        for call in list_declaring(state, name, with_keys=True):
            lines = state.source.read_lines(call.path)
            around = state.source.find_around(call.path, call.line)
            owner = "" if around is None else " ".join(around.qualified_name.split(".")[-2:])
            text = "\n".join(lines[call.first - 1 : call.last])
            worth = _rate(asked, _Place(name, owner, text, call.path)) + CONFIGURES
            # A zero stands for no limit, and tells no amount.
            worth += NUMBER * (asked.wants_amount and any(map(str.isdigit, call.default.strip("0"))))
            if worth > found.get(name, (0.0, call))[0]:
                found[name] = worth, call
    return sorted(found.values(), key=lambda one: -one[0])  # stable


def _iter_option_names(state: ResearchState, asked: _Asked, files: Sequence[str]) -> Iterator[str]:
    """Yield texts of the best files that look like names, each once.

    Those above a line with several words of the question come first: it may tell the user what the option is
    for. The others have a word of the question themselves.
    """
    texts = [state.source.read_lines(path) for path in files]
    told = (name for lines in texts for name in _iter_told_names(lines, asked))
    quoted = (name for lines in texts for line in lines for name in _OPTION_NAME.findall(line))
    yield from dict.fromkeys((*told, *(name for name in quoted if shares_word(name, asked.forms))))


def _iter_told_names(lines: Sequence[str], asked: _Asked) -> Iterator[str]:
    """Yield the quoted names next above each line that has TELLING words of the question in quotes."""
    for at, line in enumerate(lines):
        told = _QUOTED.search(line)
        if told and sum(shares_word(told[0], own) for own in asked.spelled.values()) >= TELLING:
            above = (_OPTION_NAME.findall(one) for one in reversed(lines[max(0, at - NAME_LINES) : at + 1]))
            yield from next(filter(None, above), [])
