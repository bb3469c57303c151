"""The choice of the parser that makes a file's symbol record, and whether it is installed.

A task is named `structure/<dialect>`. Its request is the file's name, "\\n" and the text; its answer is a
symbol record. Parsers run in the process that can be killed and are imported there with the first text of
their language; asking whether one exists imports nothing. Each grammar comes from a wheel of its own; without
it files of its language have no symbol record, and `list_missing` names the wheel.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import cache

from repo_mcp.symbols.symbol_record import encode_failure

PARSERS_VERSION = 8  # raise it when a parser's record of any text changes: all records are rebuilt
PREFIX = "structure/"

Parse = Callable[[str, bytes], bytes]

# dialect -> the module of its grammar, imported by `treesitter/parser.py` alone
GRAMMARS: Mapping[str, str] = {
    "typescript": "tree_sitter_typescript",
    "tsx": "tree_sitter_typescript",
    "javascript": "tree_sitter_javascript",
    "csharp": "tree_sitter_c_sharp",
    "go": "tree_sitter_go",
    "java": "tree_sitter_java",
    "rust": "tree_sitter_rust",
    "c": "tree_sitter_c",
    "cpp": "tree_sitter_cpp",
    "swift": "tree_sitter_swift",
}
_RUNTIME = "tree_sitter"
_TSX_SUFFIX = ".tsx"
_MANIFESTS = ("go.mod", "go.work")  # named like sources of Go, but not source


def find_parser_task(path: str, language: str) -> str | None:
    """Return the task that makes a file's symbol record; None when its language has no parser here."""
    dialect = "tsx" if path.lower().endswith(_TSX_SUFFIX) and language == "typescript" else language
    if path.endswith(_MANIFESTS) or dialect not in _LOADERS or find_missing_wheel(dialect) is not None:
        return None
    return PREFIX + dialect


def list_languages() -> tuple[str, ...]:
    """Return the languages whose files get a symbol record here, ascending."""
    return tuple(sorted(one for one in _LOADERS if one != "tsx" and find_missing_wheel(one) is None))


def list_missing() -> dict[str, str]:
    """Return the languages whose parser cannot run -> the package that is missing for each."""
    found = {one: find_missing_wheel(one) for one in sorted(_LOADERS) if one != "tsx"}
    return {language: wheel for language, wheel in found.items() if wheel is not None}


@cache
def find_missing_wheel(dialect: str) -> str | None:
    """Return the name of the package that a dialect needs and that is not installed, or None."""
    grammar = GRAMMARS.get(dialect)
    if grammar is None:
        return None
    for module in (_RUNTIME, grammar):
        try:
            is_there = importlib.util.find_spec(module) is not None
        except (ImportError, ValueError):
            is_there = False
        if not is_there:
            return module.replace("_", "-")
    return None


def run_parser_task(task: str, request: bytes) -> bytes:
    """Return the symbol record of a request (parser process only). Raises KeyError for an unknown task."""
    load = _LOADERS[task.removeprefix(PREFIX)]
    name, _, text = request.partition(b"\n")
    file_name = name.decode("utf-8", "replace")
    try:
        return load()(file_name, text)
    except (MemoryError, RecursionError):
        return encode_failure(file_name, text.count(b"\n") + 1)


def _load_python() -> Parse:
    from repo_mcp.languages.python.symbol_parser import parse

    return parse


def _load_typescript() -> Parse:
    from repo_mcp.languages.typescript.symbol_parser import parse_typescript

    return parse_typescript


def _load_tsx() -> Parse:
    from repo_mcp.languages.typescript.symbol_parser import parse_tsx

    return parse_tsx


def _load_javascript() -> Parse:
    from repo_mcp.languages.typescript.symbol_parser import parse_javascript

    return parse_javascript


def _load_csharp() -> Parse:
    from repo_mcp.languages.csharp.symbol_parser import parse_csharp

    return parse_csharp


def _load_native(dialect: str) -> Callable[[], Parse]:
    """Return a function that imports the parser of a language on the capture walk."""

    def load() -> Parse:
        from repo_mcp.languages.native import symbol_parser

        return symbol_parser.PARSERS[dialect]

    return load


_LOADERS: Mapping[str, Callable[[], Parse]] = {
    "python": _load_python,
    "typescript": _load_typescript,
    "tsx": _load_tsx,
    "javascript": _load_javascript,
    "csharp": _load_csharp,
    "go": _load_native("go"),
    "java": _load_native("java"),
    "rust": _load_native("rust"),
    "c": _load_native("c"),
    "cpp": _load_native("cpp"),
    "swift": _load_native("swift"),
}  # dialect -> what imports its parser
