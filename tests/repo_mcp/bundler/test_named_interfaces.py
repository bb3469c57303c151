"""Of a method that a prompt names, the body is what is meant, and not its declaration in an interface."""

from __future__ import annotations

from repo_mcp.blocks.layouts import read_layout
from repo_mcp.blocks.prompt import find_no_hints
from repo_mcp.blocks.source import IndexSource
from repo_mcp.bundler.hybrid import HybridStrategy
from repo_mcp.bundler.records import Budget, BundleRequest
from tests.repo_mcp.research.asking import open_index

OTHERS = "".join(f"    int bind{at}(int page);\n" for at in range(60))
BODY = "".join(f"        pages = pages + {at};\n" for at in range(120))
TEXTS = {
    "src/Ledger.java": f"interface Ledger {{\n    int closePages(int pages);\n{OTHERS}}}\n",
    "src/BoundLedger.java": "class BoundLedger implements Ledger {\n    private int kept;\n\n"
    + f"    public int closePages(int pages) {{\n{BODY}        return pages;\n    }}\n"
    + "".join(f"    public int bind{at}(int page) {{\n        return page;\n    }}\n" for at in range(60))
    + "}\n",
}


def test_a_method_that_does_not_fit_is_shown_in_part_though_an_interface_declares_it() -> None:
    source = IndexSource(open_index(TEXTS), lambda path: TEXTS[path].encode())
    strategy = HybridStrategy(read_layout, find_no_hints)
    chosen = strategy.choose(BundleRequest("what does `closePages` do"), Budget(4, 60, None), source)
    shown = [one.path for one in chosen.selections]
    assert shown[0] == "src/BoundLedger.java"
