"""`docs/configuration.md` against the code: every key, its default, and who may set it."""

from __future__ import annotations

import json
import re
import tomllib

from repo_mcp.adapters.protocol import BUILT_IN
from repo_mcp.adapters.registry import LANGUAGES
from repo_mcp.config import HARD_CAPS, load_config
from repo_mcp.options import build_parser
from repo_mcp.repository_file import apply_repository_file
from repo_mcp.settings import list_settings
from tests.architecture.source_tree import ROOT

TEXT = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<key>\w+)` \| (?P<default>[^|]+) \| (?P<option>[^|]+) \| (?P<file>[^|]+) \|", re.M)
BASE = load_config("/srv/repo")


def unquoted(cell: str) -> str:
    return cell.strip().strip("`") if cell.strip() != "-" else ""


def test_every_key_has_its_row() -> None:
    rows = {row["key"]: row for row in ROW.finditer(TEXT)}
    settings = {one.key: one for one in list_settings(BASE)}
    assert list(rows) == list(settings)
    for key, one in settings.items():
        assert unquoted(rows[key]["option"]) == one.option, key
        assert unquoted(rows[key]["file"]) == one.in_file, key
        if key not in ("repo_root", "data_dir"):
            assert json.loads(unquoted(rows[key]["default"]).replace(",", "")) == (
                True if key == "watch" else one.value  # the server's default; other commands never watch
            ), key


def test_every_limit_states_its_hard_cap() -> None:
    for key, cap in HARD_CAPS.items():
        assert re.search(rf"^\| `{key}` \|.*\| {cap:,} \|", TEXT, re.M), key


def test_every_option_named_is_one_of_the_server() -> None:
    known = set(build_parser("repo-mcp-server")._option_string_actions)
    assert set(re.findall(r"(--[a-z][a-z-]+)", TEXT)) - known <= {"--show", "--json"}


def test_the_example_is_taken_whole() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    keys = set(tomllib.loads(example))
    assert keys == {"exclude_globs", "include_extensions", "limits", "extensions", "adapters", "embeddings"}
    config, warnings = apply_repository_file(BASE, example.encode(), LANGUAGES, BUILT_IN)
    assert warnings == ()
    assert config != BASE
