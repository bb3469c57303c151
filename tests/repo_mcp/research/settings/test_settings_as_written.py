"""Settings and names that stand only in texts: variables of the environment, options, events."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.settings.line_use import LineUse, classify_use
from tests.repo_mcp.research.asking import Asked


def test_a_name_that_only_a_text_has_is_said_to_be_written_there() -> None:
    files = {
        "app/bus.py": "def start(bus):\n    bus.emit('on_ready')\n",
        "app/view.py": "def show(bus):\n    bus.listen('on_ready', print)\n",
    }
    claim = Asked(files).ask("who calls on_ready?").claim
    assert claim.startswith(
        "No symbol in this repository is called on_ready, but it is written at app/bus.py:2 and"
        " app/view.py:2."
    )


def test_a_variable_of_the_environment_is_a_setting_whatever_is_asked_of_it() -> None:
    files = {"app/run.py": "import os\n\n\ndef run():\n    return 'NO_COLOR' in os.environ\n\n\n"
             "def paint():\n    return os.environ['NO_COLOR']\n"}  # fmt: skip
    report = Asked(files).ask("where is NO_COLOR read?")
    assert report.reading.form is Form.CONFIGURED
    assert report.claim == "NO_COLOR is taken from the environment at app/run.py:9."


def test_a_variable_is_set_by_a_call_of_several_lines() -> None:
    files = {
        "run.rs": 'fn run(c: &mut Command) {\n    c.env(\n        "APP_OFFSET",\n        1,\n    );\n}\n'
    }
    claim = Asked(files).ask("where is APP_OFFSET configured?").claim
    assert claim == "APP_OFFSET is set at run.rs:3."


def test_a_variable_is_not_what_is_spelled_otherwise() -> None:
    files = {
        "pyproject.toml": '[project.scripts]\n"app-config" = "app:main"\n',
        "app.py": "def main():\n    return 1\n",
    }
    claim = Asked(files).ask("where is APP_CONFIG configured?").claim
    assert claim == "APP_CONFIG does not occur in this repository."


def test_words_that_no_line_has_as_a_name_are_an_open_question() -> None:
    files = {
        "output.py": "def build_output(style):\n    if style == 'default':\n        return Plain()\n"
        "    return Grouped(style)\n"
    }
    report = Asked(files).ask("where is the default output style set?")
    assert report.reading.form is Form.OPEN
    assert "output.build_output (output.py:1-4)" in report.claim


def test_what_a_name_is_begins_with_its_declaration() -> None:
    claim = Asked({"store.py": "def put(key):\n    return key\n"}).ask("where is put defined?").claim
    assert claim == "store.put is declared at store.py:1-2."


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ('pflag.IntVarP(&Jobs, "jobs", "j", 0, "Jobs to run.")', LineUse.OPTION),
        ('cmd.Flags().String("jobs", "", "Jobs to run.")', LineUse.OPTION),
        ('    .option("jobs", { type: "number" })', LineUse.OPTION),
        ('format_options.setdefault("jobs", 3)', LineUse.SETS),
        ('options.get("jobs", 3)', LineUse.READS),
    ],
)
def test_calls_that_declare_an_option(line: str, use: LineUse) -> None:
    assert classify_use("jobs", line) is use


KEYED = {
    "app/Keys.java": 'class Keys {\n    static final String UNCLEAN = "leader.unclean.enable";\n}\n',
    "app/Beat.java": "class Beat {\n    int unclean;\n    void enable() { unclean = 1; }\n}\n",
    "app.toml": "[app]\nline-width = 88\n",
    "app/width.py": "def read(values):\n    return values['line-width']\n\n\nclass OptionParser: pass\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "what does leader.unclean.enable do",
        "what does the setting leader.unclean.enable do?",
        "where is leader.unclean.enable configured and what does it do?",
    ],
)
def test_a_key_is_no_method_that_has_the_name_of_its_last_part(question: str) -> None:
    report = Asked(KEYED).ask(question)
    assert report.reading.form is Form.CONFIGURED
    assert "app/Keys.java:2" in [one.citation for one in report.findings]


def test_what_a_setting_does_is_asked_of_the_setting() -> None:
    report = Asked(KEYED).ask("what does the config option line-width do")
    assert report.reading.form is Form.CONFIGURED
    assert report.claim.startswith("line-width is set at app.toml:2")
    assert Asked(KEYED).ask("what does the option parser do").reading.form is not Form.CONFIGURED


def test_three_kinds_of_places_are_listed_as_in_a_sentence() -> None:
    files = {
        "cli.py": 'def add(parser):\n    parser.add_option("--retry-limit", dest="retry_limit")\n',
        "run.py": "class Run:\n    retry_limit = 3\n\n\ndef start(run):\n    run.retry_limit = 5\n",
    }
    claim = Asked(files).ask("where is retry_limit configured?").claim
    assert claim == (
        "retry_limit is declared as an option at cli.py:2, declared as 3 at run.py:2, and set at run.py:6."
    )


@pytest.mark.parametrize("name", ["z", "é"])
def test_nothing_sets_a_name_of_one_letter_that_no_file_has(name: str) -> None:
    claim = Asked({"app/run.py": "def run():\n    return 2\n"}).ask(f"Where is {name} configured?").claim
    assert claim == f"Nothing is known to set {name}."


TIMEOUTS = {
    "config/config.go": "package config\n\n"
    "var DefaultJob = JobConfig{\n\tJobTimeout: unit.Duration(10 * Second),\n}\n\n"
    "type JobConfig struct {\n\tJobTimeout Duration `yaml:\"job_timeout\"`\n}\n\n"
    "func (c *JobConfig) check() {\n"
    "\tif c.JobTimeout == 0 {\n\t\tc.JobTimeout = DefaultJob.JobTimeout\n\t}\n}\n",
    "api/jobs.go": "package api\n\ntype Answer struct {\n\tJobTimeout string\n}\n\n"
    "func list(t string) Answer {\n\treturn Answer{\n\t\tJobTimeout: t,\n\t}\n}\n",
    "ui/__testdata__/jobs.ts": "export const jobs = { jobTimeout: '1m' };\n",
    "docs/configuration.md": "# Configuration\n\n[ job_timeout: <duration> | default = 10s ]\n",
}  # fmt: skip


def test_a_default_is_told_and_what_the_program_answers_is_no_setting() -> None:
    report = Asked(TIMEOUTS).ask("where is the job timeout configured and what is its default?")
    assert report.claim.startswith(
        "JobTimeout is declared at config/config.go:8 and set at config/config.go:4 and config/config.go:13."
        " Its default is unit.Duration(10 * Second) (config/config.go:4)."
    )
    assert not [one for one in report.findings if one.path.startswith("api/")]


def test_a_setting_whose_default_is_not_asked_for_has_none_told() -> None:
    assert "default" not in Asked(TIMEOUTS).ask("where is the job timeout configured?").claim
