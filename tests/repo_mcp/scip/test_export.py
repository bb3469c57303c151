"""Our graph in SCIP: what each document has, and that nothing else decides its bytes."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.scip.export import ScipExport, find_words
from repo_mcp.scip.messages import DEFINITION, Document, decode_document, iter_documents
from tests.repo_mcp.graph.memory_index import make_graph
from tests.repo_mcp.scip.memory_file import MemoryFile

FILES = {
    "shop/__init__.py": "",
    "shop/base.py": "class Base:\n    @property\n    def name(self):\n        return 1\n\n"
    "    @name.setter\n    def name(self, name):\n        self.seen = name\n",
    "shop/été.py": "from shop.base import Base\n\n\nclass Été(Base):\n    def run(self, other):\n"
    "        '🚀'; self.run(self); other.run(1)\n\n\ndef make():\n    return Été()\n",
    "shop/use.ts": "import { a } from './lib';\nexport const b = a() + a();\n",
    "shop/lib.ts": "export function a() { return 1; }\n",
}
OURS = "repo-mcp . . . "


def export(files: Mapping[str, str]) -> tuple[bytes, ScipExport]:
    exporter = ScipExport(make_graph(files).scan)
    return b"".join(exporter.iter_bytes()), exporter


def read(data: bytes) -> dict[str, Document]:
    documents = [decode_document(one) for one in iter_documents(MemoryFile(data))]
    return {one.path: one for one in documents}


def list_places(document: Document, *, defined: bool) -> set[tuple[str, int, int, int]]:
    return {
        (one.symbol.removeprefix(OURS), one.line, one.start, one.end)
        for one in document.occurrences
        if bool(one.roles & DEFINITION) is defined
    }


def test_declarations_and_references_are_where_they_are_written() -> None:
    data, exporter = export(FILES)
    documents = read(data)
    assert list(documents) == sorted(FILES)
    base, ete, use = documents["shop/base.py"], documents["shop/été.py"], documents["shop/use.ts"]
    assert list_places(base, defined=True) >= {
        ("`shop/base.py`/", 0, 0, 0),
        ("`shop/base.py`/Base#", 0, 6, 10),
        ("`shop/base.py`/Base#name.", 2, 8, 12),
    }
    assert list_places(ete, defined=True) >= {
        ("`shop/été.py`/`Été`#", 3, 6, 9),
        ("`shop/été.py`/`Été`#run().", 4, 8, 11),
        ("`shop/été.py`/make().", 8, 4, 8),
    }
    assert list_places(ete, defined=False) >= {
        ("`shop/base.py`/Base#", 0, 22, 26),
        ("`shop/base.py`/Base#", 3, 10, 14),
        ("`shop/été.py`/`Été`#run().", 5, 18, 21),  # of `self`, and not of `other`
        ("`shop/été.py`/`Été`#", 9, 11, 14),
    }
    assert ("`shop/lib.ts`/a().", 0, 9, 10) in list_places(use, defined=False)
    assert {one.language for one in documents.values()} == {"Python", "TypeScript"}
    assert exporter.report.documents == len(FILES)


def test_every_symbol_is_defined_once_and_where_it_is_described() -> None:
    documents = read(export(FILES)[0])
    defined = [
        one.symbol
        for document in documents.values()
        for one in document.occurrences
        if one.roles & DEFINITION
    ]
    used = {
        one.symbol
        for document in documents.values()
        for one in document.occurrences
        if not one.roles & DEFINITION
    }
    assert len(defined) == len(set(defined))
    assert used <= set(defined)


def test_equal_trees_give_equal_bytes() -> None:
    assert export(FILES)[0] == export(dict(reversed(FILES.items())))[0]


def test_what_lies_too_deep_has_no_symbol() -> None:
    deep = "".join("    " * depth + f"def f{depth}():\n" for depth in range(90)) + "    " * 90 + "pass\n"
    (document,) = read(export({"deep.py": deep})[0]).values()
    assert max(len(one.symbol) for one in document.occurrences) < 1_000


def test_a_name_is_no_part_of_another() -> None:
    assert find_words("a.b(ab, b_, $b, b)", "b") == [2, 16]
    assert find_words("x == y", "==") == [2]
    assert find_words("", "b") == find_words("b", "") == []
