"""Find the declarations that a question in words is most about, each with its deciding lines.

    question -> its own words -> declarations rated by words, names and calls (repo_mcp/bundler)
        -> as many as fit, the best with more of their lines

Words that only form the question ("how", "add", "happens") are not searched for. Tests are left out unless
they are asked for. Sections of documents are found separately (repo_mcp/research/sections.py). Declarations
that a question names indirectly come first (repo_mcp/research/indirect_names.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from repo_mcp.bundler.rating import (
    NOT_RUN,
    RUN,
    RatedBlock,
    find_declared,
    weigh_extension,
    weigh_failures,
    weigh_work,
)
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.bundler.statements import (
    Body,
    choose_lines,
    holds_failure,
    is_side_file,
    measure,
    only_imports,
)
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.questions import CALLS
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.claims import DERIVE, LISTS, MODEL, MOST_DERIVE, NAMED_SO, REGISTERS
from repo_mcp.research.indirect_names import (
    GLANCE,
    find_actions,
    find_base,
    find_inner_base,
    find_listing,
    find_model,
    find_registering,
    is_left_open,
    list_derived,
    may_answer,
)
from repo_mcp.research.locating import find_innermost, is_test_place, is_test_symbol
from repo_mcp.research.records import Finding
from repo_mcp.research.research_state import ResearchState
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolFlag
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.base_forms import find_base_form
from repo_mcp.text.everyday_words import list_stand_ins
from repo_mcp.text.question_words import (
    find_action,
    find_described_action,
    find_idioms,
    list_base_forms,
    list_words,
    lower_plain_names,
    shares_word,
)
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import QUESTION_WORDS

MAX_RATED = 60  # declarations
MAX_WORDS = 32  # of a question
NO_WORD = "The question has no word to search for."
LEAST_SHARE = 0.04  # of the worth of the best declaration; those worth less are left out
ROOM = 7_700  # characters of excerpts and of the fields beside them
FINDING_CHARS = 200  # beside the excerpt of a finding
ROOM_OF_ASKED = 300  # characters for each finding that is asked for, where that is more than ROOM
# Maximum characters of the best declaration, of the next and so on; all others get the last value.
SHARES = (1_800, 1_500, 1_200, 1_000, 800, 600)
AGAIN, AGAIN_ROOM = 0.7, 330  # worth and characters of a declaration with the name of a better one
LEAST_ROOM = 160  # with fewer characters left, only the heads of declarations are shown
# For a question about the errors of a function: the first declarations, and the least characters of each.
FAILING_FIRST, FAILING_ROOM = 3, 3_200
SPARE = 250  # characters more for the best statement, so that a long condition is shown
MOST_SEEDS = 24
FEW_SEEDS = 3  # shown if no file has most of the question's words
# Words with at most TELLING of the heaviest weight are never reported as lacking. Nothing is reported if the
# lacking words are fewer than half and weigh less than LACKING of all.
TELLING, LACKING = 0.15, 0.4
MATCHING = ", which matches the prompt"  # the bundler says so of a step; here it is true of everything shown
LEADING_NAMES = 60  # names of the best declarations; lines that call one of these are preferred
LEFT_OPEN = 1.8  # factor of the worth of a type that others implement, for a question on how to extend
USER_SHARE = 0.4  # of a declaration's worth, for its callers
USED = 4  # best declarations whose callers are looked for
MANY_USERS = 8  # a declaration with more callers says little about each
NAMED_WORDS = 4  # of the question, in the reason for a finding
MAX_WORD_CHARS = 60  # of each
OVERLOAD_LINES = 12  # bodies at least so long are shown beside others of the same name
_ABOUT_TESTS = frozenset({"test", "tests", "tested", "testing"})
# A question to a program that runs tests, which does not ask for tests: "what happens when a test fails".
_ONE_TEST = re.compile(
    r"\b(?:an?|each|every|another|one|failing|slow|single) test\b(?! (?:for|of)\b)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_OF_FAILURE = re.compile(r"fail(?:s|ed|ing|ures?)?|errors?", re.IGNORECASE)  # words for a line that raises
# A member that others implement: abstract, of an interface or a trait, or one that only raises.
_UNFILLED = re.compile(
    r"\babstract\b|\bNotImplementedError\b"
    r"|^\s*(?!return|await|throw|yield|new|delete|else|case|go|defer)(?:[\w.<>\[\]?*&]+\s+)+\w+(?:<[^<>]*>)?"
    r"\([^;{}]*\)[^;{}=]*;\s*$"
    r"|^\s*\w+\??\([^;{}]*\)\s*:\s*[^;{}=]+;?\s*$"
)


class PreferredKind(StrEnum):
    """The kind of declaration that an open question prefers."""

    NOTHING = "nothing"
    FAILURES = "failures"  # where errors are raised
    EXTENSION = "extension"  # what is registered, and what others implement


@dataclass(frozen=True, slots=True)
class Seed:
    """One declaration that matches the words of a question."""

    path: str
    body: Body
    name: str  # of the declaration; "" for lines outside all declarations
    node: Node | None
    worth: float
    why: str


def choose_words(state: ResearchState, text: str) -> list[str]:
    """Return at most MAX_WORDS words of a question that say what it is about."""
    words = list_words(text)
    if len(words) > MAX_WORDS:
        state.limit(
            f"{len(words) - MAX_WORDS} words of the question", f"the first {MAX_WORDS} are looked for"
        )
    return words[:MAX_WORDS]


def find_seeds(
    state: ResearchState,
    text: str,
    preferred: PreferredKind = PreferredKind.NOTHING,
    first: Sequence[Node] = (),
    whys: Mapping[Node, str] = MappingProxyType({}),
    *,
    only_near: bool = False,
) -> list[Node]:
    """Note the declarations that a question is most about, best first, and return their symbols.

    The symbols in `first` come before declarations that only match the question's words. `whys` has the
    reasons for those in `first` that the question does not name itself. With `only_near`, other declarations
    must have a name and lie in the folder of one of `first`: elsewhere the words mean something else.
    """
    words = choose_words(state, text)
    if not any(re.search(r"\w", word) for word in words):
        state.warnings.append(NO_WORD)
        return []
    idioms = _list_idioms(state, text)
    plain = [word for own in idioms.values() for word in own]
    plain += [word for word in list_base_forms(words) if not state.source.is_absent(word)]
    state.absent, told, state.lacks_most = state.source.find_absent(" ".join(words))
    state.warnings += told
    asks_tests = _ONE_TEST.sub(" ", state.request.query)
    wants_tests = not _ABOUT_TESTS.isdisjoint(word.lower() for word in _WORD.findall(asks_tests))
    prompt = lower_plain_names(" ".join((*words, *plain)))
    request = BundleRequest(prompt, include_tests=wants_tests)
    rated, weights = state.source.rate(request, state.request.folder, MAX_RATED)
    state.weights = weights
    said = " ".join(idioms).split()
    state.absent = [word for word in state.absent if word not in said]  # other words stand in for it
    telling = {word: weight for word, weight in _weigh_words(words, weights).items() if word not in said}
    state.check()
    seeds = [build_seed(state, node, 1.0) for node in first]
    seeds = [replace(seed, why=whys.get(seed.node, seed.why) if seed.node else seed.why) for seed in seeds]
    seeds += [seed for seed in _find_named(state, preferred) if seed.node not in first]
    named = {seed.node.declaration for seed in seeds if seed.node is not None}
    found = _choose(state, rated, preferred, wants_tests, weights)
    if only_near and first:
        folders = tuple({node.path.rpartition("/")[0] for node in first})
        found = [seed for seed in found if seed.name and _lies_in(seed.path, folders)]
    asked = find_action(state.request.query)
    if asked is not None and any(seed.why.startswith(DERIVE) for seed in seeds):
        found = [seed for seed in found if _holds_noun(seed, asked.nouns[-1])]  # what lacks it is noise
    seeds += [seed for seed in found if seed.node is None or seed.node.declaration not in named]
    seeds = _drop_prototypes(seeds)
    if state.lacks_most:
        seeds = seeds[:FEW_SEEDS]
    if seeds:
        state.absent = [word for word in state.absent if not _says_otherwise(seeds[0], word)]
        state.lacking = _list_lacking(seeds[0], telling)
    _note(
        state, seeds, weights, preferred, FAILING_ROOM if preferred is PreferredKind.FAILURES and first else 0
    )
    state.report_progress(0.5, f"{len(seeds)} declarations match the words")
    return list(dict.fromkeys(seed.node for seed in seeds if seed.node is not None))


def _drop_prototypes(seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds without prototypes of functions whose definitions are among them."""
    whole = {one.name for one in seeds if one.node and not one.node.symbol.flags & SymbolFlag.FORWARD}
    return [
        one
        for one in seeds
        if not (one.node and one.node.symbol.flags & SymbolFlag.FORWARD and one.name in whole)
    ]


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(not folder or path.startswith(f"{folder}/") for folder in folders)


def _holds_noun(seed: Seed, noun: str) -> bool:
    """Return True for a declaration whose lines or name have a noun."""
    held = {term for terms in seed.body.terms.values() for term in terms}
    return not held.isdisjoint(get_word_terms(noun)) or bool(shares_word(seed.name, (noun,)))


def _list_idioms(state: ResearchState, text: str) -> dict[str, list[str]]:
    """Return the phrases for which other words are searched, each with those of the words that files have.

    Add a warning for each.
    """
    found = {
        said: [word for word in plain if not state.source.is_absent(word)]
        for said, plain in find_idioms(text).items()
    }
    found = {said: plain for said, plain in found.items() if plain}
    state.warnings += [
        f'"{said}" is also looked for as {" and ".join(plain)}.' for said, plain in found.items()
    ]
    return found


def _weigh_words(words: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of the words that tell something: more than TELLING of the heaviest weight."""
    weighed = {
        word: max((weights.get(term, 0.0) for term in get_word_terms(word)), default=0.0) for word in words
    }
    least = TELLING * max(weighed.values(), default=0.0)
    return {word: weight for word, weight in weighed.items() if weight > least}


def _list_lacking(seed: Seed, telling: Mapping[str, float]) -> list[str]:
    """Return the words that neither the path nor the lines of a declaration have in any form.

    Return none if these are fewer than half of the words and weigh less than LACKING of all.
    """
    lines = seed.body.lines[seed.body.start_line - 1 : seed.body.end_line]
    text = "\n".join((seed.path, *lines))
    held = {term for terms in seed.body.terms.values() for term in terms}
    lacking = [
        word
        for word in telling
        if word.lower() not in QUESTION_WORDS
        and held.isdisjoint(get_word_terms(word))
        and not shares_word(text, (re.split(r"\W+", word)[-1], find_base_form(word) or word))
        and not (_OF_FAILURE.fullmatch(word) and any(map(holds_failure, lines)))
    ]
    is_light = sum(telling[word] for word in lacking) < LACKING * sum(telling.values())
    return [] if is_light and 2 * len(lacking) < len(telling) else lacking


def _says_otherwise(seed: Seed, word: str) -> bool:
    """Return True for a declaration whose lines have a word of much the same meaning: `exit` for "quit"."""
    held = {term for terms in seed.body.terms.values() for term in terms}
    return any(not held.isdisjoint(list_stand_ins(term)) for term in get_word_terms(word))


def _choose(
    state: ResearchState,
    rated: Sequence[RatedBlock],
    preferred: PreferredKind,
    wants_tests: bool,
    weights: Mapping[str, float],
) -> list[Seed]:
    """Return the declarations worth showing, best first.

    Of several with one name, such as implementations of a method, each further one is worth less.
    """
    seeds = []
    for one in _drop_side_files([one for one in rated if state.admits(one.path)]):
        if find_role(one.path) is FileRole.DOCS:
            continue
        node = find_node(state, one)
        if not wants_tests and (is_test_place(one.path) or (node is not None and is_test_symbol(node))):
            continue
        name = one.block.span.name if one.block.span is not None else ""
        if not name and only_imports(build_body(one)):
            continue
        worth = one.worth * _weigh(state, one, node, preferred)
        seeds.append(
            Seed(
                one.path,
                build_body(one),
                name,
                node,
                worth,
                one.told.replace(MATCHING, "") or _describe_words(one, weights),
            )
        )
    seeds.sort(key=lambda seed: -seed.worth)  # stable
    seeds = _add_users(state, seeds) if preferred is not PreferredKind.EXTENSION else seeds
    seeds.sort(key=lambda seed: -seed.worth)
    met: Counter[str] = Counter()
    overloads: Counter[tuple[str, str]] = Counter()
    for position, seed in enumerate(seeds):
        own = seed.path, "" if seed.node is None or not seed.name else seed.node.qualified_name
        if seed.body.line_count < OVERLOAD_LINES or overloads[own] > 1:
            seeds[position] = replace(seed, worth=seed.worth * AGAIN ** met[seed.name])
        met[seed.name] += bool(seed.name)
        overloads[own] += bool(own[1])
    seeds.sort(key=lambda seed: -seed.worth)
    least = LEAST_SHARE * max((seed.worth for seed in seeds), default=0.0)
    return [seed for seed in seeds if seed.worth >= least][:MOST_SEEDS]


def _find_named(state: ResearchState, preferred: PreferredKind) -> list[Seed]:
    """Return the declarations that the question names indirectly.

    These are the functions named after its action, then the base type of what is to be added.
    """
    asked = find_action(state.request.query)
    action = asked or find_described_action(state.request.query)
    if action is None:
        return []
    seeds = [
        replace(build_seed(state, node, 1.0), why=NAMED_SO)
        for node in ([] if action.is_kind else find_actions(state, action, is_described=asked is None))
    ]
    base = find_base(state, action) if preferred is PreferredKind.EXTENSION and asked is not None else None
    known = {seed.node for seed in seeds}
    kin = [] if base is None else _list_kin(state, base, action.nouns[-1])
    return [
        *seeds,
        *(replace(build_seed(state, node, 1.0), why=why) for node, why in kin if node not in known),
    ]


def _list_kin(state: ResearchState, base: Node, noun: str) -> list[tuple[Node, str]]:
    """Return the declarations that show how to add one of a kind, each with the reason why it is shown.

    These are the base type, what registers one of the kind, where its types are listed, and one to copy.
    """
    kin = [(base, f"{DERIVE}, as a new {noun} would")]
    inner = find_inner_base(state, base)
    if inner is not None:
        kin.insert(0, (inner, f"{MOST_DERIVE}, as a new {noun} would"))
    own = base if inner is None else inner
    listing, model = find_listing(state, own), find_model(state, own)
    taking = find_registering(state, base)
    if taking is not None:
        kin.append((taking, f"{REGISTERS}, and by its name registers it"))
    if listing is not None:
        kin.append((listing[0], f"{LISTS} {listing[1]} of the kind, as it would a new {noun}"))
    if model is not None:
        kin.append((model, f"{MODEL}, to be copied for a new {noun}"))
    return kin


def _drop_side_files(rated: Sequence[RatedBlock]) -> list[RatedBlock]:
    """Return the declarations outside examples and benchmarks, or all if the best one is in such a file."""
    if rated and is_side_file(rated[0].path):
        return list(rated)
    return [one for one in rated if not is_side_file(one.path)]


def _add_users(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds and the callers of the best ones; a caller gets a share of the worth of its callee."""
    given: dict[Declaration, tuple[float, str]] = {}
    for seed in seeds[:USED]:
        if seed.node is None:
            continue
        state.check()
        found = state.graph.find_incoming(seed.node, CALLS, GLANCE).edges
        users = {edge.other for edge in found if edge.confidence is not Confidence.POSSIBLE}
        own = [user for user in users if user.ordinal and may_answer(user.path) and state.admits(user.path)]
        for user in sorted(own, key=lambda user: (user.path, user.ordinal)) if len(own) <= MANY_USERS else ():
            worth = USER_SHARE * seed.worth / max(1, len(own))
            if worth > given.get(user, (0.0,))[0]:
                given[user] = worth, f"calls {seed.name}"
    joined = []
    for seed in seeds:
        worth, _ = given.pop(seed.node.declaration, (0.0, "")) if seed.node is not None else (0.0, "")
        joined.append(replace(seed, worth=seed.worth + worth))
    nodes = [(state.get_node(user), worth, why) for user, (worth, why) in given.items()]
    fresh = [(node, worth, why) for node, worth, why in nodes if not is_test_symbol(node)]
    return [*joined, *(replace(build_seed(state, node, worth), why=why) for node, worth, why in fresh)]


def _weigh(state: ResearchState, one: RatedBlock, node: Node | None, preferred: PreferredKind) -> float:
    """Return the factor of a declaration's worth that follows from its kind, its body and the question."""
    kind = None if node is None else node.symbol.kind
    if preferred is PreferredKind.EXTENSION:
        is_open = node is not None and _is_left_open(state, node)
        return max(weigh_extension(one), LEFT_OPEN if is_open else 1.0)
    factor = weigh_work(one) if kind in RUN else NOT_RUN
    if preferred is PreferredKind.FAILURES:
        return factor * weigh_failures(one)
    return factor


def _is_left_open(state: ResearchState, node: Node) -> bool:
    """Return True for a type that others implement: an interface, an abstract class, a base."""
    if node.symbol.kind not in TYPE_KINDS:
        return False
    return is_left_open(node) or bool(list_derived(state, node))


def build_seed(state: ResearchState, node: Node, worth: float) -> Seed:
    """Return a symbol as a seed without terms, so that its lines are chosen only by what they do."""
    lines = state.source.read_lines(node.path)
    start, end = node.symbol.start_line, min(node.symbol.end_line, len(lines))
    body = Body(lines, start, end, min(start, end), {}, state.source.read_comment_lines(node.path))
    return Seed(node.path, body, node.symbol.name, node, worth, f'what "{node.symbol.name}" refers to')


def find_node(state: ResearchState, one: RatedBlock) -> Node | None:
    """Return the symbol that a block declares, or the innermost one around it; None if there is none."""
    record = state.graph.scan.find_record(one.path)
    if record is None:
        return None
    ordinal = find_declared(one, record) or find_innermost(record, one.block.start_line)
    return state.get_node(Declaration(one.path, ordinal)) if ordinal else None


def show_body(
    state: ResearchState, node: Node, room: int, terms: Mapping[int, tuple[str, ...]] = MappingProxyType({})
) -> tuple[int, ...]:
    """Return the numbers of the lines of a symbol to show, which have at most about `room` characters.

    `terms` has the terms of each line that counts for more; all terms weigh the same.
    """
    body = replace(build_seed(state, node, 0.0).body, terms=terms)
    return tuple(choose_lines(body, {term: 1.0 for own in terms.values() for term in own}, room))


def _note(
    state: ResearchState,
    seeds: Sequence[Seed],
    weights: dict[str, float],
    preferred: PreferredKind,
    least_share: int = 0,
) -> None:
    """Note declarations as findings while there is room, the best with more of their lines.

    The first ones get at least `least_share` characters.
    """
    left = max(ROOM, ROOM_OF_ASKED * state.request.findings)
    leads = match_calls([seed.name for seed in seeds])
    met: set[str] = set()
    for ordinal, seed in enumerate(seeds):
        share = max(SHARES[min(ordinal, len(SHARES) - 1)], least_share if ordinal < FAILING_FIRST else 0)
        again = max(AGAIN_ROOM, share // 2) if seed.body.line_count >= OVERLOAD_LINES else AGAIN_ROOM
        room = min(again if seed.name in met else share, left - FINDING_CHARS)
        if room < LEAST_ROOM:
            for other in seeds[ordinal:]:
                _note_seed(state, other, (other.body.head_line,))
            return
        met |= {seed.name} - {""}
        wanted = _match_wanted(preferred, leads, seed.body)
        shown = choose_lines(seed.body, weights, room, wanted, keeps_comments=not ordinal, spare=SPARE)
        left -= measure(seed.body.lines, shown) + FINDING_CHARS
        _note_seed(state, seed, tuple(shown))


def match_calls(names: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that tells whether a line calls one of some names."""
    called = [re.escape(name) for name in dict.fromkeys(names[:LEADING_NAMES]) if len(name) > 2]
    if not called:
        return lambda _line: False
    pattern = re.compile(rf"(?<![\w$])(?:{'|'.join(called)})\s*[(<!]")
    return lambda line: pattern.search(line) is not None


def _match_wanted(
    preferred: PreferredKind, leads: Callable[[str], bool], body: Body
) -> Callable[[str], bool]:
    """Return a function that tells whether a line calls another seed, or does what the question asks for.

    Of a type with members that others implement, these alone are wanted where it is asked what to add.
    """
    if preferred is PreferredKind.FAILURES:
        return lambda line: holds_failure(line) or leads(line)
    if preferred is PreferredKind.EXTENSION and any(
        map(_UNFILLED.search, body.lines[body.head_line : body.end_line])
    ):
        return lambda line: _UNFILLED.search(line) is not None
    return leads


def build_body(one: RatedBlock) -> Body:
    """Return the lines of a rated block as a body to choose from, without the comment above it."""
    span = one.block.span
    head = one.block.start_line if span is None else max(one.block.start_line, span.head_line)
    return Body(
        one.view.live.lines,
        one.block.start_line,
        one.block.end_line,
        head,
        one.term_lines,
        one.view.layout.comment_lines,
    )


def _note_seed(state: ResearchState, seed: Seed, shown: tuple[int, ...]) -> None:
    if seed.node is not None and state.add(seed.node, seed.why, 0, Confidence.PROBABLE, shown=shown):
        return
    body = seed.body
    around = (seed.name or seed.path) if seed.node is None else seed.node.qualified_name
    start, end = body.start_line, body.end_line
    state.add_place(Finding(seed.path, start, end, around, "text", None, seed.why, 0, "text", shown=shown))


def _describe_words(one: RatedBlock, weights: Mapping[str, float]) -> str:
    """Return a reason that names the first words of a block with terms of the question, as they are written.

    Terms without weight are only akin to those of the question, and do not count.
    """
    words: dict[str, str] = {}
    for line, terms in one.term_lines.items():
        for word in _WORD.findall(one.view.live.lines[line - 1]):
            own = {term for term in terms if weights.get(term)}
            if len(word) <= MAX_WORD_CHARS and not own.isdisjoint(get_word_terms(word)):
                words.setdefault(word.lower(), word)
        if len(words) >= NAMED_WORDS:
            break
    return f"has words like {', '.join([*words.values()][:NAMED_WORDS])}" if words else "fits the question"
