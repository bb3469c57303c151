"""Around the best declaration, what calls it and the short functions that it calls are shown."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

KILN = '''def fire_kiln(kiln, batch):
    """Fire the kiln with a batch of clay."""
    if batch.is_wet:
        batch.dry()
    kiln.heat(batch.clay)
    bar_door(kiln)
    return kiln.fire(batch)


def bar_door(oven):
    oven.lid.bar()
    oven.lamp = "red"


def run_night(shop):
    for load in shop.waiting:
        fire_kiln(shop.oven, load)


def weigh_batch(kiln, clay):
    """Weigh a batch of clay before it is fired in the kiln."""
    if clay.is_wet:
        return kiln.scale.weigh(clay) / 2
    return kiln.scale.weigh(clay)


def paint_clay(kiln, batch):
    """Paint the fired clay of a batch from the kiln."""
    for piece in kiln.fired(batch.clay):
        piece.paint()


'''
QUESTION = "how is the kiln fired with a batch of clay? (fire_kiln, door)"


def write_users(count: int) -> str:
    one = "def run_{}(shop):\n    fire_kiln(shop, 1)\n    return shop\n\n\n"
    return "".join(map(one.format, range(count)))


def ask(text: str) -> list[str]:
    return list_found(Asked({"kiln.py": text}).ask(QUESTION))


def test_what_calls_the_best_function_comes_before_what_only_has_its_words() -> None:
    users = "".join(
        f"def run_{at}(shop):\n    fire_kiln(shop, {at})\n    return {at}\n\n\n" for at in range(2)
    )
    found = ask(KILN + users)
    words = max(map(found.index, ("kiln.weigh_batch", "kiln.paint_clay")))
    assert found[0] == "kiln.fire_kiln"
    assert all(found.index(f"kiln.run_{which}") < words for which in ("night", "0", "1"))


def test_a_short_callee_is_shown_if_its_name_has_a_word_of_the_question_or_a_guess() -> None:
    found = ask(KILN)
    assert found.index("kiln.bar_door") < max(map(found.index, ("kiln.weigh_batch", "kiln.paint_clay")))


def test_of_many_callers_none_is_put_first() -> None:
    users = "".join(
        f"def run_{at}(shop):\n    fire_kiln(shop, {at})\n    return {at}\n\n\n" for at in range(9)
    )
    found = ask(KILN + users)
    last = max(map(found.index, ("kiln.weigh_batch", "kiln.paint_clay")))
    assert all(found.index(name) > last for name in found if name.startswith("kiln.run_"))


@pytest.mark.parametrize(("name", "is_first"), [("fire_kiln", False), ("run_twin", True)])
def test_a_function_of_the_same_name_only_passes_the_call_on(name: str, is_first: bool) -> None:
    twin = f"class Twin:\n    def {name}(self, shop):\n        fire_kiln(shop.left, 1)\n        return shop\n"
    texts = {"kiln.py": KILN, "twin.py": f"from kiln import fire_kiln\n\n\n{twin}"}
    found = list_found(Asked(texts).ask(QUESTION))
    words = max(map(found.index, ("kiln.weigh_batch", "kiln.paint_clay")))
    assert (found.index(f"twin.Twin.{name}") < words) is is_first


def test_a_function_of_the_file_that_only_the_best_one_calls_is_a_part_of_it() -> None:
    calling = KILN.replace("    bar_door(kiln)\n", "    sweep(kiln)\n")
    sweep = "def sweep(oven):\n    oven.ash = None\n    oven.rake.turn()\n\n\n"
    found = ask(calling + sweep)
    assert found.index("kiln.sweep") < found.index("kiln.weigh_batch")
    others = "def clean(oven):\n    sweep(oven)\n    return oven\n\n\n"
    found = ask(calling + sweep + others)
    assert found.index("kiln.sweep") > found.index("kiln.weigh_batch")
