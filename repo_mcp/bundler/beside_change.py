"""Find what belongs to a change besides the code that the prompt is about: its test, and who uses it.

    prompt that asks for a change -> names of what is to change -> files that hold one of these
        -> the test that says most about the prompt, and a line of each other block with a name

The words of a prompt seldom lead there: a caller has none of them but the name. Some lines of the budget are
kept for that. Left out: names that are used everywhere, of which a few lines say nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.evidence import Evidence
from repo_mcp.blocks.opened_files import Opener
from repo_mcp.blocks.prompt import MAX_WORDS
from repo_mcp.blocks.rated_files import RatedFile, find_declaring, iter_lines_with
from repo_mcp.blocks.source import BlockSource
from repo_mcp.bundler.block_parts import choose_parts
from repo_mcp.bundler.packing import Packer, build_selection
from repo_mcp.bundler.records import Budget, BundleRequest, Selection, count_totals
from repo_mcp.ranking.page.declaration_rating import is_inner_test
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.query.requests import asks_for_change
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.analysis import MAX_WORD_BYTES, get_word_terms
from repo_mcp.text.lines import compile_name, is_import
from repo_mcp.text.roles import FileRole, find_role

SHARE = 0.15  # of the lines of a budget
LEAST_LINES = 12  # of that share; fewer show nothing beside what the prompt is about
FILES_SHARE = 3  # a third of the files of a budget
MOST_NAMES = 3  # of what is to change
MIN_NAME_CHARS, MOST_UNITS = 3, 60  # of the index that hold a name
MOST_OPENED = 6  # files that hold a name, and that the prompt did not lead to
TEST_LINES = 40
MOST_TESTS = 2
MOST_SHOWN = 10  # tests, and lines of other blocks
NAMED_ALIKE = 1.5  # factor of a test whose file is named like one that declares what is to change
USING = 2.0  # factor of a test with the name itself


@dataclass(frozen=True, slots=True)
class _Use:
    """A block that uses a name of what is to change, or that is in a file of tests that do."""

    file: RatedFile
    at: int  # position of the block
    name: str
    lines: tuple[int, ...]  # that hold the name; none of another test in such a file

    @property
    def place(self) -> tuple[str, int]:
        """Return the path of the file and the position of the block."""
        return self.file.candidate.path, self.at

    @property
    def is_test(self) -> bool:
        """Return True for a test, which may be in a file of the program."""
        span = self.file.blocks[self.at].span
        is_inner = span is not None and is_inner_test(span.qualified_name)
        return is_inner or find_role(self.file.candidate.path) is FileRole.TEST


@dataclass(frozen=True, slots=True)
class Beside:
    """Lines that a bundle shows beside what the prompt is about, and the reason."""

    file: RatedFile
    spans: Sequence[tuple[int, int]]  # first and last lines
    why: str

    def select(self) -> list[Selection]:
        """Return the lines as selections."""
        return [build_selection(self.file.view.live, start, end, 0.0) for start, end in self.spans]


def find_beside(
    opened: Sequence[RatedFile],
    opener: Opener,
    evidence: Evidence,
    request: BundleRequest,
    packer: Packer,
    source: BlockSource,
) -> list[Beside]:
    """Return the lines to show of tests and of users of what is to change, if the prompt asks for a change.

    Raises IndexFormatError, OSError.
    """
    room = int(SHARE * packer.room)
    changed = _list_changed(opened, evidence, source) if asks_for_change(request.prompt) else {}
    if room < LEAST_LINES or not changed:
        return []
    uses: list[_Use] = []
    for one in (*opened, *_iter_holding(opened, opener, changed, evidence, request, source)):
        for name, declaring in changed.items():
            uses += _iter_uses(one, name, is_declaring=one.candidate.path in declaring)
    tests = [use for use in uses if use.is_test] if request.include_tests else []
    tests.sort(key=lambda use: _rate_test(use, changed), reverse=True)
    program = [use for use in uses if not use.is_test]
    most_files = max(1, packer.files_left // FILES_SHARE)
    return _choose(
        [*tests[:1], *program, *tests[1:]], {use.place for use in tests[:MOST_TESTS]}, room, most_files
    )


def _choose(uses: Sequence[_Use], whole: Set[tuple[str, int]], room: int, most_files: int) -> list[Beside]:
    """Return what is shown of the first uses: of the tests at the places `whole`, more than a line."""
    found: dict[tuple[str, int], Beside] = {}
    for use in uses:
        is_test = use.place in whole
        paths = {path for path, _ in found} | {use.place[0]}
        is_full = room <= 0 or len(found) == MOST_SHOWN or len(paths) > most_files
        if is_full or use.place in found or not (is_test or use.lines):
            continue
        spans = _choose_lines(use, min(TEST_LINES, room)) if is_test else [(use.lines[0], use.lines[0])]
        found[use.place] = Beside(use.file, spans, f"{'a test of' if is_test else 'uses'} {use.name}")
        room -= sum(end - start + 1 for start, end in spans)
    return list(found.values())


def keep_room(budget: Budget, beside: Sequence[Beside]) -> Budget:
    """Return a budget without what some lines need."""
    selections = [selection for one in beside for selection in one.select()]
    files, lines, tokens = budget.max_files, budget.max_total_lines, budget.max_tokens
    needed = count_totals(selections)
    left = tokens if tokens is None else max(1, tokens - needed.tokens)
    return Budget(max(1, files - needed.files), lines - needed.lines, left)


def add_beside(packer: Packer, beside: Sequence[Beside], opened: Sequence[RatedFile]) -> list[RatedFile]:
    """Select the lines that are not selected yet. Return their files that are not among those opened."""
    shown = {
        (one.path, line) for one in packer.selections for line in range(one.start_line, one.end_line + 1)
    }
    for one in beside:
        for selection in one.select():
            lines = range(selection.start_line, selection.end_line + 1)
            if not any((selection.path, line) in shown for line in lines) and packer.add(selection):
                one.file.beside[selection.start_line] = one.why
    known = {one.candidate.path for one in opened}
    files = {one.file.candidate.path: one.file for one in beside}
    return [one for path, one in files.items() if path not in known]


def _list_changed(
    opened: Sequence[RatedFile], evidence: Evidence, source: BlockSource
) -> dict[str, frozenset[str]]:
    """Return the names of what is to change, each with the files that declare it.

    These are the declarations that the prompt surely names, or else the one that is worth most.
    """
    found: dict[str, frozenset[str]] = {}
    for name in (name for name, sure in evidence.names.items() if sure >= 1.0):
        declaring = [one for one, _ in find_declaring(opened, name, members=True) if one.priority >= 1.0]
        if declaring and _is_telling(last := name.rpartition(".")[2], source):
            found[last] = frozenset(one.candidate.path for one in declaring)
    if not found:
        rated = [
            (worth, one.candidate.path, span.name)
            for one in opened
            if one.priority >= 1.0
            for block, worth in zip(one.blocks, one.worth, strict=True)
            if (span := block.span) is not None and _is_telling(span.name, source)
        ]
        found = {name: frozenset((path,)) for _, path, name in (max(rated),)} if rated else {}
    return dict(islice(found.items(), MOST_NAMES))


def _is_telling(name: str, source: BlockSource) -> bool:
    """Return True for a name that few places have."""
    if not MIN_NAME_CHARS <= len(name) <= MAX_WORD_BYTES:
        return False
    return 0 < source.count_units(get_word_terms(name)[0]) <= MOST_UNITS


def _iter_holding(
    opened: Sequence[RatedFile],
    opener: Opener,
    names: Iterable[str],
    evidence: Evidence,
    request: BundleRequest,
    source: BlockSource,
) -> Iterator[RatedFile]:
    """Yield further files that hold one of the names, the best for the prompt first."""
    query = replace(parse_query(evidence.prompt, MAX_WORDS), phrases=[])
    known = {one.candidate.path for one in opened}
    paths: dict[str, None] = {}
    for name in names:
        holding = replace(query, required=[(get_word_terms(name)[0],)])
        ranked = source.rank(holding, request.include_tests).chunks
        paths |= dict.fromkeys(chunk.path for chunk in ranked if chunk.path not in known)
    program = [path for path in paths if find_role(path) is FileRole.CODE]
    tests = [path for path in paths if find_role(path) is FileRole.TEST]
    for path in (*tests[:MOST_OPENED], *program[:MOST_OPENED]):
        one = opener.open(Candidate(path, 1.0, None))
        if one is not None:
            yield one


def _iter_uses(one: RatedFile, name: str, *, is_declaring: bool) -> Iterator[_Use]:
    """Yield the blocks of a file that use a name, and all blocks of a file of tests that do.

    Declarations and imports are no uses. In the file that declares the name, only tests are looked for.
    """
    if find_role(one.candidate.path) not in (FileRole.CODE, FileRole.TEST):
        return
    declared = {span.name_line for span in one.view.layout.spans if span.name == name}
    whole = compile_name(name)
    listed = re.compile(rf"\s*{re.escape(name)}(?:\s+as\s+\w+)?,?\s*$")  # in an import of several lines
    held: dict[int, list[int]] = {}
    for at, number, line in iter_lines_with(one, [name]):
        is_imported = is_import(line) or (one.blocks[at].span is None and listed.match(line))
        if number not in declared and whole.search(line) and not is_imported:
            held.setdefault(at, []).append(number)
    for at, block in enumerate(one.blocks) if held else ():
        use = _Use(one, at, name, tuple(held.get(at, ())))
        is_own = block.span is not None and block.span.name == name
        if use.is_test or (use.lines and not is_own and not is_declaring):
            yield use


def _rate_test(use: _Use, changed: Mapping[str, frozenset[str]]) -> float:
    """Return how good a test is: by its worth for the prompt, and less the longer it is.

    One that uses the name counts more, and so does one whose file is named like that of what is to change.
    """
    block = use.file.blocks[use.at]
    stem = _name_stem(use.file.candidate.path)
    is_alike = any(_name_stem(path) in stem for path in changed[use.name])
    worth = use.file.worth[use.at] * (NAMED_ALIKE if is_alike else 1.0) * (USING if use.lines else 1.0)
    return worth / math.sqrt(block.line_count) if block.span is not None else 0.0


def _choose_lines(test: _Use, most: int) -> list[tuple[int, int]]:
    """Return the lines of a test to show: all of them if there is room, else those around the name."""
    block = test.file.blocks[test.at]
    if block.line_count <= most:
        return [(block.start_line, block.end_line)]
    return choose_parts(test.file.view, block, most, test.lines)


def _name_stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()
