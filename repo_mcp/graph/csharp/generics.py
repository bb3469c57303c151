"""The type arguments of C# values: by the names of type parameters, in bases, and inferred for calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from repo_mcp.graph.csharp.csharp_file import CSharpFile
from repo_mcp.graph.csharp.extensions import CSharpExtensions
from repo_mcp.graph.csharp.members import MAX_BASES, Member
from repo_mcp.graph.csharp.values import NO_TYPE_ARGUMENTS, Place, TypeArguments, Value, get_extended, is_same
from repo_mcp.graph.program import Declaration
from repo_mcp.languages.csharp.chains import Segment, split_types
from repo_mcp.languages.csharp.types import read_type
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolFlag


class CSharpGenerics(CSharpExtensions):
    """Finds type arguments."""

    def read_written(
        self, file: CSharpFile, ordinal: int, text: str, steps: int, known: TypeArguments = NO_TYPE_ARGUMENTS
    ) -> Value:
        """Return a value of a written type. Implemented by the evaluation of chains."""
        raise NotImplementedError

    def find_items(self, value: Value) -> Value:
        """Return what a loop binds. Implemented by the evaluation of chains."""
        raise NotImplementedError

    def _read_type_arguments(self, at: Place, texts: Sequence[str], steps: int) -> tuple[Value, ...]:
        return tuple(self.read_written(*at, one, steps + 1) for one in texts)

    def name_type_arguments(self, value: Value) -> TypeArguments:
        """Return the type arguments of a value by the names of the type parameters."""
        if not value.type_arguments or value.type is None or not value.type.parts:
            return NO_TYPE_ARGUMENTS
        file = self._names.find_file(value.type.parts[0].path)
        text = file.record.strings[file.record.parameters[value.type.parts[0].ordinal]] if file else ""
        names = [one.rpartition(" ")[2] for one in split_signature(text).type_parameters]
        return (
            dict(zip(names, value.type_arguments, strict=True))
            if len(names) == len(value.type_arguments)
            else NO_TYPE_ARGUMENTS
        )

    def _iter_with_bases(self, value: Value) -> Iterator[Value]:
        """Yield a value as each of its types, with type arguments: first its own type, then the bases."""
        waiting = [value]
        seen: set[str] = set()
        for one in waiting:
            if one.type is None or one.type.full_name in seen or len(seen) > MAX_BASES:
                continue
            seen.add(one.type.full_name)
            yield one
            known = self.name_type_arguments(one)
            for part in one.type.parts:
                file = self._names.find_file(part.path)
                for row in file.bases.get(part.ordinal, ()) if file is not None else ():
                    if file is not None:
                        written = f"{row.qualifier}.{row.name}{row.alias}".lstrip(".")
                        around = file.record.get_parent(part.ordinal)
                        waiting.append(self._read_base(file, around, written, known))

    def _read_base(self, file: CSharpFile, around: int, written: str, known: TypeArguments) -> Value:
        name, _, type_arguments = written.partition("<")
        before, _, last = name.rpartition(".")
        texts = split_types(type_arguments[:-1]) if type_arguments else ()
        meaning = self._names.find_type(file, around, last, before, len(texts))
        return Value(
            meaning, type_arguments=tuple(self.read_written(file, around, one, 1, known) for one in texts)
        )

    def bind_parameters(
        self,
        member: Member,
        receiver: Value,
        segment: Segment,
        steps: int,
        at: Place | None,
    ) -> TypeArguments:
        """Return the values of the type parameters of a member and of the types around it.

        They follow from the receiver, and from written type arguments, which are looked up `at` the call.
        """
        declaration, symbol = member
        file = self._names.find_file(declaration.path)
        if file is None:
            return NO_TYPE_ARGUMENTS
        known: dict[str, Value] = {}
        if file.get_arity(symbol.parent):
            owner = Declaration(declaration.path, symbol.parent)
            for one in self._iter_with_bases(receiver):
                if one.type is not None and owner in one.type.parts:
                    known.update(self.name_type_arguments(one))
                    break
        written = split_signature(symbol.parameters) if "<" in symbol.parameters else None
        if written is None or not written.type_parameters or symbol.kind not in CALLABLE_KINDS:
            return known
        names = [one.rpartition(" ")[2] for one in written.type_parameters]
        if segment.type_arguments and at is not None:
            return {
                **known,
                **dict(
                    zip(names, self._read_type_arguments(at, segment.type_arguments, steps), strict=False)
                ),
            }
        if symbol.flags & SymbolFlag.EXTENSION_METHOD and written.parameters:
            self.infer((file, declaration.ordinal), get_extended(symbol), receiver, frozenset(names), known)
        return known

    def infer(
        self, at: Place, written: str, value: Value, names: frozenset[str], known: dict[str, Value]
    ) -> None:
        """Add to `known` those type parameters in `names` that follow from passing a value for a type."""
        found = read_type(written)
        if not found.name or value.type is None or (found.is_task and not value.is_task):
            return
        if found.is_items and not value.is_items:
            value = replace(self.find_items(value), is_items=True)
            if value.type is None:
                return
        if found.name in names and not found.qualifier:
            is_items, is_task = value.is_items != found.is_items, value.is_task != found.is_task
            known.setdefault(found.name, replace(value, is_items=is_items, is_task=is_task))
            return
        if not found.type_arguments or value.is_items != found.is_items:
            return
        wanted = self._names.find_type(*at, found.name, found.qualifier, found.arity)
        for one in self._iter_with_bases(replace(value, is_items=False, is_task=False)):
            if one.type is not None and is_same(one.type, wanted):
                for text, own in zip(split_types(found.type_arguments), one.type_arguments, strict=False):
                    self.infer(at, text, own, names, known)
                return
