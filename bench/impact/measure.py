"""Compare the impact of a commit's first file with the other files that the commit changed.

The tree is the commit's parent, with the first file as the commit left it; the diff is of that file alone. A
commit counts as found when at least one of its other files is among the first ten of a list.

The wanted files are source files that existed before and after, without tests: they are looked for in
`files`, and the tests that the commit changed in `tests`. For comparison there are lists by edges alone, and
by the words of the changed lines alone, as the text search ranks them.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.impact.checkout import Checkout
from repo_mcp.config.server_config import Config
from repo_mcp.graph.vocabulary import DEFAULT_IMPACT_DEPTH
from repo_mcp.impact.evidence import list_words, rank_files
from repo_mcp.repository import Repository
from repo_mcp.text.roles import is_test_path

FIRST = 10
TUNE, KEPT = HALVES = ("tune", "kept")
FULL, EDGES, WORDS, TESTS = LISTS = ("impact", "edges alone", "words alone", "tests")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that changed several source files."""

    id: str
    repo: str
    language: str
    name: str  # of the commit
    paths: tuple[str, ...]  # source files; the first is the one whose diff is given

    @property
    def half(self) -> str:
        """Return the half that the commit belongs to, by a hash of its id."""
        return HALVES[hashlib.sha256(self.id.encode()).digest()[0] & 1]


@dataclass(slots=True)
class Found:
    """The wanted files and the ranks, from 0, of those that a list has, by the name of the list."""

    commit: Commit
    wanted: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, list[int]] = field(default_factory=dict)

    def rate(self, name: str) -> float:
        """Return 1 by the place of the first wanted file, from 1; 0 where the list has none."""
        return 1 / (1 + self.ranks[name][0]) if self.ranks[name] else 0.0

    def count(self, name: str) -> int:
        """Return how many of the wanted files are among the first ten."""
        return sum(rank < FIRST for rank in self.ranks[name])


def read_commits(path: Path) -> list[Commit]:
    """Return the commits of a file of tasks that changed two source files or more, in its order."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Commit(row["id"], row["repo"], row["language"], row["commit"], tuple(row["gold"]))
        for row in rows
        if len(row["gold"]) > 1
    ]


def find_git_dir(mirror: Path, repository: str) -> Path | None:
    """Return the Git directory of "owner/name" below a directory of mirrors, or None."""
    place = mirror / repository.replace("/", "+") / "repo"
    found = (one for one in (place / ".git", place) if (one / "objects").is_dir())
    return next(found, None)


def measure(
    commits: Iterable[Commit], git_dirs: Mapping[str, Path], scratch: Path, report: list[str]
) -> Iterator[Found]:
    """Yield what is found of each commit, repository by repository. Missing repositories are reported."""
    of_repo: dict[str, list[Commit]] = {}
    for commit in commits:
        of_repo.setdefault(commit.repo, []).append(commit)
    for repo, own in of_repo.items():
        if repo not in git_dirs:
            report += [f"{one.id}: no repository" for one in own]
            continue
        checkout = Checkout(git_dirs[repo], scratch / "trees" / repo)
        config = Config(str(checkout.tree), data_dir=str(scratch / "data" / repo), watch=False)
        with closing(Repository(config)) as repository:
            for commit in own:
                try:
                    yield _measure(commit, checkout, repository)
                except subprocess.CalledProcessError:
                    report.append(f"{commit.id}: not in the repository")


def _measure(commit: Commit, checkout: Checkout, repository: Repository) -> Found:
    first, others = commit.paths[0], commit.paths[1:]
    checkout.move_to(f"{commit.name}^")
    checkout.write(first, checkout.run("show", f"{commit.name}:{first}"))
    repository.refresh()
    repository.symbol_index.build()
    repository.symbol_index.note_refresh()
    diff = checkout.run("diff", f"{commit.name}^", commit.name, "--", first).decode("utf-8", "replace")
    status = checkout.run("diff", "--name-status", "--no-renames", f"{commit.name}^", commit.name).decode()
    changed = [path for kind, _, path in (row.partition("\t") for row in status.splitlines()) if kind == "M"]
    impact = repository.engines.impact.find(diff, DEFAULT_IMPACT_DEPTH, lambda: False)
    words = rank_files(repository._index, list_words(row[1:] for row in diff.splitlines() if row[:1] in "+-"))
    ranked = [path for path in words if path != first and not is_test_path(path)]
    found = Found(commit)
    for name, paths, wanted in (
        (FULL, [one.path for one in impact.files], others),
        (EDGES, [one.path for one in impact.files if one.symbols], others),
        (WORDS, ranked, others),
        (TESTS, [one.path for one in impact.tests], [path for path in changed if is_test_path(path)]),
    ):
        found.wanted[name] = len(wanted)
        found.ranks[name] = sorted(paths.index(one) for one in wanted if one in paths)
    return found


def render_table(found: Sequence[Found]) -> Iterator[str]:
    """Yield the lines of a table: by half, and for all, of each list."""
    yield "| half | list | commits | with a file among the first 10 | MRR | files | among the first 10 |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for half in (*HALVES, "both"):
        some = [one for one in found if half in (one.commit.half, "both")]
        is_shown = len(some) > 0 and (half != "both" or len({one.commit.half for one in found}) > 1)
        for name in LISTS if is_shown else ():
            own = [one for one in some if one.wanted[name]]
            files, hits = sum(one.wanted[name] for one in own), sum(one.count(name) for one in own)
            any_hit = sum(one.count(name) > 0 for one in own)
            count = max(1, len(own))
            yield (
                f"| {half} | {name} | {len(own)} | {any_hit / count:.0%} |"
                f" {sum(one.rate(name) for one in own) / count:.2f} | {files} | {hits / max(1, files):.0%} |"
            )


def render_languages(found: Sequence[Found]) -> Iterator[str]:
    """Yield the lines of a table of the whole impact by language."""
    yield "| language | commits | with a file among the first 10 |"
    yield "|---|--:|--:|"
    for language in sorted({one.commit.language for one in found}):
        own = [one for one in found if one.commit.language == language]
        yield f"| {language} | {len(own)} | {sum(one.count(FULL) > 0 for one in own)} |"
