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
# Keys whose option has the same name, and which a repository may not set.
_PLAIN_KEYS = (
    "watch",
    "workers",
    "memory_mb",
    "max_calls_per_second",
    "call_timeout_seconds",
    "symbol_wait_seconds",
    "refuse_hard_links",
    "one_file_system",
    "refuse_private_keys",
    "any_root",
    "harden",
    "audit_queries",
    "last_bundle",
    "semantic_model",
    "siblings",
    "index_from",
    "index_pack",
    "pack_key",
)
_SWITCHES = ("watch", "last_bundle", "siblings")  # options that have a --no- form


@dataclass(frozen=True, slots=True)
class Setting:
    """One key with its effective value."""

    key: str
    value: object  # a JSON value
    # "default", "repo_mcp.toml", "command line", or the last two in this order; of a named root,
    # "environment" or "configuration file".
    source: str
    option: str  # its option on the command line; empty: none
    in_file: str  # the key in repo_mcp.toml; empty: a repository may not set it


def list_settings(config: Config) -> tuple[Setting, ...]:
    """Return every key of an effective configuration, in a fixed order."""
    own: list[tuple[str, object, str, str]] = [
        ("repo_root", AUTO if config.finds_root else config.root, "--repo-root", ""),
        ("data_dir", config.data_dir or os.path.join(config.root, OWN_NAME), "--data-dir", ""),
        ("toolsets", list(config.toolsets), "--toolsets", ""),
        *((f"{name}_root", _find_root(config, name), "", "") for name in ("docs", "code")),
        *((key, getattr(config, key), _name_option(key), "") for key in _PLAIN_KEYS),
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
        (key, getattr(config.limits, key), _name_option(key), f"limits.{key}")
        for key in (limit.name for limit in fields(Limits))
    ]
    return tuple(
        Setting(key, value, _find_source(config, key), option, in_file)
        for key, value, option, in_file in (*own, *limits)
    )


def _name_option(key: str) -> str:
    option = "--" + key.replace("_", "-")
    return f"{option}/--no-{option[2:]}" if key in _SWITCHES else option


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
        return _find_source(config, maximum)  # the default was lowered together with its maximum
    return DEFAULT
