"""Every key says what it is now and who set it."""

from __future__ import annotations

import dataclasses

from repo_mcp.config.repository_file import apply_repository_file
from repo_mcp.config.server_config import Config, Limits, NamedRoot, load_config
from repo_mcp.config.settings import list_settings


def sources(config: Config) -> dict[str, str]:
    return {one.key: one.source for one in list_settings(config)}


def test_every_field_of_the_configuration_is_a_key() -> None:
    keys = {one.key for one in list_settings(load_config("/srv/repo"))}
    renamed = {"root": "repo_root", "disabled_adapters": "adapters"}
    own = {renamed.get(one.name, one.name) for one in dataclasses.fields(Config)}
    limits = {one.name for one in dataclasses.fields(Limits)}
    more = {"embeddings", "docs_root", "code_root"}
    parts = {"finds_root", "limits", "given", "narrowed", "named_roots", "held_roots"}
    assert keys == (own - parts) | limits | more


def test_the_source_of_every_value() -> None:
    config = load_config(
        "/srv/repo", workers=2, exclude_globs=["a"], limits={"max_search_hits": 30, "max_bundle_files": 4}
    )
    lists = b'exclude_globs = ["b"]\ninclude_extensions = ["py"]\n'
    config, warnings = apply_repository_file(
        config, lists + b"[limits]\nmax_open_lines = 9\nmax_list_results = 7"
    )
    assert warnings == ()
    found = sources(config)
    default = {key for key, source in found.items() if source == "default"}
    assert {key: source for key, source in found.items() if key not in default} == {
        "repo_root": "command line",
        "workers": "command line",
        "exclude_globs": "repo_mcp.toml, command line",
        "include_extensions": "repo_mcp.toml",
        "max_search_hits": "command line",
        "max_bundle_files": "command line",
        "default_bundle_files": "command line",  # lowered with its maximum
        "max_open_lines": "repo_mcp.toml",
        "default_open_lines": "repo_mcp.toml",
        "max_list_results": "repo_mcp.toml",
    }


def test_a_limit_may_be_set_by_all_and_the_root_by_the_operator_alone() -> None:
    settings = {one.key: one for one in list_settings(load_config("/srv/repo"))}
    assert (settings["max_open_lines"].option, settings["max_open_lines"].in_file) == (
        "--max-open-lines",
        "limits.max_open_lines",
    )
    assert (
        settings["repo_root"].in_file
        == settings["audit_queries"].in_file
        == settings["data_dir"].in_file
        == ""
    )


def test_named_roots_say_where_they_come_from() -> None:
    docs = NamedRoot("docs", "/srv/docs", "environment")
    code = NamedRoot("code", "/srv/code", "configuration file")
    config = load_config(None, toolsets=["retrieval"])
    config = dataclasses.replace(config, named_roots=(docs, code))
    settings = {one.key: (one.value, one.source) for one in list_settings(config)}
    assert settings["docs_root"] == ("/srv/docs", "environment")
    assert settings["code_root"] == ("/srv/code", "configuration file")
    without = {one.key: (one.value, one.source) for one in list_settings(load_config("/srv"))}
    assert without["docs_root"] == without["code_root"] == (None, "default")
