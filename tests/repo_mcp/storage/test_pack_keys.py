"""Keys of packs: halves of a pair stand in PEM, every other file is a shared key, and neither is both."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from index_format import pack, unpack
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.adoption import NO_DONOR
from repo_mcp.repository.whole_index import pack_whole
from repo_mcp.storage.pack_keys import NO_KEY, read_key
from repo_mcp.storage.packs import HEADER, create_pack, read_pack, write_pack
from tests.repo_mcp.git_trees import GitTree
from tests.repo_mcp.sibling_trees import build, open_root

pytest.importorskip("cryptography", reason="the extra `signed` is not installed")

from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

PRIVATE, PUBLIC, OTHER = "private.pem", "public.pem", "other.pem"
Private = ed25519.Ed25519PrivateKey | x25519.X25519PrivateKey


def show(private: Private, how: KeySerializationEncryption | None = None) -> bytes:
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how or NoEncryption())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a tree, two pairs of keys, of which one is there in halves, and a shared key."""
    private = ed25519.Ed25519PrivateKey.from_private_bytes(b"p" * 32)
    (tmp_path / PRIVATE).write_bytes(show(private))
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / PUBLIC).write_bytes(public)
    (tmp_path / OTHER).write_bytes(show(ed25519.Ed25519PrivateKey.from_private_bytes(b"o" * 32)))
    (tmp_path / "shared").write_bytes(b"s" * 32)
    GitTree(tmp_path / "tree").write({f"file{number}.py": f"def f{number}(): ...\n" for number in range(9)})
    return tmp_path


def make(place: Path, key: str | None, name: str = "pack") -> Path:
    """Pack the index of the tree."""
    tree = GitTree(place / "tree")
    build(tree, structure=True)
    with closing(open_root(tree, pack_key=None if key is None else str(place / key))) as repository:
        pack_whole(repository, create_pack(str(place / name)))
    return place / name


def refuse(act: Callable[[], object]) -> str:
    """Return why something is refused."""
    with pytest.raises(RepoError) as fault:
        act()
    assert fault.value.code is ErrorCode.CONFIG_INVALID
    return fault.value.message


def read(path: Path, key: Path | None) -> str:
    """Return the kinds in a pack, or why it is refused."""
    try:
        return " ".join(one.kind for one in read_pack(str(path), read_key(None if key is None else str(key))))
    except RepoError as fault:
        return fault.message


def test_either_half_checks_what_the_private_one_signed(place: Path) -> None:
    signed = make(place, PRIVATE)
    assert read(signed, place / PRIVATE) == read(signed, place / PUBLIC) == "index structure"
    assert make(place, PRIVATE, "again").read_bytes() == signed.read_bytes()
    clone = GitTree(place / "clone")
    shutil.copytree(
        place / "tree", clone.root, ignore=shutil.ignore_patterns(".repo_mcp"), dirs_exist_ok=True
    )
    report = build(clone, index_pack=str(signed), pack_key=str(place / PUBLIC))
    assert (report.added, report.unchanged, report.warnings) == (0, 9, ())


def test_a_wrong_or_missing_signature_is_refused_in_words(place: Path) -> None:
    packs = [
        make(place, key, name)
        for name, key in (("by-pair", PRIVATE), ("by-shared", "shared"), ("by-nobody", None))
    ]
    keys = (None, place / PUBLIC, place / OTHER, place / "shared")
    reported = {(path.name, key and key.name): read(path, key) for path in packs for key in keys}
    assert reported == {
        ("by-pair", None): "The pack is signed, and --pack-key names no key.",
        ("by-pair", PUBLIC): "index structure",
        ("by-pair", OTHER): "The pack was signed with another key, or changed since.",
        ("by-pair", "shared"): "The pack is signed with an Ed25519 key, and --pack-key names a shared key.",
        ("by-shared", None): "The pack is signed, and --pack-key names no key.",
        ("by-shared", PUBLIC): "The pack is signed with a shared key, and --pack-key names an Ed25519 key.",
        ("by-shared", OTHER): "The pack is signed with a shared key, and --pack-key names an Ed25519 key.",
        ("by-shared", "shared"): "index structure",
        ("by-nobody", None): "index structure",
        ("by-nobody", PUBLIC): "The pack is not signed with the key of --pack-key.",
        ("by-nobody", OTHER): "The pack is not signed with the key of --pack-key.",
        ("by-nobody", "shared"): "The pack is not signed with the key of --pack-key.",
    }


def test_whoever_has_the_public_half_cannot_sign(place: Path) -> None:
    """Not as itself, and not as the shared key that its bytes could be."""
    assert refuse(lambda: make(place, PUBLIC)).startswith("--pack-key holds a public key, which checks packs")
    assert not (place / "pack").exists()
    (place / "bytes").write_bytes((place / PUBLIC).read_bytes().replace(b"-----BEGIN", b"-----begin"))
    forged = make(place, "bytes")
    assert "shared key" in read(forged, place / PUBLIC)


def test_nothing_that_is_signed_can_be_changed(place: Path) -> None:
    data = make(place, PRIVATE).read_bytes()
    *_, size = HEADER.unpack_from(data)
    table = unpack(data[HEADER.size : HEADER.size + size], "table")
    segments = sum(count for _, name, count in table["files"] if name.endswith(".seg"))
    assert segments > len(data) / 2
    bad = place / "bad"

    def rebuild(**changes: object) -> str:
        packed = pack({**table, **changes})
        bad.write_bytes(
            HEADER.pack(*HEADER.unpack_from(data)[:3], len(packed)) + packed + data[HEADER.size + size :]
        )
        return read(bad, place / PUBLIC)

    other_key = "The pack was signed with another key, or changed since."
    rows = table["files"]
    assert rebuild() == "index structure"
    assert rebuild(signature=bytes(64)) == rebuild(signature=b"short") == other_key
    assert rebuild(files=[rows[1], rows[0], *rows[2:]]) == other_key
    assert rebuild(
        files=[[{"index": "structure", "structure": "index"}[kind], *rest] for kind, *rest in rows]
    ) == (other_key)
    assert (
        rebuild(signature=10**9) == rebuild(signature="text") == "The pack has a table that cannot be read."
    )
    assert rebuild(signed=False) == "The pack is not signed with the key of --pack-key."
    start = HEADER.size + size
    for kind, name, count in rows:
        for position in (start, start + count // 2, start + count - 1):
            bad.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
            if not name.endswith(".seg"):
                assert read(bad, place / PUBLIC) == other_key
                continue
            assert (
                read(bad, place / PUBLIC) == "index structure"
            )  # its bytes are compared when it is taken over
        if [kind, name[-4:]] == ["index", ".seg"]:
            clone = GitTree(place / "clone")
            clone.write({"file0.py": "def f0(): ...\n"})
            report = build(clone, index_pack=str(bad), pack_key=str(place / PUBLIC))
            assert (report.added, report.warnings) == (1, (NO_DONOR,))
        start += count


def test_what_is_no_such_key_is_refused_in_words(place: Path) -> None:
    private = ed25519.Ed25519PrivateKey.from_private_bytes(b"p" * 32)
    bad = place / "bad.pem"

    def look(data: bytes) -> str:
        bad.write_bytes(data)
        return refuse(lambda: read_key(str(bad))).removeprefix("--pack-key ").removesuffix(".")

    assert look(show(private, BestAvailableEncryption(b"word"))).startswith("holds an encrypted key")
    other = show(x25519.X25519PrivateKey.from_private_bytes(b"x" * 32))
    assert look(other) == "holds a key that is not an Ed25519 key"
    cut = (place / PUBLIC).read_bytes()[:-40]
    assert look(cut) == look(b"-----BEGIN CERTIFICATE-----\n" * 9) == "holds a key that cannot be read"
    assert look(b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n") == "holds a key that cannot be read"
    assert read_key(None) == NO_KEY


def test_what_is_no_path_is_no_pack() -> None:
    assert refuse(lambda: read_pack("a\0b", NO_KEY)) == "The pack cannot be read (it is not a path)."


def test_a_pack_without_an_index_is_refused(tmp_path: Path) -> None:
    write_pack(create_pack(str(tmp_path / "pack")), [], NO_KEY)
    assert refuse(lambda: read_pack(str(tmp_path / "pack"), NO_KEY)) == "The pack holds no index."


def test_without_the_package_a_shared_key_still_works(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    signed = make(place, "shared")
    assert read(signed, place / "shared") == "index structure"
    reported = refuse(lambda: read_key(str(place / PUBLIC)))
    assert reported == "--pack-key holds a key in PEM, which needs the package cryptography."


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_keys_that_openssl_makes_are_read(place: Path) -> None:
    """By the commands that a refusal tells."""
    for command in (
        ["openssl", "genpkey", "-algorithm", "ed25519", "-out", "pack.pem"],
        ["openssl", "pkey", "-in", "pack.pem", "-pubout", "-out", "pack.pub"],
    ):
        subprocess.run(command, cwd=place, check=True, capture_output=True)
    assert read(make(place, "pack.pem"), place / "pack.pub") == "index structure"
