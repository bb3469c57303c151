"""The real program, run as a process on a copy of the tiny repository."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import cli
from tests.forked import run_program

PROJECT = Path(__file__).resolve().parents[3]
TINY_REPO = PROJECT / "tests" / "corpus" / "tiny_repo"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    copy = tmp_path / "tree"
    shutil.copytree(TINY_REPO, copy)
    return copy


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PROJECT),
        "PYTHONWARNINGS": "error",
        "HOME": str(cwd.parent),
        "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
        "COLUMNS": "40",
    }
    return run_program(arguments, cwd=cwd, env=environment)


def run_json(*arguments: str, cwd: Path, code: int = 0) -> Any:
    done = run(*arguments, "--json", cwd=cwd)
    assert done.stderr == ""
    assert done.returncode == code
    return json.loads(done.stdout)


def assert_fails(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """Assert that nothing is on stdout, and on stderr one line that holds the words."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("repo-mcp: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


def test_search_needs_no_set_up_and_shows_ranked_hits(tree: Path) -> None:
    (tree / "airship.py").write_text("def moor_zeppelin():\n    pass\n")
    (tree / "notes.md").write_text("One word on a zeppelin among many others, none of which matters here.\n")
    done = run("search", "moor zeppelin", cwd=tree)
    assert done.returncode == 0
    first = done.stdout.splitlines()[0]
    assert first.startswith(" 1. airship.py:1  moor_zeppelin  ")
    assert "    1:def moor_zeppelin():\n    2-    pass\n" in done.stdout
    assert " 2. notes.md:1  " in done.stdout
    assert "\x1b" not in done.stdout
    assert (tree / ".repo_mcp").is_dir()


def test_search_follows_the_tree(tree: Path) -> None:
    assert run_json("search", "zeppelin", cwd=tree, code=1)["hits"] == []
    (tree / "new.py").write_text("def zeppelin_mooring():\n    pass\n")
    found = run_json("search", "zeppelin", cwd=tree)
    assert [hit["path"] for hit in found["hits"]] == ["new.py"]
    (tree / "new.py").unlink()
    assert run_json("search", "zeppelin", cwd=tree, code=1)["total"] == 0


def test_search_json_has_the_shape_of_the_tool(tree: Path) -> None:
    answer = run_json("search", "checksum", "--top-k", "2", "--glob", "*.c", cwd=tree)
    assert list(answer) == ["hits", "total", "truncated", "snapshot", "warnings", "total_is_lower_bound"]
    assert [hit["path"] for hit in answer["hits"]] == ["src/checksum.c"]
    assert set(answer["hits"][0]) == {
        "path", "start_line", "end_line", "snippet", "score", "matched_terms", "symbol", "symbol_lines",
        "also",
    }  # fmt: skip
    first_number, _, _ = answer["hits"][0]["snippet"].partition("\t")
    assert answer["hits"][0]["start_line"] <= int(first_number) <= answer["hits"][0]["end_line"]


def test_search_explains_scores(tree: Path) -> None:
    (hit,) = run_json("search", "checksum", "--explain", "--glob", "*.c", cwd=tree)["hits"]
    assert round(sum(hit["explanation"].values()), 6) == hit["score"]
    shown = run("search", "checksum", "--explain", cwd=tree).stdout
    assert "text +1.000" in shown
    assert f"chunk {hit['chunk_id']}" in shown


def test_search_says_when_nothing_is_found(tree: Path) -> None:
    done = run("search", "zzzqqqxxx", cwd=tree)
    assert done.returncode == 1
    assert done.stdout == ""  # as a pipe takes it
    assert done.stderr == "Nothing found.\nrepo-mcp: warning: No file has: zzzqqqxxx.\n"


@pytest.mark.parametrize(
    "query", ['foo(bar) && "unclosed', "std::vector<int>", "\N{PILE OF POO}", "-not +must", "()"]
)
def test_search_takes_any_text_as_a_query(tree: Path, query: str) -> None:
    done = run("search", "--json", "--", query, cwd=tree)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["total"] >= 0


def test_search_exactly_prints_paths_lines_and_text(tree: Path) -> None:
    (tree / "a.py").write_text("moor_zeppelin = 1\n\tZeppelin = moor_zeppelin\n")
    (tree / "b.py").write_text("zeppelin\n")
    done = run("search", "--literal", "zeppelin", "--glob", "*.py", cwd=tree)
    assert done.stdout == "a.py:1:moor_zeppelin = 1\na.py:2:    Zeppelin = moor_zeppelin\nb.py:1:zeppelin\n"
    assert run("search", "-E", "^zep+elin$", cwd=tree).stdout == "b.py:1:zeppelin\n"
    assert run("search", "-F", "-w", "-i", "ZEPPELIN", "--glob", "a.py", cwd=tree).stdout == (
        "a.py:2:    Zeppelin = moor_zeppelin\n"
    )
    cut = run("search", "-w", "moor_zeppelin", "--top-k", "1", cwd=tree)
    # Files written a moment ago may be newer than the index: one that is left unread makes the total a bound.
    assert cut.stdout == "a.py:1:moor_zeppelin = 1\n"
    assert re.fullmatch(r"1 of (at least )?2 lines; more with --top-k\.\n", cut.stderr)
    found = run_json("search", "--mode", "regex", "zep+elin", "--glob", "b.py", cwd=tree)
    assert found["matches"][0]["start_column"] == 1
    assert "symbol_name" not in found["matches"][0]
    assert (found["total"], found["scanned"]) == (1, False)
    assert run("search", "-F", "zzzqqq", cwd=tree).returncode == 1


def test_search_for_symbols(tree: Path) -> None:
    (tree / "a.py").write_text("def moor_zeppelin():\n    pass\n")
    (tree / "b.py").write_text("moor_zeppelin()\n")
    assert [hit["path"] for hit in run_json("search", "--mode", "symbol", "zeppelin", cwd=tree)["hits"]] == [
        "a.py"
    ]


@pytest.mark.parametrize(
    "options",
    [("-F", "-E"), ("-F", "--mode", "regex"), ("--mode", "symbol", "-i"), ("-E", "--mode", "symbol")],
)
def test_ways_to_match_exclude_each_other(tree: Path, options: tuple[str, ...]) -> None:
    assert_fails(run("search", "x", *options, cwd=tree), 2, "cannot be combined")


def test_a_bad_expression_is_a_usage_error(tree: Path) -> None:
    assert_fails(run("search", "-E", "(", cwd=tree), 2, "missing )")


def test_denied_files_are_not_found_and_not_opened(tree: Path) -> None:
    (tree / ".env").write_text("SECRET_ZEPPELIN=1\n")
    assert run_json("search", "SECRET_ZEPPELIN", cwd=tree, code=1)["hits"] == []
    done = run("open", ".env", cwd=tree)
    assert_fails(done, 3, ".env")
    assert "ZEPPELIN" not in done.stderr


def test_index_reports_what_it_did(tree: Path) -> None:
    report = run_json("index", cwd=tree)
    assert report["added"] > 5
    assert (report["updated"], report["removed"], report["unchanged"]) == (0, 0, 0)
    again = run_json("index", "--workers", "1", cwd=tree)
    assert (again["added"], again["unchanged"]) == (0, report["added"])
    shown = run("index", cwd=tree)
    assert f"0 added, 0 updated, 0 removed, {report['added']} unchanged" in shown.stdout


def test_index_by_force_builds_anew(tree: Path) -> None:
    added = run_json("index", cwd=tree)["added"]
    report = run_json("index", "--force", cwd=tree)
    assert report["added"] + report["updated"] == added
    assert report["unchanged"] == 0


def test_index_lies_where_the_option_says(tree: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    run_json("index", "--repo-root", str(tree), "--data-dir", str(elsewhere), cwd=tmp_path)
    assert elsewhere.is_dir()
    assert not (tree / ".repo_mcp").exists()


def test_compact_merges_into_one_segment(tree: Path) -> None:
    run_json("index", cwd=tree)
    (tree / "new.py").write_text("x = 1\n")
    run_json("index", cwd=tree)
    report = run_json("compact", "--full", cwd=tree)
    assert report["segments_after"] == 1
    assert run_json("status", cwd=tree)["segments"] == 1
    assert "segments" in run("compact", "--full", cwd=tree).stdout


def test_status_tells_of_a_missing_and_of_a_ready_index(tree: Path) -> None:
    before = run_json("status", cwd=tree, code=1)
    assert before["state"] == "missing"
    shown = run("status", cwd=tree)
    assert "repo-mcp index" in shown.stdout
    assert shown.returncode == 1
    run_json("index", cwd=tree)
    after = run_json("status", cwd=tree)
    assert after["state"] == "ready"
    assert after["root"] == "tree"
    assert after["indexed_files"] > 5
    shown = run("status", cwd=tree)
    assert "ready" in shown.stdout
    assert str(tree) not in shown.stdout


def test_open_prints_numbered_lines(tree: Path) -> None:
    (tree / "four.txt").write_text("one\ntwo\n\tthree\nfour\n")
    assert run("open", "four.txt:2-3", cwd=tree).stdout == "      2  two\n      3      three\n"
    document = run_json("open", "four.txt:3", cwd=tree)
    assert document["content"] == "3\t\tthree\n4\tfour\n"
    assert (document["start_line"], document["end_line"], document["total_lines"]) == (3, 4, 4)


@pytest.mark.parametrize(
    ("target", "first", "last"),
    [
        ("four.txt:2:7", 2, 4),  # a compiler's line and column
        ("four.txt:2:", 2, 4),  # before the text, in the output of grep
        ("four.txt:2:7:", 2, 4),
        ("four.txt#L2", 2, 4),
        ("four.txt#L2-L3", 2, 3),
        ("four.txt#L2-3", 2, 3),
    ],
)
def test_open_takes_places_as_other_programs_print_them(
    tree: Path, target: str, first: int, last: int
) -> None:
    (tree / "four.txt").write_text("one\ntwo\nthree\nfour\n")
    document = run_json("open", target, cwd=tree)
    assert (document["path"], document["start_line"], document["end_line"]) == ("four.txt", first, last)


def test_open_prints_a_declaration(tree: Path) -> None:
    (tree / "four.py").write_text("import os\n\nclass A:\n    def m(self): ...\n")
    wanted = "      4      def m(self): ...\n"
    assert run("open", "four.py", "--symbol", "m", cwd=tree).stdout == wanted
    assert run("open", "four.py", "--around", "4", cwd=tree).stdout == wanted
    assert run_json("open", "four.py", "--symbol", "A.m", cwd=tree)["symbol"] == "A.m"
    assert_fails(run("open", "four.py", "--symbol", "n", cwd=tree), 3, "declares no")
    assert_fails(run("open", "four.py:3", "--symbol", "m", cwd=tree), 2, "exclude each other")


def test_a_large_file_is_opened_and_outlined_with_the_option_that_its_refusal_names(tree: Path) -> None:
    (tree / "large.py").write_text("A = 1\n" + "#" * 2_000_001)
    for command in ("open", "outline"):
        refused = run(command, "large.py", cwd=tree)
        assert_fails(refused, 3, "--max-file-bytes")
        assert run(command, "large.py", "--max-file-bytes", "3000000", cwd=tree).returncode == 0


def test_contents_cannot_drive_the_terminal(tree: Path) -> None:
    (tree / "evil.txt").write_bytes(b"zeppelin \x1b[2J\x9b \xe2\x80\xae red\n")
    for arguments in (["open", "evil.txt"], ["search", "zeppelin"]):
        shown = run(*arguments, cwd=tree).stdout
        assert "zeppelin" in shown
        assert not {"\x1b", "\x9b", "\u202e"} & set(shown)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["search", ""], "query"),
        (["search"], "QUERY"),
        (["search", "x", "--top-k", "0"], "--top-k"),
        (["impact", "--diff", "README.md", "--top-k", "0"], "--top-k"),
        (["callers", "x", "--top-k", "0"], "--top-k"),
        (["research", "what is x", "--top-k", "-1"], "--top-k"),
        (["search", "x", "--mode", "regexp"], "--mode"),
        (["search", "x", "--unheard-of"], "--unheard-of"),
        (["index", "--workers", "-3"], "--workers"),
        (["index", "--max-file-bytes", "0"], "--max-file-bytes"),
        (["open", "../outside"], "root"),
        (["open", ""], "path"),
        (["open", "README.md:9999"], "start_line"),
        (["unheard-of"], "unheard-of"),
        (["status", "--repo-root", "no/such/directory"], "root"),
        (["status", "--repo-root", "README.md"], "root"),
        (["serve"], "--repo-root"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(tree: Path, arguments: list[str], word: str) -> None:
    done = run(*arguments, cwd=tree)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert word.lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        ([], "See repo-mcp --help."),
        (["completion"], "See repo-mcp completion --help."),
        (["search", "words", "--top-k"], "See repo-mcp search --help."),
        (["definition"], "Find the symbol with repo-mcp search --mode symbol."),
    ],
)
def test_a_long_argument_is_repeated_in_part(tree: Path, arguments: list[str], end: str) -> None:
    done = run(*arguments, "9" * 100_000, cwd=tree)
    (line,) = done.stderr.splitlines()
    assert len(line) < 1_000
    assert "999…999" in line
    assert line.endswith(end)


@pytest.mark.parametrize("path", ["no_such_file.py", "src"])
def test_what_cannot_be_opened_is_one_line_and_exit_3(tree: Path, path: str) -> None:
    assert_fails(run("open", path, cwd=tree), 3, path)


def test_help_and_version_go_to_stdout(tree: Path) -> None:
    helped = run("--help", cwd=tree)
    assert helped.returncode == 0
    assert {"serve", "index", "compact", "search", "open", "status"} <= set(helped.stdout.split())
    versioned = run("--version", cwd=tree)
    assert versioned.returncode == 0
    assert versioned.stdout.startswith("repo-mcp ")
    alone = run(cwd=tree)
    assert alone.returncode == 2
    assert alone.stdout == helped.stdout
    mistaken = run("serach", "x", cwd=tree)
    assert_fails(mistaken, 2, "no command serach", "Did you mean search?")


def test_reader_that_goes_away_is_no_failure(tree: Path) -> None:
    (tree / "long.txt").write_text("line\n" * 2_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "repo_mcp", "open", "long.txt:1-2000", "--json"],
        cwd=tree,
        env={name: os.environ[name] for name in ("PATH", "XDG_STATE_HOME")}
        | {"PYTHONPATH": str(PROJECT), "HOME": str(tree.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert complaint == b""


def test_pipes_get_utf8_whatever_the_code_page_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, encoding="cp1252"))
    cli._write_utf8()
    sys.stdout.write("█")
    sys.stdout.flush()
    assert pipe.getvalue().decode().rstrip() == "█"
