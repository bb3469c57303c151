"""What keeps a setting under another name, and what reads that: it acts by the setting, too."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

CONFIG = """class Config:
    def __init__(self, element, path):
        self.watched = {}
        self.load(element, path)

    def load(self, element, path):
        reload = element.get_flag("autoReload", False)
        if path:
            self.watched[path] = reload

    def list_paths(self):
        return [path for path, is_on in self.watched.items() if is_on]

    def forget(self):
        for path in self.watched:
            drop(path)


class Watcher:
    def start(self, config: Config):
        if config.list_paths():
            self.watch(config)
"""
FILES = {"config.py": CONFIG, "app.config": '<app autoReload="true" />\n'}
QUESTION = "What reads the option `autoReload` of the config file?"


def test_the_field_that_keeps_an_option_leads_to_what_acts_by_it() -> None:
    report = Asked(FILES).ask(QUESTION)
    assert report.claim.startswith("autoReload is read at config.py:7.")
    assert "watched keeps it (config.py:9) and is read in" in report.claim
    found = {one.symbol.rpartition(".")[2]: one for one in report.findings}
    assert "self.watched[path] = reload" in found["load"].excerpt
    assert 12 in found["list_paths"].lines
    assert found["start"].reason.text == "uses list_paths"
    assert "if config.list_paths():" in found["start"].excerpt


def test_a_member_that_gives_nothing_back_hands_no_setting_on() -> None:
    files = {
        **FILES,
        "use.py": "from config import Config\n\n\ndef end(config: Config):\n    config.forget()\n",
    }
    report = Asked(files).ask(QUESTION)
    assert "use.py" not in {one.path for one in report.findings}


def test_a_call_with_the_name_behind_another_argument_reads_the_option() -> None:
    files = {
        "table.c": 'struct option table[] = {\n  { .name = "escape-time",\n    .value = 500 },\n};\n',
        "keys.c": 'int wait(void) {\n  return options_get_number(global, "escape-time");\n}\n',
    }
    assert (
        Asked(files)
        .ask("What reads the option `escape-time`?")
        .claim.startswith("escape-time is read at keys.c:2.")
    )
