"""The architecture of what no parser reads: the parts of its folder, each with its main declaration."""

from __future__ import annotations

from repo_mcp.research.findings.records import Focus, Form
from tests.repo_mcp.research.asking import Asked


def _write(name: str) -> str:
    body = "".join(f"    def run{number}\n      {number}\n    end\n" for number in range(3))
    comment = f"  # = Runs the {name.lower()}\n  #\n  # :markup: x\n"
    return f"module ActiveDepot\n{comment}  class {name}\n{body}  end\nend\n"


TREE = {
    "tool.py": "def install():\n    return 1\n",
    "activedepot/assets/view.js": "export function action() {\n  return 1\n}\n\nexport function cable() {}\n",
    "activedepot/lib/active_depot.rb": "module ActiveDepot\nend\n",
    "activedepot/lib/active_depot/gates/base.rb": _write("Base"),
    "activedepot/lib/active_depot/gates/small.rb": _write("Small"),
    "activedepot/lib/active_depot/gates/large.rb": _write("Large"),
    "activedepot/lib/active_depot/cranes.rb": _write("Cranes"),
    "activedepot/lib/active_depot/cranes/tower.rb": _write("Tower"),
    "harbour/README.md": "# The harbour of it all\n\nShips.\n",
    "harbour/ship.rb": "def sail\n  1\nend\n",
    "harbour/port.rb": "def call\n  1\nend\n",
}
GATES = "gates (3 files, ActiveDepot.Base at activedepot/lib/active_depot/gates/base.rb:5-15: Runs the base)"
CRANES = "cranes (1 file, ActiveDepot.Cranes at activedepot/lib/active_depot/cranes.rb:5-15: Runs the cranes)"


def test_a_component_is_told_by_the_folders_in_its_innermost_one() -> None:
    for focus in (None, Focus.ARCHITECTURE):
        report = Asked(TREE).ask("what is the architecture of Active Depot?", focus=focus)
        assert report.reading.form is Form.OVERVIEW
        assert report.claim == (
            f"activedepot has 6 files of Ruby, mostly in activedepot/lib/active_depot. Its parts are {GATES}"
            f" and {CRANES}. Nothing here parses Ruby: how they depend on each other is not known."
        )
        assert [one.symbol for one in report.findings] == ["ActiveDepot.Base", "ActiveDepot.Cranes"]
        assert report.modules is None


def test_what_has_no_comment_is_called_as_its_readme_calls_it() -> None:
    more = {
        f"{folder}/part{at}.rb": "def run\n  1\nend\n" for folder in ("yard", "harbour") for at in range(4)
    }
    claim = Asked(TREE | more).ask("describe the architecture of this repository").claim
    assert claim.startswith("The repository has 16 files of Ruby. Its parts are activedepot (6 files")
    assert "harbour (6 files, " in claim
    assert ": The harbour of it all)" in claim


def test_a_tree_that_parsers_read_has_modules() -> None:
    texts = {f"src/part{at}.py": "def run():\n    return 1\n" for at in range(9)} | {
        "lib/a.rb": "class A\nend\n"
    }
    assert Asked(texts).ask("describe the architecture of this repository").modules


def test_a_part_of_a_phrase_is_no_exact_subject() -> None:
    report = Asked(TREE).ask("what is the Action Harbour?")
    assert "exact" not in {one.confidence for one in report.findings if one.hop == 0}
