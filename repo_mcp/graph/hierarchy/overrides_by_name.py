"""The overrides of a member among all that declare its name: each of their types is followed upwards.

That reads fewer files than the way down where many files name the types below, as for the root of a large
library.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from repo_mcp.graph.hierarchy.namesakes import Namesakes, take_weaker
from repo_mcp.graph.program import Confidence, Declaration, Program, Target
from repo_mcp.graph.vocabulary import find_family
from repo_mcp.lru_cache import LruCache

MAX_DECLARING = 2_000  # files that declare a name
# types whose bases are listed for one member, those that declare it and those above: 1 s
MAX_WALKED = 20_000
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
        if len(paths) > MAX_DECLARING:
            return None
        family, lows = find_family(self._program.find_language(member.path)), dict[Declaration, None]()
        for path in (one for one in paths if find_family(self._program.find_language(one)) == family):
            other = self._program.find_record(path)
            for ordinal in other.find_symbols(symbol.name) if other is not None else ():
                low = self._namesakes.find_owner(Declaration(path, ordinal))
                lows |= {} if low is None or low in high else {low: None}
        found: dict[Declaration, Target] = {}
        ways = self._find_ways(lows, high)
        for low in lows:
            confidence = ways.get(low)
            if confidence is None or self._namesakes.are_one_type(owner, low):
                continue
            named = self._namesakes.find_member(low, symbol)
            for one in self._namesakes.keep_overriding(member, named, is_above=False):
                sure = take_weaker(confidence, one.confidence)
                found.setdefault(one.declaration, Target(one.declaration, sure))
        return list(found.values())

    def _find_ways(
        self, lows: Iterable[Declaration], high: set[Declaration]
    ) -> dict[Declaration, Confidence]:
        """Return how sure it is that types derive from one of some others, for those that do.

        All of them share one walk up and one down: in a long chain, a walk for each would be square.
        """
        below: dict[Declaration, list[Target]] = {}
        waiting, met, walked = deque(lows), set(lows), 0
        while waiting and walked < MAX_WALKED:
            one, walked = waiting.popleft(), walked + 1
            for base in self._bases.get(one, partial(self._list_bases, one)):
                below.setdefault(base.declaration, []).append(Target(one, base.confidence))
                if base.declaration not in met and base.declaration not in high:
                    met.add(base.declaration)
                    waiting.append(base.declaration)
        self.is_cut = self.is_cut or bool(waiting)
        ways, reached = dict.fromkeys(high, Confidence.EXACT), deque(high)
        while reached:
            above = reached.popleft()
            for derived in below.get(above, ()):
                if derived.declaration not in ways:
                    ways[derived.declaration] = take_weaker(ways[above], derived.confidence)
                    reached.append(derived.declaration)
        return ways
