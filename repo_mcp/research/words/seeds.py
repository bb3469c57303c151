"""Find the declarations that a question in words is most about, each with its deciding lines.

    question -> its own words -> declarations rated by words, names and calls (repo_mcp/bundler)
        -> as many as fit, the best with more of their lines

Words that only form the question ("how", "add", "happens") are not searched for. Tests are left out unless
they are asked for. Sections of documents are found separately (sections.py). Declarations that a question
names indirectly come first (indirect_names.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from repo_mcp.bundler.records import BundleRequest
from repo_mcp.bundler.statements import Body, choose_lines, measure, trim_margin
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.reasons import (
    BELONG,
    DERIVE,
    HAS_ROWS,
    LISTS,
    MODEL,
    MOST_DERIVE,
    NAMED_SO,
    REGISTERS,
    TAKES,
)
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.elsewhere import find_elsewhere
from repo_mcp.research.words.errors_made import holds_error
from repo_mcp.research.words.failing import find_below
from repo_mcp.research.words.indirect_names import (
    LEAST_LISTED,
    VALUES,
    find_actions,
    find_base,
    find_inner_base,
    find_listing,
    find_model,
    find_registering,
    find_tables,
    find_taking,
    find_telling_noun,
    is_compound,
    is_enumeration,
)
from repo_mcp.research.words.lacking_words import (
    list_idioms,
    list_lacking,
    list_said,
    list_unsaid,
    name_phrases,
    says_otherwise,
    weigh_words,
)
from repo_mcp.research.words.rated_seeds import OVERLOAD_LINES, PreferredKind, Seed, build_seed, choose_seeds
from repo_mcp.research.words.rivals import find_rivals
from repo_mcp.research.words.written_kinds import find_written_kind
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import (
    find_action,
    find_described_action,
    list_base_forms,
    list_words,
    lower_plain_names,
    names_kind,
    shares_word,
)

MAX_RATED = 60  # declarations
MAX_WORDS = 32  # of a question
NO_WORD = "The question has no word to search for."
ROOM = 7_700  # characters of excerpts and of the fields beside them
FINDING_CHARS = 200  # beside the excerpt of a finding
ROOM_OF_ASKED = 300  # characters for each finding that is asked for, where that is more than ROOM
# Maximum characters of the best declaration, of the next and so on; all others get the last value.
SHARES = (1_800, 1_500, 1_200, 1_000, 800, 600)
AGAIN_ROOM = 330  # characters of a declaration with the name of a better one
NAME_LINES = 6  # at the head of a declaration, one of which has its name
LEAST_ROOM = 160  # with fewer characters left, only the heads of declarations are shown
# For a question about the errors of a function: the first declarations, and the least characters of each.
FAILING_FIRST, FAILING_ROOM = 3, 3_200
LEADING, NEAR_BEST = 6, 0.4  # declarations that may lead, and their least share of the worth of the best
BEST = 3  # declarations that are shown whatever they do, before those that do something
ELSEWHERE = 2  # declarations before one with a word that the best lacks
MOST_BELOW = 3  # functions shown that fail below the best declaration
MEMBERS_ROOM = 600  # characters of an enumeration to which a member is to be added
SPARE = 250  # characters more for the best statement, so that a long condition is shown
FEW_SEEDS = 3  # shown if no file has most of the question's words
MOST_TABLES = 8  # best declarations among which a table of what is to be added is looked for
ROWS_SHARE = 0.25  # of the lines of such a table, those that have the noun
LEADING_NAMES = 60  # names of the best declarations; lines that call one of these are preferred
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
_BEGINS_TEXT = re.compile(r"=\s*+\(?\s*+\w{0,2}(?:\"{3}|'{3}|`|@\")")  # of several lines
_DEED = re.compile(r"\W*(?:how (?!many|much|often)|what happens)", re.IGNORECASE)
_ABOUT_TESTS = frozenset({"test", "tests", "tested", "testing"})
# A question to a program that runs tests, which does not ask for tests: "what happens when a test fails".
_ONE_TEST = re.compile(
    r"\b(?:an?|each|every|another|one|failing|slow|single) test\b(?! (?:for|of)\b)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
# A member that others implement: abstract, of an interface or a trait, or one that only raises.
_UNFILLED = re.compile(
    r"\babstract\b|\bNotImplementedError\b"
    r"|^\s*(?!return|await|throw|yield|new|delete|else|case|go|defer)(?:[\w.<>\[\]?*&]+\s+)+\w+(?:<[^<>]*>)?"
    r"\([^;{}]*\)[^;{}=]*;\s*$"
    r"|^\s*\w+\??\([^;{}]*\)\s*:\s*[^;{}=]+;?\s*$"
)


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
    idioms = list_idioms(state, text)
    plain = [word for own in idioms.values() for word in own]
    plain += [word for word in list_base_forms(words) if not state.source.is_absent(word)]
    replaced = {word for said in idioms for word in _WORD.findall(said)}
    state.absent, warnings, state.lacks_most = state.source.find_absent(" ".join(words), replaced)
    state.warnings += warnings
    wants_tests = _wants_tests(state.request.query)
    prompt = lower_plain_names(" ".join((*words, *plain)))
    request = BundleRequest(prompt, include_tests=wants_tests)
    rated, weights = state.source.rate(request, state.request.folder, MAX_RATED)
    state.weights = weights
    state.check()
    seeds = [build_seed(state, node, 1.0) for node in first]
    seeds = [replace(seed, why=whys.get(seed.node, seed.why) if seed.node else seed.why) for seed in seeds]
    seeds += [seed for seed in _find_named(state, preferred) if seed.node not in first]
    named = {seed.node.declaration for seed in seeds if seed.node is not None}
    found = choose_seeds(state, rated, preferred, wants_tests, weights)
    if only_near and first:
        found = _keep_near(found, first)
    asked = find_action(state.request.query)
    if asked is not None and any(seed.why.startswith((BELONG, DERIVE)) for seed in seeds):
        found = _keep_with_noun(found, find_telling_noun(asked))
    if asked is not None and preferred is PreferredKind.EXTENSION and not seeds:
        found = _put_table_first(state, found, asked.nouns)
    seeds += [seed for seed in found if seed.node is None or seed.node.declaration not in named]
    seeds = _drop_prototypes(seeds)
    if preferred is PreferredKind.FAILURES and not first:
        seeds = _put_failing(state, seeds)
    if state.lacks_most:
        seeds = seeds[:FEW_SEEDS]
    is_deed = not first and _asks_deed(state.request.query, preferred)
    if is_deed:
        seeds = sorted(seeds, key=_is_text)  # stable
    if seeds:
        seeds = _judge_best(state, seeds, weigh_words(words, weights), idioms, is_named=bool(first))
    if is_deed:
        seeds = [*sorted(seeds[:BEST], key=_is_quiet), *sorted(seeds[BEST:], key=_is_quiet)]  # stable
    least_share = FAILING_ROOM if preferred is PreferredKind.FAILURES and first else 0
    _note(state, seeds, weights, preferred, least_share)
    state.report_progress(0.5, f"{len(seeds)} declarations match the words")
    return list(dict.fromkeys(seed.node for seed in seeds if seed.node is not None))


def _asks_deed(query: str, preferred: PreferredKind) -> bool:
    """Return True for a question about what is done: how, what happens, or which errors."""
    return preferred is PreferredKind.FAILURES or (
        preferred is PreferredKind.NOTHING and _DEED.match(query) is not None
    )


def _is_quiet(seed: Seed) -> bool:
    """Return True for a declaration that does nothing: a type without code of its own, or a single line."""
    node = seed.node
    return node is not None and (node.symbol.kind in _QUIET or node.symbol.end_line == node.symbol.start_line)


def _is_text(seed: Seed) -> bool:
    """Return True for a value that is a text of several lines, such as one of help."""
    head = seed.body.lines[seed.body.head_line - 1]
    return seed.node is not None and seed.node.symbol.kind in VALUES and bool(_BEGINS_TEXT.search(head))


def _wants_tests(query: str) -> bool:
    words = _WORD.findall(_ONE_TEST.sub(" ", query))
    return not _ABOUT_TESTS.isdisjoint(word.lower() for word in words)


def _keep_near(seeds: Sequence[Seed], first: Sequence[Node]) -> list[Seed]:
    """Return the seeds with a name in the folders of some symbols, except modules, which hold too much."""
    folders = tuple({node.path.rpartition("/")[0] for node in first})
    near = (seed for seed in seeds if seed.name and _lies_in(seed.path, folders))
    return [seed for seed in near if seed.node is None or seed.node.symbol.kind is not SymbolKind.MODULE]


def _judge_best(
    state: ResearchState,
    seeds: list[Seed],
    weighed: Mapping[str, float],
    idioms: Mapping[str, Sequence[str]],
    *,
    is_named: bool,
) -> list[Seed]:
    """Set what the best lacks, or else what is rated as high, unless the question names it.

    Return the seeds. If it lacks words, one that has such a word may be among them.
    """
    seeds = seeds if is_named else _put_telling_first(seeds, weighed)
    claimed = _list_claimed(state, seeds)
    _note_lacking(state, claimed[0], weighed, idioms)
    state.rivals = [] if is_named or state.lacking else find_rivals(claimed)
    return _add_elsewhere(state, seeds, weighed) if state.lacking and not is_named else seeds


def _put_telling_first(seeds: list[Seed], weighed: Mapping[str, float]) -> list[Seed]:
    """Return the seeds; if the best lacks the most telling word, a good one whose type or file has it leads.

    Good is what is worth NEAR_BEST of the best.
    """
    most = max(weighed, key=lambda word: weighed[word], default="")
    if not most or most not in list_lacking(seeds[0], weighed):
        return seeds
    for position, seed in enumerate(seeds[:LEADING], 1):
        near = seed.worth >= NEAR_BEST * seeds[0].worth
        if near and shares_word(f"{seed.path} {seed.node.qualified_name if seed.node else ''}", (most,)):
            return [seed, *seeds[: position - 1], *seeds[position:]]
    return seeds


def _list_claimed(state: ResearchState, seeds: Sequence[Seed]) -> Sequence[Seed]:
    """Return the seeds of which a claim names the first as the best: symbols of the program, or tests."""
    claimed = [one for one in seeds if one.node and is_test_node(one.node) is state.wants_tests]
    return claimed or seeds


def _drop_prototypes(seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds without prototypes of functions whose definitions are among them."""
    whole = {one.name for one in seeds if one.node and not one.node.symbol.flags & SymbolFlag.FORWARD}
    return [
        one
        for one in seeds
        if not (one.node and one.node.symbol.flags & SymbolFlag.FORWARD and one.name in whole)
    ]


def _note_lacking(
    state: ResearchState, best: Seed, weighed: Mapping[str, float], idioms: Mapping[str, Sequence[str]]
) -> None:
    """Set which words of the question, given with their weights, no file has, and which the best lacks."""
    said = list_said(best, idioms)
    state.absent = [word for word in state.absent if word not in said and not says_otherwise(best, word)]
    telling = {word: weight for word, weight in weighed.items() if word not in said}
    lacking = name_phrases(list_lacking(best, telling), idioms)
    state.lacking = [*dict.fromkeys((*lacking, *list_unsaid(best, idioms)))]


def _add_elsewhere(state: ResearchState, seeds: list[Seed], weighed: Mapping[str, float]) -> list[Seed]:
    """Return the seeds; a declaration with a word that the best lacks and few files have comes third."""
    held = find_elsewhere(state, weighed)
    if held is None:
        return seeds
    rest = [seed for seed in seeds if seed.node != held.node]
    return [*rest[:ELSEWHERE], held, *rest[ELSEWHERE:]]


def _put_failing(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; functions that fail below the best one come right behind it."""
    best = seeds[0].node if seeds else None
    if best is None or best.symbol.kind not in CALLABLE_KINDS:
        return [*seeds]
    below = [*find_below(state, [best], MOST_BELOW).items()][:MOST_BELOW]
    known = {seed.node: seed for seed in seeds}
    failing = [known.get(node) or replace(build_seed(state, node, 0.0), why=why) for node, why in below]
    return [seeds[0], *failing, *(seed for seed in seeds[1:] if seed not in failing)]


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(not folder or path.startswith(f"{folder}/") for folder in folders)


def _keep_with_noun(seeds: Sequence[Seed], noun: str) -> list[Seed]:
    """Return the seeds that have a noun: where others of its kind are known, what lacks it is noise."""
    return [seed for seed in seeds if _holds_noun(seed, noun)]


def _holds_noun(seed: Seed, noun: str) -> bool:
    """Return True for a declaration whose lines or name have a noun."""
    held = {term for terms in seed.body.terms.values() for term in terms}
    return not held.isdisjoint(get_word_terms(noun)) or bool(shares_word(seed.name, (noun,)))


def _put_table_first(state: ResearchState, seeds: Sequence[Seed], nouns: Sequence[str]) -> list[Seed]:
    """Return the seeds; if a good one is a table of the kind, or else any constant is, it leads and says so.

    Where no type is the base of a kind, as in C, a table lists them. Its name consists of the nouns, or many
    of its lines have the last one: `INFIX_OPERATOR(PREC_TERM, "+")`.
    """
    noun = nouns[-1]
    named = (build_seed(state, node, 0.0) for node in find_tables(state, nouns))
    for seed in chain(seeds[:MOST_TABLES], named):
        kind = None if seed.node is None else seed.node.symbol.kind
        rows = range(seed.body.head_line + 1, seed.body.end_line) if kind in VALUES else ()
        own = [number for number in rows if number not in seed.body.comment_lines]
        held = sum(bool(shares_word(seed.body.lines[number - 1], (noun,))) for number in own)
        is_named = len(own) >= LEAST_LISTED and names_kind(seed.name, nouns)
        if is_named or held >= max(LEAST_LISTED, ROWS_SHARE * len(own)):
            listed = "the kind, by its name" if is_named else f"{held} of the kind"
            table = replace(seed, why=f"{HAS_ROWS} {listed}, as it would a new {noun}")
            return [table, *(one for one in seeds if one.node != seed.node)]
    return [*seeds]


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
    compound = base is not None and is_compound(base, action.nouns)
    if compound:  # `AddSorter` adds no parcel sorter
        seeds = [seed for seed in seeds if shares_word(seed.name, action.nouns) == len(action.nouns)]
    if base is None and preferred is PreferredKind.EXTENSION and asked is not None:
        seeds += find_written_kind(state, asked)
    known = {seed.node for seed in seeds}
    named_by = 2 if compound or find_telling_noun(action) != action.nouns[-1] else 1
    kin = [] if base is None else _list_kin(state, base, " ".join(action.nouns[-named_by:]))
    return [
        *seeds,
        *(replace(build_seed(state, node, 1.0), why=why) for node, why in kin if node not in known),
    ]


def _list_kin(state: ResearchState, base: Node, noun: str) -> list[tuple[Node, str]]:
    """Return the declarations that show how to add one of a kind, each with the reason why it is shown.

    These are the base type, what registers one of the kind, where its types are listed, and one to copy.
    """
    kin = [(base, f"{BELONG if is_enumeration(base) else DERIVE}, as a new {noun} would")]
    inner = find_inner_base(state, base)
    if inner is not None:
        kin.insert(0, (inner, f"{MOST_DERIVE}, as a new {noun} would"))
    own = base if inner is None else inner
    listing, model = find_listing(state, own), find_model(state, own)
    taking = find_registering(state, base)
    if taking is not None:
        kin.append((taking, f"{REGISTERS}, and by its name registers it"))
    elif (given := find_taking(state, base)) is not None:
        kin.append((given, TAKES))
    if listing is not None:
        kin.append((listing[0], f"{LISTS} {listing[1]} of the kind, as it would a new {noun}"))
    if model is not None:
        kin.append((model, f"{MODEL}, to be copied for a new {noun}"))
    return kin


def show_body(
    state: ResearchState, node: Node, room: int, terms: Mapping[int, tuple[str, ...]] = MappingProxyType({})
) -> tuple[int, ...]:
    """Return the numbers of the lines of a symbol to show, which have at most about `room` characters.

    `terms` has the terms of each line that counts for more; all terms weigh the same.
    """
    body = replace(trim_margin(build_seed(state, node, 0.0).body), terms=terms)
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
    chosen: list[list[int]] = []  # the lines shown of each seed
    bodies = [trim_margin(seed.body) for seed in seeds]  # as they are shown

    def choose(position: int, room: int) -> list[int]:
        """Return lines of a seed that no other one shows: a type and its method are both found."""
        seed = seeds[position]
        wanted = _match_wanted(preferred, leads, seed.body)
        lines = choose_lines(
            bodies[position], weights, room, wanted, keeps_comments=not position, spare=SPARE
        )
        own = (at for at in range(len(chosen)) if at != position and seeds[at].path == seed.path)
        known = {line for at in own for line in chosen[at]}
        return [line for line in lines if line == seed.body.head_line or line not in known]

    for position, seed in enumerate(seeds):
        share = max(SHARES[min(position, len(SHARES) - 1)], least_share if position < FAILING_FIRST else 0)
        share = min(share, MEMBERS_ROOM) if seed.why.startswith(BELONG) else share
        again = max(AGAIN_ROOM, share // 2) if seed.body.line_count >= OVERLOAD_LINES else AGAIN_ROOM
        room = min(again if seed.name in met else share, left - FINDING_CHARS)
        if room < LEAST_ROOM:
            break
        met |= {seed.name} - {""}
        chosen.append(choose(position, room))
        left -= measure(bodies[position].lines, chosen[-1]) + FINDING_CHARS
    are_all = len(chosen) == len(seeds) and not state.lacks_most
    for position, lines in enumerate(chosen if are_all else ()):  # what is left goes to the best
        if left < LEAST_ROOM:
            break
        used = measure(bodies[position].lines, lines)
        chosen[position] = sorted({*lines, *choose(position, used + left)})
        left -= measure(bodies[position].lines, chosen[position]) - used
    chosen += [[_find_name_line(seed)] for seed in seeds[len(chosen) :]]
    for seed, lines in zip(seeds, chosen, strict=True):
        _note_seed(state, seed, tuple(lines))


def _find_name_line(seed: Seed) -> int:
    """Return the first line of a declaration that has its name: in C, the type may stand above it."""
    first = seed.body.head_line
    numbers = range(first, min(first + NAME_LINES, seed.body.end_line + 1))
    name = re.compile(rf"(?<!\w){re.escape(seed.name)}(?!\w)")
    return next((at for at in numbers if seed.name and name.search(seed.body.lines[at - 1])), first)


def match_calls(names: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that checks whether a line calls one of some names, or reads a member of that name.

    The member may have an underscore more: `self._max_size` is what `max_size(size)` sets.
    """
    called = [re.escape(name) for name in dict.fromkeys(names[:LEADING_NAMES]) if len(name) > 2]
    if not called:
        return lambda _line: False
    joined = "|".join(called)
    pattern = re.compile(rf"(?<![\w$])(?:{joined})\s*[(<!]|[._]_?(?:{joined})\b(?!\s*(?:\(|=(?!=)))")
    return lambda line: pattern.search(line) is not None


def _match_wanted(
    preferred: PreferredKind, leads: Callable[[str], bool], body: Body
) -> Callable[[str], bool]:
    """Return a function that checks whether a line calls another seed, or does what the question asks for.

    Of a type with members that others implement, these alone are wanted where it is asked what to add.
    """
    if preferred is PreferredKind.FAILURES:
        return holds_error
    if preferred is PreferredKind.EXTENSION and any(
        map(_UNFILLED.search, body.lines[body.head_line : body.end_line])
    ):
        return lambda line: _UNFILLED.search(line) is not None
    return leads


def _note_seed(state: ResearchState, seed: Seed, shown: tuple[int, ...]) -> None:
    if seed.node is not None and state.add(seed.node, seed.why, 0, Confidence.PROBABLE, shown=shown):
        return
    body = seed.body
    around = (seed.name or seed.path) if seed.node is None else seed.node.qualified_name
    start, end = body.start_line, body.end_line
    state.add_place(Finding(seed.path, start, end, around, "text", None, seed.why, 0, "text", shown=shown))
