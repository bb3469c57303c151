"""Python: names that a scope declares again, private names, descriptors, and values that are ruled out."""

from __future__ import annotations

import pytest

from repo_mcp.graph.python.resolver import PythonResolver
from repo_mcp.symbols.symbol_record import ReferenceRole
from tests.growth import assert_linear
from tests.repo_mcp.graph.resolved import Repository, parse

TEXTS = {
    "one.py": "def run(): ...\ndef only(): ...\nclass Box: ...\n",
    "two.py": "def run(): ...\n",
    "again.py": """
        def load(): ...
        first = load()
        def load(): ...
        second = load()
        def later():
            return load()
        from one import Box
        class Box(Box): ...
        made = Box()
        """,
    "branch.py": """
        import sys
        def load(): ...
        if sys.argv:
            def load(): ...
        load()
        try:
            from one import run
        except ImportError:
            def run(): ...
        run()
        try:
            from one import only
        except ImportError:
            raise
        only()
        """,
    "stars.py": "def run(): ...\nfrom one import *\nfrom two import *\nrun()\nonly()\n",
    "hidden.py": "from one import *\ndef run(): ...\nrun()\n",
    "members.py": """
        class Base:
            def __hide(self): ...
            def show(self):
                self.__hide()
        class Low(Base):
            def work(self): ...
            def work(self): ...
            def ask(self):
                self.__hide()
                self.work()
            def list(self) -> list: ...
            def type(self): ...
            def each(self) -> type: ...
            @property
            def side(self): ...
            @side.setter
            def side(self, value): ...
            def lend(self, other):
                def inner(self):
                    self.show()
                return inner
        """,
    "system.py": """
        import sys
        class Shell:
            if sys.platform == "win32":
                def open(self): ...
            else:
                def open(self): ...
            def ask(self): self.open()
        """,
    "given.py": """
        class Inner:
            def hit(self): ...
        class Reader:
            def __get__(self, owner, kind=None) -> Inner: ...
            def hit(self): ...
        class Maker:
            read = Reader()
            def __new__(cls) -> Inner: ...
            def hit(self): ...
        class Holder:
            read = Reader()
        Holder().read.hit()  # read
        Maker().hit()  # made
        """,
    "tested.py": """
        class Left:
            def go(self): ...
            def next(self) -> "Right": ...
        class Right:
            def go(self): ...
            def next(self) -> Left: ...
        class Low(Left): ...
        def tell(side: Left | Right, other: Left | Right, third: Left | Right):
            if isinstance(side, Left):
                side.go()  # left
            else:
                side.go()  # right
            side.go()  # both
            if isinstance(other, Right):
                return
            other.go()  # not right
            if not isinstance(third, Low):
                third.go()  # not low
            else:
                third.go()  # low
        def walk():
            side = Left()
            while side:
                side.go()  # either
                side = side.next()
        """,
}
CASES = {
    "above the second": ("again.py", "first =", "load", ["again.py:1 load exact"]),
    "below the second": ("again.py", "second =", "load", ["again.py:3 load exact"]),
    "in a function": ("again.py", "return load()", "load", ["again.py:3 load exact"]),
    "a base of its own name": ("again.py", "class Box", "Box", ["one.py:3 Box exact"]),
    "a class of its base's name": ("again.py", "made =", "Box", ["again.py:8 Box exact"]),
    "a private name of a base": ("members.py", "self.__hide()", "__hide", []),
    "the last method": ("members.py", "self.work()", "work", ["members.py:7 work exact"]),
    "a type called like the method": ("members.py", "-> list", "list", ["-> builtins.list"]),
    "a type called like a method above": ("members.py", "-> type", "type", ["-> builtins.type"]),
    "a parameter of an inner function": ("members.py", "self.show()", "show", ["members.py:3 show probable"]),
    "methods of branches": (
        "system.py",
        "self.open()",
        "open",
        ["system.py:4 open probable", "system.py:6 open probable"],
    ),
    "a descriptor": ("given.py", "# read", "hit", ["given.py:2 hit probable"]),
    "what `__new__` returns": ("given.py", "# made", "hit", ["given.py:2 hit exact"]),
    "the class that is tested": ("tested.py", "# left", "go", ["tested.py:2 go exact"]),
    "the other class": ("tested.py", "# right", "go", ["tested.py:5 go exact"]),
    "behind both branches": ("tested.py", "# both", "go", ["tested.py:2 go exact", "tested.py:5 go exact"]),
    "behind a branch that leaves": ("tested.py", "# not right", "go", ["tested.py:2 go exact"]),
    "a class below one": ("tested.py", "# not low", "go", ["tested.py:2 go exact", "tested.py:5 go exact"]),
    "the branch behind `not`": ("tested.py", "# low", "go", ["tested.py:2 go exact"]),
    "what a loop gives it": (
        "tested.py",
        "# either",
        "go",
        ["tested.py:2 go probable", "tested.py:5 go probable"],
    ),
    "the last star": ("stars.py", "run()", "run", ["two.py:1 run exact"]),
    "the only star that has it": ("stars.py", "only()", "only", ["one.py:2 only exact"]),
    "a star above": ("hidden.py", "run()", "run", ["hidden.py:2 run exact"]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_last_that_has_run_is_meant(repository: Repository, case: str) -> None:
    path, line, name, expected = CASES[case]
    numbers = [at for at, text in enumerate(repository.texts[path].split("\n"), 1) if line in text]
    assert repository.ask_line(path, numbers[-1], name) == expected


def test_branches_keep_what_is_above_them(repository: Repository) -> None:
    said = [
        repository.ask_line("branch.py", at, name) for at, name in ((5, "load"), (10, "run"), (15, "only"))
    ]
    assert said == [
        ["branch.py:2 load probable", "branch.py:4 load probable"],
        ["branch.py:9 run probable", "one.py:1 run probable"],
        ["one.py:2 only exact"],
    ]


def test_a_block_that_may_end_early_hides_nothing_above_it() -> None:
    tried = Repository.build(
        {
            **{path: TEXTS[path] for path in ("one.py", "two.py")},
            "use.py": """
                import contextlib
                from one import run
                with contextlib.suppress(ImportError):
                    from two import run
                run()  # either
                with open(name):
                    from two import run
                run()  # the second
                """,
        }
    )
    assert tried.ask("use.py", "# either", "run") == ["one.py:1 run probable", "two.py:1 run probable"]
    assert tried.ask("use.py", "# the second", "run") == ["two.py:1 run exact"]


def test_a_function_inside_a_block_that_leaves_sees_what_that_declares() -> None:
    inside = Repository.build(
        {
            **{path: TEXTS[path] for path in ("one.py", "two.py")},
            "use.py": """
                def work(flag):
                    if flag:
                        from one import run
                        def inner():
                            run()  # inner
                        return inner
                    from two import run
                    run()  # behind it
                """,
        }
    )
    assert inside.ask("use.py", "# inner", "run") == ["one.py:1 run probable", "two.py:1 run probable"]
    assert inside.ask("use.py", "# behind it", "run") == ["two.py:1 run exact"]


AGAIN = {
    "functions": "def run(): ...\nrun()\n",
    "imports": "from one import run\nrun()\n",
    "stars": "from one import *\nrun()\n",
}


@pytest.mark.parametrize("kind", AGAIN)
def test_names_that_are_declared_very_often_take_no_longer_each(kind: str) -> None:
    def prepare(size: int) -> Repository:
        text = "def run(): ...\n" + AGAIN[kind] * size
        return Repository.build({"one.py": "def run(): ...\n", "many.py": text})

    def run(repository: Repository) -> None:
        record = repository.program.find_record("many.py")
        assert record is not None
        resolver = PythonResolver(repository.program)
        for row in range(record.reference_count):
            reference = record.get_reference(row)
            if reference.role is ReferenceRole.CALL:
                resolver.resolve("many.py", record, reference)

    assert_linear(prepare, run, 100)


def test_blocks_that_declare_one_name_again_and_again_are_parsed_in_linear_time() -> None:
    def prepare(size: int) -> bytes:
        return b"try:\n import a\nexcept E:\n import b as a\n" * size

    assert_linear(prepare, lambda text: parse("many.py", text), 1_000)
