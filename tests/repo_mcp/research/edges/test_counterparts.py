"""What must change with a function: its counterpart, which undoes it or gives what it takes."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.citing import shorten
from tests.repo_mcp.research.asking import Asked


@pytest.mark.parametrize(
    ("path", "text", "asked", "counterpart"),
    [
        (
            "src/desk.js",
            "let desk\n\nfunction getDesk () {\n  return desk\n}\n\n"
            "function setDesk (one) {\n  desk = one\n}\n\n"
            "function getLamp () {\n  return desk.lamp\n}\n\nfunction serve () {\n  return getDesk()\n}\n",
            "getDesk",
            "setDesk",
        ),
        (
            "label.py",
            "class Label:\n    def encode(self, text):\n        return text + '!'\n\n"
            "    def decode(self, text):\n        return text[:-1]\n\n\n"
            "def decode(text):\n    return text\n",
            "Label.encode",
            "Label.decode",
        ),
        (
            "gate.c",
            "int gate_lock(int one)\n{\n\treturn one + 1;\n}\n\n"
            "int gate_unlock(int one)\n{\n\treturn one - 1;\n}\n",
            "gate_lock",
            "gate_unlock",
        ),
    ],
)  # fmt: skip
def test_a_counterpart_stands_next_to_the_subject(path: str, text: str, asked: str, counterpart: str) -> None:
    report = Asked({path: text}).ask(f"what breaks if I change {asked}?")
    subject, other = (one for one in report.findings if not one.hop)
    assert shorten(subject.symbol) == asked
    assert (shorten(other.symbol), other.why) == (counterpart, f"the counterpart of {subject.symbol}")
    assert f"Its counterpart is {counterpart} (" in report.claim


def test_another_file_has_no_counterpart() -> None:
    files = {
        "desk.py": "def get_desk():\n    return 1\n",
        "lamp.py": "def set_desk(one):\n    return one\n",
    }
    assert "counterpart" not in Asked(files).ask("what breaks if I change get_desk?").claim
