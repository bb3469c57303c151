"""One name is compared in two places: folders, or files."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from tests.repo_mcp.research.asking import Asked

TEXTS = {
    "arch/small/flush.h": "static inline void flush_range(struct area *a, long start)\n{\n\tif (start)\n"
    "\t\tflush_some(a, start);\n}\n",
    "arch/big/flush.h": "#define flush_range(a, start) flush_all(a)\n\nvoid flush_all(struct area *a);\n\n"
    "struct cpu {\n\tint big;\n};\n",
    "arch/odd/flush.h": "static inline void flush_range(struct area *a, long start)\n{\n}\n",
}


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked(TEXTS)


@pytest.mark.parametrize(
    "query",
    [
        "what is the difference between flush_range on small and big?",
        "how does flush_range differ between small and big?",
        "how does flush_range in arch/small differ from flush_range in arch/big?",
        "compare flush_range in small and big",
    ],
)
def test_a_name_is_compared_in_two_folders(asked: Asked, query: str) -> None:
    report = asked.ask(query)
    assert report.reading.form is Form.DIFFERENCE
    assert [(one.path, one.start_line) for one in report.findings][:2] == [
        ("arch/small/flush.h", 1),
        ("arch/big/flush.h", 1),
    ]
    assert report.claim.startswith(
        "flush_range is declared at arch/small/flush.h:1-5. flush_range is declared at arch/big/flush.h:1."
    )


@pytest.mark.parametrize(
    "query",
    [
        "what is the difference between flush_range and flush_all?",
        "what is the difference between flush_range on small and nowhere?",
    ],
)
def test_what_is_in_no_folder_is_no_place(asked: Asked, query: str) -> None:
    assert asked.ask(query).reading.text.count(" in big") == 0
