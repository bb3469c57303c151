"""Exact search of a repository: what a plain reading of its files finds, whatever the index says."""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from index_format import terms
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact import candidate_files, pattern_files
from repo_mcp.exact import search as exact_search
from repo_mcp.exact.pattern_files import SegmentCandidates, SegmentFiles
from repo_mcp.exact.required_terms import PatternReading, Run
from repo_mcp.exact.shown_matches import CUT_LINE_CHARS
from repo_mcp.exact.term_finder import FoundTerms, TermFinder
from repo_mcp.live import tree_look
from repo_mcp.model import ExactAnswer, ExactRequest, SearchRequest
from repo_mcp.record_classes import replace
from repo_mcp.repository import Repository
from repo_mcp.text.lines import decode_source, split_lines
from repo_mcp.text.roles import order_by_role
from tests.deep.sizes import choose, first
from tests.growth import HANG_SECONDS
from tests.no_threads import no_threads
from tests.repo_mcp.exact.learnt_neighbours import learn_neighbours, use_neighbours
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.trees import WORDS, add_file

LONG_NAME = "x" * 150

FILES = {
    "a.py": "alpha = 1\nbeta = alpha\n",
    "src/b.py": "def alpha_beta():\n    return gamma\n\nalphabet = 2\n",
    "src/deep/c.ts": "let delta = 'ALPHA';\r\nlet e = 1;\r\n",
    "src/deep-er/d.py": "alpha()\n",
    "tests/test_a.py": "assert alpha\n",
    "docs/guide.md": "# Alpha guide\n\nalpha, beta.\nSee \u017ftra\u00dfe and \u212aelvin.\n",
    "long.txt": f"{LONG_NAME}alpha\n{'y' * 1000} alpha {'z' * 1000}\n",
    "latin.c": "/* caf\u00e9 alpha */\n",
    "wide.txt": "alpha in utf-16\n",
    ".gitignore": "build/\n",
    "build/out.py": "alpha = 'ignored'\n",
    ".env": "alpha=secret\n",
    ".hidden/x.py": "alpha = 'hidden'\n",
    "data.weird": "\0alpha\n",
    "picture.png": "alpha\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path, text in FILES.items():
        codec = {"latin.c": "latin-1", "wide.txt": "utf-16"}.get(path, "utf-8")
        write(root, path, text.encode(codec))
    return root


def write(root: Path, path: str, data: bytes | str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data if isinstance(data, bytes) else data.encode())


@pytest.fixture
def repository(root: Path) -> Iterator[Repository]:
    with open_indexed(root) as repository:
        yield repository


def list_lines(answer: ExactAnswer) -> list[tuple[str, int]]:
    return [(one.path, one.start_line) for one in answer.matches]


def test_matches_stand_in_order_of_path_and_line(repository: Repository) -> None:
    answer = repository.search_exact(ExactRequest("alpha"))
    assert list_lines(answer) == [
        ("a.py", 1),
        ("a.py", 2),
        ("docs/guide.md", 3),
        ("latin.c", 1),
        ("long.txt", 1),
        ("long.txt", 2),
        ("src/b.py", 1),
        ("src/b.py", 4),
        ("src/deep-er/d.py", 1),
        ("tests/test_a.py", 1),
        ("wide.txt", 1),
    ]
    assert (answer.total, answer.total_is_lower_bound, answer.truncated) == (11, False, False)
    assert dict(answer.files)["src/b.py"] == 2
    assert answer.warnings == ()
    assert not answer.scanned
    assert answer.snapshot == repository.status().snapshot


def test_what_a_match_shows(repository: Repository) -> None:
    first = repository.search_exact(ExactRequest("gamma", context_lines=2)).matches[0]
    assert (first.path, first.start_line, first.end_line, first.start_column) == ("src/b.py", 2, 2, 12)
    assert first.line == "    return gamma"
    assert (first.before, first.after) == (("def alpha_beta():",), ("", "alphabet = 2"))
    (latin,) = repository.search_exact(ExactRequest("alpha", file_glob="latin.c")).matches
    assert (latin.start_column, latin.line) == (9, "/* caf\ufffd alpha */")
    (typescript,) = repository.search_exact(ExactRequest("ALPHA", context_lines=1)).matches
    assert (typescript.line, typescript.after) == ("let delta = 'ALPHA';", ("let e = 1;",))


def test_no_line_is_shown_behind_the_last(repository: Repository, root: Path) -> None:
    (root / "ends.txt").write_text("omega\nnear\n")
    (root / "open.txt").write_text("omega\n\nnear")
    repository.refresh()
    ends, unended = repository.search_exact(ExactRequest("omega", context_lines=9)).matches
    assert (ends.path, ends.before, ends.after) == ("ends.txt", (), ("near",))
    assert (unended.path, unended.before, unended.after) == ("open.txt", (), ("", "near"))
    near = repository.search_exact(ExactRequest("near", context_lines=9)).matches
    assert [(one.before, one.after) for one in near] == [(("omega",), ()), (("omega", ""), ())]


def test_long_lines_are_cut_around_the_match(repository: Repository) -> None:
    match = repository.search_exact(ExactRequest("alpha", file_glob="long.txt")).matches[1]
    assert match.start_column == 1002
    assert len(match.line) == CUT_LINE_CHARS + 2
    assert match.line.startswith("…y")
    assert " alpha z" in match.line
    assert match.line.endswith("z…")


def test_a_long_match_is_whole_where_a_line_of_its_length_would_be(repository: Repository) -> None:
    def show(pattern: str) -> str:
        request = ExactRequest(pattern, file_glob="long.txt", regex=True)
        return repository.search_exact(request).matches[-1].line

    assert show("alpha z{300}").endswith(" alpha " + "z" * 300 + "…")
    assert show("alpha z{60}") == show("alpha")
    assert len(show("alpha z*")) == CUT_LINE_CHARS + 2


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (ExactRequest("ALPHA", case_sensitive=False, file_glob="docs/**"), [1, 3]),
        (ExactRequest("alpha", whole_word=True, file_glob="src/b.py"), []),
        (ExactRequest("strasse", case_sensitive=False), []),
        (ExactRequest("STRA\u00dfE", case_sensitive=False), [4]),
        (ExactRequest("kelvin", case_sensitive=False), [4]),
        (ExactRequest("guide\n\nalpha"), [1]),
        (ExactRequest(r"guide\s+alpha", regex=True), []),
        (ExactRequest(r"guide\n+alpha", regex=True), [1]),
        (ExactRequest(r"^\s*return\b", regex=True), [2]),
        (ExactRequest("alpha", language="typescript"), []),
        (ExactRequest("alpha", language="markdown"), [3]),
        (ExactRequest("alpha", path_prefix="src/deep"), []),
        (ExactRequest("alpha", path_prefix="/src/"), [1, 4, 1]),
        (ExactRequest("alpha", path_prefix="src/deep-er"), [1]),
        (ExactRequest("assert alpha", include_tests=False), []),
        (ExactRequest("assert alpha"), [1]),
    ],
)
def test_lines_found(repository: Repository, request_: ExactRequest, found: list[int]) -> None:
    assert [one.start_line for one in repository.search_exact(request_).matches] == found


def test_a_match_of_several_lines_has_both_ends(repository: Repository) -> None:
    (match,) = repository.search_exact(ExactRequest("1\nbeta")).matches
    assert (match.path, match.start_line, match.end_line, match.start_column, match.line) == (
        "a.py",
        1,
        2,
        9,
        "alpha = 1",
    )


def test_nothing_denied_ignored_hidden_or_binary_is_searched(repository: Repository) -> None:
    for word in ("secret", "ignored", "hidden"):
        assert repository.search_exact(ExactRequest(word)).total == 0
    assert "data.weird" not in dict(repository.search_exact(ExactRequest("alpha", detail="files")).files)


def test_limits_and_totals(repository: Repository) -> None:
    cut = repository.search_exact(ExactRequest("alpha", limit=2))
    assert list_lines(cut) == [("a.py", 1), ("a.py", 2)]
    assert (cut.total, cut.total_is_lower_bound, cut.truncated) == (2, True, True)
    inside = repository.search_exact(ExactRequest("alpha", limit=1, file_glob="a.py"))
    assert (len(inside.matches), inside.total, inside.total_is_lower_bound, inside.truncated) == (
        1,
        2,
        False,
        True,
    )
    exactly = repository.search_exact(ExactRequest("alpha", limit=2, file_glob="a.py"))
    assert (exactly.total, exactly.total_is_lower_bound, exactly.truncated) == (2, False, False)


def test_files_alone_and_the_count_alone(repository: Repository) -> None:
    files = repository.search_exact(ExactRequest("alpha", detail="files", limit=3))
    assert files.files == (("a.py", 2), ("docs/guide.md", 1), ("latin.c", 1))
    assert (files.matches, files.truncated) == ((), True)
    count = repository.search_exact(ExactRequest("alpha", detail="count", limit=1))
    assert (count.matches, count.total, count.total_is_lower_bound, count.truncated) == ((), 11, False, False)


@pytest.mark.parametrize(
    ("request_", "argument"),
    [
        (ExactRequest("a", detail="lines"), "detail"),
        (ExactRequest("a", limit=0), "limit"),
        (ExactRequest("a", context_lines=51), "context_lines"),
        (ExactRequest("a", context_lines=-1), "context_lines"),
        (ExactRequest(""), "pattern"),
        (ExactRequest("(", regex=True), "pattern"),
    ],
)
def test_what_cannot_be_asked(repository: Repository, request_: ExactRequest, argument: str) -> None:
    with pytest.raises(RepoError) as caught:
        repository.search_exact(request_)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert caught.value.details["argument"] == argument


def test_without_an_index_it_says_so(root: Path) -> None:
    repository = Repository(load_config(str(root)))
    with pytest.raises(RepoError) as caught:
        repository.search_exact(ExactRequest("alpha"))
    repository.close()
    assert caught.value.code is ErrorCode.INDEX_UNAVAILABLE


def test_a_pattern_without_a_run_is_looked_for_everywhere(repository: Repository) -> None:
    answer = repository.search_exact(ExactRequest("= 1"))
    assert list_lines(answer) == [("a.py", 1), ("src/deep/c.ts", 2)]
    answer = repository.search_exact(ExactRequest("[=,]", regex=True))
    assert answer.scanned
    assert answer.total == 6


# Changes since the last refresh


def test_files_changed_added_and_deleted_are_searched_as_they_are(root: Path, repository: Repository) -> None:
    assert repository.search_exact(ExactRequest("zeta_new")).total == 0
    write(root, "a.py", "zeta_new = 1\n")  # indexed without the word
    write(root, "src/aa/new.py", "zeta_new()\n")  # not indexed at all
    (root / "tests/test_a.py").unlink()
    answer = repository.search_exact(ExactRequest("zeta_new"))
    assert list_lines(answer) == [("a.py", 1), ("src/aa/new.py", 1)]
    assert list_lines(repository.search_exact(ExactRequest("alpha", include_tests=True)))[0] == (
        "docs/guide.md",
        3,
    )
    assert repository.search_exact(ExactRequest("assert alpha")).total == 0


def test_an_edit_that_keeps_size_and_times_right_after_a_refresh_is_found(
    root: Path, repository: Repository
) -> None:
    before = (root / "a.py").stat()
    write(root, "a.py", "gamma = 1\nbeta = gamma\n")
    os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ("a.py", 1) in list_lines(repository.search_exact(ExactRequest("gamma")))


def test_files_that_are_newly_ignored_or_denied_are_left_out(root: Path, repository: Repository) -> None:
    write(root, ".gitignore", "build/\nsrc/b.py\n")
    write(root, "src/.env", "alpha_beta\n")
    write(root, "new.png", "alpha_beta\n")
    assert repository.search_exact(ExactRequest("alpha_beta")).total == 0


def test_filters_hold_for_files_that_are_not_indexed(root: Path, repository: Repository) -> None:
    for path in ("new.py", "new.ts", "tests/test_new.py", "src/new.py"):
        write(root, path, "zeta_new\n")

    def search(**filters: object) -> list[str]:
        answer = repository.search_exact(ExactRequest("zeta_new", **filters))  # type: ignore[arg-type]
        return [one.path for one in answer.matches]

    assert search(language="typescript") == ["new.ts"]
    assert search(include_tests=False, file_glob="*.py") == ["new.py", "src/new.py"]
    assert search(path_prefix="src") == ["src/new.py"]


def test_headers_are_of_cpp_as_well_as_of_c(root: Path, repository: Repository) -> None:
    for path in ("new.cpp", "new.h", "new.c", "new.hpp"):
        write(root, path, "int zeta_new;\n")

    def search(language: str) -> list[str]:
        answer = repository.search_exact(ExactRequest("zeta_new", language=language))
        ranked = repository.search(SearchRequest("zeta_new", 10, language=language))
        assert not {one.path for one in ranked.hits} - {one.path for one in answer.matches}
        return sorted(one.path for one in answer.matches)

    for _ in range(2):  # before and after they are indexed
        assert search("cpp") == ["new.cpp", "new.h", "new.hpp"]
        assert search("c") == ["new.c", "new.h"]
        repository.refresh()
    ranked = repository.search(SearchRequest("zeta_new", 10, language="cpp"))
    assert {one.path for one in ranked.hits} == {"new.cpp", "new.h", "new.hpp"}


def test_only_included_extensions_are_searched(root: Path) -> None:
    write(root, "repo_mcp.toml", 'include_extensions = ["py"]\n')
    repository = Repository(load_config(str(root)))
    repository.refresh()
    write(root, "new.ts", "alpha\n")
    paths = {one.path for one in repository.search_exact(ExactRequest("alpha")).matches}
    repository.close()
    assert paths == {"a.py", "src/b.py", "src/deep-er/d.py", "tests/test_a.py"}


def test_a_link_in_place_of_a_file_is_not_followed(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "outside.py").write_text("alpha = 'outside'\n")
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(tmp_path / "outside.py")
    assert "a.py" not in dict(repository.search_exact(ExactRequest("alpha")).files)


def test_files_above_the_limit_are_said_and_not_searched(root: Path) -> None:
    write(root, "big.txt", "alpha\n" * 1000)
    repository = Repository(load_config(str(root), limits={"max_file_bytes": 5000}))
    repository.refresh()
    answer = repository.search_exact(ExactRequest("alpha"))
    write(root, "bigger.txt", "alpha\n" * 1000)
    again = repository.search_exact(ExactRequest("alpha"))
    of_others = repository.search_exact(ExactRequest("alpha", file_glob="*.py"))
    of_it = repository.search_exact(ExactRequest("alpha", file_glob="b*.txt"))
    repository.close()
    assert answer.total == again.total == 11
    warning = "1 file larger than max_file_bytes is not searched."
    assert answer.warnings == (warning,)
    assert of_it.warnings == ("1 file matches but was left out: too large.", warning)
    assert of_others.warnings == ()


def test_in_a_large_tree_a_look_is_used_again_for_a_while(
    root: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "CHEAP_LOOK_FILES", 0)
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 1e9)
    assert repository.search_exact(ExactRequest("zeta_new")).total == 0
    write(root, "new.py", "zeta_new\n")
    answer = repository.search_exact(ExactRequest("zeta_new"))
    assert answer.total == 0
    assert "The tree was last checked" in answer.warnings[0]
    monkeypatch.setattr(tree_look, "LOOK_REUSE_FACTOR", 0)
    answer = repository.search_exact(ExactRequest("zeta_new"))
    assert answer.total == 1
    assert answer.warnings == ()


# Limits of time and patience


def test_a_search_that_takes_too_long_says_so(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_search, "TIME_LIMIT_SECONDS", -1.0)
    answer = repository.search_exact(ExactRequest("alpha"))
    assert answer.total_is_lower_bound
    assert answer.truncated
    assert "stopped" in answer.warnings[0]


def test_a_pattern_that_costs_a_pass_for_each_match_is_stopped(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.txt", "a b\n" * 200_000)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    monkeypatch.setattr(exact_search, "TIME_LIMIT_SECONDS", 0.1)
    started = time.monotonic()
    answer = repository.search_exact(ExactRequest("(?s)a.*z|b", regex=True, file_glob="a.txt"))
    repository.close()
    assert time.monotonic() - started < HANG_SECONDS
    assert answer.total_is_lower_bound


def test_without_a_record_of_the_refresh_changes_are_not_known(root: Path, repository: Repository) -> None:
    repository.close()
    for record in root.glob(".repo_mcp/index-*/seen"):
        record.unlink()
    again = Repository(load_config(str(root)))
    answer = again.search_exact(ExactRequest("alpha"))
    again.close()
    assert answer.total == 11
    assert exact_search.CHANGES_UNKNOWN in answer.warnings


def test_a_search_can_be_cancelled(repository: Repository) -> None:
    with pytest.raises(RepoError) as caught:
        repository.search_exact(ExactRequest("alpha"), lambda: True)
    assert caught.value.code is ErrorCode.CANCELLED


# Against a plain reading


def read_plainly(root: Path, repository: Repository) -> dict[str, list[str]]:
    return {
        file.path: [
            line.decode() for line in split_lines(decode_source((root / file.path).read_bytes()).data)
        ]
        for file in repository.list_files(None, 100_000, include_hidden=False).files
    }


def make_requests(draw: random.Random, lines: list[str], count: int) -> Iterator[ExactRequest]:
    """Yield literals and expressions cut from the lines themselves, and some from nowhere: thrice a count."""
    for _ in range(count):
        line = draw.choice(lines)
        start = draw.randrange(max(1, len(line)))
        piece = line[start : start + draw.randint(1, 12)] or draw.choice(WORDS)
        yield ExactRequest(
            piece, case_sensitive=draw.random() < 0.6, whole_word=draw.random() < 0.3, limit=100_000
        )
        middle = draw.choice([r"\w*", ".*", r"\s+", "[a-z_]+", "|", "(x|y)?", r"\b", "[^ ]"])
        pattern = re.escape(piece[: len(piece) // 2]) + middle + re.escape(draw.choice(WORDS)[1:4])
        yield ExactRequest(pattern.replace(r"\ ", " "), regex=True, limit=100_000)
        word = draw.choice(re.findall(r"[A-Za-z0-9_]+", line) or WORDS)
        shape = draw.choice(
            [r"{}\s*[(=:;]", r"^\s+{}", r"^{}", r"{}$", r"[.=(]\s*{}", r"{}\w*\s*=", r"\b{}\b,"]
        )
        yield ExactRequest(shape.format(word), regex=True, case_sensitive=draw.random() < 0.6, limit=100_000)


def search_plainly(files: dict[str, list[str]], request: ExactRequest) -> list[tuple[str, int]]:
    flags = 0 if request.case_sensitive else re.IGNORECASE
    text = request.pattern if request.regex else re.escape(request.pattern)
    for name, letters in ((r"\w", "[A-Za-z0-9_]"), (r"\b", r"(?a:\b)"), (r"\s", "[ \\t\\f\\r\\n]")):
        text = text.replace(name, letters) if request.regex else text
    if request.whole_word:
        text = rf"(?<!\w)(?:{text})(?!\w)"
    compiled = re.compile(text, flags)
    return [
        (path, number)
        for path in sorted(files, key=str.encode)
        for number, line in enumerate(files[path], 1)
        if compiled.search(line)
    ]


@pytest.mark.parametrize("seed", first(1, range(2)))
def test_the_same_lines_as_a_plain_reading(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare_over_changes(tmp_path, seed, monkeypatch, 4)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(100, 120))
def test_the_same_lines_as_a_plain_reading_for_long(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare_over_changes(tmp_path, seed, monkeypatch, choose(4, 150))


def _compare_over_changes(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Compare over a history of changes, some indexed and some not, using the shortcuts for large trees."""
    monkeypatch.setattr(exact_search, "BATCHES_HERE", 2)
    monkeypatch.setattr(candidate_files, "FIRST_PATHS", 3)
    use_neighbours(monkeypatch, 2)
    draw = random.Random(seed)
    if seed % 2:
        monkeypatch.setattr(terms, "LARGE_PAGES", 1)
    root = tmp_path / "root"
    for _ in range(25):
        add_file(root, draw)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    for refreshed in (False, True, False):
        for _ in range(6):
            add_file(root, draw)
        draw.choice(sorted(root.rglob("f*.*"))).unlink()
        if refreshed:
            repository.refresh()
        files = read_plainly(root, repository)
        lines = [line for text in files.values() for line in text]
        learn_neighbours(repository)
        for request in make_requests(draw, lines, count):
            found, plain = repository.search_exact(request), search_plainly(files, request)
            assert list_lines(found) == plain, request
            assert found.total == len(found.matches)
            assert not found.total_is_lower_bound
            counts = Counter(path for path, _ in plain)
            by_role = repository.search_exact(replace(request, by_role=True, detail="files"))
            assert by_role.files == tuple((path, counts[path]) for path in order_by_role(counts)), request
    repository.close()


@pytest.mark.parametrize("after", [0, 1])
def test_a_search_for_which_the_system_has_no_thread_finds_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(exact_search, "BATCHES_HERE", 1)
    monkeypatch.setattr(exact_search, "BATCH_FILES", 1)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    expected = list_lines(repository.search_exact(ExactRequest("alpha")))
    with no_threads("scan", after=after) as refused:
        assert list_lines(repository.search_exact(ExactRequest("alpha"))) == expected
    assert refused
    repository.close()


def test_a_run_that_several_branches_share_is_looked_up_once(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[Run] = []
    plain = TermFinder.find

    def find(self: TermFinder, run: Run, limit: int) -> FoundTerms | None:
        looked_up.append(run)
        return plain(self, run, limit)

    monkeypatch.setattr(TermFinder, "find", find)
    request = ExactRequest(r"(?:alpha\s+=|alpha\(|set alpha|\"alpha\")", regex=True, case_sensitive=False)
    assert list_lines(repository.search_exact(request)) == [("a.py", 1), ("src/deep-er/d.py", 1)]
    assert len(looked_up) == len(set(looked_up))


def test_a_run_too_common_for_a_quick_look_up_is_looked_up_once_enough_of_the_program_was_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that come first in the order of paths, and last in that of roles, are not waited for."""
    use_neighbours(monkeypatch, 100)
    monkeypatch.setattr(candidate_files, "IMPATIENT_FILES", 4)
    monkeypatch.setattr(pattern_files, "_SHARE_FLOOR", 0)
    root = tmp_path / "root"
    for number in range(6):
        write(root, f"docs/{number}.md", "alpha\n")
        write(root, f"src/{number}.py", "alpha = 1\n")
    repository = Repository(load_config(str(root)))
    repository.refresh()
    looked: list[bool] = []
    plain = SegmentCandidates.find_files

    def note(self: SegmentCandidates, reading: PatternReading, **how: bool) -> SegmentFiles:
        looked.append(how.get("patiently", False))
        return plain(self, reading, **how)

    monkeypatch.setattr(SegmentCandidates, "find_files", note)
    request = ExactRequest("alpha", limit=1, detail="files", by_role=True)
    assert [path for path, _ in repository.search_exact(request).files] == ["src/0.py"]
    assert looked == [False]
    every = repository.search_exact(replace(request, limit=100))
    assert [path for path, _ in every.files][5:8] == ["src/5.py", "docs/0.md", "docs/1.md"]
    assert looked[1:] == [False, True]
    repository.close()


def test_pages_are_read_for_a_branch_beside_one_that_is_too_common(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_neighbours(monkeypatch, 100)
    monkeypatch.setattr(terms, "LARGE_PAGES", 1)
    monkeypatch.setattr(pattern_files, "_SHARE_FLOOR", 0)
    root = tmp_path / "root"
    for number in range(6):
        write(root, f"{number}.py", "alpha = 1\n")
        write(root, f"beta{number}.py", "beta = 1\n")
    write(root, "long.py", "xyzzyx = 1\n")
    repository = Repository(load_config(str(root)))
    repository.refresh()
    looked: list[tuple[bool, bool, int]] = []
    plain = SegmentCandidates.find_files

    def note(self: SegmentCandidates, reading: PatternReading, **how: bool) -> SegmentFiles:
        found = plain(self, reading, **how)
        looked.append((how.get("patiently", False), how.get("scans", False), len(found.files)))
        return found

    monkeypatch.setattr(SegmentCandidates, "find_files", note)
    request = ExactRequest("alpha|[x-z]{6,}", regex=True, limit=100, detail="files")
    assert len(repository.search_exact(request).files) == 7
    assert looked == [(False, False, 13), (True, False, 13), (True, True, 7)]
    repository.close()


def test_characters_in_few_files_are_found_without_reading_all(tmp_path: Path) -> None:
    """Two letters, one that is not ASCII, two of Chinese: the dictionary knows which words have them."""
    texts = {"a.py": "quiz = 1\n", "b.py": "na\u00efve = 2\n", "c.py": "x = '\u641c\u7d22\u5668'\n"}
    root = tmp_path / "root"
    for path, text in {**texts, "d.py": "nothing = 3\n"}.items():
        write(root, path, text)
    repository = Repository(load_config(str(root)))
    repository.refresh()
    for pattern, path in (("iz", "a.py"), ("\u00ef", "b.py"), ("\u7d22", "c.py"), ("=", None)):
        answer = repository.search_exact(ExactRequest(pattern, limit=100))
        assert answer.scanned is (path is None)
        assert {one.path for one in answer.matches} == ({path} if path else {*texts, "d.py"})
    repository.close()
