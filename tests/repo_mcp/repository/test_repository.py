"""One opened root: its listing, its status, and what `repo_mcp.toml` changes in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from shutil import rmtree

import pytest

from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.live import tree_look
from repo_mcp.live.index_report import NOT_LISTED
from repo_mcp.live.left_out import UNLISTED
from repo_mcp.model import ExactRequest, SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.workspace import walk
from repo_mcp.workspace.glob_filter import GlobFilter
from repo_mcp.workspace.walk import MAX_DEPTH
from repo_mcp.workspace.walk_level import WalkLevel
from tests.posix import posix
from tests.repo_mcp.indexed_roots import open_indexed
from tests.written_trees import write_tree

Open = Callable[[], Repository]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path, text in {
        "a.py": "alpha = 1\n",
        "src/b.py": "beta = 1\n",
        "src/deep/test_c.py": "gamma = 1\n",
        "src/deep/page.ts": "let delta = 1\n",
        "docs/guide.md": "# Guide\n",
        ".hidden/d.py": "epsilon = 1\n",
        "src/.e.py": "zeta = 1\n",
        "build/out.py": "eta = 1\n",
        ".gitignore": "build/\n",
        ".env": "SECRET=1\n",
        "src/server.pem": "secret\n",
        "picture.png": "\0\0\0",
        "data.weird": "\0binary\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def open_root(root: Path) -> Iterator[Open]:
    opened: list[Repository] = []

    def start() -> Repository:
        opened.append(Repository(load_config(str(root))))
        return opened[-1]

    yield start
    for repository in opened:
        repository.close()


@pytest.mark.parametrize(
    ("glob", "hidden", "paths"),
    [
        ("*.py", False, ["a.py", "src/b.py", "src/deep/test_c.py"]),
        ("*.py", True, [".hidden/d.py", "a.py", "src/.e.py", "src/b.py", "src/deep/test_c.py"]),
        ("src/**", False, ["src/b.py", "src/deep/page.ts", "src/deep/test_c.py"]),
        ("src/*.py", False, ["src/b.py"]),
        ("**/test_*.py", False, ["src/deep/test_c.py"]),
        ("*.{md,ts}", False, ["docs/guide.md", "src/deep/page.ts"]),
        ("*.pem", True, []),
        (".env", True, []),
        ("build/**", True, []),
        ("nothing/**", True, []),
        (".*/**", True, [".hidden/d.py"]),
    ],
)
def test_globs_and_hidden_files(open_root: Open, glob: str, hidden: bool, paths: list[str]) -> None:
    listing = open_root().list_files(glob, 100, hidden)
    assert [file.path for file in listing.files] == paths
    assert listing.total == len(paths)


@pytest.mark.parametrize(
    ("glob", "entered"),
    [
        ("src/deep/*.py", ["", "src", "src/deep"]),
        ("./src/deep/**", ["", "src", "src/deep"]),
        ("{src/deep/*.py,src/deep/page.*}", ["", "src", "src/deep"]),
        ("docs", ["", "docs", "src", "src/deep"]),
        ("{src,docs}/*", ["", "docs", "src", "src/deep"]),
        ("!src/**", ["", "docs", "src", "src/deep"]),
        ("nothing/at/*", [""]),
    ],
)
def test_only_the_folder_of_a_glob_is_walked(
    open_root: Open, monkeypatch: pytest.MonkeyPatch, glob: str, entered: list[str]
) -> None:
    repository = open_root()
    repository.refresh()
    judged = repository.tree.memory.judged
    listed: list[str] = []
    list_level = walk._Walk._list

    def note(walking: walk._Walk, level: WalkLevel, directory: int) -> int:
        listed.append(level.path)
        return list_level(walking, level, directory)

    monkeypatch.setattr(walk._Walk, "_list", note)
    found = repository.tree.list_files(glob, 100, False, lambda: False)
    assert sorted(listed) == entered
    assert sorted(repository.tree.memory.judged) == sorted(judged) == ["", "docs", "src", "src/deep"]
    wanted = GlobFilter(glob).matches
    every = repository.tree.list_files(None, 100, False, lambda: False).files
    assert [one.path for one in found.files] == [one.path for one in every if wanted(one.path)]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"file_glob": ".hidden/**"}, "1 file matches but was left out: hidden."),
        ({"file_glob": "{.hidden,build}/**"}, "3 files match but were left out: 1 hidden, 2 ignored."),
        ({"file_glob": "*.png"}, "1 file matches but was left out: binary."),
        ({"file_glob": "src/.*"}, "1 file matches but was left out: hidden."),
        ({"file_glob": ".hidden/**", "language": "python"}, "1 file matches but was left out: hidden."),
        ({"language": "ruby"}, "1 file matches but was left out: ignored."),
        ({"file_glob": "*.py"}, ""),  # some of these are searched
        ({"file_glob": "nothing/**"}, ""),
        ({"file_glob": "*.pem"}, ""),  # denied: nothing is said about them
        ({"file_glob": ".hidden/**", "language": "ruby"}, ""),
        ({}, ""),
    ],
)
def test_a_filter_that_matches_only_what_is_left_out_says_so(
    open_root: Open, root: Path, filters: dict[str, str], expected: str
) -> None:
    (root / "build/x.rb").write_text("theta = 1\n")
    repository = open_root()
    repository.refresh()
    for answer in (
        repository.search(SearchRequest("nowhere", 5, **filters)),
        repository.search_exact(ExactRequest("nowhere", **filters)),
        repository.search_exact(ExactRequest("nowhere", detail="count", **filters), scan=True),
    ):
        assert [one for one in answer.warnings if "left out" in one] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        ({"file_glob": "*.pem"}, "`*.pem`"),  # denied ones are no files
        ({"language": "haskell"}, "`haskell`"),
        ({"file_glob": "*.py", "language": "ruby"}, "`*.py` with language `ruby`"),
        ({"file_glob": "*.py"}, ""),
        ({}, ""),
    ],
)
def test_a_filter_that_matches_no_file_says_so(open_root: Open, filters: dict[str, str], named: str) -> None:
    repository = open_root()
    repository.refresh()
    for answer in (
        repository.search(SearchRequest("nowhere", 5, **filters)),
        repository.search_exact(ExactRequest("nowhere", **filters)),
    ):
        reported = [one for one in answer.warnings if "This filter" in one]
        assert reported == ([f"This filter matches no file: {named}."] if named else [])


@pytest.mark.parametrize(
    ("glob", "meant"),
    [
        ("deep/**", "**/deep/**"),  # a glob with `/` begins at the root
        ("/deep/*.py", "**/deep/*.py"),
        ("deep/page.ts", "**/deep/page.ts"),
        ("*.py, *.md", "{*.py,*.md}"),
        ("*.py|*.md", "{*.py,*.md}"),
        ("*.rs", ""),
        ("[x,y].py", ""),
        ("pages/[id]/*.ts", r"pages/\[id]/*.ts"),  # not a set of two letters
        ("[id]/page.ts", r"**/\[id]/page.ts"),
    ],
)
def test_a_glob_that_matches_nothing_names_one_that_does(
    open_root: Open, root: Path, glob: str, meant: str
) -> None:
    (root / "pages/[id]").mkdir(parents=True)
    (root / "pages/[id]/page.ts").write_text("export {};\n")
    repository = open_root()
    repository.refresh()
    suggested = f" `{meant}` matches some." if meant else ""
    nothing = f"matches no file: `{glob}`.{suggested}"
    for answer in (
        repository.search(SearchRequest("nowhere", 5, file_glob=glob)),
        repository.search_exact(ExactRequest("nowhere", file_glob=glob)),
    ):
        assert f"This filter {nothing}" in answer.warnings
    assert repository.list_files(glob, 5, False).warnings == (f"This glob {nothing}",)


def test_a_glob_that_ends_with_a_name_names_files_of_similar_names(open_root: Open) -> None:
    repository = open_root()
    repository.refresh()
    found = repository.search_exact(ExactRequest("nowhere", file_glob="**/page_view.ts"))
    assert "This filter matches no file: `**/page_view.ts`. Similar: `src/deep/page.ts`." in found.warnings
    listed = repository.list_files("page_view.ts", 5, False)
    assert listed.warnings == ("This glob matches no file: `page_view.ts`. Similar: `src/deep/page.ts`.",)


@pytest.mark.parametrize(
    ("glob", "said"),
    [
        ("SRC/Deep/*.ts", "In another case it matches `src/deep/page.ts`."),
        ("scr/*.py", "Nothing below `scr/` is indexed; similar: `src/`."),
        ("nothing/**", "Nothing below `nothing/` is indexed; there is `src/`, `docs/`."),
        ("src/nothing/**", "Nothing below `src/nothing/` is indexed; there is `src/deep/`."),
        ("src/deep/x/*.c", "Nothing below `src/deep/x/` is indexed."),
        ("../*.py", "A glob leads no higher than the root."),
        ("*.{py", "`{` without `}` stands for itself."),
        ("page[", "`[` without `]` stands for itself."),
    ],
)
def test_a_glob_that_matches_nothing_is_told_what_there_is(open_root: Open, glob: str, said: str) -> None:
    repository = open_root()
    repository.refresh()
    listed = repository.list_files(glob, 5, False)
    assert listed.warnings == (f"This glob matches no file: `{glob}`. {said}",)


@pytest.mark.parametrize("language", ["Python", "PYTHON", "py", ".py", " python "])
def test_a_language_is_taken_as_people_write_it(open_root: Open, language: str) -> None:
    repository = open_root()
    repository.refresh()
    usual = repository.search_exact(ExactRequest("=", language="python"))
    assert usual.total
    assert repository.search_exact(ExactRequest("=", language=language)).files == usual.files
    found = repository.search(SearchRequest("a", 5, language=language))
    assert found.hits == repository.search(SearchRequest("a", 5, language="python")).hits


def test_a_language_that_there_is_not_is_an_error_with_the_nearest(open_root: Open) -> None:
    repository = open_root()
    repository.refresh()
    for search in (
        lambda: repository.search(SearchRequest("a", 5, language="pyhton")),
        lambda: repository.search_exact(ExactRequest("a", language="pyhton")),
    ):
        with pytest.raises(RepoError, match="No language is called `pyhton`; similar: python") as raised:
            search()
        assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    with pytest.raises(RepoError, match=r"No language is called `cobol`$"):  # and none is like it
        repository.search(SearchRequest("a", 5, language="cobol"))


@pytest.mark.parametrize("glob", ["src", "src/", "./src", "/src"])
def test_a_directory_stands_for_its_content(open_root: Open, glob: str) -> None:
    repository = open_root()
    repository.refresh()
    below = repository.list_files("src/**", 100, False).files
    assert below
    assert repository.list_files(glob, 100, False).files == below
    exact = repository.search_exact(ExactRequest("=", file_glob="src/**"))
    assert repository.search_exact(ExactRequest("=", file_glob=glob)).files == exact.files


def test_a_glob_that_lists_only_what_is_left_out_says_so(open_root: Open) -> None:
    repository = open_root()
    assert repository.list_files(".hidden/**", 5, False).warnings == (
        "1 file matches but was left out: hidden.",
    )
    assert repository.list_files("build/**", 5, True).warnings == (
        "1 file matches but was left out: ignored.",
    )
    assert repository.list_files("nothing/**", 5, False).warnings == (
        "This glob matches no file: `nothing/**`.",
    )


def test_without_a_glob_everything_in_order_with_size_and_time(open_root: Open, root: Path) -> None:
    listing = open_root().list_files(None, 100, False)
    paths = [file.path for file in listing.files]
    assert paths == sorted(paths, key=str.encode)
    assert {"a.py", "picture.png"} <= set(paths)
    first = listing.files[0]
    assert (first.path, first.size) == ("a.py", 10)
    assert first.mtime == pytest.approx((root / "a.py").stat().st_mtime)
    assert listing.denied == 2
    cut = open_root().list_files(None, 2, False)
    assert (len(cut.files), cut.total, cut.folders) == (2, listing.total, {})
    counted = open_root().list_files(None, 2, False, 20)
    assert sum(counted.folders.values()) == listing.total
    assert open_root().list_files(None, 100, False, 20).folders == {}


def test_a_glob_that_cannot_be_is_an_error_that_names_it(open_root: Open) -> None:
    for glob in ("x" * 600, "{a,b}" * 20):
        with pytest.raises(RepoError) as caught:
            open_root().list_files(glob, 10, False)
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT
        assert "glob" in caught.value.message


def test_the_status_tells_of_directories_that_could_not_be_listed(open_root: Open, root: Path) -> None:
    """Too deep is the same: what is below is not known."""
    repository = open_root()
    repository.refresh()
    assert NOT_LISTED not in repository.status().warnings
    deep = root.joinpath(*["d"] * (walk.MAX_DEPTH + 1))
    deep.mkdir(parents=True)
    repository.refresh()
    assert NOT_LISTED in repository.status().warnings
    deep.rmdir()
    repository.refresh()
    assert NOT_LISTED not in repository.status().warnings


def test_status_says_what_is_indexed_and_what_was_left_out(open_root: Open) -> None:
    repository = open_root()
    before = repository.status()
    assert (before.state, before.stale, before.last_refresh) == ("missing", None, None)
    report = repository.refresh()
    status = repository.status()
    assert status.state == "ready"
    assert status.indexed_files == 5 == report.added
    # Git's own words in .gitignore are hidden like any other file with a dot.
    assert dict(status.skipped) == dict(report.skipped)
    assert status.skipped["binary"] == 2
    assert status.skipped["denied"] == 2
    assert status.skipped["ignored"] == 1
    assert dict(status.languages) == {"markdown": 1, "python": 3, "typescript": 1}
    assert status.last_refresh == pytest.approx(report.timestamp, abs=5)


def test_status_counts_files_changed_since_the_refresh(open_root: Open, root: Path) -> None:
    repository = open_root()
    repository.refresh()
    assert repository.status().stale == 0
    (root / "a.py").write_text("alpha = 22\n")
    (root / "src/new.py").write_text("theta = 1\n")
    (root / "docs/guide.md").unlink()
    assert repository.status().stale == 3
    assert repository.status().indexed_files == 5
    repository.refresh()
    assert repository.status().stale == 0
    assert open_root().status().stale == 0  # another process that reads the same index


def test_in_a_large_tree_a_status_does_not_walk(
    open_root: Open, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_look, "LOOK_FILES", 4)
    repository = open_root()
    repository.refresh()
    (root / "a.py").write_text("alpha = 22\n")
    assert repository.status().stale == 0  # as the last refresh saw it
    assert open_root().status().stale is None


def test_a_path_is_named_only_when_it_may_be(open_root: Open, root: Path) -> None:
    repository = open_root()
    assert repository.tree.name_path("src/../a.py") == "a.py"
    assert repository.tree.name_path(str(root / "none.py")) == "none.py"
    for path, code in [
        ("src/server.pem", ErrorCode.PATH_DENIED),
        (".repo_mcp/audit.jsonl", ErrorCode.PATH_DENIED),
        ("../x", ErrorCode.PATH_ESCAPE),
        ("/etc/passwd", ErrorCode.PATH_ESCAPE),
        ("a\0", ErrorCode.PATH_INVALID),
    ]:
        with pytest.raises(RepoError) as caught:
            repository.tree.name_path(path)
        assert caught.value.code is code


def find(repository: Repository, query: str) -> list[tuple[str, str | None]]:
    answer = repository.search(SearchRequest(query, 10))
    return [(hit.path, hit.symbol) for hit in answer.hits]


def test_the_repository_s_globs_and_extensions_narrow_the_index(open_root: Open, root: Path) -> None:
    (root / "repo_mcp.toml").write_text('ignore_globs = ["src/deep/"]\ninclude_extensions = ["py"]\n')
    repository = open_root()
    assert repository.refresh().added == 2
    assert find(repository, "gamma") == []
    assert [path for path, _ in find(repository, "beta")] == ["src/b.py"]
    assert "src/deep/test_c.py" not in [file.path for file in repository.list_files(None, 99, False).files]


def test_another_configuration_has_an_index_of_its_own(open_root: Open, root: Path) -> None:
    open_root().refresh()
    (root / "repo_mcp.toml").write_text('[extensions]\n".weird" = "python"\n')
    other = open_root()
    assert not other.index_exists
    (root / "repo_mcp.toml").unlink()
    assert open_root().index_exists


def test_an_extension_is_given_a_language_where_denied_and_binary_files_stay_out(
    open_root: Open, root: Path
) -> None:
    (root / "script.foo").write_text("def kappa():\n    return lambda_value\n")
    plain = open_root()
    plain.refresh()
    assert find(plain, "lambda_value") == [("script.foo", None)]
    (root / "repo_mcp.toml").write_text(
        '[extensions]\n".foo" = "python"\n".weird" = "python"\n".png" = "python"\n".pem" = "python"\n'
    )
    repository = open_root()
    assert repository.warnings == ()
    report = repository.refresh()
    assert find(repository, "lambda_value") == [("script.foo", "kappa")]
    assert (report.skipped["binary"], report.skipped["denied"]) == (2, 2)
    with pytest.raises(RepoError) as caught:
        repository.open_file("src/server.pem", None, None)
    assert caught.value.code is ErrorCode.PATH_DENIED


def test_files_are_cut_into_chunks_of_200_lines_that_share_30(open_root: Open, root: Path) -> None:
    lines = [f"zeppelin number {number}\n" for number in range(1, 501)]
    (root / "long.txt").write_text("".join(lines))
    repository = open_root()
    repository.refresh()
    hits = repository.search(SearchRequest("zeppelin", 10)).hits
    spans = sorted(hit.chunk_lines for hit in hits)
    assert spans == [(1, 200), (171, 370), (341, 500)]
    again = open_root().search(SearchRequest("zeppelin", 10)).hits
    assert again == hits


def test_an_adapter_that_is_switched_off_leaves_outlines_to_line_patterns(
    open_root: Open, root: Path
) -> None:
    (root / "code.py").write_text("class Kappa:\n    def method(self):\n        pass\n")
    assert open_root().outline("code.py").parser == "ast"
    (root / "repo_mcp.toml").write_text("[adapters.python]\nenabled = false\n")
    repository = open_root()
    assert (repository.warnings, "python" in repository.outliner.adapters.names) == ((), False)
    outline = repository.outline("code.py")
    assert outline.parser == "lexical"
    assert "Kappa" in [symbol.name for symbol in outline.symbols]


def test_an_extension_with_a_language_is_outlined_as_such(open_root: Open, root: Path) -> None:
    (root / "repo_mcp.toml").write_text('[extensions]\n".foo" = "python"\n')
    (root / "code.foo").write_text("class Kappa:\n    pass\n")
    outline = open_root().outline("code.foo")
    assert (outline.language, outline.parser) == ("python", "ast")
    assert [symbol.name for symbol in outline.symbols] == ["Kappa"]


def test_after_a_refresh_was_cancelled_the_next_search_goes_on_with_it(root: Path, tmp_path: Path) -> None:
    config = load_config(str(root), watch=True)
    with closing(Repository(config)) as repository:
        with pytest.raises(RepoError) as caught:
            repository.refresh(cancelled=lambda: True)
        assert caught.value.code is ErrorCode.CANCELLED
        deadline = time.monotonic() + 60
        found: tuple[object, ...] = ()
        while not found and time.monotonic() < deadline:
            with suppress(RepoError):  # nothing is indexed yet
                found = repository.search(SearchRequest("alpha", 5)).hits
            time.sleep(0.05)
        assert found


@posix
def test_a_missing_file_of_a_root_that_is_gone_is_explained_by_that(root: Path) -> None:
    with open_indexed(root) as repository:
        with pytest.raises(RepoError, match=r"There is nothing at 'gone\.py'"):
            repository.open_file("gone.py", 1, 1)
        rmtree(root)
        with pytest.raises(RepoError, match="The root was moved, replaced or deleted"):
            repository.open_file("gone.py", 1, 1)


def test_an_empty_answer_says_that_directories_were_not_listed(tmp_path: Path) -> None:
    root = tmp_path / "deep"
    (root / "/".join(["d"] * (MAX_DEPTH + 1))).mkdir(parents=True)
    (root / "a.py").write_text("alpha = 1\n")
    with open_indexed(root) as repository:
        assert repository.search(SearchRequest("omega", 5)).warnings[-1] == UNLISTED
        assert repository.search_exact(ExactRequest("omega")).warnings == (UNLISTED,)
        assert repository.search(SearchRequest("alpha", 5)).warnings == ()
        assert repository.search_exact(ExactRequest("alpha")).warnings == ()


def test_an_empty_answer_names_files_that_are_too_large(root: Path) -> None:
    (root / "src/big.py").write_text("def enormous(): ...\n" * 100)
    (root / "docs/big.md").write_text("# enormous\n" * 200)
    repository = Repository(load_config(str(root), limits={"max_file_bytes": 1_000}))
    expected = "Larger than max_file_bytes, and so not searched: "
    try:
        repository.refresh()
        asked = SearchRequest("enormous", 5, symbols_only=True)
        assert repository.search(asked).warnings[-1] == f"{expected}`src/big.py`, `docs/big.md`."
        of_python = SearchRequest("enormous", 5, symbols_only=True, language="python")
        assert repository.search(of_python).warnings[-1] == f"{expected}`src/big.py`."
        for found in (
            SearchRequest("alpha", 5, symbols_only=True),
            SearchRequest("gone", 5, file_glob="a.py"),
        ):
            assert not [one for one in repository.search(found).warnings if one.startswith(expected)]
    finally:
        repository.close()


def test_where_everything_is_left_out_that_is_said(tmp_path: Path) -> None:
    write_tree(tmp_path / "r", {".gitignore": "src/\n", "src/a.py": "theta = 1\n", "src/b.py": "theta = 2\n"})
    with closing(Repository(load_config(str(tmp_path / "r")))) as repository:
        repository.refresh()
        said = "3 files were left out: 1 hidden, 2 ignored."
        assert repository.list_files(None, 5, False).warnings == (said,)
        assert said in repository.search(SearchRequest("theta", 5)).warnings
        assert said in repository.search_exact(ExactRequest("theta")).warnings
        assert repository.list_files(None, 5, True).warnings == ()


def test_of_an_empty_root_nothing_is_left_out(tmp_path: Path) -> None:
    with closing(Repository(load_config(str(tmp_path)))) as repository:
        repository.refresh()
        assert repository.list_files(None, 5, False).warnings == ()
