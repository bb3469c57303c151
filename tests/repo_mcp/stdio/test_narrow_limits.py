"""Odd values of what a repository and the operator may set, over stdio in the four toolsets.

The server stays usable, and a warning of the status names file and key; the operator gets a usage error.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.config.repository_file import apply_repository_file
from repo_mcp.config.server_config import DEFAULT_OF, HARD_CAPS, LEAST_LIMITS, Limits, load_config
from repo_mcp.errors import RepoError
from tests.deep.sizes import first
from tests.forked import popen, run_program

PROJECT = Path(__file__).resolve().parents[3]
CORPUS = PROJECT / "tests" / "corpus" / "tiny_repo"
OPENING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}
# A call of each kind.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repo.status", {}),
    ("index_codebase", {"path": "."}),
    ("repo.refresh_index", {}),
    ("repo.list_files", {}),
    ("repo.open_file", {"path": "small.toml"}),
    ("repo.outline", {"path": "small.toml"}),
    ("repo.search", {"query": "parser"}),
    ("repo.search", {"query": "parse", "mode": "literal"}),
    ("repo.build_context_bundle", {"prompt": "parser"}),
    ("repo.audit_log", {}),
    ("get_status", {}),
    ("read_file", {"path": "small.toml"}),
    ("list_directory", {"path": "."}),
    ("search_symbols", {"query": "parse"}),
    ("get_file_outline", {"path": "small.toml"}),
    ("search_code", {"query": "parser"}),
    ("search_docs", {"query": "parser"}),
    ("code_research", {"query": "What calls parse?"}),
    ("search", {"query": "parser"}),
    ("list_dir", {"repo": "docs"}),
)
OPTIONS = ("--no-watch", "--toolsets", "repo,graph,research,retrieval", "--data-dir")
ODD = ("0", "-1", "1.5", "nan", "true", '"10"', "[]", "{}", "1" * 4_000)
HUGE = "9" * 30
# Keys besides the limits, each at something that it cannot be.
OTHERS = (
    "exclude_globs = 0",
    'ignore_globs = "a"',
    "include_extensions = [1]",
    "extensions = 1",
    'extensions.py = "no language"',
    "adapters = -1",
    "adapters.python = true",
    "adapters.python.enabled = 0",
    "embeddings = 1",
    "embeddings.enabled = true",
    "limits = 1",
    "limits.nothing = 1",
    "workers = 1",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a tree with a file that is small enough for any floor."""
    shutil.copytree(CORPUS, tmp_path / "tiny_repo")
    (tmp_path / "tiny_repo" / "small.toml").write_text("[app]\nname = 1\n")
    return tmp_path / "tiny_repo"


def _run(root: Path, text: str) -> tuple[dict[str, Any], str]:
    """Return the answers to CALLS by their names, and what the server said on standard error."""
    (root / "repo_mcp.toml").write_text(text)
    place = root.parent
    server = popen(
        [sys.executable, "-m", "repo_mcp", "serve", "--repo-root", str(root), *OPTIONS, str(place / "data")],
        cwd=place,
        env={**os.environ, "DOCS_ROOT": str(root), "CODE_ROOT": str(root), "PYTHONPATH": str(PROJECT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None

        def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
            frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(frame), file=server.stdin, flush=True)
            while (found := json.loads(server.stdout.readline())).get("id") != number:
                pass
            answer: dict[str, Any] = found["result"]
            return answer

        ask(0, "initialize", OPENING)
        offered = {tool["name"] for tool in ask(1, "tools/list", {})["tools"]}
        missing = {name for name, _ in CALLS} - offered
        assert missing == set()
        answers = {
            f"{name} {arguments}": ask(number, "tools/call", {"name": name, "arguments": arguments})
            for number, (name, arguments) in enumerate(CALLS, 2)
        }
        server.stdin.close()
        assert server.stderr is not None
        return answers, server.stderr.read()


def _list_failed(answers: dict[str, Any]) -> list[str]:
    return [name for name, answer in answers.items() if answer.get("isError")]


@pytest.mark.parametrize("key", first(2, HARD_CAPS))
def test_a_limit_that_a_repository_sets_to_1_leaves_everything_usable(root: Path, key: str) -> None:
    answers, said = _run(root, f"[limits]\n{key} = 1\n")
    assert _list_failed(answers) == []
    status = str(answers["repo.status {}"]["structuredContent"])
    least = LEAST_LIMITS[key]
    expected = f"repo_mcp.toml: limits.{key} cannot be below {least}, which is used instead of 1"
    assert (expected in status, expected in said) == (least > 1, least > 1)


def test_whatever_a_repository_says_status_names_file_and_key(root: Path) -> None:
    limits = zip(HARD_CAPS, itertools.cycle((*ODD, HUGE)), strict=False)
    text = "workers = 1\nembeddings = 1\nextensions = 1\n[limits]\n"
    text += "".join(f"{key} = {value}\n" for key, value in limits)
    answers, said = _run(root, text)
    assert _list_failed(answers) == []
    warnings = answers["repo.status {}"]["structuredContent"]["warnings"]
    for key in ("workers", "embeddings", "extensions", *(f"limits.{name}" for name in HARD_CAPS)):
        (warning,) = [one for one in warnings if one.startswith(f"repo_mcp.toml: {key} ")]
        assert warning in said


@pytest.mark.parametrize("value", [*ODD, HUGE])
def test_every_limit_of_an_odd_value_is_named_and_ignored(value: str) -> None:
    for key in HARD_CAPS:
        config, warnings = apply_repository_file(
            load_config("/srv"), f"[limits]\n{key} = {value}\n".encode(), ["python"], ["python"]
        )
        assert config.limits == Limits()
        (warning,) = warnings
        assert warning.startswith(f"repo_mcp.toml: limits.{key} ")
        assert len(warning) < 200


@pytest.mark.parametrize("text", OTHERS)
def test_every_other_key_of_an_odd_value_is_named_and_ignored(text: str) -> None:
    base = load_config("/srv")
    config, warnings = apply_repository_file(base, text.encode(), ["python"], ["python"])
    assert replace(config, narrowed=base.narrowed) == base
    (warning,) = warnings
    assert warning.startswith("repo_mcp.toml: " + text.partition(" ")[0])


def test_the_worst_warnings_of_a_repository_fit_into_the_smallest_answer(root: Path) -> None:
    deep = root / "/".join(["d" * 60] * 3)
    deep.mkdir(parents=True)
    for folder in (root, deep):
        (folder / ".gitignore").write_text("".join(f"{'*?' * 60}{number}\n" for number in range(30)))
    faults = "".join(f'"{number}{chr(0x1F600) * 90}" = 1\n' for number in range(60))
    answers, _ = _run(root, f"{faults}[limits]\nmax_total_bytes_per_response = 1\n")
    assert _list_failed(answers) == []
    sizes = [len(answer["content"][0]["text"].encode()) for answer in answers.values()]
    assert max(sizes) <= LEAST_LIMITS["max_total_bytes_per_response"]
    assert max(sizes) > 3_000  # else the warnings are not there


def test_a_failure_says_which_option_and_which_key_set_the_limit(root: Path) -> None:
    (root / "small.toml").write_text("a = 1\n" * 1_000)
    answers, _ = _run(root, "[limits]\nmax_file_bytes = 1\n")
    failed = _list_failed(answers)
    assert failed
    for name in failed:
        assert "with --max-file-bytes; limits.max_file_bytes in repo_mcp.toml may have lowered it" in str(
            answers[name]
        ), name


@pytest.mark.parametrize("value", ["-1", "0", "8191", HUGE])
def test_an_option_of_a_silly_value_is_a_usage_error_with_the_floor(tmp_path: Path, value: str) -> None:
    option = "--max-total-bytes-per-response"
    done = run_program(("serve", "--repo-root", str(tmp_path), option, value), cwd=tmp_path, env=os.environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert option in done.stderr
    assert "8192 to 8388608" in done.stderr


@pytest.mark.parametrize("key", HARD_CAPS)
def test_every_option_has_its_floor(key: str) -> None:
    least = LEAST_LIMITS[key]
    for value in (-1, 0, least - 1, HARD_CAPS[key] + 1, int(HUGE)):
        with pytest.raises(RepoError) as caught:
            load_config("/srv", limits={key: value})
        assert caught.value.message.startswith("--" + key.replace("_", "-"))
        assert caught.value.hint == f"Allowed: {least} to {HARD_CAPS[key]}."
    assert getattr(load_config("/srv", limits={key: least}).limits, key) == least


def test_every_floor_is_below_its_default_and_that_of_a_default_below_its_maximum() -> None:
    assert all(LEAST_LIMITS[key] <= getattr(Limits(), key) for key in HARD_CAPS)
    assert all(LEAST_LIMITS[key] <= LEAST_LIMITS[maximum] for key, maximum in DEFAULT_OF.items())
