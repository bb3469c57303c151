"""Follow names from the best blocks to the declarations that they call or use, and raise their worth.

The same is done for the calls of each block that is shown, so that a function comes with what it calls.

The words of a question occur where a thing is used or described, but the lines that answer it are often one
step further. Only files that were opened are looked at. A name with several declarations adds less to each,
and one that is used everywhere adds little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from heapq import nsmallest
from itertools import islice
from operator import attrgetter

from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.file_view import FileView
from repo_mcp.blocks.imported_modules import find_modules, find_names_in, lies_in
from repo_mcp.blocks.prompt_names import MAX_DECLARING
from repo_mcp.blocks.rated_files import Place, RatedFile, iter_lines_with
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.ranking.page.called_names import list_called, may_follow
from repo_mcp.ranking.page.rare_words import compute_rarity
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import MAX_WORD_BYTES
from repo_mcp.text.lines import compile_name

MAX_NAMES = 200  # followed from one block
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_TAG = re.compile(r"<[^<>]{0,300}>")  # in the heading of a section
SEEDS = 12  # blocks from which names are followed

Places = dict[str, list[Place]]  # name -> the blocks that declare it
FollowShown = Callable[[RatedFile, int], list[Place]]  # a shown block -> those that are worth more now


class Use(StrEnum):
    """The way in which a block uses a name."""

    CALL = "called by"
    NAMED = "used by"  # passed on, or read


@dataclass(frozen=True, slots=True)
class Step:
    """A name that a block uses."""

    name: str
    use: Use
    modules: frozenset[str] = frozenset()  # in which alone the name is found; none: it may be anywhere


def list_steps(view: FileView, block: Block, modules: Mapping[str, str]) -> list[Step]:
    """Return the names that a block uses, each once: callees, then others.

    A name that it has only where it declares it, as a class has those of its methods, is none of these.
    `modules` are those that its file imports, by the names that stand for them.
    """
    own = block.span.name if block.span is not None else ""
    found: dict[str, Use] = {}
    spans, get_start = view.layout.spans, attrgetter("start_line")
    first, last = (bisect_right(spans, line, key=get_start) for line in (block.start_line, block.end_line))
    declared = Counter(one.name.rpartition(".")[2] for one in spans[first:last])
    comments = view.layout.comment_lines
    numbers = range(block.start_line, block.end_line + 1)
    code = "\n".join(view.live.lines[number - 1] for number in numbers if number not in comments)
    written = _NAME.findall(code)
    count = Counter(written)
    for names, use in ((list_called(code), Use.CALL), (written, Use.NAMED)):
        for name in names:
            found.setdefault(name, use)
    only_in = find_names_in(code, modules) if modules else {}
    return [
        Step(name, use, only_in.get(name, frozenset()))
        for name, use in islice(found.items(), MAX_NAMES)
        if may_follow(name) and name != own and (name not in declared or count[name] > declared[name])
    ]


def _calls(line: str, name: str) -> bool:
    """Return True if a line calls a name: without a bracket after it, the name is only mentioned."""
    return re.search(rf"(?<![\w$]){re.escape(name)}(?:<[^()]{{0,80}}>|!)?\s*\(", line) is not None


def follow_names(opened: Sequence[RatedFile], source: BlockSource, weights: Weights) -> FollowShown:
    """Raise the worth of the blocks that the best ones call or use, or that use the best ones.

    Return a function that does so for what a shown block calls.
    """
    follower = _Follower(opened, source, weights)
    follower.follow()
    return follower.follow_shown


def _describe_use(use: Use, name: str, path: str) -> str:
    """Return how a block with a name uses what it leads to. A document calls nothing, it only names it."""
    if find_language(path).kind != "docs":
        return f"{use} {name or path}"
    section = _TAG.sub("", name).strip(". ")
    return f"named in the section {section}" if section else f"named in {path}"


@dataclass(frozen=True, slots=True)
class _Gain:
    """The worth that a block gains from another one."""

    file: RatedFile
    worth: float
    origin: str  # what led to it, in words


class _Follower:
    """The names that are followed for one prompt, and where they lead."""

    def __init__(self, opened: Sequence[RatedFile], source: BlockSource, weights: Weights) -> None:
        self._opened = opened
        self._caller = weights.caller
        self._source = source
        self._shares: Mapping[Use, float] = {
            Use.CALL: weights.callee,
            Use.NAMED: weights.named_use,
        }
        self._places: Places = {}
        self._modules: dict[str, Mapping[str, str]] = {}  # that each file imports
        self._gains: dict[tuple[str, int], _Gain] = {}  # path and position of a block -> the largest left
        self._given: dict[tuple[str, int], float] = {}  # what each gained so far
        for one in opened:
            for position, block in enumerate(one.blocks):
                if block.span is not None:
                    self._places.setdefault(block.span.name, []).append((one, position))

    def follow(self) -> None:
        seeds = self._choose_seeds()
        for seed, position in seeds:
            self._follow_uses(seed, position)
        self._follow_users(seeds)
        self._give()

    def follow_shown(self, shown: RatedFile, position: int) -> list[Place]:
        """Follow the calls of a shown block. Return the blocks that are worth more now."""
        self._follow_uses(shown, position, (Use.CALL,))
        return self._give()

    def _give(self) -> list[Place]:
        """Give the noted gains to blocks that are not shown yet. Return those that are worth more now."""
        risen = []
        for key, gain in self._gains.items():
            at = key[1]
            if at not in gain.file.shown:
                gain.file.worth[at] += gain.worth - self._given.get(key, 0.0)
                gain.file.origins[at] = gain.origin
                self._given[key] = gain.worth
                risen.append((gain.file, at))
        self._gains.clear()
        return risen

    def _note_gain(self, file: RatedFile, at: int, worth: float, origin: str) -> None:
        """Keep what a block gains if it is more than it gains from any other."""
        key = (file.candidate.path, at)
        if worth > (self._gains[key].worth if key in self._gains else self._given.get(key, 0.0)):
            self._gains[key] = _Gain(file, worth, origin)

    def _follow_uses(self, seed: RatedFile, position: int, uses: Collection[Use] = tuple(Use)) -> None:
        """Follow the names that a seed uses in some ways to the blocks that declare them."""
        block = seed.blocks[position]
        name = block.span.qualified_name if block.span is not None else ""
        path = seed.candidate.path
        if path not in self._modules:
            self._modules[path] = find_modules(path, seed.view.live.lines)
        steps = list_steps(seed.view, block, self._modules[path])
        for step in (step for step in steps if step.use in uses):
            share, targets = self._find_targets(step, seed)
            origin = _describe_use(step.use, name, path)
            for file, at in targets:
                self._note_gain(file, at, share * seed.worth[position], origin)

    def _follow_users(self, seeds: Sequence[Place]) -> None:
        """Follow the names of the seeds to the blocks of their own files that use them."""
        files = {seed.candidate.path: seed for seed, _ in seeds}
        own: dict[str, dict[str, int]] = {path: {} for path in files}
        for seed, position in seeds:
            span = seed.blocks[position].span
            if (
                span is not None
                and len(self._places.get(span.name, ())) <= MAX_DECLARING
                and 2 < len(span.name) <= MAX_WORD_BYTES  # the expression for a name of 1.9 MB takes 150 MB
            ):
                own[seed.candidate.path].setdefault(span.name, position)
        for path, positions in own.items():
            if positions:
                self._find_users(files[path], positions)

    def _find_users(self, file: RatedFile, positions: Mapping[str, int]) -> None:
        """Note what the blocks of a file gain that use some names. `positions` are those of their blocks."""
        pattern = compile_name(*positions)
        for at, _, line in iter_lines_with(file, positions):
            for name in pattern.findall(line):
                position = positions[name]
                if at != position and file.blocks[at].span is not None:
                    share = self._caller * self._rate_rarity(name) / len(self._places[name])
                    use = "calls" if _calls(line, name) else "uses"
                    self._note_gain(file, at, share * file.worth[position], f"{use} {name}")

    def _choose_seeds(self) -> list[Place]:
        """Return the SEEDS blocks that are worth most, each as its file and its position there."""
        rated = (
            (-worth, at, position)
            for at, one in enumerate(self._opened)
            for position, worth in enumerate(one.worth)
        )
        return [(self._opened[at], position) for _, at, position in nsmallest(SEEDS, rated)]

    def _find_targets(self, step: Step, seed: RatedFile) -> tuple[float, list[Place]]:
        """Return the share of the seed's worth that each block gets that declares a name, and these blocks.

        If a block of the seed's own file declares the name, others do not count. Of a module that the file
        imports, only the blocks in it do.
        """
        places = self._places.get(step.name, [])
        targets = [place for place in places if place[0] is seed] or places
        if step.modules:
            targets = [place for place in places if lies_in(place[0].candidate.path, step.modules)]
        if not targets:
            return 0.0, []
        return self._shares[step.use] * self._rate_rarity(step.name) / len(targets), targets

    def _rate_rarity(self, name: str) -> float:
        """Return 1 for a rare name, and less for one that is used in many places."""
        return min(1.0, compute_rarity(self._source.count_units(name.lower()), self._source.unit_count))
