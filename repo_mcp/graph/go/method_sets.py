"""The interfaces that types of Go satisfy by their methods, without naming them.

A type satisfies an interface if it has each method of it with the same signature, declared in any file of its
package or promoted from an embedded type: from the least depth, unless a field or two types have that name
there. An interface that embeds an external one is certainly satisfied only by a type that embeds the same
one; the methods of the standard interfaces in STANDARD are known.

Left out on purpose: checking that one type argument fits all methods, and the type sets of interfaces
(`~int`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from repo_mcp.graph.go.embedded_types import MAX_FILES, EmbeddedTypes
from repo_mcp.graph.go.lookup import GoLookup
from repo_mcp.graph.go.signatures import GoSignatures, Signature, is_same, may_be_same
from repo_mcp.graph.program import Confidence, Declaration, Program, Target, order_by_nearness
from repo_mcp.graph.typed.rules import Candidate
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import DeclaredSymbol, SymbolKind

MAX_INTERFACES = 60  # files that declare a method of one name, examined for interfaces: the nearest
_NAMED_TYPES = frozenset({SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.TYPE})
MAX_EMBEDDED = 40  # embedded types and interfaces that are followed for one method set
MAX_KEPT = 2_000  # method sets that are kept from one question to the next

_STANDARD_TEXT = """
builtin.error Error; io.Reader Read; io.Writer Write; io.Closer Close; io.Seeker Seek
io.ReadCloser Read Close; io.WriteCloser Write Close; io.ReadWriter Read Write
io.ReadWriteCloser Read Write Close; io.ReadSeeker Read Seek; io.ReadSeekCloser Read Seek Close
io.ReaderAt ReadAt; io.WriterAt WriteAt; io.ReaderFrom ReadFrom; io.WriterTo WriteTo
io.ByteReader ReadByte; io.ByteWriter WriteByte; io.StringWriter WriteString; fmt.Stringer String
sort.Interface Len Less Swap; container/heap.Interface Len Less Swap Push Pop; flag.Value String Set
net/http.ResponseWriter Header Write WriteHeader; net/http.Handler ServeHTTP; net/http.Flusher Flush
net/http.Hijacker Hijack; net/http.CloseNotifier CloseNotify; net/http.Pusher Push
net/http.RoundTripper RoundTrip; context.Context Deadline Done Err Value; io/fs.FS Open
encoding/json.Marshaler MarshalJSON; encoding/json.Unmarshaler UnmarshalJSON
encoding.TextMarshaler MarshalText; encoding.TextUnmarshaler UnmarshalText
net.Conn Read Write Close LocalAddr RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline
net.Listener Accept Close Addr; net.Error Error Timeout Temporary
"""
# Interface of the standard library, with its import path -> names of its methods.
STANDARD = {words[0]: words[1:] for one in re.split("[;\n]", _STANDARD_TEXT) if len(words := one.split()) > 1}


class _Embedded(NamedTuple):
    """A type that another one embeds at some depth."""

    type: Declaration
    # equal for types that do not hide methods of each other: those in one interface, and build alternatives
    origin: int


@dataclass(slots=True)
class _MethodSet:
    """The methods of a type or an interface, including promoted ones."""

    # (package, name): the package only if the name is not exported
    methods: dict[tuple[str, str], Signature] = field(default_factory=dict)
    own: set[tuple[str, str]] = field(default_factory=set)  # those that the type itself declares
    unknown: set[str] = field(default_factory=set)  # external types that are embedded

    @property
    def are_external(self) -> bool:
        """Return whether all methods come from external types."""
        return not any(self.methods.values())

    def satisfies(self, wanted: _MethodSet) -> Confidence | None:
        """Return how sure it is that a type with these methods satisfies an interface; None if not."""
        if not wanted.methods:
            return None
        is_certain = wanted.unknown <= self.unknown
        # what an external type has may hide a promoted method
        is_proved = not wanted.unknown and (not self.unknown or wanted.methods.keys() <= self.own)
        for key, signature in wanted.methods.items():
            if key not in self.methods:
                return None
            own = self.methods[key]
            if signature is not None and own is not None and own != signature:
                if not may_be_same(own, signature):
                    return None
                is_certain = False
            is_proved = is_proved and is_same(own, signature)
        return (
            Confidence.POSSIBLE if not is_certain else Confidence.EXACT if is_proved else Confidence.PROBABLE
        )


class MethodSets:
    """Finds the types of Go that satisfy interfaces."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._sets: LruCache[Declaration, _MethodSet] = LruCache(MAX_KEPT)
        self._lookup = GoLookup(program)
        self._signatures = GoSignatures(self._lookup)
        self.is_cut = False  # a limit was reached since the caller last reset this

    def is_interface(self, declaration: Declaration) -> bool:
        """Return whether a symbol is an interface of Go."""
        record = self._program.find_record(declaration.path)
        is_go = record is not None and self._program.find_language(declaration.path) == "go"
        return is_go and record is not None and record.get_kind(declaration.ordinal) is SymbolKind.INTERFACE

    def is_distinctive(self, interface: Declaration) -> bool:
        """Return True: in Go, a single method is reason enough to look for the types that have it."""
        return True

    def list_satisfying(self, interface: Declaration) -> list[Target]:
        """Return the types that satisfy an interface without naming it, by path and ordinal."""
        if self._program.find_language(interface.path) != "go":
            return []
        reader = _Reader(self._program, self._sets)
        interface = next(iter(reader.lookup.list_meant(interface)), interface)
        if reader.lookup.get_kind(interface) is not SymbolKind.INTERFACE:
            return []
        wanted = reader.read(interface)
        if not wanted.methods:
            return []
        declaring = {
            name: self._program.list_declaring(name)
            for (_, name), signature in wanted.methods.items()
            if signature is not None or wanted.are_external
        }
        rarest = min(declaring, key=lambda name: (len(declaring[name]), name))
        found = []
        having = reader.list_with_method(self._list_near(declaring[rarest], interface.path), rarest)
        self.is_cut = self.is_cut or reader.is_cut
        for one in having:
            confidence = reader.read(one).satisfies(wanted)
            if confidence is not None and interface not in reader.list_named(one):
                found.append(Target(one, confidence))
        return sorted(found, key=lambda one: (one.declaration.path, one.declaration.ordinal))

    def list_satisfied(self, owner: Declaration, name: str = "") -> list[Target]:
        """Return the interfaces that a type satisfies without naming them.

        With `name`, only interfaces that have a method of that name.
        """
        if self._program.find_language(owner.path) != "go":
            return []
        reader = _Reader(self._program, self._sets)
        return self._list_satisfied(reader, reader.find_types(owner), name)

    def _list_satisfied(self, reader: _Reader, types: list[Declaration], name: str) -> list[Target]:
        found: dict[Declaration, Confidence] = {}
        for one in types:
            own = reader.read(one)
            named = reader.list_named(one)
            for asked in dict.fromkeys([name] if name else (key[1] for key in own.methods)):
                paths = self._list_near(self._program.list_declaring(asked), one.path)[:MAX_INTERFACES]
                for interface in reader.list_interfaces(paths, asked):
                    confidence = own.satisfies(reader.read(interface))
                    if confidence is not None and interface not in named:
                        found[interface] = confidence
        self.is_cut = self.is_cut or reader.is_cut
        ordered = sorted(found, key=lambda one: (one.path, one.ordinal))
        return [Target(one, found[one]) for one in ordered]

    def list_implementing(self, method: Declaration) -> list[Target]:
        """Return the methods that implement a method of an interface, in the types that satisfy it."""
        record = self._program.find_record(method.path)
        if record is None:
            return []
        name = record.get_symbol(method.ordinal).name
        interface = Declaration(method.path, record.get_parent(method.ordinal))
        satisfying = self.list_satisfying(interface)
        reader = _Reader(self._program, self._sets)
        found: dict[Declaration, Confidence] = {}
        for target in satisfying:
            for one in reader.list_methods(target.declaration, name):
                found.setdefault(one, target.confidence)
        return [Target(one, confidence) for one, confidence in found.items()]

    def list_implemented(self, method: Declaration) -> list[Target]:
        """Return the methods of interfaces that a method implements.

        Its type satisfies them, or a type that embeds its type.
        """
        record = self._program.find_record(method.path)
        if record is None or record.get_symbol(method.ordinal).kind is not SymbolKind.METHOD:
            return []
        if self._program.find_language(method.path) != "go":
            return []
        name = record.get_symbol(method.ordinal).name
        reader = _Reader(self._program, self._sets)
        types = reader.find_types(Declaration(method.path, record.get_parent(method.ordinal)))
        having = [one for one in reader.add_embedding(types) if method in reader.list_methods(one, name)]
        found = []
        for target in self._list_satisfied(reader, having, name):
            other = self._program.find_record(target.declaration.path)
            for ordinal in other.find_symbols(name) if other is not None else ():
                assert other is not None
                if other.get_parent(ordinal) == target.declaration.ordinal:
                    found.append(Target(Declaration(target.declaration.path, ordinal), target.confidence))
        return found

    def list_names(self, declaration: Declaration) -> list[Declaration]:
        """Return the aliases of a type in its package; of an alias, the type and its other aliases."""
        record = self._program.find_record(declaration.path)
        if record is None or self._program.find_language(declaration.path) != "go":
            return []
        if record.get_kind(declaration.ordinal) not in _NAMED_TYPES:
            return []
        lookup = self._lookup
        types = lookup.list_meant(declaration)
        found = dict.fromkeys([*types, *(alias for one in types for alias in lookup.list_aliases(one))])
        return [one for one in found if one != declaration]

    def may_be_same(self, one: Declaration, other: Declaration) -> bool:
        """Return whether two methods of one name may have the same signature."""
        left, right = self._write(one), self._write(other)
        return left is None or right is None or left == right or may_be_same(left, right)

    def _write(self, method: Declaration) -> Signature:
        """Return the signature of a method; None if it is not known."""
        record = self._program.find_record(method.path)
        return (
            None if record is None else self._signatures.write(method.path, record.get_symbol(method.ordinal))
        )

    def satisfies(self, owner: Declaration, interface: Declaration) -> bool:
        """Return whether a type may satisfy an interface: False only if its methods rule it out."""
        reader = _Reader(self._program, self._sets)
        wanted = reader.read(interface)
        return not wanted.methods or reader.read(owner).satisfies(wanted) is not None

    def _list_near(self, paths: Sequence[str], near: str) -> list[str]:
        own = [path for path in paths if self._program.find_language(path) == "go"]
        self.is_cut = self.is_cut or len(own) > MAX_FILES
        return order_by_nearness(own, near)[:MAX_FILES]


class _Reader(EmbeddedTypes):
    """Reads method sets for one question, those that are not kept from others."""

    def __init__(self, program: Program, sets: LruCache[Declaration, _MethodSet]) -> None:
        super().__init__(program)
        self._sets = sets
        self._signatures = GoSignatures(self.lookup)

    def list_own_methods(self, owner: Declaration, name: str) -> list[Declaration]:
        """Return the methods of a name that a type declares itself, in any file of its package."""
        return [
            Declaration(other.path, ordinal)
            for other, part in self._iter_parts(owner)
            for ordinal in other.record.find_children(part, name)
            if other.get_kind(ordinal) is SymbolKind.METHOD
        ]

    def list_methods(self, owner: Declaration, name: str) -> list[Declaration]:
        """Return the methods of a name that a type declares, or else those promoted from the least depth.

        A method that is promoted from an embedded interface is left out, since no type declares it.
        """
        level, met = [_Embedded(owner, 0)], {owner}
        while level and len(met) <= MAX_EMBEDDED:
            found = [(one, method) for one in level for method in self.list_own_methods(one.type, name)]
            hides = any(self._has_field(one.type, name) for one in level)
            if len({one.origin for one, _ in found}) > 1 or hides:
                return []  # an ambiguous name: none is promoted
            if found:
                return list(dict.fromkeys(each for one, each in found if not self.is_interface(one.type)))
            level = self._list_below(_MethodSet(), level, met)
            met.update(one.type for one in level)
        return []

    def _iter_methods(self, owner: Declaration) -> Iterator[tuple[Declaration, DeclaredSymbol]]:
        """Yield the methods that a type declares itself, in any file and under any name of its package."""
        for other, part in self._iter_parts(owner):
            for ordinal in other.record.list_children(part):
                if other.get_kind(ordinal) is SymbolKind.METHOD:
                    yield Declaration(other.path, ordinal), other.get_symbol(ordinal)

    def _iter_parts(self, owner: Declaration) -> Iterator[Candidate]:
        """Yield what holds the methods of a type, in any file and under any name of its package."""
        for one in (owner, *self.lookup.list_aliases(owner)):
            scope = self.lookup.find_scope(one.path)
            name = "" if scope is None else scope.get_name(one.ordinal)
            for other, part in () if scope is None else self.lookup.iter_named(scope, name, (scope.folder,)):
                if Declaration(other.path, part) == one or other.get_kind(part) is SymbolKind.EXTENSION:
                    yield other, part

    def read(self, owner: Declaration) -> _MethodSet:
        """Return the methods of a type or an interface."""
        return self._sets.get(owner, lambda: self._read(owner))

    def _read(self, owner: Declaration) -> _MethodSet:
        found = _MethodSet()
        level, seen = [_Embedded(owner, 0)], {owner}
        # names that fields, or several methods, have at a lesser depth
        hidden: set[tuple[str, str]] = set()
        while level and len(seen) <= MAX_EMBEDDED:
            hidden |= self._add_level(found, level, hidden)
            found.own |= found.methods.keys() if len(seen) == 1 else set()
            level = self._list_below(found, level, seen)
            seen.update(one.type for one in level)
        return found

    def _list_below(
        self, found: _MethodSet, level: list[_Embedded], seen: set[Declaration]
    ) -> list[_Embedded]:
        """Return the types that those at one depth embed, each at most twice; record external ones."""
        below: list[_Embedded] = []
        times: Counter[Declaration] = Counter()
        origin = max(one.origin for one in level)
        for one in level:
            is_interface = self.is_interface(one.type)
            for declarations, outside in self.iter_embedded(one.type):
                origin += 1
                if not declarations:
                    _add_external(found, outside)
                for each in declarations:  # several if a build chooses between files
                    times[each] += 1
                    if each not in seen and times[each] <= 2:
                        below.append(_Embedded(each, one.origin if is_interface else origin))
        return below

    def _add_level(
        self, found: _MethodSet, level: list[_Embedded], hidden: set[tuple[str, str]]
    ) -> set[tuple[str, str]]:
        """Add the methods of types at one depth; return the names that those at a greater depth cannot have.

        A field hides methods of its name. So do two types at one depth, unless one interface embeds both.
        """
        methods: dict[tuple[str, str], Signature] = {}
        origins: dict[tuple[str, str], int] = {}
        taken: set[tuple[str, str]] = set()
        for one in level:
            for declaration, symbol in self._iter_methods(one.type):
                key = self._name_key(declaration, symbol.name)
                if origins.setdefault(key, one.origin) != one.origin:
                    taken.add(key)
                methods.setdefault(key, self._signatures.write(declaration.path, symbol))
            taken.update(self._name_key(each, name) for each, name in self._iter_fields(one.type))
        for key, signature in methods.items():
            if key not in hidden and key not in taken:
                found.methods.setdefault(key, signature)
        return taken - found.methods.keys()

    def _iter_fields(self, owner: Declaration) -> Iterator[tuple[Declaration, str]]:
        """Yield the fields of a struct with their names."""
        scope = self.lookup.find_scope(owner.path)
        for ordinal in scope.record.list_children(owner.ordinal) if scope is not None else ():
            assert scope is not None
            if scope.get_kind(ordinal) is SymbolKind.PROPERTY:
                yield Declaration(owner.path, ordinal), scope.get_name(ordinal)

    def _has_field(self, owner: Declaration, name: str) -> bool:
        """Return whether a struct has a field of a name."""
        scope = self.lookup.find_scope(owner.path)
        found = [] if scope is None else scope.record.find_children(owner.ordinal, name)
        return scope is not None and any(scope.get_kind(one) is SymbolKind.PROPERTY for one in found)

    def _name_key(self, declaration: Declaration, name: str) -> tuple[str, str]:
        """Return the name of a method, with its package if the name is not exported."""
        scope = self.lookup.find_scope(declaration.path)
        hidden = scope is not None and not name[:1].isupper()
        return (scope.folder if scope is not None and hidden else "", name)


def _add_external(found: _MethodSet, outside: str) -> None:
    """Add an external type, or its methods if they are known."""
    if outside not in STANDARD:
        found.unknown.add(outside)
    for name in STANDARD.get(outside, ()):
        found.methods.setdefault(("", name), None)
