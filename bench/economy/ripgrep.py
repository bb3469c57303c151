"""An agent with ripgrep and sed, at its best: rare words first, then windows of the best files.

The numbers below are the best of those tried on the open half of both sets of tasks.

It has advantages that no agent has: it knows for free how rare each word is in the tree, never asks for words
without a match, and sees no line twice. A query that is a name is first looked for as a declaration.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.economy.evidence import Line, Step
from bench.quality.metrics import TEST_PATH

MOST_WORDS = 24  # of one query, the longest first: the rest are words of any sentence
MOST_LINES = 15  # of one search, as `| head` would cut it
MOST_COLUMNS = 200
WORDS_A_ROUND = 2
FILES_A_ROUND = 3
WINDOWS_A_FILE = 2
WINDOW_LINES = 40
LAST_FILES = 20  # after all words: further windows of so many files, then whole files
LAST_WINDOWS = 6
READ_LINES = 200  # of one sed when whole files are read
SIDE_ENDINGS = (
    ".md",
    ".rst",
    ".txt",
    ".json",
    ".yml",
    ".yaml",
    ".toml",
    ".xml",
    ".html",
    ".css",
    ".lock",
    ".conf",
)
DECLARING = r"\b(class|def|fn|func|function|struct|interface|trait|enum|type|module|const|let|var)\s+"
_STOP_WORD = re.compile(
    "the|and|for|not|with|that|this|from|are|was|has|have|when|where|which|what|how|its|into|instead|only|also|"
    "then|than|but|can|should|does|used?|using|fix(es|ed)?|add(s|ed)?|removed?|makes?"
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_FOUND = re.compile(r"(\d+):(.*)")


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """The program, and the tree that it searches."""

    program: str
    root: Path

    def find(self, pattern: str, *options: str) -> dict[Line, str]:
        """Return every line with a match, in the order that `rg --heading -n --sort path` prints them."""
        command = [self.program, "--no-config", "--no-require-git", "--heading", "-n", "--sort", "path"]
        command += ["-g", "!__pycache__", f"-M{MOST_COLUMNS}", *options, "-e", pattern, "."]
        done = subprocess.run(command, cwd=self.root, capture_output=True, check=False)
        if done.returncode > 1:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode('utf-8', 'replace')}")
        return _parse(done.stdout.decode("utf-8", "replace"))

    def read(self, path: str, first: int, last: int) -> Step:
        """Return what `sed -n FIRST,LASTp` prints of a file."""
        lines = (self.root / path).read_bytes().split(b"\n")
        if not lines[-1]:
            lines.pop()
        shown = {
            (path, at): text.decode("utf-8", "replace")
            for at, text in enumerate(lines[first - 1 : last], first)
        }
        return Step(sum(len(text) + 1 for text in lines[first - 1 : last]), shown)


def find_program() -> str | None:
    """Return the path of ripgrep; None where it is not installed."""
    return shutil.which("rg")


def _parse(output: str) -> dict[Line, str]:
    found: dict[Line, str] = {}
    path = ""
    for line in output.split("\n"):
        match = _FOUND.match(line)
        if match and path:
            found[path, int(match[1])] = match[2]
        elif line and not match:
            path = line.removeprefix("./")
        else:
            path = path if line else ""
    return found


def list_words(query: str) -> list[str]:
    """Return the words worth searching for, the longest first."""
    words = {word.lower(): word for word in _WORD.findall(query)}
    kept = [word for low, word in words.items() if not _STOP_WORD.fullmatch(low)]
    return sorted(kept, key=lambda word: (-len(word), word))[:MOST_WORDS]


def follow_ripgrep(rg: Ripgrep, query: str) -> Iterator[Step]:
    """Yield the outputs of one task, until there is nothing more to read."""
    matches = {word: rg.find(word, "-i", "-F") for word in list_words(query)}
    words = sorted((word for word in matches if matches[word]), key=lambda word: (len(matches[word]), word))
    seen: set[Line] = set()
    asked: list[str] = []
    if query.isidentifier():
        yield from _look_up(rg, query, seen)
    for at in range(0, len(words), WORDS_A_ROUND):
        for word in words[at : at + WORDS_A_ROUND]:
            asked.append(word)
            yield _show(matches[word], seen)
        found = {word: matches[word] for word in asked}
        for path in rank_files(found)[:FILES_A_ROUND]:
            yield from _read_windows(rg, path, found, seen, WINDOWS_A_FILE)
    ranked = rank_files({word: matches[word] for word in words})
    for path in ranked[:LAST_FILES]:
        yield from _read_windows(rg, path, matches, seen, LAST_WINDOWS)
    for path in ranked:
        yield from _read_whole(rg, path)


def _look_up(rg: Ripgrep, name: str, seen: set[Line]) -> Iterator[Step]:
    declared = rg.find(DECLARING + re.escape(name) + r"\b")
    if declared:
        yield _show(declared, seen)
        for path, number in list(declared)[:FILES_A_ROUND]:
            yield _remember(rg.read(path, number, number + WINDOW_LINES - 1), seen)


def _show(found: Mapping[Line, str], seen: set[Line]) -> Step:
    """Return the output of a search, cut after so many lines."""
    lines = dict(list(found.items())[:MOST_LINES])
    files = {path for path, _ in lines}
    size = sum(len(path.encode()) + 2 for path in files)
    size += sum(len(f"{number}:{text}\n".encode()) for (_, number), text in lines.items())
    return _remember(Step(size, lines), seen)


def _remember(step: Step, seen: set[Line]) -> Step:
    seen.update(step.lines)
    return step


def is_side_file(path: str) -> bool:
    """Return whether a path is a test, a document or data, where no agent looks first."""
    return TEST_PATH.search(path) is not None or path.endswith(SIDE_ENDINGS)


def rank_files(found: Mapping[str, Mapping[Line, str]]) -> list[str]:
    """Code first, then tests and documents; by the number of words that they have, of lines, and by path."""
    words: dict[str, set[str]] = {}
    lines: dict[str, int] = {}
    for word, matched in found.items():
        for path, _ in matched:
            words.setdefault(path, set()).add(word)
            lines[path] = lines.get(path, 0) + 1
    return sorted(words, key=lambda path: (is_side_file(path), -len(words[path]), -lines[path], path))


def _read_windows(
    rg: Ripgrep, path: str, found: Mapping[str, Mapping[Line, str]], seen: set[Line], most: int
) -> Iterator[Step]:
    """Yield the windows of a file that hold the most matches nobody has read around yet."""
    numbers = sorted({number for matched in found.values() for one, number in matched if one == path})
    for _ in range(most):
        numbers = [number for number in numbers if not _is_read(path, number, seen)]
        if not numbers:
            return
        first = max(1, _choose_window(numbers))
        yield _remember(rg.read(path, first, first + WINDOW_LINES - 1), seen)


def _is_read(path: str, number: int, seen: set[Line]) -> bool:
    """Return whether the neighbours of a line were shown as well, so that its window has been read."""
    return {(path, number), (path, number + 1)} <= seen and ((path, number - 1) in seen or number == 1)


def _choose_window(numbers: Sequence[int]) -> int:
    """Return the first line of the window that holds most of the numbers, centred on them."""
    spans = [[one for one in numbers if number <= one < number + WINDOW_LINES] for number in numbers]
    best = max(spans, key=len)
    return best[0] - (WINDOW_LINES - (best[-1] - best[0] + 1)) // 2


def _read_whole(rg: Ripgrep, path: str) -> Iterator[Step]:
    first = 1
    while (step := rg.read(path, first, first + READ_LINES - 1)).lines:
        yield step
        first += READ_LINES
