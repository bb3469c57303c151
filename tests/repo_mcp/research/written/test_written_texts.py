"""What a question has word for word is searched for so: a message that it quotes, a path with dots."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.written.written_texts import NOT_SAID
from tests.repo_mcp.research.asking import Asked, list_found

TEXTS = {
    "lib/gate.js": """class Gate {
  // Gate is locked by nobody
  open(name) {
    if (this.locked !== name) {
      throw new Error(`Conflict: Gate is locked by ${this.locked}`);
    }
    this.hooks.opened.call(name);
  }
}
class Locked {
  raised() {}
}
class Watcher {
  apply(gate) {
    gate.hooks.opened.tap("Watcher", () => {
      count();
    });
  }
}
""",
    "tests/gate.test.js": 'test("Gate is locked by", () => open());\n',
}


@pytest.mark.parametrize(
    "question",
    [
        "when is the error 'Gate is locked by' raised?",
        'when is the error "Gate is locked by" raised, and under which conditions?',
        "where does the message `Conflict: Gate is locked by ${locked}` come from?",
    ],
)
def test_a_quoted_message_leads_to_the_line_with_it_and_to_its_condition(question: str) -> None:
    report = Asked(TEXTS).ask(question)
    assert report.reading.form is Form.WRITTEN
    assert "occurs in Gate.open (lib/gate.js:5, `if (this.locked !== name)`)." in report.claim
    assert list_found(report) == ["Gate.open"]


def test_a_message_in_a_language_without_a_parser_is_that_of_the_function_around_it() -> None:
    gate = """local function open(gate, name)
  if gate.locked ~= name then
    error("Gate is locked by another")
  end
end
"""
    report = Asked({"lib/gate.lua": gate}).ask('when is the error "Gate is locked by another" raised?')
    assert "occurs in open (lib/gate.lua:3, `if gate.locked ~= name then`)." in report.claim
    assert list_found(report) == ["open"]


def test_a_quoted_message_that_no_line_has_is_no_place() -> None:
    report = Asked(TEXTS).ask("when is the error 'Gate is painted by' raised?")
    assert report.reading.form is not Form.WRITTEN
    assert NOT_SAID in report.warnings


@pytest.mark.parametrize(
    "quoted",
    ["`max_open_gates`", "`gate.hooks.opened`", "`Gate.open(name, other, third)`", '"<name of the gate>"'],
)
def test_a_quoted_name_or_piece_of_code_is_no_message(quoted: str) -> None:
    texts = {**TEXTS, "lib/limits.js": "const max_open_gates = 3;\n// Gate.open(name, other, third)\n"}
    report = Asked(texts).ask(f"where is {quoted} set?")
    assert report.reading.form is not Form.WRITTEN
    assert NOT_SAID not in report.warnings


def test_no_word_stands_behind_a_message_that_ends_with_a_dot() -> None:
    texts = {"gate.py": 'def lock(gate):\n    gate.refuse("Gate is shut now.")\n'}
    report = Asked(texts).ask("who says 'Gate is shut now.' to refuse a parcel?")
    assert report.claim == '"Gate is shut now." occurs in gate.lock (gate.py:2).'


def test_a_condition_is_quoted_without_the_brackets_of_those_beside_it() -> None:
    texts = {
        "gate.js": "function lock(gate) {\n  if (gate.open) {\n    return 1;\n  } else if (gate.late) {\n"
        '    throw new Error("Gate is shut now");\n  }\n}\n'
    }
    report = Asked(texts).ask("when is 'Gate is shut now' raised?")
    assert report.claim == '"Gate is shut now" occurs in lock (gate.js:5, `else if (gate.late)`).'


def test_a_path_leads_to_its_lines_and_first_to_those_with_a_word_of_the_question() -> None:
    report = Asked(TEXTS).ask("which classes tap door.hooks.opened?")
    assert report.claim == (
        '"door.hooks.opened" is followed by "tap" in Watcher.apply (lib/gate.js:15).'
        " It occurs in Gate.open (lib/gate.js:7)."
    )
    assert list_found(report) == ["Watcher.apply", "Gate.open"]


def test_a_package_is_no_text() -> None:
    texts = {
        "acme/web/server/Gate.java": "package acme.web.server;\n\nclass Gate {\n    void closeIdle() {\n"
        "        shut();\n    }\n}\n",
        "acme/web/Start.java": "package acme.web;\n\nimport acme.web.server.Gate;\n\nclass Start {\n}\n",
    }
    report = Asked(texts).ask("What happens to an idle gate in the acme.web.server package?")
    assert report.reading.form is not Form.WRITTEN
    assert "occurs in" not in report.claim
