"""Of a class that a prompt names, the long method that decides is shown in part, and no stand-in of it."""

from __future__ import annotations

from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.prompt import find_no_hints
from repo_mcp.blocks.source import IndexSource
from repo_mcp.bundler.hybrid import HybridStrategy
from repo_mcp.bundler.records import Budget, BundleRequest
from tests.repo_mcp.research.asking import open_index


def fill(count: int, name: str) -> str:
    return "".join(f"    const {name}{at} = {at};\n" for at in range(count))


TEXTS = {
    "lib/PageSorter.js": "class PageSorter {\n  constructor(options) {\n    this.options = options;\n  }\n\n"
    "  apply(book) {\n"
    + fill(150, "before")
    + "    if (book.pages) {\n      pages.sort((a, b) => a.order - b.order);\n    }\n"
    + fill(150, "after")
    + "  }\n}\nmodule.exports = PageSorter;\n",
    "lib/index.js": "module.exports = {\n  get PageSorter() {\n    return require('./PageSorter');\n  },\n"
    + "".join(f"  get Other{at}() {{\n    return require('./Other{at}');\n  }},\n" for at in range(30))
    + "};\n",
    "types.d.ts": "declare class PageSorter {\n  apply(book: Book): void;\n}\n"
    + "".join(f"declare class Other{at} {{\n  apply(): void;\n}}\n" for at in range(30)),
}
PROMPT = "PageSorter sorts the pages of a book in the wrong order"


def test_the_deciding_lines_of_a_long_method_come_before_what_stands_for_its_class() -> None:
    source = IndexSource(open_index(TEXTS), lambda path: TEXTS[path].encode())
    strategy = HybridStrategy(read_layout, find_no_hints)
    chosen = strategy.choose(BundleRequest(PROMPT), Budget(8, 120, None), source)
    shown = [(one.path, one.start_line, one.end_line) for one in chosen.selections]
    line = next(at for at, text in enumerate(TEXTS["lib/PageSorter.js"].split("\n"), 1) if ".sort(" in text)
    assert any(path == "lib/PageSorter.js" and start <= line <= end for path, start, end in shown)
    assert shown[0][0] == "lib/PageSorter.js"
    assert not any(path != "lib/PageSorter.js" and start <= 4 for path, start, _ in shown)
