"""The owners of Swift values: of members after a bare dot, and of the names in closures and loops.

`.some` is a member of the type written for a variable, a parameter or a result, of the type of the value that
it is compared with or assigned to, or of the type of the parameter that it is passed for. In a chain, a
parameter is a step of its own: `make.@1(of:_:)` is the second parameter of the `make` that takes these
labels, and `make.@1(of:_:).#0` the first parameter of the function that is passed there. `value.%some:0` is
the first value of a case. `$0` has another name in each closure: "$0/2" in the third one of a declaration.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.swift.types import find_type_chain, strip_type
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.symbols.model import CAST, OF_TYPE, Binding
from repo_mcp.symbols.symbol_record import ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

_SHORTHAND = re.compile(r"\$\d+(?=\.|$)")
# Methods of collections and optionals that pass their items to a function.
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
_ORDERING = frozenset({"min", "max", "sorted", "sort"})  # these pass two items at once
MAX_LABELLED = 40  # arguments of one call whose labels are recorded
MAX_TYPED = 6  # arguments of one call whose chains are recorded
MAX_ARGUMENT_CHARS = 40
_AWAITING = re.compile(rb"(?:try[?!]?[ \t\n]++)?await\b")
_BARE_DOT = re.compile(rb"\.\w+")
_MARKS = {
    "line_string_literal": '"',
    "multi_line_string_literal": '"',
    "raw_string_literal": '"',
    "integer_literal": "0",
    "real_literal": "0",
    "boolean_literal": "true",
    "array_literal": "[",
    "dictionary_literal": "[",
    "lambda_literal": "{",
    "nil_literal": "nil",
}
MAX_DEPTH = 12  # nested expressions that are followed
_MAX_SHORTHANDS = 4  # `$0` to `$3`
# The grammar parses `x == .a || y` as `x == (.a || y)`.
_FIRST_PARTS = frozenset({"conjunction_expression", "disjunction_expression"})
_LAST_PARTS = frozenset({"try_expression", "await_expression"})

_TEXTS = frozenset({"line_string_literal", "multi_line_string_literal", "raw_string_literal"})
_OF_TEXT = f"{CAST}String"  # the chain of a literal


def read_value(walk: CaptureWalk, node: Node | None, depth: int = 0) -> str:
    """Return the chain of a value, as `read_chain` does, also through `??`, parentheses and bare dots."""
    chain = walk.read_chain(node)
    if chain == "?" and node is not None and depth < MAX_DEPTH:
        chain = _read_parts(walk, node, depth + 1)
    return rename_shorthand(walk, chain, node.start_byte) if node is not None else chain


def _read_parts(walk: CaptureWalk, node: Node, depth: int) -> str:
    children = node.named_children
    if node.type == "nil_coalescing_expression" or (node.type == "tuple_expression" and len(children) == 1):
        return read_value(walk, node.child_by_field_name("value"), depth)
    if node.type in _LAST_PARTS and children:
        return read_value(walk, children[-1], depth)
    if node.type == "ternary_expression":
        return read_value(walk, node.child_by_field_name("if_true"), depth)
    if node.type == "as_expression" and children:
        return find_type_chain(walk.read_line(children[-1])) or "?"
    name = ""
    target = node.child_by_field_name("target")
    if node.type == "prefix_expression" and walk.text.startswith(b".", node.start_byte):
        owner, name = walk.values_to_come.get(node.start_byte, ("?", 0))[0], walk.read(target)
    elif node.type == "navigation_expression":
        owner, name = _read_target(walk, target, depth), walk.read(find_suffix(node))
    elif node.type == "call_expression" and children:
        owner = read_value(walk, children[0], depth)
        return "?" if owner == "?" else f"{owner}.[]" if is_subscript(walk, node) else f"{owner}()"
    else:
        return "?"
    return f"{owner}.{name}" if name and owner not in {"", "?"} else "?"


def _read_target(walk: CaptureWalk, target: Node | None, depth: int) -> str:
    """Return the chain of the value that has a member: in `x + make().size`, that of `make()`."""
    if target is not None and target.type == "call_expression" and target.named_child_count:
        function = target.named_children[0]
        called = find_called(walk, function)
        if called is not function:
            owner = read_value(walk, called, depth)
            return "?" if owner == "?" else f"{owner}.[]" if is_subscript(walk, target) else f"{owner}()"
    return read_value(walk, target, depth)


def find_called(walk: CaptureWalk, function: Node) -> Node:
    """Return what is called: for the grammar `x + make(3)` is a call of `x + make`, and `!is(3)` of `!is`."""
    for _ in range(MAX_DEPTH):
        inner = function.child_by_field_name("rhs")
        if function.type == "prefix_expression" and not walk.text.startswith(b".", function.start_byte):
            inner = function.child_by_field_name("target")
        if inner is None:
            break
        function = inner
    return function


def is_subscript(walk: CaptureWalk, node: Node) -> bool:
    """Return whether a node that the grammar has for calls is a subscript, `value[3]` or `value?[3]`."""
    suffix = node.named_children[-1]
    arguments = suffix.named_children[0] if suffix.named_child_count else suffix
    return walk.text.startswith(b"[", arguments.start_byte)


def rename_shorthand(walk: CaptureWalk, chain: str, start: int) -> str:
    """Return a chain in which `$0` has its name in the innermost closure around a byte."""
    found = _SHORTHAND.match(chain)
    if found is None:
        return chain
    number = find_closure(walk, start)
    return f"{found[0]}/{number}{chain[found.end() :]}" if number > 0 else chain


def find_closure(walk: CaptureWalk, start: int) -> int:
    """Return the number of the innermost closure around a byte, -1 for none; forget those that ended."""
    while walk.closures and walk.closures[-1][0] <= start:
        walk.closures.pop()
    return walk.closures[-1][1] if walk.closures else -1


def on_closure(walk: CaptureWalk, node: Node) -> None:
    """Open a closure, in which `$0` has a name of its own."""
    find_closure(walk, node.start_byte)
    walk.closures.append((node.end_byte, _number_closure(walk, node)))
    open_awaited(walk, node.start_byte, node.end_byte, is_awaited=False)


def on_awaited(walk: CaptureWalk, node: Node) -> None:
    """Open the expression to which `await` applies: all that is to its right."""
    top = node
    while (parent := top.parent) is not None and parent.type != "statements":
        if parent.start_byte != top.start_byte and parent.type != "try_expression":
            break
        top = parent
    open_awaited(walk, node.start_byte, top.end_byte, is_awaited=True)


def open_awaited(walk: CaptureWalk, start: int, end: int, *, is_awaited: bool) -> None:
    """Open an expression with or without `await` before it; forget those that ended."""
    while walk.awaited and walk.awaited[-1][0] <= start:
        walk.awaited.pop()
    walk.awaited.append((end, is_awaited))


def is_awaited(walk: CaptureWalk, start: int) -> bool:
    """Return whether `await` applies to what begins at a byte."""
    if _AWAITING.match(walk.text, start) is not None:
        return True
    while walk.awaited and walk.awaited[-1][0] <= start:
        walk.awaited.pop()
    return bool(walk.awaited) and walk.awaited[-1][1]


def _number_closure(walk: CaptureWalk, node: Node) -> int:
    known = walk.closure_numbers
    if node.start_byte not in known:
        known[node.start_byte] = len(known)
    return known[node.start_byte]


# Owners of members after a bare dot


def expect_value(walk: CaptureWalk, value: Node | None, owner: str, depth: int = 0) -> None:
    """Note the owner of `.some` or `.some(3)`, if the value is one: a type, or the chain of a value."""
    if value is None or owner in {"", "?"} or depth > MAX_DEPTH:
        return
    kind, parts = value.type, value.named_children
    if kind == "prefix_expression":
        walk.values_to_come[value.start_byte] = owner, 0
    elif kind in {"call_expression", "navigation_expression", *_FIRST_PARTS} and parts:
        expect_value(walk, parts[0], owner, depth + 1)
    elif (kind in _LAST_PARTS or (kind == "tuple_expression" and len(parts) == 1)) and parts:
        expect_value(walk, parts[-1], owner, depth + 1)
    elif kind == "ternary_expression":
        for field in ("if_true", "if_false"):
            expect_value(walk, value.child_by_field_name(field), owner, depth + 1)
    elif kind == "nil_coalescing_expression":
        for field in ("value", "if_nil"):
            expect_value(walk, value.child_by_field_name(field), owner, depth + 1)
    elif kind == "array_literal":
        for one in parts[:MAX_LABELLED]:
            expect_value(walk, one, f"{owner}.[]", depth + 1)


def expect_type(walk: CaptureWalk, value: Node | None, type_text: str) -> None:
    """Note the type that has `.some` as a member, if the value is one and is of that type."""
    if value is None:
        return
    text = strip_type(type_text)
    if value.type == "array_literal" and text.startswith("["):
        owner = find_type_chain(text[1:].removesuffix("]"))
        for one in value.named_children[:MAX_LABELLED] if owner else ():
            expect_value(walk, one, owner)
        return
    expect_value(walk, value, find_type_chain(text))


def on_comparison(walk: CaptureWalk, node: Node) -> None:
    """Note the owner of `.some` in `x == .some`."""
    left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
    expect_value(walk, right, read_value(walk, left))


def on_infix(walk: CaptureWalk, node: Node) -> None:
    """Note the owner of `.some` in `x != .some`, or after another operator."""
    on_comparison(walk, node)


def on_assignment(walk: CaptureWalk, node: Node) -> None:
    """Note the owner of `.some` in `x = .some`."""
    target = node.child_by_field_name("target")
    if target is not None and target.named_child_count:
        owner = read_value(walk, target.named_children[0])
        expect_value(walk, node.child_by_field_name("result"), owner)


def on_transfer(walk: CaptureWalk, node: Node) -> None:
    """Note the owner of `.some` in `return .some`."""
    if walk.text.startswith(b"return", node.start_byte) and find_closure(walk, node.start_byte) < 0:
        expect_type(walk, node.child_by_field_name("result"), walk.results.get(walk.scope.ordinal, ""))


# Arguments of calls


def expect_arguments(walk: CaptureWalk, node: Node, called: str, labels: str) -> None:
    """Note the owners of bare dots in the arguments of a call, and bind the parameters of its closures."""
    values = _list_arguments(node)
    if called.startswith("XCTAssert"):  # compares two values of the same type
        for one, other in (values[:2], values[1::-1]) if len(values) > 1 else ():
            expect_value(walk, one, read_value(walk, other))
        return
    if not labels or called in {"", "?"}:
        return
    name = called.rpartition(".")[2]
    for at, value in enumerate(values[:MAX_LABELLED]):
        if value.type == "lambda_literal":
            before = called.rpartition(".")[0]
            if name in _GIVING_ITEMS and before:
                _bind_items(walk, value, before, 2 if name in _ORDERING else 1)
            else:
                _bind_closure(walk, value, f"{called}.@{at}{labels}")
        else:
            expect_value(walk, value, f"{called}.@{at}{labels}")


def spell_arguments(walk: CaptureWalk, node: Node) -> str:
    """Return what is known of the arguments of a call, each after a bar: a chain, ".some", or a mark."""
    said = []
    for value in _list_arguments(node)[:MAX_TYPED]:
        chain = _MARKS.get(value.type, "")
        if not chain:
            chain = read_value(walk, value)
            name = _BARE_DOT.match(walk.text, value.start_byte, value.end_byte)
            chain = name[0].decode("utf-8", "replace") if name is not None else chain
        said.append("" if chain == "?" or len(chain) > MAX_ARGUMENT_CHARS or "@" in chain else chain)
    return "".join(f"|{one}" for one in said) if any(said) else ""


def _list_arguments(node: Node) -> list[Node]:
    """Return the values that are passed to a call: its arguments, then its trailing closures."""
    arguments = []
    for suffix in node.named_children[1:]:
        for each in suffix.named_children:
            if each.type == "value_arguments":
                arguments += [
                    value for arg in each.named_children if (value := arg.child_by_field_name("value"))
                ]
            elif each.type == "lambda_literal":
                arguments.append(each)
    return arguments


def _list_names(walk: CaptureWalk, closure: Node, count: int) -> list[str]:
    """Return the names of the parameters of a closure; "" for those with a written type."""
    head = closure.child_by_field_name("type")
    for one in head.named_children if head is not None else ():
        if one.type == "lambda_function_type_parameters":
            parameters = [part for part in one.named_children if part.type == "lambda_parameter"]
            return [walk.read(part) if part.named_child_count == 1 else "" for part in parameters]
    number = _number_closure(walk, closure)
    return [f"${at}/{number}" if number else f"${at}" for at in range(count)]


def _bind_items(walk: CaptureWalk, closure: Node, chain: str, count: int) -> None:
    for name in filter(None, _list_names(walk, closure, count)[:count]):
        walk.add_local(name)
        walk.bind_call(name, "", chain, closure, Binding.ITEM)


def _bind_closure(walk: CaptureWalk, closure: Node, chain: str) -> None:
    for at, name in enumerate(_list_names(walk, closure, _MAX_SHORTHANDS)):
        if name:
            walk.add_local(name)
            walk.bind_call(name, f"#{at}", chain, closure, Binding.SAME)


def on_for(walk: CaptureWalk, node: Node) -> None:
    """Bind the name in `for x in list`, or `x` in `for (at, x) in list.enumerated()`, to an item."""
    item = node.child_by_field_name("item")
    collection = node.child_by_field_name("collection")
    if item is not None and collection is not None:
        walk.shadowing.delay(item.start_byte, item.end_byte, collection.end_byte)
    chain = read_value(walk, collection)
    if item is None or chain in {"", "?"}:
        return
    names = [item.child_by_field_name("bound_identifier")]
    if names[0] is None:
        inner = [one.named_children[0] if one.type == "pattern" and one.named_child_count else one
                 for one in item.named_children]  # fmt: skip
        names = [one for one in inner if one.type == "simple_identifier"]
        if len(inner) == 2:  # the pair of a dictionary, or a number and an item
            names, chain = names[-1:], chain.removesuffix(".enumerated()")
        elif len(inner) != 1:
            return
    for name in names:
        if name is not None and walk.read(name) != "_":
            walk.bind_call(walk.bind_name(name), "", chain, node, Binding.ITEM)


def refer_labels(walk: CaptureWalk, node: Node, made: str) -> None:
    """Add a use of each property that a label names: `Point(x: 1)` of a struct without initialisers."""
    if made.endswith(".init"):
        made = made.removesuffix(".init")
    elif not made.rpartition(".")[2][:1].isupper():
        return
    suffixes = [one for each in node.named_children[1:] for one in each.named_children]
    values = [one for each in suffixes if each.type == "value_arguments" for one in each.named_children]
    for one in values[:MAX_LABELLED]:
        label = one.child_by_field_name("name")
        if label is not None and made not in {"", "?"}:
            walk.refer(ReferenceRole.USE, walk.read(label), label, made, "", OF_TYPE)


def find_suffix(node: Node) -> Node | None:
    """Return the name of the member to which a navigation leads; None if it is no plain name."""
    suffix = node.child_by_field_name("suffix")
    name = suffix.child_by_field_name("suffix") if suffix is not None else None
    return name if name is not None and name.type == "simple_identifier" else None


def read_owner(walk: CaptureWalk, node: Node) -> str:
    """Return the chain before a member; a type parameter is replaced by its bound."""
    target = node.child_by_field_name("target")
    if target is not None and target.type in _TEXTS:
        return _OF_TEXT
    chain = _read_target(walk, target, 0)
    first, dot, rest = chain.partition(".")
    for scope in walk.scopes if first[:1].isupper() else ():
        bound = walk.type_parameters.get((scope.ordinal, first))
        if bound is not None:
            return bound + dot + rest if bound.isidentifier() else "?"
    return chain
