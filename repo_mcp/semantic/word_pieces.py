"""Turns text into the token ids of a BERT model: lower-cased words and punctuation, cut into known pieces.

    "How are vectors kept?"  ->  [CLS] how are vectors kept ? [SEP]
    "tokenizer"              ->  token ##izer

The ids equal those of the `tokenizers` package for these models, except for characters that are newer than
its Unicode tables; a test compares them where it is installed. That package is not a dependency, because it
brings along a client for a model hub, which accesses the network.

Left out on purpose: pairs of texts, and special tokens written in a text, which are plain punctuation here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
CONTINUED = "##"  # prefix of a piece that does not begin its word
MAX_WORD_CHARS = 100  # a longer word is one unknown token
CACHED_WORDS = 60_000  # words whose pieces are cached, about 10 MB
_ASCII_END = 128
_CONTROLS = frozenset({"Cc", "Cf", "Co", "Cs"})  # control, format, private use, surrogate
_IDEOGRAPHS = (  # each is a word by itself
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPieces:
    """The word pieces of one vocabulary. Safe for several threads."""

    def __init__(self, vocabulary: Sequence[str], *, lower_case: bool) -> None:
        """A piece's id is its index. Raises ValueError if one of the three special tokens is missing."""
        self._ids: Mapping[str, int] = {piece: position for position, piece in enumerate(vocabulary)}
        missing = [name for name in (UNKNOWN, FIRST, LAST) if name not in self._ids]
        if missing:
            raise ValueError(f"no token {missing[0]}")
        self._unknown = self._ids[UNKNOWN]
        self._first, self._last = self._ids[FIRST], self._ids[LAST]
        self._lower_case = lower_case
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, most: int) -> list[int]:
        """Return the ids of a text between the first and last token, at most `most` (2 or more) in all."""
        ids = [self._first]
        for word in _split(text, self._lower_case):
            ids += self._cut(word)
            if len(ids) >= most - 1:
                break
        return [*ids[: most - 1], self._last]

    def _cut(self, word: str) -> tuple[int, ...]:
        found = self._known.get(word)
        if found is None:
            found = self._find_pieces(word)
            if len(self._known) < CACHED_WORDS:
                self._known[word] = found
        return found

    def _find_pieces(self, word: str) -> tuple[int, ...]:
        """Return the ids of the longest pieces, greedily from the left; the unknown token if that fails."""
        if len(word) > MAX_WORD_CHARS:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = CONTINUED if start else ""
            for end in range(len(word), start, -1):
                piece = self._ids.get(prefix + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(pieces)


def _split(text: str, lower_case: bool) -> Iterator[str]:
    """Yield the words and punctuation characters of a text in order."""
    for word in _clean(text).split():
        plain = _lower(word) if lower_case else word
        if plain.isalnum():
            yield plain
        else:
            yield from _split_signs(plain)


def _split_signs(word: str) -> Iterator[str]:
    start = 0
    for position, char in enumerate(word):
        if _is_sign(char):
            if position > start:
                yield word[start:position]
            yield char
            start = position + 1
    if start < len(word):
        yield word[start:]


def _clean(text: str) -> str:
    """Return the text without control characters; white space as spaces, and spaces around ideographs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_clean_char, text))


def _clean_char(char: str) -> str:
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in _CONTROLS:
        return ""
    if char.isspace():
        return " "
    code = ord(char)
    if code >= _IDEOGRAPHS[1][0] and any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {char} "
    return char


def _lower(word: str) -> str:
    """Return the word in lower case without accents; char by char, so that no rule looks at neighbours."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFD", word)
    return "".join(char.lower() for char in parts if unicodedata.category(char) != "Mn")


def _is_sign(char: str) -> bool:
    """Return True for punctuation, and any ASCII character that is not a letter, digit or white space."""
    if ord(char) < _ASCII_END:
        return not char.isalnum() and not char.isspace()
    return unicodedata.category(char)[0] == "P"
