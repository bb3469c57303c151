"""Patterns and conditions of Swift: `if let x = y`, `case .some(let x)`, `switch`, `catch`.

A pattern is read together with the chain of the value that it is compared with. A case belongs to the type of
that value, and a name that the pattern binds has the type of the part in the same place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.languages.swift.types import find_type_chain
from repo_mcp.languages.swift.values import MAX_DEPTH, MAX_LABELLED, expect_value, read_value
from repo_mcp.languages.treesitter.capture_walk import CaptureWalk
from repo_mcp.languages.treesitter.source_text import find_child
from repo_mcp.symbols.model import AS_LABEL, Binding
from repo_mcp.symbols.symbol_record import TYPE_KINDS, ReferenceRole

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node


def on_conditions(walk: CaptureWalk, node: Node) -> None:
    """Read the conditions of `if`, `guard` and `while`, which follow one another."""
    parts: list[Node] = []
    depth = 0  # nested parentheses of a pattern
    closing = next((one for one in node.children if one.type == "}"), node)
    if node.type == "if_statement":
        walk.shadowing.add_block(node.start_byte, closing.end_byte)
    for one in node.children:
        depth += (one.type == "(") - (one.type == ")")
        if one.type in {"statements", "{", "else"}:
            break
        if one.type == "," and not depth:
            _read_condition(walk, parts)
            parts = []
        elif one.type not in {"if", "guard", "while"}:
            parts.append(one)
    _read_condition(walk, parts)


def _read_condition(walk: CaptureWalk, parts: list[Node]) -> None:
    if parts:
        walk.shadowing.delay(parts[0].start_byte, parts[-1].end_byte, parts[-1].end_byte)
    kinds = [one.type for one in parts]
    equals = kinds.index("=") if "=" in kinds else -1
    value = parts[equals + 1] if 0 <= equals < len(parts) - 1 else None
    if "case" in kinds[:1] and value is not None:
        match_pattern(walk, parts[1:equals], read_value(walk, value))
    elif "value_binding_pattern" in kinds[:1]:
        named = next((one for one in parts[1:] if one.type == "simple_identifier"), None)
        if named is not None:
            _bind_condition(walk, named, value)


def _bind_condition(walk: CaptureWalk, node: Node, value: Node | None) -> None:
    """Bind the name in `if let x = make()` or `guard let self`."""
    is_bound = any(walk.read(node) in walk.local_names.get(one.ordinal, ()) for one in walk.scopes)
    name = walk.bind_name(node)
    if value is not None:
        bind_value(walk, node, value)
    elif name != "self":  # `if let name {`, which binds the value of the same name
        walk.bind_call(name, name, "" if is_bound else "self", node, Binding.SAME)
        if not is_bound and any(one.kind in TYPE_KINDS for one in walk.scopes):
            walk.refer(ReferenceRole.USE, name, node, "self")


def bind_value(walk: CaptureWalk, node: Node, value: Node | None) -> None:
    """Record the type of a variable, given its value."""
    name = walk.read(node)
    for _ in range(MAX_DEPTH):
        if value is None or value.type not in {"try_expression", "await_expression"}:
            break
        value = value.named_children[-1] if value.named_child_count else None
    if value is not None and value.type == "as_expression":
        walk.bind_type(name, walk.read_line(value.named_children[-1]), node)
        return
    chain = read_value(walk, value)
    if chain.endswith("()") and chain not in {"", "?"}:
        qualifier, _, called = chain[:-2].rpartition(".")
        walk.bind_call(name, called, qualifier, node)
    elif chain not in {"", "?"}:
        qualifier, _, called = chain.rpartition(".")
        walk.bind_call(name, called, qualifier, node, Binding.SAME)


def on_switch(walk: CaptureWalk, node: Node) -> None:
    """Read the patterns of a `switch`, which are compared with one value, or with several in parentheses."""
    compared = node.child_by_field_name("expr")
    chains = _read_compared(walk, compared)
    for entry in node.named_children[1:]:
        patterns = [one for one in entry.named_children if one.type == "switch_pattern"]
        if patterns:
            walk.shadowing.delay(patterns[0].start_byte, patterns[-1].end_byte, patterns[-1].end_byte)
        for one in entry.named_children if entry.type == "switch_entry" else ():
            for pattern in one.named_children if one.type == "switch_pattern" else ():
                match_pattern(walk, pattern.children, *chains)


def _read_compared(walk: CaptureWalk, value: Node | None) -> list[str]:
    if value is not None and value.type == "tuple_expression" and value.named_child_count > 1:
        return [read_value(walk, one) for one in value.children_by_field_name("value")]
    return [read_value(walk, value)]


def on_catch(walk: CaptureWalk, node: Node) -> None:
    """Bind the error of `catch let x as Failure`."""
    error = node.child_by_field_name("error")
    if error is None:
        return
    written = error.child_by_field_name("name")
    inner = find_child(error, "pattern")
    bound = inner.child_by_field_name("bound_identifier") if inner is not None else None
    if written is not None and bound is not None:
        walk.bind_type(walk.bind_name(bound), walk.read_line(written), bound)
    else:
        match_pattern(walk, error.children, "?")


def match_pattern(
    walk: CaptureWalk, parts: Sequence[Node], chain: str, *others: str, binds: bool = False, depth: int = 0
) -> None:
    """Add the uses and the names of a pattern with these parts, compared with the value of a chain."""
    if depth > MAX_DEPTH:
        return
    binds = binds or any(one.type == "value_binding_pattern" for one in parts)
    parts = [one for one in parts if one.type != "value_binding_pattern"][: 2 * MAX_LABELLED]
    if not parts:
        return
    first = parts[0]
    if len(parts) > 1 and first.type == "pattern" and parts[1].type == "as":
        match_pattern(walk, first.children, "?", binds=binds, depth=depth + 1)
    elif first.type == "(":
        inner = [one for one in parts if one.type == "pattern"]
        values = (chain, *others) if len(inner) == 1 + len(others) else ("?",) * len(inner)
        for one, value in zip(inner, values, strict=True):
            match_pattern(walk, one.children, value, binds=binds, depth=depth + 1)
    elif first.type == "simple_identifier" and binds:
        _bind_part(walk, first, chain)
    elif first.type in {".", "user_type"}:
        owner = find_type_chain(walk.read_line(first)) if first.type == "user_type" else chain
        _match_case(walk, parts[1:], owner, chain, binds, depth)
    elif first.type == "pattern":
        match_pattern(walk, first.children, chain, *others, binds=binds, depth=depth + 1)
    elif first.is_named:
        expect_value(walk, first, chain)


def _match_case(
    walk: CaptureWalk, parts: Sequence[Node], owner: str, chain: str, binds: bool, depth: int
) -> None:
    name = next((one for one in parts[:2] if one.type == "simple_identifier"), None)
    if name is None:
        return
    walk.taken.add(name.start_byte)
    case = walk.read(name)
    is_type = owner != chain
    owner = owner or "?"
    walk.refer(ReferenceRole.USE, case, name, owner, "", 0 if is_type or owner == "?" else AS_LABEL)
    inner = [one for one in parts if one.type == "pattern"]
    for one in parts:  # labels
        if one.type == "simple_identifier":
            walk.taken.add(one.start_byte)
    if case == "some" and len(inner) == 1:
        match_pattern(walk, inner[0].children, chain, binds=binds, depth=depth + 1)
        return
    for at, one in enumerate(inner):
        value = f"{owner}.%{case}:{at}:{len(inner)}" if owner != "?" else "?"
        match_pattern(walk, one.children, value, binds=binds, depth=depth + 1)


def _bind_part(walk: CaptureWalk, node: Node, chain: str) -> None:
    name = walk.bind_name(node)
    if chain not in {"", "?"} and name != "_":
        qualifier, _, last = chain.rpartition(".")
        walk.bind_call(name, last, qualifier, node, Binding.SAME)
