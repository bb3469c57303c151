"""Python: classes that conditions, casts, type parameters, overloads and tuples tell of variables."""

from __future__ import annotations

import sys
from textwrap import dedent

import pytest

from repo_mcp.graph.vocabulary import EdgeType
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


def test_a_condition_of_a_comprehension_counts_on_its_further_lines() -> None:
    text = """
    def f(one: Puppy, z: list[Cat]):
        found = [one for one in z
            if isinstance(one, Dog)
            and one.speak()]
        one.speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (7,))]
    assert list_calls("Puppy.speak", text) == [("exact", (8,))]


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


OVERLOADS = """
from pets import *
@overload
def find(name: str, all: Literal[True]) -> Dog: ...
@overload
def find(name: str, all: Literal[False] = ...) -> Cat: ...
@overload
def find(name: str, all: bool = ...) -> Dog | Cat: ...
def find(name, all=False): ...
class Shelf:
    @overload
    def take(self, mode: Literal["dog", "pup"], *, n: int = ...) -> Dog: ...
    @overload
    def take(self, mode: Literal["cat"]) -> Cat: ...
    def take(self, mode, n=0): ...
    @overload
    def get(self, key: None) -> Dog: ...
    @overload
    def get(self, key: str, default: object) -> Cat: ...
    @overload
    def get(self, key: Puppy) -> Puppy: ...
    def get(self, key, default=None): ...
    @overload
    def seek(self, name: str) -> Dog: ...
    @overload
    def seek(self, name: int) -> Dog: ...
    def seek(self, name): ...
"""
CHOSEN = {
    'find("a", True)': ("exact", "Dog"),
    'find("a", all=True)': ("exact", "Dog"),
    'find("a")': ("exact", "Cat"),
    "find(x, False)": ("exact", "Cat"),
    "find(x, x)": ("possible", "Cat Dog"),
    "find(*x)": ("possible", "Cat Dog"),
    'Shelf().take("pup")': ("exact", "Dog"),
    'Shelf().take("cat")': ("exact", "Cat"),
    'Shelf().take("cat", n=1)': ("possible", "Cat Dog"),
    "Shelf().take(x, n=1)": ("exact", "Dog"),
    "Shelf().take(x)": ("possible", "Cat Dog"),
    "Shelf().get(None)": ("exact", "Dog"),
    "Shelf().get(x, None)": ("exact", "Cat"),
    "Shelf().get(x)": ("possible", "Dog Puppy"),
    "Shelf().seek(1)": ("exact", "Dog"),
}


@pytest.mark.parametrize("call", CHOSEN)
@pytest.mark.parametrize("form", ["{}.speak()", "y = {}\n    y.speak()", "assert x and {}.speak().x"])
def test_constants_and_missing_arguments_choose_an_overload(form: str, call: str) -> None:
    """What remains undecided is possible."""
    use = f"from shelf import *\ndef use(x):\n    {form.format(call)}\n"
    graph = make_graph({"pets.py": CLASSES, "shelf.py": "from typing import *\n" + OVERLOADS, "use.py": use})
    found = {
        name: confidence
        for name in ("Cat", "Dog", "Puppy")
        for _, confidence, path, _ in list_incoming(graph, f"pets.{name}.speak", EdgeType.CALLS)
    }
    confidence, names = CHOSEN[call]
    assert found == dict.fromkeys(names.split(), confidence)


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


def test_a_function_that_is_declared_to_tell_a_type_is_a_condition() -> None:
    text = """
    def is_dog(x: object) -> TypeGuard[Dog]: ...
    def is_cat(x: object) -> "TypeIs[Cat]": ...
    def is_good(x: object) -> Dog: ...
    def f(x, y: Cat):
        if is_dog(x):
            x.speak()
        if is_cat(x) and x.speak():
            x.speak()
        x.speak()
        if is_good(y):
            y.speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (9,))]
    assert list_calls("Cat.speak", text) == [("exact", (10, 11, 14))]


def test_a_parameter_has_the_type_that_the_method_of_a_base_declares() -> None:
    text = """
    class Walker:
        def walk(self, pet: Dog, /, other: Cat = None): ...
    class Fast(Walker):
        def walk(self, pet, other=None):
            pet.speak()
            other.speak()
        def run(self, pet):
            pet.speak()
    """
    assert list_calls("Dog.speak", text) == [("probable", (8,))]
    assert list_calls("Cat.speak", text) == [("probable", (9,))]


def test_what_new_returns_and_what_follows_itself_keep_their_class() -> None:
    text = """
    class Node(Dog):
        next: "Node"
        @classmethod
        def make(cls):
            self = cls.__new__(cls)
            self = self.next
            while self:
                self = self.next
                self.bark_now()
            return self
    """
    assert list_calls("Dog.bark_now", text) == [("exact", (12,))]


def test_an_alias_of_a_union_stands_for_each_of_its_classes() -> None:
    text = """
    Pet = Union[Dog, "Cat"]
    Sure: TypeAlias = Optional[Dog]
    def f(x: Pet, y: "Sure"):
        x.speak()
        y.speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (7, 8))]
    assert list_calls("Cat.speak", text) == [("exact", (7,))]


def test_a_decorator_that_ends_like_property_makes_one() -> None:
    text = """
    class Home:
        @util.memoized_property
        def pet(self) -> Dog: ...
    Home().pet.speak()
    """
    assert list_calls("Dog.speak", text) == [("exact", (7,))]


def test_what_a_base_declares_is_used_where_a_method_assigns_it_first() -> None:
    text = (
        "class Base:\n    name: str\nclass Own(Base):\n    def f(self):\n        self.name = self.age = 1\n"
    )
    graph = make_graph({"a.py": text + "        self.age\n"})
    assert list_incoming(graph, "a.Base.name", EdgeType.REFERENCES) == [
        ("references", "exact", "a.Own.f", (5,))
    ]
    assert list_incoming(graph, "a.Own.age", EdgeType.REFERENCES) == [
        ("references", "exact", "a.Own.f", (6,))
    ]


def test_members_of_enumerations_are_used_in_literal_types() -> None:
    text = "from typing import Literal\nclass Mode(Enum):\n    ON = 1\nx: Literal[Mode.ON, 'Mode']\n"
    assert list_incoming(make_graph({"a.py": text}), "a.Mode.ON", EdgeType.REFERENCES) == [
        ("references", "exact", "a.x", (4,))
    ]


def test_of_an_import_and_what_replaces_it_neither_is_sure() -> None:
    text = "try:\n    from a import get\nexcept ImportError:\n    def get(): ...\n"
    graph = make_graph({"a.py": "def get(): ...\n", "b.py": text, "c.py": "from b import get\nget()\n"})
    for name in ("a.get", "b.get"):
        assert list_incoming(graph, name, EdgeType.CALLS) == [("calls", "probable", "c.py", (2,))]


def test_what_holds_one_value_gives_it() -> None:
    text = """
    def open_home() -> AbstractAsyncContextManager[Dog]: ...
    current: ContextVar[Cat] = ContextVar("current")
    SURE: Final = Puppy()
    async def f(known: "weakref.ref[Puppy]"):
        async with open_home() as pet:
            pet.speak()
        current.get().speak()
        known().speak()
        SURE.speak()
    """
    assert list_calls("Dog.speak", text) == [("probable", (9,))]
    assert list_calls("Cat.speak", text) == [("probable", (10,))]
    assert list_calls("Puppy.speak", text) == [("exact", (12,)), ("probable", (11,))]


def test_the_variable_of_a_comprehension_is_meant_in_it_alone() -> None:
    text = """
    one = Cat()
    def f(dogs: list[Dog], one: Cat):
        found = [one.speak() for one in dogs]
        one.speak()
    def g(dogs: list[Dog]):
        one = Cat()
        found = [
            one.speak()
            for one in dogs
            if one.speak()
        ]
    def h(dogs: list[Dog], one):
        found = [one.speak() for one in dogs]
        one.speak()
    def k(dogs: list[Dog]):
        found = [one.speak() for one in dogs]
        one.speak()
    """
    assert list_calls("Dog.speak", text) == [
        ("probable", (6,)),
        ("probable", (11, 13)),
        ("probable", (16,)),
        ("probable", (19,)),
    ]
    assert list_calls("Cat.speak", text) == [("exact", (7,)), ("exact", (20,))]
