"""`docs/configuration.md` against the code: every key, its default, and who may set it."""

from __future__ import annotations

import json
import re
import tomllib

from repo_mcp.config.repository_file import apply_repository_file
from repo_mcp.config.server_config import HARD_CAPS, load_config
from repo_mcp.config.settings import list_settings
from repo_mcp.languages.outline.adapter import BUILT_IN
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.serving.server_options import LIMITS, build_parser
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


def test_every_limit_is_explained_as_in_the_help() -> None:
    for key, meaning in LIMITS.items():
        row = re.search(rf"^\| `{key}` \|.* \| ([^|]+) \|$", TEXT, re.MULTILINE)
        assert row is not None, key
        assert row[1].replace("`", "") == meaning


def test_every_option_of_the_server_is_named_and_every_one_named_is_the_servers() -> None:
    known = {name for name in build_parser("repo-mcp-server")._option_string_actions if name[:2] == "--"}
    named = set(re.findall(r"(--[a-z][a-z-]+)", TEXT))
    assert named - known <= {"--show", "--json", "--pack", "--from-pack", "--structure", "--scope"}
    assert known - named <= {"--help"}


# Where our code says the name of a variable of the environment, outside `repo_mcp.config.environment` too.
READS = re.compile(
    r"""(?:environ\.get|_find_user_directory|find_client_home|_at_home)\((?:"[^"]*\.(?:toml|json)",\s*)?"(\w+)"
    |VARIABLES.*?=\s*\{(.*?)\}|for\s\w+\sin\s\(variable,\s"(\w+)"\)""",
    re.VERBOSE,
)
OF_THE_CONSOLE = {"COLUMNS"}  # read by Python for us


def test_every_variable_that_is_read_has_its_row_and_no_other() -> None:
    """In both directions; what a child process is given (`repo_mcp.config.environment`) is not read."""
    found: set[str] = set()
    for file in (ROOT / "repo_mcp").rglob("*.py"):
        for match in READS.finditer(file.read_text(encoding="utf-8")):
            found |= set(re.findall(r"\b_?[A-Z][A-Z_]{3,}\b", " ".join(filter(None, match.groups()))))
    table = TEXT.split("\n## Environment variables\n")[1].split("\n## ")[0]
    named = {
        name
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert named == found | OF_THE_CONSOLE


def test_the_example_is_taken_whole() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT.split("\n## repo_mcp.toml\n")[1], re.DOTALL)
    keys = set(tomllib.loads(example))
    assert keys == {"exclude_globs", "include_extensions", "limits", "extensions", "adapters", "embeddings"}
    config, warnings = apply_repository_file(BASE, example.encode(), LANGUAGES, BUILT_IN)
    assert warnings == ()
    assert config != BASE
