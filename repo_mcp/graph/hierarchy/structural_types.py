"""The interfaces that classes satisfy by their shape, without naming them; the protocols of Python are such.

Subclasses of ShapeReader (`repo_mcp/graph/shape.py`) decide when a class satisfies an interface. They compare
types only as far as these are plain, so such edges are `possible`. A class is left out if one of its bases
also satisfies the interface, or if it or a base names the interface.

An interface counts if it requires a member that may be called. Common data says nothing about a class:
hundreds have a `name` or an `id`. If an interface requires a single member, at most MAX_ALIKE files may
declare that name: any class may have a `dispose` or a `render`. An interface with an external base is
satisfied only by classes with that base.

Left out on purpose: interfaces that satisfy interfaces, since no call runs them; objects without a class; and
a class that has some of the required members from a base of a base, where the base between has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set

from repo_mcp.graph.program import Confidence, Declaration, Program, Target, order_by_nearness
from repo_mcp.graph.shape import MEMBERS, Shape, ShapeReader
from repo_mcp.lru_cache import LruCache

MAX_ALIKE = 40  # files that declare the only member that an interface requires
MAX_FILES = 500  # files that are examined for one question
MAX_HELD = 400  # files that a reader may hold from one question to the next: some 20 MB
CACHED = 20_000  # types in cached answers, and files in cached counts
Asked = tuple[Declaration, str]  # a type, and the name of a member or ""
Found = tuple[list[Declaration], bool]  # the types, and whether a limit was reached


class StructuralTypes:
    """The classes of one program by the interfaces that they satisfy. Used by one call at a time."""

    def __init__(self, program: Program, languages: frozenset[str], make: Callable[[], ShapeReader]) -> None:
        """Read nothing yet. `make` returns a reader of the shapes of some languages."""
        self._program = program
        self._languages = languages
        self._make = make
        self._reader = make()
        self.is_cut = False  # a limit was reached since the caller last reset this
        self._satisfying: LruCache[Asked, Found] = LruCache(CACHED, _weigh)
        self._satisfied: LruCache[Asked, Found] = LruCache(CACHED, _weigh)
        self._counts: LruCache[Declaration, Counter[str]] = LruCache(CACHED, len)

    def _begin(self) -> ShapeReader:
        """Return the reader, or a new one if it holds the files of too many shapes."""
        if self._reader.count_held() > MAX_HELD:
            self._reader = self._make()
        return self._reader

    def is_interface(self, declaration: Declaration) -> bool:
        """Return whether a symbol is an interface of these languages."""
        is_ours = self._program.find_language(declaration.path) in self._languages
        return is_ours and self._begin().is_interface(declaration)

    def is_distinctive(self, declaration: Declaration) -> bool:
        """Return False if an interface requires too little to look for the classes that satisfy it.

        A member stands for its interface.
        """
        record = self._program.find_record(declaration.path)
        if record is None or self._program.find_language(declaration.path) not in self._languages:
            return True
        symbol = record.get_symbol(declaration.ordinal)
        ordinal = symbol.parent if symbol.kind in MEMBERS else symbol.ordinal
        reader, interface = self._begin(), Declaration(declaration.path, ordinal)
        return not reader.is_interface(interface) or self._is_distinctive(reader.read(interface))

    def _is_distinctive(self, wanted: Shape) -> bool:
        required = wanted.list_required()
        members = [symbol for name in required for _, symbol in wanted.members[name]]
        if wanted.is_keyless or not any(map(self._reader.is_callable, members)):
            return False
        return len(required) > 1 or len(self._program.list_declaring(required[0])) <= MAX_ALIKE

    def list_satisfying(self, interface: Declaration) -> list[Target]:
        """Return the classes that satisfy an interface without naming it, by path and ordinal."""
        return self._answer(self._satisfying, (interface, ""), self._find_satisfying)

    def list_satisfied(self, owner: Declaration, name: str = "") -> list[Target]:
        """Return the interfaces that a class, but none of its bases, satisfies without naming them.

        With `name`, only interfaces with that member are returned.
        """
        return self._answer(self._satisfied, (owner, name), self._find_satisfied)

    def _answer(
        self,
        known: LruCache[Asked, Found],
        asked: Asked,
        find: Callable[[Declaration, str], Found],
    ) -> list[Target]:
        if self._program.find_language(asked[0].path) not in self._languages:
            return []

        def search() -> Found:
            found, is_cut = find(*asked)
            return sorted(set(found), key=lambda one: (one.path, one.ordinal)), is_cut

        found, is_cut = known.get(asked, search)
        self.is_cut = self.is_cut or is_cut
        return [Target(one, Confidence.POSSIBLE) for one in found]

    def _find_satisfying(self, interface: Declaration, _: str) -> Found:
        reader = self._begin()
        if not reader.is_interface(interface) or not self._is_distinctive(reader.read(interface)):
            return [], False
        required = set(reader.read(interface).list_required())
        declaring = {name: self._list_declaring(name) for name in required}
        rarest = min(required, key=lambda name: (len(declaring[name]), name))
        paths = order_by_nearness(declaring[rarest], interface.path)
        examined = paths[:MAX_FILES]
        found = [one for path in examined for one in reader.list_classes(path, rarest, required)]
        kept = [one for one in found if reader.satisfies(one, interface)]
        owners = {one for path in examined for one in reader.list_classes(path, rarest, frozenset())}
        below, is_cut = self._find_below(owners.difference(kept), interface, rarest)
        kept += below
        first = [one for one in kept if reader.satisfies_first(one, interface)]
        return first, is_cut or len(paths) > MAX_FILES

    def _find_below(self, bases: Set[Declaration], interface: Declaration, rarest: str) -> Found:
        """Return the classes below `bases` that satisfy an interface with members of both.

        The bases declare the member `rarest`. A class may also replace an optional member that is private or
        of another type in a base. Each class is examined once, however many bases and members there are.
        """
        reader, program = self._reader, self._program
        wanted = reader.read(interface)
        names, required = sorted(wanted.members), set(wanted.list_required())
        others = {path for name in names if name != rarest and bases for path in self._list_declaring(name)}
        records = ((one, program.find_record(one.path)) for one in bases if others)
        called = {record.get_name(one.ordinal) for one, record in records if record is not None}
        using = sorted({path for name in called for path in program.list_using(name)} & others)
        paths = order_by_nearness(using, interface.path)
        classes = {
            one
            for path in paths[:MAX_FILES]
            for name in names
            for one in reader.list_classes(path, name, required)
        }
        found = [
            one
            for one in classes
            if not bases.isdisjoint(reader.read(one).above) and reader.satisfies(one, interface)
        ]
        return found, len(paths) > MAX_FILES

    def _find_satisfied(self, owner: Declaration, name: str) -> Found:
        reader = self._begin()
        if not reader.is_class(owner):
            return [], False
        own = reader.read(owner).members
        asked = [name] if name in own else [] if name else sorted(own)
        found: dict[Declaration, bool] = {}
        left = MAX_FILES
        for one in asked:
            paths = self._list_promising(owner, one, own)
            for path in order_by_nearness(paths, owner.path)[: max(left, 0)]:
                for interface in reader.list_interfaces(path, one, own.keys()):
                    if interface not in found:
                        is_distinctive = self._is_distinctive(reader.read(interface))
                        found[interface] = is_distinctive and reader.satisfies_first(owner, interface)
            left -= len(paths)
        return [one for one, is_satisfied in found.items() if is_satisfied], left < 0

    def _list_promising(self, owner: Declaration, name: str, members: Iterable[str]) -> Sequence[str]:
        """Return the files that may declare an interface with a member of a class, which this satisfies.

        Such an interface requires another member that the class has, too, or this one is rare. The files of
        all members are counted only where that matters, once for a class, which may have thousands.
        """
        declaring = self._list_declaring(name)
        paths = self._reader.keep_with_interfaces(declaring)
        if not paths or len(declaring) <= MAX_ALIKE:
            return paths
        counts = self._counts.get(
            owner, lambda: Counter(path for one in members for path in self._list_declaring(one))
        )
        return [path for path in paths if counts[path] > 1]

    def list_implementing(self, method: Declaration) -> list[Target]:
        """Return the members that implement a method of an interface, in the classes that satisfy it."""
        record = self._program.find_record(method.path)
        if record is None or not record.get_parent(method.ordinal):
            return []
        name = record.get_symbol(method.ordinal).name
        satisfying = self.list_satisfying(Declaration(method.path, record.get_parent(method.ordinal)))
        reader = self._begin()
        each = (reader.read(target.declaration).members.get(name, ()) for target in satisfying)
        found = dict.fromkeys(Declaration(path, own.ordinal) for members in each for path, own in members)
        return [Target(one, Confidence.POSSIBLE) for one in found]

    def list_implemented(self, method: Declaration) -> list[Target]:
        """Return the members of interfaces that a method implements, because its class satisfies them."""
        record = self._program.find_record(method.path)
        symbol = record.get_symbol(method.ordinal) if record is not None else None
        if symbol is None or symbol.kind not in MEMBERS:
            return []
        satisfied = self.list_satisfied(Declaration(method.path, symbol.parent), symbol.name)
        found = []
        for target in satisfied:
            for path, own in self._begin().read(target.declaration).members[symbol.name]:
                found.append(Target(Declaration(path, own.ordinal), Confidence.POSSIBLE))
        return found

    def _list_declaring(self, name: str) -> list[str]:
        paths = self._program.list_declaring(name)
        return [path for path in paths if self._program.find_language(path) in self._languages]


def _weigh(found: Found) -> int:
    return 1 + len(found[0])
