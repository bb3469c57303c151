"""Order what follows the leading declaration of an open question.

The page has room for few, so the order decides what a reader sees. The weights were chosen on some 340 open
questions: those of `bench/quality` and `bench/research` that may be tuned on, and 32 short ones. Of 33
features (who calls whom, words in bodies, paths and names, lengths, kinds, places) that a regression was
given, with each repository judged by what the others taught, no other one helped. Among the first five
declarations, 521 wanted ones became 543; among the first seven, 574 became 591.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence, Set

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.text.question_words import shares_word

CALLED = 0.75  # for what the leading declaration calls
NAMED = 1.5  # for all telling words of the question in the full name, by their weights
LEAST_WORTH = 0.01  # of the best one's
BESIDE_WORTH = 0.13  # of what was found by a call alone, and has no worth of its own


def order_followers(
    seeds: Sequence[Seed],
    telling: Mapping[str, float],
    called: Collection[Node],
    guesses: Set[str] = frozenset(),
) -> list[Seed]:
    """Return the seeds: the first one, those that guesses led to, and the others by what they promise.

    `telling` has the weights of the words of the question, `called` what the first one calls, and `guesses`
    the names that the question guesses.
    """
    fixed = [seed for at, seed in enumerate(seeds) if not at or seed.reason.about in guesses]
    others = [seed for at, seed in enumerate(seeds) if at and seed.reason.about not in guesses]
    most = max((seed.worth for seed in seeds), default=0.0) or 1.0
    whole = sum(telling.values()) or 1.0
    firsts = {(seed.path, seed.full_name): seed for seed in reversed(seeds)}

    def rate(seed: Seed) -> float:
        least = BESIDE_WORTH if seed.reason.role is Role.BESIDE else LEAST_WORTH
        worth = math.log(max(seed.worth / most, least)) + CALLED * (seed.node in called)
        is_again = seed is not firsts[seed.path, seed.full_name]
        if is_again or f"{seeds[0].full_name}.".startswith(f"{seed.full_name}."):
            return worth  # a further overload, or what declares the first one, says no more by its name
        name = seed.name if _get_owner(seed) == _get_owner(seeds[0]) else seed.full_name
        named = sum(weight for word, weight in telling.items() if shares_word(name, (word,)))
        return worth + NAMED * named / whole

    return [*fixed, *sorted(others, key=rate, reverse=True)]  # stable


def _get_owner(seed: Seed) -> tuple[str, str]:
    return seed.path, seed.full_name.rpartition(".")[0]
