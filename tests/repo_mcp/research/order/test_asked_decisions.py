"""Asked how something is decided, the function that returns it leads, then those to which it leaves that."""

from __future__ import annotations

import pytest

from repo_mcp.research.order.asked_decisions import is_predicate, read_decision
from tests.repo_mcp.research.asking import Asked, find_one, list_found

KILN = """class Kiln {
    public int CoolBelow { get; set; }
    public int CoolEvery { get; set; }

    private Vent CreateVent() {
        if (CoolBelow < 0 && CoolEvery == 0) {
            return new ShutVent(this);
        }
        if (CoolEvery == 0) {
            return new SlowVent(this);
        }
        return new Vent(this);
    }

    public void LoadBatch(Batch batch) {
        if (CoolBelow > 0 || CoolEvery != 0) {
            CoolBatch(batch, CoolEvery);
        }
        shelf.Put(batch);
    }

    private void CoolBatch(Batch batch, int every) {
        while (MustCoolBatch(batch)) {
            fan.Turn(every);
        }
    }

    private bool MustCoolBatch(Batch batch) {
        if (CoolBelow > 0 && MustCoolByHeat(batch)) {
            return true;
        }
        if (CoolEvery != 0 && clock.IsLate(batch)) {
            return true;
        }
        return false;
    }

    private bool MustCoolByHeat(Batch batch) {
        if (batch.Heat == 0 || batch.Heat < CoolBelow) {
            return false;
        }
        return true;
    }
}
"""
ASKED = "How does the kiln decide when to cool a batch of clay? (Kiln, CoolBelow, CoolEvery, ShouldCool)"
SHOP = """def load_shelves(shop, path):
    if shop.closed:
        return
    if path in shop.loaded:
        return
    for parent in path.parents:
        if is_in_yard(shop, parent):
            import_shelf(shop, parent / "shelf")


def is_in_yard(shop, path):
    if shop.yard is None:
        return True
    return path not in shop.yard.parents


def import_shelf(shop, path):
    shelf = shop.open(path)
    if shelf is None:
        raise Missing(path)
    note_shelf(shop, shelf)
    return shelf


def note_shelf(shop, shelf):
    shop.shelves.append(shelf)
    shop.count += 1
"""
SENDER = (
    """export function sendParcel(config, parcel) {
  const again = config.again ?? 3
  const mayRetry =
    again === true ||
    (typeof again === 'number' && parcel.failures < again) ||
    (typeof again === 'function' && again(parcel.failures))
  if (parcel.isLost) {
    return parcel
  }
  if (parcel.isHeld || !mayRetry) {
    return reject(parcel)
  }
"""
    + "".join(f"  parcel.stamps.push(makeStamp({at}, 'a stamp of the parcel'))\n" for at in range(60))
    + "}\n"
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("How does the kiln decide when to cool a batch?", ["cool", "batch"]),
        ("how is it decided whether a parcel is sent?", ["parcel", "sent"]),
        ("what determines which shelf is loaded?", ["shelf", "loaded"]),
        ("how is a batch cooled?", []),
    ],
)
def test_what_is_decided_is_read_from_the_question(query: str, words: list[str]) -> None:
    assert read_decision(query) == words


def test_the_function_that_returns_the_decision_leads_with_what_it_asks_and_what_acts_on_it() -> None:
    report = Asked({"Kiln.cs": KILN}).ask(ASKED)
    found = list_found(report)
    assert found[0] == "Kiln.MustCoolBatch"
    assert {"Kiln.MustCoolByHeat", "Kiln.CoolBatch"} < {*found}
    assert "Kiln.MustCoolByHeat decides: `if (batch.Heat == 0 || batch.Heat < CoolBelow)`" in report.claim


def test_a_function_in_a_condition_of_the_best_one_comes_before_what_that_leads_to() -> None:
    report = Asked({"shop.py": SHOP}).ask("How is it decided which shelves are loaded? (load_shelves)")
    found = list_found(report)
    assert found[:2] == ["shop.load_shelves", "shop.is_in_yard"]
    assert "; `return path not in shop.yard.parents` (:14)." in report.claim


def test_what_gives_a_value_to_a_name_in_a_condition_is_shown() -> None:
    report = Asked({"sender.ts": SENDER}).ask("how is it decided whether a parcel may be sent? (mayRetry)")
    excerpt = find_one(report, "sendParcel").excerpt
    assert "typeof again === 'function'" in excerpt
    assert "const again = config.again ?? 3" in excerpt


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        *(("must_cool", True), ("MustCool", True), ("_isHot", True), ("IS_HOT", True)),
        *(("ISODate", False), ("HASH_KEY", False), ("DOMParser", False), ("canvas", False)),
    ],
)
def test_a_name_that_begins_like_a_question_is_a_predicate(name: str, is_one: bool) -> None:
    assert is_predicate(name) is is_one
