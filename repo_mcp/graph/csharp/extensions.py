"""The C# extension methods of a name, and the types that they extend."""

from __future__ import annotations

from repo_mcp.graph.csharp.members import CSharpMembers, Member, Members
from repo_mcp.graph.csharp.names import CSharpNames, TypeMeaning
from repo_mcp.graph.csharp.values import TYPE_PARAMETER, Value, get_extended, has_form
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.csharp.types import TypeName, read_type
from repo_mcp.symbols.symbol_record import SymbolFlag

MAX_FILES = 60  # declaring files searched for extension methods of one name


class CSharpExtensions(CSharpMembers):
    """Looks up extension methods."""

    def __init__(self, names: CSharpNames) -> None:
        super().__init__(names)
        self._extensions: dict[str, Members] = {}

    def list_extensions(self, name: str) -> Members:
        """Return the extension methods with a name, from at most MAX_FILES files."""
        if name not in self._extensions:
            found = []
            for path in self._names.program.list_declaring(name)[:MAX_FILES]:
                file = self._names.find_file(path)
                for ordinal in file.record.find_symbols(name) if file is not None else ():
                    if file is not None and int(file.record.flags[ordinal]) & SymbolFlag.EXTENSION_METHOD:
                        found.append((Declaration(path, ordinal), file.record.get_symbol(ordinal)))
            self._extensions[name] = found
        return self._extensions[name]

    def extends(self, method: Member, value: Value) -> bool:
        """Return whether an extension method extends a type that a value has, or one of its bases."""
        found = read_type(get_extended(method[1]))
        if value.is_task and found.name == "Task" and not found.is_items:
            return True  # the type of its result does not matter
        if value.type is None or not has_form(found, value):
            return False
        if (found.is_task or found.is_items) and TYPE_PARAMETER.fullmatch(found.name):
            return True
        extended = self._find_extended(method, found)
        if extended is None:
            return False
        full = extended.full_name
        return any(
            one.full_name == full or (not one.parts and one.full_name.endswith(full))
            for one in self.list_with_bases(value.type)
        )

    def may_extend(self, method: Member, value: Value) -> bool:
        """Return whether an extension method may extend a value, of whose type not enough is known.

        That is so if nothing is known of the value, if the method extends any type, or if it extends an
        external type and the value has an external type or base.
        """
        if value.type is None:
            return True
        found = read_type(get_extended(method[1]))
        if not has_form(found, value):
            return False
        if TYPE_PARAMETER.fullmatch(found.name):
            return True
        extended = self._find_extended(method, found)
        is_outside = extended is not None and not extended.parts
        return is_outside and any(not one.parts for one in self.list_with_bases(value.type))

    def _find_extended(self, method: Member, written: TypeName) -> TypeMeaning | None:
        declaration, symbol = method
        file = self._names.find_file(declaration.path)
        if file is None:
            return None
        return self._names.find_type(file, symbol.ordinal, written.name, written.qualifier, written.arity)
