"""The structure of Python files: what they declare, which names they use in which role, and hostile texts."""

from __future__ import annotations

import gc
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.languages.python.symbol_parser import MAX_AST_BYTES, parse
from repo_mcp.symbols.symbol_record import (
    Access,
    Binding,
    DeclaredSymbol,
    ParseStatus,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    decode_symbol_record,
)
from tests.deep.sizes import choose, examples
from tests.growth import assert_linear

NAMED = (ReferenceRole.BIND, ReferenceRole.IMPORT, ReferenceRole.EXPORT)


def read(text: str, file_name: str = "a.py") -> SymbolRecord:
    return decode_symbol_record(parse(file_name, text.encode()))


def list_symbols(structure: SymbolRecord) -> list[DeclaredSymbol]:
    return [structure.get_symbol(ordinal) for ordinal in range(1, structure.symbol_count)]


def get(structure: SymbolRecord, name: str) -> DeclaredSymbol:
    ordinals = structure.find_symbols(name)
    assert len(ordinals) == 1, name
    return structure.get_symbol(ordinals[0])


def list_references(structure: SymbolRecord, *roles: ReferenceRole) -> list[Reference]:
    return [structure.get_reference(row) for row in structure.list_role(*roles)]


def names_in(text: str, role: ReferenceRole) -> list[str]:
    """Return "qualifier.name" of the references in a role."""
    found = list_references(read(text), role)
    return sorted(f"{one.qualifier}.{one.name}".removeprefix(".") for one in found)


def binds_in(text: str) -> set[tuple[str, str, str, Binding]]:
    found = list_references(read(text), ReferenceRole.BIND)
    return {(one.alias, one.qualifier, one.name, Binding(one.arguments)) for one in found}


SHAPES = '''"""The module."""
LIMIT = 3
_count: int = 0
Alias: TypeAlias = "int"
T = TypeVar("T")

class Base(ABC):
    """Documented."""
    size: int = 1
    __secret = 2

    def __init__(self, name: str, *rest: int, flag=False, **more):
        self.name = name
        self.name = name.strip()
        self._cache: dict[str, int] = {}

    @property
    def shown(self) -> str:
        return self.name

    @staticmethod
    def make(a, b): ...

    @classmethod
    @abstractmethod
    async def load(cls, path): ...

    class Inner:
        def deep(self):
            def nested(): ...

@deprecated("no")
def old(
    a: int,  # first
    b="x",
) -> None:
    pass
'''


def test_declarations_with_their_kinds_and_parents() -> None:
    structure = read(SHAPES)
    found = [(one.name, one.kind.name, one.parent) for one in list_symbols(structure)]
    base, inner, deep = (structure.find_symbols(name)[0] for name in ("Base", "Inner", "deep"))
    assert found == [
        ("LIMIT", "CONSTANT", 0),
        ("_count", "VARIABLE", 0),
        ("Alias", "TYPE", 0),
        ("T", "TYPE", 0),
        ("Base", "CLASS", 0),
        ("size", "PROPERTY", base),
        ("__secret", "PROPERTY", base),
        ("__init__", "CONSTRUCTOR", base),
        ("name", "PROPERTY", base),
        ("_cache", "PROPERTY", base),
        ("shown", "PROPERTY", base),
        ("make", "METHOD", base),
        ("load", "METHOD", base),
        ("Inner", "CLASS", base),
        ("deep", "METHOD", inner),
        ("nested", "FUNCTION", deep),
        ("old", "FUNCTION", 0),
    ]
    assert structure.status is ParseStatus.FULL
    assert structure.get_symbol(0).name == "a.py"


def test_flags_and_access() -> None:
    structure = read(SHAPES)
    flags = {one.name: one.flags for one in list_symbols(structure)}
    assert flags["Base"] == SymbolFlag.ABSTRACT | SymbolFlag.DOCUMENTED | SymbolFlag.PUBLIC_API
    assert flags["make"] == SymbolFlag.STATIC | SymbolFlag.PUBLIC_API
    assert flags["load"] == SymbolFlag.ABSTRACT | SymbolFlag.ASYNC | SymbolFlag.PUBLIC_API
    assert flags["old"] == SymbolFlag.DEPRECATED | SymbolFlag.PUBLIC_API
    assert flags["__init__"] == SymbolFlag.VARIADIC | SymbolFlag.PUBLIC_API
    assert not flags["nested"] & SymbolFlag.PUBLIC_API
    access = {one.name: one.access for one in list_symbols(structure)}
    assert access["__secret"] is Access.PRIVATE
    assert access["_cache"] is Access.PROTECTED
    assert access["__init__"] is Access.PUBLIC


def test_parameters_and_types() -> None:
    structure = read(SHAPES)
    init, old = get(structure, "__init__"), get(structure, "old")
    assert init.parameters == "(self, name: str, *rest: int, flag=False, **more)"
    assert init.parameter_count == 4
    assert old.parameters == '(a: int, b="x")'
    assert (old.parameter_count, old.return_type) == (2, "None")
    assert get(structure, "make").parameter_count == 2
    assert get(structure, "load").parameter_count == 1
    assert get(structure, "_cache").return_type == "dict[str, int]"
    assert get(structure, "size").return_type == "int"
    assert get(structure, "shown").return_type == "str"


def test_spans_begin_with_decorators() -> None:
    old = get(read(SHAPES), "old")
    lines = SHAPES.split("\n")
    assert lines[old.start_line - 1].startswith("@deprecated")
    assert lines[old.end_line - 1] == "    pass"


@pytest.mark.parametrize(
    ("signature", "shown"),
    [
        ("()", "()"),
        ("(a, /, b)", "(a, /, b)"),
        ("(a, /)", "(a, /)"),
        ("(*, a=(1, 2))", "(*, a=(1, 2))"),
        ("(a=(1))", "(a=(1))"),
        ("(a=')')", "(a=')')"),
        ("(\n    a,\n    *b,\n)", "(a, *b)"),
        ("(**kw)", "(**kw)"),
    ],
)
def test_signatures_read_as_written(signature: str, shown: str) -> None:
    assert get(read(f"def f{signature}: return 1\n"), "f").parameters == shown


EXPORTING = """__all__ = ['a', '_b'] + ['C']
__all__ += ('d',)
__all__.append('e')
def a(): ...
def _b(): ...
class C:
    def m(self): ...
def x(): ...
"""


def test_public_api_is_what_all_names() -> None:
    structure = read(EXPORTING)
    public = {one.name for one in list_symbols(structure) if one.flags & SymbolFlag.PUBLIC_API}
    assert public == {"a", "_b", "C", "m"}
    exported = [one.name for one in list_references(structure, ReferenceRole.EXPORT)]
    assert exported == ["a", "_b", "C", "d", "e"]
    assert structure.find_symbols("__all__") == []


def test_a_module_that_begins_with_an_underscore_is_not_public() -> None:
    assert not get(read("def f(): ...", "_a.py"), "f").flags & SymbolFlag.PUBLIC_API
    assert get(read("def f(): ...", "__init__.py"), "f").flags & SymbolFlag.PUBLIC_API


def test_enumerations() -> None:
    structure = read("class Color(enum.Enum):\n    RED = 1\n    _x = 2\n    def f(self): ...\n")
    kinds = {one.name: one.kind for one in list_symbols(structure)}
    assert kinds["Color"] is SymbolKind.ENUM
    assert (kinds["RED"], kinds["_x"]) == (SymbolKind.ENUM_MEMBER, SymbolKind.PROPERTY)


def test_overloads_and_stubs_are_declared_elsewhere() -> None:
    structure = read("@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): ...\n")
    forward = [bool(one.flags & SymbolFlag.FORWARD) for one in list_symbols(structure)]
    assert forward == [True, True, False]
    assert get(read("def f(): ...", "a.pyi"), "f").flags & SymbolFlag.FORWARD


def test_a_global_that_a_function_binds() -> None:
    structure = read("def f():\n    global found\n    found = 1\n")
    assert (get(structure, "found").parent, get(structure, "found").kind) == (0, SymbolKind.VARIABLE)


def test_an_attribute_that_the_class_assigns_below_its_methods() -> None:
    structure = read("class A:\n    def f(self):\n        self.x = 1\n    x = 2\n")
    assert get(structure, "x").start_line == 4
    assert [one.line for one in list_references(structure, ReferenceRole.USE)] == [3]


ROLES = {
    ReferenceRole.CALL: [
        ("f(1)", ["f"]),
        ("a.b.f()", ["a.b.f"]),
        ("make().run()", ["make", "make().run"]),
        ("rows[0].run()", ["rows[].run"]),
        ("'x'.join(y)", ["?.join"]),
        ("@deco\ndef f(): ...", ["deco"]),
        ("@a.deco(1)\nclass F: ...", ["a.deco"]),
        ("super().f()", ["super().f"]),
        ("async def g():\n    await (await h()).x()", ["h", "h().x"]),
        ("len(x)", []),
    ],
    ReferenceRole.INHERIT: [
        ("class A(B, c.D): ...", ["B", "c.D"]),
        ("class A(B[T], metaclass=M): ...", ["B"]),
    ],
    ReferenceRole.ACCEPT: [
        ("def f(a: A, *b: B, **c: c.C) -> D: ...", ["A", "B", "c.C"]),
        ("def f(a: 'list[A] | b.B'): ...", ["A", "b.B"]),
        ("def f(a: Literal['X']): ...", ["Literal"]),
        ("def f(a: Annotated[A, B]): ...", ["A", "Annotated"]),
    ],
    ReferenceRole.TYPE: [
        ("x: A = 1", ["A"]),
        ("def f() -> 'A': ...", ["A"]),
        ("def f():\n    x: dict[A, 'b.B']", ["A", "b.B"]),
        ("class A(B[C]): ...", ["C"]),
    ],
    ReferenceRole.USE: [
        ("x = a.b.c", ["a", "a.b", "a.b.c"]),
        ("def f(p):\n    return p, q, p.r", ["p.r", "q"]),
        ("a.b.f()", ["a", "a.b"]),
        ("def f(p=D): ...", ["D"]),
        ("def f(self):\n    self.x += 1", ["self.x"]),
        ("del a.b", ["a", "a.b"]),
        ("del (a, b.c)", ["a", "b", "b.c"]),
        ("print(f'{a!r:{b}}')", ["a", "b"]),
        ("x = {**a, 'k': b}; y = [*c]; z = d[e:f]", ["a", "b", "c", "d", "e", "f"]),
        ("match a:\n    case B(c=d) if e: pass", ["a", "e"]),
        ("try: pass\nexcept (A, b.C) as e: raise e", ["A", "b", "b.C", "e"]),
        ("def f():\n    from x import y\n    y.z", ["y", "y.z"]),
        ("def f(y=None):\n    if y is None:\n        from x import y\n    return y", ["y"]),  # line 4 alone
        ("def f(str):\n    return str, int", []),
        ("str = 1\nprint(str)", ["str"]),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("role", "text", "expected"),
    [(role, text, expected) for role, cases in ROLES.items() for text, expected in cases],
)
def test_roles(role: ReferenceRole, text: str, expected: list[str]) -> None:
    assert names_in(text, role) == expected


def test_except_handler_at_the_top_is_no_symbol() -> None:
    assert list_symbols(read("try: pass\nexcept A as e: pass\n")) == []


IMPORTS = """import a.b, c as d
from . import e
from ..f.g import h as i, j
from k import *
if TYPE_CHECKING:
    from l import M
def f():
    import n
try:
    import o.p as q
except ImportError:
    q = None
"""


def test_imports_in_every_form() -> None:
    found = list_references(read(IMPORTS), ReferenceRole.IMPORT)
    assert [(one.qualifier, one.name, one.alias, one.line, one.symbol) for one in found] == [
        ("a.b", "", "a", 1, 0),
        ("c", "", "d", 1, 0),
        (".", "e", "e", 2, 0),
        ("..f.g", "h", "i", 3, 0),
        ("..f.g", "j", "j", 3, 0),
        ("k", "*", "", 4, 0),
        ("l", "M", "M", 6, 0),
        ("n", "", "n", 8, 1),
        ("o.p", "", "q", 10, 0),
    ]


BINDINGS = [
    ("x = Foo()", ("x", "Foo()", "", Binding.SAME)),
    ("x = a.b.Foo(1)", ("x", "a.b.Foo(0)", "", Binding.SAME)),
    ("x = f(y, True, m='rb', n='a b', *z)", ("x", "f(_,True,*,m='rb',n=')", "", Binding.SAME)),
    ("x = f(1, 2, 3, 4, 5, 6, 7, 8, 9)", ("x", "f(*)", "", Binding.SAME)),
    ("A = Union[B, 'C']", ("A", "", "C", Binding.SAME)),
    ("x: Foo = None", ("x", "", "Foo", Binding.TYPE)),
    ("x: 'a.Foo'", ("x", "a", "Foo", Binding.TYPE)),
    ("x: Optional[Foo]", ("x", "", "Foo", Binding.TYPE)),
    ("x: int | Foo", ("x", "", "Foo", Binding.TYPE)),
    ("x: list[Foo]", ("x", "", "Foo", Binding.ITEMS)),
    ("x: Sequence['Foo'] | None", ("x", "", "Foo", Binding.ITEMS)),
    ("x: dict[str, Foo]", ("x", "", "Foo", Binding.VALUES)),
    ("x: type[Foo]", ("x", "", "Foo", Binding.SAME)),
    ("x: Callable[..., Foo]", ("x", "", "Foo", Binding.GIVES)),
    ("x = y.z", ("x", "y", "z", Binding.SAME)),
    ("x = y if z else w", ("x", "", "w", Binding.SAME)),
    ("x = y or Foo()", ("x", "Foo()", "", Binding.SAME)),
    ("x = ys[0]", ("x", "ys[]", "", Binding.SAME)),
    ("for x in ys: pass", ("x", "", "ys", Binding.ITEM)),
    ("[x for x in self.ys]", ("x", "self", "ys", Binding.ITEM)),
    ("for i, x in enumerate(ys): pass", ("x", "", "ys", Binding.ITEM)),
    ("with Foo() as x: pass", ("x", "Foo()", "", Binding.ENTERED)),
    ("if x := Foo(): pass", ("x", "Foo()", "", Binding.SAME)),
    ("def f(x: Foo): ...", ("x", "", "Foo", Binding.TYPE)),
    ("def f() -> Foo: ...", ("()", "", "Foo", Binding.TYPE)),
    ("def f():\n    return Foo()", ("()", "Foo()", "", Binding.SAME)),
    ("class A:\n    def f(me):\n        me.x = Foo()", ("self.x", "Foo()", "", Binding.SAME)),
    ("class A:\n    def f(self, y):\n        self.x = y", ("self.x", "", "y", Binding.SAME)),
    ("a, x = 1, Foo()", ("x", "Foo()", "", Binding.SAME)),
    ("async def f():\n    x = await Foo()", ("x", "Foo()", "", Binding.SAME)),
    ("try: pass\nexcept Foo as x: pass", ("x", "", "Foo", Binding.TYPE)),
    ("match y:\n    case Foo() as x: pass", ("x", "", "Foo", Binding.TYPE)),
]


@pytest.mark.parametrize(("text", "expected"), BINDINGS, ids=[text for text, _ in BINDINGS])
def test_what_tells_the_type_of_a_variable(text: str, expected: tuple[str, str, str, Binding]) -> None:
    assert expected in binds_in(text)


@pytest.mark.parametrize("text", ["x = 1", "x = len(y)", "x: int", "x = a + b", "x = (a + b).c"])
def test_what_tells_nothing(text: str) -> None:
    assert binds_in(text) == set()


def test_a_call_says_how_many_arguments_it_has() -> None:
    found = list_references(read("f()\nf(1, b=2)\nf(*a)\nf(**b)\n"), ReferenceRole.CALL)
    assert [one.arguments for one in found] == [1, 3, 0, 0]


def test_references_stand_in_the_innermost_symbol_and_once_a_line() -> None:
    structure = read("@d\ndef f(a: T = D):\n    def g():\n        h(x, x)\n        h()\n")
    found = [(one.name, one.symbol, one.line) for one in list_references(structure, *ReferenceRole)]
    f, g = structure.find_symbols("f")[0], structure.find_symbols("g")[0]
    named = [one for one in found if one[0] != "T"]
    assert sorted(named) == [("D", f, 2), ("d", f, 1), ("h", g, 4), ("h", g, 5), ("x", g, 4)]


def test_bases_keep_their_order() -> None:
    found = list_references(read("class A(B, c.D, E): ..."), ReferenceRole.INHERIT)
    assert [one.name for one in sorted(found, key=lambda one: one.arguments)] == ["B", "D", "E"]


def test_lines_are_those_of_the_name() -> None:
    found = list_references(read("(\n a\n .b\n .c()\n)\n"), ReferenceRole.USE, ReferenceRole.CALL)
    assert [(one.name, one.line) for one in found] == [("a", 2), ("b", 3), ("c", 4)]


BROKEN = """import a

def good():
    return a.b()

def bad(:
    pass

class Half:
    def first(self): pass
    def second(self):
        print "x"

def last():
    return good()
"""


def test_what_does_not_parse_is_left_out_and_the_rest_is_there() -> None:
    structure = read(BROKEN)
    assert structure.status is ParseStatus.PARTIAL
    names = [(one.name, one.kind.name, one.start_line) for one in list_symbols(structure)]
    half = structure.find_symbols("Half")[0]
    assert ("good", "FUNCTION", 3) in names
    assert ("last", "FUNCTION", 14) in names
    assert ("bad", "FUNCTION", 6) in names
    assert get(structure, "second").parent == half
    calls = [(one.name, one.line) for one in list_references(structure, ReferenceRole.CALL)]
    assert calls == [("b", 4), ("good", 15)]


NEWEST = """def good():
    return a.b()

def show(width):
    return t"{find(name)!r:>{sizes[width]}} {other}"

def guard():
    try:
        good()
    except First, sub.Second:
        pass
"""


def test_what_came_with_python_3_14_is_read() -> None:
    structure = read(NEWEST)
    names = [(one.name, one.kind.name, one.start_line) for one in list_symbols(structure)]
    assert names == [("good", "FUNCTION", 1), ("show", "FUNCTION", 4), ("guard", "FUNCTION", 7)]
    found = {
        (one.role.name, one.name) for one in list_references(structure, ReferenceRole.CALL, ReferenceRole.USE)
    }
    assert structure.status is ParseStatus.FULL
    inside = {("CALL", "find"), ("USE", "name"), ("USE", "sizes"), ("USE", "other")}
    assert inside | {("USE", "First"), ("USE", "Second"), ("CALL", "good")} <= found


HOSTILE = {
    "brackets": b"(" * 5_000 + b")" * 5_000,
    "open brackets": b"f(" * 200_000,
    "attributes": b"a" + b".b" * 100_000,
    "calls": b"a" + b"()" * choose(20_000, 50_000),
    "sums": b"x=" + b"1+" * 100_000 + b"1",
    "lambdas": b"lambda:" * 3_000 + b"1",
    "branches": b"".join(b" " * depth + b"if x:\n" for depth in range(99)) + b" " * 99 + b"pass",
    "nested functions": b"".join(b" " * depth + b"def f():\n" for depth in range(99)) + b" " * 99 + b"pass",
    "a long chain of branches": b"if a: pass\n" + b"elif b: pass\n" * 20_000,
    "annotation": b"x: " + b"a[" * 900 + b"b" + b"]" * 900,
    "quoted annotations": b"x: " + b"'" + b"a" * 100_000 + b"'",
    "NUL": b"def f():\n pass\n\0\ndef g(): pass\n",
    "surrogates": "x = '\ud800'\ndef f(): pass\n".encode("utf-8", "surrogatepass"),
    "not UTF-8": b"def f(): pass\nx = '\xff\xfe'\n",
    "one line": b'x = "' + b"a" * choose(5_000_000, 50_000_000) + b'"',
    "one open line": b"f(" * choose(2_500_000, 25_000_000),
    "many functions": b"\n".join(b"def f%d(): x%d()" % (one, one) for one in range(choose(6_000, 60_000))),
    "many bad lines": b"def f(:\n" * choose(20_000, 50_000),
    "targets": b"x" + b"=y" * choose(20_000, 50_000),
    "names": b"f(" + b"a," * choose(60_000, 250_000) + b")",
    "empty": b"",
    "a mark": b"\xef\xbb\xbfdef f(): pass",
    "old line ends": b"def f():\r  pass\rdef g(): pass\r",
    "integers": b"x = " + b"9" * 10_000,
    "dedent": b"  def f(): pass\n def g(): pass\n",
}


@pytest.mark.sized
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_texts_give_a_record_that_says_what_it_is(case: str) -> None:
    data = parse("a.py", HOSTILE[case])
    structure = decode_symbol_record(data)
    if structure.symbol_count == 1 and structure.status is not ParseStatus.FULL:
        assert structure.status is ParseStatus.FAILED
    assert len(data) < 20_000_000


def test_what_is_too_large_is_had_by_lines() -> None:
    text = b"class A:\n    def f(self): pass\n" + b"#" * MAX_AST_BYTES
    structure = decode_symbol_record(parse("a.py", text))
    assert structure.status is ParseStatus.PARTIAL
    assert [one.name for one in list_symbols(structure)] == ["A", "f"]
    assert structure.reference_count == 0


def test_line_ends_and_marks_do_not_matter() -> None:
    assert parse("a.py", SHAPES.encode().replace(b"\n", b"\r\n")) == parse("a.py", SHAPES.encode())
    assert parse("a.py", b"\xef\xbb\xbf" + SHAPES.encode()) == parse("a.py", SHAPES.encode())


PIECES = st.sampled_from(
    ["def f(a):", "class A(B):", "    x = 1", "  return y", "@d", "if a:", "else:", "(", ")", "'''", "\\",
     "\t", " ", "import a.b", "from . import *", "x: 'A['", "lambda: 0", "async", "\f", "é", "self.x = y",
     "global x", "    def g(self): return self.y", "match x:", "[a for b in c]", "print 'x'"]
)  # fmt: skip


@settings(max_examples=examples(150))
@given(st.lists(PIECES, max_size=25))
def test_any_lines_give_a_sound_record(pieces: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        structure = read("\n".join(pieces))
    lines = max(1, len(pieces))
    for symbol in list_symbols(structure):
        holder = structure.get_symbol(symbol.parent)
        assert holder.ordinal < symbol.ordinal
        assert 1 <= symbol.start_line <= symbol.end_line <= lines
    for one in list_references(structure, *ReferenceRole):
        assert 1 <= one.line <= lines
        if one.role not in NAMED:
            assert one.name


@given(st.binary(max_size=60))
def test_any_bytes_give_a_sound_record(data: bytes) -> None:
    decode_symbol_record(parse("a.py", data))


def test_nothing_of_a_walk_goes_round() -> None:
    """The process that parses collects no garbage: what holds itself would stay until it ends."""
    text = b"import os\nclass A(B):\n    x = [y for y in z]\n    def f(self, a=lambda: 1): return self.g(a)\n"
    parse("a.py", text)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        gc.freeze()  # what there is already is not looked at
        for _ in range(3):
            parse("a.py", text)
        assert gc.collect() == 0
    finally:
        if was_enabled:
            gc.enable()


@pytest.mark.parametrize(
    "block", ["    if a:\n        {0} = A()\n", "    for {0} in a:\n        {0} = A()\n"]
)
@pytest.mark.parametrize("name", ["x", "x{0}"])
def test_a_function_with_thousands_of_blocks_is_read_once(block: str, name: str) -> None:
    def write(size: int) -> bytes:
        blocks = "".join(block.format(name.format(number % (size // 2))) for number in range(size))
        return f"def f(a):\n{blocks}".encode()

    assert_linear(write, lambda text: parse("a.py", text), 250)
