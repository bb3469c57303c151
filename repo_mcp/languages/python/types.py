"""The types of variables that Python expressions show: the names in an annotation or a value.

An annotation becomes rows (qualifier, name, form): `Optional[a.B]` gives one of `a.B`, `list[B]` one whose
items are `B`, `A | C` two. A value becomes rows too if it is made of names, attributes, calls and
subscripts. Other expressions give none. Nothing is evaluated; strings in annotations are parsed.

Conditions narrow the class of a variable in the lines where they hold: `isinstance(x, C)`, and calls of
functions whose names begin with "is", which may be type guards.

A condition holds in the branch that it guards. After an assertion, or a branch that leaves its block unless
the condition holds, it holds to the end of the block. Only plain variables are narrowed, by single conditions
and those joined by `and`; the `else` branch is left out.

The arguments of a call are recorded in this form, by which a resolver can choose an overload:

    f(x, True, mode="rb", *rest)    f(_,True,mode='rb',*)

Each argument is `_` unless it is a constant that may decide between overloads: True, False, None, a short
string, `0` for any number and `'` for any other string. A star means that there may be more. What a call may
return a copy of is written with its names: `replace(@a.b,c=0)`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from repo_mcp.languages.python.scopes import BUILTINS
from repo_mcp.symbols.symbol_record import Binding

MAX_FORMS = 6  # forms of one variable in one statement
MAX_PATH_CHARS = 160
MAX_STRING_CHARS = 1_000  # of a quoted annotation
MAX_LINKS = 40
UNKNOWN = "?"

Form = tuple[str, str, int]  # qualifier, name, Binding

SAME, ITEM, ENTERED = map(int, (Binding.SAME, Binding.ITEM, Binding.ENTERED))
TYPE, ITEMS, VALUES, GIVES = map(int, (Binding.TYPE, Binding.ITEMS, Binding.VALUES, Binding.GIVES))
BOUND, NARROWED, WIDENED = map(int, (Binding.BOUND, Binding.NARROWED, Binding.WIDENED))
EXCLUDED = int(Binding.EXCLUDED)
UNPACKED = int(Binding.UNPACKED)
MAX_UNPACKED = 4  # items of a tuple whose types are recorded, each by its position

# Values that may show a type.
TELLING_NODES = frozenset({
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Await, ast.IfExp, ast.BoolOp, ast.NamedExpr,
})  # fmt: skip
_PLAIN = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Subscript})
_TYPING = frozenset({"typing", "typing_extensions", "t"})  # `import typing as t` is a wide habit

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
MAX_CONDITIONS = 6  # in one `and`
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Told = tuple[str, list[Form]]  # a variable, and the forms of its class


def parse_quoted(text: str) -> ast.expr | None:
    """Return the expression in a string; None when it does not parse or is too long."""
    if len(text) > MAX_STRING_CHARS or not text or text.isspace():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return None


def is_cast(node: ast.Call) -> bool:
    """Return True for `cast(type, value)` of typing, but not for `view.cast("B", shape)`."""
    func: Any = node.func
    if type(func) is ast.Attribute and type(func.value) is ast.Name and func.value.id in _TYPING:
        word = func.attr
    else:
        word = func.id if type(func) is ast.Name else ""
    return word == "cast" and len(node.args) == 2 and not node.keywords


def find_cast(node: ast.Call) -> ast.expr | None:
    """Return the type in `cast(type, value)`, parsed if it is quoted; None for any other call."""
    if not is_cast(node):
        return None
    made = node.args[0]
    if isinstance(made, ast.Constant) and isinstance(made.value, str):
        return parse_quoted(made.value)
    return made


def find_path(node: ast.expr) -> str:
    """Return the path of names, attributes, calls and subscripts, `a.b(_).c[]`; "?" for others and long ones.

    A cast to a class is written as a call of it.
    """
    if type(node) is ast.Name:
        return node.id
    parts: list[str] = []
    while True:
        kind = type(node)
        if kind is ast.Name:
            parts.append(node.id)  # type: ignore[attr-defined]
            break
        if kind is ast.Attribute:
            parts.append("." + node.attr)  # type: ignore[attr-defined]
            node = node.value  # type: ignore[attr-defined]
        elif kind is ast.Call:
            cast, call = find_cast(node), node  # type: ignore[arg-type]
            node = cast or call.func  # type: ignore[attr-defined]
            is_plain = cast is not None or (type(node) is ast.Name and node.id == "super")
            parts.append("()" if is_plain else write_arguments(call))  # type: ignore[arg-type]
        elif kind is ast.Subscript:
            parts.append("[]")
            node = node.value  # type: ignore[attr-defined]
        elif kind is ast.Await:
            node = node.value  # type: ignore[attr-defined]
        else:
            return UNKNOWN
        if len(parts) > MAX_LINKS:
            return UNKNOWN
    path = "".join(reversed(parts))
    return path if len(path) <= MAX_PATH_CHARS else UNKNOWN


def list_value_forms(value: ast.expr, form: int = SAME) -> list[Form]:
    """Return the forms of a value; with ITEM those of an item, with ENTERED those of what `with` binds."""
    if isinstance(value, ast.Call) and form == SAME and (cast := find_cast(value)) is not None:
        return list_type_forms(cast)
    if type(value) in _PLAIN:
        plain = _describe(value, form)
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
        elif (found := _describe(node, form)) is not None:
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
    found = _describe(value.func, SAME)
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


def _describe(node: ast.expr, form: int) -> Form | None:
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


def list_class_forms(node: ast.expr) -> list[Form]:
    """Return the forms of the second argument of `isinstance`: a class, builtin or not, or several."""
    waiting = [node]
    classes: list[ast.expr] = []
    while waiting and len(classes) < MAX_FORMS:
        one = waiting.pop()
        if isinstance(one, ast.Tuple):
            waiting += reversed(one.elts[:MAX_FORMS])
        elif isinstance(one, ast.BinOp):
            waiting += (one.right, one.left)
        else:
            classes.append(one)
    forms = [_describe(one, NARROWED) for one in classes if isinstance(one, ast.Name | ast.Attribute)]
    # If one of the classes is unknown, none counts: the variable may have members of that one.
    return [one for one in forms if one is not None] if len(forms) == len(classes) else []


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


class Narrowing(NamedTuple):
    """A variable whose class is known from one line on, up to but excluding another."""

    name: str
    forms: list[Form]
    start: int
    end: int


def narrow_branch(test: ast.expr, body: list[ast.stmt]) -> Iterator[Narrowing]:
    """Yield the narrowings in the branch of a condition, and in the condition itself."""
    if body:
        end = (body[-1].end_lineno or body[-1].lineno) + 1
        for name, forms in _iter_conditions(test):
            yield Narrowing(name, forms, test.lineno, end)


def narrow_others(node: ast.If) -> Iterator[Narrowing]:
    """Yield the narrowings in the branch that runs after a false `isinstance`, or a true `not`."""
    denied = _find_denied(node)
    for one in narrow_branch(denied, node.orelse) if denied is not None else ():
        yield one._replace(start=node.orelse[0].lineno)
    body = node.orelse if denied is None else node.body
    if body:
        end = (body[-1].end_lineno or body[-1].lineno) + 1
        yield from _exclude(denied or node.test, body[0].lineno, end)


def _exclude(test: ast.expr, start: int, end: int) -> Iterator[Narrowing]:
    """Yield the classes of which a variable is certainly no instance after a false `isinstance`."""
    for name, forms in _iter_conditions(test) if isinstance(test, ast.Call) else ():
        own = [
            (qualifier, last) for qualifier, last, _ in forms if last and (qualifier or last not in BUILTINS)
        ]
        excluded = [(*one, EXCLUDED) for one in own]
        if excluded:
            yield Narrowing(name, excluded, start, end)


def narrow_expression(test: ast.expr, node: ast.expr) -> Iterator[Narrowing]:
    """Yield the narrowings in an expression that a condition guards, as the rest of an `and`."""
    for name, forms in _iter_conditions(test):
        yield Narrowing(name, forms, test.lineno, (node.end_lineno or node.lineno) + 1)


def narrow_block(body: list[ast.stmt]) -> Iterator[Narrowing]:
    """Yield the narrowings that hold after statements of a block, to its end."""
    end = (body[-1].end_lineno or body[-1].lineno) + 1 if body else 0
    for statement in body[:-1]:
        if isinstance(statement, ast.Assert):
            test: ast.expr | None = statement.test
        elif isinstance(statement, ast.If) and not statement.orelse:
            is_left = isinstance(statement.body[-1], _LEAVING)
            test = _find_denied(statement) if is_left else None
            if is_left and test is None:
                yield from _exclude(statement.test, (statement.end_lineno or statement.lineno) + 1, end)
        else:
            continue
        if test is not None:
            for name, forms in _iter_conditions(test):
                yield Narrowing(name, forms, (statement.end_lineno or statement.lineno) + 1, end)


def _find_denied(statement: ast.If) -> ast.expr | None:
    """Return the condition after `if not`, or None."""
    test = statement.test
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None


def _iter_conditions(test: ast.expr) -> Iterator[_Told]:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts[:MAX_CONDITIONS]:
        if not isinstance(part, ast.Call) or not part.args or not isinstance(part.args[0], ast.Name):
            continue
        function = find_path(part.func)
        if function == "isinstance":
            if len(part.args) == 2 and (forms := list_class_forms(part.args[1])):
                yield part.args[0].id, forms
        elif function.rpartition(".")[2].startswith("is"):
            yield part.args[0].id, [(f"{function}()", "", NARROWED)]


MAX_ARGUMENTS = 8  # arguments of one call; if there are more, none is recorded
COPIED = "@"  # before the names of an argument that a call may return as a copy
_COPYING = frozenset({"copy", "deepcopy"})
_CHANGING = frozenset({"replace", "evolve"})
_SHORT = re.compile(r"[\w+-]{0,16}", re.ASCII)  # strings that are recorded as they are


def write_arguments(call: ast.Call) -> str:
    """Return the arguments of a call in parentheses: "(_,True,mode='rb')"."""
    args, keywords = call.args, call.keywords
    if not args and not keywords:
        return "()"
    if len(args) + len(keywords) > MAX_ARGUMENTS:
        return "(*)"
    parts = [_write(one) for one in args]
    if _may_copy(call) and (chain := _find_names(args[0])):
        parts[0] = COPIED + chain
    for keyword in keywords:
        parts.append("*" if keyword.arg is None else f"{keyword.arg}={_write(keyword.value)}")
    return f"({','.join(parts)})"


def _may_copy(call: ast.Call) -> bool:
    """Return whether a call looks like one of `dataclasses.replace`, `copy.copy` and the like."""
    made = call.func
    word = made.id if isinstance(made, ast.Name) else made.attr if isinstance(made, ast.Attribute) else ""
    return len(call.args) == 1 and word in (_CHANGING if call.keywords else _COPYING)


def _find_names(node: ast.expr) -> str:
    """Return the dotted names that an expression consists of; empty for any other."""
    path = find_path(node) if type(node) in (ast.Name, ast.Attribute) else UNKNOWN
    return path if path.replace(".", "").isidentifier() else ""


def _write(argument: ast.expr) -> str:
    if type(argument) is ast.Constant:
        value = argument.value
        if value is None or value is True or value is False:
            return str(value)
        if type(value) is str:
            return f"'{value}'" if _SHORT.fullmatch(value) else "'"
        return "0" if type(value) in (int, float) else "_"
    return "*" if type(argument) is ast.Starred else "_"
