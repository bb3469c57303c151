"""What a question only describes, or names by a variable, is what a guess names that is declared."""

from __future__ import annotations

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.guessed_subjects import choose_same_last, pair_by_words
from tests.repo_mcp.research.asking import Asked

PARCELS = '''class BrokenSeal(Exception):
    """The seal is broken."""


class NoAddress(Exception):
    """Nobody is named."""


class SentParcel:
    def json(self):
        self.open()
        if not self.address:
            raise NoAddress(self)
        return self.address

    def open(self):
        if self.seal is None:
            raise BrokenSeal(self)


class Depot:
    def send(self, address):
        parcel = SentParcel(address)
        if self.is_full:
            raise OverflowError(address)
        return parcel.json()
'''
PACKING_TS = """/** How parcels are packed. */
export enum Packing {
  /** Each parcel has a box of its own. */
  BOXED = 'boxed',
  /** Parcels lie side by side ... on one pallet. */
  SIDE_BY_SIDE = 'side-by-side',
  /** Heavy ones have boxes. */
  MIXED = 'mixed',
}
"""
USES_TS = """import { Packing } from './packing';

export const DEFAULTS = {
  packing: Packing.MIXED,
  speed: 3,
};

export function choosePacking(packing: Packing, heavy: boolean): Packing {
  if (packing === Packing.MIXED) {
    return heavy
      ? Packing.BOXED
      : Packing.SIDE_BY_SIDE;
  }
  return packing;
}

export function countBoxes(parcels: string[], packing: Packing): number {
  if (packing !== Packing.BOXED) {
    return 0;
  }
  return parcels.length;
}

export class Boxes {
  sideBySideAndBoxed(parcels: string[]): number {
    const rows = parcels.length / 2;
    return rows + 1;
  }
}
"""


def test_a_method_of_a_variable_is_the_guess_with_the_same_last_name() -> None:
    report = Asked({"parcels.py": PARCELS}).ask("Which errors can parcel.json() raise? (SentParcel.json)")
    assert "NoAddress (parcels.py:13" in report.claim
    assert "BrokenSeal (parcels.py:18" in report.claim
    assert "OverflowError" not in report.claim  # what calls it raises that
    callers = Asked({"parcels.py": PARCELS}).ask("Who calls parcel.json()? (Depot.send, SentParcel.json)")
    assert callers.reading.text.startswith("what calls parcels.SentParcel.json")


def test_a_method_of_a_variable_that_is_declared_is_meant_itself() -> None:
    texts = {"parcels.py": PARCELS, "depot.py": "class parcel:\n    def json(self):\n        return 1\n"}
    report = Asked(texts).ask("Who calls parcel.json? (SentParcel.json)")
    assert report.reading.text.startswith("what calls depot.parcel.json")


def test_sides_that_have_the_words_of_members_of_an_enumeration_are_these() -> None:
    query = "What is the difference between the boxed and the side-by-side packing?"
    guesses = "Packing.BOXED, Packing.SIDE_BY_SIDE, Boxes.sideBySideAndBoxed"
    report = Asked({"packing.ts": PACKING_TS, "uses.ts": USES_TS}).ask(f"{query} ({guesses})")
    assert report.reading.form is Form.DIFFERENCE
    assert "Packing.SIDE_BY_SIDE (packing.ts:6): Parcels lie side by side ... on one pallet." in report.claim
    assert "choosePacking (uses.ts:11, :12) decides by all of them." in report.claim
    assert "countBoxes (uses.ts:18) decides by BOXED." in report.claim
    assert "Packing.MIXED is a default (uses.ts:4)." in report.claim
    chosen = next(one for one in report.findings if one.symbol.endswith("choosePacking"))
    assert "return heavy" in chosen.excerpt  # the choice begins there


def test_words_of_a_name_count_side_by_side_and_in_one_phrase_alone() -> None:
    guesses = ("Mode.FAST", "Mode.VERY_SLOW", "make_mode", "mode")
    assert pair_by_words(["fast mode", "very slow mode"], guesses) == ["Mode.FAST", "Mode.VERY_SLOW"]
    assert pair_by_words(["fast mode", "slow and very kind mode"], guesses) == ["Mode.FAST", ""]
    assert pair_by_words(["breakfast", "slower"], guesses) == ["", ""]


def test_only_a_qualified_guess_says_what_a_variable_holds() -> None:
    assert choose_same_last("page.json", ("json", "Page.text", "Page.json")) == "Page.json"
    assert choose_same_last("Checkpoint", ("log.Checkpoint",)) == "log.Checkpoint"
    assert choose_same_last("Site.json", ("Page.json",)) == ""
