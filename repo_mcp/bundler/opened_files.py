"""Open candidate files: live text, cut into blocks, each with its worth for the prompt.

    worth = share of the prompt's weight that the block holds, names counting more and comments less

Each repetition of a term counts less than the one before, and a term counts less in a long block, as in BM25.
A declaration that the prompt names is worth more than any terms.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import field
from functools import cached_property
from heapq import nlargest

from repo_mcp.bundler.blocks import SMALL_FILE_LINES, Block, cut_blocks
from repo_mcp.bundler.companions import find_licence, list_imports
from repo_mcp.bundler.evidence import MAX_DECLARING, Candidate, Evidence, is_called
from repo_mcp.bundler.packing import Packer
from repo_mcp.bundler.records import Budget
from repo_mcp.bundler.source import BundleSource, LiveFile
from repo_mcp.bundler.spans import Layout, LayoutReader
from repo_mcp.bundler.statements import is_side_file, rate_work
from repo_mcp.bundler.weights import Weights
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.declaration_rating import is_inner_test
from repo_mcp.ranking.intent import understand
from repo_mcp.ranking.line_terms import encode_roots, find_words
from repo_mcp.ranking.prompt import Clue, ClueKind
from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import LONG_WORD, get_word_terms
from repo_mcp.text.roles import FileRole, find_role

OPENED_PER_FILE = 2  # files opened for each that may be shown
LINES_PER_OPENED = 40  # of the budget, for each file opened: if more were opened, they would get no lines
MIN_OPENED, MAX_OPENED = 8, 24
MOST_CONSTANTS = 2_000  # of a file that may be rated: more are a table, such as the registers of a device
TABLE_SHARE = 0.9  # of the declarations of a table are constants, each in one line
KEYWORD_TERMS = 16  # heaviest terms, whose sum is the weight of a prompt
PROTOTYPE_LINES = 4  # at most; a longer declaration that ends in a semicolon is something else
BODY_LINES = 2  # a shorter declaration has no body


class TermFinder:
    """Finds the prompt's terms in words. Words recur from file to file, so each is analysed once."""

    def __init__(self, terms: Collection[str]) -> None:
        self._by_word = _TermsByWord(frozenset(terms) - {LONG_WORD})
        self._roots = encode_roots(self._by_word.terms)

    def find_lines(self, lines: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Return the terms of the lines that have any, by 1-based number, each as often as it occurs."""
        text = "\n".join(lines)
        found: dict[int, tuple[str, ...]] = {}
        line, passed = 1, 0
        for position, word in self._list_words(text):
            terms = self._by_word[word]
            if terms:
                line += text.count("\n", passed, position)
                passed = position
                found[line] = found.get(line, ()) + terms
        return found

    def find_first_words(self, lines: Sequence[str]) -> dict[str, str]:
        """Return the terms in the lines, each with the first word that yields it."""
        first: dict[str, str] = {}
        for _, word in self._list_words("\n".join(lines)):
            for term in self._by_word[word]:
                first.setdefault(term, word)
        return first

    def _list_words(self, text: str) -> list[tuple[int, str]]:
        """Return the words that may yield terms, each once with its offset, in order."""
        return sorted(set(find_words(text, self._roots)))


class _TermsByWord(dict[str, tuple[str, ...]]):
    """The prompt's terms in each word that was met."""

    def __init__(self, terms: Set[str]) -> None:
        super().__init__()
        self.terms = terms

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = self[word] = tuple(term for term in get_word_terms(word) if term in self.terms)
        return found


class FileView:
    """The text of a file as it is now, with the prompt's terms in its lines."""

    def __init__(self, live: LiveFile, layout: Layout, finder: TermFinder) -> None:
        self.live = live
        self.layout = layout
        self.finder = finder

    @cached_property
    def line_terms(self) -> Mapping[int, tuple[str, ...]]:
        """Return the terms of the lines that have any, by number; imports and licences have none.

        Those name much and explain nothing. Of a file that only declares a name this is hardly ever asked.
        """
        lines = self.live.lines
        found = self.finder.find_lines(lines)
        for first, last in (*list_imports(lines), *find_licence(lines)):
            for line in range(first + 1, last + 2):
                found.pop(line, None)
        return found


@dataclass(slots=True)
class RatedFile:
    """An opened candidate, its blocks, and the worth of each."""

    candidate: Candidate
    view: FileView
    blocks: Sequence[Block]
    worth: list[float]  # of each block
    priority: float = 1.0  # factor of the worth of its blocks, compared with those of other files
    told: dict[int, str] = field(default_factory=dict)  # position of a block -> the step that led to it
    lines: int = 0  # that are selected so far
    shown: set[int] = field(default_factory=set)  # positions of the blocks that are selected
    named: set[int] = field(default_factory=set)  # those that the prompt names, and that come first

    def list_declaring(self, name: str) -> list[tuple[int, SymbolSpan]]:
        """Return the blocks that declare a name, which may be qualified in part, with their positions."""
        last = name.rpartition(".")[2]
        return [
            (at, block.span)
            for at, block in enumerate(self.blocks)
            if block.span is not None and block.span.name == last and is_called(block.span, name)
        ]


class Opener:
    """Opens candidates for one prompt. Files that cannot be read are recorded in the packer."""

    def __init__(
        self,
        read_layout: LayoutReader,
        evidence: Evidence,
        weights: Weights,
        source: BundleSource,
        packer: Packer,
        small_file_lines: int = SMALL_FILE_LINES,
    ) -> None:
        """Take what all files of one prompt need. A file of at most `small_file_lines` is one block."""
        self._small_file_lines = small_file_lines
        self._read_layout = read_layout
        self._evidence = evidence
        self._weights = weights
        self._source = source
        self._packer = packer
        self._finder = TermFinder(evidence.term_weights)
        self._roles = understand(evidence.prompt).roles
        self._rater = Rater(evidence.term_weights, self._finder, weights)
        frames = (one.clue for one in evidence.mentions if one.clue.kind is ClueKind.FRAME)
        self._frames = {clue: at for at, clue in enumerate(dict.fromkeys(frames))}  # the innermost is 0
        self._tried: set[str] = set()

    def open_best(self, budget: Budget) -> list[RatedFile]:
        """Open the best candidates, and all files that may declare a name of the prompt."""
        most = _count_opened(budget)
        wanted = [one for at, one in enumerate(self._evidence.candidates) if at < most or one.may_declare]
        return [file for one in wanted if (file := self.open(one)) is not None]

    def open(self, candidate: Candidate) -> RatedFile | None:
        """Open the live text of a candidate. Return None if it is not readable now, or was opened before."""
        path = candidate.path
        if path in self._tried:
            return None
        self._tried.add(path)
        try:
            live = self._source.read(path)
        except RepoError as error:
            self._packer.refuse_file(path, f"not readable now: {error.code}")
            return None
        layout = self._read_layout(path, live.data)
        if self._is_table(candidate, layout.spans):
            self._packer.refuse_file(path, "a table of constants, none of which the prompt names")
            return None
        view = FileView(live, layout, self._finder)
        blocks = cut_blocks(live.lines, layout.spans, self._small_file_lines)
        role = find_role(path)
        asked = role in (FileRole.CODE, *self._roles)
        priority = 1.0 if asked else self._weights.other_role
        if is_side_file(path) and FileRole.DOCS not in self._roles:
            priority *= self._weights.side_file
        worth = [0.0] * len(blocks)  # of a file that the search did not find
        if candidate.share > 0.0:
            is_program = role is not FileRole.TEST and FileRole.TEST not in self._roles
            share = candidate.share**self._weights.rank
            worth = [share * one for one in self._rate(view, blocks, is_program=is_program)]
        one = RatedFile(candidate, view, blocks, worth, priority)
        self._add_named(one)
        return one

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

    def _add_named(self, one: RatedFile) -> None:
        """Raise the worth of the blocks that the prompt names, by line or by name."""
        named: dict[int, float] = {}
        sure = self._weights.named
        for mention in one.candidate.mentions:
            near = sure * self._weights.next_frame ** self._frames.get(mention.clue, 0)
            for line in locate(mention.clue, one.view.layout.spans):
                for at, block in enumerate(one.blocks):
                    if block.start_line <= line <= block.end_line:
                        named[at] = max(near, named.get(at, 0.0))
        for at, worth in named.items():
            one.worth[at] += worth
        for name, sure in self._evidence.names.items():
            last = name.rpartition(".")[2]
            declaring = one.list_declaring(name) or one.list_declaring(last)
            if len(declaring) <= MAX_DECLARING:
                for at, span in declaring:
                    share = sure if is_called(span, name) else sure * self._weights.unsure
                    one.worth[at] += self._weights.named * share / len(declaring)


def _count_opened(budget: Budget) -> int:
    """Return the number of files to open, among which the lines of the budget are spent."""
    by_lines = max(MIN_OPENED, budget.max_total_lines // LINES_PER_OPENED)
    return min(by_lines, OPENED_PER_FILE * budget.max_files, MAX_OPENED)


def locate(clue: Clue, spans: Sequence[SymbolSpan]) -> list[int]:
    """Return the line that a clue names, or that of its function's name if the function has moved.

    Return none for a clue without a line.
    """
    line = clue.line
    if line is None:
        return []
    named = [span for span in spans if span.name == clue.name]
    if not named or any(span.start_line <= line <= span.end_line for span in named):
        return [line]
    return [min((span.name_line for span in named), key=lambda position: (abs(position - line), position))]


class Rater:
    """Rates blocks for one prompt."""

    def __init__(
        self,
        term_weights: Mapping[str, float],
        finder: TermFinder,
        weights: Weights,
    ) -> None:
        self._term_weights = term_weights
        self._finder = finder
        self._weights = weights
        self._whole = sum(nlargest(KEYWORD_TERMS, term_weights.values())) or 1.0

    def rate(self, view: FileView, blocks: Sequence[Block], *, is_program: bool) -> list[float]:
        """Return the worth of each block, from 0 to a little above 1 + `weights.name`.

        `is_program` means that the file is part of the program and that tests in it are not asked for.
        """
        lines, names = list(view.line_terms), self._rate_names(blocks)
        bounds = [(bisect_left(lines, one.start_line), bisect_right(lines, one.end_line)) for one in blocks]
        return [
            self._rate(view, block, lines[first:end], names, is_program) / self._whole
            for block, (first, end) in zip(blocks, bounds, strict=True)
        ]

    def _rate(
        self,
        view: FileView,
        block: Block,
        lines: Sequence[int],
        names: Mapping[str, float],
        is_program: bool,
    ) -> float:
        weights, counts = self._weights, dict[str, float]()
        head = block.span.head_line if block.span is not None else 0
        for line in lines:
            is_comment = line in view.layout.comment_lines
            share = (weights.lead if line < head else weights.comment) if is_comment else 1.0
            for term in view.line_terms[line]:
                counts[term] = counts.get(term, 0.0) + share
        excess = max(0.0, block.line_count / weights.usual_lines - 1.0)
        half = weights.repeats * (1.0 + weights.length * excess)
        text = sum(
            self._term_weights[term] * count / (count + half) for term, count in sorted(counts.items())
        )
        named = weights.name * names.get(block.span.name, 0.0) if block.span is not None else 0.0
        if named and is_prototype(view, block.span):
            named *= weights.prototype
        owner = block.owner if block.owner is not block.span else None
        owned = weights.owner * names.get(owner.name, 0.0) if owner is not None else 0.0
        worth = text + named + owned
        return worth * self._weigh_kind(view, block, is_program) if worth else 0.0

    def _weigh_kind(self, view: FileView, block: Block, is_program: bool) -> float:
        """Return the factor of a block for its kind, whichever terms it holds."""
        weights = self._weights
        lines = view.live.lines[block.start_line - 1 : block.end_line]
        factor = rate_work(lines, weights.deciding, weights.trivial)
        if not _has_body(block):
            factor *= weights.no_body
        if block.span is not None and is_program and is_inner_test(block.span.qualified_name):
            factor *= weights.inner_test
        return factor

    def _rate_names(self, blocks: Sequence[Block]) -> dict[str, float]:
        """Return the weight of the terms in each name that has any, times their share of the name's parts."""
        spans = (span for block in blocks for span in (block.span, block.owner) if span is not None)
        names = list(dict.fromkeys(span.name for span in spans))
        rated: dict[str, float] = {}
        by_number = self._finder.find_lines([name.replace("\n", " ") for name in names])
        for number, matched in by_number.items():
            terms = get_word_terms(names[number - 1])
            parts = terms[1:] or terms
            share = sum(part in matched for part in parts) / len(parts)
            rated[names[number - 1]] = share * sum(self._term_weights[term] for term in sorted(set(matched)))
        return rated


def is_prototype(view: FileView, span: SymbolSpan | None) -> bool:
    """Return True for a declaration that ends where its body would begin, as in a C header."""
    if span is None or span.end_line - span.name_line >= PROTOTYPE_LINES:
        return False
    return view.live.lines[span.end_line - 1].rstrip().endswith(";")


def _has_body(block: Block) -> bool:
    """Return True for a declaration of two lines or more that is not the head of a longer class."""
    span = block.span
    return span is not None and span is not block.owner and span.end_line - span.head_line >= BODY_LINES - 1
