"""No file that matches is sifted out, whatever its bytes and its neighbours."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from repo_mcp.errors import RepoError
from repo_mcp.exact import joined_texts
from repo_mcp.exact.joined_texts import iter_texts
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.model import ExactRequest
from repo_mcp.text.lines import decode_source
from tests.deep.sizes import examples
from tests.repo_mcp.exact.exact_patterns import expressions, literals, texts

plain = st.text("ab sk_0(-.\n", max_size=20)
raws = st.lists(
    st.one_of(
        st.none(),
        plain.map(str.encode),
        plain.map(str.encode),
        texts.map(str.encode),
        texts.map(lambda text: text.replace("\n", "\r\n").encode()),
        texts.map(lambda text: text.encode("utf-16")),
        texts.map(lambda text: text.encode("latin-1", "replace")),
        texts.map(lambda text: b"\xef\xbb\xbf" + text.encode()),
        texts.map(lambda text: text.encode() + b"\0"),
    ),
    max_size=6,
)


def list_lines(matcher: LineMatcher, data: bytes) -> list[tuple[int, int]]:
    return [(match.start_line, match.start) for match in matcher.iter_matches(data)]


def check(request: ExactRequest, files: list[bytes | None]) -> None:
    try:
        matcher = LineMatcher(request)
    except RepoError:
        return
    found = {position: list_lines(matcher, data) for position, data in iter_texts(matcher, files)}
    assert list(found) == sorted(found)
    matcher._literal = None
    for position, raw in enumerate(files):
        try:
            wanted = [] if raw is None else list_lines(matcher, decode_source(raw).data)
        except RepoError:
            wanted = []
        assert found.get(position, []) == wanted


@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.too_slow])
@given(expressions, raws, st.booleans(), st.booleans())
@example(r"\Ab", [b"a", b"b"], True, False)
@example(r"a\z", [b"a", b"b"], True, False)
@example(r"(?-m)^b", [b"a", b"b"], True, False)
@example(r"(?-m:b$)", [b"b", b"a"], True, False)
@example(r"a\n?b", [b"a", b"b", b"ab"], True, False)
@example(r"(?s)a.*", [b"ba", b"b", b"a"], True, True)
@example("x.ab", [b"ab\n" * 30 + b"xxab"], True, False)
def test_expressions(pattern: str, files: list[bytes | None], case_sensitive: bool, whole_word: bool) -> None:
    check(ExactRequest(pattern, regex=True, case_sensitive=case_sensitive, whole_word=whole_word), files)


@settings(max_examples=examples(200))
@given(literals, raws, st.integers(0, 8), st.booleans(), st.booleans())
def test_literals(
    pattern: str, files: list[bytes | None], position: int, case_sensitive: bool, whole_word: bool
) -> None:
    files = [raw and raw[:position] + pattern.encode() + raw[position:] for raw in files]
    check(ExactRequest(pattern, case_sensitive=case_sensitive, whole_word=whole_word), files)


def test_files_are_joined_only_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined_texts, "JOINED_BYTES", 10)
    files: list[bytes | None] = [b"foo", b"b" * 20, b"", b"foo\n", None, b"bar", b"12345678", b"xfoo"]
    matcher = LineMatcher(ExactRequest("foo"))
    searched: list[int] = []
    find = matcher.find_first

    def note(data: bytes, position: int) -> int | None:
        searched.append(len(data) - position)
        return find(data, position)

    monkeypatch.setattr(matcher, "find_first", note)
    assert [position for position, _ in iter_texts(matcher, files)] == [0, 3, 7]
    assert max(searched) == 20


def test_what_cannot_match_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def note(raw: bytes) -> object:
        decoded.append(raw)
        return decode_source(raw)

    monkeypatch.setattr(joined_texts, "decode_source", note)
    files: list[bytes | None] = [b"one", b"two", "zwei".encode("utf-16"), b"three"]
    assert [position for position, _ in iter_texts(LineMatcher(ExactRequest("tw")), files)] == [1, 2]
    assert decoded == [b"two", "zwei".encode("utf-16")]
