"""Python outlines: what is declared, how it reads, and an independent walk over the standard library."""

from __future__ import annotations

import ast
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import RepoError
from repo_mcp.languages.outline.adapter import ParserFailed, ParserFault
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.python.adapter import MAX_AST_BYTES, PythonAdapter
from repo_mcp.languages.python.tree import outline_python
from repo_mcp.model import Outline, Symbol
from repo_mcp.text.lines import decode_source
from tests.deep.sizes import choose, scale, take_share

CONTROL = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match,
)  # fmt: skip
SAMPLE_FILES = choose(8, 20)
Declared = tuple[str, str, int, int, str | None, str, bool]


def parse_here(task: str, data: bytes) -> bytes:
    assert task == "python"
    return outline_python(data)


ADAPTER = PythonAdapter(parse_here, find_language)


def outline(text: str) -> Outline:
    return ADAPTER.outline("a.py", text)


def by_name(text: str) -> dict[str, Symbol]:
    symbols = outline(text).symbols
    found = {one.name: one for one in symbols}
    assert len(found) == len(symbols)
    return found


def test_functions_methods_and_classes_with_their_lines() -> None:
    found = outline(
        "@cache\n"
        "@other(1,\n"
        "       2)\n"
        "def f(): pass\n"
        "class A:\n"
        "    '''About A.\n"
        "    More.'''\n"
        "    def m(self):\n"
        "        async def inner(): ...\n"
        "    async def n(self): ...\n"
    ).symbols
    assert [
        (one.kind, one.parent_symbol, one.name, one.start_line, one.end_line, one.scope_kind) for one in found
    ] == [
        ("function", None, "f", 1, 4, "module"),
        ("class", None, "A", 5, 10, "module"),
        ("method", "A", "m", 8, 9, "class"),
        ("async_function", "A.m", "inner", 9, 9, "function"),
        ("async_method", "A", "n", 10, 10, "class"),
    ]
    assert found[1].doc == "About A."
    assert found[0].doc is None
    assert {one.is_conditional for one in found} == {False}
    assert {one.decl_context for one in found} == {None}


@pytest.mark.parametrize(
    ("source", "signature"),
    [
        ("def f(): pass", "def f()"),
        ("def f(a, b=1, *, c, d=2): pass", "def f(a, b=1, *, c, d=2)"),
        ("def f(a, /, b): pass", "def f(a, /, b)"),
        ("def f(a=0, /, *rest, **more): pass", "def f(a=0, /, *rest, **more)"),
        ("async def f(a: int = 1, *r: str, **m: Any) -> None: pass", None),
        ('def f(a: "x  y" = "é", b=lambda: 0): pass', None),
        (
            "def f(a,\n      b: dict[str,  # why\n             int] = {1:\n 2}): pass",
            "def f(a, b: dict[str, int] = {1: 2})",
        ),
        ("@staticmethod\n@a.b(1)\ndef f(x): pass", "@staticmethod @a.b(1) def f(x)"),
        ("class A: pass", "class A"),
        ("class A(B, c.D[int], metaclass=M, **k): pass", "class A(B, c.D[int], metaclass=M, **k)"),
    ],
)  # fmt: skip
def test_signatures_read_as_written(source: str, signature: str | None) -> None:
    (symbol,) = outline(source).symbols
    assert symbol.signature == (signature or source.removesuffix(": pass"))


def test_signatures_and_names_are_cut() -> None:
    long = outline(f"def {'n' * 500}({', '.join(f'argument_{at}=0' for at in range(400))}): pass").symbols[0]
    assert len(long.name) == 200
    assert len(long.signature) == 1000
    assert long.signature.endswith("…")


def test_properties_and_overloads_are_each_listed() -> None:
    found = outline(
        "class A:\n"
        "    @property\n"
        "    def x(self): ...\n"
        "    @x.setter\n"
        "    def x(self, v): ...\n"
        "    @functools.cached_property\n"
        "    def y(self): ...\n"
        "    @overload\n"
        "    def z(self, a: int): ...\n"
        "    @overload\n"
        "    def z(self, a: str): ...\n"
    ).symbols[1:]
    assert [(one.kind, one.name, one.start_line) for one in found] == [
        ("property", "x", 2),
        ("property", "x", 4),
        ("property", "y", 6),
        ("method", "z", 8),
        ("method", "z", 10),
    ]
    assert found[4].signature == "@overload def z(self, a: str)"


def test_constants_aliases_and_fields() -> None:
    found = by_name(
        "LIMIT = 10\n_TABLE = {\n  1: 2,\n}\nA, B = 1, 2\nplain = 3\nport: int = 8\n"
        "rate: Final = 0.5\nAlias: TypeAlias = dict[str, int]\nUser = NewType('User', int)\n"
        "class E:\n    RED = 1\n    size: int\n    name = field()\n    __slots__ = ()\n"
        "def f():\n    LOCAL = 1\n"
    )
    kinds = {name: one.kind for name, one in found.items()}
    assert kinds == {
        "LIMIT": "constant", "_TABLE": "constant", "A": "constant", "B": "constant", "port": "variable",
        "rate": "constant", "Alias": "type_alias", "User": "type_alias", "E": "class", "RED": "constant",
        "size": "variable", "name": "variable", "f": "function",
    }  # fmt: skip
    assert found["_TABLE"].signature == "_TABLE = {…}"
    assert (found["_TABLE"].start_line, found["_TABLE"].end_line) == (2, 4)
    assert found["port"].signature == "port: int = 8"
    assert found["size"].parent_symbol == "E"


def test_every_control_flow_statement_makes_a_context() -> None:
    source = (
        "if TYPE_CHECKING:\n    def a(): ...\nelif x > 1:\n    def b(): ...\nelse:\n    def c(): ...\n"
        "try:\n    def d(): ...\nexcept (ImportError, os.error):\n    def e(): ...\n"
        "except:\n    def g(): ...\nelse:\n    def h(): ...\nfinally:\n    def i(): ...\n"
        "for x in y:\n    def j(): ...\nelse:\n    def k(): ...\n"
        "while True:\n    def l(): ...\n"
        "match v:\n    case 1:\n        def m(): ...\n    case _:\n        def n(): ...\n"
        "with open(p) as f:\n    class O:\n        def q(self):\n"
        "            if z:\n                def r(): ...\n"
    )
    found = by_name(source)
    assert {name: one.decl_context for name, one in found.items()} == {
        "a": "if TYPE_CHECKING", "b": "elif x > 1", "c": "else of elif x > 1", "d": "try",
        "e": "try/except (ImportError, os.error)", "g": "try/except", "h": "try/else", "i": "try/finally",
        "j": "for", "k": "for/else", "l": "while", "m": "match case 1", "n": "match case 2",
        "O": "with open(p)", "q": "with open(p)", "r": "with open(p) > if z",
    }  # fmt: skip
    assert all(one.is_conditional for one in found.values())
    assert found["r"].parent_symbol == "O.q"


def test_both_branches_are_declared() -> None:
    found = outline("if a:\n    X = 1\n    def f(): ...\nelse:\n    X = 2\n    def f(): ...\nX = 3\nX = 4\n")
    assert [(one.name, one.start_line) for one in found.symbols] == [
        ("X", 2), ("f", 3), ("X", 5), ("f", 6), ("X", 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(:\n  pass\ndef g(): pass\n", "syntax error at line 1"),
        ("class A: pass\nprint 'two'\n", "syntax error at line 2"),
        ("x = f'{'\n", "syntax error"),
        ("def a(): pass\n" + "-" * 100_000 + "1\n", "nested too deeply"),
        ("x = 1\0\n", "does not parse"),
    ],
)
def test_what_does_not_parse_is_empty_with_the_reason(source: str, words: str) -> None:
    found = outline(source)
    assert found.symbols == ()
    assert found.parser == "ast"
    assert len(found.warnings) == 1
    assert words in found.warnings[0]
    assert "two" not in found.warnings[0]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows that syntax")
@pytest.mark.parametrize(
    "line",
    ["type Pair[T] = tuple[T, T]", "def g[T](x: T): pass", "class G[T]: pass", 'y = f"{a["b"]} {c!r:>{w}}"'],
)
def test_newer_python_with_an_error_is_outlined_by_line_patterns_and_says_so(line: str) -> None:
    found = outline(f"class A:\n    def m(self):\n        pass\n\n{line}\nx = = 1\n")
    assert found.parser == "lexical"
    assert "Line 5 needs a Python newer than" in found.warnings[0]
    assert [(one.kind, one.name, one.parent_symbol) for one in found.symbols[:2]] == [
        ("class", "A", None),
        ("method", "m", "A"),
    ]
    assert (found.symbols[0].start_line, found.symbols[0].end_line) == (1, 3)


HANDLERS = ["A, B", "A, os.error", "json.Bad, timeout, c", "* A, b"]
NEWEST = ["X = t'{a}'", "X = rT'{a!r}'", "X = (a\n  + t'{b}')", "X = [\n  1,\n  t'{b}',\n]"]
NEWEST += [f"try:\n  pass\nexcept{' ' * (one[0] != '*')}{one}:\n  pass" for one in HANDLERS]


@pytest.mark.parametrize("text", NEWEST)
def test_what_came_with_python_3_14_is_outlined(text: str) -> None:
    found = outline(f"class A:\n    def m(self):\n        pass\n\n{text}\n\ndef last(): pass\n")
    assert [one.name for one in found.symbols if one.name != "X"] == ["A", "m", "last"]
    assert (found.parser, found.warnings) == ("ast", ())
    assert ("X" in text) == any(one.name == "X" for one in found.symbols)


def test_heads_with_type_parameters_have_their_bases() -> None:
    head = "class Rows[\n    T: Row = Row,\n](\n    Base[T], metaclass=M\n):\n"
    found = outline(f"{head}    pass\n\ntype Made = Rows[int]\n")
    assert (found.parser, found.warnings) == ("ast", ())
    heads = [
        one.signature.replace("[T: Row = Row]", "") for one in found.symbols
    ]  # the running one may keep it
    assert heads == ["class Rows(Base[T], metaclass=M)", "type Made = Rows[int]"]


def test_what_a_module_makes_by_a_call_is_listed() -> None:
    found = outline("run_later = made(later)\nrun_now = later.now\nlimit = 3\n")
    assert [(one.kind, one.name) for one in found.symbols] == [
        ("variable", "run_later"),
        ("variable", "run_now"),
    ]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads it as two types")
def test_a_handler_of_python_2_is_no_newer_syntax() -> None:
    found = outline("try:\n  pass\nexcept socket.error, e:\n  pass\n")
    assert (found.parser, found.symbols) == ("ast", ())
    assert "syntax error at line 3" in found.warnings[0]


def test_a_large_source_is_outlined_by_line_patterns_and_says_so() -> None:
    found = outline("def f():\n    pass\n" + "# x\n" * (MAX_AST_BYTES // 4))
    assert found.parser == "lexical"
    assert "larger than 524,288 bytes" in found.warnings[0]
    assert [(one.name, one.start_line, one.end_line) for one in found.symbols] == [("f", 1, 2)]


def test_too_many_declarations_are_cut_and_said() -> None:
    found = outline("def a():0\n" * 11_000)
    assert len(found.symbols) == 10_000
    assert found.truncated
    assert "Only the first 10,000" in found.warnings[0]


def test_a_parser_that_failed_is_not_a_crash() -> None:
    def fail(fault: ParserFault) -> Outline:
        def parse(task: str, data: bytes) -> bytes:
            raise ParserFailed(fault)

        return PythonAdapter(parse, find_language).outline("a.py", "def f(): pass\n")

    died, unavailable = fail(ParserFault.DIED), fail(ParserFault.UNAVAILABLE)
    assert died.symbols == ()
    assert "time and memory limits" in died.warnings[0]
    assert [one.name for one in unavailable.symbols] == ["f"]
    assert unavailable.parser == "lexical"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"[]",
        b"{}",
        b'{"symbols": [[1]], "cut": false}',
        b'{"symbols": [["function", "f", "f", "1", 1, null, null, "module", false, null]], "cut": false}',
        b'{"symbols": [["function", [], "f", 1, 1, null, null, "module", false, null]], "cut": false}',
        b"[" * 100_000,
    ],
)
def test_an_answer_that_is_none_is_refused(answer: bytes) -> None:
    found = PythonAdapter(lambda _task, _data: answer, find_language).outline("a.py", "def f(): pass\n")
    assert found.symbols == ()
    assert "no readable answer" in found.warnings[0]


def test_dialects_are_left_to_line_patterns() -> None:
    yes = ["a.py", "A.PYI", "x/y.pyw", "SConstruct"]
    no = ["a.pyx", "a.pxd", "Snakefile", "a.rb", "a.py.txt"]
    assert [path for path in (*yes, *no) if ADAPTER.supports_path(path)] == yes


# The oracle


class Oracle(ast.NodeVisitor):
    """Every def and class with its lines, its scope and whether control flow is above it, by recursion."""

    def __init__(self) -> None:
        self.found: list[Declared] = []
        self.around: list[tuple[str, str]] = []  # kind and name
        self.control = 0

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            parent = ".".join(name for _, name in self.around) or None
            scope = self.around[-1][0] if self.around else "module"
            last = node.end_lineno or 0
            self.found.append((kind, node.name, first, last, parent, scope, self.control > 0))
            self.around.append((kind, node.name))
            self.generic_visit(node)
            self.around.pop()
        elif isinstance(node, CONTROL):
            self.control += 1
            self.generic_visit(node)
            self.control -= 1
        else:
            self.generic_visit(node)


def list_declared(outline: Outline) -> list[Declared]:
    found = []
    for one in outline.symbols:
        if re.search("class|function|method|property", one.kind):
            kind = "class" if one.kind == "class" else "function"
            ordinal = (one.parent_symbol, one.scope_kind or "", bool(one.is_conditional))
            found.append((kind, one.name, one.start_line, one.end_line, *ordinal))
    return found


def iter_library() -> Iterator[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    folders = [one for one in root.iterdir() if one.is_dir() and one.name != "site-packages"]
    for path in sorted([*root.glob("*.py"), *(path for one in folders for path in one.rglob("*.py"))]):
        if path.stat().st_size <= MAX_AST_BYTES:
            yield path


def check_file(path: Path) -> bool:
    """Compare one file; False for what the program does not take or ast does not parse."""
    try:
        text = decode_source(path.read_bytes()).data.decode()
    except RepoError:
        return False
    found = ADAPTER.outline(path.name, text)
    assert found == ADAPTER.outline(path.name, text)
    keys = [(one.start_line, one.end_line) for one in found.symbols]
    assert keys == sorted(keys), path
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        assert found.warnings, path
        assert found.parser == "lexical" or not found.symbols
        return False
    oracle = Oracle()
    oracle.visit(tree)
    declarations = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    assert sum(isinstance(node, declarations) for node in ast.walk(tree)) == len(oracle.found)
    assert Counter(list_declared(found)) == Counter(oracle.found), path
    return True


@pytest.mark.sized
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_a_sample_of_the_standard_library_against_an_independent_walk() -> None:
    paths = list(iter_library())
    step = max(1, len(paths) // SAMPLE_FILES)
    checked = [check_file(path) for path in paths[::step][:SAMPLE_FILES]]
    assert sum(checked) > 0.9 * len(checked) > SAMPLE_FILES / 2


@pytest.mark.corpus
@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_the_whole_standard_library_against_an_independent_walk() -> None:
    checked = [check_file(path) for path in take_share([*iter_library()])]
    assert sum(checked) > 0.9 * len(checked) > scale(500)
