"""Order declarations by what they do, and leave out those that say nothing beside others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from repo_mcp.bodies.statements import holds_failure, is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.errors.followed_calls import find_above, find_below
from repo_mcp.research.errors.named_errors import find_denied_makers, find_makers
from repo_mcp.research.errors.raising_lines import fails
from repo_mcp.research.findings.handed_on import Place
from repo_mcp.research.findings.locating import is_unread, may_answer
from repo_mcp.research.findings.named_symbols import computes, list_statements
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, search_words
from repo_mcp.research.question.error_types import is_error_name
from repo_mcp.research.seeds.rated_seeds import NEAR
from repo_mcp.research.seeds.seed import Seed, build_seed, lead, take_seeds
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.generated import FIRST_LINES, is_generated
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word

BEST = 3  # declarations that are shown whatever they do, before those that do something
MOST_BELOW = 3  # functions shown that fail below the best declaration
MOST_MAKING = 8  # functions shown that make an error which is named
GUARD_LINES = 3  # of a guard: its condition, a bracket, and what it raises
ACCESSOR_STATEMENTS = 2  # of a property that only gives a field: its head, and what it returns
BEST_PLAIN = 8  # declarations, among which lines of a source without any may lead
LEAST_SHARED = 2  # words of the question in the name of a function that leads because of the error it makes
BEST_BY_VERB = 8  # declarations, of which one may lead by its name
# "how does the link reconnect after": the last word before what the sentence adds is the verb.
_VERB = re.compile(
    r"\bhow (?:does|do|can|will) (?:[\w.-]+ ){1,6}?([A-Za-z]{4,})"
    r"(?= (?:after|when|once|if|while|until|before|upon)\b|\s*\?)",
    re.IGNORECASE,
)
_ASKS_EVENT = re.compile(r"\W*what happens\b", re.IGNORECASE)
_VALUES = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE})
_LOGS = re.compile(r"_*(?:log|trace|debug|warn)(?:_|[A-Z]|$)")
_FUNCTION = re.compile(r"=>|\b(?:lambda|function|func|fn|delegate)\b")
# What does nothing by itself, however many words of the question it has.
_QUIET = frozenset(
    {
        SymbolKind.ENUM,
        SymbolKind.ENUM_MEMBER,
        SymbolKind.INTERFACE,
        SymbolKind.MODULE,
        SymbolKind.PROPERTY,
        SymbolKind.STRUCT,
        SymbolKind.TRAIT,
        SymbolKind.TYPE,
    }
)


def drop_prototypes(seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds without prototypes of functions whose definitions are among them."""
    whole = {one.name for one in seeds if one.node and not one.node.symbol.flags & SymbolFlag.FORWARD}
    return [
        one
        for one in seeds
        if not (one.node and one.node.symbol.flags & SymbolFlag.FORWARD and one.name in whole)
    ]


def keep_near(seeds: Sequence[Seed], first: Sequence[Node]) -> list[Seed]:
    """Return the seeds with a name in the folders of some symbols, except modules, which hold too much."""
    folders = tuple({node.folder for node in first})
    near = (seed for seed in seeds if seed.name and _lies_in(seed.path, folders))
    return [seed for seed in near if seed.node is None or seed.node.symbol.kind is not SymbolKind.MODULE]


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(not folder or path.startswith(f"{folder}/") for folder in folders)


def put_named_by_verb(seeds: Sequence[Seed], query: str) -> list[Seed]:
    """Return the seeds; a good function leads if its name is the verb of "how does a link reconnect?"."""
    asked = _VERB.search(query)
    if asked is None or not seeds:
        return [*seeds]
    verb = asked[1].lower()
    named = (
        seed
        for seed in seeds[:BEST_BY_VERB]
        if seed.name.strip("_").lower() == verb
        and seed.worth >= NEAR * seeds[0].worth
        and (seed.node is None or seed.node.symbol.kind in CALLABLE_KINDS)
    )
    return lead(seeds, next(named, seeds[0]))


def put_makers_first(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; a function leads that makes an error named or guessed, and is named by the question.

    Such an error is often what happens: "what happens when a run exceeds its timeout? (RunTimeout)".
    """
    if not seeds or _ASKS_EVENT.match(state.request.query) is None:
        return [*seeds]
    words = list_words(state.request.query)
    known = {seed.node: seed for seed in seeds}
    leading = [
        replace(known.get(node) or build_seed(state, node, 0.0), worth=seeds[0].worth)
        for node in find_makers(state)
        if shares_word(node.symbol.name, words) >= LEAST_SHARED
    ][:1]
    if not leading:
        return [*seeds]
    return [*leading, *(seed for seed in seeds if seed.node != leading[0].node)]


def put_denying(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; what makes an error that the question describes by a negation comes behind the best.

    Where it is asked what happens "when a parcel isn't labelled", that is what happens, and leads:
    `raise NotLabelled(parcel)`. It must have a word of the question in its full name.
    """
    making = find_denied_makers(state) if seeds else {}
    if not making:
        return [*seeds]
    made = [replace(one, worth=seeds[0].worth) for one in take_seeds(state, seeds, making)]
    rest = [seed for seed in seeds if seed.node not in making]
    words = list_words(state.request.query)
    is_event = _ASKS_EVENT.match(state.request.query) is not None
    if seeds[0].node in making or (is_event and any(shares_word(one.full_name, words) for one in made)):
        made.sort(key=lambda one: (one.node != seeds[0].node, -shares_word(one.full_name, words)))  # stable
        return [*made, *rest]
    return [*rest[:1], *made, *rest[1:]]


def put_failing(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; functions that make a named error, or fail below the best one, come right behind it.

    A function that neither fails nor calls one that does leaves the lead to one of the next that does.
    """
    best = seeds[0].node if seeds else None
    if best is None:
        return [*seeds]
    if making := find_makers(state):
        return _put_making(state, seeds, making)
    if best.symbol.kind not in CALLABLE_KINDS:
        return [*seeds]
    below = dict(islice(find_below(state, [best], MOST_BELOW).items(), MOST_BELOW))
    if not below and not fails(state, best):
        failing_one = next((one for one in seeds[1:BEST] if one.node and fails(state, one.node)), None)
        return lead(seeds, failing_one or seeds[0])
    failing = take_seeds(state, seeds, below)
    return [seeds[0], *failing, *(seed for seed in seeds[1:] if seed.node not in below)]


def _put_making(state: ResearchState, seeds: Sequence[Seed], making: Mapping[Node, Reason]) -> list[Seed]:
    """Return the seeds; functions that make an error lead, those with most words in their names first.

    Words of the question count before those of guesses: a long name has many of the latter. Another function
    that is the best stays before them if it fails or leads to one of them, unless it only tests such errors,
    or is itself what an error is made with. Of errors that are values, what makes most of them comes first.
    """
    best = seeds[0]
    words, guessed = list_words(state.request.query), list_words(" ".join(state.request.guesses))
    is_first = best.node is not None and best.node.symbol.kind in CALLABLE_KINDS
    is_first = is_first and (best.node not in making or best.reason.role is Role.NAMED_SO)
    is_first = is_first and best.node not in state.failures.testing and not is_error_name(best.name)
    if is_first and best.node is not None:
        is_first = fails(state, best.node) or best.node in find_above(state, [*making])
    made = take_seeds(
        state, seeds, {node: making[node] for node in making if not is_first or node != best.node}
    )
    places = state.failures.values.values()
    made.sort(
        key=lambda seed: (
            -sum(any(_holds(seed, one) for one in own) for own in places),
            -shares_word(seed.name, words),
            -shares_word(seed.name, guessed),
            -shares_word(seed.full_name, words),
            -seed.worth,
        )
    )
    firsts = {seed.reason: seed.node for seed in reversed(made)}
    if not state.failures.values:  # of each error that is named, the best one that makes it
        made.sort(key=lambda seed: firsts[seed.reason] != seed.node)  # stable
    leading = [*([best] if is_first else []), *made]
    around = _list_around(state, leading[0], leading[1:])
    leading = [seed for seed in leading if seed.node not in around][: MOST_MAKING + is_first]
    shown = {seed.node for seed in leading}
    others = (replace(seed, worth=0.0) if seed.node in around else seed for seed in seeds)
    return [*leading, *(seed for seed in others if seed.node not in shown)]


def _list_around(state: ResearchState, first: Seed, others: Sequence[Seed]) -> set[Node | None]:
    """Return the symbols of those seeds that only call the first one: their own errors arise beside it.

    What is guessed by its name is asked for itself, and what makes the same error may wrap others in it.
    """
    guessed = list_own_names(state.request.guesses)
    found = {seed.node for seed in others if seed.name not in guessed and seed.reason != first.reason}
    return found & {*find_above(state, [first.node] if found and first.node is not None else [])}


def _holds(seed: Seed, place: Place) -> bool:
    return seed.path == place[0] and seed.body.head_line <= place[1] <= seed.body.end_line


def put_sources_first(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; lines of a source without declarations, such as a grammar, lead if a search says so.

    Such lines have no names, so they are rated low. What a program wrote comes behind what it was made from.
    """
    plain = next(
        (seed for seed in seeds[:BEST_PLAIN] if is_unread(seed.path) and may_answer(seed.path)), None
    )
    if plain is None or plain is seeds[0]:
        return [*seeds]
    words = state.request.full_text
    if any(hit.path == plain.path for hit in search_words(state, words, 1)):
        return lead(seeds, plain)
    made = [seed for seed in seeds if _is_made_of(state, seed, plain)]
    at = min(map(seeds.index, made), default=seeds.index(plain))
    rest = [seed for seed in seeds if seed is not plain]
    return [*rest[:at], plain, *rest[at:]]


def _is_made_of(state: ResearchState, seed: Seed, source: Seed) -> bool:
    """Return True for a file that a program wrote, which has the name of its source at its top."""
    top = state.source.read_lines(seed.path)[:FIRST_LINES]
    name = source.path.rpartition("/")[2]
    return seed.path != source.path and is_generated(top) and any(name in line for line in top)


def _is_quiet(state: ResearchState, seed: Seed) -> bool:
    """Return True for a declaration that does nothing: a type, a value or a function without code of its own.

    So is a single line, a constructor that only sets fields, and what only logs. A table of functions does
    what these do.
    """
    node = seed.node
    if node is None:
        return False
    if node.symbol.flags & SymbolFlag.FORWARD or state.graph.is_abstract(node):
        return True
    kind = node.symbol.kind
    if kind is SymbolKind.PROPERTY and computes(node):
        return len(list_statements(state, node)) <= ACCESSOR_STATEMENTS
    lines = seed.body.lines[seed.body.start_line - 1 : seed.body.end_line]
    if kind is SymbolKind.CONSTRUCTOR:
        return not any(_decides(lines[at:]) for at in range(len(lines)))
    if kind in _VALUES and any(map(_FUNCTION.search, lines)):
        return False
    is_single = node.symbol.end_line == node.symbol.start_line
    return is_single or kind in _QUIET | _VALUES or _LOGS.match(node.symbol.name) is not None


def _decides(lines: Sequence[str]) -> bool:
    """Return True if the first line begins a branch or a loop that is no guard: that does not only raise."""
    return is_branch(lines[0]) and not any(map(holds_failure, lines[:GUARD_LINES]))


def put_quiet_last(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; among the BEST ones and among the others, those come last that do nothing.

    If all of the BEST do nothing, the next one that does something leads.
    """
    quiet = [_is_quiet(state, seed) for seed in seeds]
    best = BEST if not all(quiet[:BEST]) else next((at for at, one in enumerate(quiet) if not one), 0) + 1
    order = [*sorted(range(len(seeds))[:best], key=quiet.__getitem__)]
    order += sorted(range(len(seeds))[best:], key=quiet.__getitem__)  # stable
    return [seeds[at] for at in order]
