"""What get_callers says of a function that nothing here calls, but what is declared outside may."""

from __future__ import annotations

import pytest

from tests.repo_mcp.toolsets.graph.graph_roots import Served

FILES = {
    "Cargo.toml": '[package]\nname = "kit"\n',
    "src/lib.rs": (
        "pub struct Till;\nimpl std::fmt::Display for Till {\n    fn fmt(&self) {}\n}\n"
        "impl Till {\n    pub fn idle(&self) {}\n}\n"
    ),
    "Visitor.cs": (
        "using System.Linq.Expressions;\nclass Reader : ExpressionVisitor {\n"
        "    protected override void VisitLambda() {}\n}\n"
        "class Low : Reader { protected override void VisitIndex() {} }\n"
    ),
    "Timer.java": "class Timer implements Runnable {\n    @Override\n    public void run() {}\n}\n",
    "conftest.py": "import pytest\n\n@pytest.fixture\ndef till(): ...\n\n\n@staticmethod\ndef plain(): ...\n",
    "encode.py": (
        "import json\n\n\nclass Encoder(json.JSONEncoder):\n    def default(self, one): ...\n\n\n"
        "class Failed(ValueError):\n    def explain(self): ...\n"
    ),
}


@pytest.mark.parametrize(
    ("symbol", "said"),
    [
        ("Till.fmt", "It implements a member of std.fmt.Display, which is declared outside this repository"),
        ("Reader.VisitLambda", "It overrides a member of ExpressionVisitor, which is declared outside"),
        ("Low.VisitIndex", "It overrides a member of ExpressionVisitor, which is declared outside"),
        ("Timer.run", "It overrides a member of Runnable, which is declared outside"),
        ("Encoder.default", "It may be a member of json.JSONEncoder, which is declared outside"),
        ("conftest.till", "Its decorator pytest.fixture may hand it on"),
    ],
)
def test_callers_outside_are_named(served: Served, symbol: str, said: str) -> None:
    answer = served.call("get_callers", symbol=symbol)
    assert answer["total"] == 0
    assert said in answer["warnings"][0]


@pytest.mark.parametrize("symbol", ["Till.idle", "Failed.explain", "conftest.plain"])
def test_nothing_outside_calls_what_no_base_has(served: Served, symbol: str) -> None:
    assert "warnings" not in served.call("get_callers", symbol=symbol)
