"""The keys of the configuration: who may set each, its value and who set it.

Left out on purpose: setting anything. See `repo_mcp.config.server_config` and
`repo_mcp.config.repository_file`.
"""

from __future__ import annotations

import os
from dataclasses import fields

from repo_mcp.config.found_root import AUTO
from repo_mcp.config.plain_options import REPOSITORY_FILE
from repo_mcp.config.server_config import DEFAULT_OF, Config, Limits
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.data_dir import OWN_NAME

DEFAULT = "default"
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Setting:
    """One key with its effective value."""

    key: str
    value: object  # a JSON value
    # "default", "repo_mcp.toml", "command line", or the last two in this order; of a named root,
    # "environment" or "configuration file".
    source: str
    option: str  # on the command line; empty: none
    in_file: str  # the key in repo_mcp.toml; empty: a repository may not set it


def list_settings(config: Config) -> tuple[Setting, ...]:
    """Return every key of an effective configuration, in a fixed order."""
    own: list[tuple[str, object, str, str]] = [
        ("repo_root", AUTO if config.finds_root else config.root, "--repo-root", ""),
        ("data_dir", config.data_dir or os.path.join(config.root, OWN_NAME), "--data-dir", ""),
        ("toolsets", list(config.toolsets), "--toolsets", ""),
        *((f"{name}_root", _find_root(config, name), "", "") for name in ("docs", "code")),
        ("watch", config.watch, "--watch/--no-watch", ""),
        ("workers", config.workers, "--workers", ""),
        ("memory_mb", config.memory_mb, "--memory-mb", ""),
        ("max_calls_per_second", config.max_calls_per_second, "--max-calls-per-second", ""),
        ("call_timeout_seconds", config.call_timeout_seconds, "--call-timeout-seconds", ""),
        ("symbol_wait_seconds", config.symbol_wait_seconds, "--symbol-wait-seconds", ""),
        ("refuse_hard_links", config.refuse_hard_links, "--refuse-hard-links", ""),
        ("one_file_system", config.one_file_system, "--one-file-system", ""),
        ("refuse_private_keys", config.refuse_private_keys, "--refuse-private-keys", ""),
        ("any_root", config.any_root, "--any-root", ""),
        ("harden", config.harden, "--harden", ""),
        ("audit_queries", config.audit_queries, "--audit-queries", ""),
        ("last_bundle", config.last_bundle, "--last-bundle/--no-last-bundle", ""),
        ("semantic_model", config.semantic_model, "--semantic-model", ""),
        ("siblings", config.siblings, "--siblings/--no-siblings", ""),
        ("index_from", config.index_from, "--index-from", ""),
        ("index_pack", config.index_pack, "--index-pack", ""),
        ("pack_key", config.pack_key, "--pack-key", ""),
        ("include_extensions", list(config.include_extensions), "--include-extension", "include_extensions"),
        ("exclude_globs", list(config.exclude_globs), "--exclude-glob", "exclude_globs"),
        ("allow_paths", list(config.allow_paths), "--allow-path", ""),
        ("extensions", dict(config.extensions), "", "extensions"),
        ("adapters", {name: {"enabled": False} for name in config.disabled_adapters}, "", "adapters"),
        ("embeddings", {"enabled": False}, "", "embeddings"),
        ("chunk_lines", config.chunk_lines, "", ""),
        ("chunk_overlap_lines", config.chunk_overlap_lines, "", ""),
    ]
    limits = [
        (limit.name, getattr(config.limits, limit.name), "--" + limit.name.replace("_", "-"), limit.name)
        for limit in fields(Limits)
    ]
    return tuple(
        Setting(key, value, _find_source(config, key), option, in_file) for key, value, option, in_file in own
    ) + tuple(
        Setting(key, value, _find_source(config, key), option, f"limits.{name}")
        for key, value, option, name in limits
    )


def _find_root(config: Config, name: str) -> str | None:
    return next((root.path for root in config.named_roots if root.name == name), None)


def _find_source(config: Config, key: str) -> str:
    for root in config.named_roots:
        if key == f"{root.name}_root":
            return root.source
    sources = [
        source
        for source, keys in ((REPOSITORY_FILE, config.narrowed), (COMMAND_LINE, config.given))
        if key in keys
    ]
    if sources:
        return ", ".join(sources)
    maximum = DEFAULT_OF.get(key)
    if maximum is not None and getattr(config.limits, key) != getattr(Limits(), key):
        return _find_source(config, maximum)  # it was lowered with its maximum
    return DEFAULT
