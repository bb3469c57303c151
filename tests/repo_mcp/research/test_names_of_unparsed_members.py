"""Members in languages without a symbol parser are told by their types, and by the comments above them."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

# A class of up to 40 lines is shown whole.
RUBY_METHODS = "\n".join(f"      def rest{number}\n        {number}\n      end" for number in range(20))
PHP_METHODS = "\n".join(
    f"    public function rest{number}() {{\n        return;\n    }}" for number in range(20)
)

LOCKS = f"""module Depot
  module Models

    # Handles blocking a gate after a certain number of failed attempts.
    # A gate opens again after some time, or when somebody asks for it by
    # letter. Both can be switched off.
    #
    # == Options
    #
    # Lockable adds the following options:
    #
    #   +maximum_attempts+: how many attempts should be accepted before
    #   blocking the gate.
    #   +unlock_strategy+: unlock the gate by :time, :letter, :both or
    #   :none.
    #   +unlock_in+: the time you want to lock the gate after to lock
    #   happens.
    #
    module Lockable
      def lock_gate!
        self.locked_at = Time.now
        save
      end

      def gate_locked?
        !!locked_at && !lock_expired?
      end

    private

      def lock_expired?
        locked_at < unlock_in.ago
      end

      def unlock_gate!
        self.locked_at = nil
        save
      end
{RUBY_METHODS}
    end
  end
end
"""
STRATEGY = """module Depot
  module Strategies
    class LetterCheck < Base
      def open!
        letter = mapping.find_letter
        succeed(letter) if letter.sealed?
      end
    end
  end
end
"""
CLASSES = """<?php

namespace Depot;

class Shelf
{
    public function carry(Parcel $parcel): void
    {
        if ($parcel->weight > 10) {
            $this->crane->lift($parcel);
        }
    }
REST
}

class Crane
{
    public function carry(Parcel $parcel): void
    {
        if ($parcel->weight > 20) {
            $this->motor->lift($parcel);
        }
    }

    public function addParcel(Parcel $parcel): void
    {
        $this->parcels[] = $parcel;
    }

REST
    public function weighParcels(): int
    {
        $sum = 0;
        foreach ($this->parcels as $parcel) {
            $sum += $parcel->weight + $this->count($this->parcels);
        }
        return $sum;
    }
}
""".replace("REST", PHP_METHODS)


@pytest.fixture(scope="module")
def depot() -> Asked:
    texts = {"lib/locks.rb": LOCKS, "lib/letter_check.rb": STRATEGY, "src/moving.php": CLASSES}
    return Asked({**texts, "setup.py": "def install():\n    return 1\n"})


def test_members_of_one_name_are_told_by_their_types(depot: Asked) -> None:
    claim = depot.ask("How is a parcel lifted with a crane?").claim
    assert claim.startswith("Shelf.carry (src/moving.php:7-12)")
    assert "Crane.carry (src/moving.php:77-82)" in claim


def test_a_long_comment_leads_to_what_is_declared_below_it(depot: Asked) -> None:
    report = depot.ask("How many attempts are accepted before blocking?")
    assert report.claim.startswith("Models.Lockable (lib/locks.rb:4-")
    assert "Depot.Models" not in list_found(report)


def test_namespaces_around_a_single_type_do_not_stand_for_it(depot: Asked) -> None:
    assert "Depot.Strategies.LetterCheck" in list_found(depot.ask("How is a sealed letter checked?"))


def test_a_private_method_belongs_to_its_module_however_private_is_indented(depot: Asked) -> None:
    assert "Depot.Models.Lockable.lock_expired?" in list_found(depot.ask("When is a lock expired?"))


def test_what_is_named_by_verb_and_noun_leads(depot: Asked) -> None:
    report = depot.ask("Where would I add a new parcel?")
    assert report.claim.startswith("Crane.addParcel (src/moving.php:84-87)")


def test_of_several_bases_the_nearest_to_what_derives_from_it_is_meant() -> None:
    texts = {
        "lib/lazy/base.rb": "module Lazy\n  class Base\n    def value\n      nil\n    end\n  end\nend\n",
        "lib/checks/base.rb": "module Checks\n  class Base\n    def check\n      nil\n    end\n  end\nend\n",
        "setup.py": "def install():\n    return 1\n",
        "UPGRADING.md": "# Upgrading\n\n## A custom weight validator\n\nA weight validator takes a parcel.\n",
    }
    for kind in ("Weight", "Height", "Length"):
        head = f"module Checks\n  class {kind}Validator < Base\n"
        texts[f"lib/checks/{kind.lower()}.rb"] = f"{head}    def check\n      1\n    end\n  end\nend\n"
    claim = Asked(texts).ask("Where would I add a new validator?").claim
    assert claim.startswith("Derive from Base (lib/checks/base.rb:2-6).")
    assert "UPGRADING" not in claim


def test_the_best_is_named_though_no_parser_reads_it() -> None:
    gate = "module Depot\n  class Gate\n    def open!(key)\n      raise Locked unless key.fits?\n"
    texts = {
        "depot.rb": f"{gate}      @open = true\n    end\n  end\nend\n",
        "router.js": "export function pick(routes) {\n  return routes.filter((route) => route.open)\n}\n",
    }
    report = Asked(texts).ask("What happens when a gate is opened?")
    assert report.findings[0].path == "depot.rb"
    assert report.claim.startswith("Depot.Gate (depot.rb:2-7) fits the question best.")
