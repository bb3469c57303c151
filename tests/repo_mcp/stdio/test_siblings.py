"""Over real pipes: servers in the work trees of one repository, of which only the first built its index."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.process.hardening import is_available
from repo_mcp.repository.whole_index import pack_whole
from repo_mcp.storage.packs import create_pack
from tests.forked import START, popen
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree, with_git
from tests.repo_mcp.sibling_trees import TEXTS, build, change, copy_plainly, make_main, open_root
from tests.repo_mcp.stdio.retrieval_client import RetrievalClient, build_environment
from tests.repo_mcp.stdio.test_graph import wait_until_ready as wait_until_built
from tests.waiting import wait_until

pytestmark = [with_git, posix]

QUERIES = ("added_here", "name_1_0", "brand_new module07", "TWO", "value page", "tracked though", "module03")


class Servers:
    """Starts servers, all of one user."""

    def __init__(self, home: Path, stack: ExitStack) -> None:
        self._home = home
        self._stack = stack

    def start(self, tree: GitTree, *options: str) -> RetrievalClient:
        command = [
            sys.executable,
            "-c",
            START,
            "--repo-root",
            str(tree.root),
            "--toolsets",
            "repo,graph",
            *options,
        ]
        client = RetrievalClient(command, build_environment(self._home), self._home)
        self._stack.callback(client.close)
        return client


def ask(client: RetrievalClient, tool: str, **arguments: object) -> dict[str, Any]:
    result: dict[str, Any] = client.call(tool, **arguments)["result"]
    return result


def wait_until_ready(client: RetrievalClient) -> dict[str, Any]:
    """Wait for both indexes; returns the repo.status."""
    wait_until_built(client)
    return ask(client, "repo.status")


def answer_all(client: RetrievalClient) -> list[object]:
    found: list[object] = [ask(client, "repo.search", query=query)["hits"] for query in QUERIES]
    found += [
        client.call("search_symbols", query=name)["result"]
        for name in ("added_here", "name_2_1", "brand_new")
    ]
    return found


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    (tmp_path / "home").mkdir()
    with ExitStack() as stack:
        yield Servers(tmp_path / "home", stack)


@pytest.fixture
def main(tmp_path: Path) -> GitTree:
    return make_main(tmp_path)


def test_two_servers_that_adopt_at_once_answer_as_one_that_built_from_nothing(
    servers: Servers, main: GitTree, tmp_path: Path
) -> None:
    first = servers.start(main)
    wait_until_ready(first)
    before = answer_all(first)
    work_tree = main.add_work_tree(tmp_path / "work")
    change(work_tree)
    both = [servers.start(work_tree) for _ in range(2)]
    plain = servers.start(copy_plainly(work_tree, tmp_path / "plain"))
    statuses = [wait_until_ready(client) for client in (*both, plain)]
    expected = f"another work tree of the repository: {TEXTS - 4} of its {TEXTS} files were the same"
    assert [status.get("origin") for status in statuses] == [expected, expected, None]
    assert len({status["snapshot"] for status in statuses}) == 1
    assert answer_all(both[0]) == answer_all(both[1]) == answer_all(plain)
    assert answer_all(first) == before
    assert str(main.root) not in json.dumps(statuses)
    main.write({"package/later.py": "def later_in_main():\n    return 1\n"})
    assert wait_until(lambda: ask(first, "repo.search", query="later_in_main")["hits"])
    assert not ask(both[0], "repo.search", query="later_in_main")["hits"]


def is_removed(place: Path) -> bool:
    """Remove a tree whose server may be writing a seal just then, and return True when it is gone."""
    shutil.rmtree(place, ignore_errors=True)
    return not place.exists()


def test_a_work_tree_outlives_the_main_one(servers: Servers, main: GitTree, tmp_path: Path) -> None:
    wait_until_ready(servers.start(main))
    work_tree = main.add_work_tree(tmp_path / "work")
    client = servers.start(work_tree)
    wait_until_ready(client)
    assert wait_until(lambda: is_removed(main.root))
    assert ask(client, "repo.search", query="name_1_0")["hits"]
    work_tree.write({"package/later.py": "def later_here():\n    return 1\n"})
    assert wait_until(lambda: ask(client, "repo.search", query="later_here")["hits"])
    again = servers.start(work_tree)
    wait_until_ready(again)
    # For a moment behind the other server's commit, this one knows no record of what that one saw.
    assert wait_until(lambda: ask(again, "repo.status")["state"] == "ready")
    assert ask(again, "repo.search", query="later_here")["hits"]


def test_a_server_without_siblings_begins_with_nothing(
    servers: Servers, main: GitTree, tmp_path: Path
) -> None:
    wait_until_ready(servers.start(main))
    work_tree = main.add_work_tree(tmp_path / "work")
    assert "origin" not in wait_until_ready(servers.start(work_tree, "--no-siblings"))
    elsewhere = servers.start(copy_plainly(main, tmp_path / "clone"), "--index-from", str(main.root))
    assert wait_until_ready(elsewhere)["origin"].startswith("the checkout of --index-from: ")


@pytest.mark.skipif(not is_available(), reason="the kernel has no Landlock")
def test_a_hardened_server_takes_over_what_the_operator_names(
    servers: Servers, main: GitTree, tmp_path: Path
) -> None:
    """The kernel forbids it to open another checkout unasked, and to link between directories."""
    wait_until_ready(servers.start(main))
    work_tree, other = (main.add_work_tree(tmp_path / name) for name in ("work", "other"))
    named = wait_until_ready(servers.start(work_tree, "--harden", "--index-from", str(main.root)))
    assert named["hardening"].startswith("on")
    assert named["origin"].startswith("the checkout of --index-from: ")
    segments = [path.stat() for path in (work_tree.root / ".repo_mcp").glob("*/*.seg")]
    assert {status.st_nlink for status in segments} == {1}
    unasked = wait_until_ready(servers.start(other, "--harden"))
    assert (unasked["state"], "origin" in unasked) == ("ready", False)


@pytest.mark.skipif(not is_available(), reason="the kernel has no Landlock")
def test_a_hardened_server_checks_an_ed25519_signature(
    servers: Servers, main: GitTree, tmp_path: Path
) -> None:
    """Whose library is loaded when the kernel forbids most things already."""
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization as forms

    private = ed25519.Ed25519PrivateKey.generate()
    pem, plain = forms.Encoding.PEM, forms.NoEncryption()
    (tmp_path / "pack.pem").write_bytes(private.private_bytes(pem, forms.PrivateFormat.PKCS8, plain))
    public = private.public_key().public_bytes(pem, forms.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "pack.pub").write_bytes(public)
    build(main)
    with closing(open_root(main, pack_key=str(tmp_path / "pack.pem"))) as repository:
        pack_whole(repository, create_pack(str(tmp_path / "pack")))
    named = ["--index-pack", str(tmp_path / "pack"), "--pack-key", str(tmp_path / "pack.pub")]
    state = wait_until_ready(servers.start(copy_plainly(main, tmp_path / "clone"), "--harden", *named))
    assert state["hardening"].startswith("on")
    assert state["origin"] == f"a pack: {TEXTS} of its {TEXTS} files were the same"


def test_a_server_begins_with_a_pack_and_refuses_a_cut_one(
    servers: Servers, main: GitTree, tmp_path: Path
) -> None:
    build(main, structure=True)
    with closing(open_root(main)) as repository:
        pack_whole(repository, create_pack(str(tmp_path / "pack")))
    clone = copy_plainly(main, tmp_path / "clone")
    client = servers.start(clone, "--index-pack", str(tmp_path / "pack"))
    assert wait_until_ready(client)["origin"] == f"a pack: {TEXTS} of its {TEXTS} files were the same"
    assert ask(client, "repo.search", query="name_1_0")["hits"]
    cut = tmp_path / "cut"
    cut.write_bytes((tmp_path / "pack").read_bytes()[:-1])
    other = copy_plainly(main, tmp_path / "other")
    command = [sys.executable, "-c", START, "--repo-root", str(other.root), "--index-pack", str(cut)]
    environment = build_environment(tmp_path / "home")
    waits, ends = os.pipe()  # a server whose input has ended may end before it has opened anything
    pipe = subprocess.PIPE
    with popen(command, cwd=other.root, env=environment, stdin=waits, stdout=pipe, stderr=pipe) as refusing:
        said, complained = refusing.communicate(timeout=60)
    os.close(waits)
    os.close(ends)
    assert (refusing.returncode, said) == (2, b"")
    assert "The pack is cut short. Make a new one" in complained.decode()
    assert not list(other.root.glob(".repo_mcp/*/*.seg"))
