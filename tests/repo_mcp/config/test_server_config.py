"""The operator's options and the limits."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from repo_mcp.config.server_config import HARD_CAPS, Config, Limits, find_root_in_environment, load_config
from repo_mcp.errors import ErrorCode, RepoError

BASE = load_config("/srv/repo")


def message_of(call: object, *arguments: object, **options: object) -> str:
    with pytest.raises(RepoError) as caught:
        call(*arguments, **options)  # type: ignore[operator]
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value.message


def test_defaults() -> None:
    assert Config(root="/srv/repo") == BASE
    assert BASE.given == {"repo_root"}
    assert BASE.limits.max_file_bytes == 2_000_000
    assert BASE.toolsets == ("repo",)
    assert BASE.chunk_overlap_lines < BASE.chunk_lines


def test_paths_become_absolute_and_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = load_config("a/../b/.", data_dir="x")
    assert config.root == str(tmp_path / "b")
    assert config.data_dir == str(tmp_path / "x")


@pytest.mark.parametrize("root", [None, "", "a\0b", "\ud800"])
def test_roots_that_cannot_be(root: str | None) -> None:
    assert message_of(load_config, root).startswith("--repo-root ")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"data_dir": ""}, "--data-dir"),
        ({"data_dir": "a\0"}, "--data-dir"),
        ({"workers": -1}, "--workers"),
        ({"workers": 1000}, "--workers"),
        ({"workers": True}, "--workers"),
        ({"toolsets": []}, "--toolsets"),
        ({"toolsets": ["repo", "shell"]}, "--toolsets"),
        ({"include_extensions": ["py", "a/b"]}, "--include-extension"),
        ({"include_extensions": [""]}, "--include-extension"),
        ({"exclude_globs": ["a\nb"]}, "--exclude-glob"),
        ({"exclude_globs": ["x" * 5000]}, "--exclude-glob"),
        ({"limits": {"max_file_bytes": 0}}, "--max-file-bytes"),
        ({"limits": {"max_file_bytes": 10**5000}}, "--max-file-bytes"),
        ({"limits": {"max_file_bytes": 10**12}}, "--max-file-bytes"),
        ({"limits": {"max_file_bytes": 1.5}}, "--max-file-bytes"),
        ({"limits": {"max_nothing": 1}}, "--max-nothing"),
        ({"limits": {"max_open_lines": 10, "default_open_lines": 20}}, "--default-open-lines"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, object], named: str) -> None:
    assert message_of(load_config, "/srv/repo", **options).startswith(named + " ")


def test_options_are_taken() -> None:
    config = load_config(
        "/r",
        toolsets=["graph", "repo", "graph"],
        workers=3,
        limits={"max_search_hits": 5, "max_file_bytes": 9_000},
    )
    assert config.toolsets == ("graph", "repo")
    assert config.workers == config.chosen_workers() == 3
    assert (config.limits.max_search_hits, config.limits.default_search_hits) == (5, 5)
    assert config.limits.max_file_bytes == 9_000
    assert config.given == {"repo_root", "toolsets", "workers", "max_search_hits", "max_file_bytes"}


def test_extensions_and_globs_of_the_operator_are_cleaned() -> None:
    config = load_config("/r", include_extensions=[".PY", "c", "py"], exclude_globs=["gen/", "*.min.js"])
    assert config.include_extensions == ("c", "py")
    assert config.exclude_globs == ("gen/", "*.min.js")
    assert config.given == {"repo_root", "include_extensions", "exclude_globs"}


def test_a_number_of_workers_is_chosen() -> None:
    assert 1 <= BASE.chosen_workers() <= 4


def test_every_limit_has_a_hard_cap_that_its_default_keeps() -> None:
    assert {field.name for field in dataclasses.fields(Limits)} == set(HARD_CAPS)
    assert all(1 <= getattr(Limits(), name) <= cap for name, cap in HARD_CAPS.items())


def test_the_fingerprint_follows_what_changes_an_index_and_nothing_else() -> None:
    plain = BASE.fingerprint("deny")
    changed = [
        dataclasses.replace(BASE, chunk_lines=100),
        dataclasses.replace(BASE, chunk_overlap_lines=10),
        dataclasses.replace(BASE, limits=Limits(max_file_bytes=1)),
        dataclasses.replace(BASE, include_extensions=("py",)),
        dataclasses.replace(BASE, exclude_globs=("py",)),
        dataclasses.replace(BASE, extensions=(("foo", "python"),)),
        dataclasses.replace(BASE, disabled_adapters=("python",)),
    ]
    same = [
        dataclasses.replace(BASE, root="/elsewhere", data_dir="/x", workers=9, toolsets=("graph",)),
        dataclasses.replace(BASE, limits=Limits(max_search_hits=1)),
        dataclasses.replace(BASE, audit_queries=True, watch=True),
        dataclasses.replace(BASE, given=frozenset({"workers"}), narrowed=frozenset({"limits"})),
    ]
    prints = [config.fingerprint("deny") for config in changed] + [BASE.fingerprint("other")]
    assert len({plain, *prints}) == len(changed) + 2
    assert {config.fingerprint("deny") for config in same} == {plain}


def test_named_roots_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCS_ROOT", "/srv/./docs/")
    monkeypatch.delenv("CODE_ROOT", raising=False)
    assert find_root_in_environment("DOCS_ROOT") == os.path.abspath("/srv/docs")
    assert find_root_in_environment("CODE_ROOT") is None
    monkeypatch.setenv("CODE_ROOT", "")
    assert find_root_in_environment("CODE_ROOT") is None
    monkeypatch.setenv("CODE_ROOT", "/srv/\udcff")
    assert message_of(find_root_in_environment, "CODE_ROOT").startswith("CODE_ROOT ")


def test_a_root_may_be_missing_only_where_named_roots_alone_are_served() -> None:
    assert load_config(None, toolsets=["retrieval"]).root == ""
    for toolsets in (["repo"], ["repo", "retrieval"], None):
        assert message_of(load_config, None, toolsets=toolsets).startswith("--repo-root ")
    assert message_of(load_config, "", toolsets=["retrieval"]).startswith("--repo-root ")
