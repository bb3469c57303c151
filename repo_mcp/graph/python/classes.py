"""Members of Python classes: the order in which bases are searched, across files."""

from __future__ import annotations

from collections import Counter
from functools import partial

from repo_mcp.graph.python.declared import Declared, keep_in_effect
from repo_mcp.graph.python.scoping import Form, PythonScoping, Value, make_external
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag

MAX_KEPT = 20_000  # cached orders
MAX_CLASSES = 100  # in the order of one class
MAX_MEMBERS = 8  # of one name in one class: overloads, a property's setter

Class = tuple[str, int]  # path and ordinal
_NO_FILE = "\0"  # before the name of an external base, in place of its path
# External bases that add no members which programs use.
_PLAIN_BASES = frozenset({
    "builtins.object", "builtins.Exception", "abc.ABC", "typing.Generic", "typing.Protocol",
    "typing.NamedTuple", "typing.TypedDict", "typing_extensions.Protocol", "typing_extensions.TypedDict",
    "enum.Enum", "enum.IntEnum", "enum.Flag", "enum.StrEnum",
})  # fmt: skip
# External bases of tests -> all of their members, so that they have no others.
_TEST_BASES = frozenset({"unittest.TestCase", "unittest.case.TestCase", "unittest.IsolatedAsyncioTestCase"})
_TEST_MEMBERS = frozenset({
    "addAsyncCleanup", "addClassCleanup", "addCleanup", "addTypeEqualityFunc", "asyncSetUp", "asyncTearDown",
    "countTestCases", "debug", "defaultTestResult", "doClassCleanups", "doCleanups", "enterAsyncContext",
    "enterClassContext", "enterContext", "id", "longMessage", "loop_factory", "maxDiff", "run", "setUp",
    "setUpClass", "shortDescription", "skipTest", "subTest", "tearDown", "tearDownClass",
})  # fmt: skip


class PythonClasses:
    """The classes of one program. Results are cached."""

    def __init__(self, scoping: PythonScoping) -> None:
        self._scoping = scoping
        self._orders: LruCache[Class, tuple[list[Class], str]] = LruCache(MAX_KEPT)
        self._bases: LruCache[Class, tuple[list[Class], str]] = LruCache(MAX_KEPT)

    def list_order(self, start: Class) -> tuple[list[Class], str]:
        """Return a class and its bases in member lookup order, and the name of an external base ("" if none).

        The order is Python's own, as far as there is one, and has at most MAX_CLASSES. External bases are in
        it as classes without a file.
        """
        return self._orders.get(start, lambda: self._build_order(start))

    def _build_order(self, start: Class) -> tuple[list[Class], str]:
        bases: dict[Class, list[Class]] = {}
        foreign = ""
        stack = [start]
        while stack and len(bases) < MAX_CLASSES:
            one = stack.pop()
            if one in bases:
                continue
            found, outer = (
                ([], "") if _is_outside(one) else self._bases.get(one, partial(self._list_bases, one))
            )
            bases[one], foreign = found, foreign or outer
            stack += reversed(found)
        return _linearize(start, bases)[:MAX_CLASSES], foreign

    def _list_bases(self, one: Class) -> tuple[list[Class], str]:
        """Return the bases declared here, and the dotted name of an external one."""
        path, ordinal = one
        names = self._scoping.find_names(path)
        if names is None:
            return [], ""
        found: list[Class] = []
        foreign = ""
        for number, dotted in enumerate(names.list_bases(ordinal)):
            values = self.find_dotted(path, ordinal, dotted) if dotted else []
            outer = next((value.path for value in values if value.form is Form.OUTSIDE), "")
            classes = [(value.path, value.ordinal) for value in values if self.is_class(value)][:1]
            if not outer and not classes:
                found.append((f"{_NO_FILE}{path}:{ordinal}", number))
            # if a class here has that name, too, one of the two is chosen at run time
            elif outer and outer not in _PLAIN_BASES:
                found.append((f"{_NO_FILE}{outer}", 0))
            found += classes
            if dotted and not classes:
                foreign = foreign or outer or "?"
        return found, foreign

    def find_dotted(self, path: str, ordinal: int, dotted: str) -> list[Value]:
        """Return the meaning of the dotted name of a base, without looking at types of variables."""
        first, *rest = dotted.split(".")
        values = self._scoping.look_up(path, ordinal, first, skip_own=True)
        for name in rest[:20]:
            found: list[Value] = []
            for value in values:
                if value.form is Form.MODULE:
                    found += self._scoping.find_member(value.path, name)
                elif value.form is Form.OUTSIDE:
                    found.append(make_external(f"{value.path}.{name}"))
                elif self.is_class(value):
                    found += self._find_own((value.path, value.ordinal), name)
            values = found
        return values

    def is_class(self, value: Value) -> bool:
        """Return whether a value is a class object."""
        names = self._scoping.find_names_of(value)
        return names is not None and names.is_class(value.ordinal)

    def declares(self, one: Class, name: str) -> bool:
        """Return whether a class itself declares a member of a name; False for an external class."""
        return bool(self._find_own(one, name))

    def _find_own(self, one: Class, name: str) -> list[Value]:
        path, ordinal = one
        names = self._scoping.find_names(path)
        if names is None:
            return []
        ordinals = keep_in_effect(
            names, ordinal, name, Declared(names.list_declared(ordinal, name), []), 0
        ).ordinals
        found = [Value(Form.OBJECT, path, child) for child in ordinals[:MAX_MEMBERS]]
        if not found:
            for imported in names.imports.get((ordinal, name), ()):
                found += self._scoping.follow(path, imported, name)
        return found

    def find_member(self, start: Class, name: str, behind: bool = False) -> list[Value]:
        """Return the meaning of an attribute of a class or its instances; with `behind`, in its bases alone.

        If no class here has it, the result is an external name if a base is external, and empty otherwise. A
        member found after an external base is a guess: that base may have it, too.
        """
        order, foreign = self.list_order(start)
        asked = order[1:] if behind else order
        is_doubted = False
        for number, one in enumerate(asked):
            is_doubted = is_doubted or (_is_outside(one) and _may_have_member(one, name))
            found = self._find_own(one, name)
            if found:
                if self._is_assigned_in_method(found[0]):
                    found = self._find_declared(asked[number + 1 :], name) or found
                is_doubted = is_doubted or (len(found) > 1 and self._are_alternatives(found))
                if is_doubted:
                    found = [value.guessed() for value in found]
                return [
                    value._replace(owner=start) if value.form is Form.OBJECT else value for value in found
                ]
        return [make_external(f"{foreign}.{name}")] if foreign else []

    def find_private(self, start: Class, name: str, reader: Class) -> list[Value]:
        """Return the meaning of `start.__name` in the class `reader`, whose name is mangled into it."""
        own = self._get_plain_name(reader)
        for one in self.list_order(start)[0]:
            found = [] if _is_outside(one) or self._get_plain_name(one) != own else self._find_own(one, name)
            if found:
                return [value._replace(owner=start) for value in found]
        return []

    def _get_plain_name(self, one: Class) -> str:
        names = self._scoping.find_names(one[0])
        return "" if names is None else names.record.get_name(one[1]).lstrip("_")

    def _are_alternatives(self, found: list[Value]) -> bool:
        """Return whether one of several members may be meant: declared in branches, set in methods."""
        symbols = [(names, one) for one in found if (names := self._scoping.find_names(one.path)) is not None]
        return any(map(self._is_assigned_in_method, found)) or any(
            names.kinds[one.ordinal] in CALLABLE_KINDS
            and not int(names.record.flags[one.ordinal]) & SymbolFlag.FORWARD
            for names, one in symbols
            if one.form is Form.OBJECT
        )

    def _is_assigned_in_method(self, value: Value) -> bool:
        names = self._scoping.find_names_of(value)
        return names is not None and names.is_assigned_in_method(value.ordinal)

    def _find_declared(self, bases: list[Class], name: str) -> list[Value]:
        """Return the property or annotated attribute of a base that `self.x = ...` in a method assigns."""
        for one in bases:
            for value in self._find_own(one, name):
                names = self._scoping.find_names_of(value)
                if names is not None and names.is_declared_property(value.ordinal):
                    return [value]
        return []


def _linearize(start: Class, bases: dict[Class, list[Class]]) -> list[Class]:
    """Return a class and its bases in Python's order, C3; cycles are cut, contradictions ignored."""
    orders: dict[Class, list[Class]] = {}
    active: list[Class] = [start]
    while active:
        one = active[-1]
        below = [base for base in bases.get(one, ()) if base not in active]
        if waiting := [base for base in below if base not in orders]:
            active.append(waiting[0])
            continue
        orders[one] = [one, *_merge([*(orders[base] for base in below), below])]
        active.pop()
    return orders[start]


def _merge(orders: list[list[Class]]) -> list[Class]:
    """Return the classes of several orders, each before those that follow it in any of them."""
    waiting = [list(reversed(one)) for one in orders if one]
    merged: list[Class] = []
    while waiting:
        behind = Counter(each for one in waiting for each in one[:-1])
        chosen = next((one[-1] for one in waiting if one[-1] not in behind), waiting[0][-1])
        merged.append(chosen)
        waiting = [kept for one in waiting if (kept := [each for each in one if each != chosen])]
    return merged


def _is_outside(one: Class) -> bool:
    return one[0].startswith(_NO_FILE)


def _may_have_member(one: Class, name: str) -> bool:
    """Return whether an external class may have a member; those of tests have only known ones."""
    is_test = one[0].removeprefix(_NO_FILE) in _TEST_BASES
    return not is_test or name in _TEST_MEMBERS or name.startswith(("_", "assert", "fail"))
