"""A question for tests is answered by tests: those that use a symbol, and those that use what uses it."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from tests.repo_mcp.research.asking import Asked

FILES = {
    "bank/till.py": "class Till:\n    def ring(self, sum):\n        return sum\n\n\n"
    "def sell(till):\n    return Till().ring(2)\n\n\ndef idle():\n    return 0\n",
    "tests/test_sell.py": "from bank.till import sell\n\n\ndef test_selling():\n    assert sell(None) == 2\n",
    "tests/test_ring.py": "from bank.till import Till\n\n\ndef test_ringing():\n"
    "    assert Till().ring(1) == 1\n",
    "tests/data/till.js": "function till() {}\n",  # of another language
    "tests/till_test.py": "def test_nothing():\n    assert True\n",
}


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("which tests cover Till.ring?", "Till.ring"),
        ("what tests Till.ring", "Till.ring"),
        ("where is Till.ring tested?", "Till.ring"),
        ("show me the unit tests for Till.ring", "Till.ring"),
        ("are there any tests that exercise Till.ring", "Till.ring"),
        ("which tests should I run when I change Till.ring?", "Till.ring"),
    ],
)
def test_ways_to_ask_for_tests(query: str, subject: str) -> None:
    tests = [one for one in parse_question(query) if one.form is Form.TESTS]
    assert [one.phrases[0].text for one in tests[:1]] == [subject]


def test_tests_that_use_a_symbol_come_before_those_that_use_what_uses_it() -> None:
    report = Asked(FILES).ask("which tests cover Till.ring?")
    assert report.reading.form is Form.TESTS
    assert report.claim == (
        "Till.ring (bank/till.py:2-3) is used by test_ring.test_ringing (tests/test_ring.py:4-5)."
        " Indirectly, it is used by test_sell.test_selling (tests/test_sell.py:4-5)."
        " Files named after it: tests/till_test.py."
    )
    assert [one.path for one in report.findings if one.hop] == [
        "tests/test_ring.py", "tests/test_sell.py", "tests/till_test.py",
    ]  # fmt: skip


def test_a_module_of_a_rust_file_may_be_called_test() -> None:
    text = (
        "pub fn parse(text: &str) -> usize {\n    text.len()\n}\n\n#[cfg(test)]\nmod test {\n"
        '    use super::*;\n\n    #[test]\n    fn reads() {\n        assert_eq!(parse("a"), 1);\n    }\n}\n'
    )
    claim = Asked({"src/lib.rs": text}).ask("what tests parse()?").claim
    assert claim == "parse (src/lib.rs:1-3) is used by test.reads (src/lib.rs:9-12)."


def test_that_no_test_uses_a_symbol_is_said() -> None:
    claim = Asked(FILES).ask("what tests idle()?").claim
    assert claim.startswith("No test is known to use till.idle (bank/till.py:10-11) itself.")


def test_what_is_no_name_is_looked_for_by_its_words_in_tests() -> None:
    files = {
        **FILES,
        "tests/test_coins.py": "def test_copper_coins_are_counted(coins):\n    assert coins.copper\n",
    }
    claim = Asked(files).ask("which tests cover the copper coins?").claim
    assert claim.startswith(
        "test_coins.test_copper_coins_are_counted (tests/test_coins.py:1-2) fits the question"
    )
    none = Asked(FILES | {"bank/coins.py": "def count_copper(coins):\n    return coins\n"})
    assert none.ask("what tests the copper coins").claim.startswith("No test is among the best matches.")


def test_what_is_said_to_be_lacking_is_lacking_in_what_is_named() -> None:
    """A test may be rated higher than what the claim names; it is not the one that is judged."""
    files = {
        "mail/check.py": "def check_body(mail):\n    if mail == 'greylist':\n        return 0\n",
        "tests/test_check_body.py": "def test_check_body_of_mail_answers(check_body, mail):\n"
        "    answer = check_body(mail)\n    assert answer == 'body of the mail'\n",
    }
    claim = Asked(files).ask("why do the tests of mail answers want a greylist").claim
    assert claim.startswith("check.check_body (mail/check.py:1-3) comes closest, but lacks the word answers.")


def test_a_setting_in_lower_case_is_stated_by_the_program_and_not_by_tests() -> None:
    files = {
        "queue.py": "def configure(options, queue):\n    options.bind('max_tries', 20, queue)\n",
        "tests/test_queue.py": "def test_it(queue):\n    queue.maxTries = 5\n    max_tries = 3\n",
    }
    for query in ("where is max_tries read?", "where is max_tries of the queue used?"):
        report = Asked(files).ask(query)
        assert (report.reading.form, report.claim) == (
            Form.CONFIGURED, "max_tries is declared as an option at queue.py:2.",
        )  # fmt: skip


def test_a_member_that_its_type_lacks_is_said_first() -> None:
    files = {"job.py": "class Job:\n    pass\n\n\nclass Worker:\n    def run(self):\n        return 1\n"}
    claim = Asked(files).ask("what breaks if I change Job.run").claim
    assert claim == "job.Job (job.py:1-2) has no member run; it declares none."


def test_prose_about_ends_is_no_path_between_names() -> None:
    files = {
        "smtp.py": "class Smtp:\n    message = 1\n\n    def send(self):\n        return self.message\n",
        "queue.py": "class Queue:\n    def keep(self, message):\n        return message\n",
    }
    report = Asked(files).ask("how does a message reach the queue from the smtp endpoint server?")
    assert report.reading.form is Form.OPEN


def test_what_errors_can_be_raised_for_is_asked_about() -> None:
    parsed = parse_question("which errors can be raised when a goal fails?")[0]
    assert (parsed.form, parsed.phrases[0].text) == (Form.ERRORS, "a goal fails")


MOORING = {
    "go.mod": "module example.org/boat\n",
    "log/mooring.go": "package log\n\n// Mooring does so.\nfunc Mooring(n int) int {\n\treturn n\n}\n",
    "log/mooring_test.go": "package log\n\nimport \"testing\"\n\nfunc TestMooring(t *testing.T) {\n"
    "\tif Mooring(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
    "quay/mooring.go": "package quay\n\nfunc Mooring(n int) int {\n\treturn n\n}\n",
    "quay/db.go": "package quay\n\ntype DB struct {\n\tlog int\n}\n",
    "quay/db_test.go": "package quay\n\nimport \"testing\"\n\nfunc TestDB(t *testing.T) {\n"
    "\tif (DB{log: 1}).log != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
}  # fmt: skip


def test_a_subject_of_two_words_is_what_both_are_about_and_no_field() -> None:
    claim = Asked(MOORING).ask("which tests cover the LOG mooring?").claim
    assert claim.startswith("log.Mooring (log/mooring.go:4-6) is used by log.TestMooring")


def test_a_subject_of_which_one_word_is_declared_says_so() -> None:
    claim = Asked(MOORING).ask("which tests cover the LOG winch?").claim
    assert claim.startswith('Of "LOG winch", only LOG is a name here. ')


def test_a_class_and_its_constructors_are_one_subject_and_tests_are_named_by_class() -> None:
    files = {
        "src/main/Kiln.java": "class Kiln {\n    Kiln() {}\n    Kiln(int heat) {}\n    void fire() {}\n}\n",
        "src/test/KilnTests.java": "class KilnTests {\n    void fires() { new Kiln().fire(); }\n"
        "    void cools() { new Kiln(3).fire(); }\n}\n",
    }
    report = Asked(files).ask("which tests should I run after changing Kiln?")
    assert [node.kind for node in report.reading.subjects[0].nodes] == ["class"]
    assert report.claim == "Kiln (src/main/Kiln.java:1-5) is used by KilnTests (src/test/KilnTests.java:1-4)."


def test_a_file_is_used_by_the_tests_that_import_it() -> None:
    files = {
        "bank/till.py": "def ring(price):\n    return price\n\n\nTill = object\n",
        "tests/test_all.py": "import os\nfrom bank.till import Till\n\nKIND = Till\n",
        "tests/test_none.py": "class Till:\n    pass\n\n\ndef test_till():\n    assert Till()\n",
    }
    claim = Asked(files).ask("which tests should I run when I change bank/till.py?").claim
    assert claim.startswith(
        "top level (bank/till.py:1-5) is used by tests/test_all.py (tests/test_all.py:2)."
    )


def test_a_file_of_tests_is_named_after_a_type_whose_name_ends_like_a_mark() -> None:
    texts = {
        "shop/kinds.py": "class Audit:\n    pass\n",
        "tests/test_audit.py": "def test_it():\n    assert 1\n",
    }
    assert "Files named after it: tests/test_audit.py." in Asked(texts).ask("what tests Audit?").claim
