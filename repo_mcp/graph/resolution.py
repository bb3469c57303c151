"""What each reference means, asked of the resolver of its language and remembered for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

from repo_mcp.graph.program import NOTHING, Program, Resolution, Resolver
from repo_mcp.structure import ReferenceRole, Structure

KEPT_ANSWERS = 20_000

MakeResolver = Callable[[Program], Resolver]


class Resolvers:
    """The resolvers of one program. Used by one call at a time."""

    def __init__(self, program: Program, makers: Mapping[str, MakeResolver]) -> None:
        """`makers` gives the resolver of a language; one that several languages share is made once."""
        self._program = program
        self._makers = makers
        self._made: dict[MakeResolver, Resolver] = {}
        self._answers: OrderedDict[tuple[str, int], Resolution] = OrderedDict()

    def resolve(self, path: str, structure: Structure, row: int) -> Resolution:
        """What the reference in a row of a file's structure means."""
        key = (path, row)
        known = self._answers.get(key)
        if known is not None:
            self._answers.move_to_end(key)
            return known
        answer = self._ask(path, structure, row)
        self._answers[key] = answer
        if len(self._answers) > KEPT_ANSWERS:
            self._answers.popitem(last=False)
        return answer

    def _ask(self, path: str, structure: Structure, row: int) -> Resolution:
        maker = self._makers.get(self._program.find_language(path))
        if maker is None or structure.ref_roles[row] == ReferenceRole.BIND:
            return NOTHING
        resolver = self._made.get(maker)
        if resolver is None:
            resolver = self._made[maker] = maker(self._program)
        return resolver.resolve(path, structure, structure.get_reference(row))
