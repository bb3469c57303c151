"""Which contents have the block of a private key in them, and that no way of reading gives them."""

from __future__ import annotations

import base64
from contextlib import closing
from pathlib import Path

import pytest

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.workspace.reader.bounds import PRIVATE_KEY, Refusals, has_private_key
from repo_mcp.workspace.reader.repository_reader import RepositoryReader, open_many, read_many
from tests.growth import assert_linear

BODY = base64.encodebytes(bytes(range(256)) * 4).decode()
LINE = BODY.splitlines()[0]


def make_block(label: str, head: str = "", body: str = BODY) -> str:
    return f"-----BEGIN {label}-----\n{head}{body}-----END {label}-----\n"


PKCS8 = make_block("PRIVATE KEY")
WITH = {
    "pkcs8": PKCS8,
    "rsa": make_block("RSA PRIVATE KEY"),
    "ec": make_block("EC PRIVATE KEY"),
    "openssh": make_block("OPENSSH PRIVATE KEY"),
    "encrypted": make_block("ENCRYPTED PRIVATE KEY"),
    "old encrypted": make_block(
        "DSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABB\n\n"
    ),
    "pgp": make_block("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n"),
    "ssh2": f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n{BODY}",
    "ed25519": make_block("PRIVATE KEY", "", "MC4CAQAwBQYDK2VwBCIEIA" + "A" * 42 + "\n"),
    "amid source": f'import ssl\nKEY = """{PKCS8}"""\n\ndef f(): ...\n',
    "indented yaml": "key: |\n" + "".join(f"    {line}\n" for line in PKCS8.splitlines()),
    "in json": '{"private_key": "' + PKCS8.replace("\n", "\\n") + '"}',
    "of literals": 'key = ("-----BEGIN PRIVATE KEY-----\\n" +\n  b"' + LINE + '\\n" +\n  b"' + LINE + '")\n',
    "in comments": "".join(f"# {line}\n" for line in PKCS8.splitlines()),
    "crlf": PKCS8.replace("\n", "\r\n"),
    "cr": PKCS8.replace("\n", "\r"),
    "cut off": PKCS8[:120],
    "after a mention": f'if "-----BEGIN PRIVATE KEY-----" in text:\n    pass\n{PKCS8}',
}
WITHOUT = {
    "nothing": "",
    "certificate": make_block("CERTIFICATE"),
    "public": make_block("PUBLIC KEY") + make_block("PGP PUBLIC KEY BLOCK"),
    "a mention": 'if text.startswith("-----BEGIN RSA PRIVATE KEY-----"):\n    load(text)\n',
    "a pattern": r'KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{64,}")' + "\n",
    "a template": "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----\n" + LINE,
    "prose": "Put the PRIVATE KEY into the store.\n" + BODY,
}


@pytest.mark.parametrize("text", WITH.values(), ids=WITH)
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_block_is_seen(text: str, codec: str) -> None:
    assert has_private_key(text.encode(codec))


def test_in_either_order_of_bytes() -> None:
    assert has_private_key(b"\xfe\xff" + PKCS8.encode("utf-16-be"))
    assert has_private_key(b"\0\0\xfe\xff" + PKCS8.encode("utf-32-be"))


@pytest.mark.parametrize("text", WITHOUT.values(), ids=WITHOUT)
def test_what_only_speaks_of_one_is_not_taken_for_one(text: str) -> None:
    assert not has_private_key(text.encode())
    assert not has_private_key(text.encode("utf-16"))


@pytest.mark.parametrize("piece", [b"-----BEGIN PRIVATE KEY-----\na: b\n", b"-----BEGIN " + b"A " * 9])
def test_no_text_takes_long(piece: bytes) -> None:
    assert_linear(lambda size: piece * size + b"PRIVATE KEY", has_private_key, 500)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tls.py").write_text(WITH["amid source"])
    (tmp_path / "app.py").write_text("def served(): ...\n")
    (tmp_path / "way.py").symlink_to("tls.py")
    return tmp_path


def test_every_way_of_reading_refuses_it(root: Path) -> None:
    with closing(RepositoryReader(str(root), lambda _: None, Refusals(private_keys=True))) as reader:
        errors = [*open_many(reader, ["tls.py"], 9_999)]
        for path in ("tls.py", "way.py"):
            with pytest.raises(RepoError) as caught:
                reader.read(path, 9_999)
            errors.append(caught.value)
        with pytest.raises(RepoError) as caught:
            reader.read_walked("tls.py", 9_999)
        for error in (*errors, caught.value):
            assert isinstance(error, RepoError)
            assert error.code is ErrorCode.PATH_DENIED
            assert error.blocked
            assert error.details["rule"] == "--refuse-private-keys"
            assert "private key" in error.message
            assert LINE not in error.message
        assert read_many(reader, ["tls.py", "app.py"], 9_999) == [None, b"def served(): ...\n"]


def test_without_the_option_it_is_read(root: Path) -> None:
    with closing(RepositoryReader(str(root), lambda _: None)) as reader:
        assert LINE.encode() in reader.read("tls.py", 9_999).data
    assert PRIVATE_KEY == "private_key"
