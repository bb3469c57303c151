"""What references and callers say of a name in text: documents, configuration and strings."""

from __future__ import annotations

from tests.repo_mcp.toolsets.graph.graph_roots import Served

FILES = {
    "app/jobs.py": (
        "__all__ = ['send_report', 'Mailer']\n\n\n"
        "def send_report(): ...\n\n\ndef send(): ...\n\n\ndef sweep_old(): ...\n\n\nclass Mailer: ...\n"
    ),
    "app/main.py": (
        "from app.jobs import send_report\n\nDAILY_TASKS = {'daily': 'app.jobs.send_report'}\n"
        "send_report(DAILY_TASKS['DAILY_TASKS'])\n"
    ),
    "docs/use.md": "Call `send_report` or jobs.send; people send letters, and send_reports.\n",
    "setup.cfg": (
        "[options.entry_points]\nconsole_scripts =\n"
        "    report = app.jobs:send_report\n    sweep = app.jobs:sweep_old\n"
    ),
}


def test_references_say_which_files_have_a_name_in_text(served: Served) -> None:
    (said,) = served.call("get_references", symbol="send_report")["warnings"]
    assert said == (
        "Text, for which no edge stands, has 'send_report' as well: documents or configuration in 2 files,"
        " such as 'setup.cfg:3', and strings or comments in 1 file, 'app/main.py:3'."
        " A literal search finds it."
    )


def test_a_word_of_everyday_language_is_sought_behind_its_module(served: Served) -> None:
    (said,) = served.call("get_references", symbol="jobs.send")["warnings"]
    assert "documents or configuration in 1 file, 'docs/use.md:1'" in said
    assert "warnings" not in served.call(
        "get_references", symbol="Mailer"
    )  # its line in `__all__` is an edge


def test_nothing_calls_what_only_configuration_names(served: Served) -> None:
    answer = served.call("get_callers", symbol="sweep_old")
    assert answer["total"] == 0
    assert "'setup.cfg:4'" in answer["warnings"][0]
    assert "warnings" not in served.call("get_callers", symbol="send_report")  # it has callers


def test_what_is_read_and_not_called_is_explained_by_that_alone(served: Served) -> None:
    (said,) = served.call("get_callers", symbol="DAILY_TASKS")["warnings"]
    assert "read and not called" in said
