"""What `repo-mcp init` makes of clients' files: one entry more and nothing else, or a refusal and nothing."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.client_commands import CLIENT_NAMES
from repo_mcp.cli.clients.clients import CLIENTS, Server
from repo_mcp.cli.clients.files import read_client_file, write_client_file
from repo_mcp.cli.clients.setup_plan import Setup, choose_place, plan_setup
from repo_mcp.errors import ErrorCode, RepoError

COMMAND = "/opt/repo mcp/bin/repo-mcp-server"
Plan = Callable[..., Setup]
FILES = {
    ("codex", "user"): "home/.codex/config.toml",
    ("codex", "project"): "root/.codex/config.toml",
    ("vscode", "project"): "root/.vscode/mcp.json",
    ("vscode", "user"): "home/.config/Code/User/mcp.json",
    ("gemini", "project"): "root/.gemini/settings.json",
    ("gemini", "user"): "home/.gemini/settings.json",
    ("copilot", "user"): "home/.copilot/mcp-config.json",
    ("copilot", "project"): "root/.mcp.json",
    ("claude", "project"): "root/.mcp.json",
    ("claude", "user"): "home/.claude.json",
}
CODEX = """# mine
model = "o9"  # the good one

[mcp_servers.other]
command = "other"   # keep

[mcp_servers.other.env]
KEY = 'literal'

[profiles.fast]
model = "o9-mini"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home and a project."""
    for name in ("home", "root"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def plan(place: Path) -> Plan:
    def build(client: str, scope: str | None = None, name: str = "repo", *, replace: bool = False) -> Setup:
        root = str(place / "root")
        chosen = CLIENTS[client]
        server = Server(COMMAND, ("--repo-root", root))
        place_of_file = choose_place(chosen, scope, root)
        return plan_setup(chosen, server, name, place_of_file, here=root, replace=replace)

    return build


@pytest.fixture
def plan_found(place: Path) -> Plan:
    """Return the same with a root that the server finds."""

    def build(
        client: str, scope: str | None = None, *, on_path: str = "repo-mcp-server", more: tuple[str, ...] = ()
    ) -> Setup:
        root = str(place / "root")
        chosen = CLIENTS[client]
        server = Server(COMMAND, ("--repo-root", "auto", *more), {}, on_path)
        return plan_setup(chosen, server, "repo", choose_place(chosen, scope, root), here=root)

    return build


def write(setup: Setup) -> str | None:
    assert setup.file is not None
    return write_client_file(setup.file, setup.text)


def put(file: Path, text: str | bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def read(file: Path) -> Any:
    text = file.read_text()
    return tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize(("client", "scope"), FILES)
def test_a_file_that_is_not_there_is_made(place: Path, plan: Plan, client: str, scope: str) -> None:
    file = place / FILES[client, scope]
    setup = plan(client, scope)
    assert not file.parent.exists() or not file.exists()
    assert write(setup) is None
    document = read(file)
    assert list(document) == [CLIENTS[client].section]
    entry = document[CLIENTS[client].section]["repo"]
    assert entry["command"] == COMMAND
    assert entry["args"] == ["--repo-root", str(place / "root")]
    assert file.stat().st_mode & 0o777 == (0o600 if scope == "user" else 0o644)
    assert plan(client, scope).is_done


def test_entries_have_the_shapes_that_clients_want(plan: Plan) -> None:
    assert list(plan("codex").entry) == ["command", "args"]
    assert plan("vscode").entry["type"] == "stdio"
    assert plan("claude").entry["type"] == "stdio"
    assert list(plan("gemini").entry) == ["command", "args"]
    assert (plan("copilot").entry["type"], plan("copilot").entry["tools"]) == ("local", ["*"])


@pytest.mark.parametrize(("first", "then"), [("claude", "copilot"), ("copilot", "claude")])
def test_two_clients_that_read_one_file_of_a_project_get_one_entry(
    place: Path, plan: Plan, first: str, then: str
) -> None:
    write(plan(first, "project"))
    assert plan(then, "project").is_done
    assert read(place / "root/.mcp.json")["mcpServers"]["repo"]["type"] == "stdio"


def test_every_client_that_is_set_up_can_be_named() -> None:
    assert {client.name for client in CLIENTS.values() if client.is_set_up} == set(CLIENT_NAMES)


def test_a_codex_file_keeps_every_line(place: Path, plan: Plan) -> None:
    file = put(place / "home/.codex/config.toml", CODEX)
    file.chmod(0o640)
    assert write(plan("codex")) == "config.toml.bak-1"
    after = file.read_text()
    assert after.startswith(CODEX)
    assert read(file)["mcp_servers"]["repo"]["command"] == COMMAND
    assert file.stat().st_mode & 0o777 == 0o640
    assert (file.parent / "config.toml.bak-1").read_text() == CODEX
    assert (file.parent / "config.toml.bak-1").stat().st_mode & 0o777 == 0o640
    assert write(plan("codex", name="two")) == "config.toml.bak-2"
    assert sorted(os.listdir(file.parent)) == ["config.toml", "config.toml.bak-1", "config.toml.bak-2"]


def test_an_entry_of_ours_follows_the_program_and_keeps_what_people_added(place: Path, plan: Plan) -> None:
    root = place / "root"
    file = put(
        place / "home/.codex/config.toml",
        "[mcp_servers.repo]  # code\ncommand = '/old/repo-mcp-server'  # moves\n"
        f'args = ["--repo-root", "{root}"] # here\nstartup_timeout_sec = 20 # slow disk\n\n[z]\na = 1\n',
    )
    before = file.read_text()
    write(plan("codex"))
    assert file.read_text() == before.replace("'/old/repo-mcp-server'", f'"{COMMAND}"')


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/usr/bin/other", "args": []},
        {"command": COMMAND, "args": ["--repo-root", "/another"]},
        {"url": "https://example.invalid"},
        "text",
        None,
        ["list"],
    ],
    ids=str,
)
def test_a_server_of_that_name_that_is_something_else_is_not_touched(
    place: Path, plan: Plan, entry: object
) -> None:
    file = put(place / "home/.claude.json", json.dumps({"mcpServers": {"repo": entry}}, indent=2))
    with pytest.raises(RepoError, match="already has a server repo") as caught:
        plan("claude", "user")
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert "--replace" in caught.value.hint
    write(plan("claude", "user", name="mine"))
    write(plan("claude", "user", replace=True))
    assert read(file)["mcpServers"]["repo"]["args"] == ["--repo-root", str(place / "root")]


def test_what_a_repository_put_into_an_entry_is_not_taken_over(place: Path, plan: Plan) -> None:
    entry = {"type": "stdio", "command": COMMAND, "args": ["--repo-root", str(place / "root")]}
    hostile = entry | {"env": {"LD_PRELOAD": "./evil.so"}, "\x1b[2J": 1}
    file = put(place / "root/.mcp.json", json.dumps({"mcpServers": {"repo": hostile}}))
    with pytest.raises(RepoError, match="env, which comes with the repository") as caught:
        plan("claude", "project")
    assert "\x1b" not in caught.value.message
    write(plan("claude", "project", replace=True))
    assert read(file)["mcpServers"]["repo"] == entry


BROKEN = [
    ("codex", "user", 'a = "unclosed', "cannot be changed"),
    ("codex", "user", "[a]\n[a]\n", "cannot be changed"),
    ("codex", "user", "mcp_servers = 1\n", "not a table of servers"),
    ("codex", "user", 'mcp_servers = { a = { command = "x" } }\n', "cannot be changed"),
    ("codex", "user", b"\xff\xfe", "is not UTF-8"),
    ("claude", "project", '{"mcpServers": {', "cannot be changed"),
    ("claude", "project", '{"mcpServers": []}', "not a table of servers"),
    ("claude", "project", '{"mcpServers": null}', "not a table of servers"),
    ("claude", "project", '{"mcpServers": {}, "mcpServers": {}}', "twice"),
    ("claude", "project", "[" * 100_000, "deeply"),
    ("vscode", "project", "[1]", "not an object"),
    ("gemini", "project", "{,}", "cannot be changed"),
]


@pytest.mark.parametrize(("client", "scope", "text", "word"), BROKEN, ids=lambda one: str(one)[:20])
def test_a_broken_file_is_refused_and_left(
    place: Path, plan: Plan, client: str, scope: str, text: str | bytes, word: str
) -> None:
    file = put(place / FILES[client, scope], text)
    before = file.read_bytes()
    with pytest.raises(RepoError, match=word) as caught:
        plan(client, scope)
    assert caught.value.code is ErrorCode.CONFIG_INVALID
    assert str(place) not in caught.value.message
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_empty_files_and_byte_order_marks(place: Path, plan: Plan) -> None:
    put(place / "root/.vscode/mcp.json", "  \n")
    write(plan("vscode"))
    assert "repo" in read(place / "root/.vscode/mcp.json")["servers"]
    file = put(place / "root/.gemini/settings.json", b'\xef\xbb\xbf{"theme": "x"}')
    write(plan("gemini", "project"))
    assert file.read_bytes().startswith(b"\xef\xbb\xbf{")
    assert json.loads(file.read_text("utf-8-sig"))["theme"] == "x"


# Roots that the server finds


@pytest.mark.parametrize(("client", "scope"), FILES)
def test_a_root_that_is_found_is_written_as_the_client_has_it(
    place: Path, plan_found: Plan, client: str, scope: str
) -> None:
    setup = plan_found(client, scope)
    is_folder = (client, scope) == ("vscode", "project")
    assert setup.entry["args"] == ["--repo-root", "${workspaceFolder}" if is_folder else "auto"]
    assert setup.entry["command"] == (COMMAND if scope == "user" else "repo-mcp-server")
    assert setup.names_machine == (scope == "user")
    write(setup)
    assert plan_found(client, scope).is_done


def test_a_program_that_no_path_leads_to_is_named_whole(place: Path, plan_found: Plan) -> None:
    setup = plan_found("claude", "project", on_path="")
    assert setup.entry["command"] == COMMAND
    assert setup.names_machine


@pytest.mark.parametrize(
    "option", [("--data-dir", "/srv/index"), ("--data-dir=/srv/index",), ("--semantic-model", "/srv/model")]
)
def test_any_other_path_of_the_machine_is_noticed(plan_found: Plan, option: tuple[str, ...]) -> None:
    assert plan_found("claude", "project", more=option).names_machine


@pytest.mark.parametrize(("client", "scope"), [("codex", "user"), ("vscode", "project")])
def test_an_entry_that_names_this_directory_becomes_one_that_finds_it(
    place: Path, plan: Plan, plan_found: Plan, client: str, scope: str
) -> None:
    write(plan(client, scope))
    file = place / FILES[client, scope]
    write(plan_found(client, scope))
    assert str(place / "root") not in file.read_text()
    with pytest.raises(RepoError, match="serves another directory") as caught:
        plan(client, scope)  # back again: only if that is said
    assert "--replace" in caught.value.hint
    write(plan(client, scope, replace=True))
    assert str(place / "root") in file.read_text()


def test_an_entry_that_names_another_directory_is_left(place: Path, plan_found: Plan) -> None:
    entry = {"command": COMMAND, "args": ["--repo-root", "/another"]}
    file = put(place / "home/.claude.json", json.dumps({"mcpServers": {"repo": entry}}))
    with pytest.raises(RepoError, match="serves another directory"):
        plan_found("claude")
    assert read(file)["mcpServers"]["repo"] == entry


# Links, and what is no file


def test_a_link_of_the_users_is_followed_inside_the_home(place: Path, plan: Plan) -> None:
    real = put(place / "home/dotfiles/codex.toml", CODEX)
    (place / "home/.codex").mkdir()
    (place / "home/.codex/config.toml").symlink_to("../dotfiles/codex.toml")
    write(plan("codex"))
    assert (place / "home/.codex/config.toml").is_symlink()
    assert "repo" in read(real)["mcp_servers"]
    assert (place / "home/dotfiles/codex.toml.bak-1").read_text() == CODEX


def test_a_link_out_of_the_home_is_refused(place: Path, plan: Plan) -> None:
    real = put(place / "outside.toml", CODEX)
    (place / "home/.codex").mkdir()
    (place / "home/.codex/config.toml").symlink_to(real)
    with pytest.raises(RepoError, match="link that leads out of your home"):
        plan("codex")
    assert real.read_text() == CODEX


def test_a_directory_that_a_variable_names_is_the_users_own(
    place: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(place / "elsewhere"))
    setup = plan("codex")
    write(setup)
    assert "repo" in read(place / "elsewhere/config.toml")["mcp_servers"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place / "elsewhere"))
    found = CLIENTS["claude"].places["user"](str(place / "root"))
    assert (found.path, found.shown) == (str(place / "elsewhere" / ".claude.json"),) * 2
    monkeypatch.setenv("CODEX_HOME", "relative")
    found = plan("codex").file
    assert found is not None
    assert found.shown == "~/.codex/config.toml"


@pytest.mark.parametrize("linked", [".mcp.json", ".vscode", ".vscode/mcp.json"])
def test_no_link_of_a_repository_is_followed(place: Path, plan: Plan, linked: str) -> None:
    target = place / "home" / ("target" if linked == ".vscode" else "target.json")
    if linked == ".vscode":
        target.mkdir()
    else:
        target.write_text("{}")
    link = place / "root" / linked
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    with pytest.raises(RepoError, match="link in the repository"):
        plan("claude" if linked == ".mcp.json" else "vscode", "project")
    assert target.is_dir() or target.read_text() == "{}"


def test_what_is_no_file_is_refused(place: Path, plan: Plan) -> None:
    (place / "root/.mcp.json").mkdir()
    with pytest.raises(RepoError, match=r"\.mcp\.json"):
        plan("claude", "project")
    os.mkfifo(place / "home/.claude.json")
    with pytest.raises(RepoError, match="not a regular file"):
        plan("claude", "user")
    put(place / "root/.vscode", "a file")
    with pytest.raises(RepoError, match="not a directory"):
        plan("vscode")
    with (place / "root/.gemini.json").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    (place / "root/.gemini").mkdir()
    (place / "root/.gemini.json").rename(place / "root/.gemini/settings.json")
    with pytest.raises(RepoError, match="more than"):
        plan("gemini", "project")


@pytest.mark.parametrize("name", ["", "a b", "a.b", "ä", "x" * 65, "../x"])
def test_names_of_servers(plan: Plan, name: str) -> None:
    with pytest.raises(RepoError, match="--name"):
        plan("codex", name=name)


def test_a_scope_that_a_client_has_not(plan: Plan) -> None:
    with pytest.raises(RepoError, match="has no scope 'machine'"):
        plan("codex", "machine")


def test_copies_are_bounded(place: Path, plan: Plan) -> None:
    file = put(place / "home/.claude.json", "{}")
    for number in range(1, 100):
        put(file.parent / f"{file.name}.bak-{number}", "x")
    setup = plan("claude", "user")
    with pytest.raises(RepoError, match="99 backups"):
        write(setup)
    assert file.read_text() == "{}"


def test_a_file_is_read_by_its_own_place_only(place: Path, plan: Plan) -> None:
    setup = plan("codex")
    assert setup.place is not None
    assert read_client_file(setup.place).text is None


def test_a_file_that_cannot_be_written_is_named(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    setup = plan("codex", "user")
    monkeypatch.setattr(os, "makedirs", refuse)
    with pytest.raises(RepoError) as refused:
        write(setup)
    assert refused.value.code is ErrorCode.CONFIG_INVALID
    assert refused.value.message == "~/.codex/config.toml cannot be written (Read-only file system)."
