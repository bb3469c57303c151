"""Split a text into words in the plainest way, to compare the array arithmetic of a build with it."""

from __future__ import annotations

WORD_BYTES = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" + bytes(range(128, 256))


def split_words(data: bytes) -> list[bytes]:
    """Return the words of a text in order."""
    return bytes(byte if byte in WORD_BYTES else 0x20 for byte in data).split()
