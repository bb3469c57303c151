"""Types that say nothing, such as type variables and Any, and what a call or a descriptor makes of them."""

from __future__ import annotations

import pytest

from tests.repo_mcp.graph.resolved import Repository

TEXTS = {
    "engine.py": """
        class Engine:
            def start_up(self): ...
            def copy_of(self) -> "Engine": ...
        class Other:
            def start_up(self): ...
        class Runner:
            def run_all(self): ...
            def setter(self): ...
        """,
    "late.py": """
        from typing import Generic, TypeVar, overload
        from engine import Engine
        T = TypeVar("T")
        class Late(Generic[T]):
            @overload
            def __get__(self, instance: None, owner) -> "Late[T]": ...
            @overload
            def __get__(self, instance: "Crawler", owner) -> T: ...
            def __get__(self, instance, owner) -> "Late[T] | T":
                return self
        class Crawler:
            engine: Late[Engine] = Late()
        def make(kind: type[T], *more: object) -> T: ...
        """,
    "use.py": """
        from typing import Any
        import engine
        from late import Crawler, make
        from unknown import unknown
        from .gone import Base
        class Derived(Base): ...
        def run(crawler: Crawler, value: Any, derived: Derived):
            crawler.engine.start_up()  # 1
            made = make(engine.Engine, 1)
            made.start_up()  # 2
            make(engine.Engine).copy_of().start_up()  # 3
            made.run_all()  # 4
            make(unknown).run_all()  # 5
            value.run_all()  # 6
            value.first.run_all()  # 7
            derived.run_all()  # 8
            value.start_up()  # 9
            @value.setter
            def other(): ...
        """,
}
FIRST = ["engine.py:2 start_up probable"]
ALONE = ["engine.py:7 run_all probable"]


@pytest.mark.parametrize(
    ("line", "name", "said"),
    [
        ("# 1", "start_up", FIRST),
        ("# 2", "start_up", FIRST),
        ("# 3", "start_up", FIRST),
        ("# 4", "run_all", []),
        ("# 5", "run_all", ALONE),
        ("# 6", "run_all", ALONE),
        ("# 7", "run_all", []),
        ("# 8", "run_all", ALONE),
        ("# 9", "start_up", ["engine.py:2 start_up possible", "engine.py:5 start_up possible"]),
        ("@value.setter", "setter", ["-> typing.Any.setter"]),
    ],
)
def test_a_member_of_a_value_of_any_type(line: str, name: str, said: list[str]) -> None:
    assert Repository.build(TEXTS).ask("use.py", line, name) == said
