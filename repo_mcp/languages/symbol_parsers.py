"""Choose the parser that makes a file's symbol record, and check whether it is installed.

A task is named `structure/<dialect>`. Its request is the file's name, "\\n" and the text; its answer is a
symbol record. Parsers run in the process that can be killed and are imported there with the first text of
their language. Each grammar comes from a package of its own, which is loaded once as a check; if that fails,
files of its language have no symbol record, and `list_faults` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache

from repo_mcp.languages.patterns.language_registry import is_template
from repo_mcp.languages.treesitter import grammars
from repo_mcp.languages.treesitter.grammars import GrammarFault
from repo_mcp.symbols.record_builder import encode_failure

PARSERS_VERSION = 98  # raise it when a parser's record of any text changes: all records are rebuilt
PREFIX = "structure/"

Parse = Callable[[str, bytes], bytes]

_TSX_SUFFIX = ".tsx"
_MANIFESTS = ("go.mod", "go.work")  # named like sources of Go, but not source


def find_parser_task(path: str, language: str) -> str | None:
    """Return the task that makes a file's symbol record; None when its language has no parser here."""
    dialect = _find_dialect(path, language)
    return None if dialect is None or find_fault(dialect) is not None else PREFIX + dialect


def _find_dialect(path: str, language: str) -> str | None:
    if language not in _LOADERS or path.endswith(_MANIFESTS) or is_template(path):
        return None
    return "tsx" if language == "typescript" and path.lower().endswith(_TSX_SUFFIX) else language


def list_languages() -> tuple[str, ...]:
    """Return the languages whose files get a symbol record if their parser can run, ascending."""
    return tuple(sorted(one for one in _LOADERS if one != "tsx"))


def find_unparsed(path: str, language: str) -> str | None:
    """Return the dialect of a file that would have a symbol record if its parser could run, else None."""
    dialect = _find_dialect(path, language)
    return None if dialect is None or find_fault(dialect) is None else dialect


def list_faults(languages: Collection[str]) -> dict[str, GrammarFault]:
    """Return a mapping from each language whose parser cannot run, ascending, to the fault of its package."""
    found = {one: find_fault(one) for one in list_languages() if one in languages}
    return {language: fault for language, fault in found.items() if fault is not None}


@cache
def find_fault(dialect: str) -> GrammarFault | None:
    """Return why the parser of a dialect cannot run, or None."""
    return grammars.find_fault(dialect) if dialect in grammars.PACKAGES else None


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
        from repo_mcp.languages import capture_parsers as symbol_parser

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
}  # dialect -> the function that imports its parser
