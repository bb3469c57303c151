"""Where no parser reads a language, lines tell what derives from a type, and what overrides a method."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

CRANES = {
    "setup.py": "def install():\n    return 1\n",
    "lib/depot/crane.rb": "module Depot\n  class Crane\n    def lift\n    end\n  end\n\n"
    "  class TowerCrane < Crane\n  end\n\n"
    "  class FastCrane < TowerCrane\n    def lift\n    end\n  end\nend\n",
    "lib/harbour/crane.rb": "module Harbour\n  class Crane\n  end\n\n"
    "  class ShipCrane < Crane\n    def lift\n    end\n  end\n\n"
    "  class HiredCrane < Depot::Crane\n  end\nend\n",
    "lib/foreign.rb": "class Stork < Zoo::Crane\nend\n\nclass TestCrane\n  include Wheels\n"
    '  crane "Crane"\nend\n',
}
GATES = {
    "setup.py": "def install():\n    return 1\n",
    "lib/gate.rb": "module Depot\n  class Gate\n    include Opening\n    include Checking\n"
    "    prepend Logs::Counting\n  end\nend\n",
    "lib/opening.rb": "module Depot\n  module Opening\n    # Opens it.\n    def open!\n    end\n  end\nend\n",
    "lib/checking.rb": "module Depot\n  module Checking\n    def open!\n      super\n    end\n  end\nend\n",
    "lib/counting.rb": "module Depot\n  module Logs\n    module Counting\n      def open!\n        super\n"
    "      end\n    end\n  end\nend\n",
    "lib/window.rb": "module Depot\n  class Window\n    include Frames\n\n    def open!\n    end\n\n"
    '    test "when a gate is open!, open! it" do\n      gate.open!\n    end\n  end\nend\n',
    "lib/door.rb": "module Depot\n  class Door < Gate\n    def open!\n    end\n  end\nend\n",
}


def test_a_base_is_the_one_of_the_modules_around_or_of_its_written_qualifier() -> None:
    report = Asked(CRANES).ask("which classes inherit from Depot::Crane?")
    assert [(one.symbol, one.why) for one in report.findings[1:]] == [
        ("Depot.TowerCrane", "derives from Crane"),
        ("Harbour.HiredCrane", "derives from Crane"),
        ("Depot.FastCrane", "derives from TowerCrane"),
    ]


def test_an_unqualified_name_means_all_types_with_it_but_none_of_another_place() -> None:
    report = Asked(CRANES).ask("which classes inherit from Crane?")
    found = {one.symbol for one in report.findings if one.hop == 1}
    assert found == {"Depot.TowerCrane", "Harbour.HiredCrane", "Harbour.ShipCrane"}


@pytest.mark.parametrize("asked", ["Depot::Opening#open!", "the method `open!` of Depot::Opening"])
def test_a_method_is_overridden_by_what_is_mixed_in_beside_its_module(asked: str) -> None:
    report = Asked(GATES).ask(f"what overrides {asked}")
    again = [one.symbol for one in report.findings if one.why == "declares open! again"]
    assert set(again) == {"Depot.Checking.open!", "Depot.Door.open!", "Depot.Logs.Counting.open!"}
    assert not [one for one in report.findings if one.why.startswith("derives")]
    assert "open! is declared again in Checking.open!" in report.claim.replace("Depot.", "")


def test_no_line_of_text_derives_from_a_method() -> None:
    texts = {
        path: text for path, text in GATES.items() if path in ("setup.py", "lib/opening.rb", "lib/window.rb")
    }
    report = Asked(texts).ask("what overrides Depot::Opening#open!")
    assert (
        "No type that derives from that of open!, or is mixed in beside it, declares open! again."
        in report.claim
    )
    assert not [one for one in report.findings if one.why.startswith("derives")]


def test_a_name_with_a_mark_is_another_name() -> None:
    texts = {
        "setup.py": "def install():\n    return 1\n",
        "lib/gate.rb": "class Gate\n  def open!\n  end\n\n  # Opens it.\n  def open\n  end\nend\n",
    }
    assert (
        Asked(texts).ask("what calls Gate#open?").claim.startswith("Gate#open (lib/gate.rb:6-7): Opens it.")
    )
