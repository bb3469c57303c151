"""The overrides of a member among all that declare its name: each of their types is followed upwards.

That reads fewer files than the way down where many files name the types below, as for the root of a large
library.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from repo_mcp.graph.hierarchy.namesakes import Namesakes, take_weaker
from repo_mcp.graph.program import Confidence, Declaration, Program, Target
from repo_mcp.graph.vocabulary import find_family
from repo_mcp.lru_cache import LruCache

MAX_TYPES = 2_000  # visited in one way, and files that declare a name
CACHED_TYPES = 50_000  # types in cached lists of bases: 11 MB


class OverridesByName:
    """Finds overrides from what declares their name. Used by one call at a time."""

    def __init__(
        self, program: Program, namesakes: Namesakes, list_bases: Callable[[Declaration], list[Target]]
    ) -> None:
        self._program = program
        self._namesakes = namesakes
        self._list_bases = list_bases
        self.is_cut = False  # a limit was reached since the caller last reset this
        self._bases: LruCache[Declaration, list[Target]] = LruCache(
            CACHED_TYPES, lambda found: 1 + len(found)
        )

    def find(
        self, member: Declaration, owner: Declaration, extended: Sequence[Declaration]
    ) -> list[Target] | None:
        """Return the members, by path, that override one of `owner`, or of a type that this extends.

        Return None if too many files declare its name.
        """
        record = self._program.find_record(member.path)
        if record is None:
            return []
        symbol, high = record.get_symbol(member.ordinal), {owner, *extended}
        paths = self._program.list_declaring(symbol.name)
        if len(paths) > MAX_TYPES:
            return None
        family, lows = find_family(self._program.find_language(member.path)), dict[Declaration, None]()
        for path in (one for one in paths if find_family(self._program.find_language(one)) == family):
            other = self._program.find_record(path)
            for ordinal in other.find_symbols(symbol.name) if other is not None else ():
                low = self._namesakes.find_owner(Declaration(path, ordinal))
                lows |= {} if low is None or low in high else {low: None}
        found: dict[Declaration, Target] = {}
        for low in lows:
            confidence = self._find_way(low, high)
            if confidence is None or self._namesakes.are_one_type(owner, low):
                continue
            named = self._namesakes.find_member(low, symbol)
            for one in self._namesakes.keep_overriding(member, named, is_above=False):
                sure = take_weaker(confidence, one.confidence)
                found.setdefault(one.declaration, Target(one.declaration, sure))
        return list(found.values())

    def _find_way(self, low: Declaration, high: set[Declaration]) -> Confidence | None:
        """Return how sure it is that a type derives from one of some others; None if it does not."""
        waiting, met = deque([Target(low, Confidence.EXACT)]), {low}
        while waiting and len(met) <= MAX_TYPES:
            one = waiting.popleft()
            if one.declaration in high:
                return one.confidence
            for base in self._bases.get(one.declaration, partial(self._list_bases, one.declaration)):
                if base.declaration not in met:
                    met.add(base.declaration)
                    waiting.append(Target(base.declaration, take_weaker(one.confidence, base.confidence)))
        self.is_cut = self.is_cut or bool(waiting)
        return None
