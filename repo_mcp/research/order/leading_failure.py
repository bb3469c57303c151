"""Choose which function leads where it is asked which errors come up: one that does what is asked about.

    "Which errors can loading a shelf file raise?"  ->  load_shelf_file, not is_fatal(error)

What only judges an error has as many words of the question, for it is about errors, too. Where it is asked
what happens when something fails, one that handles the failure leads before one that only fails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.errors.handlers import LEAST_HANDLED, asks_failing, rate_handlers
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.named_symbols import read_code
from repo_mcp.research.findings.reasons import NAMED_SO, Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.order.asked_decisions import is_predicate
from repo_mcp.research.seeds.seed import Seed, lead
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import shares_word

LEAST_WORDS = 2  # of the question, all of which are in the name of a function that leads by it
HANDLING = 6  # best declarations, one of which leads because it handles what fails
HANDLING_SHARE = 0.5  # its least share of the worth of the best
_HANDLES_IT = Reason("handles it when what the question names fails", Role.NAMED_SO)
# A parameter that is an error, by its type or its name.
_TAKES_ERROR = re.compile(r"\b\w*(?:Exception|Error|Throwable)\b|\b(?:err|error|exc|exception)\b")
_BOOLEANS = frozenset({"bool", "boolean", "Boolean"})


def put_doers_first(seeds: Sequence[Seed], words: Sequence[str]) -> list[Seed]:
    """Return the seeds; what only judges errors comes last, what alone has all words in its name first."""
    doing = [seed for seed in seeds if seed.node is None or not judges_error(seed.node)]
    judging = (replace(seed, worth=0.0) for seed in seeds if seed not in doing)
    ordered = [*doing, *judging] if doing else [*seeds]
    named = [seed for seed in ordered if _is_named(seed, words)] if len(words) >= LEAST_WORDS else []
    if len(named) != 1:  # of several, other words tell which is meant
        return ordered
    return lead(ordered, named[0], replace(named[0], worth=ordered[0].worth, reason=NAMED_SO))


def put_handling_first(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; where it is asked what happens when something fails, what handles that leads.

    It must be rated nearly as high as the best one, which may only fail.
    """
    if not asks_failing(state.request.query) or not seeds or _handles(state, seeds[0]):
        return [*seeds]
    near = (seed for seed in seeds[1:HANDLING] if seed.worth >= HANDLING_SHARE * seeds[0].worth)
    handling = next((seed for seed in near if _handles(state, seed)), None)
    if handling is None:
        return [*seeds]
    return lead(seeds, handling, replace(handling, reason=_HANDLES_IT))


def _handles(state: ResearchState, seed: Seed) -> bool:
    if seed.node is None or is_test_node(seed.node):
        return False
    rated = rate_handlers(read_code(state, seed.node), state.request.query, seed.full_name)
    return any(share >= LEAST_HANDLED for share, _ in rated)


def judges_error(node: Node) -> bool:
    """Return True for a function that takes an error and returns whether something is so."""
    one = node.symbol
    says_so = one.return_type.strip("?") in _BOOLEANS or (not one.return_type and is_predicate(one.name))
    return one.kind in CALLABLE_KINDS and says_so and _TAKES_ERROR.search(one.parameters) is not None


def _is_named(seed: Seed, words: Sequence[str]) -> bool:
    if seed.node is None or seed.node.symbol.kind not in CALLABLE_KINDS or is_test_node(seed.node):
        return False
    return shares_word(seed.name, words) == len(words)
