"""Packs in stores: through real servers and stores of fsspec, checked before use, nothing left behind."""

from __future__ import annotations

import datetime
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index_format import pack, unpack
from repo_mcp.cli import main as run_command
from repo_mcp.repository.whole_index import pack_whole
from repo_mcp.storage.packs import HEADER, MAGIC, VERSION, create_pack
from tests.forked import popen, run_program, run_python
from tests.posix import posix
from tests.repo_mcp.git_trees import GitTree
from tests.repo_mcp.sibling_trees import build, open_root
from tests.repo_mcp.stdio.retrieval_client import PROJECT

pytestmark = posix
FILES = 9
POLL_SECONDS = 0.02  # between looks of a store that is to end
Send = Callable[["Requests"], None]
# Loading what fetches packs takes a quarter of a second.
ONE_BY_ONE = """
import sys
from repo_mcp.cli import main
for url in sys.argv[1:]:
    print(main(["index", "--from-pack", url]))
"""


@pytest.fixture
def tree(tmp_path: Path) -> GitTree:
    """Return a tree that is not indexed yet, and in `made` a pack of the same one; a key in `key`."""
    trees = [GitTree(tmp_path / name) for name in ("origin", "tree")]
    for one in trees:
        one.write({f"file{number}.py": f"def f{number}(): ...\n" for number in range(FILES)})
    (tmp_path / "key").write_bytes(b"k" * 32)
    build(trees[0], structure=True)
    for name, key in (("made", None), ("signed", str(tmp_path / "key"))):
        with closing(open_root(trees[0], pack_key=key)) as repository:
            pack_whole(repository, create_pack(str(tmp_path / name)))
    return trees[1]


def name_environment(place: Path) -> dict[str, str]:
    for name in ("home", "temporary"):
        (place / name).mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PROJECT),
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "temporary"),
        "SSL_CERT_FILE": str(place / "authority.pem"),
    }


def index(tree: GitTree, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(tree, ["-m", "repo_mcp", "index", *arguments])


def run(tree: GitTree, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run Python in the tree, and see that it leaves nothing among temporary files."""
    environment = name_environment(tree.root.parent)
    done = run_python(arguments, cwd=tree.root, env=environment)
    assert os.listdir(environment["TMPDIR"]) == []
    return done


def has_segments(tree: GitTree) -> bool:
    return any(tree.root.glob(".repo_mcp/*/*.seg"))


# Without fsspec


def test_the_url_of_a_file_is_its_path(tree: GitTree) -> None:
    place = tree.root.parent
    done = index(tree, "--from-pack", f"file://{place}/made", "--json")
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert (reported["added"], reported["unchanged"]) == (0, FILES)
    assert (reported["structure"]["state"], reported["structure"]["files_done"]) == (
        "ready",
        FILES,
    )  # as the pack has it
    stored = index(tree, "--pack", f"file://{place}/again")
    assert stored.returncode == 0, stored.stderr
    assert (place / "again").read_bytes() == (place / "made").read_bytes()
    refused = index(tree, "--from-pack", "file://host/made")
    assert (refused.returncode, "no absolute path" in refused.stderr) == (2, True)


def test_what_cannot_be_used_is_refused_before_any_work(
    tree: GitTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    monkeypatch.chdir(tree.root)
    for options in (["--pack", "s3://bucket/main.pack"], ["--from-pack", "s3://bucket/main.pack"]):
        assert run_command(["index", *options]) == 2
        assert (
            "A pack in a store needs the package fsspec. Install repo-mcp[shared]" in capsys.readouterr().err
        )
        assert not has_segments(tree)


def test_the_server_takes_files_alone(tree: GitTree) -> None:
    for name in ("https://example.org/main.pack", "s3://bucket/main.pack", "file:///main.pack"):
        environment = name_environment(tree.root.parent)
        done = run_program(
            ("serve", "--repo-root", ".", "--index-pack", name), cwd=tree.root, env=environment
        )
        assert (done.returncode, done.stdout) == (2, "")
        expected = "--index-pack must be the path of a file, not a URL, since the server opens no connections"
        assert expected in done.stderr
        assert "repo-mcp index --from-pack URL" in done.stderr


# With stores


class Requests(http.server.BaseHTTPRequestHandler):
    """Answers every request with what `send` of its server writes."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.asked.append(self.command)
        try:
            server.send(self)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.close_connection = True

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A store over HTTPS, or HTTP, whose certificate `authority.pem` vouches for."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, send: Send, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Requests)
        self.asked: list[str] = []
        self.send = send
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"http{'s' if context else ''}://localhost:{self.server_address[1]}/main.pack"
        threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,), daemon=True).start()


def make_certificate(place: Path) -> ssl.SSLContext:
    """Write `authority.pem`, the certificate of localhost that vouches for itself."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    day, now = datetime.timedelta(days=1), datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - day, now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (place / "authority.pem").write_bytes(certificate.public_bytes(pem))
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (place / "server.pem").write_bytes(secret + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place / "server.pem")
    return context


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers."""
    pytest.importorskip("fsspec", reason="the extra `shared` is not installed")
    pytest.importorskip("aiohttp", reason="the extra `shared` is not installed")
    started: list[Server] = []

    def start(send: Send, *, is_secure: bool = True) -> Server:
        started.append(Server(send, make_certificate(tmp_path) if is_secure else None))
        return started[-1]

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


def send_bytes(data: bytes, **headers: str) -> Send:
    def send(request: Requests) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(data)

    return send


def send_for_ever(start: bytes) -> Send:
    """Send what never ends, and says nothing of its length."""

    def send(request: Requests) -> None:
        request.close_connection = True
        request.send_response(200)
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(start)
            while True:
                request.wfile.write(bytes(1 << 16))

    return send


def send_status(status: int) -> Send:
    return lambda request: request.send_error(status)


def test_an_index_begins_with_a_pack_over_https(tree: GitTree, serve: Callable[..., Server]) -> None:
    server = serve(send_bytes((tree.root.parent / "made").read_bytes()))
    done = index(tree, "--from-pack", server.url, "--json")
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert (reported["unchanged"], reported["structure"]["files_done"]) == (FILES, FILES)
    status = run_program(("status", "--json"), cwd=tree.root, env=name_environment(tree.root.parent))
    assert json.loads(status.stdout)["origin"] == f"a pack: {FILES} of its {FILES} files were the same"
    assert server.asked.count("GET") == 1
    server.asked.clear()
    assert index(tree, "--from-pack", server.url).returncode == 0
    assert index(tree, "--from-pack", server.url, "--force").returncode == 0
    assert server.asked == []  # there is an index, or there is to be a new one


def test_a_certificate_that_nobody_vouches_for_is_refused(
    tree: GitTree, serve: Callable[..., Server]
) -> None:
    server = serve(send_bytes(b"never sent"))
    make_certificate(tree.root.parent)  # of another server
    done = index(tree, "--from-pack", server.url)
    assert (done.returncode, server.asked) == (3, [])
    assert "certificate" in done.stderr.lower()
    assert not has_segments(tree)


def test_without_encryption_a_pack_must_be_signed(tree: GitTree, serve: Callable[..., Server]) -> None:
    place = tree.root.parent
    server = serve(send_bytes((place / "signed").read_bytes()), is_secure=False)
    refused = index(tree, "--from-pack", server.url)
    assert (refused.returncode, server.asked) == (2, [])
    assert "Anyone on the network could change a pack sent over http://." in refused.stderr
    done = index(tree, "--from-pack", server.url, "--pack-key", str(place / "key"), "--json")
    assert json.loads(done.stdout)["unchanged"] == FILES


def test_what_a_store_may_send_instead_is_refused_in_words(
    tree: GitTree, serve: Callable[..., Server]
) -> None:
    place = tree.root.parent
    made, signed = (place / "made").read_bytes(), (place / "signed").read_bytes()
    *_, size = HEADER.unpack_from(made)
    start = made[: HEADER.size + size]
    table = unpack(start[HEADER.size :], "table")
    claimed = pack({**table, "files": [["index", "manifest", 1 << 60]]})
    huge = HEADER.pack(MAGIC, VERSION, 0, len(claimed)) + claimed
    claims = (
        (send_bytes(b"<html>no such page</html>"), 2, "The pack is not a pack."),
        (send_bytes(b""), 2, "The pack is not a pack."),
        (send_bytes(made[: HEADER.size + size // 2]), 2, "The pack is cut short."),
        (send_bytes(made[:-1]), 2, "The pack is cut short."),
        (send_bytes(made + b"more"), 2, "The pack has bytes after its end."),
        (send_for_ever(made), 2, "The pack has bytes after its end."),
        (send_for_ever(b""), 2, "The pack is not a pack."),
        (send_for_ever(huge), 3, "bytes, for which the temporary directory has no space."),
        (send_bytes(signed), 2, "The pack is signed, and --pack-key names no key."),
        (send_status(404), 3, "The pack cannot be fetched (there is no such file)."),
        (send_status(403), 3, "The pack cannot be fetched ("),
        (send_status(500), 3, "The pack cannot be fetched ("),
    )
    server = serve(lambda request: claims[int(request.path[1:].partition(".")[0])][0](request))
    urls = [server.url.replace("main", str(number)) + "?signature=canary" for number in range(len(claims))]
    done = run(tree, ["-c", ONE_BY_ONE, *urls])
    assert "canary" not in done.stderr
    complaints = done.stderr.splitlines()
    assert done.stdout.split() == [str(code) for _, code, _ in claims]
    assert [text for (*_, text), said in zip(claims, complaints, strict=True) if text not in said] == []
    assert not has_segments(tree)


def test_a_pack_is_not_packed_again_whatever_the_server_says(
    tree: GitTree, serve: Callable[..., Server]
) -> None:
    server = serve(send_bytes((tree.root.parent / "made").read_bytes(), Content_Encoding="gzip"))
    done = index(tree, "--from-pack", server.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert has_segments(tree)


def test_nothing_is_left_of_a_transfer_that_is_killed(tree: GitTree, serve: Callable[..., Server]) -> None:
    made = (tree.root.parent / "made").read_bytes()
    is_there, goes_on = threading.Event(), threading.Event()

    def send(request: Requests) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(made)))
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(made[: len(made) // 2])
            is_there.set()
            goes_on.wait(60)

    server, environment = serve(send), name_environment(tree.root.parent)
    command = [sys.executable, "-m", "repo_mcp", "index", "--from-pack", server.url]
    with popen(command, cwd=tree.root, env=environment) as process:
        assert is_there.wait(60)
        time.sleep(0.2)
        process.kill()
    goes_on.set()
    assert os.listdir(environment["TMPDIR"]) == []
    assert not has_segments(tree)
    assert index(tree).returncode == 0


def test_a_pack_goes_to_a_store_and_comes_from_it(
    tree: GitTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one process, because this store is its memory."""
    fsspec = pytest.importorskip("fsspec", reason="the extra `shared` is not installed")
    place = tree.root.parent
    monkeypatch.chdir(place / "origin")
    assert run_command(["index", "--pack", "memory://packs/main.pack"]) == 0
    store = fsspec.filesystem("memory")
    assert store.cat("/packs/main.pack") == (place / "made").read_bytes()
    monkeypatch.chdir(tree.root)
    capsys.readouterr()
    assert run_command(["index", "--from-pack", "memory://packs/main.pack", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == FILES
    for name, expected in (
        ("memory://packs/other.pack", "there is no such file"),
        ("nowhere://packs/main.pack", "Protocol not known"),
        ("simplecache::memory://packs/main.pack", "A URL inside another one"),
    ):
        for path in tree.root.glob(".repo_mcp/*/*"):
            path.unlink()
        assert run_command(["index", "--from-pack", name]) in (2, 3)
        assert expected in capsys.readouterr().err
    store.rm("/packs", recursive=True)


def test_a_pack_that_cannot_be_stored_is_not_there(
    tree: GitTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra `shared` is not installed")
    monkeypatch.chdir(tree.root)
    file = type(fsspec.filesystem("memory").open("memory://probe", "wb"))

    def fail(_self: object, _data: bytes) -> int:
        raise RuntimeError("the store is full: https://name:canary@example.org/x?signature=canary")

    monkeypatch.setattr(file, "write", fail)  # the medium of this test is faulty, nothing of ours
    assert run_command(["index", "--pack", "memory://packs/full.pack"]) == 3
    reported = capsys.readouterr().err
    assert "The pack cannot be written (RuntimeError: the store is full: https://example.org/x)." in reported
    assert not fsspec.filesystem("memory").exists("/packs/full.pack")
    assert run_command(["index", "--pack", "https://example.org/main.pack"]) == 3
    assert "The pack cannot be written (it is read-only)." in capsys.readouterr().err
