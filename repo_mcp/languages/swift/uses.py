"""Calls, members and types in the code of Swift.

`.success(3)` has "?" as its qualifier, since its type is not written. The alias of a call has the labels of
its arguments, "_" for none, and after the parenthesis those of trailing closures: "(for:_:)_:".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.swift.macros import ATTACHED, refer_conformances
from repo_mcp.languages.swift.manifest import refer_target
from repo_mcp.languages.swift.values import (
    MAX_LABELLED,
    expect_arguments,
    expect_value,
    find_called,
    find_suffix,
    is_awaited,
    is_subscript,
    read_owner,
    read_value,
    refer_labels,
    spell_arguments,
)
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, count_arguments, split_path
from repo_mcp.languages.treesitter.source_text import find_child
from repo_mcp.symbols.model import AS_ATTRIBUTE, AS_LABEL, AWAITED, BARE_DOT, SIGN_OF_MACRO
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_WORD = 20  # bytes before a dot that are searched
_WORD_BEHIND = re.compile(rb"[a-z]+\Z")
_UNWRAPPED = re.compile(
    rb"[\w)\]}][!?]+\Z"
)  # `first!!`: the grammar takes the second mark for an operator before a dot
_TYPE_NAME = "type_identifier"
_META = frozenset({"Type", "Protocol"})  # after a type, they are its metatype


def on_attribute(walk: CaptureWalk, node: Node) -> None:
    """Add the use of a type as an attribute; the words of any other attribute are no uses."""
    name_node = next(iter(node.named_children), None)
    if name_node is not None and name_node.type == "user_type":
        chain = walk.read_chain(name_node)
        name, qualifier = split_path(chain)
        if name[:1].isupper():
            walk.refer(ReferenceRole.TYPE, name, node, qualifier, "", AS_ATTRIBUTE)
            walk.take_words(name_node)
            _read_attribute_values(walk, node, chain)
            return
        if chain == ATTACHED:
            refer_conformances(walk, node)
    walk.take_words(node)


def _read_attribute_values(walk: CaptureWalk, node: Node, made: str) -> None:
    """Note the owners of bare dots in the arguments of an attribute: parameters of its initialiser."""
    labels, values = [], []
    label = "_"
    for one in node.named_children[1:]:
        if one.type == "simple_identifier" and walk.text.startswith(b":", one.end_byte):
            walk.taken.add(one.start_byte)
            label = walk.read(one)
        else:
            labels.append(label)
            values.append(one)
            label = "_"
    written = f"({''.join(f'{one}:' for one in labels)})"
    for at, value in enumerate(values[:MAX_LABELLED]):
        expect_value(walk, value, f"{made}.@{at}{written}")


def on_inherits(walk: CaptureWalk, node: Node) -> None:
    """Give a base its role: only the first base of a class may be a class."""
    scope = walk.scope
    role = ReferenceRole.IMPLEMENT
    if scope.kind is SymbolKind.TRAIT:
        role = ReferenceRole.EXTEND
    elif scope.kind is SymbolKind.CLASS and -1 - scope.ordinal not in walk.taken:
        role = ReferenceRole.INHERIT
    walk.taken.add(-1 - scope.ordinal)
    walk.set_role(node, role)


def on_call(walk: CaptureWalk, node: Node) -> None:
    """Add a call, with the labels of its arguments, whose types depend on the called function."""
    function = next(iter(node.named_children), None)
    if function is None or function.start_byte in walk.taken:  # in an attribute
        return
    function = find_called(walk, function)
    count, labels = _count_arguments(walk, node), _read_labels(walk, node)
    called = read_value(walk, function)
    is_index = is_subscript(walk, node)
    expect_arguments(walk, node, f"{called}.subscript" if is_index and called != "?" else called, labels)
    if is_index:
        if labels:
            labels += spell_arguments(walk, node)
        walk.refer(ReferenceRole.CALL, "subscript", node.named_children[1], called, labels, count)
        return
    refer_labels(walk, node, called)
    if labels:
        labels += spell_arguments(walk, node) + (AWAITED if is_awaited(walk, node.start_byte) else "")
    if function.type == "simple_identifier":
        walk.taken.add(function.start_byte)
        bound = _find_bound(walk, walk.read(function))
        made = "init" if bound else walk.read(function)
        walk.refer(ReferenceRole.CALL, made, function, bound, labels, count)
    elif function.type == "navigation_expression":
        name = find_suffix(function)
        if name is not None:
            walk.taken.add(name.start_byte)
            qualifier = read_owner(walk, function)
            called = walk.read(name)
            walk.refer(ReferenceRole.CALL, called, name, qualifier, labels, count)
    elif function.type == "prefix_expression":
        target = function.child_by_field_name("target")
        if target is not None and walk.text[function.start_byte : function.start_byte + 1] == b".":
            walk.taken.add(target.start_byte)
            refer_target(walk, node, walk.read(target))
            owner = _find_owner(walk, function)
            last = owner.rpartition(".")[2][:1]
            is_bare = _is_bare(walk, function) and last != "@" and not last.isupper()
            owner += BARE_DOT if is_bare else ""
            walk.refer(ReferenceRole.CALL, walk.read(target), target, owner, labels, count)
    elif function.type == "macro_invocation":
        _refer_macro(walk, function, labels, count)
    elif function.type == "user_type":  # of `Base<Item>(3)`
        made, qualifier = split_path(walk.read_chain(function))
        walk.taken.update(one.start_byte for one in function.named_children[-2:] if one.type == _TYPE_NAME)
        walk.refer(ReferenceRole.CALL, made, function, qualifier, labels, count)


def on_macro_call(walk: CaptureWalk, node: Node) -> None:
    """Add the call of a macro, `#name(...)`, unless a closure follows it: then it is added with that."""
    _refer_macro(walk, node, "()", 1)


def _refer_macro(walk: CaptureWalk, node: Node, behind: str, count: int) -> None:
    """Add the call of a macro, with the labels and the number plus 1 of the closures behind it."""
    name = find_child(node, "simple_identifier")
    if name is None or name.start_byte in walk.taken:
        return
    walk.taken.add(name.start_byte)
    inside = _read_labels(walk, node)
    labels = inside + behind.removeprefix("()") if inside and behind else ""
    count += _count_arguments(walk, node) - 1
    walk.refer(ReferenceRole.CALL, walk.read(name), name, SIGN_OF_MACRO, labels, count)


def _find_bound(walk: CaptureWalk, name: str) -> str:
    """Return the protocol or class that a type parameter is bound by; "" for any other name."""
    bounds = (walk.type_parameters.get((scope.ordinal, name), "") for scope in walk.scopes)
    return next((one for one in bounds if one.isidentifier()), "") if name[:1].isupper() else ""


def _count_arguments(walk: CaptureWalk, node: Node) -> int:
    """Return the number of arguments plus 1, trailing closures included."""
    count = 1
    for suffix in node.named_children[1:]:
        for one in suffix.named_children:
            is_list = one.type == "value_arguments"
            count += count_arguments(walk, one) - 1 if is_list else one.type == "lambda_literal"
    return count


def _read_labels(walk: CaptureWalk, node: Node) -> str:
    """Return the labels of a call's arguments; "" for more than MAX_LABELLED."""
    inside: list[str] = []
    behind: list[str] = []
    for suffix in node.named_children[1:]:
        label = "_"
        for one in suffix.named_children:
            if one.type == "value_arguments":
                arguments = [each for each in one.named_children if each.type == "value_argument"]
                inside += [walk.read(each.child_by_field_name("name")) or "_" for each in arguments]
            elif one.type == "lambda_literal":
                behind.append(label)
                label = "_"
            else:
                label = walk.read(one)
    if len(inside) + len(behind) > MAX_LABELLED:
        return ""
    return f"({''.join(f'{one}:' for one in inside)}){''.join(f'{one}:' for one in behind)}"


def on_navigation(walk: CaptureWalk, node: Node) -> None:
    """Add a member that is read or written."""
    name = find_suffix(node)
    if name is not None and name.start_byte not in walk.taken:
        walk.taken.add(name.start_byte)
        qualifier = read_owner(walk, node)
        walk.refer(ReferenceRole.USE, walk.read(name), name, qualifier)


def _find_owner(walk: CaptureWalk, node: Node) -> str:
    """Return the owner of the member after a bare dot; "?" if nothing shows it."""
    return _find_variable(walk, node) or walk.values_to_come.get(node.start_byte, ("?", 0))[0]


def _find_variable(walk: CaptureWalk, node: Node) -> str:
    """Return the variable right before a dot that the grammar takes for a keyword: `each.id`, `copy.id`."""
    start = node.start_byte
    found = _WORD_BEHIND.search(walk.text, max(0, start - MAX_WORD), start)
    return found[0].decode() if found is not None else ""


def _is_bare(walk: CaptureWalk, node: Node) -> bool:
    """Return whether no value stands right before a dot."""
    start = node.start_byte
    is_unwrapped = _UNWRAPPED.search(walk.text, max(0, start - MAX_WORD), start) is not None
    return not is_unwrapped and not _find_variable(walk, node)


def on_prefix(walk: CaptureWalk, node: Node) -> None:
    """Add the member after a bare dot, `.success`, of the type that is expected there."""
    target = node.child_by_field_name("target")
    is_dot = walk.text[node.start_byte : node.start_byte + 1] == b"."
    if target is not None and is_dot and target.type == "simple_identifier":
        if target.start_byte not in walk.taken:
            owner = _find_owner(walk, node)
            is_value = _is_bare(walk, node) and not owner.rpartition(".")[2][:1].isupper()
            walk.refer(ReferenceRole.USE, walk.read(target), target, owner, "", AS_LABEL if is_value else 0)
        walk.taken.add(target.start_byte)


def on_user_type(walk: CaptureWalk, node: Node) -> None:
    """Add each name of a type, `Outer.Inner`, in the role of the span around it."""
    names = [one for one in node.named_children if one.type == _TYPE_NAME]
    if not names or names[-1].start_byte in walk.taken:
        return
    said = [walk.read(one) for one in names]
    if len(names) > 1 and said[-1] in _META:
        names.pop()
    is_open = said[0] == "Self" or any(
        (scope.ordinal, said[0]) in walk.type_parameters for scope in walk.scopes
    )
    for at, one in enumerate(names):
        if one.start_byte not in walk.taken:
            walk.refer_type(one, said[at], "?" if is_open and at else ".".join(said[:at]))
