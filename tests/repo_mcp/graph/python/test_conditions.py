"""Python: classes that conditions, casts, type parameters, overloads and tuples tell of variables."""

from __future__ import annotations

import sys
from textwrap import dedent

import pytest

from repo_mcp.graph.questions import EdgeType
from tests.repo_mcp.graph.memory_index import list_incoming, make_graph

CLASSES = """
class Dog:
    def bark_now(self): ...
    def speak(self): ...
class Puppy(Dog):
    def play_now(self): ...
    def speak(self): ...
class Cat:
    def speak(self): ...
"""


def list_calls(method: str, text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Confidence and lines of the calls of a method of `CLASSES` in a text, but those only by its name."""
    texts = {"pets.py": CLASSES, "use.py": "from pets import *\nfrom typing import *\n" + dedent(text)}
    rows = list_incoming(make_graph(texts), f"pets.{method}", EdgeType.CALLS)
    return [(confidence, lines) for _, confidence, _, lines in rows if confidence != "possible"]


def test_a_condition_tells_the_class_in_its_branch_alone() -> None:
    text = """
    def f(x: Cat, y):
        x.speak()
        if isinstance(x, Dog) and x.speak():
            x.speak()
        elif isinstance(x, Puppy):
            x.speak()
        x.speak()
        while isinstance(x, Dog):
            x = y
            x.speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (6, 7))]
    assert list_calls("Puppy.speak", text) == [("exact", (9,))]
    assert list_calls("Cat.speak", text) == [("exact", (5, 10))]


def test_what_is_asserted_holds_to_the_end_of_its_block() -> None:
    text = """
    def f(x: Cat, y: Cat, z: Cat):
        if z:
            assert isinstance(x, Dog), "no dog"
            x.speak()
        x.speak()
        if not isinstance(y, (Puppy, Dog)):
            y.speak()
            return
        y.speak()
        return [one.speak() for one in z if isinstance(one, Dog)]
    """
    assert list_calls("Dog.speak", text) == [("exact", (7, 12, 13))]
    assert list_calls("Puppy.speak", text) == [("exact", (12,))]
    assert list_calls("Cat.speak", text) == [("exact", (8, 10))]


def test_a_declared_class_may_be_below_the_one_that_is_asked_for() -> None:
    text = """
    def f(x: Puppy):
        if isinstance(x, Dog):
            x.play_now()
            x.bark_now()
    """
    assert list_calls("Puppy.play_now", text) == [("exact", (6,))]
    assert list_calls("Dog.bark_now", text) == [("exact", (7,))]


def test_builtin_classes_are_none_of_ours() -> None:
    text = """
    def f(x: Dog):
        if isinstance(x, str):
            x.speak()
        if isinstance(x, (str, Cat)):
            x.speak()
    """
    assert list_calls("Cat.speak", text) == [("exact", (8,))]


def test_what_is_cast_has_the_class() -> None:
    text = """
    def f(x: Cat):
        y = cast("Dog", x)
        y.speak()
        cast(Puppy, x).speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (6,))]
    assert list_calls("Puppy.speak", text) == [("exact", (7,))]
    assert list_calls("Cat.speak", text) == []


def test_a_type_parameter_has_the_members_of_its_bound() -> None:
    text = """
    D = TypeVar("D", bound="Dog")
    P = TypeVar("P", Puppy, Cat)
    N = TypeVar("N")
    def f(x: D, y: P, z: N) -> D:
        x.bark_now()
        y.speak()
        z.speak()
        return x
    f(1, 2, 3).speak()
    """
    assert list_calls("Dog.bark_now", text) == [("probable", (8,))]
    assert list_calls("Puppy.speak", text) == list_calls("Cat.speak", text) == [("probable", (9,))]
    assert list_calls("Dog.speak", text) == [("probable", (12,))]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax of Python 3.12")
def test_a_type_parameter_in_brackets_has_the_members_of_its_bound() -> None:
    text = "\ndef f[D: Dog](x: D):\n    x.bark_now()\n"
    assert list_calls("Dog.bark_now", text) == [("probable", (5,))]


def test_overloads_that_return_different_classes_are_open() -> None:
    text = """
    @overload
    def find(name: str, all: Literal[True]) -> Dog: ...
    @overload
    def find(name: str, all: Literal[False]) -> Cat: ...
    def find(name, all=False) -> Dog | Cat: ...
    @overload
    def get(name: str) -> Dog: ...
    @overload
    def get(name: int) -> Dog: ...
    def get(name): ...
    find("a", True).speak()
    found = find("b", False)
    found.speak()
    get(1).speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (17,))]
    assert list_calls("Cat.speak", text) == []
    graph = make_graph({"pets.py": CLASSES, "use.py": f"from pets import *\n\n{dedent(text)}"})
    possible = [
        [row for row in list_incoming(graph, f"pets.{name}.speak", EdgeType.CALLS) if row[1] == "possible"]
        for name in ("Dog", "Cat", "Puppy")
    ]
    assert possible == [[("calls", "possible", "use.py", (14, 16))]] * 2 + [[]]


def test_the_items_of_a_tuple_have_classes_of_their_own() -> None:
    text = """
    def both() -> tuple[Dog, Cat]: ...
    def made():
        return Puppy(), Cat()
    def many() -> tuple[Dog, ...]: ...
    def f(kept: dict[str, Dog], dogs: list[Dog], cats: list[Cat]):
        one, other = both()
        one.speak()
        other.speak()
        first, second = made()
        first.speak()
        for name, each in kept.items():
            each.bark_now()
        for dog, cat in zip(dogs, cats):
            dog.bark_now()
            cat.speak()
        a, b = many()
        b.speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (10,))]
    assert list_calls("Cat.speak", text) == [("exact", (11,)), ("probable", (18,))]
    assert list_calls("Puppy.speak", text) == [("probable", (13,))]
    assert list_calls("Dog.bark_now", text) == [("probable", (15, 17))]
