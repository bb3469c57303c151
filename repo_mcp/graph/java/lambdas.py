"""The types of the parameters of lambdas in Java, which follow from the call that takes the lambda.

The called method declares a functional interface as its parameter: one of the repository with a single
method, or one of `java.util.function`. Members of lists and streams pass items. None of this is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typed.file_scope import FileScope, list_type_parameters
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import iter_above
from repo_mcp.languages.treesitter.written_lists import split_list, split_signature
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import NEW, read_parameter
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolFlag, SymbolKind

_CALLED = re.compile(r"(.+)\((\d+),(\d+)\)")
_BEFORE = re.compile(r"@[\w.]+(?:\([^()]*\))?|\bfinal\b|\? (?:super|extends) ")
# Interfaces like those of `java.util.function` -> for each parameter of their method, the position of the
# type argument that it has as its type.
_PASSING = {
    **dict.fromkeys(("BiConsumer", "BiFunction", "BiPredicate"), (0, 1)),
    **dict.fromkeys(("BinaryOperator", "Comparator"), (0, 0)),
    **dict.fromkeys(("Consumer", "Function", "Predicate", "UnaryOperator"), (0,)),
    **dict.fromkeys(("ToIntFunction", "ToLongFunction", "ToDoubleFunction"), (0,)),
}
# Members of lists, streams, maps and other containers that call a function with items.
_OF_ITEMS_TEXT = """
forEach forEachOrdered filter map flatMap mapToInt mapToLong mapToDouble mapMulti anyMatch allMatch noneMatch
peek removeIf replaceAll takeWhile dropWhile sort sorted min max reduce ifPresent ifPresentOrElse thenApply
thenAccept thenCompose updateAndGet getAndUpdate
"""
_OF_ITEMS = frozenset(_OF_ITEMS_TEXT.split())
_OF_MAPS = frozenset({"forEach", "replaceAll", "computeIfPresent", "compute"})  # with a key before the item
_OF_FUTURES = frozenset({"handle", "whenComplete"})  # with an error after the item
_OF_OBJECT = frozenset({"equals", "hashCode", "toString"})


@dataclass(frozen=True, slots=True)
class LambdaCall:
    """A call that a lambda is passed to, as recorded in the row of one parameter of the lambda."""

    name: str  # of the called method or type
    is_constructor: bool
    count: int  # of the arguments of the call
    parameters: int  # of the lambda
    position: int  # of the lambda among the arguments, from 0
    index: int  # of the parameter, from 0

    def passes_item(self) -> bool:
        """Return whether this parameter is an item, if the called member is that of a list or a map."""
        if self.parameters == 2 and self.name in _OF_MAPS | _OF_FUTURES:
            return self.index == (self.name in _OF_MAPS)
        return self.name in _OF_ITEMS


def read_lambda_call(binding: Reference) -> LambdaCall | None:
    """Return the call that the lambda of a parameter is passed to; None if the lambda has a written type."""
    position, index = read_parameter(binding.arguments)
    found = _CALLED.fullmatch(binding.name) if position else None
    if found is None:
        return None
    name, is_constructor = found[1].removeprefix(NEW), found[1].startswith(NEW)
    return LambdaCall(name, is_constructor, int(found[2]), int(found[3]), position - 1, index)


def make_call(binding: Reference, lambda_call: LambdaCall) -> Reference:
    """Return the reference of the call that a lambda is passed to."""
    arguments = lambda_call.count + 1
    return replace(binding, role=ReferenceRole.CALL, name=lambda_call.name, alias="", arguments=arguments)


def read_parameter_at(scope: FileScope, method: int, position: int) -> str:
    """Return the written type of a method's parameter, by position; "" for none."""
    symbol = scope.get_symbol(method)
    types = _list_types(symbol.parameters)
    if SymbolFlag.VARIADIC in symbol.flags and types and position >= len(types) - 1:
        return types[-1].removesuffix("...").strip()
    return types[position] if position < len(types) else ""


def read_lambda_parameter(
    lookup: NamedLookup, at: Declaration, text: str, index: int, count: int = 0
) -> tuple[Declaration, str]:
    """Return the type of a lambda's parameter, as text, after the declaration at which that text is written.

    `text` is a functional interface as written at the declaration `at`, and `index` the parameter of its
    method. The type is "" if the text names no such interface, or one without exactly `count` parameters (0:
    any number).
    """
    scope = lookup.find_scope(at.path)
    head, _, inside = text.partition("<")
    arguments = [_BEFORE.sub("", one).strip() for one in split_list(inside.rpartition(">")[0])]
    names = tuple(head.strip().split("."))
    if scope is None or not names[-1].isidentifier():
        return at, ""
    declared = lookup.find_type(scope, at.ordinal, names).declarations
    if not declared:
        passing = _PASSING.get(names[-1], ())
        is_meant = index < len(passing) and len(passing) == (count or len(passing))
        return at, arguments[passing[index]] if is_meant and passing[index] < len(arguments) else ""
    method = _find_only_method(lookup, declared[0])
    other = lookup.find_scope(method.path) if method is not None else None
    if method is None or other is None:
        return at, ""
    types = _list_types(other.get_symbol(method.ordinal).parameters)
    passed = types[index] if index < len(types) == (count or len(types)) else ""
    parameters = list_type_parameters(other, other.get_parent(method.ordinal))
    if passed not in parameters:
        return method, passed
    given = parameters.index(passed)
    return at, arguments[given] if given < len(arguments) else ""


def _list_types(parameters: str) -> list[str]:
    listed = (_BEFORE.sub("", one).strip() for one in split_signature(parameters).parameters)
    return [one.rpartition(" ")[0] for one in listed]


def _find_only_method(lookup: NamedLookup, interface: Declaration) -> Declaration | None:
    """Return the only abstract method of an interface, its own or that of its bases."""
    if lookup.get_kind(interface) is not SymbolKind.INTERFACE:
        return None
    for one in (interface, *iter_above(lookup, interface)):
        found = list(_iter_abstract(lookup, one))
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _iter_abstract(lookup: NamedLookup, interface: Declaration) -> Iterator[Declaration]:
    scope = lookup.find_scope(interface.path)
    for one in map(int, scope.record.list_children(interface.ordinal)) if scope is not None else ():
        symbol = scope.get_symbol(one) if scope is not None else None
        if symbol is None or symbol.kind is not SymbolKind.METHOD or symbol.name in _OF_OBJECT:
            continue
        if SymbolFlag.ABSTRACT in symbol.flags:
            yield Declaration(interface.path, one)
