"""Where no parser reads a language, the tests of a function are the files that call its name most."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked, list_found

DEPOT = {
    "setup.py": "def install():\n    return 1\n",
    "lib/labels.rb": "class Labels\n  def stick(text)\n    wrap_up(text)\n  end\n\n  def wrap_up(text)\n"
    "    text\n  end\nend\n",
    "test/alpha_test.rb": "class AlphaTest\n  def test_it\n    # one may stick it\n"
    "    labels.stick(1)\n  end\nend\n",
    "test/omega_test.rb": "class OmegaTest\n  def test_it\n    labels.stick(1)\n"
    "    labels.stick(2)\n  end\nend\n",
    "test/labels_test.rb": "class LabelsTest\n  def test_it\n    Labels.new\n  end\nend\n",
    "test/word_test.rb": "class WordTest\n  def test_it\n    text = 'wrap up the text'\n  end\nend\n",
}


def test_files_are_ordered_by_their_calls() -> None:
    report = Asked(DEPOT).ask("which tests should I run after changing Labels#stick?")
    assert [(one.path, one.why) for one in report.findings[1:]] == [
        ("test/omega_test.rb", "calls stick in 2 lines"),
        ("test/alpha_test.rb", "calls stick in 1 line"),
        ("test/labels_test.rb", "is named after stick, its type or its file"),
    ]


def test_if_no_test_calls_it_those_of_its_callers_are_told() -> None:
    report = Asked(DEPOT).ask("which tests should I run after changing Labels#wrap_up?")
    assert list_found(report, 1) == ["test/labels_test.rb", "test/omega_test.rb", "test/alpha_test.rb"]
    assert report.findings[2].why == "calls stick, which calls wrap_up, in 2 lines"
    assert "No test is known to call wrap_up by name." in report.claim


def test_a_file_of_tests_is_named_after_a_file_with_a_dot_in_its_name() -> None:
    texts = {
        "setup.py": "def install():\n    return 1\n",
        "lib/labels.rows.rb": "def stick_row(text)\n  text\nend\n",
        "test/labels_rows_test.rb": "def test_it\n  true\nend\n",
        "test/labels_test.rb": "def test_it\n  false\nend\n",
    }
    report = Asked(texts).ask("which tests should I run after changing stick_row?")
    assert list_found(report, 1) == ["test/labels_rows_test.rb"]


def test_if_no_test_calls_it_or_its_callers_those_that_use_its_type_are_told() -> None:
    """Nothing was: the parser's one public method has a name that says little, and no file is called so."""
    texts = {
        "setup.py": "def install():\n    return 1\n",
        "lib/rows.rb": "class RowParser\n  def call\n    split_up\n  end\n\n  def split_up\n  end\nend\n",
        "test/sheet_test.rb": "class SheetTest\n  def test_it\n    RowParser.new.()\n  end\nend\n",
        "test/prose_test.rb": "class ProseTest\n  # RowParser is not used\nend\n",
    }
    report = Asked(texts).ask("which tests cover RowParser#split_up?")
    assert list_found(report, 1) == ["test/sheet_test.rb"]
    assert (
        "No test is known to call split_up by name. RowParser is used in test/sheet_test.rb." in report.claim
    )
