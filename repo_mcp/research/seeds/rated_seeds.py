"""Rate the declarations that have the words of a question.

    declarations rated by words (repo_mcp/bundler) -> worth by what they do -> callers of the best -> order

Of several that say the same, such as overloads or members of one file with the same words, the first counts
whole: a page has room for few, and the others would only repeat it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from repo_mcp.blocks.best_blocks import RatedBlock, find_declared
from repo_mcp.blocks.block_factors import NOT_RUN, RUN, weigh_extension, weigh_failures, weigh_work
from repo_mcp.bodies.body import Body, only_imports, says_nothing
from repo_mcp.code_search.namesakes import pass_namesakes
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.ranking.page.declaration_rating import is_inner_test
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.locating import find_innermost, is_test_place, is_test_symbol, may_answer
from repo_mcp.research.findings.reasons import NAMED_SO, Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.kinds.derived_types import is_left_open, list_derived
from repo_mcp.research.question.asked_words import PreferredKind
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.research.seeds.told_blocks import name_told
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import (
    count_words,
    find_action,
    find_described_action,
    list_words,
    names_action,
    names_rather,
    shares_word,
)
from repo_mcp.text.roles import FileRole, find_role, is_side_file, list_older_folders
from repo_mcp.text.stop_words import STOP_WORDS

LEAST_SHARE = 0.04  # of the worth of the best declaration; those worth less are left out
MOST_SEEDS = 24
AGAIN = 0.7  # factor for a declaration with the name of a better one
NOTHING_NEW = 0.8  # for one with no word of the question that a better one of its file does not have
LEFT_OPEN = 1.8  # factor of the worth of a type that others implement, for a question on how to extend
USER_SHARE = 0.4  # of a declaration's worth, for its callers
USED = 4  # best declarations whose callers are looked for
NEAR = 0.4  # of the worth of the best declaration, for one that is named by what the question describes
MOST_WORDS, DESCRIBED_WORDS = 3, 2  # of the name of what is asked for, and of what is only described
MOST_NAMED_SO = 2  # declarations that lead by their names
MANY_USERS = 8  # a declaration with more callers says little about each
NAMED_WORDS = 4  # of the question, in the reason for a finding
MAX_WORD_CHARS = 60  # of each
LONG_LINES = 150  # a longer declaration is worth less: its words may be far from each other
OVERLOAD_LINES = 12  # bodies at least so long are shown beside others of the same name
_WORD = re.compile(r"\w+")


def choose_seeds(
    state: ResearchState,
    rated: Sequence[RatedBlock],
    preferred: PreferredKind,
    includes_tests: bool,
    weights: Mapping[str, float],
) -> list[Seed]:
    """Return the declarations worth showing, best first."""
    seeds = []
    admitted = [one for one in rated if state.admits(one.path)]
    for one in name_told(_drop_side_files(admitted, state.request.query)):
        if find_role(one.path) is FileRole.DOCS or _is_stub(state, one.path):
            continue
        node = find_node(state, one)
        if not includes_tests and (is_test_place(one.path) or (node is not None and is_test_symbol(node))):
            continue
        span = one.block.span
        name, full_name = (span.name, span.qualified_name) if span is not None else ("", "")
        if not (one.terms or one.origin) or (not name and only_imports(build_body(one))):
            continue
        worth = one.worth * _weigh(state, one, node, preferred) * _weigh_length(one)
        seeds.append(
            Seed(
                one.path,
                build_body(one),
                name,
                full_name if node is None else node.qualified_name,
                node,
                worth,
                _explain(one, node, weights),
            )
        )
    seeds.sort(key=lambda seed: -seed.worth)  # stable
    seeds = _add_users(state, seeds) if preferred is not PreferredKind.EXTENSION else seeds
    seeds.sort(key=lambda seed: -seed.worth)
    seeds = _discount_overloads(_put_named_first(seeds, list_words(state.request.query)))
    seeds = _put_action_first(seeds, state.request.query)
    least = LEAST_SHARE * max((seed.worth for seed in seeds), default=0.0)
    return _discount_repeated([seed for seed in seeds if seed.worth >= least], weights)[:MOST_SEEDS]


def _put_action_first(seeds: Sequence[Seed], query: str) -> list[Seed]:
    """Return the seeds; a good one that is named by the verb and the noun of the question leads, and says so.

    This is for languages without a symbol parser. In others such names are looked for among all symbols.
    """
    asked = find_action(query)
    action = asked or find_described_action(query)
    if action is None or action.is_kind or not seeds:
        return [*seeds]
    least, most = (0.0, MOST_WORDS) if asked is not None else (NEAR * seeds[0].worth, DESCRIBED_WORDS)
    named = [
        replace(seed, worth=seeds[0].worth, reason=NAMED_SO)
        for seed in seeds
        if seed.node is None
        and seed.worth >= least
        and names_action(seed.name, action)
        and count_words(seed.name) <= most
    ]
    named.sort(key=lambda seed: -shares_word(seed.name, action.nouns))  # stable
    named = named[:MOST_NAMED_SO]
    own = {(seed.path, seed.full_name) for seed in named}
    return [*named, *(seed for seed in seeds if (seed.path, seed.full_name) not in own)]


def _is_stub(state: ResearchState, path: str) -> bool:
    """Return True for a file of types beside the file of the program that it describes, as in Python."""
    return path.endswith(".pyi") and state.source.find_file(path[:-1]) is not None


def _discount_overloads(seeds: Sequence[Seed]) -> list[Seed]:
    """Return the declarations in the order of their worth; each further one of a name is worth less.

    So several types that override one member leave room for what calls it. A long overload of the same
    function counts whole: it may be the one that does the work.
    """
    met: Counter[str] = Counter()
    overloads: Counter[tuple[str, str]] = Counter()
    discounted = []
    for seed in seeds:
        own = seed.path, seed.full_name if seed.name else ""
        is_whole = overloads[own] == 1 and seed.body.line_count >= OVERLOAD_LINES
        discounted.append(seed if is_whole else replace(seed, worth=seed.worth * AGAIN ** met[seed.name]))
        met[seed.name] += bool(seed.name)
        overloads[own] += bool(own[1])
    return sorted(discounted, key=lambda seed: -seed.worth)


def _discount_repeated(seeds: Sequence[Seed], weights: Mapping[str, float]) -> list[Seed]:
    """Return the declarations, the best first; those that add no word to one of their file are worth less."""
    left = [(seed, _list_terms(seed, weights)) for seed in seeds]
    chosen: list[Seed] = []
    met: dict[str, list[frozenset[str]]] = {}
    while left:
        worth = [
            seed.worth * (NOTHING_NEW if any(map(terms.issubset, met.get(seed.path, ()))) else 1.0)
            for seed, terms in left
        ]
        best = max(range(len(left)), key=lambda at: (worth[at], -at))
        seed, terms = left.pop(best)
        chosen.append(replace(seed, worth=worth[best]))
        met.setdefault(seed.path, []).append(terms)
    return chosen


def _put_named_first(seeds: Sequence[Seed], asked: Sequence[str]) -> list[Seed]:
    """Return the seeds; one in a type that the question names comes before its namesakes in other types.

    It gets the worth of the one that it passes.
    """
    return pass_namesakes(
        seeds,
        lambda own, other: _is_named_rather(own, other, asked),
        lambda own, passed: replace(own, worth=passed.worth),
    )


def _is_named_rather(seed: Seed, other: Seed, asked: Sequence[str]) -> bool:
    """Return True if what is around a seed has a word of the question that its namesake lacks."""
    if not seed.name or seed.name != other.name:
        return False
    held = {term for terms in other.body.terms.values() for term in terms}
    own, its = (one.full_name.removesuffix(seed.name) for one in (seed, other))
    return names_rather(own, its, asked, held)


def _list_terms(seed: Seed, weights: Mapping[str, float]) -> frozenset[str]:
    """Return the terms of the question that a declaration holds; without those only akin to them."""
    return frozenset(term for terms in seed.body.terms.values() for term in terms if weights.get(term))


def _drop_side_files(rated: Sequence[RatedBlock], query: str) -> list[RatedBlock]:
    """Return the declarations outside examples, benchmarks and older versions; all if the best is in one."""
    paths = {one.path for one in rated}
    older = list_older_folders(paths, query.lower())
    aside = {path for path in paths if is_side_file(path) or path.startswith(older)}
    if rated and rated[0].path in aside:
        return list(rated)
    return [one for one in rated if one.path not in aside]


def _add_users(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds and the callers of the best ones; a caller gets a share of the worth of its callee."""
    given: dict[Declaration, tuple[float, str]] = {}
    for seed in seeds[:USED]:
        if seed.node is None:
            continue
        users = {edge.other for edge in list_users(state, seed.node, GLANCE)}
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
    fresh = [
        build_seed(state, node, worth, Reason(why)) for node, worth, why in nodes if not is_test_symbol(node)
    ]
    return [*joined, *fresh]


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


def _weigh_length(one: RatedBlock) -> float:
    """Return the factor of a declaration's worth that follows from its length: a long one has every word."""
    lines = one.block.end_line - one.block.start_line + 1
    return math.sqrt(LONG_LINES / lines) if lines > LONG_LINES else 1.0


def _is_left_open(state: ResearchState, node: Node) -> bool:
    """Return True for a type that others implement: an interface, an abstract class, a base."""
    if node.symbol.kind not in TYPE_KINDS:
        return False
    return is_left_open(node) or bool(list_derived(state, node))


def find_node(state: ResearchState, one: RatedBlock) -> Node | None:
    """Return the symbol that a block declares, or the innermost one around it; None if there is none."""
    record = state.graph.scan.find_record(one.path)
    if record is None:
        return None
    ordinal = find_declared(one, record) or find_innermost(record, one.block.start_line)
    return state.get_node(Declaration(one.path, ordinal)) if ordinal else None


def build_body(one: RatedBlock) -> Body:
    """Return the lines of a rated block as a body to choose from, without the comment above it.

    Brackets that are closed below the declaration belong to what is around it.
    """
    span, lines = one.block.span, one.view.live.lines
    end = one.block.end_line
    while span is not None and end > span.end_line and says_nothing(lines[end - 1]):
        end -= 1
    head = one.block.start_line if span is None else max(one.block.start_line, span.head_line)
    return Body(
        lines,
        one.block.start_line,
        end,
        head,
        one.term_lines,
        one.view.layout.comment_lines,
    )


def _explain(one: RatedBlock, node: Node | None, weights: Mapping[str, float]) -> Reason:
    """Return the reason for a block: what led to it, but its words if that is a test, or its type or file."""
    holders = [one.path] if node is None else [one.path, *node.qualified_name.split(".")[:-1]]
    is_own = any(one.origin in (f"uses {own}", f"used by {own}") for own in holders)
    says_little = is_own or is_inner_test(one.origin.rpartition(" ")[2])
    if one.origin and not (says_little and one.terms):
        return Reason(one.origin)
    return Reason(describe_words(build_body(one), weights), Role.HAS_WORDS)


def describe_words(body: Body, weights: Mapping[str, float]) -> str:
    """Return a reason that names the first words of a body with terms of the question, as they are written.

    Terms without weight are only akin to those of the question, and do not count.
    """
    words: dict[str, str] = {}
    for line, terms in body.terms.items():
        own = {term for term in terms if weights.get(term)}
        for found in _WORD.finditer(body.lines[line - 1]):
            word = found[0]
            is_telling = len(word) <= MAX_WORD_CHARS and word.lower() not in STOP_WORDS
            if is_telling and not own.isdisjoint(get_word_terms(word)):
                words.setdefault(word.lower(), word)
            if len(words) >= NAMED_WORDS:
                break
        if len(words) >= NAMED_WORDS:
            break
    return f"has words like {', '.join([*words.values()][:NAMED_WORDS])}" if words else "fits the question"
