"""Rust variables without a written type: values, parts of patterns, items of loops, parameters of closures.

`let a = &self.b` is SAME as `self.b`. The content of `Some` or `Ok`, the variable of a loop and the parameter
of a closure are an ITEM of the value. In `Shape::Round(r)`, `r` is UNPACKED from the variant, and `side` in
`Shape::Plain { side }` is its field. `Arc::new(a)` is SAME as the chain of `a`, followed by WRAPPED and the
wrapper's name. Left out on purpose: tuples, slices, and second parameters of closures.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.capture_walk import CaptureWalk, note_binding, split_path
from repo_mcp.symbols.model import WRAPPED
from repo_mcp.symbols.symbol_record import Binding

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

MAX_PATTERNS = 40  # nested patterns that are read
MAX_AROUND = 6  # marks, and wrappers, around one value
MAX_ARMS = 40  # arms of a `match` that are searched for its value
MAX_NAME_BYTES = 100  # of a variable in a pattern
_AROUND = frozenset(
    {
        "try_expression",
        "await_expression",
        "reference_expression",
        "parenthesized_expression",
        "unary_expression",  # `*value`; `-1` and `!flag` have no members
    }
)
_CHAINS = frozenset({"field_expression", "index_expression", "identifier", "self"})
_WITH_BLOCKS = frozenset({"block", "unsafe_block", "match_expression", "if_expression", "else_clause"})
_WRAPPERS = frozenset({"Some", "Ok"})
_GIVING = frozenset(
    b"map and_then filter for_each inspect any all find position map_or is_some_and retain then_some".split()
)
# Functions of the standard library that return their argument in a wrapper; `Arc::clone(&a)` returns `a`.
_WRAPPING_TEXT = """
Arc.new Arc.pin Arc.clone Rc.new Rc.pin Rc.clone Box.new Box.pin Pin.new Mutex.new RwLock.new RefCell.new
"""
_WRAPPING = frozenset(_WRAPPING_TEXT.split())
_INFERRED = re.compile(r"\b_\b")
_UNWRAPPING = frozenset({"expect", "unwrap"})
# Methods of `Any`, texts and iterators that return the type written in their call, as those named alike do.
_GIVING_ARGUMENT_TEXT = "collect downcast downcast_mut downcast_ref parse product sum"
_GIVING_ARGUMENT = frozenset(_GIVING_ARGUMENT_TEXT.split())
_PLAIN = re.compile(r"(?:ref\s+)?(?:mut\s+)?([a-z_]\w*)")


def bind_value(walk: CaptureWalk, name: str, value: Node, node: Node) -> None:
    """Bind a variable to a literal, the result of a call, or the value of other names."""
    value = _skip_marks(value)
    wrappers, inner = _unwrap(walk, value)
    if wrappers and _bind_wrapped(walk, name, wrappers, inner, node):
        return
    if value.type == "struct_expression":
        walk.bind_type(name, walk.read_line(value.child_by_field_name("name")), node)
    elif value.type == "call_expression":
        given = _read_given_type(walk, value)
        called, qualifier = split_path(walk.read_chain(value.child_by_field_name("function")))
        if given:
            walk.bind_type(name, given, node)
        elif called != "?":
            walk.bind_call(name, called, qualifier, node)
    elif value.type in _CHAINS:
        _bind_chain(walk, name, walk.read_chain(value), node, Binding.SAME)


def _skip_marks(value: Node) -> Node:
    """Return the value inside of `&value`, `value?`, `(value)` and the like."""
    for _ in range(MAX_AROUND):
        if value.type not in _AROUND:
            break
        value = value.child_by_field_name("value") or next(iter(value.named_children), value)
    return value


def _unwrap(walk: CaptureWalk, value: Node) -> tuple[list[str], Node]:
    """Return the wrappers that calls put around a value, the outermost first, and the value."""
    wrappers: list[str] = []
    for _ in range(MAX_AROUND):
        function, passed = value.child_by_field_name("function"), value.child_by_field_name("arguments")
        if function is None or passed is None or passed.named_child_count != 1:
            break
        called = ".".join(walk.read_chain(function).split(".")[-2:])
        if called not in _WRAPPING:
            break
        wrappers.append(called.partition(".")[0])
        value = _skip_marks(passed.named_children[0])
    return wrappers, value


def _bind_wrapped(walk: CaptureWalk, name: str, wrappers: list[str], value: Node, node: Node) -> bool:
    """Bind a variable to a value in wrappers; return False if nothing is known of the value."""
    is_made = value.type == "struct_expression"
    chain = walk.read_chain(value.child_by_field_name("name") if is_made else value)
    if not (is_made or value.type in _CHAINS or value.type == "call_expression") or chain.endswith("?"):
        return False
    wrapped = ".".join((chain, *(WRAPPED + one for one in reversed(wrappers))))
    _bind_chain(walk, name, wrapped, node, Binding.SAME)
    return True


def _read_given_type(walk: CaptureWalk, call: Node) -> str:
    """Return the type argument of a called method that returns it, unless some of it is to be inferred."""
    called = call.child_by_field_name("function")
    while called is not None and called.type == "field_expression":
        value = called.child_by_field_name("value")
        if walk.read(called.child_by_field_name("field")) not in _UNWRAPPING or value is None:
            return ""
        called = value.child_by_field_name("function")
    types = called.child_by_field_name("type_arguments") if called is not None else None
    method = called.child_by_field_name("function") if called is not None else None
    if types is None or types.named_child_count != 1 or method is None or method.type != "field_expression":
        return ""
    text = walk.read_line(types.named_children[0])
    is_given = walk.read(method.child_by_field_name("field")) in _GIVING_ARGUMENT
    return text if is_given and not _INFERRED.search(text) else ""


def find_result_variable(walk: CaptureWalk, value: Node | None) -> tuple[str, int] | None:
    """Return the variable that is the value of a block, an `if` or a `match`, and where it ends, or None.

    An example is `z` in `match y { Some(z) => z, .. }`: all arms of a `match` have the same type.
    """
    waiting = [value] if value is not None and value.type in _WITH_BLOCKS else []
    for _ in range(MAX_ARMS):
        if not waiting:
            break
        one = waiting.pop(0)
        if one.type == "identifier" and value is not None:
            return walk.read(one), value.end_byte
        waiting += _list_results(one)
    return None


def _list_results(node: Node) -> list[Node]:
    """Return the last expressions of a block, an `if` or a `match`, one of which is its value."""
    if node.type == "match_expression":
        body = node.child_by_field_name("body")
        arms = body.named_children[:MAX_ARMS] if body is not None else []
        found = [one.child_by_field_name("value") for one in arms]
    elif node.type == "if_expression":
        found = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    elif node.type in _WITH_BLOCKS:
        found = [next(iter(reversed(node.named_children)), None)]
    else:
        found = []
    return [one for one in found if one is not None]


def bind_pattern(walk: CaptureWalk, pattern: Node, value: str) -> None:
    """Bind the variables of a pattern that takes apart a value, given as a chain of names."""
    waiting = [(pattern, value, Binding.SAME)]
    for _ in range(MAX_PATTERNS):
        if not waiting:
            return
        one, chain, relation = waiting.pop()
        plain = _PLAIN.fullmatch(walk.read(one)) if one.end_byte - one.start_byte < MAX_NAME_BYTES else None
        if plain is not None:
            _bind_chain(walk, plain.group(1), chain, one, relation)
        elif one.type in {"match_pattern", "reference_pattern"}:
            waiting += [(child, chain, relation) for child in one.named_children[:1]]
        elif one.type == "tuple_struct_pattern":
            _unpack(walk, one, chain, waiting)
        elif one.type == "struct_pattern":
            _take_fields(walk, one, waiting)


def _unpack(walk: CaptureWalk, node: Node, value: str, waiting: list[tuple[Node, str, Binding]]) -> None:
    made = node.child_by_field_name("type")
    path = walk.read_chain(made)
    items = [one for one in node.named_children if one != made]
    if path in _WRAPPERS and len(items) == 1:
        waiting.append((items[0], value, Binding.ITEM))
        return
    for position, one in enumerate(items):
        plain = _PLAIN.fullmatch(walk.read(one))
        if plain is not None:
            name, qualifier = split_path(path)
            walk.bind_call(plain.group(1), name, qualifier, one, Binding.UNPACKED + position)


def _take_fields(walk: CaptureWalk, node: Node, waiting: list[tuple[Node, str, Binding]]) -> None:
    path = walk.read_chain(node.child_by_field_name("type"))
    for one in node.named_children:
        name = one.child_by_field_name("name") if one.type == "field_pattern" else None
        if name is not None:
            inner = one.child_by_field_name("pattern") or name
            waiting.append((inner, f"{path}.{walk.read(name)}", Binding.SAME))


def _bind_chain(walk: CaptureWalk, name: str, chain: str, node: Node, relation: Binding) -> None:
    if chain and chain != "?" and not chain.endswith(".?"):
        called, qualifier = split_path(chain)
        walk.bind_call(name, called, qualifier, node, relation)


def on_match(walk: CaptureWalk, node: Node) -> None:
    """Note the value that a `match` compares with its arms."""
    walk.switches.append((node.end_byte, walk.read_chain(node.child_by_field_name("value"))))


def on_match_pattern(walk: CaptureWalk, node: Node) -> None:
    """Bind the variables that an arm of a `match` takes from the compared value."""
    while walk.switches and walk.switches[-1][0] <= node.start_byte:
        walk.switches.pop()
    if walk.switches:
        bind_pattern(walk, node, walk.switches[-1][1])


def on_for(walk: CaptureWalk, node: Node) -> None:
    """Bind the variable of a loop."""
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    if pattern is not None and value is not None:
        walk.shadowing.delay(pattern.start_byte, pattern.end_byte, value.end_byte)
    plain = _PLAIN.fullmatch(walk.read(pattern).lstrip("&")) if pattern is not None else None
    if pattern is not None and plain is not None:
        _note_early(walk, plain.group(1), pattern)
        _bind_chain(walk, plain.group(1), walk.read_chain(value), pattern, Binding.ITEM)


def note_closure_item(walk: CaptureWalk, method: Node, arguments: Node | None) -> None:
    """Note that the parameter of a closure passed to a method is an item of the method's receiver."""
    field = method.child_by_field_name("field")
    if arguments is None or field is None or walk.text[field.start_byte : field.end_byte] not in _GIVING:
        return
    for one in arguments.named_children[-1:]:
        if one.type == "closure_expression":
            walk.values_to_come[one.start_byte] = walk.read_chain(method.child_by_field_name("value")), 0


def on_closure(walk: CaptureWalk, node: Node) -> None:
    """Bind the first parameter of a closure that is passed to a method."""
    chain, _ = walk.values_to_come.pop(node.start_byte, ("", 0))
    parameters = node.child_by_field_name("parameters")
    for one in parameters.named_children[:1] if parameters is not None and chain else ():
        plain = _PLAIN.fullmatch(walk.read(one))
        if plain is not None:
            _note_early(walk, plain.group(1), one)
            _bind_chain(walk, plain.group(1), chain, one, Binding.ITEM)


def _note_early(walk: CaptureWalk, name: str, pattern: Node) -> None:
    """Note where a pattern binds a name, before the walk reaches the pattern: the type is already known."""
    note_binding(walk, name, walk.text.find(name.encode(), pattern.start_byte))
