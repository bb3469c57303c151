"""What releases are made with: workflows, image, entry in the registry, install link. Nothing is sent."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from repo_mcp import __version__
from repo_mcp.protocol.http.options import read_http_options
from repo_mcp.serving.server_options import build_parser
from tests.architecture.source_tree import PACKAGES, ROOT
from tests.architecture.test_distribution import build
from tests.architecture.test_documents import iter_shell_lines

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLE = ROOT / "examples" / "github-workflow.yml"
STEP = re.compile(
    r"^( +)- name: (.+)\n(?:\1  (?!run:).*\n)*\1  run: (?:(?!\|)(.+)\n|\|\n((?:\1    .*\n|\n)+))", re.M
)
DESCRIPTION_CHARS = 100  # the registry's limit


def list_steps(workflow: Path) -> dict[str, str]:
    """Return the shell text of each named step of a workflow."""
    text = workflow.read_text(encoding="utf-8")
    return {
        name: line or re.sub(r"^ {10}", "", block, flags=re.M) for _, name, line, block in STEP.findall(text)
    }


def run_step(text: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does, with the programs of this installation."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", text],
        cwd=place,
        env={"PATH": path, "HOME": str(place.parent), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def read_server_json() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    return loaded


def iter_instructions(kind: str) -> list[str]:
    """Return what follows `kind` in the Dockerfile, one for each, with continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.removeprefix(f"{kind} ") for line in text.splitlines() if line.startswith(f"{kind} ")]


def list_copied() -> list[str]:
    """Return what the image copies out of the clone."""
    copies = [shlex.split(one) for one in iter_instructions("COPY") if not one.startswith("--from")]
    return [name for words in copies for name in words[:-1]]


@pytest.mark.parametrize("workflow", [*WORKFLOWS, EXAMPLE], ids=lambda path: path.name)
def test_workflows_may_only_read_unless_a_job_says_otherwise(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert "\npermissions:\n  contents: read\n" in text
    assert "secrets." not in text  # publishing is trusted by identity


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit(workflow: Path) -> None:
    used = re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))
    others = [one for one in used if not re.search(r"@[0-9a-f]{40}$", one) and not one.startswith("./")]
    assert used
    assert set(others) <= {"pypa/gh-action-pypi-publish@release/v1"}


def test_only_what_publishes_has_an_identity_and_it_comes_after_the_checks() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = dict(re.findall(r"^  ([a-z]+):\n((?:    .*\n|\n)+)", text.split("\njobs:\n")[1], re.M))
    assert {name for name, job in jobs.items() if "id-token: write" in job} == {"pypi", "registry"}
    needs = {
        name: set(re.findall(r"[a-z]+", "".join(re.findall(r"needs: ([^#\n]*)", job))))
        for name, job in jobs.items()
    }
    assert needs == {
        "check": set(),
        "build": set(),
        "pypi": {"check", "build"},
        "image": {"check", "build"},
        "registry": {"pypi"},
    }


def test_a_release_stops_at_a_wrong_tag_and_without_an_owner(tmp_path: Path) -> None:
    """Whoever the owner is by now."""
    step = list_steps(ROOT / ".github" / "workflows" / "release.yml")[
        "The tag is the version, and the owner is named"
    ]
    place = tmp_path / "clone"
    (place / "repo_mcp").mkdir(parents=True)
    for name in ("README.md", "server.json", "repo_mcp/__init__.py"):
        shutil.copy(ROOT / name, place / name)

    def name_owner(owner: str) -> None:
        for name in ("README.md", "server.json"):
            text = (place / name).read_text(encoding="utf-8")
            named = re.sub(r"io\.github\.[\w-]+/", f"io.github.{owner}/", text)
            (place / name).write_text(named, encoding="utf-8")

    name_owner("OWNER")
    without_owner = run_step(step, place, GITHUB_REF_NAME=f"v{__version__}")
    assert without_owner.returncode == 1
    assert "README.md:3:" in without_owner.stdout
    assert "server.json:3:" in without_owner.stdout
    name_owner("someone")
    assert run_step(step, place, GITHUB_REF_NAME=f"v{__version__}").returncode == 0
    wrong = run_step(step, place, GITHUB_REF_NAME="v99.0.0")
    assert wrong.returncode == 1
    assert f"The tag is v99.0.0, but repo_mcp/__init__.py says {__version__}." in wrong.stderr


def test_the_entry_of_the_registry_is_this_package() -> None:
    entry = read_server_json()
    (package,) = entry["packages"]
    assert re.fullmatch(r"[A-Za-z0-9.-]+/[A-Za-z0-9._-]+", entry["name"])
    assert f"<!-- mcp-name: {entry['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(entry["description"]) <= DESCRIPTION_CHARS
    assert {entry["version"], package["version"]} == {__version__}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert package["identifier"] == project["name"]
    words = [
        word
        for one in package["packageArguments"]
        for word in ([one["value"]] if one["type"] == "positional" else [one["name"], one["default"]])
    ]
    assert words[0] == "serve"
    assert build_parser("repo-mcp serve").parse_args(words[1:]).repo_root == "auto"


def test_the_install_link_starts_this_server() -> None:
    (link,) = re.findall(
        r"\((https://\S+/redirect/mcp/install\S+)\)", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    query = parse_qs(urlsplit(link).query, strict_parsing=True)
    assert query["name"] == ["repo"]
    config = json.loads(query["config"][0])
    assert set(config) == {"type", "command", "args"}
    assert (config["type"], config["command"], config["args"][:2]) == ("stdio", "uvx", ["repo-mcp", "serve"])
    assert build_parser("repo-mcp serve").parse_args(config["args"][2:]).repo_root == "auto"


def test_the_image_has_what_it_copies_and_nothing_else_reaches_its_build() -> None:
    copied = list_copied()
    assert [name for name in copied if not (ROOT / name).exists()] == []
    kept = re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.M)
    assert sorted(kept) == sorted(copied)
    assert set(PACKAGES) <= set(copied)


def test_what_the_image_copies_builds_a_whole_wheel(tmp_path: Path) -> None:
    place = tmp_path / "source"
    place.mkdir()
    for name in list_copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place / name)
    with zipfile.ZipFile(build(place, "wheel")[".whl"]) as wheel:
        names = set(wheel.namelist())
    modules = {path.relative_to(ROOT).as_posix() for one in PACKAGES for path in (ROOT / one).rglob("*.py")}
    assert modules <= names


def test_the_entry_point_of_the_image_is_our_server() -> None:
    (entry,) = (json.loads(one) for one in iter_instructions("ENTRYPOINT"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert entry[0] in project["scripts"]
    assert entry[1] == "serve"
    options = build_parser("repo-mcp serve").parse_args(entry[2:])
    (volume,) = iter_instructions("VOLUME")
    assert options.data_dir.startswith(volume + "/")
    assert f"XDG_STATE_HOME={volume}/" in "".join(iter_instructions("ENV"))
    assert iter_instructions("USER") == ["user"]
    lowest = tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    versions = re.findall(r"python:(\d+)\.(\d+)-slim", " ".join(iter_instructions("FROM")))
    assert len(versions) == 2
    assert all(tuple(map(int, one)) >= lowest for one in versions)


def test_the_example_of_a_workflow_does_what_it_says(tmp_path: Path) -> None:
    steps = list_steps(EXAMPLE)
    assert steps.pop("Install") == "pipx install repo-mcp"
    root = tmp_path / "root"
    shutil.copytree(ROOT / "tests" / "corpus" / "tiny_repo", root)
    for name, text in steps.items():
        done = run_step(text, root)
        assert done.returncode == 0, (name, done.stderr)
    assert "<html" in (root / "report.html").read_text(encoding="utf-8")
    (root / "src" / "left.py").write_text("breakpoint()\n", encoding="utf-8")
    search = steps["No breakpoint is left in the code"]
    found = run_step(search, root)
    assert found.returncode == 1
    assert "src/left.py:1:breakpoint()" in found.stdout
    broken = run_step(search.replace("--glob", "--no-such-option"), root)
    assert broken.returncode == 1


def test_commands_of_the_image_in_documents_start_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPO_MCP_HTTP_TOKEN", "a token of more than sixteen characters".replace(" ", "-"))
    (entry,) = (json.loads(one) for one in iter_instructions("ENTRYPOINT"))
    lines = [
        shlex.split(line)
        for line in iter_shell_lines((ROOT / "docs" / "install.md").read_text(encoding="utf-8"))
    ]
    runs = [words for words in lines if words[:2] == ["docker", "run"]]
    found = []
    for words in runs:
        given = words[words.index("repo-mcp") + 1 :]
        found.append(read_http_options(build_parser("repo-mcp serve").parse_args(entry[2:] + given)))
        assert "/repository:ro" in words[words.index("--volume") + 1]
    stdio, http = found
    assert stdio is None
    assert http is not None
    (exposed,) = iter_instructions("EXPOSE")
    assert (http.host, str(http.port), http.hosts) == ("0.0.0.0", exposed, ("localhost",))
