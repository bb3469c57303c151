"""Where no parser reads a language, what uses a name is found by lines of code: calls come first."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

PARCELS = {
    "setup.py": "def install():\n    return 1\n",
    "lib/depot/labels.rb": """module Depot
  class Labels
    # Sticks one on.
    def stick(text)
      text
    end
  end
end
""",
    "lib/alpha.rb": """class Alpha
  # Labels stick to it, and stick for long.
  def go
    turn = stick + 1
  end
end
""",
    "lib/beta.rb": """class Beta
  def stick(text)
    super
  end

  def run
    pole.stick(1)
  end

  def rest
    stick "by itself"
  end
end
""",
    "lib/gamma.rb": """class Gamma
  def run
    parcel.labels.stick('a.b')
  end

  def rest
    parcel.labels.stick!
  end
end
""",
    "lib/omega.rb": """class Omega
  def run
    parcel.labels.stick(
      'heavy.parcel',
    )
  end
end
""",
    "test/labels_test.rb": """class LabelsTest
  def test_it
    Labels.new.stick('c')
  end
end
""",
}


def test_calls_come_first_and_of_these_those_on_what_is_called_like_the_type() -> None:
    report = Asked(PARCELS).ask("who calls Depot::Labels#stick?")
    assert [(one.symbol, one.why) for one in report.findings[1:]] == [
        ("Gamma.run", "has labels.stick"),
        ("Omega.run", "has labels.stick"),
        ("Beta.run", "has the name stick"),
        ("Beta.rest", "has the name stick"),
        ("LabelsTest.test_it", "has the name stick"),
        ("Alpha.go", "has the name stick"),
    ]
    assert "stick is called by name in Gamma.run (lib/gamma.rb:2-4)" in report.claim


def test_an_argument_beside_the_call_narrows_what_is_shown() -> None:
    report = Asked(PARCELS).ask("who calls Depot::Labels#stick with heavy.parcel?")
    assert [one.symbol for one in report.findings[1:]] == ["Omega.run"]


def test_lines_that_are_not_shown_are_counted_by_folder() -> None:
    uses = {f"lib/more/use{at}.rb": f"class Use{at}\n  def go\n    a.stick\n  end\nend\n" for at in range(20)}
    report = Asked(PARCELS | uses).ask("who calls Depot::Labels#stick?")
    assert [(one.what, one.why) for one in report.limits] == [
        ("lines with the name stick", "12 of 26 are shown (20 in lib/more, 5 in lib, 1 in test)")
    ]


def test_all_of_a_list_are_compared_in_the_type_that_declares_them() -> None:
    texts = {
        "setup.py": "def install():\n    return 1\n",
        "lib/a.rb": "class Alpha\n  def load\n  end\n\n  def load!\n  end\nend\n",
        "lib/queue.rb": "class Queue\n  # Loads it now.\n  def load\n  end\n\n"
        "  # Watches it later.\n  def watch\n  end\n\n"
        "  # Skips it for ever.\n  def skip\n  end\nend\n",
    }
    claim = Asked(texts).ask("difference between load, watch and skip").claim
    assert claim.startswith(
        "load (lib/queue.rb:3-4): Loads it now. watch (lib/queue.rb:7-8): Watches it later. skip"
        " (lib/queue.rb:11-12): Skips it for ever."
    )
