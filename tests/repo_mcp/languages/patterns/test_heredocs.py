"""Texts of several lines, in texts that are made to hurt; which lines they take: `test_declared_spans.py`."""

from __future__ import annotations

import pytest

from repo_mcp.languages.patterns.heredocs import iter_texts
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ruby", "a <<~X{0}\n"),
        ("ruby", "a(<<~X)\nX\n"),
        ("shell", "cat <<X{0} <<Y\nX{0}\n"),
        ("php", "<?php $a = <<<X{0}\n"),
        ("php", "<?php '\n\\' "),
        ("php", "?><"),
        ("php", "# ? /* "),
        ("php", '"\\"'),
        ("csharp", '@"a""\n'),
        ("csharp", '"""a""\n'),
        ("csharp", '"""" /* @$" \n'),
        ("go", "`a\n'"),
        ("go", "/* ` \n"),
        ("rust", 'r#"a"{0}\n'),
        ("rust", 'r##"a"#\n'),
        ("rust", '"a\\"\n'),
        ("rust", "/* r#'\"\n"),
        ("typescript", "`a\n\\`"),
        ("typescript", "`\n(/["),
        ("typescript", "`\n = /a[\\]"),
        ("javascript", "`\n'\\'"),
    ],
)
def test_they_are_found_in_linear_time(language: str, text: str) -> None:
    def make(size: int) -> bytes:
        return b"<?php\n" + "".join(text.format(number) for number in range(size)).encode()

    assert_linear(make, lambda data: [*iter_texts(language, data)], 400)


def test_a_language_without_them_has_none() -> None:
    assert [*iter_texts("python", b"a = 1 << B\nB\n")] == []
