"""What looks sure in Python and is not: values that replace others, bases from outside, names of classes."""

from __future__ import annotations

import pytest

from repo_mcp.graph.program import Confidence
from tests.repo_mcp.graph.python.test_resolver import confidences, meaning

SHAPE = "class Shape:\n    def area(self): ...\n"

REPLACED = {
    "by a builtin": "    s = str(s)\n",
    "by an operator": "    s = 'a' + s\n",
    "by a text": "    s = ''\n",
    "by what `with` enters": "    with open(s) as s:\n        pass\n",
    "by an exception": "    try:\n        pass\n    except OSError as s:\n        pass\n",
    "by a pattern": "    match s:\n        case [s, *_]:\n            pass\n",
    "by a part": "    with open(s) as (s, _):\n        pass\n",
}
KEPT = {
    "by nothing": "    pass\n",
    "by None": "    if s.done:\n        s = None\n",
    "by what it is joined with": "    s += 1\n",
    "by another of its class": "    s = ''\n    s = Shape()\n",
}


@pytest.mark.parametrize("case", REPLACED)
def test_a_variable_that_was_replaced_is_not_sure(case: str) -> None:
    text = f"{SHAPE}def f():\n    s = Shape()\n{REPLACED[case]}    s.«area»()\n"
    assert meaning({"a.py": text}) == ["a.py:Shape.area"]
    assert confidences({"a.py": text}) == [Confidence.PROBABLE]


@pytest.mark.parametrize("case", KEPT)
def test_a_variable_that_keeps_its_class_is_sure(case: str) -> None:
    text = f"{SHAPE}def f():\n    s = Shape()\n{KEPT[case]}    s.«area»()\n"
    assert confidences({"a.py": text}) == [Confidence.EXACT]


def test_a_variable_has_its_old_value_on_the_line_that_replaces_it() -> None:
    text = f"{SHAPE}def f():\n    s = Shape()\n    s = str(s.«area»())\n"
    assert confidences({"a.py": text}) == [Confidence.EXACT]


BASES = {
    "one from outside": ("from ext import Base", "Base, Shape", Confidence.PROBABLE),
    "one that is nowhere": ("", "Lost, Shape", Confidence.PROBABLE),
    "one behind it": ("from ext import Base", "Shape, Base", Confidence.EXACT),
    "one without such a member": ("import unittest", "unittest.TestCase, Shape", Confidence.EXACT),
    "one without members": ("from abc import ABC", "ABC, Shape", Confidence.EXACT),
    "a builtin": ("", "dict, Shape", Confidence.PROBABLE),
    "a builtin with type arguments": ("", "dict[str, int], Shape", Confidence.PROBABLE),
    "what a call returns": ("from ext import make", "make(), Shape", Confidence.PROBABLE),
    "object": ("class Plain(object): ...", "Plain, Shape", Confidence.EXACT),
    "a builtin, through a class": ("class Failed(ValueError): ...", "Failed, Shape", Confidence.PROBABLE),
    "one among two that have some": (
        "class One(dict): ...\nclass Other(list): ...", "One, Shape, Other", Confidence.PROBABLE
    ),
    "one instead of it": (
        "try:\n    from ext import Other\nexcept ImportError:\n    from b import Shape as Other",
        "Other",
        Confidence.PROBABLE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BASES)
def test_a_base_from_outside_comes_first(case: str) -> None:
    imports, bases, expected = BASES[case]
    text = f"{imports}\n{SHAPE}class Square({bases}): ...\nSquare().«area»()\n"
    assert confidences({"a.py": text, "b.py": SHAPE}) == [expected]


@pytest.mark.parametrize("case", [one for one in BASES if BASES[one][2] is Confidence.PROBABLE])
def test_an_initialiser_behind_a_base_from_outside_is_not_sure(case: str) -> None:
    imports, bases, _ = BASES[case]
    shape = "class Shape:\n    def __init__(self): ...\n"
    square = f"class Square({bases}):\n    def __init__(self):\n        super().«__init__»()\n"
    assert confidences({"a.py": f"{imports}\n{shape}{square}", "b.py": shape}) == [Confidence.PROBABLE]


def test_an_outer_base_of_both_bases_comes_behind_them() -> None:
    text = (
        "from ext import Base\nclass One(Base): ...\nclass Two(Base):\n    def f(self): ...\n"
        "class Both(One, Two): ...\nBoth().«f»()\n"
    )
    assert confidences({"a.py": text}) == [Confidence.EXACT]


def test_super_of_another_class_is_not_sure() -> None:
    text = (
        "class Top:\n    def f(self): ...\nclass Left(Top):\n    def f(self): ...\nclass Right(Top):\n"
        "    def f(self): ...\nclass Both(Left, Right):\n    def f(self):\n        super(Left, self).«f»()\n"
    )
    assert meaning({"a.py": text}) == ["a.py:Top.f"]
    assert confidences({"a.py": text}) == [Confidence.PROBABLE]


MIXED = """
class Top:
    def f(self): ...
    def g(self): ...
class Left(Top):
    def f(self):
        super().«{name}»()
class Right(Top):
    def f(self): ...
"""


@pytest.mark.parametrize(
    ("name", "derived", "confidence"),
    [
        ("f", "class Both(Left, Right): ...\n", Confidence.PROBABLE),
        ("f", "class Lower(Left): ...\nclass Both(Lower, Right): ...\n", Confidence.PROBABLE),
        ("g", "class Both(Left, Right): ...\n", Confidence.EXACT),  # which Right has from Top itself
        ("f", "class Both(Right, Left): ...\n", Confidence.EXACT),  # Right comes before Left
        ("f", "class Other(Right): ...\n", Confidence.EXACT),
    ],
    ids=["mixed", "mixed below", "another member", "the other order", "apart"],
)
def test_super_of_a_class_that_is_mixed_with_a_sibling_is_not_sure(
    name: str, derived: str, confidence: Confidence
) -> None:
    texts = {"a.py": MIXED.format(name=name), "b.py": f"from a import *\n{derived}"}
    assert meaning(texts) == [f"a.py:Top.{name}"]
    assert confidences(texts) == [confidence]


def test_super_of_the_class_around_is_sure() -> None:
    text = f"{SHAPE}class Square(Shape):\n    def area(self):\n        super(Square, self).«area»()\n"
    assert meaning({"a.py": text}) == ["a.py:Shape.area"]
    assert confidences({"a.py": text}) == [Confidence.EXACT]


HEADS = {
    "the body of a method": ("    def f(self):\n        return «END»\n", []),
    "nor a function in it": ("    def f(self):\n        def g():\n            return «END»\n", []),
    "but its head": ("    def f(self, x=«END»): ...\n", ["a.py:K.END"]),
}


@pytest.mark.parametrize("case", HEADS)
def test_names_of_a_class_are_not_seen_in(case: str) -> None:
    body, expected = HEADS[case]
    assert meaning({"a.py": f"from ext import *\nclass K:\n    END = 1\n{body}"}) == expected


def test_the_head_of_a_method_sees_its_class_first() -> None:
    text = "class Item: ...\nclass K:\n    class Item: ...\n    def f(self, x: «Item»): ...\n"
    assert meaning({"a.py": text}) == ["a.py:K.Item"]


ATTRIBUTES = {
    "an argument": ("self.x = given", Confidence.PROBABLE),
    "what a call gives": ("self.x = make()", Confidence.PROBABLE),
    "a list": ("self.x = []", Confidence.PROBABLE),
    "what a loop gives": ("for self.x in given: ...", Confidence.PROBABLE),
    "what `with` enters": ("with given as self.x: ...", Confidence.PROBABLE),
    "a part": ("self.x, y = given", Confidence.PROBABLE),
    "None": ("self.x = None", Confidence.EXACT),
    "another of its class": ("self.x = Shape()", Confidence.EXACT),
    "what it is joined with": ("self.x += given", Confidence.EXACT),
    "an attribute of another object": ("given.x = given", Confidence.EXACT),
}


@pytest.mark.parametrize("case", ATTRIBUTES)
def test_an_attribute_that_a_method_gives(case: str) -> None:
    statement, expected = ATTRIBUTES[case]
    text = (
        f"{SHAPE}class K:\n    def __init__(self):\n        self.x = Shape()\n"
        f"    def set(self, given):\n        {statement}\n    def use(self):\n        self.x.«area»()\n"
    )
    assert meaning({"a.py": text}) == ["a.py:Shape.area"]
    assert confidences({"a.py": text}) == [expected]


def test_an_annotation_says_what_an_attribute_is() -> None:
    text = (
        f"{SHAPE}class K:\n    def __init__(self):\n        self.x: Shape = make()\n"
        "    def set(self, given):\n        self.x = given\n        self.x.«area»()\n"
    )
    assert confidences({"a.py": text}) == [Confidence.EXACT]


def test_what_the_class_gives_an_attribute_is_not_sure_where_a_method_replaces_it() -> None:
    body = "    x = Shape()\n    def set(self, given):\n        self.x = given\n"
    text = f"{SHAPE}class K:\n{body}K().x.«area»()\n"
    assert confidences({"a.py": text}) == [Confidence.PROBABLE]


def test_an_attribute_and_a_method_of_one_name_are_not_sure() -> None:
    text = (
        "class K:\n    def __init__(self, given):\n        self.run = given\n    def run(self): ...\n"
        "    def use(self):\n        self.«run»()\n"
    )
    assert meaning({"a.py": text}) == ["a.py:K.run", "a.py:K.run"]
    assert confidences({"a.py": text}) == [Confidence.PROBABLE] * 2


def test_a_variable_of_a_module_is_not_that_of_a_comprehension() -> None:
    text = f"{SHAPE}s = Shape()\nall = [s for s in unknown]\ns.«area»()\n"
    assert confidences({"a.py": text}) == [Confidence.EXACT]


OUTER = {
    "of the module": ("s = Shape()\ndef set(x):\n    global s\n    s = {}\n", "s.«area»()\n"),
    "of a function": (
        "def f(x):\n    s = Shape()\n    def set():\n        nonlocal s\n        s = {}\n",
        "    set()\n    s.«area»()\n",
    ),
}


@pytest.mark.parametrize("case", OUTER)
@pytest.mark.parametrize(("value", "expected"), [("x", Confidence.PROBABLE), ("None", Confidence.EXACT)])
def test_a_variable_that_a_function_in_it_replaces(case: str, value: str, expected: Confidence) -> None:
    before, use = OUTER[case]
    text = f"{SHAPE}{before.format(value)}{use}"
    assert meaning({"a.py": text}) == ["a.py:Shape.area"]
    assert confidences({"a.py": text}) == [expected]


INSIDE = {
    "a lambda": ("f = lambda: «END»", ["a.py:END"]),
    "a comprehension": ("f = [«END» for _ in (1, 2)]", ["a.py:END"]),
    "a lambda in the head of a method": ("def m(self, x=lambda: «END»): ...", ["a.py:END"]),
    "a class in it": ("class In:\n        f = lambda: «END»", ["a.py:END"]),
    "what a comprehension goes through": ("f = [x for x in «END»]", ["a.py:K.END"]),
    "the body itself": ("f = «END»", ["a.py:K.END"]),
    "what a lambda takes by default": ("f = lambda x=«END»: x", ["a.py:K.END"]),
}


@pytest.mark.parametrize("case", INSIDE)
def test_names_of_a_class_in_its_body(case: str) -> None:
    statement, expected = INSIDE[case]
    assert meaning({"a.py": f"END = 0\nclass K:\n    END = 1\n    {statement}\n"}) == expected


def test_a_builtin_that_a_class_declares_is_not_seen_in_a_lambda() -> None:
    text = "class K:\n    id = 1\n    f = lambda: «id»()\n    g = id\n"
    with pytest.raises(AssertionError, match="no reference to id"):
        meaning({"a.py": text})


REPLACING = {
    "in its file": ({"a.py": "Shape.area = other\n"}, Confidence.PROBABLE),
    "in a function": ({"a.py": "def patch():\n    Shape.area = other\n"}, Confidence.PROBABLE),
    "in a file that imports it": (
        {"b.py": "from a import Shape\nShape.area = other\n"},
        Confidence.PROBABLE,
    ),
    "by its module": ({"b.py": "import a\na.Shape.area = other\n"}, Confidence.PROBABLE),
    "in a class method": (
        {"a.py": "class Square(Shape):\n    @classmethod\n    def f(cls):\n        cls.area = other\n"},
        Confidence.EXACT,
    ),
    "in a test": ({"tests/test_b.py": "from a import Shape\nShape.area = other\n"}, Confidence.EXACT),
    "of a variable of that name": ({"a.py": "def f(Shape):\n    Shape.area = other\n"}, Confidence.EXACT),
    "of another class": ({"a.py": "class Other: ...\nOther.area = other\n"}, Confidence.EXACT),
    "by a number": ({"a.py": "Shape.area = 1\n"}, Confidence.EXACT),
}


@pytest.mark.parametrize("case", REPLACING)
def test_a_method_that_is_replaced(case: str) -> None:
    texts, expected = REPLACING[case]
    given = {"c.py": "from a import Shape\nShape().«area»()\n", **texts}
    given["a.py"] = SHAPE + texts.get("a.py", "")
    assert meaning(given) == ["a.py:Shape.area"]
    assert confidences(given) == [expected]


def test_a_test_sees_what_it_replaces_itself() -> None:
    text = "from a import Shape\nShape.area = other\nShape().«area»()\n"
    assert confidences({"a.py": SHAPE, "tests/test_b.py": text}) == [Confidence.PROBABLE]


def test_a_class_below_replaces_the_method_for_its_objects_alone() -> None:
    below = f"{SHAPE}class Square(Shape): ...\nSquare.area = other\n"
    assert confidences({"a.py": f"{below}Square().«area»()\n"}) == [Confidence.PROBABLE]
    assert confidences({"a.py": f"{below}Shape().«area»()\n"}) == [Confidence.EXACT]


def test_a_method_that_its_own_object_replaces() -> None:
    text = (
        "class K:\n    def run(self): ...\n    def __init__(self):\n        self.run = wrap(self.run)\n"
        "K().«run»()\n"
    )
    assert meaning({"a.py": text}) == ["a.py:K.run"]
    assert confidences({"a.py": text}) == [Confidence.PROBABLE]


def test_a_function_of_a_module_that_is_replaced() -> None:
    texts = {"a.py": "def f(): ...\n", "b.py": "import a\na.f = other\n", "c.py": "import a\na.«f»()\n"}
    assert confidences(texts) == [Confidence.PROBABLE]


def test_a_method_of_one_object_that_the_same_function_replaces() -> None:
    text = f"{SHAPE}def f():\n    s = Shape()\n    s.area = other\n    s.«area»()\n"
    assert confidences({"a.py": text}) == [Confidence.PROBABLE]


def test_an_attribute_that_gets_a_value_is_the_same_attribute() -> None:
    text = "class K:\n    x = None\ndef f():\n    k = K()\n    k.x = make()\n    k.«x»\n"
    assert confidences({"a.py": text}) == [Confidence.EXACT]


BRANCHES = {
    "two functions of a function": (
        "def f():\n    if a:\n        def g(): ...\n    else:\n        def g(): ...\n    «g»()\n"
    ),
    "two imports of a function": (
        "def f():\n    if a:\n        from b import g\n    else:\n        from c import g\n    «g»()\n"
    ),
    "two functions of a module": "if a:\n    def g(): ...\nelse:\n    def g(): ...\n«g»()\n",
    "a class and what replaces it": "class g: ...\ng = make(g)\n«g»()\n",
}


@pytest.mark.parametrize("case", BRANCHES)
def test_the_branch_that_ran_is_not_in_the_text(case: str) -> None:
    texts = {"a.py": BRANCHES[case], "b.py": "def g(): ...\n", "c.py": "def g(): ...\n"}
    assert confidences(texts) == [Confidence.PROBABLE, Confidence.PROBABLE]


def test_a_member_that_two_ways_lead_to_is_named_once() -> None:
    text = f"{SHAPE}def f(a: Shape):\n    s = a if a else Shape()\n    s.«area»()\n"
    assert meaning({"a.py": text}) == ["a.py:Shape.area"]


ORDERED = """
class Root:
    def passed(self): ...
class Left(Root): ...
class Right(Root): ...
class Kind(Left):
    def passed(self): ...
class Both(Left, Right): ...
class Made(Both, Kind):
    def run(self):
        self.«passed»()
"""


def test_a_base_that_comes_thrice_comes_behind_all_that_derive_from_it() -> None:
    assert meaning({"a.py": ORDERED}) == ["a.py:Kind.passed"]
