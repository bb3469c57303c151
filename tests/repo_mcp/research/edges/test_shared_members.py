"""Functions that two types share are shown side by side if they differ."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

SAME = "    def list_size(self):\n        size = len(self.parts)\n        return size\n\n"


def test_functions_with_the_same_lines_are_not_compared() -> None:
    texts = {
        "lazy.py": f"class LazyStore:\n{SAME}    def put(self, part):\n        self.parts.append(part)\n",
        "eager.py": f"class EagerStore:\n{SAME}    def put(self, part):\n        self.flush()\n",
    }
    report = Asked(texts).ask("what is the difference between LazyStore and EagerStore?")
    compared = [one.symbol for one in report.findings if one.why.startswith("is declared by both")]
    assert sorted(compared) == ["eager.EagerStore.put", "lazy.LazyStore.put"]
