"""What of a pasted report is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.ranking.query.report_noise import take_informative

REPORT = """Uploads over 2 GB are cut

<!-- Please search existing issues
before opening a new one. -->
- [x] I searched the existing issues
- [ ] I can send a pull request

Python 3.11.2 (main, Mar 13 2023) [GCC 12.2.0] on linux
Type "help", "copyright", "credits" or "license" for more information.
>>> send_file(path)
2024-01-02 10:00:00 WARNING chunk 17 dropped
2024-01-02 10:00:01 WARNING chunk 18 dropped
OS: Debian 12
Aiohttp version: 3.9.1

It stops in `write_chunk`.
"""


def test_what_every_report_has_is_left_out_and_the_rest_stays() -> None:
    assert [line for line in take_informative(REPORT).split("\n") if line] == [
        "Uploads over 2 GB are cut",
        ">>> send_file(path)",
        "2024-01-02 10:00:00 WARNING chunk 17 dropped",
        "It stops in `write_chunk`.",
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "Python 3.11 (main) fails",
        "- [ ] a\n- [x] b\n",
        "how is the version: 3 read",
        "class A:\n    os = 1\n",
    ],
)
def test_a_question_and_what_would_leave_nothing_stay(prompt: str) -> None:
    assert take_informative(prompt) == prompt


@given(st.text(alphabet="ab-[x] :\n<!>0", max_size=200))
def test_lines_are_only_taken_away(prompt: str) -> None:
    left = take_informative(prompt)
    assert set(left.split()) <= set(prompt.split()) or "<!--" in prompt
    assert left.strip() or not prompt.strip()
