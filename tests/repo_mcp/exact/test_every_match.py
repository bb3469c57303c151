"""Exact search loses no match: its lines are those of a plain scan of every file by the same engine.

The tree has many small files of words that are nearly alike, and the expressions come from a grammar of all
that RE2 understands. A need that does not follow from the expression is missing in some line that matches.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.exact import file_bitmaps, pattern_files, pattern_texts
from repo_mcp.exact import search as exact_search
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository
from repo_mcp.text.lines import decode_source
from repo_mcp.workspace.globs import PathGlob
from tests.deep.sizes import examples
from tests.repo_mcp.exact.every_expression import every_expression, every_literal, write_adversarial_tree
from tests.repo_mcp.exact.learnt_neighbours import grow_old, learn_neighbours, use_neighbours

MANY = 100_000
_GLOBS = ["src/**", "*.py", "**/a*", "[[]x]/*", "a b/*", "*.{c,md}", "Src/*", "**/deep/*.*", "*[0-9].c"]
GLOBS = st.one_of(st.none(), st.none(), st.sampled_from(_GLOBS))


class Tree:
    """An indexed tree, and the normalised text of each of its files."""

    def __init__(self, repository: Repository, texts: dict[str, bytes]) -> None:
        self.repository = repository
        self.texts = texts

    def search(self, request: ExactRequest) -> set[tuple[str, int]]:
        """Return the lines that exact search finds."""
        answer = self.repository.search_exact(request)
        assert not answer.truncated
        assert not answer.warnings
        return {
            (one.path, line) for one in answer.matches for line in range(one.start_line, one.end_line + 1)
        }

    def scan(self, request: ExactRequest, matcher: LineMatcher) -> set[tuple[str, int]]:
        """Return the lines that the engine finds in every file, one after the other."""
        matcher._literal = None
        glob = None if request.file_glob is None else PathGlob(request.file_glob)
        return {
            (path, line)
            for path, data in self.texts.items()
            if glob is None or glob.matches(path)
            for match in matcher.iter_matches(data)
            for line in range(match.start_line, match.end_line + 1)
        }


@pytest.fixture(scope="module")
def tree() -> Iterator[Tree]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root = write_adversarial_tree(Path(folder) / "root")
        patch.setattr(pattern_files, "ENOUGH", -1)  # every run is looked up
        patch.setattr(pattern_texts, "MIN_OPEN_BYTES", 1)
        patch.setattr(pattern_texts, "MIN_ATOMS", 1)
        patch.setattr(file_bitmaps, "MIN_FILES", 1)
        patch.setattr(exact_search, "TIME_LIMIT_SECONDS", 600.0)
        use_neighbours(patch, 20)
        grow_old(patch)
        repository = Repository(load_config(str(root), data_dir=str(Path(folder) / "data")))
        repository.refresh()
        learn_neighbours(repository)
        searcher = repository.engines.exact._searcher
        assert searcher is not None
        for memory in searcher.memory.values():
            memory.bigrams.compute(repository.tree.read_many, lambda: False, gently=False)
        texts = {}
        for listed in repository.list_files(None, MANY, include_hidden=False).files:
            try:
                texts[listed.path] = decode_source((root / listed.path).read_bytes()).data
            except RepoError:
                continue  # binary
        assert len(texts) > 300
        yield Tree(repository, texts)
        repository.close()


def assert_same_lines(tree: Tree, request: ExactRequest) -> bool:
    """Compare both searches. Return whether the pattern is valid and matches."""
    try:
        matcher = LineMatcher(request)
    except RepoError:
        return False
    expected = tree.scan(request, matcher)
    assert sorted(tree.search(request)) == sorted(expected)
    return bool(expected)


slow = settings(
    max_examples=examples(5_000),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
)


@slow
@given(every_expression, st.booleans(), st.integers(0, 5), GLOBS)
def test_no_expression_loses_a_line(
    tree: Tree, pattern: str, case_sensitive: bool, word: int, glob: str | None
) -> None:
    request = ExactRequest(
        pattern, regex=True, case_sensitive=case_sensitive, whole_word=not word, file_glob=glob, limit=MANY
    )
    assert_same_lines(tree, request)


@slow
@given(every_literal, st.booleans(), st.booleans(), GLOBS)
def test_no_literal_loses_a_line(
    tree: Tree, pattern: str, case_sensitive: bool, whole_word: bool, glob: str | None
) -> None:
    request = ExactRequest(
        pattern, case_sensitive=case_sensitive, whole_word=whole_word, file_glob=glob, limit=MANY
    )
    assert_same_lines(tree, request)
