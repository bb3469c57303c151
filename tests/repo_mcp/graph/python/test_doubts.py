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
}


@pytest.mark.parametrize("case", BASES)
def test_a_base_from_outside_comes_first(case: str) -> None:
    imports, bases, expected = BASES[case]
    text = f"{imports}\n{SHAPE}class Square({bases}): ...\nSquare().«area»()\n"
    assert confidences({"a.py": text}) == [expected]


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
