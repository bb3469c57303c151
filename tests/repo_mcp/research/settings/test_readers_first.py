"""Who asks where a variable of the environment is read gets the code first, and configuration behind it."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

TEXTS = {
    ".github/workflows/ci.yml": "jobs:\n  test:\n    env:\n      BELL_KIND: brass\n",
    "bells.py": "import os\n\n\ndef choose_bell():\n    return os.environ.get('BELL_KIND', 'tin')\n",
}


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("where is the environment variable BELL_KIND read?", "bells.py"),
        ("where is BELL_KIND configured?", ".github/workflows/ci.yml"),
    ],
)
def test_what_reads_a_variable_comes_first_if_it_is_asked_for(asked: str, first: str) -> None:
    assert Asked(TEXTS).ask(asked).findings[0].path == first


def test_a_key_may_stand_on_the_line_below_the_call_that_reads_it() -> None:
    report = Asked(
        {
            "net/Pool.java": "package net;\n\nclass Pool {\n"
            "    static final long KEEP_ALIVE = Utils.getIntegerProperty(\n"
            '            "net.pool.keepalive", 1200); // seconds\n\n'
            "    void release(Connection one) {\n        one.expireIn(KEEP_ALIVE);\n    }\n}\n"
        }
    ).ask("where is net.pool.keepalive read?")
    assert report.claim == "net.pool.keepalive is read at net/Pool.java:5."
    assert [(one.symbol, one.start_line, one.end_line) for one in report.findings] == [
        ("net.Pool.KEEP_ALIVE", 4, 5)
    ]


def test_comments_do_not_mention_a_setting_beside_what_sets_it() -> None:
    texts = {
        "pool.py": "class Pool:\n    parallelism = 4\n",
        "sort.py": "# sorts with the parallelism of a machine\ndef sort(rows):\n    return rows\n",
    }
    report = Asked(texts).ask("where is the parallelism set?")
    assert {one.path for one in report.findings} == {"pool.py"}


def test_a_reader_is_shown_with_what_branches_on_the_variable_that_it_makes() -> None:
    files = {
        "post.py": "class Post:\n    def __init__(self, most_parts=5):\n"
        "        self.most_parts = most_parts\n\n"
        "    def send(self, parts):\n        most = self.most_parts\n        first = parts[0]\n"
        "        self.weigh(first)\n        self.label(first)\n        self.stamp(first)\n"
        "        if len(parts) > most:\n            raise ValueError(parts)\n        return first\n"
    }
    report = Asked(files).ask("Where is `most_parts` configured?")
    sending = next(one for one in report.findings if one.symbol.endswith("send"))
    assert sending.lines == (6, 11)
    assert "if len(parts) > most:" in sending.excerpt
