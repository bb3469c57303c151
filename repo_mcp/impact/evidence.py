"""The evidence that a file may have to change with others, by kind, and what each kind is worth.

Files that change together are not all bound by calls. A header goes with its source, a test with what it is
named after, and a file with others that have the rare names and words of the lines that change. Such evidence
is weaker than an edge, and is described in words. `bench/impact` measures what each is worth.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from heapq import nsmallest

from index_format import IndexFormatError
from repo_mcp.graph.graph import Graph
from repo_mcp.graph.name_uses import Meanings
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.similar import KEYWORDS
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.impact.records import Reached
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.live.look_ahead import Need
from repo_mcp.model import ExactAnswer, ExactRequest
from repo_mcp.ranking.query.query import MAX_TERMS, Query
from repo_mcp.text.analysis import PART, analyse_text
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.text.stop_words import FUNCTION_WORDS

RANKED_CHUNKS = 60  # best chunks for the words of a change: their files are evidence
RANKED_WORDS = 500  # different words that are analysed, at some 10 us each
MAX_NAMES = 300  # of the touched lines, which are looked up
RARE = 30  # a name that more files use, or declare, is no evidence
MAX_WRITTEN = 20  # names of changed symbols without edges, which are looked for in the text
MAX_HOLDING = 200  # files with such a name that are counted: those of a type narrow down those of its members
MOST_TESTS = 8  # tests with such a name if more than RARE files have it: those that have it most often
SHOWN_NAMES = 3  # of the names that a file shares
# A shared name is shown if at most 3 files have it, or a tenth of all: in small trees, RARE is most of them.
LEAST_FILES, SHOWN_SHARE = 3, 10
NAMED_LIKE = "named like"  # begins the reason for a file with the name of a changed one
WORDS_ALONE = "words in common"  # the reason for a file that nothing else speaks for
# Names of types that languages declare themselves, and words before declarations.
_BUILT_IN = """
    abstract any auto bigint boolean byte char decimal declare double extends final float global implements
    infer inout internal keyof long module mutable namespace native never nil nullptr number object operator
    out override package params readonly ref sealed short signed sizeof string symbol template throws trait
    typedef typeof undefined union unknown unsafe unsigned using virtual volatile where
"""
_NO_NAMES = frozenset({*FUNCTION_WORDS, *KEYWORDS, *_BUILT_IN.split()})  # common words and keywords
_SIZED = re.compile(r"u?int(?:_fast|_least)?(?:\d+|ptr|max)_t|s?size_t|ptrdiff_t|w?char(?:\d+)?_t")  # of C
_PART = re.compile(PART)
# Languages that use each other's modules or headers.
_SHARED = (("javascript", "typescript", "vue", "svelte"), ("c", "cpp"))
_NAME = re.compile(r"[^\W\d]\w{2,}")
_MARKS = re.compile(
    r"^(?:tests?|specs?)(?=[-_.])|[-_.](?:tests?|specs?)(?=$|[-_.])|(?<=[A-Za-z0-9])(?:Tests?|Spec|Suite)$"
)


class Signal(StrEnum):
    """A kind of evidence."""

    CALLS = "calls"
    TYPES = "types"  # inherits, implements, extends, overrides
    NAMES = "names"  # references, accepts
    IMPORTS = "imports"
    POSSIBLE = "possible"  # an edge of any type that is only possible
    FARTHER = "farther"  # over several edges
    TWIN = "twin"  # of the same name
    SHARES = "shares"  # has rare names of the touched lines
    ALIKE = "alike"  # ranks high for the words of the touched lines
    FOLDER = "folder"  # in the same folder


# The weight of one unit of evidence. Half or twice the weights of edges only change the order of the first
# ten files: as many of the 40 commits used for tuning have a file among them.
WEIGHTS: Mapping[Signal, float] = {
    Signal.CALLS: 2.0,
    Signal.TYPES: 3.0,
    Signal.NAMES: 2.0,
    Signal.IMPORTS: 1.5,
    Signal.POSSIBLE: 0.3,
    Signal.FARTHER: 0.6,
    Signal.TWIN: 1.5,
    Signal.SHARES: 0.8,
    Signal.ALIKE: 1.2,
    Signal.FOLDER: 0.5,
}
# Sums of many: their logarithm counts.
_DAMPED = frozenset({*Signal} - {Signal.TWIN, Signal.ALIKE, Signal.FOLDER})
_OF_ROLES = {
    FileRole.CODE: 1.0,
    FileRole.TEST: 1.0,
    FileRole.STYLE: 1.0,  # changed with the page that it is for
    FileRole.CONFIG: 0.6,
    FileRole.DOCS: 0.3,
}
_BESIDE = frozenset({FileRole.CONFIG, FileRole.DOCS})
_FOREIGN = 0.2  # vendored or generated: seldom changed by hand
_OF_TYPES = {
    EdgeType.CALLS: Signal.CALLS,
    EdgeType.IMPORTS: Signal.IMPORTS,
    **dict.fromkeys((EdgeType.REFERENCES, EdgeType.ACCEPTS), Signal.NAMES),
    **dict.fromkeys(
        (EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.OVERRIDES), Signal.TYPES
    ),
}


class Evidence:
    """The evidence that is found, by file."""

    def __init__(self) -> None:
        self._amounts: dict[str, dict[Signal, float]] = {}
        self._shared: dict[str, dict[str, float]] = {}
        self._twins: dict[str, str] = {}
        self._most_files = LEAST_FILES  # files that may have a name which is shown

    def _note(self, path: str, signal: Signal, amount: float) -> None:
        own = self._amounts.setdefault(path, {})
        own[signal] = own.get(signal, 0.0) + amount

    def list_paths(self) -> list[str]:
        """Return the files with more evidence than a shared folder, ascending."""
        return sorted(path for path, own in self._amounts.items() if own.keys() - {Signal.FOLDER})

    def weigh(self, path: str) -> float:
        """Return what the evidence for a file is worth."""
        total = sum(
            WEIGHTS[signal] * (math.log1p(amount) if signal in _DAMPED else amount)
            for signal, amount in sorted(self._amounts.get(path, {}).items())
        )
        return round(total * _OF_ROLES.get(find_role(path), _FOREIGN), 6)

    def explain(self, path: str) -> list[str]:
        """Return the evidence for a file other than edges, in words."""
        own = self._amounts.get(path, {})
        twin = self._twins.get(path)
        reasons = [] if twin is None else [f"{NAMED_LIKE} `{twin.rpartition('/')[2]}`"]
        shared = self._shared.get(path, {})
        rare = [name for name in shared if shared[name] * self._most_files >= 1]
        if rare:
            best = sorted(rare, key=lambda name: (-shared[name], name))[:SHOWN_NAMES]
            reasons.append(f"names in common: {', '.join(f'`{name}`' for name in best)}")
        elif Signal.ALIKE in own or (shared and not reasons):
            reasons.append(WORDS_ALONE)
        return reasons

    def note_reached(self, reached: Iterable[Reached]) -> None:
        """Record edges. A symbol that few files depend on says more about each of them."""
        of_source: dict[tuple[tuple[str, ...], Signal], set[str]] = {}
        for one in reached:
            signal = _OF_TYPES[one.edge_type]
            if one.confidence is Confidence.POSSIBLE:
                signal = Signal.POSSIBLE
            elif one.distance > 1:
                signal = Signal.FARTHER
            of_source.setdefault((one.via, signal), set()).add(one.node.path)
        for (_, signal), paths in sorted(of_source.items()):
            for path in sorted(paths):
                self._note(path, signal, 1 / math.sqrt(len(paths)))

    def note_names(self, graph: Graph, words: Sequence[str], changed: Iterable[str]) -> None:
        """Record files in the languages of the changed ones that have rare names among some words.

        A name of a single word, such as `shared`, says nothing: each file means something else by it.
        One that is used everywhere, such as `is_empty`, is evidence only if a single file declares it.
        A file counts only if it may mean by the name what a changed file means.
        """
        changed = list(changed)
        joined = (word for word in dict.fromkeys(words) if len(_PART.findall(word)) > 1)
        names = [word for word in joined if word not in _NO_NAMES and not _SIZED.fullmatch(word)]
        languages = {_name_language(path) for path in changed}
        for name in names[:MAX_NAMES]:
            rare = graph.name_uses.list_rare(name, RARE)
            if any(len(paths) > 1 for paths in rare) and graph.name_uses.count_using(name) > RARE:
                continue
            meant = [graph.name_uses.find_meanings(one, name) for one in changed]
            for paths in rare:
                for path in (path for path in paths if _name_language(path) in languages):
                    if path not in changed and _means_another(graph, name, path, meant):
                        continue
                    self._note(path, Signal.SHARES, 1 / len(paths))
                    own = self._shared.setdefault(path, {})
                    own[name] = max(own.get(name, 0.0), 1 / len(paths))

    def note_written(
        self, names: Iterable[str], search: Callable[[ExactRequest], ExactAnswer], changed: Iterable[str]
    ) -> None:
        """Record files that have the names of changed symbols to which no edge can lead, as words.

        A member with a common name counts where the name of its type stands, too, and in the tests that have
        it most often. If only changed files have its name, its type's counts. Raises as the search does.
        """
        own = {*changed}
        for name in [*dict.fromkeys(names)][:MAX_WRITTEN]:
            owner, _, word = name.rpartition(".")
            owner = owner.rpartition(".")[2]
            counts = _count_holding(word, search)
            if owner and own >= counts.keys():
                owner, word, counts = "", owner, _count_holding(owner, search)
            paths = {*counts}
            if len(paths) > RARE and owner:
                paths &= {*_count_holding(owner, search)}
            if len(paths) > RARE:
                continue
            if RARE < len(counts) < MAX_HOLDING:
                tests = [path for path in counts if find_role(path) is FileRole.TEST]
                paths |= {*nsmallest(MOST_TESTS, tests, key=lambda path: (-counts[path], path))}
            for path in sorted(paths):
                self._note(path, Signal.NAMES, 1 / math.sqrt(len(paths)))
                self._shared.setdefault(path, {})[word] = 1.0  # shown, however many files have it

    def note_neighbours(
        self, paths: Iterable[str], changed: Iterable[str], *, only_near: bool = False
    ) -> None:
        """Record files with the same name as a changed one in any folder, and files in its folder.

        With `only_near`, code with the same ending in another folder is none: it does the same for others.
        """
        of_stem: dict[str, list[str]] = {}
        of_folder: dict[str, list[str]] = {}
        for path in paths:
            of_stem.setdefault(find_stem(path), []).append(path)
            of_folder.setdefault(path.rpartition("/")[0], []).append(path)
        self._most_files = max(LEAST_FILES, sum(map(len, of_folder.values())) // SHOWN_SHARE)
        for path in changed:
            folder = of_folder.get(path.rpartition("/")[0], [])
            named = of_stem.get(find_stem(path), [])
            alike = [one for one in named if one in folder or _may_be_twins(one, path)]
            if only_near:
                alike = [one for one in alike if one in folder or not _does_the_same(one, path)]
            for signal, near in ((Signal.TWIN, alike), (Signal.FOLDER, folder)):
                others = [one for one in near if one != path]
                for one in others if signal is Signal.FOLDER or len(others) <= RARE else ():
                    self._note(one, signal, 1 / len(others))
                    if signal is Signal.TWIN:
                        self._twins.setdefault(one, path)

    def note_alike(self, scores: Mapping[str, float], changed: Iterable[str]) -> None:
        """Record files that share words with the touched lines, with scores from 0 to 1.

        Words of another language than those of the changed files mean something else.
        """
        languages = {_name_language(path) for path in changed}
        for path, score in scores.items():
            if _name_language(path) in languages:
                self._note(path, Signal.ALIKE, score)


def _means_another(graph: Graph, name: str, path: str, meant: Sequence[Meanings]) -> bool:
    """Return whether a file means something else by a name than each changed file."""
    known = [one for one in meant if one.imported or one.declared]
    own = graph.name_uses.find_meanings(path, name) if known else None
    return own is not None and all(one.differ(own) for one in known)


def _count_holding(name: str, search: Callable[[ExactRequest], ExactAnswer]) -> dict[str, int]:
    """Return how often each file has a name as a word, of those that do."""
    request = ExactRequest(name, whole_word=True, limit=MAX_HOLDING, detail="files", names_snapshot=False)
    return dict(search(request).files)


def _name_language(path: str) -> str:
    """Return the language of a file; of those that share headers or modules, the first."""
    name = find_language(path).name
    return next((names[0] for names in _SHARED if name in names), name)


def _may_be_twins(one: str, other: str) -> bool:
    """Return False for code in one folder and a document or a configuration in another."""
    return (find_role(one) in _BESIDE) == (find_role(other) in _BESIDE)


def _does_the_same(one: str, other: str) -> bool:
    """Return True for two files of code with the same ending, neither of which is a test."""
    is_code = find_role(one) is find_role(other) is FileRole.CODE
    return is_code and one.rpartition(".")[2] == other.rpartition(".")[2]


def find_stem(path: str) -> str:
    """Return a file's name without its extensions and the marks of a test, in lower case."""
    stem = path.rpartition("/")[2].partition(".")[0]
    folded = stem.lower()
    # This is asked of all paths: those of the kernel took 160 ms of the expression.
    if "test" not in folded and "spec" not in folded and "suite" not in folded:
        return folded.strip("-_") or folded
    return _MARKS.sub("", stem).strip("-_").lower() or folded


def list_words(lines: Iterable[str]) -> list[str]:
    """Return the identifiers and words of some lines, in order and with repetitions."""
    return [word for line in lines for word in _NAME.findall(line)]


def rank_files(index: LiveIndex, words: Sequence[str]) -> Mapping[str, float]:
    """Return the files that rank best for the commonest of some words, with scores from 0 to 1.

    Raises INDEX_UNAVAILABLE.
    """
    counts: Counter[str] = Counter()
    for word, times in Counter(words).most_common(RANKED_WORDS):
        counts.update(dict.fromkeys(analyse_text(word), times))
    query = Query(terms=[term for term, _ in counts.most_common(MAX_TERMS)])
    try:
        chunks = index.get_searcher(fresh=True, need=Need(" ".join(words))).rank(query, RANKED_CHUNKS).chunks
    except IndexFormatError as error:
        raise index.report_damage() from error
    best: dict[str, float] = {}
    for chunk in chunks:
        best.setdefault(chunk.path, chunk.score / chunks[0].score)
    return best
