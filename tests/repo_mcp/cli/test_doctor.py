"""`repo-mcp doctor`, run as a process on made states: what it says, and its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.cli.checks import EXTRAS, State
from repo_mcp.cli.client_setups import CLIENTS, iter_client_findings
from tests.architecture.source_tree import ROOT

PROJECT = Path(__file__).resolve().parents[3]
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
    return subprocess.run(
        [sys.executable, "-m", "repo_mcp", command, *arguments],
        cwd=place / "root",
        env=environment | {"XDG_STATE_HOME": str(place / "state")},
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        check=False,
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
    assert {one["state"] for findings in found.values() for one in findings} <= {"ok", "note"}
    assert "first use makes it" in found["data directory"][0]["message"]
    assert sorted(path.name for path in place.rglob("*")) == ["a.py", "home", "root"]


def test_a_healthy_root(place: Path) -> None:
    assert run(place, "--quiet", command="index").returncode == 2  # no such option: the index is not made
    assert run(place, command="index").returncode == 0
    code, found = examine(place)
    told = states(found)
    assert (code, told["index"], told["key"], told["data directory"]) == (0, ["ok"], ["ok"], ["ok"])
    assert "every byte" in found["index"][0]["message"]
    assert "sealed" in examine(place, "--quick")[1]["index"][0]["message"]
    assert told["structure"] == ["note"]
    done = run(place)
    assert done.stdout.splitlines()[-1] == "Nothing is wrong: 0 problems, 0 warnings."
    assert "index: 1 files" in done.stdout


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


def test_a_home_directory_as_the_root_is_said(place: Path) -> None:
    code, found = examine(place, "--repo-root", str(place / "home"))
    assert (code, states(found)["root"]) == (0, ["warning"])


def test_texts_that_are_not_parsed_are_counted(place: Path) -> None:
    run(place, command="index")
    script = (
        "from repo_mcp.config import load_config; from repo_mcp.repository import Repository;"
        f"r = Repository(load_config({str(place / 'root')!r})); r.poison.add(b'x'); r.close()"
    )
    environment = {"PYTHONPATH": str(PROJECT), "XDG_STATE_HOME": str(place / "state"), "HOME": str(place)}
    subprocess.run([sys.executable, "-c", script], env=os.environ | environment, check=True)
    assert states(examine(place)[1])["parser"] == ["warning"]
    run(place, "--force", command="index")
    assert "parser" not in examine(place)[1]


def test_every_extra_is_looked_at() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = text.partition("[project.optional-dependencies]")[2]
    for extra, (modules, _) in EXTRAS.items():
        listed = table.partition(f"\n{extra} = [")[2].partition("]")[0]
        names = [row.strip(' ",\n').partition(">")[0].replace("-", "_") for row in listed.split(",")]
        assert [name for name in names if name] == list(modules)


def write_client(home: Path, client: str, servers: object) -> None:
    path, table = CLIENTS[client]
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".toml"):
        file.write_text(str(servers))
    else:
        file.write_text(json.dumps({table: servers, "other": 1}))


def judge(home: Path) -> list[tuple[str, str]]:
    return [(one.state.value, one.message) for one in iter_client_findings(str(home))]


@pytest.mark.parametrize(
    ("entry", "state", "word"),
    [
        ({"command": sys.executable, "args": ["-P", "-m", "repo_mcp", "--repo-root", "/"]}, "ok", "set up"),
        ({"command": sys.executable, "args": ["-m", "repo_mcp", "--repo-root", "/"]}, "warning", "python -m"),
        ({"command": "uv", "args": ["run", "repo-mcp-server", "--repo-root", "/"]}, "warning", "uv reads"),
        ({"command": "sh", "args": ["-c", "x", "repo-mcp", "--repo-root", "/"]}, "warning", "shell"),
        ({"command": "repo-mcp-server-missing/repo-mcp", "args": ["--repo-root=/"]}, "problem", "not found"),
        ({"command": "/nowhere/repo-mcp-server", "args": ["--repo-root", "/"]}, "problem", "not there"),
        ({"command": sys.executable, "args": ["repo-mcp", "serve"]}, "problem", "no --repo-root"),
        (
            {"command": sys.executable, "args": ["repo-mcp", "--repo-root", "/nowhere"]},
            "problem",
            "no directory",
        ),
        ({"command": sys.executable, "args": ["repo-mcp", "--repo-root", "here"]}, "warning", "relative"),
        (
            {"command": sys.executable, "args": ["repo-mcp", "--repo-root", "${workspaceFolder}"]},
            "ok",
            "set up",
        ),
        ({"command": sys.executable, "args": ["repo-mcp", "--toolsets", "retrieval"]}, "ok", "set up"),
    ],
)
def test_entries_of_clients(tmp_path: Path, entry: object, state: str, word: str) -> None:
    for client in ("Cursor", "VS Code", "Claude Code"):
        write_client(tmp_path, client, {"mine": entry, "another": {"command": "else"}, "odd": 7})
    found = judge(tmp_path)
    assert len(found) == 3
    assert all(one == state and word in message and "'mine'" in message for one, message in found)


def test_the_example_of_codex_is_judged(tmp_path: Path) -> None:
    example = (ROOT / "examples" / "codex.config.toml").read_text(encoding="utf-8")
    write_client(tmp_path, "Codex", example)
    assert {state for state, _ in judge(tmp_path)} == {"problem"}  # its paths are placeholders


@pytest.mark.parametrize("text", ["{ // a comment\n}", "[" * 100_000, "\udcff", "[]", '{"mcpServers": 3}'])
def test_files_that_cannot_be_read_are_notes(tmp_path: Path, text: str) -> None:
    file = tmp_path / CLIENTS["Cursor"][0]
    file.parent.mkdir()
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert {state for state, _ in judge(tmp_path)} <= {State.NOTE}


def test_a_linked_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").symlink_to("/etc/passwd")
    assert [state for state, _ in judge(tmp_path)] == ["note"]
