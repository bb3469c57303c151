"""Makes record classes: with slots, compared by their fields, and frozen if asked.

`dataclasses` compiles six functions for each class. Here all classes share five of them, and `__init__` is
compiled when the first record is made: most classes that a command imports never have one. To `dataclasses`
they are its own: `fields`, `asdict` and `is_dataclass` take them, and so does its slower `replace`.

Left out on purpose: classes without slots, fields of base classes, order, keyword-only fields, ClassVar and
InitVar. `tests/repo_mcp/record_classes/test_making.py` holds our classes to what `dataclasses` makes of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field
from operator import attrgetter
from typing import Any, NamedTuple

_Decorator = Callable[[type], type]


class _Row(NamedTuple):
    """One field of a record class."""

    name: str
    default: Any  # MISSING where there is none
    default_factory: Any
    is_given: bool  # to `__init__`; else `__post_init__` sets it
    is_compared: bool


class _Fields:
    """The fields of a class as `dataclasses` describes them, for the few who ask."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self._rows = rows
        self._described: dict[str, Field[Any]] = {}  # once: it compiles a class

    def __get__(self, _record: object, made: type) -> dict[str, Field[Any]]:
        if not self._described:
            specified = [(row.name, made.__annotations__[row.name], _specify(row)) for row in self._rows]
            described = dataclasses.fields(dataclasses.make_dataclass("_", specified))
            self._described = {one.name: one for one in described}
        return self._described


def dataclass(*, slots: bool, frozen: bool = False) -> _Decorator:
    """Return what makes a record class of a class with annotations. Raises TypeError unless with slots."""
    if not slots:
        raise TypeError("a record class has slots")
    return _make_frozen if frozen else _make_open


def _make_frozen(cls: type) -> type:
    return _make(cls, _OF_FROZEN)


def _make_open(cls: type) -> type:
    return _make(cls, _OF_OPEN)


def _make(cls: type, shared: dict[str, Any]) -> type:
    """Return the class again, with slots and those of the shared methods that it does not have itself."""
    own = dict(cls.__dict__)
    rows = [_read_row(name, own.pop(name, MISSING)) for name in cls.__annotations__]
    for name in ("__dict__", "__weakref__"):
        own.pop(name, None)
    if own.get("__hash__") is None:  # as Python leaves it beside an `__eq__`
        own.pop("__hash__", None)
    names = tuple([row.name for row in rows])
    own |= {
        "__slots__": names,
        "__match_args__": names,
        "__dataclass_fields__": _Fields(rows),
        "__record_given__": [row.name for row in rows if row.is_given],
        "__record_values__": _get_values([row.name for row in rows if row.is_compared]),
    }
    made: Any = type(cls)(cls.__name__, cls.__bases__, shared | own)
    made.__qualname__ = cls.__qualname__

    def build_init(self: Any, *values: Any, **named: Any) -> None:
        made.__init__ = _build_init(made, rows, is_frozen=shared is _OF_FROZEN)
        made.__init__(self, *values, **named)

    made.__init__ = build_init
    return made  # type: ignore[no-any-return]


def _read_row(name: str, value: Any) -> _Row:
    if isinstance(value, Field):
        return _Row(name, value.default, value.default_factory, value.init, value.compare)
    return _Row(name, value, MISSING, is_given=True, is_compared=True)


def _specify(row: _Row) -> Any:
    return dataclasses.field(
        default=row.default, default_factory=row.default_factory, init=row.is_given, compare=row.is_compared
    )


def _get_values(names: Sequence[str]) -> Callable[[Any], Any]:
    """Return a function from a record to a tuple of its values, which is not a method of it."""
    if len(names) > 1:
        return attrgetter(*names)
    return staticmethod(lambda record: tuple([getattr(record, name) for name in names]))


def _build_init(made: type, rows: Sequence[_Row], *, is_frozen: bool) -> Callable[..., None]:
    """Return the `__init__` of a class. What is compiled for it is made of the names of its fields alone."""
    known: dict[str, Any] = {"_missing": MISSING}
    parameters, body = ["self"], []
    for row in rows:
        name = value = row.name
        if row.default_factory is not MISSING:
            known[f"_make_{name}"] = row.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif row.default is not MISSING:
            known[f"_default_{name}"] = row.default
            parameters.append(f"{name}=_default_{name}")
        elif row.is_given:
            parameters.append(name)
        else:
            continue
        if is_frozen:  # the slot's own setter: `__setattr__` refuses, and object's takes twice as long
            known[f"_set_{name}"] = getattr(made, name).__set__
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _represent(self: Any) -> str:
    fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__match_args__])
    return f"{type(self).__qualname__}({fields})"


def _equals(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self.__record_values__
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(self.__record_values__(self))


def _refuse(self: Any, name: str, *_value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"{type(self).__qualname__} is frozen: {name} cannot change")


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    """Return how a copy is made; of a frozen record with slots Python cannot make one by itself."""
    return type(self), tuple([getattr(self, name) for name in self.__record_given__])


_OF_OPEN = {"__repr__": _represent, "__eq__": _equals, "__hash__": None, "__reduce__": _reduce}
_OF_FROZEN = {**_OF_OPEN, "__hash__": _hash, "__setattr__": _refuse, "__delattr__": _refuse}


def replace(record: Any, /, **changes: Any) -> Any:
    """Return a copy of a record with some fields changed. Takes what `dataclasses` made, too."""
    if not hasattr(record, "__record_given__"):
        return dataclasses.replace(record, **changes)
    for name in record.__record_given__:
        if name not in changes:
            changes[name] = getattr(record, name)
    return type(record)(**changes)
