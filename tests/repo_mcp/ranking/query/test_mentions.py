"""Which indexed files a prompt's paths mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.mentions import MAX_MEANT, SOURCE_SHARE, resolve_mentions
from repo_mcp.ranking.scoring import live_terms
from repo_mcp.text.analysis import analyse_text
from tests.repo_mcp.indexed_roots import open_indexed

PATHS = [
    "README.md",
    "lib/a/__init__.py",
    "lib/a/util.py",
    "lib/b/__init__.py",
    "lib/b/util.py",
    "lib/ledger/__init__.py",
    "net/Vault.Core/Key.cs",
    "src/ledger/book.py",
    "web/index.ts",
    *(f"p{number}/setup.py" for number in range(MAX_MEANT + 1)),
]


def find_paths(terms: Iterable[str]) -> list[str]:
    """Return the slow clear version of the index's answer."""
    wanted = set(terms)
    return [path for path in sorted(PATHS) if wanted <= set(analyse_text(path))] if wanted else []


def meant(text: str, kind: ClueKind = ClueKind.PATH) -> list[str]:
    return [one.path for one in resolve_mentions([Clue(kind, text)], find_paths)]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("src/ledger/book.py", ["src/ledger/book.py"]),
        ("book.py", ["src/ledger/book.py"]),
        ("ledger/book.py", ["src/ledger/book.py"]),
        ("/home/u/app/src/ledger/book.py", ["src/ledger/book.py"]),
        ("/elsewhere/ledger/book.py", ["src/ledger/book.py"]),  # two components agree
        ("/elsewhere/other/book.py", []),  # one does not count for a path of several
        ("a/util.py", ["lib/a/util.py"]),
        ("util.py", ["lib/a/util.py", "lib/b/util.py"]),
        ("setup.py", []),  # may mean more files than say anything
        ("README.md", ["README.md"]),
        ("/any/README.md", ["README.md"]),  # all components of the indexed path agree
        ("ledger.book", ["src/ledger/book.py"]),
        ("lib.ledger", ["lib/ledger/__init__.py"]),
        ("no/such/file.py", []),
        ("..", []),
        ("BOOK.py", []),  # case tells two paths apart
    ],
)
def test_a_path_means_what_agrees_from_its_end_on(text: str, paths: list[str]) -> None:
    assert meant(text) == paths
    assert meant(text, ClueKind.FRAME) == paths


def test_a_path_that_may_mean_several_files_counts_for_each_in_part() -> None:
    assert [one.share for one in resolve_mentions([Clue(ClueKind.PATH, "util.py")], find_paths)] == [0.5, 0.5]


def test_a_frame_in_a_built_script_means_its_source_without_the_line() -> None:
    def find_sources(terms: Iterable[str]) -> list[str]:
        paths = ["src/plugin/undo/index.js", "src/steps.ts", "types/plugin/undo.d.ts", "lib/steps.py"]
        paths += ["docs/plugin/undo.md", "test/plugin/undo.test.js", "steps.css", "src/steps.test.ts"]
        return [path for path in paths if set(terms) <= set(analyse_text(path))]

    for built, path in (
        ("/srv/node_modules/ledger/plugin/undo.js", "src/plugin/undo/index.js"),
        ("undo.js", "src/plugin/undo/index.js"),
        ("/srv/ledger/src/steps.mjs", "src/steps.ts"),
    ):
        frame = Clue(ClueKind.FRAME, built, 1, "run")
        (one,) = resolve_mentions([frame], find_sources)
        assert (one.path, one.clue.line, one.clue.name) == (path, None, "run")
        assert one.share == SOURCE_SHARE
        assert resolve_mentions([Clue(ClueKind.PATH, built)], find_sources) == ()


def test_a_type_that_a_frame_names_means_its_file_with_dots_in_folders() -> None:
    assert meant("Vault.Core.Key", ClueKind.FRAME) == ["net/Vault.Core/Key.cs"]
    assert meant("System.Key", ClueKind.FRAME) == []


def test_words_mean_no_files() -> None:
    assert resolve_mentions([Clue(ClueKind.WORD, "book"), Clue(ClueKind.SYMBOL, "book")], find_paths) == ()


def test_no_more_paths_are_looked_at_than_are_too_many() -> None:
    def find_many(_terms: Iterable[str]) -> Iterator[str]:
        yield from (f"p{number}/setup.py" for number in range(MAX_MEANT + 1))
        pytest.fail("another path was looked at")

    assert resolve_mentions([Clue(ClueKind.PATH, "setup.py")], find_many) == ()  # type: ignore[arg-type]


def test_paths_are_found_by_all_their_terms_in_every_segment(tmp_path: Path) -> None:
    with open_indexed(tmp_path / "root", dict.fromkeys(PATHS, "one line\n")) as repository:
        (tmp_path / "root" / "lib" / "b" / "util.py").write_text("changed\n")
        (tmp_path / "root" / "README.md").unlink()
        repository.refresh()
        snapshot = repository._index.get_searcher().snapshot
        assert len(snapshot.segments) == 2
        for text in ("util.py", "__init__.py", "lib/ledger", "setup", "README", "absent", "lib absent", ""):
            wanted = [path for path in find_paths(analyse_text(text)) if path != "README.md"]
            assert live_terms.find_paths(snapshot, analyse_text(text)) == wanted
