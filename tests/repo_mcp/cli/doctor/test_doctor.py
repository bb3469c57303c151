"""`repo-mcp doctor`, run as a process on made states: what it says, and its exit code."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.clients.clients import CLIENTS
from repo_mcp.cli.doctor.checks import OPTIONAL_PACKAGES, State, _check_packages
from repo_mcp.cli.doctor.client_entries import iter_client_findings
from repo_mcp.languages import symbol_parsers
from tests.architecture.source_tree import ROOT
from tests.forked import run_program
from tests.repo_mcp.git_trees import GitTree, with_git

PROJECT = Path(__file__).resolve().parents[4]
Findings = dict[str, list[dict[str, Any]]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("def first(): pass\n")
    return tmp_path


def run(place: Path, *arguments: str, command: str = "doctor") -> subprocess.CompletedProcess[str]:
    home = str(place / "home")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "HOME": home}
    return run_program(
        (command, *arguments), cwd=place / "root", env=environment | {"XDG_STATE_HOME": str(place / "state")}
    )


def examine(place: Path, *arguments: str) -> tuple[int, Findings]:
    done = run(place, "--json", *arguments)
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["healthy"] == (done.returncode == 0)
    found: Findings = {}
    for finding in document["findings"]:
        found.setdefault(finding["subject"], []).append(finding)
    return done.returncode, found


def states(found: Findings) -> dict[str, list[str]]:
    return {subject: [one["state"] for one in findings] for subject, findings in found.items()}


def get_index(place: Path) -> Path:
    (path,) = (place / "root" / ".repo_mcp").glob("index-*")
    return path


def test_before_anything_is_there_nothing_is_wrong_and_nothing_is_made(place: Path) -> None:
    code, found = examine(place)
    assert code == 0
    assert "nothing marks it" in found["root"][0]["message"]
    assert "is set up to answer here" in found["clients"][0]["message"]
    assert {one["state"] for findings in found.values() for one in findings} <= {"ok", "note"}
    assert "created when first used" in found["data directory"][0]["message"]
    assert sorted(path.name for path in place.rglob("*")) == ["a.py", "home", "root"]


def test_a_healthy_root(place: Path) -> None:
    assert run(place, "--quiet", command="index").returncode == 2  # no such option: the index is not made
    assert run(place, command="index").returncode == 0
    code, found = examine(place)
    reported = states(found)
    assert (code, reported["index"], reported["key"], reported["data directory"]) == (
        0,
        ["ok"],
        ["ok"],
        ["ok"],
    )
    assert "every byte" in found["index"][0]["message"]
    assert "sealed" in examine(place, "--quick")[1]["index"][0]["message"]
    assert reported["symbol index"] == ["note"]
    done = run(place)
    assert done.stdout.splitlines()[-1] == "All is well: 0 problems, 0 warnings."
    assert "index: 1 file, " in done.stdout


def flip(segment: Path) -> None:
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda index: flip(next(index.glob("*.seg"))),
        lambda index: next(index.glob("*.seg")).unlink(),
        lambda index: next(index.glob("*.seal")).unlink(),
        lambda index: (index / "manifest").write_bytes(b"x"),
    ],
)
def test_an_index_that_is_not_whole_is_a_problem_with_a_remedy(
    place: Path, damage: Callable[[Path], object]
) -> None:
    run(place, command="index")
    damage(get_index(place))
    for quick in ([], ["--quick"]):
        code, found = examine(place, *quick)
        assert (code, states(found)["index"]) == (3, ["problem"])
        assert "repo-mcp index --force" in found["index"][0]["hint"]
    assert run(place, "--force", command="index").returncode == 0
    assert examine(place)[0] == 0


@pytest.mark.parametrize("options", [(), ("--data-dir", "../the data")], ids=str)
def test_one_command_as_printed_puts_all_indexes_right(place: Path, options: tuple[str, ...]) -> None:
    run(place, *options, "--structure", command="index")
    data_dir = place / "root" / ".repo_mcp" if not options else place / "the data"
    for kind in ("index", "structure"):
        flip(next(data_dir.glob(f"{kind}-*/*.seg")))
    code, found = examine(place, *options)
    assert (code, states(found)["index"], states(found)["symbol index"]) == (3, ["problem"], ["problem"])
    (hint,) = {found[subject][0]["hint"] for subject in ("index", "symbol index")}
    program, command, *advised = shlex.split(hint.partition(": ")[2])
    assert (program, command) == ("repo-mcp", "index")
    assert run(place, *advised, command="index").returncode == 0
    code, found = examine(place, *options)
    assert (code, states(found)["index"], states(found)["symbol index"]) == (0, ["ok"], ["ok"])


def test_what_a_precise_indexer_gave_is_reported_where_there_is_any(place: Path) -> None:
    run(place, "--structure", command="index")
    assert "SCIP index" not in examine(place)[1]
    scip = place / "index.scip"
    assert run(place, "--scip", str(scip), command="export").returncode == 0
    assert run(place, "--scip", str(scip), command="index").returncode == 0
    assert states(examine(place)[1])["SCIP index"] == ["ok"]
    flip(next((place / "root" / ".repo_mcp").glob("scip-*/*.seg")))
    code, found = examine(place)
    assert (code, states(found)["SCIP index"]) == (3, ["problem"])
    assert found["SCIP index"][0]["hint"] == "Import the file again: repo-mcp index --scip FILE."


def test_a_key_that_others_may_read_is_a_problem(place: Path) -> None:
    run(place, command="index")
    (place / "state" / "repo-mcp" / "user.key").chmod(0o644)
    code, found = examine(place)
    assert (code, states(found)["key"]) == (3, ["problem"])
    assert "others may read" in found["key"][0]["message"]


def test_a_data_directory_of_others_and_files_that_are_open(place: Path) -> None:
    run(place, command="index")
    data_dir = place / "root" / ".repo_mcp"
    (data_dir / "audit.jsonl").symlink_to("/etc/passwd")
    (get_index(place) / "seen").chmod(0o644)
    code, found = examine(place)
    (finding,) = found["data directory"]
    assert (code, finding["state"]) == (0, "warning")
    assert "2 files" in finding["message"]
    data_dir.chmod(0o777)
    (finding,) = examine(place)[1]["data directory"]
    assert (finding["state"], "others may write" in finding["message"]) == ("warning", True)


def test_the_configuration_and_what_a_repository_may_not_say(place: Path) -> None:
    (place / "root" / "repo_mcp.toml").write_text('data_dir = "/x"\n[limits]\nmax_search_hits = 5\n')
    code, found = examine(place)
    assert (code, states(found)["configuration"]) == (0, ["warning", "note"])
    assert "data_dir" in found["configuration"][0]["message"]
    assert "max_search_hits" in found["configuration"][1]["message"]
    code, found = examine(place, "--max-search-hits", "99999999")
    assert (code, states(found)["configuration"]) == (3, ["problem"])
    code, found = examine(place, "--repo-root", str(place / "nowhere"))
    assert (code, states(found)["root"]) == (3, ["problem"])
    assert run(place, "--nonsense").returncode == 2


@with_git
@pytest.mark.parametrize("kind", ["split", "sparse"])
def test_an_index_of_git_that_is_not_used_is_said_with_what_mends_it(place: Path, kind: str) -> None:
    checkout = GitTree(place / "root")
    checkout.git("init", "-q")
    checkout.write({"far/away.txt": "far\n"})
    checkout.commit()
    assert "Git's index" not in examine(place)[1]
    if kind == "split":
        checkout.git("config", "core.splitIndex", "true")
        checkout.git("update-index", "--split-index")
    else:
        checkout.git("sparse-checkout", "set", "--cone", "--sparse-index")
    code, found = examine(place)
    (said,) = found["Git's index"]
    assert (code, said["state"]) == (0, "warning")
    assert f"It is {kind}" in said["message"]
    for command in re.findall(r"git ([\w-]+ [\w. -]*\w)", said["hint"]):
        checkout.git(*command.split())
    assert "Git's index" not in examine(place)[1]


def test_a_home_directory_as_the_root_is_said(place: Path) -> None:
    code, found = examine(place, "--repo-root", str(place / "home"))
    assert (code, states(found)["root"]) == (0, ["warning"])


def test_texts_that_are_not_parsed_are_counted(place: Path) -> None:
    run(place, command="index")
    script = (
        "from repo_mcp.config.server_config import load_config; from repo_mcp.repository import Repository;"
        f"r = Repository(load_config({str(place / 'root')!r})); r.poison.add(b'x'); r.close()"
    )
    environment = {"PYTHONPATH": str(PROJECT), "XDG_STATE_HOME": str(place / "state"), "HOME": str(place)}
    subprocess.run([sys.executable, "-c", script], env=os.environ | environment, check=True)
    assert states(examine(place)[1])["parser"] == ["warning"]
    run(place, "--force", command="index")
    assert "parser" not in examine(place)[1]


@pytest.mark.parametrize(
    ("prefix", "installer"),
    [
        ("/home/me/.local/share/pipx/venvs/repo-mcp", "pipx install --force"),
        ("/home/me/.local/share/uv/tools/repo-mcp", "uv tool install --force"),
        ("C:\\Users\\me\\AppData\\Roaming\\uv\\tools\\repo-mcp", "uv tool install --force"),
        ("/home/me/uv/.venv", "pip install --force-reinstall"),
    ],
)
def test_a_package_is_installed_as_the_program_was(
    prefix: str, installer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the clone: it is in no package index."""
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr("importlib.util.find_spec", {"watchfiles": True}.get)
    found = {one.subject: one for one in _check_packages()}
    assert found["watchfiles"].state is found["parsers"].state is State.OK
    assert found["google-re2"].state is State.WARNING
    assert found["google-re2"].hint == f"Run this in the clone: {installer} ."


def test_a_grammar_that_cannot_be_loaded_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_typescript", None)
    symbol_parsers.find_fault.cache_clear()
    found = {one.subject: one for one in _check_packages()}
    monkeypatch.undo()
    symbol_parsers.find_fault.cache_clear()
    assert found["tree-sitter-typescript"].state is State.PROBLEM
    assert found["tree-sitter-typescript"].message == (
        "It is not installed: files in typescript have no symbols."
    )
    assert "parsers" not in found


def test_what_the_program_spares_is_installed_with_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = [re.split("[<>;]", one)[0] for one in tomllib.loads(text)["project"]["dependencies"]]
    assert OPTIONAL_PACKAGES.keys() <= set(named)


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home and a project in one place, as clients would find them."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    return tmp_path


def write_client(both: Path, client: str, scope: str, servers: object) -> Path:
    place = CLIENTS[client].places[scope](str(both / "project"))
    file = Path(place.path)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = str(servers) if CLIENTS[client].is_toml else json.dumps({CLIENTS[client].section: servers, "x": 1})
    file.write_text(text)
    return file


def judge(both: Path) -> list[tuple[str, str]]:
    findings = iter_client_findings(str(both / "project"))
    return [(one.state.value, f"{one.subject}: {one.message}") for one in findings]


@pytest.mark.parametrize(
    ("entry", "state", "word"),
    [
        (
            {"command": sys.executable, "args": ["-P", "-m", "repo_mcp", "--repo-root", "auto"]},
            "ok",
            "'project'",
        ),
        ({"command": sys.executable, "args": ["-m", "repo_mcp", "--repo-root", "/"]}, "warning", "python -m"),
        ({"command": "uv", "args": ["run", "repo-mcp-server", "--repo-root", "/"]}, "warning", "uv reads"),
        ({"command": "sh", "args": ["-c", "x", "repo-mcp", "--repo-root", "/"]}, "warning", "shell"),
        ({"command": "repo-mcp-server-missing/repo-mcp", "args": ["--repo-root=/"]}, "problem", "not found"),
        ({"command": "/nowhere/repo-mcp-server", "args": ["--repo-root", "/"]}, "problem", "does not exist"),
        ({"command": sys.executable, "args": ["repo-mcp", "serve"]}, "problem", "no --repo-root"),
        ({"command": "/nowhere/repo-mcp-server"}, "problem", "no"),
        (
            {"command": sys.executable, "args": ["repo-mcp", "--repo-root", "/nowhere"]},
            "problem",
            "not a directory",
        ),
        ({"command": sys.executable, "args": ["repo-mcp", "--repo-root", "here"]}, "warning", "relative"),
        (
            {"command": sys.executable, "args": ["repo-mcp", "--repo-root", "${workspaceFolder}"]},
            "ok",
            "serve 'project'",
        ),
        ({"command": sys.executable, "args": ["repo-mcp", "--toolsets", "retrieval"]}, "ok", "DOCS_ROOT"),
        (
            {"command": sys.executable, "args": ["repo-mcp", "--repo-root={project}"]},
            "ok",
            "serve 'project'",
        ),
        (
            {"command": sys.executable, "args": ["repo-mcp", "--repo-root", "{home}"]},
            "warning",
            "another directory, 'home'",
        ),
    ],
)
def test_entries_of_clients(both: Path, entry: object, state: str, word: str) -> None:
    places = [("cursor", "user"), ("vscode", "user"), ("gemini", "project"), ("windsurf", "user")]
    (both / "project" / ".git").mkdir()
    text = json.dumps(entry).replace("{project}", str(both / "project")).replace("{home}", str(both / "home"))
    for client, scope in places:
        write_client(both, client, scope, {"mine": json.loads(text), "another": {"command": "x"}, "odd": 7})
    found = judge(both)
    assert len(set(found)) >= len(places)
    assert all(one == state and word in message and "'mine'" in message for one, message in found)


def test_the_example_of_codex_is_judged(both: Path) -> None:
    example = (ROOT / "examples" / "codex.config.toml").read_text(encoding="utf-8")
    write_client(both, "codex", "user", example)
    assert {state for state, _ in judge(both)} == {"problem"}  # its paths are placeholders


@pytest.mark.parametrize(
    "text", ['{"a"', "[" * 100_000, "\udcff", "[]", '{"mcpServers": 3, "mcpServers": 4}']
)
def test_files_that_cannot_be_read_are_notes(both: Path, text: str) -> None:
    write_client(both, "cursor", "user", {}).write_bytes(text.encode("utf-8", "surrogateescape"))
    ((state, message),) = judge(both)
    assert (state, "not checked" in message, str(both) in message) == (State.NOTE, True, False)


def test_a_file_with_comments_and_a_mark_is_read(both: Path) -> None:
    entry = '{"mcpServers": {"mine": {"command": "repo-mcp-server"}} // mine\n}'
    write_client(both, "gemini", "user", {}).write_bytes(b"\xef\xbb\xbf" + entry.encode())
    assert {message.partition(":")[0] for _, message in judge(both)} == {"client Gemini CLI"}


def test_a_file_that_is_the_users_and_the_projects_is_judged_once(both: Path) -> None:
    write_client(both, "gemini", "user", {"mine": {"command": sys.executable, "args": ["repo-mcp"]}})
    assert len(list(iter_client_findings(str(both / "home")))) == 1


@pytest.mark.parametrize(
    ("scope", "word"), [("user", "a link that leads out"), ("project", "a link in the repository")]
)
def test_a_linked_file_is_left_alone(both: Path, scope: str, word: str) -> None:
    file = write_client(both, "cursor", scope, {})
    file.unlink()
    file.symlink_to("/etc/passwd")
    ((state, message),) = judge(both)
    assert (state, word in message) == ("note", True)


def test_what_init_writes_is_found_and_well(place: Path) -> None:
    clients = ("codex", "vscode", "gemini", "copilot", "claude")
    for client in clients:
        assert run(place, client, "--write", command="init").returncode == 0
    (place / "root" / "src").mkdir()
    for is_marked in (False, True):
        if is_marked:
            (place / "root" / ".git").mkdir()
        code, found = examine(place)
        assert code == 0
        reported = [findings for subject, findings in found.items() if subject.startswith("client ")]
        assert len(reported) == len(clients)
        states = [one["state"] for findings in reported for one in findings]
        assert sorted(set(states)) == (["ok"] if is_marked else ["note", "ok"])
    assert all("serve 'root'" in one["message"] for findings in reported for one in findings)
    assert found["root"][0]["message"] == "The repository here is 'root'."


def test_a_name_that_path_leads_to_is_right_in_a_file_that_is_shared(
    both: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"command": "repo-mcp-server", "args": ["--repo-root", "auto"]}
    for scope, state in (("project", "ok"), ("user", "warning")):  # Copilot reads the project's, too
        file = write_client(both, "claude", scope, {"mine": entry})
        monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
        (both / "project" / ".git").mkdir(exist_ok=True)
        assert {found for found, _ in judge(both)} == {state}
        monkeypatch.setenv("PATH", "/nowhere")
        assert {found for found, _ in judge(both)} == {"problem"}
        file.unlink()


def test_the_advice_about_another_directory_can_be_followed_as_printed(place: Path) -> None:
    (place / "root" / ".git").mkdir()
    written = run(place, "codex", "--root", "..", "--name", "code", "--write", command="init")
    assert written.returncode == 0, written.stderr
    (reported,) = examine(place)[1]["client Codex CLI, and Codex in editors"]
    assert (reported["state"], "another directory" in reported["message"]) == ("warning", True)
    command, *arguments = reported["hint"].partition("repo-mcp ")[2].split()
    assert command == "init"
    assert run(place, *arguments, command=command).returncode == 0
    (reported,) = examine(place)[1]["client Codex CLI, and Codex in editors"]
    assert (reported["state"], "serve 'root'" in reported["message"]) == ("ok", True)


@with_git
def test_it_tells_with_which_index_a_first_one_begins(place: Path) -> None:
    tree = GitTree(place / "root")
    tree.git("init", "-q")
    tree.commit()
    assert run(place, command="index").returncode == 0
    tree.add_work_tree(place / "work")
    work = ["--repo-root", str(place / "work")]
    assert [one["message"] for one in examine(place, *work)[1]["index"]] == [
        "It starts from the index of another work tree, if one of 1 has one."
    ]
    assert not (place / "work" / ".repo_mcp").exists()
    assert "index" not in examine(place, *work, "--no-siblings")[1]
    (place / "work" / ".repo_mcp").mkdir(mode=0o700)
    assert [one["message"] for one in examine(place, *work)[1]["index"]] == [
        "There is none yet.",
        "It starts from another work tree of the repository: 1 file.",
    ]
    assert len(examine(place, *work, "--no-siblings")[1]["index"]) == 1
    empty = ["--no-siblings", "--index-from", str(place / "home")]
    assert [one["state"] for one in examine(place, *work, *empty)[1]["index"]] == ["note", "warning"]
    assert run(place, *work, command="index").returncode == 0
    reported = [one["message"] for one in examine(place, *work)[1]["index"]]
    assert reported[1:] == [
        "It started from another work tree of the repository: 1 of its 1 files were the same."
    ]
    elsewhere = examine(place, "--data-dir", str(place / "kept"))[1]
    assert "created when first used" in elsewhere["data directory"][0]["message"]
    (place / "kept").mkdir(mode=0o700)
    reported = [one["message"] for one in examine(place, "--data-dir", str(place / "kept"))[1]["index"]]
    assert reported[1:] == ["It starts from another index of this checkout: 1 file."]


def test_it_examines_a_pack(place: Path) -> None:
    (place / "key").write_bytes(b"k" * 32)
    pack, key = place / "pack", ["--pack-key", str(place / "key")]

    def judge(*arguments: str) -> tuple[int, str, str]:
        code, found = examine(place, "--index-pack", str(pack), *arguments)
        (one,) = found["pack"]
        return code, one["state"], one["message"]

    assert judge() == (3, "problem", "The pack cannot be read (No such file or directory).")
    assert run(place, "--structure", "--pack", str(pack), *key, command="index").returncode == 0
    expected = "1 file; index, symbol index; every byte checked; signed with the key of --pack-key."
    assert judge(*key) == (0, "ok", expected)
    assert judge() == (3, "problem", "The pack is signed, and --pack-key names no key.")
    assert run(place, "--pack", str(pack), command="index").returncode == 0
    assert judge("--quick")[:2] == (0, "note")
    (place / "other").mkdir()
    (place / "other" / ".repo_mcp").mkdir(mode=0o700)
    (place / "other" / "repo_mcp.toml").write_text('[extensions]\n".py" = "ruby"\n')
    _, found = examine(place, "--repo-root", str(place / "other"), "--index-pack", str(pack))
    assert [one["state"] for one in found["index"]] == ["note", "warning"]
    flip(pack)
    assert judge()[:2] == (3, "problem")
    _, found = examine(place, "--index-pack", str(pack))
    assert states(found)["index"] == ["ok"]  # which does not need it
