"""What Python names mean, in small repositories: each rule, and each way in which it could be wrong.

A name to be resolved stands in the text between « and »; what it means is written "path:name" of a
declaration (with its parents), "path" of a module, or "= dotted.name" of something outside.
"""

from __future__ import annotations

import re
import time

import pytest

from repo_mcp.graph.program import Confidence, Declaration, Resolution
from repo_mcp.graph.python.resolver import PythonResolver, qualified_module
from repo_mcp.languages.python.symbol_parser import parse
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.growth import HANG_SECONDS
from tests.repo_mcp.graph.memory_program import MemoryProgram

_MARKED = re.compile(r"«(\w+|\*)»")


def build(texts: dict[str, str]) -> MemoryProgram:
    return MemoryProgram(texts, {"python": parse})


def describe(program: MemoryProgram, declaration: Declaration) -> str:
    record = program.find_record(declaration.path)
    assert record is not None
    names: list[str] = []
    symbol = record.get_symbol(declaration.ordinal)
    while symbol.ordinal:
        names.insert(0, symbol.name)
        symbol = record.get_symbol(symbol.parent)
    return f"{declaration.path}:{'.'.join(names)}" if names else declaration.path


def resolve(texts: dict[str, str]) -> tuple[MemoryProgram, Resolution]:
    """Return what the marked name means, in any of its roles."""
    marked = [(path, match) for path, text in texts.items() for match in _MARKED.finditer(text)]
    assert len(marked) == 1, "one name is marked"
    path, match = marked[0]
    line = texts[path].count("\n", 0, match.start()) + 1
    program = build({one: _MARKED.sub(r"\1", text) for one, text in texts.items()})
    record = program.find_record(path)
    assert record is not None
    resolver = PythonResolver(program)
    for row in record.find_references(match[1]):
        reference = record.get_reference(row)
        if reference.line == line and reference.role is not ReferenceRole.BIND:
            return program, resolver.resolve(path, record, reference)
    raise AssertionError(f"no reference to {match[1]} on line {line}")


def meaning(texts: dict[str, str]) -> list[str]:
    program, resolution = resolve(texts)
    if resolution.external:
        assert not resolution.targets
        return [f"= {resolution.external}"]
    return [describe(program, target.declaration) for target in resolution.targets]


def confidences(texts: dict[str, str]) -> list[Confidence]:
    return [target.confidence for target in resolve(texts)[1].targets]


SCOPES = {
    "a function of the module": ("def f(): ...\n«f»()\n", ["a.py:f"]),
    "below its use": ("def g():\n    «f»()\ndef f(): ...\n", ["a.py:f"]),
    "a function in a function": ("def g():\n    def f(): ...\n    «f»()\ndef f(): ...\n", ["a.py:g.f"]),
    "not one in another function": ("def g():\n    def f(): ...\ndef h():\n    «f»()\n", []),
    "a method is not seen from a method": (
        "class A:\n    def f(self): ...\n    def g(self):\n        «f»()\ndef f(): ...\n",
        ["a.py:f"],
    ),
    "a name of the class in its body": ("class A:\n    x = 1\n    y = [«x»]\nx = 2\n", ["a.py:A.x"]),
    "a value from outside under its own name": ("x = 2\nclass A:\n    x: int = «x»\n", ["a.py:x"]),
    "a name of the class in an annotation": (
        "class A:\n    class B: ...\n    def f(self, b: «B»): ...\n",
        ["a.py:A.B"],
    ),
    "a setter": (
        "class A:\n    @property\n    def x(self): ...\n    @«x».setter\n    def x(self, v): ...\n",
        ["a.py:A.x"],
    ),
    "a base is not looked for in the class": ("class A: ...\nclass B(«A»):\n    A = 1\n", ["a.py:A"]),
    "nor what it is made of": (
        "from pkg import kinds\nclass B(«kinds».A):\n    kinds = 1\n",
        ["= pkg.kinds"],
    ),
    "a constant": ("LIMIT = 1\ndef f():\n    return «LIMIT»\n", ["a.py:LIMIT"]),
    "a builtin that is bound here": ("def print(): ...\n«print»()\n", ["a.py:print"]),
    "a name that is nowhere": ("«nothing»()\n", []),
    "the implementation of overloads": (
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): ...\n«f»(1)\n",
        ["a.py:f"],
    ),
    "both branches": ("if x:\n    def f(): ...\nelse:\n    def f(): ...\n«f»()\n", ["a.py:f", "a.py:f"]),
}


@pytest.mark.parametrize("case", SCOPES)
def test_bare_names(case: str) -> None:
    text, expected = SCOPES[case]
    assert meaning({"a.py": text}) == expected


PACKAGE = {
    "pkg/__init__.py": "from .shapes import Circle as Round\nfrom .deep import *\nfrom . import tools\n",
    "pkg/shapes.py": "from pkg.base import Shape\nclass Circle(Shape):\n    def area(self): ...\n",
    "pkg/base.py": "class Shape:\n    name = ''\n    def draw(self): ...\n    def _hide(self): ...\n",
    "pkg/deep/__init__.py": "from .one import *\nfrom .two import *\n",
    "pkg/deep/one.py": "def first(): ...\ndef _private(): ...\n",
    "pkg/deep/two.py": "__all__ = ['_shown']\ndef _shown(): ...\ndef unlisted(): ...\n",
    "pkg/tools.py": "import os.path\nimport pkg.base\ndef tool(): ...\nVALUE = 1\n",
    "pkg/stub.pyi": "def stubbed(): ...\n",
}

IMPORTS = {
    "from import": ("from pkg.shapes import «Circle»\n", ["pkg/shapes.py:Circle"]),
    "used": ("from pkg.shapes import Circle\n«Circle»()\n", ["pkg/shapes.py:Circle"]),
    "renamed": ("from pkg.shapes import Circle as C\n«C»()\n", ["pkg/shapes.py:Circle"]),
    "re-exported under another name": ("from pkg import «Round»\n", ["pkg/shapes.py:Circle"]),
    "not under its own": ("from pkg import «Circle»\n", []),
    "through two stars": ("from pkg import «first»\n", ["pkg/deep/one.py:first"]),
    "a star takes no private name": ("from pkg import «_private»\n", []),
    "but what __all__ names": ("from pkg.deep import «_shown»\n", ["pkg/deep/two.py:_shown"]),
    "and nothing else": ("from pkg import «unlisted»\n", []),
    "a star in the file itself": ("from pkg.deep.one import *\n«first»()\n", ["pkg/deep/one.py:first"]),
    "a module": ("from pkg import «tools»\n", ["pkg/tools.py"]),
    "a module by import": ("import pkg.tools\npkg.tools.«tool»()\n", ["pkg/tools.py:tool"]),
    "its middle": ("import pkg.deep.one\npkg.«deep».one.first()\n", ["pkg/deep/__init__.py"]),
    "a module by another name": ("import pkg.tools as t\nt.«tool»()\n", ["pkg/tools.py:tool"]),
    "through the package": ("import pkg\npkg.tools.«VALUE»\n", ["pkg/tools.py:VALUE"]),
    "what a module imports": ("from pkg import shapes\nshapes.«Shape»\n", ["pkg/base.py:Shape"]),
    "outside": ("import os.path\nos.path.«join»('a')\n", ["= os.path.join"]),
    "outside by name": ("from os.path import join as j\n«j»('a')\n", ["= os.path.join"]),
    "outside through a module of ours": ("from pkg import tools\ntools.os.«path»\n", ["= os.path"]),
    "an import in a function": (
        "def f():\n    from pkg.shapes import Circle\n    «Circle»()\n",
        ["pkg/shapes.py:Circle"],
    ),
    "is not seen outside of it": ("def f():\n    from pkg.shapes import Circle\n«Circle»()\n", []),
    "below TYPE_CHECKING": (
        "if TYPE_CHECKING:\n    from pkg.base import Shape\ndef f(a: '«Shape»'): ...\n",
        ["pkg/base.py:Shape"],
    ),
    "a stub": ("from pkg.stub import «stubbed»\n", ["pkg/stub.pyi:stubbed"]),
    "the star's module": ("from pkg.deep import «*»\n", ["pkg/deep/__init__.py"]),
    "try and except": (
        "try:\n    from pkg.base import Shape\nexcept ImportError:\n    Shape = None\n«Shape»\n",
        ["a.py:Shape", "pkg/base.py:Shape"],
    ),
    "a name that the module does not have": ("from pkg.tools import «missing»\n", []),
}


@pytest.mark.parametrize("case", IMPORTS)
def test_imports(case: str) -> None:
    text, expected = IMPORTS[case]
    assert meaning({**PACKAGE, "a.py": text}) == expected


RELATIVE = {
    "a sibling": ("pkg/x.py", "from .base import «Shape»\n", ["pkg/base.py:Shape"]),
    "a sibling module": ("pkg/x.py", "from . import «base»\n", ["pkg/base.py"]),
    "the package around": ("pkg/deep/x.py", "from ..base import «Shape»\n", ["pkg/base.py:Shape"]),
    "what the package around has": ("pkg/deep/x.py", "from .. import «Round»\n", ["pkg/shapes.py:Circle"]),
    "above the root": ("pkg/x.py", "from ....base import «Shape»\n", []),
    "an absolute name in a package is no sibling": ("pkg/x.py", "import base\n«base».Shape\n", ["= base"]),
}  # fmt: skip


@pytest.mark.parametrize("case", RELATIVE)
def test_relative_imports(case: str) -> None:
    path, text, expected = RELATIVE[case]
    assert meaning({**PACKAGE, path: text}) == expected


ROOTS = {
    "a src layout": ({"src/app/__init__.py": "", "src/app/m.py": "def f(): ..."}, "src/app/m.py:f"),
    "a lib layout": ({"lib/app/__init__.py": "", "lib/app/m.py": "def f(): ..."}, "lib/app/m.py:f"),
    "a namespace": ({"app/m.py": "def f(): ..."}, "app/m.py:f"),
    "a source before its stub": (
        {"app/__init__.py": "", "app/m.pyi": "def f(): ...", "app/m.py": "def f(): ..."},
        "app/m.py:f",
    ),
    "not beside": ({"x/src/app/m.py": "def f(): ..."}, None),
}


def test_the_only_package_of_a_name_wherever_it_stands() -> None:
    other = {"libs/one/app/__init__.py": "def f(): ...", "libs/one/app/sub/__init__.py": ""}
    text = {"libs/two/main.py": "from app import «f»\n"}
    assert meaning({**other, **text}) == ["libs/one/app/__init__.py:f"]
    for hidden in ("vendor/app/__init__.py", "tests/app/__init__.py"):
        assert meaning({hidden: "def f(): ...", **text}) == ["= app.f"]
    assert meaning({**other, **text, "libs/three/app/__init__.py": "def f(): ..."}) == ["= app.f"]
    assert meaning({**other, "libs/two/main.py": "import sub\n«sub».x\n"}) == ["= sub"]


@pytest.mark.parametrize("case", ROOTS)
def test_source_roots(case: str) -> None:
    texts, expected = ROOTS[case]
    text = "from app.m import «f»\n"
    assert meaning({**texts, "tests/test_a.py": text}) == ([expected] if expected else ["= app.m.f"])
    if expected is None:
        assert meaning({**texts, "x/tests/test_a.py": text}) == ["x/src/app/m.py:f"]


CLASSES = """
class Root:
    limit = 1
    def __init__(self):
        self.kept = 0
    def run(self): ...
    def shared(self): ...
    @property
    def child(self) -> "Child": ...
    def copy_of(self):
        return self
    def build(self) -> "Other":
        ...
    @classmethod
    def create(cls):
        return cls()
    def __enter__(self):
        return self
    def __iter__(self) -> Iterator["Child"]: ...
    def __getitem__(self, key) -> "Other": ...
    def __call__(self) -> "Child": ...

class Other:
    def run(self): ...
    def only_here(self): ...

class Child(Root, Other):
    def shared(self): ...
    def own(self): ...
    def use(self, x: Other, y: "Child | None", z: list[Other], w: dict[str, Child], v: type["Child"]):
        {body}

def make() -> Child: ...
def make_other():
    return Other()
def make_both(flag):
    if flag:
        return Other()
    return Child()
INSTANCE = Child()
"""

MEMBERS = {
    "self": ("self.«own»()", ["Child.own"]),
    "inherited": ("self.«run»()", ["Root.run"]),
    "overridden": ("self.«shared»()", ["Child.shared"]),
    "super": ("super().«shared»()", ["Root.shared"]),
    "the second base": ("self.«only_here»()", ["Other.only_here"]),
    "an attribute of self": ("self.«kept»", ["Root.kept"]),
    "of the class": ("Child.«limit»", ["Root.limit"]),
    "no such member": ("self.«nowhere»()", []),
    "an annotated parameter": ("x.«run»()", ["Other.run"]),
    "an optional one in quotes": ("y.«own»()", ["Child.own"]),
    "items of a list": ("z[0].«run»()", ["Other.run"]),
    "items of a loop": ("[i.«run»() for i in z]", ["Other.run"]),
    "values of a mapping": ("w['a'].«own»()", ["Child.own"]),
    "what its get gives": ("w.get('a').«own»()", ["Child.own"]),
    "a class as a parameter": ("v().«own»()", ["Child.own"]),
    "a constructed local": ("q = Other(); q.«run»()", ["Other.run"]),
    "the last of two": ("q = Child(); q.own()\n        q = Other()\n        q.«run»()", ["Other.run"]),
    "a local of a local": ("q = Other(); r = q\n        r.«run»()", ["Other.run"]),
    "a constructor at once": ("Other().«run»()", ["Other.run"]),
    "an annotated result": ("make().«own»()", ["Child.own"]),
    "a result without annotation": ("make_other().«run»()", ["Other.run"]),
    "two results": ("make_both(1).«run»()", ["Other.run", "Root.run"]),
    "a method's result": ("x = self.build()\n        x.«only_here»()", ["Other.only_here"]),
    "a property's type": ("self.child.«own»()", ["Child.own"]),
    "a method that returns self": ("self.copy_of().«own»()", ["Child.own"]),
    "a class method": ("Child.create().«own»()", ["Child.own"]),
    "with": ("with Child() as c: c.«own»()", ["Child.own"]),
    "a loop over an instance": ("for c in Root(): c.«own»()", ["Child.own"]),
    "an item of an instance": ("Root()[1].«only_here»()", ["Other.only_here"]),
    "a called instance": ("Root()().«own»()", ["Child.own"]),
    "a variable of the module": ("INSTANCE.«own»()", ["Child.own"]),
    "self in a function inside": ("def f():\n            self.«own»()", ["Child.own"]),
    "self in a lambda": ("f = lambda: self.«own»()", ["Child.own"]),
    "another self": ("f = lambda self: self.«own»()", ["Child.own"]),
    "its class": ("self.__class__.«limit»", ["Root.limit"]),
}


@pytest.mark.parametrize("case", MEMBERS)
def test_members(case: str) -> None:
    body, expected = MEMBERS[case]
    found = meaning({"a.py": CLASSES.replace("{body}", body)})
    assert found == [f"a.py:{one}" for one in expected]


def test_attributes_typed_in_a_constructor_across_files() -> None:
    texts = {
        "app/__init__.py": "",
        "app/engine.py": "class Engine:\n    def start(self): ...\n",
        "app/base.py": (
            "from .engine import Engine\nclass Base:\n    def __init__(self, given: Engine):\n"
            "        self.engine = Engine()\n        self.given = given\n"
        ),
        "app/car.py": (
            "from app import base as b\nclass Car(b.Base):\n    def go(self):\n        self.{0}.«start»()\n"
        ),
    }
    for attribute in ("engine", "given"):
        asked = {path: text.replace("{0}", attribute) for path, text in texts.items()}
        assert meaning(asked) == ["app/engine.py:Engine.start"]
        assert confidences(asked) == [Confidence.EXACT]


OVERRIDDEN = {
    "a property of a base is what is assigned": ("    @property\n    def x(self): ...\n", "Base.x"),
    "an annotated attribute as well": ("    x: int\n", "Base.x"),
    "a plain one is not": ("    x = 1\n", "A.x"),
}


@pytest.mark.parametrize("case", OVERRIDDEN)
def test_an_attribute_that_a_base_has_too(case: str) -> None:
    base, expected = OVERRIDDEN[case]
    text = "class A(Base):\n    def f(self):\n        self.x = 1\n        self.«x».y\n"
    assert meaning({"a.py": f"class Base:\n{base}{text}"}) == [f"a.py:{expected}"]
    own = text.replace("    def f", "    x = 2\n    def f")
    assert meaning({"a.py": f"class Base:\n{base}{own}"}) == ["a.py:A.x"]


def test_a_base_outside_may_have_anything() -> None:
    text = "import abc\nclass A(abc.Thing):\n    def f(self):\n        self.«strange_name»()\n"
    other = "class B:\n    def strange_name(self): ...\n"
    assert meaning({"a.py": text, "b.py": other}) == ["= abc.Thing.strange_name"]


ITEMS_OUTSIDE = {
    "self.tags.«copy»()": [],
    "self.tags.«append»(1)": ["= builtins.append"],
    "self.tags.copy().«extend»(1)": ["= builtins.extend"],
    "self.tags[0].«mro»()": ["= enum.Enum.mro"],
    "self.tags.pop().«mro»()": ["= enum.Enum.mro"],
    "[one.«mro»() for one in self.tags]": ["= enum.Enum.mro"],
    "[one.«mro»() for one in self.tags.copy()]": ["= enum.Enum.mro"],
    "self.named.«update»({})": ["= builtins.update"],
    "self.named['a'].«mro»()": ["= enum.Enum.mro"],
    "self.made().«mro»()": ["= enum.Enum.mro"],
    "self.one.«mro»()": ["= enum.Enum.mro"],
}


@pytest.mark.parametrize("body", ITEMS_OUTSIDE)
def test_a_list_of_something_outside_is_no_such_thing(body: str) -> None:
    text = f"""
from collections.abc import Callable
from enum import Enum

class Router:
    def __init__(
        self,
        tags: list[str | Enum],
        named: dict[str, Enum],
        made: Callable[[], Enum],
        one: Enum,
    ):
        self.tags: list[str | Enum] = tags
        self.named: dict[str, Enum] = named
        self.made: Callable[[], Enum] = made
        self.one: Enum = one
    def go(self):
        {body}
"""
    assert meaning({"a.py": text}) == ITEMS_OUTSIDE[body]


def test_the_result_of_something_outside_is_not_guessed() -> None:
    text = "import lib\nx = lib.make()\nx.«strange_name»()\n"
    other = "class B:\n    def strange_name(self): ...\n"
    assert meaning({"a.py": text}) == ["= lib.make.strange_name"]
    assert meaning({"a.py": text, "b.py": other}) == []


GUESSES = {
    "one method has the name": ("def f(x):\n    x.«unusual»()\n", [Confidence.PROBABLE]),
    "an attribute of one class": ("def f(x):\n    x.«flavour_of_it»\n", [Confidence.POSSIBLE]),
    "that the receiver is named as": ("def f(only):\n    only.«flavour_of_it»\n", [Confidence.PROBABLE]),
    "several have it": ("def f(x):\n    x.«twofold»()\n", [Confidence.POSSIBLE, Confidence.POSSIBLE]),
    "a function is no method": ("def f(x):\n    x.«plain»()\n", []),
    "a common name": ("def f(x):\n    x.«append»()\n", []),
    "a special name": ("def f(x):\n    x.«__special__»()\n", []),
    "a known class": ("class C: ...\nC().«unusual»()\n", []),
    "a builtin": ("str.«unusual»()\n", []),
}


@pytest.mark.parametrize("case", GUESSES)
def test_unknown_receivers(case: str) -> None:
    text, expected = GUESSES[case]
    other = (
        "class Only:\n    flavour_of_it = 1\n    def unusual(self): ...\n    def twofold(self): ...\n"
        "    def append(self): ...\n    def __special__(self): ...\n"
        "class Second:\n    def twofold(self): ...\ndef plain(): ...\n"
    )
    assert confidences({"a.py": text, "b.py": other}) == expected


def test_what_a_test_declares_is_guessed_in_that_test_alone() -> None:
    other = "class Fake:\n    def unusual(self): ...\n"
    text = "def f(x):\n    x.«unusual»()\n"
    assert meaning({"tests/test_b.py": other, "a.py": text}) == []
    assert meaning({"tests/test_b.py": other, "tests/test_a.py": text}) == []
    assert meaning({"tests/test_a.py": other + text}) == ["tests/test_a.py:Fake.unusual"]


def test_too_many_methods_of_a_name_are_none() -> None:
    texts = {f"m{one}.py": "class A:\n    def unusual(self): ...\n" for one in range(30)}
    assert meaning({**texts, "a.py": "def f(x):\n    x.«unusual»()\n"}) == []


def test_of_overloads_the_one_that_runs_is_guessed() -> None:
    overload = "    @overload\n    def unusual(self, a: {}): ...\n"
    whole = "    def unusual(self, a):\n        return a\n"
    other = f"class A:\n{overload.format('int')}{overload.format('str')}{whole}"
    program, resolution = resolve({"a.py": other, "b.py": "def f(x):\n    x.«unusual»(1)\n"})
    record = program.find_record("a.py")
    assert record is not None
    (target,) = resolution.targets
    assert record.get_symbol(target.declaration.ordinal).start_line == 6


def test_methods_of_another_language_are_not_guessed() -> None:
    program = MemoryProgram(
        {"a.py": "def f(x):\n    x.unusual()\n", "b.ts": "class A:\n    def unusual(self): ...\n"},
        {"python": parse, "typescript": parse},
    )
    record = program.find_record("a.py")
    assert record is not None
    reference = record.get_reference(record.find_references("unusual")[0])
    assert PythonResolver(program).resolve("a.py", record, reference).targets == ()


def test_confidence() -> None:
    text = CLASSES.replace("{body}", "pass")
    assert confidences({"a.py": text + "make().«own»()\n"}) == [Confidence.EXACT]
    assert confidences({"a.py": text + "make_other().«run»()\n"}) == [Confidence.PROBABLE]
    assert confidences({"a.py": text + "«make»()\n"}) == [Confidence.EXACT]


CYCLES = {
    "imports": {"a.py": "from b import x\n«x»()\n", "b.py": "from c import x\n", "c.py": "from a import x\n"},
    "stars": {"a.py": "from b import *\n«x»()\n", "b.py": "from a import *\n"},
    "itself": {"a.py": "from a import x\n«x»()\n"},
    "bases": {"a.py": "class A(B): ...\nclass B(A): ...\nA().«x»()\n"},
    "its own base": {"a.py": "class A(A):\n    def f(self):\n        self.«x»()\n"},
    "variables": {"a.py": "x = y\ny = x\nx.«z»()\n"},
    "results": {"a.py": "def f():\n    return g()\ndef g():\n    return f()\nf().«z»()\n"},
    "attributes": {"a.py": "class A:\n    def f(self):\n        self.a = self.b\n        self.b = self.a\n"
                           "        self.a.«z»()\n"},
    "calls": {"a.py": "class A:\n    __call__ = None\nA.__call__ = A()\nx = A()\nx()()().«z»()\n"},
    "exports": {"a.py": "import b\n__all__ = b.__all__\nfrom b import *\n«x»()\n",
                "b.py": "import a\n__all__ = a.__all__\nfrom a import *\n"},
}  # fmt: skip


@pytest.mark.parametrize("case", CYCLES)
def test_cycles_end(case: str) -> None:
    assert meaning(CYCLES[case]) == []


def test_many_stars_end_soon() -> None:
    count = 40
    stars = "".join(f"from m{one} import *\n" for one in range(count))
    texts = {f"m{one}.py": stars for one in range(count)}
    began = time.monotonic()
    assert meaning({**texts, "a.py": "from m0 import «nothing»\n"}) == []
    assert time.monotonic() - began < HANG_SECONDS


def test_many_alternatives_end_soon() -> None:
    text = "".join(
        f"x{one} = " + " or ".join(f"x{one + more}" for more in range(1, 7)) + "\n" for one in range(60)
    )
    began = time.monotonic()
    assert meaning({"a.py": text + "x0.«unusual»()\n"}) == []
    assert time.monotonic() - began < HANG_SECONDS


def test_a_deep_hierarchy_ends() -> None:
    text = "class A0:\n    def end(self): ...\n"
    text += "".join(f"class A{one}(A{one - 1}): ...\n" for one in range(1, 400))
    assert meaning({"a.py": text + "A50().«end»()\n"}) == ["a.py:A0.end"]
    assert meaning({"a.py": text + "A399().«end»()\n"}) == []


def test_order_of_bases_in_a_diamond() -> None:
    text = (
        "class Top:\n    def f(self): ...\nclass Left(Top): ...\nclass Right(Top):\n    def f(self): ...\n"
        "class Bottom(Left, Right): ...\nBottom().«f»()\n"
    )
    assert meaning({"a.py": text}) == ["a.py:Right.f"]


MODULE_NAMES = {
    "pkg/sub/mod.py": "pkg.sub.mod",
    "pkg/__init__.py": "pkg",
    "pkg/sub/__init__.py": "pkg.sub",
    "script.py": "script",
    "folder/script.py": "script",
    "src/app/m.py": "app.m",
    "x/src/space/app/m.py": "space.app.m",
    "pkg/stub.pyi": "pkg.stub",
}


@pytest.mark.parametrize("path", MODULE_NAMES)
def test_names_of_modules(path: str) -> None:
    files = dict.fromkeys([*MODULE_NAMES, "src/app/__init__.py", "x/src/space/app/__init__.py"], "")
    assert qualified_module(path, build(files)) == MODULE_NAMES[path]


def test_the_order_of_questions_does_not_matter() -> None:
    texts = {**PACKAGE, "a.py": CLASSES.replace("{body}", "self.child.own()\n        make_both(1).run()")}
    program = build(texts)
    asked = []
    for path in sorted(texts):
        record = program.find_record(path)
        assert record is not None
        asked += [(path, record, record.get_reference(row)) for row in range(record.reference_count)]
    forward, backward = PythonResolver(program), PythonResolver(program)
    first = [forward.resolve(*one) for one in asked]
    assert [backward.resolve(*one) for one in reversed(asked)] == first[::-1]
    assert any(one.targets for one in first)
