"""Bundles of real repositories: strict budgets, the same bytes again, reasons that hold, nothing denied."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_format import DiskDirectory, compute_fingerprint
from repo_mcp.bundler.build import check_request
from repo_mcp.bundler.document import build_document
from repo_mcp.bundler.last_bundle import JSON_NAME, LOCK_NAME, MARKDOWN_NAME
from repo_mcp.bundler.live_bundles import NOT_WRITTEN
from repo_mcp.bundler.markdown import render_markdown
from repo_mcp.bundler.records import Bundle, BundleRequest, Selection
from repo_mcp.config.server_config import Limits, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import SearchRequest
from repo_mcp.ranking.page.quoted_lines import find_message, read_quotable
from repo_mcp.ranking.query.clues import ClueKind, list_messages, parse_prompt, split_symbol
from repo_mcp.repository import Repository
from repo_mcp.text.roles import is_test_path
from tests.deep.sizes import choose, first
from tests.repo_mcp.indexed_roots import open_indexed
from tests.repo_mcp.symbol_spans import list_symbol_spans
from tests.repo_mcp.trees import edit_tree, make_tree

CORPUS = Path(__file__).parents[2] / "corpus" / "tiny_repo"
PROJECT = Path(__file__).parents[3] / "repo_mcp"
CANARY = "canary-7f3a9c51-never-served"
PROMPTS = (
    "How does transfer_funds keep both accounts balanced?",
    'It says "the amount of a transfer must be positive", see src/ledger/accounts.py:31',
    'Traceback (most recent call last):\n  File "/srv/src/ledger/book.py", line 29, in parse_book\n'
    "ValueError: not an entry: 'x'",
    "rounding of cents in the balance sheet and in formatCents",
    "ledger checksum overflow in C",
    "tests for a refused transfer",
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    root = tmp_path_factory.mktemp("bundle") / "tiny_repo"
    shutil.copytree(CORPUS, root)
    with open_indexed(root) as repository:
        yield repository


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    """Yield a copy of three rooms of our own package: twenty thousand lines."""
    root = tmp_path_factory.mktemp("project") / "repo_mcp"
    for room in ("indexing", "ranking", "workspace"):
        shutil.copytree(PROJECT / room, root / room, ignore=shutil.ignore_patterns("__pycache__"))
    with open_indexed(root) as repository:
        yield repository


def read_lines(repository: Repository, path: str) -> list[str]:
    return (Path(repository.config.root) / path).read_text(encoding="utf-8").splitlines()


def check_bundle(repository: Repository, bundle: Bundle) -> None:
    """Check what holds for every bundle."""
    budget, totals = bundle.budget, bundle.totals
    assert totals.files == len({one.path for one in bundle.selections}) <= budget.max_files
    assert totals.lines == sum(len(one.lines) for one in bundle.selections) <= budget.max_total_lines
    assert budget.max_tokens is None or totals.tokens <= budget.max_tokens
    assert totals.tokens == -(-sum(len(one.content) for one in bundle.selections) // 4)
    shown: set[tuple[str, int]] = set()
    for one in bundle.selections:
        lines = read_lines(repository, one.path)
        assert list(one.lines) == lines[one.start_line - 1 : one.end_line]
        assert one.citation == f"{one.path}:{one.start_line}-{one.end_line}"
        raw = (Path(repository.config.root) / one.path).read_bytes()
        assert one.fingerprint == compute_fingerprint(raw).hex()
        numbers = {(one.path, line) for line in range(one.start_line, one.end_line + 1)}
        assert not shown & numbers  # no line twice
        shown |= numbers


def touches(one: Selection, other: Selection) -> bool:
    """Return whether an excerpt begins where another one of its file ends, or behind empty lines."""
    return one.path == other.path and 0 <= other.start_line - one.end_line - 1 <= 2


def check_reason(repository: Repository, bundle: Bundle, one: Selection) -> None:
    """Derive what a rationale says again, from the live text and the prompt alone."""
    text = "\n".join(one.lines)
    spans = list_symbol_spans(one.path, (Path(repository.config.root) / one.path).read_bytes())
    declared = {span.name for span in spans if one.start_line <= span.name_line <= one.end_line}
    around = {
        span.qualified_name
        for span in spans
        if span.start_line <= one.start_line and one.end_line <= span.end_line
    }
    assert all(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in one.matched_terms)
    if one.symbol is not None:
        known = around | {span.qualified_name for span in spans if span.name in declared}
        assert one.symbol in known
    clues = parse_prompt(bundle.prompt)
    folded = " ".join(text.lower().split())
    for part in one.rationale.split("; "):
        kind, _, rest = part.partition(" ")
        if kind == "matches":
            for word in rest.split(", "):
                assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text), part
                assert word in one.matched_terms
        elif kind == "declares":
            names = rest.removesuffix(", named in the prompt").split(", ")
            assert set(names) <= declared
        elif kind == "is":
            assert rest.removeprefix("in ").removesuffix(", named in the prompt") in around
        elif part == "next to what matched":
            assert any(touches(other, one) or touches(one, other) for other in bundle.selections)
        elif kind == "contains":
            assert rest.removeprefix('the text "').removesuffix('"').lower() in folded
        elif part == "makes a message that the prompt shows":
            said = [read_quotable(message) for message in list_messages(bundle.prompt)]
            assert any(find_message(text, one)[1] for one in said)
        elif kind == "hit":
            hits = repository.search(
                SearchRequest(bundle.prompt, 100, include_tests=bundle.include_tests)
            ).hits
            assert hits[int(rest.removesuffix(" of repo.search")) - 1].path == one.path
        elif part.endswith(", which matches the prompt"):
            name = part.removesuffix(", which matches the prompt").rpartition(" ")[2]
            if kind in ("calls", "uses"):
                assert re.search(rf"\b{re.escape(split_symbol(name)[-1])}\b", text)
            else:
                assert part.startswith(("called by ", "used by "))
                assert declared
        elif part.endswith("names this file") or " names line " in part:
            stem = one.path.rpartition("/")[2]
            mentioned = [clue for clue in clues if clue.kind in (ClueKind.FRAME, ClueKind.PATH)]
            assert any(stem in clue.text or clue.text.rpartition(".")[2] in stem for clue in mentioned)
            line = re.search(r"names line (\d+)", part)
            assert line is None or one.start_line <= int(line[1]) <= one.end_line
        else:
            raise AssertionError(f"an unknown reason: {part}")


@pytest.mark.parametrize("prompt", PROMPTS)
def test_every_reason_is_true(tiny: Repository, prompt: str) -> None:
    bundle = tiny.engines.bundles.build(BundleRequest(prompt))
    assert bundle.selections
    check_bundle(tiny, bundle)
    for one in bundle.selections:
        check_reason(tiny, bundle, one)


OWN_PROMPTS = (
    "How are symbolic links kept from escaping the root? See Door.read and sandbox.py",
    "repo.search should accept a language filter, compare SearchRequest and parse_query",
    'The answer "nothing matches the prompt" comes for long prompts; where is MAX_TERMS applied',
    'File "/x/repo_mcp/ranking/snippets.py", line 45, in show_hits\nUnicodeDecodeError: invalid start byte',
    "which files does the walk leave out and how are reasons counted",
)


@pytest.mark.parametrize("prompt", first(2, OWN_PROMPTS))
def test_every_reason_is_true_of_a_larger_tree(project: Repository, prompt: str) -> None:
    bundle = project.engines.bundles.build(BundleRequest(prompt, 6, 300))
    check_bundle(project, bundle)
    for one in bundle.selections:
        check_reason(project, bundle, one)


@given(
    prompt=st.sampled_from(OWN_PROMPTS),
    files=st.none() | st.integers(1, 20),
    lines=st.none() | st.integers(20, 2_000) | st.integers(20, 60),
    tokens=st.none() | st.integers(1, 5_000),
    tests=st.booleans(),
)
@settings(max_examples=choose(10, 40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_budgets_are_kept(
    project: Repository, prompt: str, files: int | None, lines: int | None, tokens: int | None, tests: bool
) -> None:
    request = BundleRequest(prompt, files, lines, tokens, include_tests=tests)
    bundle = project.engines.bundles.build(request)
    check_bundle(project, bundle)
    assert bundle.selections or (tokens is not None and tokens < 100)


@pytest.mark.parametrize("lines", range(1, 30))
def test_the_smallest_budgets_are_kept(tiny: Repository, lines: int) -> None:
    bundle = tiny.engines.bundles.build(BundleRequest(PROMPTS[0], 1, lines))
    check_bundle(tiny, bundle)
    assert bundle.totals.files == 1


@pytest.mark.parametrize(
    ("prompt", "path", "line"),
    [
        (PROMPTS[0], "src/ledger/accounts.py", 26),
        (PROMPTS[1], "src/ledger/accounts.py", 31),
        (PROMPTS[2], "src/ledger/book.py", 29),
        (PROMPTS[4], "src/checksum.c", 7),
    ],
)
def test_the_best_file_comes_first_with_the_lines_in_question(
    tiny: Repository, prompt: str, path: str, line: int
) -> None:
    bundle = tiny.engines.bundles.build(BundleRequest(prompt))
    assert bundle.selections[0].path == path
    assert any(one.path == path and one.start_line <= line <= one.end_line for one in bundle.selections)


def test_the_same_request_gives_the_same_bytes(tiny: Repository) -> None:
    documents = {
        json.dumps(build_document(tiny.engines.bundles.build(BundleRequest(PROMPTS[3])))) for _ in range(3)
    }
    assert len(documents) == 1
    assert len({tiny.engines.bundles.build(BundleRequest(prompt)).bundle_id for prompt in PROMPTS}) == len(
        PROMPTS
    )
    plain = tiny.engines.bundles.build(BundleRequest(PROMPTS[0]))
    assert tiny.engines.bundles.build(BundleRequest(PROMPTS[0], 8, 399)).bundle_id != plain.bundle_id
    assert (
        tiny.engines.bundles.build(BundleRequest(PROMPTS[0], 8, 399)).prompt_fingerprint
        == plain.prompt_fingerprint
    )


@pytest.mark.parametrize("seed", first(1, range(3)))
def test_a_bundle_does_not_depend_on_the_history_of_the_index(tmp_path: Path, seed: int) -> None:
    first = make_tree(tmp_path / "first", seed)
    draw = random.Random(seed)
    requests = [
        BundleRequest(prompt, 5, 150)
        for prompt in (
            "schedule a work queue",
            "parse user_name, see getUserName",
            "HTTPResponse in read_file",
        )
    ]
    with closing(Repository(load_config(str(first), workers=1))) as lived:
        for _ in range(4):
            edit_tree(first, draw)
            lived.refresh()
        second = tmp_path / "second"
        shutil.copytree(first, second, ignore=shutil.ignore_patterns(".repo_mcp"))
        before = [lived.engines.bundles.build(request) for request in requests]
        lived.compact(full=True)
        after = [lived.engines.bundles.build(request) for request in requests]
        lived.refresh(force=True)
        again = [lived.engines.bundles.build(request) for request in requests]
    with open_indexed(second, workers=2) as fresh:
        anew = [fresh.engines.bundles.build(request) for request in requests]
    assert before == after == again == anew
    assert all(bundle.selections for bundle in anew)


def test_tests_stay_out_when_they_are_not_wanted(tiny: Repository) -> None:
    with_tests = tiny.engines.bundles.build(BundleRequest(PROMPTS[5]))
    without = tiny.engines.bundles.build(
        BundleRequest(PROMPTS[5] + " tests/test_accounts.py", include_tests=False)
    )
    assert any(is_test_path(one.path) for one in with_tests.selections)
    assert without.selections
    assert not any(is_test_path(one.path) for one in without.selections)
    assert not any(is_test_path(one.path) for one in without.audit.dropped)


def test_nothing_denied_is_ever_in_a_bundle(tiny: Repository) -> None:
    root = Path(tiny.config.root)
    for prompt in (CANARY, f"what is in .env? {CANARY}", "open .env:1", "Traceback: .env:1 API_KEY secret"):
        bundle = tiny.engines.bundles.build(BundleRequest(prompt))
        assert not any(one.path == ".env" for one in (*bundle.selections, *bundle.audit.dropped))
        assert all(CANARY not in one.content for one in bundle.selections)
    text = (root / ".repo_mcp" / JSON_NAME).read_text() + (root / ".repo_mcp" / MARKDOWN_NAME).read_text()
    assert CANARY not in text


def test_a_prompt_that_matches_nothing_gives_an_empty_bundle_that_says_what_was_tried(
    tiny: Repository,
) -> None:
    bundle = tiny.engines.bundles.build(BundleRequest("zyzzyva quux_frobnicate"))
    assert bundle.selections == ()
    assert bundle.totals.lines == bundle.totals.files == bundle.audit.considered == 0
    assert [one.text for one in bundle.audit.keywords] == ["quux_frobnicate", "zyzzyva"]
    assert [(one.name, one.hits) for one in bundle.audit.searches] == [
        ("prompt", 0),
        ("symbol zyzzyva", 0),
        ("symbol quux_frobnicate", 0),
    ]
    assert "**Nothing was found.**" in render_markdown(bundle)


@pytest.mark.parametrize(
    ("files", "lines", "most"),
    [(None, None, 8), (None, 100, 8), (None, 1_000, 20), (None, 2_000, 20), (3, 1_000, 3)],
)
def test_the_files_follow_from_the_lines_where_they_are_not_given(
    files: int | None, lines: int | None, most: int
) -> None:
    limits = Limits()
    budget = check_request(BundleRequest("x", max_files=files, max_total_lines=lines), limits)
    assert budget.max_files == most
    assert budget.max_total_lines == (lines or limits.default_bundle_lines)


@pytest.mark.parametrize("prompt", ["?!", "...", "the and of", "\0", "\ud800", "🦆", "`" * 50, "(" * 5_000])
def test_odd_prompts_give_a_bundle(tiny: Repository, prompt: str) -> None:
    check_bundle(tiny, tiny.engines.bundles.build(BundleRequest(prompt)))


@pytest.mark.parametrize(
    ("request_", "argument"),
    [
        (BundleRequest(""), "prompt"),
        (BundleRequest(" \n\t"), "prompt"),
        (BundleRequest("x", max_files=0), "budget.max_files"),
        (BundleRequest("x", max_files=-1), "budget.max_files"),
        (BundleRequest("x", max_files=21), "budget.max_files"),
        (BundleRequest("x", max_total_lines=0), "budget.max_total_lines"),
        (BundleRequest("x", max_total_lines=10**9), "budget.max_total_lines"),
        (BundleRequest("x", max_tokens=0), "budget.max_tokens"),
        (BundleRequest("x", max_tokens=10**9), "budget.max_tokens"),
        (BundleRequest("x", strategy="oracle"), "strategy"),
    ],
)
def test_what_cannot_be_built_names_the_argument(
    tiny: Repository, request_: BundleRequest, argument: str
) -> None:
    with pytest.raises(RepoError) as caught:
        tiny.engines.bundles.build(request_)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert caught.value.details["argument"] == argument
    assert caught.value.message.startswith(argument)
    assert caught.value.hint


def test_without_an_index_there_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with closing(Repository(load_config(str(tmp_path)))) as repository, pytest.raises(RepoError) as caught:
        repository.engines.bundles.build(BundleRequest("x"))
    assert caught.value.code is ErrorCode.INDEX_UNAVAILABLE


def test_a_table_of_constants_is_not_rated_unless_the_prompt_names_one(tmp_path: Path) -> None:
    registers = "".join(f"#define PAGE_TABLE_{number} 0x{number:x}\n" for number in range(2_001))
    freed = "void free_tables(struct mm *mm)\n{\n\tif (mm->page_table)\n\t\trelease(mm->page_table);\n}\n"
    (tmp_path / "registers.h").write_text(registers)
    (tmp_path / "freed.c").write_text(freed)
    with open_indexed(tmp_path) as repository:
        bundle = repository.engines.bundles.build(BundleRequest("how are page tables freed"))
        assert [one.path for one in bundle.selections] == ["freed.c"]
        reasons = {one.path: one.reason for one in bundle.audit.dropped}
        assert reasons["registers.h"] == "a table of constants, none of which the prompt names"
        named = repository.engines.bundles.build(BundleRequest("where is PAGE_TABLE_1500 written"))
        assert any("PAGE_TABLE_1500" in one.content for one in named.selections)


def write_named(root: Path) -> None:
    """Write a long function in a file of many words, and files that match better for another name."""
    words = "".join(f"    step_{number} = harbour + {number}\n" for number in range(110))
    (root / "marbles").mkdir()
    other = "".join(f"def keep_{number}(harbour):\n{words}\n\n" for number in range(5))
    (root / "z.py").write_text(f"{other}def read_marbles(harbour):\n{words}\n\n{other}")
    for number in range(20):
        uses = "".join(
            f"def merge_{at}(inner):\n    return inner.marbles.read[merge_streams, {at}]\n\n\n"
            for at in range(15)
        )
        (root / f"marbles/read_merge_streams_{number}.py").write_text(uses)
    (root / "a.py").write_text(f"def merge_streams(inner, outer):\n{words.replace('harbour', 'outer')}")


@pytest.mark.parametrize("lines", [None, 250, 400, 1_000])
def test_a_named_declaration_is_shown_whole_if_it_fits(tmp_path: Path, lines: int | None) -> None:
    write_named(tmp_path)
    with open_indexed(tmp_path) as repository:
        request = BundleRequest("what do read_marbles and merge_streams do", max_total_lines=lines)
        bundle = repository.engines.bundles.build(request)
    shown = {
        (one.path, line) for one in bundle.selections for line in range(one.start_line, one.end_line + 1)
    }
    assert {("z.py", line) for line in range(566, 677)} <= shown
    assert {("a.py", line) for line in range(1, 112)} <= shown


def show_lines(root: Path, prompt: str, lines: int) -> set[tuple[str, int]]:
    with open_indexed(root) as repository:
        bundle = repository.engines.bundles.build(BundleRequest(prompt, max_total_lines=lines))
    return {(one.path, line) for one in bundle.selections for line in range(one.start_line, one.end_line + 1)}


def test_a_name_that_many_files_declare_leads_to_none_of_them(tmp_path: Path) -> None:
    body = "".join(f"        self.berth_{number} = {number}\n" for number in range(45))
    for number in range(6):
        text = f"class Harbour:\n    def moor_{number}(self):\n{body}"
        (tmp_path / f"pier_{number}.py").write_text(text)
    falls = (
        "def lift(crane, load):\n    if load > crane.most:\n        crane.falls = True\n    return crane\n"
    )
    (tmp_path / "crane.py").write_text(falls * 11)
    shown = show_lines(tmp_path, "When the load is too heavy, a crane of Harbour falls", 40)
    assert {path for path, _ in shown} == {"crane.py"}


def test_the_last_part_of_a_qualified_name_is_not_meant_where_the_whole_is_declared(tmp_path: Path) -> None:
    body = "".join(f"        step_{number}()\n" for number in range(45))
    (tmp_path / "crane.py").write_text(f"class Crane:\n    def lift(self):\n{body}")
    for name in ("Lock", "Door"):
        (tmp_path / f"{name}.py").write_text(
            f"class {name}:\n    def lift(self):\n        return self.{name}\n" * 14
        )
    shown = show_lines(tmp_path, "Crane.lift", 100)
    assert {path for path, _ in shown} == {"crane.py"}


VERBS = "def get(store):\n    return store.get()\n\n\ndef use(thing):\n    return thing.use()\n"
LETTERS = "class A:\n    pass\n\n\nclass B:\n    pass\n"


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("A needs B and B needs A", "declares A, B, named in the prompt"),
        ("Why does `A` come before `B`?", "declares A, B, named in the prompt"),
        ("what does `get` do", "declares get, named in the prompt"),
        ("`use()`", "declares use, named in the prompt"),
        ("get and use", "declares get, use, named in the prompt"),
        ("use", "declares use, named in the prompt"),
    ],
)
def test_a_word_that_any_text_has_may_be_a_name(tmp_path: Path, prompt: str, named: str) -> None:
    (tmp_path / "verbs.py").write_text(VERBS)
    (tmp_path / "letters.py").write_text(LETTERS)
    with open_indexed(tmp_path) as repository:
        (shown,) = repository.engines.bundles.build(BundleRequest(prompt)).selections
        assert shown.evidence[0] == named


def test_files_that_changed_or_went_since_they_were_indexed(tmp_path: Path) -> None:
    for name in ("changed", "gone", "same"):
        (tmp_path / f"{name}.py").write_text(f"def frobnicate_{name}():\n    return 'frobnicate'\n")
    with open_indexed(tmp_path) as repository:
        (tmp_path / "changed.py").write_text(
            "# moved\n\n\ndef frobnicate_changed():\n    return 'frobnicate'\n"
        )
        (tmp_path / "gone.py").unlink()
        bundle = repository.engines.bundles.build(BundleRequest("frobnicate"))
        check_bundle(repository, bundle)
    assert {one.path for one in bundle.selections} == {"changed.py", "same.py"}
    assert [(one.path, one.reason) for one in bundle.audit.dropped] == [
        ("gone.py", "not readable now: not_found")
    ]
    assert "1 of the files found changed after indexing: refresh the index." in bundle.warnings


def test_nearly_equal_files_are_shown_once(tmp_path: Path) -> None:
    text = "".join(f"def frobnicate_{number}():\n    return {number}\n\n\n" for number in range(6))
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(text)
    with open_indexed(tmp_path) as repository:
        bundle = repository.engines.bundles.build(BundleRequest("frobnicate"))
    assert {one.path for one in bundle.selections} == {"a.py"}
    assert any(
        one.path == "b.py" and "almost the same lines as a.py" in one.reason for one in bundle.audit.dropped
    )


def test_the_last_bundle_is_kept_privately_and_replaced(tiny: Repository) -> None:
    position = Path(tiny.config.root) / ".repo_mcp"
    for prompt in PROMPTS[:2]:
        bundle = tiny.engines.bundles.build(BundleRequest(prompt))
        assert (position / MARKDOWN_NAME).read_text() == render_markdown(bundle)
        document = json.loads((position / JSON_NAME).read_text())
        assert document == build_document(bundle) | {"prompt": prompt, "warnings": []}
    for name in (JSON_NAME, MARKDOWN_NAME, LOCK_NAME):
        assert stat.S_IMODE((position / name).stat().st_mode) == 0o600
    assert not list(position.glob("*.tmp"))


def test_the_last_bundle_never_goes_through_a_link(tmp_path: Path) -> None:
    root, victim = tmp_path / "root", tmp_path / "victim"
    shutil.copytree(CORPUS, root)
    victim.write_text("mine")
    with open_indexed(root) as repository:
        for name in (JSON_NAME, MARKDOWN_NAME):
            os.symlink(victim, root / ".repo_mcp" / name)
        assert repository.engines.bundles.build(BundleRequest(PROMPTS[0])).warnings == ()
        assert victim.read_text() == "mine"
        assert not (root / ".repo_mcp" / JSON_NAME).is_symlink()
        os.unlink(root / ".repo_mcp" / LOCK_NAME)
        os.symlink(victim, root / ".repo_mcp" / LOCK_NAME)
        assert repository.engines.bundles.build(BundleRequest(PROMPTS[0])).warnings == ()
        assert (root / ".repo_mcp" / f"{LOCK_NAME}.aside-1").is_symlink()
    assert victim.read_text() == "mine"


def test_a_last_bundle_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    shutil.copytree(CORPUS, root)

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    with open_indexed(root) as repository:
        monkeypatch.setattr(DiskDirectory, "rename", refuse)
        assert repository.engines.bundles.build(BundleRequest(PROMPTS[0])).warnings == (NOT_WRITTEN,)


def test_the_last_bundle_can_be_switched_off(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(CORPUS, root)
    with open_indexed(root, last_bundle=False) as repository:
        assert repository.engines.bundles.build(BundleRequest(PROMPTS[0])).selections
    assert not (root / ".repo_mcp" / JSON_NAME).exists()
    assert not (root / ".repo_mcp" / MARKDOWN_NAME).exists()


def test_nothing_in_a_file_or_prompt_ends_its_fence(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Frobnicate\n\n````\n```\n# not a heading\n```\n````\n")
    with open_indexed(tmp_path) as repository:
        bundle = repository.engines.bundles.build(BundleRequest("frobnicate\n`````\n# Injected | heading"))
    page = render_markdown(bundle)
    inside, fence, headings = False, "", []
    for line in page.splitlines():
        run = re.match(r"`{3,}", line)
        if not inside and run:
            inside, fence = True, run[0]
        elif inside and line == fence:
            inside = False
        elif not inside and line.startswith("#"):
            headings.append(line)
    assert not inside
    assert not any("Injected" in line or "not a heading" in line for line in headings)


def test_a_line_too_long_is_cut_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("frobnicate = '" + "x" * 3_000 + "'\n")
    with open_indexed(tmp_path) as repository:
        bundle = repository.engines.bundles.build(BundleRequest("frobnicate"))
    assert len(bundle.selections[0].lines[0]) == 501
    assert bundle.warnings == ("1 line was cut at 500 characters.",)


def test_a_strategy_can_be_replaced(tiny: Repository) -> None:
    """Another strategy gives the same shape: a client sees no difference but the excerpts."""

    class First:
        name = "hybrid"

        def choose(self, request: object, budget: object, source: object) -> object:
            choice = tiny.engines.bundles._strategy.choose(request, budget, source)  # type: ignore[arg-type]
            return replace(choice, selections=choice.selections[:1])

    with closing(Repository(tiny.config)) as repository:
        whole = repository.engines.bundles.build(BundleRequest(PROMPTS[3]))
        repository.engines.bundles._strategy = First()  # type: ignore[assignment]
        part = repository.engines.bundles.build(BundleRequest(PROMPTS[3]))
    assert part.selections == whole.selections[:1]
    assert part.bundle_id != whole.bundle_id
    assert build_document(part).keys() == build_document(whole).keys()


def test_of_a_report_heads_and_comments_above_are_not_shown_unless_its_title_is_about_comments(
    tmp_path: Path,
) -> None:
    code = (
        "class Box:\n    size = 2\n\n    # A transfer is posted.\n    def transfer(self):\n        post()\n"
    )
    others = "".join(f"\n    def other_{number}(self):\n        pass\n" for number in range(20))
    (tmp_path / "ledger.py").write_text(code + others, encoding="utf-8")
    for number in range(20):
        (tmp_path / f"file_{number}.py").write_text(f"x = {number}\n", encoding="utf-8")
    with open_indexed(tmp_path) as repository:
        for title, start in (("Transfers are lost", 5), ("Wrong comments above transfers", 4)):
            report = f"{title}\n\nA transfer is posted to nothing, although one was asked for."
            found = repository.engines.bundles.build(BundleRequest(report)).selections
            assert [one.citation for one in found] == [f"ledger.py:{start}-6"]
