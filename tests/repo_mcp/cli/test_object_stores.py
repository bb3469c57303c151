"""Packs in object stores: S3 as moto serves it, Google's as gcp-storage-emulator does, by s3fs and gcsfs.

Neither is in what `make setup` installs: `pip install s3fs "moto[server]" gcsfs gcp-storage-emulator`.
The stores are named as for any program, by AWS_ENDPOINT_URL and STORAGE_EMULATOR_HOST.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.growth import HANG_SECONDS
from tests.posix import posix
from tests.repo_mcp.cli.test_pack_stores import FILES, has_segments, name_environment, tree
from tests.repo_mcp.git_trees import GitTree

pytestmark = posix
__all__ = ["tree"]
BUCKET = "packs"


@dataclass(frozen=True, slots=True)
class Store:
    """An object store at work, with one bucket."""

    scheme: str
    environment: Mapping[str, str]  # what tells a client where it is
    objects: Callable[[str], str]  # the address of an object's bytes

    def url(self, name: str) -> str:
        return f"{self.scheme}://{BUCKET}/{name}"

    def read(self, name: str) -> bytes:
        with urllib.request.urlopen(self.objects(name)) as answer:
            data: bytes = answer.read()
            return data


def find_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_until_listening(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + HANG_SECONDS
    while True:
        assert process.poll() is None, "the store ended"
        assert time.monotonic() < deadline
        with closing(socket.socket()) as one:
            if not one.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.1)


def ask(url: str, method: str, data: bytes | None = None) -> None:
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request):
        pass


@pytest.fixture(scope="module", params=["s3", "gs"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    port = find_port()
    at = f"http://127.0.0.1:{port}"
    if request.param == "s3":
        needed = ("s3fs", "moto", "flask")
        program = ("-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
        environment = {
            "AWS_ENDPOINT_URL": at,
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
    else:
        needed = ("gcsfs", "gcp_storage_emulator")
        start = "from gcp_storage_emulator.__main__ import main; main()"
        program = ("-c", start, "start", "--host=127.0.0.1", f"--port={port}", "--in-memory")
        environment = {"STORAGE_EMULATOR_HOST": at}
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    home = tmp_path_factory.mktemp("store")
    process = subprocess.Popen(
        [sys.executable, *program],
        env={**os.environ, "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_listening(process, port)
        if request.param == "s3":
            ask(f"{at}/{BUCKET}", "PUT")
            yield Store("s3", environment, lambda name: f"{at}/{BUCKET}/{name}")
        else:
            ask(f"{at}/storage/v1/b?project=any", "POST", json.dumps({"name": BUCKET}).encode())
            yield Store(
                "gs", environment, lambda name: f"{at}/download/storage/v1/b/{BUCKET}/o/{name}?alt=media"
            )
    finally:
        process.kill()
        process.wait()


def index(tree: GitTree, store: Store, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `repo-mcp index` as a person does, and see that it leaves nothing among temporary files."""
    environment = {**name_environment(tree.root.parent), **store.environment}
    done = subprocess.run(
        [sys.executable, "-m", "repo_mcp", "index", *arguments],
        cwd=tree.root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert os.listdir(environment["TMPDIR"]) == []
    return done


def test_a_pack_goes_into_a_store_and_an_index_begins_with_it(
    tree: GitTree, store: Store, tmp_path: Path
) -> None:
    origin = GitTree(tmp_path / "origin")
    done = index(origin, store, "--structure", "--pack", store.url("main.pack"))
    assert done.returncode == 0, done.stderr
    assert store.read("main.pack") == (tmp_path / "made").read_bytes()
    done = index(tree, store, "--from-pack", store.url("main.pack"), "--json")
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert (reported["added"], reported["unchanged"], reported["warnings"]) == (0, FILES, [])
    assert reported["structure"]["state"] == "ready"


def test_what_is_not_there_or_cut_is_refused_in_words(tree: GitTree, store: Store, tmp_path: Path) -> None:
    origin = GitTree(tmp_path / "origin")
    done = index(tree, store, "--from-pack", store.url("nowhere.pack"))
    assert (done.returncode, "there is no such file" in done.stderr) == (3, True), done.stderr
    done = index(origin, store, "--structure", "--pack", store.url("main.pack"))
    assert done.returncode == 0, done.stderr
    whole = store.read("main.pack")
    put = f"import fsspec, sys; f = fsspec.open({store.url('cut.pack')!r}, 'wb').open();"
    put += " f.write(sys.stdin.buffer.read()); f.close()"
    environment = {**name_environment(tree.root.parent), **store.environment}
    subprocess.run([sys.executable, "-c", put], input=whole[:-100], env=environment, check=True)
    done = index(tree, store, "--from-pack", store.url("cut.pack"))
    assert done.returncode == 2, done.stderr
    assert "pack" in done.stderr
    assert "Traceback" not in done.stderr
    assert not has_segments(tree)


def test_no_bucket_means_no_pack(tree: GitTree, store: Store) -> None:
    elsewhere = f"{store.scheme}://nobody-made-this/main.pack"
    done = index(tree, store, "--pack", elsewhere)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
