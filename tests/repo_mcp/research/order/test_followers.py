"""What follows the best declaration of an open question is ordered by what it promises."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.bodies.body import Body
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.order.followers import order_followers
from repo_mcp.research.seeds.seed import Seed
from tests.repo_mcp.research.asking import Asked, find_one

BODY = Body(("def f():",), 1, 1, 1, {}, frozenset())
HAS_WORDS = Reason("has words", Role.HAS_WORDS)
TELLING = {"kiln": 2.0, "fire": 1.0}


def build(name: str, worth: float, reason: Reason = HAS_WORDS) -> Seed:
    return Seed("kiln.py", BODY, name.rpartition(".")[2], name, None, worth, reason)


def order(seeds: Sequence[Seed], guesses: Sequence[str] = ()) -> list[str]:
    return [one.full_name for one in order_followers(seeds, TELLING, (), frozenset(guesses))]


def test_the_first_one_stays_and_others_come_by_their_worth() -> None:
    assert order([build("a", 0.5), build("b", 0.2), build("c", 0.9)]) == ["a", "c", "b"]


def test_words_of_the_question_in_a_name_count_by_their_weights() -> None:
    seeds = [build("a", 1.0), build("b", 0.4), build("fire_oven", 0.3), build("oven.Kiln.close", 0.17)]
    assert order(seeds) == ["a", "fire_oven", "oven.Kiln.close", "b"]


def test_a_further_overload_and_what_declares_the_first_one_get_nothing_for_their_names() -> None:
    seeds = [build("Kiln.fire", 1.0), build("Kiln", 0.3), build("b", 0.4), build("Kiln.fire", 0.35)]
    assert order(seeds) == ["Kiln.fire", "b", "Kiln.fire", "Kiln"]


def test_members_of_one_type_with_the_first_one_are_told_apart_by_their_own_names() -> None:
    seeds = [build("Kiln.fire", 1.0), build("Kiln.shut", 0.3), build("b", 0.4)]
    assert order(seeds) == ["Kiln.fire", "b", "Kiln.shut"]
    assert order([build("Oven.heat", 1.0), *seeds[1:]]) == ["Oven.heat", "Kiln.shut", "b"]


def test_what_only_a_call_led_to_comes_before_what_is_worth_little() -> None:
    part = build("part", 0.0, Reason("called by a", Role.BESIDE))
    assert order([build("a", 1.0), part, build("b", 0.12), build("c", 0.14)]) == ["a", "c", "part", "b"]


def test_what_the_first_one_calls_comes_before_what_is_worth_somewhat_more() -> None:
    node = find_one(
        Asked({"oven.py": "def shut(oven):\n    oven.lid = 0\n"}).ask("what does shut do?"), "oven.shut"
    ).node
    first, other, called = build("a", 1.0), build("b", 0.9), replace(build("c", 0.5), node=node)
    assert called.node is not None
    assert order_followers([first, other, called], TELLING, {called.node})[1] is called
    assert order_followers([first, other, replace(called, worth=0.4)], TELLING, {called.node})[1] is other


def test_what_a_guess_led_to_stays_before_the_others() -> None:
    guessed = build("Oven.shut", 0.0, Reason("has a name that the question guesses", Role.BESIDE, "shut"))
    assert order([build("a", 1.0), build("b", 0.9), guessed], ["shut"]) == ["a", "Oven.shut", "b"]
