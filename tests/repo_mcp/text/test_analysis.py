"""Words to terms: the chain by example, and the fast versions against it on real and generated text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whoosh.analysis import RegexTokenizer

from repo_mcp.ranking.query.query import parse_query
from repo_mcp.text.analysis import LONG_WORD, analyse_text, analyse_words, get_word_terms
from repo_mcp.text.spans import join_spans
from tests.deep.sizes import choose, examples
from tests.repo_mcp.plain_words import split_words

ROOT = Path(__file__).parents[3]
SAMPLES = "tests/repo_mcp/languages/structures/sample"
MOST_BYTES = choose(100_000, 3_000_000)  # of one language
# Sources of this repository, or of packages that a developer has. Whoosh's stop words are in 17 languages.
SOURCES = {
    "Python": ("whoosh:lang/stopwords.py", "whoosh:lang/isri.py", "whoosh:**/*.py", "numpy:**/*.py"),
    "C": (f"{SAMPLES}.c", "mypyc:lib-rt/*.[ch]"),
    "C++": (f"{SAMPLES}.cpp", "numpy:**/*.cpp"),
    "Cython": ("numpy:**/*.pyx", "numpy:**/*.pxd"),
    "Fortran": ("numpy:f2py/**/*.f90", "numpy:f2py/**/*.f"),
    "Go": (f"{SAMPLES}.go",),
    "Java": (f"{SAMPLES}.java",),
    "JavaScript": ("bench/graph/*.cjs",),
    "Rust": (f"{SAMPLES}.rs",),
    "Scheme": ("repo_mcp/languages/treesitter/queries/*.scm",),
    "Swift": (f"{SAMPLES}.swift",),
    "TypeScript": ("tests/corpus/tiny_repo/web/*.ts",),
}


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


def read_sources(language: str) -> bytes:
    """Return the beginning of the sources of a language, one file after the other."""
    texts: list[bytes] = []
    for one in SOURCES[language]:
        package, _, glob = one.rpartition(":")
        spec = find_spec(package) if package else None
        place = Path(spec.origin).parent if spec is not None and spec.origin is not None else ROOT
        texts += [path.read_bytes() for path in sorted(place.glob(glob))]
    return b"\n".join(texts)[:MOST_BYTES]


def check_words(words: list[bytes]) -> None:
    """Fail unless the arrays, and `get_word_terms`, give each word the terms that the chain gives it."""
    found = analyse_words(join_spans(words))
    names = found.texts.slice()
    by_word: dict[int, set[str]] = {}
    for word, term in zip(found.words.tolist(), found.terms.tolist(), strict=True):
        by_word.setdefault(word, set()).add(names[term].decode())
    for position, data in enumerate(words):
        text = data.decode("utf-8", "replace")
        assert by_word.get(position, set()) == set(analyse_text(text)), text
        for word in re.findall(r"\w+", text):
            assert get_word_terms(word) == tuple(analyse_text(word)), word


@pytest.mark.sized
@pytest.mark.parametrize("language", SOURCES)
def test_sources_give_the_terms_of_the_chain(language: str) -> None:
    data = read_sources(language)
    words = split_words(data)
    assert len(words) > 50
    check_words(sorted(set(words)))
    in_order = [term for word in words for term in analyse_text(word.decode("utf-8", "replace"))]
    assert analyse_text(data.decode("utf-8", "replace")) == in_order


def test_the_sources_hold_words_beyond_ascii() -> None:
    assert sum(not word.isascii() for word in split_words(read_sources("Python"))) > 500


@pytest.mark.sized
@settings(max_examples=examples(300))
@given(
    st.lists(
        st.text(alphabet="aZ9_é漢—b1XİßǅΣς²٣ﬁ\u0301", min_size=1, max_size=30) | st.text(max_size=200),
        max_size=20,
    )
)
def test_generated_words_give_the_terms_of_the_chain(texts: list[str]) -> None:
    check_words(split_words(" ".join(texts).encode("utf-8", "replace")))


def test_a_query_goes_through_the_tokeniser_of_whoosh(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    tokenise = RegexTokenizer.__call__

    def watch(self: RegexTokenizer, value: str, **options: Any) -> Iterator[Any]:
        seen.append(value)
        return tokenise(self, value, **options)

    monkeypatch.setattr(RegexTokenizer, "__call__", watch)
    assert parse_query("merge the postingLists", 100).terms == [
        "merge",
        "merg",
        "postinglists",
        "post",
        "list",
    ]
    assert seen == ["merge postingLists"]
