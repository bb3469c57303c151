"""The type that a name means in a C# file, found through enclosing types, namespaces and usings.

A type is identified by its full name and its number of type parameters, and may be declared in parts across
several files. The match is exact if an enclosing type or a base of one, an enclosing namespace, a using or an
alias leads to it. Otherwise a type of that name is probable if its namespace begins with the same name as
that of the file, because a project file may declare a `using`, too; it is only possible if the file uses
namespaces of libraries, which may declare the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from repo_mcp.graph.csharp.csharp_file import NAMED_KINDS, CSharpFile
from repo_mcp.graph.csharp.projects import CSharpProjects
from repo_mcp.graph.program import Confidence, Declaration, Program
from repo_mcp.languages.csharp.chains import strip_types
from repo_mcp.languages.csharp.types import name_arity
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.symbol_record import ACCESS_SHIFT, Access, DeclaredSymbol, SymbolKind

GLOBAL_USING = "global using"
MAX_FILES = 400  # declaring files examined for one name
MAX_BASES = 40  # of the types around a name, in which a nested type is looked for
MAX_KNOWN_PARTS = 20_000  # parts of types that are cached by name: 3 MB


@dataclass(frozen=True, slots=True)
class TypeMeaning:
    """A type by its full name; without declarations it is external."""

    full_name: str
    parts: tuple[Declaration, ...] = ()
    confidence: Confidence = Confidence.EXACT
    # several types with different numbers of type parameters: which one is meant is not known
    is_mixed: bool = False


Types = dict[str, tuple[Declaration, ...]]  # the parts of types with one name, by full name


class KnownTypes:
    """The types of one program by name. They are kept with the program, which outlives its resolvers.

    Otherwise the types of a name that hundreds of files declare would be read again for each reference.
    """

    def __init__(self) -> None:
        self.by_name: LruCache[str, Types] = LruCache(MAX_KNOWN_PARTS, _count_parts)

    @classmethod
    def get(cls, program: Program) -> KnownTypes:
        """Return the types that are kept with a program."""
        found = program.kept.setdefault(cls, cls())
        assert isinstance(found, cls), "it is kept by its class"
        return found


def _count_parts(types: Types) -> int:
    return 1 + sum(map(len, types.values()))


class CSharpNames:
    """Looks up types in one program, and caches the answers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._projects = CSharpProjects(program)
        self._files: dict[str, CSharpFile | None] = {}
        self._static: dict[tuple[str, str], list[TypeMeaning]] = {}
        self._types = KnownTypes.get(program).by_name
        self._found: dict[tuple[str, int, str, str, int | None], TypeMeaning] = {}
        self._global: dict[str | None, tuple[tuple[str, ...], dict[str, tuple[str, str]]]] = {}  # by project

    def find_file(self, path: str) -> CSharpFile | None:
        """Return the lookup tables of a C# file; None for any other file."""
        if path not in self._files:
            record = None
            if self.program.find_language(path) == "csharp":
                record = self.program.find_record(path)
            self._files[path] = None if record is None else CSharpFile(path, record)
        return self._files[path]

    def get_symbol(self, declaration: Declaration) -> DeclaredSymbol | None:
        """Return the declared symbol, or None when it is not there."""
        file = self.find_file(declaration.path)
        if file is None or declaration.ordinal >= file.record.symbol_count:
            return None
        return file.record.get_symbol(declaration.ordinal)

    def get_kind(self, declaration: Declaration) -> SymbolKind:
        """Return the kind of a declaration; FILE in a file that is not of C#."""
        file = self.find_file(declaration.path)
        if file is None:
            return SymbolKind.FILE
        return file.record.get_kind(declaration.ordinal)

    def list_types(self, name: str) -> Types:
        """Return the parts of all types with a name, by full name."""
        return self._types.get(name, lambda: self._read_types(name))

    def _read_types(self, name: str) -> Types:
        found: dict[str, list[Declaration]] = {}
        for path in self.program.list_declaring(name)[:MAX_FILES]:
            file = self.find_file(path)
            if file is None:
                continue
            for ordinal in file.record.find_symbols(name):
                if file.record.get_kind(ordinal) in NAMED_KINDS:
                    found.setdefault(file.get_full_name(ordinal), []).append(Declaration(path, ordinal))
        return {full: tuple(parts) for full, parts in found.items()}

    def choose(
        self, path: str, full_name: str, parts: tuple[Declaration, ...], arity: int | None
    ) -> TypeMeaning | None:
        """Return the type with an arity, of those parts that the project of a file sees; None if there is
        none.

        If `arity` is None and the parts have different ones, the type has all parts and is mixed. If the
        project does not show of which assembly the type is, it is only POSSIBLE.
        """
        seen = self._list_seen(path, parts)
        if len(seen) > 1 and arity is not None:  # another assembly may have the type with this arity
            seen = tuple(part for part in seen if self._get_arity(part) == arity)
        if len(seen) < 2:
            return self._choose_arity(full_name, seen, arity)
        narrowed, is_one = self._projects.narrow(path, seen)
        found = self._choose_arity(full_name, narrowed, arity)
        is_open = found is not None and not is_one
        return replace(found, confidence=Confidence.POSSIBLE) if found is not None and is_open else found

    def _get_arity(self, part: Declaration) -> int:
        file = self.find_file(part.path)
        return file.get_arity(part.ordinal) if file is not None else 0

    def _list_seen(self, path: str, parts: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
        """Return the parts that a file sees: its own `file` types, or else all other types."""
        private = {part for part in parts if self._is_file_local(part)}
        own = tuple(part for part in parts if part in private and part.path == path)
        return own or tuple(part for part in parts if part not in private)

    def _is_file_local(self, part: Declaration) -> bool:
        """Return whether a type has the modifier `file`: such a type is private, but in no other type."""
        file = self.find_file(part.path)
        if file is None or int(file.record.flags[part.ordinal]) >> ACCESS_SHIFT != Access.PRIVATE:
            return False
        return file.record.get_kind(file.record.get_parent(part.ordinal)) not in NAMED_KINDS

    def _choose_arity(
        self, full_name: str, parts: tuple[Declaration, ...], arity: int | None
    ) -> TypeMeaning | None:
        by_arity: dict[int, list[Declaration]] = {}
        for part in parts:
            by_arity.setdefault(self._get_arity(part), []).append(part)
        if arity is None and len(by_arity) > 1:
            return TypeMeaning(full_name, parts, is_mixed=True)
        chosen = next(iter(by_arity), 0) if arity is None else arity
        found = by_arity.get(chosen)
        return TypeMeaning(full_name + name_arity(chosen), tuple(found)) if found else None

    def find_type(
        self, file: CSharpFile, ordinal: int, name: str, qualifier: str = "", arity: int | None = None
    ) -> TypeMeaning:
        """Return the type that a name means inside a symbol; an external one if none is found."""
        qualifier = strip_types(qualifier)
        key = (file.path, ordinal, qualifier, name, arity)
        if key not in self._found:
            found = self._search(file, ordinal, name, qualifier, arity)
            written = f"{qualifier}.{name}" if qualifier else name
            self._found[key] = found or TypeMeaning(self._expand(file, written))
        return self._found[key]

    def _search(
        self,
        file: CSharpFile,
        ordinal: int,
        name: str,
        qualifier: str,
        arity: int | None,
        in_bases: bool = True,
    ) -> TypeMeaning | None:
        head, _, rest = (qualifier or name).partition(".")
        alias = self._find_alias(file, head)
        if alias is not None and not (qualifier == alias[0] and name == alias[1]):
            outer, target = alias
            if not qualifier:
                return self._search(file, ordinal, target, outer, None, in_bases)
            dotted = ".".join(one for one in (outer, target, rest) if one)
            return self._search_visible(file, ordinal, name, dotted, arity, in_bases)
        return self._search_visible(file, ordinal, name, qualifier, arity, in_bases)

    def _search_visible(
        self, file: CSharpFile, ordinal: int, name: str, qualifier: str, arity: int | None, in_bases: bool
    ) -> TypeMeaning | None:
        types = self.list_types(name)
        if not types:
            return None
        dotted = f"{qualifier}.{name}" if qualifier else name
        # a type of a project that the file's project is not known to reference
        foreign: TypeMeaning | None = None
        for prefix in self._list_prefixes(file, ordinal):
            full = f"{prefix}.{dotted}" if prefix else dotted
            found = self.choose(file.path, full, types.get(full, ()), arity)
            if found is not None and not self._projects.is_foreign(file.path, found.parts):
                return found
            foreign = foreign or found
        inherited = self._find_inherited(file, ordinal, dotted, types, arity) if in_bases else None
        if inherited is not None or foreign is not None:
            return inherited or foreign
        return self._find_near(file, ordinal, dotted, types, arity)

    def _find_near(
        self, file: CSharpFile, ordinal: int, dotted: str, types: Types, arity: int | None
    ) -> TypeMeaning | None:
        """Return the only type of a name whose namespace begins like that of the file."""
        near = [
            self.choose(file.path, full, types[full], arity)
            for full in types
            if self._is_near(file, ordinal, full, dotted)
        ]
        fitting = [one for one in near if one is not None]
        if len(fitting) != 1 or fitting[0].confidence is not Confidence.EXACT:
            return fitting[0] if len(fitting) == 1 else None
        own = file.list_namespaces(ordinal)[0].partition(".")[0]  # other namespaces are those of libraries
        is_outside = any(one.partition(".")[0] not in {own, "System"} for one in file.usings)
        return replace(fitting[0], confidence=Confidence.POSSIBLE if is_outside else Confidence.PROBABLE)

    def _find_inherited(
        self, file: CSharpFile, ordinal: int, dotted: str, types: Types, arity: int | None
    ) -> TypeMeaning | None:
        """Return the type of a name that is nested in a base of a type around a symbol.

        Bases whose own names are found this way are not followed, so that the order of questions does not
        matter.
        """
        if not any(self._is_nested(part) for parts in types.values() for part in parts):
            return None
        for full in self._iter_bases(file, ordinal):
            parts = tuple(filter(self._is_nested, types.get(f"{full}.{dotted}", ())))
            found = self.choose(file.path, f"{full}.{dotted}", parts, arity)
            if found is not None:
                return found
        return None

    def _is_nested(self, part: Declaration) -> bool:
        file = self.find_file(part.path)
        if file is None or int(file.record.flags[part.ordinal]) >> ACCESS_SHIFT == Access.PRIVATE:
            return False
        return file.record.get_kind(file.record.get_parent(part.ordinal)) in NAMED_KINDS

    def _iter_bases(self, file: CSharpFile, ordinal: int) -> Iterator[str]:
        """Yield the full names of the bases of the types around a symbol, nearest first."""
        seen: set[str] = set()
        for around in file.list_types_around(ordinal):
            full = file.get_full_name(around)
            waiting = [*self.list_types(full.rpartition(".")[2]).get(full, ())]
            for part in waiting:
                for base in self._list_bases(part):
                    if base not in seen and len(seen) < MAX_BASES:
                        seen.add(base)
                        yield base
                        waiting += self.list_types(base.rpartition(".")[2]).get(base, ())

    def _list_bases(self, part: Declaration) -> list[str]:
        file = self.find_file(part.path)
        if file is None:
            return []
        around, found = file.record.get_parent(part.ordinal), []
        for row in file.bases.get(part.ordinal, ()):
            base = self._search(file, around, row.name, strip_types(row.qualifier), row.arguments, False)
            at = None if base is None or not base.parts else base.parts[0]
            holder = None if at is None else self.find_file(at.path)
            if at is not None and holder is not None:
                found.append(holder.get_full_name(at.ordinal))
        return found

    def _list_prefixes(self, file: CSharpFile, ordinal: int) -> Iterable[str]:
        """Return the possible prefixes of a name, nearest first: types, namespaces, usings."""
        found = [file.get_full_name(one) for one in file.list_types_around(ordinal)]
        return dict.fromkeys((*found, *self.list_visible(file, ordinal)))

    def list_visible(self, file: CSharpFile, ordinal: int) -> Iterable[str]:
        """Return the namespaces whose types a symbol sees, nearest first; some may not exist."""
        found = [*file.list_namespaces(ordinal)]
        for using in (*file.usings, *self.get_global_usings(file.path)[0]):
            found.append(using)
            found += [f"{outer}.{using}" for outer in file.list_namespaces(ordinal) if outer]
        return dict.fromkeys(found)

    def list_used_types(self, file: CSharpFile, ordinal: int) -> list[TypeMeaning]:
        """Return the types whose static members need no qualifier in a symbol: `using static`."""
        key = file.path, file.list_namespaces(ordinal)[0]
        if key not in self._static:
            types = (
                (one, self.list_types(one.rpartition(".")[2]).get(one))
                for one in self.list_visible(file, ordinal)
            )
            self._static[key] = [TypeMeaning(name, parts) for name, parts in types if parts]
        return self._static[key]

    def _is_near(self, file: CSharpFile, ordinal: int, full: str, dotted: str) -> bool:
        if not (full == dotted or full.endswith("." + dotted)):
            return False
        own = file.list_namespaces(ordinal)[0].partition(".")[0]
        return own == full.partition(".")[0]

    def _find_alias(self, file: CSharpFile, name: str) -> tuple[str, str] | None:
        return file.aliases.get(name) or self.get_global_usings(file.path)[1].get(name)

    def _expand(self, file: CSharpFile, dotted: str) -> str:
        """Return an external name in which a leading alias is replaced."""
        head, _, rest = dotted.partition(".")
        alias = self._find_alias(file, head)
        if alias is None:
            return dotted
        return ".".join(one for one in (*alias, rest) if one)

    def get_global_usings(self, path: str) -> tuple[tuple[str, ...], dict[str, tuple[str, str]]]:
        """Return the usings and aliases that hold for all files of the project of a file."""
        project = self._projects.find_folder(path)
        if project not in self._global:
            usings = list(self._projects.list_usings(path))
            aliases: dict[str, tuple[str, str]] = {}
            for other in self.program.list_using(GLOBAL_USING)[:MAX_FILES]:
                if self._projects.find_folder(other) not in {project, None} and project is not None:
                    continue
                file = self.find_file(other)
                for row in file.global_rows if file is not None else ():
                    if row.name == "*":
                        usings.append(row.qualifier)
                    else:
                        aliases.setdefault(row.alias, (row.qualifier, row.name))
            self._global[project] = tuple(dict.fromkeys(usings)), aliases
        return self._global[project]
