"""A declaration with nearly all words of a question leads before one that is rated higher and lacks them."""

from __future__ import annotations

from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

from repo_mcp.bodies.statements import Body
from repo_mcp.research.order.best_seed import is_thin
from repo_mcp.research.order.leading_seed import (
    put_agreed_first,
    put_doing_first,
    put_fuller_first,
    put_guessed_first,
)
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.symbols.symbol_record import SymbolKind

WEIGHED = MappingProxyType({"parcels": 0.2, "long": 0.3, "cancelled": 0.5})
LINES = ("def run(self):", "# cancels parcels that take too long", "def wait(self):", "    parcels.wait()")
NAMES = MappingProxyType({1: "run", 3: "wait"})  # by line


def make_seed(first: int, worth: float) -> Seed:
    body = Body(LINES, first, first + 1, first, {}, cast(Any, frozenset({2})))
    return Seed("a.py", body, NAMES[first], f"Desk.{NAMES[first]}", None, worth, "")


def test_one_with_all_words_leads() -> None:
    lacking, full = make_seed(3, 0.9), make_seed(1, 0.5)
    assert put_fuller_first([lacking, full], WEIGHED, ()) == [full, lacking]


def test_one_that_is_worth_much_less_does_not() -> None:
    seeds = [make_seed(3, 0.9), make_seed(1, 0.3)]
    assert put_fuller_first(seeds, WEIGHED, ()) == seeds


def test_one_word_is_not_enough() -> None:
    seeds = [make_seed(3, 0.9), make_seed(1, 0.9)]
    assert put_fuller_first(seeds, {"cancelled": 0.5}, ()) == seeds


def test_one_without_a_word_of_the_name_of_the_best_does_not() -> None:
    seeds = [make_seed(3, 0.9), make_seed(1, 0.5)]
    asked = [*WEIGHED, "wait"]
    assert put_fuller_first(seeds, WEIGHED, asked) == seeds


ASKED = ("parcels", "long", "cancelled", "clerk", "night", "desk")


def test_one_with_few_of_the_words_is_thin() -> None:
    weighed = {"parcels": 0.2, "long": 0.3, "cancelled": 0.5}
    assert is_thin(make_seed(3, 0.9), weighed, {}, ASKED)
    assert not is_thin(make_seed(1, 0.9), weighed, {}, ASKED)


def test_one_with_most_of_the_weight_or_of_the_words_is_not_thin() -> None:
    assert not is_thin(make_seed(3, 0.9), {"parcels": 0.6, "long": 0.4}, {}, ASKED)
    assert not is_thin(make_seed(3, 0.9), {"parcels": 0.2, "long": 0.8}, {}, ("parcels", "wait", "long"))


def test_one_without_any_telling_word_is_thin_whatever_else_it_has() -> None:
    assert is_thin(make_seed(3, 0.9), {"long": 0.5, "cancelled": 0.5}, {}, ("parcels", "wait", "long"))


def test_a_single_telling_word_says_nothing_of_the_rest() -> None:
    assert not is_thin(make_seed(3, 0.9), {"cancelled": 0.5}, {}, ASKED)


def test_words_that_an_idiom_says_are_held() -> None:
    idioms = {"cancelled for long": ["wait"]}
    assert not is_thin(make_seed(3, 0.9), {"long": 0.3, "cancelled": 0.5}, idioms, ASKED)


def test_one_with_a_guessed_name_leads_before_a_thin_one() -> None:
    first, guessed = make_seed(3, 0.9), make_seed(1, 0.5)
    assert put_guessed_first([first, guessed], ["run"]) == [guessed, first]
    assert put_guessed_first([first, guessed], []) == [first, guessed]


def make_declared(name: str, kind: SymbolKind, worth: float, text: str = "") -> Seed:
    lines = (name, text)
    node = cast(Any, SimpleNamespace(symbol=SimpleNamespace(kind=kind)))
    body = Body(lines, 1, 2, 1, {}, cast(Any, frozenset()))
    return Seed("a.py", body, name.rpartition(".")[2], name, node, worth, "")


def test_a_function_of_a_guessed_type_leads_before_a_type() -> None:
    names = make_declared("ShelfNames", SymbolKind.CLASS, 0.9)
    other = make_declared("Desk.pick_shelf", SymbolKind.METHOD, 0.8)
    picks = make_declared("Sorter.pick_shelf", SymbolKind.METHOD, 0.3)
    found = put_doing_first([names, other, picks], ["ShelfNames", "Sorter"], ["shelf"])
    assert [one.full_name for one in found] == ["Sorter.pick_shelf", "ShelfNames", "Desk.pick_shelf"]
    assert put_doing_first([names, picks], ["ShelfNames", "Sorter"], ["parcel"]) == [names, picks]
    assert put_doing_first([other, picks], ["Sorter"], ["shelf"]) == [other, picks]


def test_a_function_of_a_guessed_type_leads_before_a_longer_one_that_only_uses_that() -> None:
    guesses = ["Checker", "Balancer", "set_status", "plan"]
    uses = "Checker(plan), Balancer(plan).set_status"
    builds = make_declared("build", SymbolKind.FUNCTION, 0.5, uses)
    checks = make_declared("Checker.check", SymbolKind.METHOD, 0.9, "Balancer().set_status")
    best = make_declared("other", SymbolKind.FUNCTION, 1.0)
    found = put_agreed_first([best, checks, builds], guesses)
    assert [one.full_name for one in found] == ["Checker.check", "build", "other"]
