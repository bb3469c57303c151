"""Uses of names in TypeScript and JavaScript: calls, members, JSX elements, types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_mcp.languages.treesitter.scope_walk import UNKNOWN
from repo_mcp.languages.treesitter.source_text import find_first_child
from repo_mcp.languages.typescript.contextual_types import expect_argument
from repo_mcp.languages.typescript.modules import refer_required
from repo_mcp.languages.typescript.tagged_templates import refer_type_arguments
from repo_mcp.languages.typescript.walk import EXPECTED, ScriptWalk, skip_operators
from repo_mcp.languages.typescript.written_bases import TYPE_NODES, find_base
from repo_mcp.symbols.model import ITSELF, Binding, name_parameter
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, ReferenceRole, SymbolKind
from repo_mcp.titled_names import is_titled

if TYPE_CHECKING:
    from repo_mcp.languages.treesitter.parser import Node

CALL, USE = ReferenceRole.CALL, ReferenceRole.USE
THROUGH = "()"  # alias of a call through a member of the called function
MAX_ARGUMENTS = 16  # arguments of one call whose contextual types are noted
GUARDED = "?"  # in the alias of a call, before the value whose type the called function may test
_ASKING = frozenset(
    {
        "binary_expression",
        "if_statement",
        "parenthesized_expression",
        "ternary_expression",
        "unary_expression",
    }
)
_INSIDE = ("await_expression", "binary_expression", "unary_expression")  # of the function before `<T>()`
CALLING = frozenset({"call", "apply", "bind"})
_CLOSING = (b"}", b")", b"]")
# In trees without errors, plain chains of names are read by their characters: nodes take twice as long.
_MEMBER = re.compile(rb"[\w$.#\x80-\xff]{1,200}\.(#?[\w$\x80-\xff]+)")
_GIVING = re.compile(r"\([A-Za-z_$][\w$]{0,199}\(\)\)")  # a call that gives a class
_CLASS = re.compile(r"[A-Z][A-Z0-9]*[a-z]\w{0,199}")
_NAME = re.compile(r"#?[A-Za-z_$][\w$]{0,199}")


def on_call(walk: ScriptWalk, node: Node) -> None:
    """Add a call of a name or of a member."""
    function = skip_operators(node.child_by_field_name("function"), *_INSIDE)
    if function is not None and function.type == "non_null_expression":
        function = find_first_child(function)
    if function is None:
        return
    refer_type_arguments(walk, node)
    kind = function.type
    if kind == "identifier":
        if walk.text.startswith(b"require", function.start_byte) and refer_required(walk, node, function):
            return
        _refer_call(walk, node, function, "")
    elif kind == "member_expression":
        if not _passes_own_object(walk, node, function):
            _refer_call(walk, node, function, None)
        _refer_called_through(walk, function)
    elif kind == "subscript_expression":
        _refer_quoted_call(walk, node, function)
    elif kind == "call_expression":
        chain = walk.read_chain(function)
        _expect_arguments(walk, node.child_by_field_name("arguments"), chain, "", function.start_byte)
    elif kind == "super":
        arguments = walk.count_arguments(node.child_by_field_name("arguments"))
        walk.refer(CALL, "constructor", node.start_byte, "super", "", arguments)
    elif kind == "import":
        refer_required(walk, node, function)


def _refer_quoted_call(walk: ScriptWalk, node: Node, function: Node) -> None:
    """Add a call of a member with a quoted name, as private ones have outside: `client["_end"]()`."""
    index = function.child_by_field_name("index")
    name = find_first_child(index) if index is not None and index.type == "string" else None
    if name is None or name.type != "string_fragment" or not _NAME.fullmatch(walk.read(name)):
        return
    qualifier = walk.read_chain(function.child_by_field_name("object"))
    arguments = walk.count_arguments(node.child_by_field_name("arguments"))
    walk.refer(CALL, walk.read(name), name.start_byte, qualifier, "", arguments)


def _passes_own_object(walk: ScriptWalk, node: Node, function: Node) -> bool:
    """Return whether `a.b.apply(a, ...)` or `A.prototype.b.call(...)` calls a member of every function."""
    name = function.child_by_field_name("property")
    called = function.child_by_field_name("object")
    if name is None or called is None or called.type != "member_expression" or walk.read(name) not in CALLING:
        return False
    owner = walk.read(called.child_by_field_name("object"))
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_children[:1] if arguments is not None else []
    is_own = [walk.read(one) for one in first] == [owner]
    if is_own or owner == "super" or owner.endswith(".prototype"):
        walk.taken.add(name.start_byte)
        return True
    return False


def _refer_called_through(walk: ScriptWalk, function: Node) -> None:
    """Add a call of `f`, marked as THROUGH, for `f.call(...)`, `f.apply(...)` and `f.bind(...)`.

    It is one only if `f` is a function, since other objects also have members of these names.
    """
    called = function.child_by_field_name("object")
    if called is None or walk.read(function.child_by_field_name("property")) not in CALLING:
        return
    if called.type == "identifier":
        walk.refer(CALL, walk.read(called), called.start_byte, "", THROUGH)
    elif called.type == "member_expression":
        name = called.child_by_field_name("property")
        if name is not None:
            qualifier = walk.read_chain(called.child_by_field_name("object"))
            walk.refer(CALL, walk.read(name), name.start_byte, qualifier, THROUGH)


def on_new(walk: ScriptWalk, node: Node) -> None:
    """Add a call of the name or member after `new`, or of the result of a function: `new (getStore())()`."""
    constructor = node.child_by_field_name("constructor")
    if constructor is not None and constructor.type in {"identifier", "member_expression"}:
        _refer_call(walk, node, constructor, "" if constructor.type == "identifier" else None)
    elif constructor is not None and _GIVING.fullmatch(walk.read(constructor)):
        name = walk.read(constructor)[1:-1]
        arguments = walk.count_arguments(node.child_by_field_name("arguments"))
        walk.refer(CALL, name, constructor.start_byte, "", "", arguments)


def _refer_call(walk: ScriptWalk, node: Node, named: Node, qualifier: str | None) -> None:
    """Add a row for a called name; if `qualifier` is None, for a called member."""
    name_node: Node | None = named
    made = None
    if qualifier is None:
        name_node = named.child_by_field_name("property")
        made = named.child_by_field_name("object")
        qualifier = walk.read_chain(made)
    if name_node is None:
        return
    arguments = node.child_by_field_name("arguments")
    start = name_node.start_byte
    walk.taken.add(start)
    if made is not None and made.type == "new_expression":
        start = _find_shown(walk, made, start)
    name = walk.read(name_node)
    if name and qualifier != UNKNOWN:
        _expect_arguments(walk, arguments, name, qualifier, start)
    walk.refer(
        CALL, name, start, qualifier, _read_guarded(walk, node, arguments), walk.count_arguments(arguments)
    )


def _find_shown(walk: ScriptWalk, made: Node, start: int) -> int:
    """Return where `new Store(` begins, if the line of the called member only closes its arguments."""
    line = walk.text[walk.text.rfind(b"\n", 0, start) + 1 : start]
    return made.start_byte if made.start_byte < start - len(line) and line.strip()[:1] in _CLOSING else start


def _read_guarded(walk: ScriptWalk, node: Node, arguments: Node | None) -> str:
    """Return the first argument of a call in a condition, after GUARDED: `if (isBox(value))`."""
    parent = node.parent
    if arguments is None or parent is None or parent.type not in _ASKING or not arguments.named_child_count:
        return ""
    one = arguments.named_children[0]
    is_plain = one.type in {"identifier", "member_expression"}
    chain = walk.read_chain(one) if is_plain else UNKNOWN
    return "" if chain == UNKNOWN else GUARDED + chain


def _expect_arguments(walk: ScriptWalk, listed: Node | None, name: str, qualifier: str, start: int) -> None:
    """Note the contextual types of the arguments of a call of `qualifier.name`, and what may be a class."""
    if listed is None or name == UNKNOWN:
        return
    arguments = [one for one in listed.named_children if one.type != "comment"]
    for position, one in enumerate(arguments[:MAX_ARGUMENTS], 1):
        if one.type == "identifier" and _CLASS.fullmatch(walk.read(one)):
            passed = name_parameter(position, ITSELF)
            walk.refer(ReferenceRole.BIND, name, start, qualifier, EXPECTED + walk.read(one), passed)
        expect_argument(walk, one, name, qualifier, position)


def on_member(walk: ScriptWalk, node: Node) -> None:
    """Add the use of a member."""
    if not walk.is_partial:
        first, end = node.start_byte, node.end_byte
        found = _MEMBER.fullmatch(walk.text, first, end)
        if found is not None:
            start = found.start(1)
            if start not in walk.taken:
                walk.taken.add(start)
                walk.refer(USE, walk.read_piece(start, end), start, walk.read_piece(first, start - 1))
            return
    name_node = node.child_by_field_name("property")
    if name_node is None or name_node.start_byte in walk.taken:
        return
    start = name_node.start_byte
    walk.taken.add(start)
    qualifier = walk.read_chain(node.child_by_field_name("object"))
    walk.refer(USE, walk.read(name_node), start, qualifier)


def on_jsx(walk: ScriptWalk, node: Node) -> None:
    """Add the call of a component by its element; the symbol around it may be a component, too."""
    walk.components.add(walk.ordinal)
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    if name_node.type == "member_expression":
        _refer_element(walk, name_node)
        return
    walk.taken.add(name_node.start_byte)
    name = walk.read(name_node)
    if name_node.type == "identifier" and not name[:1].islower():
        walk.refer(CALL, name, name_node.start_byte)


def _refer_element(walk: ScriptWalk, node: Node) -> None:
    name_node = node.child_by_field_name("property")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        qualifier = walk.read_chain(node.child_by_field_name("object"))
        walk.refer(CALL, walk.read(name_node), name_node.start_byte, qualifier)


def on_jsx_end(walk: ScriptWalk, node: Node) -> None:
    """Mark the closing tag of an element as no further use."""
    walk.taken.update(range(node.start_byte, node.end_byte))


# Types


def on_heritage(walk: ScriptWalk, node: Node) -> None:
    """Add the base class of a class; its interfaces have captures of their own."""
    for child in node.named_children:
        base = child.child_by_field_name("value") if child.type == "extends_clause" else child
        types = child.child_by_field_name("type_arguments") if child.type == "extends_clause" else None
        base = skip_operators(base, "parenthesized_expression")
        if base is not None and types is not None:
            _bind_type_arguments(walk, walk.read_chain(base).rpartition(".")[2], types)
        if base is not None and base.type in {"identifier", "member_expression"}:
            chain = walk.read_chain(base)
            qualifier, _, name = chain.rpartition(".")
            start = base.start_byte
            if base.type == "member_expression":
                name_node = base.child_by_field_name("property")
                start = name_node.start_byte if name_node is not None else start
            walk.taken.add(start)
            walk.refer(ReferenceRole.INHERIT, name, start, qualifier)
            if name in {"Component", "PureComponent"}:
                walk.components.add(walk.ordinal)


def on_implements(walk: ScriptWalk, node: Node) -> None:
    """Record the interfaces that a class implements."""
    walk.bases_end = node.end_byte
    _refer_bases(walk, node, ReferenceRole.IMPLEMENT)


def on_extends(walk: ScriptWalk, node: Node) -> None:
    """Record the interfaces that an interface extends."""
    walk.bases_end = node.end_byte
    _refer_bases(walk, node, ReferenceRole.EXTEND)


def _refer_bases(walk: ScriptWalk, node: Node, role: ReferenceRole) -> None:
    for child in node.named_children:
        if child.type in TYPE_NODES:
            named = find_base(walk, child)
            if named is not None:
                walk.base_roles[named.start_byte] = role
            types = child.child_by_field_name("type_arguments") if child.type == "generic_type" else None
            if named is not None and types is not None and walk.read(child).startswith(walk.read(named)):
                _bind_type_arguments(walk, walk.read(named).rpartition(".")[2], types)


def _bind_type_arguments(walk: ScriptWalk, name: str, types: Node) -> None:
    """Record the type arguments of a base."""
    walk.refer(ReferenceRole.BIND, walk.read_line(types), types.start_byte, "", f"={name}", Binding.BOUND)


def on_nested_type(walk: ScriptWalk, node: Node) -> None:
    """Add a type that is a member of a namespace."""
    name_node = node.child_by_field_name("name")
    if name_node is not None:
        walk.taken.add(name_node.start_byte)
        qualifier = walk.read_chain(node.child_by_field_name("module"))
        walk.refer(walk.get_role(node.start_byte), walk.read(name_node), name_node.start_byte, qualifier)


def on_type(walk: ScriptWalk, node: Node) -> None:
    """Add the use of a type, in the role that its position has."""
    start = node.start_byte
    if start not in walk.taken:
        walk.taken.add(start)
        walk.refer(walk.get_role(start), walk.read(node), start)


def is_component(name: str, kind: SymbolKind) -> bool:
    """Return whether a symbol that creates elements is a component, by its name and kind."""
    if is_titled(name):  # `Deno.test("draws a box", ...)`
        return False
    return name[:1].isupper() and (kind in CALLABLE_KINDS or kind in {SymbolKind.CLASS, SymbolKind.CONSTANT})
