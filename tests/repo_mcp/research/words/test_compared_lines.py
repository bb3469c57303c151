"""What tells two types apart: functions that one of them inherits, what makes the other, and defaults."""

from __future__ import annotations

import pytest

from repo_mcp.research.words.shown_lines import match_defaults
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked, find_one, list_found

CHECKS = "".join(
    f"    if (options.size{at} != null && options.size{at} < 0) {{\n"
    f"      throw new RangeError('bad size {at}')\n    }}\n\n"
    for at in range(20)
)
FILES = {
    "src/wagon.js": (
        "import { Mover } from './mover'\n\nexport class Wagon extends Mover {\n  constructor (options) {\n"
        f"    super()\n{CHECKS}    this.depth = options.depth ?? 1\n  }}\n\n"
        "  carry (load) {\n    this.queue.push(load)\n    return this.depth\n  }\n}\n"
    ),
    "src/mover.js": "export class Mover {\n  wait () {\n    return 1\n  }\n}\n",
    "src/train_base.js": (
        "import { Mover } from './mover'\n\nexport class TrainBase extends Mover {\n  carry (load) {\n"
        "    const wagon = this.find()\n    return wagon.carry(load)\n  }\n}\n"
    ),
    "src/train.js": (
        "import { TrainBase } from './train_base'\nimport { Wagon } from './wagon'\n\n"
        "function makeWagon (options) {\n  return new Wagon(options)\n}\n\n"
        "export class Train extends TrainBase {\n  constructor (options) {\n    super()\n"
        "    this.make = options.make || makeWagon\n  }\n\n  find () {\n    return this.make({})\n  }\n}\n"
    ),
}


def test_a_function_that_one_type_inherits_stands_beside_that_of_the_other() -> None:
    report = Asked(FILES).ask("what is the difference between Wagon and Train?")
    found = list_found(report)
    assert found.index("TrainBase.carry") == found.index("Wagon.carry") + 1
    assert find_one(report, "TrainBase.carry").why == "is declared by both of the types that are compared"


def test_what_makes_one_type_for_the_other_is_said() -> None:
    report = Asked(FILES).ask("what is the difference between Wagon and Train?")
    assert find_one(report, "makeWagon").why == "makes Wagon for Train"
    assert "Train makes Wagon: makeWagon (src/train.js:4-6)." in report.claim


def test_of_several_places_that_make_the_other_type_the_first_is_said() -> None:
    makes = "".join(f"    def make_{at}(self):\n        return Wagon({at})\n\n" for at in ("one", "two"))
    files = {
        "train.py": f"from wagon import Wagon\n\n\nclass Train:\n{makes}",
        "wagon.py": "class Wagon:\n    def __init__(self, size):\n        self.size = size\n",
    }
    claim = Asked(files).ask("what is the difference between Wagon and Train?").claim
    assert "Train makes Wagon: Train.make_one (train.py:5-6)." in claim


def test_a_compared_type_shows_its_defaults() -> None:
    report = Asked(FILES).ask("what is the difference between Wagon and Train? (Wagon, Train, depth)")
    shown = "".join(one.excerpt for one in report.findings)
    assert "this.depth = options.depth ?? 1" in shown


@pytest.mark.parametrize(
    ("line", "is_default"),
    [
        ("    this[kDepth] = depth != null ? depth : 1", True),
        ("        self.depth = depth or 1", True),
        ("        self.depth: int = 1 if depth is None else depth", True),
        ("    private int depth = 1;", True),
        ("    @depth = depth || 1", True),
        ("    this.depth = depth", False),
        ("    if (this.depth == null || depth)", False),
        ("    private int measure(int depth) {", False),
    ],
)
def test_a_field_with_a_default_is_wanted(line: str, is_default: bool) -> None:
    assert bool(match_defaults(line)) is is_default


@pytest.mark.parametrize(("head", "piece"), [("this.x = ", "if "), ("static int a = ", " ")])
def test_a_long_line_is_matched_in_linear_time(head: str, piece: str) -> None:
    assert_linear(lambda size: head + size * piece, match_defaults, 2_000)
