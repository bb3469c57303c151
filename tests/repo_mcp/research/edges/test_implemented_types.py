"""Where an abstract type is implemented is where others implement it."""

from __future__ import annotations

import pytest

from repo_mcp.graph.hierarchy.hierarchy import Hierarchy
from repo_mcp.research.findings.records import Form
from tests.counted_calls import count_calls
from tests.repo_mcp.research.asking import Asked

JAVA = {
    "net/Client.java": "package net;\n\npublic abstract class Client {\n    abstract void send();\n"
    "    enum Version { ONE }\n}\n",
    "net/ClientImpl.java": "package net;\n\nfinal class ClientImpl extends Client {\n"
    "    void send() {\n    }\n}\n",
    "net/Pool.java": "package net;\n\nclass Pool {\n    Client.Version version() {\n"
    "        return null;\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("where is net.Client implemented?", Form.IMPLEMENTATIONS),
        ("where is net.Client declared?", Form.DEFINED),
        ("where is net.Pool implemented?", Form.DEFINED),
    ],
)
def test_where_a_type_is_implemented_asks_for_its_implementers_if_others_fill_it(
    question: str, form: Form
) -> None:
    assert Asked(JAVA).ask(question).reading.form is form


def test_what_implements_the_type_is_in_the_opening() -> None:
    report = Asked(JAVA).ask("where is net.Client implemented?")
    assert "by net.ClientImpl (net/ClientImpl.java:3-6)" in report.claim
    assert [one.symbol for one in report.findings] == ["net.Client", "net.ClientImpl"]


def test_overrides_of_overrides_are_found_with_the_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    called = count_calls(monkeypatch, Hierarchy, "find_overriding")
    chain = [f"class Box{one}(Box{one - 1}):\n    def lift(self): ...\n" for one in range(1, 30)]
    text = "class Box0:\n    def lift(self): ...\n" + "".join(chain)
    report = Asked({"box.py": text}).ask("what implements Box0.lift?")
    assert sum(one.symbol.endswith(".lift") for one in report.findings) == 30
    assert len({member for _, member in called}) == 1
