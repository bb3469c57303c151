"""Variables of Python whose value depends on the branch that ran, or on the turn of a loop."""

from __future__ import annotations

from textwrap import indent

import pytest

from repo_mcp.graph.python.branches import MAX_BLOCKS
from tests.repo_mcp.graph.python.test_resolver import confidences, meaning

CLASSES = """\
class Base:
    def base(self): ...
class Cat(Base):
    def speak(self): ...
class Dog(Base):
    def speak(self): ...
"""
EITHER = ["Cat", "Dog"]

REACHING = {
    "both branches": ("if a:\n    x = Cat()\nelse:\n    x = Dog()\nx.«speak»()", EITHER),
    "the one and what was before": ("x = Cat()\nif a:\n    x = Dog()\nx.«speak»()", EITHER),
    "not what both branches replace": (
        "x = Cat()\nif a:\n    x = Dog()\nelse:\n    x = Dog()\nx.«speak»()",
        ["Dog"],
    ),
    "a branch in a branch": (
        "if a:\n    x = Cat()\nelif b:\n    x = Dog()\nelse:\n    return\nx.«speak»()",
        EITHER,
    ),
    "the branch itself": ("if a:\n    x = Cat()\n    x.«speak»()\nelse:\n    x = Dog()", ["Cat"]),
    "not the branch above": ("x = Cat()\nif a:\n    x = Dog()\nelse:\n    x.«speak»()", ["Cat"]),
    "not a branch that leaves": ("x = Cat()\nif a:\n    x = Dog()\n    return\nx.«speak»()", ["Cat"]),
    "what follows in line": ("x = Cat()\nx = Dog()\nx.«speak»()", ["Dog"]),
    "an expression with both": ("x = Cat() if a else Dog()\nx.«speak»()", EITHER),
    "a handler": ("try:\n    x = Cat()\nexcept OSError:\n    x = Dog()\nx.«speak»()", EITHER),
    "what a failed attempt leaves": (
        "x = Cat()\ntry:\n    x = Dog()\nexcept OSError:\n    pass\nx.«speak»()",
        EITHER,
    ),
    "not before what was tried": (
        "x = Cat()\ntry:\n    x = Dog()\nexcept OSError:\n    raise\nx.«speak»()",
        ["Dog"],
    ),
    "`else` of what was tried": (
        "try:\n    pass\nexcept OSError:\n    x = Cat()\nelse:\n    x = Dog()\nx.«speak»()",
        EITHER,
    ),
    "a loop that may not run": ("x = Cat()\nfor y in a:\n    x = Dog()\nx.«speak»()", EITHER),
    "a loop that runs": ("x = Cat()\nwhile True:\n    x = Dog()\nx.«speak»()", ["Dog"]),
    "the turn before": ("x = Cat()\nfor y in a:\n    x.«speak»()\n    x = Dog()", EITHER),
    "the condition of the turn before": ("x = Cat()\nwhile x.«speak»():\n    x = Dog()", EITHER),
    "not the turn before": ("for y in a:\n    x = Cat()\n    x.«speak»()\n    x = Dog()", ["Cat"]),
    "what follows a loop that was left": (
        "for y in a:\n    if y:\n        x = Cat()\n        break\nelse:\n    x = Dog()\nx.«speak»()",
        EITHER,
    ),
    "not what it is about to get": ("x = Cat()\nx = Dog(x.«speak»())", ["Cat"]),
    "what it was made from itself": ("x = Cat()\nx = Dog(x)\nx.«speak»()", ["Dog"]),
    "nor on further lines": ("x = Cat()\nx = x.list(\n    x.«speak»(),\n).make(Dog)", ["Cat"]),
    "a value that it is tested with": ("x = Cat()\nif (x := Dog()) and x.«speak»():\n    pass", ["Dog"]),
    "a case": (
        "match a:\n    case 1:\n        x = Cat()\n    case _:\n        x = Dog()\nx.«speak»()",
        EITHER,
    ),
    "a function in the function": (
        "if a:\n    x = Cat()\nelse:\n    x = Dog()\ndef g():\n    x.«speak»()",
        EITHER,
    ),
}


@pytest.mark.parametrize("case", REACHING)
def test_a_variable_has_each_value_that_may_reach_its_use(case: str) -> None:
    body, expected = REACHING[case]
    texts = {"a.py": f"{CLASSES}def f(a, b):\n{indent(body, '    ')}\n"}
    assert sorted(meaning(texts)) == [f"a.py:{one}.speak" for one in expected]
    certain = "exact" if len(expected) == 1 else "probable"
    assert {str(one) for one in confidences(texts)} == {certain}


def test_an_attribute_that_two_methods_set_may_be_either() -> None:
    text = f"{CLASSES}class Home:\n    def f(self):\n        self.pet = Cat()\n"
    text += "    def g(self):\n        self.pet = Dog()\n        self.pet.«speak»()\n"
    assert sorted(meaning({"a.py": text})) == ["a.py:Cat.speak", "a.py:Dog.speak"]
    assert confidences({"a.py": text}) == ["probable", "probable"]


def test_a_member_that_all_branches_inherit_is_sure() -> None:
    text = f"{CLASSES}def f(a):\n    if a:\n        x = Cat()\n    else:\n        x = Dog()\n    x.«base»()\n"
    assert meaning({"a.py": text}) == ["a.py:Base.base"]
    assert confidences({"a.py": text}) == ["exact"]


def test_a_branch_with_a_value_of_unknown_type_makes_the_other_unsure() -> None:
    text = (
        f"{CLASSES}def f(a):\n    if a:\n        x = a.get()\n    else:\n        x = Cat()\n    x.«speak»()\n"
    )
    assert meaning({"a.py": text}) == ["a.py:Cat.speak"]
    assert confidences({"a.py": text}) == ["probable"]


def test_a_condition_behind_a_value_of_unknown_type_is_sure() -> None:
    text = f"{CLASSES}def f(a):\n    x = ''\n    assert isinstance(x, Cat)\n    x.«speak»()\n"
    assert confidences({"a.py": text}) == ["exact"]
    text = text.replace("    x.«", "    x = ''\n    x.«")
    assert confidences({"a.py": text}) == ["probable"]


def test_a_declared_union_is_sure_of_each_of_its_classes() -> None:
    text = f"{CLASSES}def f(x: Cat | Dog):\n    x.«speak»()\n"
    assert confidences({"a.py": text}) == ["exact", "exact"]


@pytest.mark.parametrize(("blocks", "members"), [(MAX_BLOCKS, ["Dog"]), (MAX_BLOCKS + 1, EITHER)])
def test_a_variable_of_too_many_blocks_may_have_any_of_its_values(blocks: int, members: list[str]) -> None:
    branches = "    if a:\n        x = Cat()\n" * blocks
    text = f"{CLASSES}def f(a):\n{branches}    x = Dog()\n    x.«speak»()\n"
    assert sorted(meaning({"a.py": text})) == [f"a.py:{one}.speak" for one in members]
    assert {str(one) for one in confidences({"a.py": text})} == {"exact" if len(members) == 1 else "probable"}


def test_a_value_among_many_is_not_overlooked() -> None:
    branches = "".join(f"    {'el' * (at > 0)}if a == {at}:\n        x = Cat()\n" for at in range(20))
    text = f"{CLASSES}def f(a):\n{branches}    else:\n        x = Dog()\n    x.«speak»()\n"
    for one in (text, text.replace("Dog()", "Bird()").replace("Cat()", "Dog()").replace("Bird()", "Cat()")):
        assert sorted(meaning({"a.py": one})) == ["a.py:Cat.speak", "a.py:Dog.speak"]
        assert confidences({"a.py": one}) == ["probable", "probable"]
