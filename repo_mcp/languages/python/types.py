"""The types of variables that Python expressions show: the names in an annotation or a value.

An annotation becomes rows (qualifier, name, form): `Optional[a.B]` gives one of `a.B`, `list[B]` one whose
items are `B`, `A | C` two. A value becomes rows too if it is made of names, attributes, calls and
subscripts. Other expressions give none. Nothing is evaluated; strings in annotations are parsed.
"""

from __future__ import annotations

import ast

from repo_mcp.languages.python.paths import MAX_LINKS, UNKNOWN, find_cast, find_path, parse_quoted
from repo_mcp.languages.python.scopes import BUILTINS
from repo_mcp.symbols.symbol_record import Binding

MAX_FORMS = 6  # forms of one variable in one statement

Form = tuple[str, str, int]  # qualifier, name, Binding

SAME, ITEM, ENTERED = map(int, (Binding.SAME, Binding.ITEM, Binding.ENTERED))
TYPE, ITEMS, VALUES, GIVES = map(int, (Binding.TYPE, Binding.ITEMS, Binding.VALUES, Binding.GIVES))
BOUND = int(Binding.BOUND)
UNPACKED = int(Binding.UNPACKED)
MAX_UNPACKED = 4  # items of a tuple whose types are recorded, each by its position

# Values that may show a type.
TELLING_NODES = frozenset({
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await, ast.IfExp, ast.BoolOp, ast.NamedExpr,
})  # fmt: skip
_PLAIN = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Subscript})

_SAME = frozenset({
    "Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Awaitable",
    "InitVar", "Mapped", "TypeGuard", "TypeIs",
})  # fmt: skip
_ITEMS = frozenset({
    "list", "List", "set", "Set", "frozenset", "FrozenSet", "deque", "Deque", "Sequence", "MutableSequence",
    "Iterable", "Iterator", "Collection", "Container", "Generator", "AsyncIterator", "AsyncIterable",
    "AsyncGenerator", "AbstractSet", "MutableSet", "Reversible", "tuple", "Tuple",
    # What `with` enters, and what `get` or a call returns, counts as an item.
    "AbstractContextManager", "ContextManager", "AbstractAsyncContextManager", "AsyncContextManager",
    "ContextVar", "Queue", "ReferenceType", "ref",
})  # fmt: skip
_BARE = frozenset({"Final", "ClassVar"})  # annotations without a type, where the value decides it
_MAPPINGS = frozenset({
    "dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict", "ChainMap",
    "WeakValueDictionary",
})  # fmt: skip

_NO_KEYS = _ITEMS | _MAPPINGS | {"type", "Type", "Callable", "Literal"}


def list_value_forms(value: ast.expr, form: int = SAME) -> list[Form]:
    """Return the forms of a value; with ITEM those of an item, with ENTERED those of what `with` binds."""
    if isinstance(value, ast.Call) and form == SAME and (cast := find_cast(value)) is not None:
        return list_type_forms(cast)
    if type(value) in _PLAIN:
        plain = describe(value, form)
        return [] if plain is None else [plain]
    forms: list[Form] = []
    waiting = [value]
    while waiting and len(forms) < MAX_FORMS:
        node = waiting.pop()
        if isinstance(node, ast.Await):
            waiting.append(node.value)
        elif isinstance(node, ast.IfExp):
            waiting += (node.orelse, node.body)
        elif isinstance(node, ast.BoolOp):
            waiting += reversed(node.values[-MAX_FORMS:])
        elif isinstance(node, ast.NamedExpr):
            waiting.append(node.value)
        elif (found := describe(node, form)) is not None:
            forms.append(found)
    return forms


def list_alias_forms(value: ast.expr) -> list[Form]:
    """Return the forms of the classes in `A = Union[B, C]` and the like; empty for other values."""
    if not isinstance(value, ast.Subscript) or find_path(value.value).rpartition(".")[2] not in _SAME:
        return []
    return list_alike([value], SAME)


def is_bare(annotation: ast.expr) -> bool:
    """Return whether an annotation says nothing of the type: `Final`."""
    return find_path(annotation).rpartition(".")[2] in _BARE


def list_unpacked_forms(value: ast.expr, position: int) -> list[Form]:
    """Return the forms of an item of the tuple that a call returns."""
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call) or position >= MAX_UNPACKED:
        return []
    found = describe(value.func, SAME)
    return [(*found[:2], UNPACKED + position)] if found is not None else []


def list_paired_forms(values: ast.Call) -> list[list[Form]]:
    """Return the forms of the variables of a loop over `zip(a, b)` or `a.items()`, without those of keys."""
    func = values.func
    if isinstance(func, ast.Name) and func.id == "zip":
        return [list_value_forms(one, ITEM) for one in values.args]
    if isinstance(func, ast.Attribute) and func.attr == "items" and not values.args:
        path = find_path(func.value)
        return [] if path == UNKNOWN else [[], [(f"{path}.values()", "", ITEM)]]
    return []


def describe(node: ast.expr, form: int) -> Form | None:
    """Return the form of a name, an attribute, a call or a subscript; None for others, and builtin calls."""
    kind = type(node)
    if kind is ast.Name:
        return "", node.id, form  # type: ignore[attr-defined]
    if kind is ast.Attribute:
        path = find_path(node.value)  # type: ignore[attr-defined]
        return None if path == UNKNOWN else (path, node.attr, form)  # type: ignore[attr-defined]
    if kind is ast.Call or kind is ast.Subscript:
        path = find_path(node)
        is_plain = "." not in path and path != "super()"
        is_builtin = kind is ast.Call and is_plain and path.partition("(")[0] in BUILTINS
        return None if path == UNKNOWN or is_builtin else (path, "", form)
    return None


def list_bound_forms(value: ast.expr) -> list[Form]:
    """Return the forms of the types that bind a type parameter; empty for other values, or without any."""
    if not isinstance(value, ast.Call) or find_path(value.func).rpartition(".")[2] != "TypeVar":
        return []
    bounds = [one.value for one in value.keywords if one.arg == "bound"] or value.args[1:]
    return list_alike(bounds, BOUND)


def list_alike(types: list[ast.expr], form: int) -> list[Form]:
    """Return the forms of plain types, all with the same binding."""
    found = [one for each in types for one in list_type_forms(each)]
    return [(qualifier, name, form) for qualifier, name, plain in found if plain == TYPE][:MAX_FORMS]


def list_item_types(annotation: ast.expr) -> list[ast.expr]:
    """Return the types of the items of `tuple[A, B]`; empty unless it is a tuple of known length."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return []
    items = annotation.slice.elts
    is_tuple = find_path(annotation.value).rpartition(".")[2] in ("tuple", "Tuple")
    is_open = any(isinstance(one, ast.Constant) and one.value is ... for one in items)
    return items[:MAX_UNPACKED] if is_tuple and not is_open else []


def list_type_forms(annotation: ast.expr) -> list[Form]:
    """Return the forms of the types that an annotation names."""
    forms: list[Form] = []
    waiting: list[tuple[ast.expr, int]] = [(annotation, TYPE)]
    for _ in range(MAX_LINKS):
        if not waiting or len(forms) >= MAX_FORMS:
            break
        node, form = waiting.pop()
        if isinstance(node, ast.Name):
            if node.id not in BUILTINS:
                forms.append(("", node.id, form))
        elif isinstance(node, ast.Attribute):
            path = find_path(node.value)
            if path != UNKNOWN:
                forms.append((path, node.attr, form))
        elif isinstance(node, ast.Constant):
            quoted = parse_quoted(node.value) if isinstance(node.value, str) else None
            if quoted is not None:
                waiting.append((quoted, form))
        elif isinstance(node, ast.BinOp):
            waiting += ((node.right, form), (node.left, form))
        elif isinstance(node, ast.Subscript):
            waiting += _open_subscript(node, form)
    return forms


def list_argument_forms(annotation: str) -> list[Form]:
    """Return the forms of the argument of a written type with only one, `Key[T]`, that is no container."""
    node = parse_quoted(annotation)
    while isinstance(node, ast.Subscript):
        word = find_path(node.value).rpartition(".")[2]
        if word not in _SAME:
            is_key = word not in _NO_KEYS and not isinstance(node.slice, ast.Tuple)
            return list_type_forms(node.slice) if is_key else []
        node = node.slice
    return []


def _open_subscript(node: ast.Subscript, form: int) -> list[tuple[ast.expr, int]]:
    base, inner = node.value, node.slice
    word = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if word in _SAME:
        first = elements[:1] if word == "Annotated" else elements[:MAX_FORMS]
        return [(one, form) for one in reversed(first)]
    if word in ("type", "Type"):
        return [(elements[0], SAME)] if form == TYPE and elements else []
    if word in _ITEMS or word in _MAPPINGS:
        if form != TYPE or not elements:
            return []
        if word in _MAPPINGS:
            return [(elements[-1], VALUES)]
        return [(elements[0], ITEMS)]
    if word == "Callable":
        return [(elements[-1], GIVES)] if form == TYPE and len(elements) == 2 else []
    return [] if word == "Literal" else [(base, form)]
