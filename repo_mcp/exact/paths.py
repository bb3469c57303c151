"""Lists the files to search: those that the index cannot rule out, and those that changed since.

They come in the order of their paths' bytes, lazily: a search that finds enough early asks for no more.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from index_format import FilesReader, LiveSegment, Snapshot
from repo_mcp.exact.file_bitmaps import FileBitmaps, ReadMany
from repo_mcp.exact.pattern_files import SegmentCandidates, SegmentFiles, SegmentMemory
from repo_mcp.exact.required_terms import PatternReading
from repo_mcp.indexing.tree_changes import ChangedFiles
from repo_mcp.languages.patterns.landmarks import Language
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import has_binary_extension
from repo_mcp.text.roles import is_test_path

I64 = npt.NDArray[np.int64]
IMPATIENT_FILES = 1_000  # read before a look-up that may take longer than reading them
FEW_FILES = 128  # read before looking up the punctuation beside words
FIRST_PATHS = 200  # of a segment, read one by one; all of the kernel's at once take 30 ms


class PathFilter:
    """Selects the files that a request is about, by path and language."""

    def __init__(
        self,
        request: ExactRequest,
        matches_glob: Callable[[str], bool] | None,
        extensions: Mapping[str, str] | None = None,
        include_extensions: Collection[str] = (),
    ) -> None:
        """Take the filters of a request, with the rules of the root.

        `extensions` maps file extensions to languages in place of the built-in ones. `include_extensions` has
        the only extensions that are indexed; empty: all are.
        """
        self.languages = frozenset(request.languages or filter(None, [request.language]))
        directory = (request.path_prefix or "").strip("/")
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
class Candidates:
    """The files that may match, in the order of their paths' bytes."""

    paths: Iterator[str]
    narrowed: bool  # False: in some segment, all files that pass the filter are candidates


class ExactSearcher:
    """Finds candidates in one snapshot. Safe for several threads."""

    def __init__(
        self,
        snapshot: Snapshot,
        before: ExactSearcher | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take over what the searcher of an earlier snapshot, `before`, has learnt of the same segments.

        Background work ends when `stopped` returns True.
        """
        self.snapshot = snapshot
        known: Mapping[str, SegmentMemory] = {} if before is None else before.memory
        self.memory: dict[str, SegmentMemory] = {
            part.name: known.get(part.name) or SegmentMemory(part.reader.terms, part.reader.files)
            for part in snapshot.segments
        }
        self._learning: dict[FileBitmaps, None] = {} if before is None else before._learning
        for ended in [one for one in tuple(self._learning) if one.join(0)]:
            self._learning.pop(ended, None)  # its results are dropped with its segment
        self._stopped = stopped
        self._segments = [SegmentCandidates(part, self.memory[part.name]) for part in snapshot.segments]

    def find_candidates(
        self, reading: PatternReading, wanted: PathFilter, changed: ChangedFiles | None
    ) -> Candidates:
        """Return files that may match by the index, and those changed since. Raises CorruptIndex."""
        streams: list[Iterator[str]] = []
        narrowed = True
        for part in self._segments:
            files = part.find_files(reading)
            narrowed = narrowed and files.narrowed
            streams.append(_iter_candidates(part, files, reading, wanted))
        if changed is not None:
            streams = [(path for path in stream if path not in changed.missing) for stream in streams]
            streams.append(filter(wanted.matches_unindexed, changed.present))
        # Strings compare by code point, which is the order of their UTF-8 bytes.
        merged = streams[0] if len(streams) == 1 else heapq.merge(*streams)
        return Candidates((path for path, _ in groupby(merged)), narrowed)

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


def _iter_files(part: SegmentCandidates, files: I64, wanted: PathFilter) -> Iterator[str]:
    """Yield the wanted paths among ascending files of a segment."""
    reader = part.reader
    if wanted.prefix:
        first = _bisect_path(part.segment, wanted.prefix)
        last = _bisect_path(part.segment, wanted.prefix[:-1] + chr(ord("/") + 1))
        files = files[np.searchsorted(files, first) : np.searchsorted(files, last)]
    if wanted.languages and len(files):
        is_named = np.array([name in wanted.languages for name in reader.language_names], dtype=np.bool_)
        files = files[is_named[reader.read_languages()[files]]]
    yield from filter(wanted.matches, _iter_paths(reader.files, files))


def _iter_candidates(
    part: SegmentCandidates, found: SegmentFiles, reading: PatternReading, wanted: PathFilter
) -> Iterator[str]:
    """Yield the paths of a segment's files that may match.

    The first files mostly contain enough matches. If they do not, the punctuation beside common words is
    looked up. If a run was passed over because it is too common, a patient look-up then rules out some of the
    other files.
    """
    files = found.files
    if reading.neighbours is not None and len(files) > FEW_FILES:
        yield from _iter_files(part, files[:FEW_FILES], wanted)
        files = files[FEW_FILES:]
        may_match = part.find_by_neighbours(reading)
        files = files if may_match is None else files[may_match[files]]
    if len(files) <= IMPATIENT_FILES:
        yield from _iter_files(part, files, wanted)
        return
    yield from _iter_files(part, files[:IMPATIENT_FILES], wanted)
    if reading.neighbours is not None:
        part.memory.neighbours.were_missed |= not part.memory.neighbours.is_known
    rest = files[IMPATIENT_FILES:]
    if found.passed_over:
        fewer = part.find_files(reading, patiently=True).files
        rest = fewer[np.isin(fewer, rest, assume_unique=True)]
    yield from _iter_files(part, rest, wanted)


def _iter_paths(reader: FilesReader, files: I64) -> Iterator[str]:
    """Yield the paths of files. The first ones are read one by one, the others in ever larger batches."""
    yield from map(reader.read_path, files[:FIRST_PATHS].tolist())
    first = FIRST_PATHS
    while first < len(files):
        yield from reader.read_paths_of(files[first : 8 * first])
        first *= 8


def _bisect_path(segment: LiveSegment, path: str) -> int:
    """Return the number of the first file whose path is not before `path`."""
    files = segment.reader.files
    return bisect_left(range(files.count), path, key=files.read_path)
