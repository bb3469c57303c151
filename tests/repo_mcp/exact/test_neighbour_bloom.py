"""Signs beside common words: no file is ruled out that a pattern matches, and few others are read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from index_format import FilesReader, TermsReader, compute_fingerprint
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import RepoError
from repo_mcp.exact import file_bitmaps, pattern_texts
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.exact.neighbour_bloom import INDENT, LINE_EDGE, NeighbourBloom, _find_marks, _hash_terms
from repo_mcp.exact.patterns import read_pattern
from repo_mcp.exact.required_terms import All, Edge, Either, Need, Run
from repo_mcp.model import ExactRequest
from repo_mcp.repository import Repository
from repo_mcp.text.lines import decode_source
from tests.deep.sizes import examples
from tests.repo_mcp.exact.exact_patterns import expressions
from tests.repo_mcp.exact.learnt_neighbours import grow_old, learn_neighbours, use_neighbours

PLAIN = re.compile(r"[a-z0-9_]+")
WORD = re.compile(r"\w+")

pieces = st.one_of(
    st.sampled_from(["as", "Ask", "bk", "k", "s_0", "\u212a", "\u017f", "é", "1"]),
    st.sampled_from(["=", "(", ";", ",", ".", "\\", "~", "*", "-", "  ", "\t", " ", "\f", "\v", "\n"]),
)
texts = st.lists(pieces, max_size=10).map("".join)
encoders = st.sampled_from(
    [
        str.encode,
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("latin-1", "ignore"),
        lambda text: text.encode("utf-16"),
    ]
)
# Parts of a pattern, each with a text that it may match.
parts = st.sampled_from(
    [
        *(("as", "as"), ("(?i:ask)", "aSK"), ("(?i:ask)", "as\u212a"), ("bk", "bk"), ("k", "k"), ("é", "é")),
        *(("(?:as|bk)", "bk"), (r"\w*", "k"), (r"\w*", ""), (r"\w", "s"), ("[0-9]?", "1"), ("[0-9]+", "10")),
        *((r"\s*", ""), (r"\s*", " \t"), (r"\s+", " "), (" ", " "), (r"\t", "\t"), (r"\b", ""), ("^", "")),
        *(("$", ""), ("[ =]*", " ="), (".", "é"), (".*", "k("), (r"\W", "~"), ("[^a]", "k")),
        *(("=", "="), (r"\(", "("), ("[;,)]", ","), ("[=;.,(~]", "~"), (";?", ""), (r"\x3d", "=")),
        *(("[[:space:]]", "\f"), ("-", "-"), ("as", "as"), (r"\(", "(")),
        *((r"\*", "*"), ("~", "~"), (r"(?:;|\w)", ";"), (r"(?:^|,)", ""), (r"\B", ""), ("(?:=k)?", "=k")),
    ]
)  # fmt: skip
matched = st.lists(parts, min_size=2, max_size=6).map(
    lambda chosen: ("".join(one for one, _ in chosen), "".join(other for _, other in chosen))
)


def build_bloom(words: list[bytes]) -> NeighbourBloom:
    sides = NeighbourBloom(cast(FilesReader, None), cast(TermsReader, None))
    sides.learn_words(words)
    return sides


def mark(text: str | bytes, *words: str) -> tuple[NeighbourBloom, set[int]]:
    raw = text if isinstance(text, bytes) else text.encode()
    sides = build_bloom([word.encode() for word in words])
    (row,) = sides.mark_versions([raw], [compute_fingerprint(raw)])
    return sides, set(row.nonzero()[0].tolist())


def has(marks: set[int], word: str, before: str, behind: str) -> bool:
    """Return what `find_beside` asks of a file."""
    hashes = _hash_terms([word.encode()])
    wanted = {
        int(one[0])
        for side, sign in enumerate((before, behind))
        if sign
        for one in _find_marks(hashes, np.array([ord(sign)], dtype=np.uint64), side)
    }
    return wanted <= marks


@pytest.mark.parametrize(
    ("text", "before", "behind"),
    [
        ("foo(", LINE_EDGE, "("),
        (" foo \t(", INDENT, "("),
        ("x = foo;", "=", ";"),
        ("//\tFoo", "/", LINE_EDGE),
        ("a\r\nfoo\r\n", LINE_EDGE, LINE_EDGE),
        ("\ufefffoo->", LINE_EDGE, "-"),
        ("bar foo bar", "", ""),
        ("xfoo(foo_y)", "", ""),
        ("\u00e9 =foo\u00e9", "=", ""),
    ],
)
def test_what_is_noted(text: str, before: str, behind: str) -> None:
    _, marks = mark(text, "foo")
    for side, wanted in ((0, before), (1, behind)):
        for sign in "(=;/->.,\n\t":
            asked = (sign, "") if side == 0 else ("", sign)
            assert has(marks, "foo", *asked) == (sign == wanted), (side, sign)


def test_words_are_distinguished_by_their_ends() -> None:
    words = ["some_identifier", "identifier", "er", "r"]
    _, marks = mark("some_identifier( identifier= er; r,", *words)
    assert [has(marks, word, "", sign) for word, sign in zip(words, "(=;,", strict=True)] == [True] * 4
    assert has(marks, "identifier", "", "(")  # the same last eight: a file too many is read
    assert not has(marks, "er", "", "=")
    assert not has(marks, "r", "", ";")


def test_a_file_with_a_kelvin_sign_has_every_mark() -> None:
    _, marks = mark("\u212a", "foo")
    assert has(marks, "foo", "=", ";")


def meets(need: Need, words: set[str], marks: set[int]) -> bool:
    """Return whether a file of these words and marks is looked at, if all plain words are common."""
    if not isinstance(need, Run):
        met = [meets(part, words, marks) for part in need.parts]
        return all(met) if isinstance(need, All) else any(met)
    if not (need.before or need.behind):
        return True
    return any(
        not PLAIN.fullmatch(word) or (need.text in word and has(marks, word, need.before, need.behind))
        for word in words
    )


def check(pattern: str, case_sensitive: bool, whole_word: bool, raw: bytes) -> bool:
    """Return whether it matches, and then is not ruled out."""
    request = ExactRequest(pattern, regex=True, case_sensitive=case_sensitive, whole_word=whole_word)
    try:
        matcher = LineMatcher(request)
        data = decode_source(raw).data
    except RepoError:
        return False
    if next(matcher.iter_matches(data), None) is None:
        return False
    words = {word.lower() for word in WORD.findall(data.decode())}
    _, marks = mark(raw, *(word for word in words if PLAIN.fullmatch(word)))
    need = matcher.reading.neighbours
    assert need is None or meets(need, words, marks), need
    return need is not None


@settings(max_examples=examples(1000), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(matched, st.tuples(expressions, texts)), texts, texts, encoders, st.booleans(), st.booleans()
)
@example((r"(?i)k\s*=", "\u212a ="), "", "", str.encode, True, False)
@example((r"as\w*\s*=", "ask="), "", "", str.encode, True, False)
def test_no_text_that_matches_is_ruled_out(
    pair: tuple[str, str],
    before: str,
    behind: str,
    encode: Callable[[str], bytes],
    case_sensitive: bool,
    whole_word: bool,
) -> None:
    pattern, text = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_texts, "MIN_OPEN_BYTES", 1)  # so that the short texts say something
        check(pattern, case_sensitive, whole_word, encode(before + text + behind))


def test_the_generated_patterns_often_match_and_ask_for_signs() -> None:
    sided = 0

    @settings(max_examples=200, database=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(matched, texts)
    def count(pair: tuple[str, str], before: str) -> None:
        nonlocal sided
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pattern_texts, "MIN_OPEN_BYTES", 1)
            sided += check(pair[0], False, False, (before + pair[1]).encode())

    count()
    assert sided > 3, sided


@pytest.mark.parametrize(
    ("pattern", "need"),
    [
        (r"foo\w*\s*=", "*foo* ="),
        (r"^\s+foo", "\tfoo* "),
        (r"^foo$", "\nfoo \n"),
        (r"\bfoo\b \(", "*foo ("),
        (r"(foo|bar)[;,]", "*foo , | *foo ; | *bar , | *bar ;"),
        (r"a->foo[0-9] = x", ">foo* ="),
        (r"foo1[0-9]foo;", "*foo1* ;"),
        (r"foo\s*\*", "*foo *"),
        (r"(?i)ſomeſ+\(", None),
        (r"foo.*bar;", "*bar ;"),
        (r"foo\W\(", None),
        (r"foo[^a]\(", None),
        (r"(foo;|bar)", None),
        (r"foo;\n", None),
        (r"(?s)foo;", None),
        (r"fo;", None),
        (r"-fo;", "-fo ;"),
    ],
)  # fmt: skip
def test_signs_of_expressions(pattern: str, need: str | None) -> None:
    sides = read_pattern(ExactRequest(pattern, regex=True)).neighbours
    assert (None if sides is None else show(sides)) == need


def test_signs_of_literals() -> None:
    sides = read_pattern(ExactRequest("x = foo(bar, y)")).neighbours
    assert sides is not None
    assert set(show(sides).split(" & ")) == {"=foo (", "(bar ,", ",y )"}
    assert read_pattern(ExactRequest("foo;\nbar")).neighbours is None


def show(need: Need) -> str:
    if isinstance(need, Either | All):
        return (" | " if isinstance(need, Either) else " & ").join(map(show, need.parts))
    left, right = ("*" if edge is Edge.OPEN else "" for edge in (need.left, need.right))
    return f"{need.before}{left}{need.text}{right} {need.behind}"


@pytest.fixture
def repository(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Repository]:
    monkeypatch.setattr(file_bitmaps, "MIN_FILES", 10)
    use_neighbours(monkeypatch, 50)
    for number in range(100):
        path = tmp_path / f"f{number:02}.c"
        path.write_text(f"int x{number} = common;\n" + ("common (x);\n" if number == 7 else ""))
        os.utime(path, (1e9, 1e9))
    grow_old(monkeypatch)
    repository = Repository(load_config(str(tmp_path), data_dir=str(tmp_path_factory.mktemp("index"))))
    repository.refresh()
    yield repository
    repository.close()


def search(repository: Repository, pattern: str) -> list[str]:
    request = ExactRequest(pattern, regex=True)
    return [path for path, _ in repository.search_exact(request).files]


def test_the_second_search_reads_few_files(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert search(repository, r"common\s*\(") == ["f07.c"]
    assert search(repository, "x7 ") == ["f07.c"]  # behind which pairs of punctuation are learnt
    assert repository.engines.exact._searcher is not None
    assert repository.engines.exact._searcher.join(10)
    read: list[str] = []
    real = repository.tree.read_many
    monkeypatch.setattr(repository.tree, "read_many", lambda paths: read.extend(paths) or real(paths))
    assert search(repository, r"common\s*\(") == ["f07.c"]
    assert read == ["f07.c"]
    assert search(repository, r"common\w*\s*:") == []
    assert read == ["f07.c"]


def test_a_search_that_asks_for_no_sign_learns_none(repository: Repository) -> None:
    assert len(search(repository, r"common")) == 100
    assert repository.engines.exact._searcher is not None
    assert not repository.engines.exact._searcher._learning


def test_files_that_change_are_found_whatever_is_known_of_them(
    repository: Repository, tmp_path: Path
) -> None:
    learn_neighbours(repository)
    (tmp_path / "f20.c").write_text("common(y);\n")
    (tmp_path / "new.c").write_text("uncommon(y);\n")
    (tmp_path / "f07.c").write_text("nothing\n")
    assert search(repository, r"common\s*\(") == ["f20.c", "new.c"]
    repository.refresh()
    learn_neighbours(repository)
    assert search(repository, r"common\s*\(") == ["f20.c", "new.c"]


def test_rarer_words_that_hold_the_run_are_looked_up(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text("uncommon(y);\ncommonly (y)\n")
    (tmp_path / "two.c").write_text(f"{'x' * 150}common(y);\n")
    repository.refresh()
    learn_neighbours(repository)
    assert search(repository, r"common\s*\(") == ["f07.c", "one.c", "two.c"]
    assert search(repository, r"common\w*\s*\(") == ["f07.c", "one.c", "two.c"]
    assert search(repository, r"^common\w*\s*\(") == ["f07.c", "one.c"]
