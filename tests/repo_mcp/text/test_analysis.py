"""Words to terms: the definition by example, and the fast version against Whoosh's analyser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.indexing.vocabulary import split_words
from repo_mcp.text.analysis import LONG_WORD, analyse_text, analyse_words
from repo_mcp.text.spans import join_spans
from tests.deep.sizes import examples


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getHTTPResponse_v2", ["gethttpresponse_v2", "get", "http", "respons"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("scheduling", ["scheduling", "schedul"]),
        ("queue", ["queue"]),
        ("utf8", ["utf8", "utf"]),
        ("utf16le", ["utf16le", "utf", "16", "le"]),
        ("0x1F2e", ["0x1f2e"]),
        ("x", ["x"]),
        ("__init__", ["__init__", "init"]),
        ("naïveBayes", ["naïvebayes", "naïve", "baye"]),
        ("ÜberStraße", ["überstraße", "über", "straße"]),
        ("foo foo_foo", ["foo", "foo_foo", "foo"]),
        ("a" * 129, [LONG_WORD]),
        ("std::vector<int>", ["std", "vector", "int"]),
        ("", []),
        ("—·", []),
    ],
)
def test_terms_by_example(text: str, terms: list[str]) -> None:
    assert analyse_text(text) == terms


@settings(max_examples=examples(300))
@given(
    st.lists(st.text(alphabet="aZ9_é漢—b1X", min_size=1, max_size=30) | st.text(max_size=200), max_size=20)
)
def test_many_words_at_once_equal_whoosh(texts: list[str]) -> None:
    words = split_words(" ".join(texts).encode("utf-8", "replace"))
    found = analyse_words(join_spans(words))
    names = found.texts.slice()
    by_word: dict[int, set[str]] = {}
    for word, term in zip(found.words.tolist(), found.terms.tolist(), strict=True):
        by_word.setdefault(word, set()).add(names[term].decode())
    for position, word in enumerate(words):
        assert by_word.get(position, set()) == set(analyse_text(word.decode()))
