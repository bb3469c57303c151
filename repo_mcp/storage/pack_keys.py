"""Keys of packs: one that maker and user share, or half of an Ed25519 pair, in a file that the user names.

A file with a key in PEM holds half a pair: the private half signs and checks, the public one checks. The
bytes of any other file are a shared key. So that file decides how a pack must have been signed, never the
pack: nobody can pass a public half off as a shared key.

A shared key makes the tags of the seals in a pack. Without one, the tags are made with a key that everybody
knows, and detect only accidents. Changes on purpose are then detected by the Ed25519 signature, if there is
one.

Left out on purpose: what is signed (`repo_mcp.storage.packs`).
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING

from index_format import TAG_BYTES, DiskDirectory, IndexFormatError, MakeTag
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.record_classes import dataclass
from repo_mcp.storage.data_dir import name_canonically

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MIN_KEY_BYTES, MAX_KEY_BYTES = 16, 4_096
_KNOWN_KEY = b"nobody signed this pack"
_PEM = b"-----BEGIN "
_MAKE_PAIR = (
    "Make a pair: openssl genpkey -algorithm ed25519 -out pack.pem, and openssl pkey -in pack.pem -pubout."
)


@dataclass(frozen=True, slots=True)
class PackKey:
    """The key that signs and checks a pack."""

    shared: bytes | None = None
    private: Ed25519PrivateKey | None = None
    public: Ed25519PublicKey | None = None  # the other half of `private`, where that is there

    @property
    def is_given(self) -> bool:
        """Return True where a pack must be signed with it."""
        return self.shared is not None or self.public is not None

    def make_tagger(self, kind: str) -> MakeTag:
        """Return what makes the tags of the seals in a pack, for one kind of index."""
        secret = _KNOWN_KEY if self.shared is None else self.shared
        key = blake2b(secret, person=b"repo-mcp-pack").digest()
        own = blake2b(kind.encode(), key=key, person=b"pack-kind").digest()
        return lambda data: blake2b(data, key=own, digest_size=TAG_BYTES).digest()

    def check_signing(self) -> None:
        """Raise RepoError with CONFIG_INVALID for a key that can only check."""
        if self.public is not None and self.private is None:
            raise _refuse(
                "holds a public key, which checks packs and cannot sign them", "Name the private key's file."
            )

    def sign(self, data: bytes) -> bytes:
        """Return the signature of the private half, 64 bytes; empty without one."""
        return b"" if self.private is None else self.private.sign(data)

    def is_signature(self, signature: bytes, data: bytes) -> bool:
        """Return True for a signature of these bytes by the private half. There must be a public half."""
        from cryptography.exceptions import InvalidSignature

        assert self.public is not None
        try:
            self.public.verify(signature, data)
        except InvalidSignature:
            return False
        return True


NO_KEY = PackKey()


def read_key(path: str | None) -> PackKey:
    """Return the key in a file; without a path, the key for unsigned packs.

    Raises RepoError with CONFIG_INVALID.
    """
    if path is None:
        return NO_KEY
    try:
        above, name = os.path.split(name_canonically(path))
        file = DiskDirectory(above).open(name)
        try:
            size = file.size
            data = file.read(0, size) if MIN_KEY_BYTES <= size <= MAX_KEY_BYTES else b""
        finally:
            file.close()
    except (IndexFormatError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a regular file"
        raise _refuse(f"cannot be read ({reason})", "Give a file.") from None
    if not data:
        wanted = f"{MIN_KEY_BYTES} to {MAX_KEY_BYTES:,} bytes are needed"
        raise _refuse(
            f"has {size:,} bytes, {wanted}", "Give a file of random bytes, or an Ed25519 key in PEM."
        )
    return _read_half(data) if _PEM in data else PackKey(shared=data)


def _read_half(data: bytes) -> PackKey:
    """Return the half of a pair that a text contains. Raises RepoError."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
    except ImportError:
        raise _refuse(
            "holds a key in PEM, which needs the package cryptography", "Install repo-mcp[signed]."
        ) from None
    try:
        if b"PRIVATE KEY" in data:
            private = load_pem_private_key(data, None)
            if isinstance(private, Ed25519PrivateKey):
                return PackKey(private=private, public=private.public_key())
        else:
            public = load_pem_public_key(data)
            if isinstance(public, Ed25519PublicKey):
                return PackKey(public=public)
    except TypeError:
        hint = "Remove the passphrase: openssl pkey -in FILE -out PLAIN."
        raise _refuse("holds an encrypted key, and there is nobody to ask for its passphrase", hint) from None
    except (ValueError, UnsupportedAlgorithm):
        raise _refuse("holds a key that cannot be read", _MAKE_PAIR) from None
    raise _refuse("holds a key that is not an Ed25519 key", _MAKE_PAIR)


def _refuse(what: str, hint: str) -> RepoError:
    return RepoError(ErrorCode.CONFIG_INVALID, f"--pack-key {what}.", hint)
