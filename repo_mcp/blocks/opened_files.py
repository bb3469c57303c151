"""Open candidate files: live text, cut into blocks, each with its worth for the prompt.

A declaration that the prompt names is worth more than any terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.blocks.block_worth import Rater
from repo_mcp.blocks.blocks import SMALL_FILE_LINES, Block, Placed, cut_blocks
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.layouts import LayoutReader
from repo_mcp.blocks.named_lines import is_frame, locate
from repo_mcp.blocks.named_modules import is_below, is_of_module
from repo_mcp.blocks.prompt_names import MAX_DECLARING
from repo_mcp.blocks.rated_files import RatedFile, find_declaring, leave_out_common
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.ranking.page.rare_words import compute_rarity
from repo_mcp.ranking.query.intent import understand
from repo_mcp.ranking.query.mentions import number_frames
from repo_mcp.text.generated import is_generated
from repo_mcp.text.lines import compile_name
from repo_mcp.text.roles import FileRole, find_role, is_side_file, list_older_folders

MAX_OPENED = 24
MOST_CONSTANTS = 2_000  # of a file that may be rated: more are a table, such as the registers of a device
LEAST_LAST = 0.5  # rarity of the last part of a qualified name that nothing declares: then it is meant
TABLE_SHARE = 0.9  # of the declarations of a table are constants, each in one line


def put_written_last(opened: Sequence[RatedFile], weights: Weights) -> None:
    """Let a file that says that a program wrote it count as little as one whose path says so."""
    for one in opened:
        if is_generated(one.view.live.lines):
            one.priority = min(one.priority, weights.other_role)


class Opener:
    """Opens candidates for one prompt."""

    def __init__(
        self,
        read_layout: LayoutReader,
        evidence: Evidence,
        weights: Weights,
        source: BlockSource,
        refuse: Callable[[str, str], None] = lambda _path, _reason: None,
        small_file_lines: int = SMALL_FILE_LINES,
    ) -> None:
        """Take what all files of one prompt need. A file of at most `small_file_lines` is one block.

        `refuse` takes the path of a file that is not rated, and the reason.
        """
        self._small_file_lines = small_file_lines
        self._read_layout = read_layout
        self._evidence = evidence
        self._weights = weights
        self._source = source
        self._refuse = refuse
        paths = {one.path for one in evidence.candidates}
        self._older_folders = list_older_folders(paths, evidence.prompt.lower())
        self._finder = PromptTermFinder(evidence.term_weights)
        self._roles = understand(evidence.prompt).roles
        self._rater = Rater(evidence.term_weights, self._finder, weights)
        self._frames = number_frames(evidence.mentions)

    def open_best(self, most: int) -> list[RatedFile]:
        """Open the best `most` candidates, and all that may declare a name or that a frame names."""
        wanted = [
            one
            for at, one in enumerate(self._evidence.candidates)
            if at < most or one.may_declare or any(is_frame(mention) for mention in one.mentions)
        ]
        opened = [file for one in wanted if (file := self.open(one)) is not None]
        for name, sure in leave_out_common(
            opened, self._evidence.names, self._source, self._evidence.folder
        ).items():
            self._add_named(opened, name, sure)
        return opened

    def open(self, candidate: Candidate) -> RatedFile | None:
        """Open the live text of a candidate. Return None if it is not readable now."""
        path = candidate.path
        try:
            live = self._source.read(path)
        except RepoError as error:
            self._refuse(path, f"not readable now: {error.code}")
            return None
        layout = self._read_layout(path, live.data)
        if self._is_table(candidate, layout.spans):
            self._refuse(path, "a table of constants, none of which the prompt names")
            return None
        view = FileView(live, layout, self._finder)
        blocks = cut_blocks(live.lines, layout.spans, self._small_file_lines)
        role = find_role(path)
        worth = [0.0] * len(blocks)  # of a file that the search did not find
        if candidate.share > 0.0:
            is_program = role is not FileRole.TEST and FileRole.TEST not in self._roles
            share = candidate.share**self._weights.rank
            worth = [share * one for one in self._rate(view, blocks, is_program=is_program)]
        one = RatedFile(candidate, view, blocks, worth, self._choose_priority(path, role))
        self._add_mentioned(one)
        return one

    def _choose_priority(self, path: str, role: FileRole) -> float:
        """Return the factor of a file by its role: code answers first."""
        asked = role in (FileRole.CODE, *self._roles)
        priority = 1.0 if asked else self._weights.other_role
        if is_side_file(path) and FileRole.DOCS not in self._roles:
            priority *= self._weights.side_file
        if path.startswith(self._older_folders):
            priority *= self._weights.older
        return priority

    def _is_table(self, candidate: Candidate, spans: Sequence[SymbolSpan]) -> bool:
        """Return True for a table of thousands of constants, unless the prompt names it or one of them.

        A table answers no question, and five headers of registers took two thirds of a bundle's time.
        """
        if len(spans) <= MOST_CONSTANTS or candidate.mentions:
            return False
        constants = sum(span.name_line == span.end_line for span in spans)
        names = {name.rpartition(".")[2] for name in self._evidence.names}
        return constants > TABLE_SHARE * len(spans) and not any(span.name in names for span in spans)

    def _rate(self, view: FileView, blocks: Sequence[Block], *, is_program: bool) -> list[float]:
        """Return the worth of each block in itself. Where one has any, each declaration has a little."""
        rated = self._rater.rate(view, blocks, is_program=is_program)
        least = self._weights.any_declaration if any(rated) else 0.0
        return [value + least * (block.span is not None) for block, value in zip(blocks, rated, strict=True)]

    def _add_mentioned(self, one: RatedFile) -> None:
        """Raise the worth of the blocks that the prompt names by line."""
        named: dict[int, float] = {}
        for mention in one.candidate.mentions:
            near = self._weights.named * self._weights.next_frame ** self._frames.get(mention.clue, 0)
            for line in locate(mention.clue, one.view.layout.spans, one.view.live.lines):
                for at, block in enumerate(one.blocks):
                    if block.start_line <= line <= block.end_line:
                        named[at] = max(near, named.get(at, 0.0))
        for at, worth in named.items():
            one.worth[at] += worth

    def _add_named(self, opened: Sequence[RatedFile], name: str, sure: float) -> None:
        """Raise the worth of the blocks that declare a name, unless too many files or blocks do.

        If none declares a qualified name, but a type of its owner's name has its last part as a word, that is
        a value or a field of the type, and no namesake is meant. Otherwise the last part alone may be meant,
        unless it is used everywhere, as the `path` of `sys.path` is.
        """
        members = self._weights.members and sure >= 1.0
        declaring = find_declaring(opened, name, members=members) or _find_in_module(opened, name)
        if not declaring:
            last = name.rpartition(".")[2]
            units = self._source.count_units(last.lower())
            if compute_rarity(units, self._source.unit_count) < LEAST_LAST:
                return
            sure *= self._weights.unsure
            declaring = _find_holding(opened, name) or find_declaring(opened, last, members=members)
        folder = self._evidence.folder
        near = [place for place in declaring if is_below(place[0].candidate.path, folder)] if folder else []
        declaring = near or declaring
        if len(declaring) > MAX_DECLARING:
            return
        for one, found in declaring:
            if len(found) <= MAX_DECLARING:
                for at, _ in found:
                    one.worth[at] += self._weights.named * sure / len(found)


def _find_in_module(opened: Sequence[RatedFile], name: str) -> list[tuple[RatedFile, list[Placed]]]:
    """Return the files of the module of a qualified name that declare its last part outside of all types."""
    last = name.rpartition(".")[2]
    own = [one for one in opened if is_of_module(one.candidate.path, name)]
    declaring = find_declaring(own, last, members=False)
    outer = ((one, [place for place in found if place[1].qualified_name == last]) for one, found in declaring)
    return [place for place in outer if place[1]]


def _find_holding(opened: Sequence[RatedFile], name: str) -> list[tuple[RatedFile, list[Placed]]]:
    """Return the files with a type that holds the last part of a qualified name as a word."""
    owner, _, last = name.rpartition(".")
    if not owner:
        return []
    word = compile_name(last)
    found = []
    for one, declaring in find_declaring(opened, owner.rpartition(".")[2], members=False):
        lines = one.view.live.lines
        placed = [
            (at, span)
            for at, span in declaring
            if holds_members(" ".join(lines[span.head_line - 1 : span.name_line]), span.name)
            and word.search("\n".join(lines[span.name_line - 1 : span.end_line]))
        ]
        if placed:
            found.append((one, placed))
    return found
