"""What questions about seven fresh trees showed: kinds of deeds, shared nouns, exports."""

from __future__ import annotations

from repo_mcp.research.findings.first_sentences import read_first_sentence
from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.written.sections import LONG_LINES
from tests.repo_mcp.research.asking import Asked, find_one

VERSIONERS = {
    "versions/base.py": """class Versioner:
    def archive(self, path):
        raise NotImplementedError
""",
    "versions/simple.py": """from versions.base import Versioner


class SimpleVersioner(Versioner):
    def archive(self, path):
        if path.exists:
            path.move()
        return path
""",
    "urls.py": """def register_scheme(schemes, name):
    schemes.add(name)
    return schemes
""",
}


def test_a_scheme_for_a_deed_is_what_does_it() -> None:
    report = Asked(VERSIONERS).ask("Where would I add a new versioning scheme?")
    assert report.findings[0].symbol.endswith("Versioner")
    assert report.findings[0].why == "the type to derive from or to implement"


FOLDERS = """class SendOnlyFolder:
    def pull(self):
        return None


class ReceiveOnlyFolder:
    def revert(self):
        return None


class Usage:
    send_only = 0
    receive_only = 0
"""


def test_compared_subjects_share_the_noun_of_the_second() -> None:
    report = Asked({"folders.py": FOLDERS}).ask(
        "What is the difference between a send-only and a receive-only folder?"
    )
    assert report.reading.form is Form.DIFFERENCE
    assert [one.name for one in report.findings[:2]] == ["SendOnlyFolder", "ReceiveOnlyFolder"]


def test_a_subject_with_a_noun_of_its_own_keeps_it() -> None:
    found = [
        one
        for one in parse_question("difference between an open pipe and a closed pipe")
        if one.form is Form.DIFFERENCE
    ]
    assert [[phrase.text for phrase in one.phrases] for one in found] == [["open pipe", "closed pipe"]]
    found = [
        one
        for one in parse_question("difference between Reader and the old Writer")
        if one.form is Form.DIFFERENCE
    ]
    assert [[phrase.text for phrase in one.phrases] for one in found] == [["Reader", "old Writer"]]


def test_a_sentence_keeps_the_backquotes_of_a_name() -> None:
    lines = ["/// `Pipe` is a `Channel` without input.", "class Pipe {"]
    assert read_first_sentence(lines, {1}, 2) == "`Pipe` is a `Channel` without input."


def test_what_a_module_exports_is_no_file_that_changed() -> None:
    text = """const plain = (value) => {
  if (!value) return null
  return value.trim()
}

module.exports = (values) => {
  const trimmed = values.map((value) => plain(value))
  return trimmed
}
"""
    report = Asked({"trim.js": text}).ask("How are values trimmed?")
    assert not report.warnings
    assert find_one(report, "trim").start_line == 6


def test_a_method_is_not_explained_by_its_own_type() -> None:
    text = """package folders

type Model struct {
\tnames []string
}

func (m *Model) closeFolder(name string) error {
\tif name == "" {
\t\treturn errClosed
\t}
\treturn m.drop(name)
}

func (m *Model) drop(name string) error {
\treturn nil
}
"""
    report = Asked({"model.go": text}).ask("How does the model close a folder?")
    assert not [one.why for one in report.findings if one.why == "uses Model" and one.symbol.count(".")]


def test_of_a_long_section_only_the_best_part_is_cited() -> None:
    lines = ["# Keywords", "", *(f"Word {number} is plain.\n" for number in range(LONG_LINES))]
    lines += ["A throttle slows the intake of parcels.", ""]
    report = Asked(
        {"intake.py": "def slow(parcels):\n    return parcels\n", "keywords.md": "\n".join(lines)}
    ).ask("how does the throttle slow the intake of parcels")
    section = next(one for one in report.findings if one.kind == "section")
    assert section.end_line - section.start_line < LONG_LINES
    assert "throttle" in section.excerpt


def test_a_member_may_be_named_by_its_type_in_the_possessive() -> None:
    pane = "class Pane:\n    def render(self):\n        return self.lines\n"
    pane += "\n\ndef draw(pane: Pane):\n    return pane.render()\n"
    report = Asked({"pane.py": pane}).ask("What breaks if I change the Pane class's render method?")
    assert [one.symbol for one in report.findings[:2]] == ["pane.Pane.render", "pane.draw"]


def test_compared_prose_means_types_rather_than_fields() -> None:
    layout = "class Layout:\n    tiled_panes = 0\n    floating_panes = 0\n"
    panes = "class TiledPanes:\n    pass\n\n\nclass FloatingPanes:\n    pass\n"
    report = Asked({"layout.py": layout, "panes.py": panes}).ask(
        "What is the difference between tiled and floating panes?"
    )
    assert [one.name for one in report.findings[:2]] == ["TiledPanes", "FloatingPanes"]


def test_what_a_program_wrote_declares_no_subject_first() -> None:
    text = "struct Options {\n    default_shell: i32,\n}\n"
    asked = Asked({"a.rs": f"// @generated by prost-build\n{text}", "b.rs": text})
    assert asked.ask("Where is default_shell configured?").findings[0].path == "b.rs"


def test_a_setting_that_is_described_is_set_by_what_is_named_after_that() -> None:
    text = """static const char *table[8];

int app_set_colors(const char *text) {
    if (!text)
        return 0;
    table[0] = text;
    return 1;
}
"""
    build = "# default config\nAC_DEFAULT(config)\n"
    report = Asked({"print.c": text, "configure.m4": build}).ask("Where are the output colors configured?")
    assert report.findings[0].name == "app_set_colors"
    assert not [one for one in report.findings if one.path == "configure.m4"]


def test_what_happens_when_a_file_changes_is_in_what_watches_it() -> None:
    texts = {
        "src/watcher.py": "def watch(paths):\n    for path in paths:\n        if path.moved:\n"
        "            reload(path)\n",
        "src/migrate.py": "def migrate(file):\n    if file.old:\n        file.rename()\n    return file\n",
    }
    report = Asked(texts).ask("What happens when the configuration file changes?")
    assert report.findings[0].name == "watch"


def test_no_setting_is_named_by_words_that_are_only_akin_to_its_name() -> None:
    text = "class Dialog:\n    model_timer = 0\n\n    def open(self):\n        self.model_timer += 1\n"
    report = Asked({"dialog.py": text}).ask("Where is the turtle mode schedule configured?")
    assert "model_timer" not in report.claim


def test_an_acronym_says_the_words_that_it_stands_for() -> None:
    texts = {
        "web/csrf.py": "def check_csrf(request):\n    if not request.token:\n        raise Refused()\n",
        "web/send.py": "def send(request):\n    return request.body\n",
    }
    report = Asked(texts).ask("How is a cross-site request forgery stopped?")
    assert report.findings[0].name == "check_csrf"
    assert "cross" not in report.claim
    assert '"cross-site request forgery" is also looked for as csrf.' in report.warnings


def test_a_member_in_the_possessive_is_meant_and_not_its_type() -> None:
    text = "class Gate:\n    def open(self):\n        return 1\n\n\ndef pass_by():\n    Gate().open()\n"
    report = Asked({"gate.py": text}).ask("Who calls Gate's open?")
    assert report.reading.subjects[0].nodes[0].qualified_name.endswith("Gate.open")
    report = Asked({"gate.py": text}).ask("Who calls Gate's width?")
    assert report.reading.subjects[0].nodes[0].qualified_name.endswith("Gate")
