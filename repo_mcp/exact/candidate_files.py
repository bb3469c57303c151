"""Lists the files that an exact search has to read: those that the index cannot rule out, and changed ones.

They come lazily in the order of their paths' bytes, so a search that soon finds enough asks for no more.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import filterfalse, groupby

import numpy as np

from index_format import Directory, LiveSegment, Snapshot
from repo_mcp.arrays import I64, Mask
from repo_mcp.exact.file_bitmaps import FileBitmaps, ReadMany
from repo_mcp.exact.kept_bitmaps import BitmapPlace
from repo_mcp.exact.pattern_files import SegmentCandidates, SegmentFiles, SegmentMemory
from repo_mcp.exact.required_terms import PatternReading
from repo_mcp.indexing.tree_changes import ChangedFiles
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.languages.patterns.language_registry import find_language, passes_language
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import has_binary_extension
from repo_mcp.text.roles import comes_first, find_later_directory, is_test_path, order_by_role

IMPATIENT_FILES = 1_000  # so many files are read before a look-up that may take longer than reading them
FEW_FILES = 128  # so many files are read before the punctuation beside words is looked up
PAGES_A_FILE = 3  # pages of the dictionary that are read in the time of one file
AFTER_SLASH = chr(ord("/") + 1)  # A directory's path with this behind it sorts after all that it holds
FIRST_PATHS = 200  # so many paths of a segment are read one by one; reading all of the kernel's takes 30 ms


class PathFilter:
    """Selects the files that a request is about, by path and language."""

    def __init__(
        self,
        request: ExactRequest,
        matches_glob: Callable[[str], bool] | None,
        extensions: Mapping[str, str] | None = None,
        include_extensions: Collection[str] = (),
        folder: str = "",
    ) -> None:
        """Take the filters of a request and the rules of the root.

        `extensions` maps file extensions to languages in place of the built-in ones. `include_extensions`
        lists the only extensions that are indexed; empty: all are. Without a `path_prefix`, the request is
        about `folder`.
        """
        self.languages = frozenset(request.languages or filter(None, [request.language]))
        self._takes_headers = request.language == "cpp" and not request.languages
        if self._takes_headers:  # C by their names; `matches` leaves out what else is C
            self.languages |= {"c"}
        directory = (request.path_prefix or "").strip("/") or folder
        self.prefix = f"{directory}/" if directory else ""
        self._matches_glob = matches_glob
        self._include_tests = request.include_tests
        self._extensions = extensions
        self._include_extensions = include_extensions

    def matches(self, path: str) -> bool:
        """Return True when the path alone does not rule the file out. Does not check its language."""
        return (
            path.startswith(self.prefix)
            and (self._matches_glob is None or self._matches_glob(path))
            and (self._include_tests or not is_test_path(path))
            and (not self._takes_headers or passes_language(path, self.find_language(path).name, "cpp"))
        )

    def matches_unindexed(self, path: str) -> bool:
        """Return True if an unindexed or changed file is wanted, by path, extension and language."""
        extension = path.rpartition("/")[2].rpartition(".")[2].lower()
        return (
            self.matches(path)
            and (not self._include_extensions or extension in self._include_extensions)
            and not has_binary_extension(path)
            and (not self.languages or self.find_language(path).name in self.languages)
        )

    def find_language(self, path: str) -> Language:
        """Return the language of a file by its path."""
        return find_language(path, self._extensions)


@dataclass(frozen=True, slots=True)
class CandidateFiles:
    """The files that may match, in the order of their paths' bytes."""

    paths: Iterator[str]
    narrowed: bool  # False: in some segment the pattern rules out no file


class ExactSearcher:
    """Finds candidates in one snapshot. Safe for several threads."""

    def __init__(
        self,
        snapshot: Snapshot,
        before: ExactSearcher | None = None,
        stopped: Callable[[], bool] = lambda: False,
        directory: Directory | None = None,
    ) -> None:
        """Take over what `before`, the searcher of an earlier snapshot, has learnt of the same segments.

        Background work ends when `stopped` returns True. Some of its results are stored in the `directory` of
        the index, where other processes find them.
        """
        self.snapshot = snapshot
        self.searches: int = 0 if before is None else before.searches  # Searches in this process so far
        known: Mapping[str, SegmentMemory] = {} if before is None else before.memory
        self.memory: dict[str, SegmentMemory] = {
            part.name: known.get(part.name) or _begin_memory(part, directory) for part in snapshot.segments
        }
        self._learning: dict[FileBitmaps, None] = {} if before is None else before._learning
        for ended in [one for one in tuple(self._learning) if one.join(0)]:
            self._learning.pop(ended, None)  # its results are in the memory of the segment
        self._stopped = stopped
        self._segments = [SegmentCandidates(part, self.memory[part.name]) for part in snapshot.segments]

    def find_candidates(
        self, reading: PatternReading, wanted: PathFilter, changed: ChangedFiles | None, *, by_role: bool
    ) -> CandidateFiles:
        """Return the files that may match according to the index, and the changed ones. Raises CorruptIndex.

        With `by_role`, the files of the program come before tests, documents and others (`order_by_role`).
        """
        self.searches += 1
        found = [part.find_files(reading) for part in self._segments]
        parts = [
            _SegmentPaths(part, one, reading, wanted) for part, one in zip(self._segments, found, strict=True)
        ]
        paths = _iter_by_role(parts, wanted, changed) if by_role else _iter_in_order(parts, wanted, changed)
        return CandidateFiles(paths, all(one.narrowed for one in found))

    def learn_punctuation(self, read_many: ReadMany) -> None:
        """Start learning in the background which pairs of punctuation each file contains."""
        self._learn([memory.bigrams for memory in self.memory.values()], read_many)

    def learn_neighbours(self, read_many: ReadMany) -> None:
        """Start learning in the background the punctuation beside common words, if a search missed it."""
        self._learn(
            [memory.neighbours for memory in self.memory.values() if memory.neighbours.were_missed], read_many
        )

    def _learn(self, marks: Sequence[FileBitmaps], read_many: ReadMany) -> None:
        for one in marks:
            if one.start(read_many, self._stopped):
                self._learning[one] = None

    def join(self, seconds: float) -> bool:
        """Wait for background work, also of earlier snapshots. Returns False if a part outlasts `seconds`."""
        return all(learnt.join(seconds) for learnt in tuple(self._learning))


def _begin_memory(part: LiveSegment, directory: Directory | None) -> SegmentMemory:
    place = None if directory is None else BitmapPlace(directory, part.name, "pairs")
    return SegmentMemory(part.reader.terms, part.reader.files, place)


def _iter_in_order(
    parts: Sequence[_SegmentPaths], wanted: PathFilter, changed: ChangedFiles | None
) -> Iterator[str]:
    """Return the candidates in the order of their paths' bytes."""
    present = [] if changed is None else changed.present
    streams = [part.iter_first(by_role=False) for part in parts]
    return _merge(streams, filter(wanted.matches_unindexed, present) if present else None, changed)


def _iter_by_role(
    parts: Sequence[_SegmentPaths], wanted: PathFilter, changed: ChangedFiles | None
) -> Iterator[str]:
    """Yield the candidates of the program, then the others by their roles, each in the order of paths."""
    present = [] if changed is None else [*filter(wanted.matches_unindexed, changed.present)]
    first = [*filter(comes_first, present)]
    yield from _merge([part.iter_first(by_role=True) for part in parts], iter(first), changed)
    later = [*filterfalse(comes_first, present)]
    yield from order_by_role(_merge([part.iter_later() for part in parts], iter(later), changed))


def _merge(
    streams: list[Iterator[str]], present: Iterator[str] | None, changed: ChangedFiles | None
) -> Iterator[str]:
    """Return the ascending paths of all streams, each once, without files that are now missing."""
    if changed is not None and changed.missing:
        streams = [filterfalse(changed.missing.__contains__, stream) for stream in streams]
    if present is not None:
        streams.append(present)
    if len(streams) == 1:
        return streams[0]
    # Strings compare by code point, which is the order of their UTF-8 bytes.
    return (path for path, _ in groupby(heapq.merge(*streams)))


class _SegmentPaths:
    """The paths of a segment's files that may match. The more paths a search asks for, the fewer are left.

    The first files mostly contain enough matches. If they do not, the punctuation beside common words is
    looked up, and later the runs that were passed over because they are common: each rules out more files.
    """

    def __init__(
        self, part: SegmentCandidates, found: SegmentFiles, reading: PatternReading, wanted: PathFilter
    ) -> None:
        self._part = part
        self._reading = reading
        self._wanted = wanted
        self._files = _select(part, found.files, wanted)
        self._later: list[int] = []  # files that `iter_first` has kept for `iter_later`
        self._asked = 0  # number of paths that the search has asked for
        # Rules that narrow the files, each with the number of paths after which it is applied.
        self._rules: list[tuple[int, Callable[[], Mask | None]]] = []
        if reading.neighbours is not None:
            self._rules += [
                (FEW_FILES, partial(part.find_by_neighbours, reading)),
                (IMPATIENT_FILES, self._miss_neighbours),
            ]
        if found.passed_over:
            self._rules.append((IMPATIENT_FILES, partial(self._find_patiently, scans=False)))
        if found.unscanned:
            self._await_scan()
        self._masks: list[Mask] = []  # masks of the files that may match by each rule applied so far

    def iter_first(self, *, by_role: bool) -> Iterator[str]:
        """Yield the wanted paths. By role, keep those that do not come first for `iter_later`."""
        for file, path in self._iter_narrowed(self._files, by_role=by_role):
            if not self._wanted.matches(path):
                continue
            if by_role and not comes_first(path):
                self._later.append(file)
            else:
                self._asked += 1
                yield path

    def iter_later(self) -> Iterator[str]:
        """Yield the kept paths, in order. The caller asks for all of them before it searches the first."""
        files = np.array(self._later, dtype=np.int64)
        for mask in self._masks:
            files = files[mask[files]]
        self._asked = max(self._asked, len(files))
        yield from filter(
            self._wanted.matches, (path for _, path in self._iter_narrowed(files, by_role=False))
        )

    def _iter_narrowed(self, files: I64, *, by_role: bool) -> Iterator[tuple[int, str]]:
        """Yield the numbers and paths of files; when a rule is due, apply it to the files that are left.

        By role, whole directories that do not come first are kept for `iter_later`. The first paths
        are read one by one, the others in ever larger batches.
        """
        reader, size = self._part.reader.files, FIRST_PATHS
        while len(files):
            most = size
            if len(files) > FEW_FILES:  # few files are read sooner than a rule is applied
                files = self._narrow(files)
                files = self._pass_later(files) if by_role else files
                most = min([size, *(due - self._asked for due, _ in self._rules[:1])])
            piece, files = files[:most], files[most:]
            numbers = piece.tolist()
            paths: Iterable[str] = map(reader.read_path, numbers)
            if size > FIRST_PATHS:
                paths = reader.read_paths_of(piece)
            yield from zip(numbers, paths, strict=True)
            size *= 8

    def _narrow(self, files: I64) -> I64:
        while self._rules and self._asked >= self._rules[0][0]:
            _, find = self._rules.pop(0)
            mask = find()
            if mask is not None:
                self._masks.append(mask)
                files = files[mask[files]]
        return files

    def _pass_later(self, files: I64) -> I64:
        """Return the files after those in the first file's directory, if that directory comes later."""
        directory = ""
        if len(files):
            directory = find_later_directory(self._part.reader.files.read_path(int(files[0])))
        if not directory:
            return files
        end = int(np.searchsorted(files, _bisect_path(self._part.segment, directory + AFTER_SLASH)))
        self._later += files[:end].tolist()
        return files[end:]

    def _miss_neighbours(self) -> None:
        neighbours = self._part.memory.neighbours
        neighbours.were_missed |= not neighbours.is_known

    def _find_patiently(self, *, scans: bool) -> Mask:
        found = self._part.find_files(self._reading, patiently=True, scans=scans)
        if found.unscanned and not self._rules:  # An alternative beside a too common one needs all pages
            self._await_scan()
        mask = np.zeros(self._part.reader.file_count, dtype=np.bool_)
        mask[found.files] = True
        return mask

    def _await_scan(self) -> None:
        due = max(IMPATIENT_FILES, self._part.reader.terms.pages // PAGES_A_FILE)
        self._rules.append((due, partial(self._find_patiently, scans=True)))


def _select(part: SegmentCandidates, files: I64, wanted: PathFilter) -> I64:
    """Return those of the ascending files that are in the filter's directory and languages."""
    reader = part.reader
    if wanted.prefix:
        first = _bisect_path(part.segment, wanted.prefix)
        last = _bisect_path(part.segment, wanted.prefix[:-1] + AFTER_SLASH)
        files = files[np.searchsorted(files, first) : np.searchsorted(files, last)]
    if wanted.languages and len(files):
        is_named = np.array([name in wanted.languages for name in reader.language_names], dtype=np.bool_)
        files = files[is_named[reader.read_languages()[files]]]
    return files


def _bisect_path(segment: LiveSegment, path: str) -> int:
    """Return the number of the first file whose path is not before `path`."""
    files = segment.reader.files
    return bisect_left(range(files.count), path, key=files.read_path)
