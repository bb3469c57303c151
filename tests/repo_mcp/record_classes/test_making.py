"""Record classes are what `dataclasses` makes of the same text."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from repo_mcp.record_classes import making
from tests.architecture.source_tree import ROOT, list_files

MAKERS: dict[str, Any] = {"ours": making.dataclass, "the standard's": dataclasses.dataclass}
REPLACERS: list[Callable[..., Any]] = [making.replace, dataclasses.replace]


def describe_all(*arguments: str) -> str:
    command = [sys.executable, "-m", "tests.repo_mcp.record_classes.described", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_our_classes_are_what_dataclasses_makes_of_them() -> None:
    ours = describe_all()
    assert ours.count('"fields":') > 80
    assert ours == describe_all("standard")


def test_records_are_made_here_alone() -> None:
    for file in list_files():
        if file.is_relative_to(ROOT / "repo_mcp") and "record_classes" not in file.parts:
            text = file.read_text(encoding="utf-8")
            lines = [line for line in text.splitlines() if "from dataclasses import" in line]
            taken = {name.strip() for line in lines for name in line.partition(" import ")[2].split(",")}
            assert not {"dataclass", "replace"} & taken, file


@pytest.fixture(params=list(MAKERS))
def make(request: pytest.FixtureRequest) -> Any:
    return MAKERS[request.param]


def test_defaults_are_as_they_are_written(make: Any) -> None:
    @make(frozen=True, slots=True)
    class Point:
        """A point."""

        x: int
        y: int = 2
        names: list[str] = field(default_factory=list)
        seen: frozenset[str] = field(default=frozenset(), compare=False)

        @property
        def both(self) -> int:
            return self.x + self.y

    one = Point(1)
    assert (one.both, one.names, one.seen) == (3, [], frozenset())
    assert one.names is not Point(1).names
    assert one == Point(1, seen=frozenset("a"))
    assert one != Point(1, 3)
    assert one != (1, 2, [], frozenset())
    assert repr(one).endswith("Point(x=1, y=2, names=[], seen=frozenset())")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)
    assert not hasattr(one, "__dict__")


def test_a_frozen_record_cannot_change_and_has_a_hash(make: Any) -> None:
    @make(frozen=True, slots=True)
    class Name:
        text: str

    name = Name("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        name.text = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del name.text
    assert {name: 1}[Name("a")] == 1


def test_an_open_record_changes_and_has_none(make: Any) -> None:
    @make(slots=True)
    class Tally:
        count: int = 0

    tally = Tally()
    tally.count += 1
    assert tally == Tally(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(tally)
    with pytest.raises(AttributeError):
        tally.other = 1


def test_what_a_class_has_itself_stays(make: Any) -> None:
    @make(frozen=True, slots=True)
    class Loud:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loud) and self.text.upper() == other.text.upper()

        def __hash__(self) -> int:
            return 1

        def __repr__(self) -> str:
            return self.text.upper()

    assert Loud("a") == Loud("A")
    assert hash(Loud("b")) == 1
    assert repr(Loud("a")) == "A"


def test_post_init_sets_what_is_not_given(make: Any) -> None:
    @make(frozen=True, slots=True)
    class Box:
        side: int
        area: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "area", self.side**2)

    assert Box(3).area == 9
    assert [replace(Box(3), side=4).area for replace in REPLACERS] == [16, 16]
    assert copy.copy(Box(3)) == Box(3)


@pytest.mark.parametrize("replace", REPLACERS)
def test_replacing_takes_records_of_both_kinds(replace: Callable[..., Any], make: Any) -> None:
    @make(frozen=True, slots=True)
    class Pair:
        left: int
        right: int = 0

    assert replace(Pair(1, 2), left=3) == Pair(3, 2)
    assert dataclasses.asdict(replace(Pair(1))) == {"left": 1, "right": 0}
    with pytest.raises(TypeError):
        replace(Pair(1), up=1)


@making.dataclass(frozen=True, slots=True)
class Kept:
    """Stands here to be found by its name."""

    path: str
    lines: tuple[int, ...] = ()


def test_records_travel_between_processes() -> None:
    kept = Kept("a.py", (1, 2))
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert copy.deepcopy(kept) == kept


def test_fields_are_described_once() -> None:
    assert [one.name for one in dataclasses.fields(Kept)] == ["path", "lines"]
    assert dataclasses.fields(Kept)[0] is dataclasses.fields(Kept("a.py"))[0]


def test_records_are_taken_apart_by_position() -> None:
    match Kept("a.py", (1,)):
        case Kept(path, lines):
            assert (path, lines) == ("a.py", (1,))


def test_without_slots_there_is_none() -> None:
    with pytest.raises(TypeError, match="slots"):
        making.dataclass(slots=False)
