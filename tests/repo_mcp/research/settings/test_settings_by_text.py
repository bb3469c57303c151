"""Settings whose names stand in texts: where they are read."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.settings.line_use import reads_key
from tests.repo_mcp.research.asking import Asked

POOL = {
    "pool.py": "class Pool:\n    def __init__(self, **kwargs):\n"
    '        self._limit = kwargs.pop("pool_size", 5)\n',
    "main.py": "from pool import Pool\n\n\ndef run():\n    return Pool(pool_size=3)\n",
}


def test_a_setting_that_is_taken_from_keywords_is_read_there() -> None:
    claim = Asked(POOL).ask("where is pool_size read?").claim
    assert claim == "pool_size is read at pool.py:3. It is set at main.py:5."


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        ('limit = kwargs.pop("size", 5)', True),
        ("limit = options['size']", True),
        ("limit = app.conf.size or 3", True),
        ("options['size'] = 5", False),
        ("app.conf.size = 5", False),
        ("opts.size ??= 5", False),
        ('kwargs.setdefault("size", 5)', False),
        ("return box.size", False),
    ],
)
def test_lines_that_ask_a_record_for_a_setting(line: str, is_read: bool) -> None:
    assert reads_key("size", line) is is_read


def test_a_constant_whose_name_is_given_as_a_text_is_a_setting() -> None:
    texts = {
        "defaults.py": '__all__ = [\n    "MAX_JOBS",\n    "LEAST_JOBS",\n]\n\nMAX_JOBS = 8\nLEAST_JOBS = 2\n',
        "runner.py": "from defaults import LEAST_JOBS\n\n\nclass Runner:\n    def __init__(self, settings):\n"
        '        self._most = settings.getint(\n            "MAX_JOBS"\n        )\n\n'
        "    def start(self):\n        return max(self._most, LEAST_JOBS)\n",
    }
    asked = Asked(texts)
    report = asked.ask("where is MAX_JOBS read?")
    assert report.reading.form is Form.CONFIGURED
    assert report.claim.startswith("MAX_JOBS is read at runner.py:7. It is set at defaults.py:6.")
    claim = asked.ask("where is LEAST_JOBS read?").claim
    assert claim == "LEAST_JOBS is read at runner.py:11. It is declared at defaults.py:7."
    assert asked.ask("where is LEAST_JOBS used?").reading.form is Form.DEPENDENTS


def test_a_sentence_in_quotes_reads_no_setting() -> None:
    assert not reads_key("MAX_JOBS", 'warn("The settings.MAX_JOBS attribute is old, use another.")')
