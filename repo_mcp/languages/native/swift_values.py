"""The owners of values in Swift: of what stands behind a bare dot, and of what closures and loops are given.

`.some` is a member of the type that is written for a variable, a parameter or a result, or of the value that
it is compared with or assigned to. The parameters of a closure that a list's function is given, `$0` or
named, are items of the list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import OF_TYPE, Binding
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_CHAIN = re.compile(r"[^\W\d]\w*(?:\(\))?(?:\.(?:\[\]|\w+(?:\(\))?))*")
# Functions of lists and of what may be nil whose function is given the items.
_GIVING_ITEMS = frozenset(
    [
        "map",
        "compactMap",
        "flatMap",
        "filter",
        "forEach",
        "first",
        "last",
        "contains",
        "allSatisfy",
        "firstIndex",
        "lastIndex",
        "drop",
        "prefix",
        "removeAll",
        "partition",
        "min",
        "max",
        "sorted",
        "sort",
    ]
)
_ORDERING = frozenset({"min", "max", "sorted", "sort"})  # two items at once
MAX_LABELLED = 40  # arguments of one call whose labels are recorded


def _expect(walk: CaptureWalk, value: Node | None, owner: str) -> None:
    """Note whose member `.some` or `.some(3)` is, where it stands for a value: a type, or a value's chain."""
    if value is not None and value.type == "call_expression" and value.named_child_count:
        value = value.named_children[0]
    if value is not None and value.type == "prefix_expression" and _CHAIN.fullmatch(owner):
        walk.values_to_come[value.start_byte] = owner, 0


def expect_type(walk: CaptureWalk, value: Node | None, type_text: str) -> None:
    """Note the type of which `.some` is a member, where it stands for a value of that type."""
    _expect(walk, value, type_text.strip().rstrip("?!"))


def on_comparison(walk: CaptureWalk, node: Node) -> None:
    """Note whose member `.some` is in `x == .some`."""
    _expect(walk, node.child_by_field_name("rhs"), walk.read_chain(node.child_by_field_name("lhs")))


def on_assignment(walk: CaptureWalk, node: Node) -> None:
    """Note whose member `.some` is in `x = .some`."""
    target = node.child_by_field_name("target")
    if target is not None and target.named_child_count:
        _expect(walk, node.child_by_field_name("result"), walk.read_chain(target.named_children[0]))


def on_transfer(walk: CaptureWalk, node: Node) -> None:
    """Note whose member `.some` is in `return .some`."""
    if walk.text.startswith(b"return", node.start_byte):
        expect_type(walk, node.child_by_field_name("result"), walk.results.get(walk.scope.ordinal, ""))


def bind_items(walk: CaptureWalk, node: Node, function: Node) -> None:
    """Bind the parameters of closures that a call is given: of `list.map { $0.name }` to the list's items."""
    suffix = find_suffix(function) if function.type == "navigation_expression" else None
    name = walk.read(suffix)
    chain = walk.read_chain(function.child_by_field_name("target")) if name in _GIVING_ITEMS else "?"
    for one in node.named_children[1:]:
        for each in one.named_children:
            given = [each]
            if each.type == "value_arguments":
                given = [value for arg in each.named_children if (value := arg.child_by_field_name("value"))]
            for closure in given:
                if closure.type == "lambda_literal":
                    _bind_closure(walk, closure, chain, 2 if name in _ORDERING else 1)


def _bind_closure(walk: CaptureWalk, closure: Node, chain: str, count: int) -> None:
    names = [f"${at}" for at in range(count)]
    head = closure.child_by_field_name("type")
    for one in head.named_children if head is not None else ():
        if one.type == "lambda_function_type_parameters":
            given = [part for part in one.named_children if part.type == "lambda_parameter"]
            plain = [part for part in given if part.named_child_count == 1]
            names = [walk.read(part) for part in plain][:count]
    for name in names:
        walk.add_local(name)
        walk.bind_call(name, "" if chain != "?" else "?", chain, closure, Binding.ITEM)


def on_for(walk: CaptureWalk, node: Node) -> None:
    """Bind the name of `for x in list` to the list's items."""
    item = node.child_by_field_name("item")
    name = item.child_by_field_name("bound_identifier") if item is not None else None
    if name is None and item is not None and item.named_child_count == 1:
        name = item.named_children[0] if item.named_children[0].type == "simple_identifier" else None
    chain = walk.read_chain(node.child_by_field_name("collection"))
    if name is not None and chain not in {"", "?"}:
        walk.bind_call(walk.bind_name(name), "", chain, node, Binding.ITEM)


def refer_labels(walk: CaptureWalk, node: Node, function: Node) -> None:
    """Add a use of the property that each label names, `Point(x: 1)`, of a struct without initialisers."""
    made = walk.read_chain(function).removesuffix(".init")
    if not made.rpartition(".")[2][:1].isupper() or not _CHAIN.fullmatch(made):
        return
    given = [one for each in node.named_children[1:] for one in each.named_children]
    values = [one for each in given if each.type == "value_arguments" for one in each.named_children]
    for one in values[:MAX_LABELLED]:
        label = one.child_by_field_name("name")
        if label is not None:
            walk.refer(ReferenceRole.USE, walk.read(label), label, made, "", OF_TYPE)


def find_suffix(node: Node) -> Node | None:
    """Return the name of the member that a navigation leads to."""
    suffix = node.child_by_field_name("suffix")
    name = suffix.child_by_field_name("suffix") if suffix is not None else None
    return name if name is not None and name.type == "simple_identifier" else None


def read_owner(walk: CaptureWalk, node: Node) -> str:
    """Return the chain before a member; for a type parameter what it is bound by, which is all that is known
    of it."""
    chain = walk.read_chain(node.child_by_field_name("target"))
    first, dot, rest = chain.partition(".")
    for scope in walk.scopes if first[:1].isupper() else ():
        bound = walk.type_parameters.get((scope.ordinal, first))
        if bound is not None:
            return bound + dot + rest if bound.isidentifier() else "?"
    return chain
