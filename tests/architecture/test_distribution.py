"""What is shipped: everything, the same bytes from the same tree, and it runs where it is installed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

EPOCH = "1577836800"
SHIPPED = ("repo_mcp", "index_format")
COPIED = (*SHIPPED, "tests", "docs", "bench", "examples", ".ci", ".github")
SINGLE = (
    ".dockerignore",
    ".gitignore",
    "Dockerfile",
    "LICENSE",
    "Makefile",
    "pyproject.toml",
    "requirements.txt",
    "requirements-dev.txt",
    "server.json",
)


def copy_project(place: Path) -> Path:
    """Return the files of the project that a distribution is made of, without what tools left there."""
    place.mkdir(exist_ok=True)
    ignore = shutil.ignore_patterns("__pycache__", ".repo_mcp", "*.egg-info")
    for name in COPIED:
        shutil.copytree(ROOT / name, place / name, ignore=ignore, symlinks=True)
    for file in (*ROOT.glob("*.md"), *(ROOT / name for name in SINGLE)):
        shutil.copy2(file, place / file.name)
    return place


def build(project: Path, *targets: str) -> dict[str, Path]:
    """Wheel and source distribution, or the targets that are named, by their endings."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *(f"--target={one}" for one in targets)],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(project), "SOURCE_DATE_EPOCH": EPOCH},
        capture_output=True,
        check=True,
        timeout=300,
    )
    return {file.suffix: file for file in (project / "dist").iterdir()}


def test_no_file_was_left_in_the_root() -> None:
    found = {file.name for file in ROOT.iterdir() if file.is_file() and file.suffix != ".md"}
    assert found - {".git"} == set(SINGLE)


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build(copy_project(tmp_path_factory.mktemp("first")))


def test_the_wheel_holds_the_packages_and_nothing_else(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built[".whl"]) as wheel:
        names = set(wheel.namelist())
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(SHIPPED)
    for package in SHIPPED:
        tracked = {
            file.relative_to(ROOT).as_posix()
            for file in (ROOT / package).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        }
        assert tracked == {name for name in names if name.startswith(f"{package}/")}
        assert f"{package}/py.typed" in names


def test_the_source_distribution_is_a_checkout(built: dict[str, Path]) -> None:
    with tarfile.open(built[".gz"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {*SINGLE, "README.md", "docs/tools.md", "PKG-INFO"} <= names
    assert {".ci/run", ".github/workflows/release.yml"} <= names
    assert {name for name in names if name.startswith("tests/architecture/")} >= {
        "tests/architecture/test_distribution.py"
    }
    assert not any("__pycache__" in name or ".repo_mcp/" in name for name in names)


@pytest.mark.deep
def test_the_same_tree_gives_the_same_bytes(built: dict[str, Path], tmp_path: Path) -> None:
    other = copy_project(tmp_path / "another place")
    for file in other.rglob("*"):  # as another checkout would have them
        os.utime(file, (1_000_000_000, 1_000_000_000), follow_symlinks=False)
        if file.is_file() and not file.stat().st_mode & 0o111:
            file.chmod(0o600)
    again = build(other)
    for kind in (".whl", ".gz"):
        assert digest(built[kind]) == digest(again[kind]), kind


@pytest.mark.deep
def test_what_is_installed_runs(built: dict[str, Path], tmp_path: Path) -> None:
    """Into an environment of its own, with its dependencies: what a person does first."""
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    installed = subprocess.run(
        [scripts / "python", "-m", "pip", "install", "--quiet", built[".whl"]],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if installed.returncode:
        pytest.skip("the dependencies cannot be installed here")
    root = tmp_path / "root"
    shutil.copytree(ROOT / "tests" / "corpus" / "tiny_repo", root)

    def run(*command: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        program = [str(scripts / command[0]), *command[1:]]
        done = subprocess.run(
            program, cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=True
        )
        return done.stdout

    assert run("repo-mcp", "--version").startswith("repo-mcp ")
    assert " 1. src/ledger/accounts.py:" in run("repo-mcp", "search", "transfer_funds")
    assert "8: repo.status" in run("repo-mcp", "init", "generic", "--check")
    assert "parsers: All of them can be loaded: c, cpp, csharp, go" in run("repo-mcp", "doctor", "--quick")
    (index,) = (root / ".repo_mcp").glob("index-*")
    assert run("index-format", "verify", str(index)) == "the index is whole\n"
    assert "--repo-root" in run("repo-mcp-server", "--help")


@pytest.mark.deep
@pytest.mark.parametrize(
    "command", [("uvx", "--from", "WHEEL"), ("pipx", "run", "--spec", "WHEEL")], ids=lambda words: words[0]
)
def test_it_runs_without_being_installed(
    built: dict[str, Path], tmp_path: Path, command: tuple[str, ...]
) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    words = [str(built[".whl"]) if word == "WHEEL" else word for word in command]
    root = tmp_path / "root"
    shutil.copytree(ROOT / "tests" / "corpus" / "tiny_repo", root)
    done = subprocess.run(
        [*words, "repo-mcp", "search", "transfer_funds", "--repo-root", str(root)],
        env={**os.environ, "HOME": str(tmp_path), "UV_CACHE_DIR": str(tmp_path / "cache")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode and "repo-mcp: " not in done.stderr and "Traceback" not in done.stderr:
        pytest.skip("the dependencies cannot be installed here")
    assert " 1. src/ledger/accounts.py:" in done.stdout, done.stderr
