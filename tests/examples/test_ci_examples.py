"""The examples of CI, from end to end: a bare repository, a store, jobs in clones with homes of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from tests.architecture.test_release import list_steps, run_step
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree, with_git

pytestmark = [with_git, posix]

EXAMPLES = ROOT / "examples" / "ci"
WORKFLOWS = [EXAMPLES / name for name in ("build-pack.yml", "start-from-pack.yml")]
FILES = 12


@dataclass
class Forge:
    """A bare repository, and the jobs that clone it."""

    place: Path
    jobs: int = 0

    def push(self, files: dict[str, str]) -> None:
        tree = GitTree(self.place / "working")
        tree.write(files)
        tree.commit()
        tree.git("push", "-q", str(self.place / "bare.git"), "HEAD:refs/heads/main")

    def clone(self) -> GitTree:
        """Clone it into a job's own directory, whose home has no key yet."""
        self.jobs += 1
        home = self.place / f"job{self.jobs}"
        GitTree(home).git("clone", "-q", "-b", "main", str(self.place / "bare.git"), "clone")
        return GitTree(home / "clone")


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    for arguments in (["init", "-q", "--bare", "bare.git"], ["init", "-q", "working"]):
        GitTree(tmp_path).git(*arguments)
    made = Forge(tmp_path)
    made.push({f"package/file{number}.py": f"def name{number}():\n    ...\n" for number in range(FILES)})
    (tmp_path / "store").mkdir()
    return made


def tell(job: GitTree) -> dict[str, object]:
    """Return what `repo-mcp status` says in a job."""
    done = run_step("repo-mcp status --json", job.root)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def run_script(job: GitTree, command: str, key: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {} if key is None else {"PACK_KEY": str(key)}
    store = job.root.parent.parent / "store"
    done = run_step(f"sh {EXAMPLES / 'pack.sh'} {command} {store}", job.root, **environment)
    assert done.returncode == 0, done.stderr
    return done


def check_same(job: GitTree, same: int, of: int) -> None:
    state = tell(job)
    structure = state["structure"]
    assert isinstance(structure, dict)
    assert state["origin"] == f"a pack: {same} of its {of} files were the same"
    assert (state["health"], structure["state"]) == ("healthy", "ready")


def test_a_script_builds_packs_of_main_and_other_jobs_begin_with_the_newest(forge: Forge) -> None:
    first = forge.clone()
    assert "Going on without a pack." in run_script(first, "build").stderr
    assert sorted(os.listdir(forge.place / "store")) == ["main.pack"]
    forge.push(
        {"package/file1.py": "def changed():\n    ...\n", "package/new.py": "def brand_new():\n    ...\n"}
    )
    second, third = forge.clone(), forge.clone()
    run_script(second, "build")
    check_same(second, FILES - 1, FILES)
    assert run_script(third, "start").stderr == ""
    check_same(third, FILES + 1, FILES + 1)  # it is the newest by now
    found = run_step("repo-mcp search brand_new", third.root)
    assert "package/new.py" in found.stdout


@pytest.mark.deep
def test_a_job_goes_on_without_a_pack_that_is_damaged_or_of_somebody_else(forge: Forge) -> None:
    pytest.importorskip("cryptography", reason="the extra `signed` is not installed")
    for name in ("ours", "theirs"):
        text = (EXAMPLES / "pack.sh").read_text(encoding="utf-8")
        (command,) = re.findall(r"^#   (openssl .*)$", text, re.M)
        made = run_step(command.replace("pack.", f"{name}."), forge.place)
        assert made.returncode == 0, made.stderr
    ours, theirs = forge.place / "ours.pub", forge.place / "theirs.pub"
    run_script(forge.clone(), "build", forge.place / "ours.pem")
    signed = forge.clone()
    run_script(signed, "start", ours)
    check_same(signed, FILES, FILES)

    def begins_with_nothing(key: Path | None) -> str:
        job = forge.clone()
        said = run_script(job, "start", key).stderr
        assert "Going on without a pack." in said
        assert tell(job)["origin"] == ""
        return said

    assert "The pack was signed with another key, or changed since." in begins_with_nothing(theirs)
    assert "The pack is signed, and --pack-key names no key." in begins_with_nothing(None)
    pack = forge.place / "store" / "main.pack"
    pack.write_bytes(pack.read_bytes()[:-1])
    assert "The pack is cut short." in begins_with_nothing(ours)


def restore(cache: Path, job: GitTree) -> None:
    """Do what actions/cache does before a job: the newest entry comes to its path."""
    if cache.exists():
        shutil.copytree(cache, job.root.parent / "repo-mcp-pack")


def test_workflows_hand_a_pack_from_the_main_branch_to_pull_requests(forge: Forge) -> None:
    """With the steps of the files, run as GitHub runs them; the cache between the jobs is a directory."""
    build, start = (list_steps(path) for path in WORKFLOWS)
    assert build.pop("Install") == start.pop("Install") == "pipx install repo-mcp"
    cache = forge.place / "cache"
    for same, of in ((0, 0), (FILES - 1, FILES)):
        main = forge.clone()
        restore(cache, main)
        for name, text in build.items():
            done = run_step(text, main.root)
            assert done.returncode == 0, (name, done.stderr)
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(main.root.parent / "repo-mcp-pack", cache)
        if of:
            check_same(main, same, of)
        forge.push({"package/file1.py": "def changed():\n    return 1\n"})
    request = forge.clone()
    restore(cache, request)
    for name, text in start.items():
        done = run_step(text, request.root)
        assert done.returncode == 0, (name, done.stderr)
        assert name != "Say where the index came from" or "a pack: " in done.stdout
    alone = forge.clone()
    for name, text in start.items():
        assert run_step(text, alone.root).returncode == 0, name


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_only_read_and_name_one_cache(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert "\npermissions:\n  contents: read\n" in text
    assert "secrets." not in text
    assert set(re.findall(r"path: (.+)", text)) == {"~/repo-mcp-pack"}
    keys = set(re.findall(r"(?<!-)key: (.+)", text))
    (prefix,) = set(re.findall(r"restore-keys: (.+)", text))
    assert keys == {prefix + "${{ github.sha }}"}


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        ("sh", EXAMPLES / "pack.sh"),
        *(("bash", ROOT / ".ci" / name) for name in ("clients", "install", "run")),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_scripts_are_plain_shell(shell: str, script: Path) -> None:
    checker = Path(sysconfig.get_path("scripts"), "shellcheck")
    subprocess.run([checker, f"--shell={shell}", script], check=True)


def test_the_script_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    script = EXAMPLES / "pack.sh"
    assert os.access(script, os.X_OK) or sys.platform == "win32"
    (tmp_path / "place").mkdir()
    for arguments, expected in (
        ("", "usage: "),
        ("build", "usage: "),
        ("other store", "neither build nor start"),
    ):
        done = run_step(f"sh {script} {arguments}", tmp_path / "place")
        assert (done.returncode, expected in done.stderr) == (2, True)
