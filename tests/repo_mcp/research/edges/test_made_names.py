"""A function whose name is made of parts is found by the line that makes it."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

DEPOT = {
    "setup.py": "def install():\n    return 1\n",
    "lib/hooks.rb": "module Hooks\n  # Of lifts.\n\n  %w[before after].each do |kind|\n"
    '    define_method "#{kind}_lift" do |name|\n      name\n    end\n  end\n\n'
    '  define_method("#{kind}_drop") { 1 }\nend\n',
    "lib/crane.rb": "class Crane\n  before_lift :check\n  set 'before_lift'\nend\n",
}


def test_where_it_is_defined_does_not_ask_where_it_is_configured() -> None:
    report = Asked(DEPOT).ask("where is before_lift defined?")
    assert report.reading.form is Form.DEFINED
    assert report.claim.startswith(
        "No line declares before_lift as a whole, but Hooks (lib/hooks.rb:5) defines such names."
    )
    found = [(one.start_line, one.why) for one in report.findings]
    assert found[0] == (5, "defines functions with names such as before_lift")


def test_what_a_comment_declares_is_shown_with_the_line_that_makes_it() -> None:
    hooks = DEPOT["lib/hooks.rb"].replace("# Of lifts.", "# :method: before_lift")
    report = Asked({**DEPOT, "lib/hooks.rb": hooks}).ask("where is before_lift defined?")
    assert report.claim.startswith("before_lift is declared at lib/hooks.rb:2.")
    found = [(one.start_line, one.why) for one in report.findings]
    assert (2, "declares before_lift") in found
    assert (5, "defines functions with names such as before_lift") in found
