"""A Program over texts in memory: what navigation reads from an index is parsed when it is needed.

program = MemoryProgram({"a.py": "def f(): ..."}, {"python": parse}, find_language)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolRecord, decode_symbol_record, list_references

Parser = Callable[[str, bytes], bytes]
_NAMED_AGAIN = (ReferenceRole.IMPORT, ReferenceRole.EXPORT)


def find_language_by_suffix(path: str) -> str:
    """Return the language of a path by the end of its name; empty for one that we do not parse."""
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    languages = {
        "py": "python", "pyi": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript",
        "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "cs": "csharp", "go": "go",
        "java": "java", "rs": "rust", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "hpp": "cpp",
        "swift": "swift",
    }  # fmt: skip
    return languages.get(suffix, "")


class MemoryProgram:
    """Texts by path, and a parser for each language; files of other languages have no structure."""

    def __init__(
        self,
        texts: Mapping[str, str | bytes],
        parsers: Mapping[str, Parser],
        find_language: Callable[[str], str] = find_language_by_suffix,
    ) -> None:
        self._texts = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
        self._find_language = find_language
        self._structures: dict[str, SymbolRecord] = {}
        self.kept: dict[type, object] = {}
        for path in sorted(self._texts):
            parser = parsers.get(find_language(path))
            if parser is not None:
                record = parser(path.rpartition("/")[2], self._texts[path])
                self._structures[path] = decode_symbol_record(record)
        self._folders = {""}
        for path in self._texts:
            self._folders.update(path[:end] for end, char in enumerate(path) if char == "/")
        self._declaring = self._index(_iter_declared)
        self._using = self._index(iter_used)

    def _index(self, iter_names: Callable[[SymbolRecord], Iterable[str]]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, record in self._structures.items():
            for name in sorted(set(iter_names(record))):
                found.setdefault(name, []).append(path)
        return found

    def find_record(self, path: str) -> SymbolRecord | None:
        return self._structures.get(path)

    def find_language(self, path: str) -> str:
        return self._find_language(path)

    def has_file(self, path: str) -> bool:
        return path in self._texts

    def has_folder(self, path: str) -> bool:
        return path in self._folders

    def list_source_paths(self) -> Sequence[str]:
        return sorted(self._texts)

    def list_including(self, module: str) -> Sequence[str]:
        imports = (
            (path, list_references(one, ReferenceRole.IMPORT)) for path, one in self._structures.items()
        )
        return [path for path, rows in imports if any(row.qualifier == module for row in rows)]

    def list_declaring(self, name: str) -> Sequence[str]:
        return self._declaring.get(name, ())

    def list_using(self, name: str) -> Sequence[str]:
        return self._using.get(name, ())

    def read_text(self, path: str) -> str | None:
        text = self._texts.get(path)
        return None if text is None else text.decode("utf-8", "replace")


def _iter_declared(record: SymbolRecord) -> Iterable[str]:
    """Yield the names of all symbols, including the file's."""
    return (record.strings[number] for number in record.names.tolist())


def iter_used(record: SymbolRecord) -> Iterable[str]:
    """Yield the names that are referred to, once for each reference."""
    for row in range(record.reference_count):
        reference = record.get_reference(row)
        if reference.role is not ReferenceRole.BIND:
            yield reference.name
            if reference.role in _NAMED_AGAIN:
                yield reference.alias
