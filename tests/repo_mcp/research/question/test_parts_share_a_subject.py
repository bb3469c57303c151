"""What a later part of a question asks of the subject of the one before, and words that name nothing."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

FILES = {
    "Lock.java": "class Lock {\n    protected boolean hideMissingKeys = true;\n\n"
    "    void turn() {\n        if (hideMissingKeys) {\n            go();\n        }\n    }\n}\n",
    "lint.config.js": "export default {\n    rules: {},\n};\n",
}


def test_the_default_of_it_is_told_with_the_first_part() -> None:
    report = Asked(FILES).ask("where is the property hideMissingKeys read, and what is its default?")
    assert "Its default is true (Lock.java:2)." in report.claim
    assert "lint.config.js" not in report.claim


def test_a_word_of_prose_is_no_symbol_unless_it_is_written_as_one() -> None:
    asked = Asked(FILES)
    assert asked.ask("what is the default?").reading.form is Form.OPEN
    assert asked.ask("what is `default`?").reading.form is Form.DEFINED


def test_a_guessed_type_is_no_setting_but_one_of_the_guesses() -> None:
    texts = {
        "Order.java": "class StepOrder {\n    StepOrder() {\n        put(Cut.class, 100);\n    }\n}\n",
        "Steps.java": "enum Steps {\n    CUT(100), DRY(200);\n}\n",
    }
    report = Asked(texts).ask("where is the order of the steps configured? (StepOrder, Steps)")
    assert report.reading.form is Form.OPEN
    assert {"StepOrder", "Steps"} <= {one.symbol.partition(".")[0] for one in report.findings}


def test_a_text_leads_to_the_constant_that_holds_it_and_to_its_uses() -> None:
    texts = {
        "Store.java": 'class Store {\n    static final String PLACE_KEY = "PLACE_CONTEXT";\n'
        "    String key = PLACE_KEY;\n}\n",
    }
    report = Asked(texts).ask("where is the attribute PLACE_CONTEXT defined and used?")
    assert "Store.PLACE_KEY (Store.java:2) is used by Store.key" in report.claim


@pytest.mark.parametrize("pronoun", ["it", "that"])
def test_where_something_without_a_name_is_set_asks_for_no_declaration_called_set(pronoun: str) -> None:
    files = {
        "src/job.py": "class Job:\n    def __init__(self, tries=100):\n        self.tries = tries\n",
        "src/prop.py": "class Prop:\n    def __set__(self, one, value):\n        raise AttributeError\n",
    }
    asked = Asked(files)
    claim = asked.ask(f"How many tries does a job get by default, and where is {pronoun} set?").claim
    assert "job.Job" in claim
    assert "__set__" not in claim
    named = asked.ask(f"Who reads Job.tries, and where is {pronoun} set?").claim
    assert "src/job.py:3" in named
