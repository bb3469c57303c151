"""Name rules of C and C++: visibility through includes, file-local static functions, and namespaces.

A name may mean a declaration in a file that is included, directly or through others (`includes.py`). A
prototype means its definition, if there is only one. If nothing that declares the name is included, the only
definition in the repository is probable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from repo_mcp.graph.c.conditions import (
    Setting,
    Settings,
    excludes,
    excludes_surely,
    is_narrower,
    lacks_condition,
)
from repo_mcp.graph.c.cpp_parameters import list_types
from repo_mcp.graph.c.includes import IncludeGraph
from repo_mcp.graph.c.macro_defaults import RESERVED, MacroDefaults
from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.file_scope import FileScope, split_name
from repo_mcp.graph.typed.rules import OUTSIDE, Candidate, Path, Rules
from repo_mcp.symbols.model import NAMESPACE
from repo_mcp.symbols.symbol_record import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    Reference,
    ReferenceRole,
    SymbolKind,
    list_references,
)

MAX_STUBS = 8  # declarations of one name that are compared, to tell stubs from overloads
MAX_OPENING = 8  # files that are read of those that define one macro
_OPENING = "NAMESPACE"  # in the names of macros that open a namespace
ELSEWHERE = -1  # a number of alternatives: something outside the repository has that name
_NEVER_LINKED = TYPE_KINDS | {SymbolKind.PROPERTY, SymbolKind.ENUM_MEMBER, SymbolKind.MACRO}
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inc", ".inl", ".ipp", ".tcc", ".cuh")
# Members of containers of C++ and Qt that return an item, or an iterator, which is treated as an item.
_GIVING_TEXT = """
at back begin cbegin cend constBegin constFind constFirst constLast crbegin end erase find first front last
lower_bound rbegin rend takeAt takeFirst takeLast top upper_bound value
"""
_GIVING_ITEM = frozenset(_GIVING_TEXT.split())


class CRules(Rules):
    """The rules of C and C++. Full paths are namespaces and names."""

    languages = frozenset({"c", "cpp"})
    has_implicit_members = True
    declares_before_use = True
    allows_redeclaration = True
    has_overloads = True
    guesses_bare = True  # not every included file is found: the compiler is given folders
    # These may have the names of what libraries declare.
    unsure_kinds = frozenset({SymbolKind.PROPERTY, SymbolKind.MACRO})
    has_extensions = True
    checks_extensions = True
    self_words = frozenset({"this"})
    type_parameters = frozenset({"TypeParam"})  # in the typed tests of gtest
    item_getters = _GIVING_ITEM
    list_filters = frozenset({"values"})
    projections = frozenset({"second"})  # an item of a map is treated as its value

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.includes = IncludeGraph.find(program)
        self._settings = Settings()
        self._defaults = MacroDefaults(program, self._settings, self._iter_declared)
        self._opened: dict[str, tuple[int, Path]] = {}
        self.transparent = frozenset({"get"})

    # Names

    def get_full_path(self, scope: FileScope, ordinal: int) -> Path:
        """Return the full path of a symbol.

        For a macro, it is the name alone. For the value of an enum, it lacks the name of the enum, or of the
        macro that lists it, except in an `enum class`. In C, where a type is no scope, the paths of types and
        values also lack the types around them.
        """
        around = [one for one in scope.iter_around(ordinal) if one]
        kind, is_c = scope.get_kind(ordinal), scope.language == "c"
        if kind is SymbolKind.MACRO:
            return (scope.get_name(ordinal),)
        opened = self._find_macro_namespace(scope, ordinal)
        is_value = kind is SymbolKind.ENUM_MEMBER and not scope.has_type(ordinal)
        if not is_value and not (is_c and kind in TYPE_KINDS):
            return opened + super().get_full_path(scope, ordinal)
        left_out = {*(TYPE_KINDS if is_c else ()), SymbolKind.ENUM, SymbolKind.MACRO}
        kept = [one for one in around if one == ordinal or scope.get_kind(one) not in left_out]
        return opened + tuple(scope.get_name(one) for one in reversed(kept))

    def _find_macro_namespace(self, scope: FileScope, ordinal: int) -> Path:
        """Return the namespace that a macro such as `FMT_BEGIN_NAMESPACE` opens above a symbol, or ().

        It is taken to reach to the end of the file, where another macro closes it.
        """
        if scope.path not in self._opened:
            strings = scope.record.strings
            names = frozenset(one for one in strings if _OPENING in one and not scope.path.endswith(".c"))
            uses = list_references(scope.record, ReferenceRole.USE) if names else []
            rows = (one for one in uses if one.name in names and not one.symbol)
            opened = ((row.line, self._read_macro_namespace(row.name)) for row in rows)
            self._opened[scope.path] = next(((line, path) for line, path in opened if path), (0, ()))
        line, path = self._opened[scope.path]
        return path if path and int(scope.record.starts[ordinal]) >= line else ()

    def _read_macro_namespace(self, macro: str) -> Path:
        """Return the namespace that the text of a macro opens; () if definitions of it differ."""
        found: set[Path] = set()
        for other, one in self._iter_declared(macro):
            found.update(map(split_name, other.list_bindings(one, NAMESPACE)))
        return found.pop() if len(found) == 1 else ()

    def _iter_declared(self, macro: str) -> Iterator[Candidate]:
        """Yield the symbols with the name of a macro, from the first MAX_OPENING files that declare it."""
        for path in self.program.list_declaring(macro)[:MAX_OPENING]:
            other = self.find_scope(path)
            if other is not None:
                for one in other.find_named(macro):
                    yield other, one

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the namespaces around a symbol, innermost first, then those of `using namespace`."""
        if scope.language == "c" and not scope.path.endswith(".h"):
            return [()]
        names: list[str] = []
        written: list[str] = []  # before the name of the class: that of a nested one has those around it
        for one in reversed([*scope.iter_around(ordinal)]):
            kind = scope.get_kind(one)
            if kind is SymbolKind.MODULE:
                names.append(scope.get_name(one))
            elif kind is SymbolKind.EXTENSION:
                row = scope.find_extended(one)
                written = row.qualifier.split(".") if row is not None and row.qualifier else []
        names += written
        opened = self._find_macro_namespace(scope, ordinal)
        found = [(*opened, *names[:end]) for end in range(len(names), -1, -1)]
        found += [()] if opened else []
        rows = (row for row in scope.wildcard_imports if row.qualifier)
        wide = [
            tuple(row.qualifier.split(".")) for row in rows if _is_visible(scope, row.symbol, ordinal, found)
        ]
        return [*found, *(one for one in wide if one not in found)]

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the path bound by `using a::b` or `namespace a = b::c`."""
        if scope.language == "c":
            return None
        rows = scope.find_imports(name)
        visible = self.list_visible(scope, ordinal) if rows else []
        seen = [one for one in rows if _is_visible(scope, one.symbol, ordinal, visible)]
        for row in sorted(seen, key=lambda one: -one.symbol):  # the innermost first
            path = (*filter(None, row.qualifier.split(".")), *((row.name,) if row.name else ()))
            return OUTSIDE + path if path[:1] == ("std",) else path
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """Return the paths of names in the visible namespaces; `std` is outside the repository."""
        return [OUTSIDE + names] if names[0] == "std" else super().list_paths(scope, ordinal, names)

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the included file; for `using`, the path of the declaration."""
        qualifier, name = row.qualifier, row.name
        if name:
            path = (*qualifier.split("."), name)
            return [], [path], ".".join(path) if path[0] == "std" else ""
        found = self.includes.find_included(scope.path, qualifier)
        return ([], [], qualifier.lstrip("<")) if found is None else ([found], [], "")

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return whether a symbol of another file may be visible in a file.

        Static symbols of a source file, and in C its types, constants and macros, are visible only where that
        file is included.
        """
        if other is scope or other.path.endswith(_HEADERS):
            return True
        is_own = other.is_static(ordinal) and not other.is_member(ordinal)
        if is_own or (other.language == "c" and other.get_kind(ordinal) in _NEVER_LINKED):
            return other.path in self.includes.list_included(scope.path)
        return True

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Return the definitions in the file and its includes, or else those of the prototypes there.

        The name of a template means the template, not its specialisations.
        """
        plain = [one for one in found if not _is_specialisation(*one)]
        if not plain:
            return found, False
        found = plain
        own = [one for one in found if one[0] is scope]
        defined = [one for one in own if not one[0].is_forward(one[1])]
        if defined:
            return self._join_overloads(scope, defined, found), True
        others = [one for one in found if one[0] is not scope]
        seen = [
            one for one in others if _is_header(one[0]) and self.includes.is_included(scope.path, one[0].path)
        ]
        defined = [one for one in seen if not one[0].is_forward(one[1])]
        if defined:
            near = self._choose_near(scope, [], defined)
            joined = self._join_overloads(scope, near, found)
            linked = self._list_stubbed(scope, defined, seen, others)
            return [*joined, *(one for one in linked if one not in joined)], len(near) == len(defined)
        elsewhere = [one for one in others if not one[0].is_forward(one[1])]
        sources = [one for one in elsewhere if not _is_header(one[0])] or elsewhere
        has_prototype = bool(own or seen)
        headers = [one for one in others if _is_header(one[0]) and one[0].is_forward(one[1])]
        if len(sources) > 1 and has_prototype:
            sources = self._choose_near(scope, seen, sources)
            own_program = self._list_of_program(sources, seen, headers) if seen else []
            if 0 < len(own_program) < len(sources):
                return own_program, False  # not a rule of C, but usual in trees of several programs
        if sources:
            use = self._settings.find(scope, 0)
            prototypes = ((one[0].path, self._settings.find_declared(*one)) for one in (*own, *seen))
            is_sure = any(
                not self._lacks_condition(scope, path, use, setting) for path, setting in prototypes
            )
            # an `extern` in spite of a header may mean what another program defines
            is_of_header = bool(seen) or not headers
            return sources, is_sure and is_of_header
        return (own or seen, True) if has_prototype else (found, False)

    def _list_stubbed(
        self, scope: FileScope, stubs: list[Candidate], seen: list[Candidate], others: list[Candidate]
    ) -> list[Candidate]:
        """Return the linked definitions in place of which a header has stubs if a feature is left out.

        Such a header has a prototype under a condition, and the stub where that does not hold. A macro is no
        stub: it mostly calls a function of another name.
        """
        declared = [one for one in seen if one[0].is_forward(one[1])]
        is_macro = any(one[0].get_kind(one[1]) is SymbolKind.MACRO for one in stubs)
        if is_macro or not declared or len(stubs) + len(declared) > MAX_STUBS:
            return []
        prototypes = [one for one in declared if all(self._excludes(one, stub) for stub in stubs)]
        if not prototypes:
            return []
        sources = self._choose_near(scope, prototypes, list(filter(_is_linked_source, others)))
        found = self._list_of_program(sources, prototypes, []) if len(sources) > 1 else sources
        return [one for one in found if one[0] is not scope]

    def _excludes(self, one: Candidate, other: Candidate) -> bool:
        return excludes(self._settings.find_declared(*one), self._settings.find_declared(*other))

    def _find_declared(self, found: list[Candidate]) -> list[Setting]:
        """Return the settings of declarations: of a linked one, that of the prototype beside its stub."""
        own = [self._settings.find_declared(*one) for one in found]
        linked = [number for number, one in enumerate(found) if _is_linked_source(one)]
        if not linked or not len(linked) < len(found) <= MAX_STUBS:
            return own
        for scope, ordinal in (one for one in found if _is_header(one[0]) and not one[0].is_forward(one[1])):
            for each in filter(scope.is_forward, scope.find_named(scope.get_name(ordinal))):
                if self._excludes((scope, each), (scope, ordinal)):
                    beside = self._settings.find_declared(scope, each)
                    return [beside if number in linked else one for number, one in enumerate(own)]
        return own

    def _join_overloads(
        self, scope: FileScope, defined: list[Candidate], found: list[Candidate]
    ) -> list[Candidate]:
        """Return functions of C++ together with their overloads: same path, but other parameter types."""
        if scope.language == "c" or not all(one[0].get_kind(one[1]) in CALLABLE_KINDS for one in defined):
            return defined
        if all(one[0] is scope for one in found):
            found = [*found, *self._list_in_headers(scope, defined[0][1])]
        types = {list_types(one[0].get_symbol(one[1])) for one in defined}
        counts = {len(one) for one in types}
        others = [
            one
            for one in found
            if (own := list_types(one[0].get_symbol(one[1]))) not in types
            and (len(own) not in counts or self._is_visible(scope, one[0]))
        ]
        return [*defined, *(self.choose(scope, others)[0] if others else ())]

    def _list_in_headers(self, scope: FileScope, ordinal: int) -> list[Candidate]:
        """Return the declarations in included files that have the full path of a function."""
        name, path = scope.get_name(ordinal), self.get_full_path(scope, ordinal)
        if scope.get_kind(ordinal) is not SymbolKind.FUNCTION:
            return []
        paths = [one for one in self.program.list_declaring(name) if one != scope.path]
        seen = (self.find_scope(one) for one in paths if self.includes.is_included(scope.path, one))
        return [
            (other, each)
            for other in seen
            if other is not None
            for each in other.find_named(name)
            if self.get_full_path(other, each) == path
        ]

    def _is_visible(self, scope: FileScope, other: FileScope) -> bool:
        return other is scope or self.includes.is_included(scope.path, other.path)

    def _list_of_program(
        self, sources: list[Candidate], seen: list[Candidate], headers: list[Candidate]
    ) -> list[Candidate]:
        """Return the definitions whose files include a prototype that the file of the use includes.

        If none does, return those that include no other prototype: if two programs in a repository have
        functions of one name, each has a header of its own.
        """
        is_included = self.includes.is_included
        found = [one for one in sources if any(is_included(one[0].path, each[0].path) for each in seen)]
        return found or [
            one for one in sources if not any(is_included(one[0].path, each[0].path) for each in headers)
        ]

    def apply_conditions(
        self, scope: FileScope, line: int, found: list[Candidate]
    ) -> tuple[list[Candidate], int]:
        """Return the declarations that may be compiled together with a line, and the number of alternatives.

        Declarations that exclude each other are alternatives; so is a single one under a condition that is
        not known to hold on the line. The number is ELSEWHERE if something else must have the name: if the
        single one is a macro, if no declaration is compiled with the line, or if all of them only replace a
        missing name of the system.
        """
        use = self._settings.find(scope, line)
        settings = self._find_declared(found)
        left = [number for number, one in enumerate(settings) if not excludes(use, one)]
        excluded = {*range(len(found))} - {*left}
        left = left or [*range(len(found))]
        certain = [
            one for one in left if not self._lacks_condition(scope, found[one][0].path, use, settings[one])
        ]
        dropped = (settings[one] for one in excluded - {*left})
        is_certain = len(certain) == len(left) and all(excludes_surely(use, one) for one in dropped)
        if certain:  # one under a further condition repeats one without it, unless both are linked
            others, known = [found[one] for one in certain], {*certain}
            left = [one for one in left if one in known or _is_apart(found[one], others)]
        places = {(found[one][0].path, settings[one]): found[one] for one in left}
        kept = [found[one] for one in left]
        if len(excluded) == len(found) or all(_is_system_fallback(*one) for one in places.items()):
            return kept, ELSEWHERE
        if len(places) == 1:
            (setting,) = {settings[one] for one in left}
            is_macro = all(_replaces_name(one, setting) for one in kept)
            is_macro = is_macro and not self._defaults.hold(use, setting)
            return kept, ELSEWHERE if is_macro and lacks_condition(use, setting) else int(not is_certain)
        for one, other in combinations(places, 2):
            is_linked = _is_linked(places[one]) and _is_linked(places[other]) and one[0] != other[0]
            if not excludes(one[1], other[1]) and not (is_linked and is_narrower(one[1], other[1])):
                return kept, 0
        return kept, len(places)

    def _lacks_condition(self, scope: FileScope, path: str, use: Setting, declared: Setting) -> bool:
        """Return whether a declaration, or the include of its header, has a condition that the use lacks."""
        if lacks_condition(use, declared):
            return True
        is_seen = (
            path != scope.path and path.endswith(_HEADERS) and self.includes.is_included(scope.path, path)
        )
        return is_seen and not self.includes.is_surely_included(scope.path, use, path)

    def _choose_near(
        self, scope: FileScope, seen: list[Candidate], sources: list[Candidate]
    ) -> list[Candidate]:
        """Return the definitions in the folder of the file, else in that of an included header, else all."""
        for folder in (scope.folder, *(one[0].folder for one in seen)):
            near = [one for one in sources if one[0].folder == folder]
            if near:
                return near
        return sources


def _is_visible(scope: FileScope, holder: int, ordinal: int, visible: list[Path]) -> bool:
    """Return whether a `using` in one symbol holds in another: in a function it holds only there."""
    if scope.get_kind(holder) is SymbolKind.MODULE and scope.get_qualified_names(holder) in visible:
        return True
    return holder in scope.iter_around(ordinal)


def _replaces_name(one: Candidate, setting: Setting) -> bool:
    """Return whether a declaration is a macro that is defined even if its name is already defined."""
    scope, ordinal = one
    is_macro = scope.get_kind(ordinal) is SymbolKind.MACRO
    return is_macro and f"!defined({scope.get_name(ordinal)})" not in setting.conditions


def _is_system_fallback(place: tuple[str, Setting], one: Candidate) -> bool:
    """Return whether a macro defines a name that C reserves, in case the system does not have it."""
    name = one[0].get_name(one[1])
    return RESERVED.match(name) is not None and f"!defined({name})" in place[1].conditions


def _is_linked(one: Candidate) -> bool:
    """Return whether the linker sees a declaration, so that a program has only one of that name."""
    scope, ordinal = one
    kind = scope.get_kind(ordinal)
    return kind in CALLABLE_KINDS and kind is not SymbolKind.MACRO and not scope.is_static(ordinal)


def _is_apart(one: Candidate, others: list[Candidate]) -> bool:
    """Return whether a linked definition is in another source file than others, so that a build has one."""
    is_own = [_is_linked_source(each) and each[0] is not one[0] for each in others]
    return _is_linked_source(one) and all(is_own)


def _is_linked_source(one: Candidate) -> bool:
    return _is_linked(one) and not one[0].is_forward(one[1]) and not _is_header(one[0])


def _is_specialisation(scope: FileScope, ordinal: int) -> bool:
    """Return whether a type is a template specialisation: `template <> struct hash<Foo> {`."""
    return scope.get_kind(ordinal) in TYPE_KINDS and bool(scope.get_symbol(ordinal).parameters)


def _is_header(scope: FileScope) -> bool:
    return scope.path.endswith(_HEADERS)
