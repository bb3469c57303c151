"""Settings that a question describes in other words than their names have."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

SERVER = """class TooLarge(Exception):
    pass


class Application:
    def __init__(
        self,
        *,
        name: str = "app",
        client_max_size: int = 1024**2,
        max_line_size: int = 8190,
    ) -> None:
        self._name = name
        self._client_max_size = client_max_size
        self._max_line_size = max_line_size
        self._max_seen = 0

    def read_line(self, line):
        if len(line) > self._max_line_size:
            raise ValueError(line)

    def read(self, request):
        body = request.read()
        self._max_seen += len(body)
        if len(body) > self._client_max_size:
            raise TooLarge(request)
        return body
"""
FILES = {"web/server.py": SERVER}
QUESTION = "Where is the maximum size of a request body configured?"


def test_a_setting_is_found_by_its_name_and_by_what_is_guarded_with_it() -> None:
    report = Asked(FILES).ask(QUESTION)
    assert report.reading.form == "configured"
    assert report.claim.startswith("_client_max_size is declared at web/server.py:14")
    assert "As a parameter it is by default 1024**2 (web/server.py:10)." in report.claim
    assert "read at web/server.py:25" in report.claim
    assert "_max_line_size" not in report.claim


def test_what_the_program_adds_to_is_no_setting() -> None:
    report = Asked(FILES).ask("Where is the maximum body seen configured?")
    assert report.reading.form == "open"


LIMITS = """# The longest wait for an answer of a peer, in seconds.
PEER_WAIT = 30

# The longest name that a folder may have.
FOLDER_CHARS = 80
"""
PEER = """import limits


def ask(peer):
    return peer.ask(timeout=limits.PEER_WAIT)
"""


@pytest.mark.parametrize(
    "question", ["What is the default wait for an answer?", "Where is the wait for an answer configured?"]
)
def test_a_comment_describes_a_setting_of_which_one_word_is_asked_for(question: str) -> None:
    report = Asked({"limits.py": LIMITS, "peer.py": PEER}).ask(question)
    assert report.reading.form == "configured"
    assert "30" in report.claim
    assert "limits.py:2" in report.claim


def test_two_settings_that_fit_as_well_leave_the_question_open() -> None:
    files = {"a.py": "MAX_ROW_SIZE = 3\n", "b.py": "ROW_MAX_SIZE = 4\n"}
    assert Asked(files).ask("Where is the maximum size of a row configured?").reading.form == "open"


def test_a_method_that_only_returns_a_field_leads_to_what_reads_it() -> None:
    files = {
        "Request.java": "class Request {\n    private int maxBodySizeBytes = 2048;\n\n"
        "    public int maxBodySize() {\n        return maxBodySizeBytes;\n    }\n}\n",
        "Reader.java": "class Reader {\n    byte[] read(Request request) {\n"
        "        return take(request.maxBodySize());\n    }\n}\n",
    }
    report = Asked(files).ask("Where is the maximum size of a body configured?")
    assert any(one.path == "Reader.java" and 3 in one.lines for one in report.findings)


def test_conditions_are_the_first_of_what_reads_a_setting() -> None:
    files = {
        "pool.py": "class Pool:\n    def __init__(self, most_rows=5):\n        self.most_rows = most_rows\n\n"
        "    def copy(self):\n        return Pool(self.most_rows)\n\n"
        "    def add(self, rows):\n        if len(rows) > self.most_rows:\n            raise ValueError()\n"
    }
    claim = Asked(files).ask("Where is `most_rows` configured?").claim
    assert "It is read at pool.py:9" in claim
